"""The bytes of a file to text, with every byte accounted for.

UTF-8 stays as it is: the text encodes to exactly as many bytes as the file has,
so that offsets into one are offsets into the other. A few bad bytes get
stand-ins of the same length, which `Decoded.restore` turns into U+FFFD. Any
other encoding is decoded once, and offsets then count in the UTF-8 of that.
A byte order mark decides; else UTF-8 is tried, unless it has zero bytes as UTF-16
has them, then UTF-16 by its zero bytes or, for scripts that have few of them, by
its line ends and spaces, then what the caller knows to be declared, then
detection. ISO-2022-JP looks like ASCII, and is told by its escapes before that.
Nothing is guessed of `Utf8`.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder, lookup
from contextlib import suppress
from typing import NamedTuple

from leafmark.model import Diagnostic
from leafmark.patterns import lazy_pattern

_SAMPLE_BYTES = 8192
"""The bytes of a file that are checked for binary data and UTF-16, as many as in git."""

_MIN_BYTES = 16
"""Fewer bytes with zeros among them do not prove UTF-16 if they are valid UTF-8."""

PORTION_BYTES = 1_000_000
"""The bytes of a source that are checked as UTF-8 at a time."""

_UTF8_DECODER = getincrementaldecoder("utf-8")

_GOOD_PER_BAD = 1
"""A file is UTF-8 with mistakes when it has this many correct sequences for each bad byte.

Text in another encoding has a tenth of that at most: two bytes in a row that are
correct by chance are rare.
"""

BOM = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_MARK_STARTS = {mark[:1] for mark, _ in _BOMS}
_JAPANESE_ESCAPE = lazy_pattern(rb"\x1b(?:\$[@B]|\(J)")
"""The escapes of ISO-2022-JP before Japanese."""

_NUL = lazy_pattern(rb"\0(?!\x08[\[\]])")
"""A zero byte, except in the marks of Info around pictures and before an index."""

_NO_TEXT = "[\0-\x08\x0e-\x1f\x7f-\x9f\ud800-\uf8ff\ufdd0-\ufdef\ufffe\uffff]"
"""Characters that no text has: controls, lone surrogates, private use, noncharacters.

It is compiled on its first use, which takes longer than for most patterns.
"""

_SCRIPTS = bytes({*range(0x20)} - {0x0A, 0x0D})
"""First bytes of the letters of scripts up to U+1FFF, without line ends."""

_CONTROLS = bytes({*range(0x20)} - {*b"\t\n\r\f\x1b"})
_RARE = 2_000
"""Bytes for each control character that a text may have; programs' data have one in fifty."""

_PARTING = lazy_pattern("[\t\n\r ]")
_SWAPPED_PARTING = lazy_pattern("[\u0900\u0a00\u0d00\u2000]")
"""White space in the wrong byte order."""

_LONE_SURROGATE = lazy_pattern("[\ud800-\udfff]+")
_NOT_ASCII = lazy_pattern("[^\x00-\x7f]")

_ALIASES = """
ascii=cp1252 big5=big5hkscs euc-jp=euc_jp euc-kr=cp949 gb18030=gb18030 gb2312=gb18030 gbk=gb18030
ibm866=cp866 iso-2022-jp=iso2022_jp iso-8859-1=cp1252 iso-8859-8-i=iso8859-8 iso-8859-9=cp1254
koi8-r=koi8-r koi8-u=koi8-u latin-1=cp1252 latin1=cp1252 macintosh=mac-roman shift-jis=cp932
us-ascii=cp1252 windows-31j=cp932 x-mac-cyrillic=mac-cyrillic x-sjis=cp932
"""
_CODECS = {
    **{f"iso-8859-{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"windows-{n}": f"cp{n}" for n in (874, 949, *range(1250, 1259))},
    **dict(pair.split("=") for pair in _ALIASES.split()),
}
"""Names of encodings, as the Encoding Standard has them, and the codec that reads each of them."""

_REPLACED = """
ascii=cp1252 big5=big5hkscs euc_kr=cp949 gb2312=gb18030 gbk=gb18030 iso8859-1=cp1252
iso8859-9=cp1254 iso8859-11=cp874 shift_jis=cp932 tis-620=cp874
"""
_SUPERSETS = dict(pair.split("=") for pair in _REPLACED.split())
"""Codecs, and their supersets that the Standard uses instead."""

_MAX_LABEL = 40


class Utf8(bytes):
    """The bytes of a text: UTF-8 in which at most half a character can be wrong.

    Offsets into the text must stay valid, so no other encoding is tried.
    """


class Decoded(NamedTuple):
    """A source as text. `text` encodes to `len(data)` bytes of UTF-8, character for character.

    `data` are the file's own bytes, or the UTF-8 decoding where `encoding` is
    not `utf-8`. `stand_in` and `filler` are the characters that hold the places
    of bad bytes in `text`: one stand-in for each bad sequence, fillers for what
    is left of its length. They are empty where there are none, and else `mended`
    is the text.
    """

    data: bytes
    encoding: str = "utf-8"
    stand_in: str = ""
    filler: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    mended: str = ""

    @property
    def text(self) -> str:
        """Made on every access: one emoji makes it four times as large as the data."""
        return self.mended if self.stand_in else self.data.decode()

    @property
    def encoded(self) -> bytes:
        """The text in UTF-8: the data, with stand-ins for bad bytes."""
        return self.mended.encode() if self.stand_in else self.data

    def restore(self, text: str) -> str:
        """Return a part of the text with U+FFFD for every bad sequence."""
        if not self.stand_in:
            return text
        return text.replace(self.filler, "").replace(self.stand_in, "\ufffd")

    def shown(self, text: str) -> str:
        """Return the same with U+FFFD also for every NUL, as CommonMark does."""
        return self.restore(text).replace("\0", "\ufffd")


def decode(data: bytes, path: str, *, declared: str | None = None) -> Decoded:
    """Return `data` as text; `declared` names the encoding that the file itself claims, if any."""
    named = _by_mark(data)
    if named:
        mark, codec = named
        return _convert(data[len(mark) :], codec, path)
    is_text = isinstance(data, Utf8)
    codec = "" if is_text else _utf16_in_utf8(data)
    if codec:
        return _convert(data, codec, path, guessed=True)
    try:
        _check_utf8(data)
        return Decoded(data) if is_text else _japanese(data, path) or Decoded(data)
    except UnicodeDecodeError as error:
        first_bad = error.start
    if is_text:
        return _mend(data, path, first_bad)
    codec = _unmarked_utf16(data)
    if codec:
        return _convert(data, codec, path, guessed=True)
    if data.startswith(BOM) or _is_nearly_utf8(data):
        return _mend(data, path, first_bad)
    if declared and _codec_of(declared):
        return _convert(data, _codec_of(declared), path, name=declared.strip().lower())
    detected = _detect(data)
    return _convert(data, _CODECS[detected], path, name=detected, guessed=True)


def _check_utf8(data: bytes) -> None:
    """Raise `UnicodeDecodeError` for bad UTF-8; a large source is decoded by portions."""
    if len(data) > PORTION_BYTES:
        decoder = _UTF8_DECODER()
        with suppress(UnicodeDecodeError):  # whose place is told from all of it
            for at in range(0, len(data), PORTION_BYTES):
                decoder.decode(data[at : at + PORTION_BYTES])
            decoder.decode(b"", True)
            return
    data.decode()


def is_binary(data: bytes) -> bool:
    """Whether `data`, or its beginning, is binary: it has a NUL and is not UTF-16 or UTF-32.

    A NUL among very many characters of UTF-8 may be part of a text.
    """
    if _by_mark(data) or data.find(b"\0", 0, _SAMPLE_BYTES) < 0:
        return False
    if not _NUL.search(data, 0, _SAMPLE_BYTES + 2):
        return False
    sample = data[:_SAMPLE_BYTES]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls * _RARE <= len(sample) and _begins_as_utf8(data):
        return False
    return not (_utf16_in_utf8(data) or (_unmarked_utf16(data) and not _begins_as_utf8(data)))


def _by_mark(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark other than UTF-8's, and its codec."""
    if data[:1] not in _MARK_STARTS:
        return None
    for mark, codec in _BOMS:
        if data.startswith(mark) and (codec[:6] != "utf-32" or len(data) % 4 == 0):
            return mark, codec
    return None


def _utf16_in_utf8(data: bytes) -> str:
    """The codec of UTF-16 without a mark that may be valid UTF-8, as that of ASCII and Cyrillic is.

    Every other byte is nearly always zero or a control character, which texts do not have.
    """
    if len(data) % 2 or len(data) < _MIN_BYTES or data.find(b"\0", 0, _SAMPLE_BYTES) < 0:
        return ""
    sample = data[:_SAMPLE_BYTES]
    for codec, scripts in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        controls = len(scripts) - len(scripts.translate(None, _SCRIPTS))
        if 0 in scripts and 4 * controls >= 3 * len(scripts):
            return "" if re.search(_NO_TEXT, sample.decode(codec, "replace")) else codec
    return ""


def _begins_as_utf8(data: bytes) -> bool:
    try:
        _UTF8_DECODER().decode(data[:_SAMPLE_BYTES])
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf16(data: bytes) -> str:
    """Return the codec of UTF-16 without a mark: zero bytes are at either even or odd offsets."""
    sample = data[:_SAMPLE_BYTES]
    first, second = sample[::2].count(0), sample[1::2].count(0)
    least = len(sample) // 5
    if len(data) % 2 or not (first or second):
        return ""
    if second > least and not first:
        return "utf-16-le"
    if first > least and not second:
        return "utf-16-be"
    return next((codec for codec in ("utf-16-le", "utf-16-be") if _reads_as(codec, sample)), "")


def _reads_as(codec: str, sample: bytes) -> bool:
    """Whether the sample is text in this UTF-16, with white space that tells the byte order."""
    text = sample[:-2].decode(codec, "surrogatepass")  # the last pair may be cut in two
    if re.search(_NO_TEXT, text) or not _PARTING.search(text):
        return False
    return not _SWAPPED_PARTING.search(text)


def _japanese(data: bytes, path: str) -> Decoded | None:
    """Return ASCII `data` as ISO-2022-JP if it has its escapes and is valid."""
    if b"\x1b" not in data or not data.isascii() or not _JAPANESE_ESCAPE.search(data):
        return None
    try:
        data.decode("iso2022_jp")
    except UnicodeDecodeError:
        return None
    return _convert(data, "iso2022_jp", path, name="iso-2022-jp", guessed=True)


def _is_nearly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", "surrogateescape")
    bad = sum(len(run) for run in _LONE_SURROGATE.findall(text))
    return len(_NOT_ASCII.findall(text)) - bad >= _GOOD_PER_BAD * bad


def _mend(data: bytes, path: str, first_bad: int) -> Decoded:
    """Decode UTF-8 with mistakes: the length stays, and stand-ins replace bad bytes."""
    stand_in, filler = _unused_controls(data)
    count = 0

    def stand_for(run: re.Match[str]) -> str:
        nonlocal count
        raw = run[0].encode("utf-8", "surrogateescape")
        sequences = len(raw.decode("utf-8", "replace"))
        count += sequences
        return stand_in * sequences + filler * (len(raw) - sequences)

    text = _LONE_SURROGATE.sub(stand_for, data.decode("utf-8", "surrogateescape"))
    line = data.count(b"\n", 0, first_bad) + 1
    what = "1 sequence is" if count == 1 else f"{count} sequences are"
    message = f"{what} not valid UTF-8 and shown as U+FFFD"
    diagnostic = Diagnostic(path, "bad-utf8", message, line)
    return Decoded(data, "utf-8", stand_in, filler, (diagnostic,), text)


def _unused_controls(data: bytes) -> tuple[str, str]:
    """Return two control characters, white space to no parser, that the data lack, if any."""
    controls = [*range(1, 9), *range(14, 28), 127]
    unused = [code for code in controls if code not in data]
    first, second = (unused + controls)[:2]
    return chr(first), chr(second)


def _convert(
    data: bytes, codec: str, path: str, *, name: str = "", guessed: bool = False
) -> Decoded:
    """Decode `data` once; offsets are into the UTF-8 of the result from here on."""
    name = name or codec
    try:
        text, bad = data.decode(codec), False
    except UnicodeDecodeError:
        text, bad = data.decode(codec, "replace"), True
    text, lone = _LONE_SURROGATE.subn("\ufffd", text)
    diagnostics = []
    if guessed:
        message = f"not UTF-8; read as {name}, which was guessed from the bytes"
        diagnostics.append(Diagnostic(path, "encoding", message))
    if bad or lone:
        message = f"some bytes are not valid {name} and shown as U+FFFD"
        diagnostics.append(Diagnostic(path, "bad-encoding", message))
    text = text.removeprefix("\ufeff")
    return Decoded(text.encode(), name, diagnostics=tuple(diagnostics))


def _detect(data: bytes) -> str:
    """Return the name, one of `_CODECS`, of the most likely encoding."""
    # late: few files need it
    from chardetng_py import EncodingDetector  # type: ignore[import-untyped]

    detector = EncodingDetector()
    detector.feed(data, last=True)
    name = detector.guess(tld=None, allow_utf8=False).lower().replace("_", "-")
    name = "windows-874" if name == "cp874" else name
    return name if name in _CODECS else "windows-1252"


def _codec_of(name: str) -> str:
    """Return Python's codec for the encoding called `name`, "" if it is not supported."""
    label = name.strip().lower().replace("_", "-")
    if label in _CODECS or len(label) > _MAX_LABEL:
        return _CODECS.get(label, "")
    with suppress(LookupError, ValueError):  # a name with a NUL is a ValueError
        codec = lookup(label).name
        codec = _SUPERSETS.get(codec, codec)
        return codec if codec in _CODECS.values() else ""
    return ""
