"""What a folder's configuration wishes beyond the folder, and what the user approved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from leafmark.model import TrustedFile, TrustReport
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.terminal import Style, clean_line

__all__ = ["render_trust", "render_wishes", "trust_record"]

_STATES = {
    "pending": "not trusted",
    "changed": "not trusted: it asks for something else than what was trusted",
    "trusted": "trusted",
    "recorded": "trusted as it was; its own folder says whether that still holds",
    "gone": "trusted, but there is no such file any more",
}


def render_trust(report: TrustReport, style: Style) -> str:
    """Return each file with its state and its wishes; a sentence when there is none."""
    if not report.files:
        return "no configuration asks for trust, and none was given\n"
    return "".join(_file(file, style) for file in report.files)


def _file(file: TrustedFile, style: Style) -> str:
    state = _STATES[file.state]
    return f"{clean_line(file.path)}  {style.dim(state)}\n{render_wishes([file])}"


def render_wishes(files: Iterable[TrustedFile]) -> str:
    """Return a line for each wish: where it stands, what it is, why it is gated."""
    return "".join(
        f"  {clean_line(wish.location)}: {clean_line(wish.key)} {clean_line(wish.why)}\n"
        for file in files
        for wish in file.wishes
    )


def trust_record(report: TrustReport, changed: Sequence[str]) -> dict[str, Any]:
    """Return `{schema_version, changed, files: [{path, state, wishes}]}`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "changed": list(changed),
        "files": [
            {
                "path": file.path,
                "state": file.state,
                "wishes": [wish._asdict() for wish in file.wishes],
            }
            for file in report.files
        ],
    }
