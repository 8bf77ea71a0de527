"""What all tests share: goldens, which are rewritten only on request and reviewed like code."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.golden import CheckGolden

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the files that tests compare with"
    )


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> CheckGolden:
    """Compare a text with `tests/golden/<name>`; with --update-golden, write it there."""
    update = bool(request.config.getoption("--update-golden"))

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"no golden file {name}: write it with --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return check
