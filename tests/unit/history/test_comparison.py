"""What is said of sections, by their bytes alone."""

from __future__ import annotations

import pytest
from support.histories import sectioned

from leafmark.history import compare_documents

_TEXT = "run the installer with all of its parts and wait until the light goes on"


@pytest.mark.parametrize(
    ("old", "new", "fates"),
    [
        ("## Use [the tank][tank]", "## Use [the tank][tank]", ("unchanged",)),
        ("## Use [the tank][tank]", "## Use the tank", ("changed",)),
        ("## Use the tank", "## Use the big tank", ("renamed",)),
    ],
)
def test_a_heading_is_another_only_by_its_own_bytes(
    old: str, new: str, fates: tuple[str, ...]
) -> None:
    before = sectioned("a.md", f"# A\n\n{old}\n\n{_TEXT}\n\n## End\n\n[tank]: tank.md\n")
    after = sectioned("a.md", f"# A\n\n{new}\n\n{_TEXT}\n\n## End\n\nAll of it.\n")
    comparison = compare_documents([before], [after])
    (change,) = [
        one for one in comparison.fates.values() if one.section.body.strip() == _TEXT.encode()
    ]
    assert change.fates == fates


def test_a_text_that_stood_elsewhere_before_is_not_merged_there() -> None:
    whole = f"# B\n\n## Long\n\n{_TEXT} and see to it that everybody knows\n"
    before = [sectioned("a.md", f"# A\n\n## Setup\n\n{_TEXT}\n"), sectioned("b.md", whole)]
    after = sectioned("b.md", whole.replace("everybody knows", "the neighbours know of it"))
    fates = {one.section.id: one.fates for one in compare_documents(before, [after]).fates.values()}
    assert fates["t:a.md#setup"] == ("removed",)
    assert fates["t:b.md#long"] == ("changed",)
