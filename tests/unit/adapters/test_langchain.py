"""The LangChain adapter inside LangChain: loader, splitter, vector store, retriever, chain."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

import leafmark
from leafmark.adapters.langchain import LeafmarkRetriever, LeafmarkTextSplitter
from leafmark.chunking import token_counter
from leafmark.model import Relation


def load(folder: Path) -> list[Document]:
    return [
        Document(page_content=file.read_text("utf-8"), metadata={"source": str(file), "by": "x"})
        for file in sorted(folder.rglob("*.md"))
    ]


def test_every_document_of_a_folder_is_split_into_true_slices(handbook: Path) -> None:
    loaded = load(handbook)
    texts = {document.metadata["source"]: document.page_content for document in loaded}
    split = LeafmarkTextSplitter().split_documents(loaded)
    assert len(split) > 20
    for document in split:
        metadata = document.metadata
        text = texts[metadata["source"]]
        span = slice(metadata["start_index"], metadata["end_index"])
        assert text[span] == document.page_content
        data = Path(metadata["source"]).read_bytes()
        part = data[metadata["byte_start"] : metadata["byte_end"]]
        assert part.decode() == document.page_content
        assert metadata["by"] == "x"
        assert metadata["chunk_id"].startswith(f"docs:{metadata['source']}")
    tea = next(each for each in split if "Zitronenmelisse" in each.page_content)
    assert tea.metadata["section_path"] == ["Größe 🚀", "Grüner Tee"]
    assert tea.metadata["start_index"] == 21


def test_one_size_is_enough_for_the_splitter() -> None:
    text = "# A\n\n" + "Some words of prose. " * 200
    parts = LeafmarkTextSplitter("section", max_tokens=120).split_text(text)
    full = LeafmarkTextSplitter("section", min_tokens=60, target_tokens=120, max_tokens=120)
    assert parts == full.split_text(text)
    assert len(parts) > 5


def test_the_splitter_s_other_methods_agree(handbook: Path) -> None:
    splitter = LeafmarkTextSplitter("section", min_tokens=5, target_tokens=30, max_tokens=60)
    text = (handbook / "guides" / "backups.md").read_text("utf-8")
    contents = splitter.split_text(text)
    made = splitter.create_documents([text, text], [{"n": 1}, {"n": 2}])
    assert [each.page_content for each in made] == contents * 2
    assert [each.metadata["n"] for each in made] == [1] * len(contents) + [2] * len(contents)
    again = splitter.transform_documents([Document(page_content=text)])
    assert [each.page_content for each in again] == contents
    copy = pickle.loads(pickle.dumps(splitter))
    assert copy.split_text(text) == contents
    readable = LeafmarkTextSplitter(content="text").split_text(text)
    assert readable[-1].startswith("> Backups › Testing your backups\n")


def test_suffixes_decide_the_format() -> None:
    splitter = LeafmarkTextSplitter(source_key="file", default_path="page.html")
    page, note = "<h1>A</h1><p>x</p>", "# A\n\nx"
    made = splitter.create_documents([page, note, page], [{}, {"file": "n.md"}, {"file": None}])
    assert [each.metadata["chunk_id"] for each in made] == [
        "docs:page.html#a",
        "docs:n.md#a",
        "docs:page.html#a",
    ]


def test_split_documents_go_through_a_vector_store(handbook: Path) -> None:
    split = LeafmarkTextSplitter().split_documents(load(handbook))
    store = InMemoryVectorStore.from_documents(split, DeterministicFakeEmbedding(size=64))
    wanted = split[7]
    (found,) = store.as_retriever(search_kwargs={"k": 1}).invoke(wanted.page_content)
    assert (found.page_content, found.metadata) == (wanted.page_content, wanted.metadata)


def test_the_retriever_gives_sections_with_citations(handbook: Path, index: leafmark.Index) -> None:
    retriever = LeafmarkRetriever(index=index, limit=2)
    (found,) = retriever.invoke('What about "Zitronenmelisse?')
    file = handbook / "tee.md"
    assert found.id == "handbook:tee.md#grüner-tee"
    assert found.page_content == "## Grüner Tee\n\n日本語 zuerst, dann Zitronenmelisse.\n\n"
    metadata = found.metadata
    assert metadata["source"] == str(file)
    text = file.read_text("utf-8")
    assert text[metadata["start_index"] : metadata["end_index"]] == found.page_content
    data = file.read_bytes()
    assert data[metadata["byte_start"] : metadata["byte_end"]].decode() == found.page_content
    assert index.verify(f"[{metadata['citation']}]").holds
    assert (metadata["rank"], metadata["relaxed"]) == (1, False)
    assert retriever.invoke("zzzz") == []


def test_the_retriever_s_wishes_reach_the_search(index: leafmark.Index) -> None:
    around = LeafmarkRetriever(index=index, expand=("parent", "next")).invoke("Zitronenmelisse")
    assert [(each.metadata["chunk_id"], each.metadata.get("relation")) for each in around] == [
        ("handbook:tee.md#grüner-tee", None),
        ("handbook:tee.md#größe-", "parent"),
        ("handbook:tee.md#schwarz", "next"),
    ]
    assert around[1].metadata["relation_of"] == around[0].id
    assert around[1].page_content == "# Größe 🚀\n\nDer Tee.\n\n"
    tagged = LeafmarkRetriever(index=index, document_tags=("restore",)).invoke("backup")
    assert {each.metadata["source"].rpartition("/")[2] for each in tagged} == {"backups.md"}
    exact = LeafmarkRetriever(index=index, plain=False)
    assert exact.invoke("title:schwarz")[0].id == "handbook:tee.md#schwarz"
    with pytest.raises(leafmark.QueryError):
        exact.invoke("-backup")
    LeafmarkRetriever(index=index).invoke("-backup")


def test_a_wish_that_there_is_not_is_refused(index: leafmark.Index) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        LeafmarkRetriever(index=index, k=3)  # type: ignore[call-arg]


def test_it_works_in_a_chain_awaited_and_in_batches(index: leafmark.Index) -> None:
    retriever = LeafmarkRetriever(index=index, limit=1)
    prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
    cite = retriever | (lambda documents: documents[0].metadata["citation"])
    model = FakeListChatModel(responses=["Answered."])
    asked = {"context": cite, "question": RunnablePassthrough()}
    chain = asked | prompt | model | StrOutputParser()
    assert chain.invoke("Zitronenmelisse") == "Answered."
    questions = ["Zitronenmelisse", "Assam", "Bai Mu Dan"]
    expected = [f"handbook:tee.md#{slug}" for slug in ("grüner-tee", "schwarz", "weiß")]
    assert [each[0].id for each in retriever.batch(questions)] == expected

    async def ask() -> list[str | None]:
        found = await retriever.abatch([*questions])
        return [each[0].id for each in found]

    assert asyncio.run(ask()) == expected


def test_the_retriever_can_be_pickled(index: leafmark.Index) -> None:
    retriever = LeafmarkRetriever(index=index, limit=1)
    copy = pickle.loads(pickle.dumps(retriever))
    (found,), (again,) = retriever.invoke("Assam"), copy.invoke("Assam")
    assert (found.id, found.page_content) == (again.id, again.page_content)
    assert found.metadata["citation"] == again.metadata["citation"]


@pytest.mark.parametrize(
    ("adapter", "package", "framework"),
    [
        ("langchain", "langchain_core", "LangChain"),
        ("langchain", "langchain_text_splitters", "LangChain"),
        ("llamaindex", "llama_index", "LlamaIndex"),
    ],
)
def test_without_the_framework_the_extra_is_named(
    adapter: str, package: str, framework: str
) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"try: import leafmark.adapters.{adapter}\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        f'leafmark\'s {framework} adapter needs its extra: pip install "leafmark[{adapter}]"\n'
    )


@pytest.mark.parametrize("expand", [(), ("siblings", "parent")])
def test_a_budget_holds_for_all_texts_together(
    index: leafmark.Index, handbook: Path, expand: tuple[Relation, ...]
) -> None:
    count = token_counter("o200k_base")
    seen: set[int] = set()
    for budget in (1, 30, 60, 120, 240, 480, 5000):
        retriever = LeafmarkRetriever(index=index, limit=4, expand=expand, max_tokens=budget)
        found = retriever.invoke("how do I restore a backup?")
        assert count("\n\n".join(each.page_content for each in found)) <= budget
        assert len({each.id for each in found}) == len(found)
        shown: set[int] = set()
        for each in found:
            metadata = each.metadata
            data = Path(metadata["source"]).read_bytes()
            start, end = metadata["byte_start"], metadata["byte_end"]
            assert data[start:end].decode() == each.page_content
            text = data.decode()
            assert text[metadata["start_index"] : metadata["end_index"]] == each.page_content
            assert metadata["line_start"] == data.count(b"\n", 0, start) + 1
            assert metadata["line_end"] == data.count(b"\n", 0, end - 1) + 1
            if metadata["citation"] is not None:
                assert index.verify(metadata["citation"]).holds
            shown |= {hash((metadata["source"], at)) for at in range(start, end)}
        assert seen <= shown
        seen = shown
    assert seen
