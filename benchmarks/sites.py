"""Built documentation sites as leafmark reads them: titles, links, boilerplate, code.

    python -m benchmarks.sites [-v] FOLDER…

Each folder is what a generator of documentation wrote. The installed command chunks it, and for
each folder there is a line:

    pages     pages with a chunk
    sections  headings that open a section, and `entries` the documented names among the chunks
    unclean   titles with a permalink's sign, a button's or a source link's words, or attributes
    links     links to an id that the page has, and `lost` those of them that lead to no chunk,
              or past the page's own text to the page alone
    local     links to pages of the site, and `off` those of them that lead to no chunk
    boiler    chunks of nothing but boilerplate, and `lines` other chunks with a line of it
    code      blocks of code whose language the page names, `bare` those without it in a chunk's
              text, `numbers` chunks with a block whose lines are numbered
    assets    tokens of scripts and style sheets among 1,000

With `-v` what is wrong is named. The words of boilerplate are those of this file alone, written
from what generators print.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Record = Mapping[str, Any]

COLUMNS = {
    "pages": "pages", "sections": "sections", "entries": "entries", "unclean": "unclean",
    "links": "links", "lost": "lost", "local": "local", "off": "off", "boiler": "boiler",
    "lines": "lines", "code": "code", "bare": "bare", "numbers": "numbers", "assets": "assets",
}  # fmt: skip

_UNCLEAN = re.compile(
    r"[¶§◆🔗\u200b\ufeff\uf0c1]|\{[#:.%/]|#$|^\s*$|permalink|link to this|direct link"
    r"|copy (?:item|link)|\[(?:src|source)\]|(?:view|show) source|edit (?:on|this)",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    "|".join(
        (
            r"\[?(?:source|src)\]?|(?:view|show)(?: page)? source|expand .{0,30}",
            r"copied!?|copy(?: code| link| page| item path|)",
            r"edit(?: (?:this|on|page).{0,40}|)|improve this page",
            r"(?:next|previous|prev)(?: page| topic| chapter|)|skip to .{0,20}",
            r"(?:on|in) this page:?|(?:table of )?contents:?|navigation|menu|home|top",
            r"(?:back|return|go) to (?:the )?top|(?:quick )?search|related(?: topics)?",
            r"(?:built|powered|created|generated|made) (?:with|by) .{0,60}",
            r"(?:copyright|©).{0,80}|all rights reserved\.?|last (?:updated|modified).{0,30}",
            r"toggle .{0,40}|light|dark|auto|close|cookie.{0,20}|accept(?: all)?|reject",
            r"manage settings|was this (?:page )?helpful\??|select (?:theme|language)",
            r"press enter.{0,30}|loading.{0,10}|no results.{0,20}|subscribe.{0,20}|share",
            r"[¶§#◆|·\s0-9-]+",
        )
    ),
    re.IGNORECASE,
)
_MARKS = " -*|>\t"
_FENCE = re.compile(r"^(`{3,}|~{3,})(.*)$")
_NUMBERED = re.compile(r"\s*([0-9]{1,5})(?:[\s|:.]|$)")
_ID = re.compile(rb"\s(?:id|name)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", re.IGNORECASE)
_LANGUAGE = re.compile(
    rb"<pre\b[^<>]*>\s*(?:<span[^<>]*></span>)?<code\b[^<>]*\bclass\s*=\s*[\"'][^\"']*"
    rb"\b(?:language|lang)-(?!plain|text|none)([\w+#-]+)",
    re.IGNORECASE,
)


@dataclass(eq=False)
class Site:
    """What is counted of one folder; `wrong` has examples by column."""

    root: Path
    counts: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def fault(self, column: str, example: str) -> None:
        self.counts[column] += 1
        self.wrong.setdefault(column, []).append(example)

    @lru_cache(20_000)  # noqa: B019  a site lives as long as the run
    def ids(self, path: str) -> frozenset[str]:
        """The names that a page has, as its bytes say."""
        page = self.root / path
        if not page.is_file() or page.suffix not in (".html", ".htm"):
            return frozenset()
        found = (b"".join(match.groups(b"")) for match in _ID.finditer(page.read_bytes()))
        return frozenset(name.decode("utf-8", "replace") for name in found)


def records(root: Path) -> list[Record]:
    """Chunk a folder with the installed command, in a home of its own."""
    command = Path(sys.executable).with_name("leafmark")
    with tempfile.TemporaryDirectory() as home:
        ran = subprocess.run(
            [command, "chunk", ".", "--jsonl"],
            cwd=root,
            env=os.environ | {"LEAFMARK_HOME": home},
            capture_output=True,
            text=True,
            check=False,
        )
    if ran.returncode:
        raise SystemExit(f"{root}: {ran.stderr}")
    return [json.loads(line) for line in ran.stdout.splitlines()]


def measure(root: Path) -> Site:
    site = Site(root)
    found = records(root)
    names = {record["id"]: record for record in found}
    tokens: Counter[bool] = Counter()
    for record in found:
        is_page = record["path"].endswith((".html", ".htm"))
        is_asset = record["path"].endswith((".js", ".mjs", ".cjs", ".css"))
        tokens[is_asset] += record["tokens"]
        if is_page:
            _count_title(site, record)
            _count_text(site, record)
            _count_links(site, record, names)
    pages = {record["path"] for record in found if record["path"].endswith((".html", ".htm"))}
    site.counts["pages"] = len(pages)
    site.counts["assets"] = round(1000 * tokens[True] / max(1, sum(tokens.values())))
    _count_languages(site, pages, found)
    return site


def _count_title(site: Site, record: Record) -> None:
    if record["kind"] == "piece":
        return
    is_section = record["kind"] == "section"
    is_entry = is_section and record["heading_start"] == record["heading_end"]
    site.counts["sections"] += is_section and not is_entry
    site.counts["entries"] += is_entry
    if _UNCLEAN.search(record["title"]):
        site.fault("unclean", f"{record['id']}: {record['title']!r}")


def _count_text(site: Site, record: Record) -> None:
    body = record["text"].partition("\n\n")[2]
    lines = [line.strip(_MARKS) for line in body.splitlines() if line.strip(_MARKS)]
    served = [line for line in lines if _BOILERPLATE.fullmatch(line)]
    if lines and len(served) == len(lines):
        site.fault("boiler", f"{record['id']}: {' / '.join(lines)[:100]}")
    elif served:
        site.fault("lines", f"{record['id']}: {' / '.join(served)[:100]}")
    for code in _blocks(body):
        numbers = [_NUMBERED.match(line) for line in code]
        counted = [int(each[1]) for each in numbers if each]
        if len(counted) == len(code) and counted == [*range(counted[0], counted[0] + len(code))]:
            site.fault("numbers", f"{record['id']}: {code[0][:60]!r}")


def _blocks(text: str) -> Iterator[list[str]]:
    """Yield the lines of each fenced block with some."""
    fence, lines = "", list[str]()
    for line in text.splitlines():
        mark = _FENCE.match(line.strip())
        if fence and line.strip() == fence:
            if lines:
                yield lines
            fence, lines = "", []
        elif fence:
            lines.append(line)
        elif mark:
            fence = mark[1]


def _count_links(site: Site, record: Record, names: Mapping[str, Record]) -> None:
    for link in record["links"]:
        target = link["target"]
        if link["kind"] != "link" or re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
            continue
        path, _, fragment = target.partition("#")
        page = _page(site, record["path"], unquote(path.partition("?")[0]))
        if page is None:
            continue
        if page != record["path"]:
            site.counts["local"] += 1
            if link["id"] is None:
                site.fault("off", f"{record['id']}: {target}")
        if not (fragment and unquote(fragment) in site.ids(page)):
            continue
        site.counts["links"] += 1
        found = names.get(link["id"] or "")
        if found is None or (found["kind"] == "document" and not found["body"].strip()):
            site.fault("lost", f"{record['id']}: {target}")


def _page(site: Site, base: str, path: str) -> str | None:
    """The page of the site that a path in the page `base` means, if there is one."""
    if not path:
        return base
    joined = path.lstrip("/") if path[0] == "/" else posixpath.join(posixpath.dirname(base), path)
    joined = posixpath.normpath(joined)
    folders = [joined] if path[0] != "/" else [joined, joined.partition("/")[2]]
    for one in folders:
        for name in (one, f"{one}.html", posixpath.join(one, "index.html")):
            if name.endswith((".html", ".htm")) and (site.root / name).is_file():
                return posixpath.normpath(name)
    return None


def _count_languages(site: Site, pages: set[str], found: list[Record]) -> None:
    fences: dict[str, Counter[str]] = {}
    for record in found:
        named = (_FENCE.match(line.strip()) for line in record["text"].splitlines())
        langs = (each[2].strip().lower() for each in named if each)
        fences.setdefault(record["path"], Counter()).update(lang for lang in langs if lang)
    for path in sorted(pages):
        said = [
            each.decode().lower() for each in _LANGUAGE.findall((site.root / path).read_bytes())
        ]
        missing = Counter(said) - fences[path]
        site.counts["code"] += len(said)
        for language, count in missing.items():
            for _ in range(count):
                site.fault("bare", f"{path}: {language}")


def main(arguments: list[str]) -> int:
    is_verbose = "-v" in arguments
    folders = [Path(each) for each in arguments if each != "-v"]
    width = max([len(folder.name) for folder in folders], default=0)
    print(" ".join([" " * width, *(f"{name:>8}" for name in COLUMNS)]))
    for folder in folders:
        site = measure(folder.resolve())
        row = [f"{site.counts[column]:8}" for column in COLUMNS.values()]
        print(" ".join([f"{folder.name:{width}}", *row]), flush=True)
        for column, examples in site.wrong.items() if is_verbose else ():
            for example in examples[:20]:
                print(f"  {column}: {example}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
