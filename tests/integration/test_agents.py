"""`leafmark agents` on real files: blocks that are kept fresh, and llms.txt."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from support.command import Leafmark
from support.schema import problems

import leafmark as package
from leafmark.app.agents.agent_files import BEGIN, END, package_folder
from leafmark.app.sources.contents import LLMS_FILES, LLMS_MARK
from leafmark.cli.command import find_command

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and modes")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(work: Path) -> Path:
    (work / "guides").mkdir()
    (work / "README.md").write_text("# Lamps\n\nAll about [lamps](guides/oil.md).\n")
    (work / "guides" / "oil.md").write_text("---\ntitle: Oil\n---\n# Oil\n\nWhale or rock.\n")
    (work / "page.html").write_text("<h1>Wick</h1><p>Trim &amp; light.</p>")
    return work


def test_writing_makes_the_shared_file_and_is_then_fresh(leafmark: Leafmark, project: Path) -> None:
    assert leafmark("agents", "--check").code == 1
    assert leafmark("agents", "--write").out == "AGENTS.md: made\n"
    text = (project / "AGENTS.md").read_text()
    assert text == leafmark("agents").out
    assert text.startswith(BEGIN)
    assert text.endswith(END + "\n")
    row = "| `work` | `./` | Markdown, HTML: `README.md`, `guides/`, `page.html` |"
    assert row in text.splitlines()
    checked = leafmark("agents", "--check", "--json")
    assert (checked.code, problems(checked.json, "agents")) == (0, [])
    assert checked.json["files"] == [{"path": "AGENTS.md", "state": "fresh", "written": False}]
    assert leafmark("agents", "--diff").out == ""


def test_the_block_follows_the_project_and_not_each_edit(leafmark: Leafmark, project: Path) -> None:
    leafmark("agents", "--write")
    (project / "guides" / "gas.md").write_text("# Gas\n\nbright\n")
    assert leafmark("agents", "--check").code == 0
    (project / "news.md").write_text("# News\n\nnone\n")
    assert leafmark("agents", "--check").out == "AGENTS.md: not up to date\n"
    changed = [line for line in leafmark("agents", "--diff").out.splitlines() if line[0] in "+-"]
    assert changed == [
        "--- a/AGENTS.md",
        "+++ b/AGENTS.md",
        "-| `work` | `./` | Markdown, HTML: `README.md`, `guides/`, `page.html` |",
        "+| `work` | `./` | Markdown, HTML: `README.md`, `guides/`, `news.md`, `page.html` |",
    ]


def test_the_block_lists_no_folder_that_holds_no_document(
    leafmark: Leafmark, project: Path
) -> None:
    leafmark("agents", "--write")
    for name in ("images", "drafts"):
        (project / name).mkdir()
    (project / "images" / "lamp.txt").write_bytes(b"\x89PNG\0\0\0\1")
    (project / "drafts" / "empty.md").write_text("\n")
    assert leafmark("agents", "--llms", "site").code == 0
    assert leafmark("agents", "--check").code == 0


def test_existing_files_keep_what_is_not_ours(leafmark: Leafmark, project: Path) -> None:
    (project / "CLAUDE.md").write_bytes(b"# Ours\r\n\r\nBe kind.")
    (project / "GEMINI.md").write_bytes(b"x\n")
    assert leafmark("agents", "--write").out == "CLAUDE.md: updated\nGEMINI.md: updated\n"
    data = (project / "CLAUDE.md").read_bytes()
    assert data.startswith(b"# Ours\r\n\r\nBe kind.\r\n\r\n" + BEGIN.encode() + b"\r\n")
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert not (project / "AGENTS.md").exists()


def test_broken_markers_stop_before_anything_is_written(leafmark: Leafmark, project: Path) -> None:
    (project / "AGENTS.md").write_text("fine\n")
    (project / "CLAUDE.md").write_text(f"{BEGIN}\n")
    ran = leafmark("agents", "--write")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"error: the marker {BEGIN} is not one of a pair\n  --> CLAUDE.md:1\n"
        f"hint: the file may contain one block, between {BEGIN} and {END}\n"
    )
    assert (project / "AGENTS.md").read_text() == "fine\n"


@posix
def test_links_and_modes_are_kept(leafmark: Leafmark, project: Path) -> None:
    (project / "AGENTS.md").write_text("shared\n")
    (project / "AGENTS.md").chmod(0o640)
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    assert leafmark("agents", "--write").out == "AGENTS.md: updated\n"
    assert (project / "CLAUDE.md").is_symlink()
    assert (project / "AGENTS.md").stat().st_mode & 0o777 == 0o640
    assert leafmark("agents", "--check").code == 0


@posix
def test_a_link_out_of_the_project_is_not_followed(leafmark: Leafmark, project: Path) -> None:
    outside = project.parent / "theirs.md"
    outside.write_text("theirs\n")
    (project / "CLAUDE.md").symlink_to(outside)
    ran = leafmark("agents", "--write")
    assert ran.code == 2
    assert ran.err == (
        "error: the file is a link that leads out of the project\n"
        f"  --> {os.path.realpath(project)}/CLAUDE.md\nhint: name the file that it leads to\n"
    )
    assert outside.read_text() == "theirs\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--write", "--check"), "error: --write and --check exclude each other\n"),
        (
            ("A.md",),
            "error: a file was named, but not what to do with it: A.md\n"
            "hint: add --write, --diff or --check\n",
        ),
        (("--write", "--base-url", "x"), "error: --base-url belongs to --llms\n"),
        (
            ("--llms", ".", "--base-url", "x"),
            "error: the base URL is 'x'\nhint: it begins with http:// or https://\n",
        ),
        (
            ("--write", "no/AGENTS.md"),
            "error: there is no such folder\n  --> {work}/no\n",
        ),
    ],
)
def test_mistakes(
    leafmark: Leafmark, project: Path, arguments: tuple[str, ...], message: str
) -> None:
    ran = leafmark("agents", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert (
        ran.err.replace(os.path.realpath(project), "{work}").replace(str(project), "{work}")
        == message
    )


def test_every_command_and_option_that_programs_are_told_of_exists(leafmark: Leafmark) -> None:
    told = leafmark("agents").out + (package_folder() / "skills/leafmark/SKILL.md").read_text()
    calls = re.findall(r"leafmark ((?:show|search|verify|context|mcp|ls|like)\b[^`\n#]*)", told)
    assert len(calls) > 5
    for call in calls:
        command = find_command(call.split()[0])
        known = {name for option in command.all_options for name in option.spellings}
        assert set(re.findall(r"(?<!\S)--[a-z][a-z-]*", call)) <= known, call


def test_llms_txt_links_notes_and_texts(leafmark: Leafmark, project: Path) -> None:
    (project / "AGENTS.md").write_text("not for readers\n")
    ran = leafmark("agents", "--llms", "site", "--base-url", "https://example.org/", "--json")
    assert problems(ran.json, "llms") == []
    assert ran.json["documents"] == 3
    assert (project / "site" / "llms.txt").read_text() == (
        "# Lamps\n\n> All about lamps.\n\n## Documents\n\n"
        "- [Lamps](https://example.org/README.md): All about lamps.\n"
        "- [Wick](https://example.org/page.html): Trim & light.\n\n"
        "## guides\n\n- [Oil](https://example.org/guides/oil.md): Whale or rock.\n\n"
        "<!-- leafmark:llms -->\n"
    )
    full = (project / "site" / "llms-full.txt").read_text()
    assert full == (
        "# Lamps\n\nSource: https://example.org/README.md (work:README.md)\n\n"
        "# Lamps\n\nAll about [lamps](guides/oil.md).\n\n"
        "# Wick\n\nSource: https://example.org/page.html (work:page.html)\n\n"
        "# Wick\n\nTrim & light.\n\n"
        "# Oil\n\nSource: https://example.org/guides/oil.md (work:guides/oil.md)\n\n"
        "# Oil\n\nWhale or rock.\n\n<!-- leafmark:llms -->\n"
    )
    leafmark("agents", "--llms", "site", "--base-url", "https://example.org/")
    assert (project / "site" / "llms-full.txt").read_text() == full


def test_what_llms_files_repeat_is_not_indexed_again(leafmark: Leafmark, project: Path) -> None:
    leafmark("agents", "--llms", "site")
    (project / "llms.txt").write_text("# Lamps\n\nWritten by hand about whale.\n")
    ran = leafmark("index", "--json").json
    ours = [{"path": f"site/{name}", "reason": "written by leafmark"} for name in LLMS_FILES[::-1]]
    assert [one for one in ran["skipped"] if one["path"].startswith("site/")] == ours
    listed = leafmark("ls", "docs", "--json").json["documents"]
    paths = {"README.md", "llms.txt", "page.html", "guides/oil.md"}
    assert {document["path"] for document in listed} == paths
    chunked = leafmark("chunk", ".", "--jsonl")
    assert {json.loads(line)["path"] for line in chunked.out.splitlines()} == paths
    named = leafmark("chunk", "site/llms-full.txt", "--jsonl")
    assert {json.loads(line)["path"] for line in named.out.splitlines()} == {"site/llms-full.txt"}


def test_an_llms_file_whose_mark_was_taken_away_is_a_document(
    leafmark: Leafmark, project: Path
) -> None:
    leafmark("agents", "--llms", ".")
    full = project / "llms-full.txt"
    full.write_text(full.read_text().replace(LLMS_MARK, "The end."))
    listed = leafmark("ls", "docs", "--json").json["documents"]
    assert "llms-full.txt" in [document["path"] for document in listed]


def test_the_manifests_have_the_version_and_name_of_the_package() -> None:
    folder = package_folder()
    plugin = json.loads((folder / ".claude-plugin/plugin.json").read_text())
    assert (plugin["name"], plugin["version"]) == ("leafmark", package.__version__)
    assert (folder / plugin["skills"] / "leafmark" / "SKILL.md").is_file()
    server = json.loads((folder / "server.json").read_text())
    (listed,) = server["packages"]
    assert (server["version"], listed["version"]) == (package.__version__, package.__version__)
    assert listed["identifier"] == "leafmark"


def test_a_client_that_composes_a_command_from_the_registry_file_starts_the_server() -> None:
    """As VS Code does: the runtime's arguments, the package at its version, the package's own."""
    server = json.loads((package_folder() / "server.json").read_text())
    (listed,) = server["packages"]
    words = [listed["runtimeHint"]]
    for argument in listed["runtimeArguments"]:
        words += [argument["name"], argument["value"]]
    words.append(f"{listed['identifier']}@{listed['version']}")
    words += [argument["value"] for argument in listed["packageArguments"]]
    here = package.__version__
    assert words == ["uvx", "--with", f"leafmark[mcp]=={here}", f"leafmark@{here}", "mcp"]


_TEXT = {"type": "string", "minLength": 1}
MARKETPLACE = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "owner": {"type": "object", "properties": {"name": _TEXT}, "required": ["name"]},
        "plugins": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": _TEXT,
                    "source": {"type": "string", "pattern": "^\\./"},
                    "version": _TEXT,
                    "keywords": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["name", "source"],
            },
        },
    },
    "required": ["name", "owner", "plugins"],
}
"""What SchemaStore's schema of marketplaces asks of the fields that ours has."""


def test_the_manifests_keep_to_what_their_published_schemas_ask_for() -> None:
    """The MCP registry's of 2025-12-11, SchemaStore's of plugin manifests."""
    folder = package_folder()
    server = json.loads((folder / "server.json").read_text())
    assert server["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert 1 <= len(server["description"]) <= 100
    assert f"mcp-name: {server['name']} " in (ROOT / "README.md").read_text("utf-8")
    (listed,) = server["packages"]
    assert set(listed) >= {"registryType", "identifier", "version", "transport", "runtimeHint"}
    for argument in (*listed["runtimeArguments"], *listed["packageArguments"]):
        wanted = {"named": {"type", "name", "value"}, "positional": {"type", "value"}}
        assert set(argument) == wanted[argument["type"]]
    market = json.loads((folder / ".claude-plugin/marketplace.json").read_text())
    jsonschema.validate(market, MARKETPLACE)
    (offered,) = market["plugins"]
    assert (offered["name"], offered["version"]) == ("leafmark", package.__version__)
    assert (folder / offered["source"] / ".claude-plugin/plugin.json").is_file()
    plugin = json.loads((folder / ".claude-plugin/plugin.json").read_text())
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", plugin["name"])
    for path in (plugin["skills"], plugin["mcpServers"]):
        assert re.match(r"\./", path)
        assert (folder / path).exists()
    servers = json.loads((folder / plugin["mcpServers"]).read_text())["mcpServers"]
    assert all(set(one) == {"command", "args"} for one in servers.values())
    skill = (folder / "skills/leafmark/SKILL.md").read_text()
    front = yaml.safe_load(skill.split("---\n")[1])
    assert front["name"] == "leafmark"
    assert len(front["description"]) <= 1024
    assert listed["runtimeArguments"][0]["value"] == f"leafmark[mcp]=={package.__version__}"
    assert len(server["description"]) <= 100
    started = json.loads((folder / plugin["mcpServers"]).read_text())["mcpServers"]["leafmark"]
    for arguments in (started["args"], [each["value"] for each in listed["packageArguments"]]):
        assert find_command(arguments[-1]).name == "mcp"
    skill = (folder / "skills/leafmark/SKILL.md").read_text()
    _, front, _ = skill.split("---\n", 2)
    assert "name: leafmark\n" in front
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert plugin["license"] == project["license"]


def test_the_package_says_where_its_files_are(leafmark: Leafmark) -> None:
    assert leafmark("agents", "--package").out == f"{package_folder()}\n"


@posix
def test_what_is_no_file_for_people_is_not_read(leafmark: Leafmark, project: Path) -> None:
    os.mkfifo(project / "GEMINI.md")
    with (project / "big.md").open("wb") as file:
        file.truncate(5_000_000)
    hint = "hint: name an agent file, such as AGENTS.md\n"
    pipe = leafmark("agents", "--write")
    assert (pipe.code, pipe.err) == (
        2,
        f"error: this is a pipe or a device, not a file\n  --> {project}/GEMINI.md\n{hint}",
    )
    assert leafmark("agents", "--check", "/dev/zero").err == (
        f"error: this is a pipe or a device, not a file\n  --> /dev/zero\n{hint}"
    )
    assert leafmark("agents", "--diff", "big.md").err == (
        f"error: the file is larger than 4,194,304 bytes\n  --> {project}/big.md\n{hint}"
    )
    assert leafmark("agents", "--write", "guides").err == (
        f"error: this is a folder\n  --> {project}/guides\nhint: name a file in it\n"
    )
