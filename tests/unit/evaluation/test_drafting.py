"""Drafts: from headings, definitions and links, marked, and never ambiguous."""

from __future__ import annotations

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.evaluation import JudgedQuery, Reference, draft_queries
from leafmark.model import ChunkedDocument
from leafmark.parsing import parse


def _document(path: str, text: str) -> ChunkedDocument:
    options = ChunkingOptions(strategy="heading")
    return chunk_document(parse(text.encode(), path), tree="t", options=options)


def _drafts(**sources: str) -> list[tuple[str, str, Reference]]:
    documents = [_document(f"{name}.md", text) for name, text in sources.items()]
    drafts = draft_queries(documents, limit=100)
    assert all(draft.draft and draft.tree == "t" for draft in drafts)
    return [(draft.kind, draft.query, draft.answers[0]) for draft in drafts]


def test_headings_of_some_words() -> None:
    assert _drafts(a="# Notes\n\nx\n\n## Restore a backup\n\ny\n") == [
        ("heading", "Restore a backup", Reference("t:a.md#restore-a-backup"))
    ]


def test_definitions_answer_with_their_paragraph() -> None:
    text = "# Terms\n\n**Span:** a range of bytes.\n\n- **Slug** – the name of a heading.\n"
    first, second = text.index("**Span"), text.index("- **Slug")
    assert _drafts(a=text) == [
        ("definition", "what is Span", Reference(path="a.md", start=first, end=second - 1)),
        (
            "definition",
            "what is Slug",
            Reference(path="a.md", start=second, end=len(text.encode())),
        ),
    ]


def test_links_ask_for_where_they_lead() -> None:
    text = (
        "# Home\n\nSee [how to *restore*](b.md#restore), [the other page](./b.md), "
        "[far away](https://x.example/), [nowhere there](c.md) and [here](b.md).\n"
    )
    assert _drafts(a=text, b="# Page\n\np\n\n## Restore\n\nq\n") == [
        ("link", "how to restore", Reference("t:b.md#restore")),
        ("link", "the other page", Reference("t:b.md")),
    ]


def test_what_has_two_answers_is_left_out() -> None:
    assert _drafts(a="# Set up\n\nx\n", b="# Set Up\n\ny\n") == []


def test_drafts_are_taken_from_all_documents_in_turn() -> None:
    documents = [
        _document("a.md", "# One two\n\nx\n\n# Three four\n\nx\n"),
        _document("b.md", "# Five six\n\nx\n"),
    ]
    drafts = draft_queries(documents, limit=2)
    assert [draft.query for draft in drafts] == ["One two", "Five six"]


def test_no_documents_no_drafts() -> None:
    nothing: list[JudgedQuery] = []
    assert draft_queries([], limit=5) == nothing
