"""Objects that retrievers of other libraries return, with the fields that assay looks at."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class HaystackDocument:
    id: str
    content: str
    score: float | None = None


@dataclass
class LlamaIndexNode:
    node_id: str
    text: str
    start_char_idx: int | None = None
    end_char_idx: int | None = None
    ref_doc_id: str | None = None


@dataclass
class NodeWithScore:
    node: LlamaIndexNode
    score: float | None = None

    def get_content(self) -> str:
        return self.node.text
