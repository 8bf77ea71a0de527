"""Links between the sources of one run of `leafmark chunk`, with no index."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import chunk_sources, chunking, plan_chunking
from leafmark.app.chunking import ChunkJob, RunLinks
from leafmark.app.requests import ChunkRequest
from leafmark.app.sources.folders import Tree
from leafmark.chunking import ChunkingOptions
from leafmark.model import ChunkedDocument, CompressedList
from leafmark.render.chunks import iter_chunk_lines

PAGES = {
    "a.md": "# A\n\n[b](docs/b.md) [set](docs/b.md#set-up) [[b#Empty]] [no](none.md) [x](c.md)\n\n"
    "[x](bin.md) [x](bad.md) [x](docs/page.html#Top) [own](#a) [own](a.md#a) [x](#none)\n",
    "c.md": " \n",
    "bad.md": "# Bad\n\nx\n",
    "docs/b.md": "---\nversion: 1\n---\n[up](../a.md#a)\n# B\n\nx\n\n## Set up\n\ny\n\n## Empty\n",
    "docs/page.html": '<base href="../"><h1 id="Top">P</h1>'
    '<a href="docs/b.md#b">x</a><h2>Two</h2>y',
    "docs/sub/d.md": "[b](../b.md#b~1) [/](/a.md) [..](..) [.](../page#two) [x](../../../x.md)\n",
}


@pytest.fixture
def linked(here: Here) -> Here:
    for path, text in PAGES.items():
        here.write(path, text)
    (here.root / "bin.md").write_bytes(b"\0\1\2" * 40)
    return here


def links_of(here: Here, *paths: str, workers: int = 0) -> dict[str, list[tuple[str, Any]]]:
    plan = plan_chunking(here.project(), ChunkRequest(paths or (".",)))
    found = chunk_sources(plan, render=iter_chunk_lines, linked=True, workers=workers)
    lines = "".join(answer for answer in found if isinstance(answer, str)).splitlines()
    return {
        record["id"]: [(link["target"], link["id"]) for link in record["links"]]
        for record in map(json.loads, lines)
    }


def test_links_lead_where_an_index_says(linked: Here) -> None:
    found = links_of(linked)
    linked.index()
    shown = linked.show(*found).shown
    indexed = {
        one.record["id"]: [(link["target"], link["id"]) for link in one.record["links"]]
        for one in shown
    }
    assert found == indexed
    led = [there for links in found.values() for _, there in links]
    assert {*led} == {
        *("here:a.md", "here:a.md#a", "here:bad.md", "here:docs/b.md", "here:docs/b.md#b"),
        *("here:docs/b.md#set-up", "here:docs/page.html#Top", "here:docs/page.html#two", None),
    }
    assert led.count(None) == 5


def test_places_in_pieces_are_found_from_their_page_and_from_others(here: Here) -> None:
    text = "<p>" + "Some words that say little. " * 40 + "</p>\n"
    here.write("long.html", f'<h1>L</h1>\n{text * 9}<a name="(far)"></a>{text}')
    here.write("b.md", "[x](long.html#%28far%29)\n")
    here.write("long.md", f'# L\n\n{text * 9}\n<a name="(far)"></a>\n\n{text}\n[x](#%28far%29)\n')
    led = [there for links in links_of(here).values() for _, there in links]
    assert [there.partition("~")[0] for there in led] == ["here:long.html#l", "here:long.md#l"]
    assert all("~" in there for there in led)
    here.index()
    names = [there.partition("#")[0] + "#(far)" for there in led]
    assert led == [shown.record["id"] for shown in here.show(*names).shown]


def test_only_what_is_in_the_run_is_linked_to(linked: Here) -> None:
    assert links_of(linked, "docs")["here:docs/b.md"] == [("../a.md#a", None)]
    both = links_of(linked, "docs/b.md", "a.md")
    assert both["here:docs/b.md"] == [("../a.md#a", "here:a.md#a")]


def test_several_processes_find_the_same(linked: Here) -> None:
    assert links_of(linked, workers=2) == links_of(linked)


def test_a_page_is_chunked_for_its_links_once(
    linked: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(20):
        linked.write(f"more/{k}.md", f"[x](../docs/b.md#b) [y]({k - 1}.md#x) [z](../a.md#a)\n")
    asked: list[str] = []
    chunked = chunking.linked_to

    def ask(job: ChunkJob) -> ChunkedDocument | None:
        asked.append(job.path)
        return chunked(job)

    monkeypatch.setattr(chunking, "linked_to", ask)
    links_of(linked)
    assert len(asked) == len({*asked}) > 20
    asked.clear()
    monkeypatch.setattr(chunking, "KEPT_SLUGS", 3)
    assert len(links_of(linked)) > 20
    assert len(asked) > len({*asked})  # no more is kept than the bound says


def _told(count: int) -> RunLinks:
    """The links of a run over so many sources."""
    jobs, tree = CompressedList[ChunkJob](), Tree(name="here", root=Path("/here"), overrides={})
    for k in range(count):
        path = f"handbook/part-{k // 100}/chapter-{k % 100}/README.md"
        jobs.append(ChunkJob(tree, path, 100 + k % 977, ChunkingOptions()))
    return RunLinks(jobs, chunking.linked_to)


def test_what_a_process_is_told_of_all_sources_is_some_bytes_each() -> None:
    count = 4_000
    assert len(pickle.dumps(_told(count))) < 20 * count
