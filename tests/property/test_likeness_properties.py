"""One slip in a name that is long enough does not hide what was meant."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from support.edits import edits_by_table

from leafmark.suggest import edits_from, nearest

letters = st.text(st.sampled_from("abcdeй取_"), max_size=70)
words = st.text(st.sampled_from("abcdefgh"), min_size=4, max_size=9)
names = st.lists(words, min_size=1, max_size=4).map("-".join)


@given(letters, letters)
def test_edits_are_those_of_the_table(word: str, other: str) -> None:
    assert edits_from(word)(other) == edits_by_table(word, other)


@given(names, st.lists(names), st.integers(0, 39), st.booleans())
@example("open-with-file-with", [], 9, True).via("words that become one, the first of them twice")
def test_one_slip_hides_no_name(name: str, others: list[str], at: int, drops: bool) -> None:
    at %= len(name)
    slip = name[:at] + name[at + 1 :] if drops else name[:at] + "x" + name[at:]
    known = [*others, name]
    assert name in nearest(slip, known, len(known))
    assert name in nearest(slip.upper(), known, len(known))


@given(names, st.lists(names), st.integers(0, 3))
def test_what_is_there_is_nearest_to_itself(name: str, others: list[str], limit: int) -> None:
    found = nearest(name, [*others, name], limit)
    assert len(found) <= limit
    assert len(set(found)) == len(found)
    assert set(found) <= {*others, name}
    assert not found or name in found or sorted(found[0]) == sorted(name)
