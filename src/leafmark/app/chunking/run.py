"""Chunk files with no index: what `leafmark chunk` does.

Each source is read, parsed, chunked and rendered by itself, so that one
document is held at a time. Small inputs stay in this process; of large ones
several are worked on at once, and their answers come in the order of the plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import NamedTuple

from leafmark.app.chunking.jobs import ChunkJob, ChunkPlan, plan_chunking
from leafmark.app.chunking.links import RunLinks
from leafmark.app.chunking.sharing import share_out, worker_count
from leafmark.app.requests import Progress
from leafmark.app.sources.broken_sources import unless_broken, unread
from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.formats import parse_source
from leafmark.chunking import (
    ChunkingOptions,
    DocumentSizes,
    Finding,
    chunk_document,
    inspect_quality,
    measure_document,
    token_counter,
)
from leafmark.model import (
    LEFT_OUT,
    ChunkedDocument,
    Diagnostic,
    FindLink,
    Skipped,
    document_id,
    leads_nowhere,
)

__all__ = ["ChunkPlan", "Render", "SourceReport", "chunk_sources", "plan_chunking"]

Render = Callable[[ChunkedDocument, ChunkingOptions], Iterable[str]]
"""From a document, and how it was chunked, to its output. It can be pickled."""

_PIECE_CHARS = 65_536
"""Output is handed on in pieces of about this size."""


class SourceReport(NamedTuple):
    """One source was done: what is known of it beside its output, which came before.

    `sizes` and `findings` are only there where they were asked for.
    """

    doc_id: str
    chunks: int = 0
    skipped: Skipped | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    sizes: DocumentSizes | None = None
    findings: tuple[Finding, ...] = ()


def chunk_sources(
    plan: ChunkPlan,
    *,
    render: Render | None,
    inspect: bool = False,
    linked: bool = False,
    progress: Progress | None = None,
    workers: int | None = None,
) -> Generator[str | SourceReport, None, None]:
    """Yield, source by source in the order of the plan, pieces of output and then a report.

    With `inspect` the reports hold sizes and the findings of the quality report, with
    `linked` records tell where links between the sources lead.
    `workers` None decides by the size of the input; 0 means that this process does all.
    """
    links = RunLinks(plan.jobs, _linked_to) if linked else None
    work = partial(_work, render=render, inspect=inspect, links=links)
    if workers is None:
        workers = worker_count(plan.jobs)
    answers: Generator[str | SourceReport, None, None]
    if workers:
        answers = share_out(plan.jobs, work, workers)
    else:
        answers = (answer for job in plan.jobs for answer in work(job))
    done = 0
    with closing(answers):
        for answer in answers:
            yield answer
            if isinstance(answer, SourceReport):
                done += 1
                if progress is not None:
                    progress("chunking", done, len(plan.jobs))


def _work(
    job: ChunkJob, *, render: Render | None, inspect: bool, links: RunLinks | None
) -> Iterator[str | SourceReport]:
    """Do one job, a piece of output after the other."""
    doc_id = document_id(job.tree.name, job.path)
    if inspect:
        _load(job)
    began = time.perf_counter()
    data = _read(job)
    if isinstance(data, Diagnostic):
        yield SourceReport(doc_id, diagnostics=(data,))
        return
    refused = refuse_contents(job.tree, job.path, data, named=job.named)
    if refused is not None:
        yield SourceReport(doc_id, skipped=Skipped(job.path, LEFT_OUT[refused.code]))
        return
    chunked = _chunked(job, data, leads_nowhere if links is None else partial(links.find, job))
    if isinstance(chunked, Diagnostic):
        yield SourceReport(doc_id, diagnostics=(chunked,))
        return
    seconds = time.perf_counter() - began
    if render is not None:
        yield from _gathered(render(chunked, job.options))
    report = SourceReport(doc_id, len(chunked.chunks), diagnostics=chunked.document.diagnostics)
    if inspect:
        report = report._replace(
            sizes=measure_document(chunked, options=job.options, seconds=seconds),
            findings=tuple(inspect_quality(chunked, options=job.options)),
        )
    yield report


def _linked_to(job: ChunkJob) -> ChunkedDocument | None:
    """The chunks of a source that another one links to; what is wrong with it is told elsewhere."""
    data = _read(job)
    if isinstance(data, Diagnostic) or refuse_contents(job.tree, job.path, data, named=job.named):
        return None
    chunked = _chunked(job, data, leads_nowhere)
    return None if isinstance(chunked, Diagnostic) else chunked


def _chunked(job: ChunkJob, data: bytes, find_link: FindLink) -> ChunkedDocument | Diagnostic:
    def make() -> ChunkedDocument:
        outputs = job.options.notebook_outputs
        document = parse_source(job.tree, job.path, data, notebook_outputs=outputs)
        return chunk_document(
            document, tree=job.tree.name, options=job.options, find_link=find_link
        )

    return unless_broken(make, job.path, "chunked")


def _load(job: ChunkJob) -> None:
    """Load the parser and the tokenizer, so that the first document is not charged for them."""
    parse_source(job.tree, job.path, b"")
    token_counter(job.options.tokenizer)("a")


def _read(job: ChunkJob) -> bytes | Diagnostic:
    if job.data is not None:
        return job.data
    try:
        return read_beneath(job.tree, job.path)[0]
    except (OSError, MemoryError) as error:
        return unread(job.path, error)


def _gathered(pieces: Iterable[str]) -> Iterator[str]:
    """Join small pieces, since each costs a message between processes or a call to write."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _PIECE_CHARS:
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)
