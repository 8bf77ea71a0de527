"""Source code: which language a file is in, spans in any encoding, blocks, what is too much."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import leafmark
from leafmark import child
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import Document
from leafmark.parsing import (
    installed_grammars,
    parse,
)
from leafmark.parsing.code import grammars, sandbox
from leafmark.parsing.code.definitions import MAX_DEPTH, MAX_NAME_CHARS, MAX_TITLE_CHARS
from leafmark.parsing.code.grammars import TABLES
from leafmark.parsing.code.languages import LANGUAGES, Language, language_of


@pytest.mark.parametrize(
    ("path", "data", "name"),
    [
        ("a.py", b"", "python"),
        ("lib/A.PYI", b"", "python"),
        ("a.jsx", b"", "javascript"),
        ("a.mts", b"", "typescript"),
        ("a.tsx", b"", "tsx"),
        ("a.d.ts", b"", "typescript"),
        ("a.h", b"int f(void);\n", "c"),
        ("a.h", b"#include <stdio.h>\nstruct a { int b; };\n", "c"),
        ("a.h", b"class A;\n", "cpp"),
        ("a.h", b"  public:\n", "cpp"),
        ("a.h", b"namespace a {\n", "cpp"),
        ("a.h", b"#include <vector>\n", "cpp"),
        ("a.h", b"int f(std::string a);\n", "cpp"),
        ("Rakefile", b"", "ruby"),
        ("sub/PKGBUILD", b"", "bash"),
        ("run", b"#!/bin/sh\n", "bash"),
        ("run", b"#! /usr/bin/python3.11 -u\n", "python"),
        ("run", b"\xef\xbb\xbf#!/usr/bin/env node", "javascript"),
        ("run", b"#!/usr/bin/env -S A=1 deno run\n", "typescript"),
        ("run", b"#!/usr/local/bin/lua5.4\r\n", "lua"),
        ("a.py", b"#!/bin/sh\n", "python"),
        ("run", b"#!/usr/bin/perl\n", None),
        ("run", b"#!/usr/bin/env\n", None),
        ("run", b"#!\n", None),
        ("run", b"x = 1\n", None),
        (".py", b"", None),
        ("a.txt", b"", None),
    ],
)
def test_language(path: str, data: bytes, name: str | None) -> None:
    language = language_of(path, data)
    assert (language and language.name) == name


def test_every_language_has_a_table_and_a_grammar_that_knows_all_its_types() -> None:
    assert {language.name for language in LANGUAGES} == set(TABLES)
    assert len(installed_grammars()) == len({language.module for language in LANGUAGES})
    for language in LANGUAGES:
        grammar = grammars.grammar_of(language)
        number = grammar.language.node_kind_count
        types = {grammar.language.node_kind_for_id(each) for each in range(number)}
        table = TABLES[language.name]
        known = {*table.by_type, *table.comments, *table.annotations}
        known |= table.strings | table.docstrings
        assert known <= types, (language.name, known - types)


def test_without_a_grammar_a_script_is_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "has_module", lambda name: False)
    document = parse(b"def f(): pass\n", "a.py")

    assert (document.format, document.headings, document.diagnostics) == ("text", (), ())
    assert [block.kind for block in document.blocks] == ["paragraph"]


def test_a_file_without_suffix_is_a_script_by_its_first_line() -> None:
    assert parse(b"#!/bin/sh\nf() { :; }\n", "run").headings[0].slug_path == "f"
    assert parse(b"f() { :; }\n", "run").format == "text"


def spans(document: Document) -> list[tuple[str | None, str, bytes]]:
    return [
        (heading.slug_path, heading.title, document.data[heading.start : heading.limit])
        for heading in document.headings
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xef\xbb\xbf# c\ndef f(): 1", [("f", "def f()", b"# c\ndef f(): 1")]),
        (b"\r\n# c\r\ndef f():\r\n  1\r\n\r\n", [("f", "def f()", b"# c\r\ndef f():\r\n  1\r\n")]),
        (b"# c\rdef f():\r  1\rx", [("f", "def f()", b"# c\rdef f():\r  1\r")]),
        (b"def f\xff(a):\n 1\n", [("fÿ", "def fÿ(a)", "def fÿ(a):\n 1\n".encode())]),
        (b"x = '\0'\ndef f(): 1\n", [("f", "def f()", b"def f(): 1\n")]),
        ("def größe(ä='😀'): pass\n".encode(), None),
        ("def größe(ä='😀'): pass\n".encode("utf-16"), None),
        (b"#!x\ndef f(): 1\n", [("f", "def f()", b"def f(): 1\n")]),
        (b"x = 1 # c\ndef f(): 1\n", [("f", "def f()", b"def f(): 1\n")]),
        (b"# c\n\ndef f(): 1\n", [("f", "def f()", b"def f(): 1\n")]),
        (b"x = 1; \ndef f(): 1; y = 2", [("f", "def f()", b"def f(): 1; y = 2")]),
        (b"\x0c\ndef f(): 1", [("f", "def f()", b"def f(): 1")]),
    ],
)
def test_spans_are_exact_in_every_encoding(
    data: bytes, expected: list[tuple[str, str, bytes]] | None
) -> None:
    if expected is None:
        expected = [("größe", "def größe(ä='😀')", "def größe(ä='😀'): pass\n".encode())]
    assert spans(parse(data, "a.py")) == expected


def test_bad_bytes_in_a_comment_keep_their_places() -> None:
    data = "# gr\xf6\xdfe und mehr äöü äöü äöü\ndef f(a): 1\n".encode().replace(
        b"\xc3\xb6", b"\xff", 1
    )
    document = parse(data, "a.py")

    assert document.data == data
    assert [diagnostic.code for diagnostic in document.diagnostics] == ["bad-utf8"]
    assert spans(document) == [("f", "def f(a)", data)]


def test_names_titles_and_depths_are_bounded() -> None:
    name, parameters = "n" * 1000, ", ".join(f"p{i}" for i in range(400))
    (heading,) = parse(f"def {name}({parameters}): pass\n".encode(), "a.py").headings
    assert heading.slug_path == "n" * MAX_NAME_CHARS
    assert len(heading.title) == MAX_TITLE_CHARS
    assert heading.title.endswith("…")

    deep = "".join(f"{' ' * i}class c{i}:\n" for i in range(90)) + " " * 90 + "x = 1\n"
    headings = parse(deep.encode(), "a.py").headings
    assert [heading.level for heading in headings] == list(range(1, MAX_DEPTH + 1))


def test_what_is_too_large_is_plain_text_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MAX_SCRIPT_BYTES", 1000)
    document = parse(b"def f(): pass\n" * 100, "a.py")

    assert (document.format, document.degraded, document.headings) == ("text", True, ())
    assert [(each.code, each.message) for each in document.diagnostics] == [
        ("degraded", "read as plain text: code of more than 1,000 bytes is not parsed")
    ]


def test_what_takes_too_much_work_is_plain_text_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grammars, "ALWAYS_ALLOWED", 0)
    monkeypatch.setattr(grammars, "BYTES_PER_REPORT", 1000)
    document = parse(b"def f(): pass\n" * 100, "a.py")

    assert (document.format, document.degraded) == ("text", True)
    assert [each.message for each in document.diagnostics] == [
        "read as plain text: too much work for the python parser"
    ]


def test_a_long_function_is_cut_between_its_statements() -> None:
    lines = [f"    value_{i} = compute(value_{i - 1}, {i})" for i in range(1, 60)]
    lines[20:20] = ["    if value_1:", *[f"        call_{i}(value_1)" for i in range(200)]]
    code = "\n".join(["def long(value_0):", '    """Doc."""', *lines, ""])
    document = parse(code.encode(), "a.py")
    chunked = chunk_document(document, tree="t", options=ChunkingOptions())
    pieces = [chunk for chunk in chunked.chunks if chunk.kind == "piece"]

    assert len(pieces) > 3
    assert "".join(piece.body for piece in pieces) == code
    assert all(piece.body_tokens <= 400 for piece in pieces)
    assert not any(piece.oversize for piece in pieces)
    assert all(piece.body.endswith("\n") for piece in pieces)
    assert {piece.content_type for piece in pieces} == {"code"}
    assert {piece.languages for piece in pieces} == {("python",)}


def test_a_statement_is_never_cut() -> None:
    code = "x = f(" + ", ".join(f"value_{i}" for i in range(600)) + ")\ny = 1\n"
    chunked = chunk_document(parse(code.encode(), "a.py"), tree="t", options=ChunkingOptions())

    assert [chunk.oversize for chunk in chunked.chunks] == [True]


def test_text_is_dedented_as_a_whole() -> None:
    code = b"class A:\n    # c\n    def f(self):\n        if x:\n\n            pass\n"
    chunked = chunk_document(parse(code, "a.py"), tree="t", options=ChunkingOptions())

    assert chunked.chunks[2].text == (
        "> a › class A › def f(self)\n\n# c\ndef f(self):\n    if x:\n\n        pass"
    )


NONSENSE = ["(", "{", "[", "a(", "{ a: ", "if (", '"', "/*", "class a {", "a ? ", "=> ", "@", "`"]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_nonsense_of_any_language_is_read(language: Language) -> None:
    for pattern in NONSENSE:
        data = pattern.encode() * (300 // len(pattern))
        document = parse(data, f"a.{language.suffixes.split()[0]}")
        assert document.data == data
        assert [block.level for block in document.blocks][:1] == [0]


def test_a_child_that_takes_too_long_or_died_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"class A { void f() {} }\n"
    assert len(parse(data, "A.java").headings) == 2
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "WAIT_SECONDS", 0)
        document = parse(data * 20_000, "A.java")
    assert [each.message for each in document.diagnostics] == [
        "read as plain text: too much work for the java parser"
    ]
    assert len(parse(data, "A.java").headings) == 2


def test_an_answer_that_was_interrupted_is_not_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(stream: object) -> None:
        raise KeyboardInterrupt

    before, after = b"class Before { void f() {} }\n", b"class After {}\n"
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            parse(before, "A.java")
    assert [heading.title for heading in parse(after, "A.java").headings] == ["class After"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "data"), [("A.java", b"a<" * 20_000), ("a.swift", b"& & " * 1500)]
)
def test_what_would_take_gigabytes_or_minutes_is_plain_text(path: str, data: bytes) -> None:
    document = parse(data, path)
    assert (document.format, document.degraded) == ("text", True)


def test_the_child_answers_as_this_process_does() -> None:
    requests, answers = io.BytesIO(), io.BytesIO()
    python = language_of("a.py", b"")
    assert python is not None
    code = b"# c\nclass A:\n    def f(self): pass\n"
    child.send(requests, (python, code))
    requests.seek(0)
    sandbox.serve(requests, answers, limit=lambda size: None)
    answers.seek(0)
    assert child.receive(answers) == sandbox.parse_here(python, code)
    assert sandbox.parse_in_child(python, code) == sandbox.parse_here(python, code)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("executable", None),
        ("executable", "/nowhere/python"),
        ("executable", "/bin/cat"),  # Python within another program has that one's name here
        ("frozen", True),
    ],
)
def test_where_no_python_can_be_started_longer_code_is_text_and_that_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    code = b"def walrus():\n    pass\n" * 100
    sandbox.CHILD.stop()
    monkeypatch.setattr(sys, name, value, raising=False)
    document = parse(code, "a.py")
    assert [each.message for each in document.diagnostics] == [
        "read as plain text: longer code is parsed in a process of its own, "
        "and no Python can be started"
    ]
    monkeypatch.undo()
    assert len(parse(code, "a.py").headings) == 100


@pytest.mark.parametrize(
    ("module", "name", "error"),
    [
        (subprocess, "Popen", OSError(errno.EAGAIN, "Resource temporarily unavailable")),
        (threading.Timer, "start", RuntimeError("can't start new thread")),
    ],
)
def test_where_there_is_no_process_now_there_may_be_one_later(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, error: Exception
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    code = b"def walrus():\n    pass\n" * 100
    sandbox.CHILD.stop()
    monkeypatch.setattr(module, name, refuse)
    assert [each.code for each in parse(code, "a.py").diagnostics] == ["no-process"]
    monkeypatch.undo()
    assert len(parse(code, "a.py").headings) == 100


def test_the_child_finds_modules_where_this_program_does(tmp_path: Path) -> None:
    """A program may have leafmark in a folder of its own, which only it knows of."""
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]; import leafmark;"
        "print(len(leafmark.chunk('def walrus():\\n    pass\\n' * 100, path='a.py')))"
    )
    python = getattr(sys, "_base_executable", sys.executable)  # it knows nothing of leafmark
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-c", program, *sys.path, str(Path(leafmark.__file__).parents[1])],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environ,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("101\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("is_late", [False, True])
def test_a_child_that_is_killed_each_time_says_nothing_lasting_of_the_source(
    monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    """A system that is out of memory kills what takes much; what takes too long, we kill."""
    receive = child.receive

    def end(stream: Any) -> Any:
        process = sandbox.CHILD.process
        assert process is not None
        process.kill()
        process.wait()
        return receive(io.BytesIO())

    if is_late:
        sandbox.CHILD.stop()
        monkeypatch.setattr(sandbox, "WAIT_SECONDS", 0)
        monkeypatch.setattr(sandbox, "await_child", lambda _: None)
        monkeypatch.setattr(sandbox, "send", lambda *_: None)
    else:
        monkeypatch.setattr(sandbox, "receive", end)
    (note,) = parse(b"class A { void f() {} }\n", "A.java").diagnostics
    told = {
        False: (
            "no-process",
            "the process that parses longer code was killed, perhaps for lack of memory",
        ),
        True: ("degraded", "too much work for the java parser"),
    }
    assert (note.code, note.message) == (
        told[is_late][0],
        f"read as plain text: {told[is_late][1]}",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_child_that_somebody_else_ends_says_nothing_of_the_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A service is stopped with all its processes, while its index is brought up to date."""
    data, receive, ended = b"class A { void f() {} }\n", child.receive, list[int]()

    def end(stream: Any) -> Any:
        if not ended:
            process = sandbox.CHILD.process
            assert process is not None
            ended.append(process.pid)
            process.terminate()
            process.wait()
            stream = io.BytesIO()  # it may have answered before
        return receive(stream)

    monkeypatch.setattr(sandbox, "receive", end)
    document = parse(data, "A.java")
    assert (len(document.headings), document.diagnostics, len(ended)) == (2, (), 1)
