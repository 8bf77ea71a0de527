"""`rr500>=0.55`: a bound that a metric must keep, for continuous integration."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from leafmark.errors import UsageError
from leafmark.evaluation.metrics import METRICS

__all__ = ["Gate", "parse_gate"]

_FORM = re.compile(
    r"\s*(?:(?P<variant>.+?)\s*:)?\s*(?P<metric>[a-z@0-9-]+)\s*(?P<sign>[<>]=?)(?P<bound>.+)",
    re.IGNORECASE,
)
_SIGNS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
)


class Gate(NamedTuple):
    """A bound of a metric. `variant` is the way to search that it binds, empty for the last.

    It stands there as it was written: models are told apart by capitals, too.
    """

    metric: str
    sign: str
    bound: float
    variant: str = ""

    def admits(self, value: float) -> bool:
        return _SIGNS[self.sign](value, self.bound)

    def __str__(self) -> str:
        variant = f"{self.variant}:" if self.variant else ""
        return f"{variant}{self.metric}{self.sign}{self.bound:g}"


def parse_gate(text: str) -> Gate:
    """Return the gate that `text` states.

    >>> parse_gate("auto:rr500 >= 0.55")
    Gate(metric='rr500', sign='>=', bound=0.55, variant='auto')

    Raises:
        UsageError: it is none, or names no metric.
    """
    found = _FORM.fullmatch(text)
    names = [metric.name for metric in METRICS]
    if found is None:
        raise UsageError(f"{text!r} is not a gate", hint="write it like rr500>=0.55")
    metric = found["metric"].lower()
    if metric not in names:
        raise UsageError(
            f"the gate {text!r} names no metric", hint="there are: " + ", ".join(names)
        )
    is_plain = found["bound"].isascii() and "_" not in found["bound"]  # `float` reads 0_1 as 1
    try:
        bound = float(found["bound"]) if is_plain else -1.0
    except ValueError:
        bound = -1.0
    if not 0 <= bound <= 1:
        raise UsageError(
            f"the gate {text!r} has no bound from 0 to 1", hint="write it like rr500>=0.55"
        )
    return Gate(metric, found["sign"], bound, found["variant"] or "")
