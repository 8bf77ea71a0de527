"""Notebook files made of cells, written as the notebook format has them."""

from __future__ import annotations

import json
from typing import Any

Cell = tuple[str, str] | tuple[str, str, str]
"""Its type and source, and for code what it printed."""


def make_notebook(
    *cells: Cell,
    metadata: dict[str, Any] | None = None,
    lines: bool = True,
    indent: int | None = 1,
    ascii: bool = True,
) -> bytes:
    """Return the bytes of a notebook; sources are lists of `lines`, or one string each."""
    content = {
        "cells": [_cell(cell, lines) for cell in cells],
        "metadata": metadata or {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(content, indent=indent, ensure_ascii=ascii, sort_keys=True)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _cell(cell: Cell, lines: bool) -> dict[str, Any]:
    kind, source, *printed = cell
    made: dict[str, Any] = {"cell_type": kind, "metadata": {"a": [1, {"source": "no"}]}}
    made["source"] = source.splitlines(keepends=True) if lines else source
    if kind == "code":
        stream = {"output_type": "stream", "name": "stdout", "text": printed}
        image = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBO"}}
        result = {"output_type": "execute_result", "data": {"text/plain": ["42"]}, "metadata": {}}
        made |= {"execution_count": 1, "outputs": [stream, image, result] if printed else []}
    return made
