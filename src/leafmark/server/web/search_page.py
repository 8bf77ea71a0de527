"""The search page: results on the left, the section on the right; and why a result is missing.

Its address decides everything that it shows. A query with a mistake is searched as plain text, and
the page shows the mistake above the results, so that half a query shows something, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from leafmark.app import browse_project, explain_why_not, overview, read_document
from leafmark.app.answering.browsing import Browsed, DocumentReading
from leafmark.app.requests import SearchRequest, WhyNotRequest
from leafmark.errors import AmbiguousError, LeafmarkError, NotFoundError, QueryError
from leafmark.model import (
    FORMAT_NAMES,
    GRAINS,
    SORTS,
    AbsenceReason,
    Answer,
    Factor,
    Hint,
    Result,
    WhyNotReport,
    count_of,
    whole_range,
)
from leafmark.model.result import WORD
from leafmark.render.explaining import factor_name, typed_value, word_changes, word_reason
from leafmark.render.hint_texts import PAGE, word_hint
from leafmark.render.search_results import group_results
from leafmark.render.terminal import clean
from leafmark.search.citations import format_citation
from leafmark.server.web.block_html import spans_of_words
from leafmark.server.web.document_parts import DocumentText
from leafmark.server.web.rendering import MarkText, mark_excerpt, mark_text
from leafmark.server.web.visits import EDITORS, Address, Visit, document_address, render_page

PAGE_SIZE = 20
"""Results on a page; more follow on request."""

MAX_OFFSET = 2_000

MAX_PASTED_BYTES = 100_000

TABS = ("rendered", "source", "chunks", "why")
MODES = (("auto", "best"), ("lexical", "by words"), ("semantic", "by meaning"), ("hybrid", "both"))

_FACETS = (
    ("tree", "Trees"),
    ("folder", "Folders"),
    ("tag", "Tags"),
    ("format", "Kinds"),
    ("has", "With"),
)
_NARROWING = tuple(name for name, _ in _FACETS)
_IF_SEVERAL = frozenset(("tree", "folder", "format"))
"""Facets that are shown only with two values or more: one value narrows nothing."""
_SHOWN_FACETS = 8


class Pane(NamedTuple):
    """The section on the right; `fragments` are those of the open tab."""

    reading: DocumentReading
    tab: str
    fragments: Sequence[Any] = ()
    citation: str = ""
    markdown: str = ""
    editor: str = ""
    result: Result | None = None
    parts: Sequence[Any] = ()
    chunks: Sequence[Any] = ()
    is_cut: bool = False


def search_page(visit: Visit) -> str:
    """Raises the errors of `browse_project`, except for queries with a mistake."""
    address = visit.address
    if not any(address[name] for name in ("q", *_NARROWING)):
        return render_page("home.html", visit, overview=overview(visit.project))
    mistake: QueryError | None = None
    request = _request(address)
    try:
        browsed = browse_project(visit.project, request, folder=address["folder"])
    except QueryError as error:
        mistake = error
        browsed = _search_plain(visit, request)
    answer = browsed.answer
    offset = request.offset
    ranked = answer.counts.get("ranked", 0)
    if not address["q"] and answer.results:  # listing by path ranks only the documents shown
        ranked = sum(value.number for value in browsed.facets.get("tree", ()))
    following = offset + PAGE_SIZE if ranked > offset + PAGE_SIZE and answer.results else None
    return render_page(
        "search.html",
        visit,
        mistake=mistake,
        answer=answer,
        groups=group_results(answer.results),
        best=max((result.score for result in answer.results), default=1.0) or 1.0,
        ranked=ranked,
        following=following if following and following < MAX_OFFSET else None,
        hints=[hint for hint in map(page_hint, answer.hints) if hint and address["q"]],
        facets=_facets(browsed, address),
        marked=lambda text: mark_text(text, browsed.mark),
        snippet=_excerpt,
        pane=_pane(visit, browsed),
        modes=MODES,
        grains=GRAINS,
        sorts=SORTS,
        tabs=TABS,
        narrowing=_NARROWING,
        facet_label=facet_label,
        narrowed=lambda name, value: _narrow_address(address, name, value),
        is_browsing=not address["q"],
    )


def _excerpt(result: Result) -> Markup:
    """Return the excerpt of a result with its matches marked."""
    snippet = result.snippet
    words = spans_of_words(snippet.text, result.document.format)
    return mark_excerpt(snippet.text, snippet.ranges, words)


def _request(address: Address) -> SearchRequest:
    """Return the search of an address; values that a control does not have are ignored."""
    filters = [("path", address["folder"])] if address["folder"] else []
    filters += [("format", name) for name in address.all("format")]
    filters += [("has", kind) for kind in address.all("has") if kind in ("code", "table", "list")]
    query, trees = address["q"], address.all("tree")
    if not query and trees:
        filters.append(("tree", trees[0]))
    mode, grain, sort = (address[name] for name in ("mode", "grain", "sort"))
    return SearchRequest(
        queries=(query,) if query else (),
        limit=PAGE_SIZE,
        offset=address.number("offset", 0, MAX_OFFSET),
        plain=bool(address["plain"]),
        filters=tuple(filters),
        trees=trees,
        tags=address.all("tag"),
        since=address["since"] or None,
        section=(address["section"],) if address["section"] else (),
        mode=mode if mode in ("auto", "lexical", "semantic", "hybrid") else None,  # type: ignore[arg-type]
        grain=(grain if grain in GRAINS else None) if query else "document",
        sort=sort if sort in SORTS else "score",
        strict=bool(address["strict"]),
        refresh=False,
        explain=address["tab"] == "why",
    )


def _search_plain(visit: Visit, request: SearchRequest) -> Browsed:
    """Search the words of a query with a mistake; return no results where that fails, too."""
    try:
        plain = request._replace(plain=True)
        return browse_project(visit.project, plain, folder=visit.address["folder"])
    except QueryError:
        return Browsed(Answer("", "lexical", ()))


def _facets(browsed: Browsed, address: Address) -> list[tuple[str, str, list[Any], int]]:
    """Return the facets that narrow this search: name, title, values, and how many are hidden."""
    facets = []
    for name, title in _FACETS:
        values = browsed.facets.get(name, ())
        chosen = address.all(name)
        narrowing = [value for value in values if value.value not in chosen]
        if not chosen and len(narrowing) < (2 if name in _IF_SEVERAL else 1):
            continue
        listed = narrowing[:_SHOWN_FACETS]
        facets.append((name, title, listed, len(narrowing) - len(listed)))
    return facets


def _narrow_address(address: Address, name: str, value: str) -> str:
    """Return the address narrowed to a value, too; only one folder and one format at a time."""
    if name in ("folder", "format"):
        return address.to(**{name: value, "offset": None, "at": None})
    return address.toggled(name, value)


def _pane(visit: Visit, browsed: Browsed) -> Pane | None:
    """Return the section that the address names, else that of the first result."""
    address, results = visit.address, browsed.answer.results
    chunk_id = address["at"] or (results[0].id if results else "")
    if not chunk_id:
        return None
    try:
        reading = read_document(visit.project, chunk_id)
    except (AmbiguousError, NotFoundError):
        return None
    parts = (part for result in results for part in result.with_constituents())
    result = next((part for part in parts if part.id == reading.entry.id), None)
    tab = address["tab"] if address["tab"] in TABS else "rendered"
    return open_pane(visit, reading, tab, browsed.mark, result)


def open_pane(
    visit: Visit, reading: DocumentReading, tab: str, mark: MarkText, result: Result | None
) -> Pane:
    """Return one section of a document under a tab."""
    entry, data = reading.entry, reading.data
    if data is None:
        return Pane(reading, tab, result=result)
    fragments: Sequence[Any] = ()
    is_cut = False
    if tab in ("source", "rendered"):
        text = section_text(visit, reading, (_below_title(reading), entry.byte_end), mark)
        fragments = text.shown(0, tab) if text.count else ()
        is_cut = text.count > 1
    below = [c for c in reading.chunks if entry.position <= c.position <= entry.last_position]
    return Pane(
        reading,
        tab,
        fragments,
        citation=_citation(reading),
        markdown=_markdown(reading, data),
        editor=_editor_link(visit, reading),
        result=result,
        parts=score_parts(result.factors) if result else (),
        chunks=below if tab == "chunks" else (),
        is_cut=is_cut,
    )


def _below_title(reading: DocumentReading) -> int:
    """Return where a section begins below its title, which the page shows above it."""
    entry, data = reading.entry, reading.data
    first = next((c for c in reading.chunks if c.heading_end is not None), None)
    if entry.kind != "document" or first is None or first.title != entry.title or data is None:
        return entry.byte_start
    start, end = first.heading_start or 0, first.heading_end or 0
    lead = data[max(entry.byte_start, reading.document.front_matter_end) : start]
    return entry.byte_start if lead.strip() else end


def section_text(
    visit: Visit, reading: DocumentReading, within: tuple[int, int] | None, mark: MarkText
) -> DocumentText:
    """Return the text of a document, or of the bytes `within`."""
    chunks, rev = reading.chunks, visit.address["rev"]

    def find_link(target: str) -> str | None:
        address = reading.find_link(target)
        return None if address is None else document_address(address, rev=rev)

    def describe(position: int) -> str:
        chunk = chunks[position]
        tokens = count_of(reading.tokens(chunk), "token")
        return f"{chunk.id} · {tokens} · lines {chunk.line_start}–{chunk.line_end}"

    assert reading.data is not None, "a chunk that is not stale has bytes"
    return DocumentText(
        reading.data,
        reading.document.format,
        chunks,
        describe=describe,
        find_link=find_link,
        find_title=reading.find_title,
        mark=mark,
        parsed=lambda: reading.parsed,
        within=within,
        text_start=reading.document.front_matter_end,
    )


def _citation(reading: DocumentReading) -> str:
    entry, data = reading.entry, reading.data
    if data is None:
        return ""
    digest = hashlib.sha256(data[entry.byte_start : entry.byte_end]).hexdigest()
    return format_citation(entry.id, digest, entry.byte_start, entry.byte_end)


def _markdown(reading: DocumentReading, data: bytes) -> str:
    """Return a section as Markdown to paste: its text, and below it the place and citation.

    A section over `MAX_PASTED_BYTES` gives "": the page would hold its text twice.
    """
    entry = reading.entry
    start, end = (entry.byte_start, entry.byte_end) if entry.kind == "piece" else whole_range(entry)
    if end - start > MAX_PASTED_BYTES:
        return ""
    text = clean(data[start:end].decode("utf-8", "replace")).strip()
    if reading.document.format != "markdown":
        text = "\n".join(f"> {line}" for line in text.split("\n"))
    place = f"{reading.document.path}, lines {entry.line_start}–{entry.line_end}"
    return f"{text}\n\n({place}: {_citation(reading)})\n"


def _editor_link(visit: Visit, reading: DocumentReading) -> str:
    """Return the address that opens the file in the editor at the section; "" without a file."""
    if reading.root is None or not visit.is_local:
        return ""
    try:
        path = quote(f"{reading.root}/{reading.document.path}".replace("\\", "/"))
    except UnicodeEncodeError:
        return ""
    slash = "" if path.startswith("/") else "/"
    return EDITORS[visit.editor][1].format(path=slash + path, line=reading.entry.line_start)


def why_page(visit: Visit) -> str:
    """Return the page, with the mistake where the id or the query has one.

    Raises the other errors of `explain_why_not`.
    """
    address = visit.address
    problem: LeafmarkError | None = None
    report = None
    if address["id"] and address["q"]:
        try:
            request = _request(address)._replace(explain=False)
            report = explain_why_not(visit.project, WhyNotRequest(address["id"], request))
        except (AmbiguousError, NotFoundError, QueryError) as error:
            problem = error
    ways = remedies(report) if report else []
    changes = {way.name: way.value or None for way in ways if way.name and way.name != "limit"}
    return render_page(
        "why.html",
        visit,
        report=report,
        problem=problem,
        reasons=[(reason, page_reason(reason)) for reason in report.reasons] if report else [],
        ways=ways,
        way=address.to("/", id=None, **changes) if changes else "",
    )


# The words of hints, reasons and scores on the page, in terms of its controls.
#
# Codes and values come from the engine. Where the shared wording names commands or settings, the
# page has a wording of its own here.


_Values = Mapping[str, Any]

_HINTS: Mapping[str, Callable[[_Values], str]] = MappingProxyType(
    {
        "pending-vectors": lambda values: (
            f"{count_of(values['count'], 'chunk')} cannot be found by meaning yet"
        ),
        "late-vectors": lambda values: (
            f"{count_of(values['count'], 'result')} could not be read by meaning in time: "
            "ask again for a better order"
        ),
        "no-vectors": lambda _: "Meaning is not available, so these results match by words",
        "provider": lambda _: "The model did not answer, so these results match by words",
        "late-embedder": lambda _: "The model took too long, so these results match by words",
        "letters": lambda _: "The model cannot read these letters, so these match by words",
        "unknown-words": lambda _: "The model knows none of these words, so these match by words",
        "other-dimension": lambda _: "The vectors are of another model: these match by words",
        "damaged-vectors": lambda _: "Some vectors are damaged: a near match may be missing",
        "stale": lambda values: (
            f"{count_of(values['count'], 'source')} changed a moment ago and will be read again"
        ),
        "far": lambda _: "Nothing is near enough in meaning: search by words as well",
        "topics": lambda _: "Each part was searched as a topic of its own",
        "other-folder": lambda _: "Only the trees of your own configuration were searched",
        "more": lambda _: "",
        "versions": lambda _: (
            "Text that is nearly the same in several versions or languages is shown once"
        ),
    }
)
"""Hints whose shared wording names commands, options or settings; "" where a control shows it."""


def page_hint(hint: Hint) -> str:
    """Return the words of a hint as a sentence.

    >>> page_hint(Hint("strict", values={"matches": {"count": 2, "or_more": False}}))
    'Without “all words”, there would be 2 matches.'
    """
    wording = _HINTS.get(hint.code)
    words = word_hint(hint, PAGE) if wording is None else wording(hint.values)
    return _sentence(words)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in '.?!…' else '.'}" if text else ""


def page_reason(reason: AbsenceReason) -> str:
    """Return the reason for which a search lost a chunk, as a sentence.

    >>> page_reason(AbsenceReason("strict", "t:a.md", values={}))
    'It does not match; “all words” leaves it out.'
    """
    return _sentence(word_reason(reason, PAGE))


class Remedy(NamedTuple):
    """A way to show a chunk: its words, and for a control its name and new value."""

    text: str
    name: str = ""
    value: str = ""


_CONTROLS = {"trees": "tree", "tags": "tag"}
_OFF = frozenset(("strict", "trees", "tags", "since", "section"))
"""Controls whose remedy is to switch them off."""


def remedies(report: WhyNotReport) -> list[Remedy]:
    """Return the ways that, taken all together, would show the chunk."""
    ways = []
    for name, text in word_changes(report, PAGE).items():
        control = _CONTROLS.get(name, name) if name in PAGE.changes else ""
        value = "" if name in _OFF else typed_value(report.remedy[name])
        ways.append(Remedy(text, control, value))
    ways += [Remedy(f"leave out {part}") for part in report.without]
    if report.added is not None:
        ways.append(Remedy(f"add {report.added}"))
    return ways


_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "words": "words",
        "meaning": "meaning",
        "filters": "admitted by the filters",
        "completeness": "all words together",
        "nearness": "words near each other",
        "parts of names": "parts of names",
        "local_boost": "a tree of this project",
        "merged": "several parts match",
        "rerank": "order of the model",
        "completion": "shell completion",
        "listing": "a list of other pages",
    }
)
_FIELDS = {"body": "text", "titles": "titles", "title": "title", "tags": "tags", "path": "path"}


class Part(NamedTuple):
    """A part of a score: its share of the sum, or with `times` a factor of the whole score.

    `start` is where it begins in a bar of 100; `color` is its place in the legend.
    """

    name: str
    value: float
    share: float = 0.0
    start: float = 0.0
    color: int = 0
    times: bool = False
    note: str = ""


def score_parts(factors: tuple[Factor, ...]) -> list[Part]:
    """Return the parts of a score, flat: first those that add to it, then its multipliers."""
    flat = [*_flat(factors)]
    sums = [part for part in flat if not part.times and part.value > 0]
    total = sum(part.value for part in sums) or 1.0
    shares: list[Part] = []
    at = 0.0
    for number, part in enumerate(sums):
        share = 100 * part.value / total
        shares.append(part._replace(share=share, start=at, color=number % 6))
        at += share
    return shares + [part for part in flat if part.times]


def _flat(factors: tuple[Factor, ...]) -> Iterator[Part]:
    """Yield the factors; of a sum that only groups others, these others."""
    for factor in factors:
        if factor.name == "rounding":
            continue
        times = factor.operation == "multiply"
        if factor.how == WORD:
            fields = ", ".join(_FIELDS.get(part.name, part.name) for part in factor.parts)
            yield Part(f"“{factor.name}”", factor.value, note=fields and f"in {fields}")
        elif factor.parts and not times:
            yield from _flat(factor.parts)
        else:
            yield Part(
                _NAMES.get(factor.name) or factor_name(factor.name), factor.value, times=times
            )


def facet_label(name: str, value: str) -> str:
    """Return the name of a value of a facet.

    >>> facet_label("format", "roff"), facet_label("has", "code"), facet_label("tree", "docs")
    ('manual pages', 'with code', 'docs')
    """
    if name == "format":
        return FORMAT_NAMES.get(value, value)
    return f"with {value}" if name == "has" else value
