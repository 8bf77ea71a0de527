"""The examples on the pages are what the command prints today.

`python -m pytest tests/integration/test_pages.py --update-golden` writes them anew.
The examples of one page share a copy of the handbook.
"""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.screens import DARK, LIGHT, Theme, draw
from support.transcripts import fill, runner, without_scores

DOCS = Path(__file__).parents[2] / "docs"


PAGES = ("citations", "context", "explaining", "query-language", "search", "transcripts")


@pytest.mark.skipif(os.name == "nt", reason="the examples are those of a Unix shell")
@pytest.mark.parametrize("name", PAGES)
def test_the_examples_are_what_is_printed(
    request: pytest.FixtureRequest, handbook: Path, environment: dict[str, str], name: str
) -> None:
    page = DOCS / f"{name}.md"
    written = page.read_text("utf-8")
    printed = fill(written, runner(handbook, environment))
    assert printed.count("console") > 2
    if request.config.getoption("--update-golden"):
        page.write_text(printed, "utf-8")
        return
    assert without_scores(written) == without_scores(printed), (
        f"write it anew: pytest {__file__} --update-golden"
    )


SCREENS = ('leafmark search "revoking a token"', "leafmark search zeppelin")


@pytest.mark.skipif(os.name == "nt", reason="the examples are those of a Unix terminal")
def test_the_pictures_are_what_a_terminal_shows(
    request: pytest.FixtureRequest, handbook: Path, environment: dict[str, str]
) -> None:
    run = runner(handbook, environment)
    run("", "leafmark index -q")
    printed = "\n".join(f"$ {line}\n{run('terminal', line)}" for line in SCREENS)
    assert "\u241b[1;31m" in printed
    themes: dict[str, Theme] = {"light": LIGHT, "dark": DARK}
    for name, theme in themes.items():
        page = DOCS / "screens" / f"search-{name}.svg"
        drawn = draw(printed.replace("\u241b", "\x1b"), theme)
        shown = "".join(ElementTree.fromstring(drawn).itertext()).replace("\u00a0", " ")
        assert all(word in shown for word in ("Top matches:", "revoking", "mirrors.", "zeppelin"))
        if request.config.getoption("--update-golden"):
            page.write_text(drawn, "utf-8")
            continue
        written = page.read_text("utf-8")
        assert without_scores(written) == without_scores(drawn), f"write it anew: pytest {__file__}"
