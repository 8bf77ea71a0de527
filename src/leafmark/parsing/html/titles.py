"""What a page is called, without the name of its site or its manual.

That name stands behind the page's own, and a heading of the page proves where the page's own
ends: `Usage — Mako 1.4 documentation` above the heading `Usage`. It stands before it where a
heading outside the text is the site's name, `Slurm Workload Manager - sbatch`, or where all behind
a colon is the first heading: `JSDoc: Class: Lamp` above `Class: Lamp`. The first heading is the
title, too, where it says more than the title does of the same: its number (`4.1 Basic Usage` under
`Basic Usage (GNU Octave)`), or the kind of its subject (`Struct Lamp` under `Lamp in lamps - Rust`,
`Class Lamp<T>` under `Lamp (Light API)`). Behind a bracket or a colon stands the name of a manual
only where the heading has these, or a program made the page; in other titles they may mean
anything.

Where the title and the one heading above all others say the same, but for a number, the name of a
site behind a separator or before a colon, capitals or dashes, that heading is the title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

__all__ = ["own_title"]

_SEPARATOR = re.compile(r" (?:[-\u2010-\u2015|\xb7\u2022\xab\xbb\u2039\u203a/~:<>]|::|--) ")
"""What stands between the title of a page and the name of its site."""

_LONGEST_TITLE = 1024
"""Characters of a title in which the name of a site is looked for."""

_GENERATED = re.compile(
    rb"<meta\s[^<>]*\bname\s*=\s*[\"']?generator\b|<!--[^<>-]{0,200}\bgenerated\b", re.IGNORECASE
)
"""What says in the head of a page that a program made it."""

_NUMBER = re.compile(r"(?:\w++ )?[A-Z0-9]{1,4}+(?:\.[0-9]++|(?!))*+\.? ")
"""The number of a section or an appendix."""

_PART = (
    r"(?:Chapter|Appendix|Part|Section|Annex|Kapitel|Anhang|Teil|Abschnitt|Chapitre|Annexe|Partie"
    r"|Cap\xedtulo|Ap\xe9ndice|Parte|Capitolo|Appendice|Hoofdstuk|Bijlage) "
)
_COUNT = r"(?:[0-9]{1,4}+|[A-Z]|[IVXLC]{1,7}+)"
_NUMBERED = re.compile(
    rf"(?:{_PART}(?P<part>{_COUNT}(?:\.[0-9]{{1,4}}+|(?!))*+)(?:[.:]|(?= ))"
    r"|(?P<deep>[0-9A-Z]{1,4}+(?:\.[0-9]{1,4}+|(?!))++)[.:]?|(?P<flat>[0-9]{1,4}+)[.:])"
    r" (?:[-\u2010-\u2015] )?"
)
"""The number before a title: `Chapter 4: `, `9.17. `, `A.1 `, `3. `."""

_CHAPTER = re.compile(rf"{_PART}{_COUNT}[.: ]")

_MARKS = ":,.;\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\xab\xbb\u2026"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015"

_KIND = re.compile(
    r"(?:(?:Abstract|Alias|Annotation|Class|Constant|Crate|Enum|Enumeration|Exception|Field"
    r"|Function|Interface|Macro|Method|Module|Namespace|Object|Package|Property|Record|Reference"
    r"|Struct|Trait|Type|Union|Variable) |(?!)){1,2}+(?=\S++\Z)"
)
"""What a page of a reference calls its subject: `Class`, `Type Alias`."""


def own_title(
    title: str, opening: Sequence[tuple[int, str]], outer: Set[str], shown: str, head: bytes
) -> str:
    """Return what a page is called whose `title` is given.

    `opening` are the levels and titles of its headings, `outer` those of headings outside its text,
    `shown` what an element shows as its title that is no heading; `head` is what stands before its
    body.
    """
    if shown and len(title) <= _LONGEST_TITLE:
        title = _as_shown(title, shown)
    first = opening[0][1] if opening else ""
    is_generated = _GENERATED.search(head) is not None
    title = without_manual(title, first, is_generated=is_generated)
    title = without_site(title, {text for _, text in opening}, outer, first)
    return as_headed(title, first) if is_above_all(opening) else title


def _as_shown(title: str, shown: str) -> str:
    """The longer of two names of a page, where the site's stands before one with a colon.

    >>> _as_shown("Light: Member List", "Lamp< T > Member List")
    'Lamp< T > Member List'
    >>> _as_shown("Light: lamp.h Source File", "lamp.h"), _as_shown("Lamp", "Note")
    ('lamp.h Source File', 'Lamp')
    """
    rest = title.partition(": ")[2]
    if rest and (shown == rest or shown.endswith(f" {rest}")):
        return shown
    if rest.startswith(f"{shown} ") or rest.endswith((f" {shown}", f"/{shown}", f":{shown}")):
        return rest
    return shown if rest == "Main Page" else title


def without_site(
    title: str, headings: Set[str], outer: Set[str] = frozenset(), first: str = ""
) -> str:
    """Return the longest beginning of a title, up to a separator, that is a heading, or all of it.

    `outer` are headings outside what is read of the page. One of them may be the page's own, or
    the site's above every page: it is the site's where the rest of the title is a heading. The
    title may also end, behind a colon, or begin with what one of these or the `first` heading of
    the text says, or says behind the kind of its subject.

    >>> without_site("Usage - Tips — Mako 1.4 documentation", {"Usage", "Usage - Tips"})
    'Usage - Tips'
    >>> without_site("Usage — Mako", {"Mako", "Introduction"})
    'Usage — Mako'
    >>> without_site("Slurm - sbatch", {"sbatch", "NAME"}, {"Slurm"})
    'sbatch'
    >>> without_site("JSDoc: Class: Lamp", set(), {"Class: Lamp"})
    'Class: Lamp'
    >>> without_site("The guide : Lamp", {"Module Lamp"}, first="Module Lamp")
    'Module Lamp'
    >>> without_site("Lamp | light", {"Class Lamp"}, first="Class Lamp")
    'Class Lamp'
    """
    if title in headings or title in outer or len(title) > _LONGEST_TITLE:
        return title
    ends = [*_SEPARATOR.finditer(title)]
    for found in reversed(ends):
        name, rest = title[: found.start()], title[found.end() :]
        if name in headings:
            return name
        if name in outer:
            return rest if rest in headings else name
    names = sorted({first, *outer})
    named = {_without_kind(name): name for name in names} | {name: name for name in names}
    parts = title.split(": ")
    rests = (": ".join(parts[at:]) for at in range(1, len(parts)))
    beginnings = (title[: found.start()] for found in ends)
    return next((named[part] for part in (*rests, *beginnings) if part in named), title)


def _without_kind(heading: str) -> str:
    """The subject of a heading that says its kind first, without the parameters of its type."""
    named = heading.partition("<")[0]
    kind = _KIND.match(named)
    return named[kind.end() :] if kind else heading


def without_manual(title: str, heading: str, *, is_generated: bool) -> str:
    """Return the first heading of a page where it is the name before the manual's, else the title.

    >>> without_manual("Basic Usage (GNU Octave)", "4.1 Basic Usage", is_generated=False)
    '4.1 Basic Usage'
    >>> without_manual("Usage (draft of May)", "Usage", is_generated=False)
    'Usage (draft of May)'
    >>> without_manual("Lamp.Kind (Light API)", "Enum Class Lamp.Kind<T>", is_generated=False)
    'Enum Class Lamp.Kind<T>'
    >>> without_manual("GwyRuler: Widgets", "GwyRuler", is_generated=True)
    'GwyRuler'
    """
    number = _NUMBER.match(heading)
    plain = heading[number.end() :] if number else heading
    subject = _without_kind(heading)
    marks = [(plain, " (")] if number else []
    if is_generated:
        marks += [(name, mark) for name in (heading, plain) for mark in (" (", ": ")]
    if subject not in (heading, plain):
        marks += [(subject, " ("), (subject, " in ")]
    is_named = any(name and title.startswith(name + mark) for name, mark in marks)
    return heading if is_named else title


def is_above_all(headings: Sequence[tuple[int, str]]) -> bool:
    """Whether the first heading is less deep than all others, or it alone says it is a chapter.

    >>> is_above_all([(1, "Lamps"), (2, "Use"), (2, "Sale")])
    True
    >>> is_above_all([(2, "1. Use"), (2, "2. Sale")]), is_above_all([])
    (False, False)
    >>> is_above_all([(1, "Chapter 4. Lamps"), (1, "4.1. Use"), (1, "4.2. Sale")])
    True
    """
    others = [title for level, title in headings[1:] if level <= headings[0][0]]
    if not headings or not others:
        return bool(headings)
    return bool(_CHAPTER.match(headings[0][1])) and not any(map(_CHAPTER.match, others))


def as_headed(title: str, heading: str) -> str:
    """Return the heading that stands above all others where a title says the same, else the title.

    >>> as_headed("Configuring PuTTY", "Chapter 4: Configuring PuTTY")
    'Chapter 4: Configuring PuTTY'
    >>> as_headed("s6: the s6-svscan program", "The s6-svscan program")
    'The s6-svscan program'
    >>> as_headed("Chapter 4: Lamps", "Chapter 5: Lamps"), as_headed("Lamp", "Lamp 2")
    ('Chapter 4: Lamps', 'Lamp')
    >>> as_headed("Lamp", "Class Lamp<T>")
    'Class Lamp<T>'
    """
    if not heading or len(title) > _LONGEST_TITLE or len(heading) > _LONGEST_TITLE:
        return title
    number, words = _said(heading)
    subject = _said(_without_kind(heading))[1]
    rests = (title[found.end() :] for found in re.finditer(": ", title))
    beginnings = (title[: found.start()] for found in _SEPARATOR.finditer(title))
    whole = _said(title)[0]
    for own, said in map(_said, (title, *rests, *beginnings)):
        is_numbered_so = not number or (own or whole) in ("", number)
        if said and said in (words, subject) and is_numbered_so:
            return heading
    return title


def _said(title: str) -> tuple[str, tuple[str, ...]]:
    """The number of a title, and its words without capitals, dashes and marks around them.

    >>> _said("Appendix B: DLL/TLB \u2014 \u201cSetup\u201d")
    ('B', ('dll/tlb', 'setup'))
    >>> _said("9.17. C++ in 3 steps"), _said("3 steps")
    (('9.17', ('c++', 'in', '3', 'steps')), ('', ('3', 'steps')))
    """
    found = _NUMBERED.match(title)
    number = (found["part"] or found["deep"] or found["flat"]) if found else ""
    parts = (word.strip(_MARKS) for word in title[found.end() if found else 0 :].casefold().split())
    return number, tuple(word for word in parts if word.strip(_DASHES))
