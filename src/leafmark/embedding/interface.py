"""`Embedder`, the interface of every provider; windows and batches of texts; checks of answers.

A model cuts texts at its limit, so the end of a longer text would have no vector. So long texts
are split into windows of nearly equal length, which end at a line or at white space. If the text's
first line is a breadcrumb, each window begins with it, and so keeps the titles.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from leafmark.embedding.spec import PROVIDERS, EmbedderSpec, completed, revision_of
from leafmark.environment import install_extra, reset_after_fork
from leafmark.errors import LeafmarkError, ProviderError, Remedy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """(n_texts, dimension) float32, contiguous, rows of length 1.

    A row of zeros belongs to a text without a word that the model knows: it has no meaning to it.
    """
else:
    Vectors = object

SILENCING = MappingProxyType({"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1"})
"""Environment variables that keep packages from reporting to their makers.

ONNX Runtime (1.31) reads its variable once, on import. Its function to stop reporting comes too
late: by then it has a number of the device and a database in the user's cache folder.
"""

_LOADING = threading.Lock()


@reset_after_fork
def _reset_lock() -> None:
    """Replace the lock in a forked child, where no thread holds it."""
    global _LOADING
    _LOADING = threading.Lock()


@contextmanager
def loading() -> Iterator[None]:
    """Allow the block to load a model: one at a time, and without reports to its makers.

    Packages that two threads import at once may deadlock. A variable that the user has set
    stays as it is.
    """
    with _LOADING:
        for name, value in SILENCING.items():
            os.environ.setdefault(name, value)
        yield


def load_numpy() -> None:
    """Import NumPy, before a thread that loads a model and one that searches both import it.

    Raises:
        ProviderError: it is not installed.
    """
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        raise ProviderError(
            f"vectors need a package that is not installed: {error.name}",
            hint=install_extra("embed"),
        ) from error


class Embedder(Protocol):
    """One model, ready to use.

    Only vectors with the same `name` and `revision` are compared. `limit` is the number of tokens
    that the model reads of a text (0: not known). It cuts longer texts there, so texts should be
    embedded as `windows`.
    """

    @property
    def name(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def limit(self) -> int: ...

    def windows(self, text: str, limit: int = 0) -> Sequence[str]:
        """Return the parts of a text, at least one, each short enough for the model.

        A `limit` of tokens below the model's gives more and shorter windows.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, in order.

        Raises:
            ProviderError: the model failed, or its answer is invalid.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query, one row.

        Raises:
            ProviderError: as for documents.
        """
        ...


def check_dimension(vectors: Vectors, dimension: int, location: str) -> None:
    """Make sure that vectors have the expected dimension.

    Raises:
        ProviderError: they have another one.
    """
    if vectors.shape[1] != dimension:
        raise ProviderError(
            f"the embedder answered vectors of {vectors.shape[1]} numbers, not {dimension}",
            location=location,
            hint=Remedy("other-model", "another model may answer under that name now"),
        )


def checked_vectors(rows: object, *, count: int, dimension: int | None, location: str) -> Vectors:
    """Return a model's answer as vectors of length 1; vectors of zeros stay.

    `dimension` None accepts any. `location` is the place of the model, for errors.

    Raises:
        ProviderError: the answer has another number of vectors, another dimension, or no numbers.
    """
    import numpy as np

    vectors = _numbers(rows, location)
    if vectors.ndim != 2 or vectors.shape[0] != count:
        answered = vectors.shape[0] if vectors.ndim == 2 else 0
        raise ProviderError(
            f"the embedder answered another number of vectors ({answered}) than of texts ({count})",
            location=location,
            hint=_FEWER if 0 < answered < count else _NOT_AN_EMBEDDER,
        )
    if not vectors.shape[1]:
        message = "the embedder answered vectors without a number"
        raise ProviderError(message, location=location, hint=_NOT_AN_EMBEDDER)
    check_dimension(vectors, dimension or vectors.shape[1], location)
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        message = "the embedder answered a vector that is not finite"
        raise ProviderError(message, location=location, hint=FAULTY)
    norms[norms == 0] = 1
    checked: Vectors = vectors / norms
    return checked


def _numbers(rows: object, location: str) -> Vectors:
    """Return a model's answer as an array; numbers that are too large become infinite.

    Raises:
        ProviderError: it is not an array of numbers, or has rows of different lengths.
    """
    import numpy as np

    try:
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(rows, dtype=np.float32)
    except (ValueError, TypeError, OverflowError):
        raise ProviderError(
            "the embedder answered something other than vectors of one length",
            location=location,
            hint=_NOT_AN_EMBEDDER,
        ) from None


FAULTY = "the model or what runs it seems faulty: another version or another model may help"
_NOT_AN_EMBEDDER = "does this model make embeddings? embedding.model names it"
_FEWER = "it may take only one text at a time: a smaller embedding.batch_tokens asks for fewer"


def batches_by_length(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Yield positions of texts of similar length, for little padding; longest first.

    The cost of a batch is its longest text times its size: at most `most_tokens`, unless it is
    one text.

    >>> list(batches_by_length([3, 9, 4], 10))
    [[1], [2, 0]]
    """
    order = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    batch: list[int] = []
    for at in order:
        if batch and lengths[batch[0]] * (len(batch) + 1) > most_tokens:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def batches_in_order(
    lengths: Sequence[int], *, most_tokens: int, most_texts: int
) -> Iterator[range]:
    """Yield ranges of positions, in order, within both bounds; a single text always fits.

    >>> list(batches_in_order([5, 5, 5, 20], most_tokens=10, most_texts=9))
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    start = total = 0
    for at, length in enumerate(lengths):
        if at > start and (total + length > most_tokens or at - start >= most_texts):
            yield range(start, at)
            start, total = at, 0
        total += length
    if start < len(lengths):
        yield range(start, len(lengths))


BREADCRUMB = "> "
MAX_HEAD = 0.25
"""A breadcrumb longer than this share of the limit is not repeated (chosen by eye)."""

LINE_SHARE = 0.2
WORD_SHARE = 0.5
"""How far back in a window, as a share of it, to search for the end of a line or word (by eye)."""

MAX_WINDOWS = 64
"""The most windows of one text, about 16,000 tokens; the text after them has no vector."""


def windows_of(text: str, limit: int, count: Callable[[str], int]) -> list[str]:
    """Return the windows of `text`, each at most `limit` long, as measured by `count`.

    A text within the limit is its only window. Only white space between windows is left out.
    Linear if `count` is.

    >>> windows_of("> Tea\\n\\na b c d e f g h i", 8, lambda text: len(text.split()))
    ['> Tea\\n\\na b c d', '> Tea\\n\\ne f g h i']
    """
    if count(text) <= limit or text.isspace():
        return [text]
    head, body = _head(text, limit, count)
    parts = _parts(body, max(1, limit - count(head)), count)
    return [head + part for part in islice(parts, MAX_WINDOWS)]


def _head(text: str, limit: int, count: Callable[[str], int]) -> tuple[str, str]:
    """Return the breadcrumb with the blank line after it, and the rest."""
    if text.startswith(BREADCRUMB):
        line, blank, rest = text.partition("\n\n")
        if blank and rest.strip() and count(line) <= MAX_HEAD * limit:
            return line + blank, rest
    return "", text


def _parts(body: str, room: int, count: Callable[[str], int]) -> Iterator[str]:
    """Yield parts of nearly equal length: after each, the number of further ones is estimated."""
    start, end = len(body) - len(body.lstrip()), len(body.rstrip())
    left = count(body)
    while start < end:
        windows = max(1, -(-left // room))
        stop = end if windows == 1 else _cut(body, start, start + (end - start) // windows)
        taken = count(body[start:stop])
        while taken > room and stop - start > 1:
            stop = _cut(body, start, start + max(1, (stop - start) * room * 9 // (taken * 10)))
            taken = count(body[start:stop])
        yield body[start:stop].strip()
        left = max(1, left - taken)
        start = stop
        while start < end and body[start].isspace():
            start += 1


def _cut(text: str, start: int, stop: int) -> int:
    """Return the end of a window near `stop`: the end of a line, else of a word, else `stop`."""
    stop = max(start + 1, stop)
    for mark, share in (("\n", LINE_SHARE), (" ", WORD_SHARE)):
        position = text.rfind(mark, max(start + 1, stop - int((stop - start) * share)), stop + 1)
        if position > 0:
            return position
    return stop


CHARACTERS_PER_TOKEN = 3
"""A low estimate for English and code, if a model's own tokens are not known here."""


class Model:
    """The base of embedders, which define `_rows`. The first answer sets an unknown dimension."""

    def __init__(
        self,
        spec: EmbedderSpec,
        *,
        limit: int,
        name: str = "",
        location: str = "",
        dimension: int | None = None,
    ):
        self.name = name or spec.model
        self.revision = revision_of(spec)
        self.limit = limit
        self._spec = spec
        self._location = location or self.name
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self._vectors(["dimension"])
        assert self._dimension is not None
        return self._dimension

    def windows(self, text: str, limit: int = 0) -> list[str]:
        limit = min(filter(None, (limit, self.limit)), default=0)
        if not limit:
            return [text]
        prefix = self._spec.document_prefix
        room = limit - (self.count(prefix) if prefix else 0)
        return windows_of(text, max(1, room), self.count)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._vectors([self._spec.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return self._vectors([self._spec.query_prefix + text])

    def count(self, text: str) -> int:
        """Return the number of the model's tokens in a text, or an estimate."""
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the checked vectors of texts with their prefixes."""
        vectors = checked_vectors(
            self._rows(texts),
            count=len(texts),
            dimension=self._dimension,
            location=self._location,
        )
        self._dimension = int(vectors.shape[1])
        return vectors

    def _rows(self, texts: Sequence[str]) -> object:
        """Return the model's answer: a row of numbers for each text."""
        raise NotImplementedError


def open_embedder(spec: EmbedderSpec) -> Embedder:
    """Return the embedder, with its model loaded or its server ready to be called.

    Raises:
        ConfigError: it needs the name of a model, and none is set.
        ProviderError: its package is not installed, or the model cannot be loaded.
    """
    module, _, name = PROVIDERS[spec.provider].place.partition(":")
    make: Any = getattr(import_module(f"leafmark.embedding.{module}"), name)
    spec = completed(spec)
    try:
        with loading():
            embedder: Embedder = make(spec)
    except LeafmarkError:
        raise
    except Exception as error:
        raise ProviderError(
            f"the embedder cannot be opened: {type(error).__name__}: {error}",
            location=spec.model or spec.provider,
        ) from error
    return embedder
