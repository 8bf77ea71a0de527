"""Which documents a name may mean, and what in them."""

from __future__ import annotations

import pytest

from leafmark.search.lookup import readings


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t:a.md", ["t:a.md |"]),
        ("t:a.md.12", ["t:a.md.12 |", "t:a.md | .12"]),
        ("t:a.1234567890", ["t:a.1234567890 |"]),
        ("t:a.१२", ["t:a.१२ |"]),
        ("t:a.md#b", ["t:a.md#b |", "t:a.md%23b |", "t:a.md | #b", "t:a.md | #b"]),
        (
            "t:a#b.md#c~2",
            [
                *("t:a#b.md#c~2 |", "t:a%23b.md%23c%7E2 |", "t:a | #b.md#c~2"),
                *("t:a#b.md | #c~2", "t:a%23b.md | #c~2"),
            ],
        ),
        ("t:a~2", ["t:a~2 |", "t:a%7E2 |", "t:a | ~2", "t:a | ~2"]),
    ],
)
def test_the_whole_is_a_document_first_and_a_path_may_be_typed_as_on_disk(
    name: str, expected: list[str]
) -> None:
    assert [f"{document} | {rest}".rstrip() for document, rest in readings(name)] == expected
