"""Judged queries as text, JSONL or TOML, to `JudgedQuery` values, and back.

A line of JSONL, or a `[[query]]` table of TOML, holds a `query` and its
`answers`; none (`[]`) says that nothing answers it. An answer is an id or a
citation, or a table that names a place in a document: see `Reference`. Which
bytes that is, is found out by whoever can read the documents.
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
"""Faults of one sort that one error names."""

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


class Reference(NamedTuple):
    """A place that answers a query, as it was written.

    Either `id` (of a document, section or piece, or a citation) or `path`. Of the
    document at a path, `section` (titles, outermost first; a suffix of the
    section path is enough), `quote` (to the end of `until` where that is given)
    or the bytes `[start, end)` narrow it down; a quote may stand in a section.
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
    """A query and what answers it; `location` is where it was written, `file:line`.

    `tree` limits the search to one tree. A `draft` was made by a program and
    nobody has looked at it.
    """

    query: str
    answers: tuple[Reference, ...]
    kind: str = ""
    language: str = ""
    tree: str = ""
    draft: bool = False
    location: str = ""


def half_of(query: str) -> str:
    """Return the half that a query belongs to, by a hash of its text: never a matter of choice.

    >>> half_of("how do I restore a backup?")
    'judge'
    """
    return HALVES[hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()[0] % 2]


def parse_judgments(text: str, name: str) -> list[JudgedQuery]:
    """Return the queries of a file; TOML where its `name` ends so, else JSONL.

    Raises:
        UsageError: the file is no such file, or queries lack what they need; they are named.
    """
    rows = _toml_rows(text, name) if name.lower().endswith(".toml") else _jsonl_rows(text, name)
    return check_all(list(rows), lambda row: _query(*row))


def check_all(rows: Iterable[_Given], check: Callable[[_Given], _Found]) -> list[_Found]:
    """Return what `check` gives for each row, in order.

    Raises:
        UsageError: the one fault that it found, or all of them, each with its place.
    """
    found, faults = [], []
    for row in rows:
        try:
            found.append(check(row))
        except UsageError as error:
            faults.append(error)
    if len(faults) == 1:
        raise faults[0]
    if faults:
        told = ["; ".join(filter(None, (one.message, one.hint))) for one in faults]
        placed = [f"{one.location}: {said}" for one, said in zip(faults, told, strict=True)]
        file = str(faults[0].location).rpartition(":")[0]
        raise UsageError(as_listed(f"{len(faults)} queries are wrong", placed), location=file)
    return found


def abridged(text: str) -> str:
    """Return a text in quotes, as much of it as an error shows."""
    return repr(_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def _told(value: Any) -> str:
    """Return a value as files of queries write it, as much of it as an error shows."""
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def as_listed(said: str, problems: Sequence[str]) -> str:
    """Return a message that says something of several problems and names them, a line each."""
    shown = "\n  ".join(problems[:MAX_NAMED])
    more = len(problems) - MAX_NAMED
    return f"{said}:\n  {shown}" + (f"\n  and {more} more" if more > 0 else "")


def judgment_record(query: JudgedQuery) -> dict[str, Any]:
    """Return a query as JSON-ready data: a line of JSONL that `parse_judgments` reads back."""
    answers = [_written(answer) for answer in query.answers]
    row = query._asdict() | {"answers": answers}
    del row["location"]
    return {key: value for key, value in row.items() if value or key in ("query", "answers")}


def _written(answer: Reference) -> str | dict[str, Any]:
    if answer == Reference(id=answer.id):
        return answer.id
    empty = Reference()._asdict()
    told = {key: value for key, value in answer._asdict().items() if value != empty[key]}
    return told | {"section": list(answer.section)} if answer.section else told


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
                said = f"the key {abridged(key)} stands twice in one object"
                raise UsageError(said, location=location, hint="keep one of the two")
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
    except ValueError as error:  # a number of thousands of digits is no TOMLDecodeError
        raise UsageError(f"this is not TOML: {error}", location=name) from error
    queries = rows.pop("query", [])
    listed = isinstance(queries, list) and all(isinstance(row, dict) for row in queries)
    if rows or not listed:
        raise UsageError(
            "the file holds something other than queries",
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
        gives = f"gives no list of answers, but {_told(answers)}"
        said = "does not say what answers it" if answers is None else gives
        raise reader.problem(
            f"the query {abridged(query)} {said}",
            'add "answers", a list of ids or places; an empty one says that nothing does',
        )
    draft = reader.row.get("draft", False)
    if not isinstance(draft, bool):
        raise reader.problem(f"draft is {_told(draft)}", "draft must be true or false")
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
    found = Reference(
        id=reader.text("id"),
        path=reader.text("path"),
        section=reader.titles("section"),
        start=reader.offset("start"),
        end=reader.offset("end"),
        quote=reader.words("quote"),
        until=reader.words("until"),
        grade=reader.grade(),
    )
    if bool(found.id) == bool(found.path):
        raise reader.problem("an answer with neither or both of id and path", "name one of them")
    narrowed = (found.section, found.quote, found.until, found.start, found.end)
    if found.id and any(each not in ((), "", None) for each in narrowed):
        raise reader.problem("an answer with an id and a place in it", "name the path instead")
    _check_span(found, reader)
    return found


def _check_span(found: Reference, reader: _Row) -> None:
    spanned = found.start is not None or found.end is not None
    if spanned and (found.start is None or found.end is None or found.start >= found.end):
        raise reader.problem(
            f"the bytes from {found.start} to {found.end} are not a span",
            "start and end are whole numbers, and start is less than end",
        )
    if spanned and (found.quote or found.section):
        raise reader.problem(
            "an answer with bytes and with a quote or a section", "keep one of them"
        )
    if found.until and not found.quote:
        raise reader.problem("an answer with until and no quote", "add the quote's beginning")


class _Row:
    """One table of a file of queries, read key by key."""

    def __init__(self, row: Any, keys: tuple[str, ...], what: str, location: str):
        self._location = location
        if not isinstance(row, Mapping):
            some = f"write an id or a table: {', '.join(keys)}"
            raise self.problem(f"{_told(row)} is no {what}", _A_LINE if what == "query" else some)
        self.row = row
        for key in row:
            if key not in keys:
                a = "an" if what == "answer" else "a"
                said = f"{a} {what} has no key {abridged(key)}"
                raise self.problem(said, choices_hint(key, keys))

    def problem(self, message: str, hint: str) -> UsageError:
        return UsageError(message, location=self._location, hint=hint)

    def text(self, key: str) -> str:
        value = self.row.get(key, "")
        if not isinstance(value, str):
            raise self.problem(f"{key} is {_told(value)}", f"{key} must be a text")
        return value

    def words(self, key: str) -> str:
        """Return a text that holds a word; empty where there is none of this key."""
        value = self.text(key)
        if key in self.row and not value.strip():
            raise self.problem(
                f"{key} is {_told(value)}",
                f"write the words that {key} stands for, or leave it out",
            )
        return value

    def titles(self, key: str) -> tuple[str, ...]:
        value = self.row.get(key, [])
        titles = [part.strip() for part in value.split(" > ")] if isinstance(value, str) else value
        empty = key in self.row and not titles
        named = isinstance(titles, list) and all(isinstance(t, str) and t.strip() for t in titles)
        if empty or not named:
            raise self.problem(f"{key} is {_told(value)}", f'{key} must be like "Guide > Setup"')
        return tuple(titles)

    def offset(self, key: str) -> int | None:
        value = self.row.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        raise self.problem(f"{key} is {_told(value)}", f"{key} must be a whole number from 0 up")

    def grade(self) -> float:
        value = self.row.get("grade", 1.0)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 100:
            return float(value)
        raise self.problem(
            f"grade is {_told(value)}", "grade must be a number above 0, at most 100"
        )
