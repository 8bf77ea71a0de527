"""What a query means, in as few lines as will do it: expression and chunk to yes or no.

Slow and obvious, to compare an engine with. Tokens are runs of letters, digits
and underscores in lower case, without stemming; nothing is corrected or relaxed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leafmark.query import (
    And,
    Boost,
    Expression,
    Field,
    Filter,
    Fuzzy,
    Not,
    Or,
    Phrase,
    Prefix,
    Term,
    admits,
)

TEXT_FIELDS = ("title", "tags", "path", "body")


@dataclass(frozen=True)
class Chunk:
    """Text by field, and facts by filter name (`tree`, `id`, `lang`, `has`, `meta.KEY`).

    `above` are the titles from the document down to the body, which are read with it.
    `ancestors` are the ids that `under:` admits, its own among them.
    """

    texts: Mapping[str, str]
    facts: Mapping[str, Any] = field(default_factory=dict)
    above: Sequence[str] = ()
    ancestors: Sequence[str] = ()


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def matches(
    expression: Expression, chunk: Chunk, fields: Sequence[str] = TEXT_FIELDS, edits: int = 0
) -> bool:
    """Whether the chunk matches; a term without tokens asks for nothing and is met."""
    match expression:
        case And(operands=operands):
            return all(matches(o, chunk, fields, edits) for o in operands)
        case Or(operands=operands):
            return any(matches(o, chunk, fields, edits) for o in operands)
        case Not(operand=operand):
            return not matches(operand, chunk, fields, edits)
        case Field(name=name, operand=operand):
            return matches(operand, chunk, (name,), edits)
        case Boost(operand=operand):
            return matches(operand, chunk, fields, edits)
        case Fuzzy(operand=operand, distance=distance):
            return matches(operand, chunk, fields, distance)
        case Filter():
            return _admitted(expression, chunk)
        case Term(text=text) | Phrase(text=text) | Prefix(text=text):
            open_end = isinstance(expression, Prefix)
            held = any(_holds(chunk.texts.get(f, ""), text, edits, open_end) for f in fields)
            return held or ("body" in fields and _is_above(chunk, fields, text, edits, open_end))
    raise AssertionError(expression)


def _is_above(chunk: Chunk, fields: Sequence[str], wanted: str, edits: int, open_end: bool) -> bool:
    """Whether a title above the body has it; for the body alone, all its parts must be there, too.

    Parts of up to three words, which is all that `body:` knows of a longer phrase. Without a
    body, only single words are looked for above it.
    """
    body = tokens(chunk.texts.get("body", ""))
    anywhere = len(fields) > 1
    among = None if anywhere else frozenset(_parts(body))
    may_be = bool(chunk.texts.get("body")) or (anywhere and len(tokens(wanted)) == 1)
    return may_be and any(_holds(title, wanted, edits, open_end, among) for title in chunk.above)


def _parts(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for length in (1, 2, 3):
        yield from (tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def _holds(
    text: str,
    wanted: str,
    edits: int,
    open_end: bool,
    among: Collection[tuple[str, ...]] | None = None,
) -> bool:
    """True when the tokens of `wanted` stand beside each other in `text`, their parts `among`."""
    asked, there = tokens(wanted), tokens(text)
    for start in range(len(there) - len(asked) + 1):
        pairs = list(zip(asked, there[start:], strict=False))
        ends = len(pairs) - 1
        if all(
            (open_end and n == ends and b.startswith(a)) or _is_near(a, b, edits)
            for n, (a, b) in enumerate(pairs)
        ) and (among is None or all(part in among for part in _parts([b for _, b in pairs]))):
            return True
    return not asked


def _is_near(one: str, other: str, edits: int) -> bool:
    """Whether so many edits, fewer than the shorter word has letters, make one of the other."""
    return one == other or distance(one, other) <= min(edits, len(one) - 1, len(other) - 1)


def _admitted(condition: Filter, chunk: Chunk) -> bool:
    name, value = condition.name, condition.value
    if name == "path":
        return str(chunk.facts.get("path", "")).startswith(str(value))
    if name == "under":
        return value in chunk.ancestors
    if name.startswith("meta."):
        return name in chunk.facts and admits(value, chunk.facts[name])
    fact = chunk.facts.get(name, ())
    return value == fact or (isinstance(fact, tuple) and value in fact)


def distance(one: str, other: str) -> int:
    """Least insertions, deletions, substitutions and swaps of neighbours between two words.

    >>> distance("recieve", "receive"), distance("hadle", "handle"), distance("foz", "fox")
    (1, 1, 1)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
