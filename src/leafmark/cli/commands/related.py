"""What `context` and `like` have in common with `search`: options, request, output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.cli.commands.search import OPTIONS as SEARCH_OPTIONS
from leafmark.cli.commands.search import WITH_TEXTS, output_of, print_answer
from leafmark.cli.options import Call, Option

if TYPE_CHECKING:
    from leafmark.app.requests import SearchRequest
    from leafmark.model import Answer

__all__ = ["OPTIONS", "print_related", "search_wishes"]

_TAKEN = frozenset(
    ("limit", "tree", "tag", "since", "section", "no_refresh", "explain", "output", "json")
) | frozenset(("group", "max_tokens", "max_results", "local_boost"))

OPTIONS = (
    Option(("--terms",), "Only print the words that would be looked for, with their scores."),
    *(option for option in SEARCH_OPTIONS if option.dest in _TAKEN),
)


def search_wishes(call: Call, confirmed: bool) -> SearchRequest:
    """Return how results are wished for, as a search without queries."""
    from leafmark.app.requests import SearchRequest

    values, output = call.values, output_of(call)
    budget = values.get("max_tokens")
    return SearchRequest(
        queries=(),
        limit=values.get("limit"),
        trees=tuple(values.get("tree", ())),
        tags=tuple(values.get("tag", ())),
        since=values.get("since"),
        section=tuple(values.get("section", ())),
        refresh=not call.on("no_refresh"),
        explain=call.on("explain"),
        full_records=output in ("json", "jsonl") and budget is None,
        full_text=output == "full" and budget is None,
        packed=output in WITH_TEXTS and budget is not None,
        confirmed=confirmed,
    )


def print_related(call: Call, answer: Answer) -> int:
    """Print an answer, or with `--terms` its words; exit code 1 where there is nothing."""
    if not call.on("terms"):
        print_answer(call, answer, output_of(call))
        return 0 if answer.results else 1
    from leafmark.render.terms import render_terms, terms_record

    console = call.console
    if console.json:
        console.write_json(terms_record(answer))
    else:
        console.write(render_terms(answer.terms, console.style))
        for hint in answer.hints:
            console.hint(hint.message)
    return 0 if answer.terms else 1
