"""What references mean in the sources, and what is said of those that mean nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from support.projects import Here, deny

from leafmark.errors import StorageError, UsageError
from leafmark.evaluation import JudgedQuery, Library, Passage, read_queries
from leafmark.evaluation.judgments import Reference
from leafmark.search.citations import format_citation

GUIDE = """---
title: Manual
---
# Guide

Intro.

## Set up

First run `make`,
then wait until it is done.

## Use

Run it. Run it. Ünïcode follows.

### Set up

Again.
"""
PAGE = (
    "<html><body><nav>Backups Now</nav><main><h1>Backups</h1>"
    "<p>To restore a <b>backup</b>,\n run &lt;restore&gt;.</p></main></body></html>"
)


@pytest.fixture(autouse=True)
def _documents(here: Here) -> None:
    here.write("guide.md", GUIDE)
    here.write("web/page.html", PAGE)
    here.write("my notes.txt", "first line\nsecond line\n")


def test_a_title_that_is_the_documents_too_names_the_section(here: Here) -> None:
    here.write("plan.md", "Before.\n\n# Plan\n\nDo it.\n\n## Later\n\nRest.\n")
    reference = Reference(path="plan.md", section=("Plan",))
    assert _bytes(here, "plan.md", reference) == "# Plan\n\nDo it.\n\n## Later\n\nRest.\n"


def _passage(here: Here, reference: Reference, tree: str = "") -> Passage:
    query = JudgedQuery("q", (reference,), tree=tree, location="q.jsonl:1")
    ((passage,),) = Library(here.project()).passages([query])
    return passage


def _bytes(here: Here, path: str, reference: Reference) -> str:
    passage = _passage(here, reference)
    assert passage.doc_id == f"here:{path}"
    return (here.root / path).read_bytes()[passage.start : passage.end].decode()


OF_ONE_STRATEGY = "is an id of one strategy only: name the section, or give the citation"


@pytest.mark.parametrize(
    ("reference", "begins", "ends"),
    [
        (Reference("here:guide.md#use"), "## Use", "Again.\n"),
        (Reference("guide.md#set-up"), "## Set up", "done.\n\n"),
        (Reference("here:guide.md#set-up-1"), "### Set up", "Again.\n"),
        (Reference("here:guide.md"), "---", "Again.\n"),
        (Reference("guide.md#preamble"), "---", "Manual\n---\n"),
        (Reference(path="guide.md"), "---", "Again.\n"),
        (Reference(path="guide.md", section=("use",)), "## Use", "Again.\n"),
        (Reference(path="guide.md", section=("Use", "Set up")), "### Set up", "Again.\n"),
        (Reference(path="guide.md", quote="First run `make`"), "First", "make`"),
        (
            Reference(path="guide.md", quote="run `make`, then", until="done."),
            "run",
            "done.",
        ),
        (Reference(path="guide.md", quote="Ünïcode", until="follows."), "Ünïcode", "follows."),
        (
            Reference(path="guide.md", section=("Guide", "Set up"), quote="wait", until="is"),
            "wait",
            "is",
        ),
    ],
)
def test_places_in_markdown(here: Here, reference: Reference, begins: str, ends: str) -> None:
    found = _bytes(here, "guide.md", reference)
    assert found.startswith(begins)
    assert found.endswith(ends)


def test_the_preamble_is_a_section_where_one_is_called_so(here: Here) -> None:
    here.write("law.md", "We say:\n\n# Preamble\n\nWe.\n\n# Articles\n\nOne.\n")
    assert _bytes(here, "law.md", Reference("law.md#preamble")) == "# Preamble\n\nWe.\n\n"
    whole = Reference("here:my notes.txt#preamble")
    assert _bytes(here, "my notes.txt", whole) == "first line\nsecond line\n"
    here.write("bare.md", "# Title\n\nText.\n")
    with pytest.raises(UsageError, match=r"bare\.md#preamble is empty"):
        _passage(here, Reference("bare.md#preamble"))


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"query": "x", "answers": []}\n', encoding="utf-8")
    assert len(read_queries(["q.jsonl", "q.jsonl"], tmp_path)) == 1


def test_places_in_text_and_by_offset(here: Here) -> None:
    reference = Reference(path="my notes.txt", start=6, end=10, grade=2.0)
    assert _passage(here, reference) == Passage("here:my notes.txt", 6, 10, 2.0)
    assert _bytes(here, "my notes.txt", Reference(path="my notes.txt", quote="line second")) == (
        "line\nsecond"
    )


def test_a_quote_of_a_page_is_of_what_people_read(here: Here) -> None:
    reference = Reference(path="web/page.html", quote="restore a backup, run <restore>")
    assert _bytes(here, "web/page.html", reference) == (
        "restore a <b>backup</b>,\n run &lt;restore&gt;"
    )
    assert "<h1>Backups" in _bytes(here, "web/page.html", Reference("web/page.html#backups"))
    assert _bytes(here, "web/page.html", Reference(path="web/page.html", quote="Backups")) == (
        "Backups"  # that of the navigation is not read
    )


def test_a_citation_is_checked(here: Here) -> None:
    start = GUIDE.index("First")
    digest = hashlib.sha256(GUIDE[start : start + 5].encode()).hexdigest()[:12]
    cited = f"here:guide.md#set-up@{digest}:{start}-{start + 5}"
    assert _bytes(here, "guide.md", Reference(cited)) == "First"
    here.write("100 % #1.md", GUIDE)
    odd = format_citation("here:100 %25 %231.md#set-up", digest, start, start + 5)
    assert _passage(here, Reference(odd)).doc_id == "here:100 %25 %231.md"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (Reference("here:elsewhere.md"), "there is no document here:elsewhere.md"),
        (
            Reference("here:giude.md"),
            "there is no document here:giude.md; did you mean here:guide.md?",
        ),
        (Reference("guide.md#gone"), "guide.md has no section #gone"),
        (Reference("guide.md#setup"), "guide.md has no section #setup; did you mean #set-up?"),
        (Reference("here:guide.md.2"), f"here:guide.md.2 {OF_ONE_STRATEGY}"),
        (Reference("guide.md#set-up~1"), f"guide.md#set-up~1 {OF_ONE_STRATEGY}"),
        (
            Reference(path="guide.md", section=("Guide", "Setup")),
            "guide.md has no section 'Guide > Setup'; did you mean 'Set up'?",
        ),
        (
            Reference("here:guide.md@000000000000:0-5"),
            "the bytes cited by here:guide.md@000000000000:0-5 are no longer there",
        ),
        (
            Reference(path="guide.md", start=0, end=9999),
            f"guide.md has {len(GUIDE.encode())} bytes, and none at 9999",
        ),
        (Reference(path="guide.md", section=("Gone",)), "guide.md has no section 'Gone'"),
        (Reference(path="guide.md", section=("Set up",)), "guide.md has 2 sections 'Set up'"),
        (Reference(path="guide.md", quote="gone"), "guide.md does not contain 'gone'"),
        (
            Reference(path="guide.md", quote="Run it."),
            "guide.md contains 'Run it.' 2 times: quote more of it, or name its section",
        ),
        (
            Reference(path="guide.md", quote="Again.", until="Intro."),
            "guide.md does not contain 'Intro.' after the quote",
        ),
    ],
)
def test_a_reference_that_leads_nowhere_is_named(
    here: Here, reference: Reference, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        _passage(here, reference)
    assert caught.value.message == (
        f"1 reference does not lead to one place:\n  q.jsonl:1: {message}"
    )


def test_an_answer_in_a_document_that_is_not_indexed_says_why(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("core.txt", "not text\0\0")
    deny(monkeypatch, "evaluation.references", "guide.md")
    monkeypatch.setattr("leafmark.evaluation.references.chunk_document", lambda *_, **__: 1 / 0)
    references = [Reference("here:guide.md#use"), Reference("core.txt"), Reference("my notes.txt")]
    library = Library(here.project())
    with pytest.raises(UsageError) as caught:
        library.passages([JudgedQuery("q", tuple(references), location="q.jsonl:1")])
    assert caught.value.message.split("\n")[1:] == [
        "  q.jsonl:1: nothing of here:guide.md is indexed: "
        "the file cannot be read: permission denied",
        "  q.jsonl:1: nothing of core.txt is indexed: the file is binary",
        "  q.jsonl:1: nothing of my notes.txt is indexed: "
        "the file cannot be prepared: ZeroDivisionError: division by zero",
    ]
    assert [note.path for note in library.unread()] == ["guide.md", "my notes.txt"]


def test_an_answer_that_stands_twice_is_an_error(here: Here) -> None:
    twice = (Reference("here:guide.md#use"), Reference(path="guide.md", section=("Use",)))
    with pytest.raises(UsageError) as caught:
        Library(here.project()).passages([JudgedQuery("q", twice, location="q.jsonl:1")])
    assert caught.value.message == (
        "1 reference does not lead to one place:\n"
        "  q.jsonl:1: two answers are the same bytes of here:guide.md"
    )


def test_all_broken_references_are_named_at_once_but_not_too_many(here: Here) -> None:
    queries = [
        JudgedQuery("q", (Reference(f"gone{at}.md"),), location=f"q.jsonl:{at}") for at in range(12)
    ]
    with pytest.raises(UsageError) as caught:
        Library(here.project()).passages(queries)
    lines = caught.value.message.split("\n")
    assert lines[0] == "12 references do not lead to one place:"
    assert lines[1] == "  q.jsonl:0: there is no document gone0.md"
    assert lines[-1] == "  and 2 more"
    assert len(lines) == 12


def test_the_file_that_is_named_is_the_first_with_a_broken_reference(here: Here) -> None:
    queries = [
        JudgedQuery("a", (Reference("here:guide.md#use"),), location="good.jsonl:1"),
        JudgedQuery("b", (Reference("gone.md"),), location="bad.jsonl:7"),
        JudgedQuery("c", (Reference("gone.md"),), location="worse.jsonl:1"),
    ]
    with pytest.raises(UsageError) as caught:
        Library(here.project()).passages(queries)
    assert caught.value.location == "bad.jsonl"


def test_a_tree_whose_folder_is_missing_is_named(here: Here) -> None:
    here.configure('[tree.one]\npath = "one"\n')
    with pytest.raises(UsageError) as caught:
        _passage(here, Reference(path="a.md"))
    assert caught.value.hint == f"the folder of tree 'one' is missing: {here.root / 'one'}"


def test_a_path_in_two_trees_needs_the_tree(here: Here) -> None:
    here.write("one/a.md", "# A\n\nx\n")
    here.write("two/a.md", "# A\n\ny\n")
    here.configure('[tree.one]\npath = "one"\n[tree.two]\npath = "two"\n')
    assert _passage(here, Reference(path="a.md"), tree="two").doc_id == "two:a.md"
    with pytest.raises(UsageError, match=r"a.md is in several trees: name the tree of the query"):
        _passage(here, Reference(path="a.md"))
    with pytest.raises(UsageError, match=r"there is no document b.md in the tree two"):
        _passage(here, Reference(path="b.md"), tree="two")


def test_an_answer_outside_the_tree_of_its_query_is_an_error(here: Here) -> None:
    here.write("one/a.md", "# A\n\nx\n")
    here.write("two/b.md", "# B\n\ny\n")
    here.configure('[tree.one]\npath = "one"\n[tree.two]\npath = "two"\n')
    assert _passage(here, Reference("two:b.md"), tree="two").doc_id == "two:b.md"
    cited = format_citation("two:b.md", hashlib.sha256(b"# B").hexdigest()[:12], 0, 3)
    for name in ("two:b.md", "two:b.md#b", cited):
        with pytest.raises(UsageError) as caught:
            _passage(here, Reference(name), tree="one")
        assert caught.value.message == (
            "1 reference does not lead to one place:\n  q.jsonl:1: "
            "two:b.md is not in the tree one, the only one that the query searches"
        )


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (None, StorageError, "the file cannot be read: no such file or directory"),
        (b"\xff\xfe", UsageError, "the file is not UTF-8"),
        (b"\n\n", UsageError, "there is no query to judge"),
    ],
)
def test_files_that_hold_no_queries(
    tmp_path: Path, data: bytes | None, error: type[Exception], message: str
) -> None:
    if data is not None:
        (tmp_path / "q.jsonl").write_bytes(data)
    with pytest.raises(error) as caught:
        read_queries(["q.jsonl"], tmp_path)
    assert (caught.value.message, caught.value.location) == (message, "q.jsonl")  # type: ignore[attr-defined]
