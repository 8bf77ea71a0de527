"""Frame times of the page: a document of 5 MB and 1,000 results, beside a plain page of text.

    python -m benchmarks.page

A server of generated documents is started, and Chromium scrolls each page in turn, so that all of
them see the same load. First paint is the browser's own figure. Exit code 1 where the slowest
twentieth of the frames takes more than `LIMIT` times as long as on the plain page.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.measure import Row, table

LIMIT = 1.5
ROUNDS = 3
FRAMES = 150
STEP = 160
"""Pixels a frame: faster than anyone reads."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PLAIN = "plain page"

SCROLL = """([frames, step]) => new Promise((resolve) => {
  const times = [];
  let last = performance.now(), left = frames;
  const tick = (now) => {
    times.push(now - last);
    last = now;
    scrollBy(0, step);
    --left ? requestAnimationFrame(tick) : resolve(times.slice(5));
  };
  requestAnimationFrame(tick);
})"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


def write_documents(docs: Path) -> None:
    """Write a document of 5 MB, 1,100 small ones on one word, and the plain page beside them."""
    docs.mkdir()
    sections = (
        f"## Chapter {number}\n\n" + f"Paragraph {number} of the long book. " * 60 + "\n\n"
        for number in range(2600)
    )
    (docs / "book.md").write_text("# The long book\n\n" + "".join(sections))
    for number in range(1100):
        text = f"# Gazelle {number}\n\nA gazelle, number {number}, of the herd {number % 7}.\n"
        (docs / f"gazelle-{number:04}.md").write_text(text)
    lines = "".join(f"<p>Paragraph {n}. " + "Words of it. " * 12 + "</p>" for n in range(1500))
    (docs.parent / "plain.html").write_text(f"<!DOCTYPE html><body>{lines}")


@contextmanager
def serving(docs: Path) -> Iterator[str]:
    """Serve a folder until the end of the block; gives the address once all is indexed."""
    command = [sys.executable, "-m", "leafmark", "serve", "--port", "0", "-C", str(docs)]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LEAFMARK")}
    environ["LEAFMARK_HOME"] = str(docs.parent / "home")
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ)
    try:
        assert server.stderr is not None
        address = server.stderr.readline().split()[-1].rstrip("/")
        while b'"ok"' not in urllib.request.urlopen(f"{address}/health").read():
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait()


def show_all(page: Page) -> None:
    """Ask for more results until there are no more."""
    while page.locator("#more").count():
        shown = page.locator(".result").count()
        page.locator("#more").click()
        page.locator(".result").nth(shown).wait_for(state="attached")
    page.evaluate("scrollTo(0, 0)")


def measure(browser: Browser, url: str, *, is_long: bool) -> tuple[float, float, int]:
    """Return the 95th percentile of frame times and the first paint, in ms, and the results."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url)
    if is_long:
        show_all(page)
    times = sorted(page.evaluate(SCROLL, [FRAMES, STEP]))
    found = times[int(0.95 * len(times))], page.evaluate(PAINT), page.locator(".result").count()
    page.close()
    return found


def run(place: Path) -> list[Row]:
    """Return a row for each page."""
    docs = place / "docs"
    write_documents(docs)
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    with serving(docs) as address, sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        pages = {
            PLAIN: (place / "plain.html").as_uri(),
            "document of 5 MB": f"{address}/doc?id=book.md",
            "results": f"{address}/?q=gazelle",
        }
        found: dict[str, list[tuple[float, float, int]]] = {name: [] for name in pages}
        for _ in range(ROUNDS):
            for name, url in pages.items():
                found[name].append(measure(browser, url, is_long=name == "results"))
        browser.close()
    medians = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in found.items()
    }
    plain = medians[PLAIN][0]
    return [
        Row(
            f"{count:,.0f} {name}" if count else name,
            f"{frame:.1f} ms, first paint {paint:.0f} ms",
            f"{PLAIN} {plain:.1f} ms",
            frame / plain,
            LIMIT,
            higher_is_better=False,
        )
        for name, (frame, paint, count) in medians.items()
    ]


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as place:
        rows = run(Path(place))
    print(table(rows))
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
