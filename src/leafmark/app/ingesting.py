"""One source to what the index takes of it: read, compare, parse, chunk, fill fields.

In: a `Task` and the `Recipe` of its tree. Out: `Prepared`. All of them are plain
values and nothing here knows the writer, so that it can be done in another
process. Whatever goes wrong with a source becomes a diagnostic of that source.
"""

from __future__ import annotations

from typing import NamedTuple

from leafmark.app.contents import refuse_contents
from leafmark.app.files import read_beneath
from leafmark.app.trees import Tree
from leafmark.app.walk import SourceFile
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.errors import LeafmarkError, reason_of
from leafmark.index import PreparedSource, is_panic, prepare_source
from leafmark.model import Diagnostic, DocumentEntry, FileState
from leafmark.parsing import parse

__all__ = ["Prepared", "Recipe", "Task", "prepare"]

_NO_DIGEST = "0" * 64


class Recipe(NamedTuple):
    """How the sources of one tree are prepared; `stemmer` is the tree's language."""

    tree: Tree
    options: ChunkingOptions
    stemmer: str | None


class Task(NamedTuple):
    """A source to prepare. `known` is how it looked when it was indexed, if it was."""

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
    except OSError as error:
        return _unread(task, recipe, error)
    known = task.known
    if known and (known.digest, known.modified_ns) == (state.digest, state.modified_ns):
        return Prepared(tree, path, same=state)
    refused = refuse_contents(path, data)
    if refused is not None:
        return _without_chunks(task, recipe, state, refused)
    try:
        return Prepared(tree, path, _chunked(task, recipe, data, state))
    except LeafmarkError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        reason = f"the file cannot be prepared: {type(error).__name__}: {error}".rstrip(": ")
        return _without_chunks(task, recipe, state, Diagnostic(path, "failed", reason))


def _chunked(task: Task, recipe: Recipe, data: bytes, state: FileState) -> PreparedSource:
    outputs = recipe.options.notebook_outputs
    document = parse(data, task.source.path, notebook_outputs=outputs)
    chunked = chunk_document(document, tree=recipe.tree.name, options=recipe.options)
    return prepare_source(chunked, state, stemmer=recipe.stemmer, named=task.named)


def _unread(task: Task, recipe: Recipe, error: OSError) -> Prepared:
    note = Diagnostic(
        task.source.path, "unreadable", f"the file cannot be read: {reason_of(error)}"
    )
    return _without_chunks(task, recipe, FileState(*task.source[2:6], _NO_DIGEST), note)


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
    )
    return Prepared(entry.tree, entry.path, PreparedSource(entry, recipe.stemmer, ()))
