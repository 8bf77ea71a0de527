"""Which files are left out for what is in them: binary or generated ones, lists of ours, redirects.

`llms.txt` and `llms-full.txt` repeat the documents that they were made of. They
are known by their name and by the mark on their last line: others' files of
these names are documents, and so is one whose mark was taken away.
"""

from __future__ import annotations

from leafmark.app.sources.generated import generated_kind, is_site_asset
from leafmark.app.sources.trees import Tree
from leafmark.formats import leads_to_page
from leafmark.model import BINARY, ELSEWHERE, GENERATED, REPEATED, Diagnostic
from leafmark.parsing import format_of, is_binary

__all__ = ["LLMS_FILES", "LLMS_MARK", "refuse_contents"]

LLMS_FILES = ("llms.txt", "llms-full.txt")

LLMS_MARK = "<!-- leafmark:llms -->"
"""The last line of both files; the first one has to be a title."""


def refuse_contents(
    tree: Tree, path: str, data: bytes, *, named: bool = False
) -> Diagnostic | None:
    """Say why a file of a tree is left out, None if it is not.

    What is no binary file is taken if `named`.
    """
    if is_binary(data):
        return Diagnostic(path, BINARY, "the file is binary")
    if not named and path.rpartition("/")[2] in LLMS_FILES and _is_ours(data):
        return Diagnostic(path, REPEATED, "the file was written by leafmark agents --llms")
    if not named and format_of(path) == "html":
        from leafmark.parsing.html import leads_away  # late: of pages alone

        if leads_away(data):
            return Diagnostic(path, ELSEWHERE, "the page only leads to another one")
    if not named and leads_to_page(path, data):
        return Diagnostic(path, ELSEWHERE, "the page only leads to another one")
    kind = None if named else generated_kind(path, data)
    if kind is None and not named and is_site_asset(tree.root, path):
        kind = "a script or style sheet of built documentation"
    if kind is not None:
        return Diagnostic(path, GENERATED, f"the file is generated code: {kind}")
    return None


def _is_ours(data: bytes) -> bool:
    return data.rstrip().rpartition(b"\n")[2] == LLMS_MARK.encode()
