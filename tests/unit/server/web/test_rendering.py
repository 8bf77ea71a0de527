"""What documents become on pages: safe, with their links led inside, words and cuts marked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.server.web.block_html import spans_of_words
from leafmark.server.web.rendering import (
    CUT,
    Cut,
    Markings,
    Section,
    mark_excerpt,
    mark_text,
    render_html,
    render_markdown,
)


def nowhere(_: str) -> None:
    return None


def joined(sections: Sequence[Section]) -> str:
    return "".join(str(one.html) for one in sections)


def find(word: str) -> Markings:
    def mark(text: str) -> list[tuple[int, int]]:
        at = text.find(word)
        return [(at, at + len(word))] if at >= 0 else []

    return Markings(mark)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<script>x</script>a", "a"),
        ("a <b onclick='x'>b</b>", "<p>a <b>b</b></p>"),
        ("<p style='x' id='y' class='z'>a</p>", "<p>a</p>"),
        ("[a](javascript:x)", "<p><a>a</a></p>"),
        ("[a](b.md)", "<p><a>a</a></p>"),
        ("![alt words](http://x/y.png)", '<p><span class="picture">alt words</span></p>'),
        ("<img src=x alt='\"><script>'>", '<span class="picture">&quot;&gt;&lt;script&gt;</span>'),
        ("a < b & c", "<p>a &lt; b &amp; c</p>"),
        ("\u202ea\x1b", "<p>\\u202ea\\x1b</p>"),
    ],
)
def test_markup_is_made_safe(source: str, shown: str) -> None:
    assert joined(render_markdown(source, "", nowhere)).strip() == shown


def test_links_inside_lead_to_our_pages_and_others_open_beside() -> None:
    text = "[a](b%20c.md#d) [e](https://x.org)"
    made = joined(render_markdown(text, "", lambda one: f"/doc?id={one}"))
    assert '<a href="/doc?id=b%20c.md#d">a</a>' in made
    assert '<a target="_blank" href="https://x.org" rel="noopener noreferrer">e</a>' in made


def test_references_of_the_whole_document_hold_in_a_part() -> None:
    made = joined(render_markdown("[a][one]", "[one]: b.md", lambda one: f"/doc?id={one}"))
    assert 'href="/doc?id=b.md"' in made


def test_titles_follow_one_another_whatever_is_skipped() -> None:
    made = joined(render_markdown("# a\n\n#### b\n\n## c\n\n###### d\n", "", nowhere))
    assert [int(one[0]) for one in str(made).split("<h")[1:]] == [3, 4, 4, 5]


def test_words_are_marked_in_text_and_never_in_markup() -> None:
    text = "a `title` <b title='title'>title</b>"
    made = joined(render_markdown(text, "", nowhere, find("title")))
    assert str(made).count("<mark>title</mark>") == 2
    assert mark_text("<b>", lambda _: [(1, 2)]) == "&lt;<mark>b</mark>&gt;"


def test_an_excerpt_has_the_words_of_links_and_its_marks() -> None:
    text = "keep a [backup](backups.md) of `it` <b>"
    words = spans_of_words(text, "markdown")
    made = mark_excerpt(text, [(8, 14), (16, 22), (32, 34)], words)
    assert made == "keep a <mark>backup</mark> of <mark>it</mark> &lt;b&gt;"


@pytest.mark.parametrize(
    ("text", "format_name", "shown"),
    [
        ("see :func:`~a.run` and `it <b.html>`_ now", "rst", "see a.run and it now"),
        ("see xref:b.adoc[it], `code` and *now*", "asciidoc", "see it, code and now"),
        ("see [[file:b.org][it]] and =code=", "org", "see it and code"),
        ("see `it` and https://x.org/a.", "roff", "see `it` and https://x.org/a."),
        ("at https://x.org/a now", "rst", "at https://x.org/a now"),
    ],
)
def test_an_excerpt_has_no_markup_of_its_format(text: str, format_name: str, shown: str) -> None:
    assert mark_excerpt(text, [], spans_of_words(text, format_name)) == shown


def test_a_cut_inside_a_paragraph_colours_what_follows_and_breaks_nothing() -> None:
    markings = Markings(cuts=[Cut(5, "t:a.md~5")], position=4)
    made = joined(render_markdown(f"one {CUT}two *three*", "", nowhere, markings))
    assert made.count("<p>") == 1
    assert 'id="c5"' in made
    assert '<span class="k1">two </span>' in made
    assert '<em><span class="k1">three</span></em>' in made


ANY = st.text(
    alphabet=st.sampled_from("<>&\"'/= abscriptonload:#*[]()`\n\u202e\ue000"), max_size=80
)


@given(ANY)
def test_whatever_a_document_holds_nothing_runs(text: str) -> None:
    for made in (
        joined(render_markdown(text, "", nowhere, find("a"))),
        joined(render_html(text, nowhere, find("a"))),
    ):
        lowered = made.lower()
        tags = [part.split(">")[0] for part in lowered.split("<")[1:]]
        assert not any(tag.split()[0] in ("script", "style", "iframe") for tag in tags if tag)
        assert not any(" on" in tag.replace('rel="noopener', "") for tag in tags)
        assert "\u202e" not in made


def test_formulas_keep_their_signs_and_terms_are_lists() -> None:
    text = "$a_1 \\, b_1$, $5 or $6\n\nTerm\n: means it\n"
    made = joined(render_markdown(text, "", nowhere))
    assert "<code>$a_1 \\, b_1$</code>, $5 or $6" in made
    assert "<dt>Term</dt>" in made


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("DHCP (\u0645\u062e\u0641\u0641) \u067e\u0631\u0648\u062a\u06a9\u0644", ' dir="rtl"'),
        ("One word of it: \u0633\u0644\u0627\u0645", ""),
    ],
)
def test_a_block_stands_from_right_to_left_by_most_of_its_letters(source: str, shown: str) -> None:
    for tag in ("p", "div"):
        made = joined(render_html(f"<{tag}>{source}</{tag}><p>More.</p>", nowhere))
        assert made.startswith(f"<{tag}{shown}>"), made
        assert made.endswith("<p>More.</p>")
    assert joined(render_markdown(f"# {source}", "", nowhere)).startswith(f"<h3{shown}>")
