"""Find the terms that plain text explains: in manual pages, GNU manuals and lists of options.

A term stands on a line above its explanation, which is indented deeper (`--all`, and below
it what that does); or on the same line, if the explanation continues below itself; or, for
options, before two blanks. Layout alone does not tell text, code and tables apart. So a term
is a line that begins with a name and has few words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["terms_of_text"]

_OPTION = r"--?[^\W_]"
_QUOTES = "\"'‘“`"
_LINE = re.compile(
    rf"^([ \t]*)(?=[{_QUOTES}]*(?:{_OPTION}"
    r"|[\w$.-]*?(?:[^\W_][_.-]+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z])))(\S[^\n]*)(?:\n|\Z)",
    re.MULTILINE,
)
"""A line that begins with an option or a name, not with an ordinary word."""

_BELOW = re.compile(rf"([ \t]+)(?:[^\W_]|[{_QUOTES}(])")
_OTHER_PAGE = re.compile(r"\S+\(\w+\),?")
"""A reference to another page of the manual, which is no explanation."""

_BEFORE = re.compile(r"([ \t]*)(\S*[^\s,])( +)\S[^\n]*\n([ \t]+)\S")
_BESIDE = re.compile(
    rf"{_OPTION}\S*(?: \S+){{0,5}}(?:(?<=\.\.\.)|(?<![.?!:]))(?=(?:  |\t)[ \t]*[^\W\d_]{{2}})"
)
_CATEGORY = re.compile(r"^ -- (?:[A-Z][^:\n]*)?: (.+(?:\n {10}.+)*)", re.MULTILINE)
"""A definition of Texinfo; its further lines are indented five columns deeper than its text."""

_GROUP = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|\{[^{}]*\}|\*[^*\s]+\*")
_BETWEEN = re.compile(r"[,|]|\s(?:or|and|/)\s")
_PAGE = re.compile(r"\S+\(\d\w*\)")
_MOST_WORDS = 3
"""The most words of a term that is no option, with its arguments; chosen by eye."""

_MOST_OF_OPTION = 4


def terms_of_text(body: str) -> Iterator[str]:
    """Yield the terms in a body: whole lines, or the part of a line that is the term."""
    lines = [*_LINE.finditer(body)]
    yield from _terms_before(lines, body)
    yield from _terms_above(lines, body)
    if " -- " in body:
        yield from (_categorised(found[1]) for found in _CATEGORY.finditer(body))


def _terms_before(lines: Iterable[re.Match[str]], body: str) -> Iterator[str]:
    """Yield the terms whose explanation begins on the same line, and options before two blanks."""
    for line in lines:
        found = _BEFORE.match(body, line.start())
        if found and _column(found[1]) + len(found[2] + found[3]) == _column(found[4]):
            yield found[2]
        elif line[1] and line[2][0] == "-":
            option = _BESIDE.match(line[2])
            if option and _begins(line, body):
                yield option[0]


def _terms_above(lines: Sequence[re.Match[str]], body: str) -> Iterator[str]:
    """Yield the terms above a deeper line, and the terms directly above such a term."""
    explained: list[re.Match[str]] = []
    for line in reversed(lines):
        goes_on = explained and (line.end(), line[1]) == (explained[-1].start(), explained[-1][1])
        if (goes_on or _is_explained(line, body)) and _is_term(line[2].rstrip()):
            explained.append(line)
    last = -1
    for line in reversed(explained):
        if line.start() == last or _begins(line, body):
            yield line[2]
            last = line.end()


def _is_term(line: str) -> bool:
    """Whether a line consists only of names and their arguments.

    >>> _is_term("-m, --message=<msg>"), _is_term("set-option [-a] option value (alias: set)")
    (True, True)
    >>> _is_term("core.eol is read by all"), _is_term("call_it(one,"), _is_term("git-add(1)")
    (False, False, False)
    """
    is_option = line.lstrip(_QUOTES).startswith("-")
    if line[-1] in ".?!;{(\\" and not line.endswith("..."):
        return False
    if ("  " in line) if is_option else line[-1] == ":":
        return False
    if line.count("(") != line.count(")") or _PAGE.fullmatch(line):
        return False
    most = _MOST_OF_OPTION if is_option else _MOST_WORDS
    return all(len(said.split()) <= most for said in _BETWEEN.split(_GROUP.sub("", line)))


def _is_explained(line: re.Match[str], body: str) -> bool:
    below = _BELOW.match(body, line.end())
    if below is None or _column(below[1]) <= _column(line[1]):
        return False
    return not line[2].endswith(",") and not _names_pages(body, line.end())


def _names_pages(body: str, start: int) -> bool:
    """Whether the line that begins there only names other pages."""
    end = body.find("\n", start)
    words = body[start : end if end >= 0 else None].split()
    return all(_OTHER_PAGE.fullmatch(word) for word in words)


def _begins(line: re.Match[str], body: str) -> bool:
    """Whether a line continues no other: the line above is blank, an option, or not as deep."""
    end = line.start() - 1
    above = body[body.rfind("\n", 0, max(end, 0)) + 1 : max(end, 0)]
    said = above.lstrip()
    if not said or said.lstrip(_QUOTES).startswith("-"):
        return True
    return _column(above[: -len(said)]) != _column(line[1])


def _categorised(said: str) -> str:
    """Return the name in a definition of Texinfo, where arguments are in capitals.

    >>> _categorised("int gcry_check (const char *VERSION)"), _categorised("char * rl_prompt")
    ('gcry_check', 'rl_prompt')
    >>> _categorised("gpg-card FILE"), _categorised("VAL = find_all (X)")
    ('gpg-card', 'find_all')
    """
    name, called, _ = said.partition("(")
    words = name.split()
    if not called:
        words = [word for word in words[1:] if not word.isupper()] or words[:1]
    return words[-1] if words else ""


def _column(blanks: str) -> int:
    return len(blanks.expandtabs())
