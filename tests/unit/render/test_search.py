"""An answer in every format: as people and programs read it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from support.answers import ROOTS, make_answer, make_document, make_entry, make_result, mixed_answer
from support.golden import CheckGolden
from support.schema import problems

from leafmark.model import Answer, Phase, Snippet
from leafmark.render.explaining import render_explanation, render_nothing_found
from leafmark.render.json_objects import RECORD_KEYS, answer_record, render_jsonl, render_packed
from leafmark.render.jsontext import dump_json
from leafmark.render.search_results import (
    Places,
    cut_around,
    group_results,
    render_files,
    render_flat,
    render_full,
    render_grouped,
    render_list,
    render_matches,
    render_vimgrep,
    top_matches,
)
from leafmark.render.terminal import PLAIN, Style

PLACES = Places(ROOTS, "/srv")
COLOR = Style(color=True, links=True, width=60)

Renderer = Callable[[Answer, Style], str]

TEXTS: dict[str, Renderer] = {
    "grouped": lambda answer, style: render_grouped(answer, PLACES, style),
    "grouped-explained": lambda answer, style: render_grouped(answer, PLACES, style, explain=True),
    "flat": lambda answer, style: render_flat(answer, PLACES, style),
    "list": render_list,
    "full": lambda answer, style: render_full(answer, PLACES, style),
    "matches": lambda answer, style: render_matches(answer, PLACES, style),
    "vimgrep": lambda answer, style: render_vimgrep(answer, PLACES),
    "files": lambda answer, style: render_files(answer, PLACES),
    "explanation": render_explanation,
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_formats(name: str, check_golden: CheckGolden) -> None:
    check_golden(f"render/{name}.txt", TEXTS[name](mixed_answer(), PLAIN))


@pytest.mark.parametrize("name", ["grouped", "full", "list", "matches"])
def test_colour_adds_escapes_only(name: str, check_golden: CheckGolden) -> None:
    text = TEXTS[name](mixed_answer(), COLOR)
    check_golden(f"render/{name}-color.txt", text.replace("\x1b", "<ESC>"))


def test_json_is_the_published_shape(check_golden: CheckGolden) -> None:
    record = answer_record(mixed_answer())
    assert problems(json.loads(dump_json(record)), "search") == []
    check_golden("render/search.json", dump_json(record))


def test_explained_json_has_factors_and_phases() -> None:
    record = answer_record(mixed_answer(), explain=True)
    assert problems(record, "search") == []
    assert record["explain"]["phases"][0] == {
        "name": "candidates",
        "before": 4,
        "after": 4,
        "note": "",
    }
    assert record["results"][0]["factors"] == []


def test_json_lines_are_the_results_of_the_object() -> None:
    answer = mixed_answer()
    lines = render_jsonl(answer).splitlines()
    assert [json.loads(line) for line in lines] == answer_record(answer)["results"]
    assert all(problems(json.loads(line), "result") == [] for line in lines)


def test_known_records_are_used_whole_and_in_order() -> None:
    result = make_result()
    known = dict.fromkeys(RECORD_KEYS) | {
        "id": result.entry.id,
        "body": "read from the source",
        "metadata": {"date": "2026-01-01"},
        "covers": ("a",),
    }
    answer = make_answer(result, records={result.entry.id: known})
    (record,) = answer_record(answer)["results"]
    assert tuple(record)[2 : 2 + len(RECORD_KEYS)] == RECORD_KEYS
    assert record["body"] == "read from the source"
    assert record["covers"] == ["a"]
    assert record["title"] is None


def test_a_stale_result_has_no_text_whatever_the_record_says() -> None:
    result = make_result()._replace(stale=True, body=None)
    known = {"byte_end": result.entry.byte_end, "body": "old", "text": "old"}
    answer = make_answer(result, records={result.entry.id: known})
    (record,) = answer_record(answer)["results"]
    assert (record["stale"], record["body"], record["text"]) == (True, None, None)
    assert (record["snippet"], record["snippet_text"]) == (None, None)


def test_json_escapes_what_a_terminal_would_obey() -> None:
    answer = make_answer(make_result(), query="\x1b[31m \x9b \u202e \udce9 é")
    text = dump_json(answer_record(answer))
    assert '"query": "\\u001b[31m \\u009b \\u202e \\udce9 é"' in text
    assert json.loads(text)["query"] == answer.query
    assert dump_json("é😀", ascii_only=True) == '"\\u00e9\\ud83d\\ude00"\n'


def test_snippets_in_json_are_escaped_html() -> None:
    snippet = Snippet('<script> & "x"', ((1, 7),))
    (record,) = answer_record(make_answer(make_result(snippet=snippet)))["results"]
    assert record["snippet"] == '&lt;<b>script</b>&gt; &amp; "x"'
    assert record["snippet_ranges"] == [[1, 7]]


def test_matches_within_one_broken_character_are_one_place() -> None:
    body = "👩b".encode()
    result = make_result(
        entry=make_entry()._replace(body_spans=((0, len(body)),)),
        body_bytes=body,
        body_places=((1, 1),),
        match_ranges=((1, 2), (3, 5)),
    )
    assert render_vimgrep(make_answer(result), PLACES) == "docs/guide.md:1:4:👩b\n"


def test_lines_of_code_are_indented_once() -> None:
    snippet = Snippet("def dim():\n    return lamp", ((22, 26),))
    printed = render_grouped(make_answer(make_result(snippet=snippet)), PLACES, PLAIN)
    assert printed.splitlines()[-2:] == ["      def dim():", "          return lamp"]


def test_groups_follow_their_best_result_and_name_the_best_score() -> None:
    other = make_document("other.md")
    answer = make_answer(
        make_result("Setup", 1, 1.0),
        make_result(entry=make_entry("X", 2, path="other.md"), document=other, score=0.9),
        make_result("Usage", 3, 5.0)._replace(relaxed=True),
    )
    groups = group_results(answer.results)
    assert [(group.doc_id, len(group.results), group.best_score) for group in groups] == [
        ("docs:guide.md", 2, 1.0),
        ("docs:other.md", 1, 0.9),
    ]
    assert [result.entry.ordinal_id for result in top_matches(answer)] == [
        "docs:guide.md.1",
        "docs:other.md.2",
    ]


def test_in_ranked_order_the_top_matches_are_the_first_of_each_document() -> None:
    other = make_document("other.md")
    answer = make_answer(
        make_result("Usage", 3, 5.0)._replace(relaxed=True),
        make_result(entry=make_entry("X", 2, path="other.md"), document=other, score=2.0),
        make_result("Setup", 1, 1.0),
    )
    assert [result.entry.ordinal_id for result in top_matches(answer)] == [
        "docs:guide.md.3",
        "docs:other.md.2",
    ]


def test_the_top_matches_are_the_best_ones_in_any_order_of_results() -> None:
    names = ["a.md", "b.md", "c.md"]
    results = [
        make_result(
            entry=make_entry("X", 1, path=name), document=make_document(name), score=score
        )._replace(rank=rank)
        for rank, (name, score) in enumerate(zip(names, (1.0, 3.0, 2.0), strict=True), 1)
    ]
    answer = make_answer(*results)
    assert [result.entry.path for result in top_matches(answer)] == ["b.md", "c.md", "a.md"]
    head = render_grouped(answer, PLACES, PLAIN).splitlines()[0]
    assert head == "Top matches: docs:b.md.1 (3.00), docs:c.md.1 (2.00), docs:a.md.1 (1.00)"


def test_a_section_without_a_title_is_said_to_have_none() -> None:
    untitled = make_result(
        entry=make_entry("", 1, section_path=("Guide",)), document=make_document()
    )
    assert ".1 (2.50) (no title)" in render_grouped(make_answer(untitled), PLACES, PLAIN)


def test_several_trees_are_told_apart() -> None:
    far = make_result(
        entry=make_entry("X", 1, tree="far"), document=make_document(tree="far"), score=1.0
    )
    text = render_grouped(make_answer(make_result(), far), PLACES, PLAIN)
    assert "\ndocs:guide.md (v3) [ops, client]\n" in text
    assert "\nfar:guide.md (v3) [ops, client]\n" in text


def test_the_founding_example() -> None:
    """Two sections of one document, one of another, as the display was first drawn."""
    readme = make_document("README.md", tags=("jira", "api"))
    api = make_document("AnnouncementBannerApi.md", tags=("jira", "api"))
    oauth = make_entry(
        "OAuth2", 58, path="README.md", section_path=("R", "Authorization", "OAuth2")
    )
    basic = make_entry("basicAuth", 62, path="README.md", section_path=("R", "basicAuth"))
    banner = make_entry(
        "getBanner", 1, path="AnnouncementBannerApi.md", section_path=("A", "getBanner")
    )
    answer = make_answer(
        make_result(entry=oauth, document=readme, score=0.87, snippet=Snippet()),
        make_result(entry=basic, document=readme, score=0.81, snippet=Snippet()),
        make_result(entry=banner, document=api, score=0.75, snippet=Snippet()),
    )
    assert render_grouped(answer, PLACES, PLAIN) == (
        "Top matches: docs:README.md.58 (0.87), docs:AnnouncementBannerApi.md.1 (0.75)\n"
        "\n"
        "README.md (v3) [jira, api]\n"
        "  .58 (0.87) Authorization › OAuth2\n"
        "  .62 (0.81) basicAuth\n"
        "\n"
        "AnnouncementBannerApi.md (v3) [jira, api]\n"
        "  .1 (0.75) getBanner\n"
    )


def test_nothing_to_print_is_nothing() -> None:
    empty = make_answer()
    assert {render(empty, PLAIN) for name, render in TEXTS.items() if name != "explanation"} == {""}


def test_nothing_found_names_the_phase_that_emptied_the_list() -> None:
    answer = make_answer(
        phases=(Phase("candidates", 9, 3), Phase("tag", 3, 0, "no document has the tag `ops`"))
    )
    assert render_nothing_found(answer) == (
        "nothing found for client\n  tag left none of 3: no document has the tag `ops`\n"
    )
    assert render_nothing_found(make_answer(phases=(Phase("candidates", 0, 0),))) == (
        "nothing found for client\n  no chunk matches\n"
    )
    beyond = make_answer(phases=(Phase("candidates", 9, 3), Phase("limit", 2, 0)))
    assert render_nothing_found(beyond) == (
        "no more results for client\n"
        "  there are 2 results, and none from this offset on; a smaller offset shows them\n"
    )
    assert render_nothing_found(make_answer(phases=())) == "nothing found for client\n"
    assert render_nothing_found(make_answer(query="", phases=())) == "nothing found\n"


def test_list_lines_fit_the_terminal() -> None:
    answer = make_answer(make_result(title="Setup"), make_result("Usage", 2))
    for width in (20, 40, 60, 79):
        lines = render_list(answer, Style(width=width)).splitlines()
        assert len(lines) == 2
        assert all(len(line) <= width for line in lines)


def test_an_aggregate_does_not_repeat_the_snippet_of_its_part() -> None:
    part = make_result("Retries", 3)
    borrowed = make_result("Usage", 2, constituents=(part,), snippet=part.snippet)
    assert render_flat(make_answer(borrowed), PLACES, PLAIN).count("The client retries.") == 1
    own = make_result("Usage", 2, constituents=(part,), snippet=Snippet("Call it."))
    assert "    Call it.\n" in render_flat(make_answer(own), PLACES, PLAIN)


def test_an_empty_answer_says_in_json_which_phase_emptied_it() -> None:
    hint = {"code": "empty", "message": "no chunk matches", "values": {}}
    emptied = make_answer(phases=(Phase("candidates", 0, 0),))
    assert hint in json.loads(render_packed(emptied))["hints"]
    assert hint in answer_record(emptied)["hints"]
    left_out = make_answer(phases=(Phase("candidates", 9, 3),))  # by a budget, say
    assert hint not in json.loads(render_packed(left_out))["hints"]


def test_a_long_line_is_cut_around_its_match() -> None:
    line = "word " * 60 + "okapi" + " word" * 60
    text, ranges = cut_around(line, [(300, 305)], 60)
    assert len(text) <= 60
    assert (text[0], text[-1]) == ("…", "…")
    assert [text[start:end] for start, end in ranges] == ["okapi"]
    assert cut_around("short okapi", [(6, 11)], 60) == ("short okapi", [(6, 11)])


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_list_shows_titles_before_ids_and_keeps_the_width(width: int) -> None:
    lines = render_list(mixed_answer(), Style(width=width)).splitlines()
    assert all(len(line) <= width for line in lines)
    titles = "Guide › Usage" if width > 40 else "… › Usage"
    assert lines[0].startswith(f"{titles}  docs:guide.md#usage (3.00)")


def test_places_of_matches_keep_the_width_by_cutting_titles_from_the_left() -> None:
    entry = make_entry(section_path=("Guide", "A rather long chapter", "Usage"))
    answer = make_answer(make_result(entry=entry))
    assert "Guide › A rather long chapter › Usage (2.50)" in render_matches(answer, PLACES, PLAIN)
    first, _, _ = render_matches(answer, PLACES, Style(width=50)).partition("\n")
    assert first.startswith("… › Usage (2.50)  ")
    assert len(first) <= 50


def test_paths_end_with_null_characters_where_programs_ask_for_them() -> None:
    places = Places({}, "")
    assert render_files(mixed_answer(), places, null=True) == "guide.md\0api.md\0"


def test_three_copies_of_a_result_are_named_and_the_others_counted() -> None:
    copies = tuple(f"docs:{number}.md" for number in range(5))
    text = render_flat(make_answer(make_result(also_in=copies)), PLACES, PLAIN)
    assert "also in: docs:0.md, docs:1.md, docs:2.md and 2 more\n" in text


@pytest.mark.parametrize("width", [None, 80])
def test_a_paragraph_that_became_a_heading_is_cut_in_lists(width: int | None) -> None:
    words = "word " * 400
    entry = make_entry(section_path=("Guide", words), title=words, slug="word-" * 400)
    answer = make_answer(make_result(entry=entry))
    style = Style(width=width)
    for text in (render_list(answer, style), render_grouped(answer, PLACES, style)):
        assert all(len(line) < 500 for line in text.splitlines()), text
        assert "word word" in text
