"""How a section path, the titles from the document down, is written in one line."""

from collections.abc import Iterable

__all__ = ["BETWEEN_TITLES", "format_breadcrumb"]

BETWEEN_TITLES = " › "


def format_breadcrumb(section_path: Iterable[str]) -> str:
    """Return the breadcrumb of a section path.

    >>> format_breadcrumb(["Guide", "Setup"])
    '> Guide › Setup'
    """
    return "> " + BETWEEN_TITLES.join(section_path)
