"""The type of the `check_golden` fixture."""

from __future__ import annotations

from collections.abc import Callable

CheckGolden = Callable[[str, str], None]
"""Compares the file of a name with a text."""
