"""Split a query string into tokens, in one pass from left to right, without recursion.

Pasted text is accepted: `a -> b`, `--verbose`, `main()`, `()`, `std::vector`, `node:http`,
`C:\\temp` and `don't` are words. Wrong operators are errors: an unclosed quote, an unbalanced
parenthesis, `x^0`, `titel:x`, `author:"Ann Lee"`. The work is linear in the length of the
string, and all `Limits` are enforced here, before anything walks a tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from leafmark.query import problems
from leafmark.query.fields import (
    HALF_CHARACTER,
    META_PATTERN,
    QUOTES,
    is_filter,
    is_scoring,
    nearest_field,
)
from leafmark.query.limits import DEFAULT_LIMITS, Limits
from leafmark.query.tokens import (
    ESCAPABLE,
    OPERATORS,
    Kind,
    Token,
    is_beginning,
    is_number,
    negates,
    unescape,
)

__all__ = ["count_terms", "tokenize"]

# A name, a colon, and a value that begins with something: not white space, a
# colon (`std::vector`), a slash (`https://`), the end of a group, or a
# backslash that is no escape (`c:\temp`).
_FIELD = re.compile(
    rf"({META_PATTERN}|[a-z][a-z_.]*):(?![\s:/)]|\\(?![{re.escape(ESCAPABLE)}]))(?=.)", re.DOTALL
)
_SPACE = re.compile(r"\s*")
_PLAIN_WORD = re.compile(r"\w+(?!\S)")
_EMPTY_GROUP = re.compile(r"\(\s*\)")
_GERSHAYIM = re.compile('(?<=[\u05d0-\u05ea])["”](?=[\u05d0-\u05ea])')
"""The mark within Hebrew acronyms, as keyboards have it."""
_STRAIGHT = re.compile(rf'"((?:[^"\\]|\\.|{_GERSHAYIM.pattern})*)"', re.DOTALL)
_TYPOGRAPHIC = re.compile(rf"[{QUOTES}]((?:[^{QUOTES}\\]|\\.)*)[{QUOTES}]", re.DOTALL)
_TAIL = re.compile(rf"[^\s()^~{QUOTES}]*")
_ESCAPED = re.compile(rf"\\[{re.escape(ESCAPABLE)}]")
_WORDS_IN_CAPITALS = frozenset(f"\\{word}" for word in OPERATORS)
_CLOSING = f"_*){QUOTES}"
"""What a word, a beginning, a group and a phrase end with beside letters and digits."""

_CAN_BE_MARKED = frozenset(
    {Kind.WORD, Kind.PREFIX, Kind.PHRASE, Kind.CLOSE, Kind.BOOST, Kind.FUZZY}
)


def tokenize(query: str, limits: Limits = DEFAULT_LIMITS, *, terms_before: int = 0) -> list[Token]:
    """Return the tokens of `query`, the last one END; parentheses are balanced.

    `terms_before` of the allowed terms are taken by other topics.

    Raises:
        QueryError: a character, quote, parenthesis, field or number is wrong, or
            a limit is passed.
    """
    if len(query) > limits.length:
        raise problems.too_long(query, limits.length, len(query), limits)
    if half := HALF_CHARACTER.search(query):
        raise problems.not_text(query, half.start())
    return _Lexer(query, limits, terms_before).run()


def count_terms(tokens: Sequence[Token]) -> int:
    """Return the number of words, words in phrases, and values of filters."""
    return sum(_terms(token) for token in tokens)


def _terms(token: Token) -> int:
    if token.kind is Kind.PHRASE:
        return max(1, len(token.text.split()))
    return int(token.kind in (Kind.WORD, Kind.PREFIX, Kind.VALUE))


class _Lexer:
    def __init__(self, query: str, limits: Limits, terms_before: int) -> None:
        self.query = query
        self.limits = limits
        self.at = 0
        self.tokens: list[Token] = []
        self.terms = terms_before
        # Where each open parenthesis stands, and whether values of a filter are in it.
        self.groups: list[tuple[int, bool]] = []

    def run(self) -> list[Token]:
        while self._skip_space():
            self._read()
        if self.groups:
            raise problems.unclosed_group(self.query, self.groups[-1][0])
        self._add(Kind.END, self.at)
        return self.tokens

    def _skip_space(self) -> bool:
        space = _SPACE.match(self.query, self.at)
        self.at = space.end() if space else self.at
        return self.at < len(self.query)

    def _read(self) -> None:
        if not self.groups and (plain := _PLAIN_WORD.match(self.query, self.at)):
            self._add(OPERATORS.get(plain[0], Kind.WORD), plain.end(), plain[0])
            return
        char = self.query[self.at]
        if not self._in_values and (empty := _EMPTY_GROUP.match(self.query, self.at)):
            self._add(Kind.WORD, empty.end(), "()")
        elif char == "(":
            self._open(values=self._in_values)
        elif char == ")":
            self._close()
        elif char in "^~" and self._follows_operand and self._mark(self.at) is not None:
            self._read_mark()
        elif char in QUOTES:
            self._read_quoted(Kind.VALUE if self._in_values else Kind.PHRASE)
        elif char == "-" and negates(self.query, self.at):
            self._add(Kind.NOT, self.at + 1)
        elif self._in_values:
            self._read_value()
        elif field := _FIELD.match(self.query, self.at):
            self._read_named(field[1])
        else:
            self._read_word()

    @property
    def _in_values(self) -> bool:
        return bool(self.groups) and self.groups[-1][1]

    @property
    def _follows_operand(self) -> bool:
        """Whether something that `^` and `~` can mark stands directly before."""
        if not self.tokens or self.tokens[-1].end != self.at:
            return False
        last = self.tokens[-1]
        return last.kind in _CAN_BE_MARKED or (last.kind is Kind.VALUE and last.quoted)

    def _add(
        self, kind: Kind, end: int, text: str = "", *, quoted: bool = False, no_field: str = ""
    ) -> None:
        token = Token(kind, self.at, end, text, quoted, no_field)
        self.terms += _terms(token)
        if self.terms > self.limits.terms:
            raise problems.too_many_terms(self.query, self.at, end, self.limits)
        self.tokens.append(token)
        self.at = end

    def _open(self, *, values: bool) -> None:
        if len(self.groups) == self.limits.depth:
            raise problems.too_deep(self.query, self.at, self.limits)
        self.groups.append((self.at, values))
        self._add(Kind.OPEN, self.at + 1)

    def _close(self) -> None:
        if not self.groups:
            raise problems.unopened_group(self.query, self.at)
        self.groups.pop()
        self._add(Kind.CLOSE, self.at + 1)

    def _mark(self, at: int) -> str | None:
        """Return what follows the `^` or `~` at a place if it is an operator, else None.

        It is one before a number, and at the end of a word, where the number was forgotten
        (`x^`); `a^b`, `1.0~rc1`, `=~` and `~~~` are words.
        """
        tail = _TAIL.match(self.query, at + 1)
        text, end = (tail[0], tail.end()) if tail else ("", at + 1)
        if is_number(text):
            return text
        if text or self.query[end : end + 1] in ("^", "~"):
            return None
        before = self.query[at - 1]
        return "" if before.isalnum() or before in _CLOSING else None

    def _read_mark(self) -> None:
        text = self._mark(self.at) or ""
        kind = Kind.BOOST if self.query[self.at] == "^" else Kind.FUZZY
        self._add(kind, self.at + 1 + len(text), text)

    def _read_quoted(self, kind: Kind) -> None:
        pattern = _STRAIGHT if self.query[self.at] == '"' else _TYPOGRAPHIC
        quoted = pattern.match(self.query, self.at)
        if quoted is None:
            raise problems.unclosed_quote(self.query, self.at)
        if not quoted[1].strip():
            raise problems.empty_phrase(self.query, self.at, quoted.end())
        self._add(kind, quoted.end(), unescape(quoted[1]), quoted=True)

    def _read_named(self, name: str) -> None:
        """Read a field and its value, or a word with a colon inside: `node:http`."""
        if is_scoring(name) or is_filter(name):
            self._read_field(name)
        elif nearest_field(name) is not None:
            raise problems.unknown_field(self.query, self.at, name)
        elif self.query[self.at + len(name) + 1] in "(" + QUOTES:
            raise problems.fieldless_value(self.query, self.at, name)
        else:
            self._read_word(no_field=name)

    def _read_field(self, name: str) -> None:
        self._add(Kind.FIELD, self.at + len(name) + 1, name)
        char = self.query[self.at]
        if char == "(":
            self._open(values=is_filter(name))
        elif char in QUOTES:
            self._read_quoted(Kind.VALUE if is_filter(name) else Kind.PHRASE)
        elif is_filter(name):
            self._read_value()
        elif char == "-" and negates(self.query, self.at):
            raise problems.negated_value(self.query, self.at, self.at + 1, name)
        else:
            self._read_word(value=True)

    def _read_value(self) -> None:
        """Read the value of a filter: up to white space, or a `)` without its `(` in the value."""
        end, depth = self.at, 0
        while end < len(self.query) and not self.query[end].isspace():
            depth += {"(": 1, ")": -1}.get(self.query[end], 0)
            if depth < 0:
                break
            end += 1
        text = self.query[self.at : end]
        self._add(OPERATORS.get(text, Kind.VALUE) if self._in_values else Kind.VALUE, end, text)

    def _read_word(self, *, value: bool = False, no_field: str = "") -> None:
        """Read a word up to white space, quote, parenthesis or mark; `()` is part of a word.

        A star directly after a colon is text: no word begins with `node:`.
        """
        plain = _PLAIN_WORD.match(self.query, self.at)
        if plain:
            kind = Kind.WORD if value else OPERATORS.get(plain[0], Kind.WORD)
            self._add(kind, plain.end(), plain[0])
            return
        start = end = self.at
        chars: list[str] = []
        stars: list[int] = []
        while end < len(self.query) and not self._ends_word(start, end):
            width = 2 if _ESCAPED.match(self.query, end) else 1
            if width == 1 and self.query[end] == "*":
                stars.append(len(chars))
            chars.append(self.query[end + width - 1])
            end += width
            if self.query.startswith("()", end):
                chars.append("()")
                end += 2
        raw, text = self.query[start:end], "".join(chars)
        kind = Kind.WORD if value else OPERATORS.get(raw, Kind.WORD)
        if raw in _WORDS_IN_CAPITALS:
            text = raw[1:]
        elif stars == [len(chars) - 1] and is_beginning(text[:-1]):
            kind, text = Kind.PREFIX, text[:-1]
        alone = text == f"{no_field}:"  # a mark follows: `error:^2`
        self._add(kind, end, text, no_field="" if alone else no_field)

    def _ends_word(self, start: int, at: int) -> bool:
        char = self.query[at]
        if char in QUOTES:
            return _GERSHAYIM.match(self.query, at) is None
        if char.isspace() or char in "()":
            return True
        return char in "^~" and at > start and self._mark(at) is not None
