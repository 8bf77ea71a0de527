"""`leafmark lint`, run for real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command import Leafmark
from support.repositories import GitRepository
from support.schema import problems

_FILES: dict[str, str | bytes | None] = {
    "guide.md": "# Guide\n\nSee [faq](faq.md#no-such-place), [gone](gone.md), [code](src/x.c).\n\n"
    "[ok](faq.md#a-question) [top](faq.md#top) [out](https://x.org/y.md) [site](/y.md)\n",
    "faq.md": "# FAQ\n\n## A question\n\nAn answer.\n\n## Misc\n\nMore of it.\n",
    "src/x.c": "int main(void) { return 0; }\n",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    made = GitRepository(tmp_path / "docs")
    made.commit(_FILES)
    return made.folder


def test_findings_are_lines_that_editors_read(leafmark: Leafmark, docs: Path) -> None:
    ran = leafmark("lint", cwd=docs)
    assert ran.code == 1
    assert ran.out == (
        "guide.md:3: error: docs:faq.md has no anchor 'no-such-place' [broken-anchor]\n"
        "guide.md:3: error: there is no 'gone.md' [broken-link]\n"
        "faq.md:7: warning: the title 'Misc' does not say what it is about [vague-title]\n"
    )
    assert ran.err == "3 documents: 2 errors, 1 warning\n"


def test_places_that_a_site_makes_are_not_missed(leafmark: Leafmark, docs: Path) -> None:
    pages = {
        "terms.md": "# T\n\n[a](#tank-1), [b](#step-2)\n\n`tank`\n: holds it\n\nStep 2\n: go\n",
        "whole.md": '# Whole\n\n[part](#in-the-part)\n\n{{% include "/parts/part.md" %}}\n',
        "parts/part.md": "## In the part\n\n[out](#of-the-whole)\n",
        "drawn.md": "<script setup>\nimport Index from './Index.vue'\n</script>\n\n<Index />\n",
        "filled.md": "# API\n\n::: lamps.queue\n    options: {}\n",
        "to.md": "# To\n\n[drawn](drawn.md#there), [not](wrong.md#include-it)\n",
        "by.md": "# By\n\n[put](filled.md#lamps.queue.Queue)\n",
        "wrong.md": "# Wrong\n\nSet `include` to `a.md`.\n",
    }
    for name, text in pages.items():
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_text(text)
    ran = leafmark("lint", "--rule", "broken-anchor", cwd=docs)
    found = [line.split(":")[0] for line in ran.out.splitlines()]
    assert found == ["guide.md", "to.md"]


def test_paths_can_be_opened_from_where_the_user_is(leafmark: Leafmark, docs: Path) -> None:
    (docs.parent / "leafmark.toml").write_text('root = true\n[tree.docs]\npath = "docs"\n')
    for folder, begin in ((docs.parent, "docs/"), (docs, "")):
        ran = leafmark("lint", "--rule", "vague-title", cwd=folder)
        assert ran.out.startswith(f"{begin}faq.md:7: warning: ")


def test_only_documents_of_a_folder_are_told_of_and_links_from_it_lead_anywhere(
    leafmark: Leafmark, docs: Path
) -> None:
    (docs / "guides").mkdir()
    (docs / "guides/a.md").write_text("# A\n\n[there](../faq.md#misc) [gone](../gone.md)\n")
    ran = leafmark("lint", "guides/", cwd=docs)
    assert ran.out == "guides/a.md:3: error: there is no '../gone.md' [broken-link]\n"
    assert ran.err == "1 document: 1 error\n"
    assert leafmark("lint", "faq.md", "guides", "--rule", "vague-title", cwd=docs).code == 1
    assert leafmark("lint", "guides", "--since", "HEAD", "--json", cwd=docs).json["documents"] == 1
    assert leafmark("lint", "rules", cwd=docs).out.startswith("broken-link")


def test_paths_that_are_not_there_or_elsewhere_are_refused(leafmark: Leafmark, docs: Path) -> None:
    ran = leafmark("lint", "guide", cwd=docs)
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error: there is nothing at 'guide'")
    assert "did you mean guide.md?" in ran.err
    ran = leafmark("lint", "..", cwd=docs)
    assert ran.code == 2
    assert "hint: it may be a project of its own: -C .." in ran.err


def test_what_fails_a_build_can_be_said(leafmark: Leafmark, docs: Path) -> None:
    assert leafmark("lint", "--rule", "vague-title", "--fail-on", "error", cwd=docs).code == 0
    assert leafmark("lint", "--rule", "vague-title", cwd=docs).code == 1
    assert leafmark("lint", "--fail-on", "never", cwd=docs).code == 0
    ran = leafmark("lint", "--off", "vage-title", cwd=docs)
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error: there is no rule `vage-title`")


def test_a_baseline_lets_through_what_is_known(leafmark: Leafmark, docs: Path) -> None:
    assert leafmark("lint", "--write-baseline", "known.json", cwd=docs).code == 0
    ran = leafmark("lint", "--baseline", "known.json", cwd=docs)
    assert (ran.code, ran.out) == (0, "")
    (docs / "faq.md").write_text(f"{_FILES['faq.md']!s}\n## Stuff\n\nEven more.\n")
    ran = leafmark("lint", "--baseline", "known.json", cwd=docs)
    assert (ran.code, len(ran.out.splitlines())) == (1, 1)


def test_only_what_changed_since_a_revision_is_told(leafmark: Leafmark, docs: Path) -> None:
    assert leafmark("lint", "--since", "HEAD", cwd=docs).code == 0
    (docs / "guide.md").write_text("# Guide\n\n## Stuff\n\n[gone](gone.md)\n")
    ran = leafmark("lint", "--since", "HEAD", "--json", cwd=docs)
    record = ran.json
    assert problems(record, "lint") == []
    assert {one["path"] for one in record["findings"]} == {"guide.md"}
    assert record["documents"] == 1


def test_sarif_names_rules_places_and_fingerprints(leafmark: Leafmark, docs: Path) -> None:
    log = json.loads(leafmark("lint", "-o", "sarif", cwd=docs).out)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["broken-link", "broken-anchor", "vague-title"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] in ("guide.md", "faq.md")
        assert result["partialFingerprints"]["leafmark/v1"]


def test_what_an_evaluation_confirms_comes_first(leafmark: Leafmark, docs: Path) -> None:
    lines = [{"query": "zebra crossing", "answers": ["docs:faq.md#misc"]}]
    (docs / "queries.jsonl").write_text("\n".join(map(json.dumps, lines)))
    ran = leafmark("lint", "--eval", "queries.jsonl", cwd=docs)
    assert [line.rpartition("[")[2] for line in ran.out.splitlines()[:2]] == [
        "missed-query]",
        "vague-title]",
    ]


def test_near_duplicates_and_pages_that_no_text_links_to(
    leafmark: Leafmark, tmp_path: Path
) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    text = " ".join(f"word{number}" for number in range(100))
    links = " ".join(f"[p](p{number}.md)" for number in range(11))
    (folder / "index.md").write_text(f"# Start\n\n{links}\n")
    for number in range(12):
        body = text if number in (3, 5) else f"page {number} {number * 7}"
        (folder / f"p{number}.md").write_text(f"# P{number}\n\n{body}\n")
    ran = leafmark("lint", "--fail-on", "note", cwd=folder)
    assert ran.code == 1
    assert ran.out == (
        "p11.md:1: note: no text of another page links to it [unlinked-page]\n"
        "p5.md:1: note: it has nearly the same text as pages:p3.md#p3 [near-duplicate]\n"
    )


def test_the_configuration_has_levels_paths_and_a_baseline(leafmark: Leafmark, docs: Path) -> None:
    table = docs / "leafmark.toml"
    table.write_text('[lint.rules]\nbroken-link = "note"\nvague-title = "off"\n')
    ran = leafmark("lint", cwd=docs)
    assert ran.out == (
        "guide.md:3: error: docs:faq.md has no anchor 'no-such-place' [broken-anchor]\n"
        "guide.md:3: note: there is no 'gone.md' [broken-link]\n"
    )
    assert "vague-title" in leafmark("lint", "--rule", "vague-title", cwd=docs).out
    table.write_text('[lint]\nignore = ["guide.md"]\nfail_on = "error"\n')
    ran = leafmark("lint", cwd=docs)
    assert (ran.code, "vague-title" in ran.out, "guide.md" in ran.out) == (0, True, False)
    assert leafmark("lint", "--fail-on", "warning", cwd=docs).code == 1
    table.write_text('[lint]\nbaseline = "known.json"\n')
    missing = leafmark("lint", cwd=docs)
    assert missing.code == 2
    assert "leafmark lint --write-baseline known.json writes it" in missing.err
    assert leafmark("lint", "--write-baseline", "known.json", cwd=docs).code == 0
    again = leafmark("lint", "--write-baseline", "known.json", cwd=docs)
    assert "3 findings are known in known.json" in again.err
    assert leafmark("lint", cwd=docs).out == ""
    origins = leafmark("config", "--origin", cwd=docs).out
    assert f"{table}:2" in origins


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ('[lint]\nignor = ["a"]', 2, "unknown key `lint.ignor`"),
        ('[lint.rules]\nbroken-links = "off"', 2, "unknown key `lint.rules.broken-links`"),
        ('[lint.rules]\nbroken-link = "loud"', 2, "lint.rules.broken-link is 'loud'"),
        ("[lint]\nrules = 3", 2, "lint.rules is 3"),
        ('[lint]\nignore = "a"', 2, "lint.ignore is 'a'"),
        ('[lint]\nfail_on = "off"', 2, "lint.fail_on is 'off'"),
        ('[lint]\nbaseline = "../known.json"', 2, "lint.baseline leads out of the folder"),
        ('[tree.a]\npath = "."\n[tree.a.lint]\nignore = []', 3, "unknown key `tree.a.lint`"),
    ],
)
def test_what_is_wrong_in_the_table_is_told(
    leafmark: Leafmark, docs: Path, text: str, line: int, told: str
) -> None:
    (docs / "leafmark.toml").write_text(text)
    ran = leafmark("lint", cwd=docs)
    assert ran.code == 2
    assert ran.err.startswith(f"error: {told}\n  --> {docs}/leafmark.toml:{line}\n")
