"""Answers cut to a budget of tokens, for every door: the most that fits, as the door prints it.

A door gives the function with which it prints; all that this returns is counted.
"""

from __future__ import annotations

from collections.abc import Callable

from leafmark.model import Answer, Result, ShowReport
from leafmark.render.fitting import Count, Excerpts, Texts, count_tokens, fit
from leafmark.render.matches import excerpt_lines
from leafmark.render.outlines import OutlinesShown

__all__ = ["fit_answer", "fit_report", "fit_terms", "plan_answer"]

Written = Callable[[str], str]
"""What is written for a text, where the output cannot take all of its characters."""


def fit_answer(
    answer: Answer,
    output: str,
    render: Callable[[Answer], str],
    budget: int,
    written: Written | None = None,
) -> tuple[str, Answer]:
    """Return the most of the answer that fits, as `render` prints it in the form `output`.

    An answer with a packing is printed with its texts, one without with excerpts.

    Raises:
        BudgetError: not even the least of it fits.
    """
    count = _counter(answer.tokenizer, written)
    plan = plan_answer(answer, output, count)
    found = fit(plan.size, lambda steps, marks: render(plan.at(steps, marks)), count, budget)
    return found.text, plan.at(found.steps)


def fit_report(
    report: ShowReport,
    render: Callable[[ShowReport], str],
    budget: int,
    written: Written | None = None,
) -> str:
    """Return the most of what was asked for by id that fits; without a packing, of outlines.

    Raises:
        BudgetError: not even the least of it fits.
    """
    count = _counter(report.tokenizer, written)
    plan = OutlinesShown(report, count) if report.packing is None else Texts(report)
    found = fit(plan.size, lambda steps, marks: render(plan.at(steps, marks)), count, budget)
    return found.text


def fit_terms(
    answer: Answer,
    render: Callable[[Answer], str],
    budget: int,
    written: Written | None = None,
) -> tuple[str, Answer]:
    """Return the best of an answer's terms that fit; the rest has no mark.

    Raises:
        BudgetError: not even the best one fits.
    """
    count = _counter(answer.tokenizer, written)

    def cut(steps: int) -> Answer:
        return answer._replace(terms=answer.terms[:steps])

    found = fit(len(answer.terms), lambda steps, _: render(cut(steps)), count, budget)
    return found.text, cut(found.steps)


def plan_answer(answer: Answer, output: str, count: Count) -> Texts[Answer] | Excerpts:
    """Return how an answer fills up in a form."""
    if answer.packing is not None:
        return Texts(answer)
    if output not in ("pretty", "list"):
        results = tuple(one._replace(expanded=()) for one in answer.results)
        answer = answer._replace(results=results)
    return Excerpts(answer, _excerpt(output), count)


def _excerpt(output: str) -> Callable[[Result], str] | None:
    """What a form shows of a result's text, beside its place."""
    if output == "files":
        return None
    return excerpt_lines if output in ("matches", "vimgrep") else lambda part: part.snippet.text


def _counter(tokenizer: str, written: Written | None) -> Count:
    count = count_tokens(tokenizer)
    return count if written is None else lambda text: count(written(text))
