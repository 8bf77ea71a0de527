"""A sequence that is made when it is looked at."""

from __future__ import annotations

import pickle

from leafmark.model import Deferred, Recent


def test_is_made_once_and_only_when_needed() -> None:
    made: list[int] = []

    def make() -> tuple[int, ...]:
        made.append(1)
        return (3, 4, 5)

    numbers = Deferred(make)
    assert made == []
    assert (numbers[0], numbers[-1], len(numbers), list(numbers)) == (3, 5, 3, [3, 4, 5])
    assert numbers[1:] == (4, 5)
    assert made == [1]


def test_is_as_its_tuple() -> None:
    numbers = Deferred(lambda: (1, 2))

    assert numbers == (1, 2)
    assert numbers == Deferred(lambda: (1, 2))
    assert numbers != (1,)
    assert hash(numbers) == hash((1, 2))
    assert repr(numbers) == "(1, 2)"
    assert type(pickle.loads(pickle.dumps(numbers))) is tuple


def test_what_was_put_first_is_forgotten_first() -> None:
    recent: Recent[str, int] = Recent(2)
    for number, name in enumerate("abcc"):
        recent.put(name, number)
    assert [recent.get(name) for name in "abc"] == [None, 1, 3]
    assert len(recent) == 2
