"""TLS, users and tokens before a real node; each way to get them wrong has its message."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.x509 import ObjectIdentifier
from cryptography.x509.oid import ExtendedKeyUsageOID
from support.cluster import OpenSearch
from support.command import Leafmark, Ran
from support.tls import HERE, Authority, proxy

BASIC = f"Basic {b64encode(b'indexer:right').decode()}"
TOKEN = "Bearer good-token"
USER = {"LEAFMARK_CLUSTER_USER": "indexer", "LEAFMARK_CLUSTER_PASSWORD": "right"}
_ENVIRONMENT = (
    "LEAFMARK_CLUSTER_USER and LEAFMARK_CLUSTER_PASSWORD, or LEAFMARK_CLUSTER_TOKEN, "
    "hold what it asks for"
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def secured(cluster: OpenSearch, authority: Authority) -> Iterator[str]:
    with proxy(cluster.nodes[0].url, authority.issue(), {BASIC, TOKEN}) as where:
        yield where


@contextmanager
def certified(cluster: OpenSearch, certificate: Path) -> Iterator[str]:
    with proxy(cluster.nodes[0].url, certificate, {BASIC}) as where:
        yield where


def search(leafmark: Leafmark, url: str, **extra: str) -> Ran:
    return leafmark("search", "lamp", LEAFMARK_INDEX_URL=url, **extra)


def told(ran: Ran) -> str:
    """What the command says of an error, without the place."""
    assert ran.code == 2, ran
    lines = [line.strip() for line in ran.err.splitlines()]
    return "\n".join(line for line in lines if not line.startswith("-->"))


def test_indexing_and_searching_with_a_password_and_with_a_token(
    secured: str, authority: Authority, leafmark: Leafmark, tmp_path: Path
) -> None:
    (tmp_path / "work" / "a.md").write_text("# A\n\nThe lamp.\n")
    url = f"https://{secured}/secured"
    trusted = {"LEAFMARK_CLUSTER_CERTIFICATES": str(authority.file)}
    done = leafmark("index", LEAFMARK_INDEX_URL=url, **trusted, **USER)
    assert (done.code, done.err) == (0, "")
    token = {"LEAFMARK_CLUSTER_TOKEN": "good-token"}
    for who in (USER, token):
        found = search(leafmark, url, **trusted, **who)
        assert (found.code, "a.md" in found.out) == (0, True)


@pytest.mark.parametrize(
    "who",
    [
        {},
        {"LEAFMARK_CLUSTER_USER": "indexer", "LEAFMARK_CLUSTER_PASSWORD": "wrong"},
        {"LEAFMARK_CLUSTER_TOKEN": "bad-token"},
    ],
)
def test_wrong_credentials(
    secured: str, authority: Authority, leafmark: Leafmark, who: dict[str, str]
) -> None:
    url = f"https://{secured}/secured"
    trusted = {"LEAFMARK_CLUSTER_CERTIFICATES": str(authority.file)}
    ran = search(leafmark, url, **trusted, **who)
    assert told(ran) == (
        f"error: the cluster does not know this user or token\nhint: {_ENVIRONMENT}"
    )
    assert f"https://{secured}" in ran.err
    for secret in who.values():
        assert secret == "indexer" or secret not in ran.err


def test_an_authority_that_is_not_trusted(secured: str, leafmark: Leafmark) -> None:
    assert told(search(leafmark, f"https://{secured}/secured", **USER)) == (
        "error: the cluster's certificate is not signed by an authority that this machine trusts\n"
        "hint: LEAFMARK_CLUSTER_CERTIFICATES names a file with the certificates of its authority"
    )


def test_another_authority_than_the_one_that_is_trusted(
    secured: str, leafmark: Leafmark, tmp_path: Path
) -> None:
    other = Authority(tmp_path / "other").file
    ran = search(
        leafmark,
        f"https://{secured}/secured",
        LEAFMARK_CLUSTER_CERTIFICATES=str(other),
        **USER,
    )
    message = "the cluster's certificate is not signed by an authority that this machine trusts"
    assert told(ran).startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("issued", "message"),
    [
        (
            {"since": timedelta(hours=-2), "until": timedelta(hours=-1)},
            "error: the cluster's certificate has expired\n"
            "hint: renew it, or look whether this machine's clock is right",
        ),
        (
            {"since": timedelta(hours=1), "until": timedelta(hours=2)},
            "error: the cluster's certificate is not valid yet\n"
            "hint: look whether this machine's clock is right",
        ),
        (
            {"host": "search.example"},
            "error: the cluster's certificate is of another name\n"
            "hint: index.url must name the node as its certificate does",
        ),
        (
            {"purpose": ExtendedKeyUsageOID.CLIENT_AUTH},
            "error: the cluster's certificate is not accepted: uns.+ certificate purpose\n"
            "hint: the operator of the cluster has to replace it",
        ),
    ],
)
def test_certificates_that_are_not_right(
    cluster: OpenSearch,
    authority: Authority,
    leafmark: Leafmark,
    issued: dict[str, timedelta | str | ObjectIdentifier],
    message: str,
) -> None:
    certificate = authority.issue(**issued)  # type: ignore[arg-type]
    with certified(cluster, certificate) as where:
        ran = search(
            leafmark,
            f"https://{where}/secured",
            LEAFMARK_CLUSTER_CERTIFICATES=str(authority.file),
            **USER,
        )
    assert re.fullmatch(message, told(ran))


def test_the_wrong_scheme(secured: str, cluster: OpenSearch, leafmark: Leafmark) -> None:
    ran = search(leafmark, f"http://{secured}/secured", **USER)
    assert told(ran) == (
        "error: the cluster closed the connection\nhint: does index.url need https://?"
    )
    plain = cluster.nodes[0].url.removeprefix("http://")
    assert told(search(leafmark, f"https://{plain}/secured", **USER)) == (
        "error: the cluster does not use TLS\n"
        "hint: write http:// in index.url if nobody else can read the traffic"
    )


@pytest.mark.parametrize("content", [None, "no certificate\n"])
def test_a_file_of_certificates_that_is_none(
    leafmark: Leafmark, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    ran = search(leafmark, f"https://{HERE}:9/x", LEAFMARK_CLUSTER_CERTIFICATES=str(file))
    assert told(ran) == (
        "error: LEAFMARK_CLUSTER_CERTIFICATES names no file of certificates\n"
        "hint: it has the certificates of the nodes' authority, as text that begins with "
        "-----BEGIN CERTIFICATE-----"
    )
    assert str(file) in ran.err
