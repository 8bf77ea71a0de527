"""Headings in columns: the same as a tuple of them, made when they are looked at."""

from __future__ import annotations

import pickle

from leafmark.model import Heading, HeadingColumns, Headings

TWO = (Heading(1, "A", "A", 0, 4, 9), Heading(2, "B", "B", 4, 9, 9, nested=True))


def test_headings_are_those_that_the_columns_were_made_of() -> None:
    headings = Headings(HeadingColumns.of(TWO))

    assert headings == TWO
    assert (len(headings), headings[1], headings[:1]) == (2, TWO[1], TWO[:1])
    assert HeadingColumns.of(headings) is headings.columns


def test_no_headings_have_columns_of_nothing() -> None:
    assert HeadingColumns.of(()) == HeadingColumns()
    assert Headings(HeadingColumns()) == ()


def test_pickling_gives_a_plain_tuple() -> None:
    found = pickle.loads(pickle.dumps(Headings(HeadingColumns.of(TWO))))

    assert (type(found), found) == (tuple, TWO)
