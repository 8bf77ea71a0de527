"""What `leafmark doctor` found, for people and for programs."""

from __future__ import annotations

from typing import Any

from leafmark.model import Check, DoctorReport, count_of
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.terminal import Style, clean_line

__all__ = ["doctor_record", "render_doctor"]

_STATE_WIDTH = len("warning")
_AREA_WIDTH = len("configuration")


def render_doctor(report: DoctorReport, style: Style) -> str:
    """Return a line for each check, what to do below it, and the sum of it all."""
    lines = [line for check in report.checks for line in _lines(check, style)]
    return "".join(f"{line}\n" for line in (*lines, _sum(report)))


def _lines(check: Check, style: Style) -> list[str]:
    colour = {"ok": style.dim, "warning": style.yellow, "problem": style.red}[check.state]
    state = colour(check.state) + " " * (_STATE_WIDTH - len(check.state))
    lines = [f"{state}  {check.area:{_AREA_WIDTH}}  {clean_line(check.message)}"]
    if check.hint:
        lines.append(" " * (_STATE_WIDTH + _AREA_WIDTH + 4) + style.dim(clean_line(check.hint)))
    return lines


def _sum(report: DoctorReport) -> str:
    counts = {
        word: sum(check.state == word for check in report.checks) for word in ("problem", "warning")
    }
    if not any(counts.values()):
        return "nothing is wrong"
    return ", ".join(count_of(number, word) for word, number in counts.items() if number)


def doctor_record(report: DoctorReport) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "ok": report.ok,
        "checks": [check._asdict() for check in report.checks],
    }
