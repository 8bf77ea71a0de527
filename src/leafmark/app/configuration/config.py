"""The configuration in force in a folder: files, environment and flags, merged, with origins.

Flags win over `LEAFMARK_…` variables, these over configuration files, these
over the defaults. Of the files the nearest wins: those found by walking up from
the folder (to the home folder, a `.git`, the edge of the file system or one
that says `root = true`), then the user's own. Trees merge by name.

A file found by walking up came with the folder. Its settings that reach beyond that folder are
ignored until it is trusted (`trust`); the others apply.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from leafmark.app.configuration.config_file import (
    LINT_KEYS,
    PYPROJECT_NAME,
    ConfigFile,
    ContextRule,
    LintSettings,
    PlacedValue,
    TreeTable,
    lint_settings,
    read_config_file,
)
from leafmark.app.configuration.paths import (
    CONFIG_NAME,
    Directories,
    find_directories,
    index_folder,
)
from leafmark.app.configuration.trust import (
    admit,
    distrusted_owner,
    read_trust,
    resolve_path,
)
from leafmark.app.settings import (
    CONSTANTS,
    DECLARED,
    SETTINGS,
    TABLES,
    ChunkingSettings,
    EmbeddingSettings,
    IndexSettings,
    RerankSettings,
    SearchSettings,
)
from leafmark.app.sources.folders import Scope, Tree
from leafmark.errors import ConfigError, NotFoundError, reason_of
from leafmark.frozen import Frozen
from leafmark.model import PermissionRequest, SettingOrigin, TrustedFile, tree_name
from leafmark.model.option_types import Value, check_value, parse_value
from leafmark.suggest import nearest

_DEFAULT = "default"


class Configuration(Frozen, kw_only=True):
    """The configuration in force in one folder.

    `project` is the folder that the index belongs to: that of the nearest project file if the
    project names trees, the user's configuration folder if only the user does, else the folder
    itself, which then is the only tree (`is_implicit`). Each of the `warnings` names ignored
    configuration, and the reason; `project_files` came with the folder, nearest first; `gated` are
    those of them with settings that reach beyond the folder.
    """

    directory: Path
    project: Path
    directories: Directories
    chunking: ChunkingSettings
    search: SearchSettings
    index: IndexSettings
    embedding: EmbeddingSettings
    rerank: RerankSettings
    trees: tuple[Tree, ...] = ()
    rules: tuple[ContextRule, ...] = ()
    lint: LintSettings = LintSettings()
    config_files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    project_files: tuple[Path, ...] = ()
    gated: tuple[TrustedFile, ...] = ()
    is_implicit: bool = False
    values: Mapping[str, PlacedValue] = {}
    tree_origins: Mapping[str, str] = {}
    lint_values: Mapping[str, PlacedValue] = {}

    @property
    def index_dir(self) -> Path:
        """The folder of the index, whether it exists or not."""
        chosen = self.index.dir
        indexes = self.directories.cache / "indexes" if chosen is None else Path(chosen)
        return index_folder(indexes, self.project)

    def value(self, name: str) -> Value:
        """Return the value of the setting `name` (`search.limit`).

        Raises:
            KeyError: there is no such setting.
        """
        value: Value = self.values[name].value if name in self.values else DECLARED[name].default
        return value

    def origin(self, name: str) -> str:
        """Return the origin of the value: `default`, a file and line, a variable, or `flag`."""
        return self.values[name].location if name in self.values else _DEFAULT

    def untrusted(self, key: str) -> PermissionRequest | None:
        """Return the pending permission request for `key`, a setting or `tree.NAME`, if any."""
        permissions = (
            permission
            for file in self.gated
            if file.state != "trusted"
            for permission in file.permissions
        )
        return next((permission for permission in permissions if permission.key == key), None)

    def origins(self) -> tuple[SettingOrigin, ...]:
        """Return every setting in force, then those of lint and of each tree."""
        settings = [
            SettingOrigin(name, self.value(name), self.origin(name), setting.option.doc)
            for name, setting in SETTINGS.items()
        ]
        return (*settings, *self._of_lint(), *self._of_trees())

    def _of_lint(self) -> Iterator[SettingOrigin]:
        for name, placed in self.lint_values.items():
            value = list(placed.value) if isinstance(placed.value, tuple) else str(placed.value)
            doc = LINT_KEYS[name.partition(".")[0]]
            yield SettingOrigin(f"lint.{name}", value, placed.location, doc)

    def _of_trees(self) -> Iterator[SettingOrigin]:
        for tree in self.trees:
            values: dict[str, Any] = {"path": str(tree.root)}
            values |= {"include": list(tree.include)} if tree.include else {}
            values |= {"exclude": list(tree.exclude)} if tree.exclude else {}
            for key, value in (values | dict(tree.overrides)).items():
                name = f"tree.{tree.name}.{key}"
                yield SettingOrigin(name, value, self.tree_origins.get(name, _DEFAULT))


def open_configuration(
    directory: Path, *, flags: Mapping[str, object], environ: Mapping[str, str]
) -> Configuration:
    """Return the configuration in force in the folder `directory`.

    `flags` are settings by name; a string is parsed as the setting's type, and None is ignored.

    Raises:
        NotFoundError: there is no such folder.
        ConfigError: a file, variable or flag is wrong.
    """
    folder = _real_folder(directory)
    directories = find_directories(environ)
    home = directories.home
    warnings: list[str] = []
    user = _user_file(directories, environ)
    project_files = list(_project_files(folder, directories, warnings))
    admitted, gated = _admitted(project_files, user, directories, warnings)
    files = [*admitted, *([user] if user else [])]
    fixed = with_preset(_from_environment(environ, folder, home))
    fixed |= with_preset(_from_flags(flags, folder, home))
    values = _from_files(files, home) | fixed
    lint = {name: placed for file in reversed(files) for name, placed in file.lint.items()}
    merge = TreeMerge(files, values, home)
    trees = merge.trees(fixed)
    tables = {table: _settings(table, values) for table in TABLES}
    # if a file names trees, even ignored ones, the folder is not a tree
    is_implicit = not any(file.trees for file in [*project_files, *files])
    return Configuration(
        directory=folder,
        project=_project_folder(folder, trees, project_files, user),
        directories=directories,
        trees=(_implicit_tree(folder, tables["index"]),) if is_implicit else trees,
        rules=tuple(rule for file in files for rule in file.rules),
        lint=lint_settings({name: placed.value for name, placed in lint.items()}),
        lint_values=lint,
        config_files=tuple(file.path for file in files),
        warnings=tuple(warnings),
        project_files=tuple(file.path for file in project_files),
        gated=tuple(file for file in gated if file is not None),
        is_implicit=is_implicit,
        values=values,
        tree_origins=merge.origins,
        **tables,
    )


def _admitted(
    files: Sequence[ConfigFile],
    user: ConfigFile | None,
    directories: Directories,
    warnings: list[str],
) -> tuple[Sequence[ConfigFile], Sequence[TrustedFile | None]]:
    """Return the project's files, nearest first, without untrusted settings, and the gated ones."""
    if not files:
        return (), ()
    trust = read_trust(directories.trust_file)
    if trust.problem:
        warnings.append(trust.problem)
    users = [user] if user else []
    admitted, gated = zip(
        *(
            admit(file, [*files[at + 1 :], *users], directories.home, trust, warnings)
            for at, file in enumerate(files)
        ),
        strict=True,
    )
    return admitted, gated


def _real_folder(directory: Path) -> Path:
    try:
        folder = Path(os.path.realpath(directory, strict=True))
    except (OSError, ValueError) as error:
        raise NotFoundError(
            f"the folder cannot be entered: {reason_of(error)}", location=str(directory)
        ) from error
    if not folder.is_dir():
        raise NotFoundError("this is not a folder", location=str(directory))
    return folder


def _project_files(
    folder: Path, directories: Directories, warnings: list[str]
) -> Iterator[ConfigFile]:
    """Read the files found by walking up, nearest first."""
    device = os.stat(folder).st_dev
    for here in (folder, *folder.parents):
        if os.stat(here).st_dev != device:
            return
        for name in (CONFIG_NAME, PYPROJECT_NAME):
            path = here / name
            if path == directories.config_file or not os.path.lexists(path):
                continue
            file = _project_file(path, warnings)
            if file is not None:
                yield file
                if file.is_root:
                    return
        if here == directories.home or os.path.lexists(here / ".git"):
            return


def _project_file(path: Path, warnings: list[str]) -> ConfigFile | None:
    try:
        distrust = distrusted_owner(path)
    except OSError as error:
        raise ConfigError(
            f"the configuration cannot be read: {reason_of(error)}", location=str(path)
        ) from error
    if distrust is None:
        return read_config_file(path, own=False)
    if path.name == CONFIG_NAME:
        warnings.append(f"{path}: not used, because {distrust}")
    return None


def _user_file(directories: Directories, environ: Mapping[str, str]) -> ConfigFile | None:
    path = directories.config_file
    if environ.get("LEAFMARK_CONFIG") or os.path.lexists(path):
        return read_config_file(path, own=True)
    return None


def _from_files(files: Sequence[ConfigFile], home: Path) -> dict[str, PlacedValue]:
    """Merge the settings of `files`, nearest first."""
    merged: dict[str, PlacedValue] = {}
    for file in reversed(files):
        for name, placed in with_preset(file.values).items():
            merged[name] = _placed(name, placed, file.path.parent, home)
    return merged


def _placed(name: str, placed: PlacedValue, base: Path, home: Path) -> PlacedValue:
    """Make the only setting that is a path absolute."""
    if name != "index.dir":
        return placed
    return PlacedValue(str(resolve_path(placed.value, base, home)), placed.location)


def _from_environment(
    environ: Mapping[str, str], folder: Path, home: Path
) -> dict[str, PlacedValue]:
    known = {
        setting.environment_name: setting for setting in (*SETTINGS.values(), *CONSTANTS.values())
    }
    values = {}
    for variable in sorted(environ):
        prefix, _, name = variable.partition("_")
        table = name.partition("_")[0].lower()
        is_ours = prefix == "LEAFMARK" and (table in TABLES or nearest(table, TABLES))
        if not is_ours or not environ[variable]:
            continue
        if variable not in known:
            near = nearest(variable, known)
            hint = f"did you mean {near[0]}?" if near else None
            raise ConfigError(f"{variable} is not a setting", location=variable, hint=hint)
        setting = known[variable]
        value = parse_value(setting, environ[variable], location=variable)
        values[setting.name] = _placed(setting.name, PlacedValue(value, variable), folder, home)
    return values


def _from_flags(flags: Mapping[str, object], folder: Path, home: Path) -> dict[str, PlacedValue]:
    values = {}
    known = {**SETTINGS, **CONSTANTS}
    for name, flag in flags.items():
        if flag is None:
            continue
        if name not in known:
            near = nearest(name, SETTINGS)
            hint = f"did you mean {near[0]}?" if near else None
            if name in TABLES and isinstance(flag, Mapping):
                hint = "write " + ", ".join(f"{name}.{key}" for key in flag)
            raise ConfigError(f"{name} is not a setting", hint=hint)
        setting = known[name]
        if isinstance(flag, str):
            value = parse_value(setting, flag, location=None)
        else:
            value = check_value(setting, flag)
        values[name] = _placed(name, PlacedValue(value, "flag"), folder, home)
    return values


def _settings(table: str, values: Mapping[str, PlacedValue]) -> Any:
    """Return the settings object of one table."""
    names = (
        name for name in (*SETTINGS, *CONSTANTS) if name.startswith(f"{table}.") and name in values
    )
    return TABLES[table](**{name.partition(".")[2]: values[name].value for name in names})


def _implicit_tree(folder: Path, index: IndexSettings) -> Tree:
    return Tree(
        name=tree_name(folder.name),
        root=folder,
        max_file_bytes=index.max_file_bytes,
        follow_symlinks=index.follow_symlinks,
    )


def _project_folder(
    folder: Path, trees: Iterable[Tree], files: Sequence[ConfigFile], user: ConfigFile | None
) -> Path:
    """Return the folder that the index belongs to; `files` are the project's, nearest first."""
    if files and any(file.trees for file in files):
        return files[0].path.parent
    if user is not None and any(tree.scope == "global" for tree in trees):
        return user.path.parent
    return folder


# `chunking.preset` has the priority of its place: one on the command line wins over sizes in a
# file, and sizes in the same place win over the preset's.


def with_preset(values: Mapping[str, PlacedValue]) -> dict[str, PlacedValue]:
    """Return the settings of one place with those of its preset added."""
    settings = dict(values)
    preset = settings.get("chunking.preset")
    if preset is None:
        return settings
    origin = f"{preset.location} (preset {preset.value})"
    for key, value in _sizes(preset.value).items():
        settings.setdefault(f"chunking.{key}", PlacedValue(value, origin))
    return settings


def _sizes(preset: str) -> Mapping[str, Any]:
    from leafmark.chunking import PRESETS, Yielding  # late: few configurations name one

    keys = sorted({key for sizes in PRESETS.values() for key in sizes})
    sizes = {key: DECLARED[f"chunking.{key}"].default for key in keys}
    sizes |= PRESETS.get(preset, {})
    return {key: Yielding(size) if isinstance(size, int) else size for key, size in sizes.items()}


class TreeMerge:
    """Merges the tables of each tree; of `files`, nearest first, the nearer one wins.

    `general` has the settings for all trees. After `trees`, `origins` has the file and line of each
    key, such as `tree.docs.path`.
    """

    def __init__(self, files: Sequence[ConfigFile], general: Mapping[str, PlacedValue], home: Path):
        self._files = files
        self._general = general
        self._home = home
        self.origins: dict[str, str] = {}

    def trees(self, fixed: Collection[str]) -> tuple[Tree, ...]:
        """Return all trees, in the order in which the files name them.

        `fixed` are the settings that flags and variables set for every tree.
        """
        names = dict.fromkeys(table.name for file in self._files for table in file.trees)
        return tuple(self._tree(name, fixed) for name in names)

    def _tree(self, name: str, fixed: Collection[str]) -> Tree:
        tables = [(f, table) for f in self._files for table in f.trees if table.name == name]
        root, scope = self._root(name, tables)
        excluding = next((f for f, table in tables if table.exclude), None)
        overrides: dict[str, Value] = {}
        for _, table in reversed(tables):
            for setting, placed in with_preset(table.values).items():
                if setting not in fixed:
                    overrides[setting] = placed.value
                    self.origins[f"tree.{name}.{setting}"] = placed.location
        return Tree(
            name=name,
            root=root,
            scope=scope,
            include=self._patterns(name, "include", [table.include for _, table in tables]),
            exclude=self._patterns(name, "exclude", [table.exclude for _, table in tables]),
            max_file_bytes=cast(int, self._value("index.max_file_bytes", overrides)),
            follow_symlinks=cast(bool, self._value("index.follow_symlinks", overrides)),
            allow_secrets=excluding is not None and (excluding.own or excluding.trusted),
            overrides=MappingProxyType(overrides),
            formats=self._formats(name, [table.formats for _, table in reversed(tables)]),
        )

    def _root(
        self, name: str, tables: Sequence[tuple[ConfigFile, TreeTable]]
    ) -> tuple[Path, Scope]:
        for file, table in tables:
            if table.path is not None:
                self.origins[f"tree.{name}.path"] = table.path.location
                root = resolve_path(table.path.value, file.path.parent, self._home)
                return root, "global" if file.own else "local"
        raise ConfigError(
            f"tree.{name} has no path",
            location=tables[0][1].location,
            hint=f'add the path of its folder: path = "{name}"',
        )

    def _patterns(
        self, name: str, key: str, candidates: Iterable[PlacedValue | None]
    ) -> tuple[str, ...]:
        placed = next((candidate for candidate in candidates if candidate is not None), None)
        if placed is None:
            return ()
        self.origins[f"tree.{name}.{key}"] = placed.location
        return cast(tuple[str, ...], placed.value)

    def _formats(
        self, name: str, tables: Iterable[Mapping[str, PlacedValue]]
    ) -> tuple[tuple[str, str], ...]:
        formats: dict[str, str] = {}
        for table in tables:
            for suffix, placed in table.items():
                formats[suffix] = placed.value
                self.origins[f"tree.{name}.formats.{suffix}"] = placed.location
        return tuple(formats.items())

    def _value(self, setting: str, overrides: Mapping[str, Value]) -> Value:
        if setting in overrides:
            return overrides[setting]
        placed = self._general.get(setting)
        value: Value = placed.value if placed is not None else DECLARED[setting].default
        return value
