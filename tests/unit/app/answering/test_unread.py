"""A file that is there and not read is told as such, with the reason and what to do."""

from __future__ import annotations

import pytest
from support.projects import Here, deny

from leafmark.app import explain_unread
from leafmark.render.hint_texts import word_remedy

TAKES = "`leafmark index {}` indexes it anyway"
SECRETS = "only a pattern with `!` in your own configuration includes possible secrets"


@pytest.fixture
def place(here: Here) -> Here:
    here.configure('[tree.here]\npath = "."\nexclude = ["drafts/"]\n[index]\nmax_file_bytes = 99\n')
    here.write(".gitignore", "built/\n*.tmp.md\n")
    for path in (".plans/next.md", "built/a.md", "drafts/b.md", "c.tmp.md", ".hidden.md", "a.md"):
        here.write(path, "# Okapi\n")
    for path in (".env", "run.log", "data.json", "report.pdf", "picture.png", "node_modules/x.md"):
        here.write(path, "okapi\n")
    here.write("large.md", "x" * 100)
    here.write("binary.md", "\0\1\2\0")
    here.write("blank.md", " \n")
    return here


@pytest.mark.parametrize(
    ("wanted", "reason", "hint"),
    [
        ("binary.md", "is not read: binary", None),
        ("blank.md", "is not read: empty", None),
        (".plans", "is not read: hidden", TAKES),
        (".plans/next.md", "is not read: hidden (its folder `.plans/`)", TAKES),
        ("./.plans/next.md#okapi", "is not read: hidden (its folder `.plans/`)", TAKES),
        (".plans/next.md:1", "is not read: hidden (its folder `.plans/`)", TAKES),
        ("here:.hidden.md", "is not read: hidden", TAKES),
        ("built/a.md", "is not read: ignored by .gitignore (its folder `built/`)", TAKES),
        ("c.tmp.md", "is not read: ignored by .gitignore", TAKES),
        ("drafts/b.md", "is not read: excluded (its folder `drafts/`)", TAKES),
        ("run.log", "is not read: log", TAKES),
        ("data.json", "is not read: data file", TAKES),
        ("picture.png", "is not read: binary", None),
        (".env", "is not read: secret", SECRETS),
        (
            "large.md",
            "is not read: larger than max_file_bytes (100 of 99)",
            "a larger index.max_file_bytes includes it",
        ),
        (
            "report.pdf",
            ".pdf files are not read; convert them to Markdown or text with pdftotext or docling",
            None,
        ),
    ],
)
def test_the_reason_is_told(place: Here, wanted: str, reason: str, hint: str | None) -> None:
    told = explain_unread(place.project(), wanted)
    assert told is not None
    assert told.message == f"`{wanted}` is there, but {reason}"
    path = wanted.removeprefix("./").removeprefix("here:").partition("#")[0].removesuffix(":1")
    said = None if told.hint is None else word_remedy(told.hint)
    assert said == (hint and hint.format(path))
    assert told.exit_code == 1


def test_a_file_that_the_system_refuses_is_said_to_be_there(
    place: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    deny(monkeypatch, "app.answering.resolving", "a.md")
    told = explain_unread(place.project(), "a.md")
    assert told is not None
    assert told.message == "`a.md` is there, but is not read: permission denied"
    assert told.hint is None


@pytest.mark.parametrize("wanted", ["a.md", "none.md", "", "#x", "../x.md", "a.md/b"])
def test_what_is_read_or_not_there_has_no_reason(place: Here, wanted: str) -> None:
    assert explain_unread(place.project(), wanted) is None


def test_a_file_outside_of_the_trees_is_not_looked_at(place: Here) -> None:
    (place.home / ".secret.md").write_text("x")
    assert explain_unread(place.project(), str(place.home / ".secret.md")) is None
    inside = explain_unread(place.project(), str(place.root / ".hidden.md"))
    assert inside is not None
    assert inside.message.endswith("is there, but is not read: hidden")


@pytest.mark.parametrize("wanted", ["guides", "guides/", "./guides", "here:guides", ".", "{root}"])
def test_a_folder_is_said_to_be_one(place: Here, wanted: str) -> None:
    place.write("guides/a.md", "# A\n")
    asked = wanted.format(root=place.root)
    told = explain_unread(place.project(), asked)
    assert told is not None
    assert told.message == f"`{asked}` is a folder"
    path = "guides" if "guides" in wanted else "."
    assert told.hint is not None
    assert word_remedy(told.hint) == f"`leafmark ls docs {path}` lists what is indexed in it"
