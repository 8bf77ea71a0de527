"""What a manual defines is found by its name, before the places that only mention it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

OPTIONS = """<html><head><title>Tool</title></head><body><main><h1>Tool</h1>
<h2>Overview</h2>
<p>Use --ff-only, --amend and max_rate: --ff-only with --amend, max_rate before --ff-only.
Do not use --ff-only, --amend, max_rate or core.eol together. It is read-only.</p>
<h2>Options</h2>
<dl><dt>--ff-only</dt><dd>Refuse to do what cannot be done, and say so in a few words, which are
many more than a mention has.</dd></dl>
<h2>Other options</h2>
<dl><dt>--amend</dt><dd>Change what was done before, whatever it was, by whomever it was done, and
leave the rest of it as it had been before that.</dd></dl>
<h2>Settings</h2>
<dl><dt><code>max_rate</code> (integer)</dt><dd>How often it may be done in a second, at the most,
by all who do it, on one machine, or on several of them.</dd></dl>
<h2>Glossary</h2>
<dl><dt>read-only</dt><dd>What cannot be changed by anybody, but by those who can change what others
cannot change.</dd></dl>
</main></body></html>"""

RST = """Settings
========

Mentions
--------

``core.eol``, core.eol, core.eol and core.eol.

Ends of lines
-------------

.. confval:: core.eol

   What lines end with when they are written, unless something else says what they end with, as
   a file may.
"""


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Library:
    padding = "".join(f"## Part {number}\n\nOther words.\n\n" for number in range(20))
    folder: Path = tmp_path_factory.mktemp("manual")
    return Library(folder, t={"tool.html": OPTIONS, "s.rst": RST, "n.md": f"# N\n\n{padding}"})


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("--ff-only", "options"),
        ("ff-only", "options"),
        ("tool --ff-only", "options"),
        ("the tool --amend option", "other-options"),
        ("tool max_rate", "settings"),
        ("title:max_rate", "settings"),
        ('title:"--amend"', "other-options"),
        ("--amend", "other-options"),
        ('"--amend"', "overview"),
        ("max_rate", "settings"),
        ("MAX_RATE", "settings"),
        ("body:max_rate", "overview"),
        ('"max_rate"', "overview"),  # quoted, it is what texts say
        ("amend", "other-options"),
        ("core.eol", "ends-of-lines"),
        ("read-only", "glossary"),
        ("read-only amend max_rate", "overview"),
    ],
)
def test_a_definition_is_first(manual: Library, query: str, first: str) -> None:
    answer = manual.search(query, aggregation=False, fuzzy_distance=0)
    assert answer.results[0].entry.slug == first


def test_the_place_of_a_heading_is_no_definition(tmp_path: Path) -> None:
    text = "A\n=\n\nB\n-\n\nText.\n\n.. setting:: MAX_RATE\n\nMAX_RATE\n--------\n\nA rate.\n"
    library = Library(tmp_path, t={"s.rst": text})
    assert library.find("MAX_RATE", aggregation=False)[0] == "s.rst#max_rate"


MANUAL_PAGE = """OPTIONS
       -f, --ff-only
           Refuse to do what cannot be done, and say so in a few words, which
           are many more than a mention has.

       max_rate (integer)
           How often it may be done in a second, at the most, by all who do
           it, on one machine, or on several of them.

FLAGS
       O_SYNC Write it at once, and wait until it has been written, whatever
              else may be going on meanwhile.
"""

GUIDE = "Use --ff-only, max_rate and O_SYNC: --ff-only before max_rate, max_rate before O_SYNC.\n"


@pytest.mark.parametrize("query", ["--ff-only", "tool --ff-only", "max_rate", "O_SYNC"])
def test_a_definition_in_a_manual_page_as_text_is_first(tmp_path: Path, query: str) -> None:
    library = Library(tmp_path, t={"tool.1.txt": MANUAL_PAGE, "tool.txt": GUIDE})
    assert library.find(query, fuzzy_distance=0)[0] == "tool.1.txt"


def test_a_request_is_found_where_a_section_opens_with_it(tmp_path: Path) -> None:
    """Before the tables and lists that name it."""
    requests = {
        "create": "POST /api/lamps",
        "dim": "PUT /api/lamps/:id/dim",
        "all": "GET /api/lamps",
    }
    text = "What it does, at length. " * 9
    sections = "".join(
        f"## {title.title()}\n\n```http\n{request} HTTP/1.1\n```\n\n{text}\n\n"
        for title, request in requests.items()
    )
    limits = "".join(f"- `{request}`: 9 a minute\n" for request in requests.values())
    pages = {"lamps.md": f"# Lamps\n\nAll.\n\n{sections}", "limits.md": f"# Limits\n\n{limits}"}
    library = Library(tmp_path, t=pages)
    for title, request in requests.items():
        assert library.find(request)[0] == f"lamps.md#{title}", request
    assert library.find("/api/lamps/:id/dim")[0] == "lamps.md#dim"
