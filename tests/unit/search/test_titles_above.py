"""Words of the titles above a text count with it, and `body:` still asks for the text alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

TEXT = """# Guide

## Turtle setup

Install the thing.

### Wings

Fold them.

## Snow hare

A hare in the snow, or a snow-white hare.

## Nest of_eggs

Eggs of a bird in a nest.

## Other

The turtle walks, and then a setup.
"""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("turtle", {"turtle-setup", "wings", "other"}),
        ("turtle fold", {"wings"}),
        ("body:turtle", {"other"}),
        ("body:turt*", {"other"}),
        ('body:"turtle setup"', set()),
        ('body:"turtle walks"', {"other"}),
        ("title:turtle", {"turtle-setup"}),
        ("them -body:turtle", {"wings"}),
        ("turtle -body:walks", {"turtle-setup", "wings"}),
        ('"turtle setup"', {"turtle-setup", "wings"}),
        ('"setup install"', set()),
        ('"setup wings"', set()),
        ("guide fold", {"wings"}),
        ('"wings setup"', set()),
        ('"guide setup"', set()),
        ('body:"snow hare"', set()),
        ('body:"snow white hare"', {"snow-hare"}),
        ("body:of_eggs", set()),
        ("bird -body:of_eggs", {"nest-of_eggs"}),
    ],
)
def test_words_of_titles(tmp_path: Path, query: str, expected: set[str]) -> None:
    library = Library(tmp_path, t={"a.md": TEXT})
    answer = library.search(query, aggregation=False, strict=True, cutoff_ratio=0.0)
    assert {result.entry.id.partition("#")[2] for result in answer.results} == expected
