"""Names as queries, and where the package itself says that their bearers are.

Inventories, file names, and the ids and terms of entries tell it, never leafmark:
a page is an answer as a whole, an entry by its bytes. `make.py` writes the queries.
"""

from __future__ import annotations

import html
import random
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Answer = dict[str, Any]
MOST = 90
"""Queries of one kind of name: of several kinds a body has several hundred."""

_TAG = re.compile(r"<[^>]*>")
_HEADING = re.compile(rb"<h([1-6])[ >]", re.I)
_TERM = re.compile(rb"<dt\b[^>]*>(.*?)</dt>", re.S)


class Name(NamedTuple):
    """A name as somebody would type it, the kind of its bearer, and where that is."""

    query: str
    kind: str
    answers: tuple[Answer, ...]


def named_queries(body: str, root: Path) -> list[dict[str, Any]]:
    """Return at most `MOST` queries of each kind of name, the same ones every time."""
    known: dict[tuple[str, str], dict[str, Answer]] = defaultdict(dict)
    for name in NAMES[body](root):
        for answer in name.answers:
            known[name.query, name.kind][repr(answer)] = answer
    kinds = dict.fromkeys(kind for _, kind in known)
    made, asked = [], set()
    for kind in kinds:
        names = sorted(query for query, of in known if of == kind)
        drawn = random.Random(f"{body} {kind}").sample(names, min(MOST, len(names)))
        for query in sorted(drawn):
            if query not in asked:
                asked.add(query)
                answers = list(known[query, kind].values())
                made.append({"query": query, "answers": answers, "kind": kind, "tree": body})
    return made


# -- where bearers are ----------------------------------------------------------------


def _page(path: str) -> tuple[Answer, ...]:
    return ({"path": path},)


def _entry(root: Path, path: str, anchor: str, attribute: bytes = b"id") -> tuple[Answer, ...]:
    """Return the bytes of the definition or section that an id marks; none where it is gone."""
    data = (root / path).read_bytes()
    name = re.escape(html.escape(anchor).encode())
    found = re.search(rb"\s" + attribute + rb"=[\"']" + name + rb"[\"']", data)
    if not found:
        return ()
    start = data.rindex(b"<", 0, found.start() + 1)
    tag = re.match(rb"<(\w+)", data[start:])
    if tag is not None and tag[1] == b"dt":
        return _bytes(path, start, _end_of_definition(data, start))
    heading = _HEADING.search(data, start)
    before = _HEADING.findall(data, 0, start)
    if heading is None:
        return ()
    if heading.start() - start > 400 and before:
        return ()  # an id amid a text names no section
    end = _end_of_section(data, heading)
    return _bytes(path, start, end)


def _bytes(path: str, start: int, end: int) -> tuple[Answer, ...]:
    return ({"path": path, "start": start, "end": end},) if end > start else ()


def _end_of_definition(data: bytes, start: int) -> int:
    """Return the end of the `dd` that belongs to the `dt` at `start`."""
    depth = 0
    for tag in re.finditer(rb"<(/?)(dl|dd)\b", data[start:]):
        closes, name = bool(tag[1]), tag[2]
        if name == b"dl":
            depth += -1 if closes else 1
            if depth < 0:
                return start + tag.start()
        elif closes and depth == 0:
            return start + tag.start()
    return start


def _end_of_section(data: bytes, heading: re.Match[bytes]) -> int:
    """Return the start of the next heading that is no deeper, else the end of the page."""
    for other in _HEADING.finditer(data, heading.end()):
        if other[1] <= heading[1]:
            return other.start()
    return max(data.rfind(b"</body"), heading.end())


def _inventory(root: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, role, path and anchor of all that Sphinx's inventory lists."""
    data = (root / "objects.inv").read_bytes().split(b"\n", 4)[4]
    for line in zlib.decompress(data).decode("utf-8").splitlines():
        found = re.match(r"(.+?) (\S+:\S+) -?\d+ (\S+)", line)
        if found:
            name, role, place = found.groups()
            path, _, anchor = place.partition("#")
            yield name, role, path, anchor.replace("$", name)


def _text(markup: bytes | str) -> str:
    text = markup.decode("utf-8", "replace") if isinstance(markup, bytes) else markup
    return " ".join(html.unescape(_TAG.sub("", text)).split())


# -- the bodies -------------------------------------------------------------------------


def _python(root: Path) -> Iterator[Name]:
    kinds = {
        "py:function": "function",
        "py:class": "class",
        "py:method": "method",
        "py:exception": "class",
        "std:envvar": "variable",
        "c:function": "c-function",
    }
    last: dict[str, set[str]] = defaultdict(set)
    listed = list(_inventory(root))
    for name, role, _, _ in listed:
        if role.startswith("py:"):
            last[name.rpartition(".")[2]].add(name)
    for name, role, path, anchor in listed:
        if role == "py:module":
            yield Name(_in_turn(name, "{}", "{} module", "{}"), "module", _page(path))
        elif role == "std:term":
            query = _in_turn(name, "what is a {}", "{}", "what is {}?")
            yield Name(query, "term", _entry(root, path, anchor))
        elif role in kinds:
            bare = name.rpartition(".")[2]
            alone = len(last[bare]) == 1 and ("_" in bare or bare[:1].isupper())
            query = bare if alone and role != "c:function" and _lot(name, 2) else name
            yield Name(query, kinds[role], _entry(root, path, anchor))


def _django(root: Path) -> Iterator[Name]:
    kinds = {
        "std:setting": "setting",
        "std:templatefilter": "template",
        "std:templatetag": "template",
        "std:django-admin": "command",
        "std:fieldlookup": "lookup",
        "py:class": "class",
    }
    for name, role, path, anchor in _inventory(root):
        if role in kinds:
            shown = name.rpartition(".")[2] if role == "py:class" else name
            asked = {
                "std:templatefilter": "{} filter",
                "std:templatetag": "{} tag",
                "std:fieldlookup": "{} lookup",
                "std:django-admin": "django-admin {}",
            }.get(role, "{}")
            yield Name(asked.format(shown), kinds[role], _entry(root, path, anchor))


def _cmake(root: Path) -> Iterator[Name]:
    for name, role, path, _ in _inventory(root):
        kind = role.removeprefix("cmake:")
        if kind in ("variable", "prop_tgt", "module", "command", "policy", "envvar"):
            stem = name.rpartition(":")[2]
            if Path(path).stem == stem and "<" not in stem:
                yield Name(stem, kind.replace("prop_tgt", "property"), _page(path))


def _git(root: Path) -> Iterator[Name]:
    for path in sorted(root.glob("git*.html")):
        name = path.stem
        if re.fullmatch(r"git-[a-z-]+", name):
            query = _in_turn(name, "{}", name.replace("-", " ", 1), name.removeprefix("git-"))
            yield Name(query, "command", _page(path.name))
        yield from _variables(root, path)
    yield from _git_terms(root)


def _variables(root: Path, page: Path) -> Iterator[Name]:
    for start, term in _terms(page.read_bytes()):
        if re.fullmatch(r"[a-z]\w+\.(?:<\w+>\.)?[a-z]+[A-Z]\w+", term):
            data = page.read_bytes()
            answer = _bytes(page.name, start, _end_of_definition(data, start))
            yield Name(term, "variable", answer)


def _git_terms(root: Path) -> Iterator[Name]:
    for page in (root / "gitglossary.html", root / "user-manual.html"):
        data = page.read_bytes()
        for start, term in _terms(data):
            if re.fullmatch(r"[a-z][a-z -]+", term):
                answer = _bytes(page.name, start, _end_of_definition(data, start))
                yield Name(_in_turn(term, "what is a {}", "{}"), "term", answer)


def _terms(data: bytes) -> Iterator[tuple[int, str]]:
    for found in _TERM.finditer(data):
        yield found.start(), _text(found[1])


def _postgresql(root: Path) -> Iterator[Name]:
    for path in sorted(root.glob("*.html")):
        data = path.read_bytes()
        if path.name.startswith("sql-"):
            title = re.search(rb"<title>(.*?)</title>", data, re.S)
            name = _text(title[1]) if title else ""
            if re.fullmatch(r"[A-Z][A-Z ]+", name):
                query = name if _lot(name, 2) else name.lower()
                yield Name(query, "command", _page(path.name))
        elif re.fullmatch(r"app-?[a-z-]+\.html", path.name):
            title = re.search(rb"<title>(.*?)</title>", data, re.S)
            name = _text(title[1]) if title else ""
            if re.fullmatch(r"[a-z_]+", name):
                yield Name(name, "program", _page(path.name))
        elif path.name.startswith(("catalog-", "view-")):
            title = re.search(rb"<title>[\d.]*\s*(pg_\w+)</title>", data.replace(b"\xc2\xa0", b" "))
            if title:
                yield Name(_text(title[1]), "catalog", _page(path.name))
        for found in re.finditer(rb'<dt id="(GUC-[^"]+)"', data):
            term = re.search(rb"<code class=\"varname\">(.*?)</code>", data[found.start() :])
            if term:
                end = _end_of_definition(data, found.start())
                answer = _bytes(path.name, found.start(), end)
                yield Name(_text(term[1]), "setting", answer)


def _rust(root: Path) -> Iterator[Name]:
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for path in sorted(root.glob("std/**/*.html")):
        module = "::".join(path.relative_to(root).parts[:-1])
        item = re.fullmatch(r"(struct|enum|trait|fn|macro|keyword|type|union)\.(\w+)", path.stem)
        if b'http-equiv="refresh"' in path.read_bytes()[:600]:
            continue  # a page that only leads to another one
        if item:
            found[item[2]].append((item[1], module, path.relative_to(root).as_posix()))
        elif path.name == "index.html" and path.parent.name != "std":
            place = path.relative_to(root).as_posix()
            yield Name(module, "module", _page(place))
    for name, places in found.items():
        for kind, module, place in places:
            whole = f"{module}::{name}"
            asked = {
                "macro": f"{name}!",
                "keyword": f"{name} keyword",
                "fn": whole,
                "trait": f"{name} trait" if _lot(whole, 2) else name,
            }.get(kind, name if _lot(whole, 2) else whole)
            if len(places) == 1 or "::" in asked or kind in ("macro", "keyword"):
                yield Name(asked, kind, _page(place))


def _node(root: Path) -> Iterator[Name]:
    for path in sorted(root.glob("*.html")):
        if path.stem in ("all", "index", "documentation", "synopsis"):
            continue
        data = path.read_bytes()
        heads = list(re.finditer(rb"<h([2-5])>(.*?)</h\1>", data, re.S))
        if heads and re.search(rb"stability|introduced", data[:60000], re.I):
            stem = path.stem
            yield Name(_in_turn(stem, "{}", "{} module", "{}"), "module", _page(path.name))
        for head in heads[1:]:
            title = _text(re.sub(rb"<span>.*", b"", head[2], flags=re.S))
            name = re.fullmatch(r"(?:new )?([a-zA-Z]+\.[a-zA-Z.]+)(?:\(.*\))?", title)
            event = re.fullmatch(r"Event: '([\w-]+)'", title)
            if name or event:
                answer = _bytes(path.name, head.start(), _end_of_section(data, _head(data, head)))
                yield Name(name[1] if name else title, "entry" if name else "event", answer)


def _head(data: bytes, found: re.Match[bytes]) -> re.Match[bytes]:
    heading = _HEADING.match(data, found.start())
    assert heading is not None
    return heading


def _man(root: Path) -> Iterator[Name]:
    for path in sorted(root.glob("*/man*/*")):
        data = path.read_bytes()
        if re.match(rb"\.so ", data):
            continue  # a page that only points to another
        name, _, section = path.name.rpartition(".")
        place = path.relative_to(root).as_posix()
        query = _in_turn(name, "{}", f"{{}}({section})", f"man {section} {{}}", "{}")
        kind = {"2": "call", "3": "function"}.get(section[0], "page")
        yield Name(query, kind, _page(place))


def _apache(root: Path) -> Iterator[Name]:
    for path in sorted((root / "en" / "mod").glob("*.html")):
        data = path.read_bytes()
        place = path.relative_to(root).as_posix()
        if path.stem.startswith("mod_"):
            yield Name(path.stem, "module", _page(place))
        marks = list(re.finditer(rb'<div class="directive-section">', data))
        ends = [mark.start() for mark in marks[1:]] + [data.rfind(b'<div class="bottomlang">')]
        for mark, end in zip(marks, ends, strict=False):
            title = re.search(rb'<span id="[^"]*">(.*?)</span>', data[mark.start() :])
            name = _text(title[1]) if title else ""
            if re.fullmatch(r"<?[A-Z]\w+>?", name):
                yield Name(name.strip("<>"), "directive", _bytes(place, mark.start(), end))


def _markdown(root: Path) -> Iterator[Name]:
    for path in sorted(root.rglob("*.md")):
        place, stem = path.relative_to(root).as_posix(), path.stem
        number = re.fullmatch(r"eip-(\d+)|(\d{4})-.*", stem)
        if place.startswith(("eips/", "rfcs/")) and number and number[0]:
            series = "EIP" if number[1] else "RFC"
            digits = number[1] or number[2].lstrip("0")
            query = _in_turn(digits, f"{series}-{{}}", f"{series} {{}}", f"{series.lower()}-{{}}")
            yield Name(query, "number", _page(place))
        elif place.startswith("electron/docs/api/") and path.parent.name == "api":
            query = _in_turn(stem, "{}", "".join(map(str.capitalize, stem.split("-"))), "{} api")
            yield Name(query, "stem", _page(place))
        elif place.startswith("ddi/") and re.fullmatch(r"nf-\w+-\w{8,}", stem):
            yield Name(stem.rpartition("-")[2], "function", _page(place))
        elif place.startswith("hugo/content/en/functions/") and stem != "_index":
            yield Name(f"{path.parent.name}.{stem}", "stem", _page(place))


def _powershell(root: Path) -> Iterator[Name]:
    """Yield commands and topics; of several versions the newest is the right one."""
    pages: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(root.glob("[5-7].*/**/*.md")):
        pages[path.stem].append(path.relative_to(root))
    for stem, places in pages.items():
        if not re.fullmatch(r"[A-Z]\w+-\w+|about_\w+", stem):
            continue
        newest = max(places, key=lambda path: tuple(map(int, path.parts[0].split("."))))
        if len({path.parts[0] for path in places}) == len(places):
            kind = "versioned" if len(places) > 1 else "command"
            query = _in_turn(stem, "{}", "{}", stem.lower())
            yield Name(query, kind, _page(newest.as_posix()))


def _versions(root: Path) -> Iterator[Name]:
    """Yield settings and titles of pages; of two versions the newer one is right."""
    older, newer = sorted(path.name for path in root.iterdir())
    for path in sorted((root / newer).rglob("*.txt")):
        place = path.relative_to(root).as_posix()
        data = path.read_bytes()
        beside = root / older / path.relative_to(root / newer)
        title = re.search(rb"^(=+)\n(.+)\n\1$", data, re.M)
        if title and beside.is_file():
            yield Name(_text(title[2].replace(b"`", b"")), "versioned", _page(place))
        marks = list(re.finditer(rb"^\.\. setting:: (\w+)$", data, re.M))
        ends = [mark.start() for mark in marks[1:]] + [len(data)]
        for mark, end in zip(marks, ends, strict=False):
            known = beside.is_file() and mark[0] in beside.read_bytes()
            kind = "versioned" if known else "setting"
            yield Name(mark[1].decode(), kind, _bytes(place, mark.start(), end))


def _tldr(root: Path) -> Iterator[Name]:
    """Yield commands; of several languages the English page is the right one."""
    for path in sorted(root.glob("pages/*/*.md")):
        place = path.relative_to(root).as_posix()
        if len(list(root.glob(f"pages/*/{path.name}"))) == 1:
            others = list(root.glob(f"pages.*/*/{path.name}"))
            kind = "translated" if others else "command"
            yield Name(_in_turn(path.stem, "{}", "{} command", "{}"), kind, _page(place))


def _react(root: Path) -> Iterator[Name]:
    return _titled(root, "react.dev", re.compile(r"^title: *[\"']?(.*?)[\"']?$", re.M))


def _aptitude(root: Path) -> Iterator[Name]:
    return _titled(root, "en", re.compile(r"<title>(.*?)</title>", re.S))


def _titled(root: Path, main: str, title: re.Pattern[str]) -> Iterator[Name]:
    """Yield titles: one in its own language asks for that page, a common one for the main page."""
    pages: dict[str, dict[str, str]] = defaultdict(dict)
    for path in filter(Path.is_file, sorted(root.glob("*/**/*.*"))):
        language, _, place = path.relative_to(root).as_posix().partition("/")
        found = title.search(path.read_text(encoding="utf-8", errors="replace")[:5000])
        if found and path.suffix in (".md", ".html"):
            pages[place][language] = _text(found[1])
    owners: dict[str, set[str]] = defaultdict(set)
    for place, titles in pages.items():
        for text in titles.values():
            owners[text.lower()].add(place)
    for place, titles in pages.items():
        for language, text in titles.items():
            shared = main in titles and (titles[main] == text or language == main)
            if len(owners[text.lower()]) == 1 and text and (shared or not text.isascii()):
                kind = "translated" if shared else "translation"
                if len(titles) > 1:
                    yield Name(text, kind, _page(f"{main if shared else language}/{place}"))


def _lot(name: str, sides: int) -> int:
    return random.Random(name).randrange(sides)


def _in_turn(name: str, *forms: str) -> str:
    """Return the name in one of the forms in which people ask for it, drawn by lot."""
    asked = forms[_lot(name, len(forms))].format(name)
    return re.sub(r"\ba (?=[aeiou])", "an ", asked)


def _gtk(root: Path) -> Iterator[Name]:
    """What the list of a browser of documentation tells; constants stand in tables."""
    for listed in sorted(root.glob("*/*.devhelp2")):
        for attributes in re.findall(r"<keyword ([^>]*)>", listed.read_text("utf-8")):
            told = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
            kind, (page, _, anchor) = told["type"], told["link"].partition("#")
            path = f"{listed.parent.name}/{page}"
            name = html.unescape(told["name"]).replace("\xa0", " ").strip()
            if kind in ("function", "macro"):
                query = name.removesuffix("()").strip()
                yield Name(query, "function", _entry(root, path, anchor, b"name"))
            elif kind in ("property", "signal") and (quoted := re.search("“(.+)”", name)):
                yield Name(quoted[1], kind, _entry(root, path, anchor, b"name"))
            elif kind in ("struct", "enum", "constant"):
                yield Name(name.removeprefix(f"{kind} "), kind, _page(path))


NAMES: Mapping[str, Callable[[Path], Iterable[Name]]] = {
    "python": _python,
    "django": _django,
    "cmake": _cmake,
    "git": _git,
    "postgresql": _postgresql,
    "rust": _rust,
    "node": _node,
    "man": _man,
    "apache": _apache,
    "markdown": _markdown,
    "powershell": _powershell,
    "versions": _versions,
    "tldr": _tldr,
    "react": _react,
    "aptitude": _aptitude,
    "gtk": _gtk,
}
