"""Chunks as `leafmark show` prints them."""

from __future__ import annotations

import pytest
from support.answers import make_entry, make_shown
from support.schema import problems

from leafmark.model import ShowReport
from leafmark.render.reading import (
    OutlinesShown,
    outline_order,
    render_outline,
    render_show,
    show_record,
)
from leafmark.render.terminal import PLAIN


def test_a_section_is_shown_with_its_heading() -> None:
    assert render_show(ShowReport((make_shown(),)), PLAIN) == (
        "docs:guide.md#setup  lines 5–9\n> Guide › Setup\n\n## Setup\nInstall.\n"
    )


def test_own_text_is_said_to_be_less_than_its_lines() -> None:
    shown = make_shown(own_ranges=((60, 70),))
    text = render_show(ShowReport((shown,)), PLAIN)
    assert text.startswith("docs:guide.md#setup  own text in lines 5–9\n")


def test_several_are_set_apart() -> None:
    text = render_show(ShowReport((make_shown(), make_shown(entry=make_entry(line_end=5)))), PLAIN)
    assert "Install.\n\ndocs:guide.md#setup  line 5\n" in text


def test_stale_text_is_not_shown() -> None:
    stale = make_shown(stale=True, body=None, full_text=None, raw=None, heading=None)
    assert render_show(ShowReport((stale,)), PLAIN) == (
        "docs:guide.md#setup  lines 5–9\n> Guide › Setup\n\n"
        "(changed since it was indexed: `leafmark index` reads it again)\n"
    )
    record = show_record(ShowReport((stale,)))["results"][0]
    assert (record["text"], record["body"], record["full_text"]) == (None, None, None)
    assert problems(show_record(ShowReport((stale,))), "show") == []


def test_an_outline_nests_by_parents() -> None:
    children = (
        make_entry("Install", 2, parent_position=1),
        make_entry("Linux", 3, parent_position=2),
        make_entry("Linux", 4, parent_position=3, kind="piece", piece=1, slug="linux"),
        make_entry("Run", 5, parent_position=1),
    )
    assert render_outline(ShowReport((make_shown(children=children),)), PLAIN) == (
        "docs:guide.md#setup  Setup\n"
        "  .2 Install  #install\n"
        "    .3 Linux  #linux\n"
        "      .4 ~1  #linux~1\n"
        "  .5 Run  #run\n"
    )


def test_on_a_terminal_what_an_outline_says_of_a_long_title_stands_below_it() -> None:
    child = make_entry("How a client migrates", 2, parent_position=1)
    report = ShowReport((make_shown(children=(child,)),))
    assert render_outline(report, PLAIN._replace(width=40)) == (
        "docs:guide.md#setup  Setup\n  .2 How a client migrates\n      #how-a-client-migrates\n"
    )


def test_an_outline_under_a_budget_loses_its_lower_levels_first() -> None:
    children = (
        make_entry("Install", 2, parent_position=1),
        make_entry("Linux", 3, parent_position=2),
        make_entry("Run", 5, parent_position=1),
    )
    report = ShowReport((make_shown(children=children), make_shown()))
    plan = OutlinesShown(report, len)
    assert plan.size == 5
    found = [render_outline(plan.at(steps), PLAIN) for steps in range(1, 6)]
    assert found[0] == (
        "docs:guide.md#setup  Setup\n[57 tokens left out: docs:guide.md#setup]\n"
        "\n[1 more left out, 0 tokens, from docs:guide.md#setup on]\n"
    )
    assert found[3] == (
        "docs:guide.md#setup  Setup\n  .2 Install  #install\n  .5 Run  #run\n"
        "[19 tokens left out: docs:guide.md#setup]\n\ndocs:guide.md#setup  Setup\n"
    )
    assert found[4] == render_outline(report, PLAIN)


def test_an_outline_under_a_budget_shows_titles_before_pieces() -> None:
    children = (
        make_entry("Install", 2, parent_position=1, kind="piece", piece=1, slug="setup"),
        make_entry("Run", 3, parent_position=1),
        make_entry("Linux", 4, parent_position=3),
    )
    shown = make_shown(children=children)
    assert outline_order(shown) == [3, 4, 2]


def test_json_is_the_published_shape() -> None:
    report = ShowReport(
        (make_shown(children=(make_entry("Install", 2),)),), (("docs:nope.md", ("docs:guide.md",)),)
    )
    record = show_record(report)
    assert problems(record, "show") == []
    assert record["results"][0]["text"] == "> Guide › Setup\n\nInstall."
    assert record["results"][0]["children"][0]["id"] == "docs:guide.md#install"
    assert record["not_found"] == [{"id": "docs:nope.md", "did_you_mean": ["docs:guide.md"]}]


@pytest.mark.parametrize("text", ["a\x1b[2Jb", "a\u202eb", "a\x9b2Jb"])
def test_documents_do_not_control_the_terminal(text: str) -> None:
    report = ShowReport((make_shown(full_text=text, entry=make_entry(title=text)),))
    assert text not in render_show(report, PLAIN)
    assert text not in render_outline(report, PLAIN)
