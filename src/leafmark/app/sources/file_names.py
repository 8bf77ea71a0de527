"""Rules about files and folders by their names alone.

A folder is never left out because it is called `build`, `vendor` or `credentials`, and Markdown and
HTML are never left out because of a word in their name (`credentials.md`, `jquery.min.html`).
Suffixes are in lower case and without their dot.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from fnmatch import translate
from pathlib import Path
from types import MappingProxyType

from leafmark.parsing import formats
from leafmark.patterns import lazy_pattern
from leafmark.suggest import MAX_SUGGESTED, nearest

IGNORE_FILES = (".leafmarkignore", ".ignore", ".gitignore")
"""Ignore files, in the order of priority."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MARKUP_SUFFIXES = frozenset(
    suffix[1:] for suffix, name in formats.SUFFIXES.items() if name in ("markdown", "html")
)

DATA_SUFFIXES = frozenset(suffix[1:] for suffix in formats.DATA_SUFFIXES)
"""Data and logs: read only when a pattern of the tree names them."""

CONVERTERS: Mapping[str, str] = MappingProxyType(
    {suffix[1:]: converter for suffix, converter in formats.CONVERTERS.items()}
)
"""Suffixes of unsupported formats, and their converters."""

BINARY_SUFFIXES = _words(
    "png jpg jpeg gif webp avif bmp ico tif tiff psd woff woff2 ttf otf eot "
    "zip gz bz2 xz zst br lz lz4 lzma 7z rar tar tgz jar war whl "
    "mp3 mp4 m4a m4v mov avi mkv webm ogg flac wav "
    "pyc pyo class so dll dylib exe wasm sqlite sqlite3 parquet npy npz pkl"
)
"""Formats that are never text; other binary files are recognized by their bytes.

A small compressed file may have no zero byte and look like an old encoding.
"""

_SECRET_SUFFIXES = _words("pem key p12 pfx kdbx")
SECRET_NAMES = _words(
    "credentials credentials.json .netrc .npmrc .pypirc .git-credentials .pgpass .htpasswd "
    ".bash_history .zsh_history .python_history .psql_history .mysql_history .node_repl_history "
    ".ssh .gnupg .aws .kube .docker"
)
_SECRET_SHAPE = lazy_pattern(
    "|".join(
        translate(glob)
        for glob in (".env*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.tfstate*")
    )
)

_LOCK_FILES = _words(
    "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb packages.lock.json "
    "gradle.lockfile go.sum"
)
_SEARCH_INDEX = lazy_pattern(r"search-?index[\w.-]*\.js")
"""Files that Sphinx, mdBook and rustdoc write next to their pages, with all words of these."""

_SKIPPED_FOLDERS = frozenset({"node_modules", "dist", "__pycache__"})


def suffix_of(name: str) -> str:
    """Return the last suffix, lower-case, without its dot; empty if there is none.

    >>> suffix_of("a.tar.GZ"), suffix_of("Makefile")
    ('gz', '')
    """
    return name.rpartition(".")[2].lower() if "." in name else ""


def is_secret(name: str) -> bool:
    """Say whether a file or folder of this name probably contains secrets.

    >>> is_secret("id_rsa.pub"), is_secret("credentials.md")
    (True, False)
    """
    suffix = suffix_of(name)
    if suffix in MARKUP_SUFFIXES:
        return False
    lowered = name.lower()
    return (
        suffix in _SECRET_SUFFIXES
        or lowered in SECRET_NAMES
        or _SECRET_SHAPE.match(lowered) is not None
    )


def default_refusal(name: str, suffix: str) -> str | None:
    """Return why a file of this name is left out by default; None for most.

    `suffix` is `suffix_of(name)`.
    """
    if suffix in MARKUP_SUFFIXES:
        return None
    lowered = name.lower()
    if suffix == "lock" or lowered in _LOCK_FILES:
        return "lock file"
    if ".min." in lowered:
        return "minified"
    return "search index" if _SEARCH_INDEX.fullmatch(lowered) else None


def folder_refusal(name: str) -> str | None:
    """Return why a folder of this name is left out by default; None for most."""
    return f"folder {name}" if name in _SKIPPED_FOLDERS else None


# Folders that a program wrote for itself, by what is in them and beside them.

_VENV_MARK = "pyvenv.cfg"
_INDEX_MARK = "LOCK"
"""Only a folder with a file of this name can be an index of leafmark."""

GENERATOR_MARKS = frozenset((_VENV_MARK, _INDEX_MARK))
"""File names to look for in each folder."""

_PAGES_SOURCES = "/_sources/"
_PAGES_MARKS = ("searchindex.js", "objects.inv")
"""Files that Sphinx writes into the folder of its pages, beside a folder of their sources."""


def find_generator(
    root: Path, folder: str, marks: Collection[str], names: Iterable[str]
) -> str | None:
    """Return the kind of a folder that a program wrote for itself; None for all others.

    `folder` is relative to `root` and ends with `/`; `marks` are the `GENERATOR_MARKS` among the
    `names` of its entries.
    """
    if _VENV_MARK in marks:
        return "virtual environment"
    if _INDEX_MARK in marks and _is_index(names):
        return "index of leafmark"
    if f"/{folder}".endswith(_PAGES_SOURCES):
        above = (root / folder).parent
        if any((above / mark).is_file() for mark in _PAGES_MARKS):
            return "sources of the pages beside it"
    return None


def _is_index(names: Iterable[str]) -> bool:
    from leafmark.index.folder import is_index_folder  # late: hardly any tree holds one

    return is_index_folder(names)


def nearest_paths(missing: Path, written: str) -> tuple[str, ...]:
    """Return up to three existing paths that are similar to a missing one, spelled as in `written`.

    `missing` is the absolute path of `written`. Only its last name may be misspelled.
    """
    try:
        there = sorted(os.listdir(missing.parent))
    except OSError:
        return ()
    near = nearest(missing.name, there, MAX_SUGGESTED)
    return tuple(os.path.join(os.path.dirname(written), name) for name in near)
