"""The trees that configuration files name, merged by name: what a nearer file says wins.

In: the files, nearest first, and the settings that hold for all trees. Out: each
`Tree`, and where each of its keys comes from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import cast

from leafmark.app.configuration.config_file import ConfigFile, PlacedValue, TreeTable
from leafmark.app.configuration.gate import resolve_path
from leafmark.app.configuration.presets import with_preset
from leafmark.app.settings import DECLARED
from leafmark.app.sources.trees import Scope, Tree
from leafmark.errors import ConfigError
from leafmark.model.options import Value

__all__ = ["TreeMerge"]


class TreeMerge:
    """Brings together what the files say about each tree.

    `origins` tell, once the trees are made, which file and line `tree.docs.path` comes from.
    """

    def __init__(self, files: Sequence[ConfigFile], general: Mapping[str, PlacedValue], home: Path):
        self._files = files
        self._general = general
        self._home = home
        self.origins: dict[str, str] = {}

    def trees(self, fixed: Collection[str]) -> tuple[Tree, ...]:
        """Make all trees, in the order in which the files name them.

        `fixed` are the settings that flags and variables decide for every tree.
        """
        names = dict.fromkeys(table.name for file in self._files for table in file.trees)
        return tuple(self._tree(name, fixed) for name in names)

    def _tree(self, name: str, fixed: Collection[str]) -> Tree:
        said = [(f, table) for f in self._files for table in f.trees if table.name == name]
        root, scope = self._root(name, said)
        excluding = next((f for f, table in said if table.exclude), None)
        overrides: dict[str, Value] = {}
        for _, table in reversed(said):
            for setting, found in with_preset(table.values).items():
                if setting not in fixed:
                    overrides[setting] = found.value
                    self.origins[f"tree.{name}.{setting}"] = found.location
        return Tree(
            name=name,
            root=root,
            scope=scope,
            include=self._patterns(name, "include", [table.include for _, table in said]),
            exclude=self._patterns(name, "exclude", [table.exclude for _, table in said]),
            max_file_bytes=cast(int, self._value("index.max_file_bytes", overrides)),
            follow_symlinks=cast(bool, self._value("index.follow_symlinks", overrides)),
            allow_secrets=excluding is not None and (excluding.own or excluding.trusted),
            overrides=MappingProxyType(overrides),
            formats=self._formats(name, [table.formats for _, table in reversed(said)]),
        )

    def _root(self, name: str, said: Sequence[tuple[ConfigFile, TreeTable]]) -> tuple[Path, Scope]:
        for file, table in said:
            if table.path is not None:
                self.origins[f"tree.{name}.path"] = table.path.location
                root = resolve_path(table.path.value, file.path.parent, self._home)
                return root, "global" if file.own else "local"
        raise ConfigError(
            f"tree.{name} has no path",
            location=said[0][1].location,
            hint=f'say where it lies: path = "{name}"',
        )

    def _patterns(self, name: str, key: str, said: Iterable[PlacedValue | None]) -> tuple[str, ...]:
        found = next((each for each in said if each is not None), None)
        if found is None:
            return ()
        self.origins[f"tree.{name}.{key}"] = found.location
        return cast(tuple[str, ...], found.value)

    def _formats(
        self, name: str, said: Iterable[Mapping[str, PlacedValue]]
    ) -> tuple[tuple[str, str], ...]:
        formats: dict[str, str] = {}
        for table in said:
            for suffix, found in table.items():
                formats[suffix] = found.value
                self.origins[f"tree.{name}.formats.{suffix}"] = found.location
        return tuple(formats.items())

    def _value(self, setting: str, overrides: Mapping[str, Value]) -> Value:
        if setting in overrides:
            return overrides[setting]
        found = self._general.get(setting)
        value: Value = found.value if found is not None else DECLARED[setting].default
        return value
