"""What can be wrong with a query string: every message and hint of this room.

Offsets are characters, half-open, inside the query string.
"""

from __future__ import annotations

from leafmark.errors import QueryError
from leafmark.query.fields import FIELDS, HAS_VALUES, SCORING_FIELDS, nearest_field
from leafmark.query.limits import Limits

EXAMPLES = 'error handling, "an exact phrase", title:install or tree:docs'


def _error(query: str, start: int, end: int, message: str, hint: str) -> QueryError:
    return QueryError(message, query=query, start=start, end=end, hint=hint)


def empty(query: str) -> QueryError:
    hint = f"type what to look for, such as {EXAMPLES}"
    return _error(query, 0, len(query), "the query is empty", hint)


def too_long(query: str, start: int, total: int, limits: Limits) -> QueryError:
    message = f"the query has {total:,} characters, the limit is {limits.length:,}"
    return _error(query, start, len(query), message, "keep the words that matter")


def too_many_terms(query: str, start: int, end: int, limits: Limits) -> QueryError:
    message = f"the query has more than {limits.terms} words"
    return _error(query, start, end, message, "keep the words that matter")


def too_deep(query: str, at: int, limits: Limits) -> QueryError:
    message = f"more than {limits.depth} parentheses are open at once"
    hint = "put the query in quotes to search for its text, or leave parentheses out"
    return _error(query, at, at + 1, message, hint)


def not_text(query: str, at: int) -> QueryError:
    message = f"the query holds half of a character (U+{ord(query[at]):04X})"
    return _error(query, at, at + 1, message, "the query must be Unicode text, UTF-8 on a terminal")


def unclosed_quote(query: str, at: int) -> QueryError:
    message = "the query has an opening quote without a closing one"
    hint = f"add the closing quote, or write \\{query[at]} to search for the character itself"
    return _error(query, at, at + 1, message, hint)


def unclosed_group(query: str, at: int) -> QueryError:
    message = "the query has an opening parenthesis without a closing one"
    hint = "add the closing parenthesis, or write \\( to search for the character itself"
    return _error(query, at, at + 1, message, hint)


def unopened_group(query: str, at: int) -> QueryError:
    message = "the query has a closing parenthesis without an opening one"
    hint = "remove it, or write \\) to search for the character itself"
    return _error(query, at, at + 1, message, hint)


def empty_group(query: str, start: int, end: int) -> QueryError:
    hint = "put words between the parentheses, or write \\(\\) to search for the characters"
    return _error(query, start, end, "there is nothing between the parentheses", hint)


def empty_phrase(query: str, start: int, end: int) -> QueryError:
    hint = "put words between the quotes, or remove them"
    return _error(query, start, end, "there is nothing between the quotes", hint)


def dangling(query: str, start: int, end: int, side: str) -> QueryError:
    word = query[start:end]
    lower = ", or write it in small letters to search for it" if word.isalpha() else ""
    return _error(query, start, end, f"{word} has nothing {side} it", f"add a word{lower}")


def only_negations(query: str, start: int, end: int) -> QueryError:
    message = "this says only what must not match"
    hint = "add a word that must match, such as: rust -deprecated"
    return _error(query, start, end, message, hint)


def negated_value(query: str, start: int, end: int, name: str) -> QueryError:
    hint = f"write -{name}:… to negate, or {name}:\\-… to search for the character itself"
    return _error(query, start, end, "a negation goes before the field, not after the colon", hint)


def unknown_field(query: str, start: int, name: str) -> QueryError:
    """A name that probably means a field (`titel:x`)."""
    hint = f"did you mean {nearest_field(name)}:? or write {name}\\: to search for the text itself"
    return _error(query, start, start + len(name), f'there is no field "{name}"', hint)


def fieldless_value(query: str, start: int, name: str) -> QueryError:
    """Quotes or a group after a name that is no field (`author:"Ann Lee"`): not a pasted word."""
    fields = f"the fields are {', '.join(FIELDS)}"
    hint = f"{fields}; write meta.{name}: for a key of the front matter, or {name}\\: for its text"
    return _error(query, start, start + len(name), f'there is no field "{name}"', hint)


def nested_field(query: str, start: int, end: int, name: str, outer: str) -> QueryError:
    message = f"{name}: stands inside {outer}:"
    return _error(query, start, end, message, f"put the two beside each other, not in one {outer}:")


def bad_value(query: str, start: int, end: int, value: str) -> QueryError:
    message = f'has: is followed by "{value}"'
    return _error(query, start, end, message, f"it can be {', '.join(HAS_VALUES)}")


def wildcard_path(query: str, start: int, end: int, value: str) -> QueryError:
    message = "path: takes no wildcard: it is the plain beginning of a path"
    hint = f"write path:{value.rstrip('*')} or, for a star in a name, put the value in quotes"
    return _error(query, start, end, message, hint)


def bad_range(query: str, start: int, end: int, name: str) -> QueryError:
    message = "this range has no bound"
    hint = f"write {name}:3..7, {name}:>=3 or {name}:..7, or put the value in quotes"
    return _error(query, start, end, message, hint)


def backward_range(query: str, start: int, end: int, low: str, high: str) -> QueryError:
    message = "this range begins after its end"
    return _error(query, start, end, message, f"write {high}..{low}")


def bad_boost(
    query: str, start: int, end: int, text: str, bounds: tuple[float, float]
) -> QueryError:
    got = f'"{text}"' if text else "nothing"
    message = f"^ is followed by {got}, not by a factor"
    numbers = f"{bounds[0]:g} to {bounds[1]:g}"
    hint = f"write a number from {numbers}, such as ^2.5, or \\^ for the character itself"
    return _error(query, start, end, message, hint)


def bad_distance(query: str, start: int, end: int, text: str) -> QueryError:
    got = f'"{text}"' if text else "nothing"
    message = f"~ is followed by {got}, not by a number of edits"
    return _error(query, start, end, message, "write ~0, ~1 or ~2, or \\~ for the character itself")


def repeated_mark(query: str, start: int, end: int, sign: str) -> QueryError:
    return _error(query, start, end, f"there is a second {sign} here", "keep one of them")


def marked_filter(query: str, start: int, end: int, sign: str) -> QueryError:
    message = f"{sign} follows a filter, and filters do not score"
    if sign == "~":
        message = "~ follows a filter, and filters match exactly"
    fields = ", ".join(f"{name}:" for name in SCORING_FIELDS)
    return _error(
        query, start, end, message, f"remove it: it can follow words, quotes, groups, {fields}"
    )


def fuzzy_prefix(query: str, start: int, end: int) -> QueryError:
    message = "~ follows a prefix, and a prefix is matched exactly"
    return _error(query, start, end, message, "keep either the * or the ~")
