"""`ChunkingOptions`: the settings of chunking, validated on construction, and its presets.

Sizes are counted in tokens of `tokenizer`, or in characters if that is `characters`. This
module does not know where the values come from.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypedDict, get_args

from leafmark.chunking.tokens import tokenizer_names
from leafmark.errors import ConfigError
from leafmark.frozen import Frozen
from leafmark.model.option_types import Option, declarations

Strategy = Literal["auto", "heading", "section", "fixed"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


class Sizes(TypedDict, total=False):
    """Keyword arguments of `leafmark.chunk` and the adapters: see `ChunkingOptions`.

    For programs that pass sizes on, typed: `def cut(text: str, **sizes: Unpack[Sizes])`.
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
    """A default size, which adapts to the sizes that a user sets."""


class ChunkingOptions(Frozen, kw_only=True):
    """The options of chunking.

    A default adapts to the values set by the user: `target_tokens` to a smaller `max_tokens` or
    twice a larger `min_tokens`, `fixed_tokens` to a smaller `max_tokens`, `max_tokens`
    to a larger `target_tokens`, and `min_tokens` and `fixed_overlap` to half of
    `target_tokens` and `fixed_tokens`.

    Raises:
        ConfigError: a value is not accepted, or two values set by the user contradict
            each other.

    >>> options = ChunkingOptions(max_tokens=120)
    >>> options.target_tokens, options.min_tokens
    (120, 60)
    """

    strategy: Annotated[
        Strategy,
        Option(
            "how documents become chunks",
            "sections of your documents are too large or too small to be read alone",
            per_tree=True,
        ),
    ] = "auto"
    tokenizer: Annotated[
        str,
        Option(
            "what sizes are counted in: `characters`, or the tokens of a model",
            "your model counts tokens otherwise",
            per_tree=True,
        ),
    ] = "o200k_base"
    min_tokens: Annotated[
        int,
        Option(
            "the least size of a piece; the strategy section joins smaller sections, too",
            "results are too short to mean anything",
            unit="tokens",
            least=0,
            per_tree=True,
        ),
    ] = Yielding(100)
    target_tokens: Annotated[
        int,
        Option(
            "the size to aim at where a text is cut",
            "a model or a reader takes more, or less, at a time",
            unit="tokens",
            least=1,
            per_tree=True,
        ),
    ] = Yielding(300)
    max_tokens: Annotated[
        int,
        Option(
            "the most that a chunk's text may hold",
            "your embedder cuts longer texts off",
            unit="tokens",
            least=1,
            per_tree=True,
        ),
    ] = Yielding(1000)
    fixed_tokens: Annotated[
        int,
        Option(
            "the size of a window, under the strategy fixed",
            "another program cuts windows of this size",
            unit="tokens",
            least=1,
            per_tree=True,
        ),
    ] = Yielding(500)
    fixed_overlap: Annotated[
        int,
        Option(
            "how much such a window shares with the next",
            "another program cuts windows that share so much",
            unit="tokens",
            least=0,
            per_tree=True,
        ),
    ] = Yielding(50)
    overlap_sentences: Annotated[
        int,
        Option(
            "how many sentences a piece repeats of the piece before",
            "pieces are read without what is around them, or nothing may stand twice",
            unit="sentences",
            least=0,
            per_tree=True,
        ),
    ] = 2
    heading_levels: Annotated[
        int,
        Option(
            "headings deeper than this are content",
            "your documents use deep headings as labels",
            unit="levels",
            least=0,
            most=6,
            per_tree=True,
        ),
    ] = 6
    oversize_code: Annotated[
        Literal["keep", "split"],
        Option(
            "a code block larger than a piece: keep it whole, or split it at line ends",
            "no chunk may be larger than a model takes",
            per_tree=True,
        ),
    ] = "keep"
    slug_style: Annotated[
        Literal["github", "collapse"],
        Option(
            "anchors as GitHub makes them, or with runs of hyphens collapsed",
            "your site collapses hyphens, and ids must be its anchors",
            per_tree=True,
        ),
    ] = "github"
    notebook_outputs: Annotated[
        bool,
        Option(
            "include what the cells of notebooks printed",
            "what notebooks print is what you look for",
            per_tree=True,
        ),
    ] = False
    tolerance: Annotated[
        float,
        Option(
            "how far the number of chunks may miss its estimate, as a share",
            least=0,
            given="constant",
            per_tree=True,
        ),
    ] = 0.5

    def __post_init__(self) -> None:
        for key, declared in declarations(ChunkingOptions).items():
            value = getattr(self, key)
            try:
                declared.holds(value)
            except ValueError as error:
                raise ConfigError(f"{key} is {value!r}", hint=str(error), fields=(key,)) from None
        if self.tokenizer not in tokenizer_names():
            _refuse("tokenizer", self.tokenizer, "one of " + ", ".join(tokenizer_names()))
        # a size is compared with values set by the user, not with defaults
        bound = "max_tokens" if isinstance(self.target_tokens, Yielding) else "target_tokens"
        self._adapt_defaults()
        _check_order(self, "target_tokens", "max_tokens")
        _check_order(self, "min_tokens", bound)
        if self.fixed_overlap >= self.fixed_tokens:
            accepted = f"less than fixed_tokens ({self.fixed_tokens})"
            _refuse("fixed_overlap", self.fixed_overlap, accepted, other="fixed_tokens")

    def _adapt_defaults(self) -> None:
        """Adapt default sizes to the sizes that a user sets."""
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


def _at_most(size: int, bound: int) -> int:
    """Return the size, limited to the bound if it is a default."""
    return min(size, bound) if isinstance(size, Yielding) else size


def _refuse(name: str, value: object, accepted: str, *, other: str | None = None) -> None:
    """Raise a ConfigError for a value that contradicts the field's range, or the field `other`."""
    fields = (name,) if other is None else (name, other)
    raise ConfigError(f"{name} is {value!r}", hint=f"{name} must be {accepted}", fields=fields)


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
