"""Embedders behind HTTP: Ollama, and everything that speaks OpenAI's protocol.

Texts are cut to the limit by characters, since the server's tokens are not known
here; both protocols are asked to cut what is still too long, where they can. How many
texts a server takes at a time, or can answer in its time, is found by asking.

One POST of JSON with attempts, time limits and messages that name no secret.

The standard library's client: one connection that is kept, no redirects (a key
would follow them), no proxies, and answers of bounded size.
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
"""Before the second attempt; doubled before every further one."""

MAX_PAUSE_S = 60.0
"""A server that asks for more patience than this is given up on."""

PAUSE_STEP_S = 0.1
"""How long Ctrl-C may take to end a pause."""

_KEPT = "what was done is kept, and the next run goes on"
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LESS = "where a text is too long for it, make embedding.limit smaller"
_TOO_MUCH = frozenset({400, 413, 422})
_HINTS = {
    **dict.fromkeys(_TOO_MUCH, _LESS),
    401: "the key is missing or wrong: embedding.key_variable names the variable that holds it",
    403: "the key may not do this: embedding.key_variable names the variable that holds it",
    404: "is this the right address, and does the server have this model? See [embedding]",
    429: f"try later; {_KEPT}",
}


class TooMuchError(Exception):
    """A question that the server may answer in parts.

    `error` is what to say where it cannot be parted. A server that was `late` may be
    loading its model; one that was not refuses as much every time.
    """

    def __init__(self, error: ProviderError, *, late: bool):
        super().__init__(error.message)
        self.error = error
        self.late = late


class _TooLargeError(Exception):
    """An answer that no embedder gives."""


class _TryAgainError(Exception):
    """An attempt that may succeed later; `pause_s` is what the server asked for."""

    def __init__(
        self,
        reason: str,
        hint: str | None = None,
        pause_s: float | None = None,
        *,
        late: bool = False,
    ):
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.pause_s = pause_s
        self.late = late


class Connection:
    """A connection to the endpoint of `spec`. Not for several threads at a time."""

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
            ProviderError: it could not be had in the attempts that are allowed.
            TooMuchError: a `divisible` question was too much for the server, or for the time
                that it has; it is not asked again whole.
        """
        body = json.dumps(question).encode("utf-8", "replace")
        for attempt in range(self._spec.retries + 1):
            if self._spec.stop is not None:
                self._spec.stop()
            try:
                return self._attempt(self._parts.path.rstrip("/") + path, body)
            except _TryAgainError as failure:
                self.close()
                if divisible and failure.late:
                    error = self._failed(failure.reason, failure.hint)
                    raise TooMuchError(error, late=True) from failure
                pause_s = failure.pause_s
                if pause_s is None:
                    pause_s = FIRST_PAUSE_S * 2**attempt
                if attempt == self._spec.retries or pause_s > MAX_PAUSE_S:
                    raise self._failed(failure.reason, _hint_of(failure)) from failure
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
        """Wait, in steps where somebody may end it: Ctrl-C that is held back ends no sleep."""
        stop, left_s = self._spec.stop, pause_s
        while stop is not None and left_s > PAUSE_STEP_S:
            stop()
            self._sleep(PAUSE_STEP_S)
            left_s -= PAUSE_STEP_S
        self._sleep(left_s)

    def close(self) -> None:
        """Hang up; the next question calls again."""
        if self._open is not None:
            _hang_up(self._open)

    def _attempt(self, path: str, body: bytes) -> Any:
        deadline = time.monotonic() + self._spec.timeout_s
        try:
            answer, data = self._exchanged(path, body, deadline)
        except TimeoutError as error:
            reason = f"the embedder did not answer within {self._spec.timeout_s:g} s"
            raise _TryAgainError(reason, _SLOW, late=True) from error
        except ssl.SSLCertVerificationError as error:
            reason = f"the embedder's certificate is not valid: {error.verify_message}"
            raise self._failed(reason) from error
        except socket.gaierror as error:
            raise self._failed("the embedder's host is not known", _START) from error
        except _TooLargeError as error:
            reason = f"the embedder's answer is larger than {MAX_ANSWER_BYTES:,} bytes"
            raise self._failed(reason, _HINTS[404]) from error
        except (http.client.IncompleteRead, http.client.BadStatusLine) as error:
            raise _TryAgainError("the embedder hung up before its answer was whole", LOG) from error
        except http.client.HTTPException as error:
            reason = f"the embedder's answer is not HTTP: {str(error) or type(error).__name__}"
            raise _TryAgainError(reason, _HINTS[404]) from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise _TryAgainError(
                f"the embedder cannot be reached: {reason}".lower(), _START
            ) from error
        return self._understood(answer, data)

    def _exchanged(
        self, path: str, body: bytes, deadline: float
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Ask, once more where a kept connection proves closed: servers end idle ones unasked."""
        kept = self._open is not None and self._open.sock is not None
        try:
            return self._exchange(path, body, deadline)
        except ConnectionError:
            if not kept:
                raise
            self.close()
            return self._exchange(path, body, deadline)

    def _exchange(
        self, path: str, body: bytes, deadline: float
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection, answer = self._connected(), None
        try:
            with _ending(connection, deadline):
                connection.request("POST", path, body, self._headers())
                answer = connection.getresponse()
            return answer, _read(answer, deadline)
        except BaseException:
            if answer is not None:
                answer.close()
            raise

    def _connected(self) -> http.client.HTTPConnection:
        if self._open is None:
            host, port = self._parts.hostname or "", self._parts.port
            timeout = self._spec.timeout_s
            if self._parts.scheme == "https":
                self._open = http.client.HTTPSConnection(host, port, timeout=timeout)
            else:
                self._open = http.client.HTTPConnection(host, port, timeout=timeout)
            # not `__del__`: of what refers to itself, as errors do, the socket may be ended first
            weakref.finalize(self, _hang_up, self._open)
        if self._open.sock is None:
            self._open.connect()
        return self._open

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._spec.key:
            headers["Authorization"] = f"Bearer {self._spec.key}"
        return headers

    def _understood(self, answer: http.client.HTTPResponse, data: bytes) -> Any:
        status = answer.status
        if status != 200:
            reason = f"the embedder answered {status}{self.said(_parsed(data))}"
            hint = _HINTS.get(status) or _HINTS_OF_CLASS.get(status // 100)
            if status in _AGAIN:
                raise _TryAgainError(reason, hint, _asked_pause(answer.getheader("Retry-After")))
            if status in _TOO_MUCH:
                raise TooMuchError(self._failed(reason, hint), late=False)
            raise self._failed(reason, hint)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._failed("the embedder's answer is not JSON", _HINTS[404]) from error

    def said(self, answer: Any) -> str:
        """Return `: ` and what an answer says of an error, on one line; never our key.

        Nothing where it says nothing.
        """
        try:
            error = answer["error"]
            text = (error["message"] if isinstance(error, dict) else error) or ""
        except (KeyError, TypeError):
            return ""
        said = str(text).replace(self._spec.key, "…") if self._spec.key else str(text)
        line = "".join(c if c.isprintable() else " " for c in said)[:200]
        return f": {line}" if line else ""

    def _failed(self, message: str, hint: str | None = None) -> ProviderError:
        return ProviderError(message, location=self.location, hint=hint)


def _parsed(data: bytes) -> Any:
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
        ConfigError: it is none, of this protocol.
    """
    try:
        parts = urlsplit(endpoint)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        known = known and _SENDABLE.fullmatch(parts.path) is not None
    except ValueError:  # a port that is no number, or too large; half of an IPv6 address
        known = False
    if not known:
        raise ConfigError(
            f"embedding.endpoint is not an address: {endpoint!r}",
            hint="write one like http://127.0.0.1:11434, or one with https://",
        )
    return parts


def _check_key(key: str) -> None:
    """Refuse a key that no request can carry; sending it would end in an error that tells it."""
    if not _SENDABLE.fullmatch(key):
        raise ConfigError(
            "the embedder's key holds a character that no key has, such as a line end",
            hint="look at the variable that holds it: embedding.key_variable names it",
        )


_SENDABLE = re.compile(r"[!-~]*")
"""What a path and a key are made of: the visible signs of ASCII."""

_SLOW = "is it still loading? A slow server needs a larger embedding.timeout_s"
LOG = f"its log may say why; {_KEPT}"
_HINTS_OF_CLASS = {
    2: _HINTS[404],
    3: "redirects are not followed, for the key's sake: name the address that this one leads to",
    5: LOG,
}
_START = "is it running, and is embedding.endpoint its address?"


@contextlib.contextmanager
def _ending(connection: http.client.HTTPConnection, deadline: float) -> Iterator[None]:
    """Hang up at the deadline: a head that trickles in keeps every single read short.

    Raises:
        TimeoutError: it was.
    """
    late = threading.Event()

    def hang_up() -> None:
        late.set()
        with contextlib.suppress(OSError):  # not of TLS, whose state is the other thread's
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)

    timer = threading.Timer(deadline - time.monotonic(), hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        if late.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
    if late.is_set():  # where it is cut, a head may look whole
        raise TimeoutError


def _read(answer: http.client.HTTPResponse, deadline: float) -> bytes:
    """Read the whole answer; one that trickles in past the deadline or is huge is refused."""
    wanted, parts, total = answer.length, [], 0
    while wanted is None or total < wanted:
        most = 1 << 16 if wanted is None else min(1 << 16, wanted - total)
        part = answer.read1(most)
        if not part:
            break
        parts.append(part)
        total += len(part)
        if time.monotonic() > deadline:
            raise TimeoutError
        if total > MAX_ANSWER_BYTES:
            raise _TooLargeError
    if wanted is not None and total < wanted:
        raise http.client.IncompleteRead(b"".join(parts), wanted - total)
    answer.close()  # else Python before 3.12 takes the connection for busy
    return b"".join(parts)


def _hint_of(failure: _TryAgainError) -> str | None:
    """Return what to do about a failure that lasts: to wait, where the server said how long."""
    if not failure.pause_s:
        return failure.hint
    return f"the server asks to wait for {_duration(failure.pause_s)}; {_KEPT}"


def _duration(seconds: float) -> str:
    """Return a time to wait for people, rounded up.

    >>> _duration(0.2), _duration(90), _duration(3601), _duration(86_400)
    ('1 s', '90 s', '61 min', '24 h')
    """
    for unit, size, most in (("s", 1, 120), ("min", 60, 120)):
        if seconds <= most * size:
            return f"{math.ceil(seconds / size)} {unit}"
    return f"{math.ceil(seconds / 3600):,} h"


def _asked_pause(header: str | None) -> float | None:
    """Return the seconds of a Retry-After, which is a number or a date.

    >>> _asked_pause("2"), _asked_pause("soon"), _asked_pause(None)
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
"""Tokens of a text where nothing is said: what most embedding models read."""


MAX_TEXTS = 64
"""Texts in one request, however short (chosen by eye)."""

EASY_SHARE = 0.25
"""A server that answers in this share of its time is asked for twice as many texts next."""


class _Remote(Model):
    """What both protocols share: batches, and where in an answer the vectors are."""

    def __init__(self, spec: EmbedderSpec):
        self._connection = Connection(spec)
        self._most_texts = self._most_ever = MAX_TEXTS
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
        found = [rows for batch in batches for rows in self._parts([cut[at] for at in batch])]
        return np.concatenate(found) if found else np.empty((0, self.dimension), dtype=np.float32)

    def _parts(self, texts: Sequence[str]) -> Iterator[Vectors]:
        """Yield the vectors of texts, asked for in parts as large as the server bears.

        One that refuses so many is asked for half of them from then on. One that is too slow is
        asked for a quarter, and for more again when it answers with ease.
        """
        at = 0
        while at < len(texts):
            part = texts[at : at + self._most_texts]
            began = time.monotonic()
            try:
                yield self._batch(part)
            except TooMuchError as refusal:
                self._most_texts = max(1, len(part) // (4 if refusal.late else 2))
                if not refusal.late:
                    self._most_ever = self._most_texts
                continue
            at += len(part)
            if time.monotonic() - began < EASY_SHARE * self._spec.timeout_s:
                self._most_texts = min(2 * self._most_texts, self._most_ever)

    def _batch(self, texts: Sequence[str]) -> Vectors:
        found = super()._vectors(texts)
        if len(texts) > 1 and not found.any():  # no model knows a word of so many texts
            raise ProviderError(
                "the embedder answered vectors of zeros alone",
                location=self._connection.location,
                hint=FAULTY,
            )
        return found

    def _rows(self, texts: Sequence[str]) -> object:
        question = self._question(texts)
        answer = self._connection.post(self._path, question, divisible=len(texts) > 1)
        try:
            return self._answered(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise self._without_vectors(answer) from error

    def _without_vectors(self, answer: Any) -> ProviderError:
        """Return what is said of an answer that holds none: the server's own words, if any."""
        message = "the embedder's answer holds no vectors where they belong"
        hint = "is this the right address? It is embedding.endpoint"
        if said := self._connection.said(answer):
            message, hint = f"the embedder answered an error{said}", LOG
        return ProviderError(message, location=self._connection.location, hint=hint)

    _path: str

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        raise NotImplementedError

    def _answered(self, answer: Any) -> object:
        raise NotImplementedError


class OllamaEmbedder(_Remote):
    """A model of an Ollama server."""

    _path = "/api/embed"

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "truncate": True}

    def _answered(self, answer: Any) -> object:
        return answer["embeddings"]


class OpenAIEmbedder(_Remote):
    """A model of a server that speaks OpenAI's protocol."""

    _path = "/embeddings"

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "encoding_format": "float"}

    def _answered(self, answer: Any) -> object:
        """Return the vectors in the order of the texts: each says which text it is of."""
        data = answer["data"]
        places = [each["index"] for each in data]
        if sorted(places) != list(range(len(data))):
            raise ValueError("the indexes are not those of the texts")
        ordered = sorted(data, key=lambda each: int(each["index"]))
        return [each["embedding"] for each in ordered]
