"""Which name a wrong one was meant for, of the names that users really mistype."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from leafmark.app.settings import SETTINGS
from leafmark.cli.command import ALIASES, COMMANDS, find_command
from leafmark.suggest import choices_hint, nearest

SEARCH_OPTIONS = [name for option in find_command("search").options for name in option.spellings]
SEARCH_KEYS = [one.partition(".")[2] for one in SETTINGS if one.startswith("search.")]
VARIABLES = [setting.environment_name for setting in SETTINGS.values()]
FORMATS = ["pretty", "list", "matches", "full", "json", "jsonl", "files", "vimgrep"]
SLUGS = ["install", "set-up", "setup-1", "configuration", "restoring-a-backup", "guide"]
PATHS = ["guides/backups.md", "guides/access.md", "README.md", "reference/cli.md", "取り込み.md"]
TREES = ["docs", "notes", "handbook", "api"]

MEANT: list[tuple[Sequence[str], str]] = [
    ([*COMMANDS, *ALIASES], "serach search, indx index, reindex index, statsu status, stat status"),
    ([*COMMANDS, *ALIASES], "conf config, configure config, veryfy verify, whynot why-not"),
    ([*COMMANDS, *ALIASES], "why why-not, Search search, SHOW show, evaluate eval, hlep help"),
    ([*COMMANDS, *ALIASES], "chunks chunk, chunk-show show-chunk, completions completion"),
    ([*COMMANDS, *ALIASES], "doc doctor, trsut trust, liek like, contxt context"),
    ([*COMMANDS, *ALIASES], "server serve, sevre serve"),
    (SEARCH_OPTIONS, "--limt --limit, --max-token --max-tokens, --tokens --max-tokens"),
    (SEARCH_OPTIONS, "--tree-name --tree, --out --output, --refresh --no-refresh, --tags --tag"),
    (SEARCH_OPTIONS, "--norefresh --no-refresh, --no_refresh --no-refresh, --grian --grain"),
    (SEARCH_OPTIONS, "--explian --explain, --aggregation --no-aggregation"),
    (list(SETTINGS), "limit search.limit, search.limt search.limit, Search.Limit search.limit"),
    (list(SETTINGS), "timeout index.lock_timeout_s, chunk.strategy chunking.strategy"),
    (list(SETTINGS), "stemer search.stemmer, cutoff search.cutoff_ratio"),
    (SEARCH_KEYS, "limt limit, fuzzy_distanc fuzzy_distance, boost_local local_boost"),
    (SEARCH_KEYS, "cut_off_ratio cutoff_ratio, fuzzy fuzzy_distance, localBoost local_boost"),
    (VARIABLES, "LEAFMARK_SEARCH_LIMT LEAFMARK_SEARCH_LIMIT"),
    (VARIABLES, "LEAFMARK_INDEX_DIRECTORY LEAFMARK_INDEX_DIR"),
    (FORMATS, "jsn json, JSON json, file files, match matches, grep vimgrep, ful full"),
    (SLUGS, "setup set-up, instal install, restore-a-backup restoring-a-backup"),
    (SLUGS, "config configuration, guides guide"),
    (PATHS, "guide/backups.md guides/backups.md, backups.md guides/backups.md"),
    (PATHS, "readme.md README.md, acces.md guides/access.md, 取込み.md 取り込み.md"),
    (TREES, "doc docs, Docs docs, note notes, hand-book handbook, apis api"),
]

UNLIKE: list[tuple[Sequence[str], str]] = [
    ([*COMMANDS, *ALIASES], "find query grep delete x foo"),
    (SEARCH_OPTIONS, "--xyz --top-k --format --files --in --as"),
    (list(SETTINGS), "foo x q"),
    (SEARCH_KEYS, "language x top_k"),
    (VARIABLES, "LEAFMARK_SEARCH_FOO LEAFMARK_SEARCH_LANGUAGE"),
    (FORMATS, "xml html text"),
    (SLUGS, "nothing x"),
    (PATHS, "ghost.md docs/nothing.txt 索引.txt"),
    (TREES, "x books"),
    (FORMATS, "-- ... 。"),
]


@pytest.mark.parametrize(
    ("known", "wrong", "meant"),
    [(known, *pair.split()) for known, pairs in MEANT for pair in pairs.split(", ")],
)
def test_what_was_meant_comes_first(known: Sequence[str], wrong: str, meant: str) -> None:
    assert nearest(wrong, known, 3)[0] == meant


@pytest.mark.parametrize(
    ("known", "wrong"), [(known, one) for known, names in UNLIKE for one in names.split()]
)
def test_what_is_like_nothing_names_nothing(known: Sequence[str], wrong: str) -> None:
    assert nearest(wrong, known, 3) == ()


def test_there_are_at_most_as_many_as_asked_and_ties_stay_in_order() -> None:
    known = ["b.limit", "a.limit", "a.limits", "c.limit"]
    assert nearest("limit", known) == ("b.limit",)
    assert nearest("limit", known, 3) == ("b.limit", "a.limit", "c.limit")
    assert nearest("limit", [*known, *known], 9) == ("b.limit", "a.limit", "c.limit", "a.limits")
    assert nearest("limit", []) == nearest("", known) == ()


def test_a_name_of_few_is_met_with_all_of_them() -> None:
    assert (
        choices_hint("lst", FORMATS[:3]) == "did you mean `list`? There are: pretty, list, matches"
    )
    assert choices_hint("xml", FORMATS[:3]) == "there are: pretty, list, matches"


def test_an_endless_name_is_looked_at_only_where_it_begins() -> None:
    assert nearest("limit " + "x" * 1_000_000, ["limit"]) == ("limit",)
    assert nearest("x" * 1_000_000, ["x" * 300]) == ("x" * 300,)
