"""What installs an extra depends on what installed leafmark."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from leafmark import environment

UV, PIPX = "uv-receipt.toml", "pipx_metadata.json"


@pytest.mark.parametrize(
    ("kept", "there", "extra", "again", "package"),
    [
        (
            None,
            ["mcp", "uvicorn"],
            'pip install "leafmark[embed]"',
            "pip install --force-reinstall leafmark",
            "pip install fastembed",
        ),
        (
            UV,
            [],
            'uv tool install "leafmark[embed]"',
            "uv tool install --reinstall leafmark",
            "uv tool install leafmark --with fastembed",
        ),
        (
            UV,
            ["mcp", "uvicorn"],
            'uv tool install "leafmark[embed,mcp,serve]"',
            'uv tool install --reinstall "leafmark[mcp,serve]"',
            'uv tool install "leafmark[mcp,serve]" --with fastembed',
        ),
        (
            PIPX,
            ["watchfiles"],
            'pipx install --force "leafmark[embed,watch]"',
            'pipx install --force "leafmark[watch]"',
            "pipx inject leafmark fastembed",
        ),
    ],
)
def test_the_command_keeps_what_is_there(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kept: str | None,
    there: list[str],
    extra: str,
    again: str,
    package: str,
) -> None:
    if kept is not None:
        (tmp_path / kept).write_text("")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(environment, "find_spec", lambda name: name if name in there else None)
    assert environment.install_extra("embed") == extra
    assert environment.install_extra(again=True) == again
    assert environment.install_package("fastembed") == package
