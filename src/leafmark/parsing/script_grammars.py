"""Grammars: a language's parser with its rules, and the syntax tree of a source.

tree-sitter parses any bytes, and marks what it cannot make sense of. Its work is
counted, not timed, so that the same bytes give the same result on every machine.
Its query engine is not used: on hostile sources it takes quadratic time, or
crashes the process.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import NamedTuple

import tree_sitter

from leafmark.parsing.script_languages import Language
from leafmark.parsing.script_rules import Rule
from leafmark.parsing.script_tables import TABLES

__all__ = ["Grammar", "TooMuchWorkError", "grammar_of", "parse_tree"]

_ALWAYS_ALLOWED = 10_000
"""Progress reports that any source may take; one comes for every hundred steps of the parser."""

_BYTES_PER_REPORT = 16
"""Bytes that allow one report more; real sources take one for some 150 bytes."""

_READ_BYTES = 1 << 16

_IN_STRINGS = frozenset(("escape_sequence", "string_content", "string_fragment", "string_end"))
"""What strings are made of in many languages: no place to cut one."""


class TooMuchWorkError(Exception):
    """The source takes far more work than its size explains."""


class Grammar(NamedTuple):
    """A language's grammar; its rules, and by number the types that `Rules` names and others."""

    language: tree_sitter.Language
    rules: dict[int, Rule]
    comments: frozenset[int]
    annotations: frozenset[int]
    strings: frozenset[int]
    docstrings: frozenset[int]
    in_strings: frozenset[int]


@cache
def grammar_of(language: Language) -> Grammar:
    """Return the grammar of `language`, whose package is installed."""
    module = import_module(f"tree_sitter_{language.module}")
    grammar = tree_sitter.Language(getattr(module, language.function)())
    table = TABLES[language.name]
    types = {
        number: grammar.node_kind_for_id(number) or "" for number in range(grammar.node_kind_count)
    }

    def numbers(names: frozenset[str]) -> frozenset[int]:
        return frozenset(number for number, name in types.items() if name in names)

    return Grammar(
        grammar,
        {number: table.by_type[name] for number, name in types.items() if name in table.by_type},
        numbers(table.comments),
        numbers(table.annotations),
        numbers(table.strings),
        numbers(table.docstrings),
        numbers(_IN_STRINGS),
    )


def parse_tree(grammar: Grammar, source: bytes) -> tree_sitter.Tree:
    """Return the syntax tree of `source`.

    Raises:
        TooMuchWorkError: it would take much more work than a source of this size does.
    """
    left = _ALWAYS_ALLOWED + len(source) // _BYTES_PER_REPORT

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        return source[offset : offset + _READ_BYTES]

    def spend(_offset: int, _has_error: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        return tree_sitter.Parser(grammar.language).parse(read, progress_callback=spend)
    except ValueError as error:
        if left >= 0:
            raise
        raise TooMuchWorkError from error
