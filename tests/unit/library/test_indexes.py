"""`open_index`: the use cases as a program calls them."""

from __future__ import annotations

import asyncio
import inspect
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import leafmark
from leafmark import open_index
from leafmark.app import open_project
from leafmark.app.answering.opening import open_index as open_for_reading
from leafmark.app.indexing import refreshing
from leafmark.chunking import token_counter
from leafmark.index import IndexReader, open_reader, open_writer


def ids(answer: leafmark.Answer) -> list[str]:
    return [result.id for result in answer.results]


def test_search_is_fresh_and_gives_whole_texts(docs: Path) -> None:
    with open_index(docs) as index:
        (found,) = index.search("wizard").results
        assert found.id == "docs:guide.md#install"
        assert found.full_text == "## Install\n\nRun the installer, then the wizard.\n\n"
        assert index.verify(f"[{found.citation}]").holds
        (docs / "more.md").write_text("# Iguana\n\nA zoo.\n")
        assert ids(index.search("iguana")) == ["docs:more.md"]
        (docs / "more.md").unlink()
        assert ids(index.search("iguana")) == []


def test_text_keeps_to_a_budget_and_more_of_it_only_adds(docs: Path) -> None:
    count = token_counter("o200k_base")
    with open_index(docs) as index:
        answer = index.search("wizard", "kettle", "database", aggregation=False)
        report = index.show("guide.md", "notes.txt")
        assert len(answer.results) == 3
        for found in (answer, report):
            whole = index.text(found)
            with pytest.raises(leafmark.BudgetError) as caught:
                index.text(found, max_tokens=3)
            least = caught.value.least
            assert caught.value.message == "the answer does not fit into 3 tokens"
            assert caught.value.hint == f"max_tokens={least} is the least for it"
            shown: set[str] = set()
            for budget in range(least, count(whole) + 40):
                text = index.text(found, max_tokens=budget)
                assert count(text) <= budget
                lines = {
                    line for line in text.splitlines() if line in whole and line[:1] not in "["
                }
                assert shown <= lines
                shown = lines
            assert index.text(found, max_tokens=10_000) == whole
        cited = index.text(answer, max_tokens=10_000)
        assert [one.status for one in index.verify(cited).citations] == ["ok"] * 3
        (docs / "notes.txt").write_text("another kettle\n")
        assert "changed since it was indexed" in index.text(answer, max_tokens=10_000)
        with pytest.raises(leafmark.UsageError) as wrong:
            index.text(answer, max_tokens=0)
        assert wrong.value.message == "max_tokens is 0"
        assert wrong.value.hint == "max_tokens must be a whole number of at least 1"


def test_factors_are_filled_where_an_explanation_is_asked_for(docs: Path) -> None:
    with open_index(docs) as index:
        (plain,) = index.search("wizard").results
        (explained,) = index.search("wizard", explain=True).results
    assert plain.factors == ()
    assert {factor.name for factor in explained.factors} >= {"wizard"}
    assert (plain.id, plain.score) == (explained.id, explained.score)


@pytest.mark.parametrize(
    ("wishes", "found"),
    [
        ({}, ["docs:guide.md", "docs:notes.txt"]),
        ({"limit": 1}, ["docs:guide.md"]),
        ({"section": "Install"}, ["docs:guide.md#install"]),
        ({"tags": ["guide"]}, ["docs:guide.md"]),
        ({"tags": ["guide", "other"]}, []),
        ({"since": "2100-01-01"}, []),
        ({"grain": "piece"}, ["docs:guide.md#ask", "docs:notes.txt", "docs:guide.md#install"]),
        ({"aggregation": False, "limit": 2}, ["docs:guide.md#ask", "docs:notes.txt"]),
        (
            {"grain": "piece", "sort": "path"},
            ["docs:guide.md#install", "docs:guide.md#ask", "docs:notes.txt"],
        ),
    ],
)
def test_every_wish_is_heeded(docs: Path, wishes: dict[str, Any], found: list[str]) -> None:
    (docs / "notes.txt").write_text("The wizard boils the kettle.\n")
    with open_index(docs) as index:
        assert ids(index.search("wizard", "list", **wishes)) == found


def test_a_strict_question_is_answered_whole_or_not_at_all(docs: Path) -> None:
    with open_index(docs) as index:
        assert ids(index.search("where does the wizard wander")) == ["docs:guide.md#install"]
        assert ids(index.search("where does the wizard wander", strict=True)) == []


def test_what_is_shown_of_a_section(docs: Path) -> None:
    (docs / "tea.md").write_text("# Tea\n\nKinds.\n\n## Green\n\nChina.\n\n### Sencha\n\nJapan.\n")
    with open_index(docs) as index:
        (shown,) = index.show("tea.md#green").shown
        (own,) = index.show("tea.md#green", own=True).shown
        (document,) = index.show("tea.md#sencha", full_document=True).shown
        (near,) = index.show("tea.md#tea").shown
        (deep,) = index.show("tea.md#tea", outline=True).shown
        (around,) = index.show("tea.md#sencha", expand=["parent"]).shown
    whole = "## Green\n\nChina.\n\n### Sencha\n\nJapan.\n"
    assert (shown.full_text, shown.body, shown.raw) == (whole, "\nChina.\n\n", whole.encode())
    assert (own.full_text, own.body, own.raw) == (own.body, "\nChina.\n\n", b"\nChina.\n\n")
    assert document.id == "docs:tea.md"
    assert [one.slug for one in near.children] == ["green"]
    assert [one.slug for one in deep.children] == ["green", "sencha"]
    assert [one.entry.slug for one in around.expanded] == ["green"]


def test_without_fresh_the_last_committed_state_answers(docs: Path) -> None:
    index = open_index(docs, fresh=False)
    with pytest.raises(leafmark.NotFoundError) as missing:
        index.search("wizard")
    assert missing.value.message == "there is no index yet"
    assert missing.value.location == str(docs)
    assert missing.value.hint == "call `refresh()` first, or open the index with fresh=True"
    assert index.refresh().added == ("docs:guide.md", "docs:notes.txt")
    (docs / "more.md").write_text("# Iguana\n\nA iguana.\n")
    assert ids(index.search("iguana")) == []
    assert index.refresh().added == ("docs:more.md",)
    assert ids(index.search("iguana")) == ["docs:more.md"]
    assert index.refresh().unchanged == 3


def test_settings_come_from_the_call_then_the_environment_then_files(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "leafmark.toml").write_text("[search]\nlimit = 1\n")
    assert len(open_index(docs).search("the").results) == 1
    monkeypatch.setenv("LEAFMARK_SEARCH_LIMIT", "2")
    assert len(open_index(docs).search("the", "guide", "kettle").results) == 2
    index = open_index(docs, config={"search.limit": 3})
    assert len(index.search("wizard", "kettle", "folder", aggregation=False).results) == 3
    with pytest.raises(leafmark.ConfigError) as wrong:
        open_index(docs, config={"search.limits": 3})
    assert wrong.value.message == "search.limits is not a setting"
    with pytest.raises(leafmark.ConfigError) as nested:
        open_index(docs, config={"search": {"limit": 3, "mode": "lexical"}})
    assert nested.value.message == "search is not a setting"
    assert nested.value.hint == "write search.limit, search.mode"


def test_only_whole_answers_have_a_text(docs: Path) -> None:
    with open_index(docs) as index:
        results = index.search("wizard").results
        cases: list[tuple[Any, str]] = [
            (results, "a tuple is given"),
            (None, "a NoneType is given"),
        ]
        for wrong, kinds in cases:
            with pytest.raises(leafmark.UsageError) as text:
                index.text(wrong)
            assert text.value.message == f"{kinds}, not Answer or ShowReport"
            with pytest.raises(leafmark.UsageError) as fitted:
                index.fit(wrong, max_tokens=9)
            assert fitted.value.message == f"{kinds}, not Answer"
            assert fitted.value.hint == "pass the object that `search` or `show` returned"


def test_a_relative_path_is_read_when_the_index_is_opened(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(docs.parent)
    index = open_index("docs")
    monkeypatch.chdir("/")
    assert index.path == docs
    assert dict(index.trees) == {"docs": docs}
    assert ids(index.search("kettle")) == ["docs:notes.txt"]


def test_show_context_like_and_source(docs: Path) -> None:
    (docs / "other.md").write_text("# Other\n\nAlso about the installer and the wizard.\n")
    with open_index(docs) as index:
        report = index.show("guide.md#upgrade", "guide.md#upgrad", expand=["prev"])
        (shown,) = report.shown
        assert (shown.id, shown.heading) == ("docs:guide.md#upgrade", "## Upgrade\n")
        assert [related.entry.title for related in shown.expanded] == ["Install"]
        ((missing, nearest),) = report.not_found
        assert (missing, nearest[0]) == ("guide.md#upgrad", "docs:guide.md#upgrade")
        data = index.source(shown.document)
        assert data == (docs / "guide.md").read_bytes()
        assert data[shown.entry.byte_start : shown.entry.byte_end] == (shown.body or "").encode()
        assert "docs:other.md#other" in ids(index.like("guide.md#install"))
        assert ids(index.context("guide.md"))[0].startswith("docs:other.md")
        assert ids(index.context(docs / "other.md", limit=1)) == ["docs:guide.md#install"]
        (docs / "guide.md").write_text("# Guide\n")
        assert index.source(shown.document) is None
        with pytest.raises(leafmark.UsageError, match="a str is given, not DocumentEntry"):
            index.source("docs:guide.md")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "question",
    [
        'what is "wizard',
        "(wizard",
        "wizard)",
        "title:wizard OR",
        "nonsense:wizard",
        "-wizard",
        "NOT wizard",
        "wizard^0 ~",
        "wizard " * 500,
    ],
)
def test_plain_questions_are_never_a_mistake(docs: Path, question: str) -> None:
    with open_index(docs) as index:
        assert "docs:guide.md#install" in ids(index.search(question, plain=True))


def test_a_plain_question_without_words_finds_nothing_and_says_so(docs: Path) -> None:
    with open_index(docs) as index:
        answer = index.search(" ?! ", plain=True)
    assert answer.results == ()
    assert [hint.message for hint in answer.hints] == [
        "the query holds no word that can be looked up"
    ]


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_what_no_file_can_be_called_is_not_there(docs: Path, name: str) -> None:
    with pytest.raises(leafmark.NotFoundError, match="the folder cannot be entered"):
        open_index(name)
    with pytest.raises(leafmark.NotFoundError, match="there is nothing at"):
        leafmark.rag_index(name, str(docs))


def test_what_else_is_wrong_is_told_of_a_plain_question_without_words_too(docs: Path) -> None:
    with open_index(docs) as index:
        with pytest.raises(leafmark.NotFoundError, match="there is no tree named 'nosuch'"):
            index.search("?!", plain=True, trees=["nosuch"])
        with pytest.raises(leafmark.UsageError, match="grain is 'large'"):
            index.search("?!", plain=True, grain="large")  # type: ignore[arg-type]
        with pytest.raises(leafmark.UsageError, match="limit"):
            index.search("?!", plain=True, limit=0)
    with pytest.raises(leafmark.UsageError, match="is closed"):
        index.search("?!", plain=True)


@pytest.mark.parametrize(
    ("wish", "message", "hint"),
    [
        ({"trees": "docs"}, "trees is one text, 'docs'", "give a list: ['docs']"),
        ({"tags": [1]}, "tags contains 1", "give texts"),
        ({"tags": None}, "tags is None", "give a list"),
        ({"expand": 3}, "expand is 3", "give a list"),
        ({"section": ["Guide"]}, "section is ['Guide']", "give a text"),
        ({"since": 7}, "since is 7", "give a text"),
        (
            {"grain": "word"},
            "grain is 'word'",
            "one of auto, piece, section, document",
        ),
        (
            {"expand": ["uncle"]},
            "expand is 'uncle'",
            "one of parent, siblings, children, prev, next",
        ),
        ({"expand": "prev"}, "expand is one text, 'prev'", "give a list: ['prev']"),
        ({"sort": "name"}, "sort is 'name'", "one of score, mtime, path"),
    ],
)
def test_mistakes_are_named(docs: Path, wish: dict[str, Any], message: str, hint: str) -> None:
    with open_index(docs) as index, pytest.raises(leafmark.UsageError) as wrong:
        index.search("wizard", **wish)
    assert (wrong.value.message, wrong.value.hint) == (message, hint)


def test_a_very_large_folder_is_not_indexed_unasked(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refreshing, "MANY_FILES", 1)
    for call in (lambda: open_index(docs).search("x"), lambda: open_index(docs).refresh()):
        with pytest.raises(leafmark.ConfirmationError) as asked:
            call()
        assert asked.value.message == f"{docs} holds more than 1 files"
        assert asked.value.hint == (
            "pass confirmed=True to index it anyway, or open a smaller folder"
        )
    assert ids(open_index(docs, confirmed=True).search("kettle")) == ["docs:notes.txt"]


def test_a_closed_index_refuses_and_one_that_is_pickled_opens_again(docs: Path) -> None:
    index = open_index(docs)
    index.search("kettle")
    copy = pickle.loads(pickle.dumps(index))
    index.close()
    index.close()
    for call in (index.refresh, lambda: index.search("kettle"), lambda: index.show("guide.md")):
        with pytest.raises(leafmark.UsageError) as closed:
            call()
        assert closed.value.message == f"the index of {docs} is closed"
    assert ids(copy.search("kettle")) == ["docs:notes.txt"]
    assert (repr(index), repr(copy)) == (f"<Index of {docs}, closed>", f"<Index of {docs}>")


def test_nothing_is_imported_that_is_not_used(docs: Path) -> None:
    code = (
        "import sys, leafmark; index = leafmark.open_index(sys.argv[1]); index.search('kettle');"
        "unused = {'asyncio', 'numpy', 'multiprocessing', 'ssl', 'http', 'mcp', 'uvicorn'};"
        "print(sorted(unused & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(docs)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_nothing_is_printed_and_the_current_folder_is_not_needed(docs: Path) -> None:
    code = (
        "import os, sys, leafmark; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone');"
        "index = leafmark.open_index(sys.argv[1]); assert index.search('kettle').results;"
        "assert index.refresh().unchanged; index.show('guide.md'); index.like('guide.md')"
    )
    done = subprocess.run(
        # without -P Python 3.13.0 loads no extension where its current folder is gone
        [sys.executable, "-P", "-c", code, str(docs)],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_the_reader_is_opened_once_for_each_commit(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    def counted(root: Path) -> IndexReader:
        opened.append(root)
        return open_reader(root)

    monkeypatch.setattr("leafmark.app.session.open_reader", counted)
    open_index(docs).refresh()
    with open_index(docs, fresh=False) as index:
        opened.clear()
        for _ in range(3):
            assert index.search("kettle").results
            assert index.show("guide.md").shown
        assert len(opened) == 1
        (docs / "more.md").write_text("# More\n\nThe iguana.\n")
        open_index(docs).refresh()
        opened.clear()
        assert index.search("iguana").results
        assert index.search("kettle").results
        assert len(opened) == 1


def test_every_answer_says_that_another_process_writes(docs: Path) -> None:
    index = open_index(docs)
    index.refresh()
    project = open_project(docs, flags={}, environ=dict(os.environ))
    with open_writer(project.index_dir, project.index_options()):
        (docs / "more.md").write_text("# More\n\nnew\n")
        answers = (index.search("kettle"), index.show("more.md"), index.verify("[docs:more.md]"))
    assert [[hint.code for hint in each.hints] for each in answers] == [["locked"]] * 3
    assert (index.show("more.md").hints, index.verify("").hints) == ((), ())


def test_many_threads_read_while_the_documents_change(docs: Path) -> None:
    """Every answer is of one state: each page as it was at some moment, never a mixture."""
    pages = 12
    for number in range(pages):
        _write_page(docs, number, 0)
    stop = 4
    index = open_index(docs)
    index.refresh()

    def read(worker: int) -> int:
        seen = 0
        for turn in range(15):
            answer = index.search(f"page{(worker + turn) % pages}", plain=True, limit=3)
            for result in answer.results:
                if not result.stale:
                    assert result.full_text is not None
                    versions = {w for w in result.full_text.split() if w.startswith("version")}
                    assert len(versions) == 1, result.full_text
                    assert result.citation is not None
                    seen += 1
            index.show(f"p{turn % pages}.md")
        return seen

    def change() -> int:
        for version in range(1, stop):
            for number in range(pages):
                _write_page(docs, number, version)
            index.refresh()
        return 1

    with ThreadPoolExecutor(9) as pool:
        done = [pool.submit(change), *(pool.submit(read, worker) for worker in range(8))]
        assert all(job.result(timeout=100) > 0 for job in done)
    assert ids(index.search(f"version{stop - 1}", limit=pages)) != []
    assert ids(index.search("version1")) == []


def _write_page(docs: Path, number: int, version: int) -> None:
    text = "".join(
        f"## Part {part}\n\npage{number} version{version} part {part}\n\n" for part in range(4)
    )
    new = docs.parent / f"new-{number}"
    new.write_text(f"# Page {number}\n\n{text}")
    os.replace(new, docs / f"p{number}.md")


def test_threads_that_ask_at_once_share_one_look_at_the_files(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, first, go = [0], Event(), Event()

    def look(*args: Any, **wishes: Any) -> Any:
        looks[0] += 1
        if looks[0] == 1:
            first.set()
            go.wait(20)
        return open_for_reading(*args, **wishes)

    monkeypatch.setattr("leafmark.library.indexes.bring_up_to_date", look)
    index = open_index(docs)

    def ask() -> int:
        return len(index.search("kettle").results)

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(ask)]
        assert first.wait(20)
        jobs += [pool.submit(ask) for _ in range(6)]
        go.set()
        assert [job.result(timeout=60) for job in jobs] == [1] * 7
    assert looks[0] <= 2  # the second begins to listen to events


def test_the_same_calls_can_be_awaited(docs: Path) -> None:
    async def ask() -> None:
        with open_index(docs) as index:
            report = await index.arefresh()
            assert report.documents == 2
            answers = await asyncio.gather(
                *(index.asearch(word, limit=1) for word in ("kettle", "wizard", "database"))
            )
            assert [ids(each)[0] for each in answers] == [
                "docs:notes.txt",
                "docs:guide.md#install",
                "docs:guide.md#upgrade",
            ]
            assert (await index.ashow("notes.txt")).shown[0].id == "docs:notes.txt"
            assert not (await index.averify("nothing cited")).holds
            assert (await index.acontext("guide.md")).query == ""
            assert (await index.alike("notes.txt")).results == ()
            with pytest.raises(leafmark.QueryError):
                await index.asearch('title:"open')

    asyncio.run(ask())
    names = ["refresh", "search", "show", "context", "like", "verify"]
    for name in names:
        method = getattr(leafmark.Index, f"a{name}")
        assert inspect.iscoroutinefunction(method)
        assert method.__name__ == f"a{name}"
        assert inspect.signature(method) == inspect.signature(getattr(leafmark.Index, name))


def test_an_index_that_another_process_writes_answers_with_a_hint(docs: Path) -> None:
    index = open_index(docs)
    index.refresh()
    (docs / "more.md").write_text("# Iguana\n\nA iguana.\n")
    project = open_project(docs, flags={}, environ=dict(os.environ))
    with open_writer(project.index_dir, project.index_options(), timeout_s=0):
        answer = index.search("kettle")
        assert ids(answer) == ["docs:notes.txt"]
        assert [hint.code for hint in answer.hints] == ["locked"]
    assert ids(index.search("iguana")) == ["docs:more.md"]


def test_hints_name_arguments_where_the_command_line_has_options(docs: Path) -> None:
    with open_index(docs) as index:
        answer = index.search("wizard", tags=["guide", "guides"])
        assert [hint.message for hint in answer.hints if hint.code == "filter"] == [
            "without `tags` guide guides, there would be 1 match"
        ]


def test_a_press_of_ctrl_c_is_the_programs(docs: Path) -> None:
    """It ends the program, or is told to it; it is not swallowed with the run of the index."""
    given: list[int] = []
    index = open_index(docs)

    def press(what: str, done: int, total: int) -> None:
        if (what, done) == ("indexing", 1):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        index.refresh(progress=press)
    kept = open_index(docs, fresh=False)
    assert len(kept.search("kettle", "wizard").results) == 1
    before = signal.signal(signal.SIGINT, lambda number, frame: given.append(number))
    try:
        report = index.refresh(progress=press, rebuild=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (given, report.documents, report.interrupted) == ([signal.SIGINT], 2, False)
