"""A proxy that ends TLS before a real node and asks for credentials, and who vouches for it."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HERE = "127.0.0.1"


_SIGNS = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)
"""What an authority's key is for; Python 3.13 wants it said."""


class Authority:
    """Vouches for certificates; `file` holds its own, as a client is given it."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("Test Authority")
        public = self._key.public_key()
        self._identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(public)
        own = (
            _begun(self._name, self._name, timedelta(days=-1), timedelta(days=1))
            .public_key(public)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_SIGNS, critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / "authority.pem"
        self.file.write_bytes(own.public_bytes(serialization.Encoding.PEM))

    def issue(
        self,
        *,
        host: str = HERE,
        since: timedelta = timedelta(hours=-1),
        until: timedelta = timedelta(hours=1),
        purpose: x509.ObjectIdentifier = ExtendedKeyUsageOID.SERVER_AUTH,
    ) -> Path:
        """Return a file with key and certificate of a host, valid `since` and `until` from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        alternative = x509.IPAddress(ip_address(host)) if host == HERE else x509.DNSName(host)
        made = (
            _begun(_named(host), self._name, since, until)
            .public_key(key.public_key())
            .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
                critical=False,
            )
            .sign(self._key, hashes.SHA256())
        )
        file = self._folder / f"{made.serial_number}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
        return file


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(
    subject: x509.Name, issuer: x509.Name, since: timedelta, until: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + since)
        .not_valid_after(now + until)
    )


@contextmanager
def proxy(node: str, certificate: Path, allowed: Collection[str]) -> Iterator[str]:
    """Give `host:port` of a proxy before a node; `allowed` are headers of who may ask."""
    target = urlsplit(node).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("authorization") not in allowed:
                self._answer(401, b"Unauthorized", "text/plain")
                return
            connection = http.client.HTTPConnection(target, timeout=30)
            try:
                kind = {"content-type": "application/json"}
                connection.request(self.command, self.path, body or None, kind)
                answer = connection.getresponse()
                self._answer(answer.status, answer.read(), "application/json")
            finally:
                connection.close()

        do_POST = do_PUT = do_DELETE = do_GET

        def _answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Nothing: clients that trust nobody hang up."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Server((HERE, 0), Handler) as running:
        running.socket = context.wrap_socket(
            running.socket, server_side=True, do_handshake_on_connect=False
        )
        thread = threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"{HERE}:{running.server_address[1]}"
        finally:
            running.shutdown()
            thread.join()
