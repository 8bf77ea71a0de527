"""`leafmark chunk` on real files, in this process."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from support.fake_app import Leafmark, Ran, Terminal
from support.schema import problems

from leafmark.app.settings import SETTINGS
from leafmark.app.sources.folders import Tree
from leafmark.chunking import tokenizer_names
from leafmark.cli.command import find_command
from leafmark.cli.console import Console
from leafmark.cli.entry import run
from leafmark.model import FileState

GUIDE = """---
title: Guide
version: 2
tags: [setup]
---
# Guide

Read this first.

## Setup

Install the package.

```sh
make install
```
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE)
    (folder / "more").mkdir()
    (folder / "more" / "b.md").write_text("# B\n\n" + "Words of a sentence. " * 200)
    (folder / "a.txt").write_text("Plain text.\n")
    (folder / ".gitignore").write_text("drafts/\n")
    (folder / "drafts").mkdir()
    (folder / "drafts" / "d.md").write_text("# Draft\n\ntext\n")
    (folder / ".env").write_text("KEY=1\n")
    return folder


@pytest.fixture
def chunk(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Leafmark:
    """Run `leafmark chunk` in the folder `docs`."""

    def call(*argv: str, stdin: str = "", terminal: bool = False, **environ: str) -> Ran:
        out, err = (Terminal() if terminal else io.StringIO() for _ in range(2))
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        home = {"HOME": str(tmp_path), "LEAFMARK_HOME": str(tmp_path / "home")}
        code = run(["chunk", "-C", str(work), *argv], home | {"COLUMNS": "80"} | environ)
        return Ran(code, out.getvalue(), err.getvalue())

    return call


def ids(ran: Ran) -> list[str]:
    return [json.loads(line)["id"] for line in ran.out.splitlines()]


TREE = """\
docs:guide.md › Guide (v2) [setup]: 3 chunks, 18 tokens
  .0 Guide                                                    0 empty
  .1   Guide #guide                                           5 prose
  .2     Setup #setup                                        13 mixed

docs:a.txt › a: 1 chunk, 3 tokens
  .0 a                                                        3 prose
"""


def test_the_tree_is_for_reading(chunk: Leafmark) -> None:
    ran = chunk("guide.md", "a.txt")
    assert (ran.code, ran.out, ran.err) == (0, TREE, "")


def test_sizes_in_characters_say_so(chunk: Leafmark) -> None:
    head = "docs:a.txt › a: 1 chunk, 12 characters\n"
    assert chunk("a.txt", "--preset", "ra").out.startswith(head)
    assert "1 chunk, 12 characters ·" in chunk("a.txt", "--preset", "ra", "-o", "html").out


def test_no_line_of_the_tree_is_wider_than_the_terminal(chunk: Leafmark, work: Path) -> None:
    title = "Überschrift 日本語 " * 12
    (work / "w.md").write_text("".join(f"{'#' * k} {title}\n\ntext\n\n" for k in range(1, 7)))
    lines = chunk("w.md").out.splitlines()[1:]
    assert len(lines) == 7
    from leafmark.render.terminal import display_width

    assert max(map(display_width, lines)) <= 80


def test_pieces_show_their_first_words_or_the_sections_in_them(chunk: Leafmark, work: Path) -> None:
    piece = next(line for line in chunk("more/b.md").out.splitlines() if "~1" in line)
    assert "~1 Words of a sentence. Words" in piece
    small = "".join(f"## S{k}\n\n{'word ' * 40}\n\n" for k in range(40))
    (work / "s.md").write_text(small)
    packed = chunk("s.md", "-s", "section").out
    assert "~1 #s0 #s1 #s2" in packed


def test_pieces_of_pages_show_what_is_read_in_them(chunk: Leafmark, work: Path) -> None:
    page = f"<h1>A</h1><p><b>Some</b> words &amp; more.</p>{'<p>Other words.</p>' * 40}"
    (work / "p.html").write_text(page)
    out = chunk("p.html", "--max-tokens", "60").out
    assert "~1 Some words & more. Other words." in out
    assert "<" not in out


def test_jsonl_holds_a_record_a_line(chunk: Leafmark) -> None:
    ran = chunk("guide.md", "--jsonl")
    assert ran.code == 0
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert [problems(record, "chunk") for record in records] == [[], [], []]
    assert [record["id"] for record in records] == [
        "docs:guide.md",
        "docs:guide.md#guide",
        "docs:guide.md#setup",
    ]
    assert chunk("guide.md", "-o", "jsonl").out == ran.out


def test_json_is_one_object(chunk: Leafmark) -> None:
    ran = chunk("guide.md", ".env", "--json")
    assert ran.code == 0
    assert problems(ran.json, "chunks") == []
    assert len(ran.json["chunks"]) == 3
    assert ran.json["skipped"] == [{"path": ".env", "reason": "secret"}]
    assert ran.json["findings"] is None
    strict = chunk("guide.md", "--json", "--strict")
    assert (strict.code, problems(strict.json, "chunks")) == (1, [])
    assert {one["kind"] for one in strict.json["findings"]} == {"below_min"}


def test_json_of_nothing_is_an_object_too(chunk: Leafmark) -> None:
    ran = chunk("-", "--json", stdin=" \n")
    assert (ran.code, ran.json["chunks"], problems(ran.json, "chunks")) == (1, [], [])


STATS = """\
documents   2
chunks      4 (1 without a body)
tokens      21 in bodies (o200k_base)
sizes       min 3, mean 7.0, median 5.0, max 13
estimate    2; actual 3
deviations  1 document over the tolerance
  docs:guide.md: 2 chunks, estimated 1
quality     2 findings
  below_min 2
    docs:guide.md#guide: 5 tokens; the least is 100
    docs:guide.md#setup: 13 tokens; the least is 100
"""


def test_statistics(chunk: Leafmark) -> None:
    ran = chunk("guide.md", "a.txt", "-o", "stats")
    lines = [line for line in ran.out.splitlines(True) if not line.startswith("time")]
    assert (ran.code, "".join(lines)) == (0, STATS)
    as_json = chunk("guide.md", "a.txt", "-o", "stats", "--json").json
    assert problems(as_json, "chunk_statistics") == []
    assert as_json["statistics"]["chunks"] == 4


def test_statistics_say_what_sizes_are_counted_in(chunk: Leafmark, work: Path) -> None:
    out = chunk("guide.md", "-o", "stats", "--preset", "ra").out
    assert re.search(r"^characters  \d+ in bodies$", out, re.MULTILINE)
    (work / "leafmark.toml").write_text("[tree.m]\npath = 'more'\nchunking.preset = 'ra'\n")
    out = chunk(".", "-o", "stats").out
    assert re.search(
        r"^tokens      [\d,]+ in bodies \(characters, o200k_base\)$", out, re.MULTILINE
    )
    found = json.loads(chunk(".", "-o", "stats", "--json").out)
    assert found["tokenizers"] == ["characters", "o200k_base"]


def test_long_lists_are_cut_short_without_v(chunk: Leafmark, work: Path) -> None:
    (work / "many.md").write_text("".join(f"# S{k}\n\ntext\n\n" for k in range(30)))
    cut = chunk("many.md", "-o", "stats").out
    assert "    and 20 more: -v prints them all\n" in cut
    assert chunk("many.md", "-o", "stats", "-v").out.count("the least is") == 30


def test_strict_names_the_findings(chunk: Leafmark) -> None:
    ran = chunk("guide.md", "--strict", "--jsonl")
    assert ran.code == 1
    assert ran.err == (
        "  below_min 2\n"
        "    docs:guide.md#guide: 5 tokens; the least is 100\n"
        "    docs:guide.md#setup: 13 tokens; the least is 100\n"
    )
    assert chunk("guide.md", "--strict", "-s", "section").code == 0
    assert chunk("more", "--strict", "-s", "section").code == 0


def test_strict_minds_diagnostics(chunk: Leafmark, work: Path) -> None:
    (work / "bad.md").write_bytes(b"# A\n\nt\xffxt\n")
    assert chunk("bad.md", "-s", "section").code == 0
    ran = chunk("bad.md", "-s", "section", "--strict")
    assert ran.code == 1
    assert "--> bad.md" in ran.err


def test_folders_are_walked_and_files_come_once(chunk: Leafmark) -> None:
    assert [name for name in ids(chunk(".", "--jsonl")) if "#" not in name] == [
        "docs:a.txt",
        "docs:guide.md",
        "docs:more/b.md",
    ]
    twice = ids(chunk("more", "guide.md", ".", "--jsonl"))
    assert len(twice) == len(set(twice))
    assert twice[0] == "docs:more/b.md"


def test_a_named_file_overrides_ignore_rules_but_not_those_for_secrets(chunk: Leafmark) -> None:
    assert ids(chunk("drafts/d.md", "--jsonl"))[0] == "docs:drafts/d.md"
    ran = chunk(".env")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "skipped .env: secret\nno chunk: there was no text\n"


def test_standard_input_has_a_name(chunk: Leafmark) -> None:
    assert ids(chunk("-", "--jsonl", stdin="# A\n\ntext\n")) == [
        "docs:stdin.md",
        "docs:stdin.md#a",
    ]
    page = "<title>P</title><h1>A</h1><p>text</p>"
    ran = chunk("-", "--name", "x/p.html", "--tree", "web", "--jsonl", stdin=page)
    assert ids(ran) == ["web:x/p.html", "web:x/p.html#a"]


def test_standard_input_of_a_format_that_is_not_read(chunk: Leafmark) -> None:
    ran = chunk("-", "--name", "a/report.PDF", stdin="%PDF-1.4")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "warning: .pdf files are not read; convert them to Markdown or text with pdftotext or "
        "docling\n  --> a/report.PDF\nno chunk: there was no text\n"
    )


def test_the_root_begins_paths_and_names_the_tree(chunk: Leafmark, work: Path) -> None:
    assert ids(chunk("more/b.md", "--root", "more", "--jsonl"))[0] == "more:b.md"
    assert ids(chunk("more/b.md", "--tree", "mine", "--jsonl"))[0] == "mine:more/b.md"
    assert ids(chunk("guide.md", "--root", "..", "-t", "x", "--jsonl"))[0] == "x:docs/guide.md"
    outside = work.parent / "other" / "o.md"
    outside.parent.mkdir()
    outside.write_text("# O\n\ntext\n")
    assert ids(chunk("../other/o.md", "--jsonl"))[0] == "other:o.md"


def test_the_configuration_of_a_tree_applies(chunk: Leafmark, work: Path) -> None:
    (work / "leafmark.toml").write_text(
        "[chunking]\nstrategy = 'section'\n"
        "[tree.m]\npath = 'more'\n"
        "[tree.m.chunking]\nstrategy = 'fixed'\nfixed_tokens = 100\n"
    )
    assert ids(chunk("more/b.md", "--jsonl"))[:2] == ["m:b.md", "m:b.md~1"]
    assert ids(chunk("guide.md", "--jsonl")) == ["docs:guide.md"]
    assert ids(chunk("more/b.md", "-t", "m", "-s", "heading", "--jsonl")) == ["m:b.md", "m:b.md#b"]
    assert len(ids(chunk("-", "-t", "m", "--jsonl", stdin="word " * 500))) > 5


def test_a_folder_that_holds_trees_gives_their_files_as_theirs(chunk: Leafmark, work: Path) -> None:
    """Named by itself, or met on the way: a file has the same ids and settings."""
    odd = work / "o[d]d !" / "in"
    odd.mkdir(parents=True)
    (odd / "o.md").write_text("# O\n\ntext\n")
    (odd / "data.json").write_text('{"a": 1}')
    (work / "leafmark.toml").write_text(
        "[tree.m]\npath = 'more'\n[tree.m.chunking]\nstrategy = 'section'\n"
        "[tree.odd]\npath = 'o[d]d !/in'\ninclude = ['*.json']\n"
        "[tree.gone]\npath = 'gone'\n"
    )
    found = json.loads(chunk(".", "--json").out)
    documents = [one["id"] for one in found["chunks"] if one["kind"] == "document"]
    assert documents == ["docs:a.txt", "docs:guide.md", "m:b.md", "odd:data.json"]
    assert [one["path"] for one in found["skipped"] if one["path"].endswith("/")] == ["drafts/"]
    alone = chunk("more/b.md", "--jsonl").out
    assert chunk("more", "--jsonl").out == alone
    assert alone in chunk(".", "--jsonl").out
    assert ids(chunk("o[d]d !", "--jsonl"))[0] == "odd:data.json"
    assert "docs:more/b.md" in ids(chunk(".", "--root", ".", "--jsonl"))


def test_sizes_and_presets_are_flags(chunk: Leafmark) -> None:
    sizes = ("--min-tokens", "10", "--target-tokens", "40", "--max-tokens", "80")
    pieces = [name for name in ids(chunk("more/b.md", "--jsonl", *sizes)) if "~" in name]
    assert len(pieces) > 10
    preset = chunk("more/b.md", "--jsonl", "--preset", "ra").out
    spelled = "-s section --tokenizer characters --min-tokens 250"
    spelled += " --target-tokens 1000 --max-tokens 1200"
    assert chunk("more/b.md", "--jsonl", *spelled.split()).out == preset


def test_one_size_is_enough(chunk: Leafmark) -> None:
    bound = ("more/b.md", "--jsonl", "-s", "section", "--max-tokens", "60")
    ran = chunk(*bound)
    assert (ran.code, ran.err) == (0, "")
    assert max(json.loads(line)["tokens"] for line in ran.out.splitlines()) <= 60
    assert chunk(*bound, "--target-tokens", "60", "--min-tokens", "30") == ran
    assert chunk("more/b.md", "--jsonl", "--preset", "rag", "--max-tokens", "60") == ran


def test_every_setting_of_chunking_is_a_flag_that_takes_the_same() -> None:
    flags = {option.setting: option for option in find_command("chunk").options if option.setting}
    assert set(flags) == {name for name in SETTINGS if name.startswith("chunking.")}
    for name, option in flags.items():
        assert option.choices == SETTINGS[name].choices
        assert option.opts[-1] == "--" + name.partition(".")[2].replace("_", "-")


MISTAKES = [
    ((), "`leafmark chunk` needs FILE", "for example: leafmark chunk README.md"),
    (
        ("-", "a.txt"),
        "standard input and files cannot be chunked together",
        "leafmark chunk -, or leafmark chunk FILE...",
    ),
    (("-", "-"), "standard input can be read only once", "give - a single time"),
    (
        ("a.txt", "--name", "x.md"),
        "--name is for standard input",
        "leafmark chunk - --name guides/setup.md",
    ),
    (
        ("-", "--name", "../x.md"),
        "standard input cannot be called '../x.md'",
        "give it a path as it would have below the root, such as guides/setup.md",
    ),
    (("a.txt", "--json", "-o", "html"), "--json and -o html ask for different output", None),
    (("gone.md", "--json"), "there is nothing at 'gone.md'", None),
    (("a\0.md", "--json"), "there is nothing at 'a\\x00.md'", None),
    (("a.txt", "--root", "gone"), "there is no folder 'gone'", None),
    (
        ("a.txt", "--root", "more"),
        "'a.txt' is not below the root",
        "name a folder that holds it with --root",
    ),
    (
        ("a.txt", "--tree", "a b"),
        "a tree cannot be called 'a b'",
        "use letters, digits, `.`, `_` and `-`",
    ),
    (
        ("a.txt", "--max-tokens", "200", "--target-tokens", "300"),
        "target_tokens is 300",
        "target_tokens must be at most max_tokens (200)",
    ),
    (
        ("a.txt", "--tokenizer", "words"),
        "tokenizer is 'words'",
        "tokenizer must be one of {tokenizers}",
    ),
    (
        ("a.txt", "--preset", "rags"),
        "--preset got `rags`",
        "did you mean `rag`? There are: none, rag, packlet, ra",
    ),
]


@pytest.mark.parametrize(("argv", "message", "hint"), MISTAKES)
def test_mistakes(chunk: Leafmark, argv: tuple[str, ...], message: str, hint: str | None) -> None:
    if hint is not None:
        hint = hint.replace("{tokenizers}", ", ".join(tokenizer_names()))
    ran = chunk(*argv)
    assert ran.code == 2
    if "--json" in argv:
        assert (ran.json["error"]["message"], ran.json["error"]["hint"]) == (message, hint)
    else:
        told = [line for line in ran.err.splitlines() if not line.startswith("  -->")]
        assert told == [f"error: {message}", *([f"hint: {hint}"] if hint else [])]


def test_the_output_streams(chunk: Leafmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is held back until the last source was read."""
    from leafmark.app import chunking
    from leafmark.app.sources import files

    printed: list[bool] = []
    written: list[str] = []

    def read(tree: Tree, path: str) -> tuple[bytes, FileState]:
        printed.append(bool(written))
        return files.read_beneath(tree, path)

    def write(console: Console, text: str) -> None:
        written.append(text)
        print_text(console, text)

    print_text = Console.write
    monkeypatch.setattr(Console, "write", write)
    monkeypatch.setattr(chunking, "read_beneath", read)
    assert chunk("guide.md", "more", "--jsonl").code == 0
    assert printed == [False, True]


def test_progress_is_drawn_on_a_terminal_only_where_it_disturbs_nothing(
    chunk: Leafmark, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setattr("leafmark.render.terminal.INTERVAL_S", 0.0)
    assert "chunking 3 of 3" in chunk(".", "-o", "stats", terminal=True, TERM="xterm").err
    assert "chunking" not in chunk(".", terminal=True, TERM="xterm").err
    assert "chunking" not in chunk(".", "-o", "stats").err
