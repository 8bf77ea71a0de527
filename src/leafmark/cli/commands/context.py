"""`leafmark context`."""

from __future__ import annotations

from leafmark.cli.commands.related import OPTIONS, print_related, search_wishes
from leafmark.cli.options import Argument, Call, Command
from leafmark.errors import UsageError

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Find what matters for some files; exit code 1 when nothing was found."""
    from leafmark.app import find_context
    from leafmark.app.requests import ContextRequest
    from leafmark.cli.projects import perform

    files = _files(call.words)

    def request(confirmed: bool) -> ContextRequest:
        return ContextRequest(
            files,
            search_wishes(call, confirmed),
            lenient="-" in call.words,
            terms_only=call.on("terms"),
        )

    return print_related(call, perform(call, find_context, request))


def _files(words: tuple[str, ...]) -> tuple[str, ...]:
    """The files, each once; `-` stands for a list on standard input."""
    from leafmark.app.standard_input import listed

    files = tuple(dict.fromkeys(listed(words)))
    if not files:
        nothing = "there is no file on standard input" if "-" in words else "the file has no name"
        raise UsageError(nothing)
    return files


COMMAND = Command(
    name="context",
    summary="find the documents that matter for the files being worked on",
    description=(
        "Takes the words of the files' paths, headings, definitions, names, comments and imports, "
        "scores each by where it occurs, how often, and how rare it is in the index, and searches "
        "for the best of them. The files themselves are left out. [[context.rules]] in the "
        "configuration add words, trees and documents for files whose path fits a pattern; "
        "[context] holds the weights.\n\n"
        "Exit code 1 means that nothing was found."
    ),
    examples=(
        ("leafmark context src/auth/login.py", "what to read before changing a file"),
        ("git diff --name-only | leafmark context - -n 5", "for all that was changed"),
        ("leafmark context src/auth/login.py --terms", "the words that it searches for"),
        ("leafmark context src/auth/login.py -o full --max-tokens 4000", "for a model to read"),
    ),
    run=run,
    argument=Argument("FILE", "A file; - reads a list of them from standard input.", least=1),
    options=OPTIONS,
)
