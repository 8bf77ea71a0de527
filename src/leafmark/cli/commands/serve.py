"""`leafmark serve`."""

from __future__ import annotations

from leafmark.cli.options import Call, Command, Option, natural, text
from leafmark.cli.servers import open_workspace, place_of, require

__all__ = ["COMMAND"]

DEFAULT_PORT = 7392
"""The one after that of `leafmark mcp`."""


def run(call: Call) -> int:
    """Serve until Ctrl-C."""
    require("uvicorn", "the web server", "serve")
    workspace = open_workspace(call)
    from leafmark.server.web.site import run_web

    run_web(
        workspace,
        place_of(call, DEFAULT_PORT),
        started=lambda address: call.console.note(f"serving at {address}\n"),
    )
    return 0


COMMAND = Command(
    name="serve",
    summary="serve a page to search in, and a JSON API",
    description=(
        "Opens a port of this machine for a page in the browser: search as you type, and the "
        "sections of a document beside its source, cut by one strategy or another. Programs get "
        "the same as JSON; /openapi.json describes it. The index is brought up to date for every "
        "call. Where --host can be reached from elsewhere, every request needs the token in "
        "LEAFMARK_TOKEN; the page asks for it. Needs the extra `serve`."
    ),
    examples=(
        ("leafmark serve", f"at http://127.0.0.1:{DEFAULT_PORT}/"),
        ("leafmark serve -C docs --port 8000", "another folder, another port"),
        ("curl 'http://127.0.0.1:7392/api/search?q=retries&limit=3'", "for programs"),
    ),
    run=run,
    options=(
        Option(("--host",), "The address to listen on (127.0.0.1).", "HOST", text),
        Option(("--port",), f"The port ({DEFAULT_PORT}); 0 takes any free one.", "PORT", natural),
    ),
)
