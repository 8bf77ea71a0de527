"""The shipped queries are what docs/quality.md says of them; the documents are not needed."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from eval.fetch import PACKAGES, Package, _path_of
from eval.names import NAMES, named_queries
from eval.table import OLDER
from eval.titles import TITLES, title_queries
from eval.words import WORDS, word_queries
from leafmark.evaluation import HALVES, JudgedQuery, half_of, parse_judgments

ROOT = Path(__file__).parents[2]
EVAL = ROOT / "eval"
KINDS = {"question", "keywords", "error", "identifier", "typo", "foreign", "paraphrase"}
BODIES = sorted(folder.name for folder in (EVAL / "bodies").iterdir() if folder.is_dir())


def _queries(project: str, files: str = "*") -> list[JudgedQuery]:
    return [
        query
        for file in sorted((EVAL / project / "queries").glob(f"{files}.jsonl"))
        for query in parse_judgments(file.read_text(encoding="utf-8"), file.name)
    ]


@pytest.mark.parametrize("project", [*OLDER, *(f"bodies/{name}" for name in BODIES)])
def test_every_set_is_fetched_and_asked_about(project: str) -> None:
    settings = (EVAL / project / "leafmark.toml").read_text(encoding="utf-8")
    trees = set(tomllib.loads(settings)["tree"])
    assert {query.tree for query in _queries(project)} == trees
    packages = [one for one in PACKAGES if (one.project or ".") == project]
    assert {one.tree.partition("/")[0] for one in packages} == trees
    files = sorted((EVAL / project / "queries").glob("*.jsonl"))
    for file in files:
        asked = [(query.tree, query.query) for query in _queries(project, file.stem)]
        assert len(set(asked)) == len(asked), file


def test_questions_are_of_every_kind() -> None:
    queries = _queries(".")
    assert set(Counter(query.kind for query in queries)) == KINDS
    for project in OLDER:
        for query in _queries(project):
            assert query.language, query.location
            assert not query.draft


def test_bodies_have_what_the_table_shows_of_them() -> None:
    asked = Counter(file.stem for file in (EVAL / "bodies").glob("*/queries/*.jsonl"))
    assert asked["names"] == len(BODIES) == len(NAMES)
    assert asked["words"] == len(WORDS)
    assert asked["titles"] == len(TITLES)
    for name in BODIES:
        assert len(_queries(f"bodies/{name}", "names")) >= 90
        for query in _queries(f"bodies/{name}", "foreign"):
            assert not query.answers
    assert sum(len(_queries(f"bodies/{name}", "pasted")) for name in BODIES) >= 80
    assert len({one.query for name in BODIES for one in _queries(f"bodies/{name}", "foreign")}) > 60


def test_the_documentation_counts_what_is_there() -> None:
    text = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    said = {name: (int(asked), int(lacking)) for name, asked, lacking in rows}
    counted = {}
    for project in OLDER:
        for tree in {query.tree for query in _queries(project)}:
            asked = [query for query in _queries(project) if query.tree == tree]
            counted[tree] = (len(asked), sum(not query.answers for query in asked))
    assert said == counted
    columns = ("names", "titles", "words", "pasted", "topics", "foreign")
    cells = re.findall(r"^\| (\w+) \| [^|\d]+[^|]* \| ([\d –|]+) \|$", text, re.MULTILINE)
    told = {name: [int(cell.strip("– ") or 0) for cell in row.split("|")] for name, row in cells}
    assert told == {
        name: [len(_queries(f"bodies/{name}", column)) for column in columns] for name in BODIES
    }


def test_halves_hold_about_as_much() -> None:
    queries = [query for name in BODIES for query in _queries(f"bodies/{name}")]
    counts = Counter(half_of(query.query) for query in queries)
    assert set(counts) == set(HALVES)
    assert min(counts.values()) >= 0.45 * sum(counts.values())


def test_what_is_part_of_a_set() -> None:
    package = Package("docs", "npm", "x", "1", ("*.html",), inside="a/b", left_out=("_*",))
    paths = ["a/b/c/d.html", "a/b/_x/d.html", "a/d.html", "a/b/../d.html", "a/b/d.txt"]
    assert [_path_of(package, path) for path in paths] == ["c/d.html", "", "", "", ""]


GIT = """<h1>Config</h1><dl><dt class="hdlist1">
core.autoCrlf
</dt>
<dd><p>Ends of lines.</p><dl><dt>true</dt><dd>always</dd></dl> After.</dd>
<dt>other</dt><dd>x</dd></dl>
"""


def test_the_bearer_of_a_name_is_its_entry_with_all_that_is_nested_in_it(tmp_path: Path) -> None:
    (tmp_path / "git-config.html").write_text(GIT)
    (tmp_path / "gitglossary.html").write_text("<dl></dl>")
    (tmp_path / "user-manual.html").write_text("<dl></dl>")
    found = {query["query"]: query for query in named_queries("git", tmp_path)}
    (answer,) = found["core.autoCrlf"]["answers"]
    text = GIT[answer["start"] : answer["end"]]
    assert text.startswith("<dt ")
    assert text.endswith("</dl> After.")
    pages = [query for query in found.values() if query["kind"] == "command"]
    assert [query["answers"] for query in pages] == [[{"path": "git-config.html"}]]


def test_of_several_versions_the_newest_is_right(tmp_path: Path) -> None:
    for version in ("5.1", "7.10", "7.4"):
        (tmp_path / version / "Tools").mkdir(parents=True)
        (tmp_path / version / "Tools" / "Get-Thing.md").write_text("# Get-Thing\n")
    (found,) = named_queries("powershell", tmp_path)
    assert found["answers"] == [{"path": "7.10/Tools/Get-Thing.md"}]
    assert found["kind"] == "versioned"


def test_words_are_rare_ones_of_one_section(tmp_path: Path) -> None:
    common = "shared padding sentences everywhere " * 12
    for name in "abcdefgh":
        own = " ".join(f"{name}{letter}{name}word" for letter in "stuvwxyz")
        for copy in ("1", "2"):
            text = f"# Title{name}\n\n{common}\n\n## Part\n\n{common} {own}\n"
            (tmp_path / f"{name}{copy}.md").write_text(text)
    queries = word_queries("markdown", tmp_path)
    assert queries == word_queries("markdown", tmp_path)
    assert len(queries) >= 8
    for query in queries:
        (answer,) = query["answers"]
        text = (tmp_path / answer["path"]).read_text()
        assert len(query["query"].split()) == 3
        assert all(word in text and word not in common for word in query["query"].split())


def test_titles_are_asked_for_as_people_type_them(tmp_path: Path) -> None:
    pages = {
        "a.md": "# Lamps\n\n## Filling a lamp with oil\n\n## How lamps burn\n\n## See the notes\n",
        "b.md": "# See the notes\n\n```\n## No such lamp title\n```\n",
        "c.html": "<h1>1.2. Cleaning the <code>wick</code> well</h1>",
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    found = {(one["kind"], one["query"]): one["answers"] for one in title_queries("t", tmp_path)}
    assert {key: answer for key, answer in found.items() if key[0] != "typo"} == {
        ("title", "Filling a lamp with oil"): [{"path": "a.md"}],
        ("how to", "how to filling a lamp with oil"): [{"path": "a.md"}],
        ("title", "How lamps burn"): [{"path": "a.md"}],
        ("title", "Cleaning the wick well"): [{"path": "c.html"}],
        ("how to", "how to cleaning the wick well"): [{"path": "c.html"}],
    }
    typos = [query.split() for kind, query in found if kind == "typo"]
    assert [len(words) for words in typos] == [5, 4]
    assert all(words[0] not in ("filling", "cleaning") for words in typos)
