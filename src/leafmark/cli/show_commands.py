"""`show`, `ls` and `verify`: the content of documents by id, as a list, and as citations."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from leafmark.cli.command import JSON, Argument, Option, at_least, command, declared
from leafmark.cli.completion import ids, tags, trees
from leafmark.cli.console import Call, exclude_pairs, perform, project_of, request_of, unread_error
from leafmark.errors import NotFoundError, UsageError, unreadable

if TYPE_CHECKING:
    from leafmark.model import ShowReport

AT = Option(
    "--at",
    help="Answer from a revision of the git repository: a tag, a branch, a hash, HEAD~3, or a "
    "date such as 2026-01-31.",
    metavar="REV",
)


def expand() -> Option:
    return declared(
        "search.expand", metavar="WHAT", in_force=False, note="Separate several with commas."
    )


def no_refresh() -> Option:
    return declared("search.refresh", in_force=False, seldom=True, off=True)


def narrowing() -> list[Option]:
    """Return the options that restrict the documents: to some trees, to some tags."""
    return [
        declared("search.trees", "-t", "--tree", metavar="TREE", complete=trees, in_force=False),
        declared("search.tags", "--tag", metavar="TAG", complete=tags, in_force=False),
    ]


_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")

_EXCLUSIVE = (
    ("raw", "json"),
    ("raw", "outline"),
    ("own", "outline"),
    ("raw", "expand"),
    ("outline", "expand"),
    ("raw", "max_tokens"),
)


def _show_options() -> list[Option]:
    return [
        declared("show.own", in_force=False),
        declared("show.full_document", in_force=False),
        declared("show.outline", in_force=False),
        expand(),
        Option("--raw", help="The exact bytes of the file, and nothing else."),
        Option(
            "--max-tokens",
            help="Print at most N tokens: first what each id names, then the texts from their "
            "beginnings; of an outline, the upper levels first.",
            metavar="N",
            type=at_least(1),
        ),
        no_refresh(),
        AT,
        JSON,
    ]


@command(
    "show",
    examples=(
        ("leafmark show guides/backups.md", "a document"),
        ("leafmark show guides/backups.md#restoring-a-backup", "a section"),
        ("leafmark show guides/backups.md.3 --json", "a chunk by its position, as a record"),
        ("leafmark show guides/backups.md --outline", "what is in it"),
        (
            "leafmark search retries --json | jq -r '.results[].id' | leafmark show -",
            "what was found",
        ),
    ),
    argument=Argument(
        "ID", "What to show; - reads ids from standard input, one a line.", least=1, complete=ids
    ),
    options=_show_options,
)
def _show(call: Call) -> int:
    """Read a document, a section or a piece by its id.

    Prints the heading and the whole section below it; of a document, the file. Any id that
    leafmark prints can be given, with or without its tree: tree:path, path#section,
    path#section~2 for a piece, path.7 for the chunk at position 7. path#preamble is what stands
    before the first heading, path:120 and path:120-140 the smallest chunk that holds these
    lines.

    Exit code 1 means that an id was not found, or with --raw that the file has changed since it
    was indexed.
    """
    from leafmark.app import show_chunks
    from leafmark.app.requests import ShowRequest

    exclude_pairs(call, _EXCLUSIVE)
    names = _ids(call.words)
    report = perform(
        call,
        show_chunks,
        request_of(
            call,
            ShowRequest,
            ids=names,
            records=call.console.json,
            sizes=call.on("outline"),
            packed="max_tokens" in call.values and not call.on("outline"),
        ),
    )
    _print_shown(call, report)
    if not call.console.json:
        for name, near in report.not_found:
            call.console.error(unread_error(call, name) or _not_found(name, near))
    lost = call.on("raw") and any(shown.raw is None for shown in report.shown)
    return 1 if report.not_found or lost else 0


def _ids(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ids; `-` stands for a list on standard input."""
    from leafmark.app.standard_input import listed

    names = tuple(listed(words))
    if not names:
        nothing = "there is no id on standard input" if "-" in words else "the id is empty"
        raise UsageError(nothing, hint="`leafmark ls chunks` lists the ids")
    return names


def _not_found(name: str, near: tuple[str, ...]) -> NotFoundError:
    from leafmark.app.answering.resolving import hint_for  # late: most ids are found

    hint = None if near else hint_for(name)
    return NotFoundError(f"there is no `{name}`", did_you_mean=near, hint=hint)


def _print_shown(call: Call, report: ShowReport) -> None:
    if call.on("raw"):
        _print_raw(call, report)
        return
    budget = call.values.get("max_tokens")
    if budget is None:
        text = _render(call, report)
    else:
        from leafmark.render.budgets import fit_report

        text = fit_report(report, lambda part: _render(call, part), budget, call.console.encodable)
    call.console.write(text)


def _render(call: Call, report: ShowReport) -> str:
    """Return the text for standard output."""
    from leafmark.render import reading
    from leafmark.render.jsontext import dump_json

    console = call.console
    outline = call.on("outline")
    if console.json and "max_tokens" in call.values:
        return reading.render_packed_show(report, ascii_only=console.ascii_only, outline=outline)
    if console.json:
        return dump_json(reading.show_record(report), ascii_only=console.ascii_only)
    if outline:
        return reading.render_outline(report, console.style)
    return reading.render_show(report, console.style)


def _print_raw(call: Call, report: ShowReport) -> None:
    """Print exact bytes, but no control characters on a terminal."""
    for shown in report.shown:
        if shown.raw is None:
            call.console.warn(
                "it changed since it was indexed, and is left out: leafmark index reads it again",
                shown.entry.id,
            )
            continue
        if call.console.style.is_terminal and _CONTROLS.search(shown.raw):
            raise UsageError(
                "its bytes hold control characters, which could change this terminal",
                location=shown.entry.id,
                hint="send them to a file or a pipe, or leave out --raw",
            )
        call.console.write_bytes(shown.raw)


KINDS = ("trees", "docs", "chunks", "tags", "revs")
_KEYS = {"trees": "trees", "docs": "documents", "chunks": "chunks", "tags": "tags"}


@command(
    "ls",
    examples=(
        ("leafmark ls", "the trees"),
        ("leafmark ls docs guides/", "the documents of a folder"),
        ("leafmark ls chunks guides/backups.md", "the sections of a document"),
        ("leafmark ls tags --json", "the tags, for programs"),
        ("leafmark ls revs v2.0..HEAD", "the commits of a range; without one, tags and branches"),
    ),
    argument=Argument(
        "KIND [PATH]",
        "trees (the default), docs, chunks, tags or revs; with docs, chunks and tags, what they "
        "are listed of: a folder, the beginning of a path, or an id; with revs, a range.",
        most=2,
        choices=KINDS,
        complete=ids,
    ),
    options=lambda: [*narrowing(), no_refresh(), AT, JSON],
)
def _ls(call: Call) -> int:
    """List trees, documents, chunks, tags or revisions.

    Lists what is indexed: all of it, or what is below a folder or an id; or the tags and
    branches of the git repository, newest first, that --at takes.

    Exit code 1 means that there is nothing to list.
    """
    from leafmark import app
    from leafmark.app.requests import ListRequest

    kind = call.words[0] if call.words else "trees"
    if kind == "revs":
        return _list_revisions(call)
    under = call.words[1] if len(call.words) > 1 else None
    if kind == "trees" and (under or call.on("tags")):
        raise UsageError("`leafmark ls trees` lists all trees", hint="try: leafmark ls docs")

    fetchers: dict[str, Callable[..., Collection[Any]]] = {
        "trees": app.list_trees,
        "docs": app.list_documents,
        "chunks": app.list_chunks,
        "tags": app.list_tags,
    }
    items = perform(call, fetchers[kind], request_of(call, ListRequest, under=under))
    _print_list(call, kind, items)
    return 0 if items else 1


def _list_revisions(call: Call) -> int:
    from leafmark.app.history import list_revisions
    from leafmark.render.changes import iter_revisions, revisions_record

    listed = list_revisions(project_of(call), call.words[1] if len(call.words) > 1 else None)
    if call.console.json:
        call.console.write_json(revisions_record(listed))
    for line in () if call.console.json else iter_revisions(listed, call.console.style):
        call.console.write(line)
    return 0 if listed.references or listed.commits else 1


def _print_list(call: Call, kind: str, items: Collection[Any]) -> None:
    from leafmark.render import reports
    from leafmark.render.jsontext import SCHEMA_VERSION

    console, key = call.console, _KEYS[kind]
    if console.json:
        rows = reports.listing_rows(key, items)
        console.write_listing({"schema_version": SCHEMA_VERSION}, key, rows)
        return
    renderers: dict[str, Callable[..., Iterable[str]]] = {
        "trees": reports.iter_tree_lines,
        "docs": reports.iter_document_lines,
        "chunks": reports.iter_chunk_lines,
        "tags": reports.iter_tag_lines,
    }
    for line in renderers[kind](items, console.style):
        console.write(line)
    if not items:
        console.note(f"no {_KEYS[kind]} to list{_limits(call)}\n")


def _limits(call: Call) -> str:
    """Return the words for the limits of an empty list."""
    from leafmark.render.terminal import clean_line

    tags, trees = call.values.get("tags", ()), call.values.get("trees", ())
    limits = [f" below {path}" for path in call.words[1:]]
    limits += [f" with the tag {' and '.join(tags)}"] if tags else []
    limits += [f" in the tree {' and '.join(trees)}"] if trees else []
    return clean_line("".join(limits))


@command(
    "verify",
    examples=(
        ("leafmark verify answer.md", "check the citations in a file"),
        ("leafmark search retries -o full | leafmark verify -", "what was just printed"),
        ("leafmark verify docs/report.md docs/faq.md --json", "several files, for programs"),
        ("leafmark verify docs:a.md#install@0123456789ab:0-147", "a citation by itself"),
    ),
    argument=Argument(
        "FILE",
        "The text to check, or a citation; - reads it from standard input.",
        least=1,
        complete="file",
    ),
    options=lambda: [no_refresh(), AT, JSON],
)
def _verify(call: Call) -> int:
    """Check the citations in a text.

    Finds every citation (id@hash:start-end, as -o full and --json print them) in a text of any
    kind, and compares it with the sources as they are now. A citation is ok; or moved: the same
    bytes stand elsewhere, in a renamed file or under another heading, and the citation to use
    now is printed; or changed: other bytes stand in their place; or gone.

    Exit code 1 means that a citation is not ok, or that there is none. -v lists those that are
    ok, too.
    """
    from leafmark.app import verify_texts
    from leafmark.app.requests import VerifyRequest
    from leafmark.render.reading import render_verification, summarise, verification_record

    texts = read_texts(call, call.words)
    reports = perform(call, verify_texts, request_of(call, VerifyRequest, texts=texts))
    console = call.console
    record = verification_record(reports)
    if console.json:
        console.write_json(record)
    else:
        console.write(render_verification(reports, console.style, everything=console.verbose))
        console.note(f"{summarise(reports)}\n")
    return 0 if record["ok"] else 1


def read_texts(call: Call, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return names and contents of texts; `-` is standard input, a citation is its own text."""
    from leafmark.app.standard_input import check_once

    check_once(tuple(names))
    return tuple(_read_text(call, name) for name in names)


def _read_text(call: Call, name: str) -> tuple[str, str]:
    """Return the name and the text of a file, with undecodable bytes replaced.

    The replacement does no harm: the parts of citations that matter are ASCII. Some shells write
    UTF-16, with a byte order mark, where output is redirected.
    """
    from leafmark.app.standard_input import read_bytes, read_named

    if name == "-":
        return name, _decode(read_bytes())
    if not name:
        raise UsageError("the file has no name")
    try:
        data = read_named(call.console.directory / name, name)
    except FileNotFoundError as error:
        from leafmark.search.citations import read_citation

        if read_citation(name) is not None:
            return "argument", name
        raise NotFoundError("there is no such file", location=name) from error
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from error
    return name, _decode(data)


def _decode(data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8", "replace")
