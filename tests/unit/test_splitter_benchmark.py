"""The judge of the splitters side by side: it favours none, and sees what is wrong."""

from __future__ import annotations

import pytest

from benchmarks.contenders import Part
from benchmarks.outline import Lines, Outline, Title
from benchmarks.splitters import Judge

SOURCE = b"""\
# Guide

Read/write.

## Read/write <a name="rw"></a>

### *Limits*

Few.

```
code
```
"""
SEEN = Outline(
    [Title(1, 1, "Guide"), Title(5, 2, "Read/write"), Title(7, 3, "Limits")], [Lines(11, 13)], []
)


def judged(*parts: Part, kind: str = "own") -> dict[str, int]:
    return {name: n for name, n in Judge(SOURCE, SEEN).judge(parts, kind).items() if n}


BOTH = '## Read/write <a name="rw"></a>\n\n### *Limits*\n\nFew.'
RIGHT = {
    "titles as they are written": ("Guide", 'Read/write <a name="rw"></a>', "*Limits*"),
    "titles as they are rendered": ("Guide", "Read/write", "Limits"),
    "the first of two headings": ("Guide", "Read/write"),
    "what is above both": ("Guide",),
}
WRONG = {
    "titles cut in two": ("Guide", "Read", "write", "Limits"),
    "another section's": ("Guide", "Limits"),
    "none": (),
}


@pytest.mark.parametrize("path", RIGHT.values(), ids=list(RIGHT))
def test_a_path_that_one_may_mean_is_right(path: tuple[str, ...]) -> None:
    assert "wrong" not in judged(Part(BOTH, path))


@pytest.mark.parametrize("path", WRONG.values(), ids=list(WRONG))
def test_another_path_is_wrong(path: tuple[str, ...]) -> None:
    assert judged(Part(BOTH, path))["wrong"] == 1


def test_what_is_below_the_headings_is_below_both() -> None:
    assert "wrong" not in judged(Part("Few.", RIGHT["titles as they are rendered"]))
    assert judged(Part("Few.", ("Guide", "Read/write")))["wrong"] == 1


def test_a_path_of_leafmark_begins_with_the_title_of_the_document() -> None:
    path = ("A title", *RIGHT["titles as they are rendered"])
    assert "wrong" not in judged(Part(BOTH, path), kind="leafmark")
    assert judged(Part(BOTH, path))["wrong"] == 1


def test_cuts_in_code_and_what_is_lost_are_counted() -> None:
    assert judged(Part("# Guide\n\nRead/write.\n\n" + BOTH + "\n\n```\nco")) == {
        "parts": 1,
        "code": 1,
        "lost": 5,
    }
