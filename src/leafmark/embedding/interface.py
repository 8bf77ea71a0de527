"""`Embedder`: what every provider gives, and the check of what a model answered."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from leafmark.errors import ProviderError
from leafmark.forking import in_forked_child
from leafmark.installing import install_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """(n_texts, dimension) float32, contiguous, rows of length 1.

    A row of zeros is that of a text of which the model knows no word: it has no meaning to it.
    """
else:
    Vectors = object

__all__ = [
    "FAULTY",
    "Embedder",
    "Vectors",
    "check_dimension",
    "checked_vectors",
    "load_numpy",
    "loading",
]

SILENCING = MappingProxyType({"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1"})
"""Variables that keep packages from reporting to their makers.

ONNX Runtime (1.31) looks once, when it is imported. Its function to stop that comes too late:
by then it has a number of the device and a database in the user's cache folder.
"""

_LOADING = threading.Lock()


@in_forked_child
def _begin_anew() -> None:
    """In a forked child, in which nobody loads a model."""
    global _LOADING
    _LOADING = threading.Lock()


@contextmanager
def loading() -> Iterator[None]:
    """Within it a model is loaded, one at a time, and reports to nobody that it was.

    Packages that two threads import at a time may deadlock. A variable that the user has
    set stays as it is.
    """
    with _LOADING:
        for name, value in SILENCING.items():
            os.environ.setdefault(name, value)
        yield


def load_numpy() -> None:
    """Import NumPy, before a thread does it that loads a model beside a thread that searches.

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
    """One model, ready to answer.

    `name` and `revision` say which vectors belong together: others are never
    compared with them. `limit` is how many of its tokens the model reads of a
    text (0: not known); what is longer is cut there, so texts are put in as `windows`.
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
        """Return the parts of a text that the model reads whole, at least one.

        A smaller `limit` of tokens than the model's makes more and shorter ones.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, in order.

        Raises:
            ProviderError: the model failed, or answered something else.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query, one row.

        Raises:
            ProviderError: as for documents.
        """
        ...


def check_dimension(vectors: Vectors, dimension: int, location: str) -> None:
    """Refuse vectors of another dimension than those that there are.

    Raises:
        ProviderError: they are.
    """
    if vectors.shape[1] != dimension:
        raise ProviderError(
            f"the embedder answered vectors of {vectors.shape[1]} numbers, not {dimension}",
            location=location,
            hint="another model may answer under that name now: `leafmark index --rebuild`",
        )


def checked_vectors(rows: object, *, count: int, dimension: int | None, location: str) -> Vectors:
    """Return what a model answered as vectors of length 1, or of zeros alone.

    `dimension` None accepts any. `location` says where the model is.

    Raises:
        ProviderError: there are more or fewer, of another dimension, or no numbers.
    """
    import numpy as np

    found = _numbers(rows, location)
    if found.ndim != 2 or found.shape[0] != count:
        answered = found.shape[0] if found.ndim == 2 else 0
        raise ProviderError(
            f"the embedder answered another number of vectors ({answered}) than of texts ({count})",
            location=location,
            hint=_FEWER if 0 < answered < count else _NO_EMBEDDER,
        )
    if not found.shape[1]:
        message = "the embedder answered vectors without a number"
        raise ProviderError(message, location=location, hint=_NO_EMBEDDER)
    check_dimension(found, dimension or found.shape[1], location)
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(found, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        message = "the embedder answered a vector that is not finite"
        raise ProviderError(message, location=location, hint=FAULTY)
    norms[norms == 0] = 1
    checked: Vectors = found / norms
    return checked


def _numbers(rows: object, location: str) -> Vectors:
    """Return what a model answered as an array; what is too large becomes infinite.

    Raises:
        ProviderError: it is none of numbers, or has rows of several lengths.
    """
    import numpy as np

    try:
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(rows, dtype=np.float32)
    except (ValueError, TypeError, OverflowError):
        raise ProviderError(
            "the embedder answered something other than vectors of one length",
            location=location,
            hint=_NO_EMBEDDER,
        ) from None


FAULTY = "the model or what runs it seems faulty: another version or another model may help"
_NO_EMBEDDER = "does this model make embeddings? embedding.model names it"
_FEWER = "it may take only one text at a time: a smaller embedding.batch_tokens asks for fewer"
