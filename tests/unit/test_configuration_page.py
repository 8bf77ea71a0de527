"""docs/configuration.md lists every setting with its default, what it takes and what it does.

`python -m pytest tests/unit/test_configuration_page.py --update-golden` writes the tables anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leafmark.app.settings import SETTINGS, TABLES

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
HEADING = "## All settings\n\n"


def _row(name: str) -> str:
    setting = SETTINGS[name]
    option = setting.option
    marks = " †" * option.per_tree + " ‡" * bool(option.gated)
    default = "" if setting.default is None else f"`{json.dumps(setting.default)}`"
    unit = f" ({option.unit})" if option.unit else ""
    takes = f"{setting.accepted}{unit}"
    return f"| `{setting.key}`{marks} | {default} | {takes} | {option.doc} | {option.reason} |"


def _tables() -> str:
    parts = []
    for table in TABLES:
        rows = [_row(name) for name in SETTINGS if name.startswith(f"{table}.")]
        head = ["| Setting | Default | Takes | Means | Change it when |", "|---|---|---|---|---|"]
        parts.append("\n".join([f"### `[{table}]`\n", *head, *rows]) + "\n")
    return "\n".join(parts)


def test_settings_are_few_and_each_has_a_reason() -> None:
    assert len(SETTINGS) <= 35
    assert [name for name, each in SETTINGS.items() if not each.option.reason] == []


def test_the_page_lists_every_setting(request: pytest.FixtureRequest) -> None:
    before, heading, tables = PAGE.read_text("utf-8").partition(HEADING)
    assert heading
    if request.config.getoption("--update-golden"):
        PAGE.write_text(before + heading + _tables(), "utf-8")
        return
    assert tables == _tables(), f"write it anew: pytest {__file__} --update-golden"
