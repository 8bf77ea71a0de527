"""Why a search answered as it did: the query as understood, the phases, the factors of scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from leafmark.model import Answer, Factor, Phase
from leafmark.model.result import WORD
from leafmark.render.terminal import Style, clean, clean_line
from leafmark.render.terms import render_terms

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
    """Yield a line for each factor of a score, its parts set in below it.

    What adds to the score is given with its share of the sum, what multiplies it as a factor.
    Rounding is too little to be read.
    """
    given = [factor for factor in factors if factor.name != "rounding"]
    total = sum(factor.value for factor in given if factor.operation == "add")
    for factor in given:
        said = _said(factor)
        if factor.operation == "multiply":
            yield f"{'  ' * level}× {factor.value:.3f}       {said}"
        else:
            share = f"{factor.value / total:4.0%}" if total else "    "
            yield f"{'  ' * level}+ {factor.value:.4f} {share}  {said}"
        yield from render_factors(factor.parts, level + 1)


_SAID: Mapping[str, str] = MappingProxyType(
    {
        "words": "by words",
        "meaning": "by meaning",
        "part": "its best part",
        "filters": "filters admit it",
        "completeness": "it, or its section, has all words",
        "nearness": "neighbouring words of the query stand near each other",
        "parts of names": "parts of compound names",
        "body": "in the text",
        "titles": "in the titles",
        "title": "in the title",
        "tags": "in the tags",
        "path": "in the path",
        "local_boost": "a tree of the project",
        "name": "called as the query says",
        "tier": "behind what has all words",
        "merged": "for each matching part",
        "rerank": "as the model reads it",
        "tests": "a test",
        "catalog": "a catalog of translations",
        "completion": "what completes words in a shell",
        "changelog": "a changelog",
        "licence": "a licence",
        "listing": "a list of what stands elsewhere",
        "print": "all pages in one",
        "translation": "a translation",
    }
)
"""What the names of factors mean to a reader."""


def _said(factor: Factor) -> str:
    """Say what a factor is; a word of the query is said as it was typed."""
    if factor.how == WORD:
        return f"“{clean_line(factor.name)}”"
    said = _SAID.get(factor.name) or clean_line(factor.name)
    return f"{said} ({clean_line(factor.how)})" if factor.how else said


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
