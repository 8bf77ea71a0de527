"""The words that files and chunks were looked up by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.model import Answer, KeyTerm, count_of
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.records import hint_records
from leafmark.render.terminal import Style, clean_line, display_width

__all__ = ["render_terms", "term_record", "terms_record"]


def render_terms(terms: Sequence[KeyTerm], style: Style) -> str:
    """Return a line for each word: its score, how that is made, and where it stands."""
    width = max((display_width(term.word) for term in terms), default=0)
    lines = []
    for term in terms:
        word = clean_line(term.word)
        space = " " * (width - display_width(word))
        rarity = f"{term.score / term.weight:.2f} (in {count_of(term.chunks, 'chunk')})"
        made = f"{term.weight:.2f} × {rarity}  {', '.join(term.sources)}"
        lines.append(f"{term.score:8.2f}  {style.bold(word)}{space}  {style.dim(made)}\n")
    return "".join(lines)


def terms_record(answer: Answer) -> dict[str, Any]:
    """Return `{schema_version, terms, hints}`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "terms": [term_record(term) for term in answer.terms],
        "hints": hint_records(answer.hints),
    }


def term_record(term: KeyTerm) -> dict[str, Any]:
    return term._asdict() | {"sources": list(term.sources)}
