"""A real Chromium on the installed command's page; every test fails on an error in its console.

No page may ask any other server for anything, and none is loaded from elsewhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from support import servers
from support.browsing import (
    BROWSERS,
    HANDBOOK,
    SERVING,
    WIDE,
    OpenPage,
    Served,
    wait_for_index,
    write_corpus,
    write_history,
)
from support.command import clean_environment

PATIENCE_MS = 30_000


@contextmanager
def _serving(place: Path, write: Callable[[Path], object]) -> Iterator[Served]:
    """A server of the folder `handbook` in a place, once `write` has made it and it is indexed."""
    docs = place / "handbook"
    write(docs)
    environment = clean_environment(place)
    with servers.serving(docs, environment, "serve", told=SERVING) as address:
        made = Served(address, docs, environment)
        wait_for_index(made)
        yield made


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with _serving(tmp_path_factory.mktemp("browsed"), write_corpus) as made:
        yield made


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of the example handbook alone: what the docs show."""
    place = tmp_path_factory.mktemp("shown")
    with _serving(place, lambda docs: shutil.copytree(HANDBOOK, docs)) as made:
        yield made.address


@pytest.fixture(scope="session")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of the handbook in a repository with two tags, and a file that is not committed."""
    with _serving(tmp_path_factory.mktemp("dated"), write_history) as made:
        yield made


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser; a machine without one fails here, and says what to install.

    As long as it is open an event loop runs, which other tests must not find.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.fail("the tests of the page need Chromium: apt-get install chromium-headless-shell")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as tools:
        # of pages from one address, one process shows all: to start it takes a second of processor
        options = ["--no-sandbox", "--process-per-site"]
        browser = tools.chromium.launch(executable_path=found, args=options)
        yield browser
        browser.close()


Contexts = dict[tuple[object, ...], BrowserContext]


@pytest.fixture(scope="module")
def contexts(chromium: Browser) -> Iterator[Contexts]:
    """What was opened, by address and looks: a test leaves no page and no cookie in it."""
    made: Contexts = {}
    yield made
    for context in made.values():
        context.close()


def _context(
    contexts: Contexts, chromium: Browser, address: str, *, size: Any, scheme: Any, script: bool
) -> BrowserContext:
    key = (address, *size.values(), scheme, script)
    if key not in contexts:
        contexts[key] = chromium.new_context(
            viewport=size,
            color_scheme=scheme,
            java_script_enabled=script,
            permissions=["clipboard-read", "clipboard-write"],
            reduced_motion="reduce",
        )
        contexts[key].new_page().goto(f"{address}/health")  # which keeps the process
    return contexts[key]


@pytest.fixture
def open_page(
    chromium: Browser, contexts: Contexts, request: pytest.FixtureRequest
) -> Iterator[OpenPage]:
    """Open a path in a page of its own: `size`, `scheme` and `script` say in what browser."""
    pages: list[Page] = []
    wrong: list[str] = []

    def told(message: ConsoleMessage) -> None:
        status = "the server responded with a status of"  # which a test looks at itself
        if message.type in ("error", "warning") and status not in message.text:
            wrong.append(message.text)

    def opened(
        path: str,
        *,
        size: dict[str, int] | None = None,
        scheme: str = "light",
        script: bool = True,
        address: str = "",
    ) -> Page:
        address = address or request.getfixturevalue("served").address
        context = _context(
            contexts, chromium, address, size=size or WIDE, scheme=scheme, script=script
        )
        page = context.new_page()
        pages.append(page)
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", told)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(address) else wrong.append(f"asked {request.url}")
            ),
        )
        page.goto(address + path)
        return page

    yield opened
    for page in pages:
        if not page.is_closed():
            page.context.clear_cookies()
            page.close()
    assert wrong == []
