"""WordPiece against what the tokenizer that the model came with answers (`tokenizers` 0.23.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.embedding.wordpiece import CLS, SEP, token_ids, vocabulary

CASES: list[tuple[str, list[int]]] = [
    ("", [101, 102]),
    ("Hello, World!", [101, 7592, 1010, 2088, 999, 102]),
    ("unaffable na\xefvet\xe9", [101, 14477, 20961, 3468, 15743, 2618, 102]),
    ("Stra\xdfe \xc5NGSTR\xd6M", [101, 2358, 27807, 17076, 15687, 102]),
    (
        "\u65e5\u672c\u8a9e\u306e\u30c6\u30b9\u30c8",
        [101, 1864, 1876, 1950, 1671, 30239, 30233, 30240, 102],
    ),
    (
        "\ud55c\uad6d\uc5b4 \ud14c\uc2a4\ud2b8",
        [
            101,
            1469,
            30006,
            30021,
            29991,
            30014,
            30020,
            29999,
            30008,
            1467,
            30009,
            29997,
            30017,
            30003,
            30017,
            102,
        ],
    ),
    ("don't stop-me_now", [101, 2123, 1005, 1056, 2644, 1011, 2033, 1035, 2085, 102]),
    (
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        [101, 100, 102],
    ),
    ("tab\tnew\nline\r\n", [101, 21628, 2047, 2240, 102]),
    ("zero\u200bwidth\xa0space", [101, 5717, 9148, 11927, 2232, 2686, 102]),
    ("\ufffd\x00\x07bell", [101, 4330, 102]),
    (
        "emoji \U0001f469\u200d\U0001f469\u200d\U0001f467 done",
        [101, 7861, 29147, 2072, 100, 2589, 102],
    ),
    (
        "`code` == 3.14 && ||",
        [101, 1036, 3642, 1036, 1027, 1027, 1017, 1012, 2403, 1004, 1004, 1064, 1064, 102],
    ),
    ("\u017f \ufb01 \xbd \u2460", [101, 100, 1984, 1092, 100, 102]),
    ("\xdcn\xefc\xf6d\xe9\u0301\u0301", [101, 27260, 102]),
    ("\u0130stanbul \u0131s\u0131", [101, 9960, 1104, 2015, 11722, 102]),
    (
        "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
        [
            101,
            1295,
            17149,
            29820,
            29816,
            25573,
            1271,
            25573,
            23673,
            29830,
            25573,
            23673,
            22192,
            102,
        ],
    ),
    ("\ue000private\U0010ffff", [101, 100, 102]),
    ("\u2026\u2014\u201cquotes\u201d", [101, 1529, 1517, 1523, 16614, 1524, 102]),
    (
        "\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3",
        [101, 1173, 18199, 29733, 29735, 29736, 29730, 29733, 102],
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=range(len(CASES)))
def test_pieces_are_those_of_the_model(text: str, expected: list[int]) -> None:
    assert token_ids(text, limit=10_000) == expected


def test_the_vocabulary_is_whole() -> None:
    known = vocabulary()
    assert len(known) == 30_522
    assert (known["[CLS]"], known["[SEP]"], known["[PAD]"]) == (CLS, SEP, 0)


@given(st.text(), st.integers(min_value=3, max_value=40))
def test_a_limit_cuts_and_changes_nothing_before(text: str, limit: int) -> None:
    whole = token_ids(text, limit=10_000)
    found = token_ids(text, limit=limit)
    assert len(found) <= limit
    assert found[:-1] == whole[: len(found) - 1]
    assert found[-1] == SEP
