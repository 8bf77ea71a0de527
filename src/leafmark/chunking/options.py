"""`ChunkingOptions`: the settings of chunking, checked when they are made, and its presets.

Sizes are counted in tokens of `tokenizer`; with `characters` they are counted
in characters. Nothing here knows where the values come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypedDict, get_args

from leafmark.chunking.tokens import tokenizer_names
from leafmark.errors import ConfigError

Strategy = Literal["auto", "heading", "section", "fixed"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

_CHOICES: dict[str, tuple[str, ...]] = {
    "strategy": STRATEGIES,
    "oversize_code": ("keep", "split"),
    "slug_style": ("github", "collapse"),
}

_MINIMA: dict[str, int] = {
    "min_tokens": 0,
    "target_tokens": 1,
    "max_tokens": 1,
    "fixed_tokens": 1,
    "fixed_overlap": 0,
    "overlap_sentences": 0,
    "heading_levels": 0,
}


class Sizes(TypedDict, total=False):
    """What `leafmark.chunk` and the adapters take beside `strategy`: see `ChunkingOptions`.

    For programs that hand sizes on, typed: `def cut(text: str, **sizes: Unpack[Sizes])`.
    """

    tokenizer: str
    min_tokens: int
    target_tokens: int
    max_tokens: int
    fixed_tokens: int
    fixed_overlap: int
    overlap_sentences: int
    heading_levels: int
    oversize_code: Literal["keep", "split"]
    slug_style: Literal["github", "collapse"]
    notebook_outputs: bool
    tolerance: float


class Yielding(int):
    """A default size, which gives way to the sizes that a user states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingOptions:
    """How documents become chunks.

    `target_tokens` is what pieces aim at, `min_tokens` what is too small to
    stand alone, `max_tokens` what `text` never exceeds unless one block cannot
    be cut. `fixed_tokens` and `fixed_overlap` are the window of `fixed`.
    `overlap_sentences` are repeated from one piece to the next. Headings deeper
    than `heading_levels` are content. `notebook_outputs`, which the parser is
    told, makes content of what a notebook's cells printed. `tolerance` is the
    share by which the number of chunks may miss its estimate before statistics
    say so.

    A default yields to what is stated: `target_tokens` to a smaller `max_tokens` or
    twice a larger `min_tokens`, `fixed_tokens` to a smaller `max_tokens`, `max_tokens`
    to a larger `target_tokens`, and `min_tokens` and `fixed_overlap` to half of what
    they are parts of.

    Raises:
        ConfigError: a value is not among those accepted, or two that are stated
            contradict each other.

    >>> options = ChunkingOptions(max_tokens=120)
    >>> options.target_tokens, options.min_tokens
    (120, 60)
    """

    strategy: Strategy = "auto"
    tokenizer: str = "o200k_base"
    min_tokens: int = Yielding(100)
    target_tokens: int = Yielding(300)
    max_tokens: int = Yielding(1000)
    fixed_tokens: int = Yielding(500)
    fixed_overlap: int = Yielding(50)
    overlap_sentences: int = 2
    heading_levels: int = 6
    oversize_code: Literal["keep", "split"] = "keep"
    slug_style: Literal["github", "collapse"] = "github"
    notebook_outputs: bool = False
    tolerance: float = 0.5

    def __post_init__(self) -> None:
        for name, accepted in _CHOICES.items():
            _check_choice(name, getattr(self, name), accepted)
        _check_choice("tokenizer", self.tokenizer, tokenizer_names())
        for name, least in _MINIMA.items():
            _check_count(name, getattr(self, name), least)
        # a default is not what a stated size is compared with
        bound = "max_tokens" if isinstance(self.target_tokens, Yielding) else "target_tokens"
        self._settle()
        _check_order(self, "target_tokens", "max_tokens")
        _check_order(self, "min_tokens", bound)
        self._check_levels_and_overlap()

    def _settle(self) -> None:
        """Make default sizes fit the sizes that a user states."""
        least, target, most = self.min_tokens, self.target_tokens, self.max_tokens
        if isinstance(target, Yielding):
            target = max(target, 0 if isinstance(least, Yielding) else 2 * least)
            target = target if isinstance(most, Yielding) else min(target, most)
        window, overlap = self.fixed_tokens, self.fixed_overlap
        if isinstance(window, Yielding):
            window = window if isinstance(most, Yielding) else min(window, most)
            window = max(window, 0 if isinstance(overlap, Yielding) else 2 * overlap)
        settled = {
            "min_tokens": _at_most(least, target // 2),
            "target_tokens": target,
            "max_tokens": max(most, target) if isinstance(most, Yielding) else most,
            "fixed_tokens": window,
            "fixed_overlap": _at_most(overlap, window // 2),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, int(value))

    def _check_levels_and_overlap(self) -> None:
        if self.heading_levels > 6:
            _refuse("heading_levels", self.heading_levels, "a whole number from 0 to 6")
        if self.fixed_overlap >= self.fixed_tokens:
            accepted = f"less than fixed_tokens ({self.fixed_tokens})"
            _refuse("fixed_overlap", self.fixed_overlap, accepted, other="fixed_tokens")
        tolerance: object = self.tolerance
        number = isinstance(tolerance, int | float) and not isinstance(tolerance, bool)
        if not number or not 0 <= self.tolerance < float("inf"):
            _refuse("tolerance", tolerance, "a number of at least 0")


def _at_most(size: int, bound: int) -> int:
    """The size; one that yields is no more than the bound."""
    return min(size, bound) if isinstance(size, Yielding) else size


def _refuse(name: str, value: object, accepted: str, *, other: str | None = None) -> None:
    """Refuse a value, where need be because of what `other` is."""
    fields = (name,) if other is None else (name, other)
    raise ConfigError(f"{name} is {value!r}", hint=f"{name} must be {accepted}", fields=fields)


def _check_choice(name: str, value: object, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        _refuse(name, value, "one of " + ", ".join(accepted))


def _check_count(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        _refuse(name, value, f"a whole number of at least {least}")


def _check_order(options: ChunkingOptions, lower: str, upper: str) -> None:
    value, bound = getattr(options, lower), getattr(options, upper)
    if value > bound:
        _refuse(lower, value, f"at most {upper} ({bound})", other=upper)


PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        # section-aware retrieval: sections up to 1,000 tokens, small ones merged under 100
        "rag": {"strategy": "section", "min_tokens": 100, "target_tokens": 400, "max_tokens": 1000},
        # hierarchical packing with the smallest meaningful chunk at 64 tokens
        "packlet": {
            "strategy": "section",
            "min_tokens": 64,
            "target_tokens": 400,
            "max_tokens": 1000,
        },
        # sizes in characters: leaves of 250 to 1,000, documents under 1,200 left whole
        "ra": {
            "strategy": "section",
            "tokenizer": "characters",
            "min_tokens": 250,
            "target_tokens": 1000,
            "max_tokens": 1200,
        },
    }
)
"""Named sets of `ChunkingOptions` fields, to be overridden one by one."""
