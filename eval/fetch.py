"""Install the documentation sets of the evaluation, in the folders `sets` of its projects.

Each set is part of a package of a fixed version, which is downloaded from the
registry that the user has set up for `pip`, `npm` or `apt-get`. A package whose bytes
are not the expected ones is refused. What is in no registry is read from clones of
repositories, OWNER__NAME in the folder `--clones`, and left out without it.

    python eval/fetch.py [--into FOLDER] [--clones FOLDER] [PROJECT ...]

With `--into`, the projects (their configurations and sets, no queries) are made below
that folder in place of this one, so that several checkouts can share one copy.
"""

from __future__ import annotations

import argparse
import gzip
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
from collections.abc import Iterable, Iterator, Sequence
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
    wanted: tuple[str, ...]
    sha256: str = ""
    inside: str = ""
    left_out: tuple[str, ...] = ()
    project: str = ""
    one_in: int = 1

    def stamp(self) -> str:
        return (
            f"{self.name} {self.version} {self.sha256} {self.inside} {self.wanted}{self.left_out}\n"
        )


def _packages() -> tuple[Package, ...]:
    rows = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))["package"]
    lists = ("wanted", "left_out")
    return tuple(
        Package(**row | {name: tuple(row[name]) for name in lists if name in row}) for row in rows
    )


PACKAGES = _packages()


def main() -> int:
    """Fetch what is not there yet, and say what was done."""
    parser = argparse.ArgumentParser(description="Install the documentation of the evaluation.")
    parser.add_argument("--into", type=Path, default=HERE, help="folder of the projects")
    parser.add_argument("--clones", type=Path, help="folder of clones of repositories")
    parser.add_argument("projects", nargs="*", help="such as names/python; all without any")
    asked = parser.parse_args()
    for package in PACKAGES:
        wanted = not asked.projects or package.project in asked.projects
        if wanted and (package.registry != "git" or asked.clones):
            _install(package, asked.into / package.project, asked.clones)
    return 0


def _install(package: Package, project: Path, clones: Path) -> None:
    target = project / "sets" / package.tree
    stamp = project / "sets" / f"{package.tree.replace('/', '-')}.stamp"
    _copy_configuration(package, project)
    said = f"{package.tree}: {{}} {package.name} {package.version}"
    if stamp.is_file() and stamp.read_text("utf-8") == package.stamp() and target.is_dir():
        print(said.format("there is"))
        return
    if package.registry == "git":
        count = _unpack(package, _clone(clones / package.name.replace("/", "__")), target)
    else:
        with tempfile.TemporaryDirectory() as folder:
            archive = _download(package, Path(folder))
            _check(package, archive)
            count = _unpack(package, _members(archive), target)
    stamp.write_text(package.stamp(), "utf-8")
    print(said.format(f"{count} files of"))


def _copy_configuration(package: Package, project: Path) -> None:
    source = HERE / package.project / "leafmark.toml"
    project.mkdir(parents=True, exist_ok=True)
    if not (project / source.name).is_file() or not source.samefile(project / source.name):
        shutil.copyfile(source, project / source.name)


def _download(package: Package, folder: Path) -> Path:
    if package.registry == "pypi":
        return _download_source(package, folder)
    if package.registry == "debian":
        folder.chmod(0o755)  # apt-get downloads as a user of its own
        _run(["apt-get", "download", "-qq", f"{package.name}={package.version}"], folder)
    else:
        _run(["npm", "pack", "--silent", f"{package.name}@{package.version}"], folder)
    (archive,) = (*folder.glob("*gz"), *folder.glob("*.deb"))
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


def _clone(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _unpack(package: Package, members: Iterable[tuple[str, bytes]], target: Path) -> int:
    """Write the set's files below `target`, in place of what was there."""
    shutil.rmtree(target, ignore_errors=True)
    count = 0
    for name, content in members:
        path = _path_of(package, name)
        if not path:
            continue
        place = target / path.removesuffix(".gz")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.decompress(content) if path.endswith(".gz") else content)
        count += 1
    return count


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each file, without the folder that holds the whole."""
    if archive.suffix == ".deb":
        command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as unpacking:
            assert unpacking.stdout is not None
            with tarfile.open(fileobj=unpacking.stdout, mode="r|") as packed:
                yield from _files(packed)
    else:
        with tarfile.open(archive) as packed:
            yield from _files(packed)


def _files(packed: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in packed:
        content = packed.extractfile(member) if member.isfile() else None
        if content is not None:
            yield member.name.partition("/")[2], content.read()


def _path_of(package: Package, name: str) -> str:
    """Return where a member stands in the set, "" if it is no part of it."""
    parts = name.split("/")
    inside = package.inside.split("/") if package.inside else []
    path = "/".join(parts[len(inside) :])
    drawn = hashlib.sha256(path.encode()).digest()[0] % package.one_in == 0
    belongs = drawn and parts[: len(inside)] == inside and ".." not in parts
    if not belongs or any(fnmatch(path, pattern) for pattern in package.left_out):
        return ""
    return path if any(fnmatch(path, pattern) for pattern in package.wanted) else ""


if __name__ == "__main__":
    sys.exit(main())
