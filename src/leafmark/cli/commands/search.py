"""`leafmark search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.cli.options import (
    EXPAND,
    NO_REFRESH,
    SET,
    TAG,
    Argument,
    Call,
    Command,
    Option,
    natural,
    one_of,
    positive,
    text,
)
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from leafmark.app.requests import SearchRequest
    from leafmark.cli.console import Console
    from leafmark.model import Answer, Hint

__all__ = [
    "COMMAND",
    "OPTIONS",
    "output_of",
    "print_answer",
    "search_request",
    "with_texts",
]

FORMATS = ("pretty", "list", "matches", "full", "json", "jsonl", "files", "vimgrep")
FIRST_HINTS = ("doubtful", "plain")
"""Hints that a reader must know before the first result."""

_WITH_TEXTS = ("full", "json", "jsonl")
GRAINS = ("auto", "piece", "section", "document")
MODES = ("auto", "lexical", "semantic", "hybrid")
SORTS = ("score", "mtime", "path")

OPTIONS = (
    Option(("-n", "--limit"), "Show at most N results.", "N", positive),
    Option(("-t", "--tree"), "Search this tree only.", "TREE", text, repeat=True),
    TAG,
    Option(
        ("--since",),
        "Only documents changed since then: an age (7d, 36h) or a date (2026-01-31).",
        "WHEN",
        text,
    ),
    Option(
        ("--section",),
        "Only sections whose path of titles ends like this, as in 'Guide > Auth*'; ** stands for "
        "any number of titles.",
        "PATTERN",
        text,
        repeat=True,
    ),
    Option(("--grain",), "How large a result may be.", "GRAIN", one_of(*GRAINS), choices=GRAINS),
    EXPAND,
    Option(
        ("--mode",),
        "How to search: by words (lexical), by meaning (semantic), or by both (hybrid). auto is "
        "hybrid where there is an embedder.",
        "MODE",
        one_of(*MODES),
        choices=MODES,
    ),
    Option(("--sort",), "Order of the results.", "KEY", one_of(*SORTS), choices=SORTS),
    Option(("--offset",), "Leave out the first N results.", "N", natural),
    Option(("--strict",), "All words must match, even those of a question."),
    Option(("--plain",), "Nothing in the query is an operator: for pasted text."),
    NO_REFRESH,
    Option(("--explain",), "Show how the query was understood, and how each score is made up."),
    Option(
        ("-o", "--output"),
        "pretty is for reading; list prints one line per result; matches the matching lines; "
        "full the whole texts; files the paths; vimgrep is for editors.",
        "FORMAT",
        one_of(*FORMATS),
        choices=FORMATS,
    ),
    Option(
        ("--max-tokens",),
        "Print at most N tokens: first the place of every result, then their texts, best first. "
        "Without -o the output is full.",
        "N",
        positive,
    ),
    Option(("--json",), "Print JSON, errors too: the same as -o json."),
    Option(("--group",), "Group the pretty output by document (the default).", target="group"),
    Option(("--flat",), "Do not group the pretty output by document.", value=False, target="group"),
    Option(
        ("--no-aggregation",),
        "Never show a section or document instead of the parts of it that match.",
        value=False,
        target="aggregation",
    ),
    SET,
)


def run(call: Call) -> int:
    """Search; exit code 1 when nothing was found."""
    from leafmark.app import search_project
    from leafmark.cli.projects import perform

    output, queries = output_of(call), _queries(call.words)

    def request(confirmed: bool) -> SearchRequest:
        return with_texts(call, search_request(call, queries, confirmed))

    answer = perform(call, search_project, request)
    print_answer(call, answer, output)
    return 0 if answer.results else 1


def search_request(call: Call, queries: tuple[str, ...], confirmed: bool) -> SearchRequest:
    """Return what the options of a search ask for; those that a command lacks have no effect."""
    from leafmark.app.requests import SearchRequest

    values = call.values
    return SearchRequest(
        queries=queries,
        limit=values.get("limit"),
        offset=values.get("offset", 0),
        plain=call.on("plain"),
        trees=tuple(values.get("tree", ())),
        tags=tuple(values.get("tag", ())),
        since=values.get("since"),
        section=tuple(values.get("section", ())),
        mode=values.get("mode"),
        grain=values.get("grain"),
        sort=values.get("sort", "score"),
        expand=values.get("expand", ()),
        strict=call.on("strict"),
        aggregation=values.get("aggregation", True),
        refresh=not call.on("no_refresh"),
        explain=call.on("explain"),
        confirmed=confirmed,
    )


def with_texts(call: Call, request: SearchRequest) -> SearchRequest:
    """Return the request with a wish for the texts and records that the output prints."""
    output, whole = output_of(call), "max_tokens" not in call.values
    return request._replace(
        full_records=whole and output in ("json", "jsonl"),
        full_text=whole and output == "full",
        packed=not whole and output in _WITH_TEXTS,
    )


def output_of(call: Call) -> str:
    """The form of the output; a budget is for reading, so its own is `full`."""
    chosen: str | None = call.values.get("output")
    if call.on("json"):
        if chosen not in (None, "json", "jsonl"):
            raise UsageError(f"--json and -o {chosen} ask for different output")
        return chosen or "json"
    return chosen or ("full" if "max_tokens" in call.values else "pretty")


def _queries(words: tuple[str, ...]) -> tuple[str, ...]:
    """The topics; `-` stands for a query on standard input, line ends being spaces."""
    if "-" not in words:
        return words
    from leafmark.app.standard_input import check_once, read_text

    check_once(words)
    return tuple(" ".join(read_text().split()) if word == "-" else word for word in words)


def print_answer(call: Call, answer: Answer, output: str) -> None:
    console, budget = call.console, call.values.get("max_tokens")
    doubts = [hint for hint in answer.hints if hint.code in FIRST_HINTS]
    if output != "json":
        tell_hints(console, doubts)
    if budget is None:
        console.write(_render(call, answer, output))
    else:
        from leafmark.render.budgets import fit_answer

        printed, shown = fit_answer(
            answer, output, lambda part: _render(call, part, output), budget, console.written
        )
        console.write(printed)
        if output in ("files", "vimgrep"):
            _note_omissions(call, shown)
    if output == "json":
        return  # the object holds its hints
    if not answer.results:
        from leafmark.render.explain import render_nothing_found

        console.note(render_nothing_found(answer))
    tell_hints(console, [hint for hint in answer.hints if hint not in doubts])


def tell_hints(console: Console, hints: Iterable[Hint]) -> None:
    from leafmark.render.hints import word_hint

    for hint in hints:
        console.hint(word_hint(hint))


def _note_omissions(call: Call, shown: Answer) -> None:
    """Say what was left out where the output itself is only for programs."""
    from leafmark.render.marks import omissions_of, render_omission

    for omission in omissions_of(shown):
        call.console.note(render_omission(omission) + "\n")


def _render(call: Call, answer: Answer, output: str) -> str:
    """All that goes to standard output."""
    console, explain = call.console, call.on("explain")
    if output in ("json", "jsonl"):
        return _json(call, answer, output)
    text = _text(call, answer, output)
    if not explain:
        return text
    from leafmark.render.explain import render_explanation

    separator = "\n" if answer.results else ""
    return text + separator + render_explanation(answer, console.style)


def _json(call: Call, answer: Answer, output: str) -> str:
    from leafmark.render import searchjson
    from leafmark.render.jsontext import dump_json

    explain, ascii_only = call.on("explain"), call.console.ascii_only
    if "max_tokens" in call.values:
        render = searchjson.render_packed if output == "json" else searchjson.render_packed_lines
        return render(answer, explain=explain, ascii_only=ascii_only)
    if output == "jsonl":
        return searchjson.render_jsonl(answer, explain=explain, ascii_only=ascii_only)
    return dump_json(searchjson.answer_record(answer, explain=explain), ascii_only=ascii_only)


def _text(call: Call, answer: Answer, output: str) -> str:
    from leafmark.render import matches, searchtext
    from leafmark.render.places import Places

    style, explain = call.console.style, call.on("explain")
    places = Places(answer.roots, str(call.console.directory.absolute()))
    if output == "list":
        return searchtext.render_list(answer, style)
    if output == "full":
        return searchtext.render_full(answer, places, style, explain=explain)
    if output == "matches":
        return matches.render_matches(answer, places, style)
    if output == "vimgrep":
        return matches.render_vimgrep(answer, places)
    if output == "files":
        return matches.render_files(answer, places)
    render = searchtext.render_grouped if call.values.get("group", True) else searchtext.render_flat
    return render(answer, places, style, explain=explain)


COMMAND = Command(
    name="search",
    summary="find the sections that answer a query",
    description=(
        "Searches the current folder, or the trees that a configuration file names. What changed "
        "on disk is indexed first. All words must match, in any order and in any field; "
        '"quoted words" match as a phrase, -word leaves out, a OR b takes either, '
        "title:word looks in one field, pre* matches beginnings, word~1 allows an edit.\n\n"
        "Several arguments are several topics: each is searched for by itself, and the best "
        "matches of all make one list. A question in "
        "plain words may match in part; such results come last and are marked. "
        "The query - is read from standard input.\n\n"
        "Exit code 1 means that nothing was found."
    ),
    examples=(
        ('leafmark search "restore a backup"', "the sections that have these words"),
        ('leafmark search "how do I restore a backup?" -n 3', "ask in your own words"),
        ("leafmark search '\"exact phrase\" -draft path:guides/'", "phrase, word left out, folder"),
        ('leafmark search "retries" "time-outs" -o full', "two topics, whole texts"),
        ('leafmark search "retries" --json', "for programs"),
        ('vim -q <(leafmark search "retries" -o vimgrep)', "walk through the matches in Vim"),
    ),
    run=run,
    argument=Argument("QUERY", "What to look for; - reads it from standard input.", least=1),
    options=OPTIONS,
    is_query=True,
)
