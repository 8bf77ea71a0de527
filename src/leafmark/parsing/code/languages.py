"""The programming language of a file: by its suffix, its name, or its `#!` line.

One table row per language. To add a language, add a row here, a table of rules in
`script_tables`, and cases to the tests.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec

from leafmark.namedtuples import NamedTuple


class Language(NamedTuple):
    """A programming language that has a grammar.

    `name` is what `lang:` finds and blocks carry. `module` and `function` lead to its
    tree-sitter grammar. `interpreters` are programs that a `#!` line names. `separator`
    stands between the names of a name path.
    `in_child`: a few words of nonsense can drive the grammar out of memory or time, so
    that it always runs in a process of its own.
    """

    name: str
    module: str
    suffixes: str
    function: str = "language"
    interpreters: str = ""
    file_names: str = ""
    separator: str = "."
    in_child: bool = False


LANGUAGES = (
    Language("python", "python", "py pyi pyw", interpreters="python pypy"),
    Language("javascript", "javascript", "js mjs cjs jsx", interpreters="node nodejs bun"),
    Language(
        "typescript", "typescript", "ts mts cts", "language_typescript", interpreters="deno ts-node"
    ),
    Language("tsx", "typescript", "tsx", "language_tsx"),
    Language("go", "go", "go"),
    Language("rust", "rust", "rs"),
    Language("java", "java", "java", in_child=True),
    Language("c", "c", "c h"),
    Language("cpp", "cpp", "cc cpp cxx c++ hh hpp hxx h++ ipp tpp", separator="::"),
    Language("csharp", "c_sharp", "cs csx"),
    Language(
        "ruby",
        "ruby",
        "rb rake gemspec ru",
        interpreters="ruby jruby",
        file_names="Rakefile Gemfile Vagrantfile Podfile",
    ),
    Language("php", "php", "php phtml", "language_php", interpreters="php"),
    Language(
        "bash",
        "bash",
        "sh bash ksh zsh bats",
        interpreters="sh bash dash ash ksh zsh bats",
        file_names="PKGBUILD APKBUILD",
    ),
    Language("sql", "sql", "sql"),
    Language("lua", "lua", "lua", interpreters="lua luajit"),
    Language("kotlin", "kotlin", "kt kts", in_child=True),
    Language("swift", "swift", "swift", in_child=True),
    Language("scala", "scala", "scala sc sbt", interpreters="scala"),
)

_BY_SUFFIX = {
    f".{suffix}": language for language in LANGUAGES for suffix in language.suffixes.split()
}
_BY_INTERPRETER = {
    name: language for language in LANGUAGES for name in language.interpreters.split()
}
_BY_FILE_NAME = {name: language for language in LANGUAGES for name in language.file_names.split()}

SCRIPT_SUFFIXES = frozenset(_BY_SUFFIX)
"""The suffixes of files in one of the languages, with their dot, lower-case."""

# Strings, compiled when they are needed: a search imports this module for its suffixes.
_FIRST_LINE_BYTES = 1000
_BANG = rb"(?:\xef\xbb\xbf)?#![ \t]*([^\s]+)(?:[ \t]+(.*))?"
_ENV_OPTION = r"-\S*|\w+=\S*"
_CPP_HEADER = (
    rb"(?m)^[ \t]*(?:class|namespace|template|using|public|private|protected)\b[^;{]*[;:{<>]"
    rb"|\bstd::|^[ \t]*#[ \t]*include[ \t]*<[a-z_]+>"
)
_HEADER_BYTES = 200_000


def installed_grammars() -> list[str]:
    """Return the names of the grammar packages that can be imported, without importing them."""
    modules = dict.fromkeys(f"tree_sitter_{language.module}" for language in LANGUAGES)
    return [module for module in modules if has_module(module)]


@cache
def has_module(name: str) -> bool:
    """Whether a module can be imported, without importing it."""
    return find_spec(name) is not None


def missing_grammar(path: str) -> str | None:
    """Return the language for the name of a file if its grammar is not installed.

    >>> missing_grammar("notes.md") is None
    True
    """
    language = _by_name(path)
    if language is None or has_module(f"tree_sitter_{language.module}"):
        return None
    return language.name


def language_of(path: str, data: bytes) -> Language | None:
    """Return the language of the file at `path`, which holds `data`; None if it is not known.

    The `#!` line decides if the name does not. A `.h` file is C++ if it has words
    that C does not have.

    >>> language_of("bin/run", b"#!/usr/bin/env -S python3 -u\\n").name
    'python'
    """
    named = _by_name(path)
    if path[-2:].lower() == ".h" and re.search(_CPP_HEADER, data[:_HEADER_BYTES]):
        named = _BY_SUFFIX[".hpp"]
    return named or _by_first_line(data)


def _by_name(path: str) -> Language | None:
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot > 0 else ""
    return _BY_SUFFIX.get(suffix) or _BY_FILE_NAME.get(name)


def _by_first_line(data: bytes) -> Language | None:
    """Return the language of the program in the `#!` line, whatever its version."""
    match = re.match(_BANG, data[:_FIRST_LINE_BYTES])
    if match is None:
        return None
    program = match[1].decode("latin-1")
    words = (match[2] or b"").decode("latin-1").split()
    name = program[program.rfind("/") + 1 :]
    if name == "env":
        name = next((word for word in words if not re.fullmatch(_ENV_OPTION, word)), "")
        name = name[name.rfind("/") + 1 :]
    return _BY_INTERPRETER.get(name.rstrip("0123456789."))
