"""Where the processor time of an index build goes, and the build beside that of other code.

The stage table is of one process without workers: each stage has the time of its function less
that of the stages inside it. What the engine does in threads of its own is a stage, too. With
`LEAFMARK_BEFORE` (the `src` folder of another checkout) both build the index in turn, in processes
of their own, and a row has the ratio of their processor times, workers included.
"""

from __future__ import annotations

import functools
import importlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks.corpus import Corpus
from benchmarks.measure import Row
from leafmark.app import index_project, open_project
from leafmark.app.requests import IndexRequest

STAGES = {
    "look for files": ("app.indexing.scanning:scan",),
    "read and hash": ("app.sources.files:read_beneath",),
    "parse: headings": ("app.sources.formats:parse_source",),
    "parse: blocks": ("parsing.markdown:MarkdownBlocks._read",),
    "readable text": ("parsing.markdown_text:read_markdown",),
    "section tree": ("chunking.tree:build_tree", "chunking.tree:emit"),
    "count tokens": ("chunking.measuring:Meter.counts", "chunking.measuring:Meter.tokens"),
    "split into blocks": ("chunking.splitting:split",),
    "penalties of cuts": ("chunking.keep_with_next:cut_penalty",),
    "divide": ("chunking.packing:divide",),
    "the rest of chunking": ("chunking.strategies:chunk_document",),
    "kinds of content": ("chunking.text:describe_content",),
    "record: document": ("index.records:document_entry",),
    "record: columns": ("index.records:build_columns",),
    "record: JSON, deflated": ("index.records:serialise_record",),
    "text of bodies": ("model.chunk:Chunk.readable_body",),
    "terms": ("index.analysis:Analyzer.for_index", "index.analysis:Analyzer.terms"),
    "titles with bodies": ("index.text_with_titles:terms_from_titles",),
    "names": ("index.engine_documents:_names", "index.engine_documents:_short_title"),
    "the rest of the fields": ("index.engine_documents:prepare_source",),
    "to the engine": ("index.embedded.writer:IndexWriter.put_prepared",),
    "commit": ("index.embedded.writer:IndexWriter.commit",),
    "keep it safe": (
        "index.embedded.writer:IndexWriter.checkpoint",
        "index.embedded.writer:IndexWriter._check",
        "index.embedded.checking:is_verification_due",
        "index.embedded.checking:verify_index",
        "index.embedded.checking:note_verified",
        "index.embedded.checking:mark_suspect",
        "index.folder:sealed",
        "index.folder:unsealed",
        "index.folder:sync_folder",
        "index.folder:make_folder",
        "index.folder:remove_drafts",
        "index.lock:was_abandoned",
        "index.lock:_refuse_if_others_wait",
        "index.lock:_is_file_at",
        "app.indexing.changes:emptied",
        "app.indexing.refreshing:_emptied",
    ),
}
"""Functions by stage; one that is no longer there is told and left out."""

ROUNDS = 3
_SCRIPT = """
import os, resource, sys
from pathlib import Path
from leafmark.app import index_project, open_project
from leafmark.app.requests import IndexRequest
project = open_project(Path(sys.argv[1]), flags={}, environ=os.environ)
index_project(project, IndexRequest(rebuild=True, confirmed=True))
who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
print(sum(sum(resource.getrusage(each)[:2]) for each in who))
"""


def run(corpus: Corpus) -> list[Row]:
    """Print the stage table; return the row of the build beside other code, if there is some."""
    with _scratch_environ() as environ:
        flags = {"index.workers": 0}
        project = open_project(corpus.root, flags=flags, environ=environ)
        clock = _Clock()
        missing = [*clock.watch()]
        began, thread = time.process_time(), time.thread_time()
        index_project(project, IndexRequest(rebuild=True, confirmed=True))
        total, own = time.process_time() - began, time.thread_time() - thread
    clock.stop()
    spent = {**clock.spent, "the engine's threads": total - own}
    spent["all else"] = own - sum(clock.spent.values())
    for name, seconds in sorted(spent.items(), key=itemgetter(1), reverse=True):
        print(f"{name:26} {seconds:8.2f} s {seconds / total:6.1%} {clock.calls[name]:>10,}")
    print(f"{'total':26} {total:8.2f} s", *missing, sep="\n")
    before = os.environ.get("LEAFMARK_BEFORE")
    return [_beside(corpus, before)] if before else []


def _beside(corpus: Corpus, before: str) -> Row:
    """Return the row of builds with this code and with that in the folder `before`."""
    folders = [str(Path(__file__).parent.parent / "src"), before]
    times: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for folder, seen in zip(folders, times, strict=True):
            with _scratch_environ() as environ:
                paths = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
                done = subprocess.run(
                    [sys.executable, "-c", _SCRIPT, str(corpus.root)],
                    env=os.environ | environ | {"PYTHONPATH": paths},
                    capture_output=True,
                    text=True,
                    check=True,
                )
            seen.append(float(done.stdout))
    ours, theirs = map(statistics.median, times)
    name, beside = "index build, processor time", f"before {theirs:.1f} s"
    return Row(name, f"{ours:.1f} s", beside, ours / theirs, 0.6, higher_is_better=False)


class _Clock:
    """Takes the time of functions, less that of those watched inside them."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._inside = [0.0]
        self._replaced: list[tuple[Any, str, object]] = []

    def watch(self) -> Iterator[str]:
        """Watch all stages; yield what is not there."""
        for name, functions in STAGES.items():
            for function in functions:
                module, _, path = function.partition(":")
                owner: Any = None
                with suppress(ImportError):
                    owner = importlib.import_module(f"leafmark.{module}")
                *parts, last = path.split(".")
                for part in parts:
                    owner = getattr(owner, part, None)
                found = None if owner is None else vars(owner).get(last)
                if found is None:
                    yield f"not there: {function}"
                else:
                    self._replace(owner, last, found, name)

    def stop(self) -> None:
        """Put the functions back."""
        for owner, name, was in reversed(self._replaced):
            setattr(owner, name, was)

    def _replace(self, owner: Any, name: str, found: Any, stage: str) -> None:
        if isinstance(found, property):
            assert found.fget is not None
            self._set(owner, name, property(self._timed(stage, found.fget)))
            return
        timed = self._timed(stage, found)
        self._set(owner, name, timed)
        for module in [each for each in sys.modules.values() if each is not owner]:
            if getattr(module, "__name__", "").startswith("leafmark"):
                for other, value in [*vars(module).items()]:
                    if value is found:
                        self._set(module, other, timed)

    def _set(self, owner: Any, name: str, value: object) -> None:
        self._replaced.append((owner, name, vars(owner)[name]))
        setattr(owner, name, value)

    def _timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.thread_time()
            self._inside.append(0.0)
            try:
                return function(*args, **kwargs)
            finally:
                took = time.thread_time() - began
                self.spent[stage] += took - self._inside.pop()
                self._inside[-1] += took
                self.calls[stage] += 1

        return timed


@contextmanager
def _scratch_environ() -> Iterator[dict[str, str]]:
    """Give the environment of a user who has no index."""
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as home:
        yield {"HOME": home, "LEAFMARK_HOME": str(Path(home) / "leafmark")}
