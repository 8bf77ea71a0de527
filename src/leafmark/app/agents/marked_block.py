"""A marked block in somebody else's file: found, put in, replaced, and nothing else touched.

The file's bytes outside of the block, its byte order mark and its line ends
stay as they are. A marker counts only where it stands alone on its line.
"""

from __future__ import annotations

from itertools import zip_longest

from leafmark.errors import UsageError

__all__ = ["BEGIN", "END", "find_block", "put_block"]

BEGIN = "<!-- leafmark:begin -->"
END = "<!-- leafmark:end -->"

_BOM = b"\xef\xbb\xbf"


def find_block(data: bytes, path: str) -> tuple[int, int] | None:
    """Return the byte range of the block, from its first marker to the end of its last.

    Raises:
        UsageError: the markers do not make one block, or the file is not UTF-8.
    """
    _check_encoding(data, path)
    found: list[tuple[str, int, int, int]] = []
    at = 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        text = line.strip() if number > 1 else line.removeprefix(_BOM).strip()
        for marker in (BEGIN, END):
            if text == marker.encode():
                start = at + line.index(text)
                found.append((marker, start, start + len(text), number))
        at += len(line)
    if not found:
        return None
    if [marker for marker, *_ in found] != [BEGIN, END]:
        raise _broken(found, path)
    return found[0][1], found[1][2]


def _check_encoding(data: bytes, path: str) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            "the file is not UTF-8", location=path, hint="convert it, or name another file"
        ) from error


def _broken(found: list[tuple[str, int, int, int]], path: str) -> UsageError:
    """Name the first marker that is not where it should be; a lone begin is that itself."""
    wrong = next(
        (one for one, wanted in zip_longest(found, (BEGIN, END)) if one and one[0] != wanted),
        found[0],
    )
    marker, *_, line = wrong
    return UsageError(
        f"the marker {marker} is not one of a pair",
        location=f"{path}:{line}",
        hint=f"the file may hold one block, between {BEGIN} and {END}",
    )


def put_block(data: bytes, block: str, path: str) -> bytes:
    """Return the file with the block in it: in its old place, else at the end.

    `block` has its markers, `\\n` as line end and none at its end.

    Raises:
        UsageError: see `find_block`.

    >>> put_block(b"# Mine\\n", f"{BEGIN}\\nours\\n{END}", "AGENTS.md").decode().splitlines()[2:4]
    ['<!-- leafmark:begin -->', 'ours']
    """
    place = find_block(data, path)
    newline = "\r\n" if b"\r\n" in data else "\n"
    ours = block.replace("\n", newline).encode()
    if place is not None:
        return data[: place[0]] + ours + data[place[1] :]
    end = newline.encode()
    before = data
    if before and before != _BOM:
        before += b"" if before.endswith((b"\n", b"\r")) else end
        before += end
    return before + ours + end
