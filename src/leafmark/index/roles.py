"""What a document or section is there for, where that is not to be read for itself.

Some texts repeat, list or test others: changelogs, licences, tests, indexes and tables of
contents, all pages in one. They say the same words more often than what they repeat. A role is
told by patterns of paths and titles (`data/roles.toml`), or by what a page says of itself (that
it is no page for search engines, or a copy of another).
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
from leafmark.patterns import late_pattern

_DATA = Path(__file__).with_name("data") / "roles.toml"

ROLES = (
    "", "tests", "catalog", "completion", "changelog", "licence", "listing", "print", "translation",
    "glossary", "carried", "code",
)  # fmt: skip
"""The roles by number; 0 is none. The numbers are kept in the index."""

GLOSSARY = ROLES.index("glossary")
"""The one role that is there to be read: it explains terms."""

TRANSLATION = ROLES.index("translation")

CODE = ROLES.index("code")
"""The role of source code, told by its format or name: documents that answer as well come first."""

FEW_WORDS = 30
"""A page of fewer words is a form, such as that of a search (chosen by eye)."""

WORDS_OF_LINK = 12
"""The most words of a list for each link to another page: measured 2 to 12; texts have 19."""

WORDS_OF_BOOK = 30_000
"""What has all pages in one has as many words (chosen by eye)."""

MAIN_LANGUAGE = "en"
"""The usual language of documentation, of which others are translations."""

_PROSE = late_pattern(
    r"\.(?:mdx?|markdown|[qr]md|rst|rest|adoc|asciidoc|rdoc|org|pod|info|html?|xhtml)$",
    re.IGNORECASE,
)
"""Documents: what is written about tests is no test."""

_NUMBER = late_pattern(r"\A[0-9]+(?:\.[0-9]+)*\.?\s+")

_OF_FOLDER = late_pattern(
    r"((?:.*[._-])?(?:pages|docs?|documentation|manual|man|help|content|guides?|book|site))[._-](.*)",
    re.IGNORECASE,
)
"""A folder of documents with a language behind its name; other names end so by chance."""

_OF_HOST = late_pattern(
    r"([a-z]{2,3}(?:-[a-z]{2,4})?)\.(.+\.(?:app|com|dev|info|io|net|org))", re.IGNORECASE
)
"""The folder of a site whose name begins with a language, as copies of sites have them."""

_ASKED = late_pattern(
    r"(?P<changelog>\b(?:change\s?logs?|release\snotes|(?:release|version)\shistory"
    r"|what(?:['’]?s|\sis|\swas)\snew)\b|\b(?:new|changed|changes)\s(?:in|since)\s.*[0-9]"
    r"|\bwhen\s(?:was|were|did)\b|\bsince\swhen\b|\b(?:which|what)\s(?:version|release)\b)"
    r"|(?P<licence>\b(?:licen[cs]e[sd]?|copyright)\b)"
    r"|(?P<code>\b(?:func(?:tion)?s?|methods?|class(?:es)?|structs?|interfaces?|traits?|enums?|code"
    r"|source|implement(?:s|ed|ation)?|callers?|where\s(?:is|are|do|does))\b|\w(?:::|->)\w|\(\))",
    re.IGNORECASE,
)
"""What a query says that asks for such texts themselves; here, as searches need no table."""

_QUESTION = late_pattern(
    r"^\W*(?:how|what|why|which|who|whose|when|explain|(?:(?:best|easiest|right)\s)?ways?\sto"
    r"|(?:can|could|do|does|did|is|are|should|will|would|may|must)\s(?:i|you|we|one|it|there|they)"
    r"|i\s(?:am|want|need|would)|wie|was\s(?:ist|sind|macht|bedeutet|kann)|warum|wann|welche[rs]?"
    r"|comment\s(?:est|faire|fonctionne|on|peut|puis|utiliser)|pourquoi|quel(?:le)?s?|c[oó]mo|qu[eé]"
    r"|por\squ[eé]|cu[aá]l|cuando|come\s(?:faccio|fare|posso|si)|perch[eé]|cosa|как|что|почему)\b"
    r"|\bhow\s(?:to|do|does|can|is|are)\b|\?\W*$|如何|怎|什么|什麼|为何|為何|なぜ|どう|어떻게|왜",
    re.IGNORECASE,
)
"""What a question begins with, or has in it, in some languages; no error message does."""

_LANGUAGES = frozenset(
    "ar az be bg bn bs ca cs cy da de el eo es et eu fa fi fil fr ga gl he hi hr hu hy id is it "
    "ja jp ka kk km ko kr ku ky lo lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk "
    "sl sq sr sv sw ta te th tl tr uk ur uz vi zh cn tw".split()
)
"""Codes of folders that hold translations."""

_REGION = late_pattern(r"[-_](?:[a-z]{2}|[0-9]{3}|hans|hant|latn|cyrl)", re.IGNORECASE)


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
    """Read the table; the number of a role is that of the last group that matched."""
    import tomllib  # late: searches need no table

    table: dict[str, Any] = tomllib.loads(_DATA.read_text("utf-8"))
    roles = table["role"]
    return _Rules(
        _any_of(roles, "path"),
        _any_of([role for role in roles if role.get("prose")], "path"),
        _any_of(roles, "title"),
        _any_of([role for role in roles if role.get("parts")], "title"),
        tuple(table["titles"]["words"].split()),
        late_pattern("|".join(table["list"]["path"]), re.IGNORECASE),
        late_pattern("|".join(table["list"]["title"]), re.IGNORECASE),
        late_pattern("|".join(table["book"]["path"]), re.IGNORECASE),
    )


def _any_of(roles: list[dict[str, Any]], key: str) -> re.Pattern[str]:
    named = [f"(?P<{role['name']}>{'|'.join(role[key])})" for role in roles if role.get(key)]
    return late_pattern("|".join(named), re.IGNORECASE)


def role_number(
    doc_id: str,
    title: str,
    metadata: Mapping[str, Any],
    measure: Callable[[], tuple[int, int]] = lambda: (1000, 0),
) -> int:
    """Return the number of a document's role (`tree:path`), 0 for none.

    `measure` counts its words and its links to other pages: it is asked for few documents.

    >>> role_number("t:docs/changelog.md", "Changes", {}), role_number("t:tests/README.md", "", {})
    (4, 0)
    >>> role_number("t:docs/de/index.md", "Start", {}), role_number("t:a.html", "Index", {})
    (8, 6)
    >>> role_number("t:llms.txt", "Lamps", {}), role_number("t:llms-full.txt", "Lamps", {})
    (6, 7)
    """
    found = _of_path(doc_id) or role_of_title(title)
    if found:
        return found
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
    """Whether there is hardly a word that is not about one of the links."""
    return words <= max(FEW_WORDS, links * WORDS_OF_LINK)


@memo(4096)
def _of_path(doc_id: str) -> int:
    rules = _rules()
    pattern = rules.prose_paths if _PROSE.search(doc_id) else rules.paths
    found = pattern.search(doc_id.replace(" ", "-"))
    return ROLES.index(str(found.lastgroup)) if found else 0


@memo(4096)
def role_of_title(title: str) -> int:
    """Return the number of the role that a title tells, 0 for none.

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
    found = rules.titles.fullmatch(title) or rules.titles.fullmatch(_NUMBER.sub("", title))
    if found is None:
        parts = map(rules.title_parts.fullmatch, split_title(title))
        found = next(filter(None, parts), None)
    return ROLES.index(str(found.lastgroup)) if found else 0


def asked_role(query: str) -> int:
    """Return the number of the role whose texts a query asks for themselves, 0 for none.

    What is no question may ask for code: keywords and error messages stand there, too.

    >>> [ROLES[asked_role(each)] for each in ("what's new in 1.4", "how do I dim lamps in git 2")]
    ['changelog', '']
    >>> [ROLES[asked_role(each)] for each in ("how does the function dim work", "cannot dim lamp")]
    ['code', 'code']
    >>> [ROLES[asked_role(each)] for each in ("comment parser", "comment faire de la lumière")]
    ['code', '']
    """
    found = _ASKED.search(query)
    if found is not None:
        return ROLES.index(str(found.lastgroup))
    return 0 if _QUESTION.search(query) else CODE


@memo(4096)
def language_family(path: str) -> tuple[str, str]:
    """Return a path without what says its language, and the code of that; of the main one "".

    That is a folder called `de` or `pt-BR`, the end of one (`pages.de`), or of the file's stem, or
    the beginning of a site's name.

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
    kept, code = list[str](), ""
    for name in folders:
        rest, said = _parted_folder(name)
        is_other = not code and is_language(said)
        if is_other:
            code = said
        if is_other or said == MAIN_LANGUAGE:
            kept += [rest] if rest else []
        else:
            kept.append(name)
    stem, dot, last = file.rpartition(".")
    before, _, said = stem.rpartition(".")
    if before and not code and is_language(said):
        file, code = f"{before}{dot}{last}", said
    return "/".join([*kept, file]), code


def _parted_folder(name: str) -> tuple[str, str]:
    """Return what a folder is called besides the language that its name may say, and that."""
    if "." not in name and "-" not in name and "_" not in name:  # as nearly all
        return "", name
    if found := _OF_FOLDER.fullmatch(name):
        return found[1], found[2]
    found = _OF_HOST.fullmatch(name)
    return (found[2], found[1]) if found else ("", name)


def is_language(name: str) -> bool:
    """Whether a part of a path is the code of a language other than the main one."""
    code, region = name[:2].lower(), name[2:]
    if region and (region[0] not in "-_" or _REGION.fullmatch(region) is None):  # as of most
        return False
    return code in _LANGUAGES
