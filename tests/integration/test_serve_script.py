"""What the page's scripts do, run by Node where it is there.

A range must never be counted in characters, every byte of a source is shown once, and no key
leads out of the page.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import leafmark
from leafmark.chunking import STRATEGIES, ChunkingOptions, Strategy
from leafmark.render.chunks import outline_record
from leafmark.server import web

SCRIPT = Path(web.__file__).parent / "page" / "source.js"
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")

RUN = """
const fs = require("node:fs"), vm = require("node:vm");
const context = vm.createContext({ TextDecoder, given: JSON.parse(fs.readFileSync(0, "utf-8")) });
vm.runInContext(fs.readFileSync(process.argv[1], "utf-8"), context);
const found = vm.runInContext(`
  const raw = Uint8Array.from(given.raw);
  const lanes = given.outlines.map(ranges);
  ({
    rows: rows(lanes, raw.length).map(({ start, end, parts }) =>
      [start, end, parts.map((part) => part?.chunk?.position ?? null)]),
    marked: given.within.map(([position, spans]) =>
      inSource(given.outlines[0].chunks[position], spans).map(([a, b]) =>
        decoder.decode(raw.subarray(a, b)))),
    shown: plain(decoder.decode(raw)),
  })`, context);
process.stdout.write(JSON.stringify(found));
"""


def node(program: str, *scripts: Path, given: object) -> Any:
    """Run a program with the page's scripts, and give what it answers to what it is given."""
    done = subprocess.run(
        ["node", "-e", program, *map(str, scripts)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def run(source: bytes, *strategies: Strategy, within: list[Any] | None = None) -> tuple[Any, Any]:
    """Give what the script makes of a source, and the outlines that it was given."""
    outlines = []
    for strategy in strategies or STRATEGIES:
        sizes: Any = {"fixed_tokens": 30, "fixed_overlap": 10} if strategy == "fixed" else {}
        options = ChunkingOptions(strategy=strategy, **sizes)
        chunks = leafmark.chunk(source, path="a.md", tree="t", strategy=strategy, **sizes)
        outlines.append(outline_record(chunks[0].owner, options))
    given = {"raw": list(source), "outlines": outlines, "within": within or []}
    return node(RUN, SCRIPT, given=given), outlines


SOURCES = [
    *sorted((ROOT / "examples" / "handbook").rglob("*.md")),
    ROOT / "docs" / "search.md",
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_rows_hold_every_byte_once_and_belong_to_the_chunks_that_have_it(path: Path) -> None:
    source = path.read_bytes()
    found, outlines = run(source)
    ends = [0]
    for start, end, _ in found["rows"]:
        assert start == ends[-1]
        ends.append(end)
    assert ends[-1] == len(source)
    for lane, outline in enumerate(outlines):
        for start, end, parts in found["rows"]:
            position = parts[lane]
            assert position is not None
            chunk = outline["chunks"][position]
            held = [*chunk["body_spans"], [chunk["heading_start"], chunk["heading_end"]]]
            assert any(None not in span and span[0] <= start and end <= span[1] for span in held)


def test_matches_are_found_in_bytes() -> None:
    source = "# Ünïcode 😀\n\nNaïve café 😀 tail.\n\n## Zwei\n\nSüß \u202e\x1b end.\n".encode()
    first, second = source.index(b"caf"), source.index("Süß".encode())
    starts = [0, source.index(b"\n\nNa") + 1, source.index(b"\n\nS") + 1]
    within = [
        [1, [[first - starts[1], first - starts[1] + 5]]],
        [2, [[second - starts[2], second - starts[2] + 5]]],
    ]
    found, _ = run(source, "heading", within=within)
    assert found["marked"] == [["café"], ["Süß"]]
    assert "\\u202e\\u001b end" in found["shown"]


APP = """
const fs = require("node:fs"), vm = require("node:vm");
const given = JSON.parse(fs.readFileSync(0, "utf-8"));
const listeners = {}, elements = {}, calls = [];
let sent;
const element = () => ({
  value: "", options: [], classList: { add() {}, remove() {} },
  addEventListener() {}, append() {}, replaceChildren() {}, focus() {}, blur() {},
});
const location = { pathname: "/", search: given.address, origin: "http://here" };
const enter = (state, _, url) => {
  history.state = state;
  if (url !== undefined) location.search = url === "/" ? "" : url;
};
const history = {
  state: given.state, replaceState: enter,
  pushState(...entry) { calls.push("push"); enter(...entry); },
  back() { calls.push("back"); },
};
const document = {
  activeElement: null, createElement: element,
  getElementById: (id) => (elements[id] ??= element()),
};
const context = vm.createContext({
  AbortController, TextDecoder, TextEncoder, URLSearchParams, document, history, location,
  scrollY: 0,
  addEventListener: (name, call) => (listeners[name] = call), scrollTo() {},
  fetch: (_, { headers }) => { sent ??= headers; return new Promise(() => {}); },
  sessionStorage: { getItem: () => given.token ?? null },
  setTimeout: () => 0, clearTimeout() {},
});
for (const script of process.argv.slice(1)) {
  vm.runInContext(fs.readFileSync(script, "utf-8"), context);
}
listeners.keydown({ key: "Escape", preventDefault() {} });
process.stdout.write(JSON.stringify({ calls, address: location.search, sent }));
"""


def begin(**given: object) -> Any:
    """Begin the page at an address, press Escape, and give what came of it."""
    return node(APP, SCRIPT, SCRIPT.with_name("app.js"), given=given)


@pytest.mark.parametrize(
    ("address", "state", "calls", "then"),
    [
        ("?q=x&doc=a", {"opened": True}, ["back"], "?q=x&doc=a"),
        ("?q=x&doc=a&by=auto", None, ["push"], "?q=x"),
        ("?doc=a", None, ["push"], ""),
        ("?q=x", None, [], "?q=x"),
    ],
    ids=["opened here", "by its address", "with no query", "no document"],
)
def test_escape_leaves_a_document_and_never_the_page(
    address: str, state: object, calls: list[str], then: str
) -> None:
    found = begin(address=address, state=state)
    assert (found["calls"], found["address"]) == (calls, then)


def test_a_token_is_sent_as_the_bytes_that_the_server_compares() -> None:
    sent = begin(address="?q=x", token="pässwort €")["sent"]["Authorization"]
    assert sent.encode("latin-1") == "Bearer pässwort €".encode()
