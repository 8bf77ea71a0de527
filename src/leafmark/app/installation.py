"""Is leafmark installed as it wants to be? What is required, in which versions, which extras.

Read from what the package says of itself, so that a new dependency is checked
without a word here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from typing import NamedTuple

from leafmark.environment import install_extra
from leafmark.model import Check

__all__ = ["Requirement", "check_installation", "parse_requirement", "satisfies"]

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^]]*\])?\s*([^;]*)(?:;(.*))?")
_EXTRA = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")
_CLAUSE = re.compile(r"(>=|<=|==|!=|<|>)\s*([0-9]+(?:\.[0-9]+)*)$")
_AREA = "installation"


class Requirement(NamedTuple):
    """A package that leafmark wants; `extra` is the one that wants it, "" for all."""

    name: str
    versions: str
    extra: str = ""


def check_installation() -> Iterator[Check]:
    """Yield what is installed, then what is missing or of a wrong version."""
    own = _installed("leafmark") or "of no known version"
    python = ".".join(map(str, sys.version_info[:3]))
    yield Check(_AREA, "ok", f"leafmark {own}, Python {python} on {sys.platform}")
    try:
        wanted = [parse_requirement(text) for text in metadata.requires("leafmark") or ()]
    except metadata.PackageNotFoundError:
        yield Check(
            _AREA,
            "warning",
            "leafmark runs from files that no installer knows: its requirements are not checked",
            "install it: pip install leafmark",
        )
        return
    yield from _problems([each for each in wanted if not each.extra])
    for extra in dict.fromkeys(each.extra for each in wanted if each.extra not in ("", "all")):
        yield _extra(extra, [each for each in wanted if each.extra == extra])


def _problems(wanted: Iterable[Requirement]) -> Iterator[Check]:
    hint = f"install leafmark again: {install_extra(again=True)}"
    for each in wanted:
        found = _installed(each.name)
        if found is None:
            yield Check(_AREA, "problem", f"{each.name} is not installed", hint)
        elif not satisfies(found, each.versions):
            message = f"{each.name} is {found}, and leafmark wants {each.versions}"
            yield Check(_AREA, "problem", message, hint)


def _extra(name: str, wanted: list[Requirement]) -> Check:
    install = install_extra(name)
    missing = [each.name for each in wanted if _installed(each.name) is None]
    if len(missing) == len(wanted):
        return Check("extras", "ok", f"{name} is not installed", install)
    if missing:  # what is there may have come with another package, as NumPy does
        return Check("extras", "ok", f"{name} is incomplete without {', '.join(missing)}", install)
    wrong = [check.message for check in _problems(wanted)]
    if wrong:
        return Check("extras", "warning", f"{name} may not work: {'; '.join(wrong)}", install)
    return Check("extras", "ok", f"{name} is installed")


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def parse_requirement(text: str) -> Requirement:
    """Return what a line of a package's requirements says.

    >>> parse_requirement("watchfiles<2,>=1.3; extra == 'watch'")
    Requirement(name='watchfiles', versions='<2,>=1.3', extra='watch')
    """
    found = _REQUIREMENT.match(text)
    if found is None:
        return Requirement(text, "")
    extra = _EXTRA.search(found[3] or "")
    return Requirement(found[1], found[2].strip(), extra[1] if extra else "")


def satisfies(version: str, versions: str) -> bool:
    """Whether a version is within bounds, as far as these are plain numbers.

    >>> satisfies("0.27.0", "<0.28,>=0.27"), satisfies("0.28", "<0.28,>=0.27")
    (True, False)
    """
    own = _numbers(version)
    for clause in filter(None, versions.split(",")):
        found = _CLAUSE.match(clause.strip())
        if found is None:
            continue
        bound = _numbers(found[2])
        order = (own > bound) - (own < bound)
        if not {
            ">=": order >= 0,
            "<=": order <= 0,
            "==": order == 0,
            "!=": order != 0,
            "<": order < 0,
            ">": order > 0,
        }[found[1]]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """The release numbers of a version, zeros at the end left out."""
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
