"""Hints: what the user may want to know about an answer, or do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from leafmark.index import IndexReader, fact
from leafmark.model import Candidate, Hint, Result
from leafmark.query import (
    Expression,
    Not,
    Phrase,
    Prefix,
    Term,
    all_of,
    filters_only,
    format_query,
    iter_leaves,
    parts_of,
)
from leafmark.retrieval.candidates import TopicSearch, find_candidates
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.ordering import topics_of
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.statistics import statistics_of
from leafmark.retrieval.stopwords import stop_words
from leafmark.retrieval.versions import other_version_filter

__all__ = ["NOWHERE", "as_named", "hints_about"]

NOWHERE = {
    None: "nowhere",
    "title": "in no title",
    "tags": "in no tag",
    "path": "in no path",
    "body": "in no body",
}
"""How to say that a word does not occur, by the field that it was asked for in."""

MOST_NAMED = 3
"""The most words that one hint names."""

_ENDS = ".,:;!?…"
_QUOTES = "`'\"“”‘’«»"

LONGEST_OPTION = 3
"""The most characters of a negated word that looks like an option (`-oMa`); chosen by eye."""


def hints_about(
    reader: IndexReader,
    topics: Sequence[Expression],
    params: SearchParams,
    compiled: Sequence[Sequence[Compiled]],
    ranked: Sequence[Candidate],
    results: Sequence[Result],
    *,
    doubtful: bool,
) -> tuple[Hint, ...]:
    """Return the hints about an answer; a `doubtful` one may be none (`weights.DOUBT_BELOW`).

    `results` are the first of the `ranked` candidates.
    """
    return (
        *_about_doubt(doubtful),
        *_about_topics(topics),
        *_about_missing_topics(topics, ranked, results),
        *_about_fields(reader, topics),
        *_about_words(compiled),
        *_about_relaxing(topics, ranked, results),
        *_about_options(reader, topics, params, ranked, results),
        *_about_versions(results),
        *_about_stale(results),
    )


def _about_doubt(doubtful: bool) -> Iterator[Hint]:
    if doubtful:
        yield Hint(
            "doubtful", "even the best matches lack much of what was asked: it may not be there"
        )


def _about_topics(topics: Sequence[Expression]) -> Iterator[Hint]:
    if len(topics) > 1 and all(isinstance(topic, Term) for topic in topics):
        yield Hint(
            "topics",
            "each argument was searched as a topic of its own; "
            "put the words into one pair of quotes to require them together",
        )
    elif len(topics) > 1:
        for topic in topics:
            if filters_only(topic):
                name = format_query(topic)
                yield Hint(
                    "filter-topic",
                    f"{name} was searched as a topic of its own, and found all that it admits; "
                    f"put it into the same quotes as the words that it should filter",
                )


def _about_missing_topics(
    topics: Sequence[Expression], ranked: Sequence[Candidate], results: Sequence[Result]
) -> Iterator[Hint]:
    """Tell which topics no result is about, though others have some: one list holds them all.

    A topic of filters admits too much to be one, and is told of by itself.
    """
    if len(topics) < 2 or not results:
        return
    shown, found = topics_of(ranked[: len(results)]), topics_of(ranked)
    for number, topic in enumerate(topics):
        if number not in shown and not filters_only(topic):
            name = f"“{format_query(topic)}”"
            why = ", as others match better; search for it by itself" if number in found else ""
            yield Hint("missing-topic", f"no result is for {name}{why}")


def _about_fields(reader: IndexReader, topics: Sequence[Expression]) -> Iterator[Hint]:
    """Tell what was written like a field, but was taken as text since there is no such field.

    After the name of a tree it is a pasted id, or meant for that tree.
    """
    words: dict[str, str] = {}
    for topic in topics:
        for asked in iter_leaves(topic):
            if isinstance(asked.leaf, Term | Prefix) and asked.leaf.no_field:
                words.setdefault(asked.leaf.no_field, format_query(asked.leaf))
    if not words:
        return
    names = list(words)[:MOST_NAMED]
    texts = " and ".join(f"“{words[name]}”" for name in names)
    count = statistics_of(reader).frequency
    tree = next((name for name in names if count("facts", fact("tree", name))), None)
    if tree is None:
        way = f"write meta.{names[0]}: for a key of the front matter"
    else:
        way = f"write id:{words[tree]} for what has that id, or tree:{tree} to search that tree"
    yield Hint(
        "unknown-field",
        f"no field is called {' or '.join(names)}, so {texts} "
        f"{'was' if len(names) == 1 else 'were'} taken as text; {way}",
    )


def _about_words(compiled: Sequence[Sequence[Compiled]]) -> Iterator[Hint]:
    """Tell what was corrected, what occurs nowhere, and what cannot be looked up at all."""
    if not any(compiled):
        yield Hint("no-words", "the query holds no word that can be looked up")
        return
    for topic in compiled:
        known = {
            _named(looked)
            for each in topic
            for looked in each.looked
            if looked.queries and not looked.corrected
        }
        for name, found in _corrected(topic).items():
            if name in known:
                continue
            if found:
                words = ", ".join(found[:MOST_NAMED])
                yield Hint("corrected", f"{name}; searched for {words}")
            else:
                yield Hint("unknown-word", name)


def _corrected(topic: Sequence[Compiled]) -> dict[str, list[str]]:
    """Return the corrections of each word that occurs nowhere in a language.

    Stop words of another language are skipped: only this language looked for them. So are
    parts of a word, which is told as a whole.
    """
    found: dict[str, dict[str, None]] = {}  # two languages may have the same word
    names = {compiled.language.name for compiled in topic}
    for compiled in topic:
        others = names - {compiled.language.name}
        for looked in compiled.looked:
            if looked.number in compiled.parts:
                continue
            if any(looked.label.lower() in stop_words(name) for name in others):
                continue
            if looked.corrected or not looked.queries:
                found.setdefault(_named(looked), {}).update(dict.fromkeys(looked.corrected))
    return {name: list(words) for name, words in found.items()}


def _named(looked: Looked) -> str:
    """Say that a word, phrase or prefix does not occur where it was asked for."""
    label = f"{looked.label}*" if looked.prefix else as_named(looked.label)
    return f"“{label}” occurs {NOWHERE[looked.field]}"


def as_named(word: str) -> str:
    """Return a word as hints name it: without quotes and the punctuation of a sentence's end.

    >>> as_named("`bread`?"), as_named(".env"), as_named("...")
    ('bread', '.env', '...')
    """
    return word.rstrip(_ENDS).strip(_QUOTES).rstrip(_ENDS) or word


def _about_relaxing(
    topics: Sequence[Expression], ranked: Sequence[Candidate], results: Sequence[Result]
) -> Iterator[Hint]:
    relaxed = [one.relaxed for one in results]
    if not any(relaxed):
        return
    if not all(one.relaxed for one in ranked):
        in_order = relaxed == sorted(relaxed) and not all(relaxed)  # a model may mix them
        which = "the last results" if in_order else "some results"
        message = f"{which} match some of the words only; --strict leaves these out"
        yield Hint("relaxed", message)
        return
    leaves = [asked for topic in topics for asked in iter_leaves(topic)]
    quoted = any(isinstance(each.leaf, Phrase) and not each.negated for each in leaves)
    which = "what is in quotes and some of the rest" if quoted else "some of them"
    message = f"nothing matches all words; the results match {which}"
    yield Hint("relaxed", f"{message}; --strict leaves these out")


def _about_options(
    reader: IndexReader,
    topics: Sequence[Expression],
    params: SearchParams,
    ranked: Sequence[Candidate],
    results: Sequence[Result],
) -> Iterator[Hint]:
    """Tell what looks like an option of a command (`-e`), but negated a word."""
    is_met = not all(one.relaxed for one in ranked)
    named = _options(reader, topics, params, is_met=is_met)[:MOST_NAMED] if results else []
    if named:
        which = " and ".join(f"-{word}" for word in named)
        verb = "leaves" if len(named) == 1 else "leave"
        held = " or ".join(f"“{word}”" for word in named)
        message = f'{which} {verb} out what holds {held}; "-{named[0]}" in quotes looks for it'
        yield Hint("option", message)


def _options(
    reader: IndexReader, topics: Sequence[Expression], params: SearchParams, *, is_met: bool
) -> list[str]:
    """Return the negated words that may be meant as options.

    Where chunks match all else (`is_met`), those are only single letters that left something
    out: people exclude words that say something.
    """
    leaves = [asked for topic in topics for asked in iter_leaves(topic)]
    out = [one.leaf for one in leaves if one.negated and not one.field]
    words = dict.fromkeys(leaf.text for leaf in out if isinstance(leaf, Term))
    short = [word for word in words if len(word) <= LONGEST_OPTION and word.isalnum()]
    letters = [word for word in short if len(word) == 1]
    if is_met:
        left_out = dict.fromkeys(_left_out(reader, topics, params) if letters else ())
        return [word for word in left_out if word in letters]
    return short or [*dict.fromkeys(_left_out(reader, topics, params) if words else ())]


def _about_versions(results: Sequence[Result]) -> Iterator[Hint]:
    """What keeps a search to the versions that the first such result stands for."""
    joined = next((one for one in results if one.other_versions), None)
    if joined is None:
        return
    filters = (other_version_filter(joined.entry, other) for other in joined.other_versions)
    named = list(dict.fromkeys(filters))[:MOST_NAMED]
    yield Hint(
        "versions",
        f"what reads nearly the same in several versions is shown once; "
        f"{' or '.join(named)} in the query keeps to another",
    )


def _left_out(
    reader: IndexReader, topics: Sequence[Expression], params: SearchParams
) -> Iterator[str]:
    """Yield the negated words that some chunk has together with the rest of their topic.

    `ld: cannot find -lfoo` asks for texts without `lfoo`. A user who pasted an error message
    did not mean that.
    """
    strict = replace(params, strict=True)
    for topic in topics:
        parts = parts_of(topic)
        for part in parts:
            if isinstance(part, Not) and isinstance(part.operand, Term):
                asked = all_of([part.operand if other is part else other for other in parts])
                if find_candidates(TopicSearch.of(reader, asked, strict)).matched:
                    yield part.operand.text


def _about_stale(results: Sequence[Result]) -> Iterator[Hint]:
    stale = sum(1 for one in results if one.stale)
    if stale:
        what = "a result is" if stale == 1 else f"{stale} results are"
        yield Hint(
            "stale",
            f"{what} from a source that has changed since, or cannot be read now; "
            "`leafmark index` says which",
        )
