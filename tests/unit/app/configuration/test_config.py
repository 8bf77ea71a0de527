"""The configuration in force: what is found, what wins, what needs trust, what is wrong."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from leafmark.app.configuration.config import Configuration, open_configuration
from leafmark.app.configuration.config_file import ContextRule, read_config_file
from leafmark.app.configuration.paths import index_folder
from leafmark.app.configuration.trust import digest, permissions_of
from leafmark.app.indexing.refreshing import large_folder_warning
from leafmark.app.settings import EmbeddingSettings, RerankSettings
from leafmark.errors import ConfigError, LeafmarkError, NotFoundError
from leafmark.model import SettingOrigin

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX owners, links and pipes")


class Desk:
    """A home folder, a project in it, and what is written where."""

    def __init__(self, base: Path):
        self.home = Path(os.path.realpath(base / "home"))
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        self.environ = {"HOME": str(self.home), "LEAFMARK_HOME": str(self.home / "own")}
        self.user_file = self.home / "own" / "leafmark.toml"

    def write(self, path: str, text: str) -> Path:
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def open(self, folder: str = "project", **flags: object) -> Configuration:
        (self.home / folder).mkdir(parents=True, exist_ok=True)
        named = {name.replace("__", "."): value for name, value in flags.items()}
        return open_configuration(self.home / folder, flags=named, environ=self.environ)

    def trust(self, path: str, *further: str) -> None:
        """Approve what the file at `path` wishes now."""
        file = read_config_file(self.home / path, own=False)
        others = [read_config_file(self.home / other, own=True) for other in further]
        assert file is not None
        permissions = permissions_of(file, [other for other in others if other], self.home)
        assert permissions
        real = os.path.realpath(self.home / path)
        approved = {"trusted": {real: digest(self.home / path, permissions)}}
        self.write("own/state/trust.json", json.dumps(approved))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def refuse(desk: Desk, folder: str = "project", **flags: object) -> tuple[str, str, str | None]:
    """Open a wrong configuration; return message, location (below the home folder) and hint."""
    with pytest.raises(ConfigError) as caught:
        desk.open(folder, **flags)
    location = (caught.value.location or "").removeprefix(f"{desk.home}/")
    return caught.value.message, location, caught.value.hint


# zero configuration


def test_without_configuration_the_folder_is_the_tree(desk: Desk) -> None:
    found = desk.open("my docs")
    (tree,) = found.trees
    assert (tree.name, tree.root, tree.scope) == ("my-docs", desk.home / "my docs", "local")
    assert found.is_implicit
    assert found.project == desk.home / "my docs"
    assert found.index_dir == index_folder(desk.home / "own/cache/indexes", found.project)
    assert (found.config_files, found.warnings) == ((), ())
    assert found.origin("search.limit") == "default"
    assert found.value("search.limit") == 10


def test_a_parent_is_never_the_tree(desk: Desk) -> None:
    desk.write("project/leafmark.toml", "[search]\nlimit = 5")
    found = desk.open("project/docs")
    assert [tree.root for tree in found.trees] == [desk.project / "docs"]
    assert found.search.limit == 5
    assert found.project == desk.project / "docs"


def test_a_folder_that_is_missing_is_an_error(desk: Desk) -> None:
    with pytest.raises(NotFoundError) as caught:
        open_configuration(desk.home / "gone", flags={}, environ=desk.environ)
    assert caught.value.message == "the folder cannot be entered: no such file or directory"
    assert caught.value.location == str(desk.home / "gone")


def test_a_file_is_no_folder(desk: Desk) -> None:
    desk.write("a.md", "")
    with pytest.raises(NotFoundError) as caught:
        open_configuration(desk.home / "a.md", flags={}, environ=desk.environ)
    assert caught.value.message == "this is not a folder"


# what is found, and what wins


def test_files_are_found_up_to_a_repository(desk: Desk) -> None:
    desk.write("leafmark.toml", "[search]\nlimit = 1")
    assert desk.open("project/docs").search.limit == 1
    (desk.project / ".git").mkdir()
    assert desk.open("project/docs").search.limit == 10
    desk.write("project/leafmark.toml", "[search]\nlimit = 2")
    assert desk.open("project/docs").search.limit == 2


def test_files_are_found_up_to_the_home_folder(desk: Desk) -> None:
    (desk.home.parent / "leafmark.toml").write_text("[search]\nlimit = 3")
    assert desk.open().search.limit == 10
    desk.environ["HOME"] = str(desk.home.parent)
    assert desk.open().search.limit == 3


def test_a_root_file_ends_the_way_up(desk: Desk) -> None:
    desk.write("leafmark.toml", "[search]\nlimit = 1\nfuzzy_distance = 2")
    desk.write("own/leafmark.toml", "[search]\nlocal_boost = 7")
    desk.write("project/leafmark.toml", "root = true\n[search]\nlimit = 2")
    found = desk.open("project/docs").search
    assert (found.limit, found.fuzzy_distance, found.local_boost) == (2, 1, 7.0)


def test_the_nearer_file_wins_setting_by_setting(desk: Desk) -> None:
    desk.write("own/leafmark.toml", "[search]\nlimit = 1\ngrain = 'piece'\ncutoff_ratio = 0.1")
    desk.write("project/pyproject.toml", "[tool.leafmark.search]\nlimit = 2\ngrain = 'section'")
    desk.write("project/leafmark.toml", "[search]\ngrain = 'document'")
    desk.write("project/docs/leafmark.toml", "\n[search]\nlimit = 4")
    found = desk.open("project/docs")
    search = found.search
    assert (search.limit, search.grain, search.cutoff_ratio) == (4, "document", 0.1)
    assert [found.origin(f"search.{name}") for name in ("limit", "grain", "cutoff_ratio")] == [
        f"{desk.project}/docs/leafmark.toml:3",
        f"{desk.project}/leafmark.toml:2",
        f"{desk.user_file}:4",
    ]
    assert found.config_files == (
        desk.project / "docs/leafmark.toml",
        desk.project / "leafmark.toml",
        desk.project / "pyproject.toml",
        desk.user_file,
    )


def test_flags_win_over_variables_and_these_over_files(desk: Desk) -> None:
    desk.write("project/leafmark.toml", "[search]\nlimit = 2\nfuzzy_distance = 0\nlocal_boost = 2")
    desk.environ |= {"LEAFMARK_SEARCH_LIMIT": "3", "LEAFMARK_SEARCH_FUZZY_DISTANCE": "2"}
    found = desk.open(search__limit="5", search__grain=None)
    search = found.search
    assert (search.limit, search.fuzzy_distance, search.local_boost) == (5, 2, 2.0)
    assert found.origin("search.limit") == "flag"
    assert found.origin("search.fuzzy_distance") == "LEAFMARK_SEARCH_FUZZY_DISTANCE"
    assert found.origin("search.grain") == "default"


def test_an_empty_variable_is_not_set(desk: Desk) -> None:
    desk.environ["LEAFMARK_SEARCH_LIMIT"] = ""
    assert desk.open().search.limit == 10


def test_the_users_file_can_be_named(desk: Desk) -> None:
    desk.environ["LEAFMARK_CONFIG"] = str(desk.write("x/mine.toml", "[search]\nlimit = 9"))
    assert desk.open().search.limit == 9
    desk.environ["LEAFMARK_CONFIG"] = str(desk.home / "gone.toml")
    message, location, _ = refuse(desk)
    assert message == "the configuration cannot be read: no such file or directory"
    assert location == "gone.toml"


def test_the_users_file_is_not_a_projects_too(desk: Desk) -> None:
    desk.write("own/leafmark.toml", '[tree.notes]\npath = "~/notes"')
    found = desk.open("own/state")
    assert [(tree.scope, tree.root) for tree in found.trees] == [("global", desk.home / "notes")]
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("text", "folder"), [('dir = "~/x"', "x"), ('dir = "sub/x"', "own/sub/x"), ('dir = "/x"', "/x")]
)
def test_the_index_can_lie_elsewhere(desk: Desk, text: str, folder: str) -> None:
    desk.write("own/leafmark.toml", f"[index]\n{text}")
    found = desk.open()
    assert found.index_dir == index_folder(desk.home / folder, found.project)


def test_the_index_of_a_flag_lies_below_the_folder(desk: Desk) -> None:
    assert desk.open(index__dir="here").index_dir.parent == desk.project / "here"


def test_projects_have_indexes_of_their_own_wherever_these_lie(desk: Desk) -> None:
    """The user's file is read in every project, and another one's index would be emptied."""
    desk.write("own/leafmark.toml", '[index]\ndir = "/x"')
    one, other = desk.open(), desk.open("other")
    assert one.index_dir.parent == other.index_dir.parent == Path("/x")
    assert one.index_dir != other.index_dir


# trees


def test_trees_merge_by_name(desk: Desk) -> None:
    desk.write(
        "own/leafmark.toml",
        '[tree.notes]\npath = "/n"\n[tree.docs]\npath = "/d"\ninclude = ["*.md"]\n'
        'exclude = ["x"]\n[tree.docs.chunking]\nmax_tokens = 700\nmin_tokens = 7',
    )
    desk.write(
        "project/leafmark.toml",
        '[tree.docs]\npath = "docs"\nexclude = ["y"]\nchunking.max_tokens = 800',
    )
    docs, notes = desk.open().trees
    assert (docs.name, docs.root, docs.scope) == ("docs", desk.project / "docs", "local")
    assert (docs.include, docs.exclude) == (("*.md",), ("y",))
    assert docs.overrides == {"chunking.max_tokens": 800, "chunking.min_tokens": 7}
    assert (notes.name, notes.root, notes.scope) == ("notes", Path("/n"), "global")


def test_settings_of_a_tree_win_over_general_ones_but_not_over_flags(desk: Desk) -> None:
    desk.write(
        "project/leafmark.toml",
        '[index]\nmax_file_bytes = 5\n[tree.a]\npath = "a"\n[tree.b]\npath = "b"\n'
        'index.max_file_bytes = 6\nsearch.stemmer = "german"',
    )
    a, b = desk.open().trees
    assert (a.max_file_bytes, b.max_file_bytes) == (5, 6)
    assert (a.overrides, b.overrides["search.stemmer"]) == ({}, "german")
    a, b = desk.open(index__max_file_bytes=7).trees
    assert (a.max_file_bytes, b.max_file_bytes) == (7, 7)
    assert b.overrides == {"search.stemmer": "german"}


def test_the_index_belongs_to_the_folder_of_the_nearest_project_file(desk: Desk) -> None:
    desk.write("own/leafmark.toml", '[tree.notes]\npath = "~/notes"')
    assert desk.open("project/docs").project == desk.home / "own"
    desk.write("project/leafmark.toml", '[tree.docs]\npath = "docs"')
    assert desk.open("project/docs").project == desk.project


def test_the_listing_says_where_everything_comes_from(desk: Desk) -> None:
    desk.write("project/leafmark.toml", '[tree.docs]\npath = "d"\nexclude = ["x"]\n')
    found = desk.open(search__limit=5)
    listed = {each.name: each for each in found.origins()}
    assert listed["search.limit"] == SettingOrigin(
        "search.limit", 5, "flag", "show at most so many results"
    )
    assert listed["search.grain"].origin == "default"
    assert listed["tree.docs.path"] == SettingOrigin(
        "tree.docs.path", str(desk.project / "d"), f"{desk.project}/leafmark.toml:2"
    )
    assert listed["tree.docs.exclude"] == SettingOrigin(
        "tree.docs.exclude", ["x"], f"{desk.project}/leafmark.toml:3"
    )


def test_rules_of_all_files_hold_the_nearest_first(desk: Desk) -> None:
    desk.write("own/leafmark.toml", '[[context.rules]]\nterms = ["b"]')
    desk.write("project/leafmark.toml", '[[context.rules]]\nmatch = ["*.py"]\nfiles = ["a.md"]')
    assert desk.open().rules == (
        ContextRule(match=("*.py",), files=("a.md",)),
        ContextRule(terms=("b",)),
    )


def test_tables_without_settings_are_accepted(desk: Desk) -> None:
    desk.write("project/leafmark.toml", "[embedding]\n[context]\n[tree]\n")
    assert desk.open().is_implicit


# trust


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('provider = "openai"', "provider chooses a program that gets your documents and queries"),
        ('model = "x"', "model chooses a model, which may be fetched and run"),
        (
            'endpoint = "http://evil.example"',
            "endpoint chooses a server that your documents and queries are sent to",
        ),
        (
            'key_variable = "HOME"',
            "key_variable chooses a variable whose value is sent to a server",
        ),
    ],
)
def test_an_embedder_in_a_projects_file_needs_trust(desk: Desk, line: str, why: str) -> None:
    desk.write("project/leafmark.toml", f"[embedding]\n{line}\nquery_prefix = 'q'")
    found = desk.open()
    assert found.embedding == EmbeddingSettings(query_prefix="q")
    assert found.warnings == (
        f"{desk.project}/leafmark.toml:2: embedding.{why}; left out, as it is not trusted",
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            'provider = "fastembed"',
            "provider chooses a program that gets your documents and queries",
        ),
        ('model = "x"', "model chooses a model, which may be fetched and run"),
    ],
)
def test_a_reranker_in_a_projects_file_needs_trust(desk: Desk, line: str, why: str) -> None:
    desk.write("project/leafmark.toml", f"[rerank]\n{line}")
    found = desk.open()
    assert found.rerank == RerankSettings()
    assert found.warnings == (
        f"{desk.project}/leafmark.toml:2: rerank.{why}; left out, as it is not trusted",
    )


def test_a_project_may_do_without_the_users_embedder(desk: Desk) -> None:
    desk.write("own/leafmark.toml", '[embedding]\nprovider = "minilm"')
    desk.write("project/leafmark.toml", '[embedding]\nprovider = "none"')
    found = desk.open()
    assert (found.embedding.provider, found.warnings) == ("none", ())


def test_a_tree_outside_of_a_projects_folder_needs_trust(desk: Desk) -> None:
    desk.write(
        "project/leafmark.toml",
        '[search]\nlimit = 4\n[tree.in]\npath = "docs"\n[tree.out]\npath = "../elsewhere"',
    )
    found = desk.open()
    assert [tree.name for tree in found.trees] == ["in"]
    assert found.search.limit == 4
    assert found.warnings == (
        f"{desk.project}/leafmark.toml:6: tree.out lies outside of the project "
        f"({desk.home}/elsewhere); left out, as it is not trusted",
    )
    desk.trust("project/leafmark.toml")
    found = desk.open()
    assert [tree.name for tree in found.trees] == ["in", "out"]
    assert found.warnings == ()


def test_trust_ends_with_any_change_to_what_was_approved(desk: Desk) -> None:
    desk.write("project/leafmark.toml", '[tree.out]\npath = "../a"')
    desk.trust("project/leafmark.toml")
    desk.write("project/leafmark.toml", '# moved\n[tree.out]\npath = "../a"\n[tree.x]\npath = "x"')
    assert len(desk.open().trees) == 2
    desk.write("project/leafmark.toml", '[tree.out]\npath = "../b"')
    assert desk.open().trees == ()


def test_trees_that_were_left_out_are_no_reason_to_take_the_folder(desk: Desk) -> None:
    desk.write("project/leafmark.toml", '[tree.out]\npath = "/usr"')
    found = desk.open()
    assert (found.trees, found.is_implicit) == ((), False)
    assert found.project == desk.project


@posix
def test_a_link_does_not_lead_out_unnoticed(desk: Desk) -> None:
    (desk.project / "docs").symlink_to(desk.home / "private")
    (desk.home / "private").mkdir()
    desk.write("project/leafmark.toml", '[tree.docs]\npath = "docs"')
    assert desk.open().trees == ()


def test_a_project_cannot_widen_the_users_tree(desk: Desk) -> None:
    desk.write("own/leafmark.toml", '[tree.notes]\npath = "~/notes"\ninclude = ["public/"]')
    desk.write("project/leafmark.toml", '[tree.notes]\ninclude = ["*"]')
    found = desk.open()
    assert [tree.include for tree in found.trees] == [("public/",)]
    assert found.warnings == (
        f"{desk.project}/leafmark.toml:1: tree.notes lies outside of the project "
        f"({desk.home}/notes); left out, as it is not trusted",
    )
    desk.trust("project/leafmark.toml", "own/leafmark.toml")
    assert [tree.include for tree in desk.open().trees] == [("*",)]


@pytest.mark.parametrize("path", ["~", "/", "..", "../.."])
def test_the_home_folder_is_only_for_the_users_own_file(desk: Desk, path: str) -> None:
    desk.write("project/leafmark.toml", f'[tree.all]\npath = "{path}"')
    root = {"~": desk.home, "/": Path("/"), "..": desk.home, "../..": desk.home.parent}[path]
    warning = (
        f"{desk.project}/leafmark.toml:2: tree.all is left out: it is the home folder or "
        f"contains it ({root}), and only your own configuration may name that"
    )
    assert desk.open().warnings == (warning,)
    desk.write("own/leafmark.toml", f'[tree.all]\npath = "{path}"')
    desk.write("project/leafmark.toml", "")
    assert len(desk.open().trees) == 1


GATED = [
    ("[index]\ndir = 'x'", 2, "index.dir chooses where the index lies"),
    ("[index]\nfollow_symlinks = true", 2, "index.follow_symlinks follows links"),
    (
        "[tree.a]\npath = 'a'\nindex.follow_symlinks = true",
        3,
        "tree.a.index.follow_symlinks follows links",
    ),
    (
        "[tree.a]\npath = 'a'\nexclude = ['x', '!.env']",
        3,
        "tree.a.exclude includes files that may hold secrets",
    ),
]


@pytest.mark.parametrize(("text", "line", "what"), GATED)
def test_what_a_project_may_not_wish_is_left_out(
    desk: Desk, text: str, line: int, what: str
) -> None:
    desk.write("project/leafmark.toml", text)
    found = desk.open()
    warning = f"{desk.project}/leafmark.toml:{line}: {what}; left out, as it is not trusted"
    assert found.warnings == (warning,)
    assert found.index.dir is None
    assert not found.index.follow_symlinks
    assert not any(tree.follow_symlinks or tree.allow_secrets for tree in found.trees)
    desk.trust("project/leafmark.toml")
    assert desk.open().warnings == ()


def test_what_is_switched_off_needs_no_trust(desk: Desk) -> None:
    desk.write("project/leafmark.toml", "[index]\nfollow_symlinks = false")
    assert desk.open().warnings == ()


@pytest.mark.parametrize("pattern", ["!*.pem", "!deploy/.env", "!.env*", "!id_rsa", "!*.k[e]y"])
def test_secrets_are_taken_in_only_with_leave(desk: Desk, pattern: str) -> None:
    text = f'[tree.a]\npath = "a"\nexclude = ["{pattern}"]'
    desk.write("project/leafmark.toml", text)
    assert [tree.allow_secrets for tree in desk.open().trees] == [False]
    desk.trust("project/leafmark.toml")
    assert [tree.allow_secrets for tree in desk.open().trees] == [True]
    desk.write("project/leafmark.toml", "")
    desk.write("own/leafmark.toml", text)
    assert [tree.allow_secrets for tree in desk.open().trees] == [True]


@pytest.mark.parametrize("pattern", ["!dist", "!*.json", "!**", "!docs/*", "!.github"])
def test_other_files_are_taken_back_in_without_leave(desk: Desk, pattern: str) -> None:
    desk.write("project/leafmark.toml", f'[tree.a]\npath = "a"\nexclude = ["{pattern}"]')
    found = desk.open()
    assert found.warnings == ()
    assert [tree.exclude for tree in found.trees] == [(pattern,)]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"trusted": []}', '{"trusted": {"a": 1}}', "\0"])
def test_a_damaged_trust_file_approves_nothing(desk: Desk, text: str) -> None:
    desk.write("project/leafmark.toml", '[tree.out]\npath = "../a"')
    path = desk.write("own/state/trust.json", text)
    found = desk.open()
    assert found.trees == ()
    warning = f"{path}: the trust file cannot be read; no configuration is trusted"
    assert found.warnings[0] == warning


@posix
def test_a_file_that_others_can_change_is_not_used(desk: Desk) -> None:
    path = desk.write("project/leafmark.toml", "[search]\nlimit = 1")
    path.chmod(0o666)
    found = desk.open()
    assert found.search.limit == 10
    assert found.warnings == (f"{path}: not used, because every user can write to it",)
    path.chmod(0o644)
    desk.project.chmod(0o777)
    warning = f"{path}: not used, because every user can write to its folder"
    assert desk.open().warnings == (warning,)


@posix
def test_a_file_of_another_user_is_not_used(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.write("project/leafmark.toml", "[search]\nlimit = 1")
    os.chown(path, 0, 0) if os.geteuid() == 0 else None
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    if path.stat().st_uid == 0:
        # what the system's owner wrote is trusted by everybody
        assert desk.open().search.limit == 1
    monkeypatch.undo()
    real = os.stat

    def owned(target: Any, **rest: Any) -> os.stat_result:
        found = real(target, **rest)
        return os.stat_result([*found[:4], 4242, *found[5:10]]) if target == path else found

    monkeypatch.setattr(os, "stat", owned)
    found = desk.open()
    assert found.warnings == (f"{path}: not used, because it belongs to another user",)


# what is wrong


BACKSLASH = "in double quotes `\\\\` is one `\\`: write a path with `/`, or in single quotes"
MANY_DIGITS = (
    "Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits; "
    "use sys.set_int_max_str_digits() to increase the limit"
)

WRONG = [
    ("serach = 1", ":1", "unknown key `serach`", "did you mean `search`?"),
    (
        "[zzz]",
        ":1",
        "unknown key `zzz`",
        "known here: root, tree, chunking, search, index, embedding, rerank, context, lint",
    ),
    ("\n[search]\nlimt = 1", ":3", "unknown key `search.limt`", "did you mean `limit`?"),
    (
        "[tree.a]\npath = 'a'\ninclud = []",
        ":3",
        "unknown key `tree.a.includ`",
        "did you mean `include`?",
    ),
    (
        "[tree.a]\npath = 'a'\nsearch.stemer = 1",
        ":3",
        "unknown key `tree.a.search.stemer`",
        "did you mean `stemmer`?",
    ),
    (
        "[embedding]\nmodle = 'x'",
        ":2",
        "unknown key `embedding.modle`",
        "did you mean `model`?",
    ),
    (
        "[context]\nlimit = 1",
        ":2",
        "unknown key `context.limit`",
        "known here: rules",
    ),
    (
        "[embedding]\ntimeout_s = 9",
        ":2",
        "unknown key `embedding.timeout_s`",
        "set it for one run: the variable LEAFMARK_EMBEDDING_TIMEOUT_S",
    ),
    (
        "[[context.rules]]\n[[context.rules]]\nterm = []",
        ":3",
        "unknown key `context.rules.term`",
        "did you mean `terms`?",
    ),
    ("search = 3", ":1", "search is 3", "search must be a table"),
    ("tree = []", ":1", "tree is []", "tree must be a table"),
    ("root = 1", ":1", "root is 1", "root must be true or false"),
    ("[search]\nlimit = 'x'", ":2", 'search.limit is "x"', None),
    ("[tree.a]\npath = 3", ":2", "tree.a.path is 3", "tree.a.path must be the path of a folder"),
    ("[tree.a]\npath = ''", ":2", "tree.a.path is ''", "tree.a.path must be the path of a folder"),
    ("[tree.a]\ninclude = '*'", ":2", "tree.a.include is '*'", None),
    ("[tree.a]\ninclude = [1]", ":2", "tree.a.include is [1]", None),
    (
        "[tree.a]\nexclude = ['']",
        ":2",
        "tree.a.exclude is ''",
        "tree.a.exclude must be patterns of 1 to 1024 characters",
    ),
    (
        "[tree.a]\ninclude = ['!b']",
        ":2",
        '`include` contains "!b"',
        'leave files out with `exclude`: exclude = ["b"]',
    ),
    ("[tree.a]", ":1", "tree.a has no path", 'add the path of its folder: path = "a"'),
    (
        "[tree.'a b']\npath = 'a'",
        ":1",
        'a tree cannot be called "a b"',
        "the name of a tree has only letters A-Z and a-z, digits, `.`, `_` and `-`",
    ),
    (
        "[tree.a]\npath = 'a'\n[tree.a.search]\nlimit = 1",
        ":4",
        "search.limit cannot be set for one tree",
        "set it for all trees, in [search]",
    ),
    (
        "[tree.a]\npath = 'a'\n[[tree.a.context.rules]]\nterms = ['x']",
        ":1",
        "unknown key `tree.a.context`",
        "known here: path, include, exclude, formats, chunking, search, index, embedding, rerank",
    ),
    (
        "[tree.a]\npath = 'a'\n[tree.b]\npath = 'b'\n[tree.a]\n",
        ":5",
        "[tree.a] is defined a second time",
        "join the two tables",
    ),
    ("[search]\nlimit = = 1", ":2:9", "this is not TOML: invalid value", None),
    (
        '[index]\ndir = "C:\\docs"',
        ":2:12",
        "this is not TOML: unescaped '\\' in a string",
        BACKSLASH,
    ),
    ('[index]\ndir = "C:\\Users"', ":2:12", "this is not TOML: invalid hex value", BACKSLASH),
    ("[search\n", ":1:8", "this is not TOML: expected ']' at the end of a table declaration", None),
    ("a = [1,", ":1", "this is not TOML: invalid value", None),
    (f"a = {'1' * 5000}", "", f"this is not TOML: {MANY_DIGITS}", None),
    ("context.rules = 1", ":1", "context.rules is 1", "context.rules must be a list of tables"),
    ("[context]\nrules = [1]", ":2", "context.rules is 1", "context.rules must be a table"),
]


@pytest.mark.parametrize(("text", "place", "message", "hint"), WRONG)
def test_what_is_wrong_is_named_with_its_line(
    desk: Desk, text: str, place: str, message: str, hint: str | None
) -> None:
    desk.write("project/leafmark.toml", text)
    found = refuse(desk)
    assert found[:2] == (message, f"project/leafmark.toml{place}")
    if hint is not None:
        assert found[2] == hint


def test_the_lines_of_a_pyproject_are_its_own(desk: Desk) -> None:
    desk.write("project/pyproject.toml", "[tool.x]\na = 1\n[tool.leafmark.search]\nlimit = 0")
    assert refuse(desk) == (
        "search.limit is 0",
        "project/pyproject.toml:4",
        "search.limit must be a whole number from 1 to 10000",
    )


@pytest.mark.parametrize("text", ["[tool.x]\na = 1", "= broken", "\xff", "[tool]\nx = 'leafmark'"])
def test_a_pyproject_that_is_not_about_leafmark_is_no_concern(desk: Desk, text: str) -> None:
    (desk.project / "pyproject.toml").write_bytes(text.encode("latin-1"))
    assert desk.open().config_files == ()


@pytest.mark.parametrize("variable", ["LEAFMARK_SEARCH_LIMITS", "LEAFMARK_SERCH_LIMIT"])
def test_a_variable_that_is_no_setting_is_an_error(desk: Desk, variable: str) -> None:
    desk.environ["LEAFMARK_HOUSE"] = "of others"
    desk.environ[variable] = "3"
    assert refuse(desk) == (
        f"{variable} is not a setting",
        variable,
        "did you mean LEAFMARK_SEARCH_LIMIT?",
    )


def test_a_variable_with_a_bad_value_is_an_error(desk: Desk) -> None:
    desk.environ["LEAFMARK_INDEX_FOLLOW_SYMLINKS"] = "perhaps"
    assert refuse(desk) == (
        'index.follow_symlinks is "perhaps"',
        "LEAFMARK_INDEX_FOLLOW_SYMLINKS",
        "index.follow_symlinks must be true or false",
    )


def test_a_flag_with_a_bad_value_is_an_error(desk: Desk) -> None:
    accepted = "search.cutoff_ratio must be a number from 0 to 1"
    assert refuse(desk, search__cutoff_ratio=2) == ("search.cutoff_ratio is 2", "", accepted)
    assert refuse(desk, search__limt=2) == (
        "search.limt is not a setting",
        "",
        "did you mean search.limit?",
    )


def test_a_file_that_is_not_utf_8_is_an_error(desk: Desk) -> None:
    (desk.project / "leafmark.toml").write_bytes(b"# a\n# caf\xe9\n")
    message = "the configuration is not UTF-8 (byte 0xe9)"
    assert refuse(desk) == (message, "project/leafmark.toml:2", None)


def test_a_file_that_is_too_large_is_an_error(desk: Desk) -> None:
    desk.write("project/leafmark.toml", "#" * 262_145)
    assert refuse(desk) == (
        "the configuration is too large",
        "project/leafmark.toml",
        "the limit is 262,144 bytes",
    )


def test_deep_nesting_is_an_error(desk: Desk) -> None:
    desk.write("project/leafmark.toml", "a = " + "[" * 100_000)
    message, location, _ = refuse(desk)
    assert location.startswith("project/leafmark.toml")
    assert message in ("values are nested too deeply", "this is not TOML: invalid value")


@pytest.mark.parametrize("text", ["a" + ".a" * 20_000 + " = 1\n", "[" + "a." * 100_000 + "a]\n"])
@pytest.mark.parametrize("name", ["leafmark.toml", "pyproject.toml"])
def test_dotted_keys_are_bounded_before_they_are_parsed(desk: Desk, text: str, name: str) -> None:
    """The standard parser takes 1.6 GB for the first one."""
    desk.write(f"project/{name}", f"[tool.leafmark]\n{text}")
    assert refuse(desk)[0] == "values are nested too deeply"


def test_many_trees_are_an_error(desk: Desk) -> None:
    tables = (f'[tree.t{number}]\npath = "."\n' for number in range(101))
    desk.write("project/leafmark.toml", "".join(tables))
    message, location, hint = refuse(desk)
    assert (message, hint) == ("there are 101 trees", "the limit for one file is 100")
    assert location == "project/leafmark.toml"


def test_patterns_with_many_wildcards_are_an_error(desk: Desk) -> None:
    patterns = ", ".join(f'"{"*a" * 400}{number}"' for number in range(3))
    desk.write("project/leafmark.toml", f'[tree.a]\npath = "."\nexclude = [{patterns}]\n')
    assert refuse(desk)[2] == "tree.a.exclude must be at most 1,000 wildcards"


@posix
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_an_error(desk: Desk, kind: str) -> None:
    path = desk.project / "leafmark.toml"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    assert refuse(desk)[0] == "the configuration is not a regular file"


@posix
def test_a_broken_link_is_an_error(desk: Desk) -> None:
    (desk.project / "leafmark.toml").symlink_to("nowhere")
    message = "the configuration cannot be read: no such file or directory"
    assert refuse(desk)[:2] == (message, "project/leafmark.toml")


def test_a_file_that_cannot_be_opened_is_an_error(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("project/leafmark.toml", "")

    def refused(*args: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refused)
    message = "the configuration cannot be read: permission denied"
    assert refuse(desk)[:2] == (message, "project/leafmark.toml")


# folders that are too much to be taken without asking


def test_a_configured_folder_is_no_concern(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leafmark.app.indexing.refreshing.MANY_FILES", 0)
    desk.write("project/leafmark.toml", '[tree.a]\npath = "."')
    assert large_folder_warning(desk.open()) is None


def test_a_small_folder_is_no_concern(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leafmark.app.indexing.refreshing.MANY_FILES", 1)
    desk.write("project/a.md", "x")
    assert large_folder_warning(desk.open()) is None


def test_the_home_folder_is_a_concern(desk: Desk) -> None:
    concern = large_folder_warning(desk.open("."))
    assert concern is not None
    message = f"{desk.home} is your home folder"
    assert concern == message
    assert concern.code == "large-folder"


def test_the_root_of_the_file_system_is_a_concern(desk: Desk) -> None:
    top = Path(desk.home.anchor)
    concern = large_folder_warning(open_configuration(top, flags={}, environ=desk.environ))
    assert concern is not None
    message = f"{top} is the root of the file system"
    assert concern == message
    assert concern.code == "large-folder"


def test_many_files_are_a_concern(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leafmark.app.indexing.refreshing.MANY_FILES", 1)
    desk.write("project/a.md", "x")
    desk.write("project/b.md", "x")
    concern = large_folder_warning(desk.open())
    assert concern is not None
    assert concern == f"{desk.project} holds more than 1 files"
    assert concern.code == "many-files"


def test_every_error_is_one_of_ours() -> None:
    assert issubclass(ConfigError, LeafmarkError)


def test_a_tree_without_a_path_has_that_of_its_own_name(desk: Desk) -> None:
    """Not that of another tree that the user names, which lies outside of the project."""
    desk.write(
        "own/leafmark.toml", '[tree.all]\npath = "~/all"\n[tree.mine]\npath = "~/project/mine"\n'
    )
    desk.write("project/leafmark.toml", '[tree.mine]\nexclude = ["old/"]\n')
    found = open_configuration(desk.project, flags={}, environ=desk.environ)
    (mine,) = [tree for tree in found.trees if tree.name == "mine"]
    assert (mine.root, mine.exclude) == (desk.project / "mine", ("old/",))
    assert found.warnings == ()
