"""`mcp` and `serve`: the project's documents for other programs, and a page to search in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from leafmark.cli.command import Option, at_least, command
from leafmark.cli.console import Call, output_error
from leafmark.environment import install_extra
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.app import Project
    from leafmark.server.listening import Place
    from leafmark.server.workspace import Workspace

MCP_PORT = 7391
"""A port that the registry of ports has free; chosen by eye."""

WEB_PORT = 7392
"""The port after that of `leafmark mcp`."""


def _listen_options(the: str, port: int) -> tuple[Option, Option]:
    """Return the options of a server for its address and port."""
    about = f"{the} port ({port}); 0 takes any free one."
    return (
        Option("--host", help=f"{the} address to listen on (127.0.0.1).", metavar="HOST"),
        Option("--port", help=about, metavar="PORT", type=at_least(0)),
    )


@command(
    "mcp",
    examples=(
        ("leafmark mcp", "over standard input and output, as clients start it"),
        ("leafmark mcp -C docs --yes", "for a folder, however large"),
        ("leafmark mcp --http --port 8000", "over HTTP, at http://127.0.0.1:8000/mcp"),
    ),
    options=(
        Option("--http", help="Serve Streamable HTTP instead of standard input and output."),
        *_listen_options("With --http: the", MCP_PORT),
    ),
)
def _mcp(call: Call) -> int:
    """Serve the documents to programs that speak MCP.

    Offers the tools search, get, outline, context, list_sources, verify and changes over the
    Model Context Protocol, on standard input and output, or over HTTP here. The index is brought
    up to date for every call. Where --host can be reached from elsewhere, every request needs the
    token in LEAFMARK_TOKEN. Needs the extra `mcp`.
    """
    if not call.on("http"):
        for name in ("host", "port"):
            if name in call.values:
                raise UsageError(f"--{name} belongs to --http")
    _require_package("mcp", "the MCP server", "mcp")
    workspace = _open_workspace(call)
    from leafmark.server.mcp.server import run_http, run_stdio

    if call.on("http"):
        run_http(
            workspace,
            _place_of(call, MCP_PORT),
            started=lambda address: call.console.note(f"serving MCP at {address}\n"),
        )
        return 0
    try:
        out = call.console.out.fileno()
    except OSError as error:
        raise output_error(error) from error
    run_stdio(workspace, out)
    return 0


@command(
    "serve",
    examples=(
        ("leafmark serve", f"at http://127.0.0.1:{WEB_PORT}/"),
        ("leafmark serve -C docs --port 8000", "another folder, another port"),
        ("curl 'http://127.0.0.1:7392/api/search?q=retries&limit=3'", "for programs"),
    ),
    options=_listen_options("The", WEB_PORT),
)
def _serve(call: Call) -> int:
    """Serve a page to search in, and a JSON API.

    Opens a port of this machine for a page in the browser: search as you type, read and cite
    sections, and see in the chunk lab how a document is cut. Programs get the same as JSON;
    /openapi.json describes it. The index is brought up to date for every call. Where
    --host can be reached from elsewhere, every request needs the token in LEAFMARK_TOKEN; the
    page asks for it. Needs the extra `serve`.
    """
    _require_package("uvicorn", "the web server", "serve")
    workspace = _open_workspace(call)
    from leafmark.server.web.site import run_web

    run_web(
        workspace,
        _place_of(call, WEB_PORT),
        started=lambda address: call.console.note(f"serving at {address}\n"),
    )
    return 0


def _require_package(package: str, what: str, extra: str) -> None:
    """Check that a server's package is installed, before anything else fails.

    Raises:
        UsageError: it is not.
    """
    if find_spec(package) is None:
        raise UsageError(f"{what} is not installed", hint=install_extra(extra))


def _open_workspace(call: Call) -> Workspace:
    """Return the workspace of the folder's project.

    Raises:
        ConfigError, NotFoundError: see `open_project`; raised here, not in the first answer.
    """
    from leafmark.app import open_project
    from leafmark.server.workspace import Workspace

    console = call.console
    directory = console.directory

    def open_with(settings: Mapping[str, object]) -> Project:
        return open_project(directory, flags={**call.settings, **settings}, environ=console.environ)

    open_with({})
    directory = Path(os.path.abspath(directory))  # stays valid if the folder is replaced
    return Workspace(open_with, confirmed=call.on("yes"))


def _place_of(call: Call, port: int) -> Place:
    """Return the place to listen at; `port` is the command's default."""
    from leafmark.server.listening import Place

    return Place(
        host=call.values.get("host", "127.0.0.1"),
        port=call.values.get("port", port),
        token=call.console.environ.get("LEAFMARK_TOKEN") or None,
    )
