"""Ids as resource addresses, `leafmark://tree/path#slug`, and back.

An address is the id with what a URI may not hold percent-encoded once more; it
is decoded to an id and looked up, never joined to a path.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

__all__ = ["TEMPLATE", "address_of", "id_of"]

SCHEME = "leafmark://"
TEMPLATE = SCHEME + "{tree}/{+path}"

_SAFE = "/-._~!$&'()*+,;=:@"


def address_of(chunk_id: str) -> str:
    """
    >>> address_of("docs:a b/ü%23.md#über-uns~2")
    'leafmark://docs/a%20b/%C3%BC%2523.md#%C3%BCber-uns~2'
    """
    tree, _, rest = chunk_id.partition(":")
    path, sharp, fragment = rest.partition("#")
    return f"{SCHEME}{tree}/{quote(path, safe=_SAFE)}{sharp}{quote(fragment, safe=_SAFE)}"


def id_of(address: str) -> str | None:
    """Return the id that an address names, None where it is none of ours.

    >>> id_of("leafmark://docs/a%20b/%C3%BC%2523.md#%C3%BCber-uns~2")
    'docs:a b/ü%23.md#über-uns~2'
    >>> id_of("file:///etc/passwd") is None
    True
    """
    if not address.startswith(SCHEME):
        return None
    tree, slash, rest = address.removeprefix(SCHEME).partition("/")
    return f"{tree}:{unquote(rest)}" if tree and slash and rest else None
