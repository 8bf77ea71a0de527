"""The sessions in the documents are what the command prints.

A block marked `console` holds commands after `$ ` and what they print, standard
error included. The sessions of one document share one copy of the handbook.
Rewritten with --update-golden.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("citations.md", "context.md", "explaining.md")
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
UNSTEADY = re.compile(r"\d+\.\d ms")


def session(block: str, folder: Path, environment: dict[str, str]) -> str:
    """The block with what its commands print now."""
    printed = []
    for line in block.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                ["sh", "-c", f"{line[2:]} 2>&1"],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=60,
                check=False,
            )
            printed += [f"{line}\n", UNSTEADY.sub("… ms", done.stdout)]
    return "".join(printed)


@pytest.mark.skipif(os.name == "nt", reason="the sessions are those of a Unix shell")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_sessions_are_what_is_printed(
    name: str, handbook: Path, environment: dict[str, str], pytestconfig: pytest.Config
) -> None:
    page = ROOT / "docs" / name
    before = page.read_text(encoding="utf-8")
    found = environment | {"PATH": f"{Path(sys.executable).parent}:{environment['PATH']}"}
    after = BLOCK.sub(lambda block: session(block[0], handbook, found), before)
    assert len(BLOCK.findall(before)) > 2
    if pytestconfig.getoption("update_golden"):
        page.write_text(after, encoding="utf-8")
        return
    assert after == before
