"""Formats that other packages register: real little packages in a folder that Python looks in."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from textwrap import dedent

import pytest

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.parsing import FORMAT_FAILED, format_names, installed_formats, parse
from leafmark.parsing.formats import reader_of

PAGE = Path(__file__).parents[3] / "docs" / "formats.md"
OWN = {"info", "org", "pod", "rdoc", "roff"}
SOURCE = b"@ One\nsome words\n@ Two\nothers\n"

Install = Callable[..., None]


def example() -> str:
    """The module that the documentation shows."""
    section = PAGE.read_text(encoding="utf-8").partition("## Formats of other packages")[2]
    found = re.search(r"```python\n(.*?)```", section, re.S)
    assert found is not None
    return found[1]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package with one module and the entry points of its formats."""
    before = set(sys.modules)
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def put(module: str, source: str, *points: str, version: str = "1.0") -> None:
        (site / f"{module}.py").write_text(source, encoding="utf-8")
        info = site / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {module}\nVersion: {version}\n", encoding="utf-8")
        lines = "\n".join(["[console_scripts]", "x = y:z", "", "[leafmark.formats]", *points])
        (info / "entry_points.txt").write_text(lines + "\n", encoding="utf-8")
        # what was found in a folder is known by the folders looked in
        monkeypatch.setattr(sys, "path", [*sys.path, str(info / "none")])

    yield put
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(site) in str(
            sys.modules[name].__file__
        ):
            del sys.modules[name]


def test_our_own_formats_are_registered_as_those_of_others() -> None:
    registered = {each.name: each.value for each in entry_points(group="leafmark.formats")}

    assert registered.keys() >= OWN
    assert {each.partition(" ")[0] for each in installed_formats()} >= OWN
    assert set(format_names()) >= OWN | {"markdown", "rst", "text"}


def test_the_example_of_the_documentation_reads_its_files(install: Install) -> None:
    install("lamp_format", example(), "lamp = lamp_format")

    document = parse(SOURCE, "a/b.lamp")

    assert (document.format, document.degraded) == ("lamp", False)
    assert [heading.title for heading in document.headings] == ["One", "Two"]
    assert "lamp" in format_names()
    assert "lamp lamp_format lamp_format-1.0" in installed_formats()
    chunks = chunk_document(document, tree="t", options=ChunkingOptions()).chunks
    assert [chunk.id for chunk in chunks] == ["t:a/b.lamp", "t:a/b.lamp#one", "t:a/b.lamp#two"]
    pickle.dumps(document)


def test_a_stated_suffix_is_parsed_by_the_format_that_is_named(install: Install) -> None:
    install("lamp_format", example(), "lamp = lamp_format")

    assert parse(SOURCE, "a.md", formats={".md": "lamp"}).format == "lamp"
    assert parse(SOURCE, "a.md").format == "markdown"


READING = dedent("""
    from leafmark.model import Document
    from leafmark.parsing import ReadableBuilder

    def takes(path, data):
        return path.endswith(".loud")

    def parse(data, path):
        return Document(path, data, "loud", "Loud")

    def read(data, spans):
        out = ReadableBuilder()
        for start, end in spans:
            out.add(data[start:end].decode().upper(), start, end)
        return out.build(spans)
""")


def test_a_format_can_say_what_is_read(install: Install) -> None:
    install("loud", READING, "loud = loud")

    document = parse(b"some words\n", "a.loud")

    assert document.is_rendered
    assert document.read(0, 4) == "SOME"
    reader = reader_of("loud", document.data)
    assert reader is not None
    assert reader(document.data, [(5, 10)]).text == "WORDS"
    assert pickle.loads(pickle.dumps(document)).read(0, 4) == "SOME"


def test_what_a_reader_fails_at_is_shown_as_it_is_written(install: Install) -> None:
    fails = READING.replace("out = Read", "assert spans[0][0] == 0\n    out = Read")
    install("loud_fails", fails, "loud = loud_fails")

    assert parse(b"some words\n", "a.loud").read(5, 10) == "words"


BAD = {
    "import": "import nothing_of_this_name",
    "exit": "raise SystemExit(3)",
    "functions": "def takes(path, data): return True",
    "takes": "def takes(path, data): raise ValueError('no')\ndef parse(data, path): ...",
    "raises": "def takes(path, data): return path.endswith('.bad')\n"
    "def parse(data, path): raise KeyError('x')",
    "deep": "def takes(path, data): return path.endswith('.bad')\n"
    "def parse(data, path): return parse(data, path)",
    "nothing": "def takes(path, data): return path.endswith('.bad')\ndef parse(data, path): ...",
}
MADE = """
from leafmark.model import Block, Document, Heading, Link
def takes(path, data): return path.endswith(".bad")
def parse(data, path): return Document(path, {}, "bad", "T", **{})
"""
FAULTS = {
    "other bytes": ("b'x'", "{}"),
    "span outside": ("data", "dict(headings=[Heading(1, 'a', 'a', 0, 4, 400)])"),
    "no order": (
        "data",
        "dict(headings=[Heading(1, 'a', 'a', 6, 9, 20), Heading(1, 'b', 'b', 0, 2, 20)])",
    ),
    "no heading": ("data", "dict(headings=['a'])"),
    "no title": ("data", "dict(headings=[Heading(1, None, None, 0, 4, 20)])"),
    "overlap": ("data", "dict(blocks=[Block('code', 0, 9), Block('code', 5, 12)])"),
    "beyond its block": (
        "data",
        "dict(blocks=[Block('list', 0, 9), Block('list_item', 5, 12, 1)])",
    ),
    "unknown kind": ("data", "dict(blocks=[Block('song', 0, 9)])"),
    "link": ("data", "dict(links=[Link(0, 4000, 'x')])"),
    "numbers": ("data", "dict(blocks=[Block('code', '0', '9')])"),
}
BAD |= {name: MADE.format(*parts) for name, parts in FAULTS.items()}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_format_is_a_diagnostic_and_its_files_are_text(install: Install, name: str) -> None:
    module = f"bad_{re.sub('[^a-z]', '_', name)}"
    install(module, BAD[name], f"bad = {module}")

    document = parse(b"some words\n\nand some more\n", "a.bad")

    assert document.format == "text"
    assert document.data == b"some words\n\nand some more\n"
    assert len(document.blocks) == 2
    assert [note.code for note in document.diagnostics] == [FORMAT_FAILED]
    assert f"`bad` of {module}-1.0" in document.diagnostics[0].message
    assert parse(b"# A\n", "a.md").diagnostics == ()
    assert parse(b"words\n", "a.txt").diagnostics == ()


def test_a_span_may_not_cut_a_character(install: Install) -> None:
    cut = MADE.format("data", "dict(blocks=[Block('code', 1, 9)])")
    install("bad_cut", cut, "bad = bad_cut")

    assert "out of place" in parse("é words".encode(), "a.bad").diagnostics[0].message


def test_no_package_replaces_a_core_format(install: Install) -> None:
    install("lamp_format", example().replace('".lamp"', '".md"'), "markdown = lamp_format")

    assert [heading.title for heading in parse(b"# A\n\n@ b\n", "a.md").headings] == ["A"]


def test_packages_in_the_folder_worked_in_are_not_looked_at(
    install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install("lamp_format", example(), "lamp = lamp_format")
    monkeypatch.chdir(tmp_path / "site")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "other")])

    assert parse(SOURCE, "a.lamp").format == "text"


def test_reading_markdown_looks_for_no_format() -> None:
    code = (
        "import sys; from leafmark.parsing import parse; parse(b'# A', 'a.md');"
        "late = ('leafmark.formats', 'importlib.metadata');"
        "print([name for name in sys.modules if name.startswith(late)])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout == "[]\n"
