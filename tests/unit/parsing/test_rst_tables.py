"""Where tables of reStructuredText end, and what are their rows."""

from __future__ import annotations

import pytest

from leafmark.parsing.rst import RstTable, grid_table, simple_table

GRID = """\
+---+---+
| a | b |
+===+===+
| 1 | 2 |
| 3 |   |
+---+---+
text"""

SIMPLE = """\
== ==
a  b
== ==
1  2
   3
4  5
== ==

text"""


def test_a_grid_has_a_row_between_two_rules_and_content_after_its_header() -> None:
    lines = GRID.split("\n")
    assert grid_table(lines.__getitem__, 0, len(lines)) == RstTable(6, 3, ((1, 2), (3, 5)))


def test_a_grid_whose_last_rule_looks_like_a_header_s_has_none() -> None:
    lines = ["+---+", "| a |", "+===+"]
    assert grid_table(lines.__getitem__, 0, len(lines)) == RstTable(3, 0, ((1, 2),))


def test_a_row_of_a_simple_table_begins_where_the_first_column_has_text() -> None:
    lines = SIMPLE.split("\n")
    assert simple_table(lines.__getitem__, 0, len(lines)) == RstTable(7, 3, ((3, 4), (5, 6)))


@pytest.mark.parametrize(
    ("source", "table"),
    [
        pytest.param("== ==\na  b\n== ==", RstTable(3, 0, ((1, 2),)), id="no header"),
        pytest.param("== ==\na  b\n== ==\n\n== ==", RstTable(3, 0, ((1, 2),)), id="blank line"),
        pytest.param("== ==\na  b", None, id="not closed"),
        pytest.param("== ==\na  b\n=====\ntext\n=====", RstTable(5, 3, ((3, 4),)), id="one rule"),
        pytest.param("== ==\na  b\n===\ntitle\n===", None, id="another length"),
    ],
)
def test_a_simple_table_ends_with_its_shape(source: str, table: RstTable | None) -> None:
    lines = source.split("\n")
    assert simple_table(lines.__getitem__, 0, len(lines)) == table
