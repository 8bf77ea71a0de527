"""Which sources are plain text only because the grammar of their language is not installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from leafmark.app.sources.walk import SourceFile
from leafmark.environment import install_extra
from leafmark.model import Diagnostic, count_of

__all__ = ["grammar_notes"]


def grammar_notes(sources: Iterable[SourceFile]) -> Iterator[Diagnostic]:
    """Yield one diagnostic for all of them, at the first; none where no grammar is missing."""
    from leafmark.parsing.code.languages import missing_grammar  # late: a search asks nothing

    counts: Counter[str] = Counter()
    first = ""
    for source in sources:
        language = missing_grammar(source.path)
        if language is not None:
            first = first or source.path
            counts[language] += 1
    if counts:
        many = count_of(counts.total(), "file")
        message = f"{many} read as plain text, without the grammar of {_listed(sorted(counts))}"
        yield Diagnostic(first, "grammar", f"{message}: {install_extra('code')}")


def _listed(names: list[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
