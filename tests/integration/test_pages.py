"""The examples on the pages are what the command prints today.

`python -m pytest tests/integration/test_pages.py --update-golden` writes them anew.
The examples of one page share a copy of the handbook.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.command import clean_environment
from support.programs import IMPORTS, PROGRAM
from support.screens import DARK, LIGHT, Theme, draw
from support.stand_in import open_stand_in
from support.transcripts import fill, runner, without_scores

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

PAGES = (
    "README.md",
    *(f"docs/{name}.md" for name in ("citations", "context", "explaining", "query-language")),
    *("docs/search.md", "docs/transcripts.md"),
)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What starts `leafmark` in a shell: a fork, for the pages have a hundred commands."""
    folder = tmp_path_factory.mktemp("w")
    with open_stand_in(folder, IMPORTS, PROGRAM, clean_environment(folder)) as words:
        yield words


@pytest.mark.skipif(os.name == "nt", reason="the examples are those of a Unix shell")
@pytest.mark.parametrize("name", PAGES)
def test_the_examples_are_what_is_printed(
    request: pytest.FixtureRequest,
    handbook: Path,
    environment: dict[str, str],
    words: str,
    name: str,
) -> None:
    page = ROOT / name
    written = page.read_text("utf-8")
    printed = fill(written, runner(handbook, environment, words=words))
    assert "```console" in printed
    if request.config.getoption("--update-golden"):
        page.write_text(printed, "utf-8")
        return
    assert without_scores(written) == without_scores(printed), (
        f"write it anew: pytest {__file__} --update-golden"
    )


COMMAND = re.compile(r"^leafmark (?:(?! {2,}#).)+", re.MULTILINE)
ENDLESS = ("leafmark mcp", "leafmark serve", "leafmark index --watch")


@pytest.mark.skipif(os.name == "nt", reason="the commands are those of a Unix shell")
def test_the_readme_s_commands_run(handbook: Path, environment: dict[str, str], words: str) -> None:
    shutil.copytree(handbook / "guides", handbook / "docs")
    shutil.copy(handbook / "guides" / "backups.md", handbook / "guide.md")
    (handbook / "answers.md").write_text("Nothing is cited here.\n")
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for git in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "2.3"), ("tag", "v2.3")):
        subprocess.run(("git", *git), cwd=handbook, env=environment, check=True)
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    commands = [each[0] for block in blocks for each in COMMAND.finditer(block)]
    assert len(commands) > 12
    run = runner(handbook, environment, words=words)
    for command in commands:
        if command not in ENDLESS:
            model = "export LEAFMARK_EMBEDDING_PROVIDER=auto; " if "--vectors" in command else ""
            printed = run("", f"{model}{{ {command}; }} >/dev/null && echo fine")
            assert printed.endswith("fine\n"), f"{command}\n{printed}"


SCREENS = ('leafmark search "revoking a token"', "leafmark search zeppelin")


def test_what_a_slow_run_shows_meanwhile_is_in_no_picture() -> None:
    slow = "$ x\n\r\x1b[Kindexing 1 of 8\r\x1b[Kfound\n"
    assert draw(slow, LIGHT) == draw("$ x\nfound\n", LIGHT)


@pytest.mark.skipif(os.name == "nt", reason="the examples are those of a Unix terminal")
def test_the_pictures_are_what_a_terminal_shows(
    request: pytest.FixtureRequest, handbook: Path, environment: dict[str, str], words: str
) -> None:
    run = runner(handbook, environment, words=words)
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
