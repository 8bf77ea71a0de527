"""The index of a project in a cluster: its address and credentials.

The address is in the configuration; user and password, or a token, are in the environment, so no
file has them. Without an address, nothing of `index.remote` is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from leafmark.app.settings import IndexSettings
from leafmark.environment import install_extra
from leafmark.errors import ConfigError, LeafmarkError
from leafmark.model import ClusterState

if TYPE_CHECKING:
    from leafmark.index import IndexOptions
    from leafmark.index.remote import Cluster, Names, RemoteSnapshot, RemoteStore, RemoteVectors
    from leafmark.index.vectors import VectorModel
    from leafmark.model import DocumentEntry

USER = "LEAFMARK_CLUSTER_USER"
PASSWORD = "LEAFMARK_CLUSTER_PASSWORD"
TOKEN = "LEAFMARK_CLUSTER_TOKEN"
CERTIFICATES = "LEAFMARK_CLUSTER_CERTIFICATES"


def remote_index(settings: IndexSettings, environ: Mapping[str, str]) -> RemoteIndex | None:
    """Return the index that `index.url` names; None without an address.

    Raises:
        ConfigError: the address is wrong, or the client is not installed.
    """
    if not settings.url:
        return None
    if find_spec("urllib3") is None:
        raise ConfigError(
            "index.url needs the extra `remote`", hint=f"run: {install_extra('remote')}"
        )
    from leafmark.index.remote import parse_address

    parse_address(settings.url)
    return RemoteIndex(settings, _headers(environ), _certificates(environ))


def _certificates(environ: Mapping[str, str]) -> str | None:
    """Return the file of certificates that the environment names; None for the system's own."""
    path = environ.get(CERTIFICATES)
    if not path:
        return None
    import ssl  # late: few have a file of their own

    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:  # `ssl.SSLError` is one
        raise ConfigError(
            f"{CERTIFICATES} names no file of certificates",
            location=path,
            hint="it has the certificates of the nodes' authority, as text that begins with "
            "-----BEGIN CERTIFICATE-----",
        ) from error
    return path


def _headers(environ: Mapping[str, str]) -> dict[str, str]:
    token, user = environ.get(TOKEN), environ.get(USER)
    if token:
        authorization = f"Bearer {token}"
    elif user:
        from base64 import b64encode  # late: few projects lie in a cluster

        pair = f"{user}:{environ.get(PASSWORD, '')}".encode()
        authorization = f"Basic {b64encode(pair).decode('ascii')}"
    else:
        return {}
    if not authorization.isascii() or not authorization.isprintable():
        raise ConfigError(f"{TOKEN} or {USER} has a character that is not allowed in a header")
    return {"authorization": authorization}


class RemoteIndex:
    """An index in a cluster, connected when it is first used. Threads may share it."""

    def __init__(
        self, settings: IndexSettings, headers: Mapping[str, str], certificates: str | None = None
    ):
        self._settings = settings
        self._headers = headers
        self._certificates = certificates

    @cached_property
    def _where(self) -> tuple[Cluster, Names]:
        from leafmark.index.remote import Cluster, Names, parse_address

        address = parse_address(str(self._settings.url))
        cluster = Cluster(address.nodes, headers=self._headers, ca_file=self._certificates)
        return cluster, Names(address.name)

    @property
    def location(self) -> str:
        """The address of the index, for messages."""
        cluster, names = self._where
        return f"{cluster.location}/{names.base}"

    @property
    def exists(self) -> bool:
        """Whether the index exists, even if it cannot be read now.

        Raises:
            StorageError: the cluster does not answer.
        """
        from leafmark.index.remote import find_index

        return find_index(*self._where) is not None

    @cached_property
    def tree_names(self) -> Collection[str]:
        """The trees of the index, as of the first use."""
        from leafmark.index.remote import read_meta

        about = read_meta(*self._where)
        return () if about is None else about.trees.keys()

    def open(self) -> RemoteSnapshot:
        """Return the current state of the index."""
        from leafmark.index.remote import open_snapshot

        return open_snapshot(*self._where)

    @contextmanager
    def write(
        self,
        options: IndexOptions,
        read_source: Callable[[DocumentEntry], bytes | None],
        *,
        rebuild: bool = False,
    ) -> Iterator[RemoteStore]:
        """Open a writer, which stores the sources, too: see `open_store`."""
        from leafmark.index.remote import RemoteOptions, open_store

        layout = RemoteOptions(self._settings.shards, self._settings.replicas)
        with open_store(*self._where, options, layout, rebuild=rebuild) as store:
            store.read_source = read_source
            yield store

    def vectors(self, model: VectorModel, recipe: str) -> RemoteVectors:
        """Return the vectors of a model; `recipe` is the version of the chunks' texts."""
        from leafmark.index.remote import RemoteVectors

        return RemoteVectors(*self._where, model, recipe)

    def make_vectors(self, vectors: RemoteVectors, dimension: int) -> None:
        """Create the index of a model's vectors, unless it exists."""
        vectors.make(dimension, self._settings.shards, self._settings.replicas)

    @property
    def size_bytes(self) -> int:
        """The size of the index with all copies."""
        cluster, names = self._where
        stats = cluster.request("GET", f"/{names.base}-*/_stats/store", limit="bulk")
        return int(stats["_all"]["total"].get("store", {}).get("size_in_bytes", 0))

    def source(self, digest: str) -> bytes | None:
        """Return the bytes of a source by their sha256; None if the cluster lacks them."""
        from leafmark.index.remote import read_source

        cluster, names = self._where
        return read_source(cluster, names, digest)

    def health(self) -> ClusterState:
        """Return the state of the cluster and of the index.

        Raises:
            StorageError: the cluster does not answer, or cannot be used.
        """
        from leafmark.index.remote import check_engine

        cluster, names = self._where
        about = cluster.get("/")
        health = cluster.request("GET", f"/_cluster/health/{names.base}-*?local=true")
        try:
            check_engine(about, cluster.location)
            return ClusterState(
                name=str(about["cluster_name"]),
                version=f"OpenSearch {about['version']['number']}",
                status=str(health["status"]),
                nodes=int(health["number_of_nodes"]),
                shards=int(health["active_shards"]),
                missing_shards=int(health["unassigned_shards"] + health["initializing_shards"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise LeafmarkError(
                "this is not an OpenSearch cluster", location=cluster.location
            ) from error
