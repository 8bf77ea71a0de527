"""Requests of front ends to use cases: immutable values, checked by the use case that takes them.

Settings (`search.cutoff_ratio`, `index.lock_timeout_s`, …) are not part of a request: a front end
passes those of the user to `open_project` as flags, so that every setting has one place where
files, environment and flags meet. An option that a request shares with a setting has its default
and help text from `SearchOptions`; the others are declared here. `REQUEST_OPTIONS` has both kinds.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, NamedTuple

from leafmark.model import Grain, Relation, Sort
from leafmark.model.option_types import Declaration, Option, declarations
from leafmark.search.options import Mode, SearchOptions

if TYPE_CHECKING:
    from leafmark.lint import Baseline, MissedQuery

Progress = Callable[[str, int, int], None]
"""Called with the activity (`looking`, `indexing`), the number done, and the total.

The total is 0 while it is unknown. Called often: the receiver decides how much to show.
"""


class IndexRequest(NamedTuple):
    """Bring the index up to date.

    `paths` are files and folders as the user wrote them, relative to the current
    directory; none means all trees. `remove` takes them out of the index instead. `prune` removes
    missing sources even if they are most of a tree.
    `confirmed` says that the user agreed to index a very large folder. `vectors` says whether to
    compute missing vectors; None means only if the user named an embedder. With `retry`, sources
    that failed for lack of memory or permission are read again. With `ray`, the machines of a Ray
    cluster prepare the sources.
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

    Without `new`, it is the working files; without `old`, HEAD. `trees` limits the comparison.
    `texts` are names and contents of files whose citations and ids are checked. `links` asks
    for links that no longer lead anywhere. With `revisions_only`, a name is never a folder: for
    callers that may not read any folder.
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
    a revision. Findings in the `baseline` are left out. `missed` are the queries of an evaluation
    that did not find their answers.
    """

    trees: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    since: str | None = None
    baseline: "Baseline | None" = None
    missed: "tuple[MissedQuery, ...]" = ()


class LogRequest(NamedTuple):
    """Follow the history of section `id` back from the revision `at` (None: the working files)."""

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

    `filters` are filters of the query language (name and value) that hold for all topics.

    None for `limit`, `mode` or `grain` means the setting. `since` is as the user wrote it (see
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
    `outline`, `Shown.children` holds all chunks below the shown one, in order of
    position, not only its children. With `own`, text and bytes leave out the sections
    below. `packed` asks for the packing that a budget needs. Without `records`,
    `Shown.record` stays empty, and without `sizes`, `Shown.sizes`: both count tokens,
    which costs more than all else in a large document. `lines` limits the text to lines of
    the file, counted from 1, both ends included; the last may be None.
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
    """Chunk files and folders without an index.

    `paths` are as the user wrote them, relative to the project's directory. With `data`
    (standard input), the file `name` is chunked instead, with these bytes.
    Paths in ids begin at `root`, and ids with `tree`; the defaults are those of the
    configured tree that holds the file, else of the current folder.
    `written` is the output file, by device and inode: it is not a source.
    """

    paths: tuple[str, ...] = ()
    data: bytes | None = None
    name: str = "stdin.md"
    root: str | None = None
    tree: str | None = None
    written: tuple[int, int] | None = None


class ListRequest(NamedTuple):
    """List indexed documents; `under`, an id or a path prefix, limits them to those below it."""

    trees: tuple[str, ...] = _SEARCH["trees"].default
    tags: tuple[str, ...] = _SEARCH["tags"].default
    under: Annotated[
        str | None,
        Option("only documents whose path or id begins with this: a folder", given="request"),
    ] = None
    refresh: _Refresh = True
    confirmed: bool = False


class InitRequest(NamedTuple):
    """Write a configuration file for the folder, or with `everywhere` for the user.

    An existing file is an error, unless `force` is set.
    """

    everywhere: bool = False
    force: bool = False


class VerifyRequest(NamedTuple):
    """Check the citations in `texts`: pairs of a name for reports and a text."""

    texts: tuple[tuple[str, str], ...]
    refresh: bool = True
    confirmed: bool = False


class AgentsRequest(NamedTuple):
    """Check agent files, and with `write` bring their block up to date.

    `files` are relative to the current directory; none means all that exist.
    """

    files: tuple[str, ...] = ()
    write: bool = False
    refresh: bool = True
    confirmed: bool = False


class LlmsRequest(NamedTuple):
    """Write `llms.txt` and `llms-full.txt` of a tree (None: the only one) into `directory`.

    `base_url` is what links begin with; without it they are relative paths.
    """

    directory: str = "."
    tree: str | None = None
    base_url: str | None = None
    refresh: bool = True
    confirmed: bool = False


class EvaluationRequest(NamedTuple):
    """Judge searches by the queries in `files` (`-` is standard input).

    `compare` are the ways to search: a strategy, and after `+` settings that
    differ (`auto+relax_share=0.5`); none means the project's own. Each is tried in
    each of the `modes`; none means the mode of the settings. `ablate` tries one way without
    each mechanism of the ranking. `by` makes a
    table for each `kind`, `language` or `tree`. `half` takes one half of the
    queries (see `evaluation.half_of`). `gates` are bounds such as `rr500>=0.55`.
    """

    files: tuple[str, ...]
    compare: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = ()
    ablate: bool = False
    limit: int | None = None
    kinds: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    half: str | None = None
    by: str | None = None
    gates: tuple[str, ...] = ()
    resamples: int = 1000
    confirmed: bool = False


class DraftRequest(NamedTuple):
    """Draft at most `limit` queries of these kinds from the documents of these trees.

    Empty `trees` or `kinds` mean all.
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

    `search` has the options of the search, without queries. Missing files are left out
    if `lenient`, else they are an error.
    """

    files: tuple[str, ...]
    search: SearchRequest
    lenient: bool = False


class LikeRequest(NamedTuple):
    """Find chunks like `name`: the id of a chunk, or the path of a file."""

    name: str
    search: SearchRequest


REQUEST_OPTIONS: Mapping[str, Declaration] = MappingProxyType(
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
"""The options of requests, by name; `search.since` is the user's text, not a moment."""
