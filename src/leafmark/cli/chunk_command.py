"""`chunk`: files to chunks, with no index."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, TYPE_CHECKING

from leafmark.cli.command import SET, Argument, Choice, Option, command, declared
from leafmark.cli.completion import trees
from leafmark.cli.console import Call, progress_line, project_of
from leafmark.cli.show_commands import AT
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.app.chunking import ChunkPlan, Render, SourceReport
    from leafmark.app.configuration.project import Project
    from leafmark.chunking import DocumentSizes, Finding
    from leafmark.model import CompressedList, Diagnostic, Skipped

FORMATS = ("tree", "json", "jsonl", "stats", "html")


def _options() -> list[Option]:
    return [
        *_sizes(),
        Option(
            "-o",
            "--output",
            help="tree is for reading; json and jsonl hold the whole records; stats the sizes and "
            "the quality report; html is one page with the source coloured by chunk.",
            metavar="FORMAT",
            type=Choice(FORMATS),
        ),
        Option("--json", help="Print JSON, errors too: the same as -o json, or stats as JSON."),
        Option("--jsonl", help="The same as -o jsonl."),
        Option("--strict", help="Exit with 1 when there is a quality finding or a diagnostic."),
        Option("--root", help="Begin paths in ids at this folder.", metavar="DIR", complete="dir"),
        Option(
            "-t",
            "--tree",
            help="Begin ids with this name; the settings of the tree apply.",
            metavar="TREE",
            complete=trees,
        ),
        Option(
            "--name",
            help="The file name of standard input, such as guides/setup.md.",
            metavar="NAME",
        ),
        AT,
    ]


def _sizes() -> list[Option]:
    """Return the options for the chunking settings."""
    return [
        declared("chunking.strategy", "-s", "--strategy", metavar="STRATEGY"),
        declared("chunking.preset", metavar="NAME"),
        declared("chunking.tokenizer", metavar="NAME"),
        declared("chunking.min_tokens"),
        declared("chunking.target_tokens"),
        declared("chunking.max_tokens"),
        declared("chunking.fixed_tokens"),
        declared("chunking.fixed_overlap"),
        declared("chunking.overlap_sentences"),
        declared("chunking.heading_levels"),
        declared("chunking.oversize_code", metavar="HOW"),
        declared("chunking.slug_style", metavar="STYLE"),
        declared("chunking.notebook_outputs"),
        SET,
    ]


@dataclass(slots=True)
class _Totals:
    """The sums of the reports of all sources."""

    refused: CompressedList[Skipped]
    skipped: Sequence[Skipped]
    diagnostics: CompressedList[Diagnostic]
    sizes: CompressedList[DocumentSizes]
    findings: CompressedList[Finding]
    tokenizers: tuple[str, ...] = ()
    chunks: int = 0


@command(
    "chunk",
    examples=(
        ("leafmark chunk README.md", "the chunks as a tree"),
        ("leafmark chunk docs --jsonl -s section > chunks.jsonl", "records for another program"),
        ("leafmark chunk docs -o stats --preset rag", "sizes and quality of a strategy"),
        ("leafmark chunk guide.md -o html > guide.html", "the source, coloured by chunk"),
        ("curl -s example.org | leafmark chunk - --name page.html --json", "standard input"),
        ("leafmark chunk docs -s section --strict -q -o stats", "in a build: fail on a finding"),
    ),
    argument=Argument(
        "FILE", "Files and folders; - reads standard input.", least=1, complete="file"
    ),
    options=_options,
)
def _chunk(call: Call) -> int:
    """Cut files into chunks, with no index.

    Prints the chunks of files, of the sources in folders, or of standard input: what the index
    would hold, or input for another program. The same bytes and settings give the same chunks,
    in the order of the files.

    The strategy auto makes every section a chunk and cuts large ones into pieces; heading never
    cuts; section also puts small ones together, within max_tokens; fixed is blind to structure.
    A folder's configuration applies, also that of a tree alone.

    Paths in ids begin at the configured tree that holds the file, else at the current folder,
    else at the file's own; --root names another folder. A file that is named is chunked even
    where an ignore file leaves it out, unless it may hold secrets. Exit code 1 means that there
    was no chunk, or with --strict that something is wrong.
    """
    from leafmark.app import plan_chunking
    from leafmark.app.requests import ChunkRequest
    from leafmark.model import CompressedList

    console, values = call.console, call.values
    output = _output(call)
    _check_words(call)
    project, paths = _resolve_paths(call)
    request = ChunkRequest(
        paths=paths,
        data=_standard_input(project) if call.words == ("-",) else None,
        name=values.get("name", ChunkRequest().name),
        root=values.get("root"),
        tree=values.get("tree"),
        written=_output_file(console.out),
    )
    plan = plan_chunking(project, request)
    totals = _Totals(
        CompressedList(plan.refused),
        plan.skipped,
        CompressedList(plan.diagnostics),
        CompressedList(),
        CompressedList(),
    )
    totals.tokenizers = tuple(sorted({job.options.tokenizer for job in plan.jobs}))
    _print_chunks(call, output, _iter_output(call, plan, output, totals), totals)
    _print_remarks(call, project, totals)
    bad = totals.diagnostics or any(not finding.excused for finding in totals.findings)
    return 1 if not totals.chunks or (call.on("strict") and bad) else 0


def _resolve_paths(call: Call) -> tuple[Project, tuple[str, ...]]:
    """Return the project and the paths of the files; with `--at`, those of the revision."""
    project = project_of(call)
    if "at" not in call.values or call.words == ("-",):
        return project, call.words
    from leafmark.app.history import paths_at, project_at

    with progress_line(call) as progress:
        past_project = project_at(project, call.values["at"], progress=progress)
    return past_project, paths_at(project, past_project, call.words)


def _output_file(out: IO[str]) -> tuple[int, int] | None:
    """Return the device and inode of the file that standard output goes to, None without one."""
    try:
        info = os.fstat(out.fileno())
    except (OSError, ValueError):
        return None
    return (info.st_dev, info.st_ino) if stat.S_ISREG(info.st_mode) and info.st_ino else None


def _output(call: Call) -> str:
    jsonl, json = call.on("jsonl"), call.on("json")
    output: str = call.values.get("output") or ("jsonl" if jsonl else "json" if json else "tree")
    if call.on("json") and output in ("tree", "html"):
        raise UsageError(f"--json and -o {output} ask for different output")
    return output


def _check_words(call: Call) -> None:
    from leafmark.app.standard_input import check_once

    check_once(call.words)
    if "-" in call.words and len(call.words) > 1:
        raise UsageError(
            "standard input and files cannot be chunked together",
            hint="leafmark chunk -, or leafmark chunk FILE...",
        )
    if "name" in call.values and call.words != ("-",):
        raise UsageError(
            "--name is for standard input", hint="leafmark chunk - --name guides/setup.md"
        )


def _standard_input(project: Project) -> bytes:
    from leafmark.app.standard_input import read_bytes

    limit = project.configuration.index.max_file_bytes
    data = read_bytes(limit + 1)
    if len(data) > limit:
        raise UsageError(
            f"standard input is larger than max_file_bytes ({limit:,})",
            hint="set index.max_file_bytes, or LEAFMARK_INDEX_MAX_FILE_BYTES, higher",
        )
    return data


def _iter_output(call: Call, plan: ChunkPlan, output: str, totals: _Totals) -> Iterator[str]:
    """Yield the output for all sources, and add up their reports."""
    from leafmark.app import chunk_sources
    from leafmark.app.chunking import SourceReport

    inspect = output in ("stats", "html") or call.on("strict")
    visible = output == "stats" or not call.console.style.can_redraw  # not between lines of output
    with progress_line(call, visible=visible) as progress:
        answers = chunk_sources(
            plan,
            render=_renderer(call, output),
            inspect=inspect,
            linked=output in ("json", "jsonl"),
            progress=progress,
        )
        for answer in answers:
            if isinstance(answer, SourceReport):
                _add(totals, answer)
            else:
                yield answer


def _add(totals: _Totals, report: SourceReport) -> None:
    totals.chunks += report.chunks
    totals.diagnostics.extend(report.diagnostics)
    totals.findings.extend(report.findings)
    if report.skipped is not None:
        totals.refused.append(report.skipped)
    if report.sizes is not None:
        totals.sizes.append(report.sizes)


def _renderer(call: Call, output: str) -> Render | None:
    from leafmark.render import chunks

    if output == "stats":
        return None
    if output == "html":
        return chunks.iter_chunk_article
    if output == "tree":
        return partial(chunks.iter_chunk_tree, style=call.console.style)
    lines = chunks.iter_chunk_items if output == "json" else chunks.iter_chunk_lines
    return partial(lines, ascii_only=call.console.ascii_only)


def _print_chunks(call: Call, output: str, pieces: Iterator[str], totals: _Totals) -> None:
    """Print the output piece by piece; statistics and the end of a format need all of it."""
    if output == "html":
        _print_page(call, pieces, totals)
    elif output == "json":
        _print_json(call, pieces, totals)
    elif output == "stats":
        for _ in pieces:
            pass
        _print_statistics(call, totals)
    else:
        for number, piece in enumerate(pieces):
            call.console.write(piece if number else piece.removeprefix("\n"))


def _print_page(call: Call, pieces: Iterator[str], totals: _Totals) -> None:
    from leafmark.chunking import summarise
    from leafmark.render import chunks
    from leafmark.render.terminal import PLAIN

    def write(text: str) -> None:
        call.console.write_bytes(text.encode("utf-8", "backslashreplace"))  # as the page says

    name = call.values.get("name") or "standard input"
    words = [name if word == "-" else word for word in call.words]
    write(chunks.open_page(f"Chunks of {', '.join(words)}"))
    for piece in pieces:
        write(piece)
    statistics = replace(summarise(totals.sizes), seconds=0.0)  # the same page every time
    summary = chunks.render_statistics(
        statistics, totals.findings, PLAIN, tokenizers=totals.tokenizers, verbose=True
    )
    write(chunks.close_page(summary))


def _print_json(call: Call, pieces: Iterator[str], totals: _Totals) -> None:
    from leafmark.render import chunks

    for piece in chunks.open_chunk_object(pieces):
        call.console.write(piece)
    call.console.write(
        chunks.close_chunk_object(
            [*totals.refused, *totals.skipped],
            totals.diagnostics,
            totals.findings if call.on("strict") else None,
            ascii_only=call.console.ascii_only,
        )
    )


def _print_statistics(call: Call, totals: _Totals) -> None:
    from leafmark.chunking import summarise
    from leafmark.render import chunks

    console = call.console
    statistics = summarise(totals.sizes)
    if console.json:
        skipped = [*totals.refused, *totals.skipped]
        console.write_json(
            chunks.statistics_record(statistics, skipped, totals.diagnostics, totals.findings)
            | {"tokenizers": list(totals.tokenizers)}
        )
        return
    console.write(
        chunks.render_statistics(
            statistics,
            totals.findings,
            console.style,
            tokenizers=totals.tokenizers,
            verbose=console.verbose,
        )
    )


def _print_remarks(call: Call, project: Project, totals: _Totals) -> None:
    """Print warnings, skipped files, diagnostics and findings, unless the JSON holds them."""
    from leafmark.render.chunks import render_findings

    console = call.console
    for warning in project.configuration.warnings:
        console.warn(warning)
    if console.json and _output(call) != "jsonl":
        return
    console.skipped([*totals.refused, *(totals.skipped if console.verbose else ())])
    console.diagnostics(totals.diagnostics)
    if call.on("strict") and _output(call) != "stats":
        console.note(
            render_findings(
                totals.findings, console.err_style, verbose=console.verbose, excused=False
            )
        )
    if not totals.chunks:
        console.note("no chunk: there was no text\n")
