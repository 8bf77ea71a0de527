"""A user's script: what the library offers, by its types."""

from collections.abc import Sequence
from pathlib import Path

import leafmark


def cite(folder: Path, question: str) -> list[str]:
    with leafmark.open_index(folder, config={"search.limit": 3}) as index:
        answer = index.search(question, tags=["guide"], grain="section", expand=["parent"])
        results: Sequence[leafmark.Result] = answer
        first: leafmark.Result | None = answer[0] if answer else None
        if first is not None:
            place: str = f"{first.path}:{first.line_start} {first.breadcrumb} {first.title}"
            print(place, len(first.text), first.score, len(answer[:2]))
        report: leafmark.VerifyReport = index.verify(index.text(answer, max_tokens=500))
        print(report.holds, [one.status for one in report.citations])
        shown: leafmark.ShowReport = index.show("guide.md#setup")
        print([one.full_text for one in shown.shown], [hint.message for hint in answer.hints])
        return [result.citation for result in results if result.citation is not None]


def sizes(text: str) -> dict[str, int]:
    chunks: list[leafmark.Chunk] = leafmark.chunk(text, path="a.md", strategy="section")
    document: leafmark.Document = leafmark.parse(text, path="a.md")
    print([heading.title for heading in document.headings])
    return {chunk.id: chunk.tokens for chunk in chunks}


async def ask(index: leafmark.Index, question: str) -> int:
    try:
        answer: leafmark.Answer = await index.asearch(question, limit=1)
    except leafmark.QueryError as error:
        print(error.message, error.hint)
        return 0
    return len(answer)


found: list[leafmark.EnrichedChunk] = leafmark.rag_search("x", ".", section_filter="Guide")
