"""Any history of a folder leads to the index that a fresh build of it gives."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.folders import temporary_folder
from support.indexes import contents
from support.projects import Here

from leafmark.app.requests import IndexRequest

FILES = ["a.md", "b.txt", "c.py", "deep/a.md", "deep/er/ü.html"]
PATHS = st.sampled_from(FILES)
FOLDERS = st.sampled_from(["deep", "deep/er", "other"])
TEXTS = st.sampled_from(
    [
        "# One\n\ntext\n\n## Two\n\nmore\n",
        "# One\n\ntext\n\n## Two\n\nless\n",
        "plain words\n",
        "def f():\n    return 1\n",
        "<h1>Page</h1><p>words</p>",
        "\0binary",
        "",
    ]
)
IGNORED = st.sampled_from(["*.md\n", "deep/\n", "deep/*\n!deep/a.md\n", ""])

change = st.one_of(
    st.tuples(st.just("write"), PATHS, TEXTS),
    st.tuples(st.just("write unseen"), PATHS, TEXTS),
    st.tuples(st.just("remove"), PATHS, st.none()),
    st.tuples(st.just("move"), PATHS, PATHS),
    st.tuples(st.just("move"), FOLDERS, FOLDERS),
    st.tuples(st.just("remove"), FOLDERS, st.none()),
    st.tuples(st.just("touch"), PATHS, st.none()),
    st.tuples(st.just("write"), st.sampled_from([".gitignore", "deep/.ignore"]), IGNORED),
)


def _apply(root: Path, what: str, path: str, value: Any) -> None:
    place = root / path
    if what.startswith("write") and not place.is_dir():
        before = place.stat() if what == "write unseen" and place.exists() else None
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(value, encoding="utf-8")
        if before is not None:
            os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif not place.exists():
        return
    elif what == "remove":
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    elif what == "touch":
        os.utime(place)
    elif what == "move" and not (root / value).exists() and not f"{value}/".startswith(f"{path}/"):
        (root / value).parent.mkdir(parents=True, exist_ok=True)
        place.rename(root / value)


@settings(max_examples=15)
@given(st.lists(st.lists(change, min_size=1, max_size=6), min_size=1, max_size=5))
def test_a_folder_that_changed_is_indexed_like_one_that_did_not(
    history: list[list[tuple[str, str, Any]]],
) -> None:
    with temporary_folder() as folder:
        root = Path(folder, "here")
        root.mkdir()
        here, fresh = Here(root, Path(folder, "home")), Here(root, Path(folder, "fresh"))
        begin = [("write", path, "# One\n\ntext\n") for path in FILES]
        for changes in [begin, *history]:
            for what, path, value in changes:
                _apply(root, what, path, value)
            here.run(IndexRequest(prune=True))  # else what goes all at once is kept
        fresh.index()
        assert contents(here.project().index_dir) == contents(fresh.project().index_dir)
