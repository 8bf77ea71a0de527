"""The index: build speed beside a bare Tantivy writer, size, refresh, memory.

Ours is the whole run of `leafmark index` on a folder that has no index: look for
the files, read, hash, parse, chunk, describe, store, read back. The bare writer gets
the same chunks ready-made from memory, their texts prepared, in the same fields
with the same analysis, on as many indexing threads, and nothing is stored. Both
commit, and wait for merges. Wall time: both may use all cores of the machine.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, in_turn
from leafmark.app import index_project, open_project
from leafmark.app.configuration.project import Project
from leafmark.app.indexing.refreshing import refresh
from leafmark.app.requests import IndexRequest
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.index import open_reader
from leafmark.index.embedded.generation import build_schema
from leafmark.index.embedded.writer import HEAP_BYTES, THREADS
from leafmark.index.folding import fold
from leafmark.index.schema import language_fields
from leafmark.model import ChunkedDocument
from leafmark.parsing import parse

Texts = list[tuple[tuple[str, str], ...]]


def run(corpus: Corpus, *, strategy: str = "auto", rounds: int = 3) -> list[Row]:
    """Return the rows for refresh, memory, build, size and the manifest."""
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    ready = [text for path in corpus.files for text in _texts(_chunk(corpus, path, options))]
    gc.freeze()  # the ready texts are ours alone to keep
    with _scratch() as home:
        environ = {"HOME": str(home), "LEAFMARK_HOME": str(home / "leafmark")}
        memory = _memory(corpus.root, environ)
        project = open_project(corpus.root, flags={"chunking.strategy": strategy}, environ=environ)
        build = _build(project, corpus, ready, f"index build ({strategy})", rounds)
        size = _size(project.index_dir, corpus, f"index size ({strategy})")
        manifest = _manifest(project.index_dir, corpus.root)
        return [_refresh(project, corpus.root), memory, build, size, manifest]


def _memory(root: Path, environ: dict[str, str]) -> Row:
    held = _index_in_a_process(root, environ)
    beside = "resident, all processes"
    return Row(
        "memory while indexing", f"{held:.0f} MB", beside, held, 400.0, higher_is_better=False
    )


def _build(project: Project, corpus: Corpus, ready: Texts, name: str, rounds: int) -> Row:
    request = IndexRequest(rebuild=True, confirmed=True)
    with _scratch() as bare:
        ours, theirs = in_turn(
            [lambda: index_project(project, request), lambda: _build_bare(bare, ready)],
            rounds=rounds,
        )
    megabytes = corpus.size_bytes / 1e6
    beside = f"bare Tantivy {megabytes / theirs:.1f} MB/s"
    return Row(
        name, f"{megabytes / ours:.1f} MB/s", beside, theirs / ours, 0.7, higher_is_better=True
    )


def _size(folder: Path, corpus: Corpus, name: str) -> Row:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    source = corpus.size_bytes
    beside = f"source {source / 1e6:.1f} MB"
    return Row(name, f"{size / 1e6:.1f} MB", beside, size / source, 0.6, higher_is_better=False)


def _manifest(folder: Path, root: Path) -> Row:
    name = f"manifest of {open_reader(folder).meta.documents:,} files, open and load"
    return _beside_a_walk(name, lambda: open_reader(folder).manifest, root, None, digits=1)


def _refresh(project: Project, root: Path) -> Row:
    return _beside_a_walk("refresh with nothing changed", lambda: refresh(project), root, 2.0)


def _beside_a_walk(
    name: str, work: Callable[[], object], root: Path, limit: float | None, digits: int = 0
) -> Row:
    ours, walk = in_turn([work, lambda: _walk(root)])
    return Row(
        name,
        f"{ours * 1e3:.{digits}f} ms",
        f"scandir + stat {walk * 1e3:.{digits}f} ms",
        ours / walk,
        limit,
        higher_is_better=False,
    )


def _index_in_a_process(root: Path, environ: dict[str, str]) -> float:
    """Return the most megabytes that `leafmark index` held.

    Linux counts what a process held before it became another program: so it is not
    started from here, where all texts are, but by a small process in between.
    """
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
    between = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    command = [sys.executable, "-c", between, sys.executable, "-c", script, str(root)]
    done = subprocess.run(
        command, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return int(done.stdout) / scale


def _chunk(corpus: Corpus, path: Path, options: ChunkingOptions) -> ChunkedDocument:
    document = parse(path.read_bytes(), path.relative_to(corpus.root).as_posix())
    return chunk_document(document, tree="corpus", options=options)


def _texts(chunked: ChunkedDocument) -> Iterator[tuple[tuple[str, str], ...]]:
    """The fields of each chunk, ready for the engine."""
    fields = language_fields("english")
    for chunk in chunked.chunks:
        yield (
            (fields.body, fold(chunk.body)),
            (fields.title, fold(chunk.title)),
            (fields.path, chunk.path),
            (fields.tags, " ".join(chunk.tags)),
            ("doc_id", chunk.doc_id),
            ("facts", "tree=corpus"),
            ("facts", f"kind={chunk.kind}"),
        )


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
