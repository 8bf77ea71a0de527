"""Ids looked up, and what they name read from the source."""

from __future__ import annotations

import os
from typing import Any, Literal
from unicodedata import normalize

import pytest
from support.notebooks import make_notebook
from support.projects import Here

from leafmark.app import indexed_sources
from leafmark.app.sources.files import KnownFiles, read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.chunking import token_counter
from leafmark.errors import AmbiguousError, NotFoundError
from leafmark.model import Chunk, Document, FileState, Omission, Passage
from leafmark.parsing import parse
from leafmark.search.citations import format_citation
from leafmark.search.packing import passages

Form = Literal["NFC", "NFD"]

GUIDE = (
    "---\ntitle: Guide\n---\nPreamble.\n# Guide\n\n### Setup\ntext a\n## Empty\n# Usage\n"
    "Setup\n-----\nlong text\n## Setup\nx\n"
)


@pytest.fixture
def guide(here: Here) -> Here:
    here.write("p.md", GUIDE)
    here.index()
    return here


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("here:p.md", "here:p.md"),
        ("p.md", "here:p.md"),
        ("./p.md", "here:p.md"),
        ("here:p.md#setup-1", "here:p.md#setup-1"),
        ("p.md#setup-1", "here:p.md#setup-1"),
        ("here:p.md.2", "here:p.md#setup"),
        ("p.md.5", "here:p.md#setup-2"),
        ("p.md#empty", "here:p.md#guide"),
        ("p.md#preamble", "here:p.md"),
    ],
)
def test_every_form_of_an_id(guide: Here, wanted: str, found: str) -> None:
    (shown,) = guide.show(wanted).shown
    assert shown.entry.id == found


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("x41\\p q.md", "here:x41/p q.md"),
        (" .\\x41\\p q.md#one", "here:x41/p q.md#one"),
        ("x41\\p q.md:4:", "here:x41/p q.md#one"),
        ("here:x41\\p q.md.1", "here:x41/p q.md#one"),
        ("x41\\c#1.md", "here:x41/c%231.md"),
        ("a\\x41\\b.md", "here:a/x41/b.md"),
    ],
)
def test_a_path_may_be_typed_as_windows_writes_it(here: Here, wanted: str, found: str) -> None:
    here.write("x41/p q.md", "text\n\n# One\ntext\n")
    for path in ("x41/c#1.md", "a/x41/b.md"):
        here.write(path, "text\n")
    here.index()
    (shown,) = here.show(wanted).shown
    assert shown.entry.id == found


@pytest.mark.skipif(os.sep == "\\", reason="no name there holds one")
def test_a_name_with_a_backslash_comes_first(here: Here) -> None:
    here.write("a\\b.md", "one\n")
    here.write("a/b.md", "other\n")
    here.index()
    (shown,) = here.show("a\\b.md").shown
    assert shown.entry.id == "here:a\\b.md"


def test_the_nearest_to_such_a_path_are_named(here: Here) -> None:
    here.write("guides/p.md", "# One\ntext\n")
    here.index()
    for wanted, nearest in (("guides\\pp.md", "p.md"), ("guides\\p.md#onee", "p.md#one")):
        ((_, found),) = here.show(wanted).not_found
        assert found[0] == f"here:guides/{nearest}"


@pytest.mark.parametrize(
    ("wanted", "found", "text"),
    [
        ("p.md:4", "here:p.md", "---\ntitle: Guide\n---\nPreamble.\n"),
        ("p.md:13", "here:p.md#setup-1", "Setup\n-----\nlong text\n"),
        ("here:p.md:13", "here:p.md#setup-1", "Setup\n-----\nlong text\n"),
        ("./p.md:13:5", "here:p.md#setup-1", "Setup\n-----\nlong text\n"),
        ("p.md:13:5:", "here:p.md#setup-1", "Setup\n-----\nlong text\n"),
        ("p.md:11-99", "here:p.md#usage", "# Usage\nSetup\n-----\nlong text\n## Setup\nx\n"),
        ("p.md:11-12", "here:p.md#setup-1", "Setup\n-----\nlong text\n"),
        ("p.md:7", "here:p.md#setup", "### Setup\ntext a\n"),
        ("p.md:10", "here:p.md#usage", "# Usage\nSetup\n-----\nlong text\n## Setup\nx\n"),
        ("p.md:9", "here:p.md#guide", "\n## Empty\n"),
    ],
)
def test_a_line_names_the_smallest_chunk_that_holds_it(
    guide: Here, wanted: str, found: str, text: str
) -> None:
    (shown,) = guide.show(wanted).shown
    assert (shown.entry.id, shown.full_text) == (found, text)


def test_text_above_sections_is_shown_alone_for_its_line(here: Here) -> None:
    here.write("p.md", "# A\n\nIntroduction.\n\n## B\n\nText.\n")
    here.index()
    (shown,) = here.show("p.md:3").shown
    assert (shown.entry.id, shown.full_text) == ("here:p.md#a", "\nIntroduction.\n\n")


@pytest.mark.parametrize("wanted", ["p.md:0", "p.md:16", "p.md:16-20", "p.md:9-7"])
def test_a_line_that_there_is_not_names_its_document(guide: Here, wanted: str) -> None:
    ((_, nearest),) = guide.show(wanted).not_found
    assert nearest[0] == "here:p.md"


@pytest.mark.parametrize("strategy", ["section", "fixed"])
def test_a_section_inside_a_larger_chunk_is_shown(here: Here, strategy: str) -> None:
    here.configure(f'[chunking]\nstrategy = "{strategy}"\n')
    here.write("p.md", GUIDE)
    here.index()
    for slug, title, text in (
        ("setup", "Setup", "### Setup\ntext a\n"),
        ("usage", "Usage", "# Usage\nSetup\n-----\nlong text\n## Setup\nx\n"),
        ("empty", "Guide", "# Guide\n\n### Setup\ntext a\n## Empty\n"),
    ):
        (shown,) = here.show(f"p.md#{slug}").shown
        assert shown.section is not None
        assert (shown.entry.id, shown.section.title, shown.full_text) == ("here:p.md", title, text)
    (own,) = here.show("p.md#usage", own=True).shown
    assert own.full_text == "# Usage\n"
    (whole,) = here.show("p.md#usage", full_document=True).shown
    assert whole.full_text == GUIDE


@pytest.mark.parametrize("asked", ["NFC", "NFD"])
@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
def test_an_id_may_be_spelt_with_marks_apart(
    here: Here, asked: Form, on_disk: Form, written: Form
) -> None:
    path = normalize(on_disk, "café.md")
    here.write(path, normalize(written, "# Größe\n\nText.\n"))
    here.index()
    (shown,) = here.show(normalize(asked, "café.md#größe")).shown
    assert shown.entry.id == f"here:{path}#{normalize(written, 'größe')}"


@pytest.mark.parametrize(
    "wanted", ["q.md", "p.md#nothing", "p.md.99", "other:p.md", "p.md~1", "../p.md", "P.md", ""]
)
def test_what_is_not_indexed_is_not_found(guide: Here, wanted: str) -> None:
    report = guide.show(wanted)
    assert (report.shown, [asked for asked, _ in report.not_found]) == ((), [wanted])


def test_the_nearest_ids_are_named(guide: Here) -> None:
    ((_, nearest),) = guide.show("p.md#setup-11").not_found
    assert nearest[0] == "here:p.md#setup-1"
    ((_, nearest),) = guide.show("pp.md").not_found
    assert nearest == ("here:p.md",)
    guide.write("tcp.1.txt", "Words.\n\n" * 900)
    ((_, nearest),) = guide.show("tcp.1").not_found
    assert nearest == ("here:tcp.1.txt",)
    ((_, nearest),) = guide.show("tpc.1.txt.2").not_found
    assert nearest == ("here:tcp.1.txt.2",)


def test_the_pieces_of_a_section_are_not_named_in_place_of_others(guide: Here) -> None:
    text = "Some words.\n\n" * 400
    guide.write("long.md", f"# Nginx proxy\n\n{text}\n# Nginx behind a proxy\n\nWords.\n")
    ((_, nearest),) = guide.show("long.md#nginx").not_found
    assert nearest == ("here:long.md#nginx-proxy", "here:long.md#nginx-behind-a-proxy")
    ((_, nearest),) = guide.show("long.md#nginx-proxi~2").not_found
    assert nearest[0] == "here:long.md#nginx-proxy~2"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("ch20-05", ("here:src/ch20-05-macros.md",)),
        ("ch20-05-macros.md", ("here:src/ch20-05-macros.md",)),
        ("ch20-05-macros.md.1", ("here:src/ch20-05-macros.md.1",)),
        ("ch20-05-macros.md.9", ("here:src/ch20-05-macros.md",)),
        ("ch20-05-macros.md#custom", ("here:src/ch20-05-macros.md#custom-derive-macros",)),
        ("macro", ("here:macro.md", "here:src/ch20-05-macros.md")),
        ("ma", ()),
    ],
)
def test_a_part_of_an_id_names_it(here: Here, wanted: str, found: tuple[str, ...]) -> None:
    here.write("src/ch20-05-macros.md", "# Macros\n\nx\n\n## Custom derive Macros\n\ny\n")
    here.write("macro.md", "x\n")
    here.index()
    assert here.show(wanted).not_found == ((wanted, found),)


def test_an_id_may_be_typed_as_it_is_printed(here: Here) -> None:
    """What could change a terminal is printed as an escape; blanks are kept."""
    here.write("\u202egnp.md", "# A\n\nx\n")
    here.write("trail ", "x\n")
    here.index()
    for wanted in ("here:\\u202egnp.md", "\\u202egnp.md#a", "\u202egnp.md", " \u202egnp.md"):
        (shown,) = here.show(wanted).shown
        assert shown.entry.path == "\u202egnp.md"
    for wanted in ("here:trail ", "trail "):
        (shown,) = here.show(wanted).shown
        assert shown.entry.id == "here:trail "


def test_a_path_in_two_trees_is_ambiguous(here: Here) -> None:
    here.write("one/a.md", "# A\n\nx\n")
    here.write("two/a.md", "# A\n\ny\n")
    here.configure('[tree.one]\npath = "one"\n[tree.two]\npath = "two"\n')
    with pytest.raises(AmbiguousError) as caught:
        here.show("a.md")
    assert caught.value.message == "'a.md' fits 2 chunks"
    assert caught.value.candidates == ("one:a.md", "two:a.md")
    assert caught.value.hint == "name one of them: one:a.md, two:a.md"


def test_an_exact_id_goes_before_an_ordinal(here: Here) -> None:
    here.write("a.md", "# A\n\nx\n")
    here.write("a.md.1", "plain\n")
    (shown,) = here.show("a.md.1").shown
    assert shown.entry.id == "here:a.md.1"


def test_reserved_characters_of_a_path_may_be_typed_as_they_are(here: Here) -> None:
    here.write("a#b~1%.md", "# A\n\nx\n")
    for wanted in ("a#b~1%.md", "a#b~1%.md#a", "here:a%23b%7E1%25.md", "a%23b%7E1%25.md#a"):
        (shown,) = here.show(wanted).shown
        assert shown.entry.doc_id == "here:a%23b%7E1%25.md"


@pytest.mark.parametrize(
    "path", ["p.md", "a#b~1%.md", "100 % (new) “x” 日本　語.md", "a%20b.md", "x@y.md"]
)
def test_a_citation_names_the_chunk_that_it_is_of(here: Here, path: str) -> None:
    here.write(path, "# Guide\n\ntext\n\n## A part\n\nmore\n")
    (shown,) = here.show(f"{path}#a-part").shown
    cited = format_citation(shown.entry.id, "0123456789abcdef", 3, 9)
    assert " " not in cited
    assert here.show(cited, cited + " ").shown == (shown, shown)


def test_the_record_is_made_where_it_is_asked_for(
    guide: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    (full,) = guide.show("p.md#usage").shown
    monkeypatch.setattr(Chunk, "to_dict", lambda self: pytest.fail("made"))
    (plain,) = guide.show("p.md#usage", records=False).shown
    assert full.record["id"] == "here:p.md#usage"
    assert plain == full._replace(record={})


def test_section_is_heading_and_all_below_it(guide: Here) -> None:
    (shown,) = guide.show("p.md#guide").shown
    assert shown.full_text == "# Guide\n\n### Setup\ntext a\n## Empty\n"
    assert shown.heading == "# Guide\n"
    assert shown.body == "\n## Empty\n"
    assert shown.raw == b"# Guide\n\n### Setup\ntext a\n## Empty\n"
    assert [child.id for child in shown.children] == ["here:p.md#setup"]
    (own,) = guide.show("p.md#guide", own=True).shown
    assert own.raw == b"\n## Empty\n"


def test_preamble_is_what_stands_before_the_first_heading(guide: Here) -> None:
    (shown,) = guide.show("p.md#preamble").shown
    assert shown.full_text == "---\ntitle: Guide\n---\nPreamble.\n"
    assert shown.raw == b"---\ntitle: Guide\n---\nPreamble.\n"


LONG = "\n\n".join(f"Paragraph {at} tells of zebras and of their stripes." for at in range(90))


@pytest.mark.parametrize("strategy", ["auto", "heading", "section"])
def test_own_text_is_shown_whole_however_it_is_cut(here: Here, strategy: str) -> None:
    here.write("a.md", f"{LONG}\n\n# One\n\n{LONG}\n\n## Part\n\nPart.\n\n## Rest\n\nRest.\n")
    here.write("a.html", f"<main><p>{LONG}</p><h1>One</h1><p>{LONG}</p><h2>Part</h2>x</main>")
    here.configure(f'[chunking]\nstrategy = "{strategy}"\n')
    here.index()
    (preamble,) = here.show("a.md#preamble").shown
    assert preamble.full_text == f"{LONG}\n\n"
    (own,) = here.show("a.md#one", own=True).shown
    assert (own.full_text, own.raw) == (f"\n{LONG}\n\n", f"\n{LONG}\n\n".encode())
    (page,) = here.show("a.html#one", own=True).shown
    assert (page.readable or "").split() == LONG.split()


def test_own_text_in_a_piece_with_small_sections(here: Here) -> None:
    """Headings that open no section are in it, and what stands between definitions."""
    small = "".join(f"## Part {at}\n\nThe part says little.\n\n" for at in range(2))
    large = "".join(f"## Large {at}\n\n{LONG}\n\n" for at in range(2))
    own_text = "\nThis comes first.\n\n## Nothing\n"
    here.write("a.md", f"# One\n{own_text}{small}{large}")
    methods = [f"    def part{at}(self):\n        return {at}\n" for at in range(2)]
    between = "    zebra = 1\n"
    lines = "".join(f"        self.do_something({at}, 'with a text')\n" for at in range(150))
    here.write("a.py", f"class One:\n{methods[0]}{between}{methods[1]}    def run(self):\n{lines}")
    here.configure('[chunking]\nstrategy = "section"\n')
    here.index()
    (own,) = here.show("a.md#one", own=True).shown
    assert [one.covers for one in own.children if one.kind == "piece"] == [
        ("here:a.md#part-0", "here:a.md#part-1")
    ]
    assert own.full_text == own_text
    (own,) = here.show("a.py#One", own=True).shown
    assert any(one.covers for one in own.children)
    assert own.full_text == f"class One:\n{between}"


def test_own_text_there_is_none_of(guide: Here) -> None:
    (own,) = guide.show("p.md#usage", own=True).shown
    assert (own.full_text, own.raw, own.own_ranges) == ("", b"", ())
    guide.write("p.html", "<main><h1>One</h1><h2>Part</h2><p>x</p></main>")
    (page,) = guide.show("p.html#one", own=True).shown
    assert page.readable == ""


def test_a_preamble_under_a_budget_is_that_alone(here: Here) -> None:
    here.write("a.md", f"Before.\n\n{LONG}\n\n# One\n\n{LONG}\n")
    here.index()
    report = here.show("a.md#preamble", packed=True)
    assert report.packing is not None
    (item,) = report.packing.items
    assert (item.units[0].start, item.units[-1].end) == (0, len(f"Before.\n\n{LONG}\n\n"))
    shown, omitted = passages(item, [0])
    assert isinstance(shown, Passage)
    assert isinstance(omitted, Omission)
    assert (shown.text, omitted.id) == ("Before.\n\n", "here:a.md#preamble")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Before.\n\nMore.\n\n# One\n\nx\n", "here:a.md#preamble"),
        ("Before.\n\nMore.\n", "here:a.md"),
        ("Before.\n\nMore.\n\n# Preamble\n\nx\n", "here:a.md"),
    ],
)
def test_what_is_left_out_of_a_preamble_can_be_asked_for_by_its_id(
    here: Here, text: str, name: str
) -> None:
    here.write("a.md", text)
    report = here.show("a.md", packed=True)
    assert report.packing is not None
    item = report.packing.items[0]
    shown = [at for at in range(len(item.units)) if at != 1]
    assert [one.id for one in passages(item, shown) if isinstance(one, Omission)] == [name]


def test_document_is_the_file(guide: Here) -> None:
    for wanted in ("p.md#setup", "p.md#preamble"):
        (shown,) = guide.show(wanted, full_document=True).shown
        assert (shown.entry.id, shown.full_text) == ("here:p.md", GUIDE)


def test_outline_has_all_that_is_below(guide: Here) -> None:
    (shown,) = guide.show("p.md#usage", outline=True).shown
    assert [child.position for child in shown.children] == [4, 5]
    (shown,) = guide.show("p.md", outline=True).shown
    assert [child.position for child in shown.children] == [1, 2, 3, 4, 5]


def test_stale_source_gives_no_text(guide: Here) -> None:
    guide.write("p.md", GUIDE.replace("long", "wrong"))
    (shown,) = guide.show("p.md#setup-1", refresh=False).shown
    assert shown.stale
    assert (shown.body, shown.full_text, shown.raw, shown.heading) == (None, None, None, None)
    (fresh,) = guide.show("p.md#setup-1").shown
    assert fresh.body == "wrong text\n"


@pytest.mark.parametrize(
    "settings", ['strategy = "section"', 'strategy = "fixed"\nfixed_tokens = 8\nfixed_overlap = 0']
)
def test_an_index_of_other_settings_answers_with_its_own_chunks(guide: Here, settings: str) -> None:
    """Chunks of the new settings stood in their places, or none at all."""
    guide.configure(f"[chunking]\n{settings}\n")
    wishes = {"sizes": True, "packed": True, "refresh": False}
    report = guide.show("p.md#setup-1", "p.md#empty", outline=True, **wishes)
    found, discarded = report.shown
    assert (found.record, found.sizes, found.body) == ({}, {}, "long text\n")
    assert discarded.entry.id == "here:p.md#guide"
    assert report.packing is not None
    assert [item.id for item in report.packing.items] == [one.entry.id for one in report.shown]
    assert all(item.units for item in report.packing.items)
    guide.index()
    (anew,) = guide.show("p.md").shown
    assert anew.record["id"] == "here:p.md"


def test_a_source_is_read_once_for_an_answer(guide: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[str] = []

    def count(tree: Tree, path: str, known: KnownFiles) -> tuple[bytes, FileState]:
        paths.append(path)
        return read_beneath(tree, path, known)

    monkeypatch.setattr(indexed_sources, "read_beneath", count)
    guide.show("p.md", "p.md#setup", "p.md#usage", refresh=False)
    assert paths == ["p.md"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_source_is_parsed_once_for_an_answer(
    here: Here, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """The bytes that spans count in are the parser's where a source is not UTF-8."""
    text = "# Käse\n\nGelb und würzig.\n\n## Größe\n\nFünf für alle.\n"
    (here.root / "p.md").write_bytes(text.encode(encoding))
    here.index()
    paths: list[str] = []

    def count(data: bytes, path: str, **options: Any) -> Document:
        paths.append(path)
        return parse(data, path, **options)

    monkeypatch.setattr("leafmark.app.sources.source_formats.parse", count)
    shown = here.show("p.md", "p.md#größe", sizes=True, refresh=False).shown
    assert [one.full_text for one in shown] == [text, text[text.index("## ") :]]
    assert paths == ["p.md"]


def test_without_an_index_nothing_is_made_up(here: Here) -> None:
    with pytest.raises(NotFoundError) as caught:
        here.show("p.md", refresh=False)
    assert caught.value.message == "there is no index yet"
    assert caught.value.hint == "bring the index up to date first"


def test_an_outline_tells_how_large_each_part_is(guide: Here) -> None:
    (shown,) = guide.show("p.md", outline=True, sizes=True).shown
    data = GUIDE.encode()
    assert [one.id for one in shown.children] == [
        f"here:p.md#{slug}" for slug in ("guide", "setup", "usage", "setup-1", "setup-2")
    ]
    assert shown.sizes[0].bytes == len(data)
    assert shown.sizes[2].bytes == len("### Setup\ntext a\n")
    assert shown.sizes[2].tokens == token_counter("o200k_base")("### Setup\ntext a\n")
    assert guide.show("p.md").shown[0].sizes == {}


@pytest.mark.parametrize("path", ["p.html", "p.ipynb"])
def test_the_tokens_of_an_outline_are_those_of_what_is_shown(here: Here, path: str) -> None:
    page = f'<main><h1>Tea</h1><svg><path d="{"M 1 2 " * 99}"/></svg><h2>Green</h2>Dry.</main>'
    notes = make_notebook(("markdown", "# Tea\nBlack.\n## Green\nDry.")).decode()
    here.write(path, page if path.endswith("html") else notes)
    here.index()
    (whole,) = here.show(path, outline=True, sizes=True).shown
    count = token_counter("o200k_base")
    for one in (whole.entry, *whole.children):
        (shown,) = here.show(one.id).shown
        assert shown.readable is not None
        assert shown.raw is not None
        assert whole.sizes[one.position] == (count(shown.readable), len(shown.raw))


def test_what_is_added_hangs_on_what_was_asked_for(guide: Here) -> None:
    (shown,) = guide.show("p.md#setup-1", expand=("parent", "siblings", "prev", "next")).shown
    assert [(one.relation, one.entry.id) for one in shown.expanded] == [
        ("parent", "here:p.md#usage"),
        ("siblings", "here:p.md#setup-2"),
    ]
    (shown,) = guide.show("p.md#usage", expand=("children",)).shown
    assert shown.expanded == (), "they stand in its text"
    (shown,) = guide.show("p.md#usage", expand=("children",), own=True).shown
    assert [one.entry.id for one in shown.expanded] == ["here:p.md#setup-1", "here:p.md#setup-2"]


FORMATS = {
    "p.md": GUIDE,
    "p.html": "<nav>menu</nav><main><h1>Guide</h1><p>Lead.<h2>Setup</h2><p>a &amp; b</main>",
    "p.py": 'class A:\n    """Docs."""\n\n    def run(self):\n        pass\n',
    "p.ipynb": make_notebook(("markdown", "# Guide\n\nLead.\n\n## Setup\n\ncafé")).decode(),
}


@pytest.mark.parametrize("path", FORMATS)
@pytest.mark.parametrize("own", [False, True])
def test_texts_are_shown_without_chunking_and_are_those_of_the_records(
    here: Here, monkeypatch: pytest.MonkeyPatch, path: str, own: bool
) -> None:
    here.write(path, FORMATS[path])
    here.index()
    ids = [f"here:{path}.{position}" for position in range(3)]
    whole = here.show(*ids, own=own).shown
    assert len(whole) == 3

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it is chunked, which counts its tokens")

    monkeypatch.setattr("leafmark.chunking.chunk_document", refuse)
    shown = here.show(*ids, own=own, records=False).shown
    assert [one.record for one in shown] == [{}, {}, {}]
    assert [one._replace(record={}) for one in whole] == list(shown)
    for one, known in zip(shown, whole, strict=True):
        assert one.body == known.record["body"]


def test_of_a_page_what_a_person_reads_is_given_beside_its_bytes(here: Here) -> None:
    page = "<h1>Bread</h1><p>Flour &amp; water.</p><nav>Menu</nav><h2>Rye</h2><p>Dark.</p>"
    here.write("page.html", f"<main>{page}</main>")
    here.write("a.md", "# A\n\ntext\n")
    (shown,) = here.show("page.html#bread").shown
    assert shown.readable == "Bread\n\nFlour & water.\n\nRye\n\nDark."
    assert shown.full_text is not None
    assert "&amp;" in shown.full_text
    (own,) = here.show("page.html#bread", own=True).shown
    assert own.readable == "Flour & water."
    assert here.show("a.md").shown[0].readable is None
