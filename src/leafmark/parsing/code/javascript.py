"""JavaScript and TypeScript: names are given to functions as often as functions have their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Literal, NamedTuple

from tree_sitter import Node

# -- script_rules ------------------------------------------------------------
# What a node of a syntax tree says about names: the pieces that the languages' tables are made of.
#
# A rule takes a node and the source, and returns what it found: a definition, a
# wrapper around one (decorators, `export`, `template`), or a container that only
# lends its name (an object literal). Nothing here walks deeper than a declarator.

Role = Literal["definition", "declaration", "container", "wrapper"]


class Symbol(NamedTuple):
    """The meaning of a node. `names` are the parts of its own name, as written.

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


_MAX_NAME = 400
_MEMBER_PATH = re.compile(r"[\w$#]+(?:[.:][\w$#]+)*")
_COMPUTED_NAME = re.compile(r"""\[\s*+(?:([\w$]+(?:\.[\w$]+)*)|("[^"\\]*"|'[^'\\]*'))\s*+\]""")
"""A name that is computed from a name or a string alone, as that of `[Symbol.iterator]() {}`."""

_UNSAID = frozenset(("this", "exports", "module", "prototype", "self"))
"""Words of a member path that do not belong to the name."""


def text_of(node: Node, source: bytes) -> str:
    """Return the node's source, cut if it is too long for a name."""
    end = min(node.end_byte, node.start_byte + _MAX_NAME)
    return source[node.start_byte : end].decode("utf-8", "replace")


def start_of(node: Node | None) -> int | None:
    return None if node is None else node.start_byte


def child_of_type(node: Node, *types: str) -> Node | None:
    """Return the first child of one of the types; linear in the children before it."""
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


def all_plain(types: str) -> dict[str, Rule]:
    """Return the plain rule for each of the types that a text names."""
    return dict.fromkeys(types.split(), plain())


def member(node: Node, source: bytes) -> Symbol | None:
    """The rule for names that may be paths, as Lua's `a.b:c`; most computed names have no path."""
    named = node.child_by_field_name("name")
    names = None if named is None else member_path(named, source)
    return (
        Symbol("definition", names, start_of(node.child_by_field_name("body"))) if names else None
    )


def unnamed(name: str, *body_types: str, role: Role = "definition") -> Rule:
    """Return a rule for nodes to which the language itself gives a name."""

    def rule(node: Node, source: bytes) -> Symbol:
        inside = node.child_by_field_name("body") or child_of_type(node, *body_types)
        return Symbol(role, (name,), start_of(inside))

    return rule


def valued(
    name: str, value: str, functions: Collection[str], objects: Collection[str] = ()
) -> Rule:
    """Return a rule for assignments of a function, a class, or an object that may hold some."""

    def rule(node: Node, source: bytes) -> Symbol | None:
        named, assigned = node.child_by_field_name(name), node.child_by_field_name(value)
        if named is None or assigned is None:
            return None
        while assigned.type == "parenthesized_expression" and assigned.named_child_count == 1:
            assigned = assigned.named_children[0]
        names = member_path(named, source)
        if assigned.type in functions and names is not None:
            own = assigned.child_by_field_name("name")
            names = names or (text_of(own or named, source),)
            return Symbol("definition", names, start_of(assigned.child_by_field_name("body")))
        return Symbol("container", names or ()) if assigned.type in objects else None

    return rule


def member_path(node: Node, source: bytes) -> tuple[str, ...] | None:
    """Return the names in `a.b.c`, without `this` and the like; None if it is not such a path."""
    text = text_of(node, source)
    if node.type in ("string", "number", "property_identifier", "private_property_identifier"):
        return (text,)
    if node.type == "computed_property_name":
        match = _COMPUTED_NAME.fullmatch(text)
        return (f"[{match[1]}]" if match[1] else match[2],) if match else None
    if not _MEMBER_PATH.fullmatch(text):
        return None
    parts = text.replace(":", ".").split(".")
    return tuple(part for part in parts if part not in _UNSAID)


def wrapper(*fields: str, only: bool = False) -> Rule:
    """Return a rule for wrappers of a definition, which is in a field or the last named child.

    With `only`, the wrapper must contain nothing else.
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


# -- script_c ------------------------------------------------------------
# C and C++: definitions, whose names are wrapped in declarators, and prototypes.

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
"""A macro between `class` and the name, as in shared libraries, or alone on its line; macros behind
a parameter list, and those that name the lock which guards a member."""

_NO_NAME = re.compile(
    "case|catch|default|delete|do|else|for|goto|if|new|return|sizeof|switch|throw|while"
)
"""Words that look like a function's name where branches of the preprocessor cut a statement."""


def blank_macros(source: bytes) -> bytes:
    """Return the source with macros that confuse the parser replaced by blanks.

    >>> blank_macros(b"class QT_EXPORT Widget : public Base {")
    b'class           Widget : public Base {'
    """

    def blank(match: re.Match[bytes]) -> bytes:
        start, end = match.span(match.lastindex or 0)
        at = match.start()
        return match[0][: start - at] + b" " * (end - start) + match[0][end - at :]

    return _MACRO.sub(blank, source)


def _declarators(node: Node | None) -> Iterator[Node]:
    """Yield the declarators from `node` inwards, the innermost last."""
    while node is not None:
        yield node
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in _UNFIELDED and node.named_child_count:
            inner = node.named_child(node.named_child_count - 1)
        node = inner if node.type != "operator_cast" else None


def _names(node: Node, source: bytes) -> tuple[str, ...]:
    """Return the parts of a possibly qualified name, without template arguments."""
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
    """Return the parts of a function's name; () if the declarators are not those of a function.

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
    chain = [declarator for declarator in chain if declarator.type != "parenthesized_declarator"]
    if not any(declarator.type == "operator_cast" for declarator in chain):
        kinds = [declarator.type for declarator in chain]
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
    **dict.fromkeys(("struct_specifier", "union_specifier", "enum_specifier"), _qualified),
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


_FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "class")
_WRAPPED = ("arrow_function", "function_expression", "generator_function", "call_expression")
_MAX_CALLS = 4
"""The most calls around a function that gets a name."""


def _export(node: Node, source: bytes) -> Symbol | None:
    """`export` wraps its declaration; `export default` names one without a name."""
    inner = node.child_by_field_name("declaration")
    if inner is not None:
        return Symbol("wrapper", inner=inner)
    value = node.child_by_field_name("value")
    if value is None or value.type not in _FUNCTIONS:
        return None
    named = value.child_by_field_name("name")
    name = "default" if named is None else text_of(named, source)
    return Symbol("definition", (name,), start_of(value.child_by_field_name("body")))


def _property_name(named: str, value: str) -> Rule:
    return valued(named, value, _FUNCTIONS, ("object",))


def _given_name(named: str, value: str) -> Rule:
    """Return a rule for assignments, which in a module also name a function wrapped in calls."""
    direct = _property_name(named, value)

    def rule(node: Node, source: bytes) -> Symbol | None:
        direct_finding = direct(node, source)
        name, assigned = node.child_by_field_name(named), node.child_by_field_name(value)
        if (
            direct_finding is not None
            or name is None
            or assigned is None
            or not _is_outermost(node)
        ):
            return direct_finding
        wrapped, names = _wrapped(assigned), member_path(name, source)
        if wrapped is None or names is None:
            return None
        own = wrapped.child_by_field_name("name")
        body = start_of(wrapped.child_by_field_name("body"))
        return Symbol("definition", names or (text_of(own or name, source),), body)

    return rule


def _is_outermost(node: Node) -> bool:
    """Whether a module declares or exports it; within functions most names are those of values."""
    statement = node.parent
    around = None if statement is None else statement.parent
    return around is not None and around.type in ("program", "export_statement")


def _wrapped(assigned: Node) -> Node | None:
    """Return the only function with statements in a call's arguments: `memo(ref(() => {}))`."""
    for _ in range(_MAX_CALLS):
        arguments = assigned.child_by_field_name("arguments")
        if assigned.type != "call_expression" or arguments is None:
            return None
        inside = [argument for argument in arguments.named_children if argument.type in _WRAPPED]
        if len(inside) != 1:
            return None
        assigned = inside[0]
        if assigned.type != "call_expression":
            body = assigned.child_by_field_name("body")
            return assigned if body is not None and body.type == "statement_block" else None
    return None


_BOTH: dict[str, Rule] = {
    **all_plain("function_declaration generator_function_declaration class_declaration"),
    "method_definition": member,
    "pair": _property_name("key", "value"),
    "variable_declarator": _given_name("name", "value"),
    "assignment_expression": _given_name("left", "right"),
    "export_statement": _export,
    "lexical_declaration": wrapper(only=True),
    "variable_declaration": wrapper(only=True),
    "expression_statement": wrapper(only=True),
}

_JAVASCRIPT = _BOTH | {"field_definition": valued("property", "value", _FUNCTIONS)}

_TYPESCRIPT = _BOTH | {
    **all_plain("function_signature abstract_class_declaration interface_declaration"),
    **all_plain("enum_declaration internal_module module"),
    "type_alias_declaration": plain(body="value"),
    "method_signature": member,
    "abstract_method_signature": member,
    "public_field_definition": valued("name", "value", _FUNCTIONS),
    "ambient_declaration": wrapper(),
}

TYPESCRIPT_RULES = Rules(
    _TYPESCRIPT,
    annotations=frozenset({"decorator"}),
    strings=frozenset({"template_string"}),
)
JAVASCRIPT_RULES = TYPESCRIPT_RULES._replace(by_type=_JAVASCRIPT)
