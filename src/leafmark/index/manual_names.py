"""Find the names that a manual defines: options, settings and functions.

A manual mentions `max_connections` in ten places, and defines it in one: in a list of terms
(HTML, reStructuredText, AsciiDoc, RDoc, Org, POD, Markdown), under a directive, or in the markup
of a documentation generator. Only names count. If a term is an ordinary word or phrase, texts
about it are as good as its definition.

A section that opens with declarations in C or a similar language defines the declared names, and
a section that opens with an HTTP request (`GET /lamps/:id`) defines the request.

In plain text, roff and Info, a term stands on a line above its explanation, which is indented
deeper (`--all`, with the explanation below it); or on the same line, if the explanation continues
below itself; or, for options, before two blanks. Layout alone does not distinguish text, code and
tables. So a term is a line that begins with a name and has few words.

Code in a language without a grammar is plain text. A name is defined there after a keyword at the
beginning of a line, whatever the language: `defmodule Lamp do`, `sub open_all {`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from leafmark.patterns import lazy_pattern

MAX_TERM_CHARS = 1000
"""The most characters of a term; longer ones are texts."""

_IN_LINK = r"[^<]*(?:<(?!/?a\b)[^<]*)*</a\s*>"
_LINK = lazy_pattern(rf"<a\s(?=[^<>]*\bhref)[^<>]*>{_IN_LINK}", re.IGNORECASE)
_WORD = lazy_pattern(r"\w")
_LIST_TAG = lazy_pattern(r"<(/?dl|/?d[dt])\b[^<>]*>", re.IGNORECASE)
_EXTERNAL_LINK = lazy_pattern(rf"<a\b[^<>]*\bhref=[\"']?(?!#)[^<>]*>{_IN_LINK}", re.IGNORECASE)
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
"""Patterns of names that documentation generators mark, by a string in all texts that match."""

_FIRST_CELL = lazy_pattern(
    r"(<tr\b[^<>]*>\s*<t[dh]\b[^<>]*>(?:[^<]|<(?!/?t[rdh]\b)|(?!)){0,1000}+)</t[dh]", re.IGNORECASE
)
_NAME_ALONE = lazy_pattern(r"[^\W\d][\w.:-]+\w")

_TAG = lazy_pattern(r"<[^<>]*>")
_ID = lazy_pattern(r"<[^<>]*\b(?:id|name)=[\"']?([^\"'\s<>]+)", re.IGNORECASE)
_SIGN_IN_ID = lazy_pattern(r"_00([0-9a-f]{2})")
_SIGNS_OF_ID = lazy_pattern(r"[\W_]+")
_NUMBER_OF_ID = lazy_pattern(r"-\d+$")
_WORDS_OF_TERM = lazy_pattern(r"[^\s()\[\],;=\"]+")
_BREAK = lazy_pattern(r"<br\b[^<>]*>", re.IGNORECASE)

_ENTRIES = "(?:class|static)?method|function|exception|attribute|property|data|decorator"
_OF_DIRECTIVE = r"::[ \t]+(\S[^\n]*(?:\n\1[ \t]+[^\s:][^\n]*)*)"
_DIRECTIVE = lazy_pattern(
    r"^([ \t]*)\.\. (?:[a-z]+:)?"
    r"(?:class|module|option|cmdoption|envvar|setting|confval|directive|describe|object|macro|type|member"
    r"|var|enum|enumerator|struct"
    r"|django-admin|django-admin-option|templatetag|templatefilter|fieldlookup)"
    rf"{_OF_DIRECTIVE}(?:[ \t]*\n)+\1[ \t]+\S",
    re.MULTILINE,
)
"""A directive with text below it; without text, it only marks the place of a heading."""

_ENTRY_OF_CODE = lazy_pattern(
    r"^([ \t]*)\.\. (?:(?:[a-z]+:)?(?:auto)?"
    rf"(?:{_ENTRIES})|(?:[a-z]+:|auto)class)"
    rf"{_OF_DIRECTIVE}",
    re.MULTILINE,
)
"""A directive for an entry, with or without text below it: the generator may add the text.

A bare `class` is left out: it may be docutils' directive, which gives the next element a style.
"""

_ENTRY_OF_HTTP = lazy_pattern(
    r"^[ \t]*\.\. http:(?P<method>get|post|put|patch|delete|head|options)::[ \t]+(?P<path>/\S*)",
    re.MULTILINE,
)
_TYPED_PARAMETER = lazy_pattern(r"\((?:\w+:)?(\w+)\)")
"""A part of a request's path that stands for any, perhaps with its type."""

_TERM_WITH_TEXT = lazy_pattern(r"^([ \t]*)(``[^`\n]+``[^\n]*)\n\1[ \t]+\S", re.MULTILINE)
_LABELLED = lazy_pattern(r"^[ \t]*(\S[^\n]*?):{2,4}(?:[ \t]|$)", re.MULTILINE)

_OPENING_CODE = lazy_pattern(
    r"(?:\s|<(?!pre\b)[^<>]*+>|(?!))*+<pre\b[^<>]*>(.*?)</pre\b"
    r"|\s*+(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(.*?)\n(?P=fence)",
    re.DOTALL | re.IGNORECASE,
)
"""Code at the beginning of a body, perhaps after markup."""

_MAX_INDENT = 80
"""How far to look for a body's first character that is not blank: most show that it is no code."""

_HEAD_CHARS = 400
"""How many characters of a body are searched for the request that it opens with."""

_COMMENT = lazy_pattern(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DECLARATION = lazy_pattern(
    r"^(?!(?:return|throw|new|await|yield|else|case|delete|goto|print|echo|create|insert|drop|alter)\b)"
    r"(?:[a-z_][\w:]*(?:<[^<>;()]*>)?[\s*&]+){1,8}([a-z_][\w:]*)[ \t]*"
    r"\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\)[^;{}()=\n]*;"
    r"|^#[ \t]*define[ \t]+(\w+)",
    re.MULTILINE | re.IGNORECASE,
)
"""A function declaration or a `#define` at the beginning of a line; types have few words."""

_REQUEST = lazy_pattern(
    r"(?:\s|<[^<>]*+>|`{3,}+[^\n]*+\n|~{3,}+[^\n]*+\n|[`*_|>]|(?!))*+"
    r"(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b"
    r"(?:<[^<>]*+>|[`*_|: \t]|(?!))*+(?:https?://[^\s/<>`]++)?(?P<path>/[\w/{}:.$~%-]*\w\}?)"
)
"""An HTTP request at the beginning of a body, perhaps after markup."""

_ENTRY_OF_MARKDOWN = lazy_pattern(
    r"^(?:[ \t]*(?:`{3,}|~{3,}|:{3,})\{(?:[a-z]+:)?(?:auto)?"
    rf"(?:{_ENTRIES}|class|module|option|envvar|setting|confval)\}}"
    r"|:::(?= \w+\.[\w.]+[ \t]*$))[ \t]+(\S[^\n]*)",
    re.MULTILINE,
)
"""A MyST directive, or a name that mkdocstrings documents."""

_ABOVE_COLON = lazy_pattern(r"^([^\s:>|#*+-][^\n]*)\n\n?:[ \t]+\S", re.MULTILINE)

_LABEL_OF_RDOC = lazy_pattern(
    r"^[ \t]*(?::?(?=[^\s:])([^\n]{1,200}?) ?::|\[:?([^\]\n]{1,200})\])(?= |$)", re.MULTILINE
)

_TERM_OF_ORG = lazy_pattern(r"^[ \t]*(?:[-+]|[ \t]\*) ([^\n]{1,200}?) ::(?= |$)", re.MULTILINE)

_TERM_OF_POD = lazy_pattern(
    r"^=item[ \t]+(?:(?:\*|\d+\.?)[ \t]+(?=[A-Z]<))?([^\n]{1,200})", re.MULTILINE
)
_CODE_OF_POD = lazy_pattern(r"X<[^<>]*>|[A-Z]<(?:<+\s)?|(?<![-=])>+")
_OBJECT = lazy_pattern(r"^\S*[\w)\]}]->(?=\w)")

_GROUP = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_BETWEEN = lazy_pattern(r"[,|]|\s(?:or|/)\s")
"""What separates two spellings of a term."""

_KIND_WORDS = frozenset(
    (
        *("abstract", "async", "attribute", "class", "classmethod", "const", "def", "enum"),
        *("exception", "final", "fn", "func", "function", "interface", "macro", "method"),
        *("property", "public", "static", "staticmethod", "struct", "type", "var", "variable"),
    )
)
"""Words before a name that say which kind of thing is defined."""

_NAME_MARKS = "`*'\"‘’“”+"
"""Marks around a name."""

_EMPHASISED = lazy_pattern(r"_[^_](?:.*[^_])?_")
"""A name with marks of emphasis; the underscores of `_exit` and `__all__` belong to the name."""

_OPTION = r"--?[^\W_]"
_OPENING = "\"'‘“`"
_TERM_LINE = lazy_pattern(
    rf"^([ \t]*)(?=[{_OPENING}]*(?:{_OPTION}"
    r"|[\w$.-]*?(?:[^\W_][_.-]+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]))"
    rf"|[{_OPENING}][\w-]{{2,}}[\"'’”`](?:\s|\Z))(\S[^\n]*)(?:\n|\Z)",
    re.MULTILINE,
)
"""A line that begins with an option, a name or a word in quotes, not with an ordinary word."""

_LINE_BELOW = lazy_pattern(rf"([ \t]+)(?:[^\W_]|[{_OPENING}(])")
_OTHER_PAGE = lazy_pattern(r"\S+\(\w+\),?")
"""A reference to another page of the manual, which is not an explanation."""

_BEFORE_TEXT = lazy_pattern(r"([ \t]*)(\S*[^\s,])( +)\S[^\n]*\n([ \t]+)\S")
_OPTION_BEFORE_TEXT = lazy_pattern(
    rf"{_OPTION}\S*(?: \S+){{0,5}}(?:(?<=\.\.\.)|(?<![.?!:]))(?=(?:  |\t)[ \t]*[^\W\d_]{{2}})"
)
_CATEGORY = lazy_pattern(r"^ -- (?:[A-Z][^:\n]*)?: (.+(?:\n {10}.+)*)", re.MULTILINE)
"""A Texinfo definition; its further lines are indented five columns deeper than its text."""

_DEFINED_IN_CODE = lazy_pattern(
    r"^[ \t]*+(?:(?:pub|public|private|protected|static|export|local|abstract|final|inline)[ \t]+)*"
    r"\(?(?:def|defp|defmodule|defmacro|defprotocol|defun|defn|sub|proc|procedure|function|func|fun"
    r"|fn|let|module|package|class|interface|trait|protocol|struct|record|enum|newtype)[ \t]+"
    r"([^\W\d][\w.:'-]*[?!]?)"
    r"(?=[ \t]*[({<=;]|[ \t]*:[ \t]*\n|[ \t]+(?:do|is|extends|where)\b|(?<=[A-Z]\w\w)\w*[ \t]*\n)",
    re.MULTILINE,
)
"""A defining keyword, and the name after it."""

_ARGUMENTS = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|\{[^{}]*\}|\*[^*\s]+\*")
_SPELLINGS = lazy_pattern(r"[,|]|\s(?:or|and|/)\s")
_PAGE = lazy_pattern(r"\S+\(\d\w*\)")
_MAX_NAME_WORDS = 3
"""The most words of a term that is not an option, with bare arguments; chosen by eye."""

_MAX_OPTION_WORDS = 4


def defined_names(source_format: str, body: str) -> Iterator[str]:
    """Yield the terms that a body defines, as written, and the names in them.

    Terms are such as `topic branch`, names such as `--amend` and `os.path.join`.

    `source_format` is one of `DEFINING_FORMATS`.
    """
    yield from _declared(body)
    yield from _requested(body)
    for term in _FINDERS[source_format](body):
        if len(term) <= MAX_TERM_CHARS:
            for line in term.splitlines():
                yield _plain(line.strip())
                yield from _names_of(line)


def _declared(body: str) -> Iterator[str]:
    """Yield the names declared in the code that a body opens with.

    >>> [*_declared("<pre>int close();\\nFILE *pool_open(int /* (s) */ n);</pre>")]
    ['close', 'pool_open']
    >>> [*_declared("```\\npool_open(3);\\nnew Pool(3);\\nCREATE TABLE t(a);\\n```")]
    []
    """
    first = body[:_MAX_INDENT].lstrip()[:1]
    opening = None if first and first not in "<`~" else _OPENING_CODE.match(body)
    if opening is None:
        return
    code = _COMMENT.sub("", _TAG.sub("", opening[1] or opening[3] or ""))
    yield from (declaration[1] or declaration[2] for declaration in _DECLARATION.finditer(code))


def _requested(body: str) -> Iterator[str]:
    """Yield the HTTP requests that a body opens with or has as directives, each with its path.

    >>> [*_requested("```http\\nPOST https://lamp.example/api/lamps HTTP/1.1\\n```")]
    ['POST /api/lamps', '/api/lamps']
    >>> [*_requested("<p><b>GET</b> <code>/lamps/{id}</code>")], [*_requested("A GET /lamps")]
    (['GET /lamps/{id}', '/lamps/{id}'], [])
    """
    opening = _REQUEST.match(body[:_HEAD_CHARS])
    requests = [opening] if opening is not None else []
    if ".. http:" in body:
        requests += _ENTRY_OF_HTTP.finditer(body)
    for request in requests:
        path = _TYPED_PARAMETER.sub(r"{\1}", request["path"])
        yield from (f"{request['method'].upper()} {path}", path)


def _names_of(line: str) -> Iterator[str]:
    """Yield the names in a line of a term: the name of a call, or of each spelling.

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
        words = (word for word in spelling.split() if word not in _KIND_WORDS)
        name = _plain(next(words, ""))
        if name:
            yield name


def _plain(word: str) -> str:
    """Return a name without the marks around it and without an assigned value."""
    name = word.lstrip(_NAME_MARKS + "&").partition("=")[0].rstrip(":;¶").rstrip(_NAME_MARKS)
    return name[1:-1] if _EMPHASISED.fullmatch(name) else name


def _terms_of_html(body: str) -> Iterator[str]:
    """Yield the names that are marked as defined, and the terms of lists that have a text.

    A term that is a link, or is explained only by links, is a reference, not a definition.
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
            terms += (term, *_words_of_id(body[opened.start() : tag.start()], term))
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
    """Yield the names at the beginning of table rows that are targets of links.

    >>> [*_terms_of_rows('<tr><td><a name="L1"></a>LAMP_ON</td><tr><td>LAMP_OFF</td>')]
    ['LAMP_ON']
    """
    for row in _FIRST_CELL.finditer(body) if "<tr" in body or "<TR" in body else ():
        name = html.unescape(_TAG.sub("", row[1])).strip()
        is_marked = _ID.search(row[1]) and not _only_refers(row[1])
        if is_marked and _NAME_ALONE.fullmatch(name):
            yield name


def _words_of_id(markup: str, term: str) -> Iterator[str]:
    """Yield the word of a term that ends its id, unless the id has other words of the term.

    >>> [*_words_of_id('<dt id="index-find_005fall-1">', ": val = find_all (x)")]
    ['find_all']
    >>> [*_words_of_id('<dt id="all-that-is-found">', "all that is found")]
    []
    """
    match = _ID.search(markup)
    if match is None:
        return
    id = _SIGN_IN_ID.sub(lambda sign: chr(int(sign[1], 16)), html.unescape(match[1]))
    id = _NUMBER_OF_ID.sub("", id)
    words = dict.fromkeys(_WORDS_OF_TERM.findall(term))
    for word in words:
        before = id.removesuffix(word)
        if before == id or before[-1:].isalnum():
            continue
        if words.keys().isdisjoint(_SIGNS_OF_ID.split(before)):
            yield word


def _only_refers(markup: str) -> bool:
    """Whether the markup has links but no other words, as in the index of a book."""
    rest, links = _LINK.subn("", markup)
    return links > 0 and not _WORD.search(html.unescape(_TAG.sub("", rest)))


def _text_of(markup: str) -> str:
    if len(markup) > 4 * MAX_TERM_CHARS:
        return ""
    inner = _EXTERNAL_LINK.sub("", _BREAK.sub("|", markup))
    text = " ".join(html.unescape(_TAG.sub("", inner)).split())
    return "" if text.endswith(",") else text  # in an index, links follow it


def _terms_of_rst(body: str) -> Iterator[str]:
    if ".. " in body:
        yield from (directive[2] for directive in _DIRECTIVE.finditer(body))
        yield from (directive[2] for directive in _ENTRY_OF_CODE.finditer(body))
    if "``" in body:
        yield from (match[2] for match in _TERM_WITH_TEXT.finditer(body))


def _terms_of_asciidoc(body: str) -> Iterator[str]:
    if "::" in body:
        yield from (match[1] for match in _LABELLED.finditer(body))


def _terms_of_rdoc(body: str) -> Iterator[str]:
    """Yield the labels of lists: `:name :: text`, `name:: text` and `[name] text`."""
    if "::" in body or "[" in body:
        yield from (match[1] or match[2] for match in _LABEL_OF_RDOC.finditer(body))


def _terms_of_org(body: str) -> Iterator[str]:
    """Yield the terms of lists: `- term :: text`."""
    if " ::" in body:
        yield from (match[1].strip("~=") for match in _TERM_OF_ORG.finditer(body))


def _terms_of_pod(body: str) -> Iterator[str]:
    """Yield the terms of lists; a method's without its object.

    >>> [*_terms_of_pod("=item B<--all>, -a\\n\\n=item C<< $ua->get( $url ) >> X<get>\\n")]
    ['--all, -a', 'get( $url )']
    """
    if "=item" in body:
        for match in _TERM_OF_POD.finditer(body):
            yield _OBJECT.sub("", _CODE_OF_POD.sub("", match[1]).strip())


def _terms_of_markdown(body: str) -> Iterator[str]:
    """Yield the terms of lists as Hugo, MkDocs and Pandoc read them, and of directives.

    >>> [*_terms_of_markdown("term\\n: text\\n\\n::: lamps.Queue\\n```{py:function} put(x)\\n```")]
    ['term', 'lamps.Queue', 'put(x)']
    """
    if "\n:" in body:
        yield from (match[1] for match in _ABOVE_COLON.finditer(body))
    if "::: " in body or "{" in body:
        yield from (match[1] for match in _ENTRY_OF_MARKDOWN.finditer(body))


def terms_of_text(body: str) -> Iterator[str]:
    """Yield the terms in a plain text: whole lines, or the part of a line that is the term."""
    lines = [*_TERM_LINE.finditer(body)]
    yield from _terms_before(lines, body)
    yield from _terms_above(lines, body)
    if " -- " in body:
        yield from (_categorised(match[1]) for match in _CATEGORY.finditer(body))


def _terms_before(lines: Iterable[re.Match[str]], body: str) -> Iterator[str]:
    """Yield the terms whose explanation begins on the same line, and options before two blanks."""
    for line in lines:
        match = _BEFORE_TEXT.match(body, line.start())
        if match and _column(match[1]) + len(match[2] + match[3]) == _column(match[4]):
            yield match[2]
        elif line[1] and line[2][0] == "-":
            option = _OPTION_BEFORE_TEXT.match(line[2])
            if option and _begins_entry(line, body):
                yield option[0]


def _terms_above(lines: Sequence[re.Match[str]], body: str) -> Iterator[str]:
    """Yield the terms above a deeper line, and the terms directly above another such term."""
    explained: list[re.Match[str]] = []
    for line in reversed(lines):
        goes_on = explained and (line.end(), line[1]) == (explained[-1].start(), explained[-1][1])
        if (goes_on or _is_explained(line, body)) and _is_term(line[2].rstrip()):
            explained.append(line)
    last = -1
    for line in reversed(explained):
        if line.start() == last or _begins_entry(line, body):
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
    most = _MAX_OPTION_WORDS if is_option else _MAX_NAME_WORDS
    return all(
        len(spelling.split()) <= most for spelling in _SPELLINGS.split(_ARGUMENTS.sub("", line))
    )


def _is_explained(line: re.Match[str], body: str) -> bool:
    below = _LINE_BELOW.match(body, line.end())
    if below is None or _column(below[1]) <= _column(line[1]):
        return False
    return not line[2].endswith(",") and not _lists_pages(body, line.end())


def _lists_pages(body: str, start: int) -> bool:
    """Whether the line that begins there only names other pages."""
    end = body.find("\n", start)
    words = body[start : end if end >= 0 else None].split()
    return all(_OTHER_PAGE.fullmatch(word) for word in words)


def _begins_entry(line: re.Match[str], body: str) -> bool:
    """Whether a line is not a continuation: the line above is blank, an option, or less deep."""
    end = line.start() - 1
    above = body[body.rfind("\n", 0, max(end, 0)) + 1 : max(end, 0)]
    stripped = above.lstrip()
    if not stripped or stripped.lstrip(_OPENING).startswith("-"):
        return True
    return _column(above[: -len(stripped)]) != _column(line[1])


def _defined_in_code(body: str) -> Iterator[str]:
    """Yield the names that source code defines.

    >>> [*_defined_in_code("  def open_all(a, b) do\\n  end\\nprivate sub Pool::close {\\n}\\n")]
    ['open_all', 'Pool::close']
    """
    yield from (match[1] for match in _DEFINED_IN_CODE.finditer(body))


def _categorised(definition: str) -> str:
    """Return the name in a Texinfo definition, whose arguments are in capitals.

    >>> _categorised("int gcry_check (const char *VERSION)"), _categorised("char * rl_prompt")
    ('gcry_check', 'rl_prompt')
    >>> _categorised("gpg-card FILE"), _categorised("VAL = find_all (X)")
    ('gpg-card', 'find_all')
    """
    name, parenthesis, _ = definition.partition("(")
    words = name.split()
    if not parenthesis:
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
"""Formats with definitions; `code` is plain text in a language without a grammar."""

MARKED_FORMATS = frozenset(("html", "pod"))
"""Formats whose markup shows the terms; the text that is indexed no longer has it."""
