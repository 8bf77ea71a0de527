"""`leafmark doctor`."""

from __future__ import annotations

from leafmark.cli.options import JSON, Call, Command

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Print what was found; 1 when something is wrong."""
    from leafmark.app import examine
    from leafmark.render.doctor import doctor_record, render_doctor

    console = call.console
    report = examine(console.directory, flags=call.settings, environ=console.environ)
    if console.json:
        console.write_json(doctor_record(report))
    else:
        console.write(render_doctor(report, console.style))
    return 0 if report.ok else 1


COMMAND = Command(
    name="doctor",
    summary="say what is wrong, and what to do about it",
    description=(
        "Checks the installation and its extras, the configuration, the folders, every byte of "
        "the index and its vectors, the sources and the tokenizer. Asks a configured embedder "
        "for one vector, and a reranker how relevant one text is. Changes nothing. Exit code 1 "
        "means that something is wrong; a warning alone does not count."
    ),
    examples=(
        ("leafmark doctor", "look at everything"),
        ("leafmark doctor --json", "for programs"),
    ),
    run=run,
    options=(JSON,),
)
