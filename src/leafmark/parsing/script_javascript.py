"""JavaScript and TypeScript: names are given to functions as often as functions have their own."""

from __future__ import annotations

from tree_sitter import Node

from leafmark.parsing.script_rules import (
    Rule,
    Rules,
    Symbol,
    member,
    member_path,
    plain,
    start_of,
    text_of,
    valued,
    wrapper,
)

__all__ = ["JAVASCRIPT_RULES", "TYPESCRIPT_RULES"]

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "class")
_WRAPPED = ("arrow_function", "function_expression", "generator_function", "call_expression")
_MOST_CALLS = 4
"""How many calls may stand around a function that gets a name."""


def _export(node: Node, source: bytes) -> Symbol | None:
    """`export` wraps what it exports; `export default` names what has no name."""
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
    """A rule for what gets a name, by which one that a module has is also that of a wrapped one."""
    direct = _property_name(named, value)

    def rule(node: Node, source: bytes) -> Symbol | None:
        found = direct(node, source)
        name, given = node.child_by_field_name(named), node.child_by_field_name(value)
        if found is not None or name is None or given is None or not _is_outermost(node):
            return found
        wrapped, names = _wrapped(given), member_path(name, source)
        if wrapped is None or names is None:
            return None
        own = wrapped.child_by_field_name("name")
        body = start_of(wrapped.child_by_field_name("body"))
        return Symbol("definition", names or (text_of(own or name, source),), body)

    return rule


def _is_outermost(node: Node) -> bool:
    """Whether a module declares or exports it; within functions most names are of values."""
    statement = node.parent
    around = None if statement is None else statement.parent
    return around is not None and around.type in ("program", "export_statement")


def _wrapped(given: Node) -> Node | None:
    """The one function with statements among a call's arguments: `memo(forwardRef(() => {}))`."""
    for _ in range(_MOST_CALLS):
        arguments = given.child_by_field_name("arguments")
        if given.type != "call_expression" or arguments is None:
            return None
        inside = [each for each in arguments.named_children if each.type in _WRAPPED]
        if len(inside) != 1:
            return None
        given = inside[0]
        if given.type != "call_expression":
            body = given.child_by_field_name("body")
            return given if body is not None and body.type == "statement_block" else None
    return None


_BOTH: dict[str, Rule] = {
    "function_declaration": plain(),
    "generator_function_declaration": plain(),
    "class_declaration": plain(),
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
    "function_signature": plain(),
    "abstract_class_declaration": plain(),
    "interface_declaration": plain(),
    "enum_declaration": plain(),
    "type_alias_declaration": plain(body="value"),
    "internal_module": plain(),
    "module": plain(),
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
