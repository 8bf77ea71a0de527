"""`leafmark serve`: the page and the API, behind the guard of every server."""

from __future__ import annotations

from collections.abc import Callable

from leafmark.serving.listening import Place, serve
from leafmark.serving.workspace import Workspace
from leafmark.web.site import OPEN_PATHS, Site

__all__ = ["run_web"]


def run_web(workspace: Workspace, place: Place, *, started: Callable[[str], None]) -> None:
    """Serve until interrupted; `started` gets the address once the port is held.

    Raises:
        UsageError, StorageError: see `serve`.
    """
    serve(
        lambda: Site(workspace),
        place,
        started=lambda address: started(f"{address}/"),
        open_paths=OPEN_PATHS,
    )
