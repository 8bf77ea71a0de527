"""Text without spaces in queries: what it is taken apart to, and what that finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.library import Library

from leafmark.index.analysis import analyzer_for
from leafmark.search.stop_words import Piece, split_words

NOWHERE: Mapping[str, int] = {}


def _apart(text: str, known: Mapping[str, int]) -> list[str]:
    """The words of a text, those that only ask in brackets."""

    def frequencies(pairs: Sequence[tuple[str, str]]) -> list[int]:
        return [known.get("".join(pair), 0) for pair in pairs]

    pieces = split_words(text, analyzer_for("english"), frequencies)
    return [f"({piece.text})" if piece.asks else piece.text for piece in pieces]


@pytest.mark.parametrize(
    ("text", "known", "words"),
    [
        ("snake_case", NOWHERE, ["snake_case"]),
        ("", NOWHERE, [""]),
        ("路由", NOWHERE, ["路由"]),
        ("路", NOWHERE, ["路"]),
        # a pair across a border is dropped where those beside it are more frequent
        ("配置路由", {"配置": 9, "置路": 1, "路由": 6}, ["配置", "路由"]),
        ("配置路由", {"配置": 9, "置路": 4, "路由": 6}, ["配置", "置路", "路由"]),
        ("配置路由", {"配置": 9, "路由": 6}, ["配置", "路由"]),
        # what occurs nowhere is asked for all the same
        ("企业微信", {"企业": 9}, ["企业", "微信"]),
        ("企业微信", NOWHERE, ["企业", "微信"]),
        # words that join others need no pair of their own
        ("运行的时间", {"运行": 9, "行的": 2, "的时": 1, "时间": 9}, ["运行", "时间"]),
        ("会话存储", {"会话": 9, "话存": 1, "存储": 9}, ["会话", "存储"]),
        ("如何配置路由？", {"配置": 9, "路由": 6}, ["(如何)", "配置", "路由"]),
        ("为什么", NOWHERE, ["(为什么)"]),
        ("会上", NOWHERE, ["(会上)"]),
        ("如何对于API", NOWHERE, ["(如何)", "(对于)", "API"]),
        # where the script changes, a word ends
        ("Gateway网关", NOWHERE, ["Gateway", "网关"]),
        ("用my_key配置", {"配置": 1}, ["(用)", "my_key", "配置"]),
        ("検査コメントの位置", NOWHERE, ["検査", "コメント", "(の)", "位置"]),
        ("ジョブを待つには", NOWHERE, ["ジョブ", "(を)", "待", "(つには)"]),
        ("まとめる", NOWHERE, ["(まとめる)"]),
        ("らーめん屋", NOWHERE, ["(らーめん)", "屋"]),
        # a long vowel at the end may be left out
        ("ユーザーを", NOWHERE, ["ユーザ", "(を)"]),
        ("キー値", NOWHERE, ["キー", "値"]),
        ("人々休む", NOWHERE, ["人々", "々休", "(む)"]),
        ("문서를 찾기", NOWHERE, ["문서", "서를", "찾기"]),
        ("一、二", NOWHERE, ["一", "二"]),
    ],
)
def test_words_of_a_text_without_spaces(
    text: str, known: Mapping[str, int], words: list[str]
) -> None:
    assert _apart(text, known) == words


def test_pieces_are_parts_of_the_text() -> None:
    text = "如何配置 snake_case 的ユーザー"
    pieces = split_words(text, analyzer_for(None), lambda pairs: [2] * len(pairs))
    assert all(piece.text in text for piece in pieces)
    assert Piece("如何", asks=True) in pieces


@given(
    st.text(st.sampled_from("如何配置会上的ユーザーをめいー문서々a_é e\u0301。が"), max_size=12),
    st.dictionaries(
        st.text(st.sampled_from("如何配置会上的"), min_size=2, max_size=2), st.integers(0, 9)
    ),
)
def test_every_text_with_a_word_has_pieces_in_order(text: str, known: dict[str, int]) -> None:
    analyzer = analyzer_for("english")
    pieces = split_words(
        text, analyzer, lambda pairs: [known.get("".join(pair), 0) for pair in pairs]
    )
    assert pieces or not analyzer.terms(text)
    at = 0
    for piece in pieces:
        assert analyzer.terms(piece.text) or not analyzer.terms(text)
        at = text.index(piece.text, at)


SOURCES = {
    "routes.md": "# 路由\n\n在这里配置路由的前缀。\n",
    "keys.md": "# 密钥\n\n密钥存储在配置文件中。\n",
    "jobs.md": "# ジョブ\n\nジョブの終了を待ちます。\n",
    "users.md": "# ユーザの一覧\n\n組織のユーザを出力します。\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("路由配置", "routes.md"),
        ("如何配置路由？", "routes.md"),
        ("密钥保存在哪里", "keys.md"),
        ("ジョブが終わるまで待つには", "jobs.md"),
        ("ユーザー一覧", "users.md"),
        ("ユーザー", "users.md"),
    ],
)
def test_a_question_without_spaces_finds_its_answer(
    library: Library, query: str, found: str
) -> None:
    assert library.search(query).results[0].entry.path == found


@pytest.mark.parametrize("query", ['"路由配置"', "body:路由配置", "路由配置 OR 终了", "路由配置~0"])
def test_what_is_stated_is_not_taken_apart(library: Library, query: str) -> None:
    assert library.find(query) == []


def test_words_are_the_same_in_every_language_of_the_index(tmp_path: Path) -> None:
    library = Library(tmp_path, zh={}, ru={})
    library.settings = type(library.settings)("both", {"zh": "english", "ru": "russian"})
    library.put("zh", SOURCES)
    library.put("ru", {"a.md": "# Ключи\n\nГде лежат ключи.\n"})
    answer = library.search("路由配置前缀", aggregation=False)
    assert [result.entry.path for result in answer.results][:1] == ["routes.md"]
    assert [hint.code for hint in answer.hints][:1] == ["relaxed"]
