"""What a front end asks of a use case: immutable values, checked by the use case that takes them.

Settings (`search.cutoff_ratio`, `index.lock_timeout_s`, …) are no part of a request: a front end
hands those that the user gave to `open_project` as flags, so that every setting has one place
where files, environment and flags meet. What a request and a setting share has its default and
its words from `SearchOptions`; what only a request has is declared here. `ASKED` has both.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from leafmark.model import Grain, Relation, Sort
from leafmark.model.options import Declaration, Option, declarations
from leafmark.search.options import Mode, SearchOptions

if TYPE_CHECKING:
    from leafmark.lint import Baseline, MissedQuery

Progress = Callable[[str, int, int], None]
"""Called with what is being done (`looking`, `indexing`), how many are done, and of how many.

The total is 0 while it is not known. Called often: the receiver decides how
much of it to show.
"""


class IndexRequest(NamedTuple):
    """Bring the index up to date.

    `paths` are files and folders as the user wrote them, relative to the current
    directory; none means all trees. `remove` takes them out of the index instead. `prune` removes
    what is gone even where that is most of a tree at once.
    `confirmed` says that the user agreed to index a very large folder. `vectors` says whether
    those that are missing are made; None leaves it to whether the user named an embedder. With
    `retry`, sources that failed for a reason that may have passed are read again: there was no
    memory, or no permission. With `ray`, the machines of a Ray cluster prepare the sources.
    """

    paths: tuple[str, ...] = ()
    rebuild: bool = False
    remove: bool = False
    dry_run: bool = False
    prune: bool = False
    confirmed: bool = False
    vectors: bool | None = None
    retry: bool = True
    ray: bool = False


class DiffRequest(NamedTuple):
    """Compare two states. `old` and `new` are revisions, or both folders.

    Without `new`, the working files are compared; without `old`, with HEAD. `trees` limits it.
    `texts` are names and contents of files whose citations and ids are checked. `links` asks
    for links that no longer lead anywhere. With `revisions_only`, names are never taken for
    folders: for callers that may not read any folder.
    """

    old: str | None = None
    new: str | None = None
    trees: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    links: bool = True
    revisions_only: bool = False


class LintRequest(NamedTuple):
    """Check documents by the rules of lint, all of them or `rules`, without those in `off`.

    With `paths`, only documents there are reported, and with `since` only those that differ from
    a revision. What the `baseline` knows is left out. `missed` are the queries of an
    evaluation whose answers were not found.
    """

    trees: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    since: str | None = None
    baseline: "Baseline | None" = None
    missed: "tuple[MissedQuery, ...]" = ()


class LogRequest(NamedTuple):
    """Follow the section `id` back, from the revision `at` (None: from the working files)."""

    id: str
    at: str | None = None
    limit: int = 50


_SEARCH = declarations(SearchOptions)

_Refresh = Annotated[
    bool,
    Option(
        "bring the index up to date first",
        given="request",
        off="do not bring the index up to date first",
    ),
]
_Expand = Annotated[
    tuple[Relation, ...], Option("also show the chunks around each one", given="request")
]


class SearchRequest(NamedTuple):
    """One search. Several `queries` are topics; with `plain`, nothing in them is an operator.

    `filters` are filters of the query language (name and value) that hold for all of them.

    `limit`, `mode` and `grain` None leave it to the settings. `since` is what the user wrote (see
    `app.answering.searching`). `full_records` asks for the whole chunk records and texts of the
    results (JSON), `full_text` for `Result.full_text`, `packed` for the packing
    that a budget needs.
    """

    queries: tuple[str, ...]
    limit: int | None = None
    offset: int = _SEARCH["offset"].default
    plain: Annotated[
        bool, Option("nothing in the query is an operator: for pasted text", given="request")
    ] = False
    filters: tuple[tuple[str, str], ...] = ()
    trees: tuple[str, ...] = _SEARCH["trees"].default
    tags: tuple[str, ...] = _SEARCH["tags"].default
    since: Annotated[
        str | None,
        Option(
            "only documents changed since then: an age (7d, 36h) or a date (2026-01-31)",
            given="request",
        ),
    ] = None
    section: tuple[str, ...] = _SEARCH["section"].default
    mode: Mode | None = None
    grain: Grain | None = None
    sort: Sort = _SEARCH["sort"].default
    expand: _Expand = ()
    strict: bool = _SEARCH["strict"].default
    aggregation: bool = _SEARCH["aggregation"].default
    refresh: _Refresh = True
    explain: bool = _SEARCH["explain"].default
    full_records: bool = False
    full_text: bool = False
    packed: bool = False
    confirmed: bool = False


class ShowRequest(NamedTuple):
    """Show chunks by id.

    With `full_document` the whole document of each id is shown instead. With
    `outline`, `Shown.children` holds all chunks below the one shown, in order of
    position, not only its children. With `own`, text and bytes leave out the sections
    below. `packed` asks for the packing that a budget needs. Without `records`,
    `Shown.record` stays empty, and without `sizes`, `Shown.sizes`: tokens are counted
    for both, which of a large document costs more than all else. `lines` limits what is shown
    to some lines of the file, counted from 1, both ends included; the last may be None.
    """

    ids: tuple[str, ...]
    own: Annotated[
        bool, Option("only the section's own text, without the sections below it", given="request")
    ] = False
    full_document: Annotated[
        bool, Option("the whole document that an id belongs to", given="request")
    ] = False
    outline: Annotated[
        bool, Option("the titles and ids below it instead of its text", given="request")
    ] = False
    packed: bool = False
    records: bool = True
    sizes: bool = False
    lines: tuple[int, int | None] | None = None
    expand: _Expand = ()
    refresh: _Refresh = True
    confirmed: bool = False


class ChunkRequest(NamedTuple):
    """Chunk files and folders with no index.

    `paths` are as the user wrote them, relative to the project's directory; where
    `data` is given (standard input), it is chunked as the file `name` in their place.
    Paths in ids begin at `root`, and ids with `tree`; without them they are those of
    the configured tree that holds the file, else of the folder that is worked in.
    `written` is the file that the answer goes to, by device and inode: it is no source.
    """

    paths: tuple[str, ...] = ()
    data: bytes | None = None
    name: str = "stdin.md"
    root: str | None = None
    tree: str | None = None
    written: tuple[int, int] | None = None


class ListRequest(NamedTuple):
    """List what is indexed; `under` is an id or a path prefix, and limits to what is below it."""

    trees: tuple[str, ...] = _SEARCH["trees"].default
    tags: tuple[str, ...] = _SEARCH["tags"].default
    under: Annotated[
        str | None,
        Option("only documents whose path or id begins with this: a folder", given="request"),
    ] = None
    refresh: _Refresh = True
    confirmed: bool = False


class InitRequest(NamedTuple):
    """Write a configuration file: the folder's, or with `everywhere` the user's.

    An existing file is kept, and is an error, unless `force` is set.
    """

    everywhere: bool = False
    force: bool = False


class VerifyRequest(NamedTuple):
    """Check the citations in `texts`, each with the name that reports call it by."""

    texts: tuple[tuple[str, str], ...]
    refresh: bool = True
    confirmed: bool = False


class AgentsRequest(NamedTuple):
    """Look at agent files, and with `write` bring their block up to date.

    `files` are relative to the current directory; none means those that exist.
    """

    files: tuple[str, ...] = ()
    write: bool = False
    refresh: bool = True
    confirmed: bool = False


class LlmsRequest(NamedTuple):
    """Write `llms.txt` and `llms-full.txt` of a tree (None: the only one) into `directory`.

    `base_url` is what links begin with; without it they are relative paths.
    `max_tokens` bounds `llms-full.txt`.
    """

    directory: str = "."
    tree: str | None = None
    base_url: str | None = None
    max_tokens: int | None = None
    refresh: bool = True
    confirmed: bool = False


class EvaluationRequest(NamedTuple):
    """Judge searches by the queries in `files` (`-` is standard input).

    `compare` are the ways to search: a strategy, and after `+` settings that
    differ (`auto+relax_share=0.5`); none means the project's own. Each is tried in
    each of the `modes`; none means that of the settings. `ablate` tries one way without
    each mechanism of the ranking. `by` makes a
    table for each `kind`, `language` or `tree`. `half` takes one half of the
    queries (see `evaluation.half_of`). `answers` says what a judged passage stands for:
    itself, or the section that holds it. `gates` are bounds such as `rr500>=0.55`.
    `diagnose` asks why answers were not found.
    """

    files: tuple[str, ...]
    compare: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = ()
    ablate: bool = False
    limit: int | None = None
    kinds: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    half: str | None = None
    answers: Literal["passage", "section"] = "passage"
    by: str | None = None
    gates: tuple[str, ...] = ()
    seed: int = 1
    resamples: int = 1000
    diagnose: bool = False
    confirmed: bool = False


class DraftRequest(NamedTuple):
    """Draft at most `limit` queries of these kinds from the documents of these trees.

    None of either stands for all.
    """

    limit: int = 100
    trees: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    confirmed: bool = False


class WhyNotRequest(NamedTuple):
    """Why the chunk `id` is not among the results of a search."""

    id: str
    search: SearchRequest


class ContextRequest(NamedTuple):
    """The documents that matter for `files`, paths as the user wrote them.

    `search` says which results are asked for; it has no queries. Files that are
    missing are left out where `lenient`, else they are a mistake. With
    `terms_only` nothing is searched.
    """

    files: tuple[str, ...]
    search: SearchRequest
    lenient: bool = False
    terms_only: bool = False


class LikeRequest(NamedTuple):
    """What is like `name`: the id of a chunk, or the path of a file."""

    name: str
    search: SearchRequest
    terms_only: bool = False


ASKED: Mapping[str, Declaration] = MappingProxyType(
    {
        declared.name: declared
        for table, request in (
            ("search", SearchOptions),
            ("search", SearchRequest),
            ("show", ShowRequest),
            ("list", ListRequest),
        )
        for declared in declarations(request, table).values()
    }
)
"""What a request can ask for, by name; `search.since` is a request's text, not a moment."""
