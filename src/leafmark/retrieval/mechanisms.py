"""`MECHANISMS`: what of the ranking can be switched off, one by one, in an evaluation.

A name, and what switches it off: settings of `[search]` in lower case, and constants
of the code in capitals.
"""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["MECHANISMS"]

MECHANISMS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "titles": {"keyword_title_weight": 0, "question_title_weight": 0},
        "paths": {"keyword_path_weight": 0, "question_path_weight": 0},
        "surroundings": {"nearby_weight": 0},
        "coordination": {"coordination": 0},
        "title agreement": {"title_agreement": 0},
        "roles": {"secondary_boost": 1},
        "derived words": {"derived_words": False},
        "corrections": {"fuzzy_distance": 0},
        "partial matches": {"relax_share": 1},
        "cutoff": {"cutoff_ratio": 0},
        "aggregation": {"aggregation_min_matches": 1_000_000},
        "doubt": {"DOUBT_BELOW": 0.0, "DOUBT_AT_LEAST": 0.0, "GUESS_HOLDS": 1.0},
    }
)
