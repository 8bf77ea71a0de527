"""Vectors in a cluster: the same answers by meaning, made once for all machines."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("urllib3")
pytest.importorskip("numpy")

from support.cluster import OpenSearch
from support.command import clean_environment
from support.embedders import FakeServer, Reply, embedding_flags, serve_embeddings

from leafmark.app import Project, examine, index_project, open_project, project_status
from leafmark.app import search_project as search
from leafmark.app.requests import IndexRequest, SearchRequest
from leafmark.index.remote import vector_store as remote_vectors
from leafmark.model import Answer
from leafmark.search.options import Mode

ROOT = Path(__file__).parents[3]
IN_ONE: dict[str, object] = {"index.shards": 1}
QUERIES = (
    "how do I restore a backup",
    "automobile repair",
    "what is a chunk of text",
    "where is a document cut",
    "which files are read",
    "mend a broken index",
    "what does a citation point at",
    "cars",
    "settings of a folder that nobody trusts",
    "agents ask for context",
    "source code in a document",
    "why is nothing found",
)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serve_embeddings() as running:
        yield running


def opened(folder: Path, server: FakeServer, url: str = "", **flags: object) -> Project:
    """A project in a home of its own, as on a machine of its own; with `url` in a cluster."""
    home = folder.parent / f"home-of-{folder.name}"
    home.mkdir(exist_ok=True)
    stated = embedding_flags(server) | flags | (IN_ONE | {"index.url": url} if url else {})
    return open_project(folder, flags=stated, environ=clean_environment(home))


def pages(folder: Path, **texts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]


def paths(answer: Answer) -> list[str]:
    return [result.document.doc_id for result in answer.results]


def asked(project: Project, query: str, mode: Mode) -> Answer:
    return search(project, SearchRequest((query,), mode=mode))


def delete(cluster: OpenSearch, index: str) -> None:
    url = f"{cluster.nodes[0].url}/{index}"
    urllib.request.urlopen(urllib.request.Request(url, method="DELETE"), timeout=30).close()


def test_answers_by_meaning_are_those_of_the_embedded_engine(
    cluster: OpenSearch, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", here)
    embedded, remote = opened(here, server), opened(here, server, cluster.url("meaning"))
    for project in (embedded, remote):
        report = index_project(project, IndexRequest())
        assert (report.pending_vectors, report.warnings) == (0, ())
        assert report.vectors > 300
    overlaps = {"exact": list[float](), "graph": list[float]()}
    ways: dict[Mode, tuple[str, ...]] = {"hybrid": ("exact",), "semantic": ("exact", "graph")}
    most = {"exact": remote_vectors.EXACT_UP_TO, "graph": 0}
    for query, (mode, hows) in product(QUERIES, ways.items()):
        first = asked(embedded, query, mode)
        assert first.results
        for how in hows:
            monkeypatch.setattr(remote_vectors, "EXACT_UP_TO", most[how])
            second = asked(remote, query, mode)
            assert [hint.code for hint in first.hints] == [hint.code for hint in second.hints]
            overlaps[how].append(len({*ids(first)} & {*ids(second)}) / len(first.results))
            if how == "exact":
                scores = [result.score for result in first.results]
                assert [r.score for r in second.results] == pytest.approx(scores, rel=0.02)
    means = {how: sum(found) / len(found) for how, found in overlaps.items()}
    print(f"by meaning, overlap@10: {means}")
    assert means["exact"] >= 0.99
    assert means["graph"] >= 0.98


def test_a_second_machine_embeds_nothing_again(
    cluster: OpenSearch, server: FakeServer, tmp_path: Path
) -> None:
    """Nor does one with another tree, some of whose texts are known."""
    url = cluster.url("shared")
    texts = {"a": "# Fix\n\nHow to fix a car.\n", "b": "# Tea\n\nA pot of tea.\n"}
    first = opened(pages(tmp_path / "one" / "docs", **texts), server, url)
    report = index_project(first, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (2, 0)
    again = opened(pages(tmp_path / "two" / "docs", **texts), server, url)
    before = len(server.requests)
    report = index_project(again, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (0, 0)
    other = pages(tmp_path / "three" / "notes", tea=texts["b"], new="# New\n\nNot known yet.\n")
    report = index_project(opened(other, server, url), IndexRequest())
    assert (report.vectors, report.pending_vectors) == (1, 0)
    made = [text for _, _, body in server.requests[before:] for text in body["input"]]
    assert [text for text in made if "New" not in text and "dimension" not in text] == []
    found = asked(again, "mend an automobile", "semantic")
    assert paths(found)[0] == "docs:a.md"
    within = search(again, SearchRequest(("pot tea",), mode="semantic", trees=("notes",)))
    assert paths(within) == ["notes:tea.md"]


def test_what_changed_is_pending_and_its_old_vectors_answer_nothing(
    cluster: OpenSearch, server: FakeServer, tmp_path: Path
) -> None:
    here = pages(tmp_path / "docs", a="# A\n\nfix a car\n", b="# B\n\npot of tea\n")
    project = opened(here, server, cluster.url("stale"))
    index_project(project, IndexRequest())
    pages(here, a="# A\n\nan orchard of apples\n")
    report = index_project(project, IndexRequest(vectors=False))
    assert report.modified == ("docs:a.md",)
    assert project_status(project).pending_vectors == 2
    answer = asked(project, "automobile repair", "semantic")
    assert "docs:a.md" not in paths(answer)
    assert "pending-vectors" in [hint.code for hint in answer.hints]
    report = index_project(project, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (1, 0)
    assert paths(asked(project, "apples in an orchard", "semantic"))[0] == "docs:a.md"
    pages(here, a="# A\n\nfix a car\n")  # as it was: its vectors are there still
    report = index_project(project, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (0, 0)
    assert paths(asked(project, "automobile repair", "semantic"))[0] == "docs:a.md"
    assert project_status(project).pending_vectors == 0


def test_vectors_that_no_source_has_needed_for_long_are_removed(
    cluster: OpenSearch, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = pages(tmp_path / "docs", a="# A\n\nfix a car\n", b="# B\n\npot of tea\n", c="# C\n\nc\n")
    url = cluster.url("unused")
    project = opened(here, server, url)
    index_project(project, IndexRequest())

    def count() -> int:
        where = f"{cluster.nodes[0].url}/unused-vectors-*/_count"
        with urllib.request.urlopen(where, timeout=30) as answer:
            return int(json.load(answer)["count"])

    whole = count()
    (here / "a.md").unlink()
    index_project(project, IndexRequest())
    assert count() == whole  # it may be back
    monkeypatch.setattr(remote_vectors, "UNUSED_S", -5.0)
    pages(here, b="# B\n\nsomething else\n")
    index_project(project, IndexRequest())
    assert count() == whole * 2 // 3
    assert asked(project, "else something", "semantic").results


def test_a_run_whose_embedder_fails_keeps_what_it_made(
    cluster: OpenSearch, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leafmark.app.indexing import cluster_vectors

    monkeypatch.setattr(cluster_vectors, "BATCH_TEXTS", 1)
    monkeypatch.setattr(cluster_vectors, "BLOCK", 1)
    texts = {f"p{at}": f"# P{at}\n\ntext number {at}\n" for at in range(4)}
    project = opened(pages(tmp_path / "docs", **texts), server, cluster.url("failing"))
    server.replies += [Reply(), Reply(), Reply(), Reply(status=500)]
    report = index_project(project, IndexRequest())
    assert report.warnings
    assert report.warnings[0].startswith("vectors are missing: ")
    assert 0 < report.vectors < 4
    rest = index_project(project, IndexRequest())
    assert (report.vectors + rest.vectors, rest.pending_vectors) == (4, 0)


def test_a_lost_index_of_vectors_is_made_again(
    cluster: OpenSearch, server: FakeServer, tmp_path: Path
) -> None:
    project = opened(pages(tmp_path / "docs", a="# A\n\nfix a car\n"), server, cluster.url("lost"))
    index_project(project, IndexRequest())
    delete(cluster, "lost-vectors-*")
    answer = asked(project, "automobile repair", "semantic")
    assert "no-vectors" in [hint.code for hint in answer.hints]
    report = index_project(project, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (1, 0)


def test_doctor_says_which_vectors_are_missing(
    cluster: OpenSearch, server: FakeServer, tmp_path: Path
) -> None:
    here = pages(tmp_path / "docs", a="# A\n\nfix a car\n")
    url = cluster.url("examined")
    project = opened(here, server, url)
    flags = embedding_flags(server) | {"index.url": url}
    home = clean_environment(tmp_path / "home-of-docs")

    def said() -> str:
        report = examine(here, flags=flags, environ=home)
        return next(check.message for check in report.checks if check.area == "vectors")

    index_project(project, IndexRequest(vectors=False))
    assert said() == "there are none yet"
    index_project(project, IndexRequest())
    assert said() == "every chunk has its own"
    pages(here, b="# B\n\ntea\n")
    index_project(project, IndexRequest(vectors=False))
    assert said() == "2 of 4 chunks have none yet"
