r"""One glob of an ignore file as a matcher that no pattern can make slow.

The patterns are git's: `*`, `?`, `[...]`, `\x`, and `**` for any number of
folders. They become regular expressions whose groups are atomic: each part
between two stars takes the first place where it fits and never gives it back,
which is sound because the parts have a fixed length. So the cost is at most
pattern length times path length, also for `*a*a*a*a*b` and `**/a/**/a/**/b`.

One difference from git: `?` and `[...]` stand for a character, not for a byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from leafmark.patterns import late_pattern

Matcher = Callable[[str], bool]
Screen = Callable[[str], object]

_SPECIAL = late_pattern(r"[*?\[\\]")
_PLAIN_BRACKETS = late_pattern(r"\[([^]\[!^*?/\-][^]\[*?/\-]*)\]")
_MAX_ALTERNATIVES = 64
_ESCAPE = late_pattern(r"\\(.)", re.DOTALL)

# gaps between the parts of a pattern, as tokens beside regular expressions of one character
_STAR = "*"
_FOLDERS = "**/"
_REST = "**"
_SOME_FOLDERS = r"**\/"

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def unescaped(pattern: str) -> str | None:
    r"""Return the one string that a pattern without wildcards matches, else None.

    >>> unescaped(r"a\*b"), unescaped("a*b"), unescaped("trailing\\")
    ('a*b', None, None)
    """
    if not _SPECIAL.search(pattern):
        return pattern
    bare = _ESCAPE.sub("", pattern)
    return None if _SPECIAL.search(bare) else _ESCAPE.sub(r"\1", pattern)


def around_star(pattern: str) -> tuple[str, str] | None:
    r"""Return what stands before and after the only wildcard of a pattern, if that is one `*`.

    >>> around_star("a*.md"), around_star("*"), around_star("a*b*"), around_star(r"\**")
    (('a', '.md'), ('', ''), None, ('*', ''))
    """
    beginning, star, ending = pattern.rpartition("*")
    before, after = unescaped(beginning), unescaped(ending)
    if not star or before is None or after is None:
        return None
    return before, after


def alternatives(pattern: str) -> list[str]:
    """Return patterns without plain brackets that together mean the same.

    Most brackets in ignore files are like these, and plain names can be looked up.

    >>> alternatives("[Bb]in"), alternatives("*.py[cod]"), alternatives("[a-z]")
    (['Bin', 'bin'], ['*.pyc', '*.pyo', '*.pyd'], ['[a-z]'])
    """
    if "[" not in pattern or "\\" in pattern:
        return [pattern]
    parts = _PLAIN_BRACKETS.split(pattern)
    members = parts[1::2]
    count = 1
    for each in members:
        count *= len(each)
    if not members or count > _MAX_ALTERNATIVES or any("[" in part for part in parts[::2]):
        return [pattern]
    found = [parts[0]]
    for inside, rest in zip(members, parts[2::2], strict=True):
        found = [start + member + rest for start in found for member in inside]
    return found


def glob_expression(pattern: str) -> str | None:
    """Return the regular expression of a pattern for whole paths; None if nothing can match.

    `pattern` has no leading or trailing slash of its own.

    >>> matcher(glob_expression("docs/**/*.md"))("docs/a/b/c.md")
    True
    """
    tokens = _tokens(pattern)
    return None if tokens is None else _assemble(tokens) + r"\Z"


def matcher(expression: str) -> Matcher:
    """Return a test for one expression; it is compiled when first needed."""
    compiled: list[re.Pattern[str]] = []

    def matches(path: str) -> bool:
        if not compiled:
            compiled.append(re.compile(expression, re.DOTALL))
        return compiled[0].match(path) is not None

    return matches


def screen(expressions: Sequence[str]) -> Screen:
    """Return one test for whether any of `expressions` matches; its result is None if none does."""
    return re.compile("|".join(f"(?:{each})" for each in expressions), re.DOTALL).match


def literal_start(pattern: str) -> str:
    """Return what a pattern begins with before its first wildcard or backslash.

    >>> literal_start("docs/a*/b")
    'docs/a'
    """
    special = _SPECIAL.search(pattern)
    return pattern if special is None else pattern[: special.start()]


def _tokens(pattern: str) -> list[str] | None:
    start = len(literal_start(pattern))
    tokens = [re.escape(char) for char in pattern[:start]]
    at = start
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            # git compares what precedes the first wildcard apart, so `**` may also stand there
            free = at == start or pattern[at - 1] == "/"
            token, at = _star(pattern, at, free=free)
        elif char == "[":
            found = _bracket(pattern, at + 1)
            if found is None:
                return None
            token, at = found
        elif char == "\\" and at + 1 == len(pattern):
            return None
        else:
            token, at = _single(pattern, at)
        tokens.append(token)
    return tokens


def _single(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at] == "?":
        return "[^/]", at + 1
    if pattern[at] == "\\":
        return re.escape(pattern[at + 1]), at + 2
    return re.escape(pattern[at]), at + 1


def _star(pattern: str, at: int, *, free: bool) -> tuple[str, int]:
    """Read the run of stars at `at`; `free` says whether `**` may mean folders there."""
    end = at
    while pattern[end : end + 1] == "*":
        end += 1
    if end - at < 2 or not free:
        return _STAR, end
    if end == len(pattern):
        return _REST, end
    if pattern[end] == "/":
        return _FOLDERS, end + 1
    if pattern.startswith("\\/", end):
        return _SOME_FOLDERS, end + 2
    return _STAR, end


def _bracket(pattern: str, at: int) -> tuple[str, int] | None:
    """Read a bracket expression after its `[`; None if it is never closed or malformed."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    ranges: list[str] = []
    previous = ""
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        step = _bracket_item(pattern, at, previous)
        if step is None:
            return None
        item, previous, at = step
        ranges.append(item)
    inside = "".join(ranges)
    if negated:
        return f"[^/{inside}]", at + 1
    return (f"(?!/)[{inside}]" if inside else "(?!)"), at + 1


def _bracket_item(pattern: str, at: int, previous: str) -> tuple[str, str, int] | None:
    """Return one item as inside of a character class, what a range could start from, and the end.

    A range repeats its first character, which the item before has already added.
    """
    char = pattern[at : at + 1]
    if not char:
        return None
    following = pattern[at + 1 : at + 2]
    if char == "-" and previous and following and following != "]":
        return _bracket_range(pattern, at + 1, previous)
    if char == "[" and following == ":":
        close = pattern.find("]", at + 2)
        if close < 0:
            return None
        if close > at + 2 and pattern[close - 1] == ":":
            members = _CLASSES.get(pattern[at + 2 : close - 1])
            return None if members is None else (members, "", close + 1)
    if char == "\\":
        at += 1
        char = pattern[at : at + 1]
        if not char:
            return None
    return _member(char), char, at + 1


def _bracket_range(pattern: str, at: int, low: str) -> tuple[str, str, int] | None:
    if pattern[at] == "\\":
        at += 1
    high = pattern[at : at + 1]
    if not high:
        return None
    return (f"{_member(low)}-{_member(high)}" if low <= high else ""), "", at + 1


def _member(char: str) -> str:
    return "\\" + char if char in r"\]^-[&~|" else char


def _assemble(tokens: list[str]) -> str:
    """Join the tokens; every folder gap but the last is followed by an atomic group."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for token in tokens:
        if token in (_FOLDERS, _SOME_FOLDERS):
            parts.append(("*?" if token == _FOLDERS else "+?", []))
        else:
            parts[-1][1].append(token)
    pieces = []
    for number, (times, part) in enumerate(parts):
        gap = f"(?:[^/]*/){times}" if times else ""
        body = gap + _components(part)
        pieces.append(body if number == len(parts) - 1 else f"(?>{body})")
    return "".join(pieces)


def _components(tokens: list[str]) -> str:
    written = []
    component: list[str] = []
    for token in tokens:
        if token == "/":
            written.append(_component(component) + "/")
            component = []
        else:
            component.append(token)
    if component and component[-1] == _REST:
        return "".join(written) + _component(component[:-1]) + ".*"
    return "".join(written) + _component(component)


def _component(tokens: list[str]) -> str:
    """Write the parts of one path component; the last must reach its end."""
    segments: list[str] = [""]
    for token in tokens:
        if token == _STAR:
            segments.append("")
        else:
            segments[-1] += token
    if len(segments) == 1:
        return segments[0]
    middle = "".join(f"(?>[^/]*?{segment})" for segment in segments[1:-1] if segment)
    return f"(?>{segments[0]}{middle}[^/]*{segments[-1]}(?=/|\\Z))"
