"""The library at a revision."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from support.repositories import GitRepository

from leafmark import open_index
from leafmark.errors import NotFoundError


def test_an_index_answers_from_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAFMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LEAFMARK_EMBEDDING_PROVIDER", "none")
    made = GitRepository(tmp_path / "docs")
    made.commit({"a.md": "# A\n\nthe old harbour\n"}, tag="v1")
    made.commit({"a.md": "# A\n\nthe new harbour\n"})
    with open_index(made.folder, at="v1") as index:
        (result,) = index.search("harbour").results
        assert "old" in str(result.full_text)
        assert [one.id for one in pickle.loads(pickle.dumps(index)).search("old").results] == [
            result.id
        ]
    with pytest.raises(NotFoundError, match="there is no revision 'v9'"):
        open_index(made.folder, at="v9")
