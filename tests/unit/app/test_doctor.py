"""Everything that can be wrong is shown to the doctor."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

import pytest
from support.indexes import put_in_place
from support.projects import Here, deny

from leafmark.app import doctor, examine
from leafmark.errors import StorageError
from leafmark.index.folder import Layout
from leafmark.model import Check, DoctorReport


def _examine(here: Here) -> DoctorReport:
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    return examine(here.root, flags={}, environ=environ)


def _of(report: DoctorReport, area: str) -> list[Check]:
    return [check for check in report.checks if check.area == area]


def _problem(report: DoctorReport) -> Check:
    assert not report.ok
    (found,) = [check for check in report.checks if check.state == "problem"]
    return found


def test_nothing_is_wrong(here: Here) -> None:
    here.write("a.md", "# A\n\ntext\n")
    assert _of(_examine(here), "index") == [
        Check(
            "index",
            "ok",
            f"there is none yet, it will be in {here.project().index_dir}",
            "`leafmark index` or the first search creates it",
        )
    ]
    here.index()
    report = _examine(here)
    assert report.ok
    root = here.project().index_dir
    assert _of(report, "index") == [
        Check("index", "ok", f"1 document, every byte sound, in {root}")
    ]
    assert _of(report, "trees") == [Check("trees", "ok", f"here: 1 source in {here.root}")]
    assert Layout(root).suspect(1).exists() is False


def test_a_flipped_bit(here: Here) -> None:
    here.write("a.md", "# A\n\ntext\n")
    here.index()
    (file,) = Layout(here.project().index_dir).text(1).glob("*.pos")
    data = bytearray(file.read_bytes())
    data[0] ^= 1
    put_in_place(file, bytes(data))
    message = f"{file.name} is not what was written"
    assert _problem(_examine(here)) == Check(
        "index", "problem", message, "the next run rebuilds it: leafmark index"
    )


def test_a_broken_configuration_ends_the_examination(here: Here) -> None:
    here.configure("[search]\nlimit = 'many'\n")
    report = _examine(here)
    found = _problem(report)
    assert report.checks[-1] == found
    assert found.message == f'search.limit is "many" ({here.root / "leafmark.toml"}:2)'
    assert found.hint == "search.limit must be a whole number from 1 to 10000"


def test_sizes_that_do_not_fit_end_nothing(here: Here) -> None:
    here.write("a.md", "text\n")
    here.configure(
        '[tree.a]\npath = "."\n[tree.b]\npath = "."\n'
        "[chunking]\nmin_tokens = 900\nmax_tokens = 100\n"
    )
    report = _examine(here)
    assert _problem(report) == Check(
        "configuration",
        "problem",
        f"min_tokens is 900 ({here.root / 'leafmark.toml'}:6)",
        "min_tokens must be at most max_tokens (100)",
    )
    assert _of(report, "sources")


def test_a_missing_folder_and_an_empty_one(here: Here) -> None:
    here.configure('[tree.a]\npath = "a"\n[tree.b]\npath = "b"\n')
    (here.root / "b").mkdir()
    assert _of(_examine(here), "trees") == [
        Check(
            "trees",
            "problem",
            f"the folder of tree 'a' is missing: {here.root / 'a'}",
            "correct its path, or bring the folder back",
        ),
        Check(
            "trees",
            "warning",
            f"b: no sources in {here.root / 'b'}",
            "`leafmark status -v` lists the files that are left out, and the reasons",
        ),
    ]


def test_documents_that_are_kept_though_they_are_gone(here: Here) -> None:
    for number in range(3):
        here.write(f"{number}.md", f"# Page {number}\n\ntext\n")
    here.index()
    for path in here.root.iterdir():
        path.unlink()
    here.index()
    assert _of(_examine(here), "index")[-1] == Check(
        "index",
        "warning",
        f"3 sources of tree 'here' are gone from {here.root}, and kept in the index",
        "if no disk is missing, `leafmark index --prune` forgets them",
    )


def test_documents_that_are_kept_though_their_files_cannot_be_read(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "b.md"):
        here.write(name, f"# {name}\n\ntext\n")
    here.index()
    here.write("a.md", "# A\n\nanother text\n")
    deny(monkeypatch, "app.indexing.preparing", "a.md")
    deny(monkeypatch, "app.doctor", "a.md")
    here.index()
    assert _of(_examine(here), "sources")[-1] == Check(
        "sources",
        "warning",
        "1 document kept though files cannot be read, the first a.md: permission denied",
        "make them readable, or forget the documents with `leafmark index --prune`",
    )


def test_sources_with_diagnostics_and_changes(here: Here) -> None:
    here.write("a.md", "---\na: [\n---\ntext\n")
    here.index()
    here.write("b.md", "new\n")
    found = _of(_examine(here), "sources")
    assert [check.state for check in found] == ["warning", "ok"]
    assert found[0].message.startswith("1 diagnostic, the first of a.md: ")
    assert found[0].hint == "`leafmark status -v` lists them all"
    assert found[1].message.endswith(" may have changed: the next run reads them")


def test_an_index_that_cannot_be_written(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write("a.md", "text\n")
    here.index()
    root = here.project().index_dir
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert _problem(_examine(here)).message == f"it cannot be written: {root}"


def test_an_index_that_cannot_be_made(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write("a.md", "text\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found = _problem(_examine(here))
    assert found.message == f"it cannot be created: {here.home}"
    assert found.hint is not None
    assert found.hint.endswith("`LEAFMARK_HOME`")
    monkeypatch.undo()
    (here.home / ".leafmark").write_text("a file stands in the way")
    assert _problem(_examine(here)).message.endswith(f": {here.home / '.leafmark'}")


def test_an_index_that_cannot_be_looked_at(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write("a.md", "text\n")
    here.index()

    def refuse(root: Path) -> bool:
        raise StorageError("cannot read the index: permission denied", location=str(root))

    monkeypatch.setattr(doctor, "has_index", refuse)
    root = here.project().index_dir
    report = _examine(here)
    assert _problem(report).message == f"cannot read the index: permission denied ({root})"
    assert [check.state for check in _of(report, "sources")] == ["ok"]


def _installed(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    def version(name: str) -> str:
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)
    wanted = ["tantivy<2,>=1", "watch-it>=1; extra == 'watch'", "b[x]>=1; extra == 'watch'"]
    monkeypatch.setattr(metadata, "requires", lambda name: wanted)


@pytest.mark.parametrize(
    ("versions", "told"),
    [
        ({"tantivy": "1.5", "watch-it": "1", "b": "1"}, ["ok: watch is installed"]),
        ({"tantivy": "1.5"}, ["ok: watch is not installed"]),
        ({"tantivy": "1.5", "b": "2"}, ["ok: watch is incomplete without watch-it"]),
        (
            {"b": "1", "watch-it": "1"},
            ["problem: tantivy is not installed", "ok: watch is installed"],
        ),
    ],
)
def test_requirements_and_extras(
    monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], told: list[str]
) -> None:
    _installed(monkeypatch, **versions)
    found = list(doctor.check_installation())[1:]
    assert [f"{check.state}: {check.message}" for check in found] == told


def test_an_unknown_installation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def requires(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert [check.state for check in doctor.check_installation()] == ["ok", "warning"]
