"""The names of documents and chunks: a query that is a name should find the thing of that name.

In: titles, paths, front matter and the terms that a text defines. Out: terms of the field `names`.
A name is one term of all its words in lower case (`d=cache pop`), and a second one of its stems
without articles (`d~cach pop`), if that differs. So `DEBUG` finds things of that name before
`Debugging`, and `debugging` finds `Debug` if nothing else has the name. The first letter is the
kind of thing that has the name.

The names of a document are its title, the parts of the title around a separator (`asyncio —
Asynchronous I/O`, `ADR-0005: Use queues`), the stem of its file (for an index page, its folder)
and the aliases of its front matter. The names of a section are its title, the parts of it, and the
ids that its source sets. The names of a definition are its qualified name and each end of it
(`Queue.put`, `put`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from leafmark.environment import memo
from leafmark.index.analysis import Analyzer, analyzer_for, is_solid, split_words
from leafmark.patterns import lazy_pattern

DOCUMENT = "d"
"""The beginning of the names of documents."""

CHUNK = "c"
"""The beginning of the names of sections and definitions."""

FILE_TAIL = "t"
"""The beginning of the names of files without their first word: `commit` of `git-commit`."""

MAX_NAME = 120
"""The most characters of a name; nobody types a longer sentence as a name (chosen by eye)."""

MAX_NAME_WORDS = 12
"""The most words of a name."""

SOLID_PER_WORD = 3
"""How many terms of a script without spaces, one for each character, count as one word."""

MAX_NAMES = 200
"""The most names of one chunk: a page of an index defines nothing."""

_SEPARATOR = lazy_pattern(r"\s+[—–|·]\s+|\s+--?\s+|:\s+|\s+::\s+")
_SEPARATOR_SIGNS = frozenset("—–|·-:")
_NUMBERING = lazy_pattern(
    r"(?:(?:chapter|section|part|appendix|rule|step|§)\s+)?\(?(?:[0-9]+|[A-Z])(?:\.[0-9]+)*[.):]?\s+",
    re.IGNORECASE,
)
_KIND = lazy_pattern(
    r"(?:(?:abstract|static|async|public|final|primitive)\s+)*"
    r"(?:class|constant|constructor|enum|exception|fn|function|interface|keyword|macro|method|module"
    r"|namespace|package|property|struct|trait|type|type alias|typedef|union|variable)\s+",
    re.IGNORECASE,
)
"""Words that manuals of programs put before a name to say its kind."""

ARTICLES = frozenset(("a", "an", "the"))

_FRAME = lazy_pattern(
    r"(?:how\s+(?:to|can|do(?:es)?)\s+(?:(?:i|one|we|you)\s+)?|what(?:[’']s|\s+is|\s+are)\s+)?"
    r"(?:(?:the|an?)\s+)?",
    re.IGNORECASE,
)
"""Words before a name in a title that queries for the name leave out."""

_QUOTED = lazy_pattern(
    r"(?:the\s+)?(?:\"([^\"]+)\"|“([^“”]+)”|‘([^‘’]+)’|«\s*([^«»]+?)\s*»|`([^`]+)`)(?:\s+\w+)?",
    re.IGNORECASE,
)
"""A name in quotes, perhaps with one word after it that says its kind."""

_PLAIN_WORDS = lazy_pattern(r"[\w\s]*")
"""A text without a sign that could separate or end names."""

_CODE_SIGNS = lazy_pattern(r"[<>(){}&;=]")
"""Signs in a title that is code: the text after its colon is not another name."""

_QUALIFIED = lazy_pattern(r"[\w$]+(?:(?:::|\.|->|#)[\w$!]+)+(?:\(.*\)|!)?")
_CALL = lazy_pattern(r"\([^()]*\)$")
_SIGNATURE = lazy_pattern(r"[\w$][\w$.:#>-]*(?=\()")
"""The name before the parameters of a signature."""

_MANUAL_SECTION = lazy_pattern(r"(?<=[^\W\d])\.[1-9][a-z]{0,3}$")
"""The manual's section at the end of a page's file name."""

_NAMED_BY_FOLDER = frozenset(("index", "readme", "_index", "__init__", "mod", "overview", "home"))
"""Files that have the name of their folder."""

WHOLE_TREE = "this project"
"""The name of such a file in the top folder, which is about all others."""

_JOINT = lazy_pattern(r"::|->|\.|#|/(?=\w)")
_JOINT_SIGNS = frozenset(":>.#")


def title_names(title: str) -> tuple[str, ...]:
    """Return the names in a title, the title first.

    >>> title_names("asyncio — Asynchronous I/O")
    ('asyncio — Asynchronous I/O', 'asyncio', 'Asynchronous I/O')
    >>> title_names("Trait std::any::Any")
    ('Trait std::any::Any', 'std::any::Any', 'any::Any', 'Any')
    >>> title_names("4.2. Making a backup"), title_names("open(2)")
    (('4.2. Making a backup', 'Making a backup'), ('open(2)', 'open'))
    >>> title_names("How do I configure logging?"), title_names("What is an iterable")[-1]
    (('How do I configure logging?', 'configure logging?'), 'iterable')
    >>> title_names("The if statement"), title_names("The “accel-group” property")[-1]
    (('The if statement', 'if statement'), 'accel-group')
    >>> title_names("keyfind(Key, N, List) -> Tuple")[-1], title_names("ref(path: string): Ref")[-1]
    ('keyfind', 'ref')
    >>> "Hasher" in title_names("fn hash<H>(&self, &mut H) where H: Hasher")
    False
    """
    names = [title]
    plain = without_number(title)
    names += (plain, _FRAME.sub("", plain, count=1))
    if not _PLAIN_WORDS.fullmatch(plain):
        parts = split_title(plain)
        if len(parts) > 1:
            is_pair = len(parts) == 2 and not _CODE_SIGNS.search(parts[0])
            names += (parts[0], parts[1] if is_pair else "")
        quoted = _QUOTED.fullmatch(plain)
        if quoted is not None:
            names.append(next(filter(None, quoted.groups())))
        names += [_CALL.sub("", name) for name in names if name.endswith(")")]
        signature = _SIGNATURE.match(plain)
        if signature is not None:
            names.append(signature[0])
    for candidate in dict.fromkeys(names):
        kind = _KIND.match(candidate)
        name = candidate if kind is None else candidate[kind.end() :]
        if kind is not None or is_qualified(name):
            names += symbol_names(name)
    return tuple(dict.fromkeys(filter(None, map(str.strip, names))))


def without_number(title: str) -> str:
    """Return a title without the number before it, as in `4.2. Making a backup`."""
    return _NUMBERING.sub("", title, count=1) if _NUMBERING.match(title) else title


def split_title(title: str) -> list[str]:
    """Return the parts of a title between its separators."""
    return [title] if _SEPARATOR_SIGNS.isdisjoint(title) else _SEPARATOR.split(title)


def document_names(
    title: str, path: str, metadata: Mapping[str, Any], heading: str = ""
) -> Iterator[str]:
    """Yield the names of a document; `heading` is its only heading of level 1, if there is one.

    >>> [*document_names("Install Harbor", "v2/install.md", {"aliases": ["setup"]})]
    ['Install Harbor', 'install', 'setup']
    >>> [*document_names("OPEN", "man2/open.2.txt", {})]
    ['OPEN', 'open.2', 'open']
    >>> [*document_names("Harbor", "README.md", {})]
    ['Harbor', 'README', 'this project']
    """
    yield from title_names(title)
    yield from title_names(heading) if heading else ()
    stem = path_stem(path)
    yield stem
    if "/" not in path and stem.lower() in _NAMED_BY_FOLDER:
        yield WHOLE_TREE
    if _MANUAL_SECTION.search(stem):
        yield _MANUAL_SECTION.sub("", stem)
    for key in ("aliases", "alias"):
        aliases = metadata.get(key)
        yield from (aliases,) if isinstance(aliases, str) else _texts(aliases)


def path_stem(path: str) -> str:
    """Return the name of a file without its suffix; for an index page, the name of its folder.

    >>> path_stem("docs/git-add.html"), path_stem("guide/README.md")
    ('git-add', 'guide')
    """
    *folders, file = path.split("/")
    stem = file.rpartition(".")[0] or file
    return folders[-1] if stem.lower() in _NAMED_BY_FOLDER and folders else stem


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, str))


def symbol_names(name: str) -> Iterator[str]:
    """Yield a qualified name and each end of it.

    >>> [*symbol_names("asyncio.Queue.put()")]
    ['asyncio.Queue.put', 'Queue.put', 'put']
    """
    bare = _CALL.sub("", name)
    yield bare
    for joint in _JOINT.finditer(bare):
        if joint.start():
            yield bare[joint.end() :]


def is_qualified(name: str) -> bool:
    """Whether a name is a qualified one in a program: `asyncio.Queue.put`."""
    return not _JOINT_SIGNS.isdisjoint(name) and _QUALIFIED.fullmatch(name) is not None


def exact_name(kind: str, words: str) -> str:
    """Return the term of a name by its words; `kind` is one of the letters above."""
    return f"{kind}={words}"


def stemmed_name(kind: str, stems: str) -> str:
    """Return the term of a name by the stems of its words."""
    return f"{kind}~{stems}"


def file_tail(path: str) -> str:
    """Return the words of a file's name after the first, "" if there are none.

    >>> file_tail("docs/git-commit-tree.html"), file_tail("commit.md")
    ('commit tree', '')
    """
    return " ".join(analyzer_for(None).terms(path_stem(path))[1:])


def without_articles(stems: Sequence[str]) -> Sequence[str]:
    """Return the stems of a name without its articles, or all if it has only articles.

    >>> without_articles(["creat", "a", "virtual", "environ"]), without_articles(["a"])
    (['creat', 'virtual', 'environ'], ['a'])
    """
    return [stem for stem in stems if stem not in ARTICLES] or stems


def name_terms(analyzer: Analyzer, names: Iterable[str], kind: str) -> list[str]:
    """Return the terms of some names, each once."""
    forms = dict.fromkeys(
        form for name in names if len(name) <= MAX_NAME for form in _forms(analyzer, name)
    )
    return [kind + form for form in list(forms)[:MAX_NAMES]]


def count_words(terms: Sequence[str]) -> int:
    """Return the approximate number of words in some terms.

    >>> count_words("make a pull request".split()), count_words([*"状態の更新を待つ"])
    (4, 3)
    """
    solid = sum(map(is_solid, terms))
    return len(terms) - solid + -(-solid // SOLID_PER_WORD)


@memo(4096)
def _forms(analyzer: Analyzer, name: str) -> tuple[str, ...]:
    words = split_words(name)
    exact = analyzer_for(None).of_words(words)
    terms = exact.split(" ")
    if not exact or (len(terms) > MAX_NAME_WORDS and count_words(terms) > MAX_NAME_WORDS):
        return ()
    stems = " ".join(without_articles(analyzer.of_words(words).split(" ")))
    form = (exact_name("", exact),)
    return form if exact == stems else (*form, stemmed_name("", stems))
