"""Comparing revisions, working files and folders: sources are chosen as a walk chooses them."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import pytest
from support.projects import Here
from support.repositories import GitRepository

from leafmark.app.history import log_section
from leafmark.app.history.comparing import diff_project
from leafmark.app.history.sides import RevisionSide
from leafmark.app.requests import DiffRequest, LogRequest
from leafmark.errors import NotFoundError, UsageError
from leafmark.history import DiffReport
from leafmark.render.changes import iter_log
from leafmark.render.terminal import Style
from leafmark.search.citations import format_citation

_TEXT = "run the installer with all of its parts and wait until the light goes on"
_OTHER = "every evening somebody has to look after the tank and write down its level"


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path / "here", tmp_path / "home")


@pytest.fixture
def made(here: Here) -> GitRepository:
    return GitRepository(here.root)


def _diff(
    here: Here, old: str | None = None, new: str | None = None, **wishes: object
) -> DiffReport:
    return diff_project(here.project(), DiffRequest(old, new, **wishes))  # type: ignore[arg-type]


def _fates(report: DiffReport) -> dict[str, tuple[str, ...]]:
    return {
        change.section.id: change.fates
        for document in report.comparison.documents
        for change in document.changes
    }


def test_of_what_cannot_be_read_nothing_is_said(here: Here, made: GitRepository) -> None:
    made.commit({"a.md": f"# A\n\n{_TEXT}\n", "b.md": "# B\n\n1\n", "c.md": "# C\n"}, tag="v1")
    made.commit({"a.md": f"# A\n\n{_OTHER}\n", "b.md": "# B\n\nmore\n"})
    oid = made.git("rev-parse", "v1:a.md")
    (here.root / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    report = _diff(here, "v1")
    assert [one.document.path for one in report.comparison.documents] == ["b.md"]
    assert report.comparison.unchanged == 1
    assert [one.path for one in report.diagnostics] == ["a.md"]
    assert report.broken == ()


def test_a_shallow_clone_lists_what_is_here_and_says_where_it_ends(
    here: Here, made: GitRepository, tmp_path: Path
) -> None:
    made.commit({"a.md": f"# A\n\n{_TEXT}\n"})
    made.commit({"a.md": f"# A\n\n{_TEXT} more\n"})
    last = made.commit({"a.md": f"# A\n\n{_TEXT} more of it\n", "new.md": "# New\n"})
    made.git("clone", "-q", "--depth=2", here.root.as_uri(), str(tmp_path / "shallow"))
    shallow = Here(tmp_path / "shallow", here.home)
    log = log_section(shallow.project(), LogRequest("a.md#a"))
    assert [(one.commit.oid, one.change.fates) for one in log.entries if one.commit] == [
        (last, ("changed",))
    ]
    assert log.ends_at == made.git("rev-parse", f"{last}~1").strip()
    assert "".join(iter_log(log, Style())).splitlines()[-1] == (
        f"{log.ends_at[:12]} a shallow clone ends here: git fetch --unshallow"
    )
    came = log_section(shallow.project(), LogRequest("new.md"))
    assert ([one.change.fates for one in came.entries], came.ends_at) == ([("added",)], None)


def test_working_files_are_compared_with_the_last_commit(here: Here, made: GitRepository) -> None:
    made.commit({"a.md": f"# A\n\n{_TEXT}\n", "b.md": "# B\n"})
    assert _diff(here).comparison.documents == ()
    here.write("a.md", f"# A\n\n{_TEXT} soon\n")
    here.write("c.md", "# C\n\nword\n")
    report = _diff(here)
    assert (report.old, report.new) == ("HEAD", "working files")
    assert _fates(report) == {
        "here:a.md#a": ("changed",),
        "here:c.md": ("added",),
        "here:c.md#c": ("added",),
    }
    assert report.comparison.unchanged == 1


def test_two_revisions_a_range_and_dates(here: Here, made: GitRepository) -> None:
    made.commit({"a.md": "# A\n\none\n"}, tag="v1", at="2025-03-01T10:00:00Z")
    made.commit({"a.md": "# A\n\ntwo\n"}, tag="v2", at="2025-04-01T10:00:00Z")
    made.commit({"a.md": "# A\n\nthree\n"}, at="2025-05-01T10:00:00Z")
    for old, new in (("v1", "v2"), ("v1..v2", None), ("2025-03", "2025-04-01"), ("v1..v2", None)):
        (document,) = _diff(here, old, new).comparison.documents
        (change,) = document.changes
        assert [(one.old, one.new) for one in change.blocks] == [("one", "two")]
    assert _diff(here, "v1..").new == "HEAD"
    with pytest.raises(UsageError, match="is not a range"):
        _diff(here, "v1...v2")
    with pytest.raises(NotFoundError, match="nothing was committed by 2024"):
        _diff(here, "2024")


def test_sources_of_a_revision_are_those_that_a_walk_takes(here: Here, made: GitRepository) -> None:
    files: dict[str, str | bytes | None] = {
        "docs/a.md": "# A\n\ntext\n",
        "docs/skip/b.md": "# B\n\ntext\n",
        "docs/.hidden.md": "# H\n",
        "docs/data.json": "{}",
        "docs/.env": "SECRET=1",
        "docs/image.png": b"\x89PNG\0\0",
        "docs/node_modules/x.md": "# X\n",
        "docs/.leafmarkignore": "skip/\n",
        "docs/c/.ignore": "no.md\n",
        "docs/c/no.md": "# No\n",
        "docs/c/yes.md": "# Yes\n\ntext\n",
        "elsewhere.md": "# Elsewhere\n\ntext\n",
        ".ignore": "docs/d.md\n",
        "docs/d.md": "# D\n\ntext\n",
    }
    made.write(files)
    made.git("add", "-A", "-f")
    made.git("commit", "-q", "-m", "x")
    here.configure('[tree.docs]\npath = "docs"\n')
    assert _diff(here).comparison.documents == ()
    for name in files:
        if name.endswith(".md"):
            here.write(name, f"{files[name]!s}\nmore\n")
    assert set(_fates(_diff(here))) == {"docs:a.md#a", "docs:c/yes.md#yes"}


def test_line_ends_of_a_checkout_are_no_change(here: Here, made: GitRepository) -> None:
    made.commit({"a.md": "# A\n\none\ntwo\n"}, tag="v1")
    (here.root / "a.md").write_bytes(b"# A\r\n\r\none\r\ntwo\r\n")
    assert _diff(here).comparison.documents == ()
    made.commit({})
    assert len(_diff(here, "v1", "HEAD").comparison.documents) == 1


def test_links_and_citations_that_broke_are_told_with_where_they_lead(
    here: Here, made: GitRepository
) -> None:
    text = f"# A\n\n## Setup\n\n{_TEXT}\n\n## Tank\n\n{_OTHER}\n"
    links = "# B\n\n[s](a.md#setup) [t](a.md#tank) [n](none.md) [w](a.md)\n\nSee [[a#Setup]].\n"
    made.commit({"a.md": text, "b.md": links})
    here.write("a.md", text.replace("## Setup", "## Installing"))
    report = _diff(here)
    assert [(one.path, one.line, one.target) for one in report.links] == [
        ("b.md", 3, "a.md#setup"),
        ("b.md", 5, "a#Setup"),
    ]
    assert [section.id for section in report.links[0].broken.now] == ["here:a.md#installing"]
    assert report.breaks_something
    assert not _diff(here, links=False).links


def test_citations_and_ids_of_a_file_are_checked(here: Here, made: GitRepository) -> None:
    import hashlib

    text = f"# A\n\n## Setup\n\n{_TEXT}\n\n## Tank\n\n{_OTHER}\n"
    made.commit({"a.md": text, "b.md": "# B\n\nthe same\n"})

    def cite(section: str, words: str) -> str:
        start = text.index(words)
        digest = hashlib.sha256(words.encode()).hexdigest()
        return format_citation(f"here:a.md#{section}", digest, start, start + len(words))

    cited = f"{cite('setup', _TEXT)} and {cite('tank', _OTHER)}, `here:a.md#tank`.\n"
    here.write("a.md", f"# A\n\nNew.\n\n## Setup\n\n{_TEXT}\n\n## Cistern\n\n{_OTHER} twice\n")
    (report,) = _diff(here, texts=(("r.md", cited),)).cited
    assert [one.status for one in report.citations] == ["moved", "moved"]
    assert [one.name for one in report.ids] == ["here:a.md#tank"]
    here.write("a.md", f"# A\n\n## Setup\n\n{_TEXT}\n")
    found = _diff(here, texts=(("r.md", cited),))
    assert [one.status for one in found.cited[0].citations] == ["ok", "gone"]
    assert found.breaks_something


def test_what_is_cited_is_looked_for_in_all_documents_once(
    here: Here, made: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {f"{n}.md": f"# Page {n}\n\nPage {n} speaks of number {n} alone.\n" for n in range(9)}
    moved = f"# B\n\n{_TEXT}\n".encode("utf-16")
    made.commit({**pages, "a.md": f"# A\n\n## Setup\n\n{_TEXT}\n"}, tag="v1")
    made.commit({"0.md": None, "1.md": None, "a.md": "# A\n\nnothing\n", "b.md": moved})
    files = {name: text.encode() for name, text in pages.items()}
    files["a.md"] = f"# A\n\n## Setup\n\n{_TEXT}\n".encode()
    spans = {name: (text.index(b"\n\n") + 2, len(text)) for name, text in files.items()}
    spans["a.md"] = (files["a.md"].index(_TEXT.encode()), files["a.md"].index(_TEXT.encode()) + 40)
    text = "\n".join(
        format_citation(f"here:{name}", hashlib.sha256(files[name][a:b]).hexdigest(), a, b)
        for name, (a, b) in spans.items()
    )
    read: Counter[str] = Counter()
    whole = RevisionSide.read

    def counted(side: RevisionSide, key: tuple[str, str]) -> bytes | None:
        read[key[1]] += 1
        return whole(side, key)

    monkeypatch.setattr(RevisionSide, "read", counted)
    (cited,) = _diff(here, "v1", "HEAD", texts=(("x", text),), links=False).cited
    assert [one.status for one in cited.citations] == ["gone"] * 2 + ["ok"] * 7 + ["moved"]
    assert max(read.values()) <= 3


def test_two_folders_need_no_repository(tmp_path: Path) -> None:
    here = Here(tmp_path / "here", tmp_path / "home")
    here.write("old/a.md", f"# A\n\n{_TEXT}\n")
    here.write("new/a.md", f"# B\n\n{_TEXT}\n")
    report = _diff(here, "old", "new")
    assert _fates(report) == {"new:a.md": ("renamed",), "new:a.md#b": ("renamed",)}
    with pytest.raises(NotFoundError, match="not in a git repository"):
        _diff(here, "old")


def test_submodules_and_bare_repositories(here: Here, made: GitRepository, tmp_path: Path) -> None:
    inner = GitRepository(tmp_path / "inner")
    inner.commit({"i.md": "# I\n\none\n"})
    made.commit({"a.md": "# A\n"})
    made.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.folder), "sub")
    made.commit({}, tag="v1")
    assert _diff(here).comparison.documents == ()
    here.write("sub/i.md", "# I\n\ntwo\n")
    assert _fates(_diff(here)) == {"here:sub/i.md#i": ("changed",)}
    made.git("clone", "-q", "--bare", str(made.folder), str(tmp_path / "bare.git"))
    bare = Here(tmp_path / "bare.git", tmp_path / "home")
    report = _diff(bare, "v1~1", "v1")
    assert [one.code for one in report.diagnostics] == ["submodule"]
    with pytest.raises(UsageError, match="no working files"):
        _diff(bare, "v1")


def test_renamed_and_case_changed_files_are_one_document(here: Here, made: GitRepository) -> None:
    made.commit({"Guide.md": f"# G\n\n{_TEXT}\n", "old/b.md": f"# B\n\n{_OTHER}\n"}, tag="v1")
    made.write({"Guide.md": None, "old/b.md": None})
    made.commit({"guide.md": f"# G\n\n{_TEXT}\n", "new/c.md": f"# B\n\n{_OTHER} x\n"}, tag="v2")
    documents = _diff(here, "v1", "v2").comparison.documents
    assert [
        (one.fate, one.old and one.old.path, one.new and one.new.path) for one in documents
    ] == [
        ("moved", "Guide.md", "guide.md"),
        ("moved", "old/b.md", "new/c.md"),
    ]
