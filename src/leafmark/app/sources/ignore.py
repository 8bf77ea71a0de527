"""Ignore files: the lines of one file as rules, and what they say about a path.

The language is that of `.gitignore`. Most rules are plain names, `*.suffix` or
plain paths; these are looked up in tables, so that the cost for a file hardly
grows with their number. The rest are tried from the last line up. How rules of
several files and folders combine is decided by the walk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from leafmark.app.sources.globs import (
    Matcher,
    Screen,
    alternatives,
    around_star,
    glob_expression,
    literal_start,
    matcher,
    screen,
    unescaped,
)
from leafmark.model import Diagnostic
from leafmark.namedtuples import NamedTuple

Doubt = Callable[[str, str], bool]

MAX_RULES = 1000
"""Most rules heeded in one file."""

MAX_RULE_CHARS = 1024
"""The longest rule heeded."""

MAX_WILDCARDS = 1000
"""Most wildcards heeded in the rules of one file that are no plain names or suffixes.

Each is tried for each file below: 1 MB of stars took a second for every few files.
"""


_WILDCARD = re.compile(r"[*?\[]")


def wildcard_count(text: str) -> int:
    """Return how many wildcards of a rule have to be tried; none where it is looked up.

    >>> [wildcard_count(each) for each in ("*.md", "a/b", "[Bb]in", "a*b*c", "a?[x-z]")]
    [0, 0, 0, 2, 2]
    """
    found = 0
    for each in alternatives(text.removeprefix("!").rstrip("/")):
        hard = unescaped(each) is None and ("/" in each or around_star(each) is None)
        found += len(_WILDCARD.findall(each)) if hard else 0
    return found


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
        # for the fast test one side will do, and the beginnings of names differ more
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

    def doubts(self, folder: str) -> Doubt:
        """Return the test that `IgnoreRules.doubts` describes."""
        names, suffixes = self.names, self.suffixes
        endings, beginnings = self._endings, self._beginnings
        here = {path[len(folder) :] for path in self.paths if path.startswith(folder)}
        paths = self._screen(
            expression
            for start, expression in self._path_globs
            if start.startswith(folder) or folder.startswith(start)
        )
        globs = self._screen(self._name_globs)

        def doubt(name: str, suffix: str) -> bool:
            return (
                name in names
                or suffix in suffixes
                or name in here
                or name.endswith(endings)
                or name.startswith(beginnings)
                or (globs is not None and globs(name) is not None)
                or (paths is not None and paths(folder + name) is not None)
            )

        return doubt

    def _screen(self, expressions: Iterable[str]) -> Screen | None:
        """Return one test for all of `expressions`, made once for the same ones."""
        wanted = tuple(expressions)
        if not wanted:
            return None
        if wanted not in self._screens:
            self._screens[wanted] = screen(wanted)
        return self._screens[wanted]


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

    def takes(self, path: str) -> bool:
        """Whether the rules, read as in an ignore file, take in a path or a folder above it.

        >>> parse_rules(["docs/", "!docs/a.md"]).takes("docs/b.md")
        True
        """
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            is_folder = count < len(parts)
            rule = self.find("/".join(parts[:count]), parts[count - 1], is_folder=is_folder)
            if rule is not None and (not rule.negated or not is_folder):
                return not rule.negated
        return False

    def doubts(self, folder: str) -> Doubt:
        """Return a fast test for the files directly in `folder` (empty, or ending with `/`).

        It is given a name and its last suffix; False means that no rule fits, True
        that `find` must tell.
        """
        return self._files.doubts(folder)

    def add(self, text: str, line: int) -> None:
        """Add the rule `text`, which is no comment and not blank."""
        negated = text.startswith("!")
        body = text[1:] if negated else text
        folders_only = body.endswith("/")
        body = body.removesuffix("/")
        rule = Rule(self.count, text, negated, line)
        self.count += 1
        tables = (self._folders,) if folders_only else (self._folders, self._files)
        for table in tables:
            for each in alternatives(body):
                table.add(rule, each)


def parse_rules(patterns: Iterable[str]) -> IgnoreRules:
    """Return the rules that `patterns` stand for, one each, as if lines of a file."""
    rules = IgnoreRules()
    for line, pattern in enumerate(patterns, 1):
        if pattern:
            rules.add(pattern, line)
    return rules


def parse_ignore_file(data: bytes, path: str) -> tuple[IgnoreRules, list[Diagnostic]]:
    """Read an ignore file; `path` names it in the diagnostics about rules that are not heeded."""
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
            diagnostics.append(
                _too_much(path, line, f"only the first {MAX_RULES} rules are heeded")
            )
            break
        if len(text) > MAX_RULE_CHARS:
            problem = (
                f"a rule of {len(text)} characters is not heeded: the most is {MAX_RULE_CHARS}"
            )
            diagnostics.append(_too_much(path, line, problem))
            continue
        wildcards += wildcard_count(text)
        if wildcards > MAX_WILDCARDS:
            problem = f"only rules with {MAX_WILDCARDS:,} wildcards in all are heeded"
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
