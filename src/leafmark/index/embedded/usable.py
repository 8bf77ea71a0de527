"""May the current generation be written on, or must the next one begin?"""

from __future__ import annotations

from leafmark.errors import DamagedError, NotFoundError, reason_of
from leafmark.index.embedded.check import check_index
from leafmark.index.layout import Current, Layout
from leafmark.index.options import IndexOptions
from leafmark.index.places import OTHER_LEAFMARK, has_other

__all__ = ["usable_current"]


def usable_current(
    layout: Layout, options: IndexOptions, rebuild: bool
) -> tuple[Current | None, str | None]:
    """Return the generation that readers have, and why it cannot be written on.

    No generation is one that cannot be read, or that there is not yet: then the reason is
    that another leafmark has an index, or there is none.
    """
    try:
        current = layout.read_current()
    except (DamagedError, NotFoundError) as err:
        return None, err.message
    if current is None:
        return None, OTHER_LEAFMARK if has_other(layout.root) else None
    if rebuild:
        return current, "a rebuild was asked for"
    if current.fingerprint != options.fingerprint:
        return current, "settings have changed"
    known = current.languages
    if set(options.languages.values()) - set(known.values()):
        return current, "a language was added"
    if any(known.get(tree, name) != name for tree, name in options.languages.items()):
        return current, "the language of a tree has changed"
    return current, _find_damage(layout, current)


def _find_damage(layout: Layout, current: Current) -> str | None:
    """Look at every byte of a generation in which a reader met damage; say what is wrong."""
    suspect = layout.suspect(current.generation)
    if not suspect.exists():
        return None
    found = check_index(layout.root)
    if found:
        return f"the index is damaged: {found[0]}"
    try:
        suspect.unlink(missing_ok=True)  # it was no damage, or it is gone with a merged segment
    except OSError as err:  # a folder, say
        return f"the index is damaged: its mark cannot be removed: {reason_of(err)}"
    return None
