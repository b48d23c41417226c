"""The public web: what a stranger names is read, and nothing inside of this machine or its network.

    async with opened("https://example.com/a.png") as (url, response):
        async for piece in response.aiter_raw(): ...

A name is looked up once, all of its addresses are judged, and the connection goes to one that was judged: a server of
names that answers otherwise a moment later changes nothing. Every redirect is judged anew. No proxy of the environment
is asked, for it would look names up itself.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import msgspec

from unabridged.errors import UnabridgedError

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

Address = IPv4Address | IPv6Address
WAIT_S = 30.0
"""How long a connection, or the next piece of an answer, is waited for. Whoever reads limits the whole."""
HOPS = 5
MOST_ADDRESSES = 4
"""Of one name, how many are tried."""
_PORTS = {"http": 80, "https": 443}
_NO_NAME = re.compile(r"[\x00-\x20\x7f\\\"<>^`{|}%@]")
_TRANSLATED = ip_network("64:ff9b::/96")
"""IPv6 addresses that a gateway turns into the IPv4 address in their last 32 bits (RFC 6052)."""
_INSIDE = (
    ip_network("168.63.129.16/32"),  # Azure answers its own machines there, with credentials among other things
    ip_network("192.0.0.0/24"),  # Oracle does so at .192
    ip_network("192.88.99.0/24"),
    ip_network("64:ff9b:1::/48"),
    ip_network("2001::/32"),  # Teredo: the address that it ends at is scrambled inside
    ip_network("fec0::/10"),
    ip_network("::/96"),
)
"""Global by the lists of some versions of Python, and still nothing of the public web."""


class WebFault(StrEnum):
    """Why nothing came."""

    ADDRESS = "address"
    """It is no address of a page."""
    UNKNOWN = "unknown"
    """No server is called so."""
    PRIVATE = "private"
    """It lies inside of this machine or its network."""
    REDIRECTS = "redirects"
    UNREACHABLE = "unreachable"
    UNABLE = "unable"
    """A package is missing here."""


class WebError(UnabridgedError):
    """Nothing could be read from an address. `fault` says why."""

    def __init__(self, fault: WebFault, said: str) -> None:
        super().__init__(said)
        self.fault = fault


class _Place(msgspec.Struct, frozen=True):
    """Where a request goes: a name, and the addresses that it had when they were judged."""

    scheme: str
    name: str
    port: int
    target: str
    """Path and query."""
    addresses: tuple[Address, ...]

    @property
    def host(self) -> str:
        """Give the header that says whom the request is for."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"

    def at(self, address: Address) -> str:
        """Give the URL with an address in the place of the name."""
        host = f"[{address}]" if address.version == 6 else str(address)
        return f"{self.scheme}://{host}:{self.port}{self.target}"


def check_address(url: str) -> None:
    """Raise `WebError` for what is no address of a page: another scheme, no host, a name or a password before it."""
    _parts(url)


def is_public(address: Address) -> bool:
    """Tell whether an address is of the public web; one that stands for an IPv4 address is judged as that."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _TRANSLATED:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    if any(address in network for network in _INSIDE if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved and not address.is_unspecified


@asynccontextmanager
async def opened(
    url: str, *, private: bool = False, hops: int = HOPS, headers: Mapping[str, str] | None = None
) -> AsyncGenerator[tuple[str, Response]]:
    """Ask for a page, and give where it was found and its answer, whose body is yet to be read.

    `private` allows addresses of this machine and its network. Raises `WebError`, also while the body is read.
    """
    try:
        import httpx2
    except ModuleNotFoundError:
        raise WebError(WebFault.UNABLE, "pages cannot be read here: the package httpx2 is missing") from None
    try:
        async with httpx2.AsyncClient(timeout=WAIT_S, follow_redirects=False, trust_env=False) as client:
            url, response = await _followed(client, url, (private, hops), dict(headers or {}))
            try:
                yield url, response
            finally:
                await response.aclose()
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        said = f"{url} could not be read ({type(error).__name__}: {error})"
        raise WebError(WebFault.UNREACHABLE, said) from None


async def _followed(
    client: AsyncClient, url: str, rules: tuple[bool, int], headers: dict[str, str]
) -> tuple[str, Response]:
    private, hops = rules
    for _ in range(hops + 1):
        place = await asyncio.to_thread(_place_of, url, private=private)
        client.cookies.clear()
        response = await _sent(client, place, headers)
        if not response.has_redirect_location:
            return url, response
        await response.aclose()
        try:
            url = urljoin(url, response.headers["location"])
        except ValueError:
            raise WebError(WebFault.ADDRESS, f"{url} leads to what is no address of a page") from None
    raise WebError(WebFault.REDIRECTS, f"{url} leads on and on: more than {hops} redirects")


async def _sent(client: AsyncClient, place: _Place, headers: dict[str, str]) -> Response:
    from httpx2 import ConnectError, ConnectTimeout

    *others, last = place.addresses[:MOST_ADDRESSES]
    # The certificate is checked against the name, although the connection goes to the address.
    named = {"Host": place.host, "User-Agent": "unabridged", **headers}
    for address in (*others, last):
        request = client.build_request("GET", place.at(address), headers=named, extensions={"sni_hostname": place.name})
        try:
            return await client.send(request, stream=True)
        except (ConnectError, ConnectTimeout):
            if address is last:
                raise
    raise AssertionError("a place has at least one address")


def _parts(url: str) -> tuple[str, str, int, str]:
    try:
        parts = urlsplit(url)
        name, port = parts.hostname, parts.port
        if parts.scheme not in _PORTS or not name or _NO_NAME.search(parts.netloc):
            raise ValueError
        name = name.rstrip(".").encode("idna").decode("ascii")
        if not name:
            raise ValueError
    except ValueError:  # UnicodeError is one
        said = f"{url!r} is no address of a page: give http:// or https://, without a password"
        raise WebError(WebFault.ADDRESS, said) from None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, name, _PORTS[parts.scheme] if port is None else port, target


def _place_of(url: str, *, private: bool) -> _Place:
    """Look a name up, and judge all that is found: one address inside is enough to refuse it."""
    scheme, name, port, target = _parts(url)
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        addresses = tuple(dict.fromkeys(ip_address(str(each[4][0]).partition("%")[0]) for each in found))
    except (OSError, ValueError):
        addresses = ()
    if not addresses:
        raise WebError(WebFault.UNKNOWN, f"no server is called {name!r}")
    if not private and not all(map(is_public, addresses)):
        said = f"{name} is inside of this machine or its network: it is not read from here"
        raise WebError(WebFault.PRIVATE, said)
    return _Place(scheme, name, port, target, addresses)
