"""What a suffix means in a tree, and what Sphinx is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.projects import Here

from leafmark.app.sources.folders import Tree
from leafmark.app.sources.source_formats import formats_at
from leafmark.errors import ConfigError

REST = "Title\n=====\n\nwords\n\nPart\n----\n\nmore\n"


def slugs(here: Here, path: str) -> list[str]:
    reader = here.project().open_reader()
    return [chunk.id.partition("#")[2] for chunk in reader.chunks_of(f"here:{path}")][1:]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("source_suffix = '.txt'", {".txt": "rst"}),
        ("source_suffix = ['.rst', '.txt']", {".rst": "rst", ".txt": "rst"}),
        ("source_suffix: str = '.txt'", {".txt": "rst"}),
        (
            "source_suffix = {'.txt': 'markdown', '.inc': 'restructuredtext'}",
            {".txt": "markdown", ".inc": "rst"},
        ),
        ("source_suffix = {'.txt': 'unheard-of'}", {}),
        ("source_suffix = suffixes()", {}),
        ("source_suffix = '.txt'\nraise SystemExit", {".txt": "rst"}),
        ("source_suffix = '.txt'\nthis is no Python", {}),
        ("# source_suffix = '.txt'", {}),
        ("project = 'x'", {}),
    ],
)
def test_what_conf_py_says_is_read_and_not_run(
    tmp_path: Path, setting: str, said: dict[str, str]
) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "conf.py").write_text(setting)
    tree = Tree("t", tmp_path)

    assert formats_at(tree, "docs/deep/a.txt") == said
    assert formats_at(tree, "docs/a.txt") == said
    assert formats_at(tree, "docs/a.md") == {}
    assert formats_at(tree, "a.txt") == {}


def test_the_nearest_conf_py_that_says_something_counts(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "conf.py").write_text("source_suffix = '.txt'")
    (tmp_path / "docs" / "conf.py").write_text("source_suffix = {'.txt': 'markdown'}")

    assert formats_at(Tree("t", tmp_path), "docs/a.txt") == {".txt": "markdown"}
    assert formats_at(Tree("t", tmp_path, formats=((".txt", "text"),)), "docs/a.txt") == {
        ".txt": "text"
    }


def test_texts_are_read_anew_when_conf_py_changes(here: Here) -> None:
    here.write("docs/a.txt", REST)
    here.write("other/b.txt", REST)
    here.index()
    assert slugs(here, "docs/a.txt") == []

    here.write("docs/conf.py", "source_suffix = '.txt'\n")
    assert here.index().modified == ("here:docs/a.txt",)
    assert slugs(here, "docs/a.txt") == ["title", "part"]

    (here.root / "docs/conf.py").unlink()
    here.index()
    assert slugs(here, "docs/a.txt") == []
    assert here.index().modified == ()


def test_a_tree_says_what_a_suffix_means_and_is_read_anew_when_it_does(here: Here) -> None:
    here.write("a.txt", REST)
    here.write("b.json", "# Not data\n\nbut Markdown\n")
    here.write("c.txt.in", "# C\n\nwords\n")
    here.index()
    assert slugs(here, "a.txt") == []

    here.configure(
        '[tree.here]\npath = "."\n[tree.here.formats]\n'
        '".txt" = "rst"\n".JSON" = "markdown"\n".txt.in" = "markdown"\n'
    )
    here.index()
    assert slugs(here, "a.txt") == ["title", "part"]
    assert slugs(here, "b.json") == ["not-data"]
    assert slugs(here, "c.txt.in") == ["c"]
    here.write("d.txt", REST)
    assert here.index().added == ("here:d.txt",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('".txt" = "rest"', "tree.here.formats..txt is 'rest'"),
        ('"txt" = "rst"', '"txt" is not the suffix of a file'),
        ('".txt" = 3', "tree.here.formats..txt is 3"),
    ],
)
def test_a_wrong_table_is_an_error(here: Here, line: str, message: str) -> None:
    here.configure(f'[tree.here]\npath = "."\n[tree.here.formats]\n{line}\n')

    with pytest.raises(ConfigError) as caught:
        here.project()
    assert caught.value.message == message
    assert caught.value.location == f"{here.root}/leafmark.toml:4"
