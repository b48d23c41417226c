"""Addresses of servers: what of them may be written down, and whether they are on this machine."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from unabridged.errors import BadInput


def place_of(endpoint: str) -> str:
    """Give host, port and path of an address: no scheme, no user, no password, no query, no `/v1`. "" stays ""."""
    url = endpoint if "://" in endpoint or not endpoint else f"//{endpoint}"
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2].lower()
    return (host + parts.path).rstrip("/").removesuffix("/v1")


def host_of(endpoint: str) -> str:
    """Give the host of an address alone; "" where there is none."""
    try:
        return urlsplit(endpoint if "://" in endpoint else f"//{endpoint}").hostname or ""
    except ValueError:
        return ""


def is_loopback(endpoint: str) -> bool:
    """Tell whether an address is on this machine. No name is looked up."""
    host = host_of(endpoint)
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def base_url(named: str, *, port: int) -> str:
    """Make an address out of what somebody named: a URL, `host:port`, or a host alone. Raises `BadInput`.

    `0.0.0.0` and `::` are where a server listens; it is asked on this machine. A path of `/v1` is left out.
    """
    url = named.strip() if "://" in named else f"http://{named.strip()}"
    try:
        parts = urlsplit(url)
        host, given = parts.hostname or "", parts.port
    except ValueError:
        raise BadInput(f"{place_of(named)!r} is no address of a server: give http://host:port") from None
    if not host or parts.scheme not in ("http", "https"):
        raise BadInput(f"{place_of(named)!r} is no address of a server: give http://host:port")
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    usual = port if "://" not in named else {"http": 80, "https": 443}[parts.scheme]
    path = parts.path.rstrip("/").removesuffix("/v1")
    return f"{parts.scheme}://{shown}:{given or usual}{path}"
