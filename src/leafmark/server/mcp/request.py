"""One call of a tool: what its answer is made from, and what every answer holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leafmark.app import Project
from leafmark.server.mcp.replies import Reply, fence, new_mark
from leafmark.server.workspace import Freshness

__all__ = ["Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the project, its checked arguments, and how fresh the index is.

    `mark` sets the text of documents apart; it is another one in every answer.
    """

    project: Project
    arguments: Mapping[str, Any]
    freshness: Freshness
    mark: str = field(default_factory=new_mark)

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def fence(self, text: str) -> str:
        return fence(text, self.mark)

    def names(self, name: str) -> tuple[Any, ...]:
        return tuple(self.arguments[name] or ())

    def reply(self, text: str, data: dict[str, Any], more: str) -> Reply:
        """Return the answer with what every answer holds; `more` says what to ask for next."""
        state, note = self.freshness, self.freshness.note
        index = {"state": state.state, "done": state.done, "total": state.total, "message": note}
        common = {"truncated": bool(more), "next": more, "index": index}
        lines = [
            text.rstrip("\n"),
            *([f"(more: {more})"] if more else []),
            *([note] if note else []),
        ]
        return Reply("\n".join(lines), data | common)
