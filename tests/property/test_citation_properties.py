"""Citations after any edits, against the obvious oracle: is what was cited still somewhere?"""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from support.folders import temporary_folder
from support.projects import Here

from leafmark.app import search_project, verify_texts
from leafmark.app.requests import SearchRequest, VerifyRequest
from leafmark.model import Verified, document_id
from leafmark.search.citations import cited_ids, format_citation

lines = st.sampled_from(
    [
        "# One", "## Two", "### Two", "word one", "another line", "x", "", "", "- a list",
        "Süß und 日本語.", "A sentence. And another one! Is this?", "```", "\t", "word one  ",
    ]
)  # fmt: skip
texts = st.lists(lines, max_size=14).map("\n".join)
sources = st.dictionaries(st.sampled_from(["a.md", "b c.md", "d/e.txt"]), texts, min_size=1)


@st.composite
def edited(draw: st.DrawFn, old: dict[str, str]) -> dict[str, str]:
    """Some of the sources, renamed, cut, spliced together, with new text in between."""
    new = {}
    for path, text in old.items():
        path = draw(st.sampled_from([path, path, "new/" + path]))
        for _ in range(draw(st.integers(0, 3))):
            at = draw(st.integers(0, len(text)))
            end = min(len(text), at + draw(st.integers(0, 12)))
            inserted = draw(st.one_of(st.just(""), texts, st.sampled_from(list(old.values()))))
            text = text[:at] + inserted + text[end:]
        if draw(st.integers(0, 5)):
            new[path] = text
    return new


def write(here: Here, files: dict[str, str]) -> None:
    for old in sorted(here.root.rglob("*"), reverse=True):
        old.unlink() if old.is_file() else old.rmdir()
    for path, text in files.items():
        here.write(path, text)


def verify(here: Here, text: str, *, refresh: bool) -> tuple[Verified, ...]:
    request = VerifyRequest((("-", text),), refresh=refresh)
    (report,) = verify_texts(here.project(), request)
    return report.citations


@settings(max_examples=15)
@given(st.data())
def test_no_changed_text_is_ok_and_nothing_that_moved_is_lost(data: st.DataObject) -> None:
    with temporary_folder() as folder:
        here = Here(Path(folder, "here"), Path(folder, "home"))
        here.root.mkdir()
        here.home.mkdir()
        old = data.draw(sources)
        write(here, old)
        request = SearchRequest(("tree:here",), limit=100, aggregation=False)
        results = search_project(here.project(), request).results
        cited = {
            str(one.citation): old[one.entry.path].encode()[
                one.entry.byte_start : one.entry.byte_end
            ]
            for one in results
        }
        text = "\n".join(cited)
        assert [one.status for one in verify(here, text, refresh=True)] == ["ok"] * len(cited)
        new = data.draw(edited(old))
        write(here, new)
        refresh = data.draw(st.booleans())
        for one in verify(here, text, refresh=refresh):
            _check(one, cited[one.citation], new, known=old if not refresh else new)


def _check(one: Verified, cited: bytes, new: dict[str, str], *, known: dict[str, str]) -> None:
    """`known` are the documents that are looked at: without a refresh, new ones are not."""
    sources = {path: text.encode() for path, text in new.items() if path in known}
    somewhere = any(cited in source for source in sources.values() if source.strip())
    assert (one.status in ("ok", "moved")) == somewhere, one
    assert (one.status == "ok") == (one.current == one.citation)
    if one.place is not None:
        path = one.place.id.partition(":")[2].partition("#")[0].partition("~")[0]
        assert sources[path][one.place.byte_start : one.place.byte_end] == cited


@given(st.text(max_size=30), st.text(max_size=20).filter(lambda slug: "%" not in slug))
def test_a_citation_leads_back_to_its_id(path: str, slug: str) -> None:
    for chunk_id in (document_id("t", path), f"{document_id('t', path)}#{slug}"):
        assert chunk_id in cited_ids(format_citation(chunk_id, "0123456789abcdef", 0, 5))
