"""What the engine gets of a source: the fields of each chunk, as JSON."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest
from support.indexes import chunk, state_of

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.index import prepare_source
from leafmark.index.analysis import BETWEEN
from leafmark.index.engine_documents import fillers
from leafmark.index.records import deserialise_document
from leafmark.index.schema import FILLER, language_fields
from leafmark.index.text_with_titles import MAX_TITLE
from leafmark.parsing import parse

SOURCE = r"""---
tags: ['say "hi"', 'C:\temp']
note: "two\nlines\0"
---
# The "printRoutes" \o/

## Usage there

Say "usage" twice.

```c"\
x
```
"""


def fields_of(path: str, source: str) -> list[dict[str, Any]]:
    prepared = prepare_source(chunk(path, source), state_of(source), stemmer="english")
    return [json.loads(document) for document in prepared.documents()]


def test_every_chunk_has_its_fields() -> None:
    document, routes, usage = fields_of('do"c\\s/ä.md', SOURCE)
    shared = {
        "path_english": "do c s ä md",
        "tags_english": "say hi c temp",
        "doc_id": 't:do"c\\s/ä.md',
        "mtime": 1_700_000_000,
        "cut": 0,
        "role": 0,
    }
    facts = ["tree=t", "format=markdown", 'tag=say "hi"', "tag=c:\\temp"]
    facts += ['meta.tags=say "hi"', "meta.tags=c:\\temp", "meta.note=two lines\0"]
    record = deserialise_document(b64decode(document.pop("source")))
    assert [entry.title for entry in record] == ['The "printRoutes" \\o/'] * 2 + ["Usage there"]
    title = "the printrout o print rout"
    above = [f"above={word}" for word in ("o", "print", "printrout", "rout", "the")]
    assert document == {
        **shared,
        "title_english": title,
        "titles_english": title,
        "body_english": FILLER,
        "position": 0,
        "facts": [*facts, "kind=document"],
    }
    assert routes == {
        **shared,
        "title_english": title,
        "titles_english": title,
        "names": [
            *("c=the printroutes o", "c~printrout o", "c=printroutes o"),
            *("d=the printroutes o", "d~printrout o", "d=printroutes o"),
            "d=ä",
        ],
        "body_english": f"{title} {BETWEEN} ",
        "position": 1,
        "facts": [*facts, "kind=section", *above],
    }
    assert usage == {
        **shared,
        "title_english": "usag there",
        "titles_english": f"{title} usag there",
        "names": ["c=usage there", "c~usag there"],
        "body_english": f"{title} {BETWEEN} usag there {BETWEEN} say usag twice c x",
        "position": 2,
        "facts": [
            *facts,
            "kind=section",
            "has=code",
            'lang=c"\\',
            *above,
            "above=there",
        ],
    }


def test_what_is_measured_of_other_languages_counts_as_one_word() -> None:
    others = fillers([language_fields("english"), language_fields("german")])
    prepared = prepare_source(chunk("a.md", SOURCE), state_of(SOURCE), stemmer="english")
    more = [json.loads(document) for document in prepared.documents(others["english"])]
    german = {f"{field}_german": FILLER for field in ("body", "title", "path", "titles")}
    assert more == [{**german, **fields} for fields in fields_of("a.md", SOURCE)]


def test_a_path_that_is_no_text_has_an_id_and_words() -> None:
    (document,) = fields_of("a\udcff b.txt", "text")
    assert (document["doc_id"], document["path_english"]) == ("t:a%FF b.txt", "a b txt")


def test_a_definition_has_its_name_with_that_of_its_class_or_module() -> None:
    lines = "".join(f"        total_{number} = compute({number})\n\n" for number in range(300))
    words = f'"""Take.\n\n{"Many plain words are said here of what it does. " * 9}\n\n'
    doc = words + "And of what it does not do many plain words are said as well. " * 30 + '"""'
    source = f"class Cache:\n    def pop(self):\n        {doc}\n\n{lines}\n"
    source += "    class Lock:\n        def take(self):\n            return 1\n"
    chunked = chunk_document(
        parse(source.encode(), "store.py"), tree="t", options=ChunkingOptions()
    )
    prepared = prepare_source(chunked, state_of(source), stemmer="english")
    names = {}
    for entry, document in zip(chunked.chunks, prepared.documents(), strict=True):
        names[entry.fragment] = json.loads(document).get("names", ())
    found = {fragment: each for fragment, each in names.items() if each and fragment}
    assert len(names) > len(found)
    assert found == {
        "#Cache": ["c=store cache", "c~store cach", "c=cache", "c~cach"],
        "#Cache.pop": ["c=cache pop", "c~cach pop", "c=pop"],
        "#Cache.pop~1": ["c=cache pop", "c~cach pop", "c=pop"],  # the piece with the signature
        "#Cache.Lock": ["c=cache lock", "c~cach lock", "c=lock"],
        "#Cache.Lock.take": ["c=cache lock take", "c~cach lock take", "c=lock take", "c=take"],
    }


def test_the_fields_of_many_chunks_are_kept_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = fields_of("a.md", SOURCE)
    monkeypatch.setattr("leafmark.index.engine_documents.MANY_CHUNKS", 2)

    assert len(expected) == 3
    assert fields_of("a.md", SOURCE) == expected


def test_a_long_title_stands_whole_in_the_first_piece_of_its_section_alone() -> None:
    title = "word " * 2000 + "last"
    text = f"# {title}\n\n" + "\n\n".join(["Some words of prose stand below it. " * 8] * 12)
    chunked = chunk_document(parse(text.encode(), "a.md"), tree="t", options=ChunkingOptions())
    prepared = prepare_source(chunked, state_of(text), stemmer="english")
    fields = [json.loads(document) for document in prepared.documents()]
    pieces = [one["title_english"] for one in fields[2:]]
    assert len(pieces) > 2
    assert pieces[0].endswith("last")
    assert {len(one) for one in pieces[1:]} == {MAX_TITLE - 1}
