"""Batches: in parts, tried again where the cluster cannot answer for now, each answer read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leafmark.errors import ForbiddenError, LeafmarkError, Remedy, StorageError
from leafmark.index.remote.client import Cluster, RefusedError, path_of, reason_of
from leafmark.index.snapshot import LOOK_AT_NODES
from leafmark.namedtuples import NamedTuple

BATCH_BYTES = 4_000_000
"""Writes of one request; a source larger than this goes alone."""

TRIES = 8
FIRST_PAUSE_S = 0.5
"""What the cluster has no room or no shard for now is tried again, each time twice as late."""

PATIENCE = "?cluster_manager_timeout=20s&timeout=20s"
"""How long the cluster may wait for nodes itself: less than is waited for its answer."""

COPIED_S = 60.0
"""How long copies may take for what was made visible."""

_FIRST_LOOK_S = 0.01

_BUSY = frozenset({429, 502, 503, 504})

_PASSING = frozenset({"retry_on_primary_exception", "failed_to_commit_cluster_state_exception"})
"""Types of errors that pass with status 500: a shard gets another first copy, or no manager is."""

_NOT_PRIMARY = "not in primary mode"

_NO_INDEX = "index_not_found_exception"


class Line(NamedTuple):
    """One action of a batch, and its document as JSON.

    With `versioned`, a conflict says that somebody else wrote `doc_id` later; else that what is
    to be made is there. With `may_miss`, what is to be changed need not be there.
    """

    head: Mapping[str, Any]
    body: str | None = None
    doc_id: str = ""
    versioned: bool = False
    may_miss: bool = False

    def outcome(self, result: Mapping[str, Any]) -> str | None:
        """Return None if it was written, "again", "overtaken", or why it was refused."""
        status = result["status"]
        if result.get("error", {}).get("type") == "cluster_block_exception":
            return str(result["error"]["reason"])[:300]  # a full disk: waiting makes no room
        if status < 300 or (status == 404 and (self.may_miss or "error" not in result)):
            return None
        if status in _BUSY:
            return "again"
        if status == 409:
            return "overtaken" if self.versioned else None
        if status == 500 and not _PASSING.isdisjoint(_types(result.get("error"))):
            return "again"
        return str(result.get("error", {}).get("reason") or f"status {status}")[:300]


def write_lines(cluster: Cluster, lines: Sequence[Line]) -> set[str]:
    """Write lines; return the documents that were written later by somebody else.

    Raises:
        StorageError: some were refused, or the cluster had no room for too long.
    """
    overtaken = set[str]()
    error: Mapping[str, Any] = {}
    for _ in _tries():
        again = list[Line]()
        for part in _parts(lines):
            answer = cluster.lines("/_bulk?timeout=20s", _texts(part), limit="bulk")
            for line, item in zip(part, answer["items"], strict=True):
                (result,) = item.values()
                outcome = line.outcome(result)
                if outcome == "again":
                    again.append(line)
                    error = result.get("error", error)
                elif outcome == "overtaken":
                    overtaken.add(line.doc_id)
                elif outcome is not None:
                    raise RefusedError(result["status"], outcome, location=cluster.location)
        if not again:
            return overtaken
        lines = again
    raise _not_taken(cluster, len(lines), error)


def _types(error: Any) -> Iterator[str]:
    """Yield the types of an error and of what caused it."""
    while isinstance(error, Mapping):
        yield str(error.get("type"))
        error = error.get("caused_by")


def _not_taken(cluster: Cluster, count: int, error: Mapping[str, Any]) -> StorageError:
    """Return what to raise where the last `error` of several tries was this.

    A manager that is elected while nodes are lost can make a copy the first of its shard without
    telling it (https://github.com/opensearch-project/OpenSearch/issues/19150): it then takes no
    writes until its node starts again.
    """
    reason = reason_of(error)
    if _NOT_PRIMARY not in str(error):
        return StorageError(
            f"the cluster did not take {count} writes: {reason or 'it had no room'}",
            location=cluster.location,
            hint=Remedy("cluster-kept", "what was written stands, and the next run goes on"),
        )
    index, shard = str(error.get("index")), str(error.get("shard"))
    node = _first_copy(cluster, index, shard)
    return StorageError(
        f"shard {shard} of {index} takes no writes: {reason}",
        location=cluster.location,
        hint=f"start the node {node or 'with its first copy'} again, which does not know that it "
        "holds the first copy: nothing is lost, and the next run goes on",
    )


def _first_copy(cluster: Cluster, index: str, shard: str) -> str | None:
    """Return the name of the node with the first copy of a shard, None where nobody says it."""
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
    """Return what each document is now, whether it is found or not; `documents` are as for _mget.

    While a node's shards move to another, the cluster answers with errors, which say nothing of
    the documents. In an index that is not there nothing is found.

    Raises:
        StorageError: a part of the cluster did not answer for too long.
    """
    found = dict[int, Mapping[str, Any]]()
    for _ in _tries():
        left = [at for at in range(len(documents)) if at not in found]
        body = {"docs": [documents[at] for at in left]}
        # another copy would make its latest writes searchable first, at each request
        path = path_of(index, "_mget") + "?preference=_primary"
        answer = cluster.post(path, body, limit="bulk")
        for at, each in zip(left, answer["docs"], strict=True):
            if each.get("error", {}).get("type", _NO_INDEX) == _NO_INDEX:
                found[at] = each
        if len(found) == len(documents):
            return [found[at] for at in range(len(documents))]
    raise StorageError(
        "a part of the cluster does not answer, so nothing can be replaced",
        location=cluster.location,
        hint=LOOK_AT_NODES,
    )


def refresh(cluster: Cluster, indices: Sequence[str]) -> None:
    """Make all writes visible, in the copies too.

    Who may write need not be allowed to look at the copies: then nobody waits for them.

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
    """Yield once for each try, after longer and longer pauses."""
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
