"""Batches of writes: in parts, repeated while the cluster is busy, with each result checked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leafmark.errors import ForbiddenError, LeafmarkError, Remedy, StorageError
from leafmark.index.remote.client import Cluster, RefusedError, path_of, reason_of
from leafmark.index.snapshot import LOOK_AT_NODES
from leafmark.namedtuples import NamedTuple

BATCH_BYTES = 4_000_000
"""Size of the writes of one request; a larger write is sent alone."""

TRIES = 8
FIRST_PAUSE_S = 0.5
"""Writes for which the cluster has no room or shard are repeated; each pause is twice as long."""

PATIENCE = "?cluster_manager_timeout=20s&timeout=20s"
"""How long the cluster itself may wait for nodes: less than our limit for its answer."""

COPIED_S = 60.0
"""How long copies may take to show a refresh."""

_FIRST_LOOK_S = 0.01

_BUSY = frozenset({429, 502, 503, 504})

_TRANSIENT = frozenset({"retry_on_primary_exception", "failed_to_commit_cluster_state_exception"})
"""Transient errors with status 500: a shard changes its primary, or there is no manager."""

_NOT_PRIMARY = "not in primary mode"

_NO_INDEX = "index_not_found_exception"


class Line(NamedTuple):
    """One action of a batch, and its document as JSON.

    With `versioned`, a conflict means that somebody else wrote a later version of `doc_id`;
    otherwise, that the new document exists already. With `may_miss`, the document may be missing.
    """

    head: Mapping[str, Any]
    body: str | None = None
    doc_id: str = ""
    versioned: bool = False
    may_miss: bool = False

    def outcome(self, result: Mapping[str, Any]) -> str | None:
        """Return None for a success, "again", "overtaken", or the reason of a refusal."""
        status = result["status"]
        if result.get("error", {}).get("type") == "cluster_block_exception":
            return str(result["error"]["reason"])[:300]  # a full disk: waiting makes no room
        if status < 300 or (status == 404 and (self.may_miss or "error" not in result)):
            return None
        if status in _BUSY:
            return "again"
        if status == 409:
            return "overtaken" if self.versioned else None
        if status == 500 and not _TRANSIENT.isdisjoint(_types(result.get("error"))):
            return "again"
        return str(result.get("error", {}).get("reason") or f"status {status}")[:300]


def write_lines(cluster: Cluster, lines: Sequence[Line]) -> set[str]:
    """Write lines; return the documents of which somebody else wrote a later version.

    Raises:
        StorageError: some were refused, or the cluster had no room for too long.
    """
    overtaken = set[str]()
    error: Mapping[str, Any] = {}
    for _ in _tries():
        rejected = list[Line]()
        for part in _parts(lines):
            answer = cluster.lines("/_bulk?timeout=20s", _texts(part), limit="bulk")
            for line, item in zip(part, answer["items"], strict=True):
                (result,) = item.values()
                outcome = line.outcome(result)
                if outcome == "again":
                    rejected.append(line)
                    error = result.get("error", error)
                elif outcome == "overtaken":
                    overtaken.add(line.doc_id)
                elif outcome is not None:
                    raise RefusedError(result["status"], outcome, location=cluster.location)
        if not rejected:
            return overtaken
        lines = rejected
    raise _not_taken(cluster, len(lines), error)


def _types(error: Any) -> Iterator[str]:
    """Yield the types of an error and of its causes."""
    while isinstance(error, Mapping):
        yield str(error.get("type"))
        error = error.get("caused_by")


def _not_taken(cluster: Cluster, count: int, error: Mapping[str, Any]) -> StorageError:
    """Return the exception for writes whose last attempt ended with `error`.

    A manager that is elected while nodes are lost can promote a copy to primary without notifying
    it (https://github.com/opensearch-project/OpenSearch/issues/19150): the copy then takes no
    writes until its node restarts.
    """
    reason = reason_of(error)
    if _NOT_PRIMARY not in str(error):
        return StorageError(
            f"the cluster did not take {count} writes: {reason or 'it had no room'}",
            location=cluster.location,
            hint=Remedy("cluster-kept", "the writes so far are kept, and the next run continues"),
        )
    index, shard = str(error.get("index")), str(error.get("shard"))
    node = _first_copy(cluster, index, shard)
    return StorageError(
        f"shard {shard} of {index} takes no writes: {reason}",
        location=cluster.location,
        hint=f"start the node {node or 'with its first copy'} again, which does not know that it "
        "holds the first copy: nothing is lost, and the next run continues",
    )


def _first_copy(cluster: Cluster, index: str, shard: str) -> str | None:
    """Return the name of the node with the primary of a shard, None if unknown."""
    path = path_of("_cat", "shards", index) + "?format=json&h=shard,prirep,node"
    try:
        rows = cluster.rows(path)
    except LeafmarkError:
        return None
    return next(
        (row["node"] for row in rows if (row["shard"], row["prirep"]) == (shard, "p")), None
    )


def read_current(
    cluster: Cluster, index: str, documents: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return the current state of each document, existing or not; `documents` are as for _mget.

    While shards move to another node, the cluster answers with errors, which say nothing about
    the documents. A missing index has no documents.

    Raises:
        StorageError: a part of the cluster did not answer for too long.
    """
    states = dict[int, Mapping[str, Any]]()
    for _ in _tries():
        missing = [at for at in range(len(documents)) if at not in states]
        body = {"docs": [documents[at] for at in missing]}
        # another copy would make its latest writes searchable first, at each request
        path = path_of(index, "_mget") + "?preference=_primary"
        answer = cluster.post(path, body, limit="bulk")
        for at, document in zip(missing, answer["docs"], strict=True):
            if document.get("error", {}).get("type", _NO_INDEX) == _NO_INDEX:
                states[at] = document
        if len(states) == len(documents):
            return [states[at] for at in range(len(documents))]
    raise StorageError(
        "a part of the cluster does not answer, so nothing can be replaced",
        location=cluster.location,
        hint=LOOK_AT_NODES,
    )


def refresh(cluster: Cluster, indices: Sequence[str]) -> None:
    """Make all writes visible, in the copies too.

    A user who may write may lack the right to read the state of copies: then it is not awaited.

    Raises:
        StorageError: the cluster did not answer, or a copy takes too long.
    """
    names = ",".join(indices)
    cluster.post(path_of(names, "_refresh"), limit="bulk")
    path = path_of("_cat", "segment_replication", names) + "?format=json&active_only=false"
    until, pause_s = time.monotonic() + COPIED_S, _FIRST_LOOK_S
    while _is_behind(cluster, path):
        if time.monotonic() > until:
            raise StorageError(
                "a copy of the index does not get the latest changes",
                location=cluster.location,
                hint=Remedy("cluster-kept", "they are kept"),
            )
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.5)


def _is_behind(cluster: Cluster, path: str) -> bool:
    try:
        return any(row["checkpoints_behind"] != "0" for row in cluster.rows(path))
    except ForbiddenError:
        return False


def _tries() -> Iterator[None]:
    """Yield once for each try, after pauses that double."""
    pause_s = FIRST_PAUSE_S
    yield
    for _ in range(1, TRIES):
        time.sleep(pause_s)
        pause_s *= 2
        yield


def _texts(lines: Sequence[Line]) -> Iterator[Any]:
    for line in lines:
        yield line.head
        if line.body is not None:
            yield line.body


def _parts(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines in parts of about `BATCH_BYTES`."""
    part, size = list[Line](), 0
    for line in lines:
        part.append(line)
        size += 200 + len(line.body or "")
        if size >= BATCH_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
