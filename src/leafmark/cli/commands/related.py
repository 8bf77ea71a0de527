"""What `context` and `like` have in common with `search`: options, request, output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.cli.commands.search import OPTIONS as SEARCH_OPTIONS
from leafmark.cli.commands.search import (
    output_of,
    print_answer,
    search_request,
    tell_hints,
    with_texts,
)
from leafmark.cli.options import Call, Option

if TYPE_CHECKING:
    from leafmark.app.requests import SearchRequest
    from leafmark.model import Answer

__all__ = ["OPTIONS", "print_related", "search_wishes"]

_TAKEN = frozenset(
    ("limit", "tree", "tag", "since", "section", "no_refresh", "explain", "output", "json")
) | frozenset(("group", "max_tokens", "max_results", "local_boost", "secondary_boost"))

OPTIONS = (
    Option(("--terms",), "Only print the words that would be searched for, with their scores."),
    *(option for option in SEARCH_OPTIONS if option.dest in _TAKEN),
)


def search_wishes(call: Call, confirmed: bool) -> SearchRequest:
    """Return how results are wished for, as a search without queries."""
    return with_texts(call, search_request(call, (), confirmed))


def print_related(call: Call, answer: Answer) -> int:
    """Print an answer, or with `--terms` its words; exit code 1 where there is nothing."""
    if not call.on("terms"):
        print_answer(call, answer, output_of(call))
        return 0 if answer.results else 1
    console, budget = call.console, call.values.get("max_tokens")
    if budget is None:
        console.write(_terms(call, answer))
    else:
        from leafmark.model import count_of
        from leafmark.render.budgets import fit_terms  # late: few ask for a budget

        text, shown = fit_terms(answer, lambda part: _terms(call, part), budget, console.written)
        console.write(text)
        left_out = len(answer.terms) - len(shown.terms)
        if left_out:
            words = count_of(left_out, "word")
            console.hint(f"--max-tokens {budget} leaves out {words} with lower scores")
    if not console.json:
        tell_hints(console, answer.hints)
    return 0 if answer.terms else 1


def _terms(call: Call, answer: Answer) -> str:
    """The words as they are printed."""
    from leafmark.render.jsontext import dump_json
    from leafmark.render.terms import render_terms, terms_record

    console = call.console
    if console.json:
        return dump_json(terms_record(answer), ascii_only=console.ascii_only)
    return render_terms(answer.terms, console.style)
