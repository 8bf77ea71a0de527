"""The index: build speed beside a bare Tantivy writer, size, refresh, memory.

The bare writer gets ready chunks: the same texts, already prepared, in the same
fields, on as many threads, and nothing is stored. Ours parses, chunks, describes,
stores and reads back.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, in_turn
from leafmark.app import index_project, open_project
from leafmark.app.indexing import refresh
from leafmark.app.requests import IndexRequest
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.index import IndexSettings, analyzer_for, open_reader, open_writer
from leafmark.index.schema import build_schema, language_fields
from leafmark.index.writer import HEAP_BYTES
from leafmark.model import ChunkedDocument, FileState
from leafmark.parsing import parse

THREADS = 1
"""Indexing threads of both: with one, the second core is free for parsing."""

_SETTINGS = IndexSettings("benchmark", {"corpus": "english"})
Source = tuple[str, bytes, FileState]
Texts = list[tuple[tuple[str, str], ...]]


def run(corpus: Corpus, *, strategy: str = "auto", rounds: int = 3) -> list[Row]:
    """Return build speed (parsing and chunking included), size and manifest loading."""
    sources = [_read(corpus, path) for path in corpus.files]
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    ready = [text for source in sources for text in _texts(_chunk(source, options))]
    with _scratch() as ours, _scratch() as bare:
        seconds = in_turn(
            [lambda: _build(ours, sources, options), lambda: _build_bare(bare, ready)],
            rounds=rounds,
        )
        rate, bare_rate = (corpus.size_bytes / 1e6 / each for each in seconds)
        size = sum(path.stat().st_size for path in ours.rglob("*") if path.is_file())
        load, walk = in_turn([lambda: open_reader(ours).manifest, lambda: _walk(corpus.root)])
    return [
        *_project_rows(corpus),
        Row(
            f"index build ({strategy}, {THREADS} thread)",
            f"{rate:.1f} MB/s",
            f"bare Tantivy {bare_rate:.1f} MB/s",
            rate / bare_rate,
            0.7,
            higher_is_better=True,
        ),
        Row(
            f"index size ({strategy})",
            f"{size / 1e6:.1f} MB",
            f"source {corpus.size_bytes / 1e6:.1f} MB",
            size / corpus.size_bytes,
            0.6,
            higher_is_better=False,
        ),
        Row(
            f"manifest of {len(sources):,} files, open and load",
            f"{load * 1e3:.1f} ms",
            f"scandir + stat {walk * 1e3:.1f} ms",
            load / walk,
            None,
            higher_is_better=False,
        ),
    ]


def _project_rows(corpus: Corpus) -> list[Row]:
    """The rows that need a whole project: a refresh with nothing changed, and memory."""
    with _scratch() as home:
        environ = {"HOME": str(home), "LEAFMARK_HOME": str(home / "leafmark")}
        memory = _index_in_a_process(corpus.root, environ)
        project = open_project(corpus.root, flags={}, environ=environ)
        index_project(project, IndexRequest(confirmed=True))
        again, walk = in_turn([lambda: refresh(project), lambda: _walk(corpus.root)])
    return [
        Row(
            "refresh with nothing changed",
            f"{again * 1e3:.0f} ms",
            f"scandir + stat {walk * 1e3:.0f} ms",
            again / walk,
            2.0,
            higher_is_better=False,
        ),
        Row(
            "memory while indexing",
            f"{memory:.0f} MB",
            "resident, largest process",
            memory,
            400.0,
            higher_is_better=False,
        ),
    ]


def _index_in_a_process(root: Path, environ: dict[str, str]) -> float:
    """Return the most megabytes that `leafmark index` held."""
    script = (
        "import os, resource, sys\n"
        "from pathlib import Path\n"
        "from leafmark.app import index_project, open_project\n"
        "from leafmark.app.requests import IndexRequest\n"
        "project = open_project(Path(sys.argv[1]), flags={}, environ=os.environ)\n"
        "index_project(project, IndexRequest(confirmed=True))\n"
        "who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)\n"
        "print(sum(resource.getrusage(each).ru_maxrss for each in who))\n"
    )
    command = [sys.executable, "-c", script, str(root)]
    done = subprocess.run(
        command, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return int(done.stdout) / scale


def _read(corpus: Corpus, path: Path) -> Source:
    data, facts = path.read_bytes(), path.stat()
    digest = hashlib.sha256(data).hexdigest()
    times = (facts.st_mtime_ns, facts.st_ctime_ns)
    state = FileState(facts.st_size, *times, facts.st_ino, digest)
    return path.relative_to(corpus.root).as_posix(), data, state


def _chunk(source: Source, options: ChunkingOptions) -> ChunkedDocument:
    path, data, _ = source
    return chunk_document(parse(data, path), tree="corpus", options=options)


def _texts(chunked: ChunkedDocument) -> Iterator[tuple[tuple[str, str], ...]]:
    """The fields of each chunk, ready for the engine."""
    fields = language_fields("english")
    prepare = analyzer_for("english").for_index
    for chunk in chunked.chunks:
        yield (
            (fields.body, prepare(chunk.body)),
            (fields.title, prepare(chunk.title)),
            (fields.path, chunk.path),
            (fields.tags, " ".join(chunk.tags)),
            ("doc_id", chunk.doc_id),
            ("facts", "tree=corpus"),
            ("facts", f"kind={chunk.kind}"),
        )


def _build(root: Path, sources: list[Source], options: ChunkingOptions) -> None:
    with open_writer(root, _SETTINGS, rebuild=True, threads=THREADS) as writer:
        for source in sources:
            writer.put(_chunk(source, options), source[2])
        writer.commit(started_ns=0)


def _build_bare(root: Path, ready: Texts) -> None:
    shutil.rmtree(root)
    root.mkdir()
    language = language_fields("english")
    index = tantivy.Index(build_schema([language]), path=str(root))
    index.register_tokenizer(language.analyzer.name, language.analyzer.engine)
    writer = index.writer(HEAP_BYTES, THREADS)
    for position, fields in enumerate(ready):
        document = tantivy.Document()
        for name, text in fields:
            document.add_text(name, text)
        document.add_unsigned("position", position & 0xFF)
        document.add_unsigned("mtime", 0)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def _walk(root: Path) -> int:
    """Stat every file below `root`, and nothing else."""
    count, folders = 0, [str(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as folder:
        yield Path(folder)
