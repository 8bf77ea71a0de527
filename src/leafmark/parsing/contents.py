"""Which format a file has that its name alone does not tell: by its suffix and what is in it.

Modules and programs in Perl are read as POD if they have some, manual pages by the macros
that name them, Info by its nodes. All others are plain text: `libc.so.6` and `notes.1` are no
manual pages.
"""

from __future__ import annotations

import re

from leafmark.model import Format
from leafmark.parsing.lines import without_lone_returns

__all__ = ["format_told_by", "leads_to_page"]

_PERL = re.compile(r"\.(?:pm|pl|plx|t|cgi|psgi|xs)\Z", re.IGNORECASE)
_PERL_PROGRAM = re.compile(rb"(?:\xef\xbb\xbf)?#!.{0,200}\bperl")
_POD = re.compile(rb"^=(?:pod|head[1-6]|over|begin|for|encoding)(?=\s|\Z)", re.MULTILINE)

_PAGE = re.compile(
    r"\.(?:[1-9](?:[a-z][a-z0-9]{0,9})?|[nl]|man|mdoc|roff|troff|nroff)(?:\.in)?\Z", re.IGNORECASE
)
_HEAD = re.compile(rb"^[.'][ \t]*(?:TH|Dd|Dt|Sh[ \t]+NAME|SH[ \t]+\"?NAME)(?=\s)", re.MULTILINE)
_REDIRECT = re.compile(rb"(?:[.']\\\"[^\n]*+\n|\s|(?!))*+[.'][ \t]*so[ \t]+([^\s\"]++)\s*+\Z")
_HEAD_BYTES = 50_000

_INFO = re.compile(r"\.info(?:-[0-9]{1,4})?\Z", re.IGNORECASE)
_NODE = re.compile(
    rb"^\x1f\f?+[ \t\r]*+\n(?:File:[^\n]*?Node:|(Indirect:|Tag Table:))", re.MULTILINE
)


def format_told_by(path: str, data: bytes) -> Format | None:
    """Return the format of a file that is in none of the formats that its name tells.

    >>> format_told_by("lib/Lamp.pm", b"package Lamp;\\n\\n=head1 NAME\\n")
    'pod'
    """
    if (_PERL.search(path) or _PERL_PROGRAM.match(data)) and _POD.search(data):
        return "pod"
    if _PAGE.search(path) and _HEAD.search(data[:_HEAD_BYTES]):
        return "roff"
    if _INFO.search(path) and _NODE.search(without_lone_returns(data)):
        return "info"
    return None


def leads_to_page(path: str, data: bytes) -> bool:
    """Whether a manual page only says which other page is meant, or Info where its nodes are.

    >>> leads_to_page("fprintf.3", b".so man3/printf.3\\n"), leads_to_page("a.3", b".TH a 3\\n")
    (True, False)
    >>> leads_to_page("a.info", b"A.\\n\\x1f\\nIndirect:\\na.info-1: 70\\n")
    True
    """
    if _INFO.search(path):
        found = _NODE.search(without_lone_returns(data))
        return found is not None and found[1] is not None
    return _PAGE.search(path) is not None and _REDIRECT.match(data[:_HEAD_BYTES]) is not None
