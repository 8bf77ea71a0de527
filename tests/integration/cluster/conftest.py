"""One real cluster of three nodes for all tests here. Whoever harms a node heals it.

Its tests run last, and it starts while others run, or Ray starts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from support.cluster import OpenSearch, missing, start_cluster
from support.command import clean_environment

HERE = Path(__file__).parent
_starting = pytest.StashKey[Future[OpenSearch]]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.timeout(600))
            item.add_marker(pytest.mark.skipif(bool(missing()), reason=str(missing())))
    items.sort(key=_place)


def _place(item: pytest.Item) -> tuple[bool, bool]:
    """Return what sorts the tests here behind all others, those that Ray starts for first."""
    return item.path.is_relative_to(HERE), "ray" not in getattr(item, "fixturenames", ())


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the cluster in the background where a test wants it."""
    wanted = any("cluster" in getattr(item, "fixturenames", ()) for item in session.items)
    if not wanted or missing() or session.config.option.collectonly:
        return
    folder = tempfile.TemporaryDirectory(prefix="leafmark-cluster-", ignore_cleanup_errors=True)
    pool = ThreadPoolExecutor(1)
    starting = pool.submit(start_cluster, Path(folder.name))
    pool.shutdown(wait=False)
    session.config.stash[_starting] = starting
    session.config.add_cleanup(folder.cleanup)
    session.config.add_cleanup(lambda: starting.result().stop())


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """One shard for each index, but where a test says another number: each takes time to make."""
    return clean_environment(home) | {"LEAFMARK_INDEX_SHARDS": "1"}


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> OpenSearch:
    running = pytestconfig.stash[_starting].result()
    running.wait()
    return running


@pytest.fixture(autouse=True)
def _emptied(request: pytest.FixtureRequest) -> Iterator[None]:
    """Delete the indices that a test makes: hundreds of shards make each later test slower."""
    if "cluster" not in request.fixturenames:
        yield
        return
    cluster: OpenSearch = request.getfixturevalue("cluster")
    before = cluster.indices()
    yield
    cluster.delete(cluster.indices() - before)
