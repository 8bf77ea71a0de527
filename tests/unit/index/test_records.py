"""Stored bytes give back what was stored, or an error of ours."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support.indexes import chunk, state_of

from leafmark.errors import DamagedError
from leafmark.index.records import (
    deserialise_document,
    deserialise_object,
    deserialise_record,
    deserialise_state,
    document_entry,
    serialise_document,
    serialise_object,
    serialise_record,
    serialise_state,
)
from leafmark.model import FileState

MESSAGE = "a record of the index cannot be read"


@pytest.mark.parametrize(
    "value", [None, [], {"a": [1, 2.5, None]}, "ü日本\udcff\ud800", [2**70, -1], True]
)
def test_values_come_back(value: Any) -> None:
    assert deserialise_object(serialise_object(value)) == value


STATES = [
    state_of("x"),
    state_of("x", inode=2**63),
    FileState(size=5, modified_ns=-1, changed_ns=2**66, inode=2**70, digest="ab" * 32),
    FileState(size=0, modified_ns=2**62, changed_ns=-(2**63), inode=0, digest="00" * 32),
]


@pytest.mark.parametrize("state", STATES)
def test_how_a_file_looked_comes_back_with_what_it_holds(state: FileState) -> None:
    assert deserialise_record(serialise_record(state, {"ü": 1})) == (state, {"ü": 1})


def _serialised(source: str = "# One\n\ntext\n\n## Two\n\nmore\n\n# Three\n\nend\n") -> bytes:
    chunked = chunk("a.md", source)
    entry = document_entry(chunked, state_of("x"))
    return serialise_document(entry, chunked.chunks, [each.content for each in chunked.chunks])


def _read_all(data: bytes) -> str:
    """Read every chunk of a record; the message where that is damage."""
    try:
        for entry in deserialise_document(data):
            assert entry.id
    except DamagedError as err:
        return err.message
    return ""


def test_flipped_bits_are_an_error_of_ours_or_another_value() -> None:
    good, chance = _serialised(), random.Random(5)
    assert _read_all(good) == ""
    seen = set()
    for _ in range(1000):
        bad = bytearray(good)
        bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        seen.add(_read_all(bytes(bad[: chance.choice([len(bad), len(bad) // 2])])))
    assert seen <= {"", MESSAGE}
    assert MESSAGE in seen


@pytest.mark.parametrize("title", ["Usage", "What's new?", "`leafmark chunk` (1.0)", "C++ & C#"])
def test_a_slug_that_the_title_tells_is_not_stored(title: str) -> None:
    source = f"# Before\n\ntext\n\n# {title}\n\nmore\n"
    stored = deserialise_document(_serialised(source))
    assert "s" not in deserialise_record(_serialised(source))[1]
    assert [entry.slug for entry in stored] == [one.slug for one in chunk("a.md", source).chunks]


@pytest.mark.parametrize("column", [*"tskdnubehlmc", "x", "y"])
@pytest.mark.parametrize("value", [None, "a", [], -1, 10**20, {}])
def test_a_column_of_other_values_is_damage_or_read(column: str, value: Any) -> None:
    """No value leads anywhere but to an entry or to our error, least of all round in circles."""
    for position in range(4):
        record: dict[str, Any] = {
            "n": [0, 0, 0, 0],
            "s": [None, 0, 0, 0],
            "k": [0, 1, 1, 1],
            "c": [0, 0, 0, 0],
        }
        state, stored = deserialise_record(_serialised())
        record |= stored
        if isinstance(record[column], list) and position < len(record[column]):
            record[column][position] = value
        else:
            record[column] = value
        assert _read_all(serialise_record(state, record)) in ("", MESSAGE)


@pytest.mark.parametrize("value", [None, 3, [], {}, {"q": []}, {"q": [1, 2, 3]}, [1, 2]])
def test_other_values_are_no_records(value: Any) -> None:
    for deserialise in (deserialise_document, deserialise_state):
        with pytest.raises(DamagedError) as caught:
            deserialise(serialise_record(STATES[0], value))
        assert caught.value.message == MESSAGE


def test_columns_of_another_length_are_damage() -> None:
    state, record = deserialise_record(_serialised("# One\n\ntext\n"))
    record["t"].append("one too many")
    with pytest.raises(DamagedError, match=MESSAGE):
        deserialise_document(serialise_record(state, record))


def test_states_come_back() -> None:
    state = state_of("x", inode=2**63)
    assert deserialise_state(serialise_state("t:a.md", state)) == ("t:a.md", state)
