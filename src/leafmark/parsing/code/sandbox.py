"""Source code to a `Document`: a heading for each definition, code blocks for everything.

A definition has no heading line: its heading is empty and stands where its span
begins. A source in a language without an installed grammar is plain text; so is one
that exceeds the limits of the parser, which a diagnostic reports.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from typing import IO

from leafmark.child import (
    await_child,
    can_start,
    end_child,
    receive,
    send,
    start_child,
    take_standard_streams,
)
from leafmark.environment import reset_after_fork
from leafmark.model import NO_PROCESS, Block, Document, Heading
from leafmark.parsing.code.blocks import script_blocks
from leafmark.parsing.code.definitions import Definition, find_definitions
from leafmark.parsing.code.grammars import TooMuchWorkError, grammar_of, parse_tree
from leafmark.parsing.code.javascript import blank_macros
from leafmark.parsing.code.languages import Language, has_module, language_of
from leafmark.parsing.decoding import Decoded, decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import without_mark
from leafmark.parsing.text import degraded_document, document_of_text
from leafmark.parsing.titles import file_title

__all__ = [
    "MAX_SCRIPT_BYTES",
    "KilledError",
    "NoChildError",
    "NoPythonError",
    "Parsed",
    "TooMuchWorkError",
    "parse_here",
    "parse_in_child",
    "parse_script",
]


# Hostile sources can drive grammars out of memory or time: a few kilobytes of nonsense can take
# gigabytes or minutes, or crash the process, inside a single step of tree-sitter that cannot be
# interrupted. So sources are parsed in a child process under limits of memory and time, which is
# started when it is first needed and greets when it is ready. When it dies, the source is plain
# text, and the next one gets a new child.

Parsed = tuple[list[Definition], tuple[Block, ...]]

MEMORY_BYTES = 1 << 29
"""The address space of the child, if the system can limit it; real sources need half at most."""

CPU_SECONDS = 5
"""Processor time that a source may take, and a second more for each `_BYTES_PER_SECOND`."""

_BYTES_PER_SECOND = 200_000

LARGE_BYTES = 400_000
"""A child that parsed a source of this size is ended, since it keeps much memory."""

WAIT_SECONDS = 120
"""The longest wait for an answer, on systems that cannot limit processor time."""

_ENDED_BY_OTHERS = frozenset(
    -number
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")
    if (number := getattr(signal, name, None)) is not None
)
"""Signals by which a child ends that do not come from a source: a service is stopped, or the
system is out of memory and kills the largest process."""


_KILLED = getattr(signal, "SIGKILL", 0)


class NoChildError(Exception):
    """The child could not be started: there is no memory or no process left."""


class NoPythonError(NoChildError):
    """There is no Python to start, as in a frozen program, or in one that embeds Python."""


class KilledError(Exception):
    """Another process ended the child."""


class _Child:
    """The child process and its connection: one request at a time."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._greeted = False
        self._owner = 0
        self._lock = threading.Lock()

    def ask(self, language: Language, source: bytes) -> Parsed:
        """Return what the child found.

        Raises:
            TooMuchWorkError: it died, or took too long.
            KilledError: somebody else ended it, twice.
            NoChildError: it could not be started.
        """
        with self._lock:
            try:
                return self._ask(language, source)
            except KilledError:
                return self._ask(language, source)

    def _ask(self, language: Language, source: bytes) -> Parsed:
        """Ask once.

        Raises:
            TooMuchWorkError, NoChildError: as `ask`.
            KilledError: others ended it.
        """
        process = self._running()
        expired = threading.Event()
        timer = threading.Timer(WAIT_SECONDS, _end_late, (process, expired))
        try:
            timer.start()
            assert process.stdin is not None
            assert process.stdout is not None
            self._meet(process.stdout)
            send(process.stdin, (language, source))
            answer = receive(process.stdout)
        except (OSError, EOFError) as error:
            self.stop()
            if not expired.is_set() and self._was_ended_by_others(process):
                raise KilledError from error
            raise (TooMuchWorkError if self._greeted else NoChildError) from error
        except RuntimeError as error:  # no thread can be started
            self.stop()
            raise NoChildError from error
        except BaseException:  # an answer that nobody takes would be the next one's
            self.stop()
            raise
        finally:
            timer.cancel()
        if len(source) >= LARGE_BYTES:
            self.stop()
        if answer is None:
            raise TooMuchWorkError
        parsed: Parsed = answer
        return parsed

    def _was_ended_by_others(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether neither a source nor this process ended it, which kills a silent child."""
        code = process.returncode
        return code in _ENDED_BY_OTHERS and (self._greeted or code != -_KILLED)

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self._owner != os.getpid() or self.process.poll() is not None:
            self.stop()
            self._owner, self._greeted = os.getpid(), False
            self.process = _started()
        return self.process

    def _meet(self, answers: IO[bytes]) -> None:
        """Wait until a new child is ready."""
        if not self._greeted:
            await_child(answers)
            self._greeted = True

    def stop(self) -> None:
        """End the child, if there is one."""
        process, self.process = self.process, None
        if process is None or self._owner != os.getpid():
            return
        end_child(process)

    def reset(self) -> None:
        """Forget child and lock in a fork of this process, which no thread could release."""
        self._lock = threading.Lock()


CHILD = _Child()
atexit.register(CHILD.stop)
reset_after_fork(CHILD.reset)


def parse_in_child(language: Language, source: bytes) -> Parsed:
    """Return the definitions and blocks of `source`, found in the child process.

    Raises:
        TooMuchWorkError: it takes more work, memory or time than a source may.
        KilledError: somebody else ended the child process, twice.
        NoChildError: there can be no child process.
    """
    return CHILD.ask(language, source)


def _end_late(process: subprocess.Popen[bytes], expired: threading.Event) -> None:
    expired.set()
    process.kill()


def _started() -> subprocess.Popen[bytes]:
    if not can_start():
        raise NoPythonError
    try:
        return start_child(main, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise NoChildError from error


def _answer(language: Language, source: bytes) -> Parsed | None:
    try:
        return parse_here(language, source)
    except (TooMuchWorkError, MemoryError):
        return None


def parse_here(language: Language, source: bytes) -> Parsed:
    """Return the definitions and blocks of `source`, whose grammar is installed.

    Raises:
        TooMuchWorkError: the parser reports more work than a source of its size takes.
    """
    grammar = grammar_of(language)
    shown = blank_macros(source) if language.name in ("c", "cpp") else source
    tree = parse_tree(grammar, shown)
    definitions = find_definitions(tree, shown, grammar, language)
    return definitions, script_blocks(tree, source, definitions, grammar, language.name)


def _limit(size: int) -> None:
    """Limit the child's memory and time for a source; Windows has no such limits."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = used.ru_utime + used.ru_stime + CPU_SECONDS + size / _BYTES_PER_SECOND
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, hard))


def serve(
    requests: IO[bytes], answers: IO[bytes], *, limit: Callable[[int], None] = _limit
) -> None:
    """Answer requests until there are no more."""
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            language, source = receive(requests)
            limit(len(source))
            send(answers, _answer(language, source))


def main() -> None:
    """Run the child process."""
    requests, answers = take_standard_streams()
    serve(requests, answers)


MAX_SCRIPT_BYTES = 2_000_000
"""A syntax tree takes up to a hundred times the memory of its source."""

CALM_BYTES = 2000
"""Sources up to this size are parsed in this process: they cannot take much time or memory."""


_NO_PYTHON = "longer code is parsed in a process of its own, and no Python can be started"


def parse_script(data: bytes, path: str) -> Document:
    """Return the document of a source in a programming language."""
    decoded = decode(data, path)
    language = language_of(path, decoded.data)
    if language is None or not has_module(f"tree_sitter_{language.module}"):
        return document_of_text(decoded, path)
    if len(decoded.data) > MAX_SCRIPT_BYTES:
        limit = f"{MAX_SCRIPT_BYTES:,} bytes"
        return degraded_document(decoded, path, "text", f"code of more than {limit} is not parsed")
    source = without_lone_returns(without_mark(decoded.encoded))
    source = source.replace(b"\0", b" ")
    try:
        in_child = language.in_child or len(source) > CALM_BYTES
        definitions, blocks = (parse_in_child if in_child else parse_here)(language, source)
    except TooMuchWorkError:
        reason = f"too much work for the {language.name} parser"
        return degraded_document(decoded, path, "text", reason)
    except NoPythonError:
        return degraded_document(decoded, path, "text", _NO_PYTHON)
    except NoChildError:
        return degraded_document(decoded, path, "text", _NO_PYTHON, code=NO_PROCESS)
    except KilledError:
        reason = "the process that parses longer code was killed, perhaps for lack of memory"
        return degraded_document(decoded, path, "text", reason, code=NO_PROCESS)
    return Document(
        path,
        decoded.data,
        "script",
        file_title(path),
        encoding=decoded.encoding,
        headings=tuple(_heading(definition, decoded) for definition in definitions),
        blocks=blocks,
        diagnostics=decoded.diagnostics,
    )


def _heading(definition: Definition, decoded: Decoded) -> Heading:
    """Return the heading of a definition; it has no heading line, only a span."""
    return Heading(
        level=definition.depth + 1,
        title=decoded.restore(definition.title),
        slug_text=definition.title,
        start=definition.start,
        end=definition.start,
        limit=definition.end,
        slug_path=decoded.restore(definition.path),
        line_offset=definition.signature,
    )
