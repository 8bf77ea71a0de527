"""What a name alone says: secrets, lock files, minified files, and what is never left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from leafmark.app.sources.file_names import (
    default_refusal,
    folder_refusal,
    is_secret,
    nearest_paths,
    suffix_of,
)

SECRET = [
    ".env",
    ".env.local",
    ".ENV",
    "server.pem",
    "server.KEY",
    "id_rsa",
    "id_rsa.pub",
    "id_ed25519.old",
    "credentials",
    "credentials.json",
    ".netrc",
    ".git-credentials",
    "prod.tfstate",
    "prod.tfstate.backup",
    ".ssh",
    ".bash_history",
    "vault.kdbx",
]
OPEN = [
    "credentials.md",
    "credentials.html",
    "id_rsa.md",
    ".env.md",
    "my-credentials.json",
    "credentials.txt",
    "keys.md",
    "environment",
    "keyboard.txt",
    "pem.md",
]


@pytest.mark.parametrize("name", SECRET)
def test_secrets_are_known_by_name(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize("name", OPEN)
def test_other_names_are_no_secrets(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("yarn.lock", "lock file"),
        ("Cargo.lock", "lock file"),
        ("package-lock.json", "lock file"),
        ("go.sum", "lock file"),
        ("jquery.min.js", "minified"),
        ("searchindex.js", "search index"),
        ("searchindex-07d4aa2a.js", "search index"),
        ("search-index1.63.0.js", "search index"),
        ("searchindex.ts", None),
        ("research-index.js", None),
        ("notes.min.md", None),
        ("page.min.html", None),
        ("locksmith.md", None),
        ("minute.txt", None),
        ("lock", None),
    ],
)
def test_generated_files_are_left_out(name: str, reason: str | None) -> None:
    assert default_refusal(name, suffix_of(name)) == reason


@pytest.mark.parametrize("name", ["node_modules", "dist", "__pycache__"])
def test_generated_folders_are_left_out(name: str) -> None:
    assert folder_refusal(name) == f"folder {name}"


@pytest.mark.parametrize("name", ["build", "target", "vendor", "bin", "out", "venv", "Dist"])
def test_a_folder_is_not_left_out_for_another_name(name: str) -> None:
    assert folder_refusal(name) is None


def test_a_path_at_which_there_is_nothing_has_neighbours(tmp_path: Path) -> None:
    for name in ("guides", "README.md", "notes.txt"):
        (tmp_path / name).mkdir()
    assert nearest_paths(tmp_path / "guids", "guids") == ("guides",)
    assert nearest_paths(tmp_path / "READNE.md", "docs/READNE.md") == ("docs/README.md",)
    assert nearest_paths(tmp_path / "zzz", "zzz") == ()
    assert nearest_paths(tmp_path / "none" / "guids", "none/guids") == ()
