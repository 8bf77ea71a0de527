"""What a run of the installed command gives back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What one run of the command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Leafmark = Callable[..., Ran]


def clean_environment(home: Path) -> dict[str, str]:
    """Return an environment in which nothing of the developer's own settings is seen.

    An installed model is not used unless a test names it: answers would depend on the clock.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LEAFMARK_", "XDG_"))}
    for name in ("NO_COLOR", "PYTHONUNBUFFERED"):  # the latter hides in which order things come
        kept.pop(name, None)
    return kept | {
        "HOME": str(home),
        "LEAFMARK_EMBEDDING_PROVIDER": "none",
        "PYTHONWARNINGS": "error",
        "TERM": "xterm",
    }
