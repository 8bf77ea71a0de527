"""Each command asks one use case for what was written, and prints what it answers."""

from __future__ import annotations

import os
from typing import Any

import pytest
from support.answers import make_document, make_entry, make_shown
from support.fake_app import FakeApp, Leafmark
from support.schema import problems

from leafmark.app.requests import (
    IndexRequest,
    InitRequest,
    ListRequest,
    SearchRequest,
    ShowRequest,
)
from leafmark.errors import NotFoundError
from leafmark.model import (
    Diagnostic,
    Hint,
    IndexReport,
    SettingOrigin,
    ShowReport,
    Skipped,
    StatusReport,
    TreeStatus,
)


@pytest.mark.parametrize(
    ("argv", "fields"),
    [
        (["x", "y z"], {"queries": ("x", "y z")}),
        (["x", "-n", "3"], {"limit": 3}),
        (["x", "-t", "a", "-t", "b"], {"trees": ("a", "b")}),
        (["x", "--tag", "a", "--since", "7d"], {"tags": ("a",), "since": "7d"}),
        (
            ["x", "--grain", "document", "--mode", "lexical"],
            {"grain": "document", "mode": "lexical"},
        ),
        (["x", "--sort", "mtime", "--strict"], {"sort": "mtime", "strict": True}),
        (["x", "--no-aggregation"], {"aggregation": False}),
        (["x", "--no-refresh", "--explain"], {"refresh": False, "explain": True}),
        (["x", "-o", "full"], {"full_text": True}),
        (["x", "--json"], {"full_records": True}),
        (["x", "-o", "jsonl"], {"full_records": True}),
        (["x", "--section", "A > B", "--section", "C*"], {"section": ("A > B", "C*")}),
        (["x", "--expand", "parent,next"], {"expand": ("parent", "next")}),
        (["x", "--max-tokens", "9000", "-o", "list"], {}),
        (["x", "--yes"], {"confirmed": True}),
        (["x", "--", "-y"], {"queries": ("x", "-y")}),
    ],
)
def test_search_asks_for_what_was_written(
    leafmark_run: Leafmark, app: FakeApp, argv: list[str], fields: dict[str, Any]
) -> None:
    leafmark_run("search", *argv)
    assert app.asked == [SearchRequest(("x",))._replace(**fields)]


def test_a_query_may_come_from_standard_input(leafmark_run: Leafmark, app: FakeApp) -> None:
    leafmark_run("search", "-", "b", stdin="error: no\n  such file\n")
    assert app.asked[0].queries == ("error: no such file", "b")


@pytest.mark.parametrize(
    ("output", "start"),
    [
        ("pretty", "Top matches: docs:guide.md.2"),
        ("list", "Guide › Usage  docs:guide.md#usage (3.00)"),
        ("matches", "Guide › Usage (3.00)  /srv/docs/guide.md:10\n  12: Call"),
        ("full", "> Guide › Usage\n\n## Usage\n"),
        ("files", "/srv/docs/guide.md\n/srv/docs/api.md\n"),
        ("vimgrep", "/srv/docs/guide.md:12:7:Call `run`.\n"),
        ("jsonl", '{"rank": 1, "score": 3.0, "id": "docs:guide.md#usage"'),
        ("json", '{\n  "schema_version": 1,\n  "query": "client"'),
    ],
)
def test_search_prints_each_format(leafmark_run: Leafmark, output: str, start: str) -> None:
    ran = leafmark_run("search", "x", "-o", output)
    assert ran.code == 0
    assert ran.out.startswith(start)


def test_flat_prints_whole_ids(leafmark_run: Leafmark) -> None:
    assert leafmark_run("search", "x", "--flat").out.startswith("docs:guide.md#usage (3.00)\n")


def test_explain_follows_the_results(leafmark_run: Leafmark) -> None:
    out = leafmark_run("search", "x", "--explain").out
    assert "+ 2.0000  80%  “client”\n" in out
    assert "× 1.100       a tree of the project\n" in out
    assert "\n\nUnderstood as\n  client\nPhases\n" in out
    explained = leafmark_run("search", "x", "--explain", "--json").json
    assert problems(explained, "search") == []
    assert explained["explain"]["expressions"] == ["client"]


def test_json_with_another_output_is_refused(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("search", "x", "--json", "-o", "list")
    assert ran.code == 2
    assert ran.json["error"]["message"] == "--json and -o list ask for different output"


def test_show_asks_for_what_was_written(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.shown = ShowReport((make_shown(),))
    options: dict[str, dict[str, Any]] = {
        "--own": {"own": True},
        "--full-document": {"full_document": True},
        "--outline": {"outline": True, "sizes": True},
        "--raw": {},
        "--expand=prev,parent,prev": {"expand": ("prev", "parent")},
    }
    for name, fields in options.items():
        assert leafmark_run("get", "a", "b", name).code == 0
        assert app.asked[-1] == ShowRequest(("a", "b"), records=False)._replace(**fields)
    assert leafmark_run("get", "a", "--json").code == 0
    assert app.asked[-1] == ShowRequest(("a",))


def test_what_is_no_relation_is_refused(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("search", "x", "--expand", "parent,cousin")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: --expand got `cousin`\nhint: there are: parent, siblings, children, prev, next\n"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("--raw", "--json"),
        ("--raw", "--outline"),
        ("--own", "--outline"),
        ("--raw", "--max-tokens"),
    ],
)
def test_what_excludes_each_other_is_refused(leafmark_run: Leafmark, one: str, other: str) -> None:
    number = ["5"] if other == "--max-tokens" else []
    ran = leafmark_run("show", "a", one, other, *number)
    told = ran.json["error"]["message"] if other == "--json" else ran.err
    assert (ran.code, "exclude each other" in told) == (2, True)
    assert told.removeprefix("error: ").rstrip() == f"{one} and {other} exclude each other"


def test_show_prints_bytes_text_outline_and_json(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.shown = ShowReport((make_shown(children=(make_entry("Install", 2),)),))
    assert leafmark_run("show", "a", "--raw").out == "## Setup\nInstall.\n"
    assert leafmark_run("show", "a").out.endswith("\n\n## Setup\nInstall.\n")
    assert leafmark_run("show", "a", "--outline").out.endswith(".2 Install  #install\n")
    assert problems(leafmark_run("show", "a", "--json").json, "show") == []


def test_an_unknown_id_is_1_and_names_the_nearest(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.shown = ShowReport((), (("a.md#x", ("docs:a.md#y",)), ("b", ())))
    ran = leafmark_run("show", "a.md#x", "b")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "error: there is no `a.md#x`\nhint: did you mean docs:a.md#y?\n"
        "error: there is no `b`\nhint: `leafmark ls chunks` lists the ids\n"
    )
    ran = leafmark_run("show", "a.md#x", "--json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.json["not_found"][0] == {"id": "a.md#x", "did_you_mean": ["docs:a.md#y"]}


def test_ids_may_come_from_standard_input(leafmark_run: Leafmark, app: FakeApp) -> None:
    leafmark_run("show", "-", stdin="a.md\n\nb c.md#x\ntrail \nls\u2028.md\n")
    assert app.asked[0].ids == ("a.md", "b c.md#x", "trail ", "ls\u2028.md")
    hint = "hint: `leafmark ls chunks` lists the ids\n"
    ran = leafmark_run("show", "-", stdin="\n")
    assert (ran.code, ran.err) == (2, f"error: there is no id on standard input\n{hint}")
    ran = leafmark_run("show", " ")
    assert (ran.code, ran.err) == (2, f"error: the id is empty\n{hint}")


def test_a_short_ordinal_needs_its_document(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.shown = ShowReport((), ((".7", ()),))
    ran = leafmark_run("show", ".7")
    assert (ran.code, ran.err) == (
        1,
        "error: there is no `.7`\nhint: write the document before it: path.7\n",
    )


def test_raw_control_characters_do_not_reach_a_terminal(
    leafmark_run: Leafmark, app: FakeApp
) -> None:
    for raw in (b"a\x1b[2J", b"a\x07", "a\x9b2J".encode()):
        app.shown = ShowReport((make_shown(raw=raw),))
        ran = leafmark_run("show", "a", "--raw", terminal=True, NO_COLOR="1")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == (
            "error: its bytes hold control characters, which could change this terminal\n"
            "  --> docs:guide.md#setup\n"
            "hint: send them to a file or a pipe, or leave out --raw\n"
        )
        assert leafmark_run("show", "a", "--raw").out == raw.decode()
    app.shown = ShowReport((make_shown(raw="\tt\r\né日\n".encode()),))
    assert leafmark_run("show", "a", "--raw", terminal=True).code == 0


def test_raw_of_a_changed_source_is_left_out_and_told(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.shown = ShowReport((make_shown(raw=None, stale=True),))
    ran = leafmark_run("show", "a", "--raw")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "warning: it changed since it was indexed, and is left out: leafmark index reads it again\n"
        "  --> docs:guide.md#setup\n"
    )


@pytest.mark.parametrize(
    "pair", [("--raw", "--json"), ("--raw", "--outline"), ("--own", "--outline")]
)
def test_show_options_that_exclude_each_other(
    leafmark_run: Leafmark, pair: tuple[str, str]
) -> None:
    ran = leafmark_run("show", "a", *pair)
    assert ran.code == 2
    assert f"{pair[0]} and {pair[1]} exclude each other" in ran.out + ran.err


def test_index_asks_for_what_was_written(leafmark_run: Leafmark, app: FakeApp) -> None:
    assert leafmark_run("index").code == 0
    assert leafmark_run("update", "a", "b", "--remove", "--dry-run").code == 0
    assert leafmark_run("index", "--rebuild", "-y").code == 0
    assert app.asked == [
        IndexRequest(),
        IndexRequest(("a", "b"), remove=True, dry_run=True),
        IndexRequest(rebuild=True, confirmed=True),
    ]


DIAGNOSTICS = tuple(Diagnostic(f"{n}.md", "bad-utf8", "1 byte is not UTF-8") for n in range(12))


@pytest.mark.parametrize(
    ("number", "more"), [(11, "is 1 more diagnostic"), (12, "are 2 more diagnostics")]
)
def test_index_prints_diagnostics_on_standard_error(
    leafmark_run: Leafmark, app: FakeApp, number: int, more: str
) -> None:
    app.indexed = IndexReport(diagnostics=DIAGNOSTICS[:number], documents=12)
    ran = leafmark_run("index")
    assert ran.code == 0
    assert ran.out.startswith("indexed 12 documents, 0 chunks in 0.0 s\n")
    assert ran.err.startswith("warning: 1 byte is not UTF-8\n  --> 0.md\n")
    assert ran.err.count("warning:") == 10
    assert ran.err.endswith(f"hint: there {more}: -v prints them all\n")
    assert leafmark_run("index", "-v").err.count("warning:") == number


def test_strict_diagnostics_are_1(leafmark_run: Leafmark, app: FakeApp) -> None:
    assert leafmark_run("index", "--strict").code == 0
    app.indexed = IndexReport(diagnostics=DIAGNOSTICS)
    ran = leafmark_run("index", "--strict", "--json")
    assert ran.code == 1
    assert problems(ran.json, "index") == []


def test_an_interrupted_run_is_130(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.indexed = IndexReport(interrupted=True)
    ran = leafmark_run("index")
    assert ran.code == 130
    assert ran.err == "interrupted: the work so far is kept, and the next run continues\n"


def test_index_refuses_what_makes_no_sense(leafmark_run: Leafmark) -> None:
    assert leafmark_run("index", "--remove").err == (
        "error: --remove needs paths\nhint: leafmark index --remove PATH...\n"
    )
    assert leafmark_run("index", "a", "--remove", "--rebuild").err == (
        "error: --remove and --rebuild exclude each other\n"
    )


@pytest.mark.parametrize(
    ("kind", "key", "items", "start"),
    [
        ("trees", "trees", (TreeStatus("docs", "/d", "local"),), "docs  0 documents"),
        ("docs", "documents", (make_document(),), "docs:guide.md  4 chunks"),
        ("chunks", "chunks", (make_entry(),), "docs:guide.md#setup  .1"),
        ("tags", "tags", (("ops", 2),), "ops  2 documents"),
    ],
)
def test_ls(
    leafmark_run: Leafmark, app: FakeApp, kind: str, key: str, items: tuple[Any, ...], start: str
) -> None:
    app.listed = items
    assert leafmark_run("ls", kind).out.startswith(start)
    ran = leafmark_run("ls", kind, "--json")
    assert (ran.code, problems(ran.json, "ls")) == (0, [])
    assert app.asked == [(key, ListRequest()), (key, ListRequest())]


def test_what_an_answer_has_no_place_for_is_told(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.told = (Hint("locked", "the index is being written"),)
    for command in (["ls", "--json"], ["show", "a.md"], ["verify", os.devnull]):
        assert "hint: the index is being written\n" in leafmark_run(*command).err
        assert "hint" not in leafmark_run(*command, "--quiet").err
    app.error = NotFoundError("there is no index")
    ran = leafmark_run("ls")
    assert ran.err == "hint: the index is being written\nerror: there is no index\n"


def test_ls_limits(leafmark_run: Leafmark, app: FakeApp) -> None:
    ran = leafmark_run("ls", "docs", "guides/", "-t", "a", "--tag", "b", "--no-refresh")
    told = "no documents to list below guides/ with the tag b in the tree a\n"
    assert (ran.code, ran.out, ran.err) == (1, "", told)
    limits = ListRequest(trees=("a",), tags=("b",), under="guides/", refresh=False)
    assert app.asked == [("documents", limits)]
    assert leafmark_run("ls").code == 1
    assert app.asked[-1] == ("trees", ListRequest())
    assert leafmark_run("ls", "trees", "x").err == (
        "error: `leafmark ls trees` lists all trees\nhint: try: leafmark ls docs\n"
    )


def test_status(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.status = StatusReport(
        index_dir="/cache/x",
        warnings=("the folder moved",),
        exists=True,
        skipped=(Skipped("x\x1b.bin", "binary"),),
        diagnostics=DIAGNOSTICS[:1],
    )
    ran = leafmark_run("status")
    assert ran.out.startswith("index   /cache/x\n")
    assert ran.err == "warning: the folder moved\n"
    assert leafmark_run("status", "-v").err == (
        "warning: the folder moved\n"
        "skipped x\\x1b.bin: binary\n"
        "warning: 1 byte is not UTF-8\n  --> 0.md\n"
    )
    assert problems(leafmark_run("status", "--json").json, "status") == []


def test_config(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.settings = (
        SettingOrigin("index.dir", None),
        SettingOrigin("search.limit", 10),
        SettingOrigin("search.limits", 1),
    )
    assert leafmark_run("config", "search").out == "search.limit = 10\nsearch.limits = 1\n"
    assert leafmark_run("config", "search.limit", "--origin").out == (
        "search.limit = 10  # default\n"
    )
    assert leafmark_run("config", "index").out == "index.dir = null\n"
    assert problems(leafmark_run("config", "--json").json, "config") == []
    ran = leafmark_run("config", "search.limt")
    assert ran.code == 2
    assert ran.err == (
        "error: there is no setting `search.limt`\n"
        "hint: did you mean search.limit or search.limits?\n"
    )
    assert leafmark_run("config", "serach").err == (
        "error: there is no setting `serach`\n"
        "hint: did you mean search or search.limit or search.limits?\n"
    )
    assert leafmark_run("config", "colour").err == (
        "error: there is no setting `colour`\nhint: `leafmark config` lists them\n"
    )


def test_init(leafmark_run: Leafmark, app: FakeApp) -> None:
    assert leafmark_run("init").out == "wrote /srv/leafmark.toml\n"
    ran = leafmark_run("init", "--global", "--force", "--json")
    assert problems(ran.json, "init") == []
    assert app.asked == [InitRequest(), InitRequest(everywhere=True, force=True)]
