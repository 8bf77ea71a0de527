"""One source to what the index takes of it: read, compare, parse, chunk, fill fields.

In: a `Task` and the `Recipe` of its tree. Out: `Prepared`. All of them are plain
values and nothing here knows the writer, so that it can be done in another
process. Whatever goes wrong with a source becomes a diagnostic of that source.
"""

from __future__ import annotations

from typing import NamedTuple

from leafmark.app.sources.broken_sources import unless_broken, unread
from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.formats import parse_source
from leafmark.app.sources.trees import Tree
from leafmark.app.sources.walk import SourceFile
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.index import PreparedSource, prepare_source
from leafmark.model import Diagnostic, DocumentEntry, FileState

__all__ = ["Prepared", "Recipe", "Task", "prepare"]

_NO_DIGEST = "0" * 64


class Recipe(NamedTuple):
    """How the sources of one tree are prepared; `stemmer` is the tree's language."""

    tree: Tree
    options: ChunkingOptions
    stemmer: str | None


class Task(NamedTuple):
    """A source to prepare. `known` is how it looked when it was indexed, if it was and could be.

    `named` says that the user named it, now or before.
    """

    source: SourceFile
    known: FileState | None = None
    named: bool = False


class Prepared(NamedTuple):
    """What became of a task: fields for the index, a new state of the same bytes, or neither.

    Neither means that the file is gone.
    """

    tree: str
    path: str
    source: PreparedSource | None = None
    same: FileState | None = None


def prepare(task: Task, recipe: Recipe) -> Prepared:
    """Read and prepare one source.

    Raises:
        LeafmarkError: the recipe cannot be followed, for any source.
    """
    tree, path = task.source.tree, task.source.path
    try:
        data, state = read_beneath(recipe.tree, path)
    except FileNotFoundError:
        return Prepared(tree, path)
    except (OSError, MemoryError) as error:
        looked = FileState(*task.source[2:6], _NO_DIGEST)
        return _without_chunks(task, recipe, looked, unread(path, error))
    known = task.known
    if known and (known.digest, known.modified_ns) == (state.digest, state.modified_ns):
        return Prepared(tree, path, same=state)
    refused = refuse_contents(recipe.tree, path, data, named=task.named)
    if refused is not None:
        return _without_chunks(task, recipe, state, refused)
    source = unless_broken(lambda: _chunked(task, recipe, data, state), path, "prepared")
    if isinstance(source, Diagnostic):
        return _without_chunks(task, recipe, state, source)
    return Prepared(tree, path, source)


def _chunked(task: Task, recipe: Recipe, data: bytes, state: FileState) -> PreparedSource:
    outputs = recipe.options.notebook_outputs
    document = parse_source(recipe.tree, task.source.path, data, notebook_outputs=outputs)
    chunked = chunk_document(document, tree=recipe.tree.name, options=recipe.options)
    return prepare_source(chunked, state, stemmer=recipe.stemmer, named=task.named)


def _without_chunks(task: Task, recipe: Recipe, state: FileState, note: Diagnostic) -> Prepared:
    """Remember a source with the reason why nothing of it is indexed."""
    entry = DocumentEntry(
        tree=task.source.tree,
        path=task.source.path,
        state=state,
        title="",
        format="text",
        encoding="utf-8",
        chunk_count=0,
        diagnostics=(note,),
        named=task.named,
    )
    return Prepared(entry.tree, entry.path, PreparedSource(entry, recipe.stemmer))
