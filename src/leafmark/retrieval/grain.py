"""The grain of results: merged as far as their matches allow, or fixed by the user.

`auto` merges children into their parents. `piece` leaves every chunk as it matched.
`section` gives the sections of pieces and merges sections as `auto` does, but never into a
whole document: a document with sections is a result only for its own text, or if none of
its sections is a result. `document` gives whole documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from leafmark.model import Candidate, Entry, Phase
from leafmark.retrieval.aggregation import (
    FindParent,
    MeasureText,
    aggregate,
    drop_large,
    filter_ancestors,
    merge_into,
)
from leafmark.retrieval.introductions import Introduce, give_introductions
from leafmark.retrieval.ordering import document_of, key_of, sort_candidates
from leafmark.retrieval.params import SearchParams

__all__ = ["bring_to_grain"]


def bring_to_grain(
    candidates: Sequence[Candidate],
    params: SearchParams,
    *,
    find_parent: FindParent,
    measure_text: MeasureText,
    introduce: Introduce,
    stands_out: Callable[[Candidate], bool] = lambda _candidate: True,
    may_stand: Callable[[Entry], bool] | None = None,
) -> tuple[list[Candidate], list[Phase]]:
    """Return the results at the grain asked for, best first, and what each step did.

    Nothing is merged into a parent unless `may_stand` holds for it. At the grain `auto`, a
    chunk that is too large becomes a result for its own text, if that matched. `stands_out`
    tells whether a chunk matched by its own text or title.
    """
    if not params.aggregation or params.grain == "piece":
        return sort_candidates(candidates), []
    found, phases = list(candidates), []
    if params.grain != "auto":
        found, phase = _lift(found, _NODE_OF[params.grain], find_parent)
        phases.append(phase)
    if params.grain == "section":
        params = replace(params, max_merge_depth=max(1, params.max_merge_depth))
    found, phase = aggregate(
        found, params, find_parent=find_parent, measure_text=measure_text, may_stand=may_stand
    )
    phases.append(phase)
    limit = params.aggregation_max_tokens
    if limit and params.grain == "auto":
        found, phase = give_introductions(found, limit, measure_text, introduce)
        phases.append(phase)
    if limit and params.grain != "document":
        found, phase = drop_large(found, limit, measure_text, stands_out)
        phases.append(phase)
    sections_only = params.grain == "section"
    if sections_only:
        found, phase = _part_from_sections(found, introduce)
        phases.append(phase)
    found, phase = filter_ancestors(
        found, above=lambda entry: not (sections_only and entry.kind == "document")
    )
    return found, [*phases, phase]


_NODE_OF: dict[str, Callable[[Entry], bool]] = {
    "section": lambda entry: entry.kind != "piece",
    "document": lambda entry: entry.kind == "document",
}


def _part_from_sections(
    candidates: Sequence[Candidate], introduce: Introduce
) -> tuple[list[Candidate], Phase]:
    """Narrow documents to their own text; drop those whose own text did not match for sections.

    A document with merged pieces of its own text keeps them, and ends before its sections.
    """
    of_sections = {document_of(one.entry) for one in candidates if one.entry.kind == "section"}
    found = []
    for one in candidates:
        if one.entry.kind == "document" and one.constituents:
            one = introduce.with_pieces(one)
        elif one.entry.kind == "document":
            alone = introduce.alone(one)
            if alone is None and document_of(one.entry) in of_sections:
                continue
            one = alone or one
        found.append(one)
    gone = len(candidates) - len(found)
    note = f"{gone} gave way to {'its' if gone == 1 else 'their'} sections" if gone else ""
    return found, Phase("documents", len(candidates), len(found), note)


def _lift(
    candidates: Sequence[Candidate], is_node: Callable[[Entry], bool], find_parent: FindParent
) -> tuple[list[Candidate], Phase]:
    """Replace every candidate by the nearest node for which `is_node` holds: itself or above."""
    nodes: dict[tuple[str, str, int], tuple[Entry, list[Candidate]]] = {}
    matched = {key_of(candidate.entry): candidate for candidate in candidates}
    for candidate in candidates:
        entry = candidate.entry
        while not is_node(entry):
            entry = find_parent(entry)
        nodes.setdefault(key_of(entry), (entry, []))[1].append(candidate)
    lifted = []
    for key, (entry, held) in nodes.items():
        below = [candidate for candidate in held if key_of(candidate.entry) != key]
        lifted.append(merge_into(entry, below, matched.get(key)) if below else held[0])
    return sort_candidates(lifted), Phase("grain", len(candidates), len(lifted))
