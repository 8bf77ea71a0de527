"""The command line against an app that answers by hand."""

from __future__ import annotations

import io
import sys

import pytest
from support.fake_app import FakeApp, Leafmark, Ran, Terminal

import leafmark
from leafmark.cli.entry import run


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> FakeApp:
    fake = FakeApp()
    module = fake.module()
    monkeypatch.setitem(sys.modules, "leafmark.app", module)
    monkeypatch.setattr(leafmark, "app", module, raising=False)
    for name, case in fake.evaluation().items():
        monkeypatch.setattr(f"leafmark.evaluation.{name}", case)
    return fake


@pytest.fixture
def leafmark_run(app: FakeApp, monkeypatch: pytest.MonkeyPatch) -> Leafmark:
    """Run the command in this process; `terminal` makes all streams one, `stdin` None closes it."""

    def call(*argv: str, stdin: str | None = "", terminal: bool = False, **environ: str) -> Ran:
        kind = Terminal if terminal else io.StringIO
        out, err = kind(), kind()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        monkeypatch.setattr(sys, "stdin", None if stdin is None else kind(stdin))
        code = run(argv, {"TERM": "xterm", "COLUMNS": "80"} | environ)
        return Ran(code, out.getvalue(), err.getvalue())

    return call
