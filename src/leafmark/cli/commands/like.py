"""`leafmark like`."""

from __future__ import annotations

from leafmark.cli.commands.related import OPTIONS, print_related, search_wishes
from leafmark.cli.options import Argument, Call, Command

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Find what is like a chunk or a file; exit code 1 when nothing was found."""
    from leafmark.app import find_like
    from leafmark.app.requests import LikeRequest
    from leafmark.cli.projects import perform

    def request(confirmed: bool) -> LikeRequest:
        wishes = search_wishes(call, confirmed)
        return LikeRequest(call.words[0], wishes, terms_only=call.on("terms"))

    return print_related(call, perform(call, find_like, request))


COMMAND = Command(
    name="like",
    summary="find sections like one, or like a file",
    description=(
        "Searches for the words that say most about a chunk: those that are frequent in it and "
        "rare elsewhere. The chunk itself, what it is part of and its own parts are left out. "
        "What is not an id is read as the path of a file.\n\n"
        "Exit code 1 means that nothing was found."
    ),
    examples=(
        ("leafmark like guides/backups.md#restoring-a-backup", "sections like this one"),
        ("leafmark like notes/draft.md -n 3 -o list", "like a file that may not be indexed"),
        ("leafmark like guides/backups.md.3 --terms", "the words that it searches for"),
    ),
    run=run,
    argument=Argument("ID|FILE", "A chunk, or a file.", least=1, most=1),
    options=OPTIONS,
)
