"""Every view in light, dark and on a phone: axe has nothing to say, and there is what is said.

In the dark only colours differ, so that axe looks at nothing else there.

`python -m pytest tests/browser/test_looks.py --update-golden` writes the pictures of the docs.
"""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from support.browsing import PHONE, WIDE, OpenPage, Served

IMAGES = Path(__file__).parents[2] / "docs" / "images"

LOOKS = {"light": (WIDE, "light"), "dark": (WIDE, "dark"), "phone": (PHONE, "light")}

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

ALL = {"resultTypes": ["violations"]}
DARK = ALL | {"runOnly": ["color-contrast"]}

PICTURES = ("home", "search", "why", "document", "lab", "status", "changes")


@pytest.mark.parametrize("look", LOOKS)
def test_every_view_is_accessible_and_in_the_docs_as_it_is(
    open_page: OpenPage, handbook: str, dated: Served, request: pytest.FixtureRequest, look: str
) -> None:
    size, scheme = LOOKS[look]
    wrong = []
    for address, views in ((handbook, VIEWS), (dated.address, DATED)):
        page = open_page("/", size=size, scheme=scheme, address=address)
        for name, path in views.items():
            page.goto(address + path)
            page.wait_for_timeout(50)
            found = Axe().run(page, options=DARK if look == "dark" else ALL)
            if found.violations_count:
                wrong.append(f"{name}: {found.generate_report()}")
            if page.evaluate("document.documentElement.scrollWidth") > size["width"]:
                wrong.append(f"{name} is wider than the window")
            assert page.inner_text("main").strip(), name
            if name in PICTURES and request.config.getoption("--update-golden"):
                IMAGES.mkdir(exist_ok=True)
                image = as_webp(page.context.new_page(), page.screenshot())
                (IMAGES / f"{name}-{look}.webp").write_bytes(image)
    assert not wrong, "\n".join(wrong)


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
