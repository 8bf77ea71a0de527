"""`Index`: the documents of a folder for a program, with the use cases of the command line.

The index is the one that the command line uses for the folder, under the same
configuration. Any number of threads may share one `Index`: each call reads from
one committed state, and only one thread at a time checks for changed files.
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
from leafmark.app.answering.budgeting import pack_found
from leafmark.app.answering.opening import open_index as bring_up_to_date
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
from leafmark.library.sources import check_choice, check_choices, check_names, check_text
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
from leafmark.render.hint_texts import PROGRAMS, hints_for
from leafmark.render.reading import render_show
from leafmark.render.search_results import Places, render_full
from leafmark.render.terminal import PLAIN

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def awaitable(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Return a method as a coroutine function: it runs in a thread, and the event loop goes on."""

    async def call(itself: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        import asyncio  # late: most programs need neither it nor TLS

        return await asyncio.to_thread(method, itself, *args, **kwargs)

    update_wrapper(call, method)  # for its signature
    call.__name__ = f"a{method.__name__}"
    call.__qualname__ = "{0}.a{2}".format(*method.__qualname__.rpartition("."))
    call.__doc__ = f"`{method.__name__}`, awaited: it runs in a thread of the event loop's pool."
    return call


Request = TypeVar("Request")

_SEARCH = SearchRequest(())
_SHOW = ShowRequest(())
"""The defaults of the keywords."""

_CONFIRM = "pass confirmed=True to index it anyway, or open a smaller folder"
_NO_INDEX = "call `refresh()` first, or open the index with fresh=True"


def open_index(
    path: str | os.PathLike[str] = ".",
    *,
    config: Mapping[str, object] | None = None,
    fresh: bool = True,
    confirmed: bool = False,
    at: str | None = None,
) -> Index:
    """Return the index of the folder `path`; nothing is indexed before the first call.

    `config` are settings by name (`{"search.limit": 5}`), which override those of the
    environment and of the configuration files that apply in the folder. With `fresh`,
    each call checks for changed files before it answers, as the command line does; else
    only `refresh` does. With `confirmed`, a home folder, a root, or an unconfigured folder of
    more than 20,000 files may be indexed. With `at` (a tag, branch, hash or date), it is the
    folder as it was at a revision of its git repository, which never changes. A relative
    `path` is resolved now: the current folder may change later.

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
    1-based and inclusive. An index can be pickled: the copy opens the same folder again.
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
            from leafmark.app.history import project_at  # late: revisions are rarely used

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
        """Close the index; running calls end undisturbed, later ones raise UsageError."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def refresh(self, *, rebuild: bool = False, progress: Progress | None = None) -> IndexReport:
        """Bring the index up to date with the files, and return a report of the run.

        With `rebuild` everything is read and indexed again. `progress` is called with the name of
        the step, the number of sources that are done, and the total (0: unknown).

        Raises:
            ConfirmationError: the folder is very large, and `confirmed` is False.
            LockedError: another process went on writing for `index.lock_timeout_s`.
            StorageError, DamagedError: the index cannot be written.
            UsageError: the index is closed.
            KeyboardInterrupt: Ctrl-C was pressed; the sources that are done stay indexed.
        """
        request = IndexRequest(rebuild=rebuild, confirmed=self._confirmed)
        session, project = self._open_session(), self._project()
        with _worded_confirmation(), session.checking(project):
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

        `limit` is the most results, `grain` their size; None leaves it to the settings.
        `section` is a pattern of titles, `"Guide > Auth*"`. `since` is a date, or a
        duration such as `7d`. `expand` adds the chunks around each result
        (`parent`, `siblings`, `children`, `prev`, `next`). Without `aggregation`
        a section never replaces matching sections below it. With `strict` all
        words must match. With `plain` the query is text without operators:
        for questions of people and models. `explain` fills the factors of the scores.

        Every result that is not stale has `full_text`, its heading and whole section.
        Results are in order of rank; in an answer without results, `hints` say why.

        Raises:
            QueryError: the query cannot be parsed; never when `plain`.
            UsageError: a value is out of its range, or the index is closed.
            NotFoundError: there is no such tree; or no index, and `fresh` is False.
            ConfirmationError, LockedError, StorageError, DamagedError: see `refresh`.

        >>> with open_index("handbook") as index:
        ...     found = index.search("title:backup", tags=["restore"], limit=1)
        >>> found.results[0].citation
        'handbook:guides/backups.md@22ddda5d4131:0-1458'
        """
        expressions = _expressions(queries, plain=plain)
        path = check_text("section", section)
        request = SearchRequest(
            queries=expressions,
            limit=limit,
            section=() if path is None else (path,),
            trees=check_names("trees", trees),
            tags=check_names("tags", tags),
            since=check_text("since", since),
            grain=None if grain is None else check_choice("grain", grain, Grain),
            expand=check_choices("expand", expand, Relation),
            sort=check_choice("sort", sort, Sort),
            aggregation=aggregation,
            strict=strict,
            explain=explain,
            full_text=True,
            refresh=False,
        )
        is_blank = plain and not expressions
        answer = self._blank_answer(request) if is_blank else self._ask(search_project, request)
        return answer._replace(query=" ".join(queries))

    def show(
        self,
        *ids: str,
        own: bool = _SHOW.own,
        full_document: bool = _SHOW.full_document,
        outline: bool = _SHOW.outline,
        expand: Iterable[Relation] = _SHOW.expand,
    ) -> ShowReport:
        """Return the chunks of ids, read from the sources, in the order of the ids.

        Every form of an id is accepted: `tree:path#slug`, `path#slug`, `path`, `path.N`,
        `path:LINE`. `full_text` is the whole section, `body` its own text; with `own`, `raw`
        and `readable` leave out the sections below, too. `full_document` gives the document of
        each id instead. `outline` lists all chunks below, not only the children. Unknown ids are
        in `not_found`, each with the nearest ids. `hints` say if the index is not up to date.

        Raises:
            AmbiguousError: an id matches several chunks.
            UsageError, NotFoundError, …: as in `search`.

        >>> with open_index("handbook") as index:
        ...     shown = index.show("guides/backups.md#restoring-a-backup").shown[0]
        >>> shown.heading
        '## Restoring a backup\\n'
        """
        request = ShowRequest(
            ids=check_names("ids", ids),
            own=own,
            full_document=full_document,
            outline=outline,
            sizes=outline,
            expand=check_choices("expand", expand, Relation),
            refresh=False,
        )
        project, hints = self._read()
        return show_chunks(project, request)._replace(hints=hints)

    def context(
        self, *files: str | os.PathLike[str], limit: int | None = None, trees: Iterable[str] = ()
    ) -> Answer:
        """Return the sections for the files that the user works on, without these files.

        Relative paths begin at the index's folder. `Answer.terms` are the words of the search.

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
        """Return the chunks that are similar to a chunk (its id) or to a file.

        Raises:
            NotFoundError: there is neither such a chunk nor such a file.
            AmbiguousError: the id matches several chunks.
            UsageError, …: as in `search`.

        >>> with open_index("handbook") as index:
        ...     len(index.like("guides/backups.md#restoring-a-backup", limit=2).results)
        2
        """
        return self._ask(find_like, LikeRequest(os.fspath(name), _search_for(limit, trees)))

    def verify(self, text: str) -> VerifyReport:
        """Return the status of every citation in a text: ok, moved, changed or gone.

        `hints` say if the index is not up to date: a text in a new document is then `gone`.

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

    def text(self, response: Answer | ShowReport, *, max_tokens: int | None = None) -> str:
        """Return an answer, or the report of `show`, as one text with its citations.

        With `max_tokens` it has as much as fits, counted by `chunking.tokenizer`: first the place
        of every result, then their texts, best first; each omission has its number of tokens and
        the id for `show`. More tokens only add text.

        Raises:
            BudgetError: not even the shortest text fits; the hint has a sufficient number.
            UsageError: `max_tokens` is not a whole number of at least 1, or the index is closed.

        >>> with open_index("handbook") as index:
        ...     answer = index.search("a token of one person", limit=1, strict=True)
        ...     print(index.text(answer, max_tokens=60), end="")
        > Sign-in and access › Tokens
        [92 tokens left out: handbook:guides/access.md#tokens]
        """
        return text_of(self._project(), response, max_tokens)

    def fit(self, answer: Answer, *, max_tokens: int) -> Answer:
        """Return an answer with as much of its texts as fits, for another form of output.

        Each result has `passages`: its shown parts, with a citation each, and omissions.
        The texts of all of them, separated by blank lines, have at most `max_tokens`,
        counted by `chunking.tokenizer`; the order is that of `text`.

        Raises:
            UsageError: `max_tokens` is not a whole number of at least 1, or the index is closed.

        >>> with open_index("handbook") as index:
        ...     found = index.search("a token of one person", limit=1, strict=True)
        ...     answer = index.fit(found, max_tokens=60)
        >>> passage, omission = answer.results[0].passages
        >>> passage.citation, omission.tokens
        ('handbook:guides/access.md#tokens@68151014127b:680-834', 54)
        """
        return fit_texts(self._project(), answer, max_tokens)

    def source(self, document: DocumentEntry) -> bytes | None:
        """Return the bytes that the spans of a document refer to: its file's, if that is UTF-8.

        None if the file has changed since it was indexed. `document` is that of a result
        or of a shown chunk.

        >>> with open_index("handbook") as index:
        ...     shown = index.show("guides/backups.md#restoring-a-backup").shown[0]
        ...     start = shown.entry.byte_start
        ...     index.source(shown.document)[start : start + 28]
        b'\\nRestoring never overwrites.'

        Raises:
            UsageError: `document` is not a DocumentEntry.
        """
        if not isinstance(document, DocumentEntry):
            kind = type(document).__name__
            hint = "pass `result.document`"
            raise UsageError(f"a {kind} is given, not DocumentEntry", hint=hint)
        return Sources(self._project()).data(document)

    arefresh = awaitable(refresh)
    asearch = awaitable(search)
    ashow = awaitable(show)
    acontext = awaitable(context)
    alike = awaitable(like)
    averify = awaitable(verify)

    def _blank_answer(self, request: SearchRequest) -> Answer:
        """Check a request, and answer its query without words; no index is built."""
        search_params(self._project(), request)
        return Answer("", "lexical", (), hints=hints_for([Hint("no-words")], PROGRAMS))

    def _open_session(self) -> Session:
        session = self._session
        if session is None:
            raise UsageError(f"the index of {self._folder} is closed", hint="open it again")
        return session

    def _project(self) -> Project:
        """Return the project, with a reader that stays open between calls.

        Raises:
            UsageError: the index is closed.
        """
        return self._open_session().project()

    def _read(self) -> tuple[Project, tuple[Hint, ...]]:
        """Return the project, with a fresh index if `fresh`; hints say why it is not fresh.

        Raises:
            NotFoundError: there is no index, and `fresh` is False.
        """
        session, project = self._open_session(), self._project()
        if not self._fresh:
            if not project.is_indexed:
                raise NotFoundError(
                    "there is no index yet", location=str(self._folder), hint=_NO_INDEX
                )
            return project, ()

        def check() -> None:
            request = ListRequest(confirmed=self._confirmed)
            self._notes = hints_for(bring_up_to_date(project, request)[1], PROGRAMS)

        with _worded_confirmation():
            session.ensure(project, check)
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
    """Index, and return the report.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the sources that are done stay indexed.
    """
    report = index_project(project, request, progress=progress)
    if report.interrupted:
        raise KeyboardInterrupt
    return report


@contextmanager
def _worded_confirmation() -> Iterator[None]:
    """Replace the hint of a ConfirmationError, which names the command line's option."""
    try:
        yield
    except ConfirmationError as error:
        raise ConfirmationError(error.message, hint=_CONFIRM) from None


def _expressions(queries: tuple[str, ...], *, plain: bool) -> tuple[str, ...]:
    """Return the queries as expressions; those of `plain` queries without words are left out."""
    checked = check_names("queries", queries)
    return tuple(filter(None, map(plain_query, checked))) if plain else checked


def _search_for(limit: int | None, trees: Iterable[str]) -> SearchRequest:
    return SearchRequest(
        (), limit=limit, trees=check_names("trees", trees), refresh=False, full_text=True
    )


# Results as one text, whole or cut to a budget of tokens: the text that the command line prints
# (`-o full`, `show`). With a budget the sources are read again, so a changed source is marked, and
# never cut at the old offsets.

ResultOrShown = TypeVar("ResultOrShown", Result, Shown)


def text_of(project: Project, response: Answer | ShowReport, max_tokens: int | None) -> str:
    """Return an answer or a report of `show` as text of at most `max_tokens` tokens.

    Raises:
        BudgetError: not even the least text fits.
    """
    _check_kind(response, Answer, ShowReport)
    if max_tokens is None:
        return _render(response)
    _check_budget(max_tokens)
    return _cut(response, project, max_tokens)


def fit_texts(project: Project, answer: Answer, max_tokens: int) -> Answer:
    """Return an answer with the passages of its results that fit into `max_tokens`."""
    _check_kind(answer, Answer)
    _check_budget(max_tokens)
    return fit_answer(_pack_answer(answer, project), "full", _texts, max_tokens)[1]


def _texts(answer: Answer) -> str:
    """Return the texts of all passages; those of added chunks follow their result's."""
    shown: list[Passage | Omission] = []
    for result in answer.results:
        shown += result.passages or ()
        for related in result.expanded:
            shown += related.passages
    return "\n\n".join(passage.text for passage in shown if isinstance(passage, Passage))


def _check_kind(value: object, *accepted: type) -> None:
    if not isinstance(value, accepted):
        kinds = " or ".join(f"{kind.__name__}" for kind in accepted)
        hint = "pass the object that `search` or `show` returned"
        raise UsageError(f"a {type(value).__name__} is given, not {kinds}", hint=hint)


def _check_budget(max_tokens: object) -> None:
    if type(max_tokens) is not int or max_tokens < 1:
        least = "max_tokens must be a whole number of at least 1"
        raise UsageError(f"max_tokens is {max_tokens!r}", hint=least)


def _render(response: Answer | ShowReport) -> str:
    if isinstance(response, Answer):
        return render_full(response, Places({}, ""), PLAIN)
    return render_show(response, PLAIN)


def _cut(response: Answer | ShowReport, project: Project, budget: int) -> str:
    if isinstance(response, Answer):
        return fit_answer(_pack_answer(response, project), "full", _render, budget)[0]
    shown, packing, tokenizer = _pack(response.shown, project)
    report = response._replace(shown=shown, packing=packing, tokenizer=tokenizer)
    return fit_report(report, _render, budget)


def _pack_answer(answer: Answer, project: Project) -> Answer:
    results, packing, tokenizer = _pack(answer.results, project)
    return answer._replace(results=results, packing=packing, tokenizer=tokenizer)


def _pack(
    results: Sequence[ResultOrShown], project: Project
) -> tuple[tuple[ResultOrShown, ...], Packing, str]:
    """Return the results with stale ones marked, their packing, and the tokenizer's name."""
    sources, tokenizer = Sources(project), project.configuration.chunking.tokenizer
    reader = project.open_reader()
    current = tuple(_mark_if_stale(result, reader, sources) for result in results)
    return current, pack_found(current, reader, sources, tokenizer), tokenizer


def _mark_if_stale(result: ResultOrShown, reader: IndexReader, sources: Sources) -> ResultOrShown:
    """Return a result, marked as stale if its source or its chunk has changed since."""
    same = reader.entry(result.entry.doc_id, result.entry.position) == result.entry
    if result.stale or (same and sources.data(result.document) is not None):
        return result
    return result._replace(stale=True)
