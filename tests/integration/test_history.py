"""Documents through time, as the installed command shows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command import Leafmark
from support.repositories import GitRepository
from support.schema import problems

_TEXT = "run the installer with all of its parts and wait until the light goes on"
_OTHER = "every evening somebody has to look after the tank and write down its level"


@pytest.fixture
def made(tmp_path: Path) -> GitRepository:
    made = GitRepository(tmp_path / "docs")
    made.commit(
        {
            "guide.md": f"# Guide\n\n## Setup\n\n{_TEXT}\n\n## Tank\n\n{_OTHER}\n",
            "faq.md": "# FAQ\n\nSee [setup](guide.md#setup).\n",
        },
        "Write a guide",
        tag="v1",
        at="2025-03-01T10:00:00Z",
    )
    guide = f"# Guide\n\n## Installing\n\n{_TEXT} twice\n\n## Tank\n\n{_OTHER}\n"
    made.commit({"guide.md": guide}, "Name it better", tag="v2", at="2025-04-01T10:00:00Z")
    return made


def test_a_release_is_compared_with_the_one_before(leafmark: Leafmark, made: GitRepository) -> None:
    ran = leafmark("diff", "v1", "v2", cwd=made.folder)
    assert ran.code == 1
    assert ran.out == (
        "docs:guide.md  1 change\n"
        "  = Installing  was called 'Setup', changed (3 %)  docs:guide.md#installing\n"
        "1 name no longer leads to what it led to:\n"
        "  docs:guide.md#setup  now docs:guide.md#installing\n"
        "1 link leads to what has gone:\n"
        "  faq.md:3: guide.md#setup  now docs:guide.md#installing\n"
    )
    assert ran.err == (
        "v1 to v2: 1 document differs, 1 document does not; sections: 1 renamed, 1 changed\n"
    )
    assert leafmark("diff", "v1", "v2", "--no-links", cwd=made.folder).code == 0


def test_the_forms_of_a_comparison(leafmark: Leafmark, made: GitRepository) -> None:
    record = leafmark("diff", "v1..v2", "--json", cwd=made.folder).json
    assert problems(record, "diff") == []
    assert record["breaks"] is True
    (document,) = record["documents"]
    (section,) = document["sections"]
    assert section["fates"] == ["renamed", "changed"]
    assert section["old"]["citation"].startswith("docs:guide.md#setup@")
    note = leafmark("diff", "v1", "v2", "-o", "markdown", cwd=made.folder).out
    assert note.startswith("## Documentation: v1 to v2\n\n### Changed\n\n- **Guide › Installing**")
    blocks = leafmark("diff", "v1", "v2", "-o", "blocks", cwd=made.folder).out
    assert f"      - {_TEXT}\n      + {_TEXT} twice\n" in blocks
    page = leafmark("diff", "v1", "v2", "-o", "html", cwd=made.folder).out
    assert page.startswith("<!DOCTYPE html>")
    assert "<ins> twice</ins>" in page
    assert "<script" not in page


def test_a_section_is_followed_back_and_its_citations_hold(
    leafmark: Leafmark, made: GitRepository
) -> None:
    made.write({"guide.md": None})
    text = f"# Book\n\n## Installing\n\n{_TEXT} twice\n"
    made.commit({"book.md": text}, "Move it", at="2025-05-01T10:00:00Z")
    record = leafmark("log", "docs:book.md#installing", "--json", cwd=made.folder).json
    assert problems(record, "log") == []
    rows = [(one["subject"], one["fates"], one["id"]) for one in record["entries"]]
    assert rows == [
        ("Name it better", ["renamed", "changed"], "docs:guide.md#installing"),
        ("Write a guide", ["added"], "docs:guide.md#setup"),
    ]
    for entry in record["entries"]:
        ran = leafmark(
            "verify", "-", "--at", entry["commit"], cwd=made.folder, stdin=entry["citation"]
        )
        assert ran.code == 0, ran
    ran = leafmark("log", "guide.md#tank", "--at", "v2", cwd=made.folder)
    assert ran.out.splitlines()[1:2] == ["  added  docs:guide.md#tank"]
    ran = leafmark("log", "guide.md#tnk", "--at", "v2", cwd=made.folder)
    assert (ran.code, ran.out) == (1, "")
    assert "guide.md#tank" in ran.err


def test_every_reading_command_answers_from_a_revision(
    leafmark: Leafmark, made: GitRepository
) -> None:
    made.write({"guide.md": "# Nothing\n\nleft\n"})
    where = {"cwd": made.folder}
    assert (
        "docs:guide.md" in leafmark("search", "installer", "--at", "v1", "-o", "list", **where).out
    )
    assert _TEXT in leafmark("show", "guide.md#setup", "--at", "2025-03", **where).out
    assert "#installing" in leafmark("ls", "chunks", "guide.md", "--at", "HEAD", **where).out
    assert (
        "docs:guide.md#setup" in leafmark("chunk", "guide.md", "--at", "v1", "--jsonl", **where).out
    )
    assert leafmark("context", "faq.md", "--at", "v1", **where).code == 0
    ran = leafmark("search", "installer", **where)
    assert (ran.code, ran.out) == (1, "")
    ran = leafmark("chunk", "guid.md", "--at", "v1", **where)
    assert (ran.code, ran.err) == (
        2,
        "error: there was nothing at 'guid.md' then\nhint: did you mean guide.md?\n",
    )
    ran = leafmark("search", "installer", "--at", "v9", **where)
    assert ran.code == 2
    assert ran.err.startswith("error: there is no revision 'v9'\n")
    listed = leafmark("ls", "revs", "--json", **where).json
    assert problems(listed, "ls") == []
    assert [one["name"] for one in listed["revisions"]][:2] == ["main", "v2"]
    listed = leafmark("ls", "revs", "v1..v2", "--json", **where).json
    assert [one["subject"] for one in listed["revisions"]] == ["Name it better"]


def test_a_citation_that_broke_fails_a_build(leafmark: Leafmark, made: GitRepository) -> None:
    (cited, *_) = leafmark(
        "search", "tank level", "--at", "v1", "--json", "--no-aggregation", cwd=made.folder
    ).json["results"]
    made.write({"answer.txt": f"[{cited['citation']}]"})
    assert (
        leafmark("diff", "v1", "v2", "--no-links", "--cited", "answer.txt", cwd=made.folder).code
        == 0
    )
    made.commit({"guide.md": "# Guide\n\nnew\n"}, tag="v3")
    ran = leafmark("diff", "v1", "v3", "--no-links", "--cited", "answer.txt", cwd=made.folder)
    assert ran.code == 1
    assert "answer.txt: " in ran.out


def test_outside_of_a_repository_it_says_what_to_do(leafmark: Leafmark, tmp_path: Path) -> None:
    ran = leafmark("diff")
    assert ran.code == 2
    assert ran.err.startswith("error: the folder is not in a git repository\n")
    assert "leafmark diff OLD NEW" in ran.err


def test_a_tree_outside_of_the_repository_is_compared_with_nothing(
    leafmark: Leafmark, made: GitRepository, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a.md").write_text("# A\n\nIts text.\n")
    made.write({"leafmark.toml": 'root = true\n[tree.a]\npath = "../other"\n'})
    for asked in (
        ("diff", "HEAD"),
        ("lint", "--since", "HEAD"),
        ("ls", "--at", "HEAD"),
        ("log", "a:a.md"),
    ):
        ran = leafmark(*asked, cwd=made.folder)
        told = ran.err.splitlines()[0]
        assert (ran.code, told) == (2, "error: none of the trees lies in the repository")
