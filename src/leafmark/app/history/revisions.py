"""What a user may call a revision: a tag, a branch, a hash, `HEAD~3`, or a date."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from leafmark.app.configuration.project import Project
from leafmark.errors import NotFoundError
from leafmark.history import RevisionList
from leafmark.history.git import Commit, Repository, find_repository

__all__ = ["find_revision", "list_revisions", "project_repository"]

_DATE = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?Z?)?"
)


def project_repository(project: Project) -> Repository:
    """Return the repository that the project lies in.

    Raises:
        NotFoundError, ForbiddenError, UsageError: see `find_repository`.
    """
    places = [project.directory, *(tree.root for tree in project.trees if not tree.is_missing)]
    problem: NotFoundError | None = None
    for place in dict.fromkeys(map(Path, places)):
        try:
            return find_repository(place)
        except NotFoundError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def find_revision(repository: Repository, name: str) -> Commit:
    """Return the commit that a name or date means.

    A date is the state at its end, in UTC: of `2026` on 31 December. A tag of that name is
    preferred.

    Raises:
        NotFoundError: there is none.
    """
    name = name.strip()
    until = end_of_date(name)
    if until is not None and not repository.has(name):
        return repository.at_time(until, name)
    return repository.resolve(name)


def end_of_date(text: str) -> int | None:
    """Return the last second of a year, month, day or minute in UTC; None for what is no date.

    >>> end_of_date("2026-01-01") - end_of_date("2025")
    86400
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (
        int(part) if part else None for part in found.groups()
    )
    if hour is not None and day is None:
        return None
    try:
        start = datetime(
            year or 1, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC
        )
    except ValueError:
        return None
    if hour is not None:
        return int(start.timestamp()) + (59 if second is None else 0)
    if day is not None:
        after = start + timedelta(days=1)
    elif month is not None:
        after = (start.replace(day=28) + timedelta(days=4)).replace(day=1)
    else:
        after = start.replace(year=start.year + 1) if start.year < 9999 else start
    return int(after.timestamp()) - 1


def list_revisions(
    project: Project, range_: str | None = None, *, limit: int = 100
) -> RevisionList:
    """Return tags and branches, or of a range `OLD..NEW` the commits of its main line.

    Raises:
        NotFoundError, ForbiddenError, UsageError, StorageError: see `diff_project`.
    """
    repository = project_repository(project)
    if range_ is None:
        return RevisionList(references=tuple(repository.references(limit=limit)))
    first, dots, last = range_.partition("..")
    start = find_revision(repository, first).oid if dots and first else None
    end = find_revision(repository, (last if dots else first) or "HEAD")
    found = repository.commits_between(start, end.oid, limit=limit)
    return RevisionList(commits=tuple(found))
