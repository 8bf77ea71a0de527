"""What `leafmark doctor` says of an embedder and its vectors, with a real server behind them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.embedders import FakeServer, Reply, embedding_flags, serve_embeddings, vector_of
from support.projects import Here

from leafmark.app import examine, index_project, open_project, search_project
from leafmark.app.requests import IndexRequest, SearchRequest
from leafmark.model import Check

DIMENSION = len(vector_of("x"))
ANSWERS = Check("embedder", "ok", f"m answers, with vectors of {DIMENSION} numbers")
SOUND = Check("vectors", "ok", "every chunk has its own, every byte sound")
NONE_YET = Check("vectors", "warning", "there are none yet", "`leafmark index` makes them")


@pytest.fixture
def server(here: Here) -> Iterator[FakeServer]:
    here.write("a.md", "# A\n\nfix a car\n")
    with serve_embeddings() as running:
        yield running


def _environ(here: Here) -> dict[str, str]:
    return {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}


def _index(here: Here, server: FakeServer) -> Path:
    """Make index and vectors, and return the file of these."""
    project = open_project(here.root, flags=embedding_flags(server), environ=_environ(here))
    index_project(project, IndexRequest())
    (rows,) = project.shared_dir.glob("vectors/*/rows-*")
    return rows


def _said(here: Here, server: FakeServer) -> list[Check]:
    report = examine(here.root, flags=embedding_flags(server), environ=_environ(here))
    return [check for check in report.checks if check.area in ("embedder", "vectors")]


def test_without_an_embedder_nothing_is_said(here: Here, server: FakeServer) -> None:
    here.index()
    areas = {check.area for check in examine(here.root, flags={}, environ=_environ(here)).checks}
    assert not areas & {"embedder", "vectors"}
    assert server.requests == []


def test_nothing_is_wrong(here: Here, server: FakeServer) -> None:
    assert _said(here, server) == [ANSWERS]
    here.index()
    assert _said(here, server) == [ANSWERS, NONE_YET]
    _index(here, server)
    assert _said(here, server) == [ANSWERS, SOUND]


def test_an_embedder_that_refuses_is_a_problem(here: Here, server: FakeServer) -> None:
    _index(here, server)
    server.replies.append(Reply(401, {"error": "no"}))
    problem, vectors = _said(here, server)
    assert problem == Check(
        "embedder",
        "problem",
        f"the embedder answered 401: no ({server.url})",
        "the key is missing or wrong: embedding.key_variable names the variable that holds it",
    )
    assert vectors == SOUND


def test_a_model_that_is_not_there_is_a_problem_among_others(
    here: Here, server: FakeServer
) -> None:
    _index(here, server)
    flags = {"embedding.provider": "minilm", "embedding.model": "another"}
    report = examine(here.root, flags=flags, environ=_environ(here))
    said = {check.area: check for check in report.checks}
    assert said["embedder"] == Check(
        "embedder",
        "problem",
        "embedding.model is 'another', and minilm has only one model: all-MiniLM-L6-v2",
        "leave embedding.model out, or set embedding.provider to one that has that model",
    )
    assert "vectors" not in said
    assert said["sources"].state == "ok"


def test_chunks_without_vectors(here: Here, server: FakeServer) -> None:
    _index(here, server)
    here.write("b.md", "# B\n\nwater roses\n")
    here.index()
    assert _said(here, server)[1] == Check(
        "vectors",
        "warning",
        "2 of 4 chunks have none yet",
        "`leafmark index` makes them",
    )


def test_a_flipped_bit(here: Here, server: FakeServer) -> None:
    rows = _index(here, server)
    data = bytearray(rows.read_bytes())
    data[-1] ^= 1
    rows.write_bytes(data)
    assert _said(here, server)[1] == Check(
        "vectors",
        "problem",
        "stored vectors have changed: the disk or its files may be damaged",
        "`leafmark index` makes those again",
    )
    _index(here, server)
    assert _said(here, server) == [ANSWERS, SOUND]


@pytest.mark.parametrize(
    ("file", "what", "mended"),
    [
        (
            "MODEL",
            "their description",
            "the description of the vectors was damaged, and was written again",
        ),
        (
            "documents",
            "the list of their texts",
            "the list of texts with vectors was damaged, and mended",
        ),
        (
            "view-*",
            "the list of vectors by chunk",
            "the list of vectors by chunk could not be read; it is written again",
        ),
    ],
)
def test_what_is_damaged_beside_vectors_is_written_anew_and_no_vector_is_made(
    here: Here, server: FakeServer, file: str, what: str, mended: str
) -> None:
    (path,) = _index(here, server).parent.glob(file)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    message = f"{what} is damaged: check the disk"
    hint = "`leafmark index` writes it again"
    assert _said(here, server)[1] == Check("vectors", "problem", message, hint)
    project = open_project(here.root, flags=embedding_flags(server), environ=_environ(here))
    report = index_project(project, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (0, 0)
    assert report.warnings == (mended,)
    assert _said(here, server) == [ANSWERS, SOUND]


@pytest.mark.parametrize("is_rebuilt", [True, False])
def test_vectors_that_an_index_has_not_taken_over_are_not_called_none(
    here: Here, server: FakeServer, is_rebuilt: bool
) -> None:
    rows = _index(here, server)
    if is_rebuilt:
        here.run(IndexRequest(rebuild=True))
    else:
        next(rows.parent.glob("view-*")).unlink()
    message = "there are vectors of other indexes, none of this one"
    hint = "`leafmark index` keeps those that are still valid"
    assert _said(here, server)[1] == Check("vectors", "warning", message, hint)
    project = open_project(here.root, flags=embedding_flags(server), environ=_environ(here))
    report = index_project(project, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (0, 0)


def test_lost_vectors_are_called_lost_and_made_again(here: Here, server: FakeServer) -> None:
    rows = _index(here, server)
    rows.unlink()
    assert _said(here, server)[1] == Check(
        "vectors",
        "problem",
        "vectors were lost: their file is gone, or shorter than it was: "
        "the disk or its files may be damaged",
        "`leafmark index` makes those again",
    )
    project = open_project(here.root, flags=embedding_flags(server), environ=_environ(here))
    asked = SearchRequest(("repair of cars",), mode="semantic", refresh=False)
    hints = {hint.code: hint.values for hint in search_project(project, asked).hints}
    assert hints["no-vectors"]["reason"] == "vectors were lost"
    report = index_project(project, IndexRequest())
    assert report.vectors
    assert report.warnings == ("vectors were lost or damaged, and were made again",)
    assert _said(here, server) == [ANSWERS, SOUND]


def test_a_model_of_another_dimension(here: Here, server: FakeServer) -> None:
    _index(here, server)
    server.replies.append(Reply(body={"embeddings": [[1.0, 2.0]]}))
    assert _said(here, server) == [
        Check("embedder", "ok", "m answers, with vectors of 2 numbers"),
        Check(
            "vectors",
            "problem",
            f"those of the index have {DIMENSION} numbers: they are of another model",
            "`leafmark index --rebuild` makes them again",
        ),
    ]
