"""Rules against documents that are hard to find or to cite, each with a reason and a fix.

In: documents as sections, one at a time (`check_document`), then the facts of all of them
(`check_collection`). Out: findings with place, rule and text. No file is read here.
"""

from leafmark.lint.collection import (
    Collection,
    LinkOutcome,
    check_collection,
    included_pages,
)
from leafmark.lint.facts import DocumentFacts, LinkFact, facts_of
from leafmark.lint.model import LEVELS, Finding, Level, LintReport, MissedQuery, Rule
from leafmark.lint.rules import RULES, check_document, check_missed, with_confirmed
from leafmark.lint.suppression import Baseline, Silences, fingerprint, read_silences

__all__ = [
    "LEVELS",
    "RULES",
    "Baseline",
    "Collection",
    "DocumentFacts",
    "Finding",
    "Level",
    "LinkFact",
    "LinkOutcome",
    "LintReport",
    "MissedQuery",
    "Rule",
    "Silences",
    "check_collection",
    "check_document",
    "check_missed",
    "facts_of",
    "fingerprint",
    "included_pages",
    "read_silences",
    "with_confirmed",
]
