"""What the engine is told of the fields."""

from __future__ import annotations

import json
from pathlib import Path

from leafmark.index.embedded.generation import create_engine, index_languages


def test_lengths_are_kept_of_fields_that_bm25_asks_for_alone(tmp_path: Path) -> None:
    create_engine(tmp_path / "text", index_languages({"docs": "english", "notes": None}))
    fields = json.loads((tmp_path / "text" / "meta.json").read_text(encoding="utf-8"))["schema"]
    indexed = [field for field in fields if field["type"] == "text"]
    measured = {field["name"] for field in indexed if field["options"]["indexing"]["fieldnorms"]}
    assert measured == {
        f"{field}_{language}"
        for field in ("body", "title", "titles", "path")
        for language in ("english", "none")
    }
    assert len(indexed) == 16
