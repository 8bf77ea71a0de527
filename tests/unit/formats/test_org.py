"""What an Org source says of itself: its title and its tags."""

from __future__ import annotations

import pytest

from leafmark.parsing import parse


@pytest.mark.parametrize(
    ("source", "title", "tags"),
    [
        (
            "#+TITLE: The *lamp*\n#+FILETAGS: :home:light:\n* One\nx\n",
            "The lamp",
            ("home", "light"),
        ),
        ("#+filetags: home\n#+filetags: :home: light\n* One\nx\n", "One", ("home", "light")),
        ("#+FILETAGS:\n#+TITLE: A\n#+TITLE: lamp\n* One\nx\n", "A lamp", ()),
        ("* TODO One :home:\nx\n", "One", ()),
        ("Words.\n", "lamp", ()),
    ],
)
def test_the_title_and_the_tags_of_a_source(source: str, title: str, tags: tuple[str, ...]) -> None:
    document = parse(source.encode(), "lamp.org")
    assert document.format == "org"
    assert (document.title, document.tags) == (title, tags)


@pytest.mark.parametrize("link", ["[[ ]]", "[[ ][a]]", "[[\r]]", "[[]]"])
def test_a_link_to_nothing_is_none(link: str) -> None:
    document = parse(f"* A\n{link} and [[file:b.org][b]]\n".encode(), "a.org")
    assert [each.target for each in document.links] == ["b.org"]
    assert not document.diagnostics
