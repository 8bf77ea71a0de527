"""The store of vectors: what survives a crash, and search against brute force."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from leafmark.errors import LockedError, StorageError
from leafmark.index import vector_search
from leafmark.index.manifest import ManifestRow
from leafmark.index.vector_search import VectorSearcher
from leafmark.index.vector_view import (
    PENDING,
    VectorView,
    build_view,
    read_view,
    write_view,
)
from leafmark.index.vectors import (
    VectorModel,
    document_key,
    map_rows,
    open_vector_writer,
    row_type,
    serialise_texts,
    text_hash,
    vector_folder,
)
from leafmark.model import DocumentKey, document_id

DIMENSION = 12
MODEL = VectorModel("m", "1", DIMENSION)
TEXTS = ["first", "second", "third"]
HASHES = [text_hash(text) for text in TEXTS]
KEY = document_key("d")
PACKED = serialise_texts([HASHES[:2], HASHES[2:], []])
"""A chunk of two windows, one of one, and one without text."""


def unit_rows(count: int, dimension: int = DIMENSION, seed: int = 0) -> NDArray[np.float32]:
    found = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    rows: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return rows


VECTORS = unit_rows(3)


def fill(root: Path) -> Path:
    with open_vector_writer(root, MODEL, timeout_s=0) as writer:
        writer.add(HASHES, VECTORS)
        writer.note(KEY, PACKED)
        writer.sync()
    return vector_folder(root, MODEL)


def known(root: Path) -> tuple[dict[bytes, int], dict[bytes, bytes]]:
    with open_vector_writer(root, MODEL, timeout_s=0) as writer:
        return dict(writer.known), dict(writer.documents)


def test_what_was_added_is_found_again_and_added_once(tmp_path: Path) -> None:
    folder = fill(tmp_path)
    fill(tmp_path)
    assert known(tmp_path) == (
        {hash_: at for at, hash_ in enumerate(HASHES)},
        {KEY: PACKED},
    )
    rows = map_rows(folder / "rows-000001", DIMENSION)
    assert np.array_equal(rows["vector"], VECTORS)


def test_a_torn_row_is_cut_off_at_every_byte(tmp_path: Path) -> None:
    folder = fill(tmp_path)
    whole = (folder / "rows-000001").read_bytes()
    size = row_type(DIMENSION).itemsize
    for length in range(len(whole) + 1):
        (folder / "rows-000001").write_bytes(whole[:length])
        with open_vector_writer(tmp_path, MODEL, timeout_s=0) as writer:
            assert list(writer.known) == HASHES[: length // size]
            writer.add(HASHES, VECTORS)
            writer.sync()
        assert (folder / "rows-000001").read_bytes() == whole


def test_a_torn_document_is_cut_off_at_every_byte(tmp_path: Path) -> None:
    folder = fill(tmp_path)
    with open_vector_writer(tmp_path, MODEL, timeout_s=0) as writer:
        writer.note(document_key("e"), serialise_texts([HASHES[:1]]))
        writer.sync()
    path = folder / "documents"
    whole = path.read_bytes()
    first = 24 + len(PACKED)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert len(known(tmp_path)[1]) == (1 if length >= first else 0)
        assert path.stat().st_size in (0, first)


@pytest.mark.parametrize("name", ["rows-000001", "documents"])
def test_a_changed_byte_makes_pending_never_wrong(tmp_path: Path, name: str) -> None:
    folder = fill(tmp_path)
    whole = (folder / name).read_bytes()
    for at in range(len(whole)):
        (folder / name).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        rows, documents = known(tmp_path)
        if name == "documents":
            assert documents == {}
        else:
            broken = at // row_type(DIMENSION).itemsize
            assert rows == {hash_: row for row, hash_ in enumerate(HASHES) if row != broken}
        (folder / name).write_bytes(whole)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        open_vector_writer(tmp_path, MODEL, timeout_s=0),
        pytest.raises(LockedError),
        open_vector_writer(tmp_path, MODEL, timeout_s=0),
    ):
        pass


def test_another_dimension_starts_anew(tmp_path: Path) -> None:
    fill(tmp_path)
    with open_vector_writer(tmp_path, VectorModel("m", "1", 5), timeout_s=0) as writer:
        assert (writer.known, writer.documents) == ({}, {})
    assert VectorModel("m", "2", DIMENSION).key != MODEL.key


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_a_killed_writer_leaves_what_it_had_synced(tmp_path: Path) -> None:
    script = f"""
        import numpy as np, sys
        from pathlib import Path
        from leafmark.index.vectors import VectorModel, open_vector_writer, text_hash
        root, model = Path({str(tmp_path)!r}), VectorModel("m", "1", 12)
        with open_vector_writer(root, model, timeout_s=0) as w:
            for at in range(10**9):
                w.add([text_hash(str(at))], np.eye(12, dtype=np.float32)[at % 12 : at % 12 + 1])
                if at % 5 == 0:
                    w.sync()
                    print(at, flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        synced = 0
        while synced < 50:
            synced = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    rows, _ = known(tmp_path)
    assert len(rows) > synced
    assert [rows[text_hash(str(at))] for at in range(len(rows))] == list(range(len(rows)))


def test_compaction_keeps_what_is_referred_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.index.vectors.COMPACT_FROM", 3)
    folder = fill(tmp_path)
    live = {document_key("e"): serialise_texts([HASHES[2:], []])}
    with open_vector_writer(tmp_path, MODEL, timeout_s=0) as writer:
        assert not writer.worth_compacting(2)
        assert writer.worth_compacting(1)
        writer.compact(live, {HASHES[2]})
        assert (writer.known, writer.documents) == ({HASHES[2]: 0}, live)
    assert known(tmp_path) == ({HASHES[2]: 0}, live)
    assert [path.name for path in sorted(folder.glob("rows*"))] == ["rows-000002"]
    assert np.array_equal(map_rows(folder / "rows-000002", DIMENSION)["vector"][0], VECTORS[2])


def test_the_draft_of_a_compaction_that_was_killed_goes(tmp_path: Path) -> None:
    folder = fill(tmp_path)
    (folder / "rows-000002.4711.tmp").write_bytes(b"half")
    assert known(tmp_path)[0]
    assert [*folder.glob("*.tmp")] == []


def test_a_compaction_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fill(tmp_path)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(_source: str, _target: str) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    with open_vector_writer(tmp_path, MODEL, timeout_s=0) as writer:
        monkeypatch.setattr("os.replace", full)
        with pytest.raises(StorageError) as caught:
            writer.compact({}, set())
    assert caught.value.message == "cannot write the vectors: no space left on device"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# -- views and searching ---------------------------------------------------------------


def row_of(chunks: int, size: int = 1) -> ManifestRow:
    return ManifestRow(size, 1, 1, 1, chunks, 0)


class Corpus:
    """Sources of three chunks each in two trees.

    Every seventh chunk is pending or without text; every fifth has a second window.
    """

    def __init__(self, root: Path, count: int, dimension: int = DIMENSION):
        self.model = VectorModel("m", "1", dimension)
        self.vectors = unit_rows(count, dimension, seed=1)
        with open_vector_writer(root, self.model, timeout_s=0) as writer:
            names = [text_hash(str(at)) for at in range(count)]
            writer.add(names, self.vectors)
            writer.sync()
            self.folder = writer.folder
        self.store = map_rows(self.folder / "rows-000001", dimension)
        self.manifest: dict[DocumentKey, ManifestRow] = {}
        self.rows: dict[DocumentKey, list[list[int]]] = {}
        for at in range(0, count, 3):
            key = ("ab"[at % 2], f"{at}.md")
            rows = list(range(at, min(at + 3, count)))
            self.rows[key] = [self._windows(row, count) for row in rows]
            self.manifest[key] = row_of(len(rows))

    @staticmethod
    def _windows(row: int, count: int) -> list[int]:
        if row % 7 < 2:
            return [[PENDING], []][row % 7]
        return [row, (row * 11) % count] if row % 5 == 0 else [row]

    def view(self, seq: int = 1, old: VectorView | None = None) -> VectorView:
        return build_view(
            self.manifest,
            self.rows.get,
            self.store,
            uuid="u",
            seq=seq,
            rows_name="rows-000001",
            old=old,
        )

    def brute(self, query: NDArray[np.float32], tree: str | None = None) -> list[tuple[str, int]]:
        found = [
            (-max(float(self.vectors[row] @ query) for row in rows), document_id(*key), position)
            for key, chunks in self.rows.items()
            for position, rows in enumerate(chunks)
            if rows and rows[0] >= 0 and tree in (None, key[0])
        ]
        return [(name, position) for _, name, position in sorted(found)]


def test_a_view_is_read_as_it_was_written(tmp_path: Path) -> None:
    view = Corpus(tmp_path, 50).view()
    write_view(tmp_path / "view", view)
    found = read_view(tmp_path / "view")
    assert found is not None
    for name in VectorView.__dataclass_fields__:
        assert np.array_equal(getattr(found, name), getattr(view, name)), name
    whole = (tmp_path / "view").read_bytes()
    for at in range(0, len(whole), 7):
        (tmp_path / "view").write_bytes(whole[:at])
        assert read_view(tmp_path / "view") is None
        if whole[at] != ord(" "):
            (tmp_path / "view").write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            again = read_view(tmp_path / "view")
            assert again is None or again.rows.tolist() == view.rows.tolist()


def test_rows_that_another_run_took_away_are_not_valid(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 9)
    view = corpus.view()
    assert view.has_valid_rows(corpus.folder)
    (corpus.folder / view.rows_name).unlink()
    assert not view.has_valid_rows(corpus.folder)


def test_the_nearest_are_those_of_brute_force(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 400)
    searcher = VectorSearcher(corpus.view(), corpus.folder)
    for query in unit_rows(20, seed=5):
        assert [near.place for near in searcher.nearest(query, 25)] == corpus.brute(query)[:25]
        only = searcher.nearest(query, 25, lambda tree, path: tree == "b")
        assert [near.place for near in only] == corpus.brute(query, "b")[:25]
        places = corpus.brute(query)[:5]
        nearest = [near.similarity for near in searcher.nearest(query, 5)]
        assert searcher.similarities(query, places) == pytest.approx(nearest, abs=1e-6)
    assert (
        searcher.similarities(query, [("a:0.md", 0), ("a:none.md", 0), ("a:0.md", 9)]) == [None] * 3
    )


def test_the_prefilter_finds_what_is_clearly_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "EXACT_UP_TO", 100)
    monkeypatch.setattr(vector_search, "MIN_KEPT", 100)
    corpus = Corpus(tmp_path, 3000, dimension=100)
    searcher = VectorSearcher(corpus.view(), corpus.folder)
    for at in range(2, 3000, 301):
        if at % 7 < 2:
            continue
        query = corpus.vectors[at] + 0.3 * unit_rows(1, 100, seed=at)[0]
        query /= np.linalg.norm(query)
        assert searcher.nearest(query, 1)[0].place == corpus.brute(query)[0]


def whole_documents(corpus: Corpus, query: NDArray[np.float32]) -> dict[str, float]:
    """The similarity of each document of several chunks: to the mean of all its vectors."""
    found = {}
    for key, chunks in corpus.rows.items():
        rows = [row for each in chunks for row in each]
        if PENDING in rows or sum(map(bool, chunks)) < 2:
            continue
        mean = corpus.vectors[rows].astype(np.float64).mean(axis=0)
        found[document_id(*key)] = float(mean @ query / np.linalg.norm(mean))
    return found


@pytest.mark.parametrize("exact_up_to", [150_000, 10])
def test_documents_are_as_near_as_the_mean_of_their_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exact_up_to: int
) -> None:
    monkeypatch.setattr(vector_search, "EXACT_UP_TO", exact_up_to)
    corpus = Corpus(tmp_path, 400)
    searcher = VectorSearcher(corpus.view(old=corpus.view()), corpus.folder)
    for query in unit_rows(5, seed=5):
        expected = whole_documents(corpus, query)
        for least in (-1.0, 0.2):
            found = searcher.nearest_documents(query, least)
            assert {near.doc_id: near.similarity for near in found} == pytest.approx(
                {name: each for name, each in expected.items() if each >= least}, abs=1e-5
            )
            assert found == sorted(found, key=lambda near: -near.similarity)
            assert {near.position for near in found} == {0}
        only = searcher.nearest_documents(query, -1.0, lambda tree, path: tree == "b")
        assert {near.doc_id for near in only} == {name for name in expected if name[0] == "b"}
        for key in corpus.manifest:
            name = document_id(*key)
            assert searcher.document_similarity(query, name) == (
                pytest.approx(expected[name], abs=1e-5) if name in expected else None
            )
    assert searcher.document_similarity(query, "a:none.md") is None


def test_an_empty_view_has_no_documents(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 9)
    corpus.manifest = {}
    searcher = VectorSearcher(corpus.view(), corpus.folder)
    assert searcher.nearest_documents(corpus.vectors[0], -1.0) == []


def test_equal_texts_share_a_vector_and_come_together(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 9)
    corpus.rows = {("a", "x.md"): [[4], [2]], ("a", "y.md"): [[4]]}
    corpus.manifest = {key: row_of(len(rows)) for key, rows in corpus.rows.items()}
    found = VectorSearcher(corpus.view(), corpus.folder).nearest(corpus.vectors[4], 2)
    assert [near.place for near in found] == [("a:x.md", 0), ("a:y.md", 0)]


def test_a_row_that_was_damaged_is_no_result(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 9)
    view = corpus.view()
    path = corpus.folder / "rows-000001"
    data = bytearray(path.read_bytes())
    size = row_type(DIMENSION).itemsize
    data[2 * size + 20 : 3 * size] = np.full(DIMENSION, np.nan, dtype="<f4").tobytes()
    path.write_bytes(data)
    searcher = VectorSearcher(view, corpus.folder)
    found = searcher.nearest(corpus.vectors[2], 9)
    assert ("a:0.md", 2) not in [near.place for near in found]
    assert len(found) == len(corpus.brute(corpus.vectors[2])) - 1
    wholes = searcher.nearest_documents(corpus.vectors[2], -9.0)
    assert "a:0.md" not in [near.doc_id for near in wholes]
    assert searcher.similarities(corpus.vectors[2], [("a:0.md", 2)]) == [None]


@pytest.mark.parametrize("number", [3e38, -3e38, 50.0, -50.0, float("nan"), float("inf")])
def test_a_row_that_was_damaged_does_not_change_what_is_usual(
    tmp_path: Path, number: float
) -> None:
    corpus = Corpus(tmp_path, 90)
    view, query = corpus.view(), np.full(DIMENSION, DIMENSION**-0.5, dtype=np.float32)
    sound = VectorSearcher(view, corpus.folder)
    usual, nearest = sound.background(query), sound.nearest(query, 90)
    path = corpus.folder / "rows-000001"
    data = bytearray(path.read_bytes())
    row = int(view.rows[view.rows >= 0][0])
    place = row * row_type(DIMENSION).itemsize + 20
    data[place : place + 4] = np.array(number, dtype="<f4").tobytes()
    path.write_bytes(data)
    searcher = VectorSearcher(view, corpus.folder)
    found = searcher.background(query)
    assert found.size == usual.size - (view.rows == row).sum()
    assert abs(found.mean - usual.mean) < 0.02
    assert abs(found.deviation - usual.deviation) < 0.02
    owners = {
        (document_id(*key), position)
        for key, chunks in corpus.rows.items()
        for position, rows in enumerate(chunks)
        if row in rows
    }
    assert searcher.nearest(query, 90) == [near for near in nearest if near.place not in owners]


def test_a_view_is_brought_up_to_date_by_asking_about_changed_sources_only(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 30)
    corpus.rows = {key: [[5], [6, 7], [8]] for key in corpus.rows}
    old = corpus.view()
    changed, gone, *_ = corpus.manifest
    corpus.manifest[changed] = row_of(2, size=99)
    del corpus.manifest[gone]
    asked: list[DocumentKey] = []

    def find_rows(key: DocumentKey) -> list[list[int]] | None:
        asked.append(key)
        return None

    view = build_view(
        corpus.manifest, find_rows, corpus.store, uuid="u", seq=2, rows_name="rows-000001", old=old
    )
    assert asked == [changed]
    assert (view.pending, view.chunks, len(view.rows)) == (2, old.chunks - 4, len(old.rows) - 6)
