"""`leafmark verify`."""

from __future__ import annotations

import codecs

from leafmark.cli.options import JSON, Argument, Call, Command, Option
from leafmark.errors import NotFoundError, UsageError, unreadable

__all__ = ["COMMAND"]

OPTIONS = (
    Option(("--no-refresh",), "Do not index new documents first."),
    JSON,
)


def run(call: Call) -> int:
    """Check citations; exit code 1 when one does not hold, or there is none."""
    from leafmark.app import verify_texts
    from leafmark.app.requests import VerifyRequest
    from leafmark.app.standard_input import check_once
    from leafmark.cli.projects import perform
    from leafmark.render.verification import render_verification, summarise, verification_record

    check_once(call.words)
    texts = tuple((name, _read(call, name)) for name in call.words)

    refresh = not call.on("no_refresh")
    reports = perform(
        call, verify_texts, lambda confirmed: VerifyRequest(texts, refresh, confirmed)
    )
    console = call.console
    record = verification_record(reports)
    if console.json:
        console.write_json(record)
    else:
        console.write(render_verification(reports, console.style, everything=console.verbose))
        console.note(f"{summarise(reports)}\n")
    return 0 if record["ok"] else 1


def _read(call: Call, name: str) -> str:
    """Return a text, what cannot be decoded replaced: citations are ASCII where it matters.

    Some shells write UTF-16, with a byte order mark, where output is redirected.
    """
    from leafmark.app.standard_input import read_bytes, read_named

    if name == "-":
        return _decoded(read_bytes())
    if not name:
        raise UsageError("the file has no name")
    try:
        data = read_named(call.console.directory / name, name)
    except FileNotFoundError as error:
        raise NotFoundError("there is no such file", location=name) from error
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from error
    return _decoded(data)


def _decoded(data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8", "replace")


COMMAND = Command(
    name="verify",
    summary="check the citations in a text",
    description=(
        "Finds every citation (id@hash:start-end, as -o full and --json print them) in a text of "
        "any kind, and compares it with the sources as they are now. A citation is ok; or moved: "
        "the same bytes stand elsewhere, in a renamed file or under another heading, and the "
        "citation to use now is printed; or changed: other bytes stand in their place; or gone.\n\n"
        "Exit code 1 means that a citation is not ok, or that there is none. -v lists those that "
        "are ok, too."
    ),
    examples=(
        ("leafmark verify answer.md", "check the citations in a file"),
        ("leafmark search retries -o full | leafmark verify -", "what was just printed"),
        ("leafmark verify docs/report.md docs/faq.md --json", "several files, for programs"),
    ),
    run=run,
    argument=Argument("FILE", "The text to check; - reads it from standard input.", least=1),
    options=OPTIONS,
)
