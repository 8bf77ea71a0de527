"""Long lists in little memory, beside Python's lists."""

from __future__ import annotations

import pickle
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from leafmark.app.chunking import ChunkJob, each_once
from leafmark.app.sources.folders import Tree
from leafmark.chunking import ChunkingOptions
from leafmark.model.sequences import BLOCK_ITEMS, CompressedList

SOURCES = st.tuples(st.sampled_from(["docs", "more"]), st.text("ab/", min_size=1, max_size=3))


@given(st.lists(st.integers() | st.text(st.characters()), max_size=3 * BLOCK_ITEMS + 2))
def test_it_reads_like_a_list(items: list[int | str]) -> None:
    compressed = CompressedList(items)
    assert list(compressed) == items
    assert [compressed[k] for k in range(-len(items), len(items))] == items + items
    assert list(pickle.loads(pickle.dumps(compressed))) == items
    assert compressed[1::2] == items[1::2]
    compressed.extend(items)
    assert len(compressed) == 2 * len(items)
    assert list(compressed) == items + items


@given(st.lists(SOURCES, max_size=3 * BLOCK_ITEMS))
def test_each_source_is_done_once_as_its_first_job_says(sources: list[tuple[str, str]]) -> None:
    jobs, first = CompressedList[ChunkJob](), dict[tuple[Path, str], ChunkJob]()
    for size, (root, path) in enumerate(sources):
        job = ChunkJob(Tree(name=root, root=Path(root)), path, size, ChunkingOptions())
        jobs.append(job)
        first.setdefault((job.tree.root, path), job)
    assert [job.size for job in jobs] == list(range(len(sources)))
    assert list(each_once(jobs)) == list(first.values())
