"""Requests to a cluster: several nodes, time limits, and errors that say what to do.

A node that does not answer in time or refuses the connection comes last for a while, and the
request goes to the next one. Repeating a request must change nothing. This holds for all of ours:
they are reads, or writes with ids and versions of their own.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import urllib3

from leafmark.errors import (
    ConfigError,
    DamagedError,
    ForbiddenError,
    LeafmarkError,
    NotFoundError,
    StorageError,
)
from leafmark.index.engine import REBUILD
from leafmark.index.snapshot import LOOK_AT_NODES
from leafmark.namedtuples import NamedTuple

CONNECT_S = 2.0
SEARCH_S = 5.0
BULK_S = 30.0
"""Time limits of one attempt: for a connection, for a search, for a batch of writes."""

MAX_ANSWER_BYTES = 256 << 20

MIN_VERSION = 3

AVOIDED_S = 10.0
"""How long a failed node comes last."""

PAUSES_S = (0.2, 1.0, 3.0)
"""Pauses between rounds through all nodes, if no node answered or the cluster is busy."""

CERTIFICATES = "LEAFMARK_CLUSTER_CERTIFICATES"
"""A file with the certificate authorities of the nodes, where the system does not have them."""

_USERS = "LEAFMARK_CLUSTER_USER and LEAFMARK_CLUSTER_PASSWORD, or LEAFMARK_CLUSTER_TOKEN,"

UNAVAILABLE = 503
"""The status of a request for data that no answering node has."""

_RETRIED = frozenset({429, 502, UNAVAILABLE, 504})

_ADDRESS = "index.url is the address of its HTTP port"
_CHECK_URL = f"is this an OpenSearch cluster? {_ADDRESS}"


class Address(NamedTuple):
    """The nodes of an index, each `scheme://host:port`, and its name."""

    nodes: tuple[str, ...]
    name: str


def parse_address(url: str) -> Address:
    """Parse `https://host:9200/name`; commas separate several hosts.

    >>> parse_address("http://a:9200,b:9201/docs")
    Address(nodes=('http://a:9200', 'http://b:9201'), name='docs')

    Raises:
        ConfigError: `url` is not such an address.
    """
    scheme, mark, rest = url.partition("://")
    hosts, _, name = rest.partition("/")
    if scheme not in ("http", "https") or not mark or not hosts:
        raise ConfigError(
            f"index.url is not an address: {url!r}",
            hint="write https://HOST:9200/NAME, or https://HOST:9200,HOST:9200/NAME",
        )
    name = name.strip("/") or "leafmark"
    if not name.replace("-", "").replace("_", "").isalnum() or name != name.lower():
        raise ConfigError(
            f"index.url names no index: {name!r}",
            hint="the name has small letters, digits, hyphens and underscores",
        )
    nodes = tuple(f"{scheme}://{host.strip()}" for host in hosts.split(","))
    for node in nodes:
        parts = urlsplit(node)
        try:
            has_host = parts.hostname and (parts.port is None or parts.port > 0)
        except ValueError:
            has_host = False
        if parts.username or parts.password:
            raise ConfigError(
                "index.url holds a user or a password",
                hint=f"they come from the environment: {_USERS[:-1]}",
            )
        if not has_host:
            raise ConfigError(
                f"index.url holds no host, or more than one: {parts.netloc!r}",
                hint="write https://HOST:9200,HOST:9200/NAME",
            )
    return Address(nodes, name)


class RefusedError(StorageError):
    """The cluster answered with an error; `status` and `reason` are its own."""

    def __init__(self, status: int, reason: str, *, location: str):
        problem = "the cluster refused"
        if status == UNAVAILABLE:
            problem = "a part of the cluster does not answer"
        hint = _hint_of(status, reason)
        super().__init__(f"{problem}: {reason}", location=location, hint=hint)
        self.status = status
        self.reason = reason


class Cluster:
    """The nodes of a cluster, with a pool of connections each. Threads may share it.

    `headers` authenticate; `ca_file` has the certificate authorities, None for the system's.
    """

    def __init__(
        self,
        nodes: Sequence[str],
        *,
        headers: Mapping[str, str] | None = None,
        ca_file: str | None = None,
        search_s: float = SEARCH_S,
        bulk_s: float = BULK_S,
    ):
        self.nodes = tuple(nodes)
        self.requests = 0
        self.is_patient = False
        """Whether all nodes are tried again where none answers in time, as an indexing run does."""
        self._headers = {"content-type": "application/json", **(headers or {})}
        self._limits = {"search": search_s, "bulk": bulk_s}
        self._failed: dict[str, float] = {}
        self._lock = threading.Lock()
        self._next = 0
        self._pool = urllib3.PoolManager(
            num_pools=max(4, len(self.nodes)),
            maxsize=8,
            retries=False,
            ca_certs=ca_file,
            cert_reqs="CERT_REQUIRED",
        )

    @property
    def location(self) -> str:
        return ",".join(self.nodes)

    @property
    def anywhere(self) -> str:
        """The parameter that lets any node answer from its own state of the cluster.

        So searches work without a cluster manager; a patient client asks the manager.
        """
        return "" if self.is_patient else "?local=true"

    # -- requests -----------------------------------------------------------------------

    def get(self, path: str, body: Any = None, *, allowed: Iterable[int] = ()) -> Any:
        return self.request("GET", path, body, allowed=allowed)

    def put(self, path: str, body: Any = None, *, allowed: Iterable[int] = ()) -> Any:
        return self.request("PUT", path, body, allowed=allowed, limit="bulk")

    def post(
        self, path: str, body: Any = None, *, allowed: Iterable[int] = (), limit: str = "search"
    ) -> Any:
        return self.request("POST", path, body, allowed=allowed, limit=limit)

    def rows(self, path: str) -> Sequence[Mapping[str, Any]]:
        """Return the rows of a table, such as those of `_cat`."""
        rows: Sequence[Mapping[str, Any]] = self.request("GET", path, limit="bulk", kind=list)
        return rows

    def lines(self, path: str, lines: Iterable[Any], *, limit: str = "search") -> Any:
        """Post a body of one JSON value per line; a string is JSON already."""
        texts = (line if isinstance(line, str) else dump_json(line) for line in lines)
        return self.request("POST", path, "\n".join(texts) + "\n", limit=limit)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        allowed: Iterable[int] = (),
        limit: str = "search",
        kind: type = dict,
    ) -> Any:
        """Return the answer, also with an error status that is in `allowed`.

        Raises:
            StorageError: no node answered, or the answer is not JSON of this `kind`.
            ForbiddenError: user, password or token are wrong or do not suffice.
            RefusedError: the cluster answered with an error.
        """
        data = None if body is None else body if isinstance(body, str) else dump_json(body)
        problem: LeafmarkError | None = None
        for pause in (*PAUSES_S, None):
            hopeless = 0
            for node in self._in_order():
                answer = self._attempt(node, method, path, data, limit)
                if isinstance(answer, LeafmarkError):
                    if not isinstance(problem, RefusedError):  # a node's own error says more
                        problem = answer
                    self._avoid(node)
                    # waiting does not help against mistrust, and a search waits once for each node
                    timed_out = not self.is_patient and isinstance(answer, _TimedOutError)
                    hopeless += timed_out or isinstance(answer, ForbiddenError)
                    continue
                status, content = answer
                if status == 500 and b"connected_exception" in content:
                    status = UNAVAILABLE  # another node died during the request
                if status in _RETRIED and status not in allowed:
                    problem = self._refused(status, content, node)
                    continue
                return self._read(status, content, node, frozenset(allowed), kind)
            if pause is None or hopeless == len(self.nodes):
                break
            time.sleep(pause)
        assert problem is not None
        raise problem

    def _attempt(
        self, node: str, method: str, path: str, data: str | None, limit: str
    ) -> tuple[int, bytes] | LeafmarkError:
        timeout = urllib3.Timeout(connect=CONNECT_S, read=self._limits[limit])
        self.requests += 1
        try:
            answer = self._pool.request(
                method,
                node + path,
                body=None if data is None else data.encode("utf-8", "surrogatepass"),
                headers=self._headers,
                timeout=timeout,
                redirect=False,
                preload_content=False,
            )
            try:
                content = answer.read(MAX_ANSWER_BYTES + 1)
            finally:
                answer.release_conn()
        except urllib3.exceptions.SSLError as error:
            return _certificate_error(error, node)
        except urllib3.exceptions.ProtocolError as error:
            return _connection_error(error, node)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            return _unreachable_error(error, node)
        if len(content) > MAX_ANSWER_BYTES:
            return StorageError("the cluster's answer is too large", location=node, hint=_CHECK_URL)
        return answer.status, content

    def _read(
        self, status: int, content: bytes, node: str, allowed: frozenset[int], kind: type
    ) -> Any:
        if status in (401, 403) and "blocked by" not in (_reason(content) or ""):
            what = "does not know this user or token" if status == 401 else "does not allow this"
            raise ForbiddenError(
                f"the cluster {what}",
                location=node,
                hint=f"{_USERS} hold what it asks for",
            )
        if status >= 300 and status not in allowed:
            raise self._refused(status, content, node)
        try:
            answer = json.loads(content, object_hook=_Answer)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, kind):
            raise StorageError(
                "the answer is not JSON: is this an OpenSearch cluster?",
                location=node,
                hint=_ADDRESS,
            )
        for element in answer if isinstance(answer, list) else (answer,):
            if isinstance(element, _Answer):
                element.location = node
        return answer

    def _refused(self, status: int, content: bytes, node: str) -> LeafmarkError:
        reason = _reason(content)
        if reason is None and status not in _RETRIED:
            return StorageError(
                f"the answer is status {status} and no error of a cluster's",
                location=node,
                hint=_CHECK_URL,
            )
        reason = reason or f"status {status}"
        if status == 404:
            return NotFoundError(f"the cluster has no such index: {reason}", location=node)
        return RefusedError(status, reason, location=node)

    # -- nodes ----------------------------------------------------------------------------

    def _in_order(self) -> list[str]:
        """Return the nodes, recently failed ones last; each call starts with another one."""
        now = time.monotonic()
        with self._lock:
            self._next += 1
            at = self._next % len(self.nodes)
            rotated = self.nodes[at:] + self.nodes[:at]
            bad = {node for node, until in self._failed.items() if until > now}
        return sorted(rotated, key=lambda node: node in bad)

    def _avoid(self, node: str) -> None:
        with self._lock:
            self._failed[node] = time.monotonic() + AVOIDED_S


class _TimedOutError(StorageError):
    """A node took the request and did not answer within the limit."""


class _MissingKeyError(StorageError, KeyError):
    """An answer lacks a key that each cluster's answer has: another program gave it."""


class _Answer(dict[str, Any]):
    """A JSON object of an answer; a missing key raises an error for the user."""

    location = ""

    def __missing__(self, key: str) -> Any:
        raise _MissingKeyError(
            f"the cluster's answer has no {key!r}",
            location=self.location or None,
            hint=_CHECK_URL,
        )


_CERTIFICATE_FAULTS = {
    9: (
        "the cluster's certificate is not valid yet",
        "look whether this machine's clock is right",
    ),
    10: (
        "the cluster's certificate has expired",
        "renew it, or look whether this machine's clock is right",
    ),
    62: (
        "the cluster's certificate is of another name",
        "index.url must name the node as its certificate does",
    ),
}
"""Message and hint by OpenSSL's number of the certificate's fault."""

_IP_MISMATCH = 64
_UNTRUSTED = frozenset((2, 18, 19, 20, 21))
"""Numbers of certificates without a trusted signer; other numbers are broken rules."""


def _certificate_error(error: Exception, node: str) -> ForbiddenError:
    """Return the error for a node that does not prove its identity."""
    cause = error.args[0] if error.args else error
    number = getattr(cause, "verify_code", None)
    if number is None:
        return ForbiddenError(
            "the cluster does not use TLS",
            location=node,
            hint="write http:// in index.url if nobody else can read the traffic",
        )
    number = 62 if number == _IP_MISMATCH else number
    if number in _CERTIFICATE_FAULTS:
        message, hint = _CERTIFICATE_FAULTS[number]
    elif number in _UNTRUSTED:
        message = "the cluster's certificate is not signed by an authority that this machine trusts"
        hint = f"{CERTIFICATES} names a file with the certificates of its authority"
    else:
        reason = str(getattr(cause, "verify_message", cause)).lower()
        message = f"the cluster's certificate is not accepted: {reason}"
        hint = "the operator of the cluster has to replace it"
    return ForbiddenError(message, location=node, hint=hint)


def _connection_error(error: Exception, node: str) -> StorageError:
    """Return the error for a node that closes the connection before its answer is complete."""
    if isinstance(error, urllib3.exceptions.IncompleteRead) or "ncompleteRead" in str(error):
        return StorageError(
            "the cluster's answer was cut off",
            location=node,
            hint="something between here and the node ends connections, or it was stopped",
        )
    wants_tls = node.startswith("http:") and "RemoteDisconnected" in repr(error)
    return StorageError(
        "the cluster closed the connection",
        location=node,
        hint="does index.url need https://?" if wants_tls else "does the cluster run?",
    )


def _unreachable_error(error: Exception, node: str) -> StorageError:
    """Return the error for a node that gave no answer."""
    is_refused = isinstance(error, urllib3.exceptions.NewConnectionError)
    if isinstance(error, urllib3.exceptions.TimeoutError) and not is_refused:
        return _TimedOutError(
            "the cluster does not answer in time",
            location=node,
            hint=LOOK_AT_NODES,
        )
    return StorageError(
        f"the cluster cannot be reached: {_short(error)}",
        location=node,
        hint="check index.url, and whether the cluster is running",
    )


def check_engine(about: Mapping[str, Any], location: str) -> None:
    """Check that a cluster's root answer `about` is that of a supported engine.

    Raises:
        StorageError: it is another program, or an old version.
    """
    version = about["version"]
    number = str(version["number"])
    if version.get("distribution") != "opensearch":
        raise StorageError(
            f"the cluster does not run OpenSearch: its version is {number}",
            location=location,
            hint=f"leafmark wants OpenSearch {MIN_VERSION} or newer",
        )
    major = number.partition(".")[0]
    if not major.isdigit() or int(major) < MIN_VERSION:
        raise StorageError(
            f"the cluster runs OpenSearch {number}, and leafmark wants {MIN_VERSION} or newer",
            location=location,
            hint="update the cluster, or choose another one",
        )


def path_of(*parts: str) -> str:
    """Return the path of a request; the parts are escaped."""
    return "/" + "/".join(quote(part, safe="_,*") for part in parts)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def dump_json(value: Any) -> str:
    """Return a value as JSON in one line."""
    return _encode(value)


def _short(error: BaseException) -> str:
    text = str(getattr(error, "reason", None) or error).split("\n", 1)[0]
    _, _, tail = text.rpartition("] ")
    return (tail or text)[:120].lower().rstrip(")")


def _reason(content: bytes) -> str | None:
    """Return the reason in an error's body, in one line; None if it has none."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return reason_of(answer.get("error")) if isinstance(answer, dict) else None


def reason_of(error: Any) -> str | None:
    """Return the reason in an error of the cluster, whatever form it has."""
    if isinstance(error, Mapping):
        causes = error.get("root_cause")
        first = causes[0] if isinstance(causes, list) and causes else None
        inner = first.get("reason") if isinstance(first, Mapping) else None
        error = inner or error.get("reason") or error.get("type")
    return error.split("\n", 1)[0][:300] if isinstance(error, str) and error else None


_DISK_FULL = "flood-stage", "read-only", "FORBIDDEN/12", "create-index blocked"
"""Parts of the reasons for full disks."""


def _hint_of(status: int, reason: str) -> str | None:
    """Return what the user can do about an error of the cluster, None if unknown."""
    if any(sign in reason for sign in _DISK_FULL):
        return "a node's disk is full: make room, and the cluster takes writes again"
    if status == 429 or "circuit_breaking" in reason:
        return "the cluster has too much to do: try again, or give it more memory"
    if status in (500, UNAVAILABLE):
        return LOOK_AT_NODES
    return None


def other_program(location: str) -> StorageError:
    """Return the error for an answer that no cluster gives."""
    return StorageError("the answer is not a cluster's", location=location, hint=_CHECK_URL)


def damaged(what: str, location: str, hint: str = REBUILD) -> DamagedError:
    """Return the error for data in the cluster that leafmark did not write."""
    return DamagedError(
        f"the index is not what leafmark wrote: {what}",
        location=location,
        hint=hint,
    )
