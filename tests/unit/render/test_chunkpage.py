"""The page of chunks: whole, static, escaped, and every byte of the source in it once."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from html import unescape
from html.parser import HTMLParser

import pytest

from leafmark.chunking import STRATEGIES, ChunkingOptions, chunk_document
from leafmark.parsing import parse
from leafmark.render.chunks import close_page, iter_chunk_article, open_page

HOSTILE = (
    '# <script>alert(1)</script> & "quotes"\n\n</pre><img src=x onerror=alert(1)>\n\n'
    "## B\x1b[31m\u202e\n\n" + "One more sentence of words. " * 300
)


def page(source: str, path: str = "p.md", tree: str = "t", **fields: object) -> str:
    options = ChunkingOptions(**fields)  # type: ignore[arg-type]
    document = chunk_document(parse(source.encode(), path), tree=tree, options=options)
    return open_page("a & b") + "".join(iter_chunk_article(document, options)) + close_page("1 <2")


class Checker(HTMLParser):
    """Notes tags and attributes, and that what is opened is closed."""

    void = frozenset({"meta", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_of_a_document_becomes_markup(strategy: str) -> None:
    checker = Checker()
    checker.feed(page(HOSTILE, strategy=strategy))
    assert checker.open == []
    assert checker.tags <= {
        *("html", "meta", "title", "style", "header", "h1", "article", "h2", "div", "nav", "ol"),
        *("li", "a", "span", "meter", "pre", "b", "footer", "details", "summary"),
    }
    assert not any(name.startswith("on") for name in checker.attributes)
    assert "style" not in checker.attributes
    assert "src" not in checker.attributes


def test_control_characters_are_made_visible() -> None:
    found = page(HOSTILE)
    assert "\x1b" not in found
    assert "\u202e" not in found
    assert r"\x1b[31m\u202e" in found


def test_the_policy_admits_the_style_and_nothing_else() -> None:
    found = page("x\n")
    (style,) = re.findall(r"<style>(.*?)</style>", found, re.DOTALL)
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', found)
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style
    assert "@import" not in style


def shown_source(found: str) -> str:
    """The text of all blocks in order, line ends at the ends of blocks aside."""
    blocks = re.findall(r"<pre>(.*?)</pre></d", found, re.DOTALL)
    return "".join(unescape(re.sub(r"</?b>", "", block)) for block in blocks)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_whole_source_is_shown_once(strategy: str) -> None:
    source = "---\ntitle: T\n---\nLead.\n\n# A\n\n" + "Words, more words.\n\n" * 200
    source += "## B\n\n## Empty\n\n# C\n\n| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 200
    found = page(source, strategy=strategy)
    assert "".join(shown_source(found).split()) == "".join(source.split())


def test_links_lead_to_blocks_and_ids_are_given_once() -> None:
    found = page(HOSTILE, strategy="section", min_tokens=1, target_tokens=50, max_tokens=90)
    targets = re.findall(r'href="#([^"]*)"', found)
    names = re.findall(r' id="([^"]*)"', found)
    assert targets
    assert sorted(targets) == sorted(set(names)) == sorted(names)


def test_what_is_in_no_chunk_is_folded_away() -> None:
    source = "<nav>menu</nav><main><h1>A</h1><p>text</p></main>"
    found = page(source, path="p.html")
    assert '<details class="dropped"><summary>' in found
    assert "menu" in found


def test_windows_that_overlap_show_what_they_share() -> None:
    found = page("Some words. " * 300, strategy="fixed", fixed_tokens=100, fixed_overlap=20)
    assert '<div class="block shared' in found
    assert "windows of 100 that share 20" in found


def test_flags_and_sizes_are_shown() -> None:
    found = page("# A\n\nsmall\n\n# B\n\n" + "word " * 1500, strategy="section")
    assert '<span class="flag">undersize</span>' in found
    assert '<meter max="1000" value="' in found
    assert "1 &lt;2" in found
