"""Citations checked against sources that were edited, moved and renamed meanwhile."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import verify_texts
from leafmark.app.answering.opening import open_reporting
from leafmark.app.requests import VerifyRequest
from leafmark.errors import NotFoundError
from leafmark.model import Verified, VerifyReport
from leafmark.search.citations import format_citation

GUIDE = "# Guide\n\nPreamble.\n\n## Setup\n\nInstall it.\n\n## Usage\n\nCall it. Twice.\n"


@pytest.fixture
def guide(here: Here) -> Here:
    here.write("guide.md", GUIDE)
    here.write("other.md", "# Other\n\nNothing of it.\n")
    here.index()
    return here


def report(here: Here, text: str, *, refresh: bool = True) -> VerifyReport:
    request = VerifyRequest((("-", text),), refresh=refresh)
    (found,) = verify_texts(here.project(), request)
    return found


def verify(here: Here, citation: str, *, refresh: bool = True) -> Verified:
    (found,) = report(here, f"see {citation}.", refresh=refresh).citations
    return found


def cite(here: Here, wanted: str) -> str:
    """The citation of a chunk as it is."""
    (cited,) = cite_all(here, wanted)
    return cited


def cite_all(here: Here, *wanted: str) -> list[str]:
    """The citations of chunks as they are, read at once."""
    return [
        format_citation(
            one.entry.id, one.record["sha256"], one.entry.byte_start, one.entry.byte_end
        )
        for one in here.show(*wanted).shown
    ]


def cite_bytes(chunk_id: str, source: bytes, part: bytes) -> str:
    start = source.index(part)
    return format_citation(chunk_id, hashlib.sha256(part).hexdigest(), start, start + len(part))


def test_what_was_cited_is_still_there(guide: Here) -> None:
    for wanted in ("guide.md", "guide.md#setup", "guide.md#usage", "other.md#other"):
        citation = cite(guide, wanted)
        found = verify(guide, citation)
        assert (found.status, found.current) == ("ok", citation)


def test_a_part_of_a_chunk_may_be_cited(guide: Here) -> None:
    part = cite_bytes("here:guide.md#usage", GUIDE.encode(), b"Call it.")
    assert verify(guide, part).status == "ok"
    assert verify(guide, cite_bytes("here:guide.md", GUIDE.encode(), b"Call it.")).status == "ok"
    with_heading = cite_bytes("here:guide.md#setup", GUIDE.encode(), b"## Setup\n\nInstall it.\n")
    assert verify(guide, with_heading).status == "ok"


def test_bytes_of_another_chunk_are_cited_by_a_wrong_name(guide: Here) -> None:
    found = verify(guide, cite_bytes("here:guide.md#setup", GUIDE.encode(), b"Call it."))
    assert found.status == "moved"
    assert found.current == cite_bytes("here:guide.md#usage", GUIDE.encode(), b"Call it.")


def test_text_before_it_moves_a_section(guide: Here) -> None:
    citation = cite(guide, "guide.md#usage")
    guide.write("guide.md", GUIDE.replace("Preamble.", "A longer preamble.\n\nIn parts."))
    found = verify(guide, citation)
    assert (found.status, found.current) == ("moved", cite(guide, "guide.md#usage"))
    assert found.place is not None
    assert (found.place.line_start, found.place.line_end) == (12, 13)


def test_a_renamed_heading_moves_its_section(guide: Here) -> None:
    citation = cite(guide, "guide.md#setup")
    guide.write("guide.md", GUIDE.replace("## Setup", "## Start"))
    found = verify(guide, citation)
    assert (found.status, found.current) == ("moved", citation.replace("#setup", "#start"))


def test_a_renamed_file_moves_all_of_it(guide: Here) -> None:
    citations = [cite(guide, wanted) for wanted in ("guide.md", "guide.md#usage")]
    (guide.root / "guide.md").rename(guide.root / "manual.md")
    for citation in citations:
        found = verify(guide, citation)
        assert (found.status, found.current) == ("moved", citation.replace("guide", "manual", 1))


def test_a_section_may_move_into_another_document(guide: Here) -> None:
    citation = cite(guide, "guide.md#setup")
    guide.write("guide.md", "# Guide\n\nPreamble.\n")
    guide.write("other.md", "# Other\n\n## First\n\nInstall it.\n\n## Second\n\nx\n")
    found = verify(guide, citation)
    assert (found.status, found.current) == ("moved", cite(guide, "other.md#first"))


def test_lines_may_become_part_of_a_larger_section(guide: Here) -> None:
    citation = cite(guide, "guide.md#setup")
    guide.write("guide.md", "# Guide\n")
    guide.write("other.md", "# Other\n\nBefore.\n\nInstall it.\n\nAfter.\n")
    found = verify(guide, citation)
    assert found.status == "moved"
    assert found.place is not None
    assert (found.place.id, found.place.line_start) == ("here:other.md#other", 4)


def test_changed_text_is_never_ok_and_its_new_citation_is_told(guide: Here) -> None:
    citation = cite(guide, "guide.md#setup")
    guide.write("guide.md", GUIDE.replace("Install it", "Install me"))
    found = verify(guide, citation)
    assert (found.status, found.place) == ("changed", None)
    assert found.current == cite(guide, "guide.md#setup")


def test_what_is_nowhere_any_more_is_gone(guide: Here) -> None:
    section, document = cite(guide, "guide.md#setup"), cite(guide, "other.md")
    guide.write("guide.md", GUIDE.replace("## Setup\n\nInstall it.\n\n", ""))
    (guide.root / "other.md").unlink()
    for citation in (section, document):
        found = verify(guide, citation)
        assert (found.status, found.place, found.current) == ("gone", None, None)
    assert verify(guide, cite(guide, "guide.md#usage").replace("#usage", "#usages")).status != "ok"


def test_the_nearest_ids_are_named_where_it_is_gone(guide: Here) -> None:
    citation = cite(guide, "guide.md#usage").replace("guide.md#usage", "guide.md#usages")
    digest = citation.partition("@")[2][:12]
    found = verify(guide, citation.replace(digest, "0" * 12))
    assert (found.status, found.nearest[0]) == ("gone", "here:guide.md#usage")


@pytest.mark.parametrize("places", ["9-3", "0-999999", "999998-999999"])
def test_a_range_that_the_source_lacks_is_changed(guide: Here, places: str) -> None:
    head = cite(guide, "guide.md#setup").rpartition(":")[0]
    assert verify(guide, f"{head}:{places}").status == "changed"


def test_an_old_index_makes_nothing_right(guide: Here) -> None:
    citation = cite(guide, "guide.md#setup")
    guide.write("guide.md", GUIDE.replace("Install it", "Install me"))
    assert verify(guide, citation, refresh=False).status == "changed"
    guide.write("guide.md", "Moved down.\n\n" + GUIDE)
    found = verify(guide, citation, refresh=False)
    assert found.status == "moved"
    assert found.current == verify(guide, citation).current == cite(guide, "guide.md#setup")


def test_what_moved_into_a_source_that_was_empty_is_found_without_a_refresh(guide: Here) -> None:
    guide.write("notes.md", "")
    guide.index()
    citation = cite(guide, "guide.md#setup")
    guide.write("notes.md", GUIDE)
    (guide.root / "guide.md").unlink()
    found = verify(guide, citation, refresh=False)
    assert found.status == "moved"
    assert found.current == verify(guide, citation).current == cite(guide, "notes.md#setup")


def test_a_source_that_vanished_since_it_was_indexed_is_gone(guide: Here) -> None:
    citation = cite(guide, "guide.md#setup")
    (guide.root / "guide.md").unlink()
    assert verify(guide, citation, refresh=False).status == "gone"


def test_without_an_index_there_is_nothing_to_look_in(here: Here) -> None:
    with pytest.raises(NotFoundError) as caught:
        report(here, "", refresh=False)
    assert caught.value.message == "there is no index yet"


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
def test_spans_are_of_the_decoding_where_a_source_is_not_utf_8(here: Here, encoding: str) -> None:
    text = "# Café\n\nUn café, déjà vu.\n\n## Crème brûlée\n\nSucré — très.\n"
    (here.root / "a.md").write_bytes(text.encode(encoding))
    here.index()
    citation = cite(here, "a.md#crème-brûlée")
    assert verify(here, citation).status == "ok"
    (here.root / "a.md").write_bytes(f"# Avant\n\nÇa.\n\n{text}".encode(encoding))
    found = verify(here, citation)
    assert (found.status, found.current) == ("moved", cite(here, "a.md#crème-brûlée"))


def test_html_moves_by_its_markup(here: Here) -> None:
    page = "<h1>A</h1><p>one</p><h2>B</h2><p>two</p>"
    here.write("a.html", f"<body>{page}</body>")
    here.index()
    citation = cite(here, "a.html#b")
    here.write("a.html", f"<body><main><p>new</p>{page}</main></body>")
    found = verify(here, citation)
    assert (found.status, found.current) == ("moved", cite(here, "a.html#b"))


def test_odd_names_are_cited_and_found(here: Here) -> None:
    here.write("a (1) [x] 100%~#\u3000“q”.md", "# T\n\nx\n")
    here.index()
    citation = cite(here, "here:a (1) [x] 100%25%7E%23\u3000“q”.md#t")
    assert " " not in citation
    assert verify(here, citation).status == "ok"


def test_each_place_in_the_text_is_told(guide: Here) -> None:
    one, other = cite(guide, "guide.md#setup"), cite(guide, "other.md")
    found = report(guide, f"a {one}\n\n- ({other}), `{one}`\n")
    assert [(each.citation, each.line, each.column) for each in found.citations] == [
        (one, 1, 3),
        (other, 3, 4),
        (one, 3, 4 + len(other) + 4),
    ]
    assert found.counts == {"ok": 3, "moved": 0, "changed": 0, "gone": 0}
    assert found.holds


def test_a_text_without_citations_does_not_hold(guide: Here) -> None:
    assert not report(guide, "nothing here").holds


def test_a_text_that_quotes_what_it_cites_is_not_where_that_moved(guide: Here) -> None:
    citation = cite(guide, "guide.md#setup")
    guide.write("answer.md", f"# Answer\n\n\nInstall it.\n\n{citation}\n")
    guide.write("guide.md", GUIDE.replace("Install it", "Install me"))
    text = (guide.root / "answer.md").read_text(encoding="utf-8")
    request = VerifyRequest((("answer.md", text),))
    ((found,),) = [report.citations for report in verify_texts(guide.project(), request)]
    assert found.status == "changed"
    assert verify(guide, citation).status == "moved"  # read from elsewhere, it did


def test_a_changed_source_under_a_refreshed_index_is_read_anew(
    guide: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    citation = cite(guide, "guide.md#setup")

    def open_and_change(*args: Any, **wishes: Any) -> Any:
        answer = open_reporting(*args, **wishes)
        guide.write("guide.md", GUIDE.replace("Install it", "Install me"))
        return answer

    monkeypatch.setattr("leafmark.app.answering.verifying.open_reporting", open_and_change)
    assert verify(guide, citation).status == "changed"


def test_the_nearest_are_told_for_the_first_names(here: Here) -> None:
    here.write("a.md", "# A\n\nwalrus\n")
    gone = [f"[here:a.md#gone-{n}@{n:012x}:0-{n + 1}]" for n in range(40)]
    (report,) = verify_texts(here.project(), VerifyRequest((("-", " ".join(gone * 2)),)))
    assert [one.status for one in report.citations] == ["gone"] * 80
    assert [bool(one.nearest) for one in report.citations] == ([True] * 3 + [False] * 37) * 2


def test_all_that_moved_is_found_at_once(here: Here) -> None:
    for number in range(30):
        here.write(f"{number}.md", f"# N{number}\n\nText of {number}.\n\n## B\n\nMore {number}.\n")
    here.index()
    cited = cite_all(here, *(f"{number}.md#b" for number in range(30)))
    for number in range(30):
        (here.root / f"{number}.md").rename(here.root / f"moved-{number}.md")
    (report,) = verify_texts(here.project(), VerifyRequest((("-", " ".join(cited)),)))
    assert [one.status for one in report.citations] == ["moved"] * 30
    assert [one.current and one.current.partition("@")[0] for one in report.citations] == [
        f"here:moved-{number}.md#b" for number in range(30)
    ]


def test_long_sections_of_moved_files_are_found_however_many_are_lost(here: Here) -> None:
    """More lengths than are looked for between edges, and the longest among them."""
    for number in range(4):
        sections = (
            f"## Part {part}\n\n{f'word{number}x{part} ' * (20 + 4 * part + number)}\n\n"
            for part in range(60)
        )
        here.write(f"{number}.md", f"# N{number}\n\n{''.join(sections)}")
    here.index()
    cited = cite_all(here, *(f"{n}.md#part-{part}" for n in range(4) for part in range(60)))
    (here.root / "moved").mkdir()
    for number in range(4):
        (here.root / f"{number}.md").rename(here.root / "moved" / f"{number}.md")
    (report,) = verify_texts(here.project(), VerifyRequest((("-", " ".join(cited)),)))
    assert [one.status for one in report.citations] == ["moved"] * 240
