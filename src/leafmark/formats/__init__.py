"""leafmark's own formats beyond the core: Org, POD, manual pages, Info and RDoc.

They are registered in `pyproject.toml` the way another package registers its own: an entry point
of the group `leafmark.formats` names one of the objects below. This module detects the files of
each format, so that the parsers, which take a tenth of a second to import, are only imported for
such a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, cast

from leafmark.model import Document, ReadableText, Reader
from leafmark.parsing.lines import without_lone_returns
from leafmark.patterns import lazy_pattern

__all__ = ["INFO", "ORG", "POD", "RDOC", "ROFF", "leads_to_page"]

_PERL = lazy_pattern(r"\.(?:pm|pl|plx|t|cgi|psgi|xs)\Z", re.IGNORECASE)
_PERL_PROGRAM = lazy_pattern(rb"(?:\xef\xbb\xbf)?#!.{0,200}\bperl")
_POD = lazy_pattern(rb"^=(?:pod|head[1-6]|over|begin|for|encoding)(?=\s|\Z)", re.MULTILINE)

_PAGE = lazy_pattern(
    r"\.(?:[1-9](?:[a-z][a-z0-9]{0,9})?|[nl]|man|mdoc|roff|troff|nroff)(?:\.in)?\Z", re.IGNORECASE
)
_HEAD = lazy_pattern(rb"^[.'][ \t]*(?:TH|Dd|Dt|Sh[ \t]+NAME|SH[ \t]+\"?NAME)(?=\s)", re.MULTILINE)
_REDIRECT = lazy_pattern(rb"(?:[.']\\\"[^\n]*+\n|\s|(?!))*+[.'][ \t]*so[ \t]+([^\s\"]++)\s*+\Z")
_HEAD_BYTES = 50_000

_INFO = lazy_pattern(r"\.info(?:-[0-9]{1,4})?\Z", re.IGNORECASE)
_NODE = lazy_pattern(
    rb"^\x1f\f?+[ \t\r]*+\n(?:File:[^\n]*?Node:|(Indirect:|Tag Table:))", re.MULTILINE
)


def takes_pod(path: str, data: bytes) -> bool:
    """Whether a file has POD: `.pod` files, and modules and programs in Perl with POD in them.

    >>> takes_pod("lib/Lamp.pm", b"package Lamp;\\n\\n=head1 NAME\\n")
    True
    """
    if path.lower().endswith(".pod"):
        return True
    is_perl = _PERL.search(path) or _PERL_PROGRAM.match(data)
    return is_perl is not None and _POD.search(data) is not None


def takes_roff(path: str, data: bytes) -> bool:
    """Whether a file is a manual page: it has the macro of its name, unlike `libc.so.6`."""
    return _PAGE.search(path) is not None and _HEAD.search(data[:_HEAD_BYTES]) is not None


def takes_info(path: str, data: bytes) -> bool:
    """Whether a file is an Info manual: it has nodes, unlike Drupal's `.info` files."""
    return _INFO.search(path) is not None and _NODE.search(without_lone_returns(data)) is not None


def leads_to_page(path: str, data: bytes) -> bool:
    """Whether a manual page only includes another page, or an Info file only lists its parts.

    >>> leads_to_page("fprintf.3", b".so man3/printf.3\\n"), leads_to_page("a.3", b".TH a 3\\n")
    (True, False)
    >>> leads_to_page("a.info", b"A.\\n\\x1f\\nIndirect:\\na.info-1: 70\\n")
    True
    """
    if _INFO.search(path):
        match = _NODE.search(without_lone_returns(data))
        return match is not None and match[1] is not None
    return _PAGE.search(path) is not None and _REDIRECT.match(data[:_HEAD_BYTES]) is not None


class _OwnFormat(NamedTuple):
    """A format whose `module` has `parse`, and `read` if its bytes are markup."""

    module: str
    takes: Callable[[str, bytes], bool]

    def parse(self, data: bytes, path: str) -> Document:
        parsed: Document = import_module(self.module).parse(data, path)
        return parsed


class _RenderedFormat(_OwnFormat):
    """A format whose bytes are markup."""

    def read(self, data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
        return cast(Reader, import_module(self.module).read)(data, spans)


def _ends_with(suffix: str) -> Callable[[str, bytes], bool]:
    return lambda path, data: path.lower().endswith(suffix)


ORG = _OwnFormat("leafmark.formats.org", _ends_with(".org"))
RDOC = _OwnFormat("leafmark.formats.rdoc", _ends_with(".rdoc"))
POD = _RenderedFormat("leafmark.formats.pod", takes_pod)
ROFF = _RenderedFormat("leafmark.formats.roff", takes_roff)
INFO = _RenderedFormat("leafmark.formats.info", takes_info)
