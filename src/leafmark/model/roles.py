"""What a source is there for, as its path tells.

Some sources only go with others: tests name what they test, and say in each title what it does;
catalogs of translations repeat the texts of a program or its manual. So by words alone they come
before the documentation and the definitions that people look for.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_secondary"]

_TEST = re.compile(
    r"""
    [:/](?:tests|_tests|testdata|test_data|[a-z0-9]+_tests|__(?:tests|mocks|snapshots|fixtures)__)/
    | :(?:test|t)/
    | [:/]src/test/
    | [:/]test/ .* \.(?:js|jsx|mjs|cjs|ts|tsx|mts|cts)$
    | [:/](?:tests|conftest|test_[^/]*)\.py$
    | [^:/](?:[_.-](?:test|spec)|_tests)\.(?!txt$)[a-z]+$
    | [a-z0-9]Tests?\.(?:java|kt|cs|scala|swift|php)$
    """,
    re.VERBOSE,
)
"""Where the usual runners of tests look for them, and where tests keep what they need."""

_CATALOG = re.compile(
    r"""
    \.(?:po|pot|xlf|xliff|arb|resx|strings)$
    | [:/](?:_?locales?|i18n|l10n|translations?)/ .* \.(?:json|json5|ya?ml|toml|properties|ftl)$
    | [:/]values(?:-[^/]+)?/strings\.xml$
    """,
    re.VERBOSE,
)
"""Where the usual tools of translators keep the texts of a program in each language."""

_PROSE = re.compile(r"\.(?:md|mdx|markdown|rst|rest|adoc|asciidoc|rdoc|html?|xhtml)$")
"""Documents: what is written about tests is no test."""


@lru_cache(20_000)
def is_secondary(doc_id: str) -> bool:
    """Whether a document (`tree:path`) is a test, what tests need, or a catalog of translations.

    >>> [is_secondary(f"t:{path}") for path in ("tests/test_pool.py", "src/pool.py", "po/de.po")]
    [True, False, True]
    >>> is_secondary("t:tests/README.md")
    False
    """
    if _PROSE.search(doc_id) is not None:
        return False
    return _TEST.search(doc_id) is not None or _CATALOG.search(doc_id) is not None
