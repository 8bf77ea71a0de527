"""Real conversations with `leafmark mcp`: the SDK's client, raw lines, HTTP, another client."""

from __future__ import annotations

import gc
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import anyio
import jsonschema
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from support import servers
from support.command import Leafmark, clean_environment
from support.servers import MCP_COMMAND, PATIENCE_S, Raw, speaking

from leafmark.chunking import token_counter

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


class Desk(NamedTuple):
    """A folder of documents, and the environment in which it is served."""

    docs: Path
    environment: dict[str, str]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """What the conversations of this module share: each leaves it as it found it."""
    place = tmp_path_factory.mktemp("shared")
    shutil.copytree(HANDBOOK, place / "docs")
    (place / "home").mkdir()
    return Desk(place / "docs", clean_environment(place / "home"))


@pytest.fixture
def docs(work: Path) -> Path:
    shutil.copytree(HANDBOOK, work / "docs")
    return work / "docs"


Talk = Callable[[Callable[[Any], Awaitable[None]]], None]


@pytest.fixture(scope="module", params=["stdio", "stdio-legacy", "http"])
def talk(request: pytest.FixtureRequest, shared: Desk) -> Iterator[Talk]:
    """Hold conversations with one server over a transport and an era of the protocol."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(connected(request.param, shared)) as client,
    ):

        def run(conversation: Callable[[Any], Awaitable[None]]) -> None:
            async def timed() -> None:
                with anyio.fail_after(PATIENCE_S):
                    await conversation(client)

            portal.call(timed)

        yield run
    collect()


@asynccontextmanager
async def connected(transport: str, desk: Desk) -> AsyncIterator[Any]:
    """Start a server and connect the SDK's client to it."""
    if transport == "http":
        with serving(*desk) as address:
            async with Client(address) as client:
                yield client
        return
    mode: Any = "legacy" if transport == "stdio-legacy" else "auto"
    server = StdioServerParameters(
        command=MCP_COMMAND[0], args=MCP_COMMAND[1:], cwd=desk.docs, env=desk.environment
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


def collect() -> None:
    """Collect now what clients leave to the collector: sockets, which it would warn of later."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def serving(
    folder: Path, environment: dict[str, str], *options: str
) -> AbstractContextManager[str]:
    """Run the HTTP server on a free port; give its address."""
    return servers.serving(
        folder, environment, "mcp", "--http", *options, told=r"serving MCP at (http://\S+/mcp)\n"
    )


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    """Call a tool; its answer must be what its schema says."""
    answer = await client.call_tool(tool, arguments)
    if not answer.is_error:
        tools = {each.name: each for each in (await client.list_tools()).tools}
        jsonschema.validate(answer.structured_content, tools[tool].output_schema)
    return answer


def test_the_tools_answer(talk: Talk) -> None:
    async def conversation(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} >= {
            "search",
            "get",
            "outline",
            "list_sources",
            "verify",
        }
        assert all(tool.annotations.read_only_hint and tool.title for tool in tools)

        found = await call(client, "search", query="how do I restore a backup?", max_tokens=3000)
        best = found.structured_content["results"][0]
        assert best["id"].startswith("docs:guides/backups.md")
        assert "index" not in found.structured_content
        cited = re.findall(rf"\[({re.escape(best['id'])}@\w+:\d+-\d+)\]", found.content[0].text)

        read = await call(client, "get", ids=["guides/backups.md#making-a-backup", "nope.md"])
        assert "harbor backup --to" in read.content[0].text
        assert "harbor backup --to" not in str(read.structured_content)
        assert read.structured_content["not_found"] == ["nope.md"]

        listed = await call(client, "outline")
        assert listed.structured_content["total"] == 8
        below = await call(client, "outline", id="guides/backups.md")
        ids = [row["id"] for row in below.structured_content["rows"]]
        assert ids[0] == "docs:guides/backups.md"
        assert "docs:guides/backups.md#making-a-backup" in ids

        near = await call(client, "context", files=["guides/backups.md"])
        assert near.structured_content["results"]
        assert "docs:guides/backups.md" not in str(near.structured_content["results"][0]["id"])
        outside = await call(client, "context", files=["../../../etc/passwd"])
        assert outside.content[0].text == (
            "error: the file is not in the project: ../../../etc/passwd"
        )

        sources = await call(client, "list_sources")
        assert sources.structured_content["trees"][0]["documents"] == 8

        checked = await call(
            client, "verify", text=f"So it is [{cited[0]}] and [docs:x.md@{'0' * 12}:0-1]."
        )
        assert checked.structured_content["ok"] is False
        assert [one["status"] for one in checked.structured_content["citations"]] == ["gone", "ok"]

    talk(conversation)


def test_errors_help(talk: Talk) -> None:
    async def conversation(client: Any) -> None:
        unknown = await call(client, "search", qery="x")
        assert unknown.is_error
        assert unknown.content[0].text.startswith(
            "error: there is no argument `qery`\nhint: did you mean `query`?"
        )
        wrong = await call(client, "search", query='title:"open')
        assert wrong.content[0].text == (
            "error: the query has an opening quote without a closing one\nat: query:7\n"
            'hint: add the closing quote, or write \\" to search for the character itself'
        )
        gone = await call(client, "get", ids=["guides/bakups.md"])
        assert gone.content[0].text == (
            "error: there is no 'guides/bakups.md'\n"
            "did you mean: docs:guides/backups.md, docs:guides/access.md, docs:guides/install.md\n"
            "hint: outline and search give the ids"
        )
        with pytest.raises(MCPError, match="there is no tool `find`"):
            await client.call_tool("find", {})
        colon = await call(client, "search", query="harbor:backup")
        assert colon.structured_content["results"]
        assert (
            "\nhint: no field is called harbor, so “harbor:backup” was taken as text; "
            "write meta.harbor: for a key of the front matter"
        ) in colon.content[0].text
        nothing = await call(client, "search", query="zeppelin hangars of saturn")
        assert (nothing.is_error, nothing.structured_content["results"]) == (False, [])
        small = await call(client, "search", query="backup", max_tokens=200)
        assert not small.is_error or "ask again with max_tokens" in small.content[0].text

    talk(conversation)


def test_resources_and_completion(talk: Talk) -> None:
    async def conversation(client: Any) -> None:
        listed = (await client.list_resources()).resources
        assert "leafmark://docs/guides/backups.md" in [str(each.uri) for each in listed]
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == ["leafmark://{tree}/{+path}"]
        read = await client.read_resource("leafmark://docs/guides/backups.md#making-a-backup")
        assert read.contents[0].text.startswith("## Making a backup\n")
        with pytest.raises(MCPError, match=r"there is no resource leafmark://docs/nope\.md"):
            await client.read_resource("leafmark://docs/nope.md")
        with pytest.raises(MCPError, match="there is no resource file:///etc/passwd"):
            await client.read_resource("file:///etc/passwd")
        with pytest.raises(MCPError, match="there is no resource"):
            await client.read_resource("leafmark://docs/../../../etc/passwd")

        from mcp.types import ResourceTemplateReference

        reference = ResourceTemplateReference(type="ref/resource", uri="leafmark://{tree}/{+path}")
        trees = await client.complete(reference, {"name": "tree", "value": "d"})
        assert trees.completion.values == ["docs"]
        paths = await client.complete(
            reference, {"name": "path", "value": "guides/b"}, {"tree": "docs"}
        )
        assert paths.completion.values == ["guides/backups.md"]

    talk(conversation)


def test_every_answer_sees_the_files_as_they_are(talk: Talk, shared: Desk) -> None:
    docs = shared.docs

    async def conversation(client: Any) -> None:
        nothing = await call(client, "search", query="zeppelin")
        assert nothing.structured_content["results"] == []
        (docs / "new.md").write_text("# Airships\n\nThe zeppelin floats.\n")
        found = await call(client, "search", query="zeppelin")
        assert [each["id"] for each in found.structured_content["results"]] == ["docs:new.md"]
        (docs / "new.md").unlink()
        gone = await call(client, "search", query="zeppelin")
        assert gone.structured_content["results"] == []

    talk(conversation)


@contextmanager
def greeted(desk: Desk) -> Iterator[Raw]:
    with speaking(*desk) as server:
        yield server


@pytest.fixture(scope="module")
def steady(shared: Desk) -> Iterator[Raw]:
    """One server for all that it survives."""
    with greeted(shared) as server:
        yield server


@pytest.fixture
def raw(docs: Path, environment: dict[str, str]) -> Iterator[Raw]:
    """A server of one's own."""
    with greeted(Desk(docs, environment)) as server:
        yield server


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "how do I restore a backup?", "limit": 50}),
        ("search", {"query": "harbor", "topics": ["retries", "quota"]}),
        ("get", {"ids": ["guides/backups.md", "reference/api.md", "nope"]}),
        ("get", {"ids": ["README.md"], "full_document": True}),
        ("outline", {}),
        ("outline", {"id": "guides/troubleshooting.md"}),
        ("list_sources", {}),
        ("context", {"files": ["guides/backups.md", "README.md"]}),
        ("verify", {"text": " ".join(f"[docs:a{n}.md@{n:012x}:0-{n}]" for n in range(1, 60))}),
    ],
)
def test_the_budget_holds_on_the_wire_and_more_of_it_never_shows_less(
    steady: Raw, tool: str, arguments: dict[str, Any]
) -> None:
    count = token_counter("o200k_base")
    before = 0
    for budget in (200, 500, 1300, 3400, 8000):
        params = {"name": tool, "arguments": arguments | {"max_tokens": budget}}
        line = steady.ask("tools/call", params, number=budget)
        result = json.loads(line)["result"]
        if result.get("isError"):
            assert "does not fit" in result["content"][0]["text"]
            assert before == 0
            continue
        assert count(line) <= budget
        text, data = result["content"][0]["text"], result["structuredContent"]
        shown = _shown(text, data)
        assert shown >= before
        before = shown
        assert ("(more: " in text) == ("next" in data)
    assert before > 0


def _shown(text: str, data: dict[str, Any]) -> int:
    """How much of the documents an answer shows: bytes that are cited, and rows."""
    cited = re.findall(r"@[0-9a-f]{12}:(\d+)-(\d+)\]", text)
    rows = [*data.get("rows", []), *data.get("trees", []), *data.get("citations", [])]
    return 1 + len(rows) + sum(int(end) - int(start) for start, end in cited)


@pytest.mark.parametrize("name", ["claude-code", "other"])
def test_a_client_that_shows_one_form_gets_the_text_alone(shared: Desk, name: str) -> None:
    server = Raw(*shared)
    server.greet(name)
    (tool, *_) = json.loads(server.ask("tools/list", {}))["result"]["tools"]
    params = {"name": "search", "arguments": {"q": "backup", "limit": "1"}}
    result = json.loads(server.ask("tools/call", params))["result"]
    both = name == "other"
    assert ("outputSchema" in tool, "structuredContent" in result) == (both, both)
    text = result["content"][0]["text"]
    assert "data, not instructions" in text
    assert "\nhint: `q` was taken as `query`" in text
    assert server.end() == (0, "")


def test_malformed_messages_get_errors_of_the_protocol(steady: Raw) -> None:
    for text, code in (
        ("{not json", -32700),
        ("[]", -32600),
        ('"text"', -32600),
        ("[" * 100_000, -32700),
    ):
        steady.send(text)
        refused = json.loads(steady.line())
        assert (refused["id"], refused["error"]["code"]) == (None, code)
    for message in (
        {"id": 20, "method": "ping"},
        {"jsonrpc": "1.0", "id": 20, "method": "ping"},
        {"jsonrpc": "2.0", "id": 20, "method": "tools/list", "params": []},
        {"jsonrpc": "2.0", "id": 20},
    ):
        steady.send(message)
        refused = json.loads(steady.line())
        assert (refused["id"], refused["error"]["code"]) == (20, -32600)
    assert json.loads(steady.ask("no/such", {}, 21))["error"]["code"] == -32601
    assert json.loads(steady.ask("tools/call", {}, 22))["error"]["code"] == -32602
    assert json.loads(steady.ask("tools/call", {"name": 5}, 23))["error"]["code"] == -32602
    for what in ("resources", "resources/templates", "tools"):
        refused = json.loads(steady.ask(f"{what}/list", {"cursor": "x"}, 24))["error"]
        assert (refused["code"], refused["message"]) == (-32602, "error: there is no cursor 'x'")
    huge = {"name": "search", "arguments": {"query": "x" * 3_000_000}}
    refused = json.loads(steady.ask("tools/call", huge, 25))["result"]
    assert refused["content"][0]["text"].startswith("error: `query` got 'xxx")
    controls = json.loads(
        steady.ask(
            "tools/call", {"name": "search", "arguments": {"query": "\x00\x1b[2J\ud800"}}, 26
        )
    )
    assert controls["error"]["code"] == -32600
    assert "result" in json.loads(steady.ask("ping", {}, 27))


def test_a_cancelled_call_does_not_stop_the_others(steady: Raw) -> None:
    params = {"name": "search", "arguments": {"query": "backup"}}
    steady.send({"jsonrpc": "2.0", "id": 31, "method": "tools/call", "params": params})
    steady.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 31}}
    )
    assert "result" in json.loads(steady.ask("tools/call", params, 32))


def test_a_client_that_is_gone_before_its_answer_is_no_error(shared: Desk) -> None:
    raw = Raw(*shared)
    raw.greet()
    assert raw.process.stdout is not None
    raw.process.stdout.close()
    raw.process.stdout = None
    params = {"name": "search", "arguments": {"query": "backup"}}
    raw.send({"jsonrpc": "2.0", "id": 61, "method": "tools/call", "params": params})
    assert raw.end() == (0, "")


def test_a_first_build_tells_how_far_it_is(
    work: Path, environment: dict[str, str], leafmark: Leafmark
) -> None:
    (work / "big").mkdir()
    for number in range(250):
        text = "".join(f"## S{n}\n\nlantern {number} {n} wick oil\n\n" for n in range(25))
        (work / "big" / f"{number}.md").write_text(f"# D{number}\n\n{text}")
    server = Raw(work / "big", environment)
    server.greet()
    params = {
        "name": "search",
        "arguments": {"query": "lantern", "max_tokens": 900},
        "_meta": {"progressToken": "p"},
    }
    server.send({"jsonrpc": "2.0", "id": 41, "method": "tools/call", "params": params})
    told = []
    while True:
        message = json.loads(server.line())
        if message.get("id") == 41:
            break
        assert message["method"] == "notifications/progress"
        told.append(message["params"]["progress"])
    assert told == sorted(told)
    assert told
    text = message["result"]["content"][0]["text"]
    assert "the index is being built" in text or message["result"]["structuredContent"]["results"]
    server.kill()
    assert leafmark("search", "lantern", cwd=work / "big").code == 0
    assert leafmark("status", "--json", cwd=work / "big").json["lock_holder"] is None


@posix
def test_a_folder_that_was_made_anew_is_served(raw: Raw, docs: Path) -> None:
    params = {"name": "search", "arguments": {"query": "zeppelin"}}
    assert json.loads(raw.ask("tools/call", params, 45))["result"]["structuredContent"]
    shutil.rmtree(docs)
    docs.mkdir()
    (docs / "new.md").write_text("# Airships\n\nThe zeppelin floats.\n")
    found = json.loads(raw.ask("tools/call", params, 46))["result"]["structuredContent"]
    assert [each["id"] for each in found["results"]] == ["docs:new.md"]


@posix
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killing_the_server_leaves_a_sound_index(
    raw: Raw, docs: Path, leafmark: Leafmark, how: signal.Signals
) -> None:
    params = {"name": "search", "arguments": {"query": "backup"}}
    assert "result" in json.loads(raw.ask("tools/call", params, 51))
    for number in range(60):
        (docs / f"n{number}.md").write_text(f"# N\n\nlantern {number}\n")
    raw.send({"jsonrpc": "2.0", "id": 52, "method": "tools/call", "params": params})
    raw.kill(how)
    assert leafmark("index", "--json", cwd=docs).json["documents"] == 68
    assert leafmark("search", "lantern", cwd=docs).code == 0


# HTTP


def _post(address: str, **headers: str) -> tuple[int, str]:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, body, accepted | headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_foreign_pages_and_hosts_are_refused(shared: Desk) -> None:
    with serving(*shared) as address:
        assert _post(address, Origin="http://evil.example")[0] == 403
        assert _post(address, Host="evil.example")[0] == 421
        huge = urllib.request.Request(
            address, b" " * 3_000_000, {"Content-Type": "application/json"}
        )
        with pytest.raises(
            (urllib.error.HTTPError, ConnectionError, urllib.error.URLError)
        ) as caught:
            urllib.request.urlopen(huge, timeout=PATIENCE_S)
        if isinstance(caught.value, urllib.error.HTTPError):
            assert caught.value.code == 413
            caught.value.close()
        del caught
        assert _post(address)[0] in (200, 400)
    collect()


def test_streams_that_are_open_and_bodies_that_hang_do_not_keep_it_from_ending(
    shared: Desk,
) -> None:
    with ExitStack() as held, serving(*shared) as address:
        place = urlsplit(address)
        assert place.hostname is not None
        head = f"POST /mcp HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 9\r\n\r\n{{"
        for _ in range(5):
            hanging = held.enter_context(
                socket.create_connection((place.hostname, place.port or 0))
            )
            hanging.sendall(head.encode())
        assert _post(address)[0] in (200, 400)


def test_elsewhere_needs_a_token(shared: Desk, leafmark: Leafmark) -> None:
    ran = leafmark("mcp", "--http", "--host", "0.0.0.0", "--port", "0")
    assert (ran.code, ran.err) == (
        2,
        "error: 0.0.0.0 can be reached from elsewhere, and there is no token\n"
        "hint: put one into LEAFMARK_TOKEN, or leave out --host\n",
    )
    guarded = shared.environment | {"LEAFMARK_TOKEN": "s3cret"}
    with serving(shared.docs, guarded, "--host", "0.0.0.0") as address:
        local = address.replace("0.0.0.0", "127.0.0.1")
        code, said = _post(local)
        message = json.loads(said)["error"]["message"]
        assert (code, message) == (401, "the token is missing or wrong")
        assert _post(local, Authorization="Bearer s3cret")[0] in (200, 400)


def test_a_port_in_use_is_told(leafmark: Leafmark) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ran = leafmark("mcp", "--http", "--port", port)
    assert ran.code == 2
    assert ran.err == (
        f"error: the port cannot be used: address already in use\n  --> 127.0.0.1:{port}\n"
        "hint: choose another with --port; 0 takes any free one\n"
    )


def test_options_that_belong_to_http(leafmark: Leafmark) -> None:
    ran = leafmark("mcp", "--port", "1")
    assert (ran.code, ran.err) == (2, "error: --port belongs to --http\n")


TALK = """
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const { tools } = await client.listTools();
const found = await client.callTool({ name: "search", arguments: { query: "retries" } });
const uri = "leafmark://docs/guides/backups.md#making-a-backup";
const read = await client.readResource({ uri });
await client.close();
console.log(JSON.stringify({ tools, found, read }));
"""


@pytest.mark.slow
def test_another_client_lists_and_calls(
    docs: Path, environment: dict[str, str], tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """The protocol's client in TypeScript, an implementation of its own in another language.

    It is installed once, in pytest's cache.
    """
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("npm is not installed")
    package, version = "@modelcontextprotocol/client", "2.3.1"
    place = pytestconfig.rootpath / ".pytest_cache" / "clients" / version
    if not place.exists():
        made = tmp_path / "client"
        words = ("--no-audit", "--no-fund", "--silent", f"{package}@{version}")
        installed = subprocess.run(
            [npm, "install", "--prefix", str(made), *words],
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        if installed.returncode != 0:
            pytest.skip(f"the client cannot be installed: {installed.stderr[-200:]}")
        (made / "talk.mjs").write_text(TALK)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, place)
    done = subprocess.run(
        [node, str(place / "talk.mjs"), *MCP_COMMAND, "-C", str(docs)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
        env=environment,
    )
    told = json.loads(done.stdout)
    names = {tool["name"] for tool in told["tools"]}
    assert {"search", "get", "outline", "list_sources", "verify"} <= names
    results = told["found"]["structuredContent"]["results"]
    assert results[0]["id"] == "docs:reference/settings.md#retries"
    assert told["read"]["contents"][0]["text"].startswith("## Making a backup")
