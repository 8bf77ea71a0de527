"""The documents say what is there: paths, rooms, commands."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import leafmark
from leafmark.server.web.routes import ROUTES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "leafmark"


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_room_stands_in_the_architecture_and_every_one_named_exists() -> None:
    named = set(re.findall(r"^- `(\w+)` –", _read("docs/ARCHITECTURE.md"), re.MULTILINE))
    rooms = {
        path.stem
        for path in SOURCE.iterdir()
        if (path.is_dir() or path.suffix == ".py") and not path.name.startswith("__")
    }
    assert named == rooms


def test_paths_and_modules_named_in_the_architecture_exist() -> None:
    text = _read("docs/ARCHITECTURE.md")
    for path in re.findall(r"`(\w+/[\w/]+\.py)`", text):
        assert (SOURCE / path).is_file(), path
    for room, module in re.findall(r"\b(app|retrieval)\.([a-z]+)\b", text):
        group = SOURCE / room / module
        assert group.is_dir() or group.with_suffix(".py").is_file(), f"{room}.{module}"


PAGES = ("README.md", "CHANGELOG.md", "benchmarks/RESULTS.md", "docs/**/*.md")


@pytest.mark.parametrize(
    "document",
    sorted(page.relative_to(ROOT).as_posix() for each in PAGES for page in ROOT.glob(each)),
)
def test_links_between_documents_lead_somewhere(document: str) -> None:
    folder = (ROOT / document).parent
    prose = re.sub(r"^(`{3,}).*?^\1$", "", _read(document), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", re.sub(r"`[^`\n]+`", "", prose)):
        path, _, anchor = target.partition("#")
        page = folder / path if path else ROOT / document
        assert page.exists(), target
        if anchor:
            assert anchor in {chunk.slug for chunk in leafmark.chunk(page)}, target


@pytest.mark.parametrize("document", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_prose_of_the_pages_has_at_most_100_columns(document: str) -> None:
    text = re.sub(r"^ *(`{3,}).*?^ *\1$", "", _read(f"docs/{document}"), flags=re.M | re.S)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "#"))]
    assert [line for line in lines if len(line) > 100 and not _is_one_word(line[:100])] == []


def _is_one_word(text: str) -> bool:
    """Whether nothing in it can be broken: its spaces are in code or in the text of links."""
    return " " not in re.sub(r"`[^`]*`?|\[[^]]*\]?", "", text.strip())


DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


def test_every_decision_is_in_their_contents_by_its_title_and_has_a_date() -> None:
    contents = _read("docs/decisions/README.md")
    for page in DECISIONS:
        if page.name == "README.md":
            continue
        title, _, date, *_ = page.read_text("utf-8").split("\n")
        assert f"- [{title.removeprefix('# ')}]({page.name})\n" in contents, page.name
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", date), page.name


def test_the_readme_owns_the_name_that_the_mcp_registry_is_given() -> None:
    name = json.loads((SOURCE / "app" / "agents" / "package" / "server.json").read_text("utf-8"))[
        "name"
    ]
    assert f"<!-- mcp-name: {name} -->\n" in _read("README.md")


def test_readme_commands_are_those_of_dev() -> None:
    script = _read("dev")
    for command in re.findall(r"\./dev (\w+)", _read("README.md")):
        assert re.search(rf"^{command}\)", script, re.MULTILINE), command


def test_ci_runs_the_readme_s_test_command_and_nothing_else() -> None:
    lines = [line for line in _read(".ci/run").splitlines() if line and not line.startswith("#")]
    assert lines == ["set -eu", 'cd "$(dirname "$0")/.."', "exec ./dev test"]


def test_every_dependency_is_pinned_and_has_a_reason() -> None:
    project = tomllib.loads(_read("pyproject.toml"))["project"]
    pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in _pins()}
    reasons = "\n".join(page.read_text("utf-8") for page in DECISIONS).lower()
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    for requirement in [*project["dependencies"], *extras]:
        name = re.split(r"[\[><=]", requirement)[0].lower()
        if name == "leafmark":  # an extra of extras
            continue
        assert name in pinned
        assert name.removesuffix("-rs") in reasons


def _pins() -> list[str]:
    return [line for line in _read("constraints.txt").splitlines() if "==" in line]


def test_changelog_has_an_unreleased_section_and_the_version_is_one() -> None:
    assert "## Unreleased" in _read("CHANGELOG.md")
    assert re.fullmatch(r"\d+\.\d+\.\d+", leafmark.__version__)


def test_the_page_on_the_server_lists_the_paths_of_the_api_and_what_they_take() -> None:
    listed: dict[str, list[str]] = {}
    for row in re.findall(r"^\| `/api/.*$", _read("docs/serve.md"), re.MULTILINE):
        _, path, _, takes, _ = row.split("|")
        listed[path.strip(" `")] = re.findall(r"`(\w+)`", takes)
    assert listed == {
        route.path: [each.name for each in route.parameters if each.name != "no_refresh"]
        for route in ROUTES
    }


def test_the_page_on_explaining_lists_every_code_of_a_hint() -> None:
    page = _read("docs/explaining.md")
    sources = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    codes = {code for text in sources for code in re.findall(r'\bHint\(\s*"([a-z-]+)"', text)}
    assert len(codes) > 25
    assert {code for code in codes if f"`{code}`" not in page} == set()
