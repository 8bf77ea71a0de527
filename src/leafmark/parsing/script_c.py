"""C and C++: definitions, whose names are wrapped in declarators, and prototypes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from leafmark.parsing.script_rules import (
    Rule,
    Rules,
    Symbol,
    child_of_type,
    plain,
    start_of,
    text_of,
    wrapper,
)

__all__ = ["CPP_RULES", "C_RULES", "blank_macros"]

_NAMES = frozenset(("identifier", "field_identifier", "destructor_name", "operator_name"))
_UNFIELDED = frozenset(
    ("parenthesized_declarator", "reference_declarator", "attributed_declarator")
)
_POINTERS = frozenset(("pointer_declarator", "reference_declarator"))


_MACRO = re.compile(
    rb"\b(?:class|struct|union)[ \t]+([A-Z][A-Z0-9_]{2,}(?:\([^()\n]{0,80}\))?)[ \t]+"
    rb"(?=\w+\s*(?:final\b\s*)?(?:\{|:(?![:\d])))"
    rb"|^[ \t]*+([A-Z_][A-Z0-9_]{3,})[ \t]*+\r?$"
    rb"|\)[ \t]*+(?:(?:const|noexcept|override|final|volatile)\b[ \t]*+){0,5}"
    rb"((?:[A-Z_][A-Z0-9_]{3,}+(?:[ \t]?\([^()\n]{0,80}\))?[ \t]*+){1,4})(?=\s*+[;{])"
    rb"|\b((?:[A-Z][A-Z0-9]*_){0,5}"
    rb"(?:GUARDED_BY|LOCKS_REQUIRED|LOCKS_EXCLUDED|ACQUIRED_BEFORE|ACQUIRED_AFTER|REQUIRES_SHARED)"
    rb"\([^()\n]{0,80}\))",
    re.MULTILINE,
)
"""A macro between `class` and the name, as shared libraries have them, or alone on its line; those
behind a parameter list, and such that say which lock guards what stands before them."""

_NO_NAME = re.compile(
    "case|catch|default|delete|do|else|for|goto|if|new|return|sizeof|switch|throw|while"
)
"""What is taken for a function's name where branches of the preprocessor part a statement."""


def blank_macros(source: bytes) -> bytes:
    """Return the source, as long as before, without macros that hide from the parser what follows.

    >>> blank_macros(b"class QT_EXPORT Widget : public Base {")
    b'class           Widget : public Base {'
    """

    def blank(match: re.Match[bytes]) -> bytes:
        start, end = match.span(match.lastindex or 0)
        at = match.start()
        return match[0][: start - at] + b" " * (end - start) + match[0][end - at :]

    return _MACRO.sub(blank, source)


def _declarators(node: Node | None) -> Iterator[Node]:
    """The declarators from `node` inwards, the innermost last."""
    while node is not None:
        yield node
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in _UNFIELDED and node.named_child_count:
            inner = node.named_child(node.named_child_count - 1)
        node = inner if node.type != "operator_cast" else None


def _names(node: Node, source: bytes) -> tuple[str, ...]:
    """The parts of a name that may be qualified, without template arguments."""
    names: list[str] = []
    while node.type == "qualified_identifier":
        scope, inner = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if scope is not None:
            names.append(_simple(scope, source))
        if inner is None:
            return ()
        node = inner
    return (*names, _simple(node, source))


def _simple(node: Node, source: bytes) -> str:
    if node.type == "operator_cast":
        kind = node.child_by_field_name("type")
        return "operator-" + ("" if kind is None else text_of(kind, source))
    if node.type in ("template_type", "template_function"):
        node = node.child_by_field_name("name") or node
    return text_of(node, source)


def _function(node: Node, source: bytes) -> Symbol | None:
    """A function with its body; macros that look like one may have no declarator."""
    names = _function_names(list(_declarators(node.child_by_field_name("declarator"))), source)
    if not names:
        return None
    inside = child_of_type(node, "field_initializer_list") or node.child_by_field_name("body")
    return Symbol("definition", names, start_of(inside), is_function=True)


def _function_names(chain: list[Node], source: bytes) -> tuple[str, ...]:
    """The parts of a function's name; none where the declarators name no function.

    `API int (name)(int)` is read as a function that returns a function called
    `int`, which no language has: the name is the one word between brackets.
    """
    if not chain:
        return ()
    named = chain[-1]
    if [node.type for node in chain[-3:-1]] == ["function_declarator"] * 2:
        listed = chain[-2].child_by_field_name("parameters")
        words = [] if listed is None else listed.named_children
        if len(words) != 1 or words[0].type != "parameter_declaration":
            return ()
        parts = words[0].named_children
        if [part.type for part in parts] != ["type_identifier"]:
            return ()
        named = parts[0]
    elif not _holds_name(named):
        return ()
    names = _names(named, source)
    return () if names and _NO_NAME.fullmatch(names[-1]) else names


def _holds_name(node: Node) -> bool:
    return node.type in _NAMES or node.type in (
        "qualified_identifier",
        "operator_cast",
        "template_function",
    )


def _prototype(node: Node, source: bytes) -> Symbol | None:
    """The declaration of a function, not of a pointer to one; else what wraps a type."""
    chain = list(_declarators(node.child_by_field_name("declarator")))
    chain = [each for each in chain if each.type != "parenthesized_declarator"]
    if not any(each.type == "operator_cast" for each in chain):
        kinds = [each.type for each in chain]
        outer = [kind for kind in kinds if kind not in _POINTERS][:1]
        if not outer == kinds[-2:-1] == ["function_declarator"]:
            return _typed(node, source)
    names = _function_names(chain, source)
    return Symbol("declaration", names) if names else _typed(node, source)


def _typed(node: Node, source: bytes) -> Symbol | None:
    """A variable, field or alias wraps the type that it defines; a nameless one takes its name."""
    kind = node.child_by_field_name("type")
    if kind is None or kind.type not in _SPECIFIERS:
        return None
    body = kind.child_by_field_name("body")
    if body is None:
        return None
    if kind.child_by_field_name("name") is not None:
        return Symbol("wrapper", inner=kind)
    alias = node.child_by_field_name("declarator")
    if node.type != "type_definition" or alias is None or alias.type != "type_identifier":
        return None
    return Symbol("definition", (text_of(alias, source),), body.start_byte, tail=body.end_byte)


def _qualified(node: Node, source: bytes) -> Symbol | None:
    """A class or namespace with a body, whose name may be qualified."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None or named.is_missing or body is None:
        return None
    if named.type == "nested_namespace_specifier":
        names = tuple(text_of(part, source) for part in named.named_children)
    else:
        names = _names(named, source)
    return Symbol("definition", names, body.start_byte, is_class=node.type in _SPECIFIERS)


def _macro(node: Node, source: bytes) -> Symbol | None:
    """A macro that takes arguments, beside a function of its name; others are constants."""
    named, listed = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if named is None or listed is None:
        return None
    return Symbol("declaration", (text_of(named, source),), listed.end_byte)


_SPECIFIERS = frozenset(
    ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier")
)

_C: dict[str, Rule] = {
    "function_definition": _function,
    "declaration": _prototype,
    "type_definition": _typed,
    "struct_specifier": _qualified,
    "union_specifier": _qualified,
    "enum_specifier": _qualified,
    "preproc_function_def": _macro,
}

C_RULES = Rules(_C)
CPP_RULES = Rules(
    _C
    | {
        "class_specifier": _qualified,
        "namespace_definition": _qualified,
        "concept_definition": plain(),
        "field_declaration": _prototype,
        "template_declaration": wrapper(),
    },
    strings=frozenset({"raw_string_literal"}),
)
