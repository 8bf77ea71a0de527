"""Front matter: the metadata block that a Markdown source may begin with.

YAML between lines of `---`, TOML between lines of `+++`. It is data, so it is
read with limits on size, depth, digits, and the expansion of YAML's aliases. A malformed
block gives a diagnostic, and the keys that can be read alone count. A rule and prose up to
another rule, or a list, is not front matter.

The values are plain data, which other data files use, too. Scalars keep their
source text, since `1.10` as a version is not the number 1.1. Booleans, numbers and null
are those of YAML 1.2's core schema (so that `no` is a word); dates become ISO 8601 strings.
"""

from __future__ import annotations

import datetime
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from leafmark.environment import memo
from leafmark.model import Diagnostic, Span
from leafmark.parsing.titles import fold

MAX_INTEGER = 2**63
"""Integers of this size or more stay text: no index and few JSON readers can hold them."""

_INTEGER = re.compile(r"[-+]?[0-9]{1,19}|0o[0-7]{1,21}|0x[0-9a-fA-F]{1,16}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_DATE = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:(?:[Tt]|[ \t]+)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
    r"(?:\.(?P<fraction>[0-9]{1,9}))?"
    r"[ \t]*(?P<zone>Z|z|(?P<sign>[-+])(?P<zone_hour>[0-9]{1,2})"
    r"(?::?(?P<zone_minute>[0-9]{2}))?)?)?"
)
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class Scalar(NamedTuple):
    """A value that is neither list nor mapping: the JSON value, and its source text."""

    value: str | int | float | bool | None
    text: str


_new = tuple.__new__  # half the cost of calling the class

Tree = dict[str, Any]  # of Scalar, list and dict


def scalar_of(text: str) -> Scalar:
    """Return the value of a plain scalar."""
    if text in _WORDS:
        return Scalar(_WORDS[text], text)
    if text[0].isalpha():
        return _new(Scalar, (text, text))
    for pattern, convert in _CONVERSIONS:
        match = pattern.fullmatch(text)
        value = convert(match) if match else None
        if value is not None:
            return Scalar(value, text)
    return Scalar(text, text)


def _integer(match: re.Match[str]) -> int | None:
    text = match[0]
    number = int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return number if abs(number) < MAX_INTEGER else None


def _float(match: re.Match[str]) -> float | None:
    number = float(match[0])
    return number if math.isfinite(number) else None


def _date(match: re.Match[str]) -> str | None:
    """Return the date, or date and time, as ISO 8601; None if there is no such day."""
    part = match.groupdict()
    try:
        day = datetime.date(int(part["year"]), int(part["month"]), int(part["day"]))
        if part["hour"] is None:
            return day.isoformat()
        time = datetime.time(int(part["hour"]), int(part["minute"]), int(part["second"]))
    except ValueError:
        return None
    fraction = f".{part['fraction']}" if part["fraction"] else ""
    return f"{day.isoformat()}T{time.isoformat()}{fraction}{_zone(part)}"


def _zone(part: dict[str, str]) -> str:
    if not part["zone"]:
        return ""
    if part["zone"] in "Zz":
        return "Z"
    return f"{part['sign']}{int(part['zone_hour']):02}:{part['zone_minute'] or '00'}"


_CONVERSIONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]], ...] = (
    (_INTEGER, _integer),
    (_FLOAT, _float),
    (_DATE, _date),
)


MAX_REPEATED = 10_000
"""Values that all aliases of a block may stand for: a few bytes could stand for gigabytes."""

MAX_DEPTH = 20
"""The deepest nesting of lists and keys; real front matter is two or three deep."""


_DOTTED = re.compile(r"(?<![\w\"'.-])(?:[\w\"'-]+[ \t]*\.[ \t]*){20}")
"""A dotted key of more parts than there may be levels."""


class BadMetadataError(Exception):
    """The reason why a metadata block cannot be read, and its line (from 0) if known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


Repeats = list[tuple[str, int]]  # key and line, from 0


def to_json(tree: Any) -> Any:
    """Return the values of a tree of scalars, which is a mapping or a list."""
    if isinstance(tree, dict):
        return {
            name: part.value if part.__class__ is Scalar else to_json(part)  # most are
            for name, part in tree.items()
        }
    return [part.value if part.__class__ is Scalar else to_json(part) for part in tree]


# -- YAML --------------------------------------------------------------------------


def read_yaml(text: str) -> tuple[Tree, Repeats]:
    """Return the mapping in `text`, and the keys that occur twice in a mapping.

    Raises:
        BadMetadataError: it is not YAML, no mapping, too deep, or its aliases are too much.
    """
    simple = read_simple_yaml(text)
    if simple is not None:
        return simple, []
    import yaml  # late: half of all documents have no front matter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = error.problem or error.context or "not valid YAML"
        raise BadMetadataError(f"not valid YAML: {reason}", mark.line if mark else None) from error
    except yaml.YAMLError as error:
        raise BadMetadataError("not valid YAML: it has a character that YAML forbids") from error
    if builder.root is None:
        return {}, []
    if not isinstance(builder.root, dict):
        raise BadMetadataError("it has no keys")
    return builder.root, builder.repeats


class _Builder:
    """Makes a tree of the parser's events, without recursion."""

    def __init__(self) -> None:
        self.root: Any = None
        self.repeats: Repeats = []
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []  # of each open collection, the key that waits for a value
        self._anchored: dict[str, Any] = {}
        self._room = MAX_REPEATED

    def take(self, event: Any) -> None:
        name = type(event).__name__
        if name == "ScalarEvent":
            self._put_scalar(event)
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._put({} if name == "MappingStartEvent" else [], event)
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._open.pop()
            self._keys.pop()
        elif name == "AliasEvent":
            self._put_again(event)

    def _put_again(self, event: Any) -> None:
        """Put the value that an alias stands for: the same object, which is never changed."""
        line = event.start_mark.line
        value = self._anchored.get(event.anchor)
        if value is None or any(container is value for container in self._open):
            raise BadMetadataError(f"the alias *{event.anchor} stands for nothing whole", line)
        size, depth = _measure(value, self._room)
        self._room -= size
        if self._room < 0:
            raise BadMetadataError(f"its aliases stand for more than {MAX_REPEATED:,} values", line)
        if len(self._open) + depth > MAX_DEPTH:
            raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep", line)
        self._place(value, line)

    def _put_scalar(self, event: Any) -> None:
        if self._open and isinstance(self._open[-1], dict) and self._keys[-1] is None:
            if event.anchor is not None:
                self._anchored[event.anchor] = Scalar(event.value, event.value)
            self._keys[-1] = event.value
            if event.value in self._open[-1]:
                self.repeats.append((event.value, event.start_mark.line))
            return
        plain = event.implicit[0]
        self._put(scalar_of(event.value) if plain else Scalar(event.value, event.value), event)

    def _put(self, value: Any, event: Any) -> None:
        line = event.start_mark.line
        if event.anchor is not None:
            self._anchored[event.anchor] = value
        self._place(value, line)
        if not isinstance(value, Scalar):
            if len(self._open) == MAX_DEPTH:
                raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep", line)
            self._open.append(value)
            self._keys.append(None)

    def _place(self, value: Any, line: int) -> None:
        """Put a value at the next place of the open collection."""
        if not self._open:
            if self.root is None and not (isinstance(value, Scalar) and value.value is None):
                self.root = value
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        else:
            key = self._keys[-1]
            if key is None:
                raise BadMetadataError("a key is a list or a mapping", line)
            self._open[-1][key] = value
            self._keys[-1] = None


def _measure(value: Any, most: int) -> tuple[int, int]:
    """Return how many values a tree holds, itself included, up to one more than `most`, and levels.

    Values behind aliases count each time.
    """
    size, deepest = 0, 0
    waiting = [(value, 1)]
    while waiting and size <= most:
        part, depth = waiting.pop()
        size += 1
        if not isinstance(part, Scalar):
            deepest = max(deepest, depth)
            parts = part.values() if isinstance(part, dict) else part
            waiting += [(part, depth + 1) for part in parts]
    return size, deepest


# -- simple YAML -------------------------------------------------------------------

_KEY_OF_METADATA = re.compile(r"(?!-)[A-Za-z0-9_.-]{1,100}(?: [A-Za-z0-9_.]{1,50}){0,9}")
_MAX_KEY = 100
"""Characters of a key; YAML itself has a limit at 1024."""

_SHORT = 30
"""The longest line, in characters, that is remembered: longer ones hardly ever repeat."""

_MOST = 4096
"""Lines, and keys, that are remembered."""

_FIRST_SIGNS = "/.(_<"
"""Signs that a plain scalar may begin with here, beside letters and digits; YAML has more."""

_FLOW_SYNTAX = re.compile(r"""[\[\]{}:?#&*!|>'"%@`]""")
_NOTHING = Scalar(None, "")
_HARD = ("", None, None)


def read_simple_yaml(text: str) -> Tree | None:
    """Return the mapping in `text`, or None if only a real parser can read it.

    Nearly all front matter has keys at the margin, each with one word, one quoted string, or a
    list of such, on one line or one item a line. The parser would read that in exactly the
    same way; this is some twenty times as fast, and else a third of the time of parsing.
    """
    tree: Tree = {}
    items: list[Scalar] | None = None  # of the last key, while it may be a list
    key, indent = "", ""
    for line in text.replace("\r\n", "\n").split("\n"):
        name, before, value = _short_line(line) if len(line) <= _SHORT else _line(line)
        if value is None:
            return None
        if name:
            if name in tree:
                return None
            key, tree[name] = name, value
            items = [] if value is _NOTHING else None
        elif before is not None:
            if items is None or (items and before != indent):
                return None
            items.append(value)
            tree[key], indent = items, before
    return tree


_Line = tuple[str, str | None, Any]
"""A key, or the indentation of an item, and the value; neither for blank lines and comments.

The value is None if only a real parser can read it.
"""


def _line(line: str) -> _Line:
    """Return the key and the value of a line."""
    if not line.isprintable() and not line.replace("\xa0", " ").isprintable():
        return _HARD  # tabs, control characters, line ends of YAML 1.1
    name, colon, rest = line.partition(": ")
    if not colon and line[-1:] == ":":
        name, colon = line[:-1], ":"
    if colon and _is_key(name):
        return name, None, _value(rest.strip(" "))
    text = line.lstrip(" ")
    if not text or text[0] == "#":
        return "", None, _NOTHING
    if text[:2] != "- ":
        return _HARD
    item = _value(text[2:].strip(" "))
    is_item = item.__class__ is Scalar and item is not _NOTHING
    return "", line[: -len(text)], item if is_item else None


_short_line = memo(_MOST)(_line)  # the same lines stand in file after file


@memo(_MOST)  # the same keys, too
def _is_key(name: str) -> bool:
    return len(name) <= _MAX_KEY and (
        name.isidentifier() or _KEY_OF_METADATA.fullmatch(name) is not None
    )


def _value(text: str) -> Scalar | list[Scalar] | None:
    """Return the value behind a key or dash, None if it is not simple."""
    if not text:
        return _NOTHING
    plain = _plain(text)
    if plain is not None:
        return plain
    first, last, inside = text[0], text[-1], text[1:-1]
    if first == "[" and last == "]":
        return _quoted_list(inside) if '"' in inside else _plain_list(inside)
    is_quoted = first == last and first in "\"'" and len(text) > 1
    if is_quoted and first not in inside and "\\" not in inside:
        return _new(Scalar, (inside, inside))
    return None


def _quoted_list(text: str) -> list[Scalar] | None:
    parts = text.split('"')
    if len(parts) % 2 == 0 or "\\" in text:
        return None
    first, *between, last = parts[::2]
    if first.strip(" ") or last.strip(" ") or any(part.strip(" ") != "," for part in between):
        return None
    return [_new(Scalar, (word, word)) for word in parts[1::2]]


def _plain_list(text: str) -> list[Scalar] | None:
    if _FLOW_SYNTAX.search(text):
        return None
    words = [_plain(word.strip(" ")) for word in text.split(",")] if text.strip(" ") else []
    values = [value for value in words if value is not None]
    return values if len(values) == len(words) else None


def _plain(text: str) -> Scalar | None:
    """Return the value of `text` if it is certainly a plain scalar, else None."""
    first = text[:1]
    if not (first.isalnum() or (first and first in _FIRST_SIGNS)):
        return None
    if text[-1] == ":" or ": " in text or " #" in text:
        return None
    return scalar_of(text)


# -- TOML --------------------------------------------------------------------------


def read_toml(text: str) -> tuple[Tree, Repeats]:
    """Return the table in `text`; TOML itself forbids repeated keys.

    Raises:
        BadMetadataError: it is not TOML, or too deep.
    """
    try:
        table = load_toml(text, parse_float=_toml_float)
        return {name: _from_toml(value, 1) for name, value in table.items()}, []
    except RecursionError as error:
        raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep") from error
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        reason = re.sub(r" \(at .*\)", "", str(error))
        raise BadMetadataError(
            f"not valid TOML: {reason}", int(at[1]) - 1 if at else None
        ) from error


def load_toml(text: str, *, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the table in untrusted TOML.

    The standard parser takes time and memory quadratic in the parts of a dotted key: 40 kB of
    them took 1.6 GB.

    Raises:
        RecursionError: it is too deep.
        ValueError: it is not TOML.
    """
    if _DOTTED.search(text):
        raise RecursionError
    return tomllib.loads(text, parse_float=parse_float)


def _toml_float(text: str) -> Scalar:
    number = float(text)
    return Scalar(number if math.isfinite(number) else text, text)


def _from_toml(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep")
    if isinstance(value, Scalar):
        return value
    if isinstance(value, dict):
        return {name: _from_toml(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_from_toml(inner, depth + 1) for inner in value]
    if isinstance(value, (datetime.date, datetime.time)):
        text = value.isoformat().replace("+00:00", "Z")
        return Scalar(text, text)
    text = str(value)
    small = not isinstance(value, int) or abs(value) < MAX_INTEGER
    return Scalar(value if small else text, text)


MAX_BYTES = 65_536
"""The largest front matter that is read; the largest among some thousand repositories has 20 kB."""

_SHOWN_NAMES = 3
_OPENING = re.compile(rb"((?:[ \t]*+\r?\n|(?!))*+)(---|\+\+\+)[ \t]*+\r?\n")
_CLOSINGS = {
    b"---": re.compile(
        rb"\n(?:---(?: (?=abstract\b|middle\b|note_\w|back\b)\w+)?|\.\.\.)[ \t]*\r?(?:\n|\Z)"
    ),
    b"+++": re.compile(rb"\n\+\+\+[ \t]*\r?(?:\n|\Z)"),
}
"""With the line feed before, since a literal first byte makes the search fast."""


_SIGNS = {b"---": "(?::(?=\\s|\\Z)| = )", b"+++": "[ \\t]*="}
_KEY = r"[ \t]*(?:[\w.$@/-]+(?: [\w.-]+){0,4}|\"[^\"\n]+\"|'[^'\n]+')"
_KEYS = {sign: re.compile(rf"({_KEY}){behind}") for sign, behind in _SIGNS.items()}
"""The beginning of a line with a key."""

_DATA = re.compile(r"\s|[-#\[\]{}\"',]|<{7}|={7}|>{7}|\Z")
"""The beginnings of other lines of data, and of conflict markers."""

_REMARKS = ("#", "<<<<<<<")
"""The beginnings of lines that may stand before the first key."""

_LIST = re.compile(r"\[[^\[\]{}]*\]?\s*\Z")
_ITEM = re.compile(r"[ \t]*- +(\S.*)")
_STRUCTURE = ("{", "|", ">", "&", "*", "!", "[", "#")
"""The first signs of values that are not plain words."""

_READERS = {b"---": read_yaml, b"+++": read_toml}


class FrontMatter(NamedTuple):
    """The metadata of a source; `span`, with both fences, is None if there is none."""

    span: Span | None = None
    metadata: Mapping[str, Any] = {}
    title: str = ""
    tags: tuple[str, ...] = ()
    version: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def find_front_matter(
    raw: bytes, start: int, path: str, *, shown: Callable[[str], str] | None = None
) -> FrontMatter:
    """Return the front matter of `raw`, whose lines end in LF or CRLF, at byte `start`.

    Blank lines may stand before it where it is well-formed and not empty. `shown` gives what is
    shown of a text with bad bytes.
    """
    opening = _OPENING.match(raw, start)
    closing = opening and _CLOSINGS[opening[2]].search(raw, opening.end() - 1)
    if not opening or not closing:
        return FrontMatter()
    first, last = opening.end(), closing.start() + 1
    lines_before = raw.count(b"\n", 0, first)
    span = Span(opening.start(2), closing.end())
    text = raw[first : min(last, first + MAX_BYTES)].decode("utf-8", "replace")
    text = shown(text) if shown else text
    try:
        if last - first > MAX_BYTES:
            raise BadMetadataError(f"it has {last - first} bytes, more than {MAX_BYTES}")
        values, repeated = _READERS[opening[2]](text)
    except BadMetadataError as error:
        line = 1 + lines_before + error.line if error.line is not None else max(1, lines_before)
        reason = Diagnostic(path, "front-matter", error.reason, line)
        return _malformed(text, span, opening[2], reason)
    if opening[1] and not values:
        return FrontMatter()
    return _front_matter(span, values, _repeated(repeated, path, lines_before + 1))


def _malformed(text: str, span: Span, sign: bytes, reason: Diagnostic) -> FrontMatter:
    """Return the metadata in the good lines of malformed front matter, if it is front matter."""
    lines = text.replace("\r\n", "\n").split("\n")
    is_strict = not lines[0].strip(" \t")  # perhaps a rule, and prose up to another
    if not _is_data(lines, _KEYS[sign], is_strict=is_strict):
        if is_strict:
            return FrontMatter()
        message = f"the front matter is read as text: {reason.message}"
        return FrontMatter(diagnostics=(reason._replace(message=message),))
    values: dict[str, Any] = {}
    for entry in _entries(lines, _KEYS[sign]):
        values |= _read_entry(entry, sign)
    message = f"the front matter is malformed, and read key by key: {reason.message}"
    return _front_matter(span, values, (reason._replace(message=message),))


def _is_data(lines: list[str], key: re.Pattern[str], *, is_strict: bool) -> bool:
    """Whether lines begin with a key, or comments, and half of them look like data, or all."""
    lines_with_text = [line for line in lines if line.strip()]
    first = next((line for line in lines_with_text if not line.startswith(_REMARKS)), "")
    if not key.match(first):
        return False
    count = sum(1 for line in lines_with_text if key.match(line) or _DATA.match(line))
    return count == len(lines_with_text) > 1 if is_strict else 2 * count > len(lines_with_text)


def _entries(lines: list[str], key: re.Pattern[str]) -> Iterator[list[str]]:
    """Yield the lines of each key at the margin; those before a table of TOML only."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if key.match(line)), default=0)
    entry: list[str] = []
    for line in lines:
        if line.startswith("[") and key is _KEYS[b"+++"]:
            break
        match = key.match(line)
        if match and len(line) - len(line.lstrip()) <= margin:
            if entry:
                yield entry
            entry = []
        if entry or match:
            entry.append(line[margin:] if not line[:margin].strip() else line)
    if entry:
        yield entry


def _read_entry(entry: list[str], sign: bytes) -> Tree:
    """Return a key's value: parsed from all its lines, else from its first, else as written."""
    for lines in (entry, [line.replace("\t", "  ") for line in entry], entry[:1]):
        try:
            values, _ = _READERS[sign]("\n".join(lines))
        except BadMetadataError:
            continue
        if values and (lines is not entry[:1] or len(entry) == 1 or any(_json(values))):
            return values
    match = _KEYS[sign].match(entry[0])
    assert match is not None, "an entry begins with a key"
    value = _written_value(entry[0][match.end() :].strip(), entry[1:])
    return {} if value is None else {match[1].strip().strip("\"'"): value}


def _json(values: Tree) -> Iterator[bool]:
    return (not isinstance(value, Scalar) or value.value is not None for value in values.values())


def _written_value(text: str, below: list[str]) -> Scalar | list[Scalar] | None:
    """Return a malformed value as text: the words of a list or of a line."""
    if _LIST.match(text):
        words = [word.strip() for word in text.strip("[] ").split(",")]
        return [_scalar(word) for word in words if word and not word.startswith(_STRUCTURE)]
    if text and not text.startswith(_STRUCTURE):
        return _scalar(text)
    items = [item[1] for line in below if (item := _ITEM.match(line))]
    return [_scalar(item) for item in items] if items and not text else None


def _scalar(text: str) -> Scalar:
    words = text.strip()
    if words[:1] in ("'", '"'):
        words = words[1:].removesuffix(words[0])
    return Scalar(words, words)


def _repeated(
    repeated: list[tuple[str, int]], path: str, first_line: int
) -> tuple[Diagnostic, ...]:
    """Return one diagnostic for all repeated keys, at the line of the first."""
    if not repeated:
        return ()
    names = list(dict.fromkeys(name for name, _ in repeated))
    shown = ", ".join(repr(name) for name in names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    message = f"the front matter has {shown}{more} twice; the last one counts"
    return (Diagnostic(path, "front-matter", message, repeated[0][1] + first_line),)


def _front_matter(
    span: Span, values: dict[str, Any], diagnostics: tuple[Diagnostic, ...]
) -> FrontMatter:
    return FrontMatter(
        span,
        to_json(values),
        _written(values.get("title")),
        _tags(values["tags"] if "tags" in values else values.get("tag")),
        _written(values.get("version")) or None,
        diagnostics,
    )


def _written(value: Any) -> str:
    """Return a string, number or date as text, "" for anything else."""
    if not isinstance(value, Scalar) or value.value is None or isinstance(value.value, bool):
        return ""
    return fold(value.value if isinstance(value.value, str) else value.text)


def _tags(value: Any) -> tuple[str, ...]:
    """Return tags from a list, or a string with commas or else spaces, without a leading `#`."""
    if value is None:
        return ()
    if isinstance(value, list):
        names = [_written(item) for item in value]
    else:
        text = _written(value)
        names = text.split(",") if "," in text else text.split()
    cleaned = [name.strip().removeprefix("#").strip() for name in names]
    return tuple(dict.fromkeys(name for name in cleaned if name))
