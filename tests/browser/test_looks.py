"""Every view in light, dark and on a phone: axe has nothing to say, and there is what is said.

In the dark only colours differ, so that axe looks at nothing else there; on a phone all else does.

`python -m pytest tests/browser/test_looks.py --update-golden` writes the pictures of the docs.
"""

from __future__ import annotations

import base64
import json
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, ViewportSize, expect
from support.browsing import FORMATS, PHONE, WIDE, OpenPage, Served

from leafmark.chunking import STRATEGIES
from leafmark.errors import UsageError
from leafmark.server.web.visits import Address, Visit, render_page
from leafmark.server.workspace import Activity, Freshness

IMAGES = Path(__file__).parents[2] / "docs" / "images"

LOOKS: dict[str, tuple[ViewportSize, Literal["light", "dark"]]] = {
    "light": (WIDE, "light"),
    "dark": (WIDE, "dark"),
    "phone": (PHONE, "light"),
}

SETTINGS = "strategy=section&min_tokens=30&target_tokens=60&max_tokens=120"
OTHERS = "compare=1&b_strategy=fixed&b_fixed_tokens=60&b_fixed_overlap=10"

VIEWS = {
    "home": "/",
    "search": "/?q=restore+backup&at=guides/backups.md%23restoring-a-backup",
    "why": "/?q=restore+backup&tab=why",
    "nothing": "/?q=zebra&strict=1&tree=handbook",
    "mistake": "/?q=title:%22open",
    "document": "/doc?id=guides/backups.md",
    "source": "/doc?id=guides/backups.md&view=source&q=backup",
    "lab": f"/lab?{SETTINGS}&{OTHERS}",
    "status": "/status",
    "missing": "/why?q=restore+backup&id=guides/install.md",
    "help": "/help",
    "problem": "/doc?id=nothing",
}
DATED = {
    "changes": "/changes?old=v1&new=v2",
    "unchanged": "/changes?old=v2&new=v2",
    "unknown": "/changes?old=v9",
    "revision": "/doc?id=handbook:guides/install.md&rev=v1",
    "past": "/?q=uploads+slow&rev=v1",
}
"""What needs a repository."""

ALL: dict[str, object] = {"resultTypes": ["violations"]}
CHECKS: dict[str, dict[str, object]] = {
    "light": ALL,
    "dark": ALL | {"runOnly": ["color-contrast"]},
    "phone": ALL | {"rules": {"color-contrast": {"enabled": False}}},
}

PICTURES = ("home", "search", "why", "document", "lab", "status", "changes")


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_every_view_is_accessible_and_in_the_docs_as_it_is(
    open_page: OpenPage,
    handbook: str,
    dated: Served,
    request: pytest.FixtureRequest,
    size: ViewportSize,
) -> None:
    update = bool(request.config.getoption("--update-golden"))
    wrong = []
    for address, views in ((handbook, VIEWS), (dated.address, DATED)):
        page = open_page("/", size=size, address=address)
        for name, path in views.items():
            page.goto(address + path)
            page.wait_for_timeout(50)
            for look in ("phone",) if size is PHONE else ("light", "dark"):
                wrong += faults(page, name, look)
                if name in PICTURES and update:
                    IMAGES.mkdir(exist_ok=True)
                    image = as_webp(page.context.new_page(), page.screenshot())
                    (IMAGES / f"{name}-{look}.webp").write_bytes(image)
    assert not wrong, "\n".join(wrong)


def faults(page: Page, name: str, look: str, *, is_checked: bool = True) -> list[str]:
    """Return what is wrong with how a page looks; it is shown so from then on.

    Unless `is_checked` that is only whether it fits.
    """
    size, scheme = LOOKS[look]
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    assert page.inner_text("main").strip(), name
    wide = page.evaluate("document.documentElement.scrollWidth") > size["width"]
    wrong = [f"{name} is wider than the window"] if wide else []
    if is_checked:
        if not page.evaluate("'axe' in window"):
            page.evaluate(Axe().axe_script)
        found = AxeResults(page.evaluate("axe.run", CHECKS[look]))
        wrong += [f"{name}: {found.generate_report()}"] if found.violations_count else []
    return wrong


def test_every_format_is_accessible_in_every_view(open_page: OpenPage, served: Served) -> None:
    page = open_page("/")
    names = sorted(f"formats/{one.name}" for one in FORMATS.iterdir())
    sizes = "min_tokens=1&target_tokens=20&max_tokens=40&fixed_tokens=20&fixed_overlap=4"
    views = [
        *(f"/doc?id={name}" for name in names),
        *(f"/doc?id={name}&view=source&q=tapir" for name in names[:2]),
        *(f"/lab?id=formats/tapir.rst&strategy={one}&{sizes}" for one in STRATEGIES),
        f"/lab?id=formats/tapir.html&compare=1&strategy=section&b_strategy=fixed&{sizes}",
        *(f"/?q=tapir&tab={tab}" for tab in ("rendered", "source", "chunks", "why")),
    ]
    wrong = []
    kinds: set[tuple[str, ...]] = set()  # axe sees one of each as a phone shows it
    for view in views:
        page.goto(served.address + view)
        kind = (
            view.partition("?")[0],
            *(one for one in ("view=", "compare=", "tab=") if one in view),
        )
        for look in LOOKS:
            is_checked = look != "phone" or kind not in kinds
            wrong += faults(page, view, look, is_checked=is_checked)
        kinds.add(kind)
    assert not wrong, "\n".join(wrong)


RUN: dict[str, object] = {
    "running": True,
    "done": 120,
    "total": 800,
    "error": None,
    "revisions": {},
}


def test_what_is_being_built_is_accessible_and_says_how_far_it_is(
    open_page: OpenPage, served: Served
) -> None:
    waiting = Visit(Address("/", {}), None, Freshness("building"), 0, True)  # type: ignore[arg-type]
    first = render_page(
        "problem.html",
        waiting,
        error=UsageError("not yet"),
        status=503,
        activity=Activity(running=True, done=1, total=800),
        building=None,
    )
    page = open_page("/help")
    page.route("**/first", lambda route: route.fulfill(body=first, content_type="text/html"))
    for path, version in (("/status", 1), ("/first", 0)):
        event = f"event: index\ndata: {json.dumps(RUN | {'version': version})}\n\n"
        told = {"body": event, "content_type": "text/event-stream"}
        page.route("**/events", partial(_fulfill, told))
        page.goto(served.address + path)
        expect(page.locator("#runtext")).to_have_text("Reading 120 of 800 sources")
        expect(page.locator("#runbar")).to_have_attribute("value", "120")
        wrong = [each for look in LOOKS for each in faults(page, path, look)]
        assert not wrong, "\n".join(wrong)


def _fulfill(answer: dict[str, str], route: Route) -> None:
    route.fulfill(**answer)  # type: ignore[arg-type]


def as_webp(page: Page, picture: bytes) -> bytes:
    """Let the browser encode a picture: a tenth of the size of a PNG."""
    data = page.evaluate(
        """async (png) => {
          const image = new Image();
          image.src = "data:image/png;base64," + png;
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = image.width;
          canvas.height = image.height;
          canvas.getContext("2d").drawImage(image, 0, 0);
          return canvas.toDataURL("image/webp", 0.82);
        }""",
        base64.b64encode(picture).decode(),
    )
    page.close()
    return base64.b64decode(data.partition(",")[2])
