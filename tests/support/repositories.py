"""Git repositories for tests, made with git itself and no settings but their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "file",
}


class GitRepository:
    """A repository with a working tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, data: bytes | None = None, at: str = "") -> str:
        """Run git and return what it says; `at` is the time of a commit, in ISO 8601."""
        dated = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
        environment = {"PATH": os.environ["PATH"], **_ENVIRONMENT, **dated}
        ran = subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, input=data, capture_output=True
        )
        assert ran.returncode == 0, ran.stderr.decode(errors="replace")
        return ran.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files; None removes one."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(
        self,
        files: Mapping[str, str | bytes | None],
        message: str = "More",
        *,
        tag: str = "",
        at: str = "2026-01-01T12:00:00Z",
    ) -> str:
        """Write files and commit all that is there; return the commit."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, at=at)
        if tag:
            self.git("tag", tag)
        return self.git("rev-parse", "HEAD")
