"""The folders for configuration, cache and state on each platform, and for a project's index.

`LEAFMARK_HOME` puts all under one folder; the XDG variables count on every platform; without them
each platform's own places are used.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from leafmark.errors import ConfigError, ForbiddenError
from leafmark.model import tree_name
from leafmark.namedtuples import NamedTuple

CONFIG_NAME = "leafmark.toml"


class Directories(NamedTuple):
    """The user's folders for leafmark, and the `config_file`; they may not exist.

    `state` has what must survive a cleaning of `cache`: the list of trusted configurations.
    """

    home: Path
    config_file: Path
    cache: Path
    state: Path

    @property
    def trust_file(self) -> Path:
        return self.state / "trust.json"


def find_directories(environ: Mapping[str, str], platform: str = sys.platform) -> Directories:
    """Return the folders, by the environment and the platform.

    Raises:
        ConfigError: the home folder is unknown, or a variable is not an absolute path.
    """
    home = _home_folder(environ, platform)
    if environ.get("LEAFMARK_HOME"):
        base = _absolute("LEAFMARK_HOME", environ["LEAFMARK_HOME"])
        config, cache, state = base, base / "cache", base / "state"
    else:
        native = _native(environ, platform, home)
        config, cache, state = (
            _xdg(environ, variable) or folder for variable, folder in native.items()
        )
    named = environ.get("LEAFMARK_CONFIG")
    file = _absolute("LEAFMARK_CONFIG", named) if named else config / CONFIG_NAME
    return Directories(home=home, config_file=file, cache=cache, state=state)


def _home_folder(environ: Mapping[str, str], platform: str) -> Path:
    """Return the user's home folder, with links resolved.

    Raises:
        ConfigError: it is not known.
    """
    named = environ.get("USERPROFILE" if platform == "win32" else "HOME")
    home = named or os.path.expanduser("~")
    if not os.path.isabs(home):
        raise ConfigError("the home folder is not known", hint="set HOME, or LEAFMARK_HOME")
    return Path(os.path.realpath(home))


def _native(environ: Mapping[str, str], platform: str, home: Path) -> dict[str, Path]:
    """Return the platform's own folders for configuration, cache and state, by XDG variable."""
    if platform == "win32":
        roaming = Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / "leafmark"
        local = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "leafmark"
        places = (roaming, local / "cache", local / "state")
    elif platform == "darwin":
        support = home / "Library" / "Application Support" / "leafmark"
        places = (support, home / "Library" / "Caches" / "leafmark", support / "state")
    else:
        places = (
            home / ".config" / "leafmark",
            home / ".cache" / "leafmark",
            home / ".local" / "state" / "leafmark",
        )
    return dict(zip(("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), places, strict=True))


def _xdg(environ: Mapping[str, str], variable: str) -> Path | None:
    """Return leafmark's folder below an XDG variable; relative values do not count, as XDG says."""
    value = environ.get(variable, "")
    return Path(value) / "leafmark" if os.path.isabs(value) else None


def _absolute(variable: str, value: str) -> Path:
    path = Path(os.path.expanduser(value))
    if not path.is_absolute():
        raise ConfigError(
            f'{variable} is "{value}"',
            location=variable,
            hint=f"{variable} must be an absolute path",
        )
    return path


def check_own(*folders: Path) -> None:
    """Refuse folders of the cache that belong to another user, or are links.

    Another user could otherwise choose what searches answer, and where leafmark writes. Folders
    that others can read, as the first versions made them, become private.

    Raises:
        ForbiddenError: one of them belongs to another user, or is not a folder.
    """
    for folder in folders:
        try:
            info = os.lstat(folder)
        except (OSError, ValueError):
            continue  # it does not exist yet, or opening it will raise the reason
        is_other = hasattr(os, "geteuid") and info.st_uid != os.geteuid()
        if is_other or not stat.S_ISDIR(info.st_mode):
            what = "belongs to another user" if is_other else "is a link, or not a folder"
            raise ForbiddenError(
                f"a folder of the cache {what}",
                location=str(folder),
                hint="remove it, or choose another place with `index.dir`",
            )
        if info.st_mode & _OTHERS and os.name != "nt":
            with suppress(OSError):
                os.chmod(folder, stat.S_IMODE(info.st_mode) & ~_OTHERS)


_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def index_folder(indexes: Path, project: Path) -> Path:
    """Return the folder of the index of `project` below `indexes`, named after its real path.

    So a clone or copy of a project never uses the index of the original.
    """
    real = os.path.normcase(os.path.realpath(project))
    key = hashlib.sha256(os.fsencode(real)).hexdigest()[:16]
    return indexes / f"{tree_name(project.name)}-{key}"
