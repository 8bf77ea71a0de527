"""Where things are kept, per platform and by variable."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from support.projects import Here

from leafmark.app import open_project
from leafmark.app.configuration.paths import find_directories, index_folder
from leafmark.errors import ConfigError, ForbiddenError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the paths are POSIX paths")


@pytest.mark.parametrize(
    ("platform", "environ", "config", "cache", "trust"),
    [
        (
            "linux",
            {"HOME": "/h"},
            "/h/.config/leafmark/leafmark.toml",
            "/h/.cache/leafmark",
            "/h/.local/state/leafmark/trust.json",
        ),
        (
            "linux",
            {"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/k", "XDG_STATE_HOME": "/s"},
            "/c/leafmark/leafmark.toml",
            "/k/leafmark",
            "/s/leafmark/trust.json",
        ),
        (
            "linux",
            {"HOME": "/h", "XDG_CACHE_HOME": "relative", "XDG_STATE_HOME": ""},
            "/h/.config/leafmark/leafmark.toml",
            "/h/.cache/leafmark",
            "/h/.local/state/leafmark/trust.json",
        ),
        (
            "darwin",
            {"HOME": "/h"},
            "/h/Library/Application Support/leafmark/leafmark.toml",
            "/h/Library/Caches/leafmark",
            "/h/Library/Application Support/leafmark/state/trust.json",
        ),
        (
            "win32",
            {"USERPROFILE": "/u", "APPDATA": "/u/roaming", "LOCALAPPDATA": "/u/local"},
            "/u/roaming/leafmark/leafmark.toml",
            "/u/local/leafmark/cache",
            "/u/local/leafmark/state/trust.json",
        ),
        (
            "linux",
            {"HOME": "/h", "LEAFMARK_HOME": "/l", "XDG_CACHE_HOME": "/k"},
            "/l/leafmark.toml",
            "/l/cache",
            "/l/state/trust.json",
        ),
        (
            "linux",
            {"HOME": "/h", "LEAFMARK_CONFIG": "/x/own.toml"},
            "/x/own.toml",
            "/h/.cache/leafmark",
            "/h/.local/state/leafmark/trust.json",
        ),
    ],
)
def test_each_platform_has_its_places(
    platform: str, environ: dict[str, str], config: str, cache: str, trust: str
) -> None:
    found = find_directories(environ, platform)
    assert (found.config_file, found.cache, found.trust_file) == (
        Path(config),
        Path(cache),
        Path(trust),
    )


@pytest.mark.parametrize("variable", ["LEAFMARK_HOME", "LEAFMARK_CONFIG"])
def test_a_variable_that_is_no_whole_path_is_an_error(variable: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_directories({"HOME": "/h", variable: "some/where"})
    assert caught.value.message == f'{variable} is "some/where"'
    assert caught.value.location == variable
    assert caught.value.hint == f"{variable} must be an absolute path"


def test_a_home_that_is_not_known_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(ConfigError) as caught:
        find_directories({})
    assert caught.value.message == "the home folder is not known"
    assert caught.value.hint == "set HOME, or LEAFMARK_HOME"


def test_an_index_belongs_to_the_real_path(tmp_path: Path) -> None:
    real, other = tmp_path / "my docs", tmp_path / "sub" / "my docs"
    real.mkdir()
    other.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(real)
    folder = index_folder(Path("/k"), real)
    assert folder.parent == Path("/k")
    assert folder.name.startswith("my-docs-")
    assert index_folder(Path("/k"), link).name[-16:] == folder.name[-16:]
    assert index_folder(Path("/k"), other) != folder


def test_a_link_in_the_place_of_an_index_is_refused(here: Here) -> None:
    place = here.project().shared_dir
    (here.home / "elsewhere").mkdir()
    place.parent.mkdir(parents=True)
    place.symlink_to(here.home / "elsewhere")
    with pytest.raises(ForbiddenError) as caught:
        here.project()
    assert caught.value.message == "a folder of the cache is a link, or not a folder"
    assert caught.value.location == str(place)


def test_a_folder_of_somebody_else_is_refused(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write("a.md", "# A\n")
    here.index()
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    with pytest.raises(ForbiddenError, match="belongs to another user"):
        here.project()
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    chosen = open_project(here.root, flags={"index.dir": str(here.root / "own")}, environ=environ)
    assert chosen.index_dir.is_relative_to(here.root)


def test_what_is_made_in_the_cache_is_for_the_user_alone(here: Here) -> None:
    here.write("a.md", "# A\n")
    here.index()
    folders = [path for path in here.home.rglob("*") if path.is_dir()]
    assert len(folders) >= 6
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_folders_of_the_cache_that_others_can_look_into_are_closed(here: Here) -> None:
    here.write("a.md", "# A\n")
    here.index()
    place = here.project().shared_dir
    folders = [place, place.parent, here.project().configuration.directories.cache]
    for folder in folders:
        folder.chmod(0o755)
    here.project()
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * 3
