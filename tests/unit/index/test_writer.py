"""Writing: what a commit makes visible, what it forgets, and what it refuses."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
import tantivy
from support.indexes import (
    SETTINGS,
    chunk,
    contents,
    facts,
    ids_of,
    index,
    search,
    state_of,
)

from leafmark.errors import MAKE_ROOM, NotFoundError, StorageError, UsageError
from leafmark.index import (
    EngineDocuments,
    IndexOptions,
    IndexWriter,
    engine,
    folder,
    open_reader,
    open_writer,
    prepare_source,
)
from leafmark.index.embedded.generation import index_languages, open_engine
from leafmark.index.folder import Layout
from leafmark.index.manifest import TO_RETRY
from leafmark.index.queries import HasTerm
from leafmark.index.schema import FORMAT
from leafmark.model import Diagnostic, DocumentEntry

GUIDE = """---
title: Guide
tags: [api, Two Words]
status: Draft
n: 3
---
Preamble with zebra.

# Setup

Handling errors.

```py
print("walrus")
```

# Empty

# Usage

| a | b |
|---|---|
| 1 | 2 |
"""


def test_a_first_index_holds_the_chunks(tmp_path: Path) -> None:
    meta = index(tmp_path, {"docs/guide.md": GUIDE})
    assert (meta.seq, meta.documents, meta.chunks, meta.started_ns) == (1, 1, 3, 5)
    reader = open_reader(tmp_path)
    assert search(reader, "handled error") == ["t:docs/guide.md#setup"]
    assert search(reader, "zebra") == ["t:docs/guide.md"]
    assert search(reader, "usage", field="title") == ["t:docs/guide.md#usage"]
    every = ["t:docs/guide.md", "t:docs/guide.md#setup", "t:docs/guide.md#usage"]
    assert search(reader, "docs guide md", field="path") == every
    assert search(reader, "two words", field="tags") == every
    assert ids_of(reader) == every


def test_front_matter_is_not_searched(tmp_path: Path) -> None:
    index(tmp_path, {"g.md": GUIDE})
    assert search(open_reader(tmp_path), "draft") == []


def test_facts_filter(tmp_path: Path) -> None:
    index(tmp_path, {"g.md": GUIDE})
    reader = open_reader(tmp_path)
    every = ["t:g.md", "t:g.md#setup", "t:g.md#usage"]
    assert facts(reader, "tree=t") == facts(reader, "tag=api") == every
    assert facts(reader, "tag=two words") == facts(reader, "meta.status=draft") == every
    assert facts(reader, "meta.n=3") == every
    assert facts(reader, "kind=document") == ["t:g.md"]
    assert facts(reader, "has=code") == facts(reader, "lang=python") == ["t:g.md#setup"]
    assert facts(reader, "has=table") == ["t:g.md#usage"]
    assert facts(reader, "has=list") == []


def test_putting_again_replaces(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "# One\n\nold words\n\n# Two\n\nx\n", "b.md": "other\n"})
    index(tmp_path, {"a.md": "# One\n\nfresh text\n"})
    reader = open_reader(tmp_path)
    assert search(reader, "old words") == []
    assert search(reader, "fresh text") == ["t:a.md#one"]
    assert reader.meta.chunks == 3
    assert search(reader, "other") == ["t:b.md"]


def test_putting_twice_in_one_run_keeps_the_last(tmp_path: Path) -> None:
    with open_writer(tmp_path, SETTINGS) as writer:
        for text in ("first\n", "second\n"):
            writer.put(chunk("a.md", text), state_of(text))
        writer.commit(started_ns=0)
    reader = open_reader(tmp_path)
    assert (search(reader, "first"), search(reader, "second")) == ([], ["t:a.md"])


def test_a_source_can_be_prepared_in_another_process(tmp_path: Path) -> None:
    sources = {"g.md": GUIDE, "empty.md": "", "caf\udce9.md": "x\n"}
    with open_writer(tmp_path / "a", SETTINGS) as writer:
        for path, text in sources.items():
            made = prepare_source(chunk(path, text), state_of(text), stemmer="english")
            writer.put_prepared(pickle.loads(pickle.dumps(made)))
        writer.commit(started_ns=0)
    index(tmp_path / "b", sources)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_source_prepared_in_another_language_is_refused(tmp_path: Path) -> None:
    made = prepare_source(chunk("a.md", "x\n"), state_of("x\n"), stemmer="german")
    with open_writer(tmp_path, SETTINGS) as writer, pytest.raises(UsageError) as caught:
        writer.put_prepared(made)
    assert caught.value.message == "the tree 't' is not in german"


def test_removing_takes_everything(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "words\n", "b.md": "words\n"})
    index(tmp_path, remove=("a.md", "never-there.md"))
    reader = open_reader(tmp_path)
    assert search(reader, "words") == ["t:b.md"]
    assert reader.document("t:a.md") is None
    assert list(reader.manifest) == [("t", "b.md")]


def test_what_is_not_committed_is_forgotten(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "kept\n"})
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.put(chunk("b.md", "lost\n"), state_of("lost\n"))
        writer.remove("t", "a.md")
        assert list(writer.manifest) == [("t", "b.md")]
    reader = open_reader(tmp_path)
    assert (search(reader, "kept"), search(reader, "lost")) == (["t:a.md"], [])
    assert list(reader.manifest) == [("t", "a.md")]


def test_a_first_index_that_is_not_committed_leaves_nothing(tmp_path: Path) -> None:
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.put(chunk("a.md", "x\n"), state_of("x\n"))
    assert Layout(tmp_path).generations() == []
    assert Layout(tmp_path).read_current() is None


@pytest.mark.parametrize("source", ["", " \n\t\n"])
def test_a_source_without_chunks_is_remembered_and_never_found(tmp_path: Path, source: str) -> None:
    index(tmp_path, {"a.md": "words\n", "empty.md": source})
    reader = open_reader(tmp_path)
    assert ids_of(reader) == ["t:a.md"]
    entry = reader.document("t:empty.md")
    assert entry is not None
    assert (entry.chunk_count, entry.state) == (0, state_of(source))
    assert reader.manifest["t", "empty.md"].chunks == 0
    index(tmp_path, {"empty.md": "no longer\n"})
    assert search(open_reader(tmp_path), "longer") == ["t:empty.md"]
    index(tmp_path, {"empty.md": source})
    assert search(open_reader(tmp_path), "longer") == []
    assert len(open_reader(tmp_path).manifest) == 2


def test_an_unreadable_source_keeps_its_diagnostics(tmp_path: Path) -> None:
    note = Diagnostic("x.md", "unreadable", "the file cannot be read", 3)
    entry = DocumentEntry("t", "x.md", state_of(""), "", "text", "utf-8", 0, diagnostics=(note,))
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.put_prepared(EngineDocuments(entry, "english"))
        writer.commit(started_ns=0)
    reader = open_reader(tmp_path)
    assert reader.document("t:x.md") == entry
    assert reader.manifest["t", "x.md"].noted == TO_RETRY
    assert (reader.meta.documents, reader.meta.chunks) == (0, 0)


def test_touching_keeps_the_chunks(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "words\n"})
    moved = state_of("words\n")._replace(inode=99, changed_ns=3)
    with open_writer(tmp_path, SETTINGS) as writer:
        assert writer.touch("t", "a.md", state_of("words\n"))  # as it was: nothing to do
        assert writer.touch("t", "a.md", moved)
        assert not writer.touch("t", "a.md", state_of("other\n"))
        assert not writer.touch("t", "a.md", state_of("words\n", modified_s=1))
        assert not writer.touch("t", "absent.md", moved)
        writer.commit(started_ns=0)
        assert writer.state("t", "a.md") == moved
    reader = open_reader(tmp_path)
    entry = reader.document("t:a.md")
    assert entry is not None
    assert entry.state == moved
    assert reader.manifest["t", "a.md"].inode == 99
    assert search(reader, "words") == ["t:a.md"]
    assert ids_of(reader) == ["t:a.md"]
    index(tmp_path, {"a.md": "new\n"})
    entry = open_reader(tmp_path).document("t:a.md")
    assert entry is not None
    assert entry.state == state_of("new\n")


def test_a_look_without_changes_is_recorded_without_a_commit(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    before, reader = contents(tmp_path), open_reader(tmp_path)
    assert reader.looked_ns == reader.meta.started_ns == 5
    with open_writer(tmp_path, SETTINGS) as writer:
        assert writer.touch("t", "a.md", state_of("x\n"))
        assert writer.commit(started_ns=77).seq == 1
    assert reader.is_current()
    assert open_reader(tmp_path).looked_ns == writer.looked_ns == 77
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.commit(started_ns=0)
    assert open_reader(tmp_path).looked_ns == 77
    assert contents(tmp_path) == before


def test_without_its_snapshot_the_commit_says_when_sources_were_looked_at(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.commit(started_ns=77)
    (snapshot,) = tmp_path.rglob("manifest*")
    snapshot.write_bytes(b"[]\n")
    reader = open_reader(tmp_path)
    assert reader.looked_ns == 5
    assert not reader.has_exactly([])


def test_several_commits_of_one_writer(tmp_path: Path) -> None:
    with open_writer(tmp_path, SETTINGS) as writer:
        for number in range(3):
            writer.put(chunk(f"{number}.md", "x\n"), state_of("x\n"))
            writer.commit(started_ns=number)
            assert len(open_reader(tmp_path).manifest) == number + 1
    assert open_reader(tmp_path).meta.seq == 3


def test_an_unknown_tree_is_refused(tmp_path: Path) -> None:
    with open_writer(tmp_path, SETTINGS) as writer, pytest.raises(UsageError) as caught:
        writer.put(chunk("a.md", "x\n", tree="other"), state_of("x\n"))
    assert caught.value.message == "the index knows no tree named 'other'"


# -- settings and generations ------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (
            IndexOptions("2", {"t": "english"}),
            "settings have changed",
        ),
        (IndexOptions("settings-1", {"t": "german"}), "a language was added"),
        (IndexOptions("settings-1", {"t": None}), "a language was added"),
    ],
)
def test_other_settings_begin_a_new_generation(
    tmp_path: Path, settings: IndexOptions, reason: str
) -> None:
    index(tmp_path, {"a.md": "old\n"})
    old = open_reader(tmp_path)
    with open_writer(tmp_path, settings) as writer:
        assert (writer.rebuilt, dict(writer.manifest)) == (reason, {})
        assert search(open_reader(tmp_path), "old") == ["t:a.md"]  # it serves meanwhile
        writer.put(chunk("b.md", "new\n"), state_of("new\n"))
        writer.commit(started_ns=0)
    assert not old.is_current()
    assert search(old, "old") == ["t:a.md"]  # a reader keeps what it has open
    reader = open_reader(tmp_path)
    assert (search(reader, "old"), search(reader, "new")) == ([], ["t:b.md"])
    assert Layout(tmp_path).generations() == [2]


def test_the_first_generation_takes_the_place_of_none(tmp_path: Path) -> None:
    with open_writer(tmp_path, SETTINGS, rebuild=True) as writer:
        assert (writer.is_new, writer.rebuilt) == (True, None)
        writer.commit(started_ns=0)
    with open_writer(tmp_path, SETTINGS) as writer:
        assert (writer.is_new, writer.rebuilt) == (False, None)


def test_a_rebuild_that_fails_leaves_the_old_generation(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "old\n"})
    with open_writer(tmp_path, SETTINGS, rebuild=True) as writer:
        assert writer.rebuilt == "a rebuild was asked for"
        writer.put(chunk("b.md", "new\n"), state_of("new\n"))
    assert search(open_reader(tmp_path), "old") == ["t:a.md"]
    assert Layout(tmp_path).generations() == [1]


def test_a_tree_in_a_known_language_needs_no_rebuild(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "handled\n"})
    more = IndexOptions("settings-1", {"t": "english", "u": "english"})
    with open_writer(tmp_path, more) as writer:
        assert writer.rebuilt is None
        writer.put(chunk("b.md", "handling\n", tree="u"), state_of("handling\n"))
        writer.commit(started_ns=0)
    reader = open_reader(tmp_path)
    assert search(reader, "handles") == ["t:a.md", "u:b.md"]
    assert [language.trees for language in reader.languages] == [("t", "u")]


def test_a_tree_that_changes_language_is_rebuilt(tmp_path: Path) -> None:
    both = IndexOptions("1", {"t": "english", "u": "german"})
    index(tmp_path, {"a.md": "x\n"}, settings=both)
    swapped = IndexOptions("1", {"t": "german", "u": "english"})
    with open_writer(tmp_path, swapped) as writer:
        assert writer.rebuilt == "the language of a tree has changed"


def test_two_languages_have_fields_of_their_own(tmp_path: Path) -> None:
    both = IndexOptions("1", {"en": "english", "de": "german"})
    with open_writer(tmp_path, both) as writer:
        writer.put(chunk("a.md", "handling Häuser\n", tree="en"), state_of(""))
        writer.put(chunk("a.md", "handling Häuser\n", tree="de"), state_of(""))
        writer.commit(started_ns=0)
    reader = open_reader(tmp_path)
    german, english = reader.languages[1], reader.languages[0]
    assert (english.name, english.trees) == ("english", ("en",))
    assert (german.body, german.trees) == ("body_german", ("de",))
    assert reader.language_of("de") == german
    assert reader.language_of("fr") is None
    in_german = HasTerm(german.body, german.analyzer.terms("Haus")[0])
    assert ids_of(reader, in_german) == ["de:a.md"]
    in_english = HasTerm(english.body, "handl")
    assert ids_of(reader, in_english) == ["en:a.md"]


def test_a_language_of_few_chunks_is_measured_beside_all(tmp_path: Path) -> None:
    """Its mean length would be near 0, and each of its texts far too long."""
    settings = IndexOptions("settings-1", {"t": "english", "u": "german"})
    with open_writer(tmp_path, settings) as writer:
        for tree, count in (("t", 100), ("u", 1)):
            for number in range(count):
                text = f"nine plain words and then page number {number} {tree}lamp\n"
                text = text.replace("lamp", "lamp" if number == 0 else "lump")
                writer.put(chunk(f"{number}.md", text, tree=tree), state_of(text))
        writer.commit(started_ns=0)
    asked = [HasTerm("body_english", "tlamp"), HasTerm("body_german", "ulamp")]
    (((of_many, _),), ((of_few, _),)) = open_reader(tmp_path).search([(one, 5) for one in asked])
    assert of_many / 10 < of_few < of_many


def test_leftovers_of_a_crash_are_collected(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    for draft in ("CURRENT.4711.tmp", "gen-000001/manifest.4711.tmp", "gen-000001/text/.tmp3aB"):
        (tmp_path / draft).write_bytes(b"half")
    for leftover in ("gen-000002", "gen-000099"):
        (tmp_path / leftover / "text").mkdir(parents=True)
    index(tmp_path, {"b.md": "y\n"})
    assert Layout(tmp_path).generations() == [1]
    assert [*tmp_path.rglob("*.tmp"), *tmp_path.rglob(".tmp*")] == []


def test_a_damaged_index_is_rebuilt(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    (tmp_path / "gen-000001" / "text" / "meta.json").write_text("{")
    with open_writer(tmp_path, SETTINGS) as writer:
        assert writer.rebuilt is not None
        assert writer.rebuilt.startswith("cannot open the index: the index is damaged (")
        writer.put(chunk("a.md", "y\n"), state_of("y\n"))
        writer.commit(started_ns=0)
    assert search(open_reader(tmp_path), "y") == ["t:a.md"]
    assert Layout(tmp_path).generations() == [2]


def test_a_damaged_current_is_rebuilt(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    (tmp_path / "CURRENT").write_bytes(b"torn")
    with open_writer(tmp_path, SETTINGS) as writer:
        assert writer.rebuilt == "the index is damaged: its CURRENT file is not what was written"
        writer.put(chunk("a.md", "y\n"), state_of("y\n"))
        writer.commit(started_ns=0)
    assert search(open_reader(tmp_path), "y") == ["t:a.md"]


# -- failures ------------------------------------------------------------------------------


def test_a_writer_that_failed_takes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tmp_path, {"a.md": "kept\n"})
    with open_writer(tmp_path, SETTINGS) as writer:
        bad = chunk("b.md", "x\n")
        monkeypatch.setattr(bad.rendering, "describe_content", _fail)
        with pytest.raises(RuntimeError, match="broken"):
            writer.put(bad, state_of("x\n"))
        with pytest.raises(StorageError) as caught:
            writer.put(chunk("c.md", "y\n"), state_of("y\n"))
        assert caught.value.message == "this writer failed before and takes no more"
        with pytest.raises(StorageError, match="failed before"):
            writer.commit(started_ns=0)
    assert search(open_reader(tmp_path), "kept") == ["t:a.md"]
    index(tmp_path, {"c.md": "after\n"})
    assert search(open_reader(tmp_path), "after") == ["t:c.md"]


def _fail(_: object) -> None:
    raise RuntimeError("broken")


def test_a_commit_that_the_engine_lost_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tmp_path, {"a.md": "kept\n"})
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.put(chunk("b.md", "lost\n"), state_of("lost\n"))
        # What the engine does after a full disk: it says that it has committed, and has not.
        monkeypatch.setattr(writer, "engine", _Liar(writer))
        with pytest.raises(StorageError) as caught:
            writer.commit(started_ns=0)
    assert caught.value.message == (
        "the index did not keep what was written; what it held before stands"
    )
    assert caught.value.hint == MAKE_ROOM
    assert search(open_reader(tmp_path), "kept") == ["t:a.md"]


class _Liar:
    """The engine's writer, but for its commit."""

    def __init__(self, writer: IndexWriter):
        self._real = writer.engine

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def commit(self) -> int:
        return 1


_DENIED = "An IO error occurred: 'Access is denied. (os error 5)'"
_UNWRITTEN = """Failed to open file for write: 'IoError { io_error: Os { code: 5, kind: Permi'"""


@pytest.mark.parametrize(
    ("refused", "text", "waited", "committed"),
    [(3, _DENIED, 3, True), (99, _DENIED, 20, False), (1, _UNWRITTEN, 0, False)],
)
def test_on_windows_a_commit_waits_for_whoever_reads_what_it_replaces(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refused: int,
    text: str,
    waited: int,
    committed: bool,
) -> None:
    index(tmp_path, {"a.md": "kept\n"})
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    monkeypatch.setattr(engine, "WINDOWS", True)
    monkeypatch.setattr(folder, "WINDOWS", True)
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.put(chunk("b.md", "more\n"), state_of("more\n"))
        monkeypatch.setattr(writer, "engine", _Refused(writer, refused, text))
        if committed:
            writer.commit(started_ns=0)
        else:
            with pytest.raises(StorageError, match="cannot write the index: permission denied"):
                writer.commit(started_ns=0)
    assert len(waits) == waited
    reader = open_reader(tmp_path)
    assert (search(reader, "kept"), search(reader, "more") == ["t:b.md"]) == (["t:a.md"], committed)


class _Refused(_Liar):
    """The engine's writer, whose first commits the system refuses."""

    def __init__(self, writer: IndexWriter, times: int, text: str):
        super().__init__(writer)
        self._times, self._text = times, text

    def commit(self) -> int:
        self._times -= 1
        if self._times >= 0:
            raise ValueError(self._text)
        assert self._real is not None
        return self._real.commit()


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_at_any_step_leaves_a_committed_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Fail the first call, then the second, … until a run gets through."""
    index(tmp_path, {"a.md": "kept\n"})
    real = getattr(os, failing)
    for allowed in range(20):
        calls = 0

        def full(*args: object, allowed: int = allowed) -> object:
            nonlocal calls
            calls += 1
            if calls > allowed:
                raise OSError(28, "No space left on device")
            return real(*args)

        monkeypatch.setattr(os, failing, full)
        message = ""
        try:
            index(tmp_path, {"b.md": "new\n"}, settings=IndexOptions(str(allowed), {"t": None}))
        except StorageError as err:
            message = err.message
        monkeypatch.setattr(os, failing, real)
        assert message in ("", "cannot write the index: no space left on device")
        reader = open_reader(tmp_path)
        assert search(reader, "kept") or search(reader, "new")
        if calls <= allowed:
            return
    pytest.fail("no run got through")


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StorageError) as caught,
        open_writer(tmp_path / "file" / "index", SETTINGS),
    ):
        pass
    assert caught.value.message == "cannot create the index folder: not a directory"
    assert caught.value.location == str(tmp_path / "file" / "index")


def test_an_older_format_is_made_again(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    current = tmp_path / "CURRENT"
    current.write_bytes(b'{"format": 1, "something": "else"}\n00000000\n')
    message = f"the index has format 1, of an older leafmark (this one reads {FORMAT})"
    with pytest.raises(NotFoundError) as caught:
        open_reader(tmp_path)
    assert caught.value.message == message
    assert caught.value.hint == "bring the index up to date"
    with open_writer(tmp_path, SETTINGS) as writer:
        assert writer.rebuilt == message
        writer.put(chunk("b.md", "y\n"), state_of("y\n"))
        writer.commit(started_ns=0)
    assert search(open_reader(tmp_path), "y") == ["t:b.md"]


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    current = tmp_path / "CURRENT"
    newer = b'{"format": 99, "something": "else"}\n00000000\n'
    current.write_bytes(newer)
    for act in (lambda: open_reader(tmp_path), lambda: index(tmp_path, {"b.md": "y\n"})):
        with pytest.raises(UsageError) as caught:
            act()
        assert caught.value.message == (
            f"the index has format 99, written by a newer leafmark (this one knows {FORMAT})"
        )
        assert caught.value.hint == (
            "upgrade leafmark, or give this one an index of its own with `index.dir`"
        )
    assert current.read_bytes() == newer
    assert Layout(tmp_path).generations() == [1]


def test_counts_that_do_not_fit_are_damage(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "x\n"})
    languages = index_languages(SETTINGS.languages)
    writer = open_engine(Layout(tmp_path).text(1), languages).writer(15_000_000, 1)
    document = tantivy.Document()
    document.add_unsigned("position", 3)
    writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    with open_writer(tmp_path, SETTINGS) as opened:
        assert opened.rebuilt == ("the index is damaged: it does not hold what its own record says")


# -- hard cases -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["caf\udce9.md", "a b/ü.md", "100%#1~2.md", "x\ty.md", "deep/" * 200 + "f.md"]
)
def test_any_path_can_be_indexed(tmp_path: Path, path: str) -> None:
    index(tmp_path, {path: "words\n"})
    reader = open_reader(tmp_path)
    assert list(reader.manifest) == [("t", path)]
    (found,) = search(reader, "words")
    entry = reader.entry(found, 0)
    assert entry is not None
    assert (entry.path, entry.id) == (path, found)
    index(tmp_path, remove=(path,))
    assert search(open_reader(tmp_path), "words") == []


def test_a_huge_word_and_a_huge_line(tmp_path: Path) -> None:
    source = "a" * 200_000 + " needle " + "é" * 100_000 + "\n"
    index(tmp_path, {"a.md": source})
    assert search(open_reader(tmp_path), "needle") == ["t:a.md"]


def test_surrogates_in_metadata(tmp_path: Path) -> None:
    document = chunk("a.md", "x\n")
    odd = document.document._replace(title="a\ud800", tags=("\udfff",), metadata={"k": "\ud800"})
    object.__setattr__(document, "document", odd)
    with open_writer(tmp_path, SETTINGS) as writer:
        writer.put(document, state_of("x\n"))
        writer.commit(started_ns=0)
    entry = open_reader(tmp_path).document("t:a.md")
    assert entry is not None
    assert (entry.title, entry.metadata) == ("a\ud800", {"k": "\ud800"})
