"""The cells of a notebook file, and where their texts stand in it (nbformat 3 and 4).

In: the bytes of an `.ipynb` file. Out: its cells in order with the byte ranges
of their sources, and what the file says of itself. A range lies between the
quotes of one JSON string: a source is one string, or a list of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from leafmark.parsing.json_places import BadJsonError, elements, members, string_value, value_end

__all__ = ["MAX_STRINGS", "Cell", "Notebook", "Ranges", "read_cells"]

MAX_STRINGS = 500_000
"""Strings that the sources of all cells have, a line each as a rule, before no more are read."""

Ranges = tuple[tuple[int, int], ...]

_SPACE = b" \t\n\r"
_TITLE_KEYS = ("title", "name")
_QUOTE = ord('"')


class Cell(NamedTuple):
    """One cell. `source` are the ranges of its text, `outputs` those of what it printed.

    `level` is that of a heading cell, which nbformat 3 has.
    """

    kind: str
    source: Ranges
    outputs: Ranges = ()
    level: int = 0
    language: str = ""


@dataclass(slots=True)
class Notebook:
    """What a notebook file holds.

    `is_one` is whether it has a list of cells at all, `is_old` whether they
    stand in worksheets, as before nbformat 4.
    """

    cells: list[Cell] = field(default_factory=list)
    title: str = ""
    language: str = ""
    kernel: str = ""
    is_one: bool = False
    is_old: bool = False

    @property
    def excess(self) -> str:
        """What there is too much of, empty where the notebook is read whole."""
        lines = sum(len(cell.source) + len(cell.outputs) for cell in self.cells)
        return f"its cells have more than {MAX_STRINGS} lines" if lines > MAX_STRINGS else ""


def read_cells(data: bytes, start: int) -> Notebook:
    """Return the notebook that begins at byte `start`.

    Raises:
        BadJsonError: it is not well-formed.
    """
    start += len(data[start:]) - len(data[start:].lstrip(_SPACE))
    end = value_end(data, start)
    if data[end:].strip(_SPACE):
        raise BadJsonError(end, "there is more after its end")
    notebook = Notebook()
    for name, (at, _) in members(data, start):
        if name == "metadata":
            _read_metadata(data, at, notebook)
        elif name == "cells":
            notebook.cells = list(_cells(data, at))
            notebook.is_one = data[at : at + 1] == b"["
        elif name == "worksheets":
            sheets = [dict(members(data, sheet)) for sheet, _ in elements(data, at)]
            found = [sheet["cells"][0] for sheet in sheets if "cells" in sheet]
            notebook.cells = [cell for place in found for cell in _cells(data, place)]
            notebook.is_one = notebook.is_old = True
    return notebook


def _read_metadata(data: bytes, at: int, notebook: Notebook) -> None:
    values = dict(members(data, at))
    kernel = _strings_of(data, values.get("kernelspec"))
    language = _strings_of(data, values.get("language_info"))
    notebook.language = (language.get("name") or kernel.get("language", "")).lower()
    notebook.kernel = kernel.get("name", "")
    titles = (string_value(data, *values[key]) for key in _TITLE_KEYS if key in values)
    notebook.title = next((title for title in titles if title.strip()), "")


def _strings_of(data: bytes, place: tuple[int, int] | None) -> dict[str, str]:
    if place is None:
        return {}
    return {name: string_value(data, *value) for name, value in members(data, place[0])}


def _cells(data: bytes, at: int) -> Iterator[Cell]:
    for start, _ in elements(data, at):
        values = dict(members(data, start))
        kind = string_value(data, *values.get("cell_type", (0, 0)))
        source = values.get("source") or values.get("input")
        outputs = values.get("outputs")
        yield Cell(
            kind,
            _texts(data, source) if source else (),
            tuple(_outputs(data, outputs[0])) if outputs else (),
            _level(data, values.get("level")) if kind == "heading" else 0,
            string_value(data, *values.get("language", (0, 0))).lower(),
        )


def _level(data: bytes, place: tuple[int, int] | None) -> int:
    text = data[slice(*place)] if place else b""
    return int(text) if text in (b"1", b"2", b"3", b"4", b"5", b"6") else 1


def _texts(data: bytes, place: tuple[int, int]) -> Ranges:
    """The ranges between the quotes of a string, or of the strings of a list; none empty."""
    start = place[0]
    strings = [place] if data[start] == _QUOTE else elements(data, start)
    texts = (
        (first + 1, last - 1)
        for first, last in strings
        if data[first] == _QUOTE and last - first > 2
    )
    return tuple(islice(texts, MAX_STRINGS + 1))


def _outputs(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """What a cell printed, and results that are plain text; no images, no markup."""
    for start, _ in elements(data, at):
        values = dict(members(data, start))
        shown = dict(members(data, values["data"][0])) if "data" in values else values
        place = shown.get("text/plain") or shown.get("text")
        if place:
            yield from _texts(data, place)
