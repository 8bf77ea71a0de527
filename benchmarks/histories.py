"""What `diff` says of histories whose truth is known.

    python -m benchmarks.histories REPOSITORY…

Each repository (Markdown, at least two commits on its branch) is copied. A commit is then made in
the copy by a script that knows what it does: sections get another title and every sixth word of
another kind. What leafmark says is compared with that. Between the revisions that were there,
every section called changed must differ by its bytes, read by a parser of ten lines. Exit code 1
where fewer than 95 of 100 renamed sections are found, or a section called changed is not.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

RENAMED = 40
MIN_WORDS = 25
EVERY = 6
WANTED = 0.95

_HEADING = re.compile(rb"(#{1,6})[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(rb"[ ]{0,3}(```+|~~~+)(.*)")


class Part(NamedTuple):
    """A heading and what stands up to the next one, as bytes of a file."""

    path: str
    title: str
    start: int
    end: int
    text: bytes


class Outcome(NamedTuple):
    """How many were right, of how many; `wrong` are some that were not."""

    name: str
    right: int
    of: int
    wrong: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        return self.right / self.of if self.of else 1.0


class Work:
    """A copy of a repository, with a home of its own for leafmark."""

    def __init__(self, source: Path, place: Path):
        self.top = place / source.name
        shutil.copytree(source, self.top, symlinks=True)
        who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME",)}
        who |= {f"GIT_{role}_EMAIL": "x@example.org" for role in ("AUTHOR", "COMMITTER")}
        kept = {name: value for name, value in os.environ.items() if name[:8] != "LEAFMARK"}
        self._environ = kept | who | {"LEAFMARK_HOME": str(place / "home")}

    def git(self, *words: str) -> str:
        ran = subprocess.run(
            ["git", *words], cwd=self.top, env=self._environ, check=True, capture_output=True
        )
        return ran.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "made")

    def leafmark(self, *words: str) -> Any:
        """Run leafmark and return the JSON that it prints."""
        return json.loads(self._printed(*words, "--json"))

    def leafmark_lines(self, *words: str) -> Iterator[Any]:
        """Run leafmark and yield the lines of JSON that it prints."""
        return map(json.loads, self._printed(*words, "--jsonl").splitlines())

    def _printed(self, *words: str) -> bytes:
        command = [sys.executable, "-m", "leafmark", *words, "-q"]
        ran = subprocess.run(command, cwd=self.top, env=self._environ, capture_output=True)
        assert ran.returncode in (0, 1), ran.stderr.decode()
        return ran.stdout

    def at(self, revision: str) -> dict[str, bytes]:
        """Return the Markdown of a revision."""
        rows = self.git("ls-tree", "-r", "-z", revision).split("\0")
        ids = {row.split("\t")[1]: row.split()[2] for row in rows if row.endswith(".md")}
        asked = "".join(f"{oid}\n" for oid in ids.values()).encode()
        command = ["git", "cat-file", "--batch"]
        ran = subprocess.run(command, cwd=self.top, input=asked, capture_output=True)
        found, left = {}, ran.stdout
        for name in ids:
            head, _, left = left.partition(b"\n")
            size = int(head.split()[2])
            found[name], left = left[:size], left[size + 1 :]
        return found


def parts_of(path: str, data: bytes) -> Iterator[Part]:
    """Yield the parts of a Markdown file, by its headings with number signs alone."""
    heads: list[tuple[int, str]] = []
    at, fence = 0, b""
    for line in data.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and fence:
            is_end = mark[1].startswith(fence) and not mark[2].strip()
            fence = b"" if is_end else fence
        elif mark and b"`" not in mark[2]:
            fence = mark[1]
        found = None if fence else _HEADING.match(line.rstrip(b"\r\n"))
        if found is not None:
            heads.append((at, found[2].decode("utf-8", "replace")))
        at += len(line)
    ends = [*[start for start, _ in heads[1:]], len(data)][: len(heads)]
    for (start, title), end in zip(heads, ends, strict=True):
        yield Part(path, title, start, end, data[start:end])


def edited(part: Part, number: int) -> bytes:
    """Return a part under another title, with every sixth word another one."""
    head, _, body = part.text.partition(b"\n")
    sign = head.split()[0]
    count = iter(range(10**9))

    def other(word: re.Match[bytes]) -> bytes:
        at = next(count)
        return b"quokka%d" % at if at % EVERY == 0 else word[0]

    changed = re.sub(rb"\b[a-z]{4,}\b", other, body)
    return b"%s Renamed to number %d\n%s" % (sign, number, changed)


def renamed_sections(work: Work, chance: random.Random) -> Outcome:
    """Rename and edit sections, one a file at a time, and ask where they went."""
    files = work.at("HEAD")
    parts = [part for path, data in files.items() for part in parts_of(path, data)]
    fit = [one for one in parts if len(re.findall(rb"\w+", one.text)) >= MIN_WORDS]
    chosen = chance.sample(fit, min(RENAMED, len(fit)))
    wanted = {}
    for number, part in enumerate(sorted(chosen, key=lambda one: (one.path, -one.start))):
        data = files[part.path]
        files[part.path] = data[: part.start] + edited(part, number) + data[part.end :]
        (work.top / part.path).write_bytes(files[part.path])
        wanted[part.path, part.title, number] = f"Renamed to number {number}"
    work.commit()
    report = work.leafmark("diff", "HEAD~1", "HEAD")
    found = {
        change["new"]["title"]: change["old"]["title"]
        for document in report["documents"]
        for change in document["sections"]
        if change["old"] and change["new"]
    }
    plain = {new: re.sub(r"\W", "", old) for new, old in found.items()}
    wrong = [
        f"{path}: {title!r}"
        for (path, title, _), new in wanted.items()
        if plain.get(new)
        != re.sub(r"\W", "", re.sub(r"\[([^\]]*)\]\([^)]*\)|<[^>]*>", r"\1", title))
    ]
    return Outcome("renamed and edited", len(wanted) - len(wrong), len(wanted), tuple(wrong))


def unchanged_sections(work: Work, old: str, new: str) -> Outcome:
    """Look whether every section called changed, in a file of the same name, has other bytes."""
    before, after = work.at(old), work.at(new)
    report = work.leafmark("diff", old, new)
    total, wrong = 0, []
    for document in report["documents"]:
        for change in document["sections"]:
            if "changed" not in change["fates"]:
                continue
            total += 1
            sides = [
                _cited(change[side], files) for side, files in (("old", before), ("new", after))
            ]
            if sides[0] == sides[1]:
                wrong.append(f"{old}..{new} {change['new']['id']}")
    return Outcome(f"changed between {old} and {new}", total - len(wrong), total, tuple(wrong))


def _cited(side: dict[str, Any], files: dict[str, bytes]) -> bytes:
    """Return the bytes of a section's own text, up to the next heading."""
    data = files[side["path"]]
    start, end = map(int, side["citation"].rpartition(":")[2].split("-"))
    after = [one.start for one in parts_of(side["path"], data) if one.start > start]
    return data[start : min([end, *after])]


def main() -> int:
    is_right = True
    chance = random.Random(42)
    for source in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as place:
            work = Work(source.resolve(), Path(place))
            revisions = work.git("rev-list", "--first-parent", "--reverse", "HEAD").split()
            names = [one[:9] for one in revisions]
            pairs = list(pairwise(names))[-9:]
            outcomes = [unchanged_sections(work, *pair) for pair in pairs]
            outcomes.append(renamed_sections(work, chance))
        print(source.name)
        for one in outcomes:
            print(f"  {one.name}: {one.right} of {one.of}", *one.wrong[:4], sep="\n    ")
            least = WANTED if one.name.startswith("renamed") else 1.0
            is_right = is_right and one.share >= least
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
