"""Reading: entries as the chunks were, documents, the manifest, and what goes wrong."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tantivy
from support.indexes import SETTINGS, chunk, chunks, contents, index, put_in_place, search, state_of

from leafmark.errors import DamagedError, NotFoundError, StorageError
from leafmark.index import IndexOptions, has_index, open_reader, open_writer
from leafmark.index.embedded.generation import _open_read_only
from leafmark.index.folder import Layout
from leafmark.index.schema import FORMAT
from leafmark.index.snapshot import TreeCounts
from leafmark.model import Entry

SOURCE = """pre

# Alpha

one

## Beta (x)

two

# Alpha

Setext
------

three
"""


def test_entries_are_the_chunks(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE})
    reader = open_reader(tmp_path)
    chunks = chunk("a.md", SOURCE).chunks
    entries = reader.chunks_of("t:a.md")
    names = [name for name in Entry._fields if name != "parent_fragment"]
    for found, made in zip(entries, chunks, strict=True):
        assert {n: getattr(found, n) for n in names} == {n: getattr(made, n) for n in names}
        assert (found.id, found.ordinal_id) == (made.id, made.ordinal_id)
        assert (found.parent_id, found.breadcrumb) == (made.parent_id, made.breadcrumb)
        assert reader.entry("t:a.md", made.position) == found
        assert reader.find("t:a.md", made.slug, made.piece) == found


@pytest.mark.parametrize("position", [-1, 99])
def test_there_is_no_entry_outside_the_document(tmp_path: Path, position: int) -> None:
    index(tmp_path, {"a.md": SOURCE})
    reader = open_reader(tmp_path)
    assert reader.entry("t:a.md", position) is None
    assert reader.entry("t:absent.md", 0) is None


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE})
    reader = open_reader(tmp_path)
    assert reader.find("t:a.md", "absent") is None
    assert reader.find("t:a.md", "alpha", 3) is None
    assert reader.find("t:b.md", "alpha") is None
    assert reader.chunks_of("t:b.md") == []
    assert reader.document("t:b.md") is None


def test_places_are_cheap_names(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE, "b.md": "one\n"})
    reader = open_reader(tmp_path)
    found = chunks(reader)
    entries = reader.entries(found)
    assert reader.refs(found) == [(entry.doc_id, entry.position) for entry in entries]
    assert reader.cuts(found) == reader.roles(found) == [0] * len(found)
    assert reader.refs([]) == []
    assert reader.cuts([]) == reader.roles([]) == []
    assert reader.entries([]) == []


def test_section_paths_are_those_of_the_entries(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE, "b.md": "# One\n\ntext\n\n## Two\n\ntext\n"})
    reader = open_reader(tmp_path)
    found = [*reversed(chunks(reader))]
    assert open_reader(tmp_path).section_paths(found) == [
        entry.section_path for entry in reader.entries(found)
    ]


def test_titles_are_those_of_the_entries(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE, "b.md": "# One\n\ntext\n\n## Two\n\ntext\n"})
    reader = open_reader(tmp_path)
    found = chunks(reader)
    assert open_reader(tmp_path).titles(found) == [each.title for each in reader.entries(found)]


def test_a_damaged_record_has_no_title_and_is_noted(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE})
    reader = open_reader(tmp_path)
    stored = reader.stored("t:a.md")
    assert stored is not None
    stored.columns = {**stored.columns, "t": None}
    with pytest.raises(DamagedError) as caught:
        reader.titles(chunks(reader)[:1])
    assert caught.value.message == "a record of the index cannot be read"
    assert reader.is_suspect


def test_a_damaged_record_has_no_section_path_and_is_noted(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE})
    reader = open_reader(tmp_path)
    stored = reader.stored("t:a.md")
    assert stored is not None
    stored.columns = {**stored.columns, "u": [1, 0, 1]}
    with pytest.raises(DamagedError) as caught:
        reader.section_paths(chunks(reader)[:1])
    assert caught.value.message == "a record of the index cannot be read"
    assert reader.is_suspect


def test_a_record_is_read_beside_the_chunk_or_looked_up(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": SOURCE, "b.md": SOURCE, "c.md": SOURCE})
    index(tmp_path, {"b.md": SOURCE.replace("one", "uno")})
    reader = open_reader(tmp_path)
    for found in chunks(reader):
        ((doc_id, position),) = reader.refs([found])
        by_record, by_query = open_reader(tmp_path), open_reader(tmp_path)
        assert by_record.entries([found]) == [by_query.entry(doc_id, position)]


def test_documents_say_what_discarded_headings_lead_to(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "# Kept\n\ntext\n\n## Empty\n"})
    entry = open_reader(tmp_path).document("t:a.md")
    assert entry is not None
    assert entry.slugs == {"empty": 1}


def test_counts_per_tree(tmp_path: Path) -> None:
    both = IndexOptions("1", {"a": "english", "b": "english"})
    with open_writer(tmp_path, both) as writer:
        writer.put(chunk("x.md", SOURCE, tree="a"), state_of(SOURCE))
        writer.put(chunk("y.md", "12345\n", tree="b"), state_of("12345\n"))
        writer.put(chunk("z.md", "", tree="b"), state_of(""))
        writer.commit(started_ns=0)
    counts = open_reader(tmp_path).trees
    assert counts == {"a": TreeCounts(1, 5, len(SOURCE)), "b": TreeCounts(1, 1, 6)}


def test_a_reader_keeps_its_commit(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "old\n"})
    reader = open_reader(tmp_path)
    assert reader.is_current()
    index(tmp_path, {"a.md": "new\n"})
    assert not reader.is_current()
    assert search(reader, "old") == ["t:a.md"]
    assert open_reader(tmp_path).is_current()


def test_record_counts_follow_deletions(tmp_path: Path) -> None:
    index(tmp_path, {f"{number}.md": "word\n" for number in range(5)})
    reader = open_reader(tmp_path)
    assert (reader.counts.stored, reader.counts.deleted, reader.counts.live) == (6, 0, 6)
    index(tmp_path, remove=("1.md", "2.md"))
    reader = open_reader(tmp_path)
    assert reader.counts.live == reader.searcher.num_docs == 4
    assert reader.counts.deleted == reader.counts.stored - 4 > 0


# -- the manifest's snapshot ---------------------------------------------------------------


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"null\n", b"[1]\nxx", b"{broken", None, 30, -1])
def test_a_snapshot_that_does_not_fit_is_made_again(tmp_path: Path, damage: Any) -> None:
    index(tmp_path, {"a.md": "x\n", "b/ü\udcff.md": SOURCE, "empty.md": ""})
    expected = dict(open_reader(tmp_path).manifest)
    path = Layout(tmp_path).manifest(1)
    good = path.read_bytes()
    if damage is None:
        path.unlink()
    elif isinstance(damage, int):
        flipped = bytearray(good)
        flipped[damage] ^= 1
        put_in_place(path, bytes(flipped))
    else:
        put_in_place(path, bytes(damage))
    assert dict(open_reader(tmp_path).manifest) == expected
    assert path.read_bytes() == good
    index(tmp_path, {"a.md": "y\n"})
    assert set(open_reader(tmp_path).manifest) == set(expected)


def test_a_snapshot_of_another_commit_is_ignored(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    path = Layout(tmp_path).manifest(1)
    stale = path.read_bytes()
    index(tmp_path, {"b.md": "x\n"})
    path.write_bytes(stale)
    assert sorted(open_reader(tmp_path).manifest) == [("t", "a.md"), ("t", "b.md")]


def test_times_that_fit_no_column_still_work(tmp_path: Path) -> None:
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.put(chunk("a.md", "x\n"), state_of("x\n", inode=1 << 100))
        writer.commit(started_ns=0)
    assert not Layout(tmp_path).manifest(1).exists()
    reader = open_reader(tmp_path)
    assert reader.manifest["t", "a.md"].inode == 1 << 100
    index(tmp_path, {"b.md": "y\n"})
    assert len(contents(tmp_path)["manifest"]) == 2


# -- what goes wrong -------------------------------------------------------------------------


def test_no_index(tmp_path: Path) -> None:
    assert not has_index(tmp_path)
    with pytest.raises(NotFoundError) as caught:
        open_reader(tmp_path)
    assert (caught.value.message, caught.value.hint) == (
        "there is no index yet",
        "bring the index up to date",
    )
    index(tmp_path)
    assert has_index(tmp_path)
    assert open_reader(tmp_path).manifest == {}


def test_an_index_that_nobody_may_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(StorageError) as caught:
        has_index(tmp_path)
    assert caught.value.message == "cannot read the index: permission denied"
    assert caught.value.location == str(tmp_path / "CURRENT")


def test_an_index_that_cannot_be_written_can_be_searched(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "words\n"})
    folder = Layout(tmp_path).text(1)
    opened = _open_read_only(folder)
    query = tantivy.Query.term_query(opened.schema, "doc_id", "t:a.md")
    searcher = opened.searcher()
    ((_, address),) = searcher.search(query, 5).hits
    assert searcher.doc(address).get_first("doc_id") == "t:a.md"


def test_a_folder_without_write_permission_is_opened_through_a_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tmp_path, {"a.md": "words\n"})
    before = sorted(os.listdir(Layout(tmp_path).text(1)))
    Layout(tmp_path).manifest(1).unlink()
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "replace", _refuse)
    views = tmp_path / "views"
    views.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(views))
    reader = open_reader(tmp_path)
    assert search(reader, "words") == ["t:a.md"]
    assert list(reader.manifest) == [("t", "a.md")]
    assert sorted(os.listdir(Layout(tmp_path).text(1))) == before
    assert os.listdir(views) == []


def test_such_a_view_goes_though_the_engine_locks_it_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tmp_path, {"a.md": "words\n"})
    views = tmp_path / "views"
    views.mkdir()
    rmdir, late = os.rmdir, [".tantivy-meta.lock"]

    def locked_meanwhile(path: str, **options: int) -> None:
        for view in views.iterdir():
            if late:
                (view / late.pop()).write_text("", "utf-8")
        rmdir(path, **options)

    monkeypatch.setattr(tempfile, "tempdir", str(views))
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "rmdir", locked_meanwhile)
    assert search(open_reader(tmp_path), "words") == ["t:a.md"]
    assert (late, os.listdir(views)) == ([], [])


def test_a_commit_while_such_a_view_is_made_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tmp_path, {"a.md": "words\n"})
    text = Layout(tmp_path).text(1)
    listdir = os.listdir

    def overtaken(place: Path) -> list[str]:
        names = listdir(place)
        if place == text:
            monkeypatch.undo()
            index(tmp_path, {"a.md": "other words\n"})
            monkeypatch.setattr(os, "access", lambda *_: False)
        return names

    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "listdir", overtaken)
    assert search(open_reader(tmp_path), "other words") == ["t:a.md"]


def _refuse(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def _drop_meta(text: Path) -> None:
    for path in text.iterdir():
        path.unlink()


def _wrong_uuid(text: Path) -> None:
    layout = Layout(text.parents[1])
    current = layout.read_current()
    assert current is not None
    layout.write_current(type(current)(1, "other", "x", {"t": "english"}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_drop_meta, "cannot open the index: the index is damaged (Failed to open file for read: "),
        (_wrong_uuid, "the index is damaged: its own record is missing"),
    ],
)
def test_damage_is_said_to_be_damage(tmp_path: Path, damage: Any, message: str) -> None:
    index(tmp_path, {"a.md": "x\n"})
    damage(Layout(tmp_path).text(1))
    with pytest.raises(DamagedError) as caught:
        open_reader(tmp_path)
    assert caught.value.message.startswith(message)
    assert caught.value.location == str(Layout(tmp_path).text(1))
    assert caught.value.hint == "rebuild the index"


def test_a_current_that_cannot_be_read_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").mkdir()
    with pytest.raises(StorageError) as caught:
        open_reader(tmp_path)
    assert caught.value.message == "cannot read the index: is a directory"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null\n",
        b"[]\n",
        b'{"format": "x"}\n',
        b'{"format": %d}\n00000000\n' % FORMAT,
        b"[" * 9999,
    ],
)
def test_a_torn_current_is_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "CURRENT").write_bytes(content)
    with pytest.raises(DamagedError) as caught:
        open_reader(tmp_path)
    assert caught.value.message == (
        "the index is damaged: its CURRENT file is not what was written"
    )


def test_a_current_with_other_fields_is_damage(tmp_path: Path) -> None:
    import zlib

    body = json.dumps({"format": FORMAT, "surprise": 2}).encode()
    (tmp_path / "CURRENT").write_bytes(b"%s\n%08x\n" % (body, zlib.crc32(body)))
    with pytest.raises(DamagedError, match="CURRENT"):
        open_reader(tmp_path)


def test_a_generation_that_goes_while_it_is_opened_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tmp_path, {"a.md": "old\n"})
    real, stale = Layout.read_current, Layout(tmp_path).read_current()
    index(tmp_path, {"a.md": "new\n"}, settings=IndexOptions("2", {"t": "english"}))
    answers = [stale]
    monkeypatch.setattr(
        Layout, "read_current", lambda self: answers.pop() if answers else real(self)
    )
    assert search(open_reader(tmp_path), "new") == ["t:a.md"]


def test_a_match_without_its_record_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tmp_path, {"a.md": "x\n"})
    reader = open_reader(tmp_path)
    monkeypatch.setattr(reader, "refs", lambda found: [("t:gone.md", 0) for _ in found])
    with pytest.raises(DamagedError) as caught:
        reader.entries(chunks(reader))
    assert caught.value.message == "the index is damaged: no record of t:gone.md"


def test_entries_are_the_same_however_often_they_are_asked_for(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "# A\n\nx\n\n## B\n\nx\n", "c.md": "x\n"})
    reader = open_reader(tmp_path)
    found = chunks(reader)
    entries = [reader.entries(found) for _ in range(4)]
    assert entries == [entries[0]] * 4
    places = [("t:a.md", 0), ("t:a.md", 1), ("t:a.md", 2), ("t:c.md", 0)]
    assert sorted(reader.refs(found)) == places


def test_the_engine_is_guarded(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    reader = open_reader(tmp_path)
    with pytest.raises(DamagedError) as caught, reader.guard("search the index"):
        raise ValueError("Data corrupted: 'x'")
    assert caught.value.message == (
        "cannot search the index: the index is damaged (Data corrupted: 'x')"
    )


def test_old_records_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leafmark.index.embedded.reader.REMEMBERED", 2)
    index(tmp_path, {f"{number}.md": "x\n" for number in range(5)})
    reader = open_reader(tmp_path)
    for number in (0, 1, 2, 3, 4, 0):
        assert reader.document(f"t:{number}.md") is not None
    assert len(reader._stored) == 2
