"""`rag_index` and `rag_search`: the interface of the founding document, and what it promises."""

from __future__ import annotations

import dataclasses
import inspect
from datetime import date
from pathlib import Path

import pytest

import leafmark
from leafmark import EnrichedChunk, open_index, rag_index, rag_search
from leafmark.library.sources import chunk


def test_parameters_and_fields_are_those_that_were_founded() -> None:
    shapes = [
        (p.name, p.default if p.default is not p.empty else "needed")
        for function in (rag_index, rag_search)
        for p in inspect.signature(function).parameters.values()
    ]
    assert shapes == [
        ("path", "needed"),
        ("project_path", "needed"),
        ("chunking_strategy", "auto"),
        ("query", "needed"),
        ("project_path", "needed"),
        ("expand_context", False),
        ("section_filter", None),
    ]
    assert [field.name for field in dataclasses.fields(EnrichedChunk)] == [
        "chunk_id",
        "content",
        "source_file",
        "section_path",
        "section_level",
        "parent_chunk_id",
        "sibling_chunk_ids",
        "content_type",
        "is_complete_section",
        "content_date",
        "category",
        "relevance",
    ]


def test_a_section_is_found_with_its_path_and_its_document_s_facts(docs: Path) -> None:
    assert rag_index("guide.md", str(docs)).documents == 2
    (found,) = rag_search("wizard", str(docs))
    assert found == EnrichedChunk(
        chunk_id="docs:guide.md#install",
        content="## Install\n\nRun the installer, then the wizard.\n\n",
        source_file="guide.md",
        section_path=["Guide", "Install"],
        section_level=2,
        parent_chunk_id="docs:guide.md#guide",
        sibling_chunk_ids=[f"docs:guide.md#{slug}" for slug in ("upgrade", "remove", "ask")],
        content_type="prose",
        is_complete_section=True,
        content_date=date(2026, 3, 1),
        category="manuals",
        relevance=None,
    )
    assert rag_search("zebra", str(docs)) == []


def test_the_section_called_critical_rules_is_found_whole(docs: Path) -> None:
    rules = "## Critical Rules\n\nNever deploy on Friday.\n\n- Ask first.\n"
    (docs / "CLAUDE.md").write_text(f"## About\n\nA project.\n\n{rules}")
    rag_index(".", str(docs))
    found = rag_search("Critical Rules", str(docs))[0]
    assert (found.section_path, found.content) == (["CLAUDE", "Critical Rules"], rules)


def test_what_is_larger_than_a_chunk_may_be_stands_for_its_own_text(docs: Path) -> None:
    below = "".join(f"## Part {n}\n\n{f'Words of part {n} follow. ' * 60}\n\n" for n in range(6))
    (docs / "long.md").write_text(f"# Harvest\n\nThe unicorn brings it in.\n\n{below}")
    for strategy in ("auto", "heading"):
        rag_index(".", str(docs), strategy)
        found = rag_search("unicorn", str(docs))[0]
        assert found.content == "# Harvest\n\nThe unicorn brings it in.\n\n"
        assert (found.chunk_id, found.is_complete_section) == ("docs:long.md#harvest", False)
    (docs / "leafmark.toml").write_text("[chunking]\nmax_tokens = 5000\n")
    rag_index(".", str(docs), "heading")
    found = rag_search("unicorn", str(docs))[0]
    assert (found.content.count("## Part"), found.is_complete_section) == (6, True)


def test_context_brings_parent_and_siblings_once(docs: Path) -> None:
    rag_index(".", str(docs))
    plain = rag_search("wizard", str(docs))
    found = rag_search("wizard", str(docs), expand_context=True)
    assert found[0] == plain[0]
    assert [each.chunk_id for each in found[1:]] == [
        "docs:guide.md#guide",
        *(f"docs:guide.md#{slug}" for slug in ("upgrade", "remove", "ask")),
    ]
    assert found[1].content == "# Guide\n\nPreamble of the guide.\n\n"


def test_a_section_filter_is_a_pattern_of_titles(docs: Path) -> None:
    rag_index(".", str(docs))
    for pattern, expected in [
        ("Guide > Upg*", ["docs:guide.md#upgrade"]),
        ("upgrade", ["docs:guide.md#upgrade"]),
        ("Install", []),
    ]:
        found = rag_search("database", str(docs), section_filter=pattern)
        assert [each.chunk_id for each in found] == expected


def test_the_search_goes_on_with_the_strategy_of_the_index(docs: Path) -> None:
    body = "".join(f"Sentence number {n} tells about the harvest. " for n in range(120))
    (docs / "long.md").write_text(f"# Long\n\n## Harvest\n\n{body}\n\n## End\n\nEnd.\n")
    rag_index(".", str(docs), chunking_strategy="fixed")
    fixed = rag_search("harvest", str(docs))
    assert [each.chunk_id for each in fixed] == [
        c.chunk_id for c in rag_search("harvest", str(docs))
    ]
    windows = chunk(docs / "long.md", path="long.md", tree="docs", strategy="fixed")
    assert {each.chunk_id for each in fixed} <= {window.id for window in windows}
    (docs / "more.md").write_text("# More\n\nharvest " + body)
    assert any(each.source_file == "more.md" for each in rag_search("harvest", str(docs)))
    rag_index(".", str(docs), chunking_strategy="heading")
    found = rag_search("tells harvest", str(docs), section_filter="Harvest")
    assert [(each.chunk_id, each.is_complete_section) for each in found] == [
        ("docs:long.md#harvest", True)
    ]


def test_pieces_say_that_they_are_no_whole_section(docs: Path) -> None:
    text = "\n\n".join(f"Paragraph {n} of the harvest. " + "Words follow. " * 60 for n in range(9))
    (docs / "long.md").write_text(f"# Harvest\n\n{text}\n\nThe unicorn is here.\n")
    rag_index(".", str(docs))
    found = rag_search("unicorn", str(docs))
    assert found[0].chunk_id.startswith("docs:long.md#harvest~")
    assert (found[0].section_level, found[0].is_complete_section) == (1, False)
    assert found[0].parent_chunk_id == "docs:long.md#harvest"
    assert len(found[0].sibling_chunk_ids) > 1


def test_trees_elsewhere_have_whole_paths(docs: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    inside = project / "notes"
    inside.mkdir()
    (inside / "a.md").write_text("# A\n\nThe iguana sleeps.\n")
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "leafmark.toml").write_text(f'[tree.manual]\npath = "{docs.as_posix()}"\n')
    (project / "leafmark.toml").write_text('[tree.notes]\npath = "notes"\n')
    rag_index("notes", str(project))
    assert [each.source_file for each in rag_search("iguana", str(project))] == ["notes/a.md"]
    assert [each.source_file for each in rag_search("kettle", str(project))] == [
        str(docs / "notes.txt")
    ]


def test_mistakes_are_named(docs: Path, tmp_path: Path) -> None:
    with pytest.raises(leafmark.NotFoundError) as early:
        rag_search("x", str(docs))
    assert early.value.message == "the project is not indexed yet"
    assert early.value.hint == "call rag_index(path, project_path) first"
    with pytest.raises(leafmark.UsageError) as strategy:
        rag_index(".", str(docs), chunking_strategy="semantic")
    assert strategy.value.message == "there is no strategy called 'semantic'"
    assert strategy.value.hint == "one of auto, heading, section, fixed"
    with pytest.raises(leafmark.NotFoundError) as missing:
        rag_index("nowhere.md", str(docs))
    assert missing.value.message == "there is nothing at 'nowhere.md'"
    with pytest.raises(leafmark.UsageError) as outside:
        rag_index(str(tmp_path / "elsewhere"), str(docs))
    assert "is in none of the trees" in outside.value.message


def test_odd_front_matter_is_no_date(docs: Path) -> None:
    (docs / "odd.md").write_text(
        "---\ndate: soon\ncategory: [a, b]\nrelevance: 3\n---\n# Odd\n\nThe odd iguana.\n"
    )
    rag_index(".", str(docs))
    found = rag_search("odd iguana", str(docs))[0]
    assert (found.content_date, found.category, found.relevance) == (None, None, "3")


def test_it_is_the_index_of_the_command_line(docs: Path) -> None:
    rag_index(".", str(docs))
    with open_index(docs, fresh=False) as index:
        assert [result.id for result in index.search("kettle").results] == ["docs:notes.txt"]
