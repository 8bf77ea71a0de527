"""A preset is as strong as the place that names it; sizes said beside it win."""

from __future__ import annotations

import pytest
from support.projects import Here

from leafmark.app import open_project
from leafmark.chunking import PRESETS, ChunkingOptions
from leafmark.errors import ConfigError


def options(here: Here, tree: str = "here", **flags: object) -> ChunkingOptions:
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    said = {f"chunking.{name}": value for name, value in flags.items()}
    project = open_project(here.root, flags=said, environ=environ)
    found = project.tree(tree)
    assert found is not None
    return project.chunking_options(found)


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_preset_sets_its_sizes(here: Here, name: str) -> None:
    assert options(here, preset=name) == ChunkingOptions(**PRESETS[name])


def test_sizes_said_beside_a_preset_win(here: Here) -> None:
    found = options(here, preset="rag", max_tokens=800, strategy="auto")
    assert (found.strategy, found.min_tokens, found.max_tokens) == ("auto", 100, 800)
    here.configure("[chunking]\nmin_tokens = 7\npreset = 'rag'\n")
    found = options(here)
    assert (found.strategy, found.min_tokens, found.max_tokens) == ("section", 7, 1000)


def test_a_preset_wins_over_sizes_from_further_away(here: Here) -> None:
    here.configure("[chunking]\nmin_tokens = 7\n")
    assert options(here, preset="packlet").min_tokens == 64
    here.configure("[chunking]\npreset = 'ra'\n")
    assert options(here, preset="none") == ChunkingOptions()


def test_a_tree_has_its_own(here: Here) -> None:
    here.configure(
        "[chunking]\npreset = 'ra'\n"
        "[tree.a]\npath = 'a'\n"
        "[tree.b]\npath = 'b'\n"
        "[tree.b.chunking]\npreset = 'packlet'\ntarget_tokens = 300\n"
    )
    assert options(here, "a").tokenizer == "characters"
    found = options(here, "b")
    assert (found.tokenizer, found.min_tokens, found.target_tokens) == ("o200k_base", 64, 300)
    assert options(here, "b", target_tokens=250).target_tokens == 250
    assert options(here, "b", preset="rag").min_tokens == 100


def test_origins_name_the_preset(here: Here) -> None:
    here.configure("[chunking]\nmin_tokens = 7\npreset = 'rag'\n")
    configuration = here.project().configuration
    file = here.root.resolve() / "leafmark.toml"
    assert configuration.origin("chunking.min_tokens") == f"{file}:2"
    assert configuration.origin("chunking.max_tokens") == f"{file}:3 (preset rag)"


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("[chunking]\nmax_tokens = 150\n", {}),
        ("[tree.docs]\npath = '.'\n[tree.docs.chunking]\nmax_tokens = 150\n", {}),
        ("[tree.docs]\npath = '.'\n[tree.docs.chunking]\npreset = 'rag'\nmax_tokens = 150\n", {}),
        ("[chunking]\npreset = 'rag'\n", {"max_tokens": 150}),
        ("", {"max_tokens": 150}),
    ],
)
def test_sizes_that_nobody_stated_yield(here: Here, text: str, flags: dict[str, int]) -> None:
    here.configure(text)
    found = options(here, "docs" if "tree" in text else "here", **flags)
    assert (found.min_tokens, found.target_tokens, found.max_tokens) == (75, 150, 150)


def test_an_index_depends_on_which_sizes_are_stated(here: Here) -> None:
    def fingerprint(text: str) -> str:
        here.configure(text)
        return here.project().index_options().fingerprint

    windows = "[chunking]\nfixed_tokens = 60\n"
    assert fingerprint(windows) != fingerprint(f"{windows}fixed_overlap = 50\n")


TREE = "[tree.docs]\npath = '.'\n[tree.docs.chunking]\n"


@pytest.mark.parametrize(
    ("text", "flags", "message", "hint", "line"),
    [
        (
            "[chunking]\nmin_tokens = 5000\nmax_tokens = 300\n",
            {},
            "min_tokens is 5000",
            "min_tokens must be at most max_tokens (300)",
            "2",
        ),
        (
            f"{TREE}preset = 'rag'\ntarget_tokens = 400\nmax_tokens = 50\n",
            {},
            "target_tokens is 400",
            "target_tokens must be at most max_tokens (50)",
            "5",
        ),
        (
            "[chunking]\ntarget_tokens = 300\n",
            {"max_tokens": 200},
            "target_tokens is 300",
            "target_tokens must be at most max_tokens (200)",
            "2",
        ),
        (
            f"{TREE}tokenizer = 'x'\n",
            {},
            "tokenizer is 'x'",
            "tokenizer must be one of o200k_base, cl100k_base, characters",
            "4",
        ),
        (
            f"{TREE}fixed_tokens = 20\n",
            {"fixed_overlap": 30},
            "fixed_overlap is 30",
            "fixed_overlap must be less than fixed_tokens (20)",
            "4",
        ),
        (
            "",
            {"min_tokens": 500, "target_tokens": 300},
            "min_tokens is 500",
            "min_tokens must be at most target_tokens (300)",
            None,
        ),
    ],
)
def test_sizes_that_do_not_fit_together_are_told_where_they_stand(
    here: Here, text: str, flags: dict[str, object], message: str, hint: str, line: str | None
) -> None:
    here.configure(text)
    with pytest.raises(ConfigError) as caught:
        options(here, "docs" if text.startswith(TREE) else "here", **flags)
    where = None if line is None else f"{here.root}/leafmark.toml:{line}"
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.location == where
