"""Citations made at one revision and checked at the next, where each one's fate is known.

    python -m benchmarks.cited REPOSITORY…

Sections of the documents of each repository (Markdown) are cited. A commit is then made by a script
that knows what it does to each cited section: nothing, text above or below it, a word changed,
another title, both, removed, cut in two, its heading taken away, moved into another file, its file
moved, moved with a word changed, or removed. `diff` must say what became of each such section,
`verify` and `diff --cited` of each citation, `verify --at` the old revision that it holds there,
and where a citation moved, the bytes must stand in the place that is named. Exit code 1 where any
is wrong.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.histories import Part, Work, parts_of

EACH = 12
"""Files for each kind of edit, where there are so many."""

MIN_BYTES = 80

_WORD = re.compile(rb"\b[a-z]{5,}\b")
_PARAGRAPHS = re.compile(rb"[a-z.]\n\n(?=[A-Z][a-z]+ [a-z]+ [a-z]+)")
_BLANK = b"\n\n"


class Cited(NamedTuple):
    """A section's own text, from below its heading to the next one, and its citation."""

    part: Part
    id: str
    start: int
    end: int
    citation: str


class Fate(NamedTuple):
    """What `verify` and `diff` must say of a citation, and after which edit.

    `id` is that of the section where the edit was made to it.
    """

    edit: str
    verified: str
    compared: str
    id: str | None = None


class Edit(NamedTuple):
    """The new bytes of a file, by path, and what becomes of the citation at its target."""

    files: dict[str, bytes | None]
    verified: str
    compared: str


def _replaced(
    one: Cited, data: bytes, start: int, end: int, text: bytes
) -> dict[str, bytes | None]:
    return {one.part.path: data[:start] + text + data[end:]}


def _untouched(one: Cited, data: bytes, number: int) -> Edit:
    return Edit({}, "ok", "ok")


def _above(one: Cited, data: bytes, number: int) -> Edit:
    text = b"Quokka %d eats leaves.\n\n" % number
    return Edit(_replaced(one, data, one.part.start, one.part.start, text), "moved", "moved")


def _below(one: Cited, data: bytes, number: int) -> Edit:
    text = b"\nQuokka %d eats leaves.\n\n" % number
    return Edit(_replaced(one, data, one.part.end, one.part.end, text), "ok", "ok")


def _edited(one: Cited, data: bytes, number: int) -> dict[str, bytes | None]:
    words = list(_WORD.finditer(data, one.start, one.end))
    word = words[len(words) // 2]
    return _replaced(one, data, word.start(), word.end(), b"quokka%d" % number)


def _word(one: Cited, data: bytes, number: int) -> Edit:
    return Edit(_edited(one, data, number), "changed", "changed")


def _renamed(one: Cited, data: bytes, number: int) -> Edit:
    return Edit(_with_title(one, data, number), "moved", "moved")


def _with_title(one: Cited, data: bytes, number: int) -> dict[str, bytes | None]:
    sign = data[one.part.start :].split(None, 1)[0]
    text = b"%s Quokkas, number %d\n" % (sign, number)
    return _replaced(one, data, one.part.start, one.start, text)


def _renamed_and_edited(one: Cited, data: bytes, number: int) -> Edit:
    once = _edited(one, data, number)[one.part.path]
    assert once is not None
    return Edit(_with_title(one, once, number), "gone", "changed")


def _removed(one: Cited, data: bytes, number: int) -> Edit:
    return Edit(_replaced(one, data, one.part.start, one.part.end, b""), "gone", "gone")


def _split(one: Cited, data: bytes, number: int) -> Edit | None:
    sign = data[one.part.start :].split(None, 1)[0]
    places = [found.end() for found in _PARAGRAPHS.finditer(data, one.start, one.end)]
    fit = [at for at in places if min(at - one.start, one.end - at) > MIN_BYTES]
    if not fit or b"```" in data[one.start : one.end] or b"<" in data[one.start : one.end]:
        return None
    text = b"%s Quokkas, part %d\n\n" % (sign, number)
    return Edit(_replaced(one, data, fit[0], fit[0], text), "changed", "changed")


def _without_heading(one: Cited, data: bytes, number: int) -> Edit | None:
    above = [part for part in parts_of(one.part.path, data) if part.end == one.part.start]
    if not above or len(above[0].text) < len(one.part.text):
        return None  # the section above would rather be called renamed
    if not data[: one.part.start].endswith(_BLANK):
        return None
    return Edit(_replaced(one, data, one.part.start, one.start, b""), "moved", "moved")


def _to_another_file(one: Cited, data: bytes, number: int) -> Edit | None:
    if len([*parts_of(one.part.path, data)]) == 1:
        return None  # the document itself would have moved
    files = _replaced(one, data, one.part.start, one.part.end, b"")
    folder = one.part.path.rpartition("/")[0]
    path = f"{folder}/quokka-{number}.md".lstrip("/")
    return Edit({**files, path: b"# Quokkas\n\n" + one.part.text}, "moved", "moved")


def _file_moved(one: Cited, data: bytes, number: int) -> Edit:
    path = f"quokkas/{number}/{Path(one.part.path).name}"
    return Edit({one.part.path: None, path: data}, "moved", "moved")


def _file_moved_and_edited(one: Cited, data: bytes, number: int) -> Edit:
    path = f"quokkas/{number}/{Path(one.part.path).name}"
    edited = _edited(one, data, number)[one.part.path]
    return Edit({one.part.path: None, path: edited}, "gone", "changed")


def _file_removed(one: Cited, data: bytes, number: int) -> Edit:
    return Edit({one.part.path: None}, "gone", "gone")


EDITS: dict[str, Callable[[Cited, bytes, int], Edit | None]] = {
    "untouched": _untouched,
    "text above": _above,
    "text below": _below,
    "a word changed": _word,
    "renamed": _renamed,
    "renamed and edited": _renamed_and_edited,
    "removed": _removed,
    "split": _split,
    "merged": _without_heading,
    "moved to a file": _to_another_file,
    "file moved": _file_moved,
    "file moved and edited": _file_moved_and_edited,
    "file removed": _file_removed,
}


FATES: dict[str, set[str]] = {
    "text below": {"changed"},
    "a word changed": {"changed"},
    "renamed": {"renamed"},
    "renamed and edited": {"renamed", "changed"},
    "removed": {"removed"},
    "split": {"split", "changed"},
    "merged": {"merged"},
    "moved to a file": {"moved"},
    "file moved and edited": {"changed"},
    "file removed": {"removed"},
}
"""What `diff` must say of the section, after the edits that it tells of."""


def cited_sections(work: Work, files: dict[str, bytes]) -> Iterator[Cited]:
    """Yield the sections without others below them whose text stands nowhere else."""
    titles = Counter(
        (path, one.title.lower()) for path in files for one in parts_of(path, files[path])
    )
    parts = {(path, one.start): one for path in files for one in parts_of(path, files[path])}
    joined = b"\0".join(files.values())
    for record in work.leafmark_lines("chunk", ".", "-s", "heading"):
        part = parts.get((record["path"], record["heading_start"]))
        start, end = record["byte_start"], record["byte_end"]
        if record["kind"] != "section" or part is None or end > part.end:
            continue
        text = files[part.path][start:end]
        if len(text.strip()) < MIN_BYTES or joined.count(text) != 1 or not _WORD.search(text):
            continue
        if b'="%s"' % record["slug"].encode() in files[part.path]:
            continue  # an anchor has the same name
        if titles[part.path, part.title.lower()] == 1:
            digest = hashlib.sha256(text).hexdigest()[:12]
            written = re.sub(
                r"[\s\"'()<>\[\]{}]", lambda sign: f"%{ord(sign[0]):02X}", record["id"]
            )
            yield Cited(part, record["id"], start, end, f"{written}@{digest}:{start}-{end}")


def edit(work: Work, chance: random.Random) -> dict[str, Fate]:
    """Commit edits whose outcome is known, and return it by citation."""
    files = work.at("HEAD")
    found: dict[str, list[Cited]] = {}
    for one in cited_sections(work, files):
        found.setdefault(one.part.path, []).append(one)
    paths = sorted(found)
    chance.shuffle(paths)
    fates: dict[str, Fate] = {}
    kinds = [name for _ in range(EACH) for name in EDITS]
    for number, path in enumerate(paths):
        if not kinds:
            break
        for name in list(dict.fromkeys(kinds)):
            target = chance.choice(found[path])
            made = EDITS[name](target, files[path], number)
            if made is not None:
                kinds.remove(name)
                fates |= _fates(name, made, target, found[path], files[path])
                _write(work, made)
                break
    work.commit()
    return fates


def _fates(
    name: str, made: Edit, target: Cited, others: list[Cited], data: bytes
) -> Iterator[tuple[str, Fate]]:
    """Yield what becomes of the target, and of the other citations of its file."""
    yield target.citation, Fate(name, made.verified, made.compared, target.id)
    new = made.files.get(target.part.path, data)
    for other in others:
        if other is target:
            continue
        status = "ok"
        if new is None:
            status = "gone" if len(made.files) == 1 else "moved"
        elif other.start > target.start and len(new) != len(data):
            status = "moved"
        yield other.citation, Fate(f"beside: {name}", status, status)


def _write(work: Work, made: Edit) -> None:
    for path, data in made.files.items():
        place = work.top / path
        if data is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


def check(work: Work, fates: dict[str, Fate]) -> tuple[Counter[str], list[str]]:
    """Return how many citations have each edit, and which outcomes are wrong."""
    text = work.top.parent / "cited.txt"
    text.write_text("\n".join(fates))
    asked = (
        ("verify", str(text)),
        ("diff", "HEAD~1", "HEAD", "--cited", str(text)),
        ("verify", str(text), "--at", "HEAD~1"),
    )
    reports = [work.leafmark(*words) for words in asked]
    verified, compared, before = (
        {row["citation"]: row for row in report["citations"]} for report in reports
    )
    told = {
        row["old"]["id"]: {*row["fates"]} - {"reordered"}
        for document in reports[1]["documents"]
        for row in document["sections"]
        if row["old"]
    }
    wrong = []
    after = work.at("HEAD")
    for citation, fate in fates.items():
        if fate.id and told.get(fate.id, set()) != FATES.get(fate.edit, set()):
            wrong.append(f"diff, {fate.edit}: {told.get(fate.id)}: {fate.id}")
        for by, rows, wanted in (
            ("verify", verified, fate.verified),
            ("diff", compared, fate.compared),
            ("verify --at", before, "ok"),
        ):
            row = rows.get(citation, {"status": "missing"})
            if row["status"] != wanted:
                wrong.append(f"{by}, {fate.edit}: {row['status']}, not {wanted}: {citation}")
            elif wanted == "moved" and not _stands(row["current"], citation, after):
                wrong.append(f"{by}, {fate.edit}: not at {row['current']}: {citation}")
    return Counter(fate.edit for fate in fates.values()), wrong


def _stands(current: str, citation: str, files: dict[str, bytes]) -> bool:
    """Whether what was cited stands where a citation of today says."""
    name, _, rest = current.rpartition("@")
    digest, _, span = rest.partition(":")
    start, _, end = span.partition("-")
    path = name.partition(":")[2].partition("#")[0]
    found = hashlib.sha256(files[path][int(start) : int(end)]).hexdigest()[:12]
    return found == digest == citation.rpartition("@")[2].partition(":")[0]


def main() -> int:
    is_right = True
    for source in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as place:
            work = Work(source.resolve(), Path(place))
            work.git("checkout", "-qf", "HEAD")
            counts, wrong = check(work, edit(work, random.Random(42)))
        print(f"{source.name}: {counts.total()} citations, {len(wrong)} outcomes wrong")
        print(*(f"  {count:>5} {name}" for name, count in sorted(counts.items())), sep="\n")
        print(*(f"  wrong: {one}" for one in wrong), sep="\n")
        is_right = is_right and not wrong
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
