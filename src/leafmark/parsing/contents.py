"""Which format a file has that its name alone does not tell: by its suffix and what is in it.

Modules and programs in Perl are read as POD if they have some, and are plain text otherwise.
"""

from __future__ import annotations

import re

from leafmark.model import Format

__all__ = ["format_told_by"]

_PERL = re.compile(r"\.(?:pm|pl|plx|t|cgi|psgi|xs)\Z", re.IGNORECASE)
_PERL_PROGRAM = re.compile(rb"(?:\xef\xbb\xbf)?#!.{0,200}\bperl")
_POD = re.compile(rb"^=(?:pod|head[1-6]|over|begin|for|encoding)(?=\s|\Z)", re.MULTILINE)


def format_told_by(path: str, data: bytes) -> Format | None:
    """Return the format of a file that is in none of the formats that its name tells.

    >>> format_told_by("lib/Lamp.pm", b"package Lamp;\\n\\n=head1 NAME\\n")
    'pod'
    """
    if (_PERL.search(path) or _PERL_PROGRAM.match(data)) and _POD.search(data):
        return "pod"
    return None
