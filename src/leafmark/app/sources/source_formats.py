"""The format of a source: by the tree's table of suffixes, or by the configuration of Sphinx.

The nearest `conf.py` at or above a source, inside its tree, may say which files of a Sphinx
project are documents (`source_suffix = ".txt"`), and in which format. It is parsed and never run,
so only literal values count.
"""

from __future__ import annotations

import ast
import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from leafmark.app.sources.folders import Tree, read_small
from leafmark.errors import LeafmarkError, reason_of
from leafmark.index.engine import is_panic
from leafmark.model import NO_MEMORY, UNREADABLE, Diagnostic, Document, Format
from leafmark.parsing import format_of, parse

CONF_NAME = "conf.py"
_MAX_CONF_BYTES = 400_000
_SETTING = "source_suffix"
_PARSERS: Mapping[str, Format] = {
    "restructuredtext": "rst",
    "markdown": "markdown",
    "commonmark": "markdown",
    "myst": "markdown",
    "myst-nb": "markdown",
}
"""Sphinx's names of the formats."""


def parse_source(tree: Tree, path: str, data: bytes, *, notebook_outputs: bool = False) -> Document:
    """Return the document of the source at `path` of `tree`, whose bytes are `data`."""
    return parse(data, path, formats=formats_at(tree, path), notebook_outputs=notebook_outputs)


def formats_at(tree: Tree, path: str) -> dict[str, Format]:
    """Return the formats of suffixes that apply to the source at `path`; the tree's table wins."""
    formats = dict(_sphinx_formats(tree.root, path)) if is_undecided(path) else {}
    return formats | dict(tree.formats) if tree.formats else formats


def is_undecided(path: str) -> bool:
    """Say whether the name of a source does not determine its format."""
    return format_of(path) in (None, "text")


def _sphinx_formats(root: Path, path: str) -> tuple[tuple[str, Format], ...]:
    """Return the suffixes and formats in the nearest configuration of Sphinx."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        whole = os.path.join(root, folder)
        try:
            info = os.stat(os.path.join(whole, CONF_NAME), follow_symlinks=False)
        except (OSError, ValueError):
            continue
        formats = _read_conf(whole, info.st_mtime_ns, info.st_size)
        if formats:
            return formats
    return ()


@lru_cache(maxsize=256)
def _read_conf(folder: str, modified_ns: int, size: int) -> tuple[tuple[str, Format], ...]:
    """Return the formats in the `conf.py` of a folder; its time and size are the cache's key."""
    data = read_small(folder, CONF_NAME, _MAX_CONF_BYTES) or b""
    if _SETTING.encode() not in data:
        return ()
    try:
        statements = ast.parse(data).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    formats: dict[str, Format] = {}
    for value in _values(statements):
        formats = dict(_suffix_formats(value))
    return tuple(formats.items())


def _values(statements: Iterable[ast.stmt]) -> Iterator[ast.expr]:
    """Yield the values that are assigned to the setting, in order."""
    for statement in statements:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        value = getattr(statement, "value", None)
        if value is not None and any(getattr(target, "id", "") == _SETTING for target in targets):
            yield value


def _suffix_formats(value: ast.expr) -> Iterator[tuple[str, Format]]:
    """Yield the suffixes of a string, a list of strings, or a table of suffixes and parsers."""
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        rows = [(_text(key), _text(parser)) for key, parser in pairs]
    elif isinstance(value, ast.List | ast.Tuple | ast.Set):
        rows = [(_text(element), "restructuredtext") for element in value.elts]
    else:
        rows = [(_text(value), "restructuredtext")]
    for suffix, parser in rows:
        if suffix[:1] == "." and parser.lower() in _PARSERS:
            yield suffix.lower(), _PARSERS[parser.lower()]


def _text(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


# A source that cannot be read or that breaks leafmark becomes a diagnostic; the run goes on.
# Errors of the system have codes of their own, since they may be over later.

T = TypeVar("T")


def unread(path: str, error: OSError | MemoryError) -> Diagnostic:
    """Return the diagnostic of a file that cannot be read."""
    return _refused(path, error, "read")


def _refused(path: str, error: OSError | MemoryError, verb: str) -> Diagnostic:
    if isinstance(error, MemoryError) or error.errno == errno.ENOMEM:
        return Diagnostic(path, NO_MEMORY, f"the file cannot be {verb}: not enough memory")
    return Diagnostic(path, UNREADABLE, f"the file cannot be {verb}: {reason_of(error)}")


def unless_broken(make: Callable[[], T], path: str, verb: str) -> T | Diagnostic:
    """Return the result of `make`; if the system or a bug stops it, a diagnostic.

    `verb` names what `make` does with the file, as a participle: `chunked`.

    Raises:
        LeafmarkError: the settings are wrong, for any source.
    """
    try:
        return make()
    except LeafmarkError:
        raise
    except (OSError, MemoryError) as error:
        return _refused(path, error, verb)
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        reason = f"the file cannot be {verb}: {type(error).__name__}: {error}".rstrip(": ")
        return Diagnostic(path, "failed", reason)
