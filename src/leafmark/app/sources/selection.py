"""The rules that select files below a tree's root: patterns, ignore files, default rules.

In the order of priority: secrets are left out; the tree's `exclude` patterns; the ignore files of
the git repository, `.leafmarkignore` before `.ignore` before `.gitignore`, of each kind the nearest
first; hidden names and the default rules; the tree's `include` patterns; the format. A pattern with
`!` in `exclude` or `.leafmarkignore` includes names that the default rules leave out, but secrets
only in the user's own (or trusted) configuration.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

from leafmark.app.sources import file_names
from leafmark.app.sources.folders import Handle, Tree, read_small
from leafmark.app.sources.ignore import (
    IgnoreRules,
    MayMatch,
    literal_start,
    parse_ignore_file,
    parse_rules,
)
from leafmark.model import Diagnostic
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern

ReadFile = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path below the root, None if there is no such file."""

_MAX_IGNORE_BYTES = 1 << 20
_OWN = file_names.IGNORE_FILES[0]
RULE_NAMES = frozenset({".git", *file_names.IGNORE_FILES})
"""Names that affect the rules of their folder."""

_EXAMPLES_OF_SECRETS = (
    *file_names.SECRET_NAMES,
    *(".env", ".env.local", ".env.production", ".env.example", ".envrc"),
    *("id_rsa", "id_rsa.pub", "id_dsa", "id_ecdsa", "id_ed25519", "id_ed25519.pub"),
    *("server.pem", "server.key", "client.p12", "client.pfx", "passwords.kdbx"),
    *("terraform.tfstate", "terraform.tfstate.backup"),
)
_ORDINARY_EXAMPLES = ("data", "data.json", "data.txt", "data.md", ".data", ".data.json", "id")
"""A pattern is about secrets if it matches one of `_EXAMPLES_OF_SECRETS` and none of these."""

_LITERAL = lazy_pattern(r"[^\W_]")


class Layer(NamedTuple):
    """The rules of one ignore file, which apply to `above + path[cut:]` for a path in the tree."""

    kind: str
    rules: IgnoreRules
    cut: int = 0
    above: str = ""


class Frame(NamedTuple):
    """A folder about to be listed.

    `path` is empty for the root and else ends with `/`; `real` is the path without links. `layers`
    are in the order of priority. All files below an `included` folder are included; `is_requested`
    marks a folder that a pattern includes against the default rules.
    """

    path: str = ""
    real: str = ""
    layers: tuple[Layer, ...] = ()
    included: bool = False
    is_requested: bool = False


class Selection:
    """The rules of one tree. `refuse_` methods return the reason to leave a name out, or None."""

    def __init__(self, tree: Tree):
        self._exclude = parse_rules(tree.exclude)
        self._include = parse_rules(tree.include)
        negated = [pattern[1:] for pattern in tree.exclude if pattern.startswith("!")]
        self._by_name = parse_rules(filter(_names_files, [*tree.include, *negated]))
        secrets = secret_patterns(tree.exclude) if tree.allow_secrets else []
        self._secrets = parse_rules(pattern[1:] for pattern in secrets)
        self._prefixes = _literal_prefixes(tree.include)
        self._format_suffixes = tuple(suffix for suffix, _ in tree.formats)

    def first_frame(self, root: Path, diagnostics: list[Diagnostic]) -> Frame:
        """Return the frame of the root, with the ignore files of its repository above it."""
        return self.root_frame(_layers_above(root, diagnostics))

    def root_frame(self, layers: list[Layer]) -> Frame:
        """Return the frame of the root, with the ignore files above it, nearest first."""
        return Frame(layers=_sorted_layers(layers), included=not self._include)

    def may_match(self, frame: Frame) -> MayMatch | None:
        """Return a fast test for the files directly in a folder; None if no rule applies there."""
        if not frame.included:
            return lambda name, suffix: True
        tests = [rules.may_match(above + frame.path[cut:]) for _, rules, cut, above in frame.layers]
        if self._exclude:
            tests.append(self._exclude.may_match(frame.path))
        if len(tests) < 2:
            return tests[0] if tests else None
        return lambda name, suffix: any(test(name, suffix) for test in tests)

    def enter(
        self,
        frame: Frame,
        entries: Collection[str],
        handle: Handle | ReadFile,
        diagnostics: list[Diagnostic],
    ) -> Frame:
        """Return the frame with the folder's own ignore files.

        `entries` has at least the folder's `RULE_NAMES`. The files are read from the open folder
        `handle`, or by a function that takes their path.
        """
        layers = frame.layers
        if RULE_NAMES.isdisjoint(entries):
            return frame
        if frame.path and ".git" in entries:
            layers = tuple(layer for layer in layers if layer.kind != ".gitignore")
        present = [name for name in file_names.IGNORE_FILES if name in entries]
        if present:
            new = [
                Layer(kind, rules, cut=len(frame.path))
                for kind in present
                if (rules := _read_rules(handle, kind, frame.path, diagnostics))
            ]
            layers = _sorted_layers([*new, *layers])
        return frame if layers is frame.layers else frame._replace(layers=layers)

    def refuse_file(self, frame: Frame, name: str) -> str | None:
        """Return why a file of `frame` is left out, by its name."""
        path = frame.path + name
        reason, by_name = self._by_patterns(frame, path, name, is_folder=False)
        if self.is_closed_secret(path, name, is_folder=False):
            return "secret"
        if reason is not None:
            return reason
        suffix = file_names.suffix_of(name)
        if not by_name:
            reason = "hidden" if name[0] == "." else file_names.default_refusal(name, suffix)
            if reason is not None:
                return reason
        if not frame.included and self._include.find(path, name, is_folder=False) is None:
            return "not included"
        return self._by_format(path, name, suffix)

    def refuse_folder(self, frame: Frame, name: str) -> str | None:
        """Return why a folder is not entered, by its name."""
        path = frame.path + name
        reason, by_name = self._by_patterns(frame, path, name, is_folder=True)
        if name == ".git":
            return "folder .git"
        if self.is_closed_secret(path, name, is_folder=True):
            return "secret"
        if reason is not None:
            return reason
        if not by_name:
            reason = "hidden" if name[0] == "." else file_names.folder_refusal(name)
            if reason is not None:
                return reason
        return None if self._may_hold_included(frame, path) else "not included"

    def is_closed_secret(self, path: str, name: str, *, is_folder: bool) -> bool:
        """Say whether it may contain secrets, and no pattern that may include secrets matches it.

        Of a visible folder only the files are secrets: a manual may have a folder `credentials`.
        """
        if not file_names.is_secret(name) or (is_folder and name[0] != "."):
            return False
        return self._secrets.find(path, name, is_folder=is_folder) is None

    def child(self, frame: Frame, name: str) -> Frame:
        """Return the frame of a folder of `frame`."""
        path = frame.path + name
        included = frame.included or self._include.find(path, name, is_folder=True) is not None
        requested = (
            bool(frame.layers or self._exclude)
            and (self._by_patterns(frame, path, name, is_folder=True)[1])
        )
        return Frame(f"{path}/", f"{frame.real}{name}/", frame.layers, included, requested)

    def _by_patterns(
        self, frame: Frame, path: str, name: str, *, is_folder: bool
    ) -> tuple[str | None, bool]:
        """Return the reason to leave it out, and whether a pattern includes it."""
        rule = self._exclude.find(path, name, is_folder=is_folder) if self._exclude else None
        if rule is not None:
            return (None, True) if rule.negated else ("excluded", False)
        for layer in frame.layers:
            rule = layer.rules.find(layer.above + path[layer.cut :], name, is_folder=is_folder)
            if rule is not None:
                if rule.negated:
                    return None, layer.kind == _OWN
                return f"ignored by {layer.kind}", False
        return None, False

    def has_own_format(self, name: str) -> bool:
        """Say whether the tree's `formats` have the suffix of a file."""
        return bool(self._format_suffixes) and name.lower().endswith(self._format_suffixes)

    def _by_format(self, path: str, name: str, suffix: str) -> str | None:
        if self.has_own_format(name):
            return None
        if suffix in file_names.DATA_SUFFIXES and not self._is_named(path, name):
            return "log" if suffix == "log" else "data file"
        if suffix in file_names.BINARY_SUFFIXES and not self._is_named(path, name):
            return "binary"
        return None

    def _is_named(self, path: str, name: str) -> bool:
        return self._by_name.find(path, name, is_folder=False) is not None

    def _may_hold_included(self, frame: Frame, path: str) -> bool:
        if frame.included or self._prefixes is None:
            return True
        below = path + "/"
        return any(
            below.startswith(prefix) or prefix.startswith(below) for prefix in self._prefixes
        )


def _names_files(pattern: str) -> bool:
    """Say whether the last part of a pattern has a letter or digit: `*.json`, but not `data/**`."""
    return _LITERAL.search(pattern.rpartition("/")[2]) is not None


def secret_patterns(exclude: Collection[str]) -> list[str]:
    """Return the `exclude` patterns with `!` that are about secrets.

    These match names of secrets and no ordinary names: `!*.pem`, but not `!*.json` and `!.*`,
    although they match `credentials.json` and `.env`.
    """
    return [
        pattern
        for pattern in exclude
        if pattern.startswith("!") and _is_about_secrets(pattern.rstrip("/").rpartition("/")[2])
    ]


def _is_about_secrets(pattern: str) -> bool:
    rules = parse_rules([pattern.removeprefix("!")])

    def fits(name: str) -> bool:
        return rules.find(name, name, is_folder=False) is not None

    return any(map(fits, _EXAMPLES_OF_SECRETS)) and not any(map(fits, _ORDINARY_EXAMPLES))


def _literal_prefixes(patterns: Collection[str]) -> tuple[str, ...] | None:
    """Return prefixes such that each matching path has one; None if a pattern has no prefix."""
    prefixes = []
    for pattern in patterns:
        body = pattern.removesuffix("/")
        if "/" not in body:
            return None
        body = body.removeprefix("/")
        start = literal_start(body)
        prefixes.append(f"{body}/" if start == body else start[: start.rfind("/") + 1])
    return tuple(prefixes)


def _sorted_layers(layers: list[Layer]) -> tuple[Layer, ...]:
    """Return the layers sorted by kind; the order within a kind, the nearest first, stays."""
    return tuple(sorted(layers, key=lambda layer: file_names.IGNORE_FILES.index(layer.kind)))


def _read_rules(
    handle: Handle | ReadFile, kind: str, folder: str, diagnostics: list[Diagnostic]
) -> IgnoreRules | None:
    if isinstance(handle, int | str):
        data = read_small(handle, kind, _MAX_IGNORE_BYTES)
    else:
        data = handle(folder + kind)
    if data is None:
        message = f"{kind} is not a regular file, or cannot be read; it is ignored"
        diagnostics.append(Diagnostic(path=folder + kind, code="ignore-file", message=message))
        return None
    rules, problems = parse_ignore_file(data, folder + kind)
    diagnostics.extend(problems)
    return rules


def _layers_above(root: Path, diagnostics: list[Diagnostic]) -> list[Layer]:
    """Read the ignore files between the root and the top of its git repository, nearest first."""
    folders = [root, *root.parents]
    top = next((at for at, folder in enumerate(folders) if _has_git(folder)), 0)
    layers: list[Layer] = []
    for at in range(1, top + 1):
        above = "".join(f"{folder.name}/" for folder in reversed(folders[:at]))
        layers.extend(_layers_of(folders[at], above, diagnostics))
    return layers


def _has_git(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def _layers_of(folder: Path, above: str, diagnostics: list[Diagnostic]) -> list[Layer]:
    layers = []
    for kind in file_names.IGNORE_FILES:
        data = read_small(str(folder), kind, _MAX_IGNORE_BYTES) or b""
        rules, problems = parse_ignore_file(data, str(folder / kind))
        diagnostics.extend(problems)
        if rules:
            layers.append(Layer(kind, rules, above=above))
    return layers
