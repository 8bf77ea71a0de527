"""Listings of trees, documents, chunks and tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import list_chunks, list_documents, list_tags, list_trees
from leafmark.app.requests import ListRequest
from leafmark.errors import NotFoundError


@pytest.mark.parametrize("listing", [list_trees, list_documents, list_chunks, list_tags])
def test_a_tree_that_there_is_not_is_no_empty_listing(
    here: Here, listing: Callable[..., Any]
) -> None:
    here.write("a.md", "# A\n\none\n")
    with pytest.raises(NotFoundError) as caught:
        listing(here.project(), ListRequest(trees=("here", "her")))
    assert caught.value.message == "there is no tree named 'her'"
    assert caught.value.did_you_mean == ("here",)
