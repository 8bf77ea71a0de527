"""The page and the API as ASGI: what is answered, what is refused, and with which headers."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.repositories import GitRepository
from support.schema import problems

from leafmark.app import Project, browse_project, open_project
from leafmark.app.history import project_at
from leafmark.app.requests import SearchRequest
from leafmark.errors import UsageError
from leafmark.server.web import calls, jobs, site
from leafmark.server.web.routes import ROUTES, describe
from leafmark.server.web.site import Site, read_query
from leafmark.server.workspace import Workspace

Message = MutableMapping[str, Any]

HOSTILE = (
    "# `<script>alert(1)</script>`\n\n"
    "Evil \u202e text \x1b[31m & <img onerror=x> crème 😀 brûlée.\n"
)


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> str:
        return str(self.json["error"]["message"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Site:
    place = tmp_path_factory.mktemp("served")
    docs = place / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Backups\n\nHow to restore.\n\n## Keep\n\nSeven days.\n")
    (docs / "evil.md").write_text(HOSTILE)
    (docs / "tagged.md").write_text("---\ntags: [two words]\n---\n# Tagged\n\nWords.\n")
    (docs / "wide.md").write_text("\ufeff# Ünïcode\r\n\r\nNaïve café 😀 tail.\r\n")
    repository = GitRepository(docs)
    repository.commit({"a.md": "# Backups\n\nHow to save.\n\n## Drop\n\nNever.\n"}, tag="v1")
    repository.commit({"a.md": "# Backups\n\nHow to restore.\n\n## Keep\n\nSeven days.\n"})
    environ = {"HOME": str(place), "LEAFMARK_HOME": str(place / "home")}

    def opened(settings: Mapping[str, object]) -> Project:
        return open_project(docs, flags=settings, environ=environ)

    workspace = Workspace(opened)
    assert workspace.wait(workspace.ask(), timeout_s=120).state == "fresh"
    return Site(workspace)


def ask(
    app: Site,
    path: str,
    query: str = "",
    method: str = "GET",
    body: bytes = b"",
    accept: str = "",
    tag: str = "",
) -> Answer:
    sent: list[Message] = []
    asked: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if not asked:
            await asyncio.sleep(3600)
        return asked.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Message = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"accept", accept.encode()), (b"if-none-match", tag.encode())],
    }
    asyncio.run(app(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    # a server sends no body for HEAD, whatever the application gives it
    return Answer(sent[0]["status"], headers, b"" if method == "HEAD" else sent[1]["body"])


def post(app: Site, path: str, **values: object) -> Answer:
    return ask(app, path, method="POST", body=json.dumps(values).encode())


CALLS = [
    ("search", "q=restore", "search"),
    ("search", "q=restore&q=days&explain=true&expand=parent&limit=3", "search"),
    ("show", "id=a.md&id=a.md%23keep&id=nothing", "show"),
    ("outline", "id=a.md%23keep", "outline"),
    ("trees", "", "ls"),
    ("documents", "tree=docs&under=a&limit=1", "ls"),
    ("why-not", "id=a.md%23keep&q=restore&limit=1", "why-not"),
    ("status", "", "status"),
]


@pytest.mark.parametrize(("path", "query", "shape"), CALLS)
def test_answers_have_the_published_shapes(served: Site, path: str, query: str, shape: str) -> None:
    answer = ask(served, f"/api/{path}", query)
    assert answer.status == 200, answer.body
    assert problems(answer.json, shape) == []
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


def test_every_path_is_called_here() -> None:
    asked = {r.path for r in ROUTES if r.method == "GET"}
    assert {f"/api/{path}" for path, _, _ in CALLS} == asked
    shapes = {f"/api/{path}": shape for path, _, shape in CALLS}
    assert all(r.shape == shapes.get(r.path) for r in ROUTES if r.method == "GET")


def test_a_text_that_is_sent_is_chunked_and_judged(served: Site) -> None:
    answer = post(served, "/api/chunk", text="# A\n\nOne.\n\n## B\n\nTwo.\n", strategy="heading")
    assert (answer.status, problems(answer.json, "chunks")) == (200, [])
    assert [chunk["title"] for chunk in answer.json["chunks"]] == ["A", "A", "B"]
    assert {one["kind"] for one in answer.json["findings"]} == {"below_min"}
    script = post(served, "/api/chunk", text="def f():\n    pass\n", name="a.py").json
    assert script["chunks"][1]["title"] == "def f()"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "`text` is missing"),
        ({"text": 3}, "`text` got 3"),
        ({"text": "é" * 300_000}, "the text has 600,000 bytes, and 512,000 can be sent"),
        ({"text": "a", "name": "/etc/passwd"}, "standard input cannot be called '/etc/passwd'"),
        ({"text": "a", "size": 1}, "there is no argument `size`"),
        ({"text": "a", "max_tokens": 5, "target_tokens": 9}, "target_tokens is 9"),
    ],
)
def test_a_text_that_cannot_be_chunked_is_refused(
    served: Site, values: dict[str, object], message: str
) -> None:
    answer = post(served, "/api/chunk", **values)
    assert (answer.status, answer.json["detail"]) == (400, message)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_a_body_that_is_no_object_is_refused(served: Site, body: bytes) -> None:
    answer = ask(served, "/api/verify", method="POST", body=body)
    assert (answer.status, answer.message) == (400, "the body is not a JSON object")


def test_a_citation_of_a_result_verifies(served: Site) -> None:
    (found,) = ask(served, "/api/search", "q=restore").json["results"]
    answer = post(served, "/api/verify", text=f"See {found['citation']}.")
    assert (answer.status, problems(answer.json, "verify")) == (200, [])
    assert answer.json["ok"] is True


def test_results_and_documents_come_in_pages(served: Site) -> None:
    whole = ask(served, "/api/documents").json["documents"]
    second = ask(served, "/api/documents", "offset=1&limit=1").json["documents"]
    assert second == whole[1:2]
    first = ask(served, "/api/search", "q=tail+OR+restore&limit=1").json["results"]
    rest = ask(served, "/api/search", "q=tail+OR+restore&limit=1&offset=1").json["results"]
    assert [one["rank"] for one in first + rest] == [1, 2]
    assert first[0]["id"] != rest[0]["id"]


def test_hints_of_the_api_are_in_its_own_terms(served: Site) -> None:
    hints = ask(served, "/api/search", "q=restore&q=text&limit=1").json["hints"]
    assert [one["message"] for one in hints if one["code"] == "more"] == [
        "1 more result: `offset` 1"
    ]
    record = ask(served, "/api/why-not", "id=nothing&q=days").json
    assert record["error"]["hint"] == "`outline` lists the ids"
    assert ask(served, "/api").json["error"]["hint"] == "/openapi.json describes the API"


@pytest.mark.parametrize("query", ["tag=two+words", "tag=two+words&folder=", "tag=none"])
def test_documents_are_browsed_by_a_tag_alone(served: Site, query: str) -> None:
    answer = ask(served, "/", query, accept="text/html")
    assert answer.status == 200
    assert (b"Tagged" in answer.body) is ("none" not in query)
    assert b"Backups" not in answer.body


def test_what_a_browser_has_of_the_page_is_not_sent_again(served: Site) -> None:
    first = ask(served, "/style.css")
    again = ask(served, "/style.css", tag=first.headers["etag"])
    assert (first.status, again.status, again.body) == (200, 304, b"")
    assert ask(served, "/style.css", tag='"another"').body == first.body


def test_facets_count_documents(served: Site) -> None:
    found = browse_project(served.workspace.project(), SearchRequest(("restore days",)))
    numbers = {one.value: one.number for one in found.facets["format"]}
    assert numbers == {"markdown": len({one.entry.doc_id for one in found.answer.results})}


def test_a_problem_has_the_standard_s_shape(served: Site) -> None:
    answer = ask(served, "/api/search")
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json
    assert (problem["type"], problem["title"], problem["status"], problem["detail"]) == (
        "about:blank",
        "Bad Request",
        400,
        "`q` is missing",
    )


def test_health_and_metrics_tell_how_it_is(served: Site) -> None:
    health = ask(served, "/health").json
    assert (health["status"], health["index"]["version"] > 0) == ("ok", True)
    ask(served, "/api/trees")
    text = ask(served, "/metrics").body.decode()
    counted = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[:1] != "#")
    assert float(counted['leafmark_requests_total{path="/api/trees",status="200"}']) >= 1
    assert float(counted["process_open_fds"]) > 0
    assert counted["leafmark_index_failed"] == "0.0"


def test_spans_of_an_outline_count_in_the_bytes_of_the_file(served: Site) -> None:
    raw = "\ufeff# Ünïcode\r\n\r\nNaïve café 😀 tail.\r\n".encode()
    found = ask(served, "/api/outline", "id=wide.md").json
    assert found["bytes"] == len(raw)
    section = found["chunks"][1]
    assert raw[section["heading_start"] : section["heading_end"]].startswith(b"# ")
    ((start, end),) = section["body_spans"]
    assert raw[start:end].decode() == "\r\nNaïve café 😀 tail.\r\n"


@pytest.mark.parametrize(
    ("path", "query", "status", "kind", "message"),
    [
        ("/api/serch", "", 404, "not_found", "there is nothing at /api/serch"),
        ("/../../etc/passwd", "", 404, "not_found", "there is nothing at /../../etc/passwd"),
        ("/page/app.js", "", 404, "not_found", "there is nothing at /page/app.js"),
        ("/api/search", "", 400, "usage", "`q` is missing"),
        ("/api/search", "q=a&limt=3", 400, "usage", "there is no argument `limt`"),
        ("/api/search", "q=a&limit=0", 400, "usage", "`limit` got 0"),
        ("/api/search", "q=a&limit=many", 400, "usage", "`limit` got 'many'"),
        ("/api/search", "q=a&limit=1&limit=2", 400, "usage", "`limit` is given 2 times"),
        ("/api/search", "q=a&explain=yes", 400, "usage", "`explain` got 'yes'"),
        ("/api/search", "q=%ff", 400, "usage", "the arguments are not UTF-8, percent-encoded"),
        ("/api/search", "&q=a" * 101, 400, "usage", "there are more than 100 arguments"),
        ("/api/search", "q=a&tree=no", 404, "not_found", "there is no tree named 'no'"),
        (
            "/api/search",
            "q=title:%22open",
            400,
            "query",
            "the query has an opening quote without a closing one",
        ),
        ("/api/outline", "id=../../etc", 404, "not_found", "there is no '../../etc'"),
        ("/api/outline", "id=/etc/passwd", 404, "not_found", "there is no '/etc/passwd'"),
    ],
)
def test_what_is_wrong_is_told(
    served: Site, path: str, query: str, status: int, kind: str, message: str
) -> None:
    answer = ask(served, path, query)
    assert problems(answer.json, "problem") == []
    told = answer.json["error"]
    assert (answer.status, told["kind"], told["message"]) == (status, kind, message)


def test_an_id_that_is_none_is_404_with_the_nearest(served: Site) -> None:
    answer = ask(served, "/api/show", "id=a.md%23kep")
    assert answer.status == 404
    (missing,) = answer.json["not_found"]
    assert (missing["id"], missing["did_you_mean"][0]) == ("a.md#kep", "docs:a.md#keep")
    described = ask(served, "/openapi.json").json
    declared = described["paths"]["/api/show"]["get"]["responses"]["404"]["content"]
    assert {kind: one["schema"]["$ref"].rpartition("/")[2] for kind, one in declared.items()} == {
        "application/json": "show",
        "application/problem+json": "problem",
    }
    assert problems(answer.json, "show") == []
    outline = ask(served, "/api/outline", "id=a.md%23kep").json["error"]
    assert outline["hint"].startswith("did you mean docs:a.md#keep or ")


def test_only_the_methods_of_a_path(served: Site) -> None:
    for path in ("/", "/api/search", "/openapi.json"):
        refused = ask(served, path, "q=a", "POST")
        assert refused.status == 405
        assert {*refused.headers["allow"].split(", ")} == {"GET", "HEAD"}
    assert ask(served, "/api/chunk").headers["allow"] == "POST"
    head = ask(served, "/api/trees", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) == len(ask(served, "/api/trees").body)


def test_what_documents_hold_is_data(served: Site) -> None:
    (found,) = ask(served, "/api/search", "q=evil").json["results"]
    assert found["title"] == "<script>alert(1)</script>"
    assert "<script" not in found["snippet"]
    assert "<img" not in found["snippet"]
    body = ask(served, "/api/search", "q=evil").body.decode()
    assert "\u202e" not in body
    assert "\x1b" not in body


PAGES = ("/", "/doc", "/lab", "/status", "/help", "/why", "/changes", "/sign-in")


def test_pages_are_under_a_strict_policy(served: Site) -> None:
    for path in PAGES:
        page = ask(served, path, "id=evil.md&q=evil")
        assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["referrer-policy"] == "same-origin"
        assert page.headers["cross-origin-resource-policy"] == "same-origin"


def test_what_documents_hold_is_no_markup_on_pages(served: Site) -> None:
    for path in ("/", "/doc", "/lab", "/why"):
        text = ask(served, path, "id=evil.md&q=evil&view=source").body.decode()
        assert "alert(1)" in text or path == "/why"
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert " style=" not in text


def test_a_page_that_is_not_there_says_so_in_its_own_shape(served: Site) -> None:
    page = ask(served, "/stats", accept="text/html")
    assert page.status == 404
    assert '<a href="/status">/status</a>' in page.body.decode()
    missing = ask(served, "/doc", "id=a.md%23kep")
    assert missing.status == 404
    assert "docs:a.md#keep" in missing.body.decode()


def test_half_a_query_shows_results_below_what_is_said_of_it(served: Site) -> None:
    text = ask(served, "/", "q=title:%22restore").body.decode()
    assert "opening quote" in text
    assert "How to " in text


PAGE = Path(site.__file__).parent / "page"


def test_the_script_makes_no_markup() -> None:
    text = (PAGE / "page.js").read_text(encoding="utf-8")
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "http:",
    ):
        assert word not in text


def test_nothing_in_templates_needs_a_looser_policy_or_another_server() -> None:
    for path in (PAGE / "templates").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        for word in ("style=", "<style", "onclick", "http://", "https://", "| safe"):
            assert word not in text, path.name


def test_the_description_is_that_of_the_paths(served: Site) -> None:
    described = ask(served, "/openapi.json").json
    assert described == json.loads(json.dumps(describe(ROUTES)))
    shapes = described["components"]["schemas"]
    for route in ROUTES:
        operation = described["paths"][route.path][route.method.lower()]
        if route.method == "GET":
            names = [each["name"] for each in operation["parameters"]]
        else:
            (body,) = operation["requestBody"]["content"].values()
            names = list(body["schema"]["properties"])
        assert names == [each.name for each in route.parameters]
        assert len({each.name for each in route.parameters}) == len(route.parameters)
    text = json.dumps(described)
    assert "#/$defs" not in text
    for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in shapes


def with_call(served: Site, run: object) -> Site:
    """The site, with another call behind one path."""
    trees = next(route for route in ROUTES if route.path == "/api/trees")
    return Site(served.workspace, api=[trees._replace(run=run)])  # type: ignore[arg-type]


def test_a_bug_is_logged_and_not_shown(served: Site, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a secret")

    answer = ask(with_call(served, broken), "/api/trees")
    assert (answer.status, answer.message) == (500, "internal error; the server's log says more")
    assert b"secret" not in answer.body
    assert "ZeroDivisionError: a secret" in caplog.text


def test_an_answer_that_takes_too_long_is_not_waited_for(
    served: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(site, "ANSWER_TIMEOUT_S", 0.05)
    answer = ask(with_call(served, lambda _: ended.wait(60)), "/api/trees", "no_refresh=true")
    ended.set()
    assert (answer.status, answer.message) == (504, "the answer took too long")


def test_more_calls_than_can_wait_are_refused(
    served: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "MAX_WAITING", 0)
    answer = ask(served, "/api/trees")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")


def test_an_answer_is_of_bounded_size(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_ANSWER_BYTES", 10)
    chunked = post(served, "/api/chunk", text="# A\n")
    for answer in (ask(served, "/api/search", "q=restore"), chunked):
        assert (answer.status, answer.message) == (400, "the answer is larger than 0 MiB")


def test_values_are_read_by_their_kinds() -> None:
    search = next(route for route in ROUTES if route.path == "/api/search")
    found = read_query(search.parameters, b"q=a+b&q=%C3%A9&limit=07&strict=true&grain=piece")
    assert (found["q"], found["limit"], found["strict"], found["grain"]) == (
        ["a b", "é"],
        7,
        True,
        "piece",
    )
    with pytest.raises(UsageError, match="`limit` got '٣'"):
        read_query(search.parameters, b"q=a&limit=%D9%A3")


def test_an_answer_from_a_revision_is_of_its_documents(served: Site) -> None:
    def body(at: str) -> str:
        return str(ask(served, "/api/show", f"id=a.md&full_document=true{at}").json["results"])

    assert ("How to save" in body("&at=v1"), "How to save" in body("")) == (True, False)
    assert b"How to save" in ask(served, "/doc", "id=a.md&rev=v1").body
    assert ask(served, "/api/show", "id=a.md%23drop&at=v1").status == 200
    wrong = ask(served, "/api/search", "q=save&at=v9")
    assert (wrong.status, wrong.message) == (404, "there is no revision 'v9'")


def test_a_revision_that_takes_long_says_how_far_it_is_and_is_there_when_it_is_done(
    served: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = threading.Event()

    def slowly(project: Project, revision: str, *, progress: Any) -> Project:
        progress("indexing", 3, 9)
        assert going.wait(30)
        return project_at(project, revision, progress=progress)

    monkeypatch.setattr(jobs, "project_at", slowly)
    monkeypatch.setattr(site, "REVISION_PATIENCE_S", 0.05)
    monkeypatch.setattr(site, "PATIENCE_S", 0.05)
    page = ask(served, "/doc", "id=a.md&rev=v1")
    assert page.status == 503
    assert b"v1 is being indexed" in page.body
    assert b"3 of 9 sources" in page.body
    assert b'http-equiv="refresh"' in page.body
    said = ask(served, "/api/show", "id=a.md&at=v1")
    assert said.status == 503
    assert said.message == "the revision v1 is being indexed: 3 of 9 sources"
    going.set()
    monkeypatch.setattr(site, "REVISION_PATIENCE_S", 30.0)
    assert b"How to save" in ask(served, "/doc", "id=a.md&rev=v1").body


def test_what_visitors_make_a_server_index_is_bounded(
    served: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = threading.Event()
    monkeypatch.setattr(jobs, "project_at", lambda *_, **__: going.wait(30))
    project = served.workspace.project()
    others = jobs.RevisionJobs(is_local=False)
    asked = [others.ask(project, f"v{number}") for number in range(jobs.MAX_QUEUED)]
    assert others.ask(project, "v0") is asked[0]
    with pytest.raises(jobs.TooManyError, match="too many revisions are being indexed"):
        others.ask(project, "v99")
    going.set()
    assert all(one.result(30) for one in asked)

    def made(project: Project, revision: str, *, progress: Any) -> Project:
        progress("indexing", 1, 1)
        return project

    monkeypatch.setattr(jobs, "project_at", made)
    for number in range(jobs.MAX_AN_HOUR):
        assert others.ask(project, f"w{number}").result(30) is project
    with pytest.raises(jobs.TooManyError, match="within an hour"):
        others.ask(project, "w99")
    assert jobs.RevisionJobs(is_local=True).ask(project, "w99").result(30) is project


def test_the_editor_that_opens_files_is_chosen_and_kept(served: Site) -> None:
    assert b'href="vscode://file/' in ask(served, "/doc", "id=a.md").body
    chosen = ask(served, "/help", "editor=zed")
    assert chosen.headers["set-cookie"].startswith("leafmark-editor=zed; ")
    assert b'<option value="zed" selected>' in chosen.body
    assert b'href="zed://file/' in ask(served, "/doc", "id=a.md&editor=zed").body
    assert b'href="vscode://file/' in ask(served, "/doc", "id=a.md&editor=javascript").body


def test_a_long_document_is_not_in_its_own_page_a_second_time(
    tmp_path: Path,
) -> None:
    text = "# Long\n\n" + "A sentence of it.\n\n" * 60_000
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long.md").write_text(text)
    environ = {"HOME": str(tmp_path), "LEAFMARK_HOME": str(tmp_path / "home")}
    workspace = Workspace(lambda s: open_project(tmp_path / "docs", flags=s, environ=environ))
    assert workspace.wait(workspace.ask(), timeout_s=120).state == "fresh"
    assert len(ask(Site(workspace), "/doc", "id=long.md").body) < len(text) / 4


def test_names_of_revisions_are_no_paths_and_no_options(served: Site) -> None:
    for name in ("/etc", ".", "--all", "-p", "v1:a.md", "v1^{tree}", "a%00b", "@{-1}"):
        for query in (f"old={name}", f"old=v1&new={name}"):
            assert b'id="nothing"' in ask(served, "/changes", query).body, query
        assert ask(served, "/doc", f"id=a.md&rev={name}").status in (400, 404)


def test_changed_text_is_no_markup(served: Site) -> None:
    page = ask(served, "/changes", "old=v1").body.decode()
    assert "How to save" not in page
    assert "<del>save</del>" in page
    assert "<ins>restore</ins>" in page
    assert "<script>" not in page
