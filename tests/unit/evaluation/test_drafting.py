"""Drafts: from headings, definitions and links, marked, and never ambiguous."""

from __future__ import annotations

from collections.abc import Iterator

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.evaluation import JudgedQuery
from leafmark.evaluation.drafting import KINDS, draft_queries
from leafmark.evaluation.judgments import Reference
from leafmark.model import Block, ChunkedDocument
from leafmark.parsing import parse


def _document(path: str, text: str) -> ChunkedDocument:
    options = ChunkingOptions(strategy="heading")
    return chunk_document(parse(text.encode(), path), tree="t", options=options)


def _drafts(**sources: str) -> list[tuple[str, str, Reference]]:
    documents = [_document(f"{name}.md", text) for name, text in sources.items()]
    drafts = draft_queries(documents, limit=100)
    assert all(draft.draft and draft.tree == "t" for draft in drafts)
    return [(draft.kind, draft.query, draft.answers[0]) for draft in drafts]


def _queries(**sources: str) -> list[str]:
    return [query for _, query, _ in _drafts(**sources)]


def test_headings_of_some_words() -> None:
    assert _drafts(a="# Notes\n\nx\n\n## Restore a backup\n\ny\n") == [
        ("heading", "Restore a backup", Reference("t:a.md#restore-a-backup"))
    ]


def test_a_heading_is_asked_without_its_number() -> None:
    assert _queries(a="# 6.4 - Set up UTF8 support\n\nx\n", b="# 7) Go on\n\nx\n") == [
        "Set up UTF8 support",
        "Go on",
    ]


def test_versions_ask_for_nothing() -> None:
    assert _queries(a="# v2.3 to v2.4\n\nx\n\n# Guide 0.24.2 (2014-07-08)\n\nx\n") == []


def test_words_without_spaces_count_by_their_letters() -> None:
    assert _queries(a="# 恢复备份\n\nx\n\n# 备份\n\nx\n") == ["恢复备份"]


def test_what_is_too_long_to_be_read_is_no_answer() -> None:
    long = "word " * 1600
    assert _queries(a=f"# The whole page\n\n{long}\n\n## A small part\n\nx\n") == ["A small part"]


def test_code_is_asked_for_by_name() -> None:
    source = b"class Parser:\n    def parse_all(self, a, b):\n        return a\n\ndef f(x): pass\n"
    document = parse(source, "a.py")
    owner = chunk_document(document, tree="t", options=ChunkingOptions(strategy="heading"))
    assert [draft.query for draft in draft_queries([owner], limit=9)] == ["Parser.parse_all"]


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


def test_what_defines_nothing_is_no_definition() -> None:
    assert (
        _queries(
            a="**Type**: integer\n\n**Options:**\n\n**Let us go on with this**: it is long now.\n"
        )
        == []
    )


def test_links_ask_for_where_they_lead() -> None:
    text = (
        "# Home\n\nSee [how to *restore*](b.md#restore), [the other page](./b.md), "
        "[far away](https://x.example/), [nowhere there](c.md) and [here](b.md).\n"
    )
    assert _drafts(a=text, b="# Page\n\np\n\n## Restore\n\nq\n") == [
        ("link", "how to restore", Reference("t:b.md#restore")),
        ("link", "the other page", Reference("t:b.md")),
    ]


def test_a_name_in_a_link_keeps_its_underlines() -> None:
    text = "See [the `memcache_table` *format*](b.md) and [_all_ of it](b.md).\n"
    assert _queries(a=text, b="p\n") == ["the memcache_table format", "all of it"]


def test_links_of_pages_are_read_as_people_do() -> None:
    page = b'<p>See <a href="b.md">the <i>large</i> table_of &amp; contents</a>.</p>'
    owner = chunk_document(parse(page, "a.html"), tree="t", options=ChunkingOptions())
    drafts = draft_queries([owner, _document("b.md", "p\n")], limit=9)
    assert [draft.query for draft in drafts] == ["the large table_of & contents"]


def test_links_of_restructuredtext_say_what_stands_before_their_target() -> None:
    page = (
        "Title\n=====\n\nSee :ref:`how to\nrestore <part>`, :ref:`part`, `that part <part_>`_ "
        "and :doc:`b`.\n\n.. _part:\n\nRestoring\n---------\n\nx\n"
    )
    owner = chunk_document(parse(page.encode(), "a.rst"), tree="t", options=ChunkingOptions())
    assert [draft.query for draft in draft_queries([owner], limit=9)] == ["how to restore"]


def test_what_has_two_answers_is_left_out() -> None:
    assert _drafts(a="# Set up\n\nx\n", b="# Set Up\n\ny\n") == []


def test_what_is_asked_decides_whether_there_are_two_answers() -> None:
    documents = [_document("a.md", "# Set up (all)\n\nx\n\n# The rest\n\ny\n\n# Set up all\n\nz\n")]
    drafts = draft_queries(documents, limit=9, ask=lambda text: text.replace("(all)", "all"))
    assert [draft.query for draft in drafts] == ["The rest"]
    assert draft_queries(documents, limit=9, ask=lambda _: "") == []


def test_drafts_of_one_kind() -> None:
    text = "# The set up\n\n**Span of it:** a range of bytes.\n"
    linking = "# The rest\n\n[how to begin](a.md#the-set-up)\n"
    documents = [_document("a.md", text), _document("b.md", linking)]
    asked = {
        kind: [draft.query for draft in draft_queries(documents, limit=9, kinds=(kind,))]
        for kind in KINDS
    }
    assert asked == {
        "heading": ["The set up", "The rest"],
        "definition": ["what is Span of it"],
        "link": ["how to begin"],
    }


def test_what_has_two_answers_is_left_out_whichever_kinds_they_are_of() -> None:
    linking = "# Set up\n\nx\n\n# Other way\n\n[Set up](a.md#other-way)\n"
    drafts = draft_queries([_document("a.md", linking)], limit=9, kinds=("heading",))
    assert [draft.query for draft in drafts] == ["Other way"]


def test_drafts_are_drawn_from_all_documents_in_turn() -> None:
    many = "".join(f"# Part {name}\n\nx\n\n" for name in ("one", "two", "three", "four", "five"))
    documents = [_document("a.md", many), _document("b.md", "# The rest\n\nx\n")]
    drafts = draft_queries(documents, limit=2)
    assert [draft.answers[0].id.partition("#")[0] for draft in drafts] == ["t:a.md", "t:b.md"]


def test_what_a_document_defines_is_drawn_in_turn_with_its_headings() -> None:
    defining = "# The first part\n\n**Span first:** a range of bytes.\n"
    documents = [_document(f"{name}.md", defining.replace("first", name)) for name in "abcdefgh"]
    drafts = draft_queries([*documents, _document("z.md", "# The rest of it\n\nx\n")], limit=9)
    named = [one.answers[0].path or one.answers[0].id.partition("#")[0][2:] for one in drafts]
    assert named == [f"{name}.md" for name in "abcdefghz"]


def test_a_few_drafts_are_not_those_of_the_first_documents() -> None:
    documents = [_document(f"{at:02}.md", f"# The part {at:x} of it\n\nx\n") for at in range(60)]
    places = [int(one.answers[0].id[2:4]) for one in draft_queries(documents, limit=10)]
    assert places == sorted(places)
    assert len(places) == 10
    assert min(places) < 20
    assert max(places) >= 40


def test_no_documents_no_drafts() -> None:
    nothing: list[JudgedQuery] = []
    assert draft_queries([], limit=5) == nothing


class Tally(list[Block]):
    """Blocks that count how many of them are looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[Block]:
        for block in super().__iter__():
            self.looked_at += 1
            yield block


def test_the_blocks_are_looked_at_once_however_many_sections_there_are() -> None:
    text = "".join(
        f"## Restore {at}\n\n**Term {at}**: text that says enough.\n\n" for at in range(50)
    )
    document = parse(text.encode(), "a.md")
    blocks = Tally(document.blocks)
    options = ChunkingOptions(strategy="heading")
    owner = chunk_document(document._replace(blocks=blocks), tree="t", options=options)
    blocks.looked_at = 0
    drafts = draft_queries([owner], limit=200)
    assert [draft.kind for draft in drafts].count("definition") == 50
    assert blocks.looked_at <= 2 * len(blocks)
