"""Resolve the links of a chunk inside its tree: from targets as written to chunk ids.

A target is an address relative to its file, as GitHub and browsers take it:
percent-encoding is decoded, `/` begins at the tree's root, nothing leads out of
it. If there is no such file, the target is taken as people mean it: a page's source
for a page (`a.html` for `a.md`), a folder's first page, a name without its
suffix, and at last the address of a source on its site (`route_of`): below a
folder of the tree (`/guide/a` for `src/pages/guide/a.mdx`), without the folder of the
published site (`/project/a/` for `a/index.html`), and next to or below
the page itself (`../b` in `guide/a.md` for `guide/b.md`). Pages of Antora name each
other by module and path. An unknown fragment leads to the page. A target outside
the known sources leads nowhere.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import unquote

from leafmark.index.folding import spellings
from leafmark.model import document_id
from leafmark.namedtuples import NamedTuple
from leafmark.search.lookup import Lookup, chunk_with_slug

_MODULE = r"(?:[\w.-]*@)?(?:(?P<component>[\w.-]*):)?(?:(?P<module>[\w.-]*):)?(?:page\$)?"
_SCHEME = re.compile(rf"(?!{_MODULE}[^\s:#?$]+\.adoc(?![^#?]))(?:[A-Za-z][A-Za-z0-9+.-]*:|//)")
_NAMED_RESOURCE = re.compile(rf"{_MODULE}(?P<path>[^:$]+)")
"""A page of Antora, as other pages name it: `how-to:data.adoc` is a page of the module `how-to`."""

_OF_MODULE = re.compile(r"(?:^|/)modules/(?P<module>[^/]+)/(?:pages|partials|examples)/")
_SOURCES = (
    *(".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".rdoc", ".html", ".htm", ".ipynb"),
    *(".qmd", ".Rmd", ".org", ".pod", ".pm", ".info"),
)
_PAGES = (".html", ".htm", ".xhtml")
_NO_FOLDERS = frozenset(_SOURCES).difference(_PAGES, (".org", ".pod", ".pm", ".info"))
"""Suffixes of files, never of folders: most links to unknown sources end with one."""

MAX_FILES = 10_000
"""Paths whose file is cached: about 3 MB. A path that leads nowhere is searched in 76 ways."""

_FIRST_PAGES = ("README", "readme", "index", "_index")
_OF_FOLDERS = re.compile(r"(?:readme|index|_index)(?:\.\w+)?|\+?page\.mdx?")
"""Names of the page of a folder, in lower case."""

_PAGE = "page"
"""The name of that page in frameworks with one for each folder."""

_ORDER = re.compile(r"[0-9]+[-_.]\s*(?=[^0-9\s])")
"""A number at the start of a name that only gives its order."""


def split_target(target: str) -> tuple[str, str] | None:
    """Return path and fragment of a target, decoded; None for an address outside of any tree.

    >>> split_target("../a%20b.md?plain=1#set-up")
    ('../a b.md', 'set-up')
    >>> split_target("https://example.org/a") is None, split_target("how-to:data.adoc#use")
    (True, ('how-to:data.adoc', 'use'))
    """
    if _SCHEME.match(target):
        return None
    path, _, fragment = target.partition("#")
    path = unquote(path.partition("?")[0], errors="surrogateescape")  # as paths have such bytes
    return path, unquote(fragment)


def candidate_paths(path: str, base: str) -> Iterator[str]:
    """Yield the paths in a tree that `path`, written in the file `base`, may mean, best first.

    >>> list(candidate_paths("../b.html", "docs/a/x.md"))[:3]
    ['docs/b.html', 'docs/b.md', 'docs/b.markdown']
    >>> list(candidate_paths("b.md", "x.md"))
    ['b.md']
    """
    if path.startswith("/"):
        joined = path.lstrip("/")
    else:
        joined = posixpath.join(posixpath.dirname(base), path)
    joined = posixpath.normpath(joined) if joined else "."
    if joined == ".." or joined.startswith("../"):
        return
    is_root = joined == "."
    if not is_root:
        yield joined
        stem, suffix = posixpath.splitext(joined)
        if suffix in _NO_FOLDERS:
            return
        if suffix.lower() in _PAGES:
            yield from (stem + other for other in _SOURCES if other != suffix)
        yield from (joined + other for other in _SOURCES)
    folder = "" if is_root else joined + "/"
    yield from (folder + name + suffix for name in _FIRST_PAGES for suffix in _SOURCES)


class Origin(Protocol):
    """The properties of the document that contains a link."""

    @property
    def tree(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def metadata(self) -> Mapping[str, Any]: ...


class PlainOrigin(NamedTuple):
    """A document without an entry in an index."""

    tree: str
    path: str
    format: str
    metadata: Mapping[str, Any]


FindChunk = Callable[[str, str, str | None], str | None]
"""Returns the id of a chunk by tree, path and slug (None: the document), None if there is none."""


class KnownKeys:
    """Finds sources by name among the keys (tree, path) of a collection, such as the manifest."""

    def __init__(self, keys: Collection[tuple[str, str]]) -> None:
        self._keys = keys

    def holds(self, tree: str, path: str) -> bool:
        return (tree, path) in self._keys

    def with_stem(self, tree: str, stem: str) -> Iterable[str]:
        """Return the paths with this `stem_of`."""
        return self._by_stem.get((tree, stem), ())

    def ending(self, tree: str, name: str) -> Iterable[tuple[Route, str]]:
        """Yield the routes that end with a name, and their paths; the empty one with ""."""
        for path in self._by_last_name.get((tree, name), ()):
            route = route_of(path)
            yield (route if "".join(route[-1:]) == name else (*route, name)), path

    def of_module(self, tree: str, page: str) -> Iterable[str]:
        """Return the paths of a page of Antora (`modules/NAME/pages/PATH`), below any folder."""
        return self._by_page.get((tree, page), ())

    @cached_property
    def _by_page(self) -> Mapping[tuple[str, str], list[str]]:
        paths: dict[tuple[str, str], list[str]] = {}
        for tree, path in self._keys:
            module = _OF_MODULE.search(path) if path.endswith(".adoc") else None
            if module is not None:
                page = path[module.start() :].lstrip("/")
                paths.setdefault((tree, page), []).append(path)
        return paths

    @cached_property
    def _by_stem(self) -> Mapping[tuple[str, str], list[str]]:
        paths: dict[tuple[str, str], list[str]] = {}
        for tree, path in self._keys:
            paths.setdefault((tree, stem_of(path)), []).append(path)
        return paths

    @cached_property
    def _by_last_name(self) -> Mapping[tuple[str, str], list[str]]:
        """Beside an `index.md`, and where links say so, `page.md` is a page that is called so."""
        paths: dict[tuple[str, str], list[str]] = {}
        for tree, path in self._keys:
            folder, _, name = path.rpartition("/")
            is_of_folder = _OF_FOLDERS.fullmatch(name.lower()) is not None
            is_page = is_of_folder and stem_of(name) == _PAGE
            if is_of_folder and not (is_page and self._has_first_page(tree, folder)):
                paths.setdefault((tree, "".join(route_of(path)[-1:])), []).append(path)
            if is_page or not is_of_folder:
                paths.setdefault((tree, _without_order(stem_of(name))), []).append(path)
        return paths

    def _has_first_page(self, tree: str, folder: str) -> bool:
        names = (name + suffix for name in _FIRST_PAGES for suffix in (".md", ".mdx"))
        return any(self.holds(tree, posixpath.join(folder, name)) for name in names)


class Links:
    """Resolves links among the sources that are `known`; `place` looks into one of them."""

    def __init__(self, place: FindChunk, known: KnownKeys) -> None:
        self._place = place
        self._known = known
        self._files: dict[tuple[str, str, str], str | None] = {}
        """The cached sources of paths, by tree, folder and path, as pages repeat their links."""

    def resolve(self, record: Mapping[str, Any], document: Origin) -> dict[str, Any]:
        """Return the record of a chunk of `document`, with the ids of its links as far as known."""
        links = [
            link | {"id": self.find(link["target"], link["kind"], document)}
            if link["id"] is None
            else link
            for link in record["links"]
        ]
        return {**record, "links": links}

    def find(self, target: str, kind: str, document: Origin) -> str | None:
        """Return the id of the chunk that a link in `document` leads to, None if there is none."""
        parts = split_target(target)
        if parts is None:
            return None
        path, fragment = parts
        source_path = self.find_path(path, kind, document)
        return None if source_path is None else self._chunk(document.tree, source_path, fragment)

    def find_path(self, path: str, kind: str, document: Origin) -> str | None:
        """Return the path of the source that a link of `document` to `path` leads to."""
        if kind == "wiki":
            return self._page(path, document) if path else document.path
        return self._file(path, document)

    def _file(self, path: str, document: Origin) -> str | None:
        base = document.metadata.get("base") if document.format == "html" else None
        if base:
            parts = split_target(str(base))
            if parts is None:
                return None
            path = posixpath.join(posixpath.dirname(parts[0]), path)
        if not path:
            return document.path
        key = document.tree, "" if path[0] == "/" else posixpath.dirname(document.path), path
        if key not in self._files:
            if len(self._files) >= MAX_FILES:
                self._files.clear()
            self._files[key] = self._look_for(path, document)
        return self._files[key]

    def _look_for(self, path: str, document: Origin) -> str | None:
        """Return the source that a path means: the path as written, else by its route."""
        tree, holds = document.tree, self._known.holds
        candidates = candidate_paths(path, document.path)
        written = (form for candidate in candidates for form in spellings(candidate))
        match = next((form for form in written if holds(tree, form)), None)
        if match is None and path.endswith(".adoc"):
            return self._of_module(path, document)
        if match is None and path[0] == "/":
            return self._of_site(path, document)
        if match is None and document.format != "html" and not path.endswith(tuple(_NO_FOLDERS)):
            return self._near_page(path, document)
        return match

    def _of_module(self, path: str, document: Origin) -> str | None:
        """Return the page of Antora that another one names, the nearest of several."""
        own, named = _OF_MODULE.search(document.path), _NAMED_RESOURCE.fullmatch(path)
        if own is None or named is None:
            return None
        component, module = named["component"], named["module"]
        if module is None and component is not None:
            component, module = None, component
        module = own["module"] if module is None else module or "ROOT"
        page = posixpath.normpath(f"modules/{module}/pages/{named['path'].lstrip('/')}")

        def distance(candidate: str) -> tuple[int, str]:
            return -_shared_folders(candidate, document.path), candidate

        return min(self._known.of_module(document.tree, page), key=distance, default=None)

    def _of_site(self, path: str, document: Origin) -> str | None:
        """Return the source with an address of the site, if only one is nearest."""
        target_route, suffix = route_of(path), posixpath.splitext(path)[1]
        published = target_route[1:] or target_route
        ranked: dict[tuple[int, int], list[str]] = {}
        for route, candidate in (
            self._known.ending(document.tree, target_route[-1]) if target_route else ()
        ):
            is_below = route[-len(target_route) :] == target_route
            if not is_below and route != published:
                continue
            if suffix not in _NO_FOLDERS or candidate.endswith(suffix):
                shared = _shared_folders(candidate, document.path)
                ranked.setdefault((not is_below, -shared), []).append(candidate)
        nearest = ranked[min(ranked)] if ranked else []
        return nearest[0] if len(nearest) == 1 else None

    def _near_page(self, path: str, document: Origin) -> str | None:
        """Return the source at an address relative to a page, taken as a folder or as a file."""
        route = route_of(document.path)
        for base in (route, route[:-1]):
            target_route = route_of(posixpath.normpath(posixpath.join("/", *base, path)))
            named = self._known.ending(document.tree, target_route[-1] if target_route else "")
            matches = [candidate for route_, candidate in named if route_ == target_route]
            if matches:
                return min(matches)
        return None

    def _page(self, name: str, document: Origin) -> str | None:
        """Return the page of a wiki link: by its name in the tree, the nearest of several."""
        page_name = name.strip("/").lower()
        places = self._known.with_stem(document.tree, stem_of(page_name))
        places = [path for path in places if _is_called(path.lower(), page_name)]
        near = posixpath.dirname(document.path)

        def distance(path: str) -> tuple[bool, int, str]:
            return posixpath.dirname(path) != near, path.count("/"), path

        return min(places, key=distance, default=None)

    def _chunk(self, tree: str, path: str, fragment: str) -> str | None:
        chunk_id = None
        if fragment:
            chunk_id = next(
                filter(None, (self._place(tree, path, n) for n in slugs_of(fragment))), None
            )
        return chunk_id or self._place(tree, path, None)


def indexed_place(lookup: Lookup) -> FindChunk:
    """Return the function that finds chunks in an index."""

    def find(tree: str, path: str, slug: str | None) -> str | None:
        entry = chunk_with_slug(lookup, document_id(tree, path), slug)
        return None if entry is None else entry.id

    return find


Route = tuple[str, ...]


def route_of(path: str) -> Route:
    """The address that sites give a source: its folders and its name, in lower case.

    Left out are suffixes, the names of the pages of folders, folders that only group others, and
    numbers that only order them.

    >>> route_of("Docs/(framework)/02-guide/page.mdx"), route_of("/docs/guide/")
    (('docs', 'guide'), ('docs', 'guide'))
    """
    folder = posixpath.dirname(path).lower()
    names = [
        name for name in folder.split("/") if name and not (name[0] == "(" and name[-1] == ")")
    ]
    stem = stem_of(path)
    if stem and not _OF_FOLDERS.fullmatch(posixpath.basename(path).lower()):
        names.append(stem)
    return tuple(map(_without_order, names))


def _shared_folders(path: str, other: str) -> int:
    """Return the number of leading parts that two paths share."""
    return len(posixpath.commonprefix([path.split("/"), other.split("/")]))


def _without_order(name: str) -> str:
    return _ORDER.sub("", name, count=1) if name[:1].isdecimal() else name


def stem_of(path: str) -> str:
    """Return a file's name without the suffix of a document, in lower case."""
    name = posixpath.basename(path).lower()
    stem, suffix = posixpath.splitext(name)
    return stem if suffix in (*_SOURCES, ".rmd", ".txt") else name


def _is_called(path: str, page_name: str) -> bool:
    """Say whether a path ends with the name in a wiki link, folders included."""
    folder, stem = posixpath.dirname(path), stem_of(path)
    folder_wanted, stem_wanted = posixpath.dirname(page_name), stem_of(page_name)
    return stem == stem_wanted and f"/{folder}".endswith(folder_wanted and f"/{folder_wanted}")


def slugs_of(fragment: str) -> Iterator[str]:
    """Yield the slugs that a fragment may mean; wiki links name a heading by its words.

    They may name the headings above it, too.
    """
    yield fragment
    last = fragment.rpartition("#")[2]
    if last != fragment:
        yield last
    from leafmark.chunking.slugs import github_slug  # late: few links need it

    yield github_slug(last)
