"""Lines and columns of matches: what an editor opens must be where the match is."""

from __future__ import annotations

import pytest
from support.answers import ROOTS, SOURCE, make_answer, make_entry, make_result

from leafmark.model import Result
from leafmark.render.search_results import (
    MatchLine,
    Places,
    match_lines,
    render_files,
    render_vimgrep,
)

PLACES = Places(ROOTS, "/srv")


def result_in(source: bytes, spans: tuple[tuple[int, int], ...], word: bytes) -> Result:
    """A result whose body is these ranges of `source`, every `word` in it a match."""
    body = b"".join(source[start:end] for start, end in spans)
    ranges, at = [], body.find(word)
    while at >= 0:
        ranges.append((at, at + len(word)))
        at = body.find(word, at + 1)
    places = []
    for start, _ in spans:
        lines = source[:start].replace(b"\r\n", b" \n").replace(b"\r", b"\n")
        places.append((lines.count(b"\n") + 1, start - lines.rfind(b"\n")))
    return make_result(
        entry=make_entry(body_spans=spans),
        body=body.decode("utf-8", "replace"),
        body_bytes=body,
        body_places=tuple(places),
        match_ranges=tuple(ranges),
    )


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_every_match_is_where_it_is_said_to_be(newline: bytes) -> None:
    """Checked against the file: line N, cut at byte column C, begins with the word."""
    source = SOURCE.replace(b"\n", newline)
    starts = [len(newline.join(source.split(newline)[:at])) + len(newline) for at in (2, 7, 10)]
    spans = ((starts[0], starts[1]), (starts[1] + 5, starts[2]), (starts[2], len(source)))
    for word in (b"client", b"the", b"t"):
        result = result_in(source, spans, word)
        lines = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        found = match_lines(result)
        assert sum(len(line.columns) for line in found) == len(result.match_ranges) > 0
        for line in found:
            for column, (start, end) in zip(line.columns, line.ranges, strict=True):
                assert lines[line.number - 1][column - 1 :].startswith(word)
                assert line.text[start:end].encode() == word


def test_columns_count_bytes_and_ranges_characters() -> None:
    source = "é 日本 x x\n".encode()
    (line,) = match_lines(result_in(source, ((0, len(source)),), b"x"))
    assert line == MatchLine(1, "é 日本 x x", (11, 13), ((5, 6), (7, 8)))


def test_a_body_that_begins_inside_a_line_keeps_its_column() -> None:
    source = b"one two three\nfour two\n"
    lines = match_lines(result_in(source, ((4, len(source)),), b"two"))
    assert [(line.number, line.columns) for line in lines] == [(1, (5,)), (2, (6,))]


def test_a_match_over_a_line_end_is_marked_up_to_it() -> None:
    result = result_in(b"a b\nc d\n", ((0, 8),), b"zz")._replace(match_ranges=((2, 5),))
    assert match_lines(result) == [MatchLine(1, "a b", (3,), ((2, 3),))]


def test_bytes_that_are_no_utf_8_do_not_move_matches() -> None:
    (line,) = match_lines(result_in(b"\xff\xfe word\n", ((0, 8),), b"word"))
    assert line == MatchLine(1, "\ufffd\ufffd word", (4,), ((3, 7),))


def test_a_byte_order_mark_has_no_column() -> None:
    result = result_in(b"\xef\xbb\xbfword word\n", ((0, 13),), b"word")
    line = MatchLine(1, "word word", (1, 6), ((0, 4), (5, 9)))
    assert match_lines(result) == [line]
    marked = result._replace(match_ranges=((0, 3), *result.match_ranges))
    assert match_lines(marked) == [line]


def test_lines_are_never_guessed() -> None:
    result = make_result()._replace(body_places=())
    with pytest.raises(
        ValueError, match=r"^docs:guide\.md#setup: matches without the places of its body$"
    ):
        match_lines(result)


def test_unreadable_results_have_no_lines() -> None:
    result = make_result()._replace(body=None, body_bytes=None, match_ranges=())
    assert match_lines(result) == []


def test_vimgrep_prints_each_match_once() -> None:
    setup = make_result("Setup", 1)
    answer = make_answer(setup._replace(constituents=(setup,)))
    assert render_vimgrep(answer, PLACES) == (
        "docs/guide.md:7:13:Install the client.\ndocs/guide.md:8:16:Then start the client twice.\n"
    )


def test_a_name_is_one_match_although_each_of_its_words_matches() -> None:
    source = b"max_connections and max-wal, max\n"
    body = result_in(source, ((0, len(source)),), b"max")
    ranges = ((0, 3), (4, 15), (20, 23), (24, 27), (29, 32))
    answer = make_answer(body._replace(match_ranges=ranges))
    columns = [row.split(":")[2] for row in render_vimgrep(answer, PLACES).splitlines()]
    assert columns == ["1", "21", "30"]


def test_vimgrep_names_the_heading_where_no_text_matched() -> None:
    answer = make_answer(make_result("Setup", 1, word=""))
    assert render_vimgrep(answer, PLACES) == "docs/guide.md:5:1:Setup\n"


def test_vimgrep_shows_no_title_of_a_source_that_changed() -> None:
    stale = make_result("Setup", 1)._replace(stale=True, body=None, body_bytes=None)
    assert render_vimgrep(make_answer(stale), PLACES) == (
        "docs/guide.md:5:1:(changed since it was indexed)\n"
    )


def test_files_are_named_once_in_rank_order() -> None:
    answer = make_answer(
        make_result(entry=make_entry(path="b/z.md")),
        make_result(entry=make_entry(path="a.md")),
        make_result(entry=make_entry(path="b/z.md", position=2)),
    )
    assert render_files(answer, PLACES) == "docs/b/z.md\ndocs/a.md\n"


@pytest.mark.parametrize(
    ("directory", "path"),
    [
        ("/srv", "docs/guide.md"),
        ("/srv/docs", "guide.md"),
        ("/", "srv/docs/guide.md"),
        ("/srv/do", "/srv/docs/guide.md"),
        ("/home", "/srv/docs/guide.md"),
    ],
)
def test_paths_open_from_the_current_folder(directory: str, path: str) -> None:
    assert Places(ROOTS, directory).shown(make_entry()) == path


def test_the_path_of_an_unknown_tree_is_its_own() -> None:
    places = Places({}, "/srv")
    assert places.shown(make_entry()) == "guide.md"
    assert places.absolute(make_entry()) is None


def test_constituents_come_after_what_holds_them() -> None:
    inner = make_result("Retries", 3)
    outer = make_result("Usage", 2, constituents=(make_result("Setup", 1, constituents=(inner,)),))
    assert [part.entry.title for part in outer.with_constituents()] == ["Usage", "Setup", "Retries"]
