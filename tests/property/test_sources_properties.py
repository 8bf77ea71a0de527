"""What holds for every pattern, every path and every configuration file."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.folders import temporary_folder

from leafmark.app.configuration.config import open_configuration
from leafmark.app.configuration.config_file import key_lines
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.ignore import glob_expression, matcher, parse_ignore_file
from leafmark.app.sources.walk import WalkNotes, iter_sources, named_source
from leafmark.errors import ConfigError, LeafmarkError

TOKENS = ["a", "b", "*", "?", "**", "/", "**/", "/**", "[ab]", "[!a]", "[a-b]"]
PATTERNS = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=7).map("".join)
NAMES = ["a", "b", "ab", "ba", "aab", "c"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map("/".join)


def matches_slowly(pattern: str, path: str) -> bool:
    """Match by trying everything: what a pattern means, with no thought for time.

    One thing is git's own: `**` may also stand right behind the plain beginning.
    """
    plain = len(pattern) - len(pattern.lstrip("ab/"))

    def fits(at: int, rest: str) -> bool:
        if at == len(pattern):
            return not rest
        ends = range(len(rest) + 1)
        if pattern[at] == "*":
            end = at + len(pattern[at:]) - len(pattern[at:].lstrip("*"))
            free = at == plain or pattern[at - 1] == "/"
            if end - at > 1 and free and end == len(pattern):
                return True
            if end - at > 1 and free and pattern[end] == "/":
                after = [rest, *(rest[cut:] for cut in ends if rest[:cut].endswith("/"))]
                return any(fits(end + 1, tail) for tail in after)
            return any(fits(end, rest[cut:]) for cut in ends if "/" not in rest[:cut])
        if not rest:
            return False
        if pattern[at] == "?":
            return rest[0] != "/" and fits(at + 1, rest[1:])
        if pattern[at] == "[":
            end = pattern.index("]", at)
            members = {"[ab]": "ab", "[a-b]": "ab", "[!a]": "bc"}[pattern[at : end + 1]]
            return rest[0] in members and fits(end + 1, rest[1:])
        return rest[0] == pattern[at] and fits(at + 1, rest[1:])

    return fits(0, path)


@given(PATTERNS, PATHS)
def test_the_matcher_means_what_trying_everything_means(pattern: str, path: str) -> None:
    expression = glob_expression(pattern)
    assert expression is not None
    assert matcher(expression)(path) == matches_slowly(pattern, path)


LINES = st.one_of(PATTERNS, PATTERNS.map("!{}".format), st.text(max_size=12))


@given(st.lists(LINES, max_size=6), PATHS)
def test_the_fast_test_never_denies_a_rule(lines: list[str], path: str) -> None:
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    rules, _ = parse_ignore_file(data, ".gitignore")
    folder, slash, name = path.rpartition("/")
    if rules.find(path, name, is_folder=False) is not None:
        assert rules.may_match(folder + slash)(name, name.rpartition(".")[2])


@given(st.binary(max_size=200), st.text(max_size=20))
def test_any_bytes_are_an_ignore_file(data: bytes, path: str) -> None:
    rules, _ = parse_ignore_file(data, ".gitignore")
    name = path.rpartition("/")[2]
    rules.find(path, name, is_folder=False)
    rules.find(path, name, is_folder=True)


@given(st.text(max_size=30))
def test_any_path_stays_below_the_root_or_is_refused(path: str) -> None:
    with temporary_folder() as base:
        root = Path(base) / "root"
        root.mkdir()
        (root / "a").write_bytes(b"inside")
        (Path(base) / "a").write_bytes(b"outside")
        tree = Tree(name="t", root=root)
        with suppress(OSError):
            assert read_beneath(tree, path)[0] == b"inside"
        with suppress(LeafmarkError):
            named_source(tree, path, WalkNotes())


STATEMENTS = """\
[tree.a]
[search]
[[context.rules]]
[index]
[
=
= 3
path
limit = 1
path = 'x'
dir = '..'
exclude = ['!.env']
a.b = {c = [1, # 2
terms = ['t',
]
root = true
"a\\u0062" = \"\"\"\\\"\"\"\"
x = '''
k = 1979-05-27"""
TOML = st.lists(st.sampled_from(STATEMENTS.splitlines()), max_size=8).map("\n".join)


@given(st.one_of(TOML.map(str.encode), st.binary(max_size=60)))
def test_any_bytes_are_a_configuration_or_one_error(data: bytes) -> None:
    with temporary_folder() as base:
        real = Path(os.path.realpath(base))
        (real / "leafmark.toml").write_bytes(data)
        environ = {"HOME": str(real), "LEAFMARK_HOME": str(real / "own")}
        place: str | None = str(real / "leafmark.toml")
        trees: tuple[Tree, ...] = ()
        try:
            trees = open_configuration(real, flags={}, environ=environ).trees
        except ConfigError as error:
            place = error.location
        assert place is not None
        assert place.startswith(str(real / "leafmark.toml"))
        assert all(tree.root.is_relative_to(real) for tree in trees)


@given(st.text(max_size=80))
def test_the_lines_of_any_text_lie_in_it(text: str) -> None:
    try:
        lines = key_lines(text)
    except ValueError:
        return  # only what parses is asked for: a key with a bad escape does not
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


# git itself as the judge

ATOMS = [*TOKENS, "\\*", "\\a", "[]a]", "[a", "[[:alpha:]]", "[\\]]", "[a-]", "[b-a]", "[^/]", "\\"]
ATOMS += ["foo", ".md", "*.md", " ", "\\ ", "#", "!", "***", "[[:digit:]b]", "[[:foo:]]", "]", "-"]
FILES = [
    "a",
    "b",
    "ab",
    "ba",
    "foo",
    "foob",
    "a.md",
    "b.md",
    "*",
    "[a",
    "a b",
    "-",
    "!a",
    "#a",
    "\\",
]


def some_pattern(dice: random.Random) -> str:
    pattern = "".join(dice.choice(ATOMS) for _ in range(dice.randint(1, 6)))
    bang = "!" if dice.random() < 0.25 else ""
    return bang + pattern + ("/" if dice.random() < 0.2 else "")


def plant(dice: random.Random, top: Path) -> None:
    """Make some files, and an ignore file in the root and in some of the folders."""
    for _ in range(30):
        target = top.joinpath(*(dice.choice(FILES) for _ in range(dice.randint(1, 4))))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        except OSError:
            continue  # a file stands where a folder would have to be, or the reverse
    folders = [Path(where) for where, _, _ in os.walk(top) if "/.git" not in where]
    for folder in [top, *dice.sample(folders, min(2, len(folders)))]:
        patterns = (some_pattern(dice) for _ in range(dice.randint(1, 4)))
        ending = dice.choice(["\n", "\r\n"])
        (folder / ".gitignore").write_bytes(ending.join(patterns).encode())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
@pytest.mark.parametrize("seed", range(6))
def test_what_is_ignored_is_what_git_ignores(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    # whatever the user's own configuration of git says
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for number in range(25):
        top = tmp_path / str(number)
        subprocess.run(["git", "init", "-q", str(top)], check=True, env=quiet)
        plant(dice, top)
        listed = subprocess.run(
            ["git", "-C", str(top), "ls-files", "-z", "--others", "--exclude-standard"],
            check=True,
            capture_output=True,
            env=quiet,
        ).stdout
        theirs = {name for name in os.fsdecode(listed).split("\0") if name}
        theirs = {name for name in theirs if not name.endswith(".gitignore")}
        ours = {source.path for source in iter_sources(Tree(name="t", root=top))}
        assert ours == theirs, f"seed {seed}, case {number}"
