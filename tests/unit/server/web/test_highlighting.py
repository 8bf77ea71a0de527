"""Code in colours."""

from __future__ import annotations

import time

import pytest

from leafmark.server.web.highlighting import MAX_COLOURED, MAX_LINE, tints
from leafmark.server.web.rendering import CUT, Markings, render_html, render_markdown
from leafmark.server.web.sections import Cut


def test_words_are_marked_in_coloured_code_and_a_cut_in_it_is_shown() -> None:
    markings = Markings(lambda text: [(0, 3)] if text[:3] == "def" else [], [Cut(7, "seven")])
    source = f"```python\ndef f():{CUT}\n    return 1\n```"
    (made, _, _) = render_markdown(source, "", lambda _: None, markings)[0]
    assert '<span class="tk"><mark>def</mark></span>' in made
    assert 'data-n="7"' in made
    assert '<span class="tk">return</span>' in made


def test_the_language_of_code_in_a_page_stands_around_it() -> None:
    code = "<pre><span class='k'>def</span> f(): pass</pre>"
    for around in ("highlight-python notranslate", "language-python", "highlight-source-python"):
        (one,) = render_html(f'<div class="{around}"><div>{code}</div></div>', lambda _: None)
        assert '<span class="tk">def</span> <span class="tf">f</span>' in one.html
    (plain,) = render_html(code, lambda _: None)
    assert "tk" not in plain.html


def test_only_bounded_code_in_known_languages_is_coloured() -> None:
    assert tints("x = 1", "python")
    for code, language in (
        ("x = 1\n" * MAX_COLOURED, "python"),
        (f"x = '{'a' * 5000}'", "python"),
        ("x = 1", "no-such-language"),
        ("x = 1", "xorg.conf"),
        ("", "python"),
    ):
        assert tints(code, language) == []
    assert [one.name for one in tints(">>> 1\n1\n", "")][:2] == ["tc", "tn"]


@pytest.mark.parametrize("sign", ["(", "a ", "`"])
def test_code_that_repeats_a_sign_takes_time_by_its_size(sign: str) -> None:
    line = sign * (MAX_LINE // len(sign) - 1)
    for language in ("python", "javascript", "bash", "c++", "rust", "html", "java", "sql"):
        begun = time.process_time()
        tints(f"{line}\n{line}", language)
        assert time.process_time() - begun < 5
