"""Compare the definitions found in source files with those that Universal Ctags finds.

    python -m benchmarks.definitions SUFFIX FOLDER…

Prints how many tags there are, which have no definition of the same name around
their line, and how many definitions ctags does not know, with examples of each.
The two disagree on purpose about anonymous types and lambdas (no definitions
here), nested namespaces (one here), and declarations of modules elsewhere.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leafmark.model import Document
from leafmark.parsing import parse

LANGUAGES = {
    "go": ("Go", "func struct interface type methodSpec"),
    "rs": ("Rust", "struct union trait interface enum function method macro"),
    "java": ("Java", "class interface enum method annotation"),
    "c": ("C", "function struct union enum"),
    "h": ("C++", "function struct union enum class namespace prototype"),
    "cpp": ("C++", "function struct union enum class namespace prototype"),
    "cs": ("C#", "class interface enum struct method property namespace"),
    "rb": ("Ruby", "class module method singletonMethod"),
    "php": ("PHP", "class interface trait function method"),
    "sh": ("Sh", "function"),
    "lua": ("Lua", "function"),
    "js": ("JavaScript", "function class method generator getter setter"),
    "ts": ("TypeScript", "function class interface enum method namespace alias"),
    "kt": ("Kotlin", "class interface object method"),
}
EXAMPLES = 10
LARGEST_BYTES = 300_000


def tags_of(files: list[str], language: str, kinds: set[str]) -> dict[str, list[dict[str, Any]]]:
    """The tags of some kinds, by file."""
    command = ["ctags", "--output-format=json", "--fields=+neKS", f"--language-force={language}"]
    command += ["--kinds-C++=+p", "-f", "-", "-L", "-"]
    done = subprocess.run(command, input="\n".join(files).encode(), capture_output=True, check=True)
    tags = defaultdict(list)
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        tag = json.loads(line)
        if tag.get("kind") in kinds and "__anon" not in tag["name"]:
            tags[tag["path"]].append(tag)
    return tags


def definitions_of(document: Document) -> Iterator[tuple[str, int, int]]:
    """Name, first and last line of each definition."""
    ends = [at for at, byte in enumerate(document.data) if byte == 10]
    for heading in document.headings:
        name = re.split(r"\.|::", heading.slug_path or "")[-1]
        yield name, bisect_left(ends, heading.start) + 1, bisect_left(ends, heading.limit - 1) + 1


def main() -> None:
    suffix, *folders = sys.argv[1:]
    language, kinds = LANGUAGES[suffix]
    found = (path for folder in folders for path in Path(folder).rglob(f"*.{suffix}"))
    files = [str(path) for path in found if path.is_file()]
    files = sorted(file for file in files if Path(file).stat().st_size < LARGEST_BYTES)
    tags = tags_of(files, language, set(kinds.split()))
    missed: list[tuple[str, dict[str, Any]]] = []
    unknown: list[tuple[str, tuple[str, int, int]]] = []
    counts: Counter[str] = Counter()
    for file in files:
        ours = list(definitions_of(parse(Path(file).read_bytes(), file)))
        known = set()
        for tag in tags[file]:
            name = re.split(r"[.:]", tag["name"])[-1].replace("operator ", "operator").strip("'\"`")
            around = [
                each for each in ours if each[0] == name and each[1] <= tag["line"] <= each[2]
            ]
            known.update(around)
            if not around:
                missed.append((file, tag))
                counts[tag["kind"]] += 1
        unknown += [(file, each) for each in ours if each not in known]
    total = sum(map(len, tags.values()))
    print(f"{len(files)} files, {total} tags: {len(missed)} missed {dict(counts)}")
    print(f"{len(unknown)} definitions that ctags does not know")
    chooser = random.Random(1)
    for file, tag in chooser.sample(missed, min(EXAMPLES, len(missed))):
        print(f"missed  {file}:{tag['line']} {tag['kind']} {tag['name']}")
    for file, each in chooser.sample(unknown, min(EXAMPLES, len(unknown))):
        print(f"unknown {file}:{each[1]} {each[0]}")


if __name__ == "__main__":
    main()
