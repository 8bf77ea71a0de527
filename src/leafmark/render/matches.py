"""Results as places in files: `matches` for people, `vimgrep` and `files` for other programs."""

from __future__ import annotations

from leafmark.model import Answer, Result
from leafmark.render.marks import CHANGED, omissions_in, render_omission
from leafmark.render.places import MatchLine, Places, match_lines
from leafmark.render.terminal import Style, clean, clean_line

__all__ = ["excerpt_lines", "render_files", "render_matches", "render_vimgrep"]


def render_matches(answer: Answer, places: Places, style: Style) -> str:
    """Return each result's id and path, and under it the matching lines with their numbers."""
    blocks = [_matches_of(result, places, style) for result in answer.results]
    if answer.omission is not None:
        blocks.append(style.dim(render_omission(answer.omission)) + "\n")
    return "\n".join(blocks)


def _matches_of(result: Result, places: Places, style: Style) -> str:
    entry = result.entry
    path = clean_line(places.shown(entry))
    where = style.link(f"{path}:{entry.line_start}", places.absolute(entry), entry.line_start)
    lines = [f"{style.bold(clean_line(entry.id))} ({result.score:.2f}) {style.dim(where)}"]
    found = _lines_of(result)
    digits = max((len(str(line.number)) for line in found), default=0)
    lines += [
        f"  {style.dim(f'{line.number:>{digits}}:')} {style.highlight(line.text, line.ranges)}"
        for line in found
    ]
    lines += [f"  {style.dim(render_omission(one))}" for one in omissions_in(result.passages)]
    if not found and result.passages is None:
        lines.append(f"  {style.dim(_why_no_lines(result))}")
    return "\n".join(lines) + "\n"


def excerpt_lines(result: Result) -> str:
    """Return the result's own matching lines, as text."""
    return "".join(f"{line.text}\n" for line in match_lines(result))


def _lines_of(result: Result) -> list[MatchLine]:
    """The matching lines of the result and of what was merged into it, each line once."""
    found: dict[int, MatchLine] = {}
    for part in result.with_constituents():
        for line in match_lines(part):
            found.setdefault(line.number, line)
    return [found[number] for number in sorted(found)]


def _why_no_lines(result: Result) -> str:
    if result.stale:
        return CHANGED
    return "(matched by title, path, tags or filter: no line of the text)"


def render_vimgrep(answer: Answer, places: Places) -> str:
    """Return `path:line:column:text` for every match: columns are 1-based and count bytes.

    This is what Vim's `%c`, Emacs' grep mode and `rg --vimgrep` understand. A
    result with no match in its text stands at its first line, with its title, and one
    whose source has changed where it stood, with that in place of a text.
    """
    rows: dict[str, None] = {}
    for result in answer.results:
        path = clean_line(places.shown(result.entry))
        lines = _lines_of(result)
        for line in lines:
            for column in line.columns:
                rows[f"{path}:{line.number}:{column}:{clean(line.text)}\n"] = None
        if not lines and result.passages != ():
            told = CHANGED if result.stale else clean_line(result.entry.title)
            rows[f"{path}:{result.entry.line_start}:1:{told}\n"] = None
    return "".join(rows)


def render_files(answer: Answer, places: Places) -> str:
    """Return the paths of the results, one a line, in rank order, each once."""
    paths = {clean_line(places.shown(result.entry)): None for result in answer.results}
    return "".join(f"{path}\n" for path in paths)
