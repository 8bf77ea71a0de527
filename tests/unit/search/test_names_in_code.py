"""Names in source code are found by their parts, which is said of the name itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

CODE = """package queue

// Tell how long it is.
func (q *SendQueue) NumQueued() int { return q.lenLocked() }

// Take one.
func popOne(newest bool) error { return nil }
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path, t={"queue.go": CODE, "notes.md": "# Notes\n\nSee `NumQueued`.\n"})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("num queued", {"queue.go#SendQueue.NumQueued"}),
        ("body:queued", {"queue.go#SendQueue.NumQueued"}),
        ("body:locked", {"queue.go#SendQueue.NumQueued"}),
        ("numqueued", {"queue.go#SendQueue.NumQueued", "notes.md#notes"}),
        ('"num queued"', {"queue.go#SendQueue.NumQueued"}),
        ('"queued len"', set()),
        ('"one newest"', set()),
        ('body:"newest bool"', {"queue.go#popOne"}),
    ],
)
def test_which_code_is_found(library: Library, query: str, expected: set[str]) -> None:
    assert set(library.find(query, fuzzy_distance=0)) == expected


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("num queued", ["NumQueued"]),
        ("body:locked", ["Locked"]),
        ('body:"len locked"', ["lenLocked"]),
        ("lock*", ["Locked"]),
        ("send long", ["long", "Send"]),
    ],
)
def test_the_parts_are_marked_in_their_names(
    library: Library, query: str, marked: list[str]
) -> None:
    answer = library.search(query, aggregation=False, fuzzy_distance=0)
    (result,) = [one for one in answer.results if one.entry.slug == "SendQueue.NumQueued"]
    body = (result.body or "").encode()
    assert [body[start:end].decode() for start, end in result.match_ranges] == marked


CLASSES = '''class Cache:
    def pop(self, key):
        """Take what is stored."""

    class Lock:
        def pop(self):
            return 1


class Queue:
    def pop(self):
        return 2


def use(cache, queue):
    """Say `Cache.pop` and `Cache.pop` and `Cache.pop`."""
    return cache.pop("a"), cache.pop("b"), queue.popped
'''


@pytest.fixture
def classes(tmp_path: Path) -> Library:
    padding = "".join(f"## Part {number}\n\nOther words.\n\n" for number in range(20))
    return Library(tmp_path, t={"store.py": CLASSES, "notes.md": f"# Notes\n\n{padding}"})


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Cache.pop", "Cache.pop"),
        ("cache.pop()", "Cache.pop"),
        ("Cache::pop", "Cache.pop"),
        ("Cache#pop", "Cache.pop"),
        ("store.Cache.pop", "Cache.pop"),  # with the module
        ("store.Cache.pop:", "Cache.pop"),
        ("`store.Cache.pop()`?", "Cache.pop"),
        ("title:Cache.pop", "Cache.pop"),
        ("Lock.pop", "Cache.Lock.pop"),
        ("Cache.Lock.pop", "Cache.Lock.pop"),
        ("Cache", "Cache"),
        ("`Cache.Lock`", "Cache.Lock"),
        ("body:Cache.pop", "use"),
        ('"Cache.pop"', "use"),  # quoted, it is what texts say
    ],
)
def test_a_definition_is_first_by_its_name_with_that_of_its_class(
    classes: Library, query: str, first: str
) -> None:
    answer = classes.search(query, aggregation=False, fuzzy_distance=0)
    assert answer.results[0].entry.slug == first
    assert not answer.results[0].relaxed


@pytest.mark.parametrize("query", ["Stack.pop", "Cache.lost"])
def test_what_has_only_parts_of_a_name_is_marked(classes: Library, query: str) -> None:
    assert all(one.relaxed for one in classes.search(query, fuzzy_distance=0).results)
    assert not classes.search(query, fuzzy_distance=0, strict=True).results


def test_a_name_defined_again_is_found_as_well(tmp_path: Path) -> None:
    source = "class A {\n  int f(int a) { return a; }\n  int f(long b) { return 2; }\n}\n"
    library = Library(tmp_path, t={"A.java": source})
    assert set(library.find("A.f", aggregation=False)) == {"A.java#A.f", "A.java#A.f-1"}


def test_code_in_a_language_without_a_grammar_defines_what_its_keywords_say(
    tmp_path: Path,
) -> None:
    text = "".join(f"# The lamp, its call and the wick of it, number {n}.\n" for n in range(40))
    code = (
        f"{text}\ndefmodule LampServer do\n  def dim(x) do\n    x\n  end\n\n{text}\n"
        f"  def call(lamp, wick) do\n    lamp\n  end\nend\n\n{text}\nsub wick {{\n}}\n"
    )
    notes = "# Notes\n\nThe call of a lamp server, LampServer.call, calls the wick: call, wick.\n"
    library = Library(tmp_path, t={"lights.ex": code, "notes.md": notes, "notes.txt": code})
    for query, line in (("LampServer.call", "def call("), ("wick", "sub wick {"), ("dim", "def d")):
        first = library.search(query, aggregation=False).results[0]
        assert first.entry.path == "lights.ex"
        assert line in (first.body or ""), query
    assert library.search("LampServer-call").results[0].entry.path == "notes.md"


PACKAGE = {
    "pots/__init__.py": '''"""Pots."""


def glaze(pot):
    return dip(pot, "glaze")


def glaze_all(pots):
    return [glaze(pot) for pot in pots]
''',
    "pots/kiln.py": '''def _fire(pot):
    """Do what `kiln.fire` and `fire` of the kiln say of the pots."""
    return kiln.fire(pot)


def fire(pot):
    return _fire(pot)


def cool():
    return kiln.fire(None)
''',
    "use.py": """class PotsTest:
    def fire(self):
        return pots.fire(1)
""",
}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        pytest.param("pots.glaze", "pots/__init__.py#glaze", id="not the file that holds it"),
        pytest.param("pots.fire", "pots/kiln.py#fire", id="what a package passes on"),
        pytest.param("kiln.fire", "pots/kiln.py#fire", id="not the name with a sign before it"),
    ],
)
def test_a_name_with_what_holds_it_finds_its_definition(
    tmp_path: Path, query: str, first: str
) -> None:
    assert Library(tmp_path, t=PACKAGE).find(query)[0] == first
