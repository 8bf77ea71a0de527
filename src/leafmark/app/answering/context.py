"""The documents that matter for the files that somebody works on: `leafmark context`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from leafmark.app.answering.opening import open_index
from leafmark.app.answering.related import Aim, answer_terms, plain_params
from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.working_files import KEYWORDS, describe_path, read_working_file
from leafmark.app.configuration.config_file import ContextRule
from leafmark.app.configuration.project import Project
from leafmark.app.requests import ContextRequest, Progress
from leafmark.app.sources.ignore import IgnoreRules, parse_rules
from leafmark.errors import AmbiguousError, ForbiddenError, NotFoundError, UsageError
from leafmark.index import IndexReader
from leafmark.model import Answer, Hint, WeightedText, document_id
from leafmark.search.keyterms import find_key_terms

__all__ = ["find_context"]


def find_context(
    project: Project, request: ContextRequest, *, progress: Progress | None = None
) -> Answer:
    """Return what matters for some files, never these themselves; `terms` say by which words.

    Raises:
        NotFoundError: a file or a tree does not exist, or there is no index.
        StorageError: a file cannot be read.
        UsageError: no file is named.
    """
    if not request.files:
        raise UsageError("no file is named")
    files = [_File.of(project, name) for name in request.files]
    rules = _applying(project.configuration.rules, files)
    texts, hints = _texts(project, files, rules, lenient=request.lenient)
    search = request.search
    if not search.trees:
        named = dict.fromkeys(tree for rule in rules for tree in rule.trees)
        search = search._replace(trees=tuple(named))
    params = plain_params(project, search)
    reader, notes = open_index(project, search, progress)
    settings = project.configuration.context
    own = _own_ids(project, reader, files)
    terms = find_key_terms(
        reader, texts, limit=settings.terms, trees=params.trees, without=own, ignored=KEYWORDS
    )
    named_ids, missing = _named(reader, rules)
    aim = Aim(
        terms,
        without=own,
        named=[each for each in named_ids if each not in own],
        terms_only=request.terms_only,
    )
    answer = answer_terms(project, reader, aim, params, search)
    return answer._replace(hints=(*notes, *hints, *missing, *answer.hints))


class _File(NamedTuple):
    """A file as the user wrote it: where it is, and what its project calls it."""

    path: Path
    name: str

    @classmethod
    def of(cls, project: Project, written: str) -> _File:
        path = Path(os.path.abspath(project.directory / written))
        for folder in (project.configuration.project, project.configuration.directory):
            if path.is_relative_to(folder):
                return cls(path, path.relative_to(folder).as_posix())
        return cls(path, Path(written).name if Path(written).is_absolute() else written)


def _texts(
    project: Project, files: Sequence[_File], rules: Iterable[ContextRule], *, lenient: bool
) -> tuple[list[WeightedText], list[Hint]]:
    """Return the parts of all files and what rules add; of a file that is not read, the path."""
    settings = project.configuration.context
    texts: list[WeightedText] = []
    hints: list[Hint] = []
    for file in files:
        try:
            texts += read_working_file(file.path, file.name, settings)
        except NotFoundError:
            if not lenient:
                raise
            texts.append(describe_path(file.name, settings))
            hints.append(Hint("file-missing", f"{file.name} is missing: only its path is heeded"))
        except ForbiddenError:
            texts.append(describe_path(file.name, settings))
            message = f"{file.name} may hold secrets and is not read: only its path is heeded"
            hints.append(Hint("file-secret", message))
    added = " ".join(term for rule in rules for term in rule.terms)
    if added:
        texts.append(WeightedText("rule", added, settings.rule_weight))
    return texts, hints


def _applying(rules: Iterable[ContextRule], files: Sequence[_File]) -> list[ContextRule]:
    """Return the rules that one of the files fits; one without patterns fits all."""
    found = []
    for rule in rules:
        patterns = parse_rules(rule.match)
        if not rule.match or any(_fits(patterns, file.name) for file in files):
            found.append(rule)
    return found


def _fits(patterns: IgnoreRules, path: str) -> bool:
    """Whether the patterns, read as in an ignore file, take in a path or a folder above it."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        is_folder = count < len(parts)
        match = patterns.find("/".join(parts[:count]), parts[count - 1], is_folder=is_folder)
        if match is not None and (not match.negated or not is_folder):
            return not match.negated
    return False


def _named(reader: IndexReader, rules: Iterable[ContextRule]) -> tuple[list[str], list[Hint]]:
    """Return the ids that rules name, and what there is to say of those that are none."""
    resolver = Resolver(reader, reader.manifest)
    ids: dict[str, None] = {}
    hints = []
    for name in dict.fromkeys(file for rule in rules for file in rule.files):
        try:
            ids[resolver.resolve(name).id] = None
        except (NotFoundError, AmbiguousError) as error:
            hints.append(Hint("rule-file", f"a rule of [context] names {name}: {error.message}"))
    return list(ids), hints


def _own_ids(project: Project, reader: IndexReader, files: Iterable[_File]) -> list[str]:
    """Return the ids of the documents that the files are, in whichever trees."""
    keys = (key for file in files for key in project.keys_of(file.path))
    return [document_id(*key) for key in keys if key in reader.manifest]
