"""An app that answers by hand, and what a run of the command line against it printed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import leafmark
from leafmark.errors import LeafmarkError
from leafmark.evaluation import EvaluationReport
from leafmark.evaluation.results import Drafts
from leafmark.model import (
    Answer,
    DoctorReport,
    Hint,
    IndexReport,
    SettingOrigin,
    ShowReport,
    StatusReport,
    VerifyReport,
    WhyNotReport,
)
from support.answers import mixed_answer
from support.evaluations import small_report


@dataclass
class FakeApp:
    """What the use cases answer, and what they were asked."""

    answer: Answer = field(default_factory=mixed_answer)
    shown: ShowReport = field(default_factory=ShowReport)
    indexed: IndexReport = field(default_factory=IndexReport)
    status: StatusReport = field(default_factory=StatusReport)
    examined: DoctorReport = field(default_factory=DoctorReport)
    settings: tuple[SettingOrigin, ...] = (SettingOrigin("search.limit", 10),)
    listed: tuple[Any, ...] = ()
    absence: WhyNotReport = field(default_factory=lambda: WhyNotReport("docs:a.md", "x"))
    verified: tuple[VerifyReport, ...] = ()
    drafted: Drafts = field(default_factory=lambda: Drafts(()))
    evaluated: EvaluationReport = field(default_factory=small_report)
    written: Path = Path("/srv/leafmark.toml")
    error: BaseException | None = None
    asked: list[Any] = field(default_factory=list)
    opened: list[tuple[Path, dict[str, object]]] = field(default_factory=list)
    progress: Any = None
    told: tuple[Hint, ...] = ()

    def module(self) -> ModuleType:
        module = ModuleType("leafmark.app")
        functions: dict[str, Callable[..., Any]] = {
            "open_project": self.open_project,
            "search_project": lambda _, request, progress: self._reply(request, self.answer),
            "show_chunks": lambda _, request, progress: self._reply(request, self.shown),
            "find_context": lambda _, request, progress: self._reply(request, self.answer),
            "find_like": lambda _, request, progress: self._reply(request, self.answer),
            "explain_why_not": lambda _, request, progress: self._reply(request, self.absence),
            "verify_texts": lambda _, request, progress: self._reply(request, self.verified),
            "index_project": lambda _, request, progress: self._reply(request, self.indexed),
            "project_status": lambda _: self._reply("status", self.status),
            "examine": lambda directory, flags, environ: self._reply("doctor", self.examined),
            "list_settings": lambda _: self._reply("settings", self.settings),
            "explain_unread": lambda _, wanted: None,
            "write_config": lambda _, request, environ: self._reply(request, self.written),
        }
        for kind in ("trees", "documents", "chunks", "tags"):
            functions[f"list_{kind}"] = self._lister(kind)
        vars(module).update(functions)
        # The requests are the real ones.
        module.__path__ = [str(Path(leafmark.__file__).parent / "app")]
        return module

    def evaluation(self) -> Mapping[str, Callable[..., Any]]:
        """The use cases that stand in their own package."""
        return {
            "evaluate_project": lambda _, request, **around: self._reply(request, self.evaluated),
            "draft_judgments": lambda _, request: self._reply(request, self.drafted),
        }

    def _lister(self, kind: str) -> Callable[..., Any]:
        return lambda _, request, progress: self._reply((kind, request), self.listed)

    def open_project(
        self,
        directory: Path,
        *,
        flags: Mapping[str, object],
        environ: Mapping[str, str],
        report_hint: Callable[[Hint], None] | None = None,
    ) -> str:
        self.opened.append((directory, dict(flags)))
        if report_hint is not None:
            for hint in self.told:
                report_hint(hint)
        return "project"

    def _reply(self, request: Any, reply: Any) -> Any:
        self.asked.append(request)
        error, self.error = self.error, None
        if error is not None:
            raise error
        return reply


@dataclass(frozen=True)
class Ran:
    """The exit code of a run and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


Leafmark = Callable[..., Ran]


class Failing(LeafmarkError):
    """An error of the app, for the exit code and the shape of the message."""

    kind = "locked"
