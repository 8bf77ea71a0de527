"""The sessions that the tool was founded on, with real documents.

Founding document 003: a section is found by its title with its section path, and
a code block is read with what stands around it. Founding document 004: results
grouped by document, with top matches, versions, tags and ordinal ids that can be
pasted into `show`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.command import Leafmark

RULES = """# Working on this project

Read this before you change anything.

## Critical Rules

Never commit to main. Run `make test` first.

1. One idea in each commit.
2. Every change has a test.

### Exceptions

A typo needs no test.

## Commands

Use `make` for everything.

```python
def rotate_keys(store, days=90):
    for key in store.older_than(days):
        store.replace(key)
```

The function above runs every night. It never touches keys that are in use.

## Style

Short lines.

## Releases

On Mondays.
"""


@pytest.fixture
def rules(work: Path) -> Path:
    (work / "CLAUDE.md").write_text(RULES.replace("# Working on this project\n\n", ""))
    (work / "titled.md").write_text("# Naming\n\nShort names.\n\n## Rules\n\nNone yet.\n")
    return work


def test_a_section_is_found_by_its_title(leafmark: Leafmark, rules: Path) -> None:
    ran = leafmark("search", "Critical Rules", "--json")
    best = ran.json["results"][0]
    assert best["id"] == "work:CLAUDE.md#critical-rules"
    assert best["section_path"] == ["CLAUDE", "Critical Rules"]
    whole = leafmark("show", best["id"], "--raw").out
    start = RULES.index("## Critical Rules")
    assert whole == RULES[start : RULES.index("## Commands")]


def test_code_is_found_and_read_with_what_stands_around_it(leafmark: Leafmark, rules: Path) -> None:
    ran = leafmark(
        "search", "rotate_keys", "--section", "CLAUDE > **", "--expand", "parent,prev", "--json"
    )
    best = ran.json["results"][0]
    assert best["id"] == "work:CLAUDE.md#commands"
    assert "def rotate_keys(store, days=90):" in best["body"]
    assert "runs every night" in best["body"]
    added = {one["relation"]: one for one in best["expanded"]}
    assert added["parent"]["id"] == "work:CLAUDE.md"
    assert added["parent"]["passages"][0]["text"].startswith("Read this before")
    assert added["prev"]["id"] == "work:CLAUDE.md#exceptions"
    assert added["prev"]["passages"][0]["text"].startswith("### Exceptions\n")


OAUTH = ("oauth token", "--set", "cutoff_ratio=0")

API = """---
version: v3
tags: [jira, api]
---
# {title}

{preamble}

"""


@pytest.fixture
def jira(work: Path) -> Path:
    sections = "".join(f"## Topic {n}\n\nFiller about number {n}.\n\n" for n in range(55))
    readme = (
        API.format(title="README", preamble="How to call the interface.")
        + sections
        + (
            "## Authorization\n\nEvery call is signed.\n\n"
            "### OAuth2\n\nThe banner client asks for a token with oauth and sends the token.\n\n"
            "### Scopes\n\nRead and write.\n\n### Refresh\n\nOnce a day.\n\n"
            "## basicAuth\n\nA name and a token instead of oauth.\n"
        )
    )
    banner = API.format(title="AnnouncementBannerApi", preamble="One banner for everybody.") + (
        "## getBanner\n\nReturns the banner. Needs an oauth token.\n\n"
        "## listBanners\n\nOlder ones.\n\n"
        "## setBanner\n\nReplaces it. Needs a token; oauth only for administrators.\n\n"
        "## Errors\n\nNumbers.\n\n## Limits\n\nTen calls.\n\n## Changes\n\nNone.\n"
    )
    (work / "README.md").write_text(readme)
    (work / "AnnouncementBannerApi.md").write_text(banner)
    (work / "oauth-token.md").write_text(
        API.format(title="Overview", preamble="Where to begin.")
        + "## First\n\nOne.\n\n## Second\n\nTwo.\n"
    )
    return work


def test_results_are_grouped_by_document(leafmark: Leafmark, jira: Path) -> None:
    """The example output of founding document 004, line by line."""
    ran = leafmark("search", *OAUTH)
    assert ran.code == 0, ran.err
    head, *groups = re.sub(r"^ {4,6}\S.*\n", "", ran.out, flags=re.MULTILINE).split("\n\n")
    score = r"\(\d+\.\d\d\)"
    place = rf"work:\S+\.md\.\d+ {score}"
    assert re.fullmatch(rf"Top matches: {place}, {place}, {place}", head), head
    expected = [
        rf"oauth-token\.md \(v3\) \[jira, api\] {score} \(no specific section\)",
        r"AnnouncementBannerApi\.md \(v3\) \[jira, api\]\n"
        rf"  \.2 {score} getBanner\n  \.4 {score} setBanner",
        r"README\.md \(v3\) \[jira, api\]\n"
        rf"  \.58 {score} Authorization › OAuth2\n  \.61 {score} basicAuth",
    ]
    assert len(groups) == len(expected)
    for pattern in expected:
        assert any(re.fullmatch(pattern, group.rstrip("\n")) for group in groups), ran.out


def test_groups_stand_in_the_order_of_their_best_chunks(leafmark: Leafmark, jira: Path) -> None:
    found = leafmark("search", *OAUTH, "--json").json
    best = [group["best_score"] for group in found["groups"]]
    assert best == sorted(best, reverse=True)
    assert [one["id"] for one in found["top_matches"]] == [
        group["chunk_ids"][0] for group in found["groups"]
    ]
    whole = [group for group in found["groups"] if group["no_specific_section"]]
    assert [group["doc_id"] for group in whole] == ["work:oauth-token.md"]


def test_what_is_printed_can_be_pasted(leafmark: Leafmark, jira: Path) -> None:
    """One command reads a document and a chunk; the old ones are its other names."""
    head = leafmark("search", *OAUTH).out.splitlines()[0]
    ids = re.findall(r"work:\S+\.\d+", head)
    assert len(ids) == 3
    for name in ("show", "get", "show-chunk", "show-resource"):
        ran = leafmark(name, *ids, "README.md", "README.md.58", "--json")
        assert ran.code == 0, ran.err
    shown = ran.json["results"]
    assert [one["ordinal_id"] for one in shown[:3]] == ids
    assert shown[3]["kind"] == "document"
    assert shown[4]["breadcrumb"] == "> README › Authorization › OAuth2"
    ran = leafmark("show", "-", stdin="\n".join(ids))
    assert ran.code == 0
