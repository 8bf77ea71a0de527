"""Where source code without a grammar is cut, which is plain text: by its indentation."""

from __future__ import annotations

import pytest

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.chunking.keep_with_next import WORST_CUT, depth_in_code
from leafmark.chunking.packing import divide
from leafmark.parsing import parse


@pytest.mark.parametrize(
    ("name", "above", "below", "expected"),
    [
        ("a.proto", "message A {\n  int32 b = 1;\n}", "message C {\n", 0),
        ("a.proto", "message A {\n  int32 b = 1;", "  int32 c = 2;\n", 3),
        ("a.proto", "message A {\n  int32 b = 1;", "}\n", WORST_CUT),
        ("a.css", ".a {", "  color: red;\n", 502),
        ("a.css", ".a,", ".b {\n", 500),
        ("a.vim", "func A()\n\tlet b = 1", "\tlet c = 2\n", 9),
        ("a.tf", "locals {\n  a = [", "    1,\n", 504),
        ("a.txt", "Say\n\n    a = b;", "    c = d;\n", 5),
        ("a.txt", "Say\n\n    (setq a 1)", "    (setq b 2)\n", 5),
        ("a.txt", "Say\n\n    a = b;", "That is all.\n", 0),
        ("a.txt", "  - one;", "  - two;\n", 0),
        ("a.txt", "  A word (or two).", "  Another word.\n", 0),
        ("a.txt", "  A word (or two)", "  Another word.\n", 0),
        ("README", "  It says so;", "        deeper.\n", 0),
        ("README", "One,", "two\n", 0),
    ],
)
def test_how_poor_a_cut_in_code_is(name: str, above: str, below: str, expected: int) -> None:
    assert depth_in_code(f"folder.d/{name}", above.encode(), below.encode()) == expected


def test_a_cut_without_a_good_place_settles_at_the_least_poor_one() -> None:
    poor = {1: 9, 2: 5, 3: 3, 4: 7, 5: 3}
    found = divide([10] * 6, capacity=40, penalty=lambda at: poor[at])
    assert found.groups == [(0, 3), (3, 6)]


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_rules_of_a_style_sheet_without_blank_lines_stay_whole(strategy: Strategy) -> None:
    rules = [
        f".box-{number},\n.case-{number} {{\n"
        + "".join(f"  margin-{line}: {number}px;\n" for line in range(1 + number % 6))
        + "}\n"
        for number in range(80)
    ]
    options = ChunkingOptions(strategy=strategy)
    found = chunk_document(parse("".join(rules).encode(), "a.css"), tree="t", options=options)
    bodies = [chunk.body for chunk in found.chunks if chunk.kind == "piece"]
    assert len(bodies) > 4
    assert all(body.startswith(".box-") and body.endswith("}\n") for body in bodies)


def test_lines_without_sentences_are_pieces_of_nearly_equal_size() -> None:
    lines = "".join(f"key.number.{number} = value {number}\n" for number in range(100))
    found = chunk_document(parse(lines.encode(), "p.txt"), tree="t").chunks
    sizes = [chunk.body_tokens for chunk in found if chunk.kind == "piece"]
    assert len(sizes) > 2
    assert max(sizes) < min(sizes) * 1.3
