"""What adapters cut holds for every text: slices that are true, in order, with nothing lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.markdown_sources import markdown_text

from leafmark.adapters.parts import Cutter
from leafmark.chunking import Sizes
from leafmark.library import parse

SMALL: Sizes = {"min_tokens": 3, "target_tokens": 8, "max_tokens": 30}
CUTTERS = [
    Cutter("heading", "t", "source", {}),
    Cutter("auto", "t", "source", SMALL),
    Cutter("section", "t", "source", SMALL),
]


@given(st.one_of(markdown_text(), st.text(max_size=200)), st.sampled_from(CUTTERS))
def test_parts_are_true_slices_in_order_and_nothing_is_lost(text: str, cutter: Cutter) -> None:
    parts = cutter.cut(text, "p.md")
    data = text.encode("utf-8", "replace")
    at, lost = 0, ""
    for part in parts:
        assert at <= part.start < part.end
        assert text[part.start : part.end] == part.content
        span = slice(part.metadata["byte_start"], part.metadata["byte_end"])
        assert data[span] == part.content.encode("utf-8", "replace")
        lost += text[at : part.start]
        at = part.end
    lost += text[at:]
    front = parse(data, path="p.md").front_matter
    dropped = data[: front.end].decode() if front else ""
    assert "".join(lost.split()).strip("\ufeff") == "".join(dropped.split()).strip("\ufeff")


@given(markdown_text(), st.sampled_from(CUTTERS))
def test_parents_come_before_and_lie_around(text: str, cutter: Cutter) -> None:
    parts = cutter.cut(text, "p.md")
    for number, part in enumerate(parts):
        if part.parent is not None:
            above = parts[part.parent].chunk
            assert part.parent < number
            assert above.byte_start <= part.chunk.byte_start
            assert part.chunk.byte_end <= above.byte_end
