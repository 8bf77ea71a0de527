"""Arguments of tools: what is accepted, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.errors import UsageError
from leafmark.server.mcp.tools import TOOLS
from leafmark.server.parameters import (
    Parameter,
    check_arguments,
    input_schema,
    with_lenience,
)

PARAMETERS = (
    Parameter("query", "What to look for.", required=True, least=1, most=10),
    Parameter("limit", "How many.", "integer", default=3, least=1, most=5),
    Parameter("trees", "Where.", "strings", most=2),
    Parameter("strict", "Whether.", "boolean", default=False),
    Parameter("grain", "How much.", default="auto", choices=("auto", "piece")),
)


def test_what_is_not_given_has_its_default() -> None:
    assert check_arguments(PARAMETERS, {"query": "x", "trees": None}) == {
        "query": "x",
        "limit": 3,
        "trees": None,
        "strict": False,
        "grain": "auto",
    }


def test_a_whole_number_may_be_written_with_a_point() -> None:
    read = check_arguments(PARAMETERS, {"query": "x", "limit": 5.0})["limit"]
    assert (read, type(read)) == (5, int)


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        (None, "`query` is missing", "What to look for."),
        (
            {"qery": "x"},
            "there is no argument `qery`",
            "did you mean `query`? There are: query, limit, trees, strict, grain",
        ),
        (
            {"zzz": "x"},
            "there is no argument `zzz`",
            "there are: query, limit, trees, strict, grain",
        ),
        ({"query": ""}, "`query` got ''", "it must be a text of 1 to 10 characters"),
        ({"query": 7}, "`query` got 7", "it must be a text of 1 to 10 characters"),
        ({"query": "x", "limit": 9}, "`limit` got 9", "it must be a whole number (1 to 5)"),
        ({"query": "x", "limit": True}, "`limit` got True", "it must be a whole number (1 to 5)"),
        ({"query": "x", "limit": 2.5}, "`limit` got 2.5", "it must be a whole number (1 to 5)"),
        (
            {"query": "x", "trees": "a"},
            "`trees` got 'a'",
            "it must be a list of at most 2 texts",
        ),
        (
            {"query": "x", "trees": [1]},
            "`trees` got [1]",
            "it must be a list of at most 2 texts",
        ),
        ({"query": "x", "strict": "no"}, "`strict` got 'no'", "it must be true or false"),
        (
            {"query": "x", "grain": "peice"},
            "`grain` got 'peice'",
            "did you mean `piece`? There are: auto, piece",
        ),
        (
            {"query": "x" * 99},
            "`query` got '" + "x" * 59 + "…",
            "it must be a text of 1 to 10 characters",
        ),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any] | None, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_arguments(PARAMETERS, given)
    assert (caught.value.message, caught.value.hint) == (message, hint)


VALUES = st.one_of(
    st.text(max_size=12),
    st.integers(-2, 8),
    st.booleans(),
    st.lists(st.one_of(st.text(max_size=3), st.integers()), max_size=3),
    st.sampled_from(["auto", "piece"]),
)


@given(st.dictionaries(st.sampled_from([*(p.name for p in PARAMETERS), "other"]), VALUES))
def test_the_schema_and_the_check_agree(given: dict[str, Any]) -> None:
    valid = jsonschema.Draft202012Validator(input_schema(PARAMETERS)).is_valid(given)
    try:
        check_arguments(PARAMETERS, given)
    except UsageError:
        assert not valid
    else:
        assert valid


@pytest.mark.parametrize(
    ("given", "meant", "notes"),
    [
        (None, {}, []),
        ({"query": "x", "limit": " 5 "}, {"query": "x", "limit": 5}, []),
        ({"query": 404, "strict": "True"}, {"query": "404", "strict": True}, []),
        ({"query": ["x"], "trees": "a"}, {"query": "x", "trees": ["a"]}, []),
        ({"trees": '["a", "b"]'}, {"trees": ["a", "b"]}, []),
        ({"trees": "[a"}, {"trees": ["[a"]}, []),
        ({"trees": 7, "limit": None}, {"trees": ["7"], "limit": None}, []),
        ({"query": [3, 5], "grain": " PIECE"}, {"query": "[3, 5]", "grain": "piece"}, []),
        ({"Query": "x"}, {"query": "x"}, ["`Query` was taken as `query`"]),
        ({"q": "x"}, {"query": "x"}, ["`q` was taken as `query`"]),
        ({"q": "y", "query": "x"}, {"q": "y", "query": "x"}, []),
        ({"limit": "many", "zzz": 1}, {"limit": "many", "zzz": 1}, []),
        ({"trees": {"a": 1}, "strict": 1}, {"trees": [{"a": 1}], "strict": 1}, []),
    ],
)
def test_what_can_only_mean_one_thing_is_taken(
    given: dict[str, Any] | None, meant: dict[str, Any], notes: list[str]
) -> None:
    parameters = (PARAMETERS[0]._replace(aliases=("q",)), *PARAMETERS[1:])
    assert with_lenience(parameters, given) == (meant, notes)


@given(st.dictionaries(st.sampled_from([*(p.name for p in PARAMETERS), "other"]), VALUES))
def test_lenience_changes_nothing_that_is_right(given: dict[str, Any]) -> None:
    if jsonschema.Draft202012Validator(input_schema(PARAMETERS)).is_valid(given):
        assert with_lenience(PARAMETERS, given) == (given, [])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_schemas(tool: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(input_schema(tool.parameters))
    jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    assert [each.name for each in tool.parameters if each.name == "max_tokens"]
    assert tool.description.endswith(".")
