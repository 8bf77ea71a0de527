"""One source into the index: read, parse, chunk, put.

Apart from `indexing` because it needs the parsers, which a run that finds
nothing changed does not.
"""

from __future__ import annotations

from leafmark.app.files import read_beneath
from leafmark.app.project import Project
from leafmark.app.walk import SourceFile
from leafmark.chunking import chunk_document
from leafmark.index import IndexWriter
from leafmark.model import BINARY, Diagnostic, DocumentEntry, FileState
from leafmark.parsing import is_binary, parse

__all__ = ["ingest"]


def ingest(
    project: Project,
    source: SourceFile,
    writer: IndexWriter,
    *,
    named: bool,
) -> bool:
    """Read and index one source; False if its bytes are those that are indexed already."""
    tree = project.tree(source.tree)
    assert tree is not None, "sources come from the project's trees"
    try:
        data, state = read_beneath(tree, source.path)
    except OSError as error:
        return _note_unread(source, writer, error)
    known = (source.tree, source.path) in writer.manifest
    if known and writer.touch(source.tree, source.path, state):
        return False
    if is_binary(data):
        note = Diagnostic(source.path, BINARY, "the file is binary")
        writer.put_unread(_stub(source, state, note))
        return True
    document = parse(data, source.path)
    options = project.chunking_options(tree)
    writer.put(chunk_document(document, tree=tree.name, options=options), state, named=named)
    return True


def _note_unread(source: SourceFile, writer: IndexWriter, error: OSError) -> bool:
    """Remember why a source could not be read; a vanished one is taken out."""
    if isinstance(error, FileNotFoundError):
        writer.remove(source.tree, source.path)
        return True
    reason = (error.strerror or str(error)).lower()
    note = Diagnostic(source.path, "unreadable", f"the file cannot be read: {reason}")
    state = FileState(source.size, source.modified_ns, source.changed_ns, source.inode, "0" * 64)
    writer.put_unread(_stub(source, state, note))
    return True


def _stub(source: SourceFile, state: FileState, note: Diagnostic) -> DocumentEntry:
    return DocumentEntry(
        tree=source.tree,
        path=source.path,
        state=state,
        title="",
        format="text",
        encoding="utf-8",
        chunk_count=0,
        diagnostics=(note,),
    )
