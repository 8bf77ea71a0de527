"""Find the names that a manual defines: options, settings and functions.

A manual mentions `max_connections` in ten places, and defines it in one: in a list of terms
(HTML, reStructuredText, AsciiDoc, RDoc, Org, POD, Markdown), under a directive, or where a
program marks it in the pages that it makes. Only names count. If a term is an ordinary word or
phrase, texts about it are as good as its definition.

A section that opens with declarations of C and its like defines what these declare, and one that
opens with a request of HTTP (`GET /lamps/:id`) defines that.

In plain text, roff and Info a term stands on a line above its explanation, which is indented
deeper (`--all`, and below it what that does); or on the same line, if the explanation continues
below itself; or, for options, before two blanks. Layout alone does not tell text, code and tables
apart. So a term is a line that begins with a name and has few words.

Code in a language without a grammar is plain text. What it defines follows a word that says so at
the beginning of a line, whatever the language: `defmodule Lamp do`, `sub open_all {`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from leafmark.patterns import late_pattern

LONGEST = 1000
"""The most characters of a term; longer ones are texts."""

_IN_LINK = r"[^<]*(?:<(?!/?a\b)[^<]*)*</a\s*>"
_LINK = late_pattern(rf"<a\s(?=[^<>]*\bhref)[^<>]*>{_IN_LINK}", re.IGNORECASE)
_WORD = late_pattern(r"\w")
_LIST_TAG = late_pattern(r"<(/?dl|/?d[dt])\b[^<>]*>", re.IGNORECASE)
_LINK_AWAY = late_pattern(rf"<a\b[^<>]*\bhref=[\"']?(?!#)[^<>]*>{_IN_LINK}", re.IGNORECASE)
_MARKED = {
    'class="def"': re.compile(r'<a id="[tv]:[^"]*" class="def">([^<]+)</a>'),  # Haddock
    '"documentableName': re.compile(r'\bclass="documentableName[^"<>]*">([^<]+)</a>'),  # Scaladoc
    '"method-name"': re.compile(r'<span class="method-name">([^<]+)</span>'),  # RDoc
    '"py-defname"': re.compile(r'<span class="py-defname">([^<]+)</span>'),  # pydoctor
    '<span id="': re.compile(  # ocamldoc
        r'<span id="(?:VAL|EXCEPTION|METHOD|TYPE(?!ELT))[^"]+">'
        r'<span class="keyword">[^<]*</span>\s*([^<\s]+)</span>'
    ),
    '<div class="spec ': re.compile(  # odoc
        r'<div class="spec (?:value|type|exception|method)(?: anchored)?" id="[a-z]+-([^"]+)"'
    ),
}
"""The names that programs mark where they explain them, by what stands in all such texts."""

_FIRST_CELL = late_pattern(
    r"(<tr\b[^<>]*>\s*<t[dh]\b[^<>]*>(?:[^<]|<(?!/?t[rdh]\b)|(?!)){0,1000}+)</t[dh]", re.IGNORECASE
)
_NAME_ALONE = late_pattern(r"[^\W\d][\w.:-]+\w")

_TAG = late_pattern(r"<[^<>]*>")
_ID = late_pattern(r"<[^<>]*\b(?:id|name)=[\"']?([^\"'\s<>]+)", re.IGNORECASE)
_SIGN_IN_ID = late_pattern(r"_00([0-9a-f]{2})")
_SIGNS_OF_ID = late_pattern(r"[\W_]+")
_NUMBER_OF_ID = late_pattern(r"-\d+$")
_WORDS_OF_TERM = late_pattern(r"[^\s()\[\],;=\"]+")
_BREAK = late_pattern(r"<br\b[^<>]*>", re.IGNORECASE)

_ENTRIES = "(?:class|static)?method|function|exception|attribute|property|data|decorator"
_OF_DIRECTIVE = r"::[ \t]+(\S[^\n]*(?:\n\1[ \t]+[^\s:][^\n]*)*)"
_DIRECTIVE = late_pattern(
    r"^([ \t]*)\.\. (?:[a-z]+:)?"
    r"(?:class|module|option|cmdoption|envvar|setting|confval|directive|describe|object|macro|type|member"
    r"|var|enum|enumerator|struct"
    r"|django-admin|django-admin-option|templatetag|templatefilter|fieldlookup)"
    rf"{_OF_DIRECTIVE}(?:[ \t]*\n)+\1[ \t]+\S",
    re.MULTILINE,
)
"""A directive with text below it; one without text only marks the place of a heading."""

_ENTRY_OF_CODE = late_pattern(
    r"^([ \t]*)\.\. (?:(?:[a-z]+:)?(?:auto)?"
    rf"(?:{_ENTRIES})|(?:[a-z]+:|auto)class)"
    rf"{_OF_DIRECTIVE}",
    re.MULTILINE,
)
"""A directive that makes an entry, with text below it or without: of some the program adds it.

`class` alone may be docutils' own, which gives what follows a style.
"""

_TERM_WITH_TEXT = late_pattern(r"^([ \t]*)(``[^`\n]+``[^\n]*)\n\1[ \t]+\S", re.MULTILINE)
_LABELLED = late_pattern(r"^[ \t]*(\S[^\n]*?):{2,4}(?:[ \t]|$)", re.MULTILINE)

_OPENING_CODE = late_pattern(
    r"(?:\s|<(?!pre\b)[^<>]*+>|(?!))*+<pre\b[^<>]*>(.*?)</pre\b"
    r"|\s*+(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(.*?)\n(?P=fence)",
    re.DOTALL | re.IGNORECASE,
)
"""Code that nothing but markup stands before."""

_INDENT = 80
"""Characters in which most bodies begin: by the first of them few open with code."""

_HEAD = 400
"""Characters in which a request stands that a body opens with."""

_COMMENT = late_pattern(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DECLARATION = late_pattern(
    r"^(?!(?:return|throw|new|await|yield|else|case|delete|goto|print|echo|create|insert|drop|alter)\b)"
    r"(?:[a-z_][\w:]*(?:<[^<>;()]*>)?[\s*&]+){1,8}([a-z_][\w:]*)[ \t]*"
    r"\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\)[^;{}()=\n]*;"
    r"|^#[ \t]*define[ \t]+(\w+)",
    re.MULTILINE | re.IGNORECASE,
)
"""A function without a body, or a constant, at the beginning of a line; types have few words."""

_REQUEST = late_pattern(
    r"(?:\s|<[^<>]*+>|`{3,}+[^\n]*+\n|~{3,}+[^\n]*+\n|[`*_|>]|(?!))*+"
    r"(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b"
    r"(?:<[^<>]*+>|[`*_|: \t]|(?!))*+(?:https?://[^\s/<>`]++)?(?P<path>/[\w/{}:.$~%-]*\w\}?)"
)
"""A request of HTTP that nothing but markup stands before."""

_ENTRY_OF_MARKDOWN = late_pattern(
    r"^(?:[ \t]*(?:`{3,}|~{3,}|:{3,})\{(?:[a-z]+:)?(?:auto)?"
    rf"(?:{_ENTRIES}|class|module|option|envvar|setting|confval)\}}"
    r"|:::(?= \w+\.[\w.]+[ \t]*$))[ \t]+(\S[^\n]*)",
    re.MULTILINE,
)
"""A directive of MyST, or a name that mkdocstrings explains."""

_ABOVE_COLON = late_pattern(r"^([^\s:>|#*+-][^\n]*)\n\n?:[ \t]+\S", re.MULTILINE)

_LABEL_OF_RDOC = late_pattern(
    r"^[ \t]*(?::?(?=[^\s:])([^\n]{1,200}?) ?::|\[:?([^\]\n]{1,200})\])(?= |$)", re.MULTILINE
)

_TERM_OF_ORG = late_pattern(r"^[ \t]*(?:[-+]|[ \t]\*) ([^\n]{1,200}?) ::(?= |$)", re.MULTILINE)

_TERM_OF_POD = late_pattern(
    r"^=item[ \t]+(?:(?:\*|\d+\.?)[ \t]+(?=[A-Z]<))?([^\n]{1,200})", re.MULTILINE
)
_CODE_OF_POD = late_pattern(r"X<[^<>]*>|[A-Z]<(?:<+\s)?|(?<![-=])>+")
_OBJECT = late_pattern(r"^\S*[\w)\]}]->(?=\w)")

_GROUP = late_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_BETWEEN = late_pattern(r"[,|]|\s(?:or|/)\s")
"""What separates two spellings of a term."""

_KINDS = frozenset(
    (
        *("abstract", "async", "attribute", "class", "classmethod", "const", "def", "enum"),
        *("exception", "final", "fn", "func", "function", "interface", "macro", "method"),
        *("property", "public", "static", "staticmethod", "struct", "type", "var", "variable"),
    )
)
"""Words before a name that tell what is defined."""

_AROUND = "`*'\"‘’“”+"
"""Marks around a name."""

_EMPHASISED = late_pattern(r"_[^_](?:.*[^_])?_")
"""A name between marks of emphasis; in `_exit` and `__all__` the lines are part of the name."""

_OPTION = r"--?[^\W_]"
_OPENING = "\"'‘“`"
_TERM_LINE = late_pattern(
    rf"^([ \t]*)(?=[{_OPENING}]*(?:{_OPTION}"
    r"|[\w$.-]*?(?:[^\W_][_.-]+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]))"
    rf"|[{_OPENING}][\w-]{{2,}}[\"'’”`](?:\s|\Z))(\S[^\n]*)(?:\n|\Z)",
    re.MULTILINE,
)
"""A line that begins with an option, a name or a word in quotes, not with an ordinary word."""

_BELOW = late_pattern(rf"([ \t]+)(?:[^\W_]|[{_OPENING}(])")
_OTHER_PAGE = late_pattern(r"\S+\(\w+\),?")
"""A reference to another page of the manual, which is no explanation."""

_BEFORE_TEXT = late_pattern(r"([ \t]*)(\S*[^\s,])( +)\S[^\n]*\n([ \t]+)\S")
_BESIDE = late_pattern(
    rf"{_OPTION}\S*(?: \S+){{0,5}}(?:(?<=\.\.\.)|(?<![.?!:]))(?=(?:  |\t)[ \t]*[^\W\d_]{{2}})"
)
_CATEGORY = late_pattern(r"^ -- (?:[A-Z][^:\n]*)?: (.+(?:\n {10}.+)*)", re.MULTILINE)
"""A definition of Texinfo; its further lines are indented five columns deeper than its text."""

_DEFINED_IN_CODE = late_pattern(
    r"^[ \t]*+(?:(?:pub|public|private|protected|static|export|local|abstract|final|inline)[ \t]+)*"
    r"\(?(?:def|defp|defmodule|defmacro|defprotocol|defun|defn|sub|proc|procedure|function|func|fun"
    r"|fn|let|module|package|class|interface|trait|protocol|struct|record|enum|newtype)[ \t]+"
    r"([^\W\d][\w.:'-]*[?!]?)"
    r"(?=[ \t]*[({<=;]|[ \t]*:[ \t]*\n|[ \t]+(?:do|is|extends|where)\b|(?<=[A-Z]\w\w)\w*[ \t]*\n)",
    re.MULTILINE,
)
"""A word that defines, and the name behind it."""

_ARGUMENTS = late_pattern(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|\{[^{}]*\}|\*[^*\s]+\*")
_SPELLINGS = late_pattern(r"[,|]|\s(?:or|and|/)\s")
_PAGE = late_pattern(r"\S+\(\d\w*\)")
_MAX_WORDS = 3
"""The most words of a term that is no option, with its arguments; chosen by eye."""

_MAX_OF_OPTION = 4


def defined_names(source_format: str, body: str) -> Iterator[str]:
    """Yield the terms that a body defines, as written, and the names in them.

    Terms are such as `topic branch`, names such as `--amend` and `os.path.join`.

    `source_format` is one of `DEFINING_FORMATS`.
    """
    yield from _declared(body)
    yield from _requested(body)
    for term in _FINDERS[source_format](body):
        if len(term) <= LONGEST:
            for line in term.splitlines():
                yield _plain(line.strip())
                yield from _names_of(line)


def _declared(body: str) -> Iterator[str]:
    """Yield what is declared in the code that a body opens with.

    >>> [*_declared("<pre>int close();\\nFILE *pool_open(int /* (s) */ n);</pre>")]
    ['close', 'pool_open']
    >>> [*_declared("```\\npool_open(3);\\nnew Pool(3);\\nCREATE TABLE t(a);\\n```")]
    []
    """
    first = body[:_INDENT].lstrip()[:1]
    opening = None if first and first not in "<`~" else _OPENING_CODE.match(body)
    if opening is None:
        return
    code = _COMMENT.sub("", _TAG.sub("", opening[1] or opening[3] or ""))
    yield from (found[1] or found[2] for found in _DECLARATION.finditer(code))


def _requested(body: str) -> Iterator[str]:
    """Yield the request that a body opens with, and its address.

    >>> [*_requested("```http\\nPOST https://lamp.example/api/lamps HTTP/1.1\\n```")]
    ['POST /api/lamps', '/api/lamps']
    >>> [*_requested("<p><b>GET</b> <code>/lamps/{id}</code>")], [*_requested("A GET /lamps")]
    (['GET /lamps/{id}', '/lamps/{id}'], [])
    """
    found = _REQUEST.match(body[:_HEAD])
    if found is not None:
        yield f"{found['method']} {found['path']}"
        yield found["path"]


def _names_of(line: str) -> Iterator[str]:
    """Yield the names in a line of a term: of a call, or at the beginning of each spelling.

    >>> [*_names_of("int PQping(const char *conninfo, int n)")], [*_names_of("-q, --quiet LEVEL")]
    (['PQping'], ['-q', '--quiet'])
    >>> [*_names_of("-q LEVEL (none is 1)")], [*_names_of("Application = atom()")]
    (['-q'], ['Application'])
    """
    at = line.find("(")
    if " = " in line[: max(at, 0)]:
        line, at = line.partition(" = ")[0], -1
    if at > 0 and not line[at - 1].isspace() and line[at - 1] not in "=[|":
        yield _plain(line[:at].split()[-1])
        return
    for spelling in _BETWEEN.split(_GROUP.sub("", line)):
        words = (word for word in spelling.split() if word not in _KINDS)
        name = _plain(next(words, ""))
        if name:
            yield name


def _plain(word: str) -> str:
    """Return a name without the marks around it and the value that it is set to."""
    name = word.lstrip(_AROUND + "&").partition("=")[0].rstrip(":;¶").rstrip(_AROUND)
    return name[1:-1] if _EMPHASISED.fullmatch(name) else name


def _terms_of_html(body: str) -> Iterator[str]:
    """Yield the names that are marked as defined, and the terms of lists that have a text.

    A term that is a link, or has only links, refers.
    """
    for mark, marked in _MARKED.items():
        if mark in body:
            yield from map(html.unescape, marked.findall(body))
    yield from _terms_of_rows(body)
    if "<dt" not in body and "<DT" not in body:
        return
    terms: list[str] = []
    opened: re.Match[str] | None = None
    tags = [*_LIST_TAG.finditer(body)]
    ends = [*(tag.start() for tag in tags[1:]), len(body)]
    for tag, end in zip(tags, ends, strict=True):
        name = tag[1].lower()
        if opened is not None:
            term = _text_of(body[opened.end() : tag.start()])
            terms += (term, *_named_by_id(body[opened.start() : tag.start()], term))
            opened = None
        if name == "dt":
            opened = tag
        elif name == "dd":
            if not _only_refers(body[tag.end() : end]):
                yield from terms
            terms.clear()
        elif name != "/dt":
            terms.clear()


def _terms_of_rows(body: str) -> Iterator[str]:
    """Yield the names at the beginning of rows of tables where links may lead to.

    >>> [*_terms_of_rows('<tr><td><a name="L1"></a>LAMP_ON</td><tr><td>LAMP_OFF</td>')]
    ['LAMP_ON']
    """
    for row in _FIRST_CELL.finditer(body) if "<tr" in body or "<TR" in body else ():
        name = html.unescape(_TAG.sub("", row[1])).strip()
        is_marked = _ID.search(row[1]) and not _only_refers(row[1])
        if is_marked and _NAME_ALONE.fullmatch(name):
            yield name


def _named_by_id(markup: str, term: str) -> Iterator[str]:
    """Yield the word of a term that its id names, and no other word of it.

    >>> [*_named_by_id('<dt id="index-find_005fall-1">', ": val = find_all (x)")]
    ['find_all']
    >>> [*_named_by_id('<dt id="all-that-is-found">', "all that is found")]
    []
    """
    found = _ID.search(markup)
    if found is None:
        return
    id = _SIGN_IN_ID.sub(lambda sign: chr(int(sign[1], 16)), html.unescape(found[1]))
    id = _NUMBER_OF_ID.sub("", id)
    words = dict.fromkeys(_WORDS_OF_TERM.findall(term))
    for word in words:
        before = id.removesuffix(word)
        if before == id or before[-1:].isalnum():
            continue
        if words.keys().isdisjoint(_SIGNS_OF_ID.split(before)):
            yield word


def _only_refers(markup: str) -> bool:
    """Whether there are links and no word beside them, as in the index of a book."""
    said, links = _LINK.subn("", markup)
    return links > 0 and not _WORD.search(html.unescape(_TAG.sub("", said)))


def _text_of(markup: str) -> str:
    if len(markup) > 4 * LONGEST:
        return ""
    said = _LINK_AWAY.sub("", _BREAK.sub("|", markup))
    text = " ".join(html.unescape(_TAG.sub("", said)).split())
    return "" if text.endswith(",") else text  # in an index, links follow it


def _terms_of_rst(body: str) -> Iterator[str]:
    if ".. " in body:
        yield from (found[2] for found in _DIRECTIVE.finditer(body))
        yield from (found[2] for found in _ENTRY_OF_CODE.finditer(body))
    if "``" in body:
        yield from (found[2] for found in _TERM_WITH_TEXT.finditer(body))


def _terms_of_asciidoc(body: str) -> Iterator[str]:
    if "::" in body:
        yield from (found[1] for found in _LABELLED.finditer(body))


def _terms_of_rdoc(body: str) -> Iterator[str]:
    """Yield the labels of lists: `:name :: text`, `name:: text` and `[name] text`."""
    if "::" in body or "[" in body:
        yield from (found[1] or found[2] for found in _LABEL_OF_RDOC.finditer(body))


def _terms_of_org(body: str) -> Iterator[str]:
    """Yield the terms of lists: `- term :: text`."""
    if " ::" in body:
        yield from (found[1].strip("~=") for found in _TERM_OF_ORG.finditer(body))


def _terms_of_pod(body: str) -> Iterator[str]:
    """Yield the terms of lists; of a method without what it is called on.

    >>> [*_terms_of_pod("=item B<--all>, -a\\n\\n=item C<< $ua->get( $url ) >> X<get>\\n")]
    ['--all, -a', 'get( $url )']
    """
    if "=item" in body:
        for found in _TERM_OF_POD.finditer(body):
            yield _OBJECT.sub("", _CODE_OF_POD.sub("", found[1]).strip())


def _terms_of_markdown(body: str) -> Iterator[str]:
    """Yield the terms of lists as Hugo, MkDocs and Pandoc read them, and what entries explain.

    >>> [*_terms_of_markdown("term\\n: text\\n\\n::: lamps.Queue\\n```{py:function} put(x)\\n```")]
    ['term', 'lamps.Queue', 'put(x)']
    """
    if "\n:" in body:
        yield from (found[1] for found in _ABOVE_COLON.finditer(body))
    if "::: " in body or "{" in body:
        yield from (found[1] for found in _ENTRY_OF_MARKDOWN.finditer(body))


def terms_of_text(body: str) -> Iterator[str]:
    """Yield the terms in a body: whole lines, or the part of a line that is the term."""
    lines = [*_TERM_LINE.finditer(body)]
    yield from _terms_before(lines, body)
    yield from _terms_above(lines, body)
    if " -- " in body:
        yield from (_categorised(found[1]) for found in _CATEGORY.finditer(body))


def _terms_before(lines: Iterable[re.Match[str]], body: str) -> Iterator[str]:
    """Yield the terms whose explanation begins on the same line, and options before two blanks."""
    for line in lines:
        found = _BEFORE_TEXT.match(body, line.start())
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
    is_option = line.lstrip(_OPENING).startswith("-")
    if line[-1] in ".?!;{(\\" and not line.endswith("..."):
        return False
    if ("  " in line) if is_option else line[-1] == ":":
        return False
    if line.count("(") != line.count(")") or _PAGE.fullmatch(line):
        return False
    most = _MAX_OF_OPTION if is_option else _MAX_WORDS
    return all(len(said.split()) <= most for said in _SPELLINGS.split(_ARGUMENTS.sub("", line)))


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
    if not said or said.lstrip(_OPENING).startswith("-"):
        return True
    return _column(above[: -len(said)]) != _column(line[1])


def _defined_in_code(body: str) -> Iterator[str]:
    """Yield what a text in a programming language defines.

    >>> [*_defined_in_code("  def open_all(a, b) do\\n  end\\nprivate sub Pool::close {\\n}\\n")]
    ['open_all', 'Pool::close']
    """
    yield from (found[1] for found in _DEFINED_IN_CODE.finditer(body))


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


_FINDERS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "markdown": _terms_of_markdown,
    "html": _terms_of_html,
    "rst": _terms_of_rst,
    "asciidoc": _terms_of_asciidoc,
    "rdoc": _terms_of_rdoc,
    "org": _terms_of_org,
    "pod": _terms_of_pod,
    "roff": terms_of_text,
    "info": terms_of_text,
    "text": terms_of_text,
    "code": _defined_in_code,
}

DEFINING_FORMATS = frozenset(_FINDERS)
"""Formats that have lists of terms; `code` is plain text in a language without a grammar."""

MARKED_FORMATS = frozenset(("html", "pod"))
"""Those of which terms are told by the markup, which is not in what is read."""
