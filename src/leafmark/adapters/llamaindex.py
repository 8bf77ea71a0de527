"""leafmark in LlamaIndex: a node parser and a retriever. Needs the extra `llamaindex`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from leafmark.adapters.parts import Content, Cutter, Part, RetrievedText, Search, find
from leafmark.chunking import Strategy
from leafmark.library import Index

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.bridge.pydantic import Field, field_validator
    from llama_index.core.node_parser.interface import NodeParser
    from llama_index.core.node_parser.node_utils import default_id_func
    from llama_index.core.schema import (
        BaseNode,
        Document,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        ObjectType,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
    from llama_index.core.utils import get_tqdm_iterable
except ImportError as missing:
    raise ImportError(
        'leafmark\'s LlamaIndex adapter needs its extra: pip install "leafmark[llamaindex]"'
    ) from missing

__all__ = ["LeafmarkNodeParser", "LeafmarkRetriever", "Search"]

if TYPE_CHECKING:
    from leafmark.chunking import Sizes
else:
    Sizes = dict[str, Any]  # the field takes any size: leafmark words the errors

_NAMESPACE = UUID("8a8f1f0e-7d0c-5a43-9d3b-5f1f5c9c2a6e")
"""The namespace of the ids of nodes; drawn once."""

_VISIBLE_KEYS = frozenset({"breadcrumb"})
"""The keys of our metadata that embedders and models see."""


class LeafmarkNodeParser(NodeParser):
    """Makes a node of every section and piece, with true offsets and the tree between them.

    `strategy`, `tree` and `sizes` are those of `leafmark.chunk`. The metadata of each
    document hold its path under `path_key`, else it is `default_path`. The path's suffix
    decides how the document is parsed, and ids contain the path. With `content="source"` a
    node's text is a slice:
    `document.text[node.start_char_idx:node.end_char_idx] == node.text`. With
    `content="text"` it is leafmark's text for models, and the offsets bound its source.

    Nodes are related to their document (SOURCE), to the nearest node of a section around
    them (PARENT, CHILD), and to their neighbours (PREVIOUS, NEXT). Their ids are derived
    from the document's id and leafmark's, so that they stay the same, unless there is an
    `id_func`. Metadata are flat; only `breadcrumb` is shown to embedders and models.

    Raises:
        ConfigError, UsageError: a size, the strategy, the tree or the content is wrong.

    >>> from llama_index.core import Document
    >>> text = "# Menü\\n\\nHello.\\n\\n## Tea\\n\\nGreen.\\n"
    >>> nodes = LeafmarkNodeParser().get_nodes_from_documents([Document(text=text)])
    >>> [(node.start_char_idx, node.metadata["breadcrumb"]) for node in nodes]
    [(0, '> Menü'), (16, '> Menü › Tea')]
    >>> nodes[1].parent_node.node_id == nodes[0].node_id
    True
    """

    strategy: Strategy = Field(default="auto", description="Which sections become nodes.")
    tree: str = Field(default="docs", description="What ids begin with.")
    content: Content = Field(default="source", description="Slices, or text for models.")
    path_key: str = Field(default="file_path", description="Where metadata hold the path.")
    default_path: str = Field(default="document.md", description="The path of other documents.")
    sizes: Sizes = Field(default_factory=Sizes, description="As leafmark.chunk takes.")

    @field_validator("id_func", mode="before")
    @classmethod
    def _read_id_func(cls, value: Any) -> Any:
        """Return the function that `to_dict` wrote by its name."""
        name = isinstance(value, dict) and value.get("id_func_name")
        return default_id_func if name == default_id_func.__name__ else value

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._cutter()  # a mistake raises here, not with the first document

    @classmethod
    def class_name(cls) -> str:
        return "LeafmarkNodeParser"

    def _cutter(self) -> Cutter:
        return Cutter(self.strategy, self.tree, self.content, self.sizes)

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        cutter = self._cutter()
        results: list[BaseNode] = []
        for node in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            path = str(node.metadata.get(self.path_key) or self.default_path)
            parts = cutter.cut(node.get_content(metadata_mode=MetadataMode.NONE), path)
            created = [self._node(number, part, node) for number, part in enumerate(parts)]
            self._relate(created, parts, node)
            results += created
        return results

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        """Return the nodes as they are; the base class would search for their texts."""
        return nodes

    def _node(self, number: int, part: Part, document: BaseNode) -> TextNode:
        own = _flat(part.metadata)
        hidden = [key for key in own if key not in _VISIBLE_KEYS]
        name = f"{document.node_id}\0{number}\0{part.chunk.fragment}"
        custom = self.id_func is not default_id_func
        offset = _offset(document)
        return TextNode(
            id_=self.id_func(number, document) if custom else str(uuid5(_NAMESPACE, name)),
            text=part.content,
            start_char_idx=offset + part.start,
            end_char_idx=offset + part.end,
            metadata={**(document.metadata if self.include_metadata else {}), **own},
            excluded_embed_metadata_keys=[*document.excluded_embed_metadata_keys, *hidden],
            excluded_llm_metadata_keys=[*document.excluded_llm_metadata_keys, *hidden],
            metadata_separator=document.metadata_separator,
            metadata_template=document.metadata_template,
            text_template=getattr(document, "text_template", TextNode().text_template),
        )

    def _relate(self, nodes: list[TextNode], parts: list[Part], document: BaseNode) -> None:
        source = document.source_node or document.as_related_node_info()
        infos = [node.as_related_node_info() for node in nodes]
        children: dict[int, list[RelatedNodeInfo]] = {}
        for number, (node, part) in enumerate(zip(nodes, parts, strict=True)):
            node.relationships[NodeRelationship.SOURCE] = source
            if part.parent is not None:
                node.relationships[NodeRelationship.PARENT] = infos[part.parent]
                children.setdefault(part.parent, []).append(infos[number])
            if self.include_prev_next_rel and number:
                node.relationships[NodeRelationship.PREVIOUS] = infos[number - 1]
                nodes[number - 1].relationships[NodeRelationship.NEXT] = infos[number]
        for parent, below in children.items():
            nodes[parent].relationships[NodeRelationship.CHILD] = below


def _offset(document: BaseNode) -> int:
    """Return where the text of a document begins in its source, if it is a part of one."""
    start = getattr(document, "start_char_idx", None)
    return start if document.source_node is not None and start is not None else 0


def _flat(metadata: Any) -> dict[str, Any]:
    """Return the metadata without lists, which not every store takes."""
    return {key: value for key, value in metadata.items() if not isinstance(value, list)}


class LeafmarkRetriever(BaseRetriever):
    """Finds sections of a folder of documents; each comes with a citation that can be checked.

    `search` holds the arguments for `Index.search`. A query is text unless `plain` is
    switched off there. A node's text is the heading and whole section, its id
    leafmark's, its offsets are characters of the file. SOURCE and PARENT are ids that
    `Index.show` takes. The sections that `expand` adds follow their result, without a score.
    With `max_tokens` nodes are the most relevant parts (`Index.fit`), each with its citation.

    >>> import leafmark
    >>> retriever = LeafmarkRetriever(leafmark.open_index("handbook"), Search(limit=1))
    >>> retriever.retrieve("how do I restore a backup?")[0].node.metadata["citation"]
    'handbook:guides/backups.md#restoring-a-backup@642e34fdd407:697-1301'
    """

    def __init__(self, index: Index, search: Search | None = None, **options: Any):
        self._index = index
        self._search = search or Search()
        super().__init__(**options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=_node_of(retrieved), score=retrieved.score)
            for retrieved in find(self._index, query_bundle.query_str, self._search)
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node_of(retrieved: RetrievedText) -> TextNode:
    metadata = _flat(retrieved.metadata)
    hidden = [key for key in metadata if key not in {*_VISIBLE_KEYS, "citation"}]
    relationships: dict[NodeRelationship, Any] = {
        NodeRelationship.SOURCE: RelatedNodeInfo(
            node_id=retrieved.entry.doc_id, node_type=ObjectType.DOCUMENT
        )
    }
    if retrieved.entry.parent_id is not None:
        relationships[NodeRelationship.PARENT] = RelatedNodeInfo(node_id=retrieved.entry.parent_id)
    return TextNode(
        id_=retrieved.id,
        text=retrieved.text,
        start_char_idx=retrieved.start,
        end_char_idx=retrieved.end,
        metadata=metadata,
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
        relationships=relationships,
    )
