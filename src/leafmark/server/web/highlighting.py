"""Colours of code: which characters of it are keywords, strings, comments and the like.

Pygments knows the languages. It is asked for those alone that are common in documentation, and
for code of a bounded size: its patterns are not made for text that wants to keep them busy.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

MAX_COLOURED = 60_000
"""Characters of code that is coloured; a part of a source has fewer."""

MAX_LINE = 2_000
"""Characters of its longest line: longer ones are data, or made by a program."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LANGUAGES = _words(
    "awk bash bat batch c c++ clojure cmake console cpp css dart diff docker "
    "dockerfile elisp elixir emacs-lisp erl erlang fsharp go golang graphql haskell "
    "html http ini javascript jinja js json json5 jsonc jsx kotlin lisp lua "
    "nginx objc objective-c ocaml perl php plpgsql postgresql posh powershell proto "
    "protobuf ps1 pwsh py py3 pycon pycon3 pytb python python3 r rb ruby rs rust sass "
    "scheme scss sh shell shell-session sql sqlite swift tcl toml ts tsx typescript "
    "vb vb.net vba vim xml yaml yml zig zsh"
)
_OTHER_NAMES = {
    "ipython": "python", "ipython3": "python", "node": "javascript", "mjs": "javascript",
    "jsonc": "json", "json5": "json", "tsx": "typescript", "jsx": "javascript",
    "java": "javascript", "c#": "javascript", "cs": "javascript", "csharp": "javascript",
    "posh": "powershell", "vba": "vb.net", "vb": "vb.net", "html+jinja": "html",
}  # fmt: skip
"""Names that Pygments has not, or has for a lexer whose time grows with the
square of what it reads: another one has nearly the same keywords."""

_PROMPTS = ((re.compile(r"\s*>>> "), "pycon"), (re.compile(r"\s*[$#] \w"), "console"))


class Tint(NamedTuple):
    """Characters `[start, end)` of code, and the class of what they are."""

    start: int
    end: int
    name: str


def tints(code: str, language: str) -> list[Tint]:
    """Return what is coloured in code, in order; nothing of a language that is not known.

    Code that names no language is known by a prompt at its begin.

    >>> tints("x = 1  # one", "python")
    [Tint(start=4, end=5, name='tn'), Tint(start=7, end=12, name='tc')]
    """
    name = language.lower() or next((one for sign, one in _PROMPTS if sign.match(code)), "")
    if name not in _LANGUAGES and name not in _OTHER_NAMES:
        return []
    if len(code) > MAX_COLOURED or max(map(len, code.split("\n"))) > MAX_LINE:
        return []
    lexer = _lexer(_OTHER_NAMES.get(name, name))
    if lexer is None:
        return []
    found: list[Tint] = []
    for at, kind, text in lexer.get_tokens_unprocessed(code):
        tint = _class_of(kind) if text.strip() else ""
        last = found[-1] if found else None
        if last and last.name == tint and last.end == at:
            found[-1] = last._replace(end=at + len(text))
        elif tint:
            found.append(Tint(at, at + len(text), tint))
    return found


@cache
def _lexer(name: str) -> Any:
    from pygments.lexers import get_lexer_by_name  # late: many pages have no code
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


_CLASSES = (
    ("Comment.Preproc", "tk"),
    ("Comment", "tc"),
    ("Keyword.Constant", "tn"),
    ("Keyword", "tk"),
    ("Operator.Word", "tk"),
    ("Literal.String", "ts"),
    ("Literal", "tn"),
    ("Name.Function", "tf"),
    ("Name.Class", "tf"),
    ("Name.Decorator", "tf"),
    ("Name.Attribute", "tf"),
    ("Name.Exception", "tf"),
    ("Name.Builtin", "tb"),
    ("Name.Tag", "tk"),
    ("Generic.Heading", "tf"),
    ("Generic.Subheading", "tf"),
    ("Generic.Prompt", "tc"),
    ("Generic.Deleted", "td"),
    ("Generic.Inserted", "ti"),
)
"""Kinds of tokens and their classes, the more special ones first."""


@cache
def _class_of(kind: Any) -> str:
    name = ".".join(kind)
    return next((tint for begin, tint in _CLASSES if f"{name}.".startswith(f"{begin}.")), "")
