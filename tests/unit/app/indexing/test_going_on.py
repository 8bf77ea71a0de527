"""A build that was killed goes on where it was; what a dead writer left is looked at and mended."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.forks import Forks, open_forks
from support.indexes import contents
from support.projects import Here

from leafmark.app import search_project
from leafmark.app.requests import IndexRequest, SearchRequest
from leafmark.index import check_index, has_index
from leafmark.index.embedded.checking import VERIFY_EVERY_S, is_verification_due, verify_index
from leafmark.index.folder import Layout
from leafmark.index.lock import was_abandoned

KILLED = """
import os, signal, sys
from pathlib import Path
from support.projects import Here
from leafmark.app.indexing import index_run
from leafmark.app.requests import IndexRequest
from leafmark.index.embedded.writer import IndexWriter

index_run.CHECKPOINT_S = 0.0
left = int(sys.argv[3])
put = IndexWriter.put_prepared

def dying(self, source):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    put(self, source)

IndexWriter.put_prepared = dying
Here(Path(sys.argv[1]), Path(sys.argv[2])).run(IndexRequest())
"""


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    tests = str(Path(__file__).parents[3])
    names = "import support.projects; import leafmark.index.embedded.writer"
    with open_forks(f"sys.path[:0] = [{tests!r}]; {names}") as forks:
        yield forks


def _killed_after(forks: Forks, here: Here, sources: int) -> None:
    done = forks.run(KILLED, [str(here.root), str(here.home), str(sources)])
    assert done.code == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_first_build_that_was_killed_goes_on(here: Here, forks: Forks) -> None:
    for number in range(8):
        here.write(f"{number}.md", f"# Page {number}\n\nword{number}\n")
    _killed_after(forks, here, 5)
    assert not has_index(here.project().index_dir)  # none of it is visible
    here.write("0.md", "# Other\n\nchanged meanwhile\n")
    (here.root / "1.md").unlink()
    report = here.index()
    assert set(report.added) | set(report.modified) == {
        f"here:{number}.md" for number in (0, 5, 6, 7)
    }
    assert (report.removed, report.documents, report.rebuilt) == (("here:1.md",), 7, None)
    went_on = contents(here.project().index_dir)
    assert check_index(here.project().index_dir) == []
    here.run(IndexRequest(rebuild=True))
    assert contents(here.project().index_dir) == went_on


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("damaged", [False, True])
def test_a_rebuild_that_was_killed_goes_on_beside_the_old_state(
    here: Here, forks: Forks, damaged: bool
) -> None:
    for number in range(6):
        here.write(f"{number}.md", f"# Page {number}\n\nword{number}\n")
    here.index()
    here.configure("[chunking]\nmax_tokens = 300\n")
    _killed_after(forks, here, 4)
    layout = Layout(here.project().index_dir)
    request = SearchRequest(("word1",), refresh=False)
    assert search_project(here.project(), request).results[0].entry.id == "here:1.md"
    assert layout.generations() == [1, 2]
    if damaged:
        store, *_ = layout.text(2).glob("*.store")
        store.write_bytes(store.read_bytes()[:-1])
    report = here.index()
    assert (report.rebuilt, report.documents) == ("settings have changed", 6)
    assert len(report.added) == (6 if damaged else 2)
    assert layout.generations() == [2]
    assert not layout.building.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_a_killed_writer_left_is_looked_at_byte_by_byte(here: Here, forks: Forks) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    here.write("b.md", "# B\n\ntwo\n")
    _killed_after(forks, here, 0)
    (here.root / "b.md").unlink()
    root = here.project().index_dir
    assert was_abandoned(root / "LOCK")
    (norms,) = Layout(root).text(1).glob("*.fieldnorm")
    data = bytearray(norms.read_bytes())
    data[0] ^= 1
    norms.unlink()
    norms.write_bytes(data)
    report = here.index()
    assert report.rebuilt == f"the index is damaged: {norms.name} is not what was written"
    assert not was_abandoned(root / "LOCK")
    assert check_index(root) == []


def _with_a_flipped_bit(here: Here) -> str:
    """Flip a bit that no search notices, and let a week pass since all was looked at."""
    layout = Layout(here.project().index_dir)
    (norms,) = layout.text(1).glob("*.fieldnorm")
    data = bytearray(norms.read_bytes())
    data[0] ^= 1
    norms.unlink()
    norms.write_bytes(data)
    then = layout.verified(1).stat().st_mtime - VERIFY_EVERY_S - 1
    os.utime(layout.verified(1), (then, then))
    return norms.name


def test_every_byte_is_looked_at_now_and_then_and_damage_is_mended_and_said(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    root = here.project().index_dir
    assert not is_verification_due(root)
    name = _with_a_flipped_bit(here)
    assert is_verification_due(root)
    assert here.index().rebuilt == f"the index is damaged: {name} is not what was written"
    assert not is_verification_due(root)
    assert here.index().rebuilt is None


def test_a_search_has_it_looked_at_too(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    root = here.project().index_dir
    name = _with_a_flipped_bit(here)
    assert not verify_index(root)  # what a search does beside its answer
    assert search_project(here.project(), SearchRequest(("one",))).results
    assert Layout(root).generations() == [2]
    assert check_index(root) == []
    assert not any(name == path.name for path in Layout(root).text(2).iterdir())
