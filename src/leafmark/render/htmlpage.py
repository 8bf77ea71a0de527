"""The head of a page of HTML that is whole in one file: its style within, and no script.

Its policy allows nothing but that style, so that what a document holds can load nothing.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from html import escape
from importlib.resources import files

__all__ = ["html_head"]

_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="leafmark">
<title>{title}</title>
<style>{style}</style>
<header><h1>{title}</h1></header>
"""


def html_head(title: str, stylesheet: str) -> str:
    """Return what a page begins with, up to its title; `stylesheet` is a file of this package."""
    style, digest = _style(stylesheet)
    return _HEAD.format(digest=digest, title=escape(title), style=style)


@cache
def _style(stylesheet: str) -> tuple[str, str]:
    style = files("leafmark.render").joinpath(stylesheet).read_text(encoding="utf-8")
    return style, b64encode(hashlib.sha256(style.encode()).digest()).decode()
