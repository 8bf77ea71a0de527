"""Bytes to text: byte order marks, mistakes in UTF-8, other encodings, binary files."""

from __future__ import annotations

import pytest

from leafmark.model import Diagnostic
from leafmark.parsing import Decoded, decode, decoding, is_binary

GERMAN = "Die Größe der Tür paßt nicht: überall fehlen schöne Maße. " * 3
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 3
JAPANESE = "これは日本語の文章です。文字コードを判定します。" * 3
CHINESE = "这是一个用来检测编码的中文句子，应该足够长。" * 3
THAI = "กรุณาติดตั้งซอฟต์แวร์ก่อนใช้งาน ผู้ใช้ต้องมีสิทธิ์ผู้ดูแลระบบ"
KOREAN = "이것은 인코딩을 감지하기 위한 한국어 문장입니다. " * 3


def guessed(name: str) -> tuple[Diagnostic, ...]:
    message = f"not UTF-8; read as {name}, which was guessed from the bytes"
    return (Diagnostic("a.md", "encoding", message),)


@pytest.mark.parametrize(
    "text", ["", "plain", GERMAN, "\ufeffmark", "a\0b", "\u2028\x85\x0b", "🎉", "a\r\nb\rc"]
)
def test_utf8_is_read_as_it_is(text: str) -> None:
    decoded = decode(text.encode(), "a.md")

    assert (decoded.data, decoded.text, decoded.encoding) == (text.encode(), text, "utf-8")
    assert decoded.diagnostics == ()


@pytest.mark.parametrize("portion", range(1, 9))
def test_a_large_source_is_checked_in_portions(
    portion: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "PORTION_BYTES", portion)
    whole = "aé日🎉b".encode()

    assert decode(whole, "a.md") == Decoded(whole)
    for end in range(len(whole)):
        part = whole[:end] + b"\n\n"
        assert decode(part, "a.md").text.encode() == part or decode(part, "a.md").diagnostics
    bad = b"one\ntwo\n\xc3\xa9\xc3\xa9\xff"
    assert [note.line for note in decode(bad, "a.md").diagnostics] == [3]


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"\xc3\xa9\xc3\xa9\xff", "1 sequence is"),
        (b"\xef\xbb\xbf\x80", "1 sequence is"),
        (b"\xc3\xa9\xc3\xa9\xe2\x82", "1 sequence is"),
        (b"\xc3\xa9\xc3\xa9\xe2\x82 \xc3\xa9", "1 sequence is"),
        (b"\xed\xa0\x80" + 3 * b"\xc3\xa9", "3 sequences are"),
        (b"\xc0\xaf" + 3 * b"\xc3\xa9", "2 sequences are"),
        (b"\xf0\x9f\x98" + 4 * b"\xc3\xa9" + b"\xf0", "2 sequences are"),
        (bytes(range(1, 128)) + b"\xff" + b"\xc3\xa9", "1 sequence is"),
    ],
)
def test_mistakes_in_utf8_keep_every_offset(data: bytes, count: str) -> None:
    decoded = decode(data, "a.md")

    assert decoded.data is data
    assert len(decoded.text.encode()) == len(data)
    message = f"{count} not valid UTF-8 and shown as U+FFFD"
    assert [(found.code, found.message) for found in decoded.diagnostics] == [("bad-utf8", message)]
    if bytes(range(1, 9)) not in data:
        assert decoded.restore(decoded.text) == data.decode("utf-8", "replace")


def test_the_first_mistake_has_a_line() -> None:
    decoded = decode(b"\xc3\xa9\n\xc3\xa9\n\xff\n", "a.md")

    assert decoded.diagnostics[0].line == 3


@pytest.mark.parametrize(
    "codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_a_byte_order_mark_decides(codec: str) -> None:
    mark = "" if codec in ("utf-16", "utf-32") else "\ufeff"
    decoded = decode((mark + GERMAN).encode(codec), "a.md")

    assert decoded.text == GERMAN
    assert decoded.data == GERMAN.encode()
    assert decoded.encoding == (codec if mark else f"{codec}-le")
    assert decoded.diagnostics == ()


def test_utf16_with_a_mistake_says_so() -> None:
    decoded = decode(b"\xff\xfea\0\x00\xd8b\0c", "a.md")

    assert decoded.text == "a\ufffdb\ufffd"
    message = "some bytes are not valid utf-16-le and shown as U+FFFD"
    assert decoded.diagnostics == (Diagnostic("a.md", "bad-encoding", message),)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_guessed(codec: str) -> None:
    decoded = decode(GERMAN.encode(codec), "a.md")

    assert (decoded.text, decoded.encoding) == (GERMAN, codec)
    assert decoded.diagnostics == guessed(codec)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        "# Plain ASCII\n\nA text.\n",
        RUSSIAN,
        RUSSIAN.upper(),
        "a tree\n\u2500 b\n",
        "\u0939\u093f \u0928\r\n" * 2,
    ],
)
def test_utf16_without_a_mark_is_guessed_where_it_is_valid_utf8(text: str, codec: str) -> None:
    data = text.encode(codec)
    decoded = decode(data, "a.md")

    assert data.decode()
    assert (decoded.text, decoded.encoding) == (text, codec)
    assert decoded.diagnostics == guessed(codec)
    assert not is_binary(data)


@pytest.mark.parametrize(
    "data", [b"a text \0with zeros\0", b"a\0b\0", b"a\0\0\0" * 4, b"\0\1\2" * 40]
)
def test_zero_bytes_in_utf8_alone_do_not_make_utf16(data: bytes) -> None:
    assert decode(data, "a.md").encoding == "utf-8"
    assert is_binary(data)


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (GERMAN, "cp1252", "windows-1252"),
        ("café", "latin-1", "windows-1252"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "koi8-u"),
        (JAPANESE, "shift_jis", "shift-jis"),
        (JAPANESE, "euc_jp", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (CHINESE, "gbk", "gb18030"),
        (KOREAN, "euc_kr", "euc-kr"),
        (THAI, "tis-620", "windows-874"),
    ],
)
def test_other_encodings_are_detected_and_said(text: str, codec: str, name: str) -> None:
    decoded = decode(text.encode(codec), "a.md")

    assert (decoded.text, decoded.encoding) == (text, name)
    assert decoded.data == text.encode()
    assert decoded.diagnostics == guessed(name)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [JAPANESE, CHINESE, KOREAN])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", " "])
def test_utf16_of_scripts_with_few_zero_bytes_is_told_by_white_space(
    codec: str, text: str, end: str
) -> None:
    data = (text + end + "ab🎉" + text).encode(codec)
    decoded = decode(data, "a.md")

    assert (decoded.text.encode(codec), decoded.encoding) == (data, codec)
    assert not is_binary(data)


@pytest.mark.parametrize("data", [b"\x1b$B\xe3\x81\x82", b"\x1b$Ba", b"\x1b[1m$B bold \x1b[0m"])
def test_escapes_alone_do_not_make_japanese(data: bytes) -> None:
    assert decode(data, "a.md").encoding != "iso-2022-jp"


def test_what_a_file_declares_is_believed_where_it_is_not_utf8() -> None:
    decoded = decode(
        "¤ 100".encode("iso-8859-15", "replace") + b"\xa4", "a.md", declared="ISO-8859-15"
    )

    assert decoded.text.endswith("€")
    assert (decoded.encoding, decoded.diagnostics) == ("iso-8859-15", ())


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("TIS-620", "ภาษาไทย"),
        ("iso8859-1", "10 €"),
        ("cp1251", "мир"),
        ("ks_c_5601-1987", "한국"),
        ("csShiftJIS", "日本"),
        ("cp936", "中文"),
    ],
)
def test_a_declared_encoding_may_have_another_of_its_names(declared: str, text: str) -> None:
    codec = {"TIS-620": "cp874", "iso8859-1": "cp1252", "ks_c_5601-1987": "cp949"}
    data = text.encode(codec.get(declared, declared))
    decoded = decode(data, "a.md", declared=declared)

    assert (decoded.text, decoded.encoding) == (text, declared.lower())
    assert decoded.diagnostics == ()


@pytest.mark.parametrize(
    "declared", ["hex", "unicode_escape", "utf-7", "nonsense", "a\0b", "x" * 200_000, ""]
)
def test_only_encodings_of_text_can_be_declared(declared: str) -> None:
    assert decode(b"caf\xe9", "a.md", declared=declared).encoding == "windows-1252"


def test_valid_utf8_is_never_read_as_something_else() -> None:
    assert decode("é".encode(), "a.md", declared="iso-8859-1").encoding == "utf-8"


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"text", False),
        (b"a\0b", True),
        (b"\n\0\0\0\3\4", True),
        (b"\n\0\0\nab", True),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", True),
        (GERMAN.encode("utf-16"), False),
        (GERMAN.encode("utf-16-le"), False),
        (GERMAN.encode("utf-32"), False),
        (b"\xff\xfe\0\0" + b"x", False),
        (b"text" * 5000 + b"\0", False),
        (b"<code>\0</code>" + b"text" * 1000, False),
        (b"<code>\0</code>" + b"text" * 100, True),
        (b"\0\1\2\3" + b"text" * 1000, True),
        (b"\0\xff" + b"text" * 1000, True),
    ],
)
def test_binary_files(data: bytes, binary: bool) -> None:
    assert is_binary(data) == binary
