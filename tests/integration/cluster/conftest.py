"""One real cluster of three nodes for all tests here. Whoever harms a node heals it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cluster import OpenSearch, missing, running_cluster

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.timeout(600))
            item.add_marker(pytest.mark.skipif(bool(missing()), reason=str(missing())))


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSearch]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running
