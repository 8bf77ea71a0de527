from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.answers import make_document, make_entry
from support.schema import problems

from leafmark.model import (
    ClusterState,
    Diagnostic,
    SettingOrigin,
    Skipped,
    StatusReport,
    TreeStatus,
)
from leafmark.render import reports
from leafmark.render.terminal import PLAIN, version_and_tags

TREES = (
    TreeStatus("docs", "/srv/docs", "local", 12, 3456, 7_890_123),
    TreeStatus("far", "/far\x1b", "global", 1, 1, 10, missing=True),
)
DOCUMENTS = (make_document(), make_document("日本.md", title="日本 語", version="v2", tags=()))
CHUNKS = (make_entry(), make_entry("Usage", 10))
TAGS = (("ops", 2), ("a\x1bb", 1))
STATUS = StatusReport(
    config_files=("/srv/leafmark.toml",),
    index_dir="/cache/leafmark/1",
    trees=TREES,
    pending_vectors=0,
    warnings=("careful",),
    exists=True,
    bytes=1_234_567,
    lock_holder="pid 7, for 3 s",
    skipped=(Skipped("x.bin", "binary"),),
    diagnostics=(Diagnostic("a.md", "bad-utf8", "1 byte is not UTF-8"),),
)
SETTINGS = (
    SettingOrigin("search.limit", 10),
    SettingOrigin("search.stemmer", "english", "/srv/leafmark.toml:3", "also per tree"),
)


def test_trees() -> None:
    assert "".join(reports.iter_tree_lines(TREES, PLAIN)) == (
        "docs  12 documents  3,456 chunks  local   /srv/docs\n"
        "far   1 document    1 chunk       global  /far\\x1b (missing)\n"
    )


def test_documents_are_aligned_by_columns_not_characters() -> None:
    assert "".join(reports.iter_document_lines(DOCUMENTS, PLAIN)) == (
        "docs:guide.md  4 chunks  Guide (v3) [ops, client]\ndocs:日本.md   4 chunks  日本 語 (v2)\n"
    )


def test_on_a_terminal_an_id_that_does_not_fit_stands_below_its_title_and_is_whole() -> None:
    title = "How to set up a place for everything that is kept"
    documents = (make_document(), make_document("kept/" * 15 + "a.md", title=title, tags=()))
    assert "".join(reports.iter_document_lines(documents, PLAIN._replace(width=80))) == (
        "Guide (v3) [ops, client]        docs:guide.md  4 chunks\n"
        f"{title} (v3)\n"
        f"  docs:{'kept/' * 15}a.md  4 chunks\n"
    )


@pytest.mark.parametrize(
    ("version", "shown"), [("3.1", " (v3.1)"), ("v2", " (v2)"), ("legacy", " (legacy)"), ("", "")]
)
def test_a_version_in_words_is_shown_as_it_is(version: str, shown: str) -> None:
    assert version_and_tags(make_document(version=version, tags=())) == shown


def test_chunks() -> None:
    assert "".join(reports.iter_chunk_lines(CHUNKS, PLAIN)) == (
        "docs:guide.md#setup  .1   5–9    Guide › Setup\n"
        "docs:guide.md#usage  .10  10–13  Guide › Usage\n"
    )


def test_tags() -> None:
    assert (
        "".join(reports.iter_tag_lines(TAGS, PLAIN)) == "ops     2 documents\na\\x1bb  1 document\n"
    )


def test_empty_lists_are_empty() -> None:
    assert "".join(reports.iter_tree_lines((), PLAIN)) == ""


@pytest.mark.parametrize(
    ("kind", "items"),
    [("trees", TREES), ("documents", DOCUMENTS), ("chunks", CHUNKS), ("tags", TAGS), ("tags", ())],
)
def test_lists_as_json_are_the_published_shape(kind: str, items: Sequence[Any]) -> None:
    record = reports.listing_record(kind, items)
    assert problems(record, "ls") == []
    assert len(record[kind]) == len(items)


def test_undecodable_paths_are_percent_encoded() -> None:
    record = reports.listing_record("documents", [make_document("caf\udce9.md")])
    assert record["documents"][0]["path"] == "caf%E9.md"


def test_status() -> None:
    assert reports.render_status(STATUS, PLAIN) == (
        "index   /cache/leafmark/1\n"
        "size    1.2 MB\n"
        "config  /srv/leafmark.toml\n"
        "lock    pid 7, for 3 s\n"
        "skipped 1 source\n"
        "notes   1 diagnostic\n"
        "\n" + "".join(reports.iter_tree_lines(TREES, PLAIN))
    )
    assert problems(reports.status_record(STATUS), "status") == []


def test_status_of_an_index_in_a_cluster() -> None:
    cluster = ClusterState("search", "OpenSearch 3.6.0", "yellow", 2, 5, 2)
    status = StatusReport(index_dir="https://a/x", exists=True, cluster=cluster, age_s=7300.0)
    assert reports.render_status(status, PLAIN) == (
        "index   https://a/x\n"
        "size    0 bytes\n"
        "cluster search, OpenSearch 3.6.0: 2 nodes, 5 shards, 2 missing, yellow\n"
        "looked  at all sources 2 hours ago\n"
    )
    assert problems(reports.status_record(status), "status") == []


def test_status_without_an_index_says_how_to_get_one() -> None:
    assert reports.render_status(StatusReport(index_dir="/cache/x"), PLAIN) == (
        "index   /cache/x (nothing is indexed yet: `leafmark index` or any search does it)\n"
    )


def test_settings() -> None:
    assert reports.render_settings(SETTINGS, PLAIN, origin=False) == (
        'search.limit = 10\nsearch.stemmer = "english"\n'
    )
    assert reports.render_settings(SETTINGS, PLAIN, origin=True) == (
        "search.limit = 10           # default\n"
        'search.stemmer = "english"  # /srv/leafmark.toml:3 (also per tree)\n'
    )
    assert problems(reports.settings_record(SETTINGS), "config") == []


def test_one_very_long_id_does_not_push_all_rows_apart() -> None:
    documents = (make_document(), make_document(f"{'long/' * 30}x.md"), make_document("b.md"))
    lines = "".join(reports.iter_document_lines(documents, PLAIN)).splitlines()
    assert lines[0] == "docs:guide.md  4 chunks  Guide (v3) [ops, client]"
    assert lines[1].endswith("x.md  4 chunks  Guide (v3) [ops, client]")
    assert lines[2] == "docs:b.md      4 chunks  Guide (v3) [ops, client]"
