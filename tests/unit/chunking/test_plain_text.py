"""Where plain text is cut: at its paragraphs, then at the items of lists, then at sentences."""

from __future__ import annotations

import pytest
from support.hostile import quadratic_fails

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.chunking.keep_with_next import item_starts
from leafmark.parsing import parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A line.\n- One item, or a line of prose.\n", []),
        ("- One.\n- Two.\n", ["- One.", "- Two."]),
        (" 9. Nine\n    goes on.\n10. Ten\n", [" 9. Nine", "10. Ten"]),
        ("\u2022 One\r\n\u2022 Two\r\n", ["\u2022 One", "\u2022 Two"]),
        (
            "Mon Jan 28 A. Writer\n  * One\n  * Two\nTue Jan 29\n  * One\n",
            ["  * One", "  * Two", "Tue Jan 29", "  * One"],
        ),
        ("a. One\nb) Two\n(iv) Four\n", ["a. One", "b) Two", "(iv) Four"]),
        ("-one\n-two\n*three*\n2024. Four\n", []),
    ],
)
def test_where_items_begin(text: str, expected: list[str]) -> None:
    raw = text.encode()
    found = [raw[at:].decode().splitlines()[0] for at in item_starts(raw)]
    assert found == expected


@pytest.mark.parametrize("part", ["- ", "-\n- ", " ", "\t", "1. ", "\n", "(", "iv", "(iv) a\n"])
def test_hostile_items_are_found_in_linear_time(part: str) -> None:
    with quadratic_fails():
        item_starts((part * (200_000 // len(part))).encode())


@pytest.mark.parametrize("strategy", ["auto", "section"])
@pytest.mark.parametrize("mark", ["-", " *", "  +", "1.", "(a)", "!"])
def test_items_of_plain_text_in_lines_right_below_each_other_stay_whole(
    mark: str, strategy: Strategy
) -> None:
    items = [
        f"{mark} Change {number} is told. It takes two sentences.\n"
        + "      A third one goes on in the line below it.\n" * (number % 3)
        for number in range(60)
    ]
    options = ChunkingOptions(strategy=strategy)
    document = parse("".join(items).encode(), "changes.txt")
    found = chunk_document(document, tree="t", options=options).chunks
    bodies = [chunk.body for chunk in found if chunk.kind == "piece"]
    assert len(bodies) > 4
    assert all(body.lstrip().startswith(mark.strip()) for body in bodies)


def test_an_item_of_plain_text_that_is_too_large_is_cut_between_its_sentences() -> None:
    item = "- " + "A sentence of the first item of two. " * 60 + "\n"
    text = f"{item}- The last one is short.\nA word.\n".encode()
    found = chunk_document(parse(text, "p.txt"), tree="t").chunks
    bodies = [chunk.body for chunk in found if chunk.kind == "piece"]
    assert len(bodies) > 1
    assert all(body.lstrip().startswith(("- A sentence", "A sentence")) for body in bodies)
