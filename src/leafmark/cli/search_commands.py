"""`search`, and the commands related to it: `context`, `like` and `why-not`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from leafmark.cli.command import JSON, SET, Argument, Choice, Option, at_least, command, declared
from leafmark.cli.completion import ids
from leafmark.cli.console import (
    Call,
    Console,
    output_of,
    perform,
    request_of,
)
from leafmark.cli.show_commands import AT, expand, narrowing, no_refresh
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.app.requests import SearchRequest
    from leafmark.cli.console import Request, UseCase
    from leafmark.model import Answer, Hint

FORMATS = ("pretty", "list", "matches", "full", "json", "jsonl", "files", "vimgrep")
FIRST_HINTS = ("doubtful", "plain")
"""Hints that a reader must know before the first result."""

_WITH_TEXTS = ("full", "json", "jsonl")


def _options() -> list[Option]:
    return [
        declared("search.limit", "-n", "--limit", in_force=False),
        *narrowing(),
        declared("search.since", metavar="WHEN", in_force=False),
        declared("search.section", metavar="PATTERN", in_force=False),
        declared("search.grain", metavar="GRAIN", in_force=False),
        expand(),
        declared("search.mode", metavar="MODE", in_force=False),
        declared("search.sort", metavar="KEY", in_force=False, seldom=True),
        declared("search.offset", in_force=False, seldom=True),
        declared("search.strict", in_force=False),
        declared("search.plain", in_force=False),
        no_refresh(),
        AT,
        declared("search.explain", in_force=False),
        Option(
            "-o",
            "--output",
            help="pretty is for reading; list prints one line per result; matches the matching "
            "lines; full the whole texts; files the paths; vimgrep is for editors.",
            metavar="FORMAT",
            type=Choice(FORMATS),
        ),
        Option(
            "--max-tokens",
            help="Print at most N tokens: first the place of every result, then their texts, best "
            "first. Without -o the output is full.",
            metavar="N",
            type=at_least(1),
        ),
        JSON,
        Option("-0", "--null", help="End each path of -o files with a null byte.", seldom=True),
        Option("--group/--flat", help="Group the pretty output by document, or not.", seldom=True),
        declared("search.aggregation", in_force=False, seldom=True, off=True),
        SET,
    ]


def _omit(*names: str) -> list[Option]:
    return [option for option in _options() if option.name not in names]


def _related_options() -> list[Option]:
    """Return the options of commands without a query, which lack those about its search."""
    others = ("expand", "mode", "grain", "sort", "offset", "strict", "plain", "no_aggregation")
    return _omit(*others)


@command(
    "search",
    examples=(
        ('leafmark search "restore a backup"', "the sections that have these words"),
        ('leafmark search "how do I restore a backup?" -n 3', "ask in your own words"),
        ("leafmark search '\"exact phrase\" -draft path:guides/'", "phrase, word left out, folder"),
        ('leafmark search "retries" "time-outs" -o full', "two topics, whole texts"),
        ('leafmark search "retries" --json', "for programs"),
        ('vim -q <(leafmark search "retries" -o vimgrep)', "walk through the matches in Vim"),
    ),
    argument=Argument("QUERY", "What to look for; - reads it from standard input.", least=1),
    options=_options,
    is_query=True,
)
def _search(call: Call) -> int:
    """Find the sections that answer a query.

    Searches the current folder, or the trees that a configuration file names. What changed on
    disk is indexed first. All words must match, in any order and in any field; "quoted words"
    match as a phrase, -word leaves out, a OR b takes either, title:word looks in one field,
    pre* matches beginnings, word~1 allows an edit.

    Several arguments are several topics: each is searched for by itself, and the best matches
    of all make one list. A question in plain words may match in part; such results come last
    and are marked. The query - is read from standard input.

    Exit code 1 means that nothing was found.
    """
    from leafmark.app import search_project

    queries = _queries(call.words)
    return _answer(call, search_project, _with_texts(call, _request(call, queries)))


def _answer(call: Call, use_case: UseCase[Request, Answer], request: Request) -> int:
    """Print the answer to a request; return exit code 1 if it is empty."""
    answer = perform(call, use_case, request)
    _print_answer(call, answer)
    return 0 if answer.results else 1


def _queries(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the topics; `-` stands for a query on standard input, with spaces as line ends."""
    if "-" not in words:
        return words
    from leafmark.app.standard_input import check_once, read_text

    check_once(words)
    return tuple(" ".join(read_text().split()) if word == "-" else word for word in words)


def _request(call: Call, queries: tuple[str, ...]) -> SearchRequest:
    """Return the search of the options; options that a command lacks keep their defaults."""
    from leafmark.app.requests import SearchRequest

    aggregation = not call.on("no_aggregation")
    return request_of(call, SearchRequest, queries=queries, aggregation=aggregation)


def _with_texts(call: Call, request: SearchRequest) -> SearchRequest:
    """Return the request with the texts and records that the output prints."""
    output, whole = _output(call), "max_tokens" not in call.values
    return request._replace(
        full_records=whole and output in ("json", "jsonl"),
        full_text=whole and output in ("full", "matches", "vimgrep"),
        packed=not whole and output in _WITH_TEXTS,
    )


def _output(call: Call) -> str:
    """Return the form of the output; with a budget, which is for reading, `full` by default."""
    usual = "full" if "max_tokens" in call.values else "pretty"
    return output_of(call, usual, ("json", "jsonl"))


def _print_answer(call: Call, answer: Answer) -> None:
    console, output, budget = call.console, _output(call), call.values.get("max_tokens")
    doubts = [hint for hint in answer.hints if hint.code in FIRST_HINTS]
    if output != "json":
        _print_hints(console, doubts)
    write = console.write_names if output == "files" and call.on("null") else console.write
    if budget is None:
        write(_render(call, answer, output))
    else:
        from leafmark.render.budgets import fit_answer

        printed, shown = fit_answer(
            answer, output, lambda part: _render(call, part, output), budget, console.encodable
        )
        write(printed)
        if output in ("files", "vimgrep"):
            _note_omissions(call, shown)
    if output == "json":
        return  # the object holds its hints
    if not answer.results:
        from leafmark.render.explaining import render_nothing_found

        console.note(render_nothing_found(answer))
    _print_hints(console, [hint for hint in answer.hints if hint not in doubts])


def _print_hints(console: Console, hints: Iterable[Hint]) -> None:
    from leafmark.render.hint_texts import word_hint

    for hint in hints:
        console.hint(word_hint(hint))


def _note_omissions(call: Call, shown: Answer) -> None:
    """Print notes about omissions, where the output itself is only for programs."""
    from leafmark.render.terminal import omissions_of, render_omission

    for omission in omissions_of(shown):
        call.console.note(render_omission(omission) + "\n")


def _render(call: Call, answer: Answer, output: str) -> str:
    """Return the text for standard output."""
    if output in ("json", "jsonl"):
        return _json(call, answer, output)
    text = _text(call, answer, output)
    if not call.on("explain"):
        return text
    from leafmark.render.explaining import render_explanation

    separator = "\n" if answer.results else ""
    return text + separator + render_explanation(answer, call.console.style)


def _json(call: Call, answer: Answer, output: str) -> str:
    from leafmark.render import json_objects
    from leafmark.render.jsontext import dump_json

    explain, ascii_only = call.on("explain"), call.console.ascii_only
    if "max_tokens" in call.values:
        render = (
            json_objects.render_packed if output == "json" else json_objects.render_packed_lines
        )
        return render(answer, explain=explain, ascii_only=ascii_only)
    if output == "jsonl":
        return json_objects.render_jsonl(answer, explain=explain, ascii_only=ascii_only)
    return dump_json(json_objects.answer_record(answer, explain=explain), ascii_only=ascii_only)


def _text(call: Call, answer: Answer, output: str) -> str:
    from leafmark.render import search_results
    from leafmark.render.search_results import Places

    style, explain = call.console.style, call.on("explain")
    places = Places(answer.roots, str(call.console.directory.absolute()))
    if output == "list":
        return search_results.render_list(answer, style)
    if output == "full":
        return search_results.render_full(answer, places, style, explain=explain)
    if output == "matches":
        return search_results.render_matches(answer, places, style)
    if output == "vimgrep":
        return search_results.render_vimgrep(answer, places)
    if output == "files":
        return search_results.render_files(answer, places, null=call.on("null"))
    render = (
        search_results.render_grouped
        if call.values.get("group", True)
        else search_results.render_flat
    )
    return render(answer, places, style, explain=explain)


@command(
    "why-not",
    examples=(
        (
            "leafmark why-not guides/backups.md#making-a-backup restore",
            "why a section is not found",
        ),
        ('leafmark why-not guides/backups.md "how do I restore?" -n 3', "with options of search"),
        ("leafmark why-not guides/backups.md.4 retries --json", "for programs"),
    ),
    argument=Argument("ID QUERY", "A chunk, and what was looked for.", least=2, complete=ids),
    options=lambda: _omit("output", "null", "group", "explain", "sort", "expand", "max_tokens"),
    is_query=True,
)
def _why_not(call: Call) -> int:
    """Say why a chunk is not among the results of a search.

    Runs the search as leafmark search does, with the same options, and says in which phase the
    chunk was lost: filter, match (which words it lacks), meaning, strict, relaxed, candidates,
    cutoff, merged (into which result), duplicate or limit. It names only changes that do show
    the chunk: each was tried. Of a document or a section, the chunks in it are looked at, too.

    Exit code 1 means that there is nothing to say: it is among the results.
    """
    from leafmark.app import explain_why_not
    from leafmark.app.requests import WhyNotRequest
    from leafmark.render.explaining import render_why_not, why_not_record

    chunk_id, *queries = call.words
    if "-" in queries:
        raise UsageError("the query of why-not is not read from standard input")
    request = WhyNotRequest(chunk_id, _request(call, tuple(queries)))
    report = perform(call, explain_why_not, request)
    call.print(report, why_not_record, render_why_not)
    if not call.console.json:
        _print_hints(call.console, report.hints)
    return 0 if report.reasons else 1


@command(
    "context",
    examples=(
        ("leafmark context src/auth/login.py", "what to read before changing a file"),
        ("git diff --name-only | leafmark context - -n 5", "for all that was changed"),
        ("leafmark context src/auth/login.py --explain", "with the words that it searches for"),
        ("leafmark context src/auth/login.py -o full --max-tokens 4000", "for a model to read"),
    ),
    argument=Argument(
        "FILE", "A file; - reads a list of them from standard input.", least=1, complete="file"
    ),
    options=_related_options,
)
def _context(call: Call) -> int:
    """Find the documents for the files that you work on.

    Takes the words of the files' paths, headings, definitions, names, comments and imports,
    scores each by where it occurs, how often, and how rare it is in the index, and searches for
    the best of them. The files themselves are left out. [[context.rules]] in the configuration
    add words, trees and documents for files whose path fits a pattern.

    Exit code 1 means that nothing was found.
    """
    from leafmark.app import find_context
    from leafmark.app.requests import ContextRequest
    from leafmark.app.standard_input import listed

    files = tuple(dict.fromkeys(listed(call.words)))
    if not files:
        is_list = "-" in call.words
        raise UsageError(
            "there is no file on standard input" if is_list else "the file has no name"
        )

    search, lenient = _with_texts(call, _request(call, ())), "-" in call.words
    return _answer(call, find_context, ContextRequest(files, search, lenient=lenient))


@command(
    "like",
    examples=(
        ("leafmark like guides/backups.md#restoring-a-backup", "sections like this one"),
        ("leafmark like notes/draft.md -n 3 -o list", "like a file that may not be indexed"),
        ("leafmark like guides/backups.md.3 --explain", "with the words that it searches for"),
    ),
    argument=Argument("ID|FILE", "A chunk, or a file.", least=1, most=1, complete=ids),
    options=_related_options,
)
def _like(call: Call) -> int:
    """Find sections similar to a section or a file.

    Searches for the words that say most about a chunk: those that are frequent in it and rare
    elsewhere. The chunk itself, what it is part of and its own parts are left out. What is not
    an id is read as the path of a file.

    Exit code 1 means that nothing was found.
    """
    from leafmark.app import find_like
    from leafmark.app.requests import LikeRequest

    search = _with_texts(call, _request(call, ()))
    return _answer(call, find_like, LikeRequest(call.words[0], search))
