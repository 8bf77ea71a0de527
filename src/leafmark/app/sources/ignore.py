"""Ignore files: the lines of one file as rules, and their decision about a path.

The language is that of `.gitignore`. Most rules are plain names, `*.suffix` or plain paths; these
are looked up in tables, so the cost for a file hardly grows with their number. The others are tried
from the last line up. `Selection` combines the rules of several files and folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from leafmark.model import Diagnostic
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern

MayMatch = Callable[[str, str], bool]
"""A fast test of a file's name and last suffix; False means that no rule applies to the file."""

MAX_RULES = 1000
"""The largest number of rules that apply from one file."""

MAX_RULE_CHARS = 1024
"""The longest rule that applies."""

MAX_WILDCARDS = 1000
"""The largest number of wildcards, outside of plain names and suffixes, that apply from one file.

Each is tried for each file below: 1 MB of stars took a second for every few files.
"""

_WILDCARD = re.compile(r"[*?\[]")


def wildcard_count(text: str) -> int:
    """Return the number of wildcards to try for a rule; 0 if it is looked up.

    >>> [wildcard_count(rule) for rule in ("*.md", "a/b", "[Bb]in", "a*b*c", "a?[x-z]")]
    [0, 0, 0, 2, 2]
    """
    count = 0
    for form in alternatives(text.removeprefix("!").rstrip("/")):
        hard = unescaped(form) is None and ("/" in form or around_star(form) is None)
        count += len(_WILDCARD.findall(form)) if hard else 0
    return count


class Rule(NamedTuple):
    """One line of an ignore file; `number` counts the rules of the file from 0."""

    number: int
    text: str
    negated: bool
    line: int


class _Table:
    """The rules that can apply to a file (or to a folder), by how they are looked up."""

    def __init__(self) -> None:
        self.names: dict[str, Rule] = {}
        self.suffixes: dict[str, Rule] = {}
        self.paths: dict[str, Rule] = {}
        self.tests: list[tuple[Rule, bool, Matcher]] = []
        self._endings: tuple[str, ...] = ()
        self._beginnings: tuple[str, ...] = ()
        self._name_globs: tuple[str, ...] = ()
        self._path_globs: tuple[tuple[str, str], ...] = ()
        self._screens: dict[tuple[str, ...], Screen] = {}

    def add(self, rule: Rule, body: str) -> None:
        """Add a rule, whose pattern without `!` and the trailing slash is `body`."""
        anchored = "/" in body
        body = body.removeprefix("/")
        plain = unescaped(body)
        if plain is not None:
            (self.paths if anchored else self.names)[plain] = rule
        elif anchored:
            self._add_path_glob(rule, body)
        elif (around := around_star(body)) is None:
            self._add_name_glob(rule, body)
        else:
            self._add_around_star(rule, *around)

    def _add_around_star(self, rule: Rule, beginning: str, ending: str) -> None:
        if not beginning and ending.rfind(".") == 0:
            self.suffixes[ending[1:]] = rule
            return
        # the fast test needs only one side, and the beginnings of names differ more
        if beginning or not ending:
            self._beginnings += (beginning,)
        else:
            self._endings += (ending,)
        least = len(beginning) + len(ending)
        self._try_first(
            rule,
            False,
            lambda name: (
                name.startswith(beginning) and name.endswith(ending) and len(name) >= least
            ),
        )

    def _add_name_glob(self, rule: Rule, body: str) -> None:
        expression = glob_expression(body)
        if expression is not None:
            self._name_globs += (expression,)
            self._try_first(rule, False, matcher(expression))

    def _add_path_glob(self, rule: Rule, body: str) -> None:
        expression = glob_expression(body)
        if expression is not None:
            self._path_globs += ((literal_start(body), expression),)
            self._try_first(rule, True, matcher(expression))

    def _try_first(self, rule: Rule, anchored: bool, test: Matcher) -> None:
        self.tests.insert(0, (rule, anchored, test))

    def find(self, path: str, name: str) -> Rule | None:
        """Return the last rule that fits; `path` is relative to the ignore file's folder."""
        best = _later(self.names.get(name), self.paths.get(path))
        if "." in name:
            best = _later(best, self.suffixes.get(name.rpartition(".")[2]))
        for rule, anchored, matches in self.tests:
            if best is not None and rule.number < best.number:
                break
            if matches(path if anchored else name):
                return rule
        return best

    def may_match(self, folder: str) -> MayMatch:
        names, suffixes = self.names, self.suffixes
        endings, beginnings = self._endings, self._beginnings
        here = {path[len(folder) :] for path in self.paths if path.startswith(folder)}
        paths = self._screen(
            expression
            for start, expression in self._path_globs
            if start.startswith(folder) or folder.startswith(start)
        )
        globs = self._screen(self._name_globs)

        def test(name: str, suffix: str) -> bool:
            return (
                name in names
                or suffix in suffixes
                or name in here
                or name.endswith(endings)
                or name.startswith(beginnings)
                or (globs is not None and globs(name) is not None)
                or (paths is not None and paths(folder + name) is not None)
            )

        return test

    def _screen(self, expressions: Iterable[str]) -> Screen | None:
        """Return one test for all of `expressions`, cached."""
        key = tuple(expressions)
        if not key:
            return None
        if key not in self._screens:
            self._screens[key] = screen(key)
        return self._screens[key]


def _later(first: Rule | None, second: Rule | None) -> Rule | None:
    if first is None or second is None:
        return first or second
    return first if first.number > second.number else second


class IgnoreRules:
    """The rules of one ignore file, or of a list of patterns.

    >>> rules = parse_rules(["*.tmp", "!keep.tmp", "/build/"])
    >>> rules.find("a/x.tmp", "x.tmp", is_folder=False).text
    '*.tmp'
    >>> rules.find("keep.tmp", "keep.tmp", is_folder=False).negated
    True
    >>> rules.find("build", "build", is_folder=False)
    """

    __slots__ = ("_files", "_folders", "count")

    def __init__(self) -> None:
        self._files = _Table()
        self._folders = _Table()
        self.count = 0

    def __bool__(self) -> bool:
        return self.count > 0

    def find(self, path: str, name: str, *, is_folder: bool) -> Rule | None:
        """Return the rule that decides about `path`, or None.

        `path` is relative to the rules' folder, with `/`; `name` its last part.
        """
        return (self._folders if is_folder else self._files).find(path, name)

    def covers(self, path: str) -> bool:
        """Say whether the rules, as in an ignore file, match a path or a folder above it.

        >>> parse_rules(["docs/", "!docs/a.md"]).covers("docs/b.md")
        True
        """
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            is_folder = count < len(parts)
            rule = self.find("/".join(parts[:count]), parts[count - 1], is_folder=is_folder)
            if rule is not None and (not rule.negated or not is_folder):
                return not rule.negated
        return False

    def may_match(self, folder: str) -> MayMatch:
        """Return a fast test for the files directly in `folder` (empty, or ending with `/`)."""
        return self._files.may_match(folder)

    def add(self, text: str, line: int) -> None:
        """Add the rule `text`, which is neither a comment nor blank."""
        negated = text.startswith("!")
        body = text[1:] if negated else text
        folders_only = body.endswith("/")
        body = body.removesuffix("/")
        rule = Rule(self.count, text, negated, line)
        self.count += 1
        tables = (self._folders,) if folders_only else (self._folders, self._files)
        for table in tables:
            for form in alternatives(body):
                table.add(rule, form)


def parse_rules(patterns: Iterable[str]) -> IgnoreRules:
    """Return `patterns` as the rules of an ignore file with these lines."""
    rules = IgnoreRules()
    for line, pattern in enumerate(patterns, 1):
        if pattern:
            rules.add(pattern, line)
    return rules


def parse_ignore_file(data: bytes, path: str) -> tuple[IgnoreRules, list[Diagnostic]]:
    """Read an ignore file; `path` names it in diagnostics about rules that do not apply."""
    rules = IgnoreRules()
    diagnostics: list[Diagnostic] = []
    wildcards = 0
    for line, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        text = _trimmed(
            raw.removesuffix(b"\r").partition(b"\0")[0].decode("utf-8", "surrogateescape")
        )
        if not text or text.startswith("#"):
            continue
        if rules.count == MAX_RULES:
            diagnostics.append(_too_much(path, line, f"only the first {MAX_RULES} rules are used"))
            break
        if len(text) > MAX_RULE_CHARS:
            problem = f"a rule of {len(text)} characters is ignored: the limit is {MAX_RULE_CHARS}"
            diagnostics.append(_too_much(path, line, problem))
            continue
        wildcards += wildcard_count(text)
        if wildcards > MAX_WILDCARDS:
            problem = f"only rules with {MAX_WILDCARDS:,} wildcards in all are used"
            diagnostics.append(_too_much(path, line, problem))
            break
        rules.add(text, line)
    return rules, diagnostics


def _too_much(path: str, line: int, message: str) -> Diagnostic:
    return Diagnostic(path=path, code="ignore-file", message=message, line=line)


def _trimmed(text: str) -> str:
    r"""Drop trailing spaces, but not one that a backslash escapes.

    >>> _trimmed("a  "), _trimmed("a\\  "), _trimmed("a\\\\  ")
    ('a', 'a\\ ', 'a\\\\')
    """
    bare = text.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return text[: len(bare) + 1] if backslashes % 2 and bare != text else bare


# The globs of git (`*`, `?`, `[...]`, `\x`, and `**` for any number of folders) as regular
# expressions with atomic groups: each part between two stars matches at the first possible place,
# without backtracking, which is sound because the parts have a fixed length. So the cost is at most
# pattern length times path length, even for `*a*a*a*a*b` and `**/a/**/a/**/b`.
#
# One difference from git: `?` and `[...]` stand for a character, not for a byte.

Matcher = Callable[[str], bool]
Screen = Callable[[str], object]

_SPECIAL = lazy_pattern(r"[*?\[\\]")
_PLAIN_BRACKETS = lazy_pattern(r"\[([^]\[!^*?/\-][^]\[*?/\-]*)\]")
_MAX_ALTERNATIVES = 64
_ESCAPE = lazy_pattern(r"\\(.)", re.DOTALL)

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
    r"""Return the texts before and after the only wildcard of a pattern, if that is one `*`.

    >>> around_star("a*.md"), around_star("*"), around_star("a*b*"), around_star(r"\**")
    (('a', '.md'), ('', ''), None, ('*', ''))
    """
    beginning, star, ending = pattern.rpartition("*")
    before, after = unescaped(beginning), unescaped(ending)
    if not star or before is None or after is None:
        return None
    return before, after


def alternatives(pattern: str) -> list[str]:
    """Return equivalent patterns without plain brackets, since plain names can be looked up.

    >>> alternatives("[Bb]in"), alternatives("*.py[cod]"), alternatives("[a-z]")
    (['Bin', 'bin'], ['*.pyc', '*.pyo', '*.pyd'], ['[a-z]'])
    """
    if "[" not in pattern or "\\" in pattern:
        return [pattern]
    parts = _PLAIN_BRACKETS.split(pattern)
    members = parts[1::2]
    count = 1
    for choices in members:
        count *= len(choices)
    if not members or count > _MAX_ALTERNATIVES or any("[" in part for part in parts[::2]):
        return [pattern]
    texts = [parts[0]]
    for inside, rest in zip(members, parts[2::2], strict=True):
        texts = [start + member + rest for start in texts for member in inside]
    return texts


def glob_expression(pattern: str) -> str | None:
    """Return the regular expression of a pattern for whole paths; None if nothing can match.

    `pattern` has no leading or trailing slash.

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
    return re.compile("|".join(f"(?:{expression})" for expression in expressions), re.DOTALL).match


def literal_start(pattern: str) -> str:
    """Return the beginning of a pattern before its first wildcard or backslash.

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
            # git compares the text before the first wildcard separately, so `**` may follow it
            free = at == start or pattern[at - 1] == "/"
            token, at = _star(pattern, at, free=free)
        elif char == "[":
            bracket = _bracket(pattern, at + 1)
            if bracket is None:
                return None
            token, at = bracket
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
    """Return an item for a character class, the character that may begin a range, and the end.

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
    """Return the expression of one path component; its last part must reach the end."""
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
