"""Whole evaluations of a small project, whose numbers can be told beforehand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from support.embedders import FakeServer, Reply, embedding_flags, serve_embeddings, vector_of
from support.projects import Here, deny

from leafmark.app import Project, open_project
from leafmark.app.answering import meaning as app_meaning
from leafmark.app.answering.searching import answer_topics
from leafmark.app.indexing.refreshing import Refreshed, refresh
from leafmark.app.requests import DraftRequest, EvaluationRequest
from leafmark.app.sources.contents import LLMS_MARK
from leafmark.errors import (
    ConfigError,
    ConfirmationError,
    LeafmarkError,
    LockedError,
    NotFoundError,
    ProviderError,
    StorageError,
    UsageError,
)
from leafmark.evaluation import EvaluationReport, draft_judgments, evaluate_project, judgment_record
from leafmark.evaluation.run import constant_named
from leafmark.index.lock import hold_lock
from leafmark.model import Hint
from leafmark.search import MECHANISMS, SearchOptions

WORDS = ["alpha", "beta", "gamma", "delta"]


@pytest.fixture(autouse=True)
def _pages(here: Here) -> None:
    for word in WORDS:
        filler = "\n\n".join(f"Filler number {at} of this page." for at in range(12))
        here.write(
            f"{word}.md",
            f"# Page of {word}\n\n{filler}\n\n## Zebra {word}\n\nStripes of {word} are here.\n",
        )


def _judge(
    here: Here,
    *queries: dict[str, Any],
    flags: dict[str, object] | None = None,
    **wishes: Any,
) -> EvaluationReport:
    lines = "".join(json.dumps(query) + "\n" for query in queries)
    (here.home / "q.jsonl").write_text(lines, encoding="utf-8")
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    request = EvaluationRequest(files=(str(here.home / "q.jsonl"),), **wishes)
    flags = flags or {}
    project = open_project(here.root, flags=flags, environ=environ) if flags else here.project()
    return evaluate_project(project, request, flags=flags, environ=environ)


FOUND = {"query": "stripes gamma", "answers": ["gamma.md#zebra-gamma"], "kind": "keywords"}
UNFOUND = {"query": '"stripes of alpha"', "answers": ["delta.md#zebra-delta"], "kind": "question"}
SILENT = {"query": "xylophone", "answers": []}


def _mean(report: EvaluationReport, metric: str, at: int = 0, group: int = 0) -> float:
    return report.groups[group].rows[metric][at].value.mean


def test_numbers_are_means_over_the_queries_that_have_them(here: Here) -> None:
    report = _judge(here, FOUND, UNFOUND, SILENT)
    assert (report.groups[0].answerable, report.groups[0].unanswerable) == (2, 1)
    assert _mean(report, "overlap-mrr@10") == 0.5
    assert _mean(report, "rr500") == 0.5
    assert _mean(report, "empty") == 0
    assert _mean(report, "empty-unanswerable") == 1


@pytest.fixture
def meaning() -> Iterator[tuple[FakeServer, dict[str, object]]]:
    with serve_embeddings() as server:
        yield server, embedding_flags(server)
    app_meaning.forget_embedders()


def test_each_way_is_tried_in_each_mode(
    here: Here, meaning: tuple[FakeServer, dict[str, object]]
) -> None:
    _, flags = meaning
    here.write("cars.md", "# Vehicles\n\nHow to fix a car.\n")
    mended = {"query": "mend automobile", "answers": ["cars.md"]}
    report = _judge(here, mended, flags=flags, modes=("lexical", "hybrid"))
    assert report.mode == "lexical, hybrid"
    names = [one.variant.name for one in report.variants]
    assert names == ["auto+mode=lexical", "auto+mode=hybrid"]
    assert [_mean(report, "overlap-mrr@10", at) for at in range(2)] == [0, 1]
    alone = _judge(here, mended, flags=flags, modes=("semantic",), compare=("auto",))
    assert (alone.mode, alone.variants[0].variant.name) == ("semantic", "auto")
    assert _mean(alone, "overlap-mrr@10") == 1


def test_a_query_without_a_vector_is_not_judged_as_one_with(
    here: Here, meaning: tuple[FakeServer, dict[str, object]]
) -> None:
    server, flags = meaning
    _judge(here, FOUND, flags=flags)
    server.replies += [Reply(), Reply(500)]  # the first is asked for the dimension
    with pytest.raises(ProviderError) as caught:
        _judge(here, FOUND, flags=flags)
    assert caught.value.message == (
        "the query 'stripes gamma' cannot be judged by its meaning: "
        f"the embedder answered 500 ({server.url})"
    )
    assert (caught.value.location, caught.value.hint) == (
        f"{here.home}/q.jsonl:1",
        "without it the figures would be those of another search: evaluate again",
    )


def test_another_model_under_the_same_name_is_judged_by_its_own_vectors(
    here: Here,
    meaning: tuple[FakeServer, dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, flags = meaning
    _judge(here, FOUND, flags=flags)
    app_meaning.forget_embedders()
    monkeypatch.setattr("support.embedders.vector_of", lambda text: vector_of(text)[:40])
    assert _mean(_judge(here, FOUND, flags=flags), "overlap-mrr@10") == 1


def test_models_are_compared(here: Here, meaning: tuple[FakeServer, dict[str, object]]) -> None:
    server, _ = meaning
    here.write("cars.md", "# Vehicles\n\nHow to fix a car.\n")
    mended = {"query": "mend automobile", "answers": ["cars.md"]}
    ways = ("auto", f"auto+embedding.provider=ollama+embedding.model=m+endpoint={server.url}")
    report = _judge(here, mended, compare=ways, flags={"embedding.provider": "none"})
    assert report.mode == "lexical, hybrid"
    assert [_mean(report, "overlap-mrr@10", at) for at in range(2)] == [0, 1]


def test_a_query_without_its_reranker_is_not_judged_as_one_with(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    def ask(project: Project, query: str) -> object:
        waited.append(project.configuration.rerank.deadline_s)
        return SimpleNamespace(hints=(Hint("reranker", "it failed; no matter", "it failed"),))

    monkeypatch.setattr("leafmark.app.background.ask_reranker", ask)
    monkeypatch.setattr(
        "leafmark.app.answering.searching.answer_topics",
        lambda *given, **_: answer_topics(*given),
    )
    with pytest.raises(ProviderError, match=r"cannot be judged with the reranker: it failed \("):
        _judge(here, FOUND, flags={"rerank.provider": "fastembed"})
    assert waited == [600.0]


def test_two_runs_give_the_same(here: Here) -> None:
    wishes: dict[str, Any] = {"compare": ("fixed", "auto"), "by": "kind"}
    first = _judge(here, FOUND, UNFOUND, SILENT, **wishes)
    assert _judge(here, FOUND, UNFOUND, SILENT, **wishes) == first


def test_ways_are_compared_by_the_same_bytes(here: Here) -> None:
    report = _judge(
        here, FOUND, compare=("fixed", "heading+grain=piece", "auto+grain=document"), limit=1
    )
    assert [each.chunks for each in report.variants] == [4, 12, 12]
    fixed, heading, document = (each.outcomes[0] for each in report.variants)
    assert fixed.tokens is not None
    assert heading.tokens is not None
    assert document.tokens is not None
    assert heading.tokens < document.tokens
    assert heading.results[0] == "here:gamma.md#zebra-gamma"
    assert document.results == ("here:gamma.md",)
    cell = report.groups[0].rows["recall-2000t"]
    assert cell[0].difference is None
    assert cell[1].difference is not None
    assert cell[1].difference.mean == pytest.approx(cell[1].value.mean - cell[0].value.mean)


def test_each_way_says_how_many_results_of_it_are_judged(here: Here) -> None:
    report = _judge(here, FOUND, compare=("auto", "auto+search.limit=50"))
    assert [found.limit for found in report.variants] == [20, 50]


def test_the_project_s_own_index_is_left_alone(here: Here) -> None:
    _judge(here, FOUND, compare=("fixed", "auto"))
    assert not here.project().index_dir.exists()
    kept = here.home / ".leafmark" / "cache" / "evaluation"
    assert len(list(kept.iterdir())) == 2
    _judge(here, FOUND, compare=("fixed", "auto+relax_share=0.5"))
    assert len(list(kept.iterdir())) == 2


def test_changed_sources_are_judged_as_they_are_now(here: Here) -> None:
    _judge(here, FOUND)
    here.write("gamma.md", "# Page\n\n## Zebra gamma\n\nNothing of the kind.\n")
    here.write("later.md", "# Later\n\nThe stripes of gamma moved here.\n")
    moved = FOUND | {"answers": ["later.md#later"]}
    assert _mean(_judge(here, moved), "overlap-mrr@10") == 1


def test_tables_by_kind(here: Here) -> None:
    report = _judge(here, FOUND, UNFOUND, SILENT, by="kind")
    assert [group[:2] for group in report.groups] == [
        ("", "all"),
        ("kind", "keywords"),
        ("kind", "question"),
        ("kind", ""),
    ]
    assert _mean(report, "rr500", group=1) == 1
    assert _mean(report, "rr500", group=2) == 0
    assert set(report.groups[3].rows) == {"empty-unanswerable", "doubt-unanswerable"}


def test_gates(here: Here) -> None:
    report = _judge(
        here, FOUND, compare=("fixed", "auto"), gates=("rr500>=0.9", "fixed:rr500>=1", "empty>0")
    )
    assert [(gate.gate, gate.passed) for gate in report.gates] == [
        ("rr500>=0.9", True),
        ("fixed:rr500>=1", True),
        ("empty>0", False),
    ]


def test_what_is_wrong_is_said_before_anything_is_searched(here: Here) -> None:
    wrong: list[dict[str, Any]] = [
        {"gates": ("heading:rr500>0",)},
        {"gates": ("empty-unanswerable>0",)},
        {"compare": ("auto", "fixed+mode=semantic")},
    ]
    for wishes in wrong:
        with pytest.raises(UsageError):
            _judge(here, FOUND, **wishes)
    assert not (here.home / ".leafmark" / "cache").exists()


def test_a_document_changed_meanwhile_ends_the_evaluation(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(project: Project, **wishes: Any) -> Refreshed:
        here.write("gamma.md", "# Page of gamma\n\n## Zebra gamma\n\nStripes of gamma moved.\n")
        return refresh(project, **wishes)

    monkeypatch.setattr("leafmark.evaluation.run.refresh", changing)
    with pytest.raises(StorageError) as caught:
        _judge(here, FOUND)
    assert caught.value.message == "a document was changed during the evaluation"
    assert (caught.value.location, caught.value.hint) == (
        f"{here.root.name}:gamma.md",
        "evaluate again",
    )
    monkeypatch.undo()
    assert _mean(_judge(here, FOUND), "overlap-mrr@10") == 1


def test_an_index_that_another_run_makes_is_waited_for(here: Here) -> None:
    _judge(here, FOUND)
    (place,) = (here.home / ".leafmark" / "cache" / "evaluation").glob("*/index-*")
    here.write("gamma.md", "# Page of gamma\n\n## Zebra gamma\n\nStripes of gamma moved.\n")
    with hold_lock(place / "LOCK", timeout_s=0), pytest.raises(LockedError):
        _judge(here, FOUND, flags={"index.lock_timeout_s": 0.1})


def test_names_of_sections_are_those_that_the_settings_give(here: Here) -> None:
    here.write("odd.md", "# Odd\n\n## Okapi & co\n\nOkapi and its company.\n")
    flags: dict[str, object] = {"chunking.slug_style": "collapse"}
    query = {"query": "okapi company", "answers": ["odd.md#okapi-co"]}
    assert _mean(_judge(here, query, flags=flags), "overlap-mrr@10") == 1
    with pytest.raises(UsageError, match="no section #okapi-co"):
        _judge(here, query)


def test_what_is_left_out_is_said(here: Here) -> None:
    config = '[tree.docs]\npath = "."\n[tree.gone]\npath = "gone"\n'
    here.write("leafmark.toml", config)
    said = (f"the folder of tree 'gone' is missing: {here.root / 'gone'}",)
    assert _judge(here, FOUND).warnings == said
    assert draft_judgments(here.project(), DraftRequest(limit=3)).warnings == said


def test_documents_that_cannot_be_read_are_said(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("report.pdf", "%PDF-1.4\n")
    for room in ("app.indexing.preparing", "evaluation.references"):
        deny(monkeypatch, room, "beta.md")
    said = [("report.pdf", "needs-converter"), ("beta.md", "unreadable")]
    found = _judge(here, FOUND).diagnostics
    assert [(note.path, note.code) for note in found] == said
    drafts = draft_judgments(here.project(), DraftRequest(limit=30))
    assert [(note.path, note.code) for note in drafts.diagnostics] == said
    assert {draft.answers[0].id for draft in drafts.queries if "beta" in draft.query} == set()


def test_lists_that_leafmark_wrote_are_not_drafted_from(here: Here) -> None:
    here.write("llms-full.txt", f"# Okapi and friends\n\nAll of it.\n\n{LLMS_MARK}\n")
    drafts = draft_judgments(here.project(), DraftRequest(limit=30, kinds=("heading",)))
    assert drafts.queries
    assert not any("Okapi" in draft.query for draft in drafts.queries)


def test_drafts_of_a_kind_that_there_is_none_of(here: Here) -> None:
    with pytest.raises(UsageError) as caught:
        draft_judgments(here.project(), DraftRequest(kinds=("headings",)))
    assert (caught.value.message, caught.value.hint) == (
        "no kind of drafts is 'headings'",
        "did you mean `heading`? There are: heading, definition, link",
    )


def test_a_folder_that_nobody_configured_is_not_read_unasked(here: Here) -> None:
    environ = {"HOME": str(here.root), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    home = open_project(here.root, flags={}, environ=environ)
    with pytest.raises(ConfirmationError):
        draft_judgments(home, DraftRequest())
    assert draft_judgments(home, DraftRequest(confirmed=True)).queries


def test_an_answer_in_another_file_of_the_same_bytes_is_found(here: Here) -> None:
    text = (here.root / "gamma.md").read_text(encoding="utf-8")
    here.write("zz-copy.md", text)
    copied = FOUND | {"answers": ["zz-copy.md#zebra-gamma"]}
    assert _mean(_judge(here, copied), "rr500") == 1


@pytest.mark.parametrize(
    ("wishes", "error", "message"),
    [
        (
            {"kinds": ("error",)},
            UsageError,
            "the selection has none of the 1 queries",
        ),
        (
            {"trees": ("elsewhere",)},
            UsageError,
            "the selection has none of the 1 queries",
        ),
        (
            {"gates": ("heading:rr500>0",)},
            UsageError,
            "the gate heading:rr500>0 names a way to search that is not compared",
        ),
        (
            {"gates": ("empty-unanswerable>0",)},
            UsageError,
            "the gate empty-unanswerable>0 matches none of the queries",
        ),
        (
            {"compare": ("auto+relax_share=7",)},
            ConfigError,
            'search.relax_share is "7"',
        ),
    ],
)
def test_what_cannot_be_evaluated(
    here: Here, wishes: dict[str, Any], error: type[LeafmarkError], message: str
) -> None:
    with pytest.raises(error) as caught:
        _judge(here, FOUND, **wishes)
    assert caught.value.message.replace("is 7.0", 'is "7"') == message


def test_a_query_that_the_search_refuses_finds_nothing_and_is_named(here: Here) -> None:
    refused = {"query": "NOT gate", "answers": ["alpha.md"]}
    report = _judge(here, FOUND, refused)
    assert [outcome.values["rr500"] for outcome in report.variants[0].outcomes] == [1, 0]
    said = (
        "this says only what must not match; add a word that must match, such as: rust -deprecated"
    )
    assert said.startswith(report.variants[0].outcomes[1].refused[:40])
    assert report.variants[0].outcomes[1].refused
    (warning,) = report.warnings
    first, second = warning.split("\n")
    assert first == "1 query counts as without results:"
    assert second.startswith(f"  {here.home}/q.jsonl:2: refused: this says only what")


def test_plain_is_bm25_over_the_chunks_with_the_titles_above_them(here: Here) -> None:
    here.write("far.md", "# Animals of gamma\n\n## Habits\n\nThey sleep.\n")
    report = _judge(
        here,
        FOUND,
        {"query": "gamma sleep", "answers": ["far.md#habits"]},
        {"query": "NOT the (sleeping", "answers": ["far.md#habits"]},
        SILENT,
        compare=("plain", "auto"),
    )
    plain = report.variants[0]
    assert plain.variant.plain
    assert [one.results[:1] for one in plain.outcomes] == [
        ("here:gamma.md#zebra-gamma",),
        ("here:far.md#habits",),
        ("here:far.md#habits",),
        (),
    ]


def test_each_mechanism_is_switched_off_by_itself(here: Here) -> None:
    report = _judge(here, FOUND, UNFOUND, ablate=True)
    names = [found.variant.name for found in report.variants]
    assert names == ["auto", *(f"without {name}" for name in MECHANISMS)]
    with pytest.raises(UsageError, match="switched off in only one way to search"):
        _judge(here, FOUND, ablate=True, compare=("plain", "auto"))


def test_what_switches_a_mechanism_off_is_known() -> None:
    """Its settings are those of the search, and its constants stand in the code."""
    for off in MECHANISMS.values():
        for name, value in off.items():
            if name.isupper():
                assert value != constant_named(name)
            else:
                assert value != getattr(SearchOptions(), name)


def test_a_constant_has_another_value_in_one_way_only(here: Here) -> None:
    ways = ("auto", "auto+DOUBT_BELOW=0.0")
    before = constant_named("DOUBT_BELOW")
    unknown = {"query": "zebra quagga okapi tapir", "answers": []}
    report = _judge(here, unknown, compare=ways)
    assert [each.outcomes[0].doubtful for each in report.variants] == [True, False]
    assert constant_named("DOUBT_BELOW") == before
    with pytest.raises(UsageError, match="there is no constant DOUT_BELOW"):
        _judge(here, unknown, compare=("auto", "auto+DOUT_BELOW=0"))
    with pytest.raises(UsageError, match="'x' is not a value of the constant DOUBT_BELOW"):
        _judge(here, unknown, compare=("auto+DOUBT_BELOW=x",))


def test_drafts_find_what_they_were_drafted_from(here: Here) -> None:
    drafts = draft_judgments(here.project(), DraftRequest(limit=3))
    assert drafts.warnings == ()
    assert len({draft.answers[0].id.partition("#")[0] for draft in drafts.queries}) == 3
    rows = [{"query": one.query, "answers": [one.answers[0].id]} for one in drafts.queries]
    assert _mean(_judge(here, *rows), "overlap-mrr@10") == 1
    with pytest.raises(NotFoundError, match="there is no tree named 'x'"):
        draft_judgments(here.project(), DraftRequest(trees=("x",)))


HEADINGS = {
    "NOT gate": r"\NOT gate",
    "python -m pytest": r"python \-m pytest",
    "Smile :( faces": "Smile :( faces",
    "XOR (Exclusive OR) #xor": "XOR (Exclusive OR) #xor",
    "path:guides and more": "path guides and more",
    "bun check -b": r"bun check \-b",
    'The "best" way': "The best way",
    "Cats AND dogs": r"Cats \AND dogs",
    "node:http and main() -> exit": "node:http and main() -> exit",
    "Restore a backup": "Restore a backup",
}


def test_drafts_ask_for_the_words_of_a_heading(here: Here) -> None:
    """Whatever stands in it; one that holds no operator is asked as it is."""
    text = "".join(f"# {heading}\n\nText {at}.\n\n" for at, heading in enumerate(HEADINGS))
    here.write("gates.txt.md", text)
    drafts = draft_judgments(here.project(), DraftRequest(limit=100))
    asked = {one.query for one in drafts.queries if one.answers[0].id.startswith("here:gates")}
    assert asked == set(HEADINGS.values())
    report = _judge(here, *map(judgment_record, drafts.queries))
    assert report.groups[0].answerable == len(drafts.queries)


def test_what_there_is_to_choose_from_is_told(here: Here) -> None:
    with pytest.raises(UsageError) as caught:
        _judge(here, FOUND, kinds=("error",), trees=("elsewhere",))
    assert caught.value.hint == ("there are queries of the kinds keywords; no query names its tree")
    with pytest.raises(UsageError) as caught:
        _judge(here, {**FOUND, "answers": [], "tree": "elsewhere"})
    assert caught.value.hint == f"the trees are: {here.root.name}"
    here.configure('[tree.out]\npath = "../out"\n')
    with pytest.raises(UsageError) as caught:
        _judge(here, {**FOUND, "answers": [], "tree": "out"})
    assert caught.value.hint is not None
    assert caught.value.hint.endswith("left out, as it is not trusted")


def test_a_query_that_stands_twice_is_refused(here: Here) -> None:
    with pytest.raises(UsageError) as caught:
        _judge(here, FOUND, UNFOUND, {**FOUND, "answers": ["alpha.md"]})
    place = here.home / "q.jsonl"
    assert caught.value.message == "the query 'stripes gamma' appears twice"
    assert caught.value.location == f"{place}:3"
    assert caught.value.hint == (
        f"it is in {place}:1, too: a query with several answers lists them all"
    )
    assert _judge(here, FOUND, {**FOUND, "tree": here.root.name}).groups[0].answerable == 2


def test_a_mode_that_cannot_be_is_no_fault_of_a_query(here: Here) -> None:
    with pytest.raises(UsageError) as caught:
        _judge(here, FOUND, modes=("hybrid",))
    assert caught.value.message == "the mode hybrid needs an embedder, and none is configured"
    assert caught.value.location is None
