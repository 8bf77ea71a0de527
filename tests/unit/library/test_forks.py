"""A program that forks, as servers do for their workers, while its threads use an index."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

_PROGRAM = """
import gc, os, signal, sys, threading
from pathlib import Path
import leafmark
from leafmark.index.manifest import gc_paused

docs = Path(sys.argv[1])
index = leafmark.open_index(docs)
index.refresh()
(docs / "more.md").write_text("# More\\n\\nA teapot.\\n")
before = gc.get_threshold()
begun, go_on = threading.Event(), threading.Event()

def wait(what, done, total):
    if what == "indexing":
        begun.set()
        go_on.wait(60)

def refresh():
    with gc_paused():
        index.refresh(progress=wait)

def told(*words):
    print(*words, flush=True)

thread = threading.Thread(target=refresh)
thread.start()
assert begun.wait(60)
ready, written = os.pipe(), os.pipe()
child = os.fork()
if not child:
    signal.alarm(60)  # the end of one that hangs
    told("child collects:", gc.isenabled(), gc.get_threshold() == before)
    found = index.search("kettle")
    told("child:", len(found.results), [hint.code for hint in found.hints])
    os.write(ready[1], b".")
    os.read(written[0], 1)
    told("child:", len(index.search("pancake", "teapot").results))
    index.close()
    os._exit(0)
os.close(ready[1])
os.read(ready[0], 1)
go_on.set()
thread.join()
(docs / "again.md").write_text("# Again\\n\\nA pancake.\\n")
found = index.search("pancake")
told("parent:", len(found.results), [hint.code for hint in found.hints])
os.write(written[1], b".")
told("end:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_answers_and_keeps_no_lock_of_its_parent(docs: Path) -> None:
    """The fork comes while another thread writes, and holds every lock that there is."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM, str(docs)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "child collects: True True",
        "child: 1 ['locked']",
        "parent: 1 []",
        "child: 2",
        "end: 0",
    ]


_LOCKED = """
import os
from leafmark.app import indexed_sources
from leafmark.app.indexing import index_run
from leafmark.app import background as reranking
from leafmark.app.answering import meaning
from leafmark.embedding import interface
from leafmark.parsing.code import sandbox
from leafmark.parsing.html import marks

def locks():
    yield from (index_run._collecting, meaning._OPENING, indexed_sources._KNOWN._lock)
    yield from (reranking._OPENING, reranking.READING, interface._LOADING)
    yield from (sandbox.CHILD._lock, indexed_sources._DROPPED._lock)
    yield from (marks.items_of._lock, marks.labels_of_panels._lock)

for lock in locks():
    lock.acquire()
meaning._OPEN["model"] = reranking._OPEN["model"] = "open"
child = os.fork()
if not child:
    free = [lock.acquire(blocking=False) for lock in locks()]
    os._exit(0 if all(free) and not meaning._OPEN and not reranking._OPEN else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), all(lock.locked() for lock in locks()))
"""


def test_a_forked_child_has_its_own_models_and_free_locks() -> None:
    """Over one connection two processes would get each other's vectors."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _LOCKED], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("0 True\n", "")
