"""`--max-tokens`: output cut to a budget, counted as it leaves the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from leafmark.render.fitting import Excerpts, Texts, TextsShown, count_tokens, fit

if TYPE_CHECKING:
    from leafmark.cli.console import Console
    from leafmark.model import Answer, Result, ShowReport
    from leafmark.render.fitting import Count

__all__ = ["fit_answer", "fit_report", "plan_answer"]


def fit_answer(
    answer: Answer, output: str, render: Callable[[Answer], str], budget: int, console: Console
) -> tuple[str, Answer]:
    """Return the most of the answer that fits, as `render` prints it in the form `output`.

    Raises:
        UsageError: not even the least of it fits.
    """
    count = _counter(answer.tokenizer, console)
    plan = plan_answer(answer, output, count)
    found = fit(plan.size, lambda steps, marks: render(plan.answer(steps, marks)), count, budget)
    return found.text, plan.answer(found.steps)


def plan_answer(answer: Answer, output: str, count: Count) -> Texts | Excerpts:
    """Return how an answer fills up in a form."""
    if answer.packing is not None:
        return Texts(answer)
    if output not in ("pretty", "list"):
        results = tuple(one._replace(expanded=()) for one in answer.results)
        answer = answer._replace(results=results)
    return Excerpts(answer, _excerpt(output), count)


def fit_report(
    report: ShowReport, render: Callable[[ShowReport], str], budget: int, console: Console
) -> str:
    """Return the most of what was asked for by id that fits.

    Raises:
        UsageError: not even the least of it fits.
    """
    plan = TextsShown(report)
    count = _counter(report.tokenizer, console)
    found = fit(plan.size, lambda steps, marks: render(plan.report(steps, marks)), count, budget)
    return found.text


def _counter(tokenizer: str, console: Console) -> Count:
    """A counter of what is written: characters that the output lacks are written as escapes."""
    count = count_tokens(tokenizer)
    if not console.ascii_only:
        return count
    encoding = getattr(console.out, "encoding", None) or "utf-8"
    return lambda text: count(text.encode(encoding, "backslashreplace").decode(encoding))


def _excerpt(output: str) -> Callable[[Result], str] | None:
    """What a form shows of a result's text, beside its place."""
    from leafmark.render.matches import excerpt_lines

    if output == "files":
        return None
    return excerpt_lines if output in ("matches", "vimgrep") else lambda part: part.snippet.text
