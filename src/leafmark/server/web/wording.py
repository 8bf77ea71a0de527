"""What hints, reasons and scores say on the page, in terms of its controls.

Codes and values come from the engine. What the shared wordings say with commands or settings has
a wording of its own here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from leafmark.model import FORMAT_NAMES, AbsenceReason, Factor, Hint, WhyNotReport, count_of
from leafmark.model.result import WORD
from leafmark.render.explaining import factor_name, typed_value, word_changes, word_reason
from leafmark.render.hints import PAGE, word_hint

_Values = Mapping[str, Any]

_HINTS: Mapping[str, Callable[[_Values], str]] = MappingProxyType(
    {
        "pending-vectors": lambda values: (
            f"{count_of(values['count'], 'chunk')} cannot be found by meaning yet"
        ),
        "late-vectors": lambda values: (
            f"{count_of(values['count'], 'result')} could not be read by meaning in time: "
            "ask again for a better order"
        ),
        "no-vectors": lambda _: "Meaning is not available, so these results match by words",
        "provider": lambda _: "The model did not answer, so these results match by words",
        "late-embedder": lambda _: "The model took too long, so these results match by words",
        "letters": lambda _: "The model cannot read these letters, so these match by words",
        "unknown-words": lambda _: "The model knows none of these words, so these match by words",
        "other-dimension": lambda _: "The vectors are of another model: these match by words",
        "damaged-vectors": lambda _: "Some vectors are damaged: a near match may be missing",
        "stale": lambda values: (
            f"{count_of(values['count'], 'source')} changed a moment ago and will be read again"
        ),
        "far": lambda _: "Nothing is near enough in meaning: search by words as well",
        "topics": lambda _: "Each part was searched as a topic of its own",
        "other-folder": lambda _: "Only the trees of your own configuration were searched",
        "more": lambda _: "",
        "versions": lambda _: (
            "What reads nearly the same in several versions or languages is shown once"
        ),
    }
)
"""Hints whose shared wording names commands, options or settings; "" is said by a control."""


def page_hint(hint: Hint) -> str:
    """Return what a hint says, as a sentence.

    >>> page_hint(Hint("strict", values={"matches": {"count": 2, "or_more": False}}))
    'Without “all words”, there would be 2 matches.'
    """
    wording = _HINTS.get(hint.code)
    words = word_hint(hint, PAGE) if wording is None else wording(hint.values)
    return _sentence(words)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in '.?!…' else '.'}" if text else ""


def page_reason(reason: AbsenceReason) -> str:
    """Return why a chunk was lost, as a sentence.

    >>> page_reason(AbsenceReason("strict", "t:a.md", values={}))
    'It does not match; “all words” leaves it out.'
    """
    return _sentence(word_reason(reason, PAGE))


class Remedy(NamedTuple):
    """What would show a chunk: words for it, and where it is a control, its new value."""

    text: str
    name: str = ""
    value: str = ""


_CONTROLS = {"trees": "tree", "tags": "tag"}
_OFF = frozenset(("strict", "trees", "tags", "since", "section"))
"""What is a remedy where it is switched off."""


def remedies(report: WhyNotReport) -> list[Remedy]:
    """Return what would show the chunk; all of them together."""
    found = []
    for name, text in word_changes(report, PAGE).items():
        control = _CONTROLS.get(name, name) if name in PAGE.changes else ""
        value = "" if name in _OFF else typed_value(report.remedy[name])
        found.append(Remedy(text, control, value))
    found += [Remedy(f"leave out {part}") for part in report.without]
    if report.added is not None:
        found.append(Remedy(f"add {report.added}"))
    return found


_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "words": "words",
        "meaning": "meaning",
        "filters": "admitted by the filters",
        "completeness": "all words together",
        "nearness": "words near each other",
        "parts of names": "parts of names",
        "local_boost": "a tree of this project",
        "merged": "several parts match",
        "rerank": "order of the model",
        "completion": "shell completion",
        "listing": "a list of other pages",
    }
)
_FIELDS = {"body": "text", "titles": "titles", "title": "title", "tags": "tags", "path": "path"}


class Part(NamedTuple):
    """A part of a score: its share of the sum, or with `times` a factor of all of it.

    `start` is where it begins in a bar of 100; `color` its place in the legend.
    """

    name: str
    value: float
    share: float = 0.0
    start: float = 0.0
    color: int = 0
    times: bool = False
    note: str = ""


def score_parts(factors: tuple[Factor, ...]) -> list[Part]:
    """Return what a score is made of, flat: first what adds to it, then what multiplies it."""
    flat = [*_flat(factors)]
    sums = [one for one in flat if not one.times and one.value > 0]
    total = sum(one.value for one in sums) or 1.0
    found: list[Part] = []
    at = 0.0
    for number, one in enumerate(sums):
        share = 100 * one.value / total
        found.append(one._replace(share=share, start=at, color=number % 6))
        at += share
    return found + [one for one in flat if one.times]


def _flat(factors: tuple[Factor, ...]) -> Iterator[Part]:
    """Yield the factors; one that only groups others stands for them."""
    for factor in factors:
        if factor.name == "rounding":
            continue
        times = factor.operation == "multiply"
        if factor.how == WORD:
            fields = ", ".join(_FIELDS.get(part.name, part.name) for part in factor.parts)
            yield Part(f"“{factor.name}”", factor.value, note=fields and f"in {fields}")
        elif factor.parts and not times:
            yield from _flat(factor.parts)
        else:
            yield Part(
                _NAMES.get(factor.name) or factor_name(factor.name), factor.value, times=times
            )


def facet_label(name: str, value: str) -> str:
    """Return how a value of a facet is called.

    >>> facet_label("format", "roff"), facet_label("has", "code"), facet_label("tree", "docs")
    ('manual pages', 'with code', 'docs')
    """
    if name == "format":
        return FORMAT_NAMES.get(value, value)
    return f"with {value}" if name == "has" else value
