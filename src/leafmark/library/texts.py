"""What was found, as one text for a reader or a model: whole, or cut to a budget of tokens.

The text is the one that the command line prints (`-o full`, `show`). Under a budget
the texts are read again, so that what was changed meanwhile is marked, and never
cut at places that were others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from leafmark.app import Project
from leafmark.app.answering.packing import pack_found
from leafmark.app.indexed_sources import Sources
from leafmark.errors import UsageError
from leafmark.index import IndexReader
from leafmark.model import Answer, Omission, Packing, Passage, Result, Shown, ShowReport
from leafmark.render.budgets import fit_answer, fit_report
from leafmark.render.reading import render_show
from leafmark.render.searching import Places, render_full
from leafmark.render.terminal import PLAIN

ResultOrShown = TypeVar("ResultOrShown", Result, Shown)


def text_of(project: Project, found: Answer | ShowReport, max_tokens: int | None) -> str:
    """Return an answer, or what was asked for by id, as text of at most `max_tokens`.

    Raises:
        BudgetError: not even the least of it fits.
    """
    _check_found(found, Answer, ShowReport)
    if max_tokens is None:
        return _render(found)
    _check_budget(max_tokens)
    return _cut(found, project, max_tokens)


def fit_texts(project: Project, found: Answer, max_tokens: int) -> Answer:
    """Return an answer with those passages of its results whose texts fit."""
    _check_found(found, Answer)
    _check_budget(max_tokens)
    return fit_answer(_packed(found, project), "full", _texts, max_tokens)[1]


def _texts(answer: Answer) -> str:
    """The texts of all passages, those of added chunks behind their result's."""
    shown: list[Passage | Omission] = []
    for result in answer.results:
        shown += result.passages or ()
        for related in result.expanded:
            shown += related.passages
    return "\n\n".join(one.text for one in shown if isinstance(one, Passage))


def _check_found(found: object, *accepted: type) -> None:
    if not isinstance(found, accepted):
        kinds = " or ".join(f"{kind.__name__}" for kind in accepted)
        hint = "give what `search` or `show` returned, whole"
        raise UsageError(f"a {type(found).__name__} is given, no {kinds}", hint=hint)


def _check_budget(max_tokens: object) -> None:
    if type(max_tokens) is not int or max_tokens < 1:
        least = "max_tokens must be a whole number of at least 1"
        raise UsageError(f"max_tokens is {max_tokens!r}", hint=least)


def _render(found: Answer | ShowReport) -> str:
    if isinstance(found, Answer):
        return render_full(found, Places({}, ""), PLAIN)
    return render_show(found, PLAIN)


def _cut(found: Answer | ShowReport, project: Project, budget: int) -> str:
    if isinstance(found, Answer):
        return fit_answer(_packed(found, project), "full", _render, budget)[0]
    shown, packing, tokenizer = _pack(found.shown, project)
    report = found._replace(shown=shown, packing=packing, tokenizer=tokenizer)
    return fit_report(report, _render, budget)


def _packed(found: Answer, project: Project) -> Answer:
    results, packing, tokenizer = _pack(found.results, project)
    return found._replace(results=results, packing=packing, tokenizer=tokenizer)


def _pack(
    found: Sequence[ResultOrShown], project: Project
) -> tuple[tuple[ResultOrShown, ...], Packing, str]:
    """Return what was found as it is now, its packing, and what a budget is counted in."""
    sources, tokenizer = Sources(project), project.configuration.chunking.tokenizer
    reader = project.open_reader()
    current = tuple(_current(one, reader, sources) for one in found)
    return current, pack_found(current, reader, sources, tokenizer), tokenizer


def _current(one: ResultOrShown, reader: IndexReader, sources: Sources) -> ResultOrShown:
    """Return what was found, marked as stale where its source or its chunk is another now."""
    same = reader.entry(one.entry.doc_id, one.entry.position) == one.entry
    if one.stale or (same and sources.data(one.document) is not None):
        return one
    return one._replace(stale=True)
