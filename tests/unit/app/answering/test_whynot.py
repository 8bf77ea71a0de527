"""`why-not` over a project: ids, settings and trees as in a search."""

from __future__ import annotations

import pytest
from support.projects import Here

from leafmark.app import explain_why_not, search_project
from leafmark.app.requests import SearchRequest, WhyNotRequest
from leafmark.errors import NotFoundError
from leafmark.model import Hint, WhyNotReport


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
    assert caught.value.hint is None
    with pytest.raises(NotFoundError) as caught:
        ask(guide, "zzz", "petrol")
    assert (caught.value.message, caught.value.did_you_mean, caught.value.hint) == (
        "nothing indexed is called 'zzz'",
        (),
        "give an id as answers show it",
    )


def test_what_was_left_out_is_said_with_a_report_and_with_an_error(guide: Here) -> None:
    guide.configure('[tree.here]\npath = "."\n[tree.x]\npath = "x"\n')
    told: list[Hint] = []
    project = guide.project()._replace(report_hint=told.append)
    request = WhyNotRequest("guide.md#fuel", SearchRequest(("petrol",)))
    assert [hint.code for hint in explain_why_not(project, request).hints] == ["tree-missing"]
    assert told == []
    with pytest.raises(NotFoundError):
        explain_why_not(project, request._replace(id="x:guide.md"))
    assert [hint.code for hint in told] == ["tree-missing"]


def test_words_of_markup_are_not_near_what_is_asked(here: Here) -> None:
    here.write("page.html", '<h1>Engine</h1>\n<p>Oil, <b class="petroil">belts</b> and air.</p>\n')
    (reason,) = ask(here, "page.html#engine", "petrol").reasons
    assert [part.near for part in reason.unmatched] == [()]


@pytest.mark.parametrize("limit", [30, 300])
def test_pages_are_measured_as_in_a_search(here: Here, limit: int) -> None:
    """What fits into `aggregation_max_tokens` is decided by the text, not by its markup."""
    part = '<p>{} <a href="https://example.org/{}">petrol</a></p>\n'
    links = [part.format(word, "x" * 300) for word in ("Pumps", "Belts")]
    here.write("page.html", f"<h1>Guide</h1>\n<h2>A</h2>\n{links[0]}<h2>B</h2>\n{links[1]}")
    here.configure("[chunking]\nmin_tokens = 1\n")
    here.flags["search.aggregation_max_tokens"] = limit
    answer = search_project(here.project(), SearchRequest(("petrol",)))
    shown = {result.entry.id for result in answer.results}
    reports = [ask(here, name, "petrol") for name in ("page.html#a", "page.html#b")]
    assert {report.shown_as or report.reasons[0].by for report in reports} == shown
