"""Windows of texts: within the limit, nothing lost, work that grows with the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leafmark.embedding.interface import MAX_HEAD, MAX_WINDOWS, windows_of


def words(text: str) -> int:
    return len(text.split())


def characters(text: str) -> int:
    return len(text)


TEXTS = st.lists(
    st.text(alphabet="ab \n\u00e9\u4e16", max_size=40)
    | st.sampled_from(["> a \u203a b\n\n", "\n\n", "x" * 50]),
    max_size=12,
).map("".join)


def _repeated_head(text: str, limit: int) -> str:
    """The breadcrumb of `text` and the blank line after it, where it is short enough to repeat."""
    line, blank, rest = text.partition("\n\n")
    short = len(line) <= MAX_HEAD * limit
    return line + blank if text.startswith("> ") and rest.strip() and short else ""


@example(text="> a \u203a b\n\n" * 4, limit=19)
@given(text=TEXTS, limit=st.integers(5, 60))
def test_windows_are_within_the_limit_and_lose_nothing(text: str, limit: int) -> None:
    found = windows_of(text, limit, characters)
    assert found
    if len(text) <= limit or text.isspace():
        assert found == [text]
        return
    assert all(0 < len(window) <= limit for window in found)
    head = _repeated_head(text, limit)
    assert all(window.startswith(head) for window in found)
    if len(found) < MAX_WINDOWS:
        joined = "".join(window.removeprefix(head) for window in found)
        assert "".join(joined.split()) == "".join(text.removeprefix(head).split())


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("one two", 2, ["one two"]),
        ("one two three", 2, ["one", "two three"]),
        ("aa bb cc dd\nee ff gg hh ii", 8, ["aa bb cc dd", "ee ff gg hh ii"]),
        ("a b c\nd e f g h\ni j", 5, ["a b c\nd e", "f g h\ni j"]),
        ("> T\n\na b c d e f g h i j", 9, ["> T\n\na b c d e", "> T\n\nf g h i j"]),
        ("> A long title here\n\na b c d", 6, ["> A long title", "here\n\na b c d"]),
        ("> T\n\n", 1, [">", "T"]),
    ],
)
def test_windows(text: str, limit: int, expected: list[str]) -> None:
    assert windows_of(text, limit, words) == expected


def test_the_last_windows_of_an_endless_text_are_left_out() -> None:
    found = windows_of("word " * 100_000, 10, words)
    assert [words(window) for window in found] == [10] * MAX_WINDOWS


def test_the_work_grows_with_the_text() -> None:
    def counted(size: int) -> int:
        asked = []

        def count(text: str) -> int:
            asked.append(len(text))
            return len(text.split())

        windows_of("some words that stand here\n" * size, 50, count)
        return sum(asked)

    assert counted(400) < 2.2 * counted(200)
