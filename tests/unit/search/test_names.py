"""Names: a query that is the name of something finds its bearer first."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

MANY = (
    "asynclib, authorization, backup, iterable, max_connections, ADR-0005, queue, put, setup, "
    "open, first_rung, zoom-level, pool_fill, pool_drain"
)
NOTES = "".join(f"## Note {n}\n\nOf {MANY}: {MANY}.\n\n" for n in range(3))

SOURCES = {
    "notes.md": f"# Notes\n\n{NOTES}",
    "more.md": f"# More of asynclib and authorization\n\n{MANY}, {MANY}\n",
    "lib/asyn.md": "# asynclib — support for many things\n\nIt runs what was begun, in turns.\n",
    "guide/authorization.md": "# Who may do what\n\nEach user has a part to play.\n",
    "adr/5.md": "# ADR-0005: Use one line for all\n\nWe have chosen the simplest one.\n",
    "peps/pep-0030.rst": (
        "PEP: 30\nTitle: Values by turns\nAuthor: One,\n        Another\n\n"
        "Abstract\n========\n\nEach has some of them.\n"
    ),
    "manual/4.md": "# 4.2. Making a backup\n\nCopy the files elsewhere.\n",
    "start.md": "---\naliases: [setup]\n---\n# First steps\n\nDo this and that.\n",
    "sub/tools/index.md": "# Various\n\nWhat is in the box.\n",
    "open.2.md": "# open(2)\n\nGives a number for a file.\n",
    "glossary.md": "# Glossary\n\n## iterable\n\nWhat gives its members one by one.\n",
    "conf.rst": (
        "Settings\n========\n\nMany.\n\n.. confval:: max_connections\n\n   How many there may be.\n"
    ),
    "rungs.md": "# Rungs\n\nAll.\n\n## The lowest one {#first_rung}\n\nStep on it.\n",
    "near.html": '<h1>Lens</h1><p>All.</p><h2 id="zoom-level">How near</h2><p>Turn it.</p>',
    "pool.html": "<h1>Pool</h1><pre>int pool_fill(pool *p,\n  int n);\nvoid pool_drain(pool *p);"
    "</pre><p>They change how much is in it.</p>",
    "README.md": "# Harbour\n\nOf ships and their crews.\n",
    "queue.md": "# Classes\n\nSome.\n\n## asynclib.Queue.put()\n\nAdds to the end.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


@pytest.mark.parametrize(
    ("query", "bearer"),
    [
        ("asynclib", "lib/asyn.md"),  # the head of a title
        ("asynclib module", "lib/asyn.md"),
        ("what is asynclib?", "lib/asyn.md"),
        ("how does asynclib work", "lib/asyn.md"),
        ("authorization", "guide/authorization.md"),  # the stem of a file
        ("ADR-0005", "adr/5.md"),
        ("adr 0005", "adr/5.md"),
        ("adr 5", "adr/5.md"),
        ("values by turns", "peps/pep-0030.rst"),  # what a header states
        ("making a backup", "manual/4.md"),  # a title but for its number
        ("setup", "start.md"),  # an alias of the front matter
        ("tools", "sub/tools/index.md"),  # an index page is called as its folder
        ("open", "open.2.md"),
        ("man open", "open.2.md"),
        ("man 2 open", "open.2.md"),
        ("what is an iterable", "glossary.md"),
        ("iterable", "glossary.md"),
        ("first_rung", "rungs.md"),  # the id of a heading
        ("zoom-level", "near.html"),
        ("pool_drain", "pool.html"),  # what code at the beginning declares
        ("pool_fill function", "pool.html"),
        ("what is this project about?", "README.md"),
        ("what does this repo do", "README.md"),
        ("Queue.put", "queue.md"),  # the end of a qualified name
        ("asynclib.Queue.put", "queue.md"),
    ],
)
def test_the_bearer_comes_first(library: Library, query: str, bearer: str) -> None:
    answer = library.search(query)
    assert answer.results[0].entry.path == bearer
    assert not answer.results[0].relaxed
    assert "doubtful" not in [hint.code for hint in answer.hints]


def test_a_name_that_no_text_has_does_not_occur_nowhere(library: Library) -> None:
    """The name of an alias, in front matter: it was found."""
    assert library.search("setup").hints == ()
    assert [hint.code for hint in library.search("zanzibar").hints] == ["unknown-word"]


def test_a_misspelt_sentence_may_be_no_name_at_all(library: Library) -> None:
    query = "why does the iterabel of my plugin not see what is begun in other files?"
    assert "corrected" in [hint.code for hint in library.search(query).hints]


@pytest.mark.parametrize("query", ["asynclib -begun", "asynclib turns", "title:asynclib"])
def test_what_says_more_is_no_name(library: Library, query: str) -> None:
    factors = library.search(query, explain=True).results[0].factors
    assert "name" not in [factor.name for factor in factors]


def test_names_can_be_put_aside(library: Library) -> None:
    assert library.find("authorization", names_first=False)[0] != "guide/authorization.md"


def test_documents_come_before_sections_of_the_name(tmp_path: Path) -> None:
    sources = {
        "a.md": "# Other\n\n## Harbour\n\nThe harbour, a harbour.\n",
        "harbour.md": "# Of ships\n\nThey lie in it.\n",
    }
    assert Library(tmp_path, t=sources).find("harbour")[:2] == [
        "harbour.md#of-ships",
        "a.md#harbour",
    ]


def test_the_usual_prefix_of_file_names_may_be_left_out(tmp_path: Path) -> None:
    """In a manual of `tool`, `commit` is the page `tool-commit`."""
    names = [f"{one}{other}" for one in ("ba", "de", "fu", "gi") for other in ("lo", "mi", "ra")]
    pages = {f"tool-{name}.md": f"# tool-{name}\n\nDoes {name} to a commit.\n" for name in names}
    pages["tool-commit.md"] = "# tool-commit\n\nRecords what was changed.\n"
    pages["notes.md"] = "# Notes\n\nA commit, the commit and each commit.\n"
    library = Library(tmp_path, t=pages)
    assert library.search("commit").results[0].entry.path == "tool-commit.md"


def test_a_test_does_not_bear_the_name_of_what_it_tests(tmp_path: Path) -> None:
    pages = {f"tests/test_lamp{n}.py": f"def test_{n}():\n    light({n})\n" for n in range(12)}
    pages["tests/test_harbour.py"] = "from boats import harbour\n\nharbour(harbour)\n"
    pages["boats.md"] = "# Boats\n\nThey go.\n\n## Harbours\n\nIn a harbour they lie.\n"
    assert Library(tmp_path, t=pages).find("harbour")[0] == "boats.md#harbours"


def test_a_prefix_that_is_not_usual_makes_no_name(tmp_path: Path) -> None:
    pages = {f"page{n}.md": f"# Page {n}\n\nIts text, {n}.\n" for n in range(12)}
    pages["two-phase-commit.md"] = "# Of phases\n\nRecords what was changed.\n"
    pages["notes.md"] = "# Notes\n\nA commit, the commit and each commit.\n"
    assert Library(tmp_path, t=pages).search("commit").results[0].entry.path == "notes.md"


def test_of_bearers_of_one_name_that_of_the_kind_asked_for_is_first(tmp_path: Path) -> None:
    library = Library(
        tmp_path,
        t={
            "tags.md": "# Built-in tags\n\nAll.\n\n## escape\n\nShown as it is.\n",
            "filters.md": "# Built-in filters\n\nAll.\n\n## escape\n\nShown as it is, too.\n",
            "option.md": "# Module `option`\n\nIt has an Option, and an option.\n",
            "option.enum.md": "# Enum `option::Option`\n\nIt is one, an option or none.\n",
        },
    )
    assert library.find("escape tag")[0] == "tags.md#escape"
    assert library.find("escape filter")[0] == "filters.md#escape"
    assert library.find("Option")[0].startswith("option.enum.md")


def test_a_name_may_be_below_titles_that_the_query_names(tmp_path: Path) -> None:
    lists = "# Fields\n\n## ArrayField\n\nA list.\n\n### overlap\n\nSome are the same.\n"
    ranges = "## RangeField\n\nTwo ends.\n\n### overlap\n\nAn end of one is in the other.\n"
    said = "# Notes\n\nThe overlap of a RangeField overlap: RangeField overlap.\n"
    library = Library(tmp_path, t={"fields.md": f"{lists}\n{ranges}", "notes.md": said})
    for query in ("RangeField overlap", "rangefield.overlap", "RangeField overlap lookup"):
        assert library.find(query)[0] == "fields.md#overlap-1", query
    assert library.find("ArrayField overlap")[0] == "fields.md#overlap"


def test_of_bearers_that_with_the_signs_asked_for_is_first(tmp_path: Path) -> None:
    """The others say more of it: `acos` is asked for more often than its overload."""
    pages = {
        "c/destroy.md": "# `box::~box`\n\nThe box box box is gone.\n",
        "c/make.md": "# `box::box`\n\nMakes one.\n",
        "m/complex.md": "# `acos(complex)`\n\nThe acos of acos, an acos.\n",
        "m/real.md": "# acos\n\nOf a number.\n",
        "o.md": "# Operators\n\n## operator==\n\nAn operator: operator.\n\n## operator=\n\nSets.\n",
    }
    library = Library(tmp_path, t=pages)
    assert library.find("box::box")[0].startswith("c/make.md")
    assert library.find("acos")[0].startswith("m/real.md")
    assert library.find("operator=")[0] == "o.md#operator-1"


def test_an_entry_answers_to_the_word_that_its_id_names(tmp_path: Path) -> None:
    entry = (
        '<dl><dt id="index-zero_005ffill">: <i>v</i> = <b>zero_fill</b> (n)</dt><dd>Z.</dd></dl>'
    )
    pages = {
        "fill.html": f"<h1>Matrices</h1><p>All.</p>{entry}",
        "more.html": "<h1>Of zero_fill and more</h1><p>zero_fill, zero_fill</p>",
    }
    assert Library(tmp_path, t=pages).search("zero_fill").results[0].entry.path == "fill.html"


def test_a_page_asked_for_by_name_keeps_its_place_before_sections_called_so(tmp_path: Path) -> None:
    """It has no text of its own, and shows its first one behind a long head."""
    parts = "".join(f"<h2>Part {n}</h2><p>{'tool-fill fills it. ' * 90}</p>" for n in range(9))
    head = (
        f"<html><head><title>tool-fill</title><style>{'p {color: red}' * 900}</style></head><body>"
    )
    page = f"{head}<h2>Name</h2><p>tool-fill - fills it</p>{parts}</body></html>"
    notes = "# Notes\n\n## tool-fill\n\ntool-fill, see tool-fill: tool-fill.\n"
    library = Library(tmp_path, t={"tool-fill.html": page, "notes.md": notes})
    assert library.search("tool-fill").results[0].entry.path == "tool-fill.html"


def test_a_long_title_without_spaces_is_a_name(tmp_path: Path) -> None:
    title = "一連の状態の更新をキューに入れる"
    notes = f"# 状態の更新\n\n{title}。{title}。{title}。\n"
    library = Library(tmp_path, t={"a.md": notes, "queue.md": f"# {title}\n\nここから。\n"})
    assert library.search(title).results[0].entry.path == "queue.md"
    assert library.search(title, names_first=False).results[0].entry.path == "a.md"


@pytest.mark.parametrize(
    ("query", "bearer"),
    [
        ("LANTERNS", "t:settings.md#lanterns"),
        ("lanterns", "t:lanterns.md"),
        ("Lanterns", "t:lanterns.md"),
        ("glow-rate", "t:lamp.html#glow-rate"),
        ("the glow-rate property", "t:lamp.html#glow-rate"),
        ("light statement", "t:words.md#the-light-statement"),
        ("what is a statement", "t:words.md#statement"),
        ("LAMP_DIM", "t:enum.html#members"),
    ],
)
def test_names_are_told_by_letters_quotes_and_rows(tmp_path: Path, query: str, bearer: str) -> None:
    more = "glow-rate LAMP_DIM light statement, the glow rate of LAMP_DIM, of LANTERNS. "
    texts = {
        "lanterns.md": "# Lanterns\n\nHow they are made.\n\n## Use\n\nHang them up.\n",
        "settings.md": "# Settings\n\nAll.\n\n## `LANTERNS`\n\nWhich there are.\n",
        "lamp.html": "<h1>Lamp</h1><p>One.</p><h2 id=set>set_glow_rate ()</h2><p>Sets it.</p>"
        "<h2 id=glow-rate>The “glow-rate” property</h2><p>How fast.</p>",
        "words.md": "# Words\n\nSome.\n\n## The light statement\n\nTurns it on.\n\n"
        "## Statement\n\nWhat is done, step by step.\n",
        "a.md": "# A\n\nThe first letter, and no statement.\n",
        "enum.html": "<h1>Ways</h1><p>All.</p><h2 id=members>Members</h2><table><tr><td>"
        "<a name='LAMP-DIM'></a>LAMP_DIM</td><td>It glows.</td></tr></table>",
        "other.md": f"# Other things\n\n{more * 5}\n",
    }
    first = Library(tmp_path, t=texts).search(query).results[0]
    assert bearer in [part.id for part in first.with_constituents()]


@pytest.mark.parametrize(
    ("query", "bearer"),
    [
        ("lamp release 3.15.2 on 2016-11-28", "releases/3.md"),
        ("how to store a record", "guide.md"),
        ("how do I store records?", "guide.md"),
        ("store records", "guide.md"),
        ("reading the levels", "levels.md"),
        ("fill an oil lampp", "oil.md"),
        ("what is a wick", "wick.md"),
        ("wick", "wick.md"),
    ],
)
def test_a_title_is_found_as_people_type_it(tmp_path: Path, query: str, bearer: str) -> None:
    words = "Version 2.1 of the lamp release 3.15.2 on 2016-11-28: store a record, records. "
    words += "Read levels, a level; fill oil lamps, a wick. What is how to do it?"
    library = Library(
        tmp_path,
        t={
            "index.md": f"# Lamps\n\n{words}\n\n## All\n\n{words} {words}\n",
            "notes.md": f"# Notes\n\n{words} {words} {words}\n",
            "CHANGES.md": "# Changes\n\n## Version 2.1\n\nMended.\n\n## Store\n\nIs new.\n",
            "releases/3.md": "# Lamp release 3.15.2 on 2016-11-28\n\nSeveral things.\n",
            "guide.md": "# Guide\n\nAll.\n\n## How to store a record\n\nPut it in.\n",
            "levels.md": "# Oil\n\nAll.\n\n## How do I read a level?\n\nLook at it.\n",
            "oil.md": "# Oil lamps\n\nAll.\n\n## Filling an oil lamp\n\nUse a jug.\n",
            "wick.md": "# Parts\n\nAll.\n\n## What is a wick?\n\nIt burns.\n",
        },
    )
    assert library.find(query)[0].startswith(bearer)


def test_one_word_does_not_ask_for_what_a_changelog_calls_so(tmp_path: Path) -> None:
    changes = "# Changes\n\n## Store\n\nIt is new.\n"
    guide = "# Guide\n\nAll.\n\n## Stores and shelves\n\nA store keeps a store of oil.\n"
    library = Library(tmp_path, t={"CHANGES.md": changes, "guide.md": guide})
    assert library.find("store")[0].startswith("guide.md")


def test_who_asks_what_is_new_finds_what_a_changelog_calls_so(tmp_path: Path) -> None:
    changes = "# Lamp 2.1\n\n## New\n\nA wick.\n\n## Mended\n\nThe oil.\n"
    guide = "# Guide\n\nAll.\n\n## A new lamp\n\nA new lamp is made of new parts, and new oil.\n"
    library = Library(tmp_path, t={"Release notes/v2.1.md": changes, "guide.md": guide})
    assert library.find("what is new")[0] == "Release notes/v2.1.md#new"


def test_a_section_called_as_the_whole_query_comes_before_the_document_of_its_first_words(
    tmp_path: Path,
) -> None:
    pages = {
        "worker.md": "# Worker\n\nIt does the work.\n",
        "list.md": "# All\n\nText.\n\n## Worker signals\n\nSent by it.\n\n## Others\n\nOf tasks.\n",
    }
    library = Library(tmp_path, t=pages)
    for query, first in (
        ("worker signals", "list.md"),
        ("worker", "worker.md"),
    ):
        assert library.search(query).results[0].entry.path == first


@pytest.mark.parametrize(
    ("query", "bearer"),
    [
        ("what is a beam filter", "beams.md"),
        ("beam filter", "beams.md"),
        ("beam option", "options.html"),
        ("what is a lens", "lenses.md"),
        ("what is a ray", "options.html"),
        ("what is a shutter", "more.md"),
    ],
)
def test_a_whole_name_comes_before_part_of_it_and_many_before_none(
    tmp_path: Path, query: str, bearer: str
) -> None:
    pages = {
        "options.html": "<h1>Options</h1><p>All.</p><h2>Of lamps</h2><dl><dt>beam</dt><dd>Its width"
        "</dd><dt>ray</dt><dd>Its length, of a lens or shutter</dd></dl>",
        "beams.md": "# Light\n\nAll of it.\n\n## Beam filters\n\nThey colour it.\n",
        "lenses.md": "# Lenses\n\nThey gather light.\n",
        "more.md": "# More\n\nIt.\n\n## Shutters\n\nThey close.\n",
        "going.md": "# Raying\n\nHow rays go.\n",
    }
    assert Library(tmp_path, t=pages).search(query).results[0].entry.path == bearer


def test_who_asks_how_to_do_something_asks_for_no_things_called_so(tmp_path: Path) -> None:
    pages = {
        "all.md": "# All\n\nIt.\n\n## Tests\n\nThey are in a folder.\n",
        "do.md": "# Doing\n\nIt.\n\n## Testing\n\nTo test a lamp, light it. Test each lamp.\n",
    }
    library = Library(tmp_path, t=pages)
    assert library.find("how to test")[0] == "do.md#testing"
    assert library.find("what is a test")[0] == "all.md#tests"


@pytest.mark.parametrize("query", ["Lamps at night.", "lamps::", "lamps.!", "lamps #", "lamps ()"])
def test_a_name_may_end_with_any_signs(tmp_path: Path, query: str) -> None:
    pages = {
        f"{name}.md": f"# Lamps at night.\n\nThey {name}.\n\n## Lamps\n\nThose that {name}.\n"
        for name in ("glow", "dim")
    }
    library = Library(tmp_path, t=pages)
    assert len({path.partition("#")[0] for path in library.find(query)[:2]}) == 2
