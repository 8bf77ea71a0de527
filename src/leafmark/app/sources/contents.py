"""Refuse files for their contents: binary and generated files, our own lists, redirects.

`llms.txt` and `llms-full.txt` repeat the documents that leafmark made them from. Their name and the
mark on their last line identify them: without the mark, a file of that name is a document.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from leafmark.app.sources.folders import Tree, read_small
from leafmark.environment import memo
from leafmark.formats import leads_to_page
from leafmark.model import BINARY, ELSEWHERE, GENERATED, REPEATED, Diagnostic
from leafmark.parsing import format_of, is_binary
from leafmark.parsing.formats import suffix_of

LLMS_FILES = ("llms.txt", "llms-full.txt")

LLMS_MARK = "<!-- leafmark:llms -->"
"""The last line of both files; the first one has to be a title."""


def refuse_contents(
    tree: Tree, path: str, data: bytes, *, named: bool = False
) -> Diagnostic | None:
    """Return why a file of a tree is left out, else None; if `named`, only binary files are."""
    if is_binary(data):
        return Diagnostic(path, BINARY, "the file is binary")
    if not named and path.rpartition("/")[2] in LLMS_FILES and _is_ours(data):
        return Diagnostic(path, REPEATED, "the file was written by leafmark agents --llms")
    if not named and format_of(path) == "html":
        from leafmark.parsing.html import leads_away  # late: of pages alone

        if leads_away(data):
            return Diagnostic(path, ELSEWHERE, "the page only leads to another one")
    if not named and leads_to_page(path, data):
        return Diagnostic(path, ELSEWHERE, "the page only leads to another one")
    kind = None if named else generated_kind(path, data)
    if kind is None and not named and is_site_asset(tree.root, path):
        kind = "a script or style sheet of built documentation"
    if kind is not None:
        return Diagnostic(path, GENERATED, f"the file is generated code: {kind}")
    return None


def _is_ours(data: bytes) -> bool:
    return data.rstrip().rpartition(b"\n")[2] == LLMS_MARK.encode()


# Code and data that programs generate for programs, recognized by their shape:
#
# - minified scripts and style sheets: nearly all bytes are in long lines with few blanks and many
#   marks. Written code and tables of data look different.
# - bundles of modules: the first lines are those of the bundler;
# - the data of a page's script, such as a search index: one list or table of pages or search terms,
#   assigned to a name;
# - the same in XML, without sentences;
# - lists of digests: lock files, checksums of packages, source maps.
#
# A wrong guess would lose a written text, so each shape requires a minimum size and several signs.
# A file that the user names is always read.
#
# A script or style sheet of built documentation is recognized by the page that loads it: the first
# page in a folder above, if a generator of documentation wrote it and loads scripts from there.


_CODE = frozenset((".js", ".mjs", ".cjs", ".css"))
_JSON = frozenset((".json", ".map"))
_MARKUP = frozenset((".md", ".mdx", ".markdown", ".html", ".htm", ".xhtml", ".ipynb", ".rst"))

_MIN_BYTES = 500
"""A shorter file has only a few lines."""

_LONG_LINE = 400
"""Characters; no formatter writes such a line (chosen: twice the longest width that people set)."""

_MINIFIED_SHARE = 0.9
"""Minimum share of a minified file's code in long lines: a note and a loader may be outside."""

_MAX_BLANKS = 0.12
_MIN_MARKS = 0.08
"""Shares of blanks and of marks in the long lines of minified code: measured 0.01 to 0.09 and 0.12
to 0.3 over bundles of npm; written code has a quarter blanks, tables of words and of base64 fewer
marks."""

_NOTE = re.compile(rb"/\*.*?\*/|^[ \t]*//[^\n]*$", re.DOTALL | re.MULTILINE)
_STRING = re.compile(
    rb"\"(?:[^\"\\\n]|\\.|(?!)){0,100000}+\"|'(?:[^'\\\n]|\\.|(?!)){0,100000}+'", re.DOTALL
)
_MARKS = re.compile(rb"[(){};,:=]")
_BLANKS = re.compile(rb"[ \t]")

_HEAD_BYTES = 4_000
_BUNDLE = re.compile(
    rb"^/\*{6}/|webpackBootstrap|^\(?(?:self|window|globalThis|this)\.?[\w.\[\]\"'|= ()]{0,80}"
    rb"webpack(?:Chunk|Jsonp)|\A[\s\S]{0,200}?parcelRequire|\A[\s\S]{0,500}?\bTURBOPACK\b"
    rb"|^var __(?:create|defProp|getOwnPropNames|commonJS|toESM) = (?:Object\.|\()"
    rb"|\A[\s\S]{0,80}?\(function\(?\)?\{function \w\(\w,\w,\w\)\{function \w\(\w,\w\)"
    rb"|\ASystem\.register\(\[",
    re.MULTILINE,
)
"""The first lines by webpack, Parcel, Turbopack, esbuild, Browserify and SystemJS."""
_BUNDLE_BYTES = 20_000
_BUNDLE_JOINTS = re.compile(
    rb"^/\*{3,}/|__webpack_require__\(|^// (?:\.\./|\.pnpm/|node_modules/)[^\n]+$"
    rb"|__commonJS\(|__esm\(",
    re.MULTILINE,
)
_MIN_JOINTS = 8

_GIVEN = re.compile(
    rb"\s*+(?:\(function\s?\(\)\s?\{\s*+)?(?:(?:var|let|const)[ \t]+)?"
    rb"(?:(?:window|self|globalThis)(?:\.|\[\"))?([\w$.]+)(?:\"\])?"
    rb"\s*(?:=|\()\s*+(?:Object\.fromEntries\()?(?=[\[{\"'])"
)
_LOOKED_UP = re.compile(
    rb"search|index|navtree|sidebar|implementors|\Ar[a-z]_\Z|menudata|all_?crates|packages?$|types?$",
    re.IGNORECASE,
)
"""Names of lookup data: `Search.setIndex(`, `searchData =`, `NAVTREE =`, `rd_(`."""
_WORDS = re.compile(rb"[A-Za-z_$][\w$-]*")
_DATA_WORDS = frozenset((b"true", b"false", b"null", b"undefined", b"parse", b"JSON"))
_MAX_OTHER_WORDS = 12
"""Words of the data besides keys: a script may assign a few more names."""
_PAGE = re.compile(rb"\.html\b")
_PAGE_EVERY = 400
"""A list of pages has at least one page in so many bytes."""
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b")
_BETWEEN_TAGS = re.compile(rb">([^<]+)")
_SENTENCE_WORDS = 8
_MAX_SENTENCES = 0.05
"""Maximum share of a list of pages in XML that is in texts of `_SENTENCE_WORDS` or more."""
_SEARCH_NAME = re.compile(
    r"(?:[\w.-]*[-_.])?(?:search[-_]?(?:index|data|docs|entries)?|lunr[-_]?index|searchindex)"
    r"(?:[-_.][\w-]*)*\.(?:json|js)\Z",
    re.IGNORECASE,
)
_SEARCH_KEYS = re.compile(rb"\"(?:fieldVectors|invertedIndex|documentStore|location|docs|url)\"")

_DIGEST = re.compile(
    rb"\b[0-9a-f]{32,128}\b|\bsha(?:1|256|384|512)[-:=][A-Za-z0-9+/=]{20,}|\bh1:[A-Za-z0-9+/]{40,}="
)
_MIN_DIGESTS = 12
_MAX_BESIDE = 6
"""Words of a line beside its digest; a line with more is text, such as one of a history."""

_DIGEST_SHARE = 0.4
_SAMPLE_BYTES = 1_000_000


def generated_kind(path: str, data: bytes) -> str | None:
    """Return the kind of a file that a program generated for programs; None for all others.

    >>> generated_kind("a.js", b"var a=function(b){return b+1},c=a(1);" * 20)
    'minified code'
    >>> generated_kind("a.js", b"var a = function (b) {\\n  return b + 1;\\n};\\n" * 20) is None
    True
    """
    suffix = suffix_of(path)
    if suffix in _MARKUP:
        return None
    sample = data[:_SAMPLE_BYTES]
    if suffix in _CODE:
        return _kind_of_code(sample)
    if suffix in _JSON:
        return _kind_of_json(path, sample)
    if _is_xml_of_pages(sample):
        return "list of pages"
    return "list of digests" if _is_digests(sample) else None


def _is_xml_of_pages(sample: bytes) -> bool:
    """Say whether XML is a list of pages without sentences."""
    if len(sample) < _MIN_BYTES or not _XML.match(sample) or not _names_pages(sample):
        return False
    texts = (match[1].split() for match in _BETWEEN_TAGS.finditer(sample))
    prose = sum(sum(map(len, words)) for words in texts if len(words) >= _SENTENCE_WORDS)
    return prose <= _MAX_SENTENCES * len(sample)


def _kind_of_code(sample: bytes) -> str | None:
    if _is_minified(sample):
        return "search index" if _is_looked_up(sample) else "minified code"
    if _is_looked_up(sample):
        return "search index"
    return "bundled code" if _is_bundle(sample) else None


def _is_minified(sample: bytes) -> bool:
    if len(sample) < _MIN_BYTES:
        return False
    code = _NOTE.sub(b"", sample) if b"/*" in sample or b"//" in sample else sample
    lines = [line for line in code.splitlines() if line.strip()]
    long_lines = b"".join(line for line in lines if len(line) > _LONG_LINE)
    if len(long_lines) < _MINIFIED_SHARE * sum(map(len, lines)) or not long_lines:
        return False
    bare = _STRING.sub(b'""', long_lines)
    blanks, marks = len(_BLANKS.findall(bare)), len(_MARKS.findall(bare))
    is_code = b"(" in bare or b"{" in bare
    return is_code and blanks <= _MAX_BLANKS * len(bare) and marks >= _MIN_MARKS * len(bare)


def _is_bundle(sample: bytes) -> bool:
    """Say whether a bundler's head and many joints of modules are there; a file may quote a few."""
    if len(sample) < _BUNDLE_BYTES or not _BUNDLE.search(sample[:_HEAD_BYTES]):
        return False
    return len(_BUNDLE_JOINTS.findall(sample)) >= _MIN_JOINTS


def _is_looked_up(sample: bytes) -> bool:
    """Say whether a script assigns one value: a list of pages, or the data of a search."""
    match = _GIVEN.match(_NOTE.sub(b"", sample[:_HEAD_BYTES]).lstrip())
    if match is None:
        return False
    if not _LOOKED_UP.search(match[1]) and not _names_pages(sample):
        return False
    rest = _STRING.sub(b"", _NOTE.sub(b"", sample)).split(b"=", 1)[-1]
    words = _WORDS.findall(rest)
    keys = sum(1 for _ in re.finditer(rb"[A-Za-z_$][\w$-]*\s*:", rest))
    unknown = sum(word not in _DATA_WORDS for word in words) - keys
    return unknown <= _MAX_OTHER_WORDS and b"function" not in rest and b"=>" not in rest


def _names_pages(sample: bytes) -> bool:
    """Say whether pages are named throughout, as in a list of them."""
    return sum(1 for _ in _PAGE.finditer(sample)) * _PAGE_EVERY >= len(sample)


def _kind_of_json(path: str, sample: bytes) -> str | None:
    name = path[path.rfind("/") + 1 :]
    if b'"mappings"' in sample and b'"sources"' in sample and b'"version"' in sample[:2000]:
        return "map of sources"
    if _SEARCH_NAME.match(name) and _SEARCH_KEYS.search(sample):
        return "search index"
    return "list of digests" if _is_digests(sample) else None


def _is_digests(sample: bytes) -> bool:
    """Say whether many lines, and a good share of all, are nothing but digests."""
    lines = [line for line in sample.splitlines() if line.strip()]
    if len(lines) < _MIN_DIGESTS:
        return False
    count = sum(1 for line in lines if _is_digest_line(line[:2000]))
    return count >= _MIN_DIGESTS and count >= _DIGEST_SHARE * len(lines)


def _is_digest_line(line: bytes) -> bool:
    rest, digests = _DIGEST.subn(b"", line)
    return digests > 0 and len(rest.split()) <= _MAX_BESIDE


_FIRST_PAGES = ("index.html", "help.html", "search.html")
"""Pages at the top of a site's folder: `rustdoc` writes only the second, and the first may only
lead to another page, as Jupyter Book's does."""
_MAX_PAGE_BYTES = 2_000_000


def is_site_asset(root: Path, path: str) -> bool:
    """Say whether the script or style sheet at `path` below `root` serves built documentation."""
    if suffix_of(path) not in _CODE:
        return False
    *folders, _ = path.split("/")
    for depth in range(len(folders), -1, -1):
        place = folders[depth] if depth < len(folders) else ""
        whole = os.path.join(root, *folders[:depth])
        if any(place in _assets_of(whole, name) for name in _FIRST_PAGES):
            return True
    return False


def _assets_of(folder: str, name: str) -> frozenset[str]:
    """Return the folders of a page's scripts, if a generator wrote the page."""
    try:
        info = os.stat(os.path.join(folder, name), follow_symlinks=False)
    except (OSError, ValueError):
        return frozenset()
    return _read_assets(folder, name, info.st_mtime_ns, info.st_size)


@memo(1024)
def _read_assets(folder: str, name: str, modified_ns: int, size: int) -> frozenset[str]:
    from leafmark.parsing.html import site_assets  # late: of pages alone

    return site_assets(read_small(folder, name, _MAX_PAGE_BYTES) or b"") or frozenset()
