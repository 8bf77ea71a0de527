"""Judged queries as text, JSONL or TOML, to `JudgedQuery` values, and back.

A line of JSONL, or a `[[query]]` table of TOML, has a `query` and its `answers`; an empty list says
that nothing answers it. An answer is an id, a citation, or a table that names a place in a
document: see `Reference`. `references` finds its bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from leafmark.errors import UsageError
from leafmark.parsing.frontmatter import load_toml
from leafmark.suggest import choices_hint

HALVES = ("choose", "judge")
"""Settings are chosen on one half of the queries and judged on the other."""

_QUERY_KEYS = ("query", "answers", "kind", "language", "tree", "draft", "note")
_ANSWER_KEYS = ("id", "path", "section", "start", "end", "quote", "until", "grade")
_TOO_DEEP = "values are nested too deeply"
_A_LINE = 'write one object a line: {"query": "…", "answers": ["docs:a.md#b"]}'
_TOML = "TOML is read only from files whose names end with .toml"

MAX_SHOWN = 80
"""Characters of a query or value that an error shows."""

MAX_NAMED = 10
"""Faults of one sort that one error lists."""

_Input = TypeVar("_Input")
_Output = TypeVar("_Output")


class Reference(NamedTuple):
    """A place that answers a query, as written in the file.

    Either `id` (of a document, section or piece, or a citation) or `path`. In the document at a
    path, `section` (titles, outermost first; a suffix of the section path is enough), `quote` (to
    the end of `until` if given) or the bytes `[start, end)` narrow it down; a quote may be limited
    to a section.
    """

    id: str = ""
    path: str = ""
    section: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None
    quote: str = ""
    until: str = ""
    grade: float = 1.0


class JudgedQuery(NamedTuple):
    """A query and its answers; `location` is its place in a file, `file:line`.

    `tree` limits the search to one tree. A program made a `draft`, and nobody has checked it.
    """

    query: str
    answers: tuple[Reference, ...]
    kind: str = ""
    language: str = ""
    tree: str = ""
    draft: bool = False
    location: str = ""


def half_of(query: str) -> str:
    """Return the half of a query, by a hash of its text, so that nobody can choose it.

    >>> half_of("how do I restore a backup?")
    'judge'
    """
    return HALVES[hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()[0] % 2]


def parse_judgments(text: str, name: str) -> list[JudgedQuery]:
    """Return the queries of a file; TOML if its `name` ends in `.toml`, else JSONL.

    Raises:
        UsageError: the file has another format, or queries are wrong; the message lists them.
    """
    rows = _toml_rows(text, name) if name.lower().endswith(".toml") else _jsonl_rows(text, name)
    return check_all(list(rows), lambda row: _query(*row))


def check_all(rows: Iterable[_Input], check: Callable[[_Input], _Output]) -> list[_Output]:
    """Return the result of `check` for each row, in order.

    Raises:
        UsageError: the single fault, or all of them in one message, each with its place.
    """
    results, faults = [], []
    for row in rows:
        try:
            results.append(check(row))
        except UsageError as error:
            faults.append(error)
    if len(faults) == 1:
        raise faults[0]
    if faults:
        messages = ["; ".join(filter(None, (fault.message, fault.hint))) for fault in faults]
        pairs = zip(faults, messages, strict=True)
        lines = [f"{fault.location}: {message}" for fault, message in pairs]
        file = str(faults[0].location).rpartition(":")[0]
        raise UsageError(as_listed(f"{len(faults)} queries are wrong", lines), location=file)
    return results


def abridged(text: str) -> str:
    """Return a text in quotes, shortened for an error."""
    return repr(_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def _as_json(value: Any) -> str:
    """Return a value as JSON, shortened for an error."""
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def as_listed(heading: str, problems: Sequence[str]) -> str:
    """Return a message with a heading and a line for each problem, up to `MAX_NAMED`."""
    shown = "\n  ".join(problems[:MAX_NAMED])
    more = len(problems) - MAX_NAMED
    return f"{heading}:\n  {shown}" + (f"\n  and {more} more" if more > 0 else "")


def judgment_record(query: JudgedQuery) -> dict[str, Any]:
    """Return a query as JSON-ready data: a line of JSONL that `parse_judgments` reads back."""
    answers = [_answer_record(answer) for answer in query.answers]
    row = query._asdict() | {"answers": answers}
    del row["location"]
    return {key: value for key, value in row.items() if value or key in ("query", "answers")}


def _answer_record(answer: Reference) -> str | dict[str, Any]:
    if answer == Reference(id=answer.id):
        return answer.id
    empty = Reference()._asdict()
    fields = {key: value for key, value in answer._asdict().items() if value != empty[key]}
    return fields | {"section": list(answer.section)} if answer.section else fields


def _jsonl_rows(text: str, name: str) -> Iterator[tuple[Any, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            location = f"{name}:{number}"
            yield _jsonl_row(line, location), location


def _jsonl_row(line: str, location: str) -> Any:
    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for key, value in pairs:
            if key in row:
                message = f"the key {abridged(key)} appears twice in one object"
                raise UsageError(message, location=location, hint="keep one of the two")
            row[key] = value
        return row

    try:
        return json.loads(line, object_pairs_hook=table)
    except RecursionError as error:
        raise UsageError(_TOO_DEEP, location=location) from error
    except ValueError as error:
        raise UsageError(
            f"this line is not JSON: {error}",
            location=location,
            hint=_TOML if line.lstrip().startswith("[[query]]") else _A_LINE,
        ) from error


def _toml_rows(text: str, name: str) -> Iterator[tuple[Any, str]]:
    try:
        rows = load_toml(text)
    except RecursionError as error:
        raise UsageError(_TOO_DEEP, location=name) from error
    except ValueError as error:  # a number with thousands of digits gives no TOMLDecodeError
        raise UsageError(f"this is not TOML: {error}", location=name) from error
    queries = rows.pop("query", [])
    are_tables = isinstance(queries, list) and all(isinstance(row, dict) for row in queries)
    if rows or not are_tables:
        raise UsageError(
            "the file contains something other than queries",
            location=name,
            hint="write [[query]] before each one",
        )
    for number, row in enumerate(queries, start=1):
        yield row, f"{name}: query {number}"


def _query(row: Any, location: str) -> JudgedQuery:
    reader = _Row(row, _QUERY_KEYS, "query", location)
    query = reader.text("query")
    if not query.strip():
        raise reader.problem("a query without its text", 'add "query"')
    answers = reader.row.get("answers")
    if not isinstance(answers, list):
        gives = f"gives no list of answers, but {_as_json(answers)}"
        problem = "does not say what answers it" if answers is None else gives
        raise reader.problem(
            f"the query {abridged(query)} {problem}",
            'add "answers", a list of ids or places; an empty one says that nothing does',
        )
    draft = reader.row.get("draft", False)
    if not isinstance(draft, bool):
        raise reader.problem(f"draft is {_as_json(draft)}", "draft must be true or false")
    return JudgedQuery(
        query=query,
        answers=tuple(_reference(answer, location) for answer in answers),
        kind=reader.text("kind"),
        language=reader.text("language"),
        tree=reader.text("tree"),
        draft=draft,
        location=location,
    )


def _reference(answer: Any, location: str) -> Reference:
    if isinstance(answer, str) and answer.strip():
        return Reference(id=answer)
    reader = _Row(answer, _ANSWER_KEYS, "answer", location)
    reference = Reference(
        id=reader.text("id"),
        path=reader.text("path"),
        section=reader.titles("section"),
        start=reader.offset("start"),
        end=reader.offset("end"),
        quote=reader.words("quote"),
        until=reader.words("until"),
        grade=reader.grade(),
    )
    if bool(reference.id) == bool(reference.path):
        raise reader.problem("an answer with neither or both of id and path", "name one of them")
    parts = (reference.section, reference.quote, reference.until, reference.start, reference.end)
    if reference.id and any(part not in ((), "", None) for part in parts):
        raise reader.problem("an answer with an id and a place in it", "name the path instead")
    _check_span(reference, reader)
    return reference


def _check_span(reference: Reference, reader: _Row) -> None:
    start, end = reference.start, reference.end
    has_span = start is not None or end is not None
    if has_span and (start is None or end is None or start >= end):
        raise reader.problem(
            f"the bytes from {start} to {end} are not a span",
            "start and end are whole numbers, and start is less than end",
        )
    if has_span and (reference.quote or reference.section):
        raise reader.problem(
            "an answer with bytes and with a quote or a section", "keep one of them"
        )
    if reference.until and not reference.quote:
        raise reader.problem("an answer with until and no quote", "add the quote's beginning")


class _Row:
    """One table of a file of queries, read key by key."""

    def __init__(self, row: Any, keys: tuple[str, ...], what: str, location: str):
        self._location = location
        if not isinstance(row, Mapping):
            hint = _A_LINE if what == "query" else f"write an id or a table: {', '.join(keys)}"
            raise self.problem(f"{_as_json(row)} is no {what}", hint)
        self.row = row
        for key in row:
            if key not in keys:
                a = "an" if what == "answer" else "a"
                message = f"{a} {what} has no key {abridged(key)}"
                raise self.problem(message, choices_hint(key, keys))

    def problem(self, message: str, hint: str) -> UsageError:
        return UsageError(message, location=self._location, hint=hint)

    def text(self, key: str) -> str:
        value = self.row.get(key, "")
        if not isinstance(value, str):
            raise self.problem(f"{key} is {_as_json(value)}", f"{key} must be a text")
        return value

    def words(self, key: str) -> str:
        """Return a text with a word in it; empty if the row lacks the key."""
        value = self.text(key)
        if key in self.row and not value.strip():
            raise self.problem(
                f"{key} is {_as_json(value)}",
                f"write the words that {key} stands for, or leave it out",
            )
        return value

    def titles(self, key: str) -> tuple[str, ...]:
        value = self.row.get(key, [])
        titles = [part.strip() for part in value.split(" > ")] if isinstance(value, str) else value
        empty = key in self.row and not titles
        valid = isinstance(titles, list) and all(isinstance(t, str) and t.strip() for t in titles)
        if empty or not valid:
            raise self.problem(f"{key} is {_as_json(value)}", f'{key} must be like "Guide > Setup"')
        return tuple(titles)

    def offset(self, key: str) -> int | None:
        value = self.row.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        raise self.problem(f"{key} is {_as_json(value)}", f"{key} must be a whole number from 0 up")

    def grade(self) -> float:
        value = self.row.get("grade", 1.0)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 100:
            return float(value)
        raise self.problem(
            f"grade is {_as_json(value)}", "grade must be a number above 0, at most 100"
        )
