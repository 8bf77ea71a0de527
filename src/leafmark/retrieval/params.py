"""`SearchParams`: the settings of a search, checked when they are made.

The names are those of the settings in `leafmark.toml`. Nothing here knows where the values
come from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from leafmark.errors import UsageError
from leafmark.model import GRAINS, SORTS, Grain, Sort
from leafmark.retrieval.weights import KEYWORD_WEIGHTS, QUESTION_WEIGHTS

__all__ = ["MODES", "Mode", "SearchParams"]

Mode = Literal["lexical", "semantic", "hybrid"]
MODES: tuple[Mode, ...] = get_args(Mode)

CANDIDATES_PER_RESULT = 5
"""There are at least this many candidates per result, so that enough are left after merging."""

_COUNTS = {
    "limit": 1,
    "candidate_limit": 1,
    "max_results": 1,
    "aggregation_min_matches": 1,
    "max_merge_depth": 0,
    "aggregation_max_tokens": 0,
    "rerank_results": 1,
}
_SHARES = ("cutoff_ratio", "aggregation_threshold", "relax_share")
_WEIGHTS = tuple(
    f"{shape}_{field}_weight"
    for shape in ("keyword", "question")
    for field in ("title", "tags", "path")
)
_CHOICES: dict[str, tuple[object, ...]] = {
    "grain": GRAINS,
    "sort": SORTS,
    "mode": MODES,
    "fuzzy_distance": (0, 1, 2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParams:
    """How one search is done.

    At most `limit` results are returned, of at most `candidate_limit` candidates per topic
    (or five times the limit, if that is more). The list is cut where a score falls below
    `cutoff_ratio` of the one before, or after `max_results`.

    A node replaces its children if at least `aggregation_threshold` of them match, and at
    least `aggregation_min_matches`. Its depth must be at least `max_merge_depth`, and its
    whole text within `aggregation_max_tokens` (0: any size). Each child adds `merge_bonus` to
    the factor of its score. A `grain` other than `auto` fixes the size of results instead.

    With `strict`, every plain word must match; otherwise, if too few chunks match all of them,
    at least `relax_share` of the words must. Results must be in one of `trees`, have all
    `tags`, be modified at or after `since` (seconds since the epoch), and match one of the
    patterns of `section`.

    The weights are factors of the fields, for keywords and for questions; that of the body
    is 1. With `asking_words`, words that only ask count too; with `derived_words`, other
    forms of words match. If no chunk matches all words, words near a match that lacks them
    count with `nearby_weight`: see `surroundings`; and the more words a match holds, the more
    it is raised, by `coordination`. A match whose title says exactly what is asked gains at
    least `title_agreement`: see `titles`. Tests and their like count
    `secondary_boost` times: see `model.roles`. `mode` says whether words count, meaning, or
    both; without a `Meaning`, only words do. A `Rerank` reads the first `rerank_results`.

    Raises:
        UsageError: a value is not among those accepted.
    """

    limit: int = 10
    candidate_limit: int = 100
    cutoff_ratio: float = 0.5
    max_results: int = 20
    aggregation: bool = True
    aggregation_threshold: float = 0.5
    aggregation_min_matches: int = 1
    max_merge_depth: int = 0
    aggregation_max_tokens: int = 500
    merge_bonus: float = 0.0
    grain: Grain = "auto"
    sort: Sort = "score"
    strict: bool = False
    relax_share: float = 0.1
    fuzzy_distance: int = 1
    asking_words: bool = False
    derived_words: bool = True
    keyword_title_weight: float = KEYWORD_WEIGHTS["title"]
    keyword_tags_weight: float = KEYWORD_WEIGHTS["tags"]
    keyword_path_weight: float = KEYWORD_WEIGHTS["path"]
    question_title_weight: float = QUESTION_WEIGHTS["title"]
    question_tags_weight: float = QUESTION_WEIGHTS["tags"]
    question_path_weight: float = QUESTION_WEIGHTS["path"]
    nearby_weight: float = 0.4
    coordination: float = 0.9
    title_agreement: float = 0.25
    local_boost: float = 1.5
    secondary_boost: float = 0.6
    mode: Mode = "lexical"
    rerank_results: int = 20
    explain: bool = False
    trees: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: float | None = None
    section: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, least in _COUNTS.items():
            if not _is_count(getattr(self, name), least):
                raise self._refused(name, f"a whole number of at least {least}")
        for name, accepted in _CHOICES.items():
            value = getattr(self, name)
            if value not in accepted or value is True:
                raise self._refused(name, f"one of {', '.join(map(str, accepted))}")
        self._check_numbers()

    def _check_numbers(self) -> None:
        for name in _SHARES:
            value = getattr(self, name)
            if not (_is_number(value) and 0 <= value <= 1):
                raise self._refused(name, "a number from 0 to 1")
        for name in ("merge_bonus", "nearby_weight", "coordination", "title_agreement", *_WEIGHTS):
            value = getattr(self, name)
            if not (_is_number(value) and value >= 0):
                raise self._refused(name, "a number of at least 0")
        for name in ("local_boost", "secondary_boost"):
            value = getattr(self, name)
            if not (_is_number(value) and value > 0):
                raise self._refused(name, "a number above 0")
        if not (self.since is None or _is_number(self.since)):
            raise self._refused("since", "a number of seconds, or None")

    def _refused(self, name: str, what: str) -> UsageError:
        return UsageError(f"{name} is {getattr(self, name)!r}", hint=f"{name} must be {what}")

    def weights(self, shape: Literal["keyword", "question"]) -> dict[str, float]:
        """Return the factors of the fields for queries of a shape.

        >>> SearchParams(question_title_weight=0.3).weights("question")["title"]
        0.3
        """
        fields = ("title", "tags", "path")
        return {"body": 1.0} | {each: getattr(self, f"{shape}_{each}_weight") for each in fields}

    @property
    def candidates(self) -> int:
        """How many candidates are considered per topic."""
        return max(self.candidate_limit, CANDIDATES_PER_RESULT * self.limit)

    @property
    def kept(self) -> int:
        """How many candidates are kept if no score falls sharply."""
        return max(self.max_results, self.limit)


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
