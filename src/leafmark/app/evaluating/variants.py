"""`auto+relax_share=0.5`: a way to search, as the user writes it.

A strategy, then settings that differ, each after a `+`. A setting may be named
without its table where only one table has it. Where several modes are tried, each
way is written out with each of them: `auto+mode=hybrid`.
"""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.app.setting_rules import parse_value
from leafmark.app.settings import CONSTANTS, SETTINGS
from leafmark.errors import UsageError
from leafmark.evaluation import Variant
from leafmark.likeness import nearest

__all__ = ["parse_variants"]

_STRATEGY = "chunking.strategy"
_MODE = "search.mode"
_TABLES = ("chunking.", "search.", "embedding.", "rerank.")


def parse_variants(
    texts: Sequence[str], strategy: str, modes: Sequence[str] = ()
) -> tuple[Variant, ...]:
    """Return the ways to search that the texts name, each in each of the `modes`.

    No text is the project's own `strategy`.

    Raises:
        UsageError: a text names no strategy or setting, or two name the same way.
        ConfigError: a setting cannot have that value.
    """
    found = tuple(_variant(text) for text in texts) or (Variant(strategy, {}),)
    if len(modes) == 1:
        found = tuple(Variant(one.name, {_MODE: modes[0], **one.settings}) for one in found)
    elif modes:
        found = tuple(
            Variant(f"{one.name}+mode={mode}", {**one.settings, _MODE: mode})
            for one in found
            for mode in modes
        )
    names = [variant.name for variant in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name!r} is compared with itself", hint="name each way once")
    return found


def _variant(text: str) -> Variant:
    strategy, *changes = [part.strip() for part in text.split("+")]
    choices = SETTINGS[_STRATEGY].rules.choices
    if strategy not in choices:
        raise UsageError(
            f"{text!r} names no strategy",
            hint=f"begin with one of {', '.join(choices)}; settings follow, as in "
            "auto+relax_share=0.5",
        )
    return Variant(text, {_STRATEGY: strategy} | dict(_change(each, text) for each in changes))


def _change(text: str, way: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not value:
        raise UsageError(f"{text!r} changes no setting", hint="write it like relax_share=0.5")
    known = [each for each in (*SETTINGS, *CONSTANTS) if each.startswith(_TABLES)]
    meant = [each for each in known if name in (each, each.partition(".")[2])]
    if len(meant) > 1:
        raise UsageError(
            f"several tables have a setting {name!r}", hint=f"name {' or '.join(meant)}"
        )
    if meant:
        parse_value({**SETTINGS, **CONSTANTS}[meant[0]], value, location=way)  # to refuse it here
        return meant[0], value
    raise _unknown(name, [each.partition(".")[2] for each in known])


def _unknown(name: str, known: Sequence[str]) -> UsageError:
    """Return what is wrong with a name that is none of the settings that can differ."""
    if any(name in (each, each.partition(".")[2]) for each in SETTINGS):
        tables = ", ".join(f"[{table.rstrip('.')}]" for table in _TABLES)
        return UsageError(
            f"the setting {name!r} cannot be compared", hint=f"only those of {tables} can"
        )
    near = nearest(name, known)
    return UsageError(
        f"there is no setting {name!r}",
        hint=f"did you mean {near[0]}?" if near else "`leafmark config` lists them",
    )
