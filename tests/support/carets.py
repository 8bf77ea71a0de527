"""A query error as text: the query, carets under the characters at fault, message, hint."""

from __future__ import annotations

from leafmark.errors import QueryError


def explain(error: QueryError) -> str:
    carets = " " * error.start + "^" * (error.end - error.start)
    return f"{error.query}\n{carets}\nerror: {error.message}\nhint: {error.hint}"
