"""What decides what an index holds; not in `writer`, since readers compare it too."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["IndexOptions"]


class IndexOptions(NamedTuple):
    """What decides what an index holds. A change of fingerprint or language needs a rebuild.

    `fingerprint` stands for all settings that change chunks or terms. `languages`
    maps each tree to its stemmer, one of `LANGUAGES` or None.
    """

    fingerprint: str
    languages: Mapping[str, str | None] = MappingProxyType({})
