"""`why-not` over a project: ids, settings and trees as in a search."""

from __future__ import annotations

import pytest
from support.projects import Here

from leafmark.app import explain_why_not
from leafmark.app.requests import SearchRequest, WhyNotRequest
from leafmark.errors import NotFoundError
from leafmark.model import WhyNotReport


def ask(here: Here, name: str, *queries: str) -> WhyNotReport:
    search = SearchRequest(queries)
    return explain_why_not(here.project(), WhyNotRequest(name, search))


@pytest.fixture
def guide(here: Here) -> Here:
    here.write(
        "guide.md",
        "# Guide\n\nOil.\n\n## Fuel\n\nPetrol.\n\n## Air\n\nPumps.\n\n## Belt\n\nRubber.\n",
    )
    return here


def test_any_form_of_an_id_names_it(guide: Here) -> None:
    for name in ("guide.md#fuel", "here:guide.md#fuel", "guide.md.2"):
        report = ask(guide, name, "petrol")
        assert (report.id, report.shown_as, report.rank) == (
            "here:guide.md#fuel",
            "here:guide.md#fuel",
            1,
        )


def test_the_project_s_settings_hold(guide: Here) -> None:
    guide.configure("[search]\nfuzzy_distance = 0\n")
    assert ask(guide, "guide.md#fuel", "petrul").reasons[0].lost_at == "match"
    guide.configure("")
    assert ask(guide, "guide.md#fuel", "petrul").rank == 1


def test_an_unknown_id_is_told(guide: Here) -> None:
    with pytest.raises(NotFoundError) as caught:
        ask(guide, "guide.md#fuels", "petrol")
    assert caught.value.exit_code == 1
    assert caught.value.did_you_mean[0] == "here:guide.md#fuel"
