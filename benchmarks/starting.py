"""What a user waits for before anything happens: a cold start, beside a bare interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, in_turn

FILES = 1000
VERSION_LIMIT, SEARCH_LIMIT = 3.0, 12.0
"""`leafmark --version`, and a search in a project of 1,000 files, in bare interpreter starts."""


def run(corpus: Corpus) -> list[Row]:
    """Return the rows for `leafmark --version` and for a whole cold search."""
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as folder:
        project = Path(folder) / "project"
        _copy(corpus, project)
        environ = os.environ | {"LEAFMARK_HOME": str(Path(folder) / "home")}
        command = str(Path(sys.executable).parent / "leafmark")
        _once([command, "index", "-q"], project, environ)()
        bare, version, search = in_turn(
            [
                _once([sys.executable, "-c", "pass"], project, environ),
                _once([command, "--version"], project, environ),
                _once([command, "search", "configuration file"], project, environ),
            ],
            rounds=15,
        )
    return [
        Row(
            name,
            f"{1000 * seconds:.0f} ms",
            f"python -c pass {1000 * bare:.0f} ms",
            seconds / bare,
            limit,
            higher_is_better=False,
        )
        for name, seconds, limit in (
            ("leafmark --version", version, VERSION_LIMIT),
            ("leafmark search, 1,000 files", search, SEARCH_LIMIT),
        )
    ]


def _copy(corpus: Corpus, project: Path) -> None:
    step = max(1, len(corpus.files) // FILES)
    for number, path in enumerate(corpus.files[::step][:FILES]):
        target = project / f"{number % 20}" / f"{number}-{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())


def _once(command: list[str], folder: Path, environ: dict[str, str]) -> Callable[[], object]:
    return lambda: subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, check=False
    )
