"""Matches that tie at the end of the candidates are not raised, however few candidates there are.

Which of them are candidates depends on where they lie in the index.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from leafmark.retrieval.weights import COORDINATED_MATCHES
from support.library import Library

CASES = {
    "coordination": (
        "harbor quay crane winter storm",
        "# A crane among very many other words\n\n## Part\n\nharbor quay\n",
        "# Another thing among other words\n\n## Part\n\nharbor quay\n",
    ),
    "nearby_weight": (
        "harbor quay crane winter storm",
        "# One\n\n## Part\n\nharbor quay\n\n## Next\n\nA crane, and much else stands here.\n",
        "# One\n\n## Part\n\nharbor quay\n\n## Next\n\nA ship, and much else stands here.\n",
    ),
    "title_agreement": ("harbor", "# Harbor (quay)\n\nText.\n", "# Harbor quay\n\nText.\n"),
}
"""By what weighs it: a query, a text that is raised, and one that matches as well and is not."""


@pytest.mark.parametrize("setting", CASES)
def test_none_of_those_is_raised_that_tie_at_the_end(tmp_path: Path, setting: str) -> None:
    query, raised, other = CASES[setting]
    sources = {f"{at:02}.md": other if at else raised for at in range(COORDINATED_MATCHES + 1)}
    library = Library(tmp_path, t=sources)
    weights = dict.fromkeys(CASES, 0.0)

    def best(weight: float, candidates: int) -> float:
        few: dict[str, Any] = {"limit": 1, "max_results": 1, "candidate_limit": candidates}
        given = few | weights | {setting: weight, "relax_share": 0.4}
        return library.search(query, aggregation=False, **given).results[0].score

    assert best(0.9, candidates=200) == best(0.0, candidates=200)
    assert best(0.9, candidates=5) == best(0.0, candidates=5)
