"""A project of real documents: the handbook, this repository's own pages, and odd ones."""

from __future__ import annotations

import tempfile
from pathlib import Path

from support.projects import Here

ROOT = Path(__file__).parents[2]

ODD = (
    "\ufeffvorweg ein token\r\n\r\n# Über Token\r\n\r\n/etc/token liegt hier.\r\n/und hier\r\n\r\n"
    "## Leer\r\n\r\n## Liste\r\n\r\n- eins token\r\n\r\n  ```sh\r\n  token --do\r\n\r\n  done\r\n"
    "  ```\r\n- zwei\r\n\r\n日本語の token です。次の文です。\r\n\r\n"
    + " ".join(f"Satz {n} über token und backup." for n in range(80))
)


def real_documents() -> Here:
    """The folder that holds them, indexed; it lasts as long as the run."""
    root = Path(tempfile.mkdtemp())
    here = Here(root / "docs", root)
    for source in (*ROOT.glob("examples/handbook/**/*.md"), *ROOT.glob("docs/*.md")):
        here.write(str(source.relative_to(ROOT)), source.read_text("utf-8"))
    here.write("odd.md", ODD)
    here.write("page.html", "<main><h1>Token</h1><p>one <b>token</b></p><h2>B</h2><p>two</p>")
    here.index()
    return here
