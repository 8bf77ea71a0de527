from __future__ import annotations

import json

import pytest
from support.notebooks import make_notebook

import leafmark
from leafmark.model import Diagnostic, Document
from leafmark.parsing import parse
from leafmark.parsing.formats import reader_of


def read(document: Document, spans: list[tuple[int, int]]) -> str:
    reader = reader_of("notebook", document.data)
    assert document.reader is not None
    assert reader is not None
    found = document.reader(document.data, spans).text
    assert reader(document.data, spans).text == found
    return found


def outline(document: Document) -> list[tuple[int, str, str]]:
    data = document.data
    return [(h.level, h.title, data[h.start : h.end].decode()) for h in document.headings]


def blocks(document: Document) -> list[tuple[str, int, str, str]]:
    found: list[tuple[str, int, str, str]] = []
    for block in document.blocks:
        kept = [(block.start, block.end)]
        for hole in document.dropped_spans:
            if kept[-1][0] < hole.start < kept[-1][1]:
                start, end = kept.pop()
                kept += [(start, hole.start), (hole.end, end)]
        text = read(document, kept).strip("\n")
        found.append((block.kind, block.level, block.info, text))
    return found


def kept_text(document: Document) -> str:
    """The text of all that is not dropped."""
    kept, at = [], 0
    for hole in [*document.dropped_spans]:
        if at < hole.start:
            kept.append((at, hole.start))
        at = hole.end
    return read(document, kept)


class TestTree:
    @pytest.mark.parametrize("lines", [True, False])
    @pytest.mark.parametrize("ascii", [True, False])
    def test_headings_of_all_cells_make_one_tree(self, lines: bool, ascii: bool) -> None:
        data = make_notebook(
            ("markdown", '# Übung "1"\n\nIntro 🎉.\n\n## Teil'),
            ("code", "x = '\\n'\nprint(x)\n", "secret"),
            ("markdown", "more\n\nZwei\n===="),
            lines=lines,
            ascii=ascii,
        )
        document = parse(data, "a.ipynb")

        assert document.format == "notebook"
        assert document.title == 'Übung "1"'
        assert [(h.level, h.title) for h in document.headings] == [
            (1, 'Übung "1"'),
            (2, "Teil"),
            (1, "Zwei"),
        ]
        assert outline(document)[1] == (2, "Teil", "## Teil")
        assert blocks(document) == [
            ("paragraph", 0, "", "Intro 🎉."),
            ("code", 0, "", "```\nx = '\\n'\nprint(x)\n```"),
            ("paragraph", 0, "", "more"),
        ]
        assert kept_text(document) == (
            '# Übung "1"\n\nIntro 🎉.\n\n## Teil\n\n'
            "```\nx = '\\n'\nprint(x)\n```\n\nmore\n\nZwei\n====\n\n"
        )

    def test_a_cell_ends_what_is_open_in_it(self) -> None:
        data = make_notebook(("markdown", "```\nopen"), ("markdown", "# After\n\nx"))

        assert outline(parse(data, "a.ipynb")) == [(1, "After", "# After\\n")]

    def test_chunks_have_the_bytes_as_body_and_the_text_decoded(self) -> None:
        data = make_notebook(("markdown", '# A\n\nsay "é"'), ("code", "1\n2"), ("markdown", "## B"))
        document, section = leafmark.chunk(data, path="a.ipynb", tree="t")

        assert (document.id, document.body_spans, section.id) == ("t:a.ipynb", (), "t:a.ipynb#a")
        assert section.body == '\\nsay \\"\\u00e9\\"1\\n2## B'
        assert section.text == '> A\n\nsay "é"\n\n```\n1\n2\n```\n\n## B'
        assert section.content_type == "mixed"
        assert section.body_tokens == section.owner.count_tokens(
            '\nsay "é"\n\n```\n1\n2\n```\n\n## B\n\n'
        )

    def test_pieces_of_many_cells_are_even_and_cut_no_escape(self) -> None:
        prose = "Größe über 🎉 alles. " * 9
        cells = [("markdown", prose + "\n\n" + prose + "\nund"), ("code", "x = 1\ny = 2\n")] * 12
        data = make_notebook(("markdown", "# A"), *cells)
        chunks = leafmark.chunk(data, path="a.ipynb", min_tokens=50, target_tokens=200)
        pieces = [chunk for chunk in chunks if chunk.kind == "piece"]

        assert sum(len(chunk.body_bytes) for chunk in chunks) == sum(
            len(data[a:b]) for chunk in chunks for a, b in chunk.body_spans
        )
        assert len(pieces) == 8
        assert max(piece.body_tokens for piece in pieces) <= 200
        assert min(piece.body_tokens for piece in pieces) >= 50
        for chunk in pieces:
            assert json.loads(f'"{chunk.body}"')

    def test_one_long_paragraph_of_escapes_is_cut_between_characters(self) -> None:
        data = make_notebook(("markdown", "№" * 5000 + "🎉" * 3000))
        chunks = leafmark.chunk(data, path="a.ipynb", target_tokens=100, min_tokens=0)

        assert len(chunks) > 20
        text = "".join(json.loads(f'"{chunk.body}"') for chunk in chunks)
        assert text == "№" * 5000 + "🎉" * 3000


class TestCells:
    @pytest.mark.parametrize(
        ("source", "language"),
        [
            ("x", "julia"),
            ("%%bash\nls", "bash"),
            ("\n%%js\nx", "javascript"),
            ("%%time\nx", "julia"),
            ("% bash", "julia"),
        ],
    )
    def test_language_of_code_is_the_kernel_s_or_the_magic_s(
        self, source: str, language: str
    ) -> None:
        metadata = {"kernelspec": {"name": "j-1", "language": "Julia"}}
        document = parse(make_notebook(("code", source), metadata=metadata), "a.ipynb")

        assert [block.info for block in document.blocks] == [language]
        assert document.metadata == {"kernel": "j-1", "language": "julia"}

    def test_raw_cells_are_text_and_blank_ones_nothing(self) -> None:
        data = make_notebook(("raw", "# no\n\nheading"), ("code", " \n"), ("markdown", ""))
        document = parse(data, "a.ipynb")

        assert document.headings == ()
        assert blocks(document) == [
            ("paragraph", 0, "", "# no"),
            ("paragraph", 0, "", "heading"),
        ]

    def test_outputs_that_are_text_are_kept_when_asked_for(self) -> None:
        data = make_notebook(("code", "show()", "printed\nlines\n"))
        quiet = parse(data, "a.ipynb")
        loud = parse(data, "a.ipynb", notebook_outputs=True)

        assert kept_text(quiet) == "```\nshow()\n```\n\n"
        assert kept_text(loud) == "```\nprinted\nlines\n\n\n42\n```\n\n```\nshow()\n```\n\n"
        assert [block.kind for block in loud.blocks] == ["code", "code"]
        chunk, *_ = leafmark.chunk(data, path="a.ipynb", notebook_outputs=True)
        assert "printed" in chunk.text

    def test_front_matter_of_the_first_cell_is_data(self) -> None:
        data = make_notebook(
            ("raw", "---\ntitle: Named\ntags: [a, b]\n---\n"),
            ("raw", "---\ntitle: Not this\n---\n"),
            metadata={"title": "Nor this"},
        )
        document = parse(data, "a.ipynb")

        assert (document.title, document.tags) == ("Named", ("a", "b"))
        assert kept_text(document) == "---\ntitle: Not this\n---\n\n\n"

    def test_title_of_the_metadata_comes_before_a_heading(self) -> None:
        data = make_notebook(("markdown", "# H"), metadata={"title": " The  title "})

        assert parse(data, "a.ipynb").title == "The title"

    def test_version_3_has_worksheets_and_heading_cells(self) -> None:
        cells = [
            {"cell_type": "heading", "level": 2, "source": ["Part", " one"]},
            {"cell_type": "code", "language": "python", "input": ["1\n", "2"], "outputs": []},
            {"cell_type": "heading", "level": 99, "source": "Odd"},
            {"cell_type": "markdown", "source": "text"},
        ]
        data = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()
        document = parse(data, "old.ipynb")

        assert outline(document) == [(2, "Part one", 'Part", " one'), (1, "Odd", "Odd")]
        assert blocks(document) == [
            ("code", 0, "python", "```python\n1\n2\n```"),
            ("paragraph", 0, "", "text"),
        ]

    def test_old_notebooks_may_have_lines_without_their_ends(self) -> None:
        """nbformat 2 and 3 wrote lists of lines; the empty ones part paragraphs."""
        cells = [
            {"cell_type": "markdown", "source": ["# Part", "", "one", "two", "", "", "three"]},
            {"cell_type": "code", "language": "python", "input": ["if x:", "    y", "", "z"]},
            {"cell_type": "markdown", "source": ["with\n", "ends"]},
        ]
        data = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 2}, indent=1).encode()
        document = parse(data, "old.ipynb")
        assert document.reader is not None
        kept = [(0, len(data))]
        for hole in document.dropped_spans:
            start, end = kept.pop()
            kept += [(start, hole.start), (hole.end, end)]
        text = document.reader(data, [span for span in kept if span[0] < span[1]]).text

        assert [(h.title, data[h.start : h.end]) for h in document.headings] == [
            ("Part", b"# Part")
        ]
        code = "```python\nif x:\n    y\n\nz\n```"
        assert text.strip() == f"# Part\n\none\ntwo\n\n\nthree\n\n{code}\n\nwith\nends"
        assert [block.kind for block in document.blocks][-4:] == [
            *("paragraph", "paragraph", "code", "paragraph"),
        ]

    def test_links_point_at_their_bytes(self) -> None:
        data = make_notebook(("markdown", 'é [a](b.md "t") ![p](attachment:p.png)'))
        document = parse(data, "a.ipynb")

        assert [(link.kind, link.target) for link in document.links] == [
            ("link", "b.md"),
            ("image", "attachment:p.png"),
        ]
        assert [data[link.start : link.end].decode() for link in document.links] == [
            '[a](b.md \\"t\\")',
            "![p](attachment:p.png)",
        ]


class TestBadInput:
    @pytest.mark.parametrize(
        ("data", "message", "line"),
        [
            (b"", "it is not valid JSON: it ends too early", 1),
            (b'{"cells": [\n{"source": "a', "it is not valid JSON: a value is expected", 2),
            (b'{"cells": [1\n2]}', "it is not valid JSON: a comma or bracket is expected", 1),
            (b'{"cells": []}}', "it is not valid JSON: there is more after its end", 1),
            (b'{"cells": [}', "it is not valid JSON: a value is expected", 1),
            (b'{"cells": {"a": 1]}', "it is not valid JSON: another bracket is open", 1),
            (b"{1: 2}", "it is not valid JSON: a name in quotes is expected", 1),
            (
                b"[" * 100_000,
                "it is not valid JSON: it is nested more than 1000 levels deep",
                1,
            ),
            (b"[1, 2]", "it has no list of cells", None),
            (b'{"cells": {}}', "it has no list of cells", None),
        ],
    )
    def test_what_is_no_notebook_is_read_as_text_and_said(
        self, data: bytes, message: str, line: int | None
    ) -> None:
        document = parse(data, "bad.ipynb")

        assert (document.format, document.degraded) == ("text", True)
        found = Diagnostic("bad.ipynb", "degraded", f"read as plain text: {message}", line)
        assert document.diagnostics == (found,)

    @pytest.mark.parametrize(
        "cells",
        [
            [1, None, "x", [], {}],
            [{"cell_type": 5, "source": 7}],
            [{"cell_type": "markdown", "source": [1, {"a": "b"}, "# ok\n", None, "x"]}],
            [{"cell_type": "code", "source": "1", "outputs": [{"data": 3}, 4, {"text": {}}]}],
            [{"cell_type": "code", "source": "1", "outputs": "x", "metadata": []}],
        ],
    )
    def test_odd_values_are_passed_over(self, cells: list[object]) -> None:
        data = json.dumps({"cells": cells, "metadata": 3}).encode()

        document = parse(data, "odd.ipynb", notebook_outputs=True)
        assert document.diagnostics == ()
        assert [h.title for h in document.headings] in ([], ["ok"])

    def test_lone_surrogates_nul_and_bad_bytes(self) -> None:
        data = (
            b'\xef\xbb\xbf{"cells": [{"cell_type": "markdown", '
            b'"source": "# a\\ud800b\\u0000c\\r\\n\\r\\n\xc3\xa9\xc3\xa9\xff\\udc00\\q"}]}'
        )
        document = parse(data, "a.ipynb")

        assert document.data == data
        assert document.headings[0].title == "a\ufffdb\ufffdc"
        assert kept_text(document) == "# a\ufffdb\0c\r\n\r\néé\ufffd\ufffd\\q\n\n"
        assert [d.code for d in document.diagnostics] == ["bad-utf8"]

    def test_utf16_is_decoded_once(self) -> None:
        data = make_notebook(("markdown", "# Ä"), ascii=False)
        document = parse(data.decode().encode("utf-16"), "a.ipynb")

        assert (document.encoding, document.data) == ("utf-16-le", data)
        assert document.headings[0].title == "Ä"


def test_formulas_and_boxes_in_cells_hold_no_sections() -> None:
    cells = [
        ("markdown", "# A\n\n$$\nF\n=\nm a\n$$\n\ntext"),
        ("markdown", "$$\na\n-\nb\n$$\n\n:::note\n## N\n:::\n\n## B {#bee}\n\ntext"),
    ]
    document = parse(make_notebook(*cells), "a.ipynb")

    assert [(h.title, h.nested, h.anchor) for h in document.headings] == [
        ("A", False, None),
        ("N", True, None),
        ("B", False, "bee"),
    ]


def test_malformed_front_matter_in_a_cell_is_no_text() -> None:
    data = make_notebook(("raw", "---\ntitle: A: b\ntags: [x]\n---"), ("markdown", "# C\n\ntext"))
    document = parse(data, "a.ipynb")

    assert (document.title, document.tags) == ("A: b", ("x",))
    assert [diagnostic.code for diagnostic in document.diagnostics] == ["front-matter"]


MARKUP = {
    "boxes": ('<div class="alert">\n\n**Note**: a\n\n</div>\n\nb', "\n\n**Note**: a\n\n\n\nb\n\n"),
    "tags in lines": ("a <br>b &lt; <kbd>c</kbd> `<p>`", "a  b &lt; c `<p>`\n\n"),
    "cells": ("<table><tr><td>a</td>\n<td>b</td></tr></table>", "a\t\nb\t\n\n\n\n"),
    "a tag of several lines": ('a\n\n<div\nclass="b"\n>\nc', "a\n\n\nc\n\n"),
    "styles": ("<style>\n.a { b: c }\n</style>\n\nd", "\n\nd\n\n"),
}


@pytest.mark.parametrize(("cell", "text"), MARKUP.values(), ids=list(MARKUP))
@pytest.mark.parametrize("lines", [True, False])
def test_markup_of_cells_is_no_text(cell: str, text: str, lines: bool) -> None:
    document = parse(make_notebook(("markdown", cell), lines=lines), "a.ipynb")

    assert kept_text(document) == text
