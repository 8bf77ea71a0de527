"""leafmark and other splitters side by side: speed, and what each does to the structure.

What is split is judged by cmark-gfm, not by any of the splitters. A part is
placed by its characters that are no white space, since some splitters change
the white space; what cannot be placed counts as lost.
"""

from __future__ import annotations

import logging
import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

from benchmarks.contenders import LEAST, MOST, Contender, Part, contenders
from benchmarks.corpus import Corpus
from benchmarks.measure import Row
from benchmarks.outline import Lines, Outline, Title, is_available, outline
from leafmark.chunking import token_counter
from leafmark.parsing import parse

_SPACE = re.compile(r"\s+")
_MARKUP = re.compile(
    r"</?(?![A-Za-z][A-Za-z0-9+.-]*:)[A-Za-z][^<>]*>|[`*_~\\\[\]<>#]|\(.*?\)|&\w+;|\W"
)
_IDS = re.compile(r"\s*(?:\{[^{}]*\}|\[#[^\]\s]*\])\s*\Z")
"""What some write behind a title to name its place: one tool's title has it, another's does not."""

_COLUMNS = (
    ("MB/s", 6),
    ("parts", 9),
    ("split code", 10),
    ("split tables", 12),
    ("wrong paths", 13),
    ("tiny", 8),
    ("oversized", 9),
    ("lost chars", 10),
)
OVERLAP = 64
"""Characters by which a part may begin before the end of the one before it."""

COUNT = token_counter("o200k_base")


def run(corpus: Corpus) -> list[Row]:
    """Print the table. There is no row with a limit: the splitters do different things."""
    if not is_available():
        print("splitters: cmark-gfm is not installed")
        return []
    found, missing = contenders()
    for each in missing:
        print(each)
    read = ((path.read_bytes(), path.relative_to(corpus.root).as_posix()) for path in corpus.files)
    judged = [(data, name, _judge(data, name)) for data, name in read if _is_plain(data)]
    sources = [(data, name) for data, name, judge in judged if judge is not None]
    judges = [judge for _, _, judge in judged if judge is not None]
    logging.disable()  # some say a word about every document
    print(f"{len(sources):,} documents, {sum(len(d) for d, _ in sources) / 1e6:.1f} MB in UTF-8")
    code = sum(len(judge.code) for judge in judges)
    tables = sum(len(judge.tables) for judge in judges)
    print(f"{code:,} code blocks; {tables:,} tables that fit {MOST:,} tokens\n")
    print(" ".join([" " * 31, *(name.rjust(width) for name, width in _COLUMNS)]))
    for contender in found:
        print(_line(contender, sources, judges), flush=True)
    return []


def _is_plain(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return bool(data.strip())


def _line(contender: Contender, sources: Sequence[tuple[bytes, str]], judges: list[Judge]) -> str:
    seconds = 0.0
    totals: Counter[str] = Counter()
    for (data, name), judge in zip(sources, judges, strict=True):
        began = time.process_time()
        try:
            parts = contender.split(data, name)
        except Exception:  # whatever another's bug raises: it is told below
            totals["failed"] += 1
            parts = []
        seconds += time.process_time() - began
        totals.update(judge.judge(parts, contender.kind))
    speed = sum(len(data) for data, _ in sources) / 1e6 / seconds
    paths = f"{totals['wrong']:,}/{totals['paths']:,}" if totals["paths"] else "none given"
    cells = [
        f"{speed:.1f}",
        f"{totals['parts']:,}",
        f"{totals['code']:,}",
        f"{totals['tables']:,}",
        paths,
        f"{totals['tiny']:,}",
        f"{totals['oversized']:,}",
        f"{totals['lost']:,}",
    ]
    shown = [cell.rjust(width) for cell, (_, width) in zip(cells, _COLUMNS, strict=True)]
    failed = f"  ({totals['failed']:,} documents failed)" if totals["failed"] else ""
    return " ".join([contender.name.ljust(31), *shown]) + failed


def _judge(data: bytes, name: str) -> Judge | None:
    """The judge of a document; None where cmark-gfm cannot say what is in it."""
    front = parse(data, name).front_matter
    seen = outline(data, front.end if front else 0)
    return None if seen is None else Judge(data, seen)


class Judge:
    """What is true of one document, in places among its characters that are no white space."""

    def __init__(self, data: bytes, seen: Outline):
        self._data = data
        text = data.decode("utf-8")
        self._solid = _SPACE.sub("", text)
        line_ends = re.compile(r"\r\n|\r|\n")
        starts = [0, *[match.end() for match in line_ends.finditer(text)], len(text)]
        solid_before = 0
        self._lines: list[int] = []
        for start, end in pairwise([*starts, len(text)]):
            self._lines.append(solid_before)
            solid_before += len(_SPACE.sub("", text[start:end]))
        self.code = [span for block in seen.code if (span := self._span(block))]
        self.tables = [
            span
            for block in seen.tables
            if (span := self._span(block))
            and COUNT(text[starts[block.first - 1] : starts[min(block.last, len(starts) - 1)]])
            <= MOST
        ]
        self._titles = seen.titles
        self._kept = [
            title
            for title, after in zip_longest(self._titles, self._titles[1:])
            if not self._is_empty(title, after)
        ]
        self._several = COUNT(text) > MOST

    def _is_empty(self, title: Title, after: Title | None) -> bool:
        """Whether the next heading follows at once and opens no section below this one."""
        end = len(self._solid) if after is None else self._lines[after.line - 1]
        if after is not None and after.level > title.level:
            return False
        line = self._lines[min(title.line, len(self._lines) - 1)]
        return not self._solid[line:end].strip("-=")

    def _span(self, block: Lines) -> tuple[int, int] | None:
        last = min(block.last, len(self._lines) - 1)
        start, end = self._lines[block.first - 1], self._lines[last]
        return (start, end) if end > start else None

    def judge(self, parts: Sequence[Part], kind: str) -> Counter[str]:
        """Count what is wrong with the parts."""
        found: Counter[str] = Counter()
        found["parts"] = len(parts)
        cuts: list[int] = []
        covered = 0
        at = 0
        for part in sorted(parts, key=lambda part: part.start or 0):
            solid = _SPACE.sub("", part.text)
            place = self._place(part, solid, at)
            tokens = COUNT(part.text)
            found["oversized"] += tokens > MOST
            found["tiny"] += self._several and 0 < tokens < LEAST
            if place < 0:
                continue
            at = place + len(solid)
            cuts += (place, at)
            covered += len(solid)
            if part.path is not None:
                found["paths"] += 1
                own = place + len(_SPACE.sub("", part.lead))
                found["wrong"] += not self._is_right(part.path, own, kind)
        cuts.sort()
        found["code"] = sum(_is_cut(span, cuts) for span in self.code)
        found["tables"] = sum(_is_cut(span, cuts) for span in self.tables)
        found["lost"] = max(0, len(self._solid) - covered)
        return found

    def _place(self, part: Part, solid: str, at: int) -> int:
        """Where the part begins; -1 where its text is not found after the part before it."""
        if part.start is not None:
            return len(_SPACE.sub("", self._data[: part.start].decode("utf-8", "replace")))
        if not solid:
            return -1
        place = self._solid.find(solid, at)
        return place if place >= 0 else self._solid.find(solid, max(0, at - OVERLAP))

    def _is_right(self, path: tuple[str, ...], place: int, kind: str) -> bool:
        """Whether the titles given are those above the place where the part begins.

        In favour of all: a heading with nothing below it may count or not, and so
        may those that the part begins with.
        """
        given = [_plain(title) for title in path if _plain(title)]
        for titles in (self._titles, self._kept):
            for way in self._ways(titles, place):
                expected = [_plain(title.text) for title in way if _plain(title.text)]
                # leafmark's paths begin with the document's title
                if given == expected or (kind == "leafmark" and given[1:] == expected):
                    return True
        return False

    def _ways(self, titles: Sequence[Title], place: int) -> Iterator[list[Title]]:
        """Yield the titles above a place, and above and below each heading that stands there.

        Another heading stands there too where nothing is between the two.
        """
        yield self._above(titles, place)
        for title, after in zip_longest(titles, titles[1:]):
            if self._place_of(title) != place:
                continue
            above = self._above(titles, place)
            yield above
            yield above[:-1]
            line = self._lines[min(title.line, len(self._lines) - 1)]
            if after is not None and not self._solid[line : self._place_of(after)].strip("-="):
                place = self._place_of(after)

    def _place_of(self, title: Title) -> int:
        return self._lines[title.line - 1]

    def _above(self, titles: Sequence[Title], place: int) -> list[Title]:
        above: list[Title] = []
        for title in titles:
            if self._place_of(title) > place:
                break
            while above and above[-1].level >= title.level:
                above.pop()
            above.append(title)
        return above


def _is_cut(span: tuple[int, int], cuts: Sequence[int]) -> bool:
    at = bisect_left(cuts, span[0] + 1)
    return at < len(cuts) and cuts[at] < span[1]


def _plain(title: str) -> str:
    """A title without what is markup in one tool's titles and rendered in another's."""
    return _MARKUP.sub("", _IDS.sub("", title)).lower()
