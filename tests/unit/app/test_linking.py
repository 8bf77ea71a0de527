"""Where links lead inside a tree."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

import pytest
from support.projects import Here

from leafmark.app.linking import KnownKeys, Links, PlainOrigin, candidate_paths, split_target

Form = Literal["NFC", "NFD"]


@pytest.fixture
def linked(here: Here) -> Here:
    here.write("README.md", "# Home\n\nx\n")
    here.write("docs/a b.md", "# A\n\nx\n\n## Set Up\n\ny\n\n## Empty\n## Größe\n\nz\n")
    here.write("docs/index.md", "# Docs\n\nx\n")
    here.write("docs/page.html", '<h1 id="Top">P</h1>x<h2>Two</h2>y')
    here.write("docs/plots.Rmd", "# Plots\n\nx\n")
    here.write("docs/api.rst", ".. _the_label:\n\nApi\n===\n\nx\n")
    here.write("other/a b.md", "# Other\n\nx\n")
    return here


def ids_of(here: Here, path: str) -> list[tuple[str, str | None]]:
    here.index()
    (shown,) = here.show(path).shown
    return [(link["target"], link["id"]) for link in shown.record["links"]]


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("a%20b.md", "here:docs/a b.md"),
        ("<a b.md#set-up>", "here:docs/a b.md#set-up"),
        ("./../docs/a%20b.md?raw=1#gr%C3%B6%C3%9Fe", "here:docs/a b.md#größe"),
        ("a%20b.md#empty", "here:docs/a b.md#a"),
        ("a%20b.md#no-such-place", "here:docs/a b.md"),
        ("a%20b#Set-Up", "here:docs/a b.md#set-up"),
        ("page.html#Top", "here:docs/page.html#Top"),
        ("api.html#the-label", "here:docs/api.rst#the-label"),
        ("plots.html", "here:docs/plots.Rmd"),
        ("/README.md", "here:README.md"),
        ("..", "here:README.md"),
        (".", "here:docs/index.md"),
        ("../docs/", "here:docs/index.md"),
        ("#own", "here:docs/links.md#own"),
        ("#nowhere", "here:docs/links.md"),
        ("../../../etc/passwd", None),
        ("missing.md", None),
        ("https://example.org/a.md", None),
        ("//example.org/a.md", None),
        ("mailto:a@b.c", None),
        ("C:/a.md", None),
    ],
)
def test_a_target_leads_to_the_chunk_that_it_names(
    linked: Here, target: str, found: str | None
) -> None:
    linked.write("docs/links.md", f"# Own\n\n[x]({target})\n")

    ((_, led),) = ids_of(linked, "docs/links.md#own")
    assert led == found


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("/docs/page.html#Top", "here:docs/page.html#Top"),
        ("/project/docs/page.html#Top", "here:docs/page.html#Top"),
        ("/project/docs/page", "here:docs/page.html"),
        ("/far/project/docs/page.html", None),
        ("/project/", None),
    ],
)
def test_a_page_s_address_may_begin_with_where_its_site_is_published(
    linked: Here, target: str, found: str | None
) -> None:
    linked.write("docs/links.html", f"<h1>Own</h1><p><a href='{target}'>x</a></p>")
    linked.write("docs/links.md", f"# Own\n\n[x]({target})\n")

    ((_, led),) = ids_of(linked, "docs/links.html#own")
    assert led == found
    ((_, led),) = ids_of(linked, "docs/links.md#own")
    assert led == found


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("/guide/set-up", "src/pages/(start)/guide/01-set-up/page.mdx"),
        ("/Guide/Set-up/", "src/pages/(start)/guide/01-set-up/page.mdx"),
        ("/site/guide/use", None),
        ("/pages/guide/use.md", "src/pages/guide/use.md"),
        ("/guide/use.rst", None),
        ("./use", "src/pages/guide/use.md"),
        ("../use", "src/pages/guide/use.md"),
        ("./remove", "src/pages/(start)/guide/remove.md"),
        ("/de/intro", "de/intro.md"),
        ("/intro", None),
        ("/files", "src/pages/files/index.md"),
        ("/files/page", "src/pages/files/page.md"),
    ],
)
def test_a_target_may_be_an_address_of_the_site(target: str, found: str | None) -> None:
    paths = (
        "src/pages/guide/use.md",
        "src/pages/(start)/guide/01-set-up/page.mdx",
        "src/pages/(start)/guide/remove.md",
        "de/intro.md",
        "en/intro.md",
        "src/pages/files/index.md",
        "src/pages/files/page.md",
    )
    links = Links(lambda tree, path, slug: path, KnownKeys([("t", path) for path in paths]))

    origin = Page("src/pages/(start)/guide/01-set-up/page.mdx")
    assert links.find(target, "link", origin) == found
    assert links.find("../use", "link", Page("src/pages/guide/remove.md")) is not None


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("[[a b]]", "here:docs/a b.md"),
        ("[[A B#Set Up]]", "here:docs/a b.md#set-up"),
        ("[[other/a b|shown]]", "here:other/a b.md"),
        ("[[readme]]", "here:README.md"),
        ("[[Plots]]", "here:docs/plots.Rmd"),
        ("[[#Own]]", "here:docs/links.md#own"),
        ("[[ther/a b]]", None),
        ("[[nothing]]", None),
    ],
)
def test_a_wiki_link_names_a_page_anywhere_the_nearest_first(
    linked: Here, link: str, found: str | None
) -> None:
    linked.write("docs/links.md", f"# Own\n\n{link}\n")

    ((_, led),) = ids_of(linked, "docs/links.md#own")
    assert led == found


@pytest.mark.parametrize(
    ("base", "found"),
    [
        ("", "here:docs/a b.md"),
        ('<base href="../other/">', "here:other/a b.md"),
        ('<base href="/docs/x.html">', "here:docs/a b.md"),
        ('<base href="https://x.y/">', None),
    ],
)
def test_a_page_s_base_is_obeyed(linked: Here, base: str, found: str | None) -> None:
    linked.write("docs/links.html", f"{base}<h1>Own</h1><a href='a b.md'>x</a>")

    ((_, led),) = ids_of(linked, "docs/links.html#own")
    assert led == found


def test_targets_are_taken_apart() -> None:
    assert split_target("") == ("", "")
    assert split_target("caf%E9.md") == ("caf\udce9.md", "")
    assert split_target("#a%2Fb") == ("", "a/b")
    assert split_target("data:text/plain,x") is None


def test_candidates_stay_in_the_tree() -> None:
    assert list(candidate_paths("../../x.md", "a/b.md")) == []
    assert next(candidate_paths("", "b.md")) == "README.md"
    assert next(candidate_paths("/", "a/b.md")) == "README.md"


class Page(NamedTuple):
    path: str
    tree: str = "t"
    format: str = "markdown"
    metadata: Mapping[str, Any] = {}


def test_a_path_is_looked_for_once_and_a_missing_file_in_one_place() -> None:
    asked: list[str] = []

    class Known(KnownKeys):
        def holds(self, tree: str, path: str) -> bool:
            asked.append(path)
            return super().holds(tree, path)

    links = Links(lambda tree, path, slug: path, Known([("t", "a/b.md"), ("t", "c.md/index.md")]))
    found = [
        links.find(target, "link", Page(path))
        for path in ("a/x.md", "a/y.md", "x.md")
        for target in ("b.md", "b", "/a/b", "missing.md", "c.md")
    ]
    assert found == ["a/b.md", "a/b.md", "a/b.md", None, None] * 2 + [
        None,
        None,
        "a/b.md",
        *[None] * 2,
    ]
    assert asked.count("a/missing.md") == asked.count("a/c.md") == asked.count("missing.md") == 1
    assert asked.count("a/b") == 2  # as `b` below `a`, and from the root
    assert not any(path.startswith(("a/missing.md.", "a/missing.md/")) for path in asked)


@pytest.mark.parametrize("spelt", ["NFC", "NFD"])
@pytest.mark.parametrize("named", ["NFC", "NFD"])
def test_a_link_finds_a_file_in_the_other_spelling(here: Here, spelt: Form, named: Form) -> None:
    path = unicodedata.normalize(named, "größe é.md")
    here.write(path, "# A\n\nx\n")
    target = quote(unicodedata.normalize(spelt, "größe é.md"))
    here.write("links.md", f"# Own\n\n[x]({target}#a)\n")

    assert ids_of(here, "links.md#own") == [(f"{target}#a", f"here:{path}#a")]


ANTORA = "docs/modules/how-to/pages/deploy/cloud.adoc"


@pytest.mark.parametrize(
    ("target", "page"),
    [
        ("data.adoc#use", "docs/modules/how-to/pages/data.adoc"),
        ("./local.adoc", "docs/modules/how-to/pages/deploy/local.adoc"),
        ("how-to:deploy/local.adoc", "docs/modules/how-to/pages/deploy/local.adoc"),
        ("plugin:index.adoc", "plugin/docs/modules/plugin/pages/index.adoc"),
        ("2.0@lamps:plugin:/index.adoc", "plugin/docs/modules/plugin/pages/index.adoc"),
        ("lamps::page$index.adoc", "docs/modules/ROOT/pages/index.adoc"),
        ("gone:index.adoc", None),
        ("https://example.org/index.adoc", None),
        ("mailto:a@b.adoc", None),
    ],
)
def test_pages_of_antora_name_each_other_by_module(target: str, page: str | None) -> None:
    pages = [
        ANTORA,
        "docs/modules/how-to/pages/data.adoc",
        "docs/modules/how-to/pages/deploy/local.adoc",
        "docs/modules/ROOT/pages/index.adoc",
        "plugin/docs/modules/plugin/pages/index.adoc",
        "other/index.adoc",
    ]
    links = Links(lambda tree, path, slug: path, KnownKeys({("t", one) for one in pages}))
    origin = PlainOrigin("t", ANTORA, "asciidoc", {})
    assert links.find(target, "link", origin) == page


def test_names_of_modules_lead_nowhere_from_what_is_no_page_of_antora() -> None:
    links = Links(lambda tree, path, slug: path, KnownKeys({("t", ANTORA), ("t", "a.adoc")}))
    assert (
        links.find("how-to:deploy/cloud.adoc", "link", PlainOrigin("t", "a.adoc", "", {})) is None
    )
