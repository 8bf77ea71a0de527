"""Indexes made by leafmarks of each format: the own one is read, the others are replaced.

`formats/format-N.zip` holds an index of three sources. Where the last test fails, what is on disk
has changed: raise `FORMAT`, and keep an index of the new one beside the others.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from support.indexes import SETTINGS, index, search
from support.projects import Here

from leafmark.app import project_status
from leafmark.app.answering.opening import open_index
from leafmark.app.requests import ListRequest
from leafmark.errors import NotFoundError
from leafmark.index import FORMAT, check_index, open_reader, open_writer
from leafmark.index.folder import sealed

FOLDER = Path(__file__).with_name("formats")
KEPT = {int(path.stem.partition("-")[2]): path for path in FOLDER.glob("format-*.zip")}
OLDER = [(format_, False) for format_ in sorted(KEPT.keys() - {FORMAT})]
OLDER.append((4, True))
"""Formats, and whether the index states ours: one with other fields did."""


def _unpacked(format_: int, root: Path) -> Path:
    with zipfile.ZipFile(KEPT[format_]) as file:
        file.extractall(root)
    return root


def _pretend(root: Path) -> None:
    """Let an index say that it has our format, as one of a careless commit did."""
    path = root / "CURRENT"
    facts = json.loads(path.read_bytes().partition(b"\n")[0])
    path.write_bytes(sealed({**facts, "format": FORMAT}))


@pytest.mark.parametrize(("format_", "pretends"), OLDER)
def test_an_older_format_is_refused_in_words_and_replaced(
    tmp_path: Path, format_: int, pretends: bool
) -> None:
    root = _unpacked(format_, tmp_path)
    if pretends:
        _pretend(root)
    with pytest.raises(NotFoundError) as caught:
        open_reader(root)
    if pretends:
        assert caught.value.message == (
            "the index has other fields than this leafmark reads: another version made it"
        )
    else:
        assert f"has format {format_}, of an older leafmark" in caught.value.message
    assert caught.value.hint == "bring the index up to date"
    with open_writer(root, SETTINGS, timeout_s=0) as writer:
        assert (writer.is_new, writer.rebuilt) == (True, caught.value.message)
    index(root, {"new.md": "# New\n\nplum\n"})
    assert search(open_reader(root), "plum") == ["t:new.md#new"]
    assert check_index(root) == []


@pytest.mark.parametrize(("format_", "pretends"), OLDER)
@pytest.mark.parametrize("beside", [False, True])
def test_a_project_with_an_older_index_says_so_and_makes_its_own(
    here: Here, format_: int, pretends: bool, beside: bool
) -> None:
    place = here.project().index_dir
    root = _unpacked(format_, place.with_name("index-0123456789ab") if beside else place)
    if pretends:
        _pretend(root)
    here.write("a.md", "# Apples\n\nfruit\n")
    with pytest.raises(NotFoundError) as caught:
        open_index(here.project(), ListRequest(refresh=False))
    assert re.search("another|older|made by a version", caught.value.message)
    assert "up to date" in str(caught.value.hint)
    assert project_status(here.project()).warnings
    reader, _ = open_index(here.project(), ListRequest())
    assert reader.meta.documents == 1


def test_the_own_format_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert FORMAT in KEPT
    root = _unpacked(FORMAT, tmp_path)
    reader = open_reader(root)
    assert [entry.path for entry in reader.documents()] == ["a.md", "docs/b.md", "empty.md"]
    titles = [each.title for each in reader.chunks_of("t:a.md")]
    assert titles == ["Apples", "Apples", "Storing them"]
    assert search(reader, "cellar") == ["t:a.md#storing-them"]
    assert search(reader, "fruits") == ["t:a.md#apples"]
    with open_writer(root, SETTINGS, timeout_s=0) as writer:
        assert (writer.is_new, writer.rebuilt) == (False, None)
    index(root, {"new.md": "# New\n\nplum\n"}, remove=("a.md",))
    assert search(open_reader(root), "plum") == ["t:new.md#new"]
    assert check_index(root) == []
