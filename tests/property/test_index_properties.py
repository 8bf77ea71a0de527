"""Any history of changes leads to the index that a fresh build gives; any text is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tantivy
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.folders import temporary_folder
from support.indexes import SETTINGS, as_bytes, chunk, contents, state_of

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.index import open_reader, open_writer
from leafmark.index.analysis import MAX_TOKEN_CHARS, analyzer_for, has_signs
from leafmark.index.embedded.generation import create_engine, index_languages
from leafmark.index.folding import fold
from leafmark.index.records import deserialise_document, document_entry, serialise_document
from leafmark.index.schema import Language
from leafmark.model import Entry
from leafmark.parsing import parse

LETTERS = st.sampled_from(
    [*"abzéßñΩяק日本語한ไท🙂\u0301\u0bcd ", "İ", "ǅ", "ﬁ", "\u2028", "_", "-"]
)
WORDS = st.one_of(
    st.text(LETTERS, max_size=12),
    st.sampled_from(["handling", "x" * 40, "x" * 41, "é" * 41, "日" * 50, "snake_case", "\ud800"]),
    st.text(max_size=8),
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join) | st.lists(WORDS, max_size=6).map("".join)
ANALYZERS = st.sampled_from([None, "english", "german", "tamil", "turkish"]).map(analyzer_for)


@given(ANALYZERS, TEXTS)
def test_terms_are_those_of_the_engine(analyzer: Any, text: str) -> None:
    """Words are remembered one by one; the engine reads the whole text, but knows no signs."""
    assume(not has_signs(fold(text)))
    assert analyzer.terms(text) == analyzer.plain_terms(text)


@given(ANALYZERS, TEXTS)
@example(analyzer_for("tamil"), "\u0e17\u0301\u0e4c")
def test_tokens_are_the_terms_where_they_stand(analyzer: Any, text: str) -> None:
    tokens = analyzer.tokens(text)
    assert [token.term for token in tokens] == analyzer.terms(text)
    ends = [0, *(token.end for token in tokens)]
    for token, before in zip(tokens, ends, strict=False):
        assert token.start < token.end <= len(text)
        said = text[token.start : token.end]  # of marks in another order each stands for all
        overlaps = before == token.end and fold(said) != said
        assert before <= token.start or overlaps or has_signs(fold(text))
        assert token.end - token.start <= MAX_TOKEN_CHARS + 2
    wanted = {token.term for token in tokens[::2]}
    assert analyzer.find(text, wanted.__contains__) == [t for t in tokens if t.term in wanted]


@given(ANALYZERS, st.lists(TEXTS, min_size=1, max_size=4))
def test_the_engine_finds_every_text_as_a_phrase(analyzer: Any, texts: list[str]) -> None:
    """What the engine indexed is what `terms` says, in that order."""
    (language,) = index_languages({"t": analyzer.language})
    with temporary_folder() as folder:
        index = create_engine(Path(folder, "text"), (language,))
        writer = index.writer(15_000_000, 1)
        for text in texts:
            document = tantivy.Document()
            document.add_text(language.body, analyzer.for_index(text))
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        _check_phrases(index, language, texts)


def _check_phrases(index: tantivy.Index, language: Language, texts: list[str]) -> None:
    analyzer, body = language.analyzer, language.body
    searcher = index.searcher()
    found = {term for term, _ in searcher.terms_with_prefix(body, "")}
    assert found == {term for text in texts for term in analyzer.terms(text)}
    for number, text in enumerate(texts):
        terms = analyzer.terms(text)
        if not terms:
            continue
        if len(terms) == 1:
            query = tantivy.Query.term_query(index.schema, body, terms[0])
        else:
            query = tantivy.Query.phrase_query(index.schema, body, [*terms])
        assert number in {address.doc for _, address in searcher.search(query, 10).hits}


LINES = st.sampled_from(
    [
        "# One",
        "## Two",
        "### Three words",
        "Setext",
        "-----",
        "text and more",
        "",
        "```py",
        "```",
        "| a | b |",
        "|---|---|",
        "- item",
        "> # quoted",
        "# One",
        "sentence. another one. " * 12,
        "日本語 ไทย",
        "---",
        "title: T",
    ]
)
SOURCES = st.lists(LINES, max_size=14).map("\n".join)
STRATEGIES = st.sampled_from(
    [
        ChunkingOptions(strategy="heading"),
        ChunkingOptions(strategy="auto", min_tokens=2, target_tokens=10, max_tokens=30),
        ChunkingOptions(strategy="section", min_tokens=2, target_tokens=10, max_tokens=30),
        ChunkingOptions(strategy="fixed", fixed_tokens=10, fixed_overlap=3),
    ]
)


@given(SOURCES, STRATEGIES)
def test_a_record_gives_back_the_chunks(source: str, options: ChunkingOptions) -> None:
    chunked = chunk_document(parse(source.encode(), "a b.md"), tree="t", options=options)
    entry = document_entry(chunked, state_of(source), named=True)
    contents = [chunk.content for chunk in chunked.chunks]
    folded = chunked.folded_position
    stored = deserialise_document(
        serialise_document(entry, chunked.chunks, contents, folded_position=folded)
    )
    assert stored.entry == entry
    assert len(stored) == len(chunked.chunks)
    for made in chunked.chunks:
        found = stored.chunk(made.position)
        parent = made.parent
        expected = {name: getattr(made, name) for name in Entry._fields if hasattr(made, name)} | {
            "parent_fragment": parent.fragment if parent else ""
        }
        assert {name: getattr(found, name) for name in expected} == expected
        assert stored.position_of(made.slug, made.piece) == made.position


PATHS = st.sampled_from(["a.md", "b/c.md", "ü.md", "caf\udce9.md"])


class Histories(RuleBasedStateMachine):
    """Changes in any order and any batches; the sources are the truth."""

    @initialize()
    def begin(self) -> None:
        self.folder = temporary_folder()
        self.root = Path(self.folder.name, "index")
        self.sources: dict[str, bytes] = {}
        self.inode = 1
        self.built: dict[str, tuple[bytes, int]] | None = None
        self.expected: dict[str, Any] = {}

    @rule(changes=st.lists(st.tuples(PATHS, st.none() | SOURCES), min_size=1, max_size=4))
    def commit(self, changes: list[tuple[str, str | None]]) -> None:
        with open_writer(self.root, SETTINGS, timeout_s=0) as writer:
            self._apply(writer, changes)
            writer.commit(started_ns=1)
        for path, source in changes:
            if source is None:
                self.sources.pop(path, None)
            else:
                self.sources[path] = as_bytes(source)

    @rule(changes=st.lists(st.tuples(PATHS, st.none() | SOURCES), min_size=1, max_size=4))
    def give_up(self, changes: list[tuple[str, str | None]]) -> None:
        with open_writer(self.root, SETTINGS, timeout_s=0) as writer:
            self._apply(writer, changes)

    def _apply(self, writer: Any, changes: list[tuple[str, str | None]]) -> None:
        for path, source in changes:
            if source is None:
                writer.remove("t", path)
            else:
                writer.put(chunk(path, source), state_of(source, inode=self.inode))

    @rule()
    def copy_the_tree(self) -> None:
        """New inodes for the same bytes."""
        self.inode += 1
        with open_writer(self.root, SETTINGS, timeout_s=0) as writer:
            for path, source in self.sources.items():
                assert writer.touch("t", path, state_of(source, inode=self.inode))
            writer.commit(started_ns=1)

    @invariant()
    def the_index_is_that_of_a_fresh_build(self) -> None:
        if not hasattr(self, "root") or not (self.root / "CURRENT").exists():
            return
        manifest = open_reader(self.root).manifest
        states = {path: (each, manifest["t", path].inode) for path, each in self.sources.items()}
        if states != self.built:  # where nothing changed, a build would be the last one again
            fresh = Path(self.folder.name, "fresh")
            with open_writer(fresh, SETTINGS, timeout_s=0, rebuild=True) as writer:
                for path, (source, inode) in states.items():
                    writer.put(chunk(path, source), state_of(source, inode=inode))
                writer.commit(started_ns=1)
            self.built, self.expected = states, contents(fresh)
        assert contents(self.root) == self.expected

    def teardown(self) -> None:
        self.folder.cleanup()


_machine: Any = type("Histories", (Histories,), {})
TestHistories = _machine.TestCase
TestHistories.settings = settings(max_examples=10, stateful_step_count=10)
