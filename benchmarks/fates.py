"""What became of each section, by `diff` and by a reconstruction that shares nothing with it.

    python -m benchmarks.fates REPOSITORY [REVISION…]

The reconstruction cuts Markdown at its headings with number signs and compares every old section
with every new one by its words (`difflib`), best pairs first; what is left over is part of the
section that has its words. Prints how often both say the same for each kind of fate, and each case
in which they do not, to be read by eye: either may be right.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.histories import Part, Work, parts_of

ALIKE = 0.5
ALIKE_IF_NAMED = 0.25
PART_SHARE = 0.5
MIN_PART_WORDS = 8
Place = tuple[str, int]


class Told(NamedTuple):
    """What became of an old section: its pair, or the sections that it stands in now."""

    kinds: frozenset[str]
    new: Place | None
    parts: frozenset[Place] = frozenset()


class Sections:
    """The parts of one side's changed files, by file and line of the heading."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.of: dict[Place, Part] = {}
        self._runs: dict[Place, Counter[tuple[str, ...]]] = {}
        for path, data in files.items():
            for part in parts_of(path, data):
                self.of[path, data.count(b"\n", 0, part.start) + 1] = part
        self.bodies = {
            place: part.text.partition(b"\n")[2].strip() for place, part in self.of.items()
        }
        self.words = {
            place: body.decode("utf-8", "replace").split() for place, body in self.bodies.items()
        }

    def title(self, place: Place) -> str:
        return re.sub(r"\W+", " ", self.of[place].title).strip().lower()

    def runs(self, place: Place) -> Counter[tuple[str, ...]]:
        """Return the runs of three words, without marks."""
        if place not in self._runs:
            words = re.findall(r"\w+", " ".join(self.words[place]))
            self._runs[place] = Counter(zip(words, words[1:], words[2:], strict=False))
        return self._runs[place]


def reconstruct(old: Sections, new: Sections) -> dict[Place, Told]:
    """Return what became of each old section."""
    pairs: dict[Place, Place] = {}
    taken: set[Place] = set()
    for score, one, other in sorted(_scored(old, new), reverse=True):
        if one not in pairs and other not in taken and score:
            pairs[one] = other
            taken.add(other)
    free = [place for place in new.of if place not in taken]
    back = {other: one for one, other in pairs.items()}
    grown = [other for one, other in pairs.items() if old.bodies[one] != new.bodies[other]]
    told = {}
    for place in old.of:
        after = pairs.get(place)
        is_same = after is not None and old.bodies[place] == new.bodies[after]
        given = old.runs(place) - (new.runs(after) if after else Counter())
        parts = frozenset(one for one in free if not is_same and _is_part(new, one, given))
        if after is None:
            wholes = [
                one for one in grown if _is_part(old, place, new.runs(one) - old.runs(back[one]))
            ]
            kinds = "merged" if wholes else "split" if parts else "removed"
            told[place] = Told(frozenset({kinds}), None, frozenset(wholes) | parts)
        else:
            told[place] = Told(frozenset(_kinds(old, place, new, after, parts)), after, parts)
    return told


def _kinds(
    old: Sections, place: Place, new: Sections, after: Place, parts: frozenset[Place]
) -> Iterator[str]:
    if parts:
        yield "split"
    if place[0] != after[0]:
        yield "moved"
    is_renamed = old.title(place) != new.title(after)
    is_changed = old.bodies[place] != new.bodies[after]
    if is_renamed and is_changed:
        yield "renamed and changed"
    elif is_renamed:
        yield "renamed"
    elif is_changed:
        yield "changed"
    elif place[0] == after[0] and not parts:
        yield "same"


def _scored(old: Sections, new: Sections) -> Iterator[tuple[float, Place, Place]]:
    for other in new.of:
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(new.words[other])
        for place in old.of:
            is_named = old.title(place) == new.title(other)
            is_near = place[0] == other[0]
            least = ALIKE_IF_NAMED if is_named else ALIKE
            matcher.set_seq1(old.words[place])
            if not old.words[place] or not new.words[other]:
                alike = 1.0 if is_named and not (old.words[place] or new.words[other]) else 0.0
            elif old.words[place] == new.words[other]:
                alike = 1.5
            elif matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
                alike = 0.0
            else:
                alike = matcher.ratio()
            if alike >= least or (is_named and is_near):
                yield alike + 0.3 * is_named + 0.2 * is_near, place, other


def _is_part(side: Sections, part: Place, given: Counter[tuple[str, ...]]) -> bool:
    """Whether most of a section's runs of three words are among those that another gave or took."""
    if len(side.words[part]) < MIN_PART_WORDS:
        return False
    return (side.runs(part) & given).total() >= PART_SHARE * max(1, side.runs(part).total())


def by_leafmark(report: dict[str, Any]) -> dict[Place, Told]:
    """Return what `diff` says of each old section that is not as it was."""
    told: dict[Place, Told] = {}
    for document in report["documents"]:
        for row in document["sections"]:
            new = None if row["new"] is None else (row["new"]["path"], row["new"]["line"])
            if row["old"] is not None:
                parts = frozenset((one["path"], one["line"]) for one in row["parts"])
                told[row["old"]["path"], row["old"]["line"]] = Told(
                    frozenset(row["fates"]), new, parts
                )
    return told


def _agree(mine: Told, theirs: Told | None, old: Sections, place: Place, new: Sections) -> bool:
    if theirs is None:  # unchanged, wherever it stands
        return mine.new is not None and old.bodies[place] == new.bodies[mine.new]
    if "same" in mine.kinds:
        return theirs.new is not None and not theirs.kinds & {"changed", "renamed"}
    if mine.new is not None and theirs.new != mine.new:
        found = new.bodies.get(theirs.new) if theirs.new else None
        return found == new.bodies[mine.new]
    if mine.new is None and theirs.new is not None:
        return False
    if "removed" in mine.kinds:  # only Markdown is looked at here
        return "removed" in theirs.kinds or theirs.parts.isdisjoint(new.of)
    return not mine.parts or bool(mine.parts & theirs.parts)


def compare(work: Work, before: str, after: str) -> tuple[Counter[str], Counter[str], list[str]]:
    """Return how many sections of each kind there are, how many agree, and the others."""
    sides = [work.at(before), work.at(after)]
    changed = {path for path in {*sides[0], *sides[1]} if sides[0].get(path) != sides[1].get(path)}
    changed -= {path for path in changed if path.startswith(".") or "/." in path}
    old, new = (
        Sections({path: data for path, data in side.items() if path in changed}) for side in sides
    )
    theirs = by_leafmark(work.leafmark("diff", before, after))
    total, right, others = Counter[str](), Counter[str](), []
    for place, mine in reconstruct(old, new).items():
        agree = _agree(mine, theirs.get(place), old, place, new)
        for kind in mine.kinds:
            total[kind] += 1
            right[kind] += agree
        if not agree:
            said = theirs.get(place)
            others.append(
                f"{before}..{after} {place[0]}:{place[1]} {old.of[place].title!r}\n"
                f"      here {sorted(mine.kinds)} {mine.new} {sorted(mine.parts)}\n"
                f"      diff {said and (sorted(said.kinds), said.new, sorted(said.parts))}"
            )
    return total, right, others


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("revisions", nargs="*")
    parser.add_argument("--show", type=int, default=20)
    asked = parser.parse_args()
    total, right, others = Counter[str](), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as place:
        work = Work(asked.repository.resolve(), Path(place))
        for before, after in pairwise(asked.revisions):
            found = compare(work, before, after)
            total.update(found[0])
            right.update(found[1])
            others += found[2]
    print(f"{asked.repository.name}: the same in")
    for kind in sorted(total):
        print(f"  {kind:<20} {right[kind]} of {total[kind]}")
    chance = random.Random(42)
    print(*(f"  {one}" for one in chance.sample(others, min(asked.show, len(others)))), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
