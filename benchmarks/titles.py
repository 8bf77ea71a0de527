"""Section titles of reStructuredText and AsciiDoc against docutils and Asciidoctor.

    python -m benchmarks.titles rst|adoc FOLDER…

For each file, the sections that the format's own processor makes must be those
found here, level by level and title by title. Prints the first difference of each
file; exit code 1 if there is any. docutils is no dependency: install it beside
leafmark. For AsciiDoc, Ruby and its gem `asciidoctor` are needed. Conditions and
includes are made comments for both, since leafmark obeys neither.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from leafmark.parsing import parse

Title = tuple[int, str]

SUFFIXES = {"rst": ("*.rst", "*.rst.txt", "*.rest"), "adoc": ("*.adoc", "*.asciidoc")}
SHOWN_AT_MOST = 20
TYPOGRAPHY = str.maketrans(
    dict.fromkeys("'`\"\u2018\u2019\u201c\u201d\u200b")
    | {"\u2014": "--", "\u2026": "...", "\u2192": "->", "\u2009": " "}
)

_DIRECTIVES = re.compile(rb"(?m)^((?:ifdef|ifndef|ifeval|endif|include)::.*)$")

ASCIIDOCTOR = r"""
require 'asciidoctor'
require 'json'
Asciidoctor::LoggerManager.logger.level = 5
walk = lambda do |block, found|
  block.blocks.each do |child|
    next unless child.respond_to?(:blocks)
    if child.context == :section
      found << [child.level + 1, child.title]
      walk.call(child, found)
    elsif [:preamble, :open].include?(child.context)
      walk.call(child, found)
    end
  end
end
JSON.parse(STDIN.read).each do |text|
  document = Asciidoctor.load(text, safe: :secure, doctype: 'book')
  found = document.header && document.header.title ? [[1, document.doctitle]] : []
  walk.call(document, found)
  puts JSON.dump(found)
end
"""


def by_docutils(sources: Sequence[bytes]) -> Iterator[list[Title]]:
    """The sections that docutils makes; roles that it does not know are plain text."""
    nodes, rst = import_module("docutils.nodes"), import_module("docutils.parsers.rst")
    utils, frontend = import_module("docutils.utils"), import_module("docutils.frontend")
    roles: Any = import_module("docutils.parsers.rst.roles")

    def role(*_: object) -> tuple[Callable[..., Any], list[Any]]:
        return plain_role, []

    def plain_role(_n: str, raw: str, text: str, *_: object, **__: object) -> tuple[Any, Any]:
        shown = utils.unescape(text)
        linked = re.match(r"(?s)(.*?)\s*<([^<>]+)>\Z", shown)
        if linked:
            shown = linked[1] or linked[2]
        elif shown.startswith("~"):
            shown = shown.rsplit(".", 1)[-1].lstrip("~")
        return [nodes.literal(raw, shown.removeprefix("!"))], []

    def sections(node: Any, depth: int = 1) -> Iterator[Title]:
        for child in node.children:
            if isinstance(child, nodes.section):
                yield depth, " ".join(child[0].astext().split())
                yield from sections(child, depth + 1)

    roles.role = role
    settings = frontend.get_default_settings(rst.Parser)
    settings.report_level, settings.halt_level, settings.warning_stream = 5, 6, None
    settings.file_insertion_enabled = False
    for source in sources:
        document = utils.new_document("a", settings)
        rst.Parser().parse(source.decode(), document)
        yield list(sections(document))


def by_asciidoctor(sources: Sequence[bytes]) -> Iterator[list[Title]]:
    """The sections that Asciidoctor makes, with their titles as a page shows them."""
    given = json.dumps([source.decode() for source in sources]).encode()
    done = subprocess.run(["ruby", "-e", ASCIIDOCTOR], input=given, capture_output=True, check=True)
    for line in done.stdout.splitlines():
        yield [(level, words(title)) for level, title in json.loads(line)]


def words(markup: str) -> str:
    """The text of a title that is HTML."""
    import html

    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", markup)).split())


def plain(titles: list[Title]) -> list[Title]:
    """Without typography: quotation marks are dropped, dashes and arrows are as typed."""
    return [(level, title.translate(TYPOGRAPHY)) for level, title in titles]


def ours(source: bytes, suffix: str) -> list[Title]:
    found = parse(source, f"a.{suffix}").headings
    return [(heading.level, heading.title) for heading in found if not heading.nested]


def main(suffix: str, folders: list[str]) -> int:
    patterns = SUFFIXES[suffix]
    paths = sorted(p for f in folders for each in patterns for p in Path(f).rglob(each))
    sources = [(path, path.read_bytes()) for path in paths if path.is_file()]
    sources = [
        (path, _DIRECTIVES.sub(rb"//\1", data) if suffix == "adoc" else data)
        for path, data in sources
    ]
    sources = [(path, data) for path, data in sources if is_utf8(data)]
    oracle = by_docutils if suffix == "rst" else by_asciidoctor
    wrong = total = 0
    for (path, data), wanted in zip(sources, oracle([data for _, data in sources]), strict=True):
        total += len(wanted)
        found = ours(data, suffix)
        if plain(found) != plain(wanted):
            wrong += 1
            pairs = zip([*found, None], [*wanted, None], strict=False)
            if wrong <= SHOWN_AT_MOST:
                print(f"{path}: " + next(f"{a} for {b}" for a, b in pairs if a != b))
    print(f"{len(sources)} files with {total} titles, {wrong} differ")
    return 1 if wrong else 0


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
