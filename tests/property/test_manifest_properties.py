"""The manifest as a table of columns, beside a dictionary of its rows, and its snapshot on disk."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.folders import temporary_folder

from leafmark.index.manifest import (
    ManifestRow,
    ManifestTable,
    digest_found,
    read_head,
    read_snapshot,
    write_snapshot,
)
from leafmark.model import DocumentKey

KEYS = st.tuples(st.sampled_from(["docs", "more"]), st.text("ab/\udce9", min_size=1, max_size=3))
TIMES = st.integers(-(2**63), 2**63 - 1)
ROWS = st.builds(
    ManifestRow,
    st.integers(0, 2**40),
    TIMES,
    TIMES,
    st.integers(0, 2**64 - 1),
    st.integers(0, 9),
    st.integers(0, 1),
)
ODD = ROWS.map(lambda row: row._replace(inode=1 << 100))


@given(st.lists(st.tuples(KEYS, ROWS | ODD | st.none())))
def test_a_table_holds_what_a_dictionary_holds(
    changes: list[tuple[DocumentKey, ManifestRow | None]],
) -> None:
    table, expected = ManifestTable(), dict[DocumentKey, ManifestRow]()
    for key, row in changes:
        assert (key in table) == (key in expected)
        if row is not None:
            table[key] = expected[key] = row
        else:
            assert table.pop(key, None) == expected.pop(key, None)
    assert dict(table) == expected
    assert len(table) == len(expected)
    assert sorted(table.chunk_counts) == sorted(row.chunks for row in expected.values())
    assert dict(ManifestTable(expected.items())) == expected
    with temporary_folder() as folder:
        path = Path(folder) / "manifest"
        write_snapshot(path, table, uuid="u", seq=3, looked_ns=7)
        read = read_snapshot(path, uuid="u", seq=3)
        if any(row.inode >> 64 for row in expected.values()):
            assert read is None
            return
        assert read is not None
        assert dict(read) == expected
        head = read_head(path, uuid="u", seq=3)
    assert head is not None
    found = [(*key, *row[:4]) for key, row in sorted(expected.items(), key=_in_walk)]
    assert head == (digest_found(found), 7)


def _in_walk(item: tuple[DocumentKey, ManifestRow]) -> tuple[str, list[tuple[bool, str]]]:
    """In each folder its files by name, then its folders."""
    (tree, path), _ = item
    *folders, name = path.split("/")
    return tree, [*((True, folder) for folder in folders), (False, name)]


def test_a_row_takes_two_hundred_bytes() -> None:
    count = 5_000
    tracemalloc.start()
    try:
        table = ManifestTable()
        for k in range(count):
            row = ManifestRow(1_000 + k, 10**18 + k, 10**18 + k, 10**7 + k, 5, 0)
            table["here", f"handbook/part-{k // 100}/page-{k:06d}.md"] = row
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 260 * count
