from __future__ import annotations

from leafmark.render.terminal import ProgressLine, Style


def drawn(times: list[float], width: int = 80) -> list[str]:
    """What a line writes when it is told of one more source at each of these times."""
    written: list[str] = []
    moments = iter([0.0, *times])
    line = ProgressLine(written.append, lambda: next(moments), Style(width=width))
    for done in range(len(times)):
        line("reading\x1b", done, 1200)
    line.clear()
    return written


def test_a_short_run_draws_nothing() -> None:
    assert drawn([0.01, 0.05, 0.09]) == []


def test_it_draws_now_and_then_and_clears_up() -> None:
    assert drawn([0.05, 0.11, 0.15, 0.3]) == [
        "\r\x1b[Kreading\\x1b 1 of 1,200",
        "\r\x1b[Kreading\\x1b 3 of 1,200",
        "\r\x1b[K",
    ]


def test_it_stays_on_one_line() -> None:
    assert drawn([1.0], width=12)[0] == "\r\x1b[Kreading\\x1…"


def test_an_unknown_total_is_left_out() -> None:
    written: list[str] = []
    moments = iter([0.0, 1.0])
    ProgressLine(written.append, lambda: next(moments), Style())("writing", 5, 0)
    assert written == ["\r\x1b[Kwriting 5"]
