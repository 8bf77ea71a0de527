"""`parse` and `chunk`: one source, from memory or a file, and no index."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, Unpack, get_args

from leafmark.chunking import ChunkingOptions, Sizes, Strategy, chunk_document
from leafmark.errors import ConfigError, UsageError, unreadable
from leafmark.model import Chunk, Document, check_tree_name
from leafmark.parsing import Utf8
from leafmark.parsing import parse as parse_bytes

DEFAULT_PATH = "document.md"
DEFAULT_TREE = "docs"

Source = bytes | str | os.PathLike[str]


def parse(source: Source, *, path: str | os.PathLike[str] | None = None) -> Document:
    """Return the document in `source`: headings, blocks, links, metadata, with their places.

    `source` is bytes, text, or a path to read. `path` names the document: a text with
    `/`, or a path. Its suffix decides the format. By default it is the path that was read,
    or `document.md`.

    Raises:
        StorageError: the file cannot be read.
        UsageError: `source` or `path` is something else.

    >>> parse("# Hello\\n\\nWorld.\\n").headings[0].title
    'Hello'
    """
    data, name = _read(source, path)
    return parse_bytes(data, name)


def chunk(
    source: Source,
    *,
    path: str | os.PathLike[str] | None = None,
    tree: str | None = None,
    strategy: Strategy = "auto",
    **sizes: Unpack[Sizes],
) -> list[Chunk]:
    """Return the chunks of `source` in order of position; none for a blank source.

    `source` and `path` are as in `parse`. `tree` begins the ids (`docs`).
    `sizes` are the fields of `ChunkingOptions`: `min_tokens`, `target_tokens`,
    `max_tokens`, `tokenizer`, and so on.

    Raises:
        ConfigError: a size is unknown or out of its range.
        UsageError: `tree` cannot be the name of a tree; or as in `parse`.
        StorageError: the file cannot be read.

    >>> [c.id for c in chunk("# A\\n\\none\\n\\n## B\\n\\ntwo\\n", path="p.md", tree="t")]
    ['t:p.md', 't:p.md#a', 't:p.md#b']
    """
    name = check_text("tree", tree)
    name = DEFAULT_TREE if name is None else name
    check_tree_name(name)
    unknown = sorted(sizes.keys() - set(ChunkingOptions._fields))
    if unknown:
        accepted = ", ".join(sorted(set(ChunkingOptions._fields) - {"strategy"}))
        raise ConfigError(f"there is no size called {unknown[0]!r}", hint=f"one of {accepted}")
    options = ChunkingOptions(strategy=strategy, **sizes)
    data, file_name = _read(source, path)
    document = parse_bytes(data, file_name, notebook_outputs=options.notebook_outputs)
    return list(chunk_document(document, tree=name, options=options).chunks)


def _read(source: Source, path: str | os.PathLike[str] | None) -> tuple[bytes, str]:
    """Return the bytes and the name of the source."""
    if not isinstance(path, str | os.PathLike | None):
        raise UsageError(f"path is {path!r}", hint="give a text or a path")
    name = path if path is None or isinstance(path, str) else Path(path).as_posix()
    if isinstance(source, bytes):
        return source, name or DEFAULT_PATH
    if isinstance(source, str):
        return Utf8(source.encode("utf-8", "surrogatepass")), name or DEFAULT_PATH
    if not isinstance(source, os.PathLike):
        hint = "give bytes, text, or a path to read (pathlib.Path)"
        raise UsageError(f"source is a {type(source).__name__}", hint=hint)
    where = Path(source)
    try:
        return where.read_bytes(), name or where.as_posix()
    except (OSError, ValueError) as error:
        raise unreadable(error, str(where)) from error


# Checks of arguments: a type checker accepts a string in place of an iterable of strings.

T = TypeVar("T")


def check_text(name: str, value: str | None) -> str | None:
    """Return `value`, a text or None.

    Raises:
        UsageError: `value` is something else.
    """
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is {value!r}", hint="give a text")
    return value


def check_names(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return the texts as a tuple.

    Raises:
        UsageError: `values` is one text, or has something else than texts.
    """
    if isinstance(values, str):
        raise UsageError(f"{name} is one text, {values!r}", hint=f"give a list: [{values!r}]")
    if not isinstance(values, Iterable):
        raise UsageError(f"{name} is {values!r}", hint="give a list")
    names = tuple(values)
    for value in names:
        if not isinstance(value, str):
            raise UsageError(f"{name} contains {value!r}", hint="give texts")
    return names


def check_choice(name: str, value: T, choices: Any) -> T:
    """Return a value that is one of a `Literal`.

    Raises:
        UsageError: it is not.
    """
    accepted = get_args(choices)
    if value not in accepted:
        raise UsageError(f"{name} is {value!r}", hint="one of " + ", ".join(accepted))
    return value


def check_choices(name: str, values: Iterable[T], choices: Any) -> tuple[T, ...]:
    """Return values that all are in a `Literal`.

    Raises:
        UsageError: one is not, or `values` is one text.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        check_names(name, values)
    return tuple(check_choice(name, value, choices) for value in values)
