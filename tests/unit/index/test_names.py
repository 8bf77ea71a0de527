"""Names in camel case are found by their parts."""

from __future__ import annotations

import pytest

from leafmark.index.analysis import BETWEEN, analyzer_for, iter_names, terms_of_names, with_parts


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("printRoutes", "print Routes"),
        ("maxParamLength", "max Param Length"),
        ("TemplateLookup", "Template Lookup"),
        ("HTTPServer", "HTTP Server"),
        ("base64Encode", "base64 Encode"),
        ("on_requestAborted()", "request Aborted"),
        ("`fooBar` and `bazQux`", "foo Bar baz Qux"),
        ("Plain words", ""),
        ("URLs and IDs", ""),
        ("HTTP", ""),
        ("snake_case", ""),
        ("", ""),
    ],
)
def test_the_parts_stand_behind_the_title(title: str, parts: str) -> None:
    assert with_parts(title) == f"{title} {parts}".rstrip()


def test_each_name_of_code_is_taken_apart_once() -> None:
    code = "printRoutes(HTTPServer) if print_routes else printRoutes"
    terms = [BETWEEN, "print", "rout", BETWEEN, "http", "server"]
    assert terms_of_names(analyzer_for("english"), code) == terms


@pytest.mark.parametrize("code", ["", "if x then y", "MAX_SIZE and URLs", "snake_case"])
def test_what_is_no_name_has_no_parts(code: str) -> None:
    assert terms_of_names(analyzer_for(None), code) == []
    assert not list(iter_names(code))


def test_the_parts_of_a_name_have_their_places() -> None:
    code = "é = aB + HTTPServer"
    assert [[code[at : at + len(part)] == part for at, part in name] for name in iter_names(code)]
    assert list(iter_names(code)) == [[(4, "a"), (5, "B")], [(9, "HTTP"), (13, "Server")]]
