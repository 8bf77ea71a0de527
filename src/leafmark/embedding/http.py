"""Embedders behind HTTP: Ollama, and every server that speaks OpenAI's protocol.

Texts are cut to the limit by characters, since the server's tokens are not known here; a server
that can is asked to cut a text that is still too long. How many texts a server takes at a time,
or can answer within the time limit, is found by trial.

A request is one POST of JSON, with retries, time limits, and messages that reveal no secret. The
client is the standard library's: one persistent connection, no redirects (a key would follow
them), no proxies, and answers of bounded size.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import math
import re
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any
from urllib.parse import SplitResult, urlsplit

from leafmark.embedding.interface import (
    CHARACTERS_PER_TOKEN,
    FAULTY,
    Model,
    Vectors,
    batches_in_order,
)
from leafmark.embedding.spec import EmbedderSpec
from leafmark.errors import ConfigError, ProviderError

MAX_ANSWER_BYTES = 256 << 20
FIRST_PAUSE_S = 0.5
"""The pause before the second attempt; doubled before each further one."""

MAX_PAUSE_S = 60.0
"""The longest pause: if a server asks for more, the request fails."""

PAUSE_STEP_S = 0.1
"""The longest time that Ctrl-C takes to end a pause."""

_RESUMES = "the work so far is kept, and the next run continues"
_RETRY_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_SMALLER_LIMIT = "where a text is too long for it, make embedding.limit smaller"
_TOO_MUCH_STATUSES = frozenset({400, 413, 422})
_HINTS = {
    **dict.fromkeys(_TOO_MUCH_STATUSES, _SMALLER_LIMIT),
    401: "the key is missing or wrong: embedding.key_variable names the variable that holds it",
    403: "the key may not do this: embedding.key_variable names the variable that holds it",
    404: "is this the right address, and does the server have this model? See [embedding]",
    429: f"try later; {_RESUMES}",
}


class TooMuchError(Exception):
    """A request that the server may answer in smaller parts.

    `error` is the error to raise if it cannot be divided. A server that `timed_out` may be
    loading its model; otherwise it refuses as many texts every time.
    """

    def __init__(self, error: ProviderError, *, timed_out: bool):
        super().__init__(error.message)
        self.error = error
        self.timed_out = timed_out


class _TooLargeError(Exception):
    """An answer too large for an embedder."""


class _TryAgainError(Exception):
    """A failed attempt that may succeed later, after the `pause_s` that the server asked for."""

    def __init__(
        self,
        reason: str,
        hint: str | None = None,
        pause_s: float | None = None,
        *,
        timed_out: bool = False,
    ):
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.pause_s = pause_s
        self.timed_out = timed_out


class Connection:
    """A connection to the endpoint of `spec`, for one thread at a time."""

    def __init__(self, spec: EmbedderSpec, sleep: Callable[[float], None] = time.sleep):
        self._open: http.client.HTTPConnection | None = None
        parts = _address(spec.endpoint)
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ConfigError(
                "embedding.endpoint holds more than an address",
                hint="keys come from the environment: embedding.key_variable names the variable",
            )
        _check_key(spec.key)
        self._spec = spec
        self._sleep = sleep
        self._parts = parts
        self.location = spec.endpoint

    def post(self, path: str, question: Mapping[str, Any], *, divisible: bool = False) -> Any:
        """Return the server's answer.

        Raises:
            ProviderError: all allowed attempts failed.
            TooMuchError: a `divisible` question was too large for the server or its time limit;
                it is not repeated whole.
        """
        body = json.dumps(question).encode("utf-8", "replace")
        for attempt in range(self._spec.retries + 1):
            if self._spec.stop is not None:
                self._spec.stop()
            try:
                return self._attempt(self._parts.path.rstrip("/") + path, body)
            except _TryAgainError as failure:
                self.close()
                if divisible and failure.timed_out:
                    error = self._error(failure.reason, failure.hint)
                    raise TooMuchError(error, timed_out=True) from failure
                pause_s = failure.pause_s
                if pause_s is None:
                    pause_s = FIRST_PAUSE_S * 2**attempt
                if attempt == self._spec.retries or pause_s > MAX_PAUSE_S:
                    raise self._error(failure.reason, _hint_of(failure)) from failure
                self._pause(pause_s)
            except TooMuchError as refusal:
                self.close()
                if divisible:
                    raise
                raise refusal.error from refusal
            except BaseException:
                self.close()
                raise
        raise AssertionError("unreachable")

    def _pause(self, pause_s: float) -> None:
        """Wait, in steps if `stop` is set: a deferred Ctrl-C does not interrupt a sleep."""
        stop, left_s = self._spec.stop, pause_s
        while stop is not None and left_s > PAUSE_STEP_S:
            stop()
            self._sleep(PAUSE_STEP_S)
            left_s -= PAUSE_STEP_S
        self._sleep(left_s)

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        if self._open is not None:
            _hang_up(self._open)

    def _attempt(self, path: str, body: bytes) -> Any:
        deadline = time.monotonic() + self._spec.timeout_s
        try:
            answer, data = self._exchange_or_reconnect(path, body, deadline)
        except TimeoutError as error:
            reason = f"the embedder did not answer within {self._spec.timeout_s:g} s"
            raise _TryAgainError(reason, _SLOW, timed_out=True) from error
        except ssl.SSLCertVerificationError as error:
            reason = f"the embedder's certificate is not valid: {error.verify_message}"
            raise self._error(reason) from error
        except socket.gaierror as error:
            raise self._error("the embedder's host is not known", _START) from error
        except _TooLargeError as error:
            reason = f"the embedder's answer is larger than {MAX_ANSWER_BYTES:,} bytes"
            raise self._error(reason, _HINTS[404]) from error
        except (http.client.IncompleteRead, http.client.BadStatusLine) as error:
            reason = "the embedder closed the connection before the end of its answer"
            raise _TryAgainError(reason, LOG) from error
        except http.client.HTTPException as error:
            reason = f"the embedder's answer is not HTTP: {str(error) or type(error).__name__}"
            raise _TryAgainError(reason, _HINTS[404]) from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise _TryAgainError(
                f"the embedder cannot be reached: {reason}".lower(), _START
            ) from error
        return self._parse_answer(answer, data)

    def _exchange_or_reconnect(
        self, path: str, body: bytes, deadline: float
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Send a request; once more if the open connection was closed, as servers do when idle."""
        was_open = self._open is not None and self._open.sock is not None
        try:
            return self._exchange(path, body, deadline)
        except ConnectionError:
            if not was_open:
                raise
            self.close()
            return self._exchange(path, body, deadline)

    def _exchange(
        self, path: str, body: bytes, deadline: float
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection, answer = self._connect(), None
        try:
            with _hang_up_at(connection, deadline):
                connection.request("POST", path, body, self._headers())
                answer = connection.getresponse()
            return answer, _read(answer, deadline)
        except BaseException:
            if answer is not None:
                answer.close()
            raise

    def _connect(self) -> http.client.HTTPConnection:
        if self._open is None:
            host, port = self._parts.hostname or "", self._parts.port
            timeout = self._spec.timeout_s
            if self._parts.scheme == "https":
                self._open = http.client.HTTPSConnection(host, port, timeout=timeout)
            else:
                self._open = http.client.HTTPConnection(host, port, timeout=timeout)
            # not `__del__`: in a reference cycle, as errors make, the socket may be finalized first
            weakref.finalize(self, _hang_up, self._open)
        if self._open.sock is None:
            self._open.connect()
        return self._open

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._spec.key:
            headers["Authorization"] = f"Bearer {self._spec.key}"
        return headers

    def _parse_answer(self, answer: http.client.HTTPResponse, data: bytes) -> Any:
        status = answer.status
        if status != 200:
            reason = f"the embedder answered {status}{self.error_text(_parse_json(data))}"
            hint = _HINTS.get(status) or _HINTS_OF_CLASS.get(status // 100)
            if status in _RETRY_STATUSES:
                raise _TryAgainError(
                    reason, hint, _parse_retry_after(answer.getheader("Retry-After"))
                )
            if status in _TOO_MUCH_STATUSES:
                raise TooMuchError(self._error(reason, hint), timed_out=False)
            raise self._error(reason, hint)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._error("the embedder's answer is not JSON", _HINTS[404]) from error

    def error_text(self, answer: Any) -> str:
        """Return `: ` and the error text of an answer, on one line and without our key.

        An empty string if the answer has none.
        """
        try:
            error = answer["error"]
            text = (error["message"] if isinstance(error, dict) else error) or ""
        except (KeyError, TypeError):
            return ""
        line = str(text).replace(self._spec.key, "…") if self._spec.key else str(text)
        line = "".join(c if c.isprintable() else " " for c in line)[:200]
        return f": {line}" if line else ""

    def _error(self, message: str, hint: str | None = None) -> ProviderError:
        return ProviderError(message, location=self.location, hint=hint)


def _parse_json(data: bytes) -> Any:
    """Return the JSON of an answer, None for anything else."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _hang_up(connection: http.client.HTTPConnection) -> None:
    with contextlib.suppress(OSError):
        connection.close()


def _address(endpoint: str) -> SplitResult:
    """Return the parts of an address.

    Raises:
        ConfigError: it is not an HTTP address.
    """
    try:
        parts = urlsplit(endpoint)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        known = known and _SENDABLE.fullmatch(parts.path) is not None
    except ValueError:  # a port that is not a number, or too large; half of an IPv6 address
        known = False
    if not known:
        raise ConfigError(
            f"embedding.endpoint is not an address: {endpoint!r}",
            hint="write one like http://127.0.0.1:11434, or one with https://",
        )
    return parts


def _check_key(key: str) -> None:
    """Refuse a key that no request can carry: the error from sending it would reveal it."""
    if not _SENDABLE.fullmatch(key):
        raise ConfigError(
            "the embedder's key holds a character that no key has, such as a line end",
            hint="look at the variable that holds it: embedding.key_variable names it",
        )


_SENDABLE = re.compile(r"[!-~]*")
"""The characters of a path and a key: the visible ones of ASCII."""

_SLOW = "is it still loading? A slow server needs a larger embedding.timeout_s"
LOG = f"its log may say why; {_RESUMES}"
_HINTS_OF_CLASS = {
    2: _HINTS[404],
    3: "redirects are not followed, for the key's sake: name the address that this one leads to",
    5: LOG,
}
_START = "is it running, and is embedding.endpoint its address?"


@contextlib.contextmanager
def _hang_up_at(connection: http.client.HTTPConnection, deadline: float) -> Iterator[None]:
    """Hang up at the deadline: a head that trickles in never exceeds the time limit of one read.

    Raises:
        TimeoutError: the deadline passed.
    """
    is_late = threading.Event()

    def hang_up() -> None:
        is_late.set()
        with contextlib.suppress(OSError):  # not TLS's shutdown: its state is the other thread's
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)

    timer = threading.Timer(deadline - time.monotonic(), hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        if is_late.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
    if is_late.is_set():  # a head that was cut may look whole
        raise TimeoutError


def _read(answer: http.client.HTTPResponse, deadline: float) -> bytes:
    """Return the whole answer.

    Raises:
        TimeoutError: it trickled in past the deadline.
        _TooLargeError: it has more than `MAX_ANSWER_BYTES`.
    """
    length, parts, total = answer.length, [], 0
    while length is None or total < length:
        most = 1 << 16 if length is None else min(1 << 16, length - total)
        part = answer.read1(most)
        if not part:
            break
        parts.append(part)
        total += len(part)
        if time.monotonic() > deadline:
            raise TimeoutError
        if total > MAX_ANSWER_BYTES:
            raise _TooLargeError
    if length is not None and total < length:
        raise http.client.IncompleteRead(b"".join(parts), length - total)
    answer.close()  # else Python before 3.12 considers the connection busy
    return b"".join(parts)


def _hint_of(failure: _TryAgainError) -> str | None:
    """Return the hint for a failure that lasts: to wait, if the server gave a time."""
    if not failure.pause_s:
        return failure.hint
    return f"the server asks to wait for {_duration(failure.pause_s)}; {_RESUMES}"


def _duration(seconds: float) -> str:
    """Return a waiting time as text, rounded up.

    >>> _duration(0.2), _duration(90), _duration(3601), _duration(86_400)
    ('1 s', '90 s', '61 min', '24 h')
    """
    for unit, size, most in (("s", 1, 120), ("min", 60, 120)):
        if seconds <= most * size:
            return f"{math.ceil(seconds / size)} {unit}"
    return f"{math.ceil(seconds / 3600):,} h"


def _parse_retry_after(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which is a number or a date.

    >>> _parse_retry_after("2"), _parse_retry_after("soon"), _parse_retry_after(None)
    (2.0, None, None)
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(header)
        except (ValueError, TypeError):
            return None
        if when.tzinfo is None:  # "-0000" is universal time, too
            when = when.replace(tzinfo=UTC)
        seconds = when.timestamp() - time.time()
    return max(0.0, seconds) if math.isfinite(seconds) else None


LIMIT = 512
"""The default limit of tokens of a text: most embedding models read that many."""


MAX_TEXTS = 64
"""The most texts in one request, however short (chosen by eye)."""

EASY_SHARE = 0.25
"""If a server answers within this share of its time limit, the next request has twice the texts."""


class _Remote(Model):
    """The base of both protocols: batches of texts, and requests of a size the server accepts."""

    def __init__(self, spec: EmbedderSpec):
        self._connection = Connection(spec)
        self._max_texts = self._max_accepted = MAX_TEXTS
        super().__init__(spec, limit=spec.limit or LIMIT, location=self._connection.location)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        spec = self._spec
        cut = [text[: self.limit * CHARACTERS_PER_TOKEN] for text in texts]
        batches = batches_in_order(
            [1 + self.count(text) for text in cut],
            most_tokens=spec.batch_tokens,
            most_texts=MAX_TEXTS,
        )
        parts = [
            rows for batch in batches for rows in self._iter_vectors([cut[at] for at in batch])
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), dtype=np.float32)

    def _iter_vectors(self, texts: Sequence[str]) -> Iterator[Vectors]:
        """Yield the vectors of texts, in requests as large as the server accepts.

        If it refuses as many, all later requests have at most half of them. If it is too slow, the
        next request has a quarter, and later ones have more again once it answers with ease.
        """
        at = 0
        while at < len(texts):
            part = texts[at : at + self._max_texts]
            began = time.monotonic()
            try:
                yield self._batch(part)
            except TooMuchError as refusal:
                self._max_texts = max(1, len(part) // (4 if refusal.timed_out else 2))
                if not refusal.timed_out:
                    self._max_accepted = self._max_texts
                continue
            at += len(part)
            if time.monotonic() - began < EASY_SHARE * self._spec.timeout_s:
                self._max_texts = min(2 * self._max_texts, self._max_accepted)

    def _batch(self, texts: Sequence[str]) -> Vectors:
        vectors = super()._vectors(texts)
        if len(texts) > 1 and not vectors.any():  # any model knows some word of several texts
            raise ProviderError(
                "the embedder answered vectors of zeros alone",
                location=self._connection.location,
                hint=FAULTY,
            )
        return vectors

    def _rows(self, texts: Sequence[str]) -> object:
        question = self._build_request(texts)
        answer = self._connection.post(self._path, question, divisible=len(texts) > 1)
        try:
            return self._extract_rows(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise self._no_vectors_error(answer) from error

    def _no_vectors_error(self, answer: Any) -> ProviderError:
        """Return the error for an answer without vectors, with the server's own words, if any."""
        message = "the embedder's answer holds no vectors where they belong"
        hint = "is this the right address? It is embedding.endpoint"
        if text := self._connection.error_text(answer):
            message, hint = f"the embedder answered an error{text}", LOG
        return ProviderError(message, location=self._connection.location, hint=hint)

    _path: str

    def _build_request(self, texts: Sequence[str]) -> Mapping[str, Any]:
        raise NotImplementedError

    def _extract_rows(self, answer: Any) -> object:
        raise NotImplementedError


class OllamaEmbedder(_Remote):
    """A model of an Ollama server."""

    _path = "/api/embed"

    def _build_request(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "truncate": True}

    def _extract_rows(self, answer: Any) -> object:
        return answer["embeddings"]


class OpenAIEmbedder(_Remote):
    """A model of a server that speaks OpenAI's protocol."""

    _path = "/embeddings"

    def _build_request(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "encoding_format": "float"}

    def _extract_rows(self, answer: Any) -> object:
        """Return the vectors in the order of the texts: each item has the index of its text."""
        data = answer["data"]
        places = [item["index"] for item in data]
        if sorted(places) != list(range(len(data))):
            raise ValueError("the indexes are not those of the texts")
        ordered = sorted(data, key=lambda item: int(item["index"]))
        return [item["embedding"] for item in ordered]
