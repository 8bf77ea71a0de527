"""The outline of an HTML page that a Markdown specification expects, without our HTML parser."""

from __future__ import annotations

from html.parser import HTMLParser

Outline = list[tuple[str, ...]]

_CONTAINERS = frozenset(("blockquote", "li"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.outline: Outline = []
        self._depth = 0
        self._words: list[str] | None = None  # of the heading that is open
        self._in_pre = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        place = "nested" if self._depth else "top"
        if tag in _HEADINGS:
            self._words = []
        elif tag == "pre":
            self._in_pre = True
            self.outline.append(("code", place, ""))
        elif tag == "code" and self._in_pre:
            language = (dict(attrs).get("class") or "").removeprefix("language-")
            self.outline[-1] = ("code", place, language.lower())
        elif tag in ("table", "hr"):
            self.outline.append((tag, place))
        self._depth += tag in _CONTAINERS

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag in _CONTAINERS
        if tag == "pre":
            self._in_pre = False
        if tag in _HEADINGS and self._words is not None:
            place = "nested" if self._depth else "top"
            self.outline.append((tag, place, " ".join("".join(self._words).split())))
            self._words = None

    def handle_data(self, data: str) -> None:
        if self._words is not None:
            self._words.append(data)


def outline_of(html: str) -> Outline:
    """Return headings, code blocks, tables and rules in order, each at the top or nested."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.outline
