"""Errors, diagnostics and hints as people read them, and errors as JSON.

```
error: the query has an opening quote without a closing one
  --> query:7
   | title:"getting started
   |       ^
hint: add the closing quote, or write \\" to search for the character itself
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leafmark.errors import AmbiguousError, LeafmarkError, NotFoundError, QueryError
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.terminal import Style, clean, clean_line, display_width

if TYPE_CHECKING:
    from leafmark.model import Diagnostic

__all__ = [
    "error_record",
    "render_diagnostic",
    "render_error",
    "render_hint",
    "render_warning",
]

_EXCERPT = 72
"""Columns of a query shown around the place at fault."""


def render_error(error: LeafmarkError, style: Style) -> str:
    """Return the whole message, its last line ended."""
    lines = [f"{style.red('error:')} {_indented(error.message)}"]
    if error.location:
        lines.append(f"  {style.dim('-->')} {clean_line(error.location)}")
    if isinstance(error, QueryError):
        lines += _caret_block(error, style)
    hint = _hint_of(error)
    return "\n".join(lines) + "\n" + (render_hint(hint, style) if hint else "")


def render_hint(message: str, style: Style) -> str:
    return f"{style.cyan('hint:')} {_indented(message)}\n"


def render_warning(message: str, style: Style, location: str | None = None) -> str:
    where = f"  {style.dim('-->')} {clean_line(location)}\n" if location else ""
    return f"{style.yellow('warning:')} {_indented(message)}\n{where}"


def render_diagnostic(diagnostic: Diagnostic, style: Style) -> str:
    line = "" if diagnostic.line is None else f":{diagnostic.line}"
    return render_warning(diagnostic.message, style, f"{diagnostic.path}{line}")


def error_record(error: LeafmarkError) -> dict[str, Any]:
    """Return `{schema_version, error: {kind, message, location, hint}}`, with the nearest names."""
    record: dict[str, Any] = {
        "kind": error.kind,
        "message": error.message,
        "location": error.location,
        "hint": _hint_of(error),
    }
    if isinstance(error, QueryError):
        record |= {"query": error.query, "start": error.start, "end": error.end}
    if isinstance(error, NotFoundError):
        record["did_you_mean"] = list(error.did_you_mean)
    if isinstance(error, AmbiguousError):
        record["candidates"] = list(error.candidates)
    return {"schema_version": SCHEMA_VERSION, "error": record}


def _hint_of(error: LeafmarkError) -> str | None:
    """The error's own hint, or one made of the names that it carries."""
    if error.hint:
        return error.hint
    if isinstance(error, NotFoundError) and error.did_you_mean:
        return f"did you mean {' or '.join(error.did_you_mean)}?"
    if isinstance(error, AmbiguousError) and error.candidates:
        return f"it could be {', '.join(error.candidates)}"
    return None


def _indented(message: str) -> str:
    """A message of several lines, the further ones set in under the first."""
    return clean(message).rstrip("\n").replace("\n", "\n  ")


def _caret_block(error: QueryError, style: Style) -> list[str]:
    """The query, or what of it is near the place at fault, with carets under that place."""
    query, start = error.query, error.start
    begin = max(0, start - _EXCERPT // 2) if len(query) > _EXCERPT else 0
    finish = begin + _EXCERPT if len(query) > _EXCERPT else len(query)
    before = ("…" if begin else "") + clean_line(query[begin:start])
    faulty = clean_line(query[start : min(error.end, finish)])
    after = clean_line(query[max(start, min(error.end, finish)) : finish])
    after += "…" if finish < len(query) else ""
    carets = "^" * max(1, display_width(faulty))
    bar = style.dim("|")
    return [
        f"   {bar} {before}{faulty}{after}",
        f"   {bar} {' ' * display_width(before)}{style.red(carets)}",
    ]
