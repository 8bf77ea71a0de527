"""The walk: which files of a tree are found, in which order, and what is said of the rest."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.listings import list_as_windows_does

from leafmark.app.sources import folders
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.ignore import MayMatch
from leafmark.app.sources.selection import Frame, Selection
from leafmark.app.sources.walk import WalkNotes, exceeds, iter_sources, named_source
from leafmark.errors import ForbiddenError, NotFoundError
from leafmark.model import Diagnostic

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX names, links and pipes")


def plant(root: Path, *paths: str, **texts: str) -> Path:
    """Make files below `root`; a path that ends with `/` makes a folder."""
    for path in paths:
        if path.endswith("/"):
            (root / path).mkdir(parents=True, exist_ok=True)
        else:
            write(root / path, "# x\n")
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def look(root: Path, *, under: str = "", **settings: object) -> tuple[list[str], dict[str, str]]:
    """Walk `root`; return the paths found and the reason for each one left out."""
    notes = WalkNotes()
    tree = Tree(name="t", root=root, **settings)  # type: ignore[arg-type]
    found = [source.path for source in iter_sources(tree, under=under, notes=notes)]
    assert notes.diagnostics == []
    return found, {skipped.path: skipped.reason for skipped in notes.skipped}


def found_in(root: Path, **settings: object) -> list[str]:
    return look(root, under="", **settings)[0]


def test_files_come_by_name_and_before_the_folders_beside_them(tmp_path: Path) -> None:
    plant(tmp_path, "b.md", "a/z.md", "a/b/c.md", "Z.md", "a.md", "ä.md", "c/d.md")
    assert found_in(tmp_path) == ["Z.md", "a.md", "b.md", "ä.md", "a/z.md", "a/b/c.md", "c/d.md"]


@pytest.mark.parametrize(
    ("system", "version", "changed"),
    [("nt", (3, 11), 2), ("nt", (3, 12), 3), ("nt", (3, 14), 3), ("posix", (3, 14), 2)],
)
def test_what_python_tells_of_a_file_on_windows(
    system: str, version: tuple[int, int], changed: int
) -> None:
    told = SimpleNamespace(st_mtime_ns=1, st_ctime_ns=2, st_birthtime_ns=3)
    assert folders._times(system, version)(told) == (1, changed)  # type: ignore[arg-type]


def test_a_source_carries_how_it_looked(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    (source,) = iter_sources(Tree(name="docs", root=tmp_path))
    info = (tmp_path / "a.md").stat()
    assert source == (
        "docs",
        "a.md",
        info.st_size,
        info.st_mtime_ns,
        info.st_ctime_ns,
        info.st_ino,
    )
    assert (source.tree, source.path, source.size) == ("docs", "a.md", 4)
    assert source.modified_ns == info.st_mtime_ns
    assert source.changed_ns == info.st_ctime_ns
    assert source.inode == info.st_ino


def test_what_is_left_out_has_a_reason(tmp_path: Path) -> None:
    plant(
        tmp_path,
        "a.md",
        "notes",
        "script.py",
        "page.html",
        "data.json",
        "app.log",
        "logo.PNG",
        "page.html.br",
        "yarn.lock",
        "x.min.js",
        "id_rsa",
        ".env",
        ".hidden.md",
        ".github/a.md",
        ".git/config.md",
        "node_modules/x/README.md",
        "dist/a.md",
        "env/pyvenv.cfg",
        "env/lib/a.md",
        "build/a.md",
        "vendor/a.md",
        "credentials.md",
    )
    found, skipped = look(tmp_path)
    assert found == [
        "a.md",
        "credentials.md",
        "notes",
        "page.html",
        "script.py",
        "build/a.md",
        "vendor/a.md",
    ]
    assert skipped == {
        "data.json": "data file",
        "app.log": "log",
        "logo.PNG": "binary",
        "page.html.br": "binary",
        "yarn.lock": "lock file",
        "x.min.js": "minified",
        "id_rsa": "secret",
        ".env": "secret",
        ".hidden.md": "hidden",
        ".github/": "hidden",
        ".git/": "folder .git",
        "node_modules/": "folder node_modules",
        "dist/": "folder dist",
        "env/": "virtual environment",
    }


def test_a_visible_folder_is_no_secret_for_its_name(tmp_path: Path) -> None:
    plant(
        tmp_path, "credentials/aws.md", "credentials/credentials", "id_rsa.d/a.md", "tls.key/b.txt"
    )
    plant(tmp_path, ".ssh/config.md", ".env/lib/a.md")
    found, skipped = look(tmp_path)
    assert found == ["credentials/aws.md", "id_rsa.d/a.md", "tls.key/b.txt"]
    secret = (".env/", ".ssh/", "credentials/credentials")
    assert skipped == dict.fromkeys(secret, "secret")


def test_an_index_in_a_tree_is_left_out(tmp_path: Path) -> None:
    """Also one that is being made; other programs have files of these names, too."""
    plant(tmp_path, "a.md", "idx/x-1/CURRENT", "idx/x-1/LOCK", "idx/x-1/gen-000001/manifest")
    plant(tmp_path, "y/LOCK", "y/gen-000001/text/a.term", "z/CURRENT", "z/LOCK")
    plant(tmp_path, "idx/vectors/0/LOCK", "idx/vectors/0/MODEL", "idx/vectors/0/documents")
    found, skipped = look(tmp_path)
    assert found == ["a.md", "z/CURRENT", "z/LOCK"]
    left_out = ("idx/vectors/0/", "idx/x-1/", "y/")
    assert skipped == dict.fromkeys(left_out, "index of leafmark")


def test_the_sources_of_pages_of_sphinx_are_left_out_beside_them(tmp_path: Path) -> None:
    plant(tmp_path, "html/_sources/a.rst.txt", "html/a.html", "html/objects.inv", "_sources/b.txt")
    plant(tmp_path, "site/_sources/x/c.rst.txt", "site/x/c.html", "site/searchindex.js")
    pages = ["_sources/b.txt", "html/a.html", "site/x/c.html"]
    found, skipped = look(tmp_path)
    assert [path for path in found if "objects" not in path] == pages
    reason = "sources of the pages beside it"
    assert {path: why for path, why in skipped.items() if path.endswith("/")} == {
        "html/_sources/": reason,
        "site/_sources/": reason,
    }
    assert "html/_sources/a.rst.txt" in look(tmp_path, exclude=("!_sources",))[0]
    assert look(tmp_path / "html" / "_sources")[0] == ["a.rst.txt"]


def test_a_root_is_walked_whatever_it_is_called(tmp_path: Path) -> None:
    root = plant(tmp_path / "node_modules", "a.md", "pyvenv.cfg")
    assert found_in(root) == ["a.md", "pyvenv.cfg"]


# patterns of the tree


def test_include_takes_only_what_matches(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "b.txt", "docs/c.md", "docs/d/e.txt", "src/f.md")
    found, skipped = look(tmp_path, include=("/docs/", "/a.md"))
    assert found == ["a.md", "docs/c.md", "docs/d/e.txt"]
    assert skipped == {"b.txt": "not included", "src/": "not included"}


def test_include_does_not_enter_folders_where_nothing_can_match(tmp_path: Path) -> None:
    plant(tmp_path, "docs/api/a.md", "docs/other/b.md", "src/c.md", "docs/d.md")
    found, skipped = look(tmp_path, include=("docs/api/*.md",))
    assert found == ["docs/api/a.md"]
    assert skipped == {
        "docs/d.md": "not included",
        "docs/other/": "not included",
        "src/": "not included",
    }


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, []),
        ({"include": ("*",)}, []),
        ({"include": ("data/**",)}, []),
        ({"include": ("*.json",)}, ["data/x.json"]),
        ({"include": ("data/x.json", "app.*")}, ["app.log", "data/x.json"]),
        ({"exclude": ("!*.yaml",)}, ["data/y.yaml"]),
        ({"exclude": ("!*.png",)}, ["logo.png"]),
    ],
)
def test_data_and_logs_are_read_only_by_name(
    tmp_path: Path, settings: dict[str, tuple[str, ...]], found: list[str]
) -> None:
    plant(tmp_path, "data/x.json", "data/y.yaml", "app.log", "logo.png")
    assert found_in(tmp_path, **settings) == found


def test_exclude_is_stronger_than_include(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "drafts/b.md")
    found, skipped = look(tmp_path, include=("*.md",), exclude=("drafts/",))
    assert found == ["a.md"]
    assert skipped == {"drafts/": "excluded"}


def test_exclude_with_a_bang_takes_back_in(tmp_path: Path) -> None:
    plant(tmp_path, ".github/a.md", "dist/b.md", "e/pyvenv.cfg", "e/c.md", "x.min.js", "d.md")
    write(tmp_path / ".gitignore", "d.md\n")
    back = ("!.github/", "!dist", "!e", "!*.min.js", "!d.md")
    found = found_in(tmp_path, exclude=back)
    assert found == ["d.md", "x.min.js", ".github/a.md", "dist/b.md", "e/c.md", "e/pyvenv.cfg"]


def test_gits_own_folder_is_never_entered(tmp_path: Path) -> None:
    plant(tmp_path, ".git/a.md", "b.md")
    assert found_in(tmp_path, exclude=("!.git", "!*")) == ["b.md"]


@pytest.mark.parametrize(
    ("exclude", "allow_secrets", "found"),
    [
        (("!.env",), True, [".env"]),
        (("!.env",), False, []),
        (("!*.pem",), True, ["a.pem"]),
        # a pattern that names nothing takes no secrets in
        (("!*",), True, []),
        (("!**",), True, []),
        (("!.*",), True, []),
    ],
)
def test_secrets_are_taken_in_only_by_name_and_leave(
    tmp_path: Path, exclude: tuple[str, ...], allow_secrets: bool, found: list[str]
) -> None:
    plant(tmp_path, ".env", "a.pem")
    assert found_in(tmp_path, exclude=exclude, allow_secrets=allow_secrets) == found


# ignore files


def test_ignore_files_hold_below_their_folder(tmp_path: Path) -> None:
    plant(tmp_path, "a.tmp", "x.md", "docs/x.md", "docs/y.md", "docs/z/y.md")
    write(tmp_path / ".gitignore", "*.tmp\n/x.md\n")
    write(tmp_path / "docs/.ignore", "/y.md\n")
    found, skipped = look(tmp_path)
    assert found == ["docs/x.md", "docs/z/y.md"]
    assert skipped["x.md"] == "ignored by .gitignore"
    assert skipped["docs/y.md"] == "ignored by .ignore"


def test_the_nearer_ignore_file_decides(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "docs/a.md", "docs/b.md")
    write(tmp_path / ".gitignore", "*.md\n")
    write(tmp_path / "docs/.gitignore", "!a.md\n")
    assert found_in(tmp_path) == ["docs/a.md"]


def test_what_lies_in_an_ignored_folder_cannot_be_taken_back(tmp_path: Path) -> None:
    plant(tmp_path, "docs/a.md")
    write(tmp_path / ".gitignore", "docs/\n!docs/a.md\n")
    assert found_in(tmp_path) == []


@pytest.mark.parametrize(
    ("own", "ignore", "git", "found"),
    [
        ("", "", "a.md", []),
        ("", "!a.md", "a.md", ["a.md"]),
        ("a.md", "!a.md", "!a.md", []),
        ("!a.md", "a.md", "a.md", ["a.md"]),
    ],
)
def test_of_the_ignore_files_leafmarks_own_is_strongest(
    tmp_path: Path, own: str, ignore: str, git: str, found: list[str]
) -> None:
    plant(tmp_path, "a.md")
    for name, text in ((".leafmarkignore", own), (".ignore", ignore), (".gitignore", git)):
        write(tmp_path / name, text)
    assert found_in(tmp_path) == found


def test_only_the_own_ignore_file_takes_hidden_names_back_in(tmp_path: Path) -> None:
    plant(tmp_path, ".notes/a.md", ".env", "dist/b.md")
    write(tmp_path / ".gitignore", "!.notes/\n!dist\n!.env")
    assert found_in(tmp_path) == []
    write(tmp_path / ".leafmarkignore", "!.notes/\n!dist\n!.env")
    assert found_in(tmp_path) == [".notes/a.md", "dist/b.md"]


def test_ignore_files_above_the_root_hold_inside_one_repository(tmp_path: Path) -> None:
    plant(tmp_path, "repo/docs/api/a.md", "repo/docs/api/b.md", "repo/docs/api/c.md")
    write(tmp_path / ".gitignore", "a.md\n")
    write(tmp_path / "repo/.gitignore", "/docs/api/b.md\napi/\n")
    assert found_in(tmp_path / "repo/docs/api") == ["a.md", "b.md", "c.md"]
    (tmp_path / "repo/.git").mkdir()
    assert found_in(tmp_path / "repo/docs/api") == ["a.md", "c.md"]
    assert found_in(tmp_path / "repo/docs") == []


def test_a_repository_inside_does_not_see_the_rules_around_it(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "lib/a.md", "lib/.git/", "lib/b.md")
    write(tmp_path / ".gitignore", "a.md\n")
    write(tmp_path / ".ignore", "b.md\n")
    assert found_in(tmp_path) == ["lib/a.md"]


def test_a_bad_ignore_file_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "docs/.gitignore/", "docs/b.md")
    notes = WalkNotes()
    sources = iter_sources(Tree(name="t", root=tmp_path), notes=notes)
    assert [source.path for source in sources] == ["a.md", "docs/b.md"]
    message = ".gitignore is not a regular file, or cannot be read; it is ignored"
    assert notes.diagnostics == [Diagnostic("docs/.gitignore", "ignore-file", message)]


# sizes and formats


def test_large_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "x" * 10)
    write(tmp_path / "b.md", "x" * 11)
    found, skipped = look(tmp_path, max_file_bytes=10)
    assert found == ["a.md"]
    assert skipped == {"b.md": "larger than max_file_bytes (11 of 10)"}


@pytest.mark.parametrize(
    ("name", "converter"),
    [("a.pdf", "pdftotext or docling"), ("b.DOCX", "pandoc"), ("c.ps", "ps2ascii")],
)
def test_a_format_that_is_not_read_names_a_converter(
    tmp_path: Path, name: str, converter: str
) -> None:
    plant(tmp_path, name)
    notes = WalkNotes()
    assert list(iter_sources(Tree(name="t", root=tmp_path), notes=notes)) == []
    suffix = name.rpartition(".")[2].lower()
    message = f".{suffix} files are not read; convert them to Markdown or text with {converter}"
    assert notes.diagnostics == [Diagnostic(name, "needs-converter", message)]


def test_a_file_that_is_called_as_a_suffix_has_none(tmp_path: Path) -> None:
    plant(tmp_path, "pdf", "ps", "md")
    assert found_in(tmp_path) == ["md", "pdf", "ps"]


# links and special files


@posix
def test_links_are_not_followed(tmp_path: Path) -> None:
    root = plant(tmp_path / "root", "a.md", "docs/b.md")
    plant(tmp_path, "out.md")
    (root / "same.md").symlink_to("a.md")
    (root / "out.md").symlink_to(tmp_path / "out.md")
    (root / "broken.md").symlink_to("nowhere")
    (root / "loop.md").symlink_to("loop.md")
    (root / "folder").symlink_to("docs")
    found, skipped = look(root)
    assert found == ["a.md", "docs/b.md"]
    assert skipped == {
        "same.md": "link to a file of the same tree",
        "out.md": "link out of the tree",
        "broken.md": "broken link",
        "loop.md": "broken link",
        "folder/": "link to a folder",
    }


@posix
def test_a_followed_link_is_entered_once_and_inside_the_root(tmp_path: Path) -> None:
    root = plant(tmp_path / "root", "a/x.md", ".store/y.md")
    plant(tmp_path, "out/z.md")
    (root / "again").symlink_to("a")
    (root / "b").symlink_to(".store")
    (root / "c").symlink_to(".store")
    (root / "a/up").symlink_to("..")
    (root / "out").symlink_to(tmp_path / "out")
    found, skipped = look(root, follow_symlinks=True)
    assert found == ["a/x.md", "b/y.md"]
    assert skipped == {
        ".store/": "hidden",
        "out": "link out of the tree",
        "again/": "folder already visited",
        "c/": "folder already visited",
        "a/up/": "folder already visited",
    }


@posix
def test_special_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    plant(tmp_path, "a.md")
    found, skipped = look(tmp_path)
    assert found == ["a.md"]
    assert skipped == {"pipe.md": "special file"}


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS takes only UTF-8 names")
def test_names_that_are_not_utf_8_are_found(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("x")
    assert found_in(tmp_path) == ["caf\udce9.md"]


# depth, and what changes meanwhile


@pytest.mark.skipif(not folders.HAS_DESCRIPTORS, reason="needs folder descriptors")
def test_1500_nested_folders_are_walked(tmp_path: Path) -> None:
    depth, name = 1500, "folder"
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        here = _move(here, name)
    os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    try:
        assert found_in(tmp_path) == [f"{name}/" * depth + "a.md"]
    finally:
        # what tidies up after the tests is not made for such depths
        os.unlink("a.md", dir_fd=here)
        for _ in range(depth):
            here = _move(here, "..")
            os.rmdir(name, dir_fd=here)
        os.close(here)


def _move(here: int, name: str) -> int:
    """Open a folder next to the one that is open, and close this."""
    there = os.open(name, os.O_RDONLY, dir_fd=here)
    os.close(here)
    return there


def test_a_folder_that_vanishes_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, "a.md", "gone/b.md", "kept/c.md")
    real = folders.Folders.open

    def opened(self: folders.Folders, path: str) -> folders.Handle:
        if path == "gone/":
            raise FileNotFoundError(2, "No such file or directory")
        return real(self, path)

    monkeypatch.setattr(folders.Folders, "open", opened)
    notes = WalkNotes()
    sources = iter_sources(Tree(name="t", root=tmp_path), notes=notes)
    assert [source.path for source in sources] == ["a.md", "kept/c.md"]
    assert vars(notes) == vars(WalkNotes())


def test_a_folder_that_cannot_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, "a.md", "closed/b.md")
    real = folders.Folders.open

    def opened(self: folders.Folders, path: str) -> folders.Handle:
        if path == "closed/":
            raise PermissionError(13, "Permission denied")
        return real(self, path)

    monkeypatch.setattr(folders.Folders, "open", opened)
    notes = WalkNotes()
    sources = iter_sources(Tree(name="t", root=tmp_path), notes=notes)
    assert [source.path for source in sources] == ["a.md"]
    message = "the folder cannot be read: permission denied"
    assert notes.diagnostics == [Diagnostic("closed/", "unreadable", message)]
    assert notes.unread == ["closed/"]


def test_a_file_that_vanishes_between_listing_and_looking_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, "a.md", "b.md", "c.txt")

    real = Selection.may_match

    def may_match(self: Selection, frame: Frame) -> MayMatch | None:
        (tmp_path / "a.md").unlink()
        (tmp_path / "c.txt").unlink()
        return real(self, frame)

    monkeypatch.setattr(Selection, "may_match", may_match)
    notes = WalkNotes()
    found = [source.path for source in iter_sources(Tree(name="t", root=tmp_path), notes=notes)]
    assert found == ["b.md"]
    assert vars(notes) == vars(WalkNotes())


# the root, and parts of a tree


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as caught:
        list(iter_sources(Tree(name="docs", root=tmp_path / "gone")))
    assert caught.value.message == "the folder of tree `docs` does not exist"
    assert caught.value.location == str(tmp_path / "gone")


def test_a_root_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    with pytest.raises(NotFoundError) as caught:
        list(iter_sources(Tree(name="docs", root=tmp_path / "a.md")))
    assert caught.value.message == "the folder of tree `docs` cannot be opened: not a directory"


def test_a_root_that_is_closed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **kwargs: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(ForbiddenError) as caught:
        list(iter_sources(Tree(name="docs", root=tmp_path)))
    message = "the folder of tree `docs` cannot be opened: permission denied"
    assert caught.value.message == message


def test_a_folder_of_a_tree_is_entered_even_if_it_is_left_out(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", ".notes/sub/b.md", ".notes/sub/c.md", "dist/d.md")
    write(tmp_path / ".notes/.gitignore", "c.md\n")
    assert look(tmp_path, under=".notes/sub")[0] == [".notes/sub/b.md"]
    assert look(tmp_path, under="dist")[0] == ["dist/d.md"]
    with pytest.raises(NotFoundError) as caught:
        look(tmp_path, under="gone/x")
    assert caught.value.message == "`gone/x` of tree `t` does not exist"


def named(root: Path, path: str, **settings: object) -> tuple[str | None, WalkNotes]:
    notes = WalkNotes()
    tree = Tree(name="t", root=root, **settings)  # type: ignore[arg-type]
    source = named_source(tree, path, notes)
    return (source.path if source else None), notes


@pytest.mark.parametrize("path", ["dist/a.md", ".x.md", "data.json", "ignored.md", "x.min.js"])
def test_a_named_file_overrides_ignore_rules(tmp_path: Path, path: str) -> None:
    plant(tmp_path, "dist/a.md", ".x.md", "data.json", "ignored.md", "x.min.js")
    write(tmp_path / ".gitignore", "ignored.md\n")
    taken, notes = named(tmp_path, path, include=("docs/",))
    assert taken == path
    assert vars(notes) == vars(WalkNotes())


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".env", "secret"),
        ("deep/id_rsa", "secret"),
        ("large.md", "larger than max_file_bytes (99 of 9)"),
    ],
)
def test_a_named_file_does_not_override_everything(tmp_path: Path, path: str, reason: str) -> None:
    plant(tmp_path, ".env", "deep/id_rsa")
    write(tmp_path / "large.md", "x" * 99)
    found, notes = named(tmp_path, path, max_file_bytes=9)
    assert found is None
    assert [(skipped.path, skipped.reason) for skipped in notes.skipped] == [(path, reason)]


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    plant(tmp_path, "docs/")
    for path in ("docs/a.md", "gone/a.md"):
        with pytest.raises(NotFoundError) as caught:
            named(tmp_path, path)
        assert caught.value.message == f"`{path}` of tree `t` does not exist"
        assert caught.value.location == str(tmp_path / path)


def test_exceeds_looks_no_further_than_it_must(tmp_path: Path) -> None:
    plant(tmp_path, *(f"{n}.md" for n in range(5)))
    tree = Tree(name="t", root=tmp_path)
    assert exceeds(tree, 4)
    assert not exceeds(tree, 5)


def test_the_walk_leaves_no_descriptor_open(tmp_path: Path) -> None:
    plant(tmp_path, "a/b.md", "c/d.md")
    sources = iter_sources(Tree(name="t", root=tmp_path))
    next(sources)
    if os.path.isdir("/proc/self/fd"):
        assert _open_below(tmp_path)
    sources.close()  # type: ignore[attr-defined]
    list(iter_sources(Tree(name="t", root=tmp_path)))
    assert _open_below(tmp_path) == []


def _open_below(folder: Path) -> list[str]:
    """The descriptors of places in a folder: what other threads hold open is not ours to count."""
    root, found = "/proc/self/fd", []
    for number in os.listdir(root) if os.path.isdir(root) else ():
        with contextlib.suppress(OSError):  # the one that lists them is closed by now
            place = os.readlink(f"{root}/{number}")
            if place.startswith(str(folder.resolve())):
                found.append(place)
    return found


@posix
def test_a_junction_is_a_link_to_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows lists it as a folder, and one that leads to what is above it has no end."""
    plant(tmp_path, "root/a.md", "root/sub/b.md", "other/c.md")
    (tmp_path / "root/sub/up").symlink_to(tmp_path / "root")
    (tmp_path / "root/out").symlink_to(tmp_path / "other")
    list_as_windows_does(monkeypatch)
    found, left_out = look(tmp_path / "root")
    assert found == ["a.md", "sub/b.md"]
    assert left_out == {"sub/up/": "link to a folder", "out": "link out of the tree"}
