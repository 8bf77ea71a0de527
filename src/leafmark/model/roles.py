"""What a source is there for, as its path tells.

Tests name what they test, and say in each title what it does. So by words alone they come
before the documentation and the definitions that people look for.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_test"]

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

_PROSE = re.compile(r"\.(?:md|mdx|markdown|rst|rest|adoc|asciidoc|rdoc|html?|xhtml)$")
"""Documents: what is written about tests is no test."""


@lru_cache(20_000)
def is_test(doc_id: str) -> bool:
    """Whether a document (`tree:path`) is a test or what tests need; only code and data are.

    >>> [is_test(f"t:{path}") for path in ("tests/test_pool.py", "src/pool.py", "tests/README.md")]
    [True, False, False]
    """
    return _TEST.search(doc_id) is not None and _PROSE.search(doc_id) is None
