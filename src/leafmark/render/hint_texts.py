"""Hints in the terms of a front end: codes and values become sentences.

The command line has options, programs have arguments, a page has controls. Each names what it
offers in a `Terms`; all else is said the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from leafmark.errors import Remedy
from leafmark.model import Hint, count_of
from leafmark.namedtuples import NamedTuple

_ENDS = ".,:;!?…"
_QUOTES = "`'\"“”‘’«»"

_NOWHERE = {
    None: "nowhere",
    "title": "in no title",
    "tags": "in no tag",
    "path": "in no path",
    "body": "in no body",
}
"""The words for "does not occur", by the queried field."""

_KINDS = {"code": "code", "table": "a table", "list": "a list"}


class Terms(NamedTuple):
    """The names of search options in a front end, by option; `{}` stands for the value."""

    options: Mapping[str, str]
    more: str
    strict: str
    plain: str
    changes: Mapping[str, str]
    """How to change an option of a search, by name; `{0}` is the new value."""
    change: str
    """The same for all other settings, called `{name}`."""
    remedies: Mapping[str, str] = MappingProxyType({})


COMMAND_LINE = Terms(
    MappingProxyType(
        {"trees": "--tree {}", "tags": "--tag {}", "since": "--since", "section": "--section {}"}
    ),
    more="--offset {offset}",
    strict="--strict",
    plain="--plain takes any text so",
    changes=MappingProxyType(
        {
            "limit": "--limit {0}",
            "grain": "--grain {0}",
            "mode": "--mode {0}",
            "sort": "--sort {0}",
            "aggregation": "--no-aggregation",
            "strict": "without --strict",
            "trees": "without --tree",
            "tags": "without --tag",
            "since": "without --since",
            "section": "without --section",
        }
    ),
    change="--set {name}={0}",
    remedies=MappingProxyType(
        {
            "pending-vectors": "`leafmark index` makes {them}",
            "late-vectors": "`leafmark index --vectors` makes all of them",
            "stale": "`leafmark index` says which",
            "far": "`--mode hybrid` counts words, too",
            "no-vectors": "`leafmark index --vectors` makes them",
            "no-vector": "`leafmark index --vectors` makes it",
            "late-embedder": "embedding.deadline_s is how long a search waits",
            "other-dimension": "`leafmark index --rebuild --vectors` makes them again",
            "damaged-vectors": "`leafmark index --vectors` makes those again",
            "late-reranker": "rerank.deadline_s is how long a search waits",
            "nothing-indexed": "-C DIR searches another folder, `leafmark status -v` says what is "
            "left out of this one",
            "other-folder": "`leafmark init` makes a tree of this folder, too",
            "cluster": "`leafmark doctor` says how the cluster is, and what is missing",
            "cluster-kept": "{text}; `leafmark doctor` says how the cluster is",
            "index": "run `leafmark index`",
            "index-remote": "run `leafmark index` where the documents are",
            "index-first": "run `leafmark index`, or leave out --no-refresh",
            "rebuild": "run `leafmark index --rebuild`",
            "other-model": "{text}: `leafmark index --rebuild`",
            "list-ids": "`leafmark ls chunks` lists the ids",
            "list-trees": "`leafmark ls trees` shows the trees",
            "revisions": "{text}; `leafmark ls revs` lists them",
            "two-folders": "{text}; `leafmark diff OLD NEW` compares two folders without",
            "folder": "`leafmark ls docs {path}` lists what is indexed in it",
            "take-in": "`leafmark index {path}` indexes it anyway",
            "own-project": "{text}: -C {path}",
            "tree-emptied": "{text}: if no disk is missing, `leafmark index --prune` forgets them",
            "tree-unindexed": "{text}: the next search does it",
            "untrusted": "{told}; left out: `leafmark trust` allows it",
            "constant": "set it for one run: --set {name}=…, or {variable}",
            "embedder": "{text}, which `leafmark init --global` writes",
            "large-folder": "index it anyway with --yes, or name a smaller folder with -C",
            "many-files": "index it anyway with --yes, or name a smaller folder with -C, or "
            "make this one a tree for good with `leafmark init`",
            "root": "name a folder that holds it with --root",
            "baseline": "{text}, or name it with --baseline",
            "budget": "--max-tokens {least} is the least for it",
        }
    ),
)

PROGRAMS = Terms(
    MappingProxyType(
        {"trees": "`trees` {}", "tags": "`tags` {}", "since": "`since`", "section": "`section` {}"}
    ),
    more="`offset` {offset}",
    strict="`strict`",
    plain="`plain` takes any text so",
    changes=MappingProxyType(
        {"aggregation": "`no_aggregation`"}
        | {name: f"without `{name}`" for name in ("strict", "trees", "tags", "since", "section")}
    ),
    change="`{name}` {0}",
    remedies=MappingProxyType(
        {
            "far": "`mode` hybrid counts words, too",
            "list-ids": "`outline` lists the ids",
            "folder": "`outline` lists what is in it",
        }
    ),
)

PAGE = Terms(
    MappingProxyType(
        {
            "trees": "the tree {}",
            "tags": "the tag {}",
            "since": "the date",
            "section": "the section {}",
        }
    ),
    more="the next page",
    strict="“all words”",
    plain="“plain text” takes any text so",
    changes=MappingProxyType(
        {
            "limit": "show {0} results",
            "grain": "show results as {0}",
            "mode": "search in the mode {0}",
            "sort": "sort by {0}",
            "strict": "do not require all words",
            "trees": "search all trees",
            "tags": "leave out the tag",
            "since": "leave out the date",
            "section": "search all sections",
        }
    ),
    change="set {name} to {0}",
    remedies=MappingProxyType(
        {
            "list-trees": "the page of the status shows the trees",
            "revisions": "{text}; the page of changes lists them",
            "tree-emptied": "{text}: if no disk is missing, the operator of the server can "
            "have them forgotten",
            "tree-unindexed": "{text}: it is being read",
            "untrusted": "{told}; left out until the operator of the server allows it",
        }
    ),
)


def word_hint(hint: Hint, terms: Terms = COMMAND_LINE) -> str:
    """Return the sentence of a hint.

    >>> word_hint(Hint("strict", values={"matches": {"count": 2, "or_more": False}}))
    'without --strict, there would be 2 matches'
    """
    wording = _WORDINGS.get(hint.code)
    if hint.message or wording is None:
        return hint.message
    return (
        wording.format(**hint.values) if isinstance(wording, str) else wording(hint.values, terms)
    )


def hints_for(hints: Iterable[Hint], terms: Terms) -> tuple[Hint, ...]:
    """Return hints with their sentences in the terms of a front end."""
    return tuple(hint._replace(message=word_hint(hint, terms)) for hint in hints)


def word_remedy(text: str, terms: Terms = COMMAND_LINE) -> str:
    """Return a remedy in the terms of a front end; a text without a code stays as it is.

    >>> word_remedy(Remedy("root", "name another root")), word_remedy("try again")
    ('name a folder that holds it with --root', 'try again')
    """
    if not isinstance(text, Remedy) or text.code not in terms.remedies:
        return str(text)
    return terms.remedies[text.code].format(text=text, **text.values)


def as_named(word: str) -> str:
    """Return a word as hints name it: without quotes and the punctuation of a sentence's end.

    >>> as_named("`bread`?"), as_named(".env"), as_named("...")
    ('bread', '.env', '...')
    """
    return word.rstrip(_ENDS).strip(_QUOTES).rstrip(_ENDS) or word


_Values = Mapping[str, Any]


def _occurs_nowhere(values: _Values) -> str:
    label = f"{values['word']}*" if values["is_prefix"] else as_named(values["word"])
    return f"“{label}” occurs {_NOWHERE[values['field']]}"


def _relaxed(values: _Values, terms: Terms) -> str:
    if values["which"] != "all":
        which = "the last results" if values["which"] == "last" else "some results"
        return f"{which} match some of the words only; {terms.strict} leaves these out"
    which = "the quoted text and some of the other words" if values["quoted"] else "some of them"
    return f"nothing matches all words; the results match {which}"


def _matches(values: _Values) -> str:
    matches = values["matches"]
    count = "1 match" if matches["count"] == 1 else f"{matches['count']} matches"
    return f"{count} or more" if matches["or_more"] else count


def _unknown_field(values: _Values, _: Terms) -> str:
    names, tree = values["names"], values["tree"]
    texts = " and ".join(f"“{word}”" for word in values["words"])
    if tree is None:
        way = f"write meta.{names[0]}: for a key of the front matter"
    else:
        word = values["words"][names.index(tree)]
        way = f"write id:{word} for the chunk with that id, or tree:{tree} to search that tree"
    was = "was" if len(names) == 1 else "were"
    return f"no field is called {' or '.join(names)}, so {texts} {was} taken as text; {way}"


def _option(values: _Values, _: Terms) -> str:
    words = values["words"]
    which = " and ".join(f"-{word}" for word in words)
    quoted = " or ".join(f"“{word}”" for word in words)
    verb = "leaves" if len(words) == 1 else "leave"
    return f'{which} {verb} out what holds {quoted}; "-{words[0]}" in quotes looks for it'


def _filter(values: _Values, terms: Terms) -> str:
    labels = [
        terms.options[filter_["option"]].format(" ".join(filter_["values"])).strip()
        if "option" in filter_
        else filter_["query"]
        for filter_ in values["filters"]
    ]
    return f"without {' and '.join(labels)}, there would be {_matches(values)}"


def _phrase(values: _Values, _: Terms) -> str:
    is_phrase = values["is_phrase"]
    what, how = ("words", "without the quotes") if is_phrase else ("parts", "as words of their own")
    where = _NOWHERE[values["field"]]
    words = f"the {what} of “{as_named(values['text'])}” stand next to each other {where}"
    return words + (f"; {how}, there would be {_matches(values)}" if values["matches"] else "")


def _near(sentence: str) -> Callable[[_Values, Terms], str]:
    """Return a wording that adds the nearest existing names to a sentence."""

    def worded(values: _Values, _: Terms) -> str:
        words = sentence.format(**{key: values[key] for key in ("name",)})
        near: Sequence[str] = values.get("near", ())
        if values.get("folder"):
            return f"{words}; path:{values['folder']} admits all in that folder"
        return f"{words}; the nearest: {', '.join(near)}" if near else words

    return worded


_LEXICAL = "{reason}, so this answer is lexical"
_COMMITTED = "{reason}; this answer is from the last committed state"


def _remediable(values: _Values, terms: Terms, *, sentence: str, code: str) -> str:
    """Return a sentence with its values, and the remedy if the front end has one."""
    return with_remedy(sentence.format(**values), code, terms)


def with_remedy(sentence: str, code: str, terms: Terms, them: str = "them") -> str:
    """Return a sentence, and the remedy if the front end has one."""
    remedy = terms.remedies.get(code, "").format(them=them)
    return f"{sentence}; {remedy}" if remedy else sentence


def _pending(values: _Values, terms: Terms) -> str:
    count = values["count"]
    if count == 1:
        words = "a chunk has no vector yet and is found by words alone"
        return with_remedy(words, "pending-vectors", terms, them="it")
    words = f"{count:,} chunks have no vector yet and are found by words alone"
    return with_remedy(words, "pending-vectors", terms)


def _late(values: _Values, terms: Terms) -> str:
    count = values["count"]
    which = "a match is" if count == 1 else f"{count} of the best matches are"
    words = f"{which} ordered by words alone, as vectors were not ready in time"
    return with_remedy(words, "late-vectors", terms)


_Wording = str | Callable[[_Values, Terms], str]

_WORDINGS: Mapping[str, _Wording] = MappingProxyType(
    {
        "doubtful": "even the best matches lack much of the query: the documents may not answer it",
        "partial": "a part of the cluster did not answer: there may be more, and better",
        "plain": lambda values, terms: (
            f"nothing matches the query with its operators; these results match its words as "
            f"plain text ({terms.plain})"
        ),
        "shortened": "the text is longer than a query can be: its first words were searched",
        "topics": "each argument was searched as a topic of its own; "
        "put the words into one pair of quotes to require them together",
        "filter-topic": "{topic} was searched as a topic of its own, and found all that it admits; "
        "put it into the same quotes as the words that it should filter",
        "missing-topic": lambda values, _: (
            f"no result is for “{values['topic']}”"
            + (", as others match better; search for it by itself" if values["outranked"] else "")
        ),
        "unknown-field": _unknown_field,
        "no-words": "the query holds no word that can be looked up",
        "begun": lambda values, _: (
            f"{_occurs_nowhere(values)} by itself; searched for {', '.join(values['words'])}"
        ),
        "corrected": lambda values, _: (
            f"{_occurs_nowhere(values)}; searched for {', '.join(values['words'])}"
        ),
        "compound": lambda values, _: (
            f"{_occurs_nowhere(values)}, but its parts do: {' '.join(values['words'])}"
        ),
        "unknown-word": lambda values, _: _occurs_nowhere(values),
        "relaxed": _relaxed,
        "option": _option,
        "versions": lambda values, _: (
            "text that is nearly the same in several versions or languages is shown once; "
            f"{' or '.join(values['filters'])} in the query selects another"
        ),
        "more": lambda values, terms: (
            f"{count_of(values['count'], 'more result')}: {terms.more.format(**values)}"
        ),
        "cut": lambda values, _: (
            "1 more match scored far less and was left out"
            if values["count"] == 1
            else f"{values['count']:,} more matches scored far less and were left out"
        ),
        "stale": lambda values, terms: with_remedy(
            ("a result is" if values["count"] == 1 else f"{values['count']} results are")
            + " from a source that has changed since, or cannot be read now",
            "stale",
            terms,
        ),
        "unknown-tree": _near("there is no tree named {name}"),
        "empty-tree": "there is nothing in the tree {name}",
        "unknown-tag": _near("no document has the tag {name}"),
        "unknown-path": _near("no path begins with {name}"),
        "unknown-id": _near("nothing indexed is called {name}"),
        "unknown-language": _near("there is no code in {name}"),
        "unknown-format": _near("no document has the format {name}"),
        "unknown-kind": lambda values, _: f"no chunk holds {_KINDS[values['name']]}",
        "unknown-key": _near("no document has the metadata {name}"),
        "unknown-value": _near("no document has {name}"),
        "spelling": lambda values, _: (
            f"the index has words like “{as_named(values['word'])}”: {', '.join(values['words'])}"
        ),
        "phrase": _phrase,
        "filter": _filter,
        "section-below": lambda values, terms: (
            "with "
            + " ".join(
                terms.options["section"].format(f"'{pattern}'") for pattern in values["patterns"]
            )
            + f", which includes the levels below, there would be {_matches(values)}"
        ),
        "strict": lambda values, terms: (
            f"without {terms.strict}, there would be {_matches(values)}"
            + (" of some of the words" if values.get("some_words") else "")
        ),
        "provider": "{reason}; this answer is lexical",
        "letters": f"{_LEXICAL}; another model may read all letters",
        "unknown-words": _LEXICAL,
        "pending-vectors": _pending,
        "late-vectors": _late,
        "of-another-leafmark": "this answer is from the index of another version of leafmark; the "
        "next run makes one for this version",
        "locked": _COMMITTED,
        "not-refreshed": _COMMITTED,
        "indexed-anew": "everything was indexed again: {reason}",
        "configuration": lambda values, terms: word_remedy(values["warning"], terms),
        "tree-missing": "{note}",
        "tree-emptied": lambda values, terms: word_remedy(
            Remedy("tree-emptied", values["note"]), terms
        ),
        "no-trees": "there is no tree to search",
        "revision": "{path}: {note}",
        "other-folder": lambda values, terms: with_remedy(
            f"{values['folder']} was not searched, only the trees of your own configuration: "
            f"{', '.join(values['trees'])}",
            "other-folder",
            terms,
        ),
        "reranker": "{reason}; the order is that without it",
        "no-terms": "none of its words occurs in the index",
        "file-missing": "{name} is missing: only its path counts",
        "file-secret": "{name} may hold secrets and is not read: only its path counts",
        "rule-file": "a rule of [context] names {name}: {reason}",
        "apart": "each part of the query occurs somewhere, but never together",
        **{
            code: partial(_remediable, sentence=sentence, code=code)
            for code, sentence in {
                "nothing-indexed": "there are no documents to search",
                "far": "the meaning of no chunk is near enough",
                "no-vectors": _LEXICAL,
                "late-embedder": _LEXICAL,
                "other-dimension": _LEXICAL,
                "damaged-vectors": "some vectors are damaged, so this answer may miss texts that "
                "are near in meaning",
                "late-reranker": "{reason}, so the order is that without it",
            }.items()
        },
    }
)
"""The wording of hints, by code: a template for the hint's values, or a function of them."""


def hint_records(hints: Sequence[Hint], terms: Terms = COMMAND_LINE) -> list[dict[str, Any]]:
    """Return hints as objects: code, sentence, and values."""
    return [
        {"code": hint.code, "message": word_hint(hint, terms), "values": dict(hint.values)}
        for hint in hints
    ]
