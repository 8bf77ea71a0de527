"""`leafmark config`."""

from __future__ import annotations

from leafmark.cli.options import JSON, Argument, Call, Command, Option
from leafmark.errors import NotFoundError
from leafmark.suggest import MOST_SUGGESTED, nearest

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Print the settings in force."""
    from leafmark.app import list_settings
    from leafmark.cli.projects import project_of
    from leafmark.render.listing import render_settings, settings_record

    console = call.console
    settings = list_settings(project_of(call))
    if call.words:
        wanted = call.words[0]
        names = [setting.name for setting in settings]
        settings = tuple(
            one for one in settings if one.name == wanted or one.name.startswith(f"{wanted}.")
        )
        if not settings:
            tables = [] if "." in wanted else [name.partition(".")[0] for name in names]
            near = nearest(wanted, [*tables, *names], MOST_SUGGESTED)
            raise NotFoundError(
                f"there is no setting `{wanted}`",
                did_you_mean=near,
                hint=None if near else "`leafmark config` lists them",
            )
    if console.json:
        console.write_json(settings_record(settings))
    else:
        console.write(render_settings(settings, console.style, origin=call.on("origin")))
    return 0


COMMAND = Command(
    name="config",
    summary="show the settings in force",
    description=(
        "Prints every setting with its value, as files, environment and flags make it. With "
        "--origin, it says where each value comes from."
    ),
    examples=(
        ("leafmark config --origin", "every setting and where it comes from"),
        ("leafmark config search", "the settings of one table"),
        ("leafmark config search.cutoff_ratio --json", "one setting, for programs"),
    ),
    run=run,
    argument=Argument("NAME", "A setting or a table of settings.", 0, 1),
    options=(Option(("--origin",), "Say where each value comes from."), JSON),
)
