"""The LlamaIndex adapter inside LlamaIndex: ingestion pipeline, vector index, query engine."""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

import leafmark
from leafmark.adapters.llamaindex import LeafmarkNodeParser, LeafmarkRetriever
from leafmark.adapters.parts import Search


def load(folder: Path) -> list[Document]:
    return [
        Document(text=file.read_text("utf-8"), metadata={"file_path": str(file)}, doc_id=file.name)
        for file in sorted(folder.rglob("*.md"))
    ]


def text_nodes(nodes: list[BaseNode]) -> list[TextNode]:
    assert all(isinstance(node, TextNode) for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


def test_offsets_are_characters_of_the_document_s_text(handbook: Path) -> None:
    documents = load(handbook)
    texts = {document.id_: document.text for document in documents}
    nodes = text_nodes(LeafmarkNodeParser().get_nodes_from_documents(documents))
    assert len(nodes) > 20
    for node in nodes:
        assert node.ref_doc_id is not None
        assert texts[node.ref_doc_id][node.start_char_idx : node.end_char_idx] == node.text
    assert len({node.node_id for node in nodes}) == len(nodes)


def test_repeated_texts_and_documents_have_their_own_offsets_and_ids() -> None:
    text = "# A\n\nsame\n\n# A\n\nsame\n"
    nodes = text_nodes(
        LeafmarkNodeParser().get_nodes_from_documents([Document(text=text), Document(text=text)])
    )
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == [(0, 9), (11, 20)] * 2
    assert len({node.node_id for node in nodes}) == 4


def test_relations_lead_to_nodes_that_are_there(handbook: Path) -> None:
    nodes = LeafmarkNodeParser().get_nodes_from_documents(load(handbook))
    by_id = {node.node_id: node for node in nodes}
    for node in nodes:
        if node.parent_node is not None:
            above = by_id[node.parent_node.node_id]
            assert node.node_id in [child.node_id for child in above.child_nodes or []]
            assert above.metadata["depth"] < node.metadata["depth"]
        for child in node.child_nodes or []:
            parent = by_id[child.node_id].parent_node
            assert parent is not None
            assert parent.node_id == node.node_id
        if node.next_node is not None:
            following = by_id[node.next_node.node_id]
            assert following.prev_node is not None
            assert following.prev_node.node_id == node.node_id
            assert following.ref_doc_id == node.ref_doc_id
    tea = {
        node.metadata["breadcrumb"].rpartition(" › ")[2]: node
        for node in nodes
        if node.ref_doc_id == "tee.md"
    }
    assert [child.node_id for child in tea["> Größe 🚀"].child_nodes or []] == [
        tea[name].node_id for name in ("Grüner Tee", "Schwarz", "Weiß")
    ]


def test_wishes_of_the_base_class_are_heeded() -> None:
    document = Document(text="# A\n\nx\n\n# B\n\ny\n", metadata={"k": "v"}, id_="d")
    document.excluded_embed_metadata_keys = ["k"]
    (first, second) = LeafmarkNodeParser().get_nodes_from_documents([document])
    assert first.metadata["k"] == "v"
    assert first.get_content(MetadataMode.EMBED) == "breadcrumb: > A\n\n# A\n\nx"
    assert first.get_content(MetadataMode.LLM) == "k: v\nbreadcrumb: > A\n\n# A\n\nx"
    assert first.next_node is not None
    plain = LeafmarkNodeParser(
        include_metadata=False,
        include_prev_next_rel=False,
        id_func=lambda number, node: f"{node.node_id}-{number}",
    )
    (first, second) = plain.get_nodes_from_documents([document])
    assert "k" not in first.metadata
    assert first.next_node is None
    assert [first.node_id, second.node_id] == ["d-0", "d-1"]
    assert all(not isinstance(value, list | dict) for value in first.metadata.values())


def test_what_is_part_of_a_document_keeps_the_document_s_offsets() -> None:
    text = "Vorwort 🚀\n\n# A\n\nx\n\n# B\n\ny\n"
    whole = Document(text=text, id_="whole")
    half = TextNode(text=text[11:], start_char_idx=11, end_char_idx=len(text))
    half.relationships[NodeRelationship.SOURCE] = whole.as_related_node_info()
    for node in text_nodes(LeafmarkNodeParser()([half])):
        assert text[node.start_char_idx : node.end_char_idx] == node.text
        assert node.ref_doc_id == "whole"


def test_it_can_be_written_down_pickled_and_awaited() -> None:
    parser = LeafmarkNodeParser(strategy="section", sizes={"max_tokens": 200}, tree="t")
    document = Document(text="# A\n\nx\n", id_="d")
    expected = [node.to_dict() for node in parser([document])]
    for copy in (
        LeafmarkNodeParser.from_dict(parser.to_dict()),
        LeafmarkNodeParser.from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),
    ):
        assert copy.sizes == {"max_tokens": 200}
        assert [node.to_dict() for node in copy([document])] == expected
    awaited = asyncio.run(parser.aget_nodes_from_documents([document]))
    assert [node.to_dict() for node in awaited] == expected
    for node in parser([document]):
        assert isinstance(node, TextNode)
        assert TextNode.from_dict(node.to_dict()) == node


def test_mistakes_are_told_when_the_parser_is_made() -> None:
    with pytest.raises(leafmark.ConfigError) as wrong:
        LeafmarkNodeParser(sizes={"max_token": 3})  # type: ignore[typeddict-unknown-key]
    assert wrong.value.message == "there is no size called 'max_token'"


def test_the_pipeline_indexes_queries_and_leaves_what_is_unchanged(handbook: Path) -> None:
    embedder = MockEmbedding(embed_dim=8)
    pipeline = IngestionPipeline(
        transformations=[LeafmarkNodeParser(), embedder],
        docstore=SimpleDocumentStore(),
        vector_store=SimpleVectorStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS,
    )
    nodes = pipeline.run(documents=load(handbook))
    assert len(nodes) > 20
    assert all(node.embedding is not None for node in nodes)
    assert pipeline.run(documents=load(handbook)) == []
    made = VectorStoreIndex(list(nodes), embed_model=embedder)
    found = made.as_retriever(similarity_top_k=3).retrieve("anything")
    assert len(found) == 3
    assert all("start_char_idx" in each.node.to_dict() for each in found)
    answer = made.as_query_engine(llm=MockLLM(), similarity_top_k=2).query("what is backed up?")
    assert len(answer.source_nodes) == 2


def test_the_retriever_gives_sections_with_citations(handbook: Path, index: leafmark.Index) -> None:
    retriever = LeafmarkRetriever(index, Search(limit=2, expand=("parent",)))
    found, around = retriever.retrieve('What about "Zitronenmelisse?')
    node = found.node
    assert isinstance(node, TextNode)
    text = (handbook / "tee.md").read_text("utf-8")
    assert node.text == "## Grüner Tee\n\n日本語 zuerst, dann Zitronenmelisse.\n\n"
    assert text[node.start_char_idx : node.end_char_idx] == node.text
    assert node.node_id == "handbook:tee.md#grüner-tee"
    assert node.ref_doc_id == "handbook:tee.md"
    assert node.parent_node is not None
    assert node.parent_node.node_id == around.node.node_id == "handbook:tee.md#größe-"
    assert (around.score, around.node.metadata["relation"]) == (None, "parent")
    assert found.score is not None
    assert index.verify(f"[{node.metadata['citation']}]").holds
    assert index.show(node.parent_node.node_id, str(node.ref_doc_id)).not_found == ()
    shown = node.get_content(MetadataMode.LLM)
    assert shown.startswith("breadcrumb: > Größe 🚀 › Grüner Tee\ncitation: handbook:tee.md#")
    assert retriever.retrieve("zzzz") == []


def test_the_retriever_works_in_a_query_engine_and_awaited(index: leafmark.Index) -> None:
    retriever = LeafmarkRetriever(index, Search(limit=1))
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    answer = engine.query("Where is Assam?")
    assert [each.node.node_id for each in answer.source_nodes] == ["handbook:tee.md#schwarz"]
    assert "Assam." in str(answer)

    async def ask() -> list[str]:
        found = await asyncio.gather(*(retriever.aretrieve(w) for w in ("Assam", "Bai Mu Dan")))
        return [each[0].node.node_id for each in found]

    assert asyncio.run(ask()) == ["handbook:tee.md#schwarz", "handbook:tee.md#weiß"]


def test_a_budget_makes_nodes_of_parts(index: leafmark.Index) -> None:
    retriever = LeafmarkRetriever(index, Search(limit=4, max_tokens=120))
    nodes = [found.node for found in retriever.retrieve("how do I restore a backup?")]
    whole = LeafmarkRetriever(index, Search(limit=4)).retrieve("how do I restore a backup?")
    assert nodes
    assert len({node.node_id for node in nodes}) == len(nodes)
    texts = [node.get_content() for node in nodes]
    assert sum(map(len, texts)) < sum(len(each.node.get_content()) for each in whole)
    with pytest.raises(leafmark.UsageError) as caught:
        LeafmarkRetriever(index, Search(max_tokens=0)).retrieve("backup")
    assert str(caught.value) == "max_tokens is 0; max_tokens must be a whole number of at least 1"
    assert caught.value.hint == "max_tokens must be a whole number of at least 1"
