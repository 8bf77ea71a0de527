"""The marked block: put in, replaced, and nothing else touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.app.agents.agent_files import BEGIN, END, find_block, put_block
from leafmark.errors import UsageError

BLOCK = f"{BEGIN}\nours\n{END}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", f"{BLOCK}\n"),
        (b"# Mine\n", f"# Mine\n\n{BLOCK}\n"),
        (b"# Mine", f"# Mine\n\n{BLOCK}\n"),
        (b"a\r\nb\r\n", f"a\nb\n\n{BLOCK}\n".replace("\n", "\r\n")),
        (b"\xef\xbb\xbf", f"\ufeff{BLOCK}\n"),
        (b"\xef\xbb\xbfx\n", f"\ufeffx\n\n{BLOCK}\n"),
        (
            f"top\n{BEGIN}\nold\nolder\n{END}\nbelow, no newline".encode(),
            f"top\n{BLOCK}\nbelow, no newline",
        ),
        (f"\ufeff{BEGIN}\n{END}".encode(), f"\ufeff{BLOCK}"),
        (f"  {BEGIN}  \n{END}\t\nx".encode(), f"  {BLOCK}\t\nx"),
        (f"see `{BEGIN}`\n".encode(), f"see `{BEGIN}`\n\n{BLOCK}\n"),
    ],
)
def test_the_rest_of_the_file_stays_byte_for_byte(before: bytes, after: str) -> None:
    put = put_block(before, BLOCK, "AGENTS.md")
    assert put == after.encode()
    assert put_block(put, BLOCK, "AGENTS.md") == put


@pytest.mark.parametrize(
    ("text", "marker", "line"),
    [
        (f"a\n{BEGIN}\nb\n", BEGIN, 2),
        (f"{END}\n", END, 1),
        (f"{END}\n{BEGIN}\n", END, 1),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", BEGIN, 2),
        (f"{BEGIN}\n{END}\n\n{BEGIN}\n{END}\n", BEGIN, 4),
        (f"{BEGIN}\n{END}\n{END}\n", END, 3),
    ],
)
def test_markers_that_make_no_pair_are_named(text: str, marker: str, line: int) -> None:
    with pytest.raises(UsageError) as caught:
        find_block(text.encode(), "docs/AGENTS.md")
    assert caught.value.message == f"the marker {marker} is not one of a pair"
    assert caught.value.location == f"docs/AGENTS.md:{line}"
    assert caught.value.hint == f"the file may contain one block, between {BEGIN} and {END}"


def test_a_file_in_another_encoding_is_left_alone() -> None:
    with pytest.raises(UsageError) as caught:
        put_block("Grüße".encode("utf-16"), BLOCK, "CLAUDE.md")
    assert caught.value.message == "the file is not UTF-8"
    assert caught.value.location == "CLAUDE.md"


@given(st.text(), st.text(), st.sampled_from(["\n", "\r\n"]))
def test_what_is_around_a_block_is_kept(top: str, below: str, newline: str) -> None:
    before = (top + newline).encode("utf-8", "replace")
    after = (newline + below).encode("utf-8", "replace")
    file = before + f"{BEGIN}{newline}old{newline}{END}".encode() + after
    put = put_block(file, BLOCK, "x")
    assert put.startswith(before)
    assert put.endswith(after)
    assert put[len(before) : len(put) - len(after)].replace(b"\r\n", b"\n") == BLOCK.encode()
