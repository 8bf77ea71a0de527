"""What is remembered of an index: never more than so much, whatever other threads ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from leafmark.retrieval.statistics import Statistics
from support.library import Library


def test_counts_of_live_chunks_are_forgotten_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.retrieval.statistics._REMEMBERED_TERMS", 2)
    library = Library(tmp_path, t={"a.md": "one two three four\n", "b.md": "one two\n"})
    library.put("t", {}, remove=("b.md",))
    reader = library.reader
    assert reader.counts.deleted
    statistics, body = Statistics(reader), reader.languages[0].body
    for _ in range(2):
        for word in ("one", "two", "three", "four"):
            assert statistics.frequency(body, word) == 1
        assert statistics.phrase_frequency(body, ("one", "two")) == 1
    assert len(statistics._counts) == 2


def test_what_is_remembered_may_be_forgotten_while_it_is_asked_for(tmp_path: Path) -> None:
    statistics = Statistics(Library(tmp_path, t={"a.md": "one\n"}).reader)

    class Key:
        """One that others ask for much just before it is looked up the second time."""

        looked_up = 9

        def __hash__(self) -> int:
            self.looked_up += 1
            if self.looked_up == 2:
                for number in range(1000):
                    statistics.remembered(number, lambda: 0)
            return 1

    key = Key()
    assert statistics.remembered(key, lambda: "x") == "x"
    key.looked_up = 0
    assert statistics.remembered(key, lambda: "x") == "x"
