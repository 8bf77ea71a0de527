"""The roles of documents and sections that are not written to be read for themselves.

Some texts repeat, list or test others: changelogs, licences, tests, indexes and tables of
contents, all pages in one. They use the same words more often than the original texts. Patterns
of paths and titles (`data/roles.toml`) determine a role, or a page's own metadata (that it is
not for search engines, or a copy of another page).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from leafmark.environment import memo
from leafmark.index.chunk_names import split_title
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern

_DATA = Path(__file__).with_name("data") / "roles.toml"

ROLES = (
    "", "tests", "catalog", "completion", "changelog", "licence", "listing", "print", "translation",
    "glossary", "carried", "code",
)  # fmt: skip
"""The roles by number; 0 is none. The index contains the numbers."""

GLOSSARY = ROLES.index("glossary")
"""The one role of texts to be read for themselves: they explain terms."""

TRANSLATION = ROLES.index("translation")

CODE = ROLES.index("code")
"""The role of source code, by format or name: documents that answer as well come first."""

FEW_WORDS = 30
"""A page with fewer words is a form, such as one for searches (chosen by eye)."""

WORDS_OF_LINK = 12
"""The most words per link to another page in a list: lists have 2 to 12 (measured), texts 19."""

WORDS_OF_BOOK = 30_000
"""A page that contains all pages has at least so many words (chosen by eye)."""

MAIN_LANGUAGE = "en"
"""The usual language of documentation; texts in others are translations."""

_PROSE = lazy_pattern(
    r"\.(?:mdx?|markdown|[qr]md|rst|rest|adoc|asciidoc|rdoc|org|pod|info|html?|xhtml)$",
    re.IGNORECASE,
)
"""Documents: a text about tests is not a test."""

_NUMBER = lazy_pattern(r"\A[0-9]+(?:\.[0-9]+)*\.?\s+")

_FOLDER_WITH_LANGUAGE = lazy_pattern(
    r"((?:.*[._-])?(?:pages|docs?|documentation|manual|man|help|content|guides?|book|site))[._-](.*)",
    re.IGNORECASE,
)
"""A folder of documents with a language after its name; other names end that way by chance."""

_HOST_WITH_LANGUAGE = lazy_pattern(
    r"([a-z]{2,3}(?:-[a-z]{2,4})?)\.(.+\.(?:app|com|dev|info|io|net|org))", re.IGNORECASE
)
"""A folder with the name of a site that begins with a language, as in copies of sites."""

_REQUEST_WORDS = lazy_pattern(
    r"(?P<changelog>\b(?:change\s?logs?|release\snotes|(?:release|version)\shistory"
    r"|what(?:['’]?s|\sis|\swas)\snew)\b|\b(?:new|changed|changes)\s(?:in|since)\s.*[0-9]"
    r"|\bwhen\s(?:was|were|did)\b|\bsince\swhen\b|\b(?:which|what)\s(?:version|release)\b)"
    r"|(?P<licence>\b(?:licen[cs]e[sd]?|copyright)\b)"
    r"|(?P<code>\b(?:func(?:tion)?s?|methods?|class(?:es)?|structs?|interfaces?|traits?|enums?|code"
    r"|source|implement(?:s|ed|ation)?|callers?|where\s(?:is|are|do|does))\b|\w(?:::|->)\w|\(\))",
    re.IGNORECASE,
)
"""Words of queries for texts of a role; not in the table, since searches do not load it."""

_QUESTION = lazy_pattern(
    r"^\W*(?:how|what|why|which|who|whose|when|explain|(?:(?:best|easiest|right)\s)?ways?\sto"
    r"|(?:can|could|do|does|did|is|are|should|will|would|may|must)\s(?:i|you|we|one|it|there|they)"
    r"|i\s(?:am|want|need|would)|wie|was\s(?:ist|sind|macht|bedeutet|kann)|warum|wann|welche[rs]?"
    r"|comment\s(?:est|faire|fonctionne|on|peut|puis|utiliser)|pourquoi|quel(?:le)?s?|c[oó]mo|qu[eé]"
    r"|por\squ[eé]|cu[aá]l|cuando|come\s(?:faccio|fare|posso|si)|perch[eé]|cosa|как|что|почему)\b"
    r"|\bhow\s(?:to|do|does|can|is|are)\b|\?\W*$|如何|怎|什么|什麼|为何|為何|なぜ|どう|어떻게|왜",
    re.IGNORECASE,
)
"""The beginnings and parts of questions, in some languages; error messages have none of them."""

_LANGUAGES = frozenset(
    "ar az be bg bn bs ca cs cy da de el eo es et eu fa fi fil fr ga gl he hi hr hu hy id is it "
    "ja jp ka kk km ko kr ku ky lo lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk "
    "sl sq sr sv sw ta te th tl tr uk ur uz vi zh cn tw".split()
)
"""Codes of languages in the names of folders with translations."""

_REGION = lazy_pattern(r"[-_](?:[a-z]{2}|[0-9]{3}|hans|hant|latn|cyrl)", re.IGNORECASE)


class _Rules(NamedTuple):
    paths: re.Pattern[str]
    prose_paths: re.Pattern[str]
    titles: re.Pattern[str]
    title_parts: re.Pattern[str]
    title_words: tuple[str, ...]
    list_paths: re.Pattern[str]
    list_titles: re.Pattern[str]
    book_paths: re.Pattern[str]


@cache
def _rules() -> _Rules:
    """Read the table; the last group that matches names the role."""
    import tomllib  # late: searches need no table

    table: dict[str, Any] = tomllib.loads(_DATA.read_text("utf-8"))
    roles = table["role"]
    return _Rules(
        _any_of(roles, "path"),
        _any_of([role for role in roles if role.get("prose")], "path"),
        _any_of(roles, "title"),
        _any_of([role for role in roles if role.get("parts")], "title"),
        tuple(table["titles"]["words"].split()),
        lazy_pattern("|".join(table["list"]["path"]), re.IGNORECASE),
        lazy_pattern("|".join(table["list"]["title"]), re.IGNORECASE),
        lazy_pattern("|".join(table["book"]["path"]), re.IGNORECASE),
    )


def _any_of(roles: list[dict[str, Any]], key: str) -> re.Pattern[str]:
    named = [f"(?P<{role['name']}>{'|'.join(role[key])})" for role in roles if role.get(key)]
    return lazy_pattern("|".join(named), re.IGNORECASE)


def role_number(
    doc_id: str,
    title: str,
    metadata: Mapping[str, Any],
    measure: Callable[[], tuple[int, int]] = lambda: (1000, 0),
) -> int:
    """Return the number of the role of the document `doc_id` (`tree:path`), 0 for none.

    `measure` counts its words and its links to other pages; it is called for few documents.

    >>> role_number("t:docs/changelog.md", "Changes", {}), role_number("t:tests/README.md", "", {})
    (4, 0)
    >>> role_number("t:docs/de/index.md", "Start", {}), role_number("t:a.html", "Index", {})
    (8, 6)
    >>> role_number("t:llms.txt", "Lamps", {}), role_number("t:llms-full.txt", "Lamps", {})
    (6, 7)
    """
    role = _role_of_path(doc_id) or role_of_title(title)
    if role:
        return role
    if metadata.get("noindex") is True or (_may_list(doc_id, title) and _is_list(*measure())):
        return ROLES.index("listing")
    is_book = _rules().book_paths.search(doc_id) and measure()[0] >= WORDS_OF_BOOK
    if is_book or isinstance(metadata.get("canonical"), str):
        return ROLES.index("print")
    return TRANSLATION if language_family(doc_id.partition(":")[2])[1] else 0


def _may_list(doc_id: str, title: str) -> bool:
    rules = _rules()
    return bool(rules.list_paths.search(doc_id) or rules.list_titles.fullmatch(title))


def _is_list(words: int, links: int) -> bool:
    """Whether nearly all words belong to the links."""
    return words <= max(FEW_WORDS, links * WORDS_OF_LINK)


@memo(4096)
def _role_of_path(doc_id: str) -> int:
    rules = _rules()
    pattern = rules.prose_paths if _PROSE.search(doc_id) else rules.paths
    match = pattern.search(doc_id.replace(" ", "-"))
    return ROLES.index(str(match.lastgroup)) if match else 0


@memo(4096)
def role_of_title(title: str) -> int:
    """Return the number of the role of a text with this title, 0 for none.

    >>> role_of_title("What is new"), role_of_title("perldelta - what is new for v5.36")
    (4, 4)
    >>> role_of_title("404 | Lamps"), role_of_title('3 posts tagged with "lamp"')
    (6, 6)
    >>> role_of_title("2. Older news"), role_of_title("2. Newer lamps")
    (4, 0)
    """
    rules = _rules()
    if True not in map(title.casefold().__contains__, rules.title_words):
        return 0
    match = rules.titles.fullmatch(title) or rules.titles.fullmatch(_NUMBER.sub("", title))
    if match is None:
        parts = map(rules.title_parts.fullmatch, split_title(title))
        match = next(filter(None, parts), None)
    return ROLES.index(str(match.lastgroup)) if match else 0


def requested_role(query: str) -> int:
    """Return the number of the role that a query explicitly asks for, 0 for none.

    A query that is not a question may ask for code: code has keywords and error messages, too.

    >>> [ROLES[requested_role(query)] for query in ("what's new in 1.4", "how do I dim in git 2")]
    ['changelog', '']
    >>> [ROLES[requested_role(query)] for query in ("how does the function dim work", "cannot dim")]
    ['code', 'code']
    >>> [ROLES[requested_role(query)] for query in ("comment parser", "comment faire la lumière")]
    ['code', '']
    """
    match = _REQUEST_WORDS.search(query)
    if match is not None:
        return ROLES.index(str(match.lastgroup))
    return 0 if _QUESTION.search(query) else CODE


@memo(4096)
def language_family(path: str) -> tuple[str, str]:
    """Return a path without the code of its language, and that code; "" for the main language.

    The code is the name of a folder (`de`, `pt-BR`), the end of one (`pages.de`) or of the file's
    stem, or the beginning of a site's name.

    >>> language_family("docs/pt-BR/cors.md"), language_family("docs/en/cors.md")
    (('docs/cors.md', 'pt-BR'), ('docs/cors.md', ''))
    >>> language_family("README.zh-CN.md"), language_family("pages.de/tar.md")
    (('README.md', 'zh-CN'), ('pages/tar.md', 'de'))
    >>> language_family("lamp-help-de/use.html"), language_family("lamp-help-en/use.html")
    (('lamp-help/use.html', 'de'), ('lamp-help/use.html', ''))
    >>> language_family("ja.lamps.dev/src/use.md"), language_family("de.lamps.core/use.md")
    (('lamps.dev/src/use.md', 'ja'), ('de.lamps.core/use.md', ''))
    """
    *folders, file = path.split("/")
    parts, code = list[str](), ""
    for name in folders:
        rest, language = _split_language(name)
        is_other = not code and is_language(language)
        if is_other:
            code = language
        if is_other or language == MAIN_LANGUAGE:
            parts += [rest] if rest else []
        else:
            parts.append(name)
    stem, dot, last = file.rpartition(".")
    before, _, language = stem.rpartition(".")
    if before and not code and is_language(language):
        file, code = f"{before}{dot}{last}", language
    return "/".join([*parts, file]), code


def _split_language(name: str) -> tuple[str, str]:
    """Return the name of a folder without the code that may be its language, and that code."""
    if "." not in name and "-" not in name and "_" not in name:  # as nearly all
        return "", name
    if match := _FOLDER_WITH_LANGUAGE.fullmatch(name):
        return match[1], match[2]
    match = _HOST_WITH_LANGUAGE.fullmatch(name)
    return (match[2], match[1]) if match else ("", name)


def is_language(name: str) -> bool:
    """Whether a part of a path is the code of a language other than the main one."""
    code, region = name[:2].lower(), name[2:]
    if region and (region[0] not in "-_" or _REGION.fullmatch(region) is None):  # as of most
        return False
    return code in _LANGUAGES
