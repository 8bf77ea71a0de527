"""`import leafmark`: what it offers, and that it costs nothing until it is used."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Unpack, get_type_hints

import pytest

import leafmark
import leafmark.app
import leafmark.index
from leafmark.chunking import ChunkingOptions
from leafmark.errors import ConfigError, StorageError, UsageError


def test_public_names_are_really_there() -> None:
    assert sorted(leafmark.__all__) == dir(leafmark)
    for name in leafmark.__all__:
        assert getattr(leafmark, name) is not None


def test_public_names_and_methods_say_what_they_are_for() -> None:
    for name in set(leafmark.__all__) - {"__version__"}:
        public = getattr(leafmark, name)
        assert public.__doc__, name
        assert public.__module__.startswith("leafmark."), name
    examples = ["chunk", "open_index", "parse", "rag_index", "rag_search"]
    for call in [getattr(leafmark, name) for name in examples]:
        assert "Raises:" in call.__doc__
        assert ">>>" in call.__doc__
    for name in ("search", "show", "context", "like", "verify", "source"):
        assert ">>>" in getattr(leafmark.Index, name).__doc__, name


def test_importing_it_imports_no_parser_and_no_engine() -> None:
    heavy = ("pyromark", "tantivy", "langchain_core", "llama_index", "asyncio")
    code = f"import leafmark, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_unknown_name_is_an_attribute_error() -> None:
    """For type checkers, too: they say where an ignored error is none."""
    with pytest.raises(AttributeError, match="module 'leafmark' has no attribute 'nothing'"):
        leafmark.nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'leafmark\.app' has no attribute 'nothing'"):
        leafmark.app.nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"module 'leafmark\.index' has no attribute 'nothing'"
    ):
        leafmark.index.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_source_is_bytes_text_or_a_path(tmp_path: Path) -> None:
    page = tmp_path / "p.md"
    page.write_bytes(b"# A\n\none\n")
    for source in (b"# A\n\none\n", "# A\n\none\n", page):
        found = leafmark.chunk(source, path="p.md", tree="t")
        assert [(c.id, c.body) for c in found] == [("t:p.md", ""), ("t:p.md#a", "\none\n")]
        assert leafmark.chunk(source, path=Path("p.md"), tree="t")[1].id == "t:p.md#a"
    assert leafmark.parse(page, path=Path("x", "p.html")).path == "x/p.html"
    assert leafmark.chunk(page, tree="t")[0].id == f"t:{page.as_posix()}"
    assert leafmark.chunk(" \n") == []


def test_no_encoding_is_guessed_of_a_text() -> None:
    escaped = "# A\n\nescapes \x1b$B$3$l\x1b(B here\n"
    assert leafmark.chunk(escaped)[1].body == "\nescapes \x1b$B$3$l\x1b(B here\n"
    assert leafmark.parse(escaped.encode()).encoding == "iso-2022-jp"

    half = leafmark.parse("# A\n\ncaf\ud800\u00e9\n")
    assert half.encoding == "utf-8"
    assert [each.code for each in half.diagnostics] == ["bad-utf8"]
    assert leafmark.chunk("# A\n\ncaf\ud800\u00e9\n")[1].body == "\ncaf\ufffd\ufffd\ufffd\u00e9\n"


def test_defaults_yield_to_the_sizes_that_are_given() -> None:
    source = "# A\n\n" + "Some words of prose. " * 200
    small = leafmark.chunk(source, strategy="section", max_tokens=120)
    expected = leafmark.chunk(
        source, strategy="section", min_tokens=60, target_tokens=120, max_tokens=120
    )
    assert [each.body_spans for each in small] == [each.body_spans for each in expected]
    assert 100 < max(each.tokens for each in small) <= 120

    windows = leafmark.chunk(source, strategy="fixed", fixed_tokens=40)
    assert max(each.body_tokens for each in windows) == 40


def test_chunks_are_equal_that_are_made_of_the_same() -> None:
    text = "# A\n\none\n\n## B\n\ntwo\n"
    chunks = leafmark.chunk(text, path="p.md")
    for same in (
        leafmark.chunk(text.encode(), path="p.md", tree="docs", strategy="auto", max_tokens=1000),
        copy.copy(chunks),
        copy.deepcopy(chunks),
        pickle.loads(pickle.dumps(chunks)),
    ):
        assert same == chunks
        assert set(same) == set(chunks)
    assert len({*chunks}) == len(chunks) == 3
    for other in (
        leafmark.chunk(text, path="q.md"),
        leafmark.chunk(text, path="p.md", tree="t"),
        leafmark.chunk(text, path="p.md", strategy="heading"),
        leafmark.chunk(text, path="p.md", tokenizer="characters"),
        leafmark.chunk(text + "!", path="p.md"),
        leafmark.chunk(text.encode("utf-16"), path="p.md"),
    ):
        assert len(other) == len(chunks)
        assert all(mine != theirs for mine, theirs in zip(chunks, other, strict=True))


def test_types_know_every_size() -> None:
    hints = get_type_hints(ChunkingOptions)
    stated = {name: hints[name] for name in ChunkingOptions._fields if name != "strategy"}
    assert get_type_hints(leafmark.Sizes) == stated
    assert get_type_hints(leafmark.chunk)["sizes"] == Unpack[leafmark.Sizes]


def test_mistakes_are_named() -> None:
    with pytest.raises(ConfigError) as wrong:
        leafmark.chunk("x", max_token=3)  # type: ignore[call-arg]
    assert wrong.value.message == "there is no size called 'max_token'"
    with pytest.raises(UsageError) as named:
        leafmark.chunk("x", tree="a b")
    assert named.value.message == "a tree cannot be called 'a b'"
    assert named.value.hint == "use letters, digits, `.`, `_` and `-`"
    with pytest.raises(StorageError) as missing:
        leafmark.chunk(Path("nowhere/p.md"))
    assert missing.value.message == "the file cannot be read: no such file or directory"
    for arguments, message in (
        ({"source": None}, "source is a NoneType"),
        ({"source": bytearray(b"x")}, "source is a bytearray"),
        ({"source": "x", "path": 3}, "path is 3"),
        ({"source": "x", "tree": 3}, "tree is 3"),
    ):
        with pytest.raises(UsageError) as kind:
            leafmark.chunk(**arguments)
        assert kind.value.message == message
        assert kind.value.hint
    with pytest.raises(StorageError) as nameless:
        leafmark.chunk(Path("a\0.md"))
    assert nameless.value.message == "the file cannot be read: embedded null byte"
