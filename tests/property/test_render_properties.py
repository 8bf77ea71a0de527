"""Whatever a document says, no format for people lets it control the terminal."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from support.answers import make_answer, make_document, make_entry, make_result

from leafmark.errors import QueryError, UsageError
from leafmark.model import (
    Answer,
    Diagnostic,
    Hint,
    IndexReport,
    Phase,
    Result,
    SettingOrigin,
    Shown,
    ShowReport,
    Skipped,
    Snippet,
    StatusReport,
    TreeStatus,
)
from leafmark.render import reports
from leafmark.render.explaining import render_explanation, render_nothing_found
from leafmark.render.json_objects import answer_record
from leafmark.render.jsontext import dump_json
from leafmark.render.reading import render_outline, render_show
from leafmark.render.reports import render_index
from leafmark.render.search_results import (
    Places,
    match_lines,
    render_files,
    render_flat,
    render_full,
    render_grouped,
    render_list,
    render_matches,
    render_vimgrep,
)
from leafmark.render.terminal import (
    PLAIN,
    Style,
    clean,
    clean_line,
    display_width,
    render_diagnostic,
    render_error,
    render_warning,
    shorten,
    wrap,
)

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
OWN_CODES = re.compile("\x1b\\[[0-9;]*m|\x1b\\]8;;(file://[!-~]*)?\x1b\\\\")

hostile = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\x1b\x9b\x07\r\n\t\x00\x7f\u202e\u2066\u200f\u061c\u2028\udce9\ud800<&>日e\u0301"
        ),
    ),
    max_size=30,
)


@st.composite
def hostile_results(draw: st.DrawFn) -> Result:
    title, path, tag = draw(hostile), draw(hostile), draw(hostile)
    body = draw(hostile)
    data = body.encode("utf-8", "surrogatepass")
    cuts = sorted(draw(st.sets(st.integers(0, len(data)), max_size=4)))
    ranges = tuple(zip(cuts[::2], cuts[1::2], strict=False))
    marks = sorted(draw(st.sets(st.integers(0, len(body)), max_size=4)))
    entry = make_entry(
        title=title,
        path=path,
        slug=draw(hostile),
        kind=draw(st.sampled_from(["document", "section"])),
        section_path=tuple(draw(st.lists(hostile, min_size=1, max_size=3))),
        body_spans=((0, len(data)),),
        byte_start=0,
        byte_end=len(data),
        heading_start=None,
        heading_end=None,
    )
    document = make_document(path, title=title, tags=(tag,), version=draw(hostile))
    return make_result(
        entry=entry,
        document=document,
        body=body,
        body_bytes=data,
        body_places=((1, 1),),
        full_text=body,
        match_ranges=ranges,
        snippet=Snippet(body, tuple(zip(marks[::2], marks[1::2], strict=False))),
        also_in=(draw(hostile),),
        cited=("", draw(hostile)),
    )


@st.composite
def hostile_answers(draw: st.DrawFn) -> Answer:
    results = draw(st.lists(hostile_results(), max_size=3))
    if len(results) > 1:
        results[0] = results[0]._replace(constituents=(results[-1],))
    text = draw(hostile)
    return make_answer(
        *results,
        query=text,
        expressions=(text,),
        phases=(Phase(text, 3, 0, text),),
        hints=(Hint("x", text),),
        roots={"docs": "/srv/" + text},
    )


def renderings(answer: Answer, style: Style) -> list[str]:
    places = Places(answer.roots, "/srv")
    return [
        render_grouped(answer, places, style, explain=True),
        render_flat(answer, places, style),
        render_full(answer, places, style),
        render_list(answer, style),
        render_matches(answer, places, style),
        render_vimgrep(answer, places),
        render_files(answer, places),
        render_explanation(answer, style),
        render_nothing_found(answer),
    ]


@given(hostile_answers())
def test_no_answer_controls_the_terminal(answer: Answer) -> None:
    for text in renderings(answer, PLAIN):
        assert not CONTROLS.search(text)
        text.encode("utf-8")
    for text in renderings(answer, Style(color=True, links=True, width=40)):
        assert not CONTROLS.search(OWN_CODES.sub("", text))


@given(hostile_answers())
def test_lines_of_programs_are_one_line_each(answer: Answer) -> None:
    places = Places(answer.roots, "/srv")
    files = render_files(answer, places)
    assert len(files.splitlines()) == len({places.shown(r.entry) for r in answer.results})
    assert len(render_list(answer, PLAIN).split("\n")) == len(answer.results) + 1


@given(hostile_answers())
def test_json_is_ascii_safe_and_reads_back(answer: Answer) -> None:
    record = answer_record(answer, explain=True)
    text = dump_json(record)
    assert not CONTROLS.search(text)
    text.encode("utf-8")
    assert json.loads(text) == record
    assert json.loads(dump_json(record, ascii_only=True)) == record


@given(hostile_answers())
def test_matching_lines_hold_all_matches(answer: Answer) -> None:
    for result in answer.results:
        lines = match_lines(result)
        counted = [match for match in result.match_ranges if match[0] < match[1]]
        assert sum(len(line.columns) for line in lines) == len(counted)
        for line in lines:
            assert all(0 <= start <= end <= len(line.text) for start, end in line.ranges)


@given(hostile)
def test_no_report_controls_the_terminal(text: str) -> None:
    entry = make_entry(title=text, path=text, section_path=(text,))
    document = make_document(text, title=text, tags=(text,))
    shown = Shown(entry, document, {}, text, text, text, None, (entry,))
    tree = TreeStatus(text, text, "local")
    skipped, diagnostic = Skipped(text, text), Diagnostic(text, "x", text, 1)
    status = StatusReport((text,), text, (tree,), 0, (text,), True, 1, text)
    index = IndexReport((text,), (text,), (text,), 1, (skipped,), (diagnostic,), rebuilt=text)
    for printed in (
        render_show(ShowReport((shown,)), PLAIN),
        render_outline(ShowReport((shown,)), PLAIN),
        render_index(index, PLAIN, verbose=True),
        reports.render_status(status, PLAIN),
        *reports.iter_document_lines([document], PLAIN),
        *reports.iter_chunk_lines([entry], PLAIN),
        *reports.iter_tag_lines([(text, 1)], PLAIN),
        reports.render_settings([SettingOrigin(text, text, text, text)], PLAIN, origin=True),
        render_diagnostic(diagnostic, PLAIN),
        render_warning(text, PLAIN, text),
        render_error(UsageError(text, location=text, hint=text), PLAIN),
        render_error(QueryError(text, query=text, start=0, end=len(text)), PLAIN),
    ):
        assert not CONTROLS.search(printed)
        printed.encode("utf-8")


@given(hostile)
def test_cleaning_is_stable_and_changes_nothing_harmless(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean_line(clean_line(text)) == clean_line(text)
    if not re.search(
        "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", text
    ):
        assert clean(text) == text == clean_line(text)


@given(hostile, st.integers(0, 40))
def test_shortened_text_fits(text: str, width: int) -> None:
    assert display_width(shorten(text, width)) <= max(width, 0)


@given(hostile, st.integers(2, 40))
def test_wrapping_loses_no_word_and_fits(text: str, width: int) -> None:
    lines = [text[start:end] for start, end in wrap(text, width)]
    assert "".join("".join(line.split()) for line in lines) == "".join(text.split())
    assert all(display_width(line.strip()) <= width for line in lines)


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_carets_stand_under_the_place_at_fault(query: str, start: int, length: int) -> None:
    start = min(start, len(query))
    error = QueryError("x", query=query, start=start, end=min(len(query), start + length))
    lines = render_error(error, PLAIN).splitlines()
    before = lines[3].index("^")
    assert before == 5 + display_width(clean_line(query[:start]))
