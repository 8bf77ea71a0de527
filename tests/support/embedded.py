"""An image in base64 as sources embed it, and what is read of it."""

from __future__ import annotations

_KIND = "data:image/png;base64,"
SIGN = f"{_KIND}…"


def make_address(size: int) -> str:
    """Return the address of an image with about `size` bytes of data."""
    return f"{_KIND}{'iVBORw0KGgo+/' * (size // 13)}A=="


ADDRESS = make_address(4000)
