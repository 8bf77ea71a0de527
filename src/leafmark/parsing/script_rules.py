"""What a node of a syntax tree says about names: the pieces that the languages' tables are made of.

A rule takes a node and the source, and returns what it found: a definition, a
wrapper around one (decorators, `export`, `template`), or a container that only
lends its name (an object literal). Nothing here walks deeper than a declarator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Literal, NamedTuple

from tree_sitter import Node

__all__ = [
    "Role",
    "Rule",
    "Rules",
    "Symbol",
    "child_of_type",
    "member",
    "member_path",
    "plain",
    "start_of",
    "text_of",
    "unnamed",
    "valued",
    "wrapper",
]

Role = Literal["definition", "declaration", "container", "wrapper"]


class Symbol(NamedTuple):
    """What a node is. `names` are the parts of its own name, as written.

    `scope` replaces `names` in the paths of what lies inside (the type of an
    `impl`). `body` is the byte where the signature stops. `inner` is what a
    wrapper wraps. A `declaration` has no body of its own, and gives way to a
    definition of the same name in the same source, unless both are members of a
    class (then they are overloads); inside a function it is local.
    `tail` is the byte from which the end belongs to the signature, too.
    """

    role: Role
    names: tuple[str, ...] = ()
    body: int | None = None
    scope: tuple[str, ...] | None = None
    inner: Node | None = None
    is_function: bool = False
    is_class: bool = False
    tail: int | None = None


Rule = Callable[[Node, bytes], Symbol | None]


class Rules(NamedTuple):
    """A language's table: rules by node type, and the types of comments and annotations.

    `strings` are the types of strings that may have several lines; one that is a
    statement by itself is a docstring where its statement is of a type in `docstrings`.
    """

    by_type: dict[str, Rule]
    comments: frozenset[str] = frozenset({"comment"})
    annotations: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    docstrings: frozenset[str] = frozenset()


_LONGEST_NAME = 400
_MEMBER_PATH = re.compile(r"[\w$#]+(?:[.:][\w$#]+)*")
_COMPUTED_NAME = re.compile(r"""\[\s*+(?:([\w$]+(?:\.[\w$]+)*)|("[^"\\]*"|'[^'\\]*'))\s*+\]""")
"""A name that is computed from a name or a string alone, as that of `[Symbol.iterator]() {}`."""

_UNSAID = frozenset(("this", "exports", "module", "prototype", "self"))
"""Words of a member path that are not part of a name."""


def text_of(node: Node, source: bytes) -> str:
    """The node's source, cut where it is too long to be a name."""
    end = min(node.end_byte, node.start_byte + _LONGEST_NAME)
    return source[node.start_byte : end].decode("utf-8", "replace")


def start_of(node: Node | None) -> int | None:
    return None if node is None else node.start_byte


def child_of_type(node: Node, *types: str) -> Node | None:
    """The first child of one of the types; linear in the children before it."""
    return next((child for child in node.children if child.type in types), None)


def plain(
    *,
    body: str = "body",
    body_types: tuple[str, ...] = (),
    role: Role = "definition",
    prefix: str = "",
    needs_body: bool = False,
    is_function: bool = False,
) -> Rule:
    """A rule for nodes with a field `name`; the body is in a field or a child of a type."""

    def rule(node: Node, source: bytes) -> Symbol | None:
        named = node.child_by_field_name("name")
        if named is None or named.is_missing:
            return None
        inside = node.child_by_field_name(body)
        if inside is None and body_types:
            inside = child_of_type(node, *body_types)
        if inside is None and needs_body:
            return None
        name_text = prefix + text_of(named, source)
        return Symbol(role, (name_text,), start_of(inside), is_function=is_function)

    return rule


def member(node: Node, source: bytes) -> Symbol | None:
    """The rule for names that may be paths, as Lua's `a.b:c`; most computed names are none."""
    named = node.child_by_field_name("name")
    names = None if named is None else member_path(named, source)
    return (
        Symbol("definition", names, start_of(node.child_by_field_name("body"))) if names else None
    )


def unnamed(name: str, *body_types: str, role: Role = "definition") -> Rule:
    """A rule for nodes that the language itself gives a name."""

    def rule(node: Node, source: bytes) -> Symbol:
        inside = node.child_by_field_name("body") or child_of_type(node, *body_types)
        return Symbol(role, (name,), start_of(inside))

    return rule


def valued(
    name: str, value: str, functions: Collection[str], objects: Collection[str] = ()
) -> Rule:
    """A rule for a name that gets a function or class, or an object that may hold some."""

    def rule(node: Node, source: bytes) -> Symbol | None:
        named, given = node.child_by_field_name(name), node.child_by_field_name(value)
        if named is None or given is None:
            return None
        while given.type == "parenthesized_expression" and given.named_child_count == 1:
            given = given.named_children[0]
        names = member_path(named, source)
        if given.type in functions and names is not None:
            own = given.child_by_field_name("name")
            names = names or (text_of(own or named, source),)
            return Symbol("definition", names, start_of(given.child_by_field_name("body")))
        return Symbol("container", names or ()) if given.type in objects else None

    return rule


def member_path(node: Node, source: bytes) -> tuple[str, ...] | None:
    """The names in `a.b.c`, without those that say nothing; None where it is no such path."""
    text = text_of(node, source)
    if node.type in ("string", "number", "property_identifier", "private_property_identifier"):
        return (text,)
    if node.type == "computed_property_name":
        found = _COMPUTED_NAME.fullmatch(text)
        return (f"[{found[1]}]" if found[1] else found[2],) if found else None
    if not _MEMBER_PATH.fullmatch(text):
        return None
    parts = text.replace(":", ".").split(".")
    return tuple(part for part in parts if part not in _UNSAID)


def wrapper(*fields: str, only: bool = False) -> Rule:
    """A rule for what stands around a definition: in a field, or as the last named child.

    With `only`, nothing else may stand beside it.
    """

    def rule(node: Node, source: bytes) -> Symbol | None:
        for field in fields:
            inner = node.child_by_field_name(field)
            if inner is not None:
                return Symbol("wrapper", inner=inner)
        if fields or not node.named_child_count or (only and node.named_child_count > 1):
            return None
        return Symbol("wrapper", inner=node.named_child(node.named_child_count - 1))

    return rule
