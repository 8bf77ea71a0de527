"""Trees of sections with known edits: what became of each section is known from how it was made."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.history import SectionedDocument
from leafmark.parsing import parse

_OPTIONS = ChunkingOptions(strategy="heading")
_SYLLABLES = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u")]


def sectioned(path: str, text: str, tree: str = "t") -> SectionedDocument:
    """Return a document as sections."""
    parsed = parse(text.encode(), path)
    return SectionedDocument(chunk_document(parsed, tree=tree, options=_OPTIONS))


@dataclass(eq=False)
class Node:
    """A section, or a document (`title` is its path); `name` stays whatever is done to it."""

    name: int
    title: str
    paragraphs: list[list[str]] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    @property
    def body(self) -> str:
        return "\n\n".join(" ".join(words) for words in self.paragraphs)

    def walk(self, parent: Node | None = None) -> Iterator[tuple[Node, Node | None]]:
        yield self, parent
        for child in self.children:
            yield from child.walk(self)

    def copy(self) -> Node:
        paragraphs = [list(words) for words in self.paragraphs]
        return Node(self.name, self.title, paragraphs, [child.copy() for child in self.children])

    def lines(self, level: int = 0) -> Iterator[str]:
        if level:
            yield f"{'#' * level} {self.title}\n"
        else:
            yield f"---\ntitle: Document {self.name}\n---\n"
        if self.paragraphs:
            yield f"{self.body}\n"
        for child in self.children:
            yield from child.lines(level + 1)

    def text(self) -> str:
        return "\n".join(self.lines())


@dataclass
class Edited:
    """Two states of some documents, and what was done: section names by edit.

    `split` maps a section to the new one that took its second half, `merged` to the one that
    took it in.
    """

    old: list[Node]
    new: list[Node]
    renamed: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    added: set[int] = field(default_factory=set)
    split: dict[int, int] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)


class _Editor:
    def __init__(self, random: Random, vocabulary: int) -> None:
        self.random = random
        self.names = itertools.count()
        self.titles = itertools.count()
        self.words = ["".join(random.choices(_SYLLABLES, k=3)) for _ in range(vocabulary)]

    def title(self) -> str:
        words = [word.capitalize() for word in self.random.choices(self.words, k=2)]
        return f"{' '.join(words)} {next(self.titles)}"

    def paragraph(self) -> list[str]:
        return self.random.choices(self.words, k=self.random.randint(8, 30))

    def node(self, depth: int) -> Node:
        paragraphs = [self.paragraph() for _ in range(self.random.randint(1, 4))]
        made = Node(next(self.names), self.title(), paragraphs)
        if depth < 3:
            made.children = [self.node(depth + 1) for _ in range(self.random.randint(0, 3))]
        return made

    def document(self, number: int) -> Node:
        made = Node(next(self.names), f"d{number}.md", [self.paragraph()])
        made.children = [self.node(1) for _ in range(self.random.randint(1, 4))]
        return made

    def edit_words(self, node: Node, share: float) -> None:
        """Replace a share of the words, at least one, and never by themselves."""
        places = [(a, b) for a, words in enumerate(node.paragraphs) for b in range(len(words))]
        for a, b in self.random.sample(places, max(1, int(share * len(places)))):
            node.paragraphs[a][b] = f"new{self.random.choice(self.words)}"


def edited_library(
    random: Random, *, documents: int = 3, edits: int = 6, vocabulary: int = 300
) -> Edited:
    """Return some documents before and after some edits of different sections."""
    editor = _Editor(random, vocabulary)
    old = [editor.document(number) for number in range(documents)]
    made = Edited(old, [document.copy() for document in old])
    untouched = [node for each in made.new for node, parent in each.walk() if parent is not None]
    random.shuffle(untouched)
    for node in untouched[:edits]:
        _apply(editor, made, node)
    return made


def _apply(editor: _Editor, made: Edited, node: Node) -> None:
    random = editor.random
    pairs = [(one, parent) for each in made.new for one, parent in each.walk()]
    parent = next((above for one, above in pairs if one is node), None)
    if parent is None or node.name in made.merged.values():
        return  # it went with a section above it, or is edited already
    kind = random.choice(["rename", "edit", "both", "move", "remove", "add", "split", "merge"])
    if kind in ("rename", "both"):
        node.title = editor.title()
        made.renamed.add(node.name)
    if kind in ("edit", "both"):
        editor.edit_words(node, random.uniform(0.02, 0.25))
        made.changed.add(node.name)
    if kind == "move":
        _move(made, node, parent, random)
    elif kind == "remove":
        _remove(made, node, parent)
    elif kind == "add":
        added = editor.node(3)
        parent.children.insert(parent.children.index(node) + 1, added)
        made.added.add(added.name)
    elif kind == "split" and len(node.paragraphs) > 1:
        half = len(node.paragraphs) // 2
        part = Node(next(editor.names), editor.title(), node.paragraphs[half:])
        node.paragraphs = node.paragraphs[:half]
        parent.children.insert(parent.children.index(node) + 1, part)
        made.added.add(part.name)
        made.changed.add(node.name)
        made.split[node.name] = part.name
    elif kind == "merge":
        _merge(made, node, parent)


def _move(made: Edited, node: Node, parent: Node, random: Random) -> None:
    """Move a section without others below it to the end of another document."""
    places = [each for each in made.new if each is not parent]
    if node.children or not places:
        return
    target = random.choice(places)
    parent.children.remove(node)
    target.children.append(node)
    made.moved.add(node.name)


def _remove(made: Edited, node: Node, parent: Node) -> None:
    gone = {one.name for one, _ in node.walk()}
    if gone & (made.added | made.moved | set(made.merged.values())):
        return
    parent.children.remove(node)
    made.removed |= gone
    for done in (made.renamed, made.changed):
        done -= gone
    for table in (made.split,):
        for name in gone & table.keys():
            del table[name]


def _merge(made: Edited, node: Node, parent: Node) -> None:
    """Put the text of a section behind that of a longer sibling."""
    others = [
        one
        for one in parent.children
        if one is not node and len(one.body) > len(node.body) and one.name not in made.added
    ]
    done = made.changed | made.renamed | made.added | set(made.split)
    if node.children or not others or {node.name, others[0].name} & done:
        return
    target = others[0]
    target.paragraphs += node.paragraphs
    parent.children.remove(node)
    made.removed.add(node.name)
    made.changed.add(target.name)
    made.merged[node.name] = target.name
