"""Ignore files: the lines of one file as rules, and what they say about a path.

The language is that of `.gitignore`. Most rules are plain names, `*.suffix` or
plain paths; these are looked up in tables, so that the cost for a file hardly
grows with their number. The rest are tried from the last line up. How rules of
several files and folders combine is decided by the walk.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from leafmark.app.globs import Matcher, compile_glob, unescaped
from leafmark.model import Diagnostic

__all__ = ["IgnoreRules", "Rule", "parse_ignore_file", "parse_rules"]

MAX_RULES = 1000
"""Most rules heeded in one file."""

MAX_RULE_CHARS = 1024
"""The longest rule heeded."""


class Rule(NamedTuple):
    """One line of an ignore file; `number` counts the rules of the file from 0."""

    number: int
    text: str
    negated: bool
    line: int


@dataclass(slots=True)
class _Table:
    """The rules that can apply to a file (or to a folder), by how they are looked up."""

    names: dict[str, Rule] = field(default_factory=dict)
    suffixes: dict[str, Rule] = field(default_factory=dict)
    paths: dict[str, Rule] = field(default_factory=dict)
    name_tests: list[tuple[Rule, Matcher]] = field(default_factory=list)
    path_tests: list[tuple[Rule, Matcher]] = field(default_factory=list)

    def find(self, path: str, name: str) -> Rule | None:
        """Return the last rule that fits; `path` is relative to the ignore file's folder."""
        best = self.names.get(name)
        if self.suffixes:
            best = _later(best, self.suffixes.get(name.rpartition(".")[2]) if "." in name else None)
        if self.paths:
            best = _later(best, self.paths.get(path))
        for tests, text in ((self.name_tests, name), (self.path_tests, path)):
            for rule, matches in tests:
                if best is not None and rule.number < best.number:
                    break
                if matches(text):
                    best = rule
                    break
        return best


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

    __slots__ = ("_files", "_folders", "count", "has_negation")

    def __init__(self) -> None:
        self._files = _Table()
        self._folders = _Table()
        self.count = 0
        self.has_negation = False

    def __bool__(self) -> bool:
        return self.count > 0

    def find(self, path: str, name: str, *, is_folder: bool) -> Rule | None:
        """Return the rule that decides about `path`, or None.

        `path` is relative to the rules' folder, with `/`; `name` its last part.
        """
        return (self._folders if is_folder else self._files).find(path, name)

    def add(self, text: str, line: int) -> None:
        """Add the rule `text`, which is no comment and not blank."""
        negated = text.startswith("!")
        body = text[1:] if negated else text
        folders_only = body.endswith("/")
        body = body.removesuffix("/")
        rule = Rule(self.count, text, negated, line)
        self.count += 1
        self.has_negation |= negated
        tables = (self._folders,) if folders_only else (self._folders, self._files)
        for table in tables:
            _enter(table, rule, body)


def _enter(table: _Table, rule: Rule, body: str) -> None:
    anchored = "/" in body
    plain = unescaped(body)
    if plain is not None:
        where = table.paths if anchored else table.names
        where[plain.removeprefix("/")] = rule
        return
    if not anchored and (suffix := _plain_suffix(body)) is not None:
        table.suffixes[suffix] = rule
        return
    test = _test(body, anchored=anchored)
    if test is not None:
        tests = table.path_tests if anchored else table.name_tests
        tests.insert(0, (rule, test))


def _plain_suffix(body: str) -> str | None:
    """Return `md` for `*.md`; None for all else, `*.tar.gz` included."""
    suffix = body[2:]
    if not body.startswith("*.") or "." in suffix or not suffix:
        return None
    return unescaped(suffix)


def _test(body: str, *, anchored: bool) -> Matcher | None:
    """Return the matcher of a pattern with wildcards; None when nothing can match."""
    if anchored:
        return compile_glob(body.removeprefix("/"))
    if body.startswith("*") and (ending := unescaped(body[1:])) is not None:
        return lambda name: name.endswith(ending)
    if body.endswith("*") and (beginning := unescaped(body[:-1])) is not None:
        return lambda name: name.startswith(beginning)
    return compile_glob(body)


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
