"""The chunk lab: a document or a pasted text, cut by one setting or by two side by side.

Everything but a long pasted text stands in the address. The page shows the source text, which a
cut never breaks; each finding of the quality report is a link to its place.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from leafmark.app import Project, chunk_sources, plan_chunking, read_document
from leafmark.app.chunking import SourceReport
from leafmark.app.requests import ChunkRequest
from leafmark.chunking import PRESETS, STRATEGIES, ChunkingOptions, Finding
from leafmark.errors import ConfigError, LeafmarkError, NotFoundError, UsageError
from leafmark.model import ChunkedDocument
from leafmark.server.web.document_parts import DocumentText, outline
from leafmark.server.web.visits import Address, Visit, render_page

MAX_TEXT_BYTES = 512_000
"""Most bytes of a text that is sent; a longer text can be indexed as a file."""

MAX_LINK_CHARS = 6_000
"""The longest pasted text that goes into a link to share."""

BARS = 24

PASTED = "pasted.md"

SAMPLE = """\
# Release checklist

Every release goes through the same steps. They take about an hour, most of it waiting.

## Before the tag

- The changelog names every change that a user can see.
- Two people have run the upgrade on a copy of real data. One of them follows the written
  guide to the letter, and notes each step that was not as it says.
- Open issues with the label `blocker` are closed or moved.

## The tag

```sh
git tag -s v2.4.0
git push origin v2.4.0
```

The build starts by itself. It publishes the packages, builds the documentation, and opens a
draft of the announcement. If one of these fails, nothing is published: mend it, and push the
tag again.

| Package | Goes to        | Who can undo it |
|---------|----------------|-----------------|
| server  | the registry   | release team    |
| client  | two registries | release team    |

## After the tag

Watch the error rates for a day. Anything unusual goes into the log of the release, even if
it went away by itself.
"""

SIZES = (
    ("min_tokens", "Smallest", 0, 500, ("auto", "section")),
    ("target_tokens", "Target", 20, 2000, ("auto", "section")),
    ("max_tokens", "Largest", 50, 4000, ("auto", "section")),
    ("fixed_tokens", "Window", 20, 2000, ("fixed",)),
    ("fixed_overlap", "Overlap", 0, 500, ("fixed",)),
)
"""The sizes with a control: setting, label, least, most, and the strategies that use it."""


class Chunked(NamedTuple):
    """A document, chunked under some options, and its quality report."""

    document: ChunkedDocument
    options: ChunkingOptions
    report: SourceReport


class Bar(NamedTuple):
    """One bar of a histogram: chunks of `low` to `high` tokens; the highest bar has height 100."""

    low: int
    high: int
    number: int
    height: float


class Lane(NamedTuple):
    """One setting and its chunks; its parameters in the address begin with `prefix`."""

    prefix: str
    values: Mapping[str, Any]
    chunked: Chunked | None = None
    text: DocumentText | None = None
    rows: tuple[Any, ...] = ()
    bars: tuple[Bar, ...] = ()
    findings: tuple[tuple[Finding, int], ...] = ()
    command: str = ""
    error: LeafmarkError | None = None


def lab_page(visit: Visit, open_with: Any) -> str:
    """Return the page; `open_with` opens the project under some settings.

    Raises:
        AmbiguousError, NotFoundError: nothing has the id.
        UsageError: the text is too long.
    """
    address = visit.address
    name, source, tree = _source(visit)
    prefixes = ("", "b_") if address["compare"] else ("",)
    part = address.number("part", 1) - 1
    lanes = [_lane(prefix, visit, (name, source, tree), part, open_with) for prefix in prefixes]
    count = max((lane.text.count for lane in lanes if lane.text), default=1)
    text = source.decode("utf-8", "replace") if not address["id"] else ""
    shared = visit.text and len(visit.text) <= MAX_LINK_CHARS
    return render_page(
        "lab.html",
        visit,
        name=name,
        text=text,
        lanes=lanes,
        part=max(0, min(part, count - 1)),
        part_count=count,
        sizes=SIZES,
        strategies=STRATEGIES,
        presets=sorted(PRESETS),
        share=address.to(text=visit.text if shared else None, part=None),
        is_too_long=bool(visit.text) and not shared,
        is_sample=not address["id"] and not visit.text,
        top=outline(lanes[0].chunked.document.chunks, 0) if lanes[0].chunked else [],
    )


def _source(visit: Visit) -> tuple[str, bytes, str | None]:
    """Return the name, the bytes and the tree of the source to chunk."""
    if visit.address["id"] and not visit.text:
        reading = read_document(visit.project, visit.address["id"])
        if reading.data is None:
            raise NotFoundError(
                f"{reading.document.path} has changed since it was indexed",
                hint="open it again in a moment",
            )
        return reading.document.path, reading.data, reading.document.tree
    data = (visit.text or SAMPLE).replace("\r\n", "\n").encode("utf-8", "replace")
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(
            f"the text has {len(data):,} bytes, and {MAX_TEXT_BYTES:,} can be sent",
            hint="save it as a file in a folder that is indexed, and open it there",
        )
    return PASTED, data, None


def _lane(
    prefix: str, visit: Visit, source: tuple[str, bytes, str | None], part: int, open_with: Any
) -> Lane:
    """Return the chunks of a source under one setting, or the error of the setting."""
    settings = _settings(visit.address, prefix)
    name, data, tree = source
    try:
        chunked = chunk_text(open_with(settings), data, name, tree)
    except (ConfigError, UsageError) as error:
        return Lane(prefix, _values(settings, None), error=error)
    chunks = chunked.document.chunks

    def describe(position: int) -> str:
        chunk = chunks[position]
        lines = f"lines {chunk.line_start}–{chunk.line_end}"
        return f"{chunk.title} · {chunk.body_tokens:,} tokens · {lines}"

    document = chunked.document.document
    text = DocumentText(
        document.data,
        document.format,
        chunks,
        describe=describe,
        parsed=lambda: document,
    )
    positions = {chunk.id: chunk.position for chunk in chunks}
    rows = tuple(text.source(min(part, text.count - 1))) if text.count else ()
    return Lane(
        prefix,
        _values(settings, chunked.options),
        chunked,
        text,
        rows,
        _bars([chunk.body_tokens for chunk in chunks if chunk.has_content]),
        tuple((finding, positions[finding.chunk_id]) for finding in chunked.report.findings),
        _command(name, settings, is_pasted=tree is None),
    )


def _settings(address: Address, prefix: str) -> dict[str, Any]:
    """Return the chunking settings that the address gives."""
    settings: dict[str, Any] = {}
    strategy, preset = address[f"{prefix}strategy"], address[f"{prefix}preset"]
    if strategy in STRATEGIES:
        settings["chunking.strategy"] = strategy
    if preset in PRESETS:
        settings["chunking.preset"] = preset
    for size, *_ in SIZES:
        if address[f"{prefix}{size}"]:
            settings[f"chunking.{size}"] = address.number(f"{prefix}{size}", 0)
    return settings


def _values(settings: Mapping[str, Any], options: ChunkingOptions | None) -> dict[str, Any]:
    """Return the values of the controls: those in force, or after an error the given ones."""
    given_values = {name.partition(".")[2]: value for name, value in settings.items()}
    if options is None:
        base = ChunkingOptions()
        return base._asdict() | given_values
    inforce = options._asdict()
    return inforce | {"preset": given_values.get("preset", ""), "asked": given_values}


def chunk_text(project: Project, data: bytes, name: str, tree: str | None) -> Chunked:
    """Chunk the bytes of a document under the settings of a project.

    Raises:
        ConfigError: sizes do not fit together.
        UsageError: the name cannot be used.
        NotFoundError: nothing can be read in the document.
    """
    chunked: list[tuple[ChunkedDocument, ChunkingOptions]] = []

    def keep(document: ChunkedDocument, options: ChunkingOptions) -> Iterable[str]:
        chunked.append((document, options))
        return ()

    plan = plan_chunking(project, ChunkRequest(data=data, name=name, tree=tree))
    for report in chunk_sources(plan, render=keep, inspect=True, linked=True, workers=0):
        if isinstance(report, SourceReport) and chunked:
            return Chunked(*chunked[0], report)
    raise NotFoundError(f"nothing can be read in {name}")


def _bars(tokens: list[int]) -> tuple[Bar, ...]:
    """Return a histogram of sizes, in at most `BARS` bars of a round width."""
    if not tokens:
        return ()
    most = max(tokens) + 1
    step = next(width for width in _STEPS if width * BARS >= most)
    counts = [0] * (-(-most // step))
    for number in tokens:
        counts[number // step] += 1
    top = max(counts)
    return tuple(
        Bar(at * step, (at + 1) * step - 1, number, 100 * number / top)
        for at, number in enumerate(counts)
    )


_STEPS = [base * 10**power for power in range(8) for base in (1, 2, 5)]


def _command(name: str, settings: Mapping[str, Any], *, is_pasted: bool) -> str:
    """Return the command that makes the same chunks."""
    words = ["leafmark", "chunk", "-" if is_pasted else name]
    words += ["--name", name] if is_pasted else []
    for setting, value in settings.items():
        words += [f"--{setting.partition('.')[2].replace('_', '-')}", str(value)]
    return shlex.join([*words, "-o", "stats"])
