"""The examples on the pages are what the command prints today.

`python -m pytest tests/integration/test_pages.py --update-golden` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.transcripts import fill, runner

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["search.md", "query-language.md", "transcripts.md"])
def test_the_examples_are_what_is_printed(
    request: pytest.FixtureRequest, handbook: Path, environment: dict[str, str], name: str
) -> None:
    page = DOCS / name
    written = page.read_text("utf-8")
    run = runner(handbook, environment)
    run("", "leafmark index -q")
    printed = fill(written, run)
    if request.config.getoption("--update-golden"):
        page.write_text(printed, "utf-8")
        return
    assert written == printed, f"write it anew: pytest {__file__} --update-golden"
