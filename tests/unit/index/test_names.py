"""Names in camel case are found by their parts."""

from __future__ import annotations

import pytest

from leafmark.index.names import with_parts


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
