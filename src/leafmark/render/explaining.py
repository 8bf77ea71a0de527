"""Why a result has its rank, why an answer is empty, and why a chunk is not in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from leafmark.model import (
    AbsenceReason,
    Answer,
    Factor,
    KeyTerm,
    Phase,
    UnmatchedPart,
    WhyNotReport,
    count_of,
)
from leafmark.model.result import WORD
from leafmark.render.hint_texts import COMMAND_LINE, Terms, hint_records, with_remedy
from leafmark.render.jsontext import SCHEMA_VERSION, fields_of
from leafmark.render.terminal import Style, clean, clean_line, display_width


def render_explanation(answer: Answer, style: Style) -> str:
    """Return the query as it was understood and the effect of each phase."""
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
    """Yield a line for each factor of a score, with its parts indented below it.

    A summand has its share of the sum, a multiplier its factor. Rounding is left out.
    """
    shown_factors = [factor for factor in factors if factor.name != "rounding"]
    total = sum(factor.value for factor in shown_factors if factor.operation == "add")
    for factor in shown_factors:
        words = _factor_words(factor)
        if factor.operation == "multiply":
            yield f"{'  ' * level}× {factor.value:.3f}       {words}"
        else:
            share = f"{factor.value / total:4.0%}" if total else "    "
            yield f"{'  ' * level}+ {factor.value:.4f} {share}  {words}"
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
        "name": "the query is its name",
        "tier": "after sections with all words",
        "merged": "for each matching part",
        "rerank": "as the model reads it",
        "tests": "a test",
        "catalog": "a catalog of translations",
        "completion": "shell completion",
        "changelog": "a changelog",
        "licence": "a licence",
        "listing": "a list of other texts",
        "print": "all pages in one",
        "translation": "a translation",
    }
)
"""The words for each factor."""


def _factor_words(factor: Factor) -> str:
    """Return the words for a factor; a word of the query appears as it was typed."""
    if factor.how == WORD:
        return f"“{clean_line(factor.name)}”"
    name = factor_name(factor.name)
    return f"{name} ({clean_line(factor.how)})" if factor.how else name


def factor_name(name: str) -> str:
    """Return the words for the factor called `name`, the name itself if there are none."""
    return _SAID.get(name) or clean_line(name)


def nothing_found_because(answer: Answer) -> str | None:
    """Return the phase that left no candidates, and its note; None if there is no such phase."""
    phase = next((phase for phase in answer.phases if phase.after == 0), None)
    if phase is None:
        return None
    if _is_beyond(phase):
        return f"{beyond_the_last(answer)}; a smaller offset shows them"
    note = f": {clean_line(phase.note)}" if phase.note else ""
    if not phase.before:
        return f"no chunk matches{note}"
    return f"{clean_line(phase.name)} left none of {phase.before}{note}"


def _is_beyond(phase: Phase) -> bool:
    return phase.name == "limit" and phase.before > 0


def beyond_the_last(answer: Answer) -> str | None:
    """Return a sentence with the number of results if the offset is beyond all of them."""
    before = next(
        (phase.before for phase in answer.phases if not phase.after and _is_beyond(phase)), 0
    )
    if not before:
        return None
    are = "is 1 result" if before == 1 else f"are {before:,} results"
    return f"there {are}, and none from this offset on"


def render_nothing_found(answer: Answer) -> str:
    """Return a sentence that says why the answer is empty."""
    because = nothing_found_because(answer)
    nothing = "no more results" if beyond_the_last(answer) else "nothing found"
    lines = [
        f"{nothing} for {clean_line(answer.query)}" if answer.query else nothing,
        *([f"  {because}"] if because else []),
    ]
    return "\n".join(lines) + "\n"


def render_why_not(report: WhyNotReport, style: Style) -> str:
    """Return the phase in which each topic lost the chunk, and the changes that would show it."""
    lines = [f"{style.bold(clean_line(report.id))}  {clean_line(report.query)}"]
    if report.shown_as is not None:
        own = report.shown_as == report.id
        what = "it" if own else f"{clean_line(report.shown_as)}, which is part of it,"
        return "\n".join([*lines, f"  {what} is result {report.rank}"]) + "\n"
    for reason in report.reasons:
        about = f"topic {reason.topic + 1}: " if len(report.reasons) > 1 else ""
        lines.append(f"  {about}{style.bold(reason.lost_at)}: {clean_line(word_reason(reason))}")
        if reason.id != report.id:
            lines.append(f"    asked of {clean_line(reason.id)}")
        lines += [f"    {line}" for part in reason.unmatched for line in _part(part)]
    ways = [*word_changes(report).values()]
    ways += [f"leave out {clean_line(part)}" for part in report.without]
    ways += [] if report.added is None else [f"add {clean_line(report.added)}"]
    if ways:
        lines.append(f"  to see it: {', '.join(ways)}")
    return "\n".join(lines) + "\n"


def word_reason(reason: AbsenceReason, terms: Terms = COMMAND_LINE) -> str:
    """Return one sentence on why a chunk was lost."""
    return _WORDINGS[reason.lost_at](reason, terms)


def _of_match(reason: AbsenceReason, terms: Terms) -> str:
    lacks = [f"“{part.text}”" for part in reason.unmatched if not part.refuses]
    has = [f"“{part.text}”" for part in reason.unmatched if part.refuses]
    lacking = [f"it lacks {', '.join(lacks)}"] if lacks else []
    lacking += [f"it has {', '.join(has)}, which the query leaves out"] if has else []
    reasons = " and ".join(lacking) or "it does not match"
    far = reason.values.get("far")
    return reasons if far is None else f"{reasons}, and {_far(far, terms)}"


def _far(values: Mapping[str, Any], terms: Terms) -> str:
    if values["similarity"] is None:
        return with_remedy("it has no vector yet", "no-vector", terms)
    compared = f"{values['similarity']:.2f}, and {values['least']:.2f} is the least"
    if "whole" in values:
        compared += f"; as a whole {values['whole']:.2f}, and {values['least_whole']:.2f}"
    return f"its meaning is not near enough ({compared})"


def _of_filter(reason: AbsenceReason, terms: Terms) -> str:
    filters = reason.values.get("options", ())
    options = [terms.options[name].format("").strip() for name in filters]
    if not options:
        return _of_match(reason, terms)
    return f"{' and '.join(options)} {'leave' if options[1:] else 'leaves'} it out"


def _of_candidates(reason: AbsenceReason, _: Terms) -> str:
    better = reason.values["better"]
    if "considered" not in reason.values:
        return f"more than {better:,} chunks match better"
    considered = reason.values["considered"]
    return f"{better} chunks match better, and the first {considered} are considered"


def _of_cutoff(reason: AbsenceReason, _: Terms) -> str:
    values = reason.values
    if "ended" not in values:
        count = values["kept"]
        return f"it is match {reason.rank}, and {count} are kept where scores do not fall sharply"
    return (
        f"it is match {reason.rank} with {reason.score or 0:.2f}; the list ends after match "
        f"{values['ended']}, where scores fall from {values['last']:.2f} to {values['next']:.2f}, "
        f"below {values['cutoff_ratio']:g} of the one before"
    )


def _of_relaxed(reason: AbsenceReason, terms: Terms) -> str:
    limit, complete = reason.values["limit"], reason.values["complete"]
    return (
        f"{_of_match(reason, terms)}; such matches are added where fewer than {limit} chunks match "
        f"all words, and {complete} do"
    )


def _where(reason: AbsenceReason) -> str:
    limit = reason.values["limit"]
    past = f", which is result {reason.rank}, past the {limit} shown"
    return past if (reason.rank or 0) > limit else f" (result {reason.rank})"


def _of_duplicate(reason: AbsenceReason, _: Terms) -> str:
    holder = "it" if reason.values["itself"] else f"it is part of {reason.id}, which"
    same = "the same text" if reason.values["exact"] else "nearly the same text"
    return f"{holder} has {same} as {reason.by}{_where(reason)}, and is named beside it"


_WORDINGS: Mapping[str, Callable[[AbsenceReason, Terms], str]] = {
    "filter": _of_filter,
    "match": _of_match,
    "meaning": lambda reason, terms: _far(reason.values, terms),
    "strict": lambda reason, terms: f"{_of_match(reason, terms)}; {terms.strict} leaves it out",
    "relaxed": _of_relaxed,
    "candidates": _of_candidates,
    "cutoff": _of_cutoff,
    "merged": lambda reason, _: f"it is part of {reason.by}{_where(reason)}",
    "duplicate": _of_duplicate,
    "document": lambda reason, _: (
        f"its document has taken the {reason.values['places']} places that one may take"
    ),
    "limit": lambda reason, _: (
        f"it is result {reason.rank}, and {reason.values['limit']} are shown"
    ),
}


def _part(part: UnmatchedPart) -> Iterable[str]:
    text = f"“{clean_line(part.text)}”"
    if part.refuses:
        return
    where = f"occurs in {count_of(part.chunks, 'chunk')}" if part.chunks else "occurs nowhere"
    near = f"; here: {', '.join(map(clean_line, part.near))}" if part.near else ""
    yield f"{text} {where}{near}"


def word_changes(report: WhyNotReport, terms: Terms = COMMAND_LINE) -> dict[str, str]:
    """Return the changes that would show the chunk, by name, in a front end's terms."""
    return {
        name: terms.changes.get(name, terms.change).format(typed_value(value), name=name)
        for name, value in report.remedy.items()
    }


def typed_value(value: object) -> str:
    """Return a value as it is typed; numbers without needless digits."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def why_not_record(report: WhyNotReport, terms: Terms = COMMAND_LINE) -> dict[str, Any]:
    """Return the report as an object: its fields, the remedy as options."""
    return {
        "schema_version": SCHEMA_VERSION,
        **fields_of(report, "id", "query", "shown_as", "rank"),
        "reasons": [_reason_record(reason, terms) for reason in report.reasons],
        "remedy": [*word_changes(report, terms).values()],
        **fields_of(report, "without", "added"),
        "hints": hint_records(report.hints, terms),
    }


def _reason_record(reason: AbsenceReason, terms: Terms) -> dict[str, Any]:
    return {
        "lost_at": reason.lost_at,
        "message": word_reason(reason, terms),
        **fields_of(reason, "id", "topic", "rank", "score", "of", "by", "ratio", "unmatched"),
    }


def render_terms(terms: Sequence[KeyTerm], style: Style) -> str:
    """Return a line for each word: its score, the factors of the score, and its fields."""
    width = max((display_width(term.word) for term in terms), default=0)
    lines = []
    for term in terms:
        word = clean_line(term.word)
        space = " " * (width - display_width(word))
        rarity = f"{term.score / term.weight:.2f} (in {count_of(term.chunks, 'chunk')})"
        product = f"{term.weight:.2f} × {rarity}  {', '.join(term.sources)}"
        lines.append(f"{term.score:8.2f}  {style.bold(word)}{space}  {style.dim(product)}\n")
    return "".join(lines)
