"""Which state answers while another process writes."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from support.projects import Here

from leafmark.app import (
    Project,
    explain_why_not,
    find_context,
    find_like,
    list_documents,
    search_project,
    show_chunks,
    update_agents,
    verify_texts,
)
from leafmark.app.answering.opening import open_index
from leafmark.app.requests import (
    AgentsRequest,
    ContextRequest,
    LikeRequest,
    ListRequest,
    SearchRequest,
    ShowRequest,
    VerifyRequest,
    WhyNotRequest,
)
from leafmark.errors import LockedError
from leafmark.index import open_writer
from leafmark.model import Answer, Hint, WhyNotReport
from leafmark.render.hint_texts import word_hint


def test_the_last_state_answers_while_another_writes(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    here.write("b.md", "# B\n\ntwo\n")
    project = here.project()
    with open_writer(project.index_dir, project.index_options()):
        reader, (hint,) = open_index(project, ListRequest())
    assert [path for _, path in reader.manifest] == ["a.md"]
    assert hint.code == "locked"
    assert word_hint(hint).startswith(f"the index is being written by process {os.getpid()}, for ")
    assert word_hint(hint).endswith(" s; this answer is from the last committed state")


ANSWERS_WITHOUT_HINTS = pytest.mark.parametrize(
    "answer",
    [
        lambda project: list_documents(project, ListRequest()),
        lambda project: show_chunks(project, ShowRequest(("a.md",))),
        lambda project: verify_texts(project, VerifyRequest((("-", ""),))),
        lambda project: update_agents(project, AgentsRequest()),
    ],
    ids=["ls", "show", "verify", "agents"],
)


@ANSWERS_WITHOUT_HINTS
def test_an_old_state_is_told_where_answers_have_no_hints(
    here: Here, answer: Callable[[Project], object]
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    here.write("b.md", "# B\n\ntwo\n")
    told: list[Hint] = []
    project = here.project()._replace(report_hint=told.append)
    with open_writer(project.index_dir, project.index_options()):
        answer(project)
    (hint,) = told
    assert hint.code == "locked"
    assert word_hint(hint).endswith(" s; this answer is from the last committed state")


LEFT_OUT = """
[tree.here]
path = "."
[tree.far]
path = "/"
[tree.gone]
path = "nowhere"
"""


@ANSWERS_WITHOUT_HINTS
def test_trees_that_are_left_out_are_told_where_answers_have_no_hints(
    here: Here, answer: Callable[[Project], object]
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.configure(LEFT_OUT)
    answer(here.project())  # with nobody to tell
    told: list[Hint] = []
    answer(here.project()._replace(report_hint=told.append))
    assert [hint.code for hint in told] == ["configuration", "tree-missing"]


@pytest.mark.parametrize(
    "answer",
    [
        lambda project: search_project(project, SearchRequest(("one",))),
        lambda project: find_like(project, LikeRequest("a.md", SearchRequest(()))),
        lambda project: find_context(project, ContextRequest(("a.md",), SearchRequest(()))),
        lambda project: explain_why_not(project, WhyNotRequest("a.md", SearchRequest(("one",)))),
    ],
    ids=["search", "like", "context", "why-not"],
)
def test_trees_that_are_left_out_are_among_the_hints(
    here: Here, answer: Callable[[Project], Answer | WhyNotReport]
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b.md", "# B\n\none\n")
    here.configure(LEFT_OUT)
    codes = [hint.code for hint in answer(here.project()).hints]
    assert codes[:2] == ["configuration", "tree-missing"]


def test_the_first_state_is_waited_for(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write("a.md", "# A\n\none\n")
    project = here.project()
    with ExitStack() as stack:
        stack.enter_context(open_writer(project.index_dir, project.index_options()))
        monkeypatch.setattr("leafmark.index.lock.time.sleep", lambda _: stack.close())
        reader, hints = open_index(project, ListRequest())
    assert ([path for _, path in reader.manifest], hints) == (["a.md"], ())


def test_without_a_state_a_writer_that_goes_on_is_an_error(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.configure("[index]\nlock_timeout_s = 0\n")
    project = here.project()
    with (
        open_writer(project.index_dir, project.index_options()),
        pytest.raises(LockedError) as caught,
    ):
        open_index(project, ListRequest())
    assert caught.value.message.startswith(
        f"the index is being written by process {os.getpid()}, for "
    )
    assert caught.value.hint == (
        "it is being made, so nothing can be searched yet; "
        "`index.lock_timeout_s` says how long to wait"
    )


def test_a_folder_that_may_not_be_read_is_among_the_hints(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    root = here.project().trees[0].root
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != root and access(path, mode))
    hints = search_project(here.project(), SearchRequest(("one",))).hints
    assert hints[0] == Hint(
        "tree-missing", values={"note": f"the folder of tree 'here' cannot be read: {root}"}
    )
