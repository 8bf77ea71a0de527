"""`leafmark mcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.cli.options import Call, Command, Option, natural, text
from leafmark.cli.servers import open_workspace, place_of, require
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.server.workspace import Workspace

__all__ = ["COMMAND"]

DEFAULT_PORT = 7391
"""Free in the registry of ports; chosen by eye."""


def run(call: Call) -> int:
    """Serve until the input ends, or Ctrl-C."""
    if not call.on("http"):
        for name in ("host", "port"):
            if name in call.values:
                raise UsageError(f"--{name} belongs to --http")
    require("mcp", "the MCP server", "mcp")
    workspace = open_workspace(call)
    if call.on("http"):
        return _http(call, workspace)
    from leafmark.server.mcp.stdio import run_stdio

    run_stdio(workspace, call.console.out.fileno())
    return 0


def _http(call: Call, workspace: Workspace) -> int:
    from leafmark.server.mcp.http import run_http

    run_http(
        workspace,
        place_of(call, DEFAULT_PORT),
        started=lambda address: call.console.note(f"serving MCP at {address}\n"),
    )
    return 0


COMMAND = Command(
    name="mcp",
    summary="serve the documents to programs that speak MCP",
    description=(
        "Offers the tools search, get, outline, context, list_sources and verify over the Model "
        "Context Protocol, on standard input and output, or over HTTP here. The index is "
        "brought up to date for every call. Where --host can be reached from elsewhere, every "
        "request needs the token in LEAFMARK_TOKEN. Needs the extra `mcp`."
    ),
    examples=(
        ("leafmark mcp", "over standard input and output, as clients start it"),
        ("leafmark mcp -C docs --yes", "for a folder, however large"),
        ("leafmark mcp --http --port 8000", "over HTTP, at http://127.0.0.1:8000/mcp"),
    ),
    run=run,
    options=(
        Option(("--http",), "Serve Streamable HTTP instead of standard input and output."),
        Option(("--host",), "With --http: the address to listen on (127.0.0.1).", "HOST", text),
        Option(
            ("--port",),
            f"With --http: the port ({DEFAULT_PORT}); 0 takes any free one.",
            "PORT",
            natural,
        ),
    ),
)
