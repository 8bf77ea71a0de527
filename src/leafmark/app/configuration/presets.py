"""What `chunking.preset` stands for, put beside what was said in the same place.

A preset is as strong as the place that names it: one on the command line wins
over sizes in a file, and sizes said beside it win over the preset's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leafmark.app.configuration.config_file import PlacedValue
from leafmark.app.settings import DECLARED

__all__ = ["with_preset"]

_NAME = "chunking.preset"


def with_preset(values: Mapping[str, PlacedValue]) -> dict[str, PlacedValue]:
    """Return the settings of one place with the preset named there written out."""
    said = dict(values)
    named = said.get(_NAME)
    if named is None:
        return said
    origin = f"{named.location} (preset {named.value})"
    for key, value in _sizes(named.value).items():
        said.setdefault(f"chunking.{key}", PlacedValue(value, origin))
    return said


def _sizes(preset: str) -> Mapping[str, Any]:
    from leafmark.chunking import PRESETS, Yielding  # late: few configurations name one

    keys = sorted({key for sizes in PRESETS.values() for key in sizes})
    sizes = {key: DECLARED[f"chunking.{key}"].default for key in keys}
    sizes |= PRESETS.get(preset, {})
    return {key: Yielding(size) if isinstance(size, int) else size for key, size in sizes.items()}
