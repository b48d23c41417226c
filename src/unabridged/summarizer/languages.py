"""What differs between languages: where a sentence ends, what begins an item, how people demand, and models decline.

Lists of words are never all that decides; they are as long as they are so that no language is the only one.
"""

from __future__ import annotations

import functools
import re

ITEM = re.compile(
    r"\s*(?:[-*+•·‣–—]|\(?[0-9０-９]{1,3}[.)、．:]|[a-zA-Z][.)]|[①-⑳㈠-㈩]|[一二三四五六七八九十]{1,3}[、.])\s*\S"
)
"""The beginning of an item of a list."""
HEADING = re.compile(r"\s*#{1,6} \S|\s*\S[^.!?。！？]{0,60}[:：]\s*$")
ENDS = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[^\sa-z])|(?<=[。！？．｡؟।])[」』”’）]*")
"""Between two sentences."""
EMPHASIS = re.compile(r"\*\*\S|__\S|\b[A-Z]{3,}\b|[!！]\s*$")
SPECIFIC = re.compile(r"`[^`]+`|[\w.-]+/[\w./-]+|\d|https?://|\b\w+[._]\w+\b|«[^»]+»|\"[^\"]+\"|「[^」]+」")
QUESTION = re.compile(r"[?？؟]\s*[\"'”’»)]*\s*$")
SENTENCES = re.compile(r"(?<=[.!?。！？])\s+|\n")
"""Where to split for comparing: roughly, and quickly."""

_WORDS = {
    "English": "must never always don'?t do not doesn'?t cannot can'?t should(?:n'?t)? only without avoid instead "
    "ensure make please needs? required? no longer not keep use prefer at least at most exactly unless until remember "
    "important rules? forbidden allowed want expect ignore stop limit no",
    "German": "nie(?:mals)? immer nicht kein\\w* muss müssen darf dürfen soll(?:te|ten|st)? nur ohne bitte "
    "statt(?:dessen)? unbedingt mindestens höchstens wichtig achte vermeide verwende",
    "French": "jamais toujours ne pas doit doivent devez dois faut uniquement seulement sans veuillez évite[rz]? "
    "plutôt obligatoire interdit utilise[rz]? assure",
    "Spanish, Portuguese, Italian": "nunca siempre sempre debe[ns]? debes deve[mt]? devi solo sólo "
    "solamente somente apenas sin sem senza favor favore evitar? obligatorio obrigatório jamás mai não nao non usar? "
    "asegúrate",
    "Dutch": "nooit altijd niet geen moet(?:en)? alleen zonder",
    "Swedish, Danish, Norwegian": "aldrig aldri alltid altid ikke inte skal ska kun bara uten utan uden",
    "Polish, Czech": "nigdy zawsze nie musi musisz tylko bez proszę nikdy vždy musí pouze prosím",
    "Turkish": "asla zaman mutlaka sadece yalnızca lütfen gerek zorunda olmadan",
    "Russian, Ukrainian": "никогда всегда нельзя должн\\w* только обязательно не без пожалуйста нужно надо ніколи "
    "завжди тільки",
    "Greek, Hebrew": "ποτέ πάντα πρέπει μην μόνο χωρίς אסור תמיד חייב רק בלי אל",
    "Arabic, Persian": "لا يجب دائما أبدا فقط بدون فضلك هرگز همیشه باید",
    "Vietnamese": "không phải luôn chỉ đừng cấm lòng",
}
_WITHIN = {
    # Scripts in which words have no borders that can be seen.
    "Chinese": "必须 必須 不要 不能 不得 不可 禁止 务必 務必 一定 只能 只要 永远 永遠 始终 避免 请 請 "
    "需要 应该 應該 别 勿 不许 确保",
    "Japanese": "ないで しないこと してください してはいけ べき のみ だけ 絶対 常に 決して なければ 必ず 禁",
    "Korean": "하지\\s?마 말아 반드시 항상 절대 해야 만\\s 않도록 주세요 금지 없이",
    "Hindi, Thai": "कभी हमेशा केवल बिना मत\\s चाहिए ห้าม ต้อง อย่า เสมอ เท่านั้น กรุณา",
}


@functools.cache
def demand() -> re.Pattern[str]:
    """Give the pattern of words that demand, forbid or set a condition, in any of these languages."""
    words = "|".join("|".join(words.split()) for words in _WORDS.values())
    within = "|".join("|".join(words.split()) for words in _WITHIN.values())
    return re.compile(rf"\b(?:{words})\b|{within}", re.IGNORECASE)


_DECLINES = (
    "(?:抱歉|对不起|對不起|很遗憾)[^。\\n]{0,20}(?:无法|不能|無法)",
    "我(?:无法|不能|無法)(?:提供|协助|協助|帮助|幫助|完成|回答)",
    "申し訳[^。\\n]{0,30}(?:できません|できかねます|いたしかねます)",
    "죄송(?:합니다|하지만)[^.\\n]{0,40}(?:없습니다|어렵습니다)",
    "(?:Es tut mir leid|Tut mir leid|Entschuldigung)[^.\\n]{0,60}(?:nicht|kein)",
    "(?:Je suis désolé|Désolé)[^.\\n]{0,60}(?:ne |pas)",
    "(?:Lo siento|Disculpa)[^.\\n]{0,60}no p",
    "(?:Desculpe|Sinto muito|Lamento)[^.\\n]{0,60}não",
    "Mi dispiace[^.\\n]{0,60}non",
    "Üzgünüm[^.\\n]{0,60}(?:ama|yapamam|edemem)",
    "(?:Извините|К сожалению|Простите)[^.\\n]{0,60}не ",
)
_REPLIES = (
    *("好的", "当然", "没问题", "はい", "了解", "承知", "네", "알겠"),
    *("natürlich", "gerne", r"klar\b", "bien sûr", "d'accord", "claro", "por supuesto", "certo", "конечно", "хорошо"),
)


@functools.cache
def declining() -> re.Pattern[str]:
    """Give the pattern of a refusal in another language than English."""
    return re.compile("|".join(_DECLINES), re.IGNORECASE)


@functools.cache
def replying() -> re.Pattern[str]:
    """Give the pattern of the first word of a reply in another language than English."""
    return re.compile(rf"\s*(?:{'|'.join(_REPLIES)})", re.IGNORECASE)
