"""Source code to a `Document`: a heading for each definition, code blocks for everything.

A definition has no heading line: its heading is empty and stands where its span
begins. A language without a grammar, or whose grammar is not installed, is plain
text; so is a source that is too much for the parser, and then the document says so.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from leafmark.environment import reset_after_fork
from leafmark.model import NO_PROCESS, Block, Document, Heading
from leafmark.parsing.code.blocks import script_blocks
from leafmark.parsing.code.definitions import Definition, find_definitions
from leafmark.parsing.code.grammars import TooMuchWorkError, grammar_of, parse_tree
from leafmark.parsing.code.languages import Language, has_module, language_of
from leafmark.parsing.code.rules import blank_macros
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
    "parse_apart",
    "parse_here",
    "parse_script",
]


# -- script_worker ------------------------------------------------------------
# Parsing in a process of its own: hostile sources can drive grammars out of memory or time.
#
# A few kilobytes of nonsense can take gigabytes or minutes, or crash the process,
# inside a single step of tree-sitter that cannot be interrupted. So sources are
# parsed in a child process under limits of memory and time. When it dies, the
# source is plain text, and the next one gets a new child.
#
# The child is this Python, which finds its modules where this program does. It greets when it
# is ready; requests and answers go through its standard streams, each a pickle with its length
# before it. It is started when it is first needed.

Parsed = tuple[list[Definition], tuple[Block, ...]]

MEMORY_BYTES = 1 << 29
"""Address space of the child, where the system can limit it; real sources need half at most."""

CPU_SECONDS = 5
"""Processor time that a source may take, and a second more for each `_BYTES_PER_SECOND`."""

_BYTES_PER_SECOND = 200_000

LARGE_BYTES = 400_000
"""A child that parsed a source of this size is ended: it keeps much of the memory that it took."""

WAIT_SECONDS = 120
"""How long is waited for an answer at most, on systems that cannot limit processor time."""

_LENGTH = struct.Struct("<Q")

_START = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from leafmark.parsing.code.sandbox import main; main()"
)

_GREETING = b"leafmark"

_ENDED_BY_OTHERS = frozenset(
    -number
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")
    if (number := getattr(signal, name, None)) is not None
)
"""How a child ends that was not driven to it by a source: a service is stopped, say, or the
system is out of memory and kills what takes most of it."""


_KILLED = getattr(signal, "SIGKILL", 0)

_NEW_PROCESS_GROUP = 0x0000_0200
_NO_WINDOW = 0x0800_0000


class NoChildError(Exception):
    """The child could not be started: there is no memory for it, or no process is left to us."""


class NoPythonError(NoChildError):
    """There is no Python to start, as in a frozen program, or in one that embeds Python."""


class KilledError(Exception):
    """Somebody else ended the child."""


class _Child:
    """The child process, and what talks to it: one request at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
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
        late = threading.Event()
        timer = threading.Timer(WAIT_SECONDS, _end_late, (process, late))
        try:
            timer.start()
            assert process.stdin is not None
            assert process.stdout is not None
            self._meet(process.stdin, process.stdout)
            _send(process.stdin, (language, source))
            answer = _receive(process.stdout)
        except (OSError, EOFError) as error:
            self.stop()
            if not late.is_set() and self._was_ended_by_others(process):
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
        found: Parsed = answer
        return found

    def _was_ended_by_others(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether neither a source nor we did; one that does not greet, we kill ourselves."""
        code = process.returncode
        return code in _ENDED_BY_OTHERS and (self._greeted or code != -_KILLED)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self.stop()
            self._owner, self._greeted = os.getpid(), False
            self._process = _started()
        return self._process

    def _meet(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        """Tell a child that was just started where modules are, and wait until it is ready."""
        if self._greeted:
            return
        pickle.dump(sys.path, requests, pickle.HIGHEST_PROTOCOL)
        requests.flush()
        if answers.read(len(_GREETING)) != _GREETING:
            raise EOFError
        self._greeted = True

    def stop(self) -> None:
        """End the child, if there is one."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        process.wait()

    def reset(self) -> None:
        """In a forked child of this program: whoever had the lock is not here to let it go."""
        self._lock = threading.Lock()


_child = _Child()
atexit.register(_child.stop)
reset_after_fork(_child.reset)


def parse_apart(language: Language, source: bytes) -> Parsed:
    """Return the definitions and blocks of `source`, found in the child process.

    Raises:
        TooMuchWorkError: it takes more work, memory or time than a source may.
        KilledError: somebody else ended the child process, twice.
        NoChildError: there can be no child process.
    """
    return _child.ask(language, source)


def _end_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _started() -> subprocess.Popen[bytes]:
    if not sys.executable or getattr(sys, "frozen", False):  # it would be the program itself
        raise NoPythonError
    try:
        return subprocess.Popen(
            # -P: of itself it imports nothing from the folder that is being read
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **_apart(os.name),
        )
    except OSError as error:
        raise NoChildError from error


def _apart(system: str) -> dict[str, Any]:
    """Put the child out of reach of Ctrl-C: an interrupt is for the parent to heed.

    Where the parent has no terminal, Windows would open a window for the child.
    """
    if system == "nt":
        return {"creationflags": _NEW_PROCESS_GROUP | _NO_WINDOW}
    return {"start_new_session": True}


def _send(stream: IO[bytes], value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """The next value of the other side, which is this program itself.

    Raises:
        EOFError: it has ended.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


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
    """Keep the child within memory and time for a source; Windows has no such limits."""
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
            language, source = _receive(requests)
            limit(len(source))
            _send(answers, _answer(language, source))


def main() -> None:
    """Be the child."""
    sys.stdout.buffer.write(_GREETING)
    sys.stdout.buffer.flush()
    serve(sys.stdin.buffer, sys.stdout.buffer)


MAX_SCRIPT_BYTES = 2_000_000
"""A syntax tree takes up to a hundred times the memory of its source."""

CALM_BYTES = 2000
"""Sources up to this size are parsed in this process: they cannot take much, whatever they hold."""


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
    source = _parseable(decoded)
    try:
        is_apart = language.apart or len(source) > CALM_BYTES
        definitions, blocks = (parse_apart if is_apart else parse_here)(language, source)
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
        headings=tuple(_heading(each, decoded) for each in definitions),
        blocks=blocks,
        diagnostics=decoded.diagnostics,
    )


def _heading(definition: Definition, decoded: Decoded) -> Heading:
    """A definition has no heading line: its span is all of it."""
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


def _parseable(decoded: Decoded) -> bytes:
    """The source for the parser, byte for byte as long: no bad bytes, NUL or lone CR."""
    source = without_lone_returns(without_mark(decoded.encoded))
    return source.replace(b"\0", b" ")
