"""`leafmark chunk`."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, TYPE_CHECKING

from leafmark.cli.options import (
    JSON,
    Argument,
    Call,
    Command,
    Option,
    natural,
    number,
    one_of,
    positive,
    setting_option,
    text,
    whole,
)
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.app.chunking.run import ChunkPlan, Render, SourceReport
    from leafmark.app.configuration.project import Project
    from leafmark.chunking import DocumentSizes, Finding
    from leafmark.model import CompressedList, Diagnostic, Skipped

__all__ = ["COMMAND"]

FORMATS = ("tree", "json", "jsonl", "stats", "html")
STRATEGIES = ("auto", "heading", "section", "fixed")
PRESETS = ("none", "rag", "packlet", "ra")

_setting = partial(setting_option, "chunking")


def _choice(names: tuple[str, ...], help: str, metavar: str, choices: tuple[str, ...]) -> Option:
    setting = "chunking." + names[-1].lstrip("-").replace("-", "_")
    return Option(names, help, metavar, one_of(*choices), choices=choices, setting=setting)


OPTIONS = (
    _choice(("-s", "--strategy"), "How documents become chunks.", "STRATEGY", STRATEGIES),
    _choice(
        ("--preset",), "A named set of sizes; sizes given as options win over it.", "NAME", PRESETS
    ),
    _setting(
        "tokenizer", "What sizes are counted in: characters, or a model's tokens.", "NAME", text
    ),
    _setting(
        "min_tokens",
        "The least size of a piece; the strategy section joins smaller sections, too.",
        "N",
        natural,
    ),
    _setting("target_tokens", "The size to aim at where a text is cut.", "N", positive),
    _setting("max_tokens", "The most that a chunk's text may hold.", "N", positive),
    _setting("fixed_tokens", "The size of a window, under the strategy fixed.", "N", positive),
    _setting("fixed_overlap", "How much such a window shares with the next.", "N", natural),
    _setting(
        "overlap_sentences",
        "How many sentences a piece repeats from the piece before.",
        "N",
        natural,
    ),
    _setting("heading_levels", "Treat headings deeper than this as content.", "N", whole(0, 6)),
    _choice(
        ("--oversize-code",),
        "What to do with code larger than a piece: keep it whole or split it.",
        "HOW",
        ("keep", "split"),
    ),
    _choice(("--slug-style",), "How anchors are made.", "STYLE", ("github", "collapse")),
    Option(
        ("--notebook-outputs",),
        "Include what the cells of notebooks printed.",
        setting="chunking.notebook_outputs",
    ),
    _setting(
        "tolerance", "How far the number of chunks may miss its estimate, as a share.", "X", number
    ),
    Option(
        ("-o", "--output"),
        "tree is for reading; json and jsonl hold the whole records; stats the sizes and the "
        "quality report; html is one page with the source coloured by chunk.",
        "FORMAT",
        one_of(*FORMATS),
        choices=FORMATS,
    ),
    JSON._replace(help="Print JSON, errors too: the same as -o json, or stats as JSON."),
    Option(("--jsonl",), "The same as -o jsonl.", value="jsonl", target="output"),
    Option(("--strict",), "Exit with 1 when there is a quality finding or a diagnostic."),
    Option(("--root",), "Begin paths in ids at this folder.", "DIR", text),
    Option(
        ("-t", "--tree"), "Begin ids with this name; the settings of the tree apply.", "TREE", text
    ),
    Option(("--name",), "The file name of standard input, such as guides/setup.md.", "NAME", text),
)


@dataclass(slots=True)
class _Totals:
    """What the reports of all sources come to."""

    refused: CompressedList[Skipped]
    skipped: Sequence[Skipped]
    diagnostics: CompressedList[Diagnostic]
    sizes: CompressedList[DocumentSizes]
    findings: CompressedList[Finding]
    tokenizers: tuple[str, ...] = ()
    chunks: int = 0


def run(call: Call) -> int:
    """Chunk; exit code 1 when there is no chunk, or under `--strict` something is wrong."""
    from leafmark.app import plan_chunking
    from leafmark.app.requests import ChunkRequest
    from leafmark.cli.projects import project_of
    from leafmark.model import CompressedList

    console, values = call.console, call.values
    output = _output(call)
    _check_words(call)
    project = project_of(call)
    request = ChunkRequest(
        paths=call.words,
        data=_standard_input(project) if call.words == ("-",) else None,
        name=values.get("name", ChunkRequest().name),
        root=values.get("root"),
        tree=values.get("tree"),
        written=_written_file(console.out),
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
    _print(call, output, _pieces(call, plan, output, totals), totals)
    _tell(call, project, totals)
    bad = totals.diagnostics or any(not finding.excused for finding in totals.findings)
    return 1 if not totals.chunks or (call.on("strict") and bad) else 0


def _written_file(out: IO[str]) -> tuple[int, int] | None:
    """The file that standard output goes to, by device and inode, where it goes to one."""
    try:
        info = os.fstat(out.fileno())
    except (OSError, ValueError):
        return None
    return (info.st_dev, info.st_ino) if stat.S_ISREG(info.st_mode) and info.st_ino else None


def _output(call: Call) -> str:
    output: str = call.values.get("output") or ("json" if call.on("json") else "tree")
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


def _pieces(call: Call, plan: ChunkPlan, output: str, totals: _Totals) -> Iterator[str]:
    """Yield the output of all sources, and add up their reports."""
    from leafmark.app import chunk_sources
    from leafmark.app.chunking.run import SourceReport
    from leafmark.cli.projects import progress_line

    inspect = output in ("stats", "html") or call.on("strict")
    drawn = output == "stats" or not call.console.style.can_redraw  # not between lines of output
    with progress_line(call, wanted=drawn) as progress:
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
    from leafmark.render import chunkpage, chunks, chunktree

    if output == "stats":
        return None
    if output == "html":
        return chunkpage.iter_chunk_article
    if output == "tree":
        return partial(chunktree.iter_chunk_tree, style=call.console.style)
    lines = chunks.iter_chunk_items if output == "json" else chunks.iter_chunk_lines
    return partial(lines, ascii_only=call.console.ascii_only)


def _print(call: Call, output: str, pieces: Iterator[str], totals: _Totals) -> None:
    """Print the output as it comes; statistics and what closes a format need all of it."""
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
    from leafmark.render import chunkpage, chunkstats
    from leafmark.render.terminal import PLAIN

    def write(text: str) -> None:
        call.console.write_bytes(text.encode("utf-8", "backslashreplace"))  # as the page says

    name = call.values.get("name") or "standard input"
    words = [name if word == "-" else word for word in call.words]
    write(chunkpage.open_page(f"Chunks of {', '.join(words)}"))
    for piece in pieces:
        write(piece)
    found = replace(summarise(totals.sizes), seconds=0.0)  # the same page every time
    summary = chunkstats.render_statistics(
        found, totals.findings, PLAIN, tokenizers=totals.tokenizers, verbose=True
    )
    write(chunkpage.close_page(summary))


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
    from leafmark.render import chunks, chunkstats

    console = call.console
    found = summarise(totals.sizes)
    if console.json:
        skipped = [*totals.refused, *totals.skipped]
        console.write_json(
            chunks.statistics_record(found, skipped, totals.diagnostics, totals.findings)
            | {"tokenizers": list(totals.tokenizers)}
        )
        return
    console.write(
        chunkstats.render_statistics(
            found,
            totals.findings,
            console.style,
            tokenizers=totals.tokenizers,
            verbose=console.verbose,
        )
    )


def _tell(call: Call, project: Project, totals: _Totals) -> None:
    """Print what else there is to know, where no JSON tells it."""
    from leafmark.render.chunkstats import render_findings

    console = call.console
    for warning in project.configuration.warnings:
        console.warn(warning)
    if console.json and call.values.get("output") != "jsonl":
        return
    console.skipped([*totals.refused, *(totals.skipped if console.verbose else ())])
    console.diagnostics(totals.diagnostics)
    if call.on("strict") and call.values.get("output") != "stats":
        console.note(
            render_findings(
                totals.findings, console.err_style, verbose=console.verbose, excused=False
            )
        )
    if not totals.chunks:
        console.note("no chunk: there was no text\n")


COMMAND = Command(
    name="chunk",
    summary="cut files into chunks, with no index",
    description=(
        "Prints the chunks of files, of the sources in folders, or of standard input: what the "
        "index would hold, or input for another program. The same bytes and settings give the "
        "same chunks, in the order of the files.\n\n"
        "The strategy auto makes every section a chunk and cuts large ones into pieces; heading "
        "never cuts; section also puts small ones together, within max_tokens; fixed is blind to "
        "structure. A folder's configuration applies, also that of a tree alone.\n\n"
        "Paths in ids begin at the configured tree that holds the file, else at the current "
        "folder, else at the file's own; --root names another folder. A file that is named is "
        "chunked even where an ignore file leaves it out, unless it may hold secrets. Exit code 1 "
        "means that there was no chunk, or with --strict that something is wrong."
    ),
    examples=(
        ("leafmark chunk README.md", "the chunks as a tree"),
        ("leafmark chunk docs --jsonl -s section > chunks.jsonl", "records for another program"),
        ("leafmark chunk docs -o stats --preset rag", "sizes and quality of a strategy"),
        ("leafmark chunk guide.md -o html > guide.html", "the source, coloured by chunk"),
        ("curl -s example.org | leafmark chunk - --name page.html --json", "standard input"),
        ("leafmark chunk docs -s section --strict -q -o stats", "in a build: fail on a finding"),
    ),
    run=run,
    argument=Argument("FILE", "Files and folders; - reads standard input.", least=1),
    options=OPTIONS,
)
