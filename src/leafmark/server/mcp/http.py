"""Streamable HTTP, behind the guard of every server."""

from __future__ import annotations

from collections.abc import Callable

from mcp.server.transport_security import TransportSecuritySettings

from leafmark.server.guard import MOST_BODY_BYTES, App
from leafmark.server.listening import Place, serve
from leafmark.server.mcp.server import make_server
from leafmark.server.workspace import Workspace

__all__ = ["run_http"]


def run_http(workspace: Workspace, place: Place, *, started: Callable[[str], None]) -> None:
    """Serve until interrupted; `started` gets the address once the port is held.

    Raises:
        UsageError, StorageError: see `serve`.
    """

    def make_app() -> App:
        return make_server(workspace).streamable_http_app(
            host=place.host,
            max_request_body_size=MOST_BODY_BYTES,
            # the guard checks both, more strictly
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    serve(make_app, place, started=lambda address: started(f"{address}/mcp"), lifespan="on")
