"""Cost, by counting: twice the document is about twice the bytes given to the tokenizer."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from support.documents import Part, make_document, words

from leafmark.chunking import (
    ChunkingOptions,
    Strategy,
    chunk_document,
    register_tokenizer,
    tokens,
)
from leafmark.parsing import parse


class Tally:
    """Counts four bytes as a token, and adds up what it was asked to count."""

    def __init__(self) -> None:
        self.counted = 0
        self.texts: Counter[str] = Counter()

    def __call__(self, text: str) -> int:
        self.counted += len(text)
        self.texts[text] += 1
        return -(-len(text) // 4)


def huge(kind: str, size: int) -> list[Part]:
    parts: dict[str, list[Part]] = {
        "section": [("heading", 1, "A"), *[("paragraph", words(50))] * size],
        "paragraph": [("paragraph", words(30 * size))],
        "list": [("list", [words(20)] * size)],
        "table": [("table", [f"key {number}" for number in range(5 * size)])],
        "tiny sections": [("heading", 2, "T"), ("paragraph", "x")] * (10 * size),
        "levels": [
            part
            for number in range(size)
            for part in (("heading", number % 6 + 1, f"T{number}"), ("paragraph", words(30)))
        ],
        "letters": [("paragraph", "x" * 100 * size)],
    }
    return parts[kind]


def cost(strategy: Strategy, parts: list[Part]) -> tuple[int, int]:
    counter = Tally()
    register_tokenizer("counting", counter)
    document = make_document(*parts)
    options = ChunkingOptions(strategy=strategy, tokenizer="counting")
    chunk_document(document, tree="t", options=options)
    return counter.counted, len(document.data)


@pytest.mark.parametrize("strategy", ["heading", "auto", "section", "fixed"])
@pytest.mark.parametrize(
    "kind", ["section", "paragraph", "list", "table", "tiny sections", "levels", "letters"]
)
def test_twice_the_document_is_twice_the_work(strategy: Strategy, kind: str) -> None:
    once, size = cost(strategy, huge(kind, 400))
    twice, double_size = cost(strategy, huge(kind, 800))
    assert twice <= 2.2 * (double_size / size / 2) * once
    if strategy == "heading":
        assert twice == 0
    elif strategy != "fixed":
        assert twice <= 12 * double_size


@pytest.mark.parametrize("strategy", ["auto", "section", "fixed"])
def test_of_a_long_run_of_one_character_a_few_windows_are_counted(strategy: Strategy) -> None:
    counted, size = cost(strategy, huge("letters", 4000))
    assert counted < 1.25 * size


class Watched:
    """The tokenizer of a model, with the characters that it was shown."""

    def __init__(self) -> None:
        self.own = tokens.model_tokenizer("o200k_base")
        self.counted = self.looked_at = 0

    def count(self, text: str) -> int:
        self.counted += len(text)
        return self.own.count(text)

    def truncate(self, text: str, limit: int) -> tuple[str, int]:
        self.looked_at += len(text)
        return self.own.truncate(text, limit)


@pytest.mark.parametrize(("strategy", "counted"), [("section", 2.5), ("fixed", 2.5), ("auto", 6)])
@pytest.mark.parametrize("alphabet", ["ABCabc012+/", "天地玄黄宇宙洪荒", "abcdef {}:,"])
def test_one_long_line_is_shown_to_the_tokenizer_few_times(
    monkeypatch: pytest.MonkeyPatch, strategy: Strategy, counted: float, alphabet: str
) -> None:
    watched = Watched()
    monkeypatch.setattr(tokens, "model_tokenizer", lambda _: watched)
    text = "".join(Random(1).choices(alphabet, k=150_000))
    options = ChunkingOptions(strategy=strategy)
    chunk_document(parse(text.encode(), "a.txt"), tree="t", options=options)
    assert watched.counted <= counted * len(text)
    assert watched.looked_at <= (counted + 0.5) * len(text)


def test_small_bodies_are_not_counted() -> None:
    parts: list[Part] = [("heading", 2, "T"), ("paragraph", "x" * 290)] * 50
    assert cost("auto", parts)[0] == 0


@pytest.mark.parametrize("strategy", ["auto", "section"])
@pytest.mark.parametrize("sizes", [(60,), (20, 350, 90, 10, 200), (500,), (5, 30, 280, 310, 100)])
def test_no_block_is_counted_anew_for_each_attempt(
    strategy: Strategy, sizes: tuple[int, ...]
) -> None:
    """Blocks of such sizes are packed several times; one more count, for finer parts, is enough."""
    tally = Tally()
    register_tokenizer("counting", tally)
    parts: list[Part] = []
    for number in range(100):
        if number % 7 == 0:
            parts.append(("heading", number % 3 + 1, f"T{number}"))
        sentence = f"Sentence of paragraph {number} is this. "
        parts.append(("paragraph", sentence * -(-sizes[number % len(sizes)] // 6)))
    document = make_document(*parts)
    options = ChunkingOptions(strategy=strategy, tokenizer="counting", target_tokens=300)
    chunk_document(document, tree="t", options=options)
    assert max([times for text, times in tally.texts.items() if len(text) > 200]) <= 2
    assert tally.counted <= 5 * len(document.data)


def test_own_text_that_goes_whole_into_one_part_is_not_split_or_counted_again() -> None:
    parts: list[Part] = []
    for number in range(40):
        parts += [("heading", 2, f"T{number}"), ("paragraph", words(60)), ("paragraph", words(70))]
        parts += [("heading", 3, f"S{number}"), ("paragraph", words(700))]
    counted, size = cost("section", parts)
    assert counted <= 1.1 * size


@pytest.mark.parametrize(
    ("code", "is_read"),
    [
        ("```py\nif x:\n    y()\n```", False),
        ("~~~\nx\n~~~", False),
        ("```\n  x\n  y\n```", True),
        ("```\nx\n  ```", True),
        (" ```\nx\n ```", True),
        ("    x\n    y", True),
    ],
)
def test_code_at_the_margin_needs_no_normalising(code: str, is_read: bool) -> None:
    """Told by what is counted: the text of a section near the bound, beside the bytes."""
    tally = Tally()
    register_tokenizer("counting", tally)
    source = "".join(f"## T{n}\n\n{words(810)}\n\n{code}\n\n{words(20)}\n\n" for n in range(3))
    options = ChunkingOptions(strategy="section", tokenizer="counting", max_tokens=1000)
    chunk_document(parse(source.encode(), "a.md"), tree="t", options=options)
    assert (tally.counted > 1.5 * len(source)) is is_read


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_the_text_of_a_record_is_counted_once(strategy: Strategy) -> None:
    counter = Tally()
    register_tokenizer("counting", counter)
    options = ChunkingOptions(strategy=strategy, tokenizer="counting")
    chunks = chunk_document(make_document(*huge("section", 60)), tree="t", options=options).chunks
    counter.texts.clear()
    carried = 0
    for chunk in chunks:
        record = chunk.to_dict()
        assert record["tokens"] == chunk.tokens == -(-len(chunk.text) // 4)
        assert record["context_spans"] == [list(span) for span in chunk.context_spans]
        carried += len(chunk.context_spans)
        if chunk.piece:
            assert counter.texts[chunk.text] == 1
    assert carried
