"""Real conversations with `leafmark serve`: the installed command, over HTTP."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support import servers
from support.command import Leafmark, clean_environment
from support.schema import problems
from support.servers import PATIENCE_S

COMMAND = [sys.executable, "-m", "leafmark", "serve"]
HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


class Answer(NamedTuple):
    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Site(NamedTuple):
    """A server that is running, its folder, and the environment of both."""

    address: str
    docs: Path
    environment: dict[str, str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for all that it survives: each leaves the folder as it found it."""
    place = tmp_path_factory.mktemp("served")
    shutil.copytree(HANDBOOK, place / "docs")
    (place / "home").mkdir()
    environment = clean_environment(place / "home")
    with serving(place / "docs", environment) as address:
        fresh(address, "/api/trees")
        yield Site(address, place / "docs", environment)


def serving(
    folder: Path, environment: dict[str, str], *options: str
) -> AbstractContextManager[str]:
    """Run the server on a free port; give its address."""
    return servers.serving(
        folder, environment, "serve", *options, told=r"serving at (http://\S+)/\n"
    )


def get(address: str, path: str, method: str = "GET", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(f"{address}{path}", headers=named, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return Answer(answer.status, answer.read(), dict(answer.headers))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read(), dict(error.headers))


def fresh(address: str, path: str) -> Answer:
    """Ask again while the index is built for the first time, or a slow machine looks at files."""
    for _ in range(200):
        answer = get(address, path)
        if answer.status != 503 and b"is being brought up to date" not in answer.body:
            return answer
    raise AssertionError(answer.body)


def test_the_api_gives_what_the_command_prints(site: Site, leafmark: Leafmark) -> None:
    chunk, search = "guides/backups.md#restoring-a-backup", "how long are backups kept?"
    quoted = urllib.parse.quote(chunk)
    paths = {
        ("search", search, "--explain"): f"/api/search?q={urllib.parse.quote(search)}&explain=true",
        ("show", chunk): f"/api/show?id={quoted}",
        ("ls", "docs"): "/api/documents",
        ("ls", "trees"): "/api/trees",
    }
    for command, path in paths.items():
        given = fresh(site.address, path).json
        printed = leafmark(*command, "--json", cwd=site.docs, HOME=site.environment["HOME"]).json
        for record in (printed, given):
            record.pop("elapsed_ms", None)
            for hint in record.get("hints", ()):
                hint.pop("message")  # each says it in its own terms
        assert given == printed, command


def test_what_changes_is_found(site: Site) -> None:
    address, docs, _ = site
    assert fresh(address, "/api/search?q=okapi").json["results"] == []
    (docs / "new.md").write_text("# Okapi\n\nAn okapi is here.\n")
    (found,) = get(address, "/api/search?q=okapi").json["results"]
    assert found["id"] == "docs:new.md"
    (docs / "new.md").unlink()
    assert get(address, "/api/search?q=okapi").json["results"] == []


def test_the_page_and_the_description_are_there(site: Site) -> None:
    address = site.address
    followed = {
        "Sec_Fetch_Site": "cross-site",
        "Sec_Fetch_Mode": "navigate",
        "Sec_Fetch_Dest": "document",
    }
    page = get(address, "/?q=backup", **followed)
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    for name in re.findall(r'(?:src|href)="/([\w.]+)"', page.body.decode()):
        assert get(address, f"/{name}").status == 200, name
    described = get(address, "/openapi.json").json
    assert described["openapi"] == "3.1.0"
    for path, item in described["paths"].items():
        if "get" in item:
            needs = [each["name"] for each in item["get"]["parameters"] if each["required"]]
            answer = fresh(address, path)
            expected = 400 if needs else 200
            assert answer.status == expected, path
            assert problems(answer.json, "problem") == [] or expected == 200


def test_foreign_pages_and_hosts_are_refused(site: Site) -> None:
    address = site.address
    for status, headers in [
        (421, {"Host": "evil.example"}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Sec_Fetch_Site": "cross-site"}),
        (403, {"Sec_Fetch_Site": "same-site"}),
    ]:
        refused = get(address, "/api/trees", **headers)
        assert (refused.status, problems(refused.json, "problem")) == (status, [])
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json["error"]["hint"]
    assert get(address, "/api/trees", "POST").status == 405
    assert get(address, "/api/trees", "OPTIONS", Origin="http://evil.example").status == 403
    assert fresh(address, "/api/trees").status == 200


def test_many_at_once_and_bodies_that_hang(site: Site) -> None:
    found: list[int] = []
    with ExitStack() as held, serving(site.docs, site.environment) as address:
        fresh(address, "/api/search?q=backups")
        place = urllib.parse.urlsplit(address)
        assert place.hostname is not None
        head = f"GET /api/trees HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 9\r\n\r\n{{"
        for _ in range(5):
            hanging = held.enter_context(
                socket.create_connection((place.hostname, place.port or 0))
            )
            hanging.sendall(head.encode())
        many = [
            threading.Thread(target=lambda: found.append(get(address, "/api/search?q=a").status))
            for _ in range(60)
        ]
        for each in many:
            each.start()
        for each in many:
            each.join(PATIENCE_S)
    assert found == [200] * 60


def test_a_socket_for_messages_is_never_opened(site: Site) -> None:
    """No guard would look at what comes over it, and any page may ask for one."""

    def ask(address: str, *headers: str) -> bytes:
        place = urllib.parse.urlsplit(address)
        assert place.hostname is not None
        upgrade = (
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        )
        lines = ["GET /openapi.json HTTP/1.1", f"Host: {place.netloc}", *upgrade, *headers]
        with socket.create_connection((place.hostname, place.port or 0), PATIENCE_S) as asking:
            asking.sendall("\r\n".join([*lines, "", ""]).encode())
            return asking.recv(12)

    assert ask(site.address) == b"HTTP/1.1 200"
    assert ask(site.address, "Origin: https://example.com") == b"HTTP/1.1 403"


def test_elsewhere_needs_a_token(site: Site, leafmark: Leafmark) -> None:
    ran = leafmark("serve", "--host", "0.0.0.0", "--port", "0")
    assert (ran.code, ran.err) == (
        2,
        "error: 0.0.0.0 can be reached from elsewhere, and there is no token\n"
        "hint: put one into LEAFMARK_TOKEN, or leave out --host\n",
    )
    guarded = site.environment | {"LEAFMARK_TOKEN": "s3cret"}
    with serving(site.docs, guarded, "--host", "0.0.0.0") as address:
        local = address.replace("0.0.0.0", "127.0.0.1")
        assert get(local, "/health").status == 200
        assert b"Whoever started this server" in get(local, "/?q=backup", Accept="text/html").body
        refused = get(local, "/api/status")
        assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert get(local, "/api/status", Authorization="Bearer s3cre").status == 401
        assert get(local, "/api/status", Authorization="Bearer s3cret").status == 200


def test_a_folder_that_nobody_meant_wants_a_yes(home: Path, environment: dict[str, str]) -> None:
    (home / "a.md").write_text("# Okapi\n")
    with serving(home, environment) as address:
        refused = get(address, "/api/search?q=okapi")
        assert refused.status == 503
        hint = "start the server with --yes, or in a smaller folder with -C"
        assert refused.json["error"]["hint"] == hint
    with serving(home, environment, "--yes") as address:
        assert len(fresh(address, "/api/search?q=okapi").json["results"]) == 1


def test_without_the_extra_it_says_what_to_install(leafmark: Leafmark, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import importlib.util, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, p=None: None if n == 'uvicorn' else find(n, p)\n"
    )
    ran = leafmark("serve", PYTHONPATH=str(hidden))
    assert (ran.code, ran.err) == (
        2,
        'error: the web server is not installed\nhint: pip install "leafmark[serve]"\n',
    )


def test_a_search_loads_nothing_of_a_server(leafmark: Leafmark, site: Site) -> None:
    ran = leafmark("search", "backups", cwd=site.docs, PYTHONPROFILEIMPORTTIME="1")
    assert ran.code == 0
    for name in (
        "uvicorn",
        "asyncio",
        "leafmark.server",
        "leafmark.server.web",
        "leafmark.cli.serving",
    ):
        assert not re.search(rf"\| +{re.escape(name)}\b", ran.err), name
