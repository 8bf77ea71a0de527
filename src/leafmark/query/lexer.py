r"""Split a query string into tokens, in one pass from left to right, without recursion.

Characters that cannot be operators are text, so that people can paste commands, formulas and
messages:

- `^` and `~` are operators behind a word in small letters (the first may be a capital), a star, a
  quote or a group, if a valid number and nothing else follows: `word^2`, but not `HEAD^`,
  `HEAD~3`, `2^32`. A power of one letter (`x^2`) is mathematics.
- A quote is an operator at the beginning of a word, if it is closed; a parenthesis, if it has its
  partner and does not follow a letter (`open(path)`). Others are part of the word, or separate
  words.
- A minus negates at the beginning of a word, before anything but a number or a sign.
- AND, OR and NOT are operators if they have operands.

Errors remain where the name of a field shows the user's intent: `titel:x`, `title:"a`. The work is
linear in the length of the string, and all `Limits` are enforced here, before anything walks a
tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

from leafmark.errors import QueryError
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.query.ast import (
    HALF_CHARACTER,
    MAX_BOOST,
    MAX_DISTANCE,
    META_PATTERN,
    MIN_BOOST,
    QUOTES,
    is_filter,
    is_scoring,
    is_word_start,
    nearest_field,
)


class Limits(NamedTuple):
    """The most characters, open parentheses and words of one query, all its topics together.

    A pasted error message or a paragraph fits. Each word costs the engine one look-up per
    text field, and the stages after the parser walk the expression recursively.
    """

    length: int = 2000
    depth: int = 32
    terms: int = 128


DEFAULT_LIMITS = Limits()


class Kind(Enum):
    WORD = "word"
    PREFIX = "prefix"
    PHRASE = "phrase"
    VALUE = "value"
    FIELD = "field"
    OPEN = "("
    CLOSE = ")"
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    BOOST = "^"
    FUZZY = "~"
    END = "end"


OPERATORS = {"AND": Kind.AND, "OR": Kind.OR, "NOT": Kind.NOT}


class Token(NamedTuple):
    """`[start, end)` of the query string; `text` without escapes, quotes and marks.

    The text of FIELD is the name; that of BOOST and FUZZY is the number after the sign. A WORD or
    PREFIX like `node:http` has the name before its colon, which is not a field, in `no_field`.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    quoted: bool = False
    no_field: str = ""


ESCAPABLE = '\\():^~*-"' + QUOTES[1:]
"""Characters that a backslash escapes; before any other it is itself (`C:\\temp`)."""

_ESCAPED = lazy_pattern(rf"\\[{re.escape(ESCAPABLE)}]")
_QUOTED_ESCAPE = lazy_pattern(r"\\([\\" + QUOTES + "])")
_WORDS_IN_CAPITALS = frozenset(f"\\{word}" for word in OPERATORS)

_NO_NEGATION = frozenset("->=<|&+,;:!?)")
"""Characters before which a minus is text: `--verbose`, `->`, `-=`, a bullet, a dash."""

_NUMBER = lazy_pattern(r"\.?[0-9][0-9.,]*(?![\w-])")

# A name, a colon, and the beginning of a value: not white space, a colon (`std::vector`), a slash
# (`https://`), the end of a group, or a backslash that is not an escape (`c:\temp`).
_FIELD = lazy_pattern(
    rf"({META_PATTERN}|[a-z][a-z_.]*):(?![\s:/)]|\\(?![{re.escape(ESCAPABLE)}]))(?=.)", re.DOTALL
)
_SPACE = lazy_pattern(r"\s*")
_PLAIN_WORD = lazy_pattern(r"\w+(?!\S)")
_EMPTY_GROUP = lazy_pattern(r"\(\s*\)")
_SIGN = lazy_pattern(rf"\\.|[(){QUOTES}]", re.DOTALL)
GERSHAYIM = '(?<=[\u05d0-\u05ea])["”](?=[\u05d0-\u05ea])'
"""The mark within Hebrew acronyms, as typed on keyboards."""
_STRAIGHT = lazy_pattern(rf'"((?:[^"\\]|\\.|{GERSHAYIM})*)"', re.DOTALL)
_TYPOGRAPHIC = lazy_pattern(rf"[{QUOTES}]((?:[^{QUOTES}\\]|\\.)*)[{QUOTES}]", re.DOTALL)

_FACTOR = r"\^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
_EDITS = rf"~[0-{MAX_DISTANCE}]"
_MARKS = lazy_pattern(rf"(?:{_FACTOR}(?:{_EDITS})?|{_EDITS}(?:{_FACTOR})?)(?=[\s()]|\Z)")
_MARK = lazy_pattern(rf"{_FACTOR}|{_EDITS}")
_ORDINARY = lazy_pattern(r"[^\W\d_]+(?:[-_][^\W\d_]+)*")
_IS_LETTER = lazy_pattern(r"(?:\A|[-_]).\Z")
_IS_POWER = lazy_pattern(r"\^[0-9]+\Z")
_BEFORE_QUOTE = lazy_pattern(r"[\s(:)-]")
"""The character before an opening quote, unless another phrase ends there."""

_CAN_BE_MARKED = frozenset({Kind.PREFIX, Kind.PHRASE, Kind.CLOSE})
_BINARY = frozenset({Kind.AND, Kind.OR})
_OPERANDS = frozenset({Kind.WORD, Kind.PREFIX, Kind.PHRASE, Kind.VALUE})
_BEGINS_OPERAND = _OPERANDS | {Kind.FIELD, Kind.OPEN, Kind.NOT}
_ENDS_OPERAND = _OPERANDS | {Kind.CLOSE, Kind.BOOST, Kind.FUZZY}


def problem(query: str, start: int, end: int, message: str, hint: str) -> QueryError:
    """Return the error for the characters `[start, end)` of the query."""
    return QueryError(message, query=query, start=start, end=end, hint=hint)


def escape(text: str) -> str:
    """Return `text` with a backslash before every character that could be an operator."""
    return "".join(f"\\{c}" if c in ESCAPABLE else c for c in text)


def negates(text: str, at: int) -> bool:
    """Whether the minus at `at`, at the beginning of a word, is a negation."""
    following = text[at + 1 : at + 2]
    if not following or following.isspace() or following in _NO_NEGATION:
        return False
    return _NUMBER.match(text, at + 1) is None


def _is_ordinary(word: str) -> bool:
    """Whether a word is in small letters but for the first: not `HEAD`, `README` or `X`."""
    rest = word[1:] or word
    return rest == rest.lower()


def _marks_at(query: str, at: int) -> re.Match[str] | None:
    """Return the boost and the distance at a position, if they can be operators."""
    marks = _MARKS.match(query, at)
    if marks is None:
        return None
    factors = [mark[1:] for mark in _MARK.findall(marks[0]) if mark[0] == "^"]
    return marks if all(MIN_BOOST <= float(factor) <= MAX_BOOST for factor in factors) else None


def tokenize(query: str, limits: Limits = DEFAULT_LIMITS, *, terms_before: int = 0) -> list[Token]:
    """Return the tokens of `query`, the last one END; parentheses are balanced.

    `terms_before` is the number of terms in other topics; the limit is for all of them.

    Raises:
        QueryError: a field has a wrong name or an unclosed value, or a limit is exceeded.
    """
    check_length(query, limits)
    tokens = _resolve_operators(_Lexer(query, limits.depth).run())
    for token in tokens:
        terms_before += _terms(token)
        if terms_before > limits.terms:
            raise too_many_terms(query, token.start, token.end, limits)
    return tokens


def check_length(query: str, limits: Limits) -> None:
    """Refuse a query that is too long or contains half a character."""
    if len(query) > limits.length:
        raise too_long(query, limits.length, len(query), limits)
    if half := HALF_CHARACTER.search(query):
        message = f"the query holds half of a character (U+{ord(half[0]):04X})"
        hint = "the query must be Unicode text, UTF-8 on a terminal"
        raise problem(query, half.start(), half.end(), message, hint)


def too_long(query: str, start: int, total: int, limits: Limits) -> QueryError:
    """Return the error for a query of `total` characters; those from `start` on are too many."""
    message = f"the query has {total:,} characters, the limit is {limits.length:,}"
    return problem(query, start, len(query), message, "keep the words that matter")


def too_many_terms(query: str, start: int, end: int, limits: Limits) -> QueryError:
    """Return the error for a query with too many words; `[start, end)` is the first of them."""
    message = f"the query has more than {limits.terms} words"
    return problem(query, start, end, message, "keep the words that matter")


def count_terms(tokens: Sequence[Token]) -> int:
    """Return the number of words, words in phrases, and values of filters."""
    return sum(map(_terms, tokens))


def _terms(token: Token) -> int:
    if token.kind is Kind.PHRASE:
        return max(1, len(token.text.split()))
    return int(token.kind in (Kind.WORD, Kind.PREFIX, Kind.VALUE))


def _resolve_operators(tokens: list[Token]) -> list[Token]:
    """Return the tokens; AND, OR and NOT become words where they lack an operand."""
    settled: list[Token] = []
    values: list[bool] = []  # for each open group, whether it contains values of a filter
    for token, following in pairwise(tokens):
        before = settled[-1] if settled else None
        if token.kind is Kind.OPEN:
            is_field = before is not None and before.kind is Kind.FIELD
            values.append(is_filter(before.text) if before and is_field else values[-1:] == [True])
        elif token.kind is Kind.CLOSE:
            values.pop()
        elif token.kind in _BINARY or token.kind is Kind.NOT:
            has_left = token.kind is Kind.NOT or (before and before.kind in _ENDS_OPERAND)
            if not has_left or following.kind not in _BEGINS_OPERAND:
                token = token._replace(kind=Kind.VALUE if values[-1:] == [True] else Kind.WORD)
        settled.append(token)
    return [*settled, tokens[-1]]


class _Delimiters:
    """The quotes and parentheses of a query that are operators without a field before them.

    `phrases` are the closed phrases with text, by the position of the opening quote; `groups` are
    the positions of opening parentheses with a partner.
    """

    def __init__(self, query: str):
        self.phrases: dict[int, re.Match[str]] = {}
        self.groups: set[int] = set()
        open_groups: list[int] = []
        unclosed: set[bool] = set()  # kinds of quotes (straight or not) without a closing one ahead
        at = end = 0
        while sign := _SIGN.search(query, at):
            start, at = sign.span()
            if sign[0] == "(":
                open_groups.append(start)
            elif sign[0] == ")" and open_groups:
                self.groups.add(open_groups.pop())
            elif sign[0] in QUOTES and (start == end or _BEFORE_QUOTE.match(query, start - 1)):
                straight = sign[0] == '"'
                phrase = None if straight in unclosed else _quoted_at(query, start)
                if phrase is None:
                    unclosed.add(straight)
                elif phrase[1].strip():
                    self.phrases[start] = phrase
                    at = end = phrase.end()


def _quoted_at(query: str, at: int) -> re.Match[str] | None:
    """Return the phrase whose opening quote is at a position, None if it is not closed."""
    return (_STRAIGHT if query[at] == '"' else _TYPOGRAPHIC).match(query, at)


class _Lexer:
    def __init__(self, query: str, depth: int) -> None:
        self.query = query
        self.depth = depth
        self.at = 0
        self.tokens: list[Token] = []
        self.delimiters = _Delimiters(query)
        self.groups: list[bool] = []
        """For each open group, whether it contains values of a filter."""

    def run(self) -> list[Token]:
        while self._skip_space():
            self._read()
        while self.groups:  # the partner is part of a value: `(path:a")`
            self._close(self.at)
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
        if char in "()":
            self._read_parenthesis(char)
        elif self._follows_operand and _marks_at(self.query, self.at):
            self._read_marks()
        elif char in QUOTES and (phrase := self.delimiters.phrases.get(self.at)):
            self._add_quoted(Kind.VALUE if self._in_values else Kind.PHRASE, phrase)
        elif char == "-" and self._begins_word and negates(self.query, self.at):
            self._add(Kind.NOT, self.at + 1, char)
        elif self._in_values:
            self._read_value()
        elif field := _FIELD.match(self.query, self.at):
            self._read_named(field[1])
        else:
            self._read_word()

    @property
    def _in_values(self) -> bool:
        return bool(self.groups) and self.groups[-1]

    @property
    def _follows_operand(self) -> bool:
        """Whether an operand for `^` and `~` ends here; words read their marks themselves."""
        last = self.tokens[-1] if self.tokens else None
        if last is None or last.end != self.at:
            return False
        return last.kind in _CAN_BE_MARKED or (last.kind is Kind.VALUE and last.quoted)

    @property
    def _begins_word(self) -> bool:
        """Whether white space, a group's parenthesis or nothing is directly before."""
        before = self.query[self.at - 1 : self.at]
        return not before or before.isspace() or self._follows(Kind.OPEN)

    def _follows(self, *kinds: Kind) -> bool:
        return (
            bool(self.tokens) and self.tokens[-1].end == self.at and self.tokens[-1].kind in kinds
        )

    def _add(
        self, kind: Kind, end: int, text: str = "", *, quoted: bool = False, no_field: str = ""
    ) -> None:
        self.tokens.append(Token(kind, self.at, end, text, quoted, no_field))
        self.at = end

    def _read_parenthesis(self, char: str) -> None:
        """Read a parenthesis; an empty group is a word, one that opens no group is skipped."""
        if not self._in_values and (empty := _EMPTY_GROUP.match(self.query, self.at)):
            self._add(Kind.WORD, empty.end(), "()")
        elif char == ")" and self.groups:
            self._close(self.at + 1)
        elif char == "(" and self._opens_group:
            self._open(values=self._in_values)
        else:
            self.at += 1

    @property
    def _opens_group(self) -> bool:
        if self.at not in self.delimiters.groups:
            return False
        before = self.query[self.at - 1 : self.at]
        return self._follows(Kind.AND, Kind.OR, Kind.NOT) or not (before.isalnum() or before == "_")

    def _open(self, *, values: bool) -> None:
        if len(self.groups) == self.depth:
            message = f"more than {self.depth} parentheses are open at once"
            hint = "put the query in quotes to search for its text, or leave parentheses out"
            raise problem(self.query, self.at, self.at + 1, message, hint)
        self.groups.append(values)
        self._add(Kind.OPEN, self.at + 1)

    def _close(self, end: int) -> None:
        self.groups.pop()
        self._add(Kind.CLOSE, end)

    def _read_marks(self) -> None:
        while mark := _MARK.match(self.query, self.at):
            kind = Kind.BOOST if mark[0][0] == "^" else Kind.FUZZY
            self._add(kind, mark.end(), mark[0][1:])

    def _add_quoted(self, kind: Kind, phrase: re.Match[str]) -> None:
        self._add(kind, phrase.end(), _QUOTED_ESCAPE.sub(r"\1", phrase[1]), quoted=True)

    def _read_named(self, name: str) -> None:
        """Read a field and its value, or a word with a colon inside: `node:http`."""
        near = nearest_field(name)
        if is_scoring(name) or is_filter(name):
            self._read_field(name)
        elif near is not None:
            message = f'there is no field "{name}"'
            hint = f"did you mean {near}:? or write {name}\\: to search for the text itself"
            raise problem(self.query, self.at, self.at + len(name), message, hint)
        else:
            self._read_word(no_field=name)

    def _read_field(self, name: str) -> None:
        self._add(Kind.FIELD, self.at + len(name) + 1, name)
        char = self.query[self.at]
        if char == "(":
            self._require(self.at in self.delimiters.groups, "parenthesis", "(")
            self._open(values=is_filter(name))
        elif char in QUOTES:
            self._read_quoted(Kind.VALUE if is_filter(name) else Kind.PHRASE)
        elif is_filter(name):
            self._read_value()
        elif char == "-" and negates(self.query, self.at):
            message = "a negation goes before the field, not after the colon"
            hint = f"write -{name}:… to negate, or {name}:\\-… to search for the character itself"
            raise problem(self.query, self.at, self.at + 1, message, hint)
        else:
            self._read_word(is_value=True)

    def _read_quoted(self, kind: Kind) -> None:
        phrase = _quoted_at(self.query, self.at)
        self._require(phrase is not None, "quote", self.query[self.at])
        assert phrase is not None
        if not phrase[1].strip():
            hint = "put words between the quotes, or remove them"
            message = "there is nothing between the quotes"
            raise problem(self.query, self.at, phrase.end(), message, hint)
        self._add_quoted(kind, phrase)

    def _require(self, closed: bool, name: str, sign: str) -> None:
        if not closed:
            message = f"the query has an opening {name} without a closing one"
            hint = f"add the closing {name}, or write \\{sign} to search for the character itself"
            raise problem(self.query, self.at, self.at + 1, message, hint)

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

    def _read_word(self, *, is_value: bool = False, no_field: str = "") -> None:
        """Read a word up to white space, a quote, a parenthesis or marks; `()` is part of it.

        A star directly after a colon is text: no word begins with `node:`.
        """
        if not no_field and self._read_ordinary():
            return
        start = end = self.at
        chars: list[str] = []
        stars: list[int] = []
        while end < len(self.query) and not self._ends_word(end, stars[-1:] == [len(chars) - 1]):
            width = 2 if _ESCAPED.match(self.query, end) else 1
            if width == 1 and self.query[end] == "*":
                stars.append(len(chars))
            chars.append(self.query[end + width - 1])
            end += width
            if self.query.startswith("()", end):
                chars.append("()")
                end += 2
        raw, text = self.query[start:end], "".join(chars)
        kind = Kind.WORD if is_value else OPERATORS.get(raw, Kind.WORD)
        if raw in _WORDS_IN_CAPITALS:
            text = raw[1:]
        elif stars == [len(chars) - 1] and is_word_start(text[:-1]):
            kind, text = Kind.PREFIX, text[:-1]
        self._add(kind, end, text, no_field=no_field)

    def _read_ordinary(self) -> bool:
        """Read a word of small letters and the marks after it; return whether there is one."""
        word = _ORDINARY.match(self.query, self.at)
        if word is None or not _is_ordinary(word[0]):
            return False
        marks = _marks_at(self.query, word.end())
        if marks is None or (_IS_LETTER.search(word[0]) and _IS_POWER.match(marks[0])):
            return False
        self._add(Kind.WORD, word.end(), word[0])
        self._read_marks()
        return True

    def _ends_word(self, at: int, starred: bool) -> bool:
        char = self.query[at]
        if char in QUOTES:
            return at in self.delimiters.phrases
        if char.isspace() or char in "()":
            return True
        return starred and _marks_at(self.query, at) is not None
