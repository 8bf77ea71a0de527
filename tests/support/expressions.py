"""Hypothesis strategies for expressions and for query strings, nasty ones included."""

from __future__ import annotations

from hypothesis import strategies as st

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
    Range,
    Term,
    format_query,
)

TRICKY = r"""
    AND OR NOT \AND - -- --x -x -> - -= \ a\ \\ a\* a\^2 a^2 a^2.5 a~1 a^ a~ x^nan ^ ^2 ~ ~/a
    ( ) () a() a(b) " “ ” 'a don't a:b :a a: title:x meta.x:1 tree:x c:\t c:\( /etc https://x
    titel:x n:a* n:* node:-x n:(a) n:"a" error:^2 node:http
    std::vector * a* *a* **a** f*o .. 1..2 ../x > >3 >= @a/b snake_case C++ － é 日本語 🎉
"""
NASTY = st.sampled_from([*TRICKY.split(), "a\u0301", "\u200b", "\x00", "\u202e"])
SIGNS = st.text(st.sampled_from(list("ab1 \\\"“”()^~*:-.<>/_'=ORANDT")), max_size=14)
CHARACTERS = st.characters(codec="utf-8")


def _is_word(text: str) -> bool:
    return bool(text) and not any(map(str.isspace, text))


words = st.one_of(NASTY, SIGNS, st.text(CHARACTERS, max_size=6)).filter(_is_word)
texts = st.one_of(NASTY, SIGNS, st.text(CHARACTERS, max_size=9)).filter(lambda t: bool(t.strip()))
SYNTAX = ["a", " ", "(", ")", "-", '"', "OR ", "AND ", "NOT ", "^2", "~1", "*", ":", "\\", "title:"]
SYNTAX += ["tree:", "meta.n:", "3..7", ">", "b c", "x:", "node:", "tag:", "“", "\n"]
query_strings = st.one_of(
    st.text(max_size=30),
    SIGNS,
    st.lists(st.one_of(NASTY, SIGNS, words), max_size=8).map(" ".join),
    st.lists(st.sampled_from(SYNTAX), max_size=16).map("".join),
)

terms = words.map(Term)
phrases = texts.map(Phrase)
prefixes = words.filter(lambda text: any(map(str.isalnum, text)) and text[-1] != ":").map(Prefix)
bounds = st.from_regex(r"\A[+-]?[0-9a-z][0-9a-zT:-]{0,6}\Z")
ranges = st.one_of(
    st.tuples(bounds, bounds)
    .map(lambda pair: Range(*pair))
    .filter(lambda condition: not condition.runs_backwards),
    st.builds(lambda bound, held: Range(low=bound, include_low=held), bounds, st.booleans()),
    st.builds(lambda bound, held: Range(high=bound, include_high=held), bounds, st.booleans()),
)
filters = st.one_of(
    st.builds(Filter, st.sampled_from(["tree", "path", "id", "under", "lang"]), texts),
    st.builds(Filter, st.just("has"), st.sampled_from(["code", "table", "list"])),
    st.builds(Filter, st.sampled_from(["meta.n", "meta.Last-Modified"]), st.one_of(texts, ranges)),
)


LEAVES: tuple[st.SearchStrategy[Expression], ...] = (terms, phrases, prefixes, filters)
FIELD_NAMES = st.sampled_from(["title", "tags", "body"])
FACTORS = st.floats(0.001, 1000)


@st.composite
def parts(draw: st.DrawFn, depth: int = 3) -> Expression:
    """Any expression of at most `depth` levels, also one that only negates."""
    if depth == 0 or draw(st.booleans()):
        leaf: Expression = draw(st.one_of(LEAVES))
        return leaf
    inner = parts(depth - 1)
    kind = draw(st.sampled_from([Not, Or, And, Field, Boost, Fuzzy]))
    operand = draw(inner)
    try:
        return _build(draw, kind, operand, inner)
    except ValueError:  # such a node has no meaning and cannot be built
        return operand


def _build(
    draw: st.DrawFn, kind: type, operand: Expression, inner: st.SearchStrategy[Expression]
) -> Expression:
    if kind is Not:
        return Not(operand)
    if kind is Field:
        return Field(draw(FIELD_NAMES), operand)
    if kind is Boost:
        return Boost(operand, draw(FACTORS))
    if kind is Fuzzy:
        return Fuzzy(operand, draw(st.integers(0, 2)))
    operands = (operand, *draw(st.lists(inner, min_size=1, max_size=3)))
    return And(operands, draw(st.booleans())) if kind is And else Or(operands)


def _asks(expression: Expression) -> bool:
    """A whole must ask for something, which its parts need not."""
    if isinstance(expression, And):
        return not all(isinstance(operand, Not) for operand in expression.operands)
    return not isinstance(expression, Not)


expressions = parts().filter(_asks)
accepted_queries = expressions.map(format_query)
"""Query strings that mean something."""
