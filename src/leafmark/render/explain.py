"""Why a search answered as it did: the query as understood, the phases, the factors of scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leafmark.model import Answer, Factor, Phase
from leafmark.render.terminal import Style, clean, clean_line
from leafmark.render.terms import render_terms

ROUNDING = "rounding"

__all__ = [
    "nothing_found_because",
    "render_explanation",
    "render_factors",
    "render_nothing_found",
]


def render_explanation(answer: Answer, style: Style) -> str:
    """Return the query as it was understood and what each phase did."""
    lines = []
    if answer.terms:
        lines += [style.bold("Words"), *render_terms(answer.terms, style).splitlines()]
    lines.append(style.bold("Understood as"))
    lines += [f"  {line}" for text in answer.expressions for line in clean(text).split("\n")]
    lines.append(style.bold("Phases"))
    width = max((len(phase.name) for phase in answer.phases), default=0)
    lines += [f"  {_phase(phase, width)}" for phase in answer.phases]
    lines.append(f"  {answer.mode}, {answer.elapsed_ms:.1f} ms")
    return "\n".join(lines) + "\n"


def _phase(phase: Phase, width: int) -> str:
    note = f"  {clean_line(phase.note)}" if phase.note else ""
    return f"{clean_line(phase.name):<{width}} {phase.before:>6} → {phase.after}{note}"


def render_factors(factors: Iterable[Factor], level: int) -> Iterator[str]:
    """Yield a line for each factor of a score, its parts set in below it."""
    for factor in factors:
        if factor.name == ROUNDING:
            continue  # it shows in more digits than are printed
        sign = "×" if factor.operation == "multiply" else "+"
        how = f"  ({clean_line(factor.how)})" if factor.how else ""
        yield f"{'  ' * level}{sign} {factor.value:.4f} {clean_line(factor.name)}{how}"
        yield from render_factors(factor.parts, level + 1)


def nothing_found_because(answer: Answer) -> str | None:
    """Return which phase let nothing through, and its own note; None where there was none."""
    phase = next((phase for phase in answer.phases if phase.after == 0), None)
    if phase is None:
        return None
    note = f": {clean_line(phase.note)}" if phase.note else ""
    found = f"left none of {phase.before}" if phase.before else "found none"
    return f"{clean_line(phase.name)} {found}{note}"


def render_nothing_found(answer: Answer) -> str:
    """Return that nothing was found, and why."""
    because = nothing_found_because(answer)
    lines = [
        f"nothing found for {clean_line(answer.query)}" if answer.query else "nothing found",
        *([f"  {because}"] if because else []),
    ]
    return "\n".join(lines) + "\n"
