"""What `leafmark doctor` found."""

from typing import NamedTuple

__all__ = ["Check", "DoctorReport"]


class Check(NamedTuple):
    """One thing that was looked at; `state` is `ok`, `warning` or `problem`, `hint` what to do."""

    area: str
    state: str
    message: str
    hint: str | None = None


class DoctorReport(NamedTuple):
    """All checks, in the order in which they were made."""

    checks: tuple[Check, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; warnings are not."""
        return all(check.state != "problem" for check in self.checks)
