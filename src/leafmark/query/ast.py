"""The expression of a query string: a tree of frozen nodes, and the names of fields.

A `Term`, `Phrase` or `Prefix` is text to find; a `Filter` admits chunks by a fact about them and
never scores; the other nodes combine or mark the nodes below them. Texts are as typed: the analyzer
of the index splits them into tokens, so that a word means the same in a query and in a document. A
`Field` searches one text field; paths need none, since every word of a query is searched in paths
too.

Invariant: every expression can be written as a query string and read back (`format_query`), except
one that only negates. Constructors raise ValueError for anything else. Nodes are equal if they mean
the same; their spelling does not count: `span`, the half-open range of characters in the query
string, and `no_field`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from leafmark.frozen import Frozen
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.query.ranges import Range
from leafmark.suggest import edits_from

SCORING_FIELDS: Final = ("title", "tags", "body")
FILTERS: Final = ("tree", "path", "id", "under", "has", "lang", "format")
"""`meta.KEY` is a filter, too, on a value in the front matter."""
META_PREFIX: Final = "meta."

QUOTES: Final = '"“”„‟＂'
"""The straight quote, then its replacements by text editors and telephones."""

HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
"""A surrogate, which stands for a byte that is not UTF-8; no document contains one."""

HAS_VALUES: Final = ("code", "table", "list")

# A key of front matter may have capitals, digits and hyphens: no other text that people paste
# begins with `meta.` and has a colon.
META_PATTERN: Final = r"meta\.[^\s:()\\" + QUOTES + "]+"
_META = lazy_pattern(META_PATTERN)

MIN_BOOST = 0.001
"""Smallest factor of a boost; below it, leave the part out instead."""

MAX_BOOST = 1000.0
"""Largest factor of a boost; above it, the other parts hardly count."""

MAX_DISTANCE = 2
"""Maximum edits of a fuzzy word: with three, short words match nearly anything."""


class _Node(Frozen, kw_only=True):
    """The base of all nodes, which are compared and shown by their meaning, see the module."""

    span: tuple[int, int] = (0, 0)

    def _meaning(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._positional}


class _Word(_Node, kw_only=True):
    no_field: str = ""


class Term(_Word):
    """A word as typed, inner punctuation included (`snake_case`, `std::vector`, `main()`).

    A term without any token (`-`, `=>`) requires nothing. If it was written like a field that
    does not exist (`node:http`), `no_field` is the name before the colon.
    """

    text: str

    def __post_init__(self) -> None:
        _require(_is_word(self.text), "a term is one word", self.text)


class Phrase(_Node):
    """The words of `text`, adjacent and in order."""

    text: str

    def __post_init__(self) -> None:
        _require(_is_text(self.text), "a phrase has text", self.text)


class Prefix(_Word):
    """A word that begins with `text` (`handl*`); the star is not part of the text."""

    text: str

    def __post_init__(self) -> None:
        word = is_word_start(self.text) and _is_word(self.text)
        _require(word, "a prefix is the beginning of a word", self.text)


class Filter(_Node):
    """Admit chunks by a fact about them: `tree:docs`, `meta.n:3..7`; never scores.

    `value` is the exact value (for `path`, its beginning; for `under`, an id), or for metadata
    a `Range`.
    """

    name: str
    value: str | Range

    def __post_init__(self) -> None:
        _require(is_filter(self.name), "not the name of a filter", self.name)
        if isinstance(self.value, Range):
            _require(self.key is not None, "only metadata has ranges", self.name)
        else:
            _require(_is_text(self.value), "a filter has a value", self.value)
            known = self.name != "has" or self.value in HAS_VALUES
            _require(known, "not a kind of block", self.value)

    @property
    def key(self) -> str | None:
        """The key of the front matter, None for another filter."""
        before, prefix, key = self.name.partition(META_PREFIX)
        return key if prefix and not before else None


class Field(_Node):
    """Look for `operand` in one text field only: `title`, `tags` or `body`."""

    name: str
    operand: Expression

    def __post_init__(self) -> None:
        _require(is_scoring(self.name), "not the name of a text field", self.name)
        has_field = any(isinstance(node, Field | Filter) for node in _iter_nodes(self.operand))
        _require(not has_field, "a field inside a field", self.name)
        _require(not only_negates(self.operand), "only a negation", self.operand)


class Boost(_Node):
    """The score of `operand` times `factor` (`MIN_BOOST` to `MAX_BOOST`)."""

    operand: Expression
    factor: float

    def __post_init__(self) -> None:
        valid = math.isfinite(self.factor) and MIN_BOOST <= self.factor <= MAX_BOOST
        _require(valid, "not a factor of a boost", self.factor)
        _require(not filters_only(self.operand), "a boost of what does not score", self.operand)
        _require(not only_negates(self.operand), "only a negation", self.operand)


class Fuzzy(_Node):
    """The words of `operand` within `distance` edits each: 0 (exactly), 1 or 2."""

    operand: Expression
    distance: int

    def __post_init__(self) -> None:
        _require(0 <= self.distance <= MAX_DISTANCE, "not a number of edits", self.distance)
        _require(not filters_only(self.operand), "edits of a filter", self.operand)
        _require(not is_prefix(self.operand), "edits of a prefix", self.operand)
        _require(not only_negates(self.operand), "only a negation", self.operand)


class Not(_Node):
    """Chunks that do not match `operand`."""

    operand: Expression

    def __post_init__(self) -> None:
        _require(not only_negates(self.operand), "a negation of a negation", self.operand)


class And(_Node):
    """Every one of two or more operands; none is itself an And.

    `explicit` says that the user wrote AND: then every operand must match, and no plain word
    may be dropped.
    """

    operands: tuple[Expression, ...]
    explicit: bool = False

    def __post_init__(self) -> None:
        _require(len(self.operands) > 1, "needs two operands", self.operands)
        _require(not any(isinstance(o, And) for o in self.operands), "not flat", self.operands)


class Or(_Node):
    """At least one of two or more operands; none is itself an Or."""

    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _require(len(self.operands) > 1, "needs two operands", self.operands)
        _require(not any(isinstance(o, Or) for o in self.operands), "not flat", self.operands)
        _require(not any(map(only_negates, self.operands)), "only a negation", self.operands)


Expression: TypeAlias = Term | Phrase | Prefix | Filter | Field | Boost | Fuzzy | Not | And | Or
Leaf: TypeAlias = Term | Phrase | Prefix | Filter


def all_of(operands: Iterable[Expression], *, explicit: bool = False) -> Expression:
    """Return the operands as one flat And; a single operand unchanged.

    Raises:
        ValueError: there is no operand.
    """
    parts = tuple(operands)
    flat = [inner for o in parts for inner in (o.operands if isinstance(o, And) else (o,))]
    if len(flat) == 1:
        return flat[0]
    is_explicit = explicit or any(o.explicit for o in parts if isinstance(o, And))
    return And(tuple(flat), is_explicit, span=_cover(flat))


def any_of(operands: Iterable[Expression]) -> Expression:
    """Return the operands as one flat Or; a single operand unchanged.

    Raises:
        ValueError: there is no operand.
    """
    flat = [inner for o in operands for inner in (o.operands if isinstance(o, Or) else (o,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat), span=_cover(flat))


def only_negates(expression: Expression) -> bool:
    """Whether the expression has only negations."""
    if isinstance(expression, And):
        return all(isinstance(operand, Not) for operand in expression.operands)
    return isinstance(expression, Not)


def filters_only(expression: Expression) -> bool:
    """Whether nothing can score: the expression only admits and refuses."""
    return not any(isinstance(n, Term | Phrase | Prefix) for n in _iter_nodes(expression, Not))


def is_prefix(expression: Expression) -> bool:
    """Whether this is a prefix, in any field and with any marks."""
    while isinstance(expression, Field | Boost | Fuzzy):
        expression = expression.operand
    return isinstance(expression, Prefix)


class ScopedLeaf(NamedTuple):
    """A leaf, the text field that it is limited to (None: all), and whether it is negated."""

    leaf: Leaf
    field: str | None = None
    negated: bool = False


def iter_leaves(expression: Expression) -> Iterator[ScopedLeaf]:
    """Yield every term, phrase, prefix and filter, negated ones too, from left to right."""
    stack: list[tuple[Expression, str | None, bool]] = [(expression, None, False)]
    while stack:
        node, field, negated = stack.pop()
        match node:
            case And(operands=operands) | Or(operands=operands):
                stack.extend((operand, field, negated) for operand in reversed(operands))
            case Not(operand=operand):
                stack.append((operand, field, True))
            case Field(name=name, operand=operand):
                stack.append((operand, name, negated))
            case Boost(operand=operand) | Fuzzy(operand=operand):
                stack.append((operand, field, negated))
            case _:
                yield ScopedLeaf(node, field, negated)


def iter_terms(expression: Expression) -> Iterator[ScopedLeaf]:
    """Yield the leaves that score, from left to right: all but filters and negated ones."""
    for scoped in iter_leaves(expression):
        if not scoped.negated and not isinstance(scoped.leaf, Filter):
            yield scoped


def plain_words(expression: Expression) -> tuple[Term, ...]:
    """Return the plain words of an expression, in order.

    Plain words are not quoted, fielded, marked, negated or under OR or a written AND. Only they
    may be dropped as stop words, corrected or relaxed.
    """
    if isinstance(expression, And) and expression.explicit:
        return ()
    return tuple(part for part in parts_of(expression) if isinstance(part, Term))


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the operands of an And, or any other expression itself."""
    return expression.operands if isinstance(expression, And) else (expression,)


def is_scoring(name: str) -> bool:
    return name in SCORING_FIELDS


def is_filter(name: str) -> bool:
    return name in FILTERS or _META.fullmatch(name) is not None


_META_KEY = "meta.KEY"

_ELSEWHERE = {
    "content": "body",
    "text": "body",
    "dir": "path",
    "file": "path",
    "filename": "path",
    "folder": "path",
    "in": "under",
    "section": "under",
    "language": "lang",
    "type": "has",
    "filetype": "format",
    "ext": "format",
    "repo": "tree",
    "meta": _META_KEY,
    "metadata": _META_KEY,
}
"""Our fields by their names in other search tools."""

NEAR_LETTERS = 4
"""Letters of the longer name from which one wrong letter is a slip: `tag` for `tags`.

A shorter name is another word: `is:open` does not mean `id`.
"""


def nearest_field(name: str) -> str | None:
    """Return the field that `name` may mean: its name in other tools, or one slip away from it.

    A slip is one letter too many, too few or wrong, or two letters in the wrong order.

    >>> nearest_field("titel"), nearest_field("folder"), nearest_field("node")
    ('title', 'path', None)
    """
    if name.startswith(META_PREFIX):
        return _META_KEY
    edits = edits_from(name)
    near = (
        known
        for known in (*SCORING_FIELDS, *FILTERS)
        if max(len(name), len(known)) >= NEAR_LETTERS and edits(known) <= 1
    )
    return _ELSEWHERE.get(name) or next(near, None)


def is_word_start(text: str) -> bool:
    """Whether `text` can be a prefix: it has a letter or digit, and does not end in a colon."""
    return any(map(str.isalnum, text)) and not text.endswith(":")


def _iter_nodes(expression: Expression, *closed: type) -> Iterator[Expression]:
    """Yield all nodes except those below a `closed` one; a loop, since trees may be deep."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, closed):
            continue
        if isinstance(node, And | Or):
            stack.extend(node.operands)
        elif isinstance(node, Field | Boost | Fuzzy | Not):
            stack.append(node.operand)


def _cover(operands: list[Expression]) -> tuple[int, int]:
    return (operands[0].span[0], operands[-1].span[1]) if operands else (0, 0)


def _is_word(text: str) -> bool:
    return _is_text(text) and not any(map(str.isspace, text))


def _is_text(text: str) -> bool:
    return bool(text.strip()) and not HALF_CHARACTER.search(text)


def _require(condition: bool, problem: str, value: object) -> None:
    if not condition:
        raise ValueError(f"{problem}: {value!r}")
