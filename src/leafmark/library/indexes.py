"""`Index`: a folder of documents as a program reads it, by the use cases of the command line.

The index is the one that the command line uses for the folder, under the same
configuration. One `Index` may be shared by any number of threads: calls read
from one committed state each, and only one thread at a time looks for changed files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from leafmark.app import (
    Project,
    find_context,
    find_like,
    index_project,
    open_project,
    search_project,
    show_chunks,
    verify_texts,
)
from leafmark.app.answering.opening import open_index as make_fresh
from leafmark.app.answering.packing import pack_found
from leafmark.app.answering.searching import search_params
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import (
    ContextRequest,
    IndexRequest,
    LikeRequest,
    ListRequest,
    Progress,
    SearchRequest,
    ShowRequest,
    VerifyRequest,
)
from leafmark.app.session import Session
from leafmark.errors import ConfirmationError, NotFoundError, UsageError
from leafmark.index import IndexReader
from leafmark.library.sources import checked_choice, checked_choices, checked_names, checked_text
from leafmark.model import (
    Answer,
    DocumentEntry,
    Grain,
    Hint,
    IndexReport,
    Omission,
    Packing,
    Passage,
    Relation,
    Result,
    Shown,
    ShowReport,
    Sort,
    VerifyReport,
)
from leafmark.query import plain_query
from leafmark.render.budgets import fit_answer, fit_report
from leafmark.render.hints import PROGRAMS, hints_for
from leafmark.render.reading import render_show
from leafmark.render.searching import Places, render_full
from leafmark.render.terminal import PLAIN

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def awaitable(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Return a class's method for servers: it runs in a thread, and the event loop goes on."""

    async def call(itself: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        import asyncio  # late: most programs await nothing, and load neither it nor TLS

        return await asyncio.to_thread(method, itself, *args, **kwargs)

    update_wrapper(call, method)  # for its signature
    call.__name__ = f"a{method.__name__}"
    call.__qualname__ = "{0}.a{2}".format(*method.__qualname__.rpartition("."))
    call.__doc__ = f"`{method.__name__}`, awaited: it runs in a thread of the event loop's pool."
    return call


Request = TypeVar("Request")

_SEARCH = SearchRequest(())
_SHOW = ShowRequest(())
"""What is asked for where nothing is said: keywords have these defaults."""

_CONFIRM = "pass confirmed=True to index it all the same, or open a smaller folder"
_NO_INDEX = "call `refresh()` first, or open the index with fresh=True"


def open_index(
    path: str | os.PathLike[str] = ".",
    *,
    config: Mapping[str, object] | None = None,
    fresh: bool = True,
    confirmed: bool = False,
    at: str | None = None,
) -> Index:
    """Return the index of the folder `path`; nothing is indexed before it is first asked.

    `config` are settings by name (`{"search.limit": 5}`), stronger than those of the
    environment and of the configuration files that apply in the folder. Where `fresh`,
    each call looks for changed files before it answers, as the command line does; else
    only `refresh` does. `confirmed` says that a home folder, a root, or a folder of more
    than 20,000 files that nobody configured may be indexed. With `at`, it is the folder as it
    was at a revision of its git repository, in which nothing changes any more: a tag, branch,
    hash or date. A relative `path` is read now: the current folder may change later.

    Raises:
        NotFoundError: there is no such folder, repository or revision.
        ConfigError: a configuration file, a variable or a setting in `config` is wrong.

    >>> with open_index("handbook") as index:
    ...     found = index.search("restore a backup", limit=1)
    >>> [result.id for result in found.results]
    ['handbook:guides/backups.md#restoring-a-backup']
    """
    folder = Path(os.path.abspath(path))
    return Index(folder, dict(config or {}), fresh and at is None, confirmed, at)


class Index:
    """The index of one folder. Use `open_index`.

    Answers are frozen records. Offsets are bytes of the source, half-open; lines are
    1-based and inclusive. It can be pickled: the copy opens the same folder again.
    """

    def __init__(
        self,
        folder: Path,
        config: Mapping[str, object],
        fresh: bool,
        confirmed: bool,
        at: str | None = None,
    ):
        self._folder, self._config = folder, config
        self._fresh, self._confirmed, self._at = fresh, confirmed, at
        project = open_project(folder, flags=config, environ=dict(os.environ))
        if at is not None:
            from leafmark.app.history import project_at  # late: few ask for a revision

            project = project_at(project, at)
        self._session: Session | None = Session(lambda _: project)
        self._notes: tuple[Hint, ...] = ()

    def __reduce__(self) -> tuple[type[Index], tuple[object, ...]]:
        return Index, (self._folder, self._config, self._fresh, self._confirmed, self._at)

    def __repr__(self) -> str:
        return f"<Index of {self.path}{', closed' if self._session is None else ''}>"

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The folder, absolute."""
        return self._folder

    @property
    def trees(self) -> Mapping[str, Path]:
        """The root folder of each tree, by name.

        Raises:
            UsageError: the index is closed.
        """
        return {tree.name: tree.root for tree in self._project().trees}

    def close(self) -> None:
        """Let go of the index; calls that are running end undisturbed, later ones are refused."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def refresh(self, *, rebuild: bool = False, progress: Progress | None = None) -> IndexReport:
        """Bring the index up to date with the files, and report what was done.

        With `rebuild` everything is read and indexed again. `progress` is called with
        what is being done, how many sources are done, and of how many (0: not known).

        Raises:
            ConfirmationError: the folder is very large, and `confirmed` was not said.
            LockedError: another process went on writing for `index.lock_timeout_s`.
            StorageError, DamagedError: the index cannot be written.
            UsageError: the index is closed.
            KeyboardInterrupt: Ctrl-C was pressed; what was done till then is kept.
        """
        request = IndexRequest(rebuild=rebuild, confirmed=self._confirmed)
        session, project = self._opened(), self._project()
        with _confirmable(), session.looking(project):
            return index_for_program(project, request, progress)

    def search(  # noqa: PLR0913 -- the names of its keywords are its documentation
        self,
        *queries: str,
        limit: int | None = _SEARCH.limit,
        section: str | None = None,
        trees: Iterable[str] = _SEARCH.trees,
        tags: Iterable[str] = _SEARCH.tags,
        since: str | None = _SEARCH.since,
        grain: Grain | None = _SEARCH.grain,
        expand: Iterable[Relation] = _SEARCH.expand,
        sort: Sort = _SEARCH.sort,
        aggregation: bool = _SEARCH.aggregation,
        strict: bool = _SEARCH.strict,
        plain: bool = _SEARCH.plain,
        explain: bool = _SEARCH.explain,
    ) -> Answer:
        """Return the answer to a query; several queries are topics.

        `limit` is the most results, `grain` how large they may be; None leaves it to the
        settings. `section` is a pattern of titles, `"Guide > Auth*"`. `since` is a date,
        or a duration such as `7d`. `expand` adds what stands around each
        result (`parent`, `siblings`, `children`, `prev`, `next`). Without `aggregation`
        a section is never shown in place of those below it that match. With `strict` all
        words must match. With `plain` the query is text and nothing in it an operator:
        for questions of people and models. `explain` fills the factors of the scores.

        Every result that is not stale has `full_text`, its heading and whole section.
        Results are in order of rank; nothing found is an answer without results, and
        its `hints` say why.

        Raises:
            QueryError: the query cannot be understood; never when `plain`.
            UsageError: a value is out of its range, or the index is closed.
            NotFoundError: there is no such tree; or no index, and none was to be made.
            ConfirmationError, LockedError, StorageError, DamagedError: see `refresh`.

        >>> with open_index("handbook") as index:
        ...     found = index.search("title:backup", tags=["restore"], limit=1)
        >>> found.results[0].citation
        'handbook:guides/backups.md@22ddda5d4131:0-1458'
        """
        asked = _expressions(queries, plain=plain)
        path = checked_text("section", section)
        request = SearchRequest(
            queries=asked,
            limit=limit,
            section=() if path is None else (path,),
            trees=checked_names("trees", trees),
            tags=checked_names("tags", tags),
            since=checked_text("since", since),
            grain=None if grain is None else checked_choice("grain", grain, Grain),
            expand=checked_choices("expand", expand, Relation),
            sort=checked_choice("sort", sort, Sort),
            aggregation=aggregation,
            strict=strict,
            explain=explain,
            full_text=True,
            refresh=False,
        )
        is_blank = plain and not asked
        answer = self._find_nothing(request) if is_blank else self._ask(search_project, request)
        return answer._replace(query=" ".join(queries))

    def show(
        self,
        *ids: str,
        own: bool = _SHOW.own,
        full_document: bool = _SHOW.full_document,
        outline: bool = _SHOW.outline,
        expand: Iterable[Relation] = _SHOW.expand,
    ) -> ShowReport:
        """Return what ids name, read from the sources, in their order.

        Every form of an id is taken: `tree:path#slug`, `path#slug`, `path`, `path.N`, `path:LINE`.
        `full_text` is the whole section, `body` its own text; with `own`, `raw` and
        `readable` leave out the sections below, too. `full_document` gives the document of
        each id instead. `outline` lists all chunks below, not only the next ones. Ids that
        name nothing are in `not_found`, each with the nearest ones. `hints` say where the
        index is not up to date.

        Raises:
            AmbiguousError: an id fits several chunks.
            UsageError, NotFoundError, …: as in `search`.

        >>> with open_index("handbook") as index:
        ...     shown = index.show("guides/backups.md#restoring-a-backup").shown[0]
        >>> shown.heading
        '## Restoring a backup\\n'
        """
        request = ShowRequest(
            ids=checked_names("ids", ids),
            own=own,
            full_document=full_document,
            outline=outline,
            sizes=outline,
            expand=checked_choices("expand", expand, Relation),
            refresh=False,
        )
        project, hints = self._read()
        return show_chunks(project, request)._replace(hints=hints)

    def context(
        self, *files: str | os.PathLike[str], limit: int | None = None, trees: Iterable[str] = ()
    ) -> Answer:
        """Return what matters for files that somebody works on, never these themselves.

        Relative paths begin at the index's folder. `Answer.terms` say by which words.

        Raises:
            NotFoundError: a file does not exist.
            UsageError, …: as in `search`.

        >>> with open_index("handbook") as index:
        ...     found = index.context("guides/backups.md", limit=3)
        >>> "guides/backups.md" in [result.entry.path for result in found.results]
        False
        """
        names = tuple(os.fspath(file) for file in files)
        return self._ask(find_context, ContextRequest(names, _search_for(limit, trees)))

    def like(
        self, name: str | os.PathLike[str], *, limit: int | None = None, trees: Iterable[str] = ()
    ) -> Answer:
        """Return what is like a chunk (its id) or like a file.

        Raises:
            NotFoundError: there is neither such a chunk nor such a file.
            AmbiguousError: the id fits several chunks.
            UsageError, …: as in `search`.

        >>> with open_index("handbook") as index:
        ...     len(index.like("guides/backups.md#restoring-a-backup", limit=2).results)
        2
        """
        return self._ask(find_like, LikeRequest(os.fspath(name), _search_for(limit, trees)))

    def verify(self, text: str) -> VerifyReport:
        """Return what became of every citation in a text: ok, moved, changed or gone.

        `hints` say where the index is not up to date: then a new text is gone for it.

        Raises:
            UsageError, NotFoundError, …: as in `search`.

        >>> with open_index("handbook") as index:
        ...     cited = index.search("restore a backup", limit=1).results[0].citation
        ...     index.verify(f"See [{cited}].").holds
        True
        """
        request = VerifyRequest(texts=(("-", text),), refresh=False)
        project, hints = self._read()
        return verify_texts(project, request)[0]._replace(hints=hints)

    def text(self, found: Answer | ShowReport, *, max_tokens: int | None = None) -> str:
        """Return an answer, or what `show` gave, as one text with its citations.

        With `max_tokens` it is as much of it as fits, counted by `chunking.tokenizer`:
        first the place of every result, then their texts, best first; what is left out
        is marked with what it costs and the id to ask for. More tokens only ever add.

        Raises:
            BudgetError: not even the least of it fits; it says what would do.
            UsageError: `max_tokens` is no whole number of at least 1, or the index is closed.

        >>> with open_index("handbook") as index:
        ...     answer = index.search("a token of one person", limit=1, strict=True)
        ...     print(index.text(answer, max_tokens=60), end="")
        > Sign-in and access › Tokens
        [92 tokens left out: handbook:guides/access.md#tokens]
        """
        return text_of(self._project(), found, max_tokens)

    def fit(self, found: Answer, *, max_tokens: int) -> Answer:
        """Return an answer with as much of its texts as fits, for whoever shows them otherwise.

        Each result has `passages`: what of it is shown, with a citation each, and marks of
        what is left out. The texts of all of them, parted by blank lines, are at most
        `max_tokens`, counted by `chunking.tokenizer`; the order is that of `text`.

        Raises:
            UsageError: `max_tokens` is no whole number of at least 1, or the index is closed.

        >>> with open_index("handbook") as index:
        ...     found = index.search("a token of one person", limit=1, strict=True)
        ...     answer = index.fit(found, max_tokens=60)
        >>> passage, omission = answer.results[0].passages
        >>> passage.citation, omission.tokens
        ('handbook:guides/access.md#tokens@68151014127b:680-834', 54)
        """
        return fit_texts(self._project(), found, max_tokens)

    def source(self, document: DocumentEntry) -> bytes | None:
        """Return the bytes that the spans of a document refer to: its file's, if that is UTF-8.

        None if the file is not any more what was indexed. `document` is that of a result
        or of what was shown.

        >>> with open_index("handbook") as index:
        ...     shown = index.show("guides/backups.md#restoring-a-backup").shown[0]
        ...     start = shown.entry.byte_start
        ...     index.source(shown.document)[start : start + 28]
        b'\\nRestoring never overwrites.'

        Raises:
            UsageError: `document` is none.
        """
        if not isinstance(document, DocumentEntry):
            kind = type(document).__name__
            raise UsageError(f"a {kind} is given, no DocumentEntry", hint="give `result.document`")
        return Sources(self._project()).data(document)

    arefresh = awaitable(refresh)
    asearch = awaitable(search)
    ashow = awaitable(show)
    acontext = awaitable(context)
    alike = awaitable(like)
    averify = awaitable(verify)

    def _find_nothing(self, request: SearchRequest) -> Answer:
        """Answer what holds no word, once its other values were checked; no index is made."""
        search_params(self._project(), request)
        return Answer("", "lexical", (), hints=hints_for([Hint("no-words")], PROGRAMS))

    def _opened(self) -> Session:
        session = self._session
        if session is None:
            raise UsageError(f"the index of {self._folder} is closed", hint="open it again")
        return session

    def _project(self) -> Project:
        """Return the project, with a reader that stays open between calls.

        Raises:
            UsageError: the index is closed.
        """
        return self._opened().project()

    def _read(self) -> tuple[Project, tuple[Hint, ...]]:
        """Return the project, its index fresh where asked for; hints say why it could not be.

        Raises:
            NotFoundError: there is no index, and none was to be made.
        """
        session, project = self._opened(), self._project()
        if not self._fresh:
            if not project.is_indexed:
                raise NotFoundError(
                    "there is no index yet", location=str(self._folder), hint=_NO_INDEX
                )
            return project, ()

        def look() -> None:
            request = ListRequest(confirmed=self._confirmed)
            self._notes = hints_for(make_fresh(project, request)[1], PROGRAMS)

        with _confirmable():
            session.ensure(project, look)
        if self._notes:
            session.forget()
        return project, self._notes

    def _ask(self, find: Callable[[Project, Request], Answer], request: Request) -> Answer:
        project, hints = self._read()
        answer = find(project, request)
        return answer._replace(hints=(*hints, *hints_for(answer.hints, PROGRAMS)))


def index_for_program(
    project: Project, request: IndexRequest, progress: Progress | None = None
) -> IndexReport:
    """Index, for a program that is to end where Ctrl-C ends it.

    Raises:
        KeyboardInterrupt: it was pressed; what was done till then is kept.
    """
    report = index_project(project, request, progress=progress)
    if report.interrupted:
        raise KeyboardInterrupt
    return report


@contextmanager
def _confirmable() -> Iterator[None]:
    """Say how a program confirms, where the use case says it of the command line."""
    try:
        yield
    except ConfirmationError as error:
        raise ConfirmationError(error.message, hint=_CONFIRM) from None


def _expressions(queries: tuple[str, ...], *, plain: bool) -> tuple[str, ...]:
    """Return the queries as they are searched for; `plain` ones are words, and some hold none."""
    checked = checked_names("queries", queries)
    return tuple(filter(None, map(plain_query, checked))) if plain else checked


def _search_for(limit: int | None, trees: Iterable[str]) -> SearchRequest:
    return SearchRequest(
        (), limit=limit, trees=checked_names("trees", trees), refresh=False, full_text=True
    )


# What was found, as one text for a reader or a model: whole, or cut to a budget of tokens.
#
# The text is the one that the command line prints (`-o full`, `show`). Under a budget
# the texts are read again, so that what was changed meanwhile is marked, and never
# cut at places that were others.


ResultOrShown = TypeVar("ResultOrShown", Result, Shown)


def text_of(project: Project, found: Answer | ShowReport, max_tokens: int | None) -> str:
    """Return an answer, or what was asked for by id, as text of at most `max_tokens`.

    Raises:
        BudgetError: not even the least of it fits.
    """
    _check_found(found, Answer, ShowReport)
    if max_tokens is None:
        return _render(found)
    _check_budget(max_tokens)
    return _cut(found, project, max_tokens)


def fit_texts(project: Project, found: Answer, max_tokens: int) -> Answer:
    """Return an answer with those passages of its results whose texts fit."""
    _check_found(found, Answer)
    _check_budget(max_tokens)
    return fit_answer(_packed(found, project), "full", _texts, max_tokens)[1]


def _texts(answer: Answer) -> str:
    """The texts of all passages, those of added chunks behind their result's."""
    shown: list[Passage | Omission] = []
    for result in answer.results:
        shown += result.passages or ()
        for related in result.expanded:
            shown += related.passages
    return "\n\n".join(one.text for one in shown if isinstance(one, Passage))


def _check_found(found: object, *accepted: type) -> None:
    if not isinstance(found, accepted):
        kinds = " or ".join(f"{kind.__name__}" for kind in accepted)
        hint = "give what `search` or `show` returned, whole"
        raise UsageError(f"a {type(found).__name__} is given, no {kinds}", hint=hint)


def _check_budget(max_tokens: object) -> None:
    if type(max_tokens) is not int or max_tokens < 1:
        least = "max_tokens must be a whole number of at least 1"
        raise UsageError(f"max_tokens is {max_tokens!r}", hint=least)


def _render(found: Answer | ShowReport) -> str:
    if isinstance(found, Answer):
        return render_full(found, Places({}, ""), PLAIN)
    return render_show(found, PLAIN)


def _cut(found: Answer | ShowReport, project: Project, budget: int) -> str:
    if isinstance(found, Answer):
        return fit_answer(_packed(found, project), "full", _render, budget)[0]
    shown, packing, tokenizer = _pack(found.shown, project)
    report = found._replace(shown=shown, packing=packing, tokenizer=tokenizer)
    return fit_report(report, _render, budget)


def _packed(found: Answer, project: Project) -> Answer:
    results, packing, tokenizer = _pack(found.results, project)
    return found._replace(results=results, packing=packing, tokenizer=tokenizer)


def _pack(
    found: Sequence[ResultOrShown], project: Project
) -> tuple[tuple[ResultOrShown, ...], Packing, str]:
    """Return what was found as it is now, its packing, and what a budget is counted in."""
    sources, tokenizer = Sources(project), project.configuration.chunking.tokenizer
    reader = project.open_reader()
    current = tuple(_current(one, reader, sources) for one in found)
    return current, pack_found(current, reader, sources, tokenizer), tokenizer


def _current(one: ResultOrShown, reader: IndexReader, sources: Sources) -> ResultOrShown:
    """Return what was found, marked as stale where its source or its chunk is another now."""
    same = reader.entry(one.entry.doc_id, one.entry.position) == one.entry
    if one.stale or (same and sources.data(one.document) is not None):
        return one
    return one._replace(stale=True)
