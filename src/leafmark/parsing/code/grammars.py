"""Grammars: a language's parser with its rules, and the syntax tree of a source.

tree-sitter parses any bytes, and marks errors. Its work is counted, not timed, so that
the same bytes give the same result on every machine. Its query engine is not used: on
hostile sources it takes quadratic time, or crashes the process.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import NamedTuple

import tree_sitter
from tree_sitter import Node

from leafmark.parsing.code.javascript import (
    C_RULES,
    CPP_RULES,
    JAVASCRIPT_RULES,
    TYPESCRIPT_RULES,
    Rule,
    Rules,
    Symbol,
    all_plain,
    child_of_type,
    member,
    member_path,
    plain,
    start_of,
    text_of,
    unnamed,
    valued,
    wrapper,
)
from leafmark.parsing.code.languages import Language

# -- script_tables ------------------------------------------------------------
# What counts as a definition in each language: a table of rules by the types of its nodes.
#
# The types are those of the language's tree-sitter grammar. To add a language,
# add its table here and its row in `script_languages`.

_TWO_COMMENTS = frozenset(("line_comment", "block_comment"))

_PYTHON = Rules(
    {
        "class_definition": plain(),
        "function_definition": plain(),
        "decorated_definition": wrapper("definition"),
    },
    annotations=frozenset({"decorator"}),
    strings=frozenset({"string"}),
    docstrings=frozenset({"expression_statement"}),
)


def _go_method(node: Node, source: bytes) -> Symbol | None:
    """A method belongs under the type of its receiver, whatever pointers and parameters it has."""
    named, at = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if named is None or at is None:
        return None
    at = child_of_type(at, "parameter_declaration")
    kind = None if at is None else at.child_by_field_name("type")
    while kind is not None and kind.type in ("pointer_type", "generic_type", "parenthesized_type"):
        kind = kind.child_by_field_name("type") or kind.named_child(0)
    scope = () if kind is None else (text_of(kind, source),)
    body = start_of(node.child_by_field_name("body"))
    return Symbol("definition", (*scope, text_of(named, source)), body, is_function=True)


def _go_type(node: Node, source: bytes) -> Symbol | None:
    """A named type; the signature of a struct or interface stops before its fields."""
    named, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    if named is None or kind is None:
        return None
    body = child_of_type(kind, "field_declaration_list", "{")
    return Symbol("definition", (text_of(named, source),), start_of(body))


_GO = Rules(
    {
        "function_declaration": plain(is_function=True),
        "method_declaration": _go_method,
        "type_spec": _go_type,
        "type_alias": _go_type,
        "method_elem": plain(role="declaration"),  # of a nameless interface in a function: local
        "type_declaration": wrapper(only=True),
    },
    strings=frozenset(("raw_string_literal",)),
)


def _rust_type(node: Node | None, source: bytes) -> str:
    """The name of a type without its path, references and parameters."""
    while node is not None and node.type not in ("type_identifier", "primitive_type"):
        node = node.child_by_field_name("name") or node.child_by_field_name("type")
    return "" if node is None else text_of(node, source)


def _rust_impl(node: Node, source: bytes) -> Symbol | None:
    """An `impl` is called after its trait and type; its functions belong under the type."""
    kind = _rust_type(node.child_by_field_name("type"), source)
    trait = _rust_type(node.child_by_field_name("trait"), source)
    name = "-".join(["impl", *([trait, "for"] if trait else []), *([kind] if kind else [])])
    body = start_of(node.child_by_field_name("body"))
    return Symbol("definition", (name,), body, scope=(kind,) if kind else ())


_RUST = Rules(
    {
        **all_plain("struct_item enum_item union_item trait_item"),
        "mod_item": plain(needs_body=True),
        "function_item": plain(),
        "function_signature_item": plain(),
        "macro_definition": plain(body_types=("(", "{", "[")),
        "impl_item": _rust_impl,
    },
    comments=_TWO_COMMENTS,
    annotations=frozenset({"attribute_item"}),
    strings=frozenset(("string_literal", "raw_string_literal")),
)

_JAVA = Rules(
    {
        **all_plain(
            "class_declaration interface_declaration enum_declaration record_declaration"
            " annotation_type_declaration annotation_type_element_declaration"
            " method_declaration constructor_declaration compact_constructor_declaration"
        ),
        "enum_constant": plain(role="container", needs_body=True),
    },
    comments=_TWO_COMMENTS,
    annotations=frozenset(("annotation", "marker_annotation")),
    strings=frozenset(("string_literal",)),
)


def _operator(node: Node, source: bytes) -> Symbol | None:
    """A C# operator is named by its sign, a conversion by its type."""
    named = node.child_by_field_name("operator")
    sign = "operator" if named else "operator-"
    named = named or node.child_by_field_name("type")
    body = start_of(node.child_by_field_name("body"))
    return None if named is None else Symbol("definition", (sign + text_of(named, source),), body)


_ACCESSORS = ("accessor_list", "arrow_expression_clause")
_CSHARP = Rules(
    {
        **all_plain(
            "namespace_declaration class_declaration struct_declaration"
            " interface_declaration enum_declaration record_declaration"
            " delegate_declaration method_declaration constructor_declaration"
        ),
        "destructor_declaration": plain(prefix="~"),
        "local_function_statement": plain(),
        "property_declaration": plain(body="accessors", body_types=_ACCESSORS),
        "indexer_declaration": unnamed("this", *_ACCESSORS),
        "operator_declaration": _operator,
        "conversion_operator_declaration": _operator,
    },
    annotations=frozenset({"attribute_list"}),
    strings=frozenset(("verbatim_string_literal", "raw_string_literal")),
)

_RUBY = Rules(
    {
        **all_plain("module class method singleton_method"),
    },
    strings=frozenset(("string", "heredoc_body")),
)

_PHP = Rules(
    {
        "namespace_definition": plain(needs_body=True),
        **all_plain(
            "class_declaration interface_declaration trait_declaration enum_declaration"
            " function_definition method_declaration"
        ),
    },
    annotations=frozenset({"attribute_list"}),
    strings=frozenset(("string", "encapsed_string", "heredoc_body", "nowdoc_body")),
)

_BASH = Rules(
    {"function_definition": plain()},
    strings=frozenset(("string", "raw_string", "heredoc_body")),
)


def _created(*body_types: str) -> Rule:
    """Return the rule for what SQL creates, by the first name in the statement."""

    def rule(node: Node, source: bytes) -> Symbol | None:
        named = child_of_type(node, "object_reference")
        if named is None:
            return None
        return Symbol(
            "definition", (text_of(named, source),), start_of(child_of_type(node, *body_types))
        )

    return rule


_SQL = Rules(
    {
        "create_table": _created("column_definitions", "keyword_as"),
        "create_view": _created("keyword_as"),
        "create_materialized_view": _created("keyword_as"),
        "create_function": _created("function_body"),
        "create_procedure": _created("procedure_body"),
        "create_trigger": _created(),
        "create_type": _created("keyword_as"),
        "statement": wrapper(only=True),
    },
    comments=frozenset(("comment", "marginalia")),
)


def _lua_assignment(node: Node, source: bytes) -> Symbol | None:
    """`name = function` or `name = {…}`, one name and one value."""
    left, right = child_of_type(node, "variable_list"), child_of_type(node, "expression_list")
    if left is None or right is None or left.named_child_count != 1 or right.named_child_count != 1:
        return None
    names, value = member_path(left.named_child(0), source), right.named_child(0)
    if names and value.type == "function_definition":
        return Symbol("definition", names, start_of(value.child_by_field_name("body")))
    return Symbol("container", names) if names and value.type == "table_constructor" else None


_LUA = Rules(
    {
        "function_declaration": member,
        "assignment_statement": _lua_assignment,
        "field": valued("name", "value", ("function_definition",), ("table_constructor",)),
        "variable_declaration": wrapper(only=True),
    },
    strings=frozenset(("string",)),
)


def _kotlin_function(node: Node, source: bytes) -> Symbol | None:
    """A function; one that extends a type belongs under it."""
    named = node.child_by_field_name("name")
    return None if named is None else _kotlin_member(node, named, ("function_body",), source)


def _kotlin_property(node: Node, source: bytes) -> Symbol | None:
    """A property with a getter or a setter that has a body."""
    named = child_of_type(node, "variable_declaration")
    accessors = [child for child in node.children if child.type in ("getter", "setter")]
    if named is None or not any(child_of_type(accessor, "function_body") for accessor in accessors):
        return None
    return _kotlin_member(node, named.named_children[0], ("=", "getter", "setter"), source)


def _kotlin_member(node: Node, named: Node, bodies: tuple[str, ...], source: bytes) -> Symbol:
    """Return the symbol called `named`, below the type that stands before it."""
    before = [child for child in node.named_children if child.end_byte <= named.start_byte]
    types = [child for child in before if child.type in ("user_type", "nullable_type")]
    receiver = child_of_type(types[-1], "identifier", "user_type") if types else None
    if receiver is not None and receiver.type == "user_type":
        receiver = child_of_type(receiver, "identifier")
    scope = () if receiver is None else (text_of(receiver, source),)
    inside = start_of(child_of_type(node, *bodies))
    return Symbol("definition", (*scope, text_of(named, source)), inside)


def _kotlin_entry(node: Node, source: bytes) -> Symbol | None:
    named = child_of_type(node, "identifier")
    return None if named is None else Symbol("container", (text_of(named, source),))


_KOTLIN_BODIES = ("class_body", "enum_class_body")
_KOTLIN = Rules(
    {
        "class_declaration": plain(body_types=_KOTLIN_BODIES),
        "object_declaration": plain(body_types=_KOTLIN_BODIES),
        "companion_object": unnamed("Companion", *_KOTLIN_BODIES),
        "function_declaration": _kotlin_function,
        "property_declaration": _kotlin_property,
        "secondary_constructor": unnamed("constructor", "block"),
        "enum_entry": _kotlin_entry,
    },
    comments=_TWO_COMMENTS,
    annotations=frozenset({"annotation"}),
    strings=frozenset(("multiline_string_literal",)),
)


def _swift_class(node: Node, source: bytes) -> Symbol | None:
    """A class, struct, enum or actor; an extension is called after the type it extends."""
    named = node.child_by_field_name("name")
    if named is None:
        return None
    name, body = text_of(named, source), start_of(node.child_by_field_name("body"))
    if child_of_type(node, "extension") is None:
        return Symbol("definition", (name,), body)
    return Symbol("definition", (f"extension-{name}",), body, scope=(name,))


def _swift_property(node: Node, source: bytes) -> Symbol | None:
    """A property that is computed, as the `body` of a view."""
    named, inside = node.child_by_field_name("name"), child_of_type(node, "computed_property")
    if named is None or inside is None:
        return None
    return Symbol("definition", (text_of(named, source),), inside.start_byte)


_SWIFT = Rules(
    {
        "class_declaration": _swift_class,
        **all_plain("protocol_declaration function_declaration protocol_function_declaration"),
        "property_declaration": _swift_property,
        "init_declaration": unnamed("init"),
        "deinit_declaration": unnamed("deinit"),
        "subscript_declaration": unnamed("subscript", "computed_property"),
    },
    comments=frozenset(("comment", "multiline_comment")),
    annotations=frozenset({"attribute"}),
    strings=frozenset(("multi_line_string_literal",)),
)

_SCALA = Rules(
    {
        **all_plain(
            "package_object object_definition class_definition trait_definition"
            " enum_definition function_definition function_declaration"
        ),
    },
    comments=frozenset(("comment", "block_comment")),
    annotations=frozenset({"annotation"}),
    strings=frozenset(("string",)),
)

TABLES = {
    "python": _PYTHON,
    "javascript": JAVASCRIPT_RULES,
    "typescript": TYPESCRIPT_RULES,
    "tsx": TYPESCRIPT_RULES,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": C_RULES,
    "cpp": CPP_RULES,
    "csharp": _CSHARP,
    "ruby": _RUBY,
    "php": _PHP,
    "bash": _BASH,
    "sql": _SQL,
    "lua": _LUA,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "scala": _SCALA,
}
"""The rules of each language, by its name."""


ALWAYS_ALLOWED = 10_000
"""Progress reports allowed for any source; there is one for every hundred steps of the parser."""

BYTES_PER_REPORT = 16
"""Bytes for each further report; real sources need one for some 150 bytes."""

_READ_BYTES = 1 << 16

_IN_STRINGS = frozenset(("escape_sequence", "string_content", "string_fragment", "string_end"))
"""Parts of strings in many languages, which are never cut."""


class TooMuchWorkError(Exception):
    """The source takes far more work than sources of its size."""


class Grammar(NamedTuple):
    """A language's grammar: its parser, its rules, and the numbers of node types."""

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
    left = ALWAYS_ALLOWED + len(source) // BYTES_PER_REPORT

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
