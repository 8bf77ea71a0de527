"""A pattern is compiled when it is first used, and then is as good as a compiled one."""

from __future__ import annotations

import copy
import re
import subprocess
import sys

import pytest

from leafmark.patterns import lazy_pattern


def test_a_pattern_has_the_methods_and_attributes_of_a_compiled_one() -> None:
    text, real = "ab-Ab", re.compile(r"(?P<first>a)b", re.IGNORECASE)
    late = lazy_pattern(r"(?P<first>a)b", re.IGNORECASE)
    assert late.groupindex == real.groupindex
    assert (late.pattern, late.flags, late.groups) == (real.pattern, real.flags, real.groups)
    assert late.findall(text) == real.findall(text)
    assert late.sub("x", text) == real.sub("x", text)
    assert [found.span() for found in late.finditer(text)] == [(0, 2), (3, 5)]
    assert late.match(text, 3) is not None
    assert late.fullmatch("abc") is None
    assert lazy_pattern(rb"\xff").search(b"a\xff") is not None


def test_a_mistake_is_found_when_it_is_used() -> None:
    late = lazy_pattern("(")
    with pytest.raises(re.error):
        late.search("(")


def test_a_copy_of_one_that_was_not_used_is_one() -> None:
    assert copy.copy(lazy_pattern("a")).findall("aa") == ["a", "a"]


def test_the_command_starts_with_hardly_a_pattern_compiled() -> None:
    program = (
        "import re, sys\n"
        "real, ours = re.compile, []\n"
        "def compiled(pattern, flags=0):\n"
        "    name = sys._getframe(1).f_globals.get('__name__', '')\n"
        "    ours.append(name) if name.startswith('leafmark') else None\n"
        "    return real(pattern, flags)\n"
        "re.compile = compiled\n"
        "from leafmark.app.answering import searching\n"
        "from leafmark.render import search_results as _\n"
        "print(len(ours))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(done.stdout) < 30, done.stderr
