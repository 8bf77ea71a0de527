"""Long lists in little memory, and their index by hash, beside Python's lists and dictionaries."""

from __future__ import annotations

import pickle
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from leafmark.app.chunking.jobs import ChunkJob, JobList, JobPlaces, NumbersByHash
from leafmark.app.sources.trees import Tree
from leafmark.chunking import ChunkingOptions
from leafmark.model.sequences import BLOCK_ITEMS, CompressedList

HASHES = st.integers(-(2**63), 2**63 - 1) | st.integers(-4, 4) | st.sampled_from([5 << 32, 9 << 32])
"""Some of them meet in a slot, some in what is kept of them beside it."""

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


@given(st.lists(HASHES))
def test_a_hash_finds_its_numbers(hashes: list[int]) -> None:
    table = NumbersByHash(len(hashes))
    for number, hashed in enumerate(hashes):
        table.put(hashed, number)
    for hashed in [*hashes, 77]:
        found = list(table.find(hashed))
        assert [n for n in found if hashes[n] == hashed] == [
            n for n in reversed(range(len(hashes))) if hashes[n] == hashed
        ]
        assert len({*found}) == len(found)


@given(st.lists(SOURCES, max_size=3 * BLOCK_ITEMS))
def test_each_source_is_done_once_as_its_first_job_says(sources: list[tuple[str, str]]) -> None:
    jobs, first = JobList(), dict[tuple[Path, str], ChunkJob]()
    for size, (root, path) in enumerate(sources):
        job = ChunkJob(Tree(name=root, root=Path(root)), path, size, ChunkingOptions())
        jobs.add(job)
        first.setdefault((job.tree.root, path), job)
    assert [job.size for job in jobs] == list(range(len(sources)))
    once = jobs.without_repeats()
    assert list(once) == list(first.values())
    places = JobPlaces(once)
    for number, job in enumerate(once):
        assert places.add(number, job)
    for root, path in [*sources, ("none", "a")]:
        assert places.find(Path(root), path) == first.get((Path(root), path))
