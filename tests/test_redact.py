"""What opens a door is taken out of a text, all else stays, and no text makes that slow."""

from __future__ import annotations

import time

import pytest

from unabridged.redact import GONE, redacted, secrets_in, without

# Put together here, so that nobody who looks for keys in a repository finds these.
LETTERS = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"
KEYS = {
    "OpenAI": "sk-" + LETTERS,
    "OpenAI project": "sk-proj-" + LETTERS + "-" + LETTERS,
    "Anthropic": "sk-ant-api03-" + LETTERS,
    "GitHub": "ghp_" + LETTERS + "abcd",
    "GitHub app": "gho_" + LETTERS + "abcd",
    "GitHub fine": "github_pat_" + LETTERS + "_" + LETTERS,
    "AWS": "AKIA" + "ABCDEFGHIJ234567",
    "Google": "AIza" + LETTERS + "abc",
    "Slack": "xoxb-" + "123456789012-" + LETTERS,
    "Stripe": "sk_live_" + LETTERS,
    "Stripe restricted": "rk_test_" + LETTERS,
    "Hugging Face": "hf_" + LETTERS,
    "token": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + "." + LETTERS,
    "AWS pair": "AKIA" + "ABCDEFGHIJ234567, " + LETTERS + "/+abcdef",
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("around", ["{}", "use {} here", 'key="{}",', "({})", "a\n{}\nb", "https://host/?k={}&x=1"])
def test_a_key_is_taken_out_wherever_it_stands(name: str, around: str) -> None:
    said = redacted(around.format(KEYS[name]))
    assert GONE in said
    assert not any(part in said for part in (LETTERS, "ABCDEFGHIJ234567", "eyJzdWIi"))


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("password: hunter2", f"password: {GONE}"),
        ("DB_PASSWORD=letmein", f"DB_PASSWORD={GONE}"),
        ('"password": "correct horse battery"', f'"password": "{GONE}"'),
        (r"{\"api_key\": \"abc-123\"}", rf"{{\"api_key\": \"{GONE}\"}}"),
        ("clientSecret: 'x9z8'", f"clientSecret: '{GONE}'"),
        ("aws_secret_access_key = abc/def", f"aws_secret_access_key = {GONE}"),
        ("the password is hunter2, do not tell", f"the password is {GONE}, do not tell"),
        ("Parola: kedi42", f"Parola: {GONE}"),
        ("密码：芝麻开门一二三", f"密码：{GONE}"),
        ("?token=abcdef&page=2", f"?token={GONE}&page=2"),
        ("https://bob:s3cret@host/path", f"https://{GONE}@host/path"),
        ("postgresql://me:p%40ss@db:5432/x", f"postgresql://{GONE}@db:5432/x"),
        ("Authorization: Bearer abc", f"Authorization: {GONE}"),
        ("Authorization: Basic dXNlcjpwYXNz", f"Authorization: {GONE}"),
        ("send Bearer abcdef123456ghi with it", f"send Bearer {GONE} with it"),
        ('curl -H "X-Api-Key: abcd1234" host', f'curl -H "X-Api-Key: {GONE}" host'),
        ("Set-Cookie: sid=31d4d96e; Path=/", f"Set-Cookie: {GONE}"),
    ],
)
def test_what_is_called_a_secret_is_taken_out(said: str, left: str) -> None:
    assert redacted(said) == left


@pytest.mark.parametrize(
    "said",
    [
        "def login(password: str, token: str | None = None) -> bool",
        "max_tokens=4096, token_type: bearer",
        'key = os.environ["API_KEY"]; password = getpass()',
        "apiKey: process.env.API_KEY",
        'password="${DB_PASSWORD}"',
        "sk-learn-is-not-what-it-is-called",
        "the password is wrong, and the tokenizer: fast",
        "see https://host/a@b and http://localhost:8080/x",
        "commit 4f0c2a9b1d3e5f708192a3b4c5d6e7f801234567",
        "Gestern war ich in München. 昨天我们去了长城。",
    ],
)
def test_what_is_none_stays(said: str) -> None:
    assert redacted(said) == said


def block(kind: str) -> str:
    body = "\n".join(LETTERS * 2 for _ in range(8))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


@pytest.mark.parametrize("kind", ["", "RSA ", "OPENSSH "])
def test_a_private_key_is_taken_out_whole(kind: str) -> None:
    assert redacted(f"before\n{block(kind)}\nafter") == f"before\n{GONE}\nafter"


def test_of_a_private_key_that_is_cut_off_nothing_stays() -> None:
    said = redacted(f"before\n{block('RSA ')[:300]}")
    assert said == f"before\n{GONE}"


def test_the_halves_of_a_secret_are_taken_out_of_both_parts_of_a_text() -> None:
    text = f"this is {KEYS['OpenAI']} and that is all"
    secrets, middle = secrets_in(text), text.index(LETTERS) + 8
    assert without(text, secrets, 0, middle) == f"this is {GONE}"
    assert without(text, secrets, middle, len(text)) == f"{GONE} and that is all"


@pytest.mark.parametrize(
    "said", ["", " ", "\ud800", "password:", "password=\x00", "://:@", "-----BEGIN PRIVATE KEY-----"]
)
def test_no_text_breaks_it(said: str) -> None:
    assert redacted(redacted(said)) == redacted(said)


UNITS = (
    *(
        "a",
        " ",
        "sk-",
        "sk-1 ",
        "eyJ",
        "eyJaaaaaaaa.",
        "password",
        "password: ",
        'password="',
        "api key ",
        "://a:",
        "1:AA",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "authorization: bearer ",
        "bearer a",
        "cookie: a=",
        "pin is ",
        "QUJD",
    ),
)


@pytest.mark.parametrize("unit", UNITS)
def test_a_megabyte_of_anything_takes_time_in_proportion(unit: str) -> None:
    def took(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.perf_counter()
        redacted(text)
        return time.perf_counter() - started

    # What goes with the square of the length would take 64 times as long; a busy machine, twice or three times.
    assert took(1_000_000) < 30 * max(took(125_000), 0.02)
