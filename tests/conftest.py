"""What all tests share: patience, and goldens, rewritten only on request and reviewed like code."""

from __future__ import annotations

import gc
import signal
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import engine
from support.golden import CheckGolden

from leafmark import environment

# no clock decides a test: a busy machine is slow at anything, a first example loads what it needs
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# each run draws other examples; `--hypothesis-profile=thorough` draws many at once
settings.register_profile("suite", PATIENT, max_examples=30)
settings.register_profile("thorough", PATIENT, max_examples=1000)
settings.load_profile("suite")

# else a test's time is over while its failing example is still made smaller, and nobody sees it
engine.MAX_SHRINKING_SECONDS = 30

# a script's background ignores Ctrl-C, and so would every program that a test interrupts
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# a model would make answers slow, and depend on the clock: a test that wants one names it
environment.has_embedder = lambda: False

GOLDEN = Path(__file__).parent / "golden"

QUICK_S = 360.0
"""A run that takes longer tells which tests are slow."""

_began = pytest.StashKey[float]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_began] = time.monotonic()


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over ten thousand tests, which stay, each time it looks."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    took = time.monotonic() - config.stash[_began]
    if took > QUICK_S:
        reports = [
            report
            for reports in terminalreporter.stats.values()
            for report in reports
            if isinstance(report, pytest.TestReport)
        ]
        terminalreporter.section(f"{took:.0f} s, more than {QUICK_S:.0f}; the slowest")
        for report in sorted(reports, key=lambda report: -report.duration)[:20]:
            terminalreporter.line(f"{report.duration:6.1f} s  {report.nodeid} ({report.when})")


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
