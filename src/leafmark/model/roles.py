"""What a source is there for, as its path tells.

Some sources only go with others: tests name what they test, and say in each title what it does;
catalogs of translations repeat the texts of a program or its manual; what completes a command in
a shell repeats its options. So by words alone they come before the documentation and the
definitions that people look for.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

__all__ = ["is_secondary"]

_TEST = r"""
    [:/](?:tests|_tests|testdata|test_data|[a-z0-9]+_tests|__(?:tests|mocks|snapshots|fixtures)__)/
    | :(?:test|t)/
    | [:/]src/test/
    | [:/]test/ .* \.(?:js|jsx|mjs|cjs|ts|tsx|mts|cts)$
    | [:/](?:tests|conftest|test_[^/]*)\.py$
    | [^:/](?:[_.-](?:test|spec)|_tests)\.(?!txt$)[a-z]+$
    | [a-z0-9]Tests?\.(?:java|kt|cs|scala|swift|php)$
"""
"""Where the usual runners of tests look for them, and where tests keep what they need."""

_CATALOG = r"""
    \.(?:po|pot|xlf|xliff|arb|resx|strings)$
    | [:/](?:_?locales?|i18n|l10n|translations?)/ .* \.(?:json|json5|ya?ml|toml|properties|ftl)$
    | [:/]values(?:-[^/]+)?/strings\.xml$
"""
"""Where the usual tools of translators keep the texts of a program in each language."""

_COMPLETION = r"""
    [:/](?:(?:bash|zsh|fish)[_-])?completions?(?:\.d)?/ (?:.*/)?
        [^/.]+ (?:\.(?:bash|zsh|fish|elv|nu|sh|ps1))?$
    | [:/_.-]completions?\.(?:bash|zsh|fish|sh|ps1)$
"""
"""Where programs keep what completes their options in a shell."""

_PROSE = r"\.(?:mdx?|markdown|[qRr]md|rst|rest|adoc|asciidoc|rdoc|org|pod|info|html?|xhtml)$"
"""Documents: what is written about tests is no test."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what names of secondary sources match, and of documents; made when first needed."""
    return re.compile(f"{_TEST}|{_CATALOG}|{_COMPLETION}", re.VERBOSE), re.compile(_PROSE)


@lru_cache(20_000)
def is_secondary(doc_id: str) -> bool:
    """Whether a document (`tree:path`) goes with others: tests, translations, completions.

    >>> [is_secondary(f"t:{path}") for path in ("tests/test_pool.py", "src/pool.py", "po/de.po")]
    [True, False, True]
    >>> is_secondary("t:tests/README.md")
    False
    """
    secondary, prose = _patterns()
    return secondary.search(doc_id) is not None and prose.search(doc_id) is None
