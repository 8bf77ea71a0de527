"""The cells of tables as formats write them: grids, columns below lines, bars, lists and CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import pairwise
from textwrap import dedent

_BORDER = re.compile(r"[-=+| ]+\Z")


def table_rows(text: str, lines: Sequence[str]) -> tuple[list[list[str]], int]:
    """Return the cells of a table's rows, and how many of these are its header."""
    directive = re.search(r"\.\. +(list-table|csv-table)::", text)
    if directive is not None:
        headers = re.search(r":header-rows: *(\d+)", text)
        kind = _list_rows if directive[1] == "list-table" else _csv_rows
        return kind(lines), int(headers[1]) if headers else int(":header:" in text)
    if any(line.startswith("|===") for line in lines):
        return _asciidoc_rows(text, lines)
    if any(re.match(r"\+[-=]", line) for line in lines):
        return _grid_rows(lines)
    if any(re.match(r"=+(?: +=+)+\Z", line) for line in lines):
        return _simple_rows(text)
    rules = [at for at, line in enumerate(lines) if re.match(r"\|[-+|]+\Z", line)]
    rows = [_cells(line) for line in lines if line.startswith("|") and not _BORDER.match(line)]
    return rows, min(rules[0], 1) if rules else 0


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _list_rows(lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines:
        begin = re.match(r"(\* )?- ?(.*)", line)
        if begin is not None and (begin[1] or rows):
            if begin[1]:
                rows.append([])
            rows[-1].append(begin[2])
        elif rows and line:
            rows[-1][-1] += f" {line}"
    return rows


def _csv_rows(lines: Sequence[str]) -> list[list[str]]:
    try:
        return [row for row in csv.reader([line for line in lines if line]) if row]
    except csv.Error:
        return []


def _asciidoc_rows(text: str, lines: Sequence[str]) -> tuple[list[list[str]], int]:
    """Return cells in rows of as many columns as the attributes or the first line have."""
    inner = [line for line in lines if not line.startswith(("|===", "["))]
    columns = re.search(r"cols *= *\"?(?:(\d+)\*|([^\"\]]*))", text)
    first = next((line for line in inner if line), "")
    size = first.count("|")
    if columns is not None:
        size = int(columns[1]) if columns[1] else columns[2].count(",") + 1
    cells = [
        cell.strip()
        for cell in re.split(r"(?<!\\)(?:[\d.+^<>]{0,12}[aehlmsd]?)\|", "\n".join(inner))
    ]
    cells = cells[1:]
    if not size or size > 100 or not cells:
        return [], 0
    rows = [cells[at : at + size] for at in range(0, len(cells), size)]
    is_headed = "header" in text.partition("|===")[0]
    is_headed = is_headed or (first.count("|") == size and inner[1:2] == [""])
    return rows, int(is_headed)


def _grid_rows(lines: Sequence[str]) -> tuple[list[list[str]], int]:
    """Return the cells of a table whose columns stand between the corners of its border."""
    border = next(line for line in lines if re.match(r"\+[-=]", line))
    corners = [at for at, char in enumerate(border) if char == "+"]
    rows: list[list[str]] = []
    headers, is_new = 0, True
    for line in lines:
        if re.match(r"\+[-=+ ]*\Z|\+[-=]", line):
            headers = len(rows) if "=" in line else headers
            is_new = True
        elif line.startswith("|"):
            stops = [at for at in corners if at < len(line) and line[at] in "|+"]
            cells = [line[a + 1 : b].strip(" |") for a, b in pairwise(stops)]
            if is_new or not rows or len(cells) != len(rows[-1]):
                rows.append(cells)
            else:
                rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
            is_new = False
    return rows, headers if headers < len(rows) else 0


def _simple_rows(text: str) -> tuple[list[list[str]], int]:
    """Return the cells of a table whose columns stand below lines of `=`."""
    lines = dedent(text.expandtabs()).split("\n")
    borders = [at for at, line in enumerate(lines) if re.match(r" *=+(?: +=+)+ *\Z", line)]
    edges = [match.start() for match in re.finditer(r"=+", lines[borders[0]])]
    rows: list[list[str]] = []
    headers = 0
    for at in range(borders[0] + 1, borders[-1] + (len(borders) == 1) * len(lines)):
        line = lines[at] if at < len(lines) else ""
        if at in borders:
            headers = len(rows)
        elif line.strip() and not re.match(r"[- ]+\Z", line):
            ends = [*edges[1:], None]
            cells = [line[a:b].strip() for a, b in zip(edges, ends, strict=True)]
            if rows and not cells[0] and rows[-1] and headers < len(rows):
                rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
    return rows, headers if headers < len(rows) else 0
