"""An answer printed in each form, as the command prints it, and cut to a budget."""

from __future__ import annotations

from collections.abc import Callable

from leafmark.chunking import token_counter
from leafmark.model import Answer, Item, Passage
from leafmark.render import json_objects, search_results
from leafmark.render.budgets import fit_answer
from leafmark.render.search_results import Places
from leafmark.render.terminal import PLAIN

Form = Callable[[Answer], str]

TEXT_FORMS: dict[str, Form] = {
    "full": lambda answer: search_results.render_full(answer, _places(answer), PLAIN),
    "json": json_objects.render_packed,
    "jsonl": json_objects.render_packed_lines,
}
EXCERPT_FORMS: dict[str, Form] = {
    "pretty": lambda answer: search_results.render_grouped(answer, _places(answer), PLAIN),
    "list": lambda answer: search_results.render_list(answer, PLAIN),
    "matches": lambda answer: search_results.render_matches(answer, _places(answer), PLAIN),
    "vimgrep": lambda answer: search_results.render_vimgrep(answer, _places(answer)),
    "files": lambda answer: search_results.render_files(answer, _places(answer)),
}

tokens = token_counter("o200k_base")


def _places(answer: Answer) -> Places:
    return Places(answer.roots, "/")


def printed(answer: Answer, form: str) -> str:
    return (TEXT_FORMS | EXCERPT_FORMS)[form](answer)


def cut(answer: Answer, form: str, budget: int) -> tuple[str, Answer]:
    """What the command prints under a budget, and the answer that it prints.

    Raises:
        UsageError: the budget is too small for anything.
    """
    if form not in TEXT_FORMS:
        answer = answer._replace(packing=None)
    return fit_answer(answer, form, lambda part: printed(part, form), budget)


def shown_bytes(answer: Answer, whole: Answer) -> set[tuple[str, int]]:
    """The bytes that an answer cut to a budget shows, headings too, by document."""
    assert whole.packing is not None
    items: tuple[Item, ...] = whole.packing.items
    found: set[tuple[str, int]] = set()
    for result, item in zip(answer.results, items, strict=False):
        for one in result.passages or ():
            if isinstance(one, Passage):
                text = item.source[one.start : one.end].decode("utf-8", "replace")
                if item.reading is not None:
                    text = item.reading.shown(*item.reading.text_range(one.start, one.end))
                assert one.text.strip("\n") == text.strip("\n")
                assert one.text == text or item.reading is not None
                found |= {(result.entry.doc_id, at) for at in range(one.start, one.end)}
    return found
