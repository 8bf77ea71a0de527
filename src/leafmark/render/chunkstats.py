"""Statistics and the quality report of a run, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leafmark.chunking import Finding, Statistics
from leafmark.model import count_of
from leafmark.render.terminal import Style, clean_line

__all__ = ["render_findings", "render_statistics"]

SHOWN = 10
"""Lines of each list without -v; chosen by eye."""


def render_statistics(
    found: Statistics,
    findings: Sequence[Finding],
    style: Style,
    *,
    tokenizers: Sequence[str],
    verbose: bool = False,
) -> str:
    """Return the statistics and the quality report; `tokenizers` are what sizes are counted in."""
    unit = "characters" if set(tokenizers) == {"characters"} else "tokens"
    rows = [
        ("documents", f"{found.documents:,}"),
        ("chunks", f"{found.chunks:,} ({found.empty:,} without a body)"),
        (unit, f"{found.total_tokens:,} in bodies{_counted(unit, tokenizers)}"),
        (
            "sizes",
            f"min {found.min_tokens:,}, mean {found.mean_tokens:,.1f}, "
            f"median {found.median_tokens:,.1f}, max {found.max_tokens:,}",
        ),
        ("estimate", f"{found.estimate:,}; actual {found.chunks - found.empty:,}"),
        ("deviations", _deviations(found)),
        ("time", _speed(found)),
        ("quality", _verdict(findings)),
    ]
    lines = []
    for name, value in rows:
        if not value:
            continue
        lines.append(f"{style.bold(name)}{' ' * (12 - len(name))}{value}\n")
        if name == "deviations":
            told = [
                f"{each.doc_id}: {count_of(each.actual, 'chunk')}, estimated {each.estimate:,}"
                for each in found.deviations
            ]
            lines += _listed(told, style, verbose)
    return "".join(lines) + render_findings(findings, style, verbose=verbose)


def _counted(unit: str, tokenizers: Sequence[str]) -> str:
    """What sizes were counted in, where their unit does not say it."""
    return "" if list(tokenizers) in ([], [unit]) else f" ({', '.join(tokenizers)})"


def _speed(found: Statistics) -> str:
    if not found.seconds:
        return ""
    speed = f"{found.megabytes_per_second:.1f} MB/s"
    return f"{found.seconds:.3f} s of one core for {found.size_bytes / 1e6:.2f} MB ({speed})"


def _deviations(found: Statistics) -> str:
    if not found.deviations:
        return "none over the tolerance"
    return f"{count_of(len(found.deviations), 'document')} over the tolerance"


def _verdict(findings: Sequence[Finding]) -> str:
    excused = sum(finding.excused for finding in findings)
    bad = len(findings) - excused
    verdict = count_of(bad, "finding") if bad else "no finding"
    return f"{verdict}, {excused:,} excused (undersize)" if excused else verdict


def render_findings(
    findings: Sequence[Finding], style: Style, *, verbose: bool = False, excused: bool = True
) -> str:
    """Return the findings by kind, the excused ones last, each kind cut short unless `verbose`."""
    kinds: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: finding.excused):
        if excused or not finding.excused:
            kinds.setdefault(finding.kind, []).append(finding)
    lines: list[str] = []
    for kind, found in kinds.items():
        name = style.dim(kind) if found[0].excused else style.yellow(kind)
        lines.append(f"  {name} {len(found):,}\n")
        told = [f"{finding.chunk_id}: {finding.message}" for finding in found]
        lines += _listed(told, style, verbose, inset="    ")
    return "".join(lines)


def _listed(told: Iterable[str], style: Style, verbose: bool, inset: str = "  ") -> list[str]:
    every = [f"{inset}{clean_line(line)}\n" for line in told]
    left = len(every) - SHOWN
    if verbose or left <= 0:
        return every
    return [*every[:SHOWN], style.dim(f"{inset}and {left:,} more: -v prints them all") + "\n"]
