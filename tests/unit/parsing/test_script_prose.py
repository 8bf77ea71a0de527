"""Where prose in source code is parted: lines by grade, strings, and pieces in every language."""

from __future__ import annotations

import pytest

from leafmark.chunking import ChunkingOptions, chunk_document, inspect_quality
from leafmark.model import Chunk
from leafmark.parsing import parse
from leafmark.parsing.code.blocks import is_prose, prose_places

MARKS = "PISL"

# Each line begins with its grade: Paragraph, Item, Sentence, Line, or nothing.
DOCSTRING = '''
  """Run a command
L more of the line.
S A sentence.

P Second paragraph::

I     indented = example

I     further()

P Options
L -------
L first : int
L     Deeper.

P Title
L =====

L below its title

P - item
L   of two lines
I - item
I 1. numbered
I :param x: what
I @tag

P Args:
L     one: text
L         more
I     two: text
  """
'''

JSDOC = """
  /**
   * Text
L  * of two lines (really).
S  * A sentence.
   *
P  * # Heading
   *
L  * below it
   *
P  * ```js
   * const a = 1
   *
   * - b
   * ```
L  * text
I  * @param {string} a what
L  *   and more
I  * @returns nothing
   */
"""

HASHES = """
  # Text
L # more text:
  #
I # - item
I # - item
  #
P # -----
L # Title
L # -----
  #
L # below
"""

SLASHES = """
  /// Text,
L /// more.
  ///
P /// ~~~
L /// the fence is not closed
"""

STARS = """
  /*
  ** Text
  **
P ** Text.
L ** ~~~~~
  */
"""

DASHES = """
  --[[
L Text

P Text
L   more
I Text
  ]]
"""


def graded(raw: bytes, *, marked: bool) -> list[str]:
    starts = dict(prose_places(raw, marked=marked))
    lines, at = [], 0
    for line in raw.decode().splitlines(keepends=True):
        lines.append(f"{MARKS[starts.pop(at)] if at in starts else ' '} {line}")
        at += len(line.encode())
    assert not starts
    return lines


@pytest.mark.parametrize(
    ("case", "marked"),
    [
        pytest.param(DOCSTRING, False, id="docstring"),
        pytest.param(JSDOC, True, id="jsdoc"),
        pytest.param(HASHES, True, id="hashes"),
        pytest.param(SLASHES, True, id="slashes"),
        pytest.param(STARS, True, id="stars"),
        pytest.param(DASHES, False, id="no markers"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_grades(case: str, marked: bool, line_end: str) -> None:
    expected = [line or "  " for line in case.split("\n")[1:-1]]
    raw = line_end.join(line[2:] for line in expected) + line_end
    found = [line.rstrip("\r\n") for line in graded(raw.encode(), marked=marked)]

    assert found == expected


WORDS = "The quick brown fox jumps over the lazy dog; it does so again and again, all day long."
PARAGRAPHS = [f"Paragraph {number}. {WORDS}\n{WORDS}\n{WORDS}" for number in range(12)]


def commented(marker: str) -> str:
    lines = "\n\n".join(PARAGRAPHS).split("\n")
    return "".join(f"{marker} {line}".rstrip() + "\n" for line in lines)


SLASHED = commented("//")
STARRED = "/**\n" + commented(" *") + " */\n"
PLAIN = "\n\n".join(PARAGRAPHS)

SOURCES = {
    "docstring.py": f'def f():\n    """{PLAIN}\n    """\n    return 1\n',
    "module.py": f'"""{PLAIN}"""\n\nimport os\n',
    "hashes.py": commented("#") + "def f():\n    pass\n",
    "help.py": f'HELP = """\n{PLAIN}\n"""\n',
    "a.js": STARRED + "function f() {\n  return 1;\n}\n",
    "template.js": f"const help = `\n{PLAIN}\n`;\n",
    "a.ts": "interface A {\n" + STARRED + "  b: string;\n}\n",
    "a.tsx": SLASHED + "const a = <b/>;\n",
    "a.go": "package a\n\n" + SLASHED + "func F() {\n}\n",
    "raw.go": f"package a\n\nconst help = `\n{PLAIN}\n`\n",
    "outer.rs": commented("///") + "fn f() {}\n",
    "inner.rs": commented("//!") + "\nuse a::b;\n",
    "A.java": "class A {\n" + STARRED + "  void f() {}\n}\n",
    "a.c": "/*\n" + commented("**") + "*/\nint f(void) { return 1; }\n",
    "a.cpp": "namespace a {\n" + SLASHED + "int f() { return 1; }\n}\n",
    "a.cs": "class A {\n" + commented("///") + "  void F() {}\n}\n",
    "a.rb": commented("#") + "def f\nend\n",
    "begin.rb": f"=begin\n{PLAIN}\n=end\ndef f\nend\n",
    "a.php": "<?php\n" + STARRED + "function f() {}\n",
    "a.sh": commented("#") + "f() {\n  :\n}\n",
    "usage.sh": f"usage() {{\n  cat <<EOF\n{PLAIN}\nEOF\n}}\n",
    "a.sql": commented("--") + "SELECT 1;\n",
    "a.lua": commented("--") + "function f() end\n",
    "long.lua": f"--[[\n{PLAIN}\n]]\nfunction f() end\n",
    "a.kt": STARRED + "fun f() {}\n",
    "a.swift": commented("///") + "func f() {}\n",
    "a.scala": STARRED + "object A { def f = 1 }\n",
}


def pieces_of(path: str, code: str) -> list[Chunk]:
    options = ChunkingOptions()
    chunked = chunk_document(parse(code.encode(), path), tree="t", options=options)
    kinds = {finding.kind for finding in inspect_quality(chunked, options=options)}
    assert kinds <= {"below_min"}  # definitions may be small
    spans = sorted(span for chunk in chunked.chunks for span in chunk.body_spans)
    assert b"".join(code.encode()[start:end] for start, end in spans) == code.encode()
    return [chunk for chunk in chunked.chunks if chunk.kind == "piece"]


@pytest.mark.parametrize("path", SOURCES)
def test_prose_is_parted_at_its_paragraphs_in_every_language(path: str) -> None:
    pieces = pieces_of(path, SOURCES[path])

    assert len(pieces) >= 3
    assert not any(piece.oversize for piece in pieces)
    assert all(piece.body_tokens <= ChunkingOptions().target_tokens for piece in pieces)
    assert all("Paragraph " in piece.body.strip().split("\n")[0] for piece in pieces[1:])
    assert {piece.content_type for piece in pieces} == {"code"}


def test_a_doc_comment_that_fits_stays_in_one_piece_with_the_signature() -> None:
    doc = "/**\n" + " * Some words of documentation.\n *\n" * 25 + " */\n"
    code = "".join(f"  call(value, {number}, other);\n\n" for number in range(60))
    first, *_ = pieces_of("a.js", f"{doc}function f(value) {{\n{code}}}\n")

    assert first.body.startswith(f"{doc}function f(value)")


def test_comments_deep_inside_of_code_are_parted_too() -> None:
    code = "".join(
        f"{'    ' * depth}if a:\n{'    ' * depth}    b()\n\n{'    ' * depth}    c()\n"
        for depth in range(12)
    )
    comment = "".join(f"{'    ' * 12}{line}\n" for line in commented("#").splitlines())
    pieces = pieces_of("a.py", f"{code}{comment}{'    ' * 12}d()\n")

    assert len(pieces) >= 4
    assert not any(piece.oversize for piece in pieces)
    assert all(piece.body_tokens <= ChunkingOptions().target_tokens for piece in pieces)


def test_one_long_paragraph_is_parted_at_sentences() -> None:
    code = '"""' + f"{WORDS}\nand\nso on.\n" * 30 + '"""\n'
    pieces = pieces_of("a.py", code)

    assert len(pieces) > 2
    assert all(piece.body.startswith(WORDS) for piece in pieces[1:])


DATA = {
    "sql": "SELECT a.id, b.id FROM a JOIN b ON a.id = b.a_id WHERE (a.x > 1)\n\n",
    "json": '{"id": 1, "name": "n", "tags": ["a", "b"], "x": {"y": 1.5}}\n\n',
    "code": "for (i = 0; i < n; i++) { x[i] = f(i); }\n\n",
    "markup": '<a href="/x/y" class="b"><b>text</b></a>\n\n',
    "escapes": "\\t{x=1}[0]\n\\n{y=2}[1]\n",
    "closing": "{x=1}[0]\n\n",
    "base64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ4/8+3+9+1+2==\n\n",
}


@pytest.mark.parametrize("name", DATA)
def test_a_string_of_data_is_never_cut(name: str) -> None:
    text = DATA[name] * 90
    (chunk,) = chunk_document(
        parse(f'x = """{text}"""\n'.encode(), "a.py"), tree="t", options=ChunkingOptions()
    ).chunks

    assert not is_prose(text.encode())
    assert chunk.body_tokens > 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PLAIN, True),
        (WORDS, False),
        ("文字列は散文です。\n" * 5, True),
        ("'" * 100_000 + "#\n\n\n\n", False),
        ("\n" * 9, False),
    ],
    ids=["paragraphs", "one line", "without spaces", "hostile", "blank"],
)
def test_strings_that_read_like_prose(text: str, expected: bool) -> None:
    assert is_prose(text.encode()) is expected


def test_the_lines_looked_at_grow_with_the_comment_alone() -> None:
    counts = [len(list(prose_places(b"# a\n#\n" * n, marked=True))) for n in (100, 200)]

    assert counts == [99, 199]
