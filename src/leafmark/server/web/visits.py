"""One visit of a page: its address, addresses derived from it, and the templates.

The whole state of a page stands in its address, so that it can be sent, bookmarked and revisited.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from leafmark.app import Project
from leafmark.model import count_of
from leafmark.render.hint_texts import PAGE, word_remedy
from leafmark.render.terminal import clean, size_in_words
from leafmark.server.web.rendering import COLORS
from leafmark.server.workspace import Freshness

EDITORS: Mapping[str, tuple[str, str]] = {
    "vscode": ("VS Code", "vscode://file{path}:{line}"),
    "vscodium": ("VSCodium", "vscodium://file{path}:{line}"),
    "cursor": ("Cursor", "cursor://file{path}:{line}"),
    "windsurf": ("Windsurf", "windsurf://file{path}:{line}"),
    "zed": ("Zed", "zed://file{path}:{line}"),
    "idea": ("JetBrains", "idea://open?file={path}&line={line}"),
    "textmate": ("TextMate", "txmt://open?url=file://{path}&line={line}"),
    "emacs": ("Emacs (org-protocol)", "org-protocol://open-file?file={path}&line={line}"),
}
"""Editors by the name in a browser's cookie: their display names, and how to open a file."""


class Address:
    """A path and its parameters; empty ones are left out."""

    def __init__(self, path: str, values: Mapping[str, Iterable[str]]):
        self.path = path
        self._values = {name: [text for text in texts if text] for name, texts in values.items()}

    def __getitem__(self, name: str) -> str:
        """Return the first value of a parameter, "" without one."""
        return next(iter(self._values.get(name, ())), "")

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(self._values.get(name, ()))

    def number(self, name: str, default: int, most: int = 1_000_000) -> int:
        """Return a parameter as a whole number, at most `most`; the default for other texts."""
        text = self[name]
        is_number = text.isascii() and text.isdigit() and len(text) < 10
        return min(int(text), most) if is_number else default

    def to(self, path: str | None = None, /, **changes: object) -> str:
        """Return the address with some parameters changed; None, "" and False leave one out."""
        values = dict(self._values)
        for name, value in changes.items():
            items = value if isinstance(value, list | tuple) else [value]
            values[name] = [str(item) for item in items if item not in (None, "", False)]
        pairs = [(name, text) for name, texts in values.items() for text in texts]
        query = urlencode(pairs, errors="surrogateescape")
        return f"{path or self.path}{'?' + query if query else ''}"

    def toggled(self, name: str, value: str) -> str:
        """Return the address with a value of a parameter added or removed, at the first page."""
        values = self.all(name)
        changed = (
            [text for text in values if text != value] if value in values else [*values, value]
        )
        changes: dict[str, object] = {name: changed, "offset": None, "at": None}
        return self.to(**changes)

    def hidden(self, *without: str) -> list[tuple[str, str]]:
        """Return the hidden fields of a form: all parameters but those in `without`."""
        return [
            (n, text) for n, texts in self._values.items() if n not in without for text in texts
        ]


@dataclass(frozen=True, slots=True)
class Visit:
    """A requested page: its address, the project, and how fresh the index is.

    `version` counts the runs that changed the index before this page: a page that hears of a
    later one is out of date. With `is_local`, the visitor sits at the machine with the files.
    """

    address: Address
    project: Project
    freshness: Freshness
    version: int
    is_local: bool = True
    text: str = ""
    editor: str = "vscode"


def render_page(template: str, visit: Visit, **values: Any) -> str:
    """Return a page; its links to documents stay at its revision."""
    address = visit.address
    named = partial(document_address, rev=address["rev"])
    template_ = _templates().get_template(template)
    return template_.render(visit=visit, address=address, doc_address=named, **values)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("leafmark.server.web", "page/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_shown,
    )
    environment.filters.update(
        size=size_in_words,
        count=count_of,
        count_list=lambda items, noun: count_of(len(items), noun),
        prefixed=_prefixed,
        remedy=partial(word_remedy, terms=PAGE),
    )
    environment.globals.update(colors=COLORS, icon=_icon, address_of=_address_of)
    return environment


def _shown(value: Any) -> Any:
    """Return a text from documents with its control characters made visible."""
    return clean(value) if type(value) is str else value


def document_address(name: str, **more: object) -> str:
    """Return the address of the page that shows the document or section of an id."""
    return Address("/doc", {"id": [name]}).to(**more)


def _address_of(path: str, **values: object) -> str:
    return Address(path, {}).to(**values)


def _prefixed(markup: Markup, prefix: str) -> Markup:
    """Return source text with `prefix` before the ids of its cuts: a page may hold it twice."""
    return Markup(str(markup).replace(' id="c', f' id="{prefix}c')) if prefix else markup


_ICONS = {
    "search": '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 4 4"/>',
    "copy": '<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M3.5 10.5h-1v-8h8v1"/>',
    "edit": '<path d="m3 13 .7-3L11 2.7l2.3 2.3L6 12.3z"/>',
    "folder": '<path d="M1.8 3.5h4.4l1.5 1.8h6.5v7.5H1.8z"/>',
    "tag": '<path d="M2 2.5h5.5l6.3 6.3-5 5L2.5 7.5z"/><circle cx="5.2" cy="5.4" r=".8"/>',
    "tree": '<path d="M3 2.5v11M3 5.5h5M3 11h5"/><path d="M8.5 4h5v3h-5zM8.5 9.5h5v3h-5z"/>',
    "lab": '<path d="M2 3.2h12v3H2zM2 9.8h7v3H2zM11.5 9.8H14v3h-2.5z"/>',
    "status": '<path d="M1.5 8.5h3l2-5 3 9.5 2-4.5h3"/>',
    "changes": '<path d="M5 2v9m-2.5-2.5L5 11l2.5-2.5M11 14V5M8.5 7.5 11 5l2.5 2.5"/>',
    "close": '<path d="m4 4 8 8m0-8-8 8"/>',
    "back": '<path d="M9.5 3 4.5 8l5 5"/>',
    "link": '<path d="M6.5 9.5 9.5 6.5M7 4.7l1.7-1.7a3 3 0 0 1 4.3 4.3L11.3 9'
    'M9 11.3 7.3 13A3 3 0 0 1 3 8.7L4.7 7"/>',
    "help": '<circle cx="8" cy="8" r="6"/>'
    '<path d="M6.2 6.3a1.9 1.9 0 1 1 2.7 1.8c-.6.3-.9.7-.9 1.4M8 11.4v.3"/>',
    "warning": '<path d="M8 2 1.8 13.5h12.4z"/><path d="M8 6.5v3.2M8 11.6v.3"/>',
    "next": '<path d="m6.5 3 5 5-5 5"/>',
}


def _icon(name: str) -> Markup:
    drawn = _ICONS[name]
    return Markup(f'<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">{drawn}</svg>')
