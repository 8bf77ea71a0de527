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
from leafmark.index import analyzer_for, open_reader
from leafmark.index.schema import build_schema, language_fields
from leafmark.index.writer import HEAP_BYTES
from leafmark.model import ChunkedDocument
from leafmark.parsing import parse

THREADS = 1
"""Indexing threads of the engine, in `index` and here; beside them each may use more cores."""

Texts = list[tuple[tuple[str, str], ...]]


def run(corpus: Corpus, *, strategy: str = "auto", rounds: int = 3) -> list[Row]:
    """Return the rows for build, size, refresh and memory."""
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    ready = [text for path in corpus.files for text in _texts(_chunk(corpus, path, options))]
    gc.freeze()  # the ready texts are ours alone to keep
    with _scratch() as home, _scratch() as bare:
        environ = {"HOME": str(home), "LEAFMARK_HOME": str(home / "leafmark")}
        memory = _index_in_a_process(corpus.root, environ)
        flags = {"chunking.strategy": strategy}
        project = open_project(corpus.root, flags=flags, environ=environ)
        request = IndexRequest(rebuild=True, confirmed=True)
        built, bare_built = in_turn(
            [lambda: index_project(project, request), lambda: _build_bare(bare, ready)],
            rounds=rounds,
        )
        folder = project.index_dir
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        load, walk = in_turn([lambda: open_reader(folder).manifest, lambda: _walk(corpus.root)])
        again, walk_again = in_turn([lambda: refresh(project), lambda: _walk(corpus.root)])
        sources = open_reader(folder).meta.documents
    megabytes = corpus.size_bytes / 1e6
    return [
        Row(
            "refresh with nothing changed",
            f"{again * 1e3:.0f} ms",
            f"scandir + stat {walk_again * 1e3:.0f} ms",
            again / walk_again,
            2.0,
            higher_is_better=False,
        ),
        Row(
            "memory while indexing",
            f"{memory:.0f} MB",
            "resident, all processes",
            memory,
            400.0,
            higher_is_better=False,
        ),
        Row(
            f"index build ({strategy})",
            f"{megabytes / built:.1f} MB/s",
            f"bare Tantivy {megabytes / bare_built:.1f} MB/s",
            bare_built / built,
            0.7,
            higher_is_better=True,
        ),
        Row(
            f"index size ({strategy})",
            f"{size / 1e6:.1f} MB",
            f"source {megabytes:.1f} MB",
            size / corpus.size_bytes,
            0.6,
            higher_is_better=False,
        ),
        Row(
            f"manifest of {sources:,} files, open and load",
            f"{load * 1e3:.1f} ms",
            f"scandir + stat {walk * 1e3:.1f} ms",
            load / walk,
            None,
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


def _chunk(corpus: Corpus, path: Path, options: ChunkingOptions) -> ChunkedDocument:
    document = parse(path.read_bytes(), path.relative_to(corpus.root).as_posix())
    return chunk_document(document, tree="corpus", options=options)


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
