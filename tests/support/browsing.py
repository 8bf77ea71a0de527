"""What the tests in a browser have in common: a folder of documents, and a server of it."""

from __future__ import annotations

import json
import shutil
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize

from support.repositories import GitRepository

SERVING = r"serving at (http://\S+)/\n"
FORMATS = Path(__file__).parents[1] / "browser" / "formats"
"""A document of each format, with what is hard to show well."""

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WIDE: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

OpenPage = Callable[..., Page]

EVIL = """\
# <script>window.pwned = 1</script> `<img src=x onerror="window.pwned=2">`

<script>window.pwned = 3</script>
<img src="https://example.com/track.png" onerror="window.pwned = 4" alt="A chart">
<svg onload="window.pwned = 5"><script>window.pwned = 6</script></svg>
<iframe src="https://example.com/"></iframe><style>body { display: none }</style>
<form action="https://example.com/"><button onclick="window.pwned = 7">press</button></form>
<a href="javascript:window.pwned=8" id="q" style="position:fixed;inset:0">wicked link</a>
<base href="https://example.com/"><meta http-equiv="refresh" content="0;url=https://example.com/">

[wicked](javascript:window.pwned=9) ![pixel](https://example.com/pixel.png) \u202etxet\x1b[31m

## {{ 7 * 7 }} <b onmouseover="window.pwned = 10">wicked bold</b>

Wicked text with <math><mtext><table><mglyph><style><img src=x onerror=window.pwned=11>.
"""


def write_corpus(docs: Path) -> None:
    """The handbook, hostile documents, each format, sixty on one word, and one of 5 MB."""
    shutil.copytree(HANDBOOK, docs)
    shutil.copytree(FORMATS, docs / "formats")
    (docs / "evil.md").write_text(EVIL, encoding="utf-8")
    (docs / "evil.html").write_text(f"<title>Wicked page</title><main>{EVIL}</main>", "utf-8")
    (docs / "kayak.html").write_text("<title>Kayak</title><main><p>A kayak.</p></main>", "utf-8")
    (docs / "many").mkdir()
    for number in range(60):
        text = f"# Gazelle {number}\n\nA gazelle, number {number}, of the herd {number % 7}.\n"
        (docs / "many" / f"gazelle-{number:02}.md").write_text(text)
    sections = (
        f"## Chapter {number}\n\n" + f"Paragraph {number} of the long book. " * 60 + "\n\n"
        for number in range(2600)
    )
    (docs / "book.md").write_text("# The long book\n\n" + "".join(sections))
    assert (docs / "book.md").stat().st_size > 5_000_000


def write_history(docs: Path) -> GitRepository:
    """The handbook in two tagged revisions, and a working file that is not committed.

    From `v1` to `v2` a section is renamed, one moves to another file, one is edited, one comes and
    one goes, and a document that another one links to is called otherwise.
    """
    shutil.copytree(HANDBOOK, docs)
    repository = GitRepository(docs)
    repository.commit({}, "The handbook", tag="v1", at="2026-01-01T12:00:00Z")
    backups = (docs / "guides" / "backups.md").read_text()
    one_file = backups[backups.index("### Restoring one file") : backups.index("## Testing")]
    edited = (
        backups.replace(one_file, "")
        .replace("Seven daily and four weekly", "Fourteen daily and eight weekly")
        .replace("## Testing your backups", "## Rehearsing a restore")
    )
    install = (docs / "guides" / "install.md").read_text()
    trouble = (docs / "guides" / "troubleshooting.md").read_text()
    slow = trouble[trouble.index("## Uploads are slow") :]
    repository.commit(
        {
            "guides/backups.md": edited,
            "guides/files.md": f"# Files\n\n{one_file.replace('###', '##')}",
            "guides/install.md": None,
            "guides/installing.md": install,
            "guides/troubleshooting.md": trouble.replace(
                slow, "## Downloads stall\n\nAsk for a range of the file again.\n"
            ),
        },
        "Files have a page of their own",
        tag="v2",
        at="2026-02-01T12:00:00Z",
    )
    repository.write({"guides/files.md": f"# Files\n\nNew here.\n\n{one_file}"})
    return repository


class Served:
    """A server: its address, its folder, and how to ask it without a browser."""

    def __init__(self, address: str, docs: Path, environment: dict[str, str]):
        self.address = address.rstrip("/")
        self.docs = docs
        self.environment = environment

    def ask(self, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(f"{self.address}{path}", data, timeout=60) as answer:
            return json.loads(answer.read())


def wait_for_index(served: Served) -> None:
    for _ in range(600):
        if served.ask("/health")["status"] == "ok":
            return
        time.sleep(0.1)
    raise AssertionError(served.ask("/health"))
