"""`SearchOptions`: how one search is done. Every value is declared here once.

Each field carries its description, range and default, and where it can be given. Settings,
flags, schemas of tools and the reference are derived from it. The fields at the end are
constants of the ranking: no setting, but an evaluation may override them by name.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from leafmark.errors import UsageError
from leafmark.frozen import Frozen
from leafmark.model import Grain, Sort
from leafmark.model.option_types import Option, declarations

Mode = Literal["auto", "lexical", "semantic", "hybrid"]
"""Whether words count, meaning, or both; `auto` is both if there is an embedder."""

CANDIDATES_PER_RESULT = 5
"""The least number of candidates for each requested result (chosen by eye)."""


class SearchOptions(Frozen, kw_only=True):
    """How one search is done.

    Raises:
        UsageError: a value is not among those accepted.
    """

    mode: Annotated[
        Mode,
        Option(
            "search by words (lexical), by meaning (semantic) or by both (hybrid); auto is hybrid "
            "where there is an embedder",
            "you want exact words only, or likeness of meaning only",
        ),
    ] = "auto"
    limit: Annotated[
        int,
        Option(
            "show at most so many results",
            "you read more of them, or fewer",
            unit="results",
            least=1,
            most=10_000,
        ),
    ] = 10
    offset: Annotated[
        int, Option("leave out so many of the first results", least=0, given="request")
    ] = 0
    grain: Annotated[
        Grain,
        Option("how large a result may be", "you want whole documents, or the smallest passages"),
    ] = "auto"
    fuzzy_distance: Annotated[
        int,
        Option(
            "typing errors forgiven in a word; 0 forgives none",
            "words that are nearly alike are mixed up",
            unit="edits",
            least=0,
            most=2,
        ),
    ] = 1
    candidate_limit: Annotated[
        int,
        Option(
            "matches considered for each topic",
            unit="chunks",
            least=1,
            most=100_000,
            given="constant",
        ),
    ] = 100
    cutoff_ratio: Annotated[
        float,
        Option(
            "end the list where a score is below this share of the one before",
            "you miss results behind the best (0 shows all), or see too many",
            least=0,
            most=1,
        ),
    ] = 0.5
    max_results: Annotated[
        int,
        Option(
            "most matches kept where no score falls sharply",
            least=1,
            most=100_000,
            given="constant",
        ),
    ] = 20
    max_per_document: Annotated[
        int,
        Option(
            "most results of one document that the query does not name; 0: any",
            least=0,
            given="constant",
        ),
    ] = 3
    aggregation_threshold: Annotated[
        float,
        Option(
            "the share of a section's parts that must match for it to stand for them",
            least=0,
            most=1,
            given="constant",
        ),
    ] = 0.5
    aggregation_max_tokens: Annotated[
        int,
        Option(
            "most tokens of a section that stands for its parts; 0: any",
            unit="tokens",
            least=0,
            given="constant",
        ),
    ] = 500
    merge_bonus: Annotated[
        float,
        Option(
            "what each part adds to the score of the section that stands for it",
            least=0,
            given="constant",
        ),
    ] = 0.0
    local_boost: Annotated[
        float,
        Option(
            "factor of the project's own trees against the user's",
            "your own notes should count as much as the project",
            least=0,
            open_low=True,
        ),
    ] = 1.5

    aggregation_min_matches: Annotated[
        int,
        Option("the least number of matching parts of such a section", least=1, given="constant"),
    ] = 1
    max_merge_depth: Annotated[
        int, Option("the least depth of such a section", unit="levels", least=0, given="constant")
    ] = 0
    sort: Annotated[Sort, Option("order of the results", given="request")] = "score"
    aggregation: Annotated[
        bool,
        Option(
            "join parts to sections",
            given="constant",
            off="never show a section or document instead of the parts of it that match",
        ),
    ] = True
    strict: Annotated[
        bool, Option("all words must match, even those of a question", given="request")
    ] = False
    explain: Annotated[
        bool,
        Option("show how the query was understood and what each score is made of", given="request"),
    ] = False
    trees: Annotated[
        tuple[str, ...], Option("only documents of this tree, or of several", given="request")
    ] = ()
    tags: Annotated[
        tuple[str, ...],
        Option("only documents that have this tag, or all of several", given="request"),
    ] = ()
    since: Annotated[
        float | None,
        Option("only documents changed since this moment", unit="seconds", given="request"),
    ] = None
    section: Annotated[
        tuple[str, ...],
        Option(
            "only sections whose path of titles ends like this, as in 'Guide > Auth*'; ** stands "
            "for any number of titles",
            given="request",
        ),
    ] = ()
    rerank_results: Annotated[
        int, Option("how many results a reranker reads", least=1, given="request")
    ] = 20

    titles_weight: Annotated[
        float, Option("factor of BM25 over the line of titles", least=0, given="constant")
    ] = 0.3
    tags_weight: Annotated[float, Option("factor of a tag's rarity", least=0, given="constant")] = (
        0.4
    )
    path_weight: Annotated[
        float, Option("factor of BM25 over the path", least=0, given="constant")
    ] = 0.05
    nearness: Annotated[
        float,
        Option(
            "factor of neighbouring words that stand near each other", least=0, given="constant"
        ),
    ] = 0.5
    completeness: Annotated[
        float,
        Option(
            "what a section with all words gains, in mean idfs of the words",
            least=0,
            given="constant",
        ),
    ] = 1.0
    role_factor: Annotated[
        float,
        Option(
            "factor of what repeats, tests or lists other texts, and of source code",
            least=0,
            open_low=True,
            given="constant",
        ),
    ] = 0.6
    names_first: Annotated[
        bool, Option("put the bearers of a name first that is all of the query", given="constant")
    ] = True
    all_words_first: Annotated[
        bool, Option("put sections with all words first, for a few keywords", given="constant")
    ] = True
    fold_versions: Annotated[
        bool, Option("show versions and translations of a page once", given="constant")
    ] = True
    relax_share: Annotated[
        float,
        Option("the share of the words that a match needs", least=0, most=1, given="constant"),
    ] = 0.2
    meaning_weight: Annotated[
        float, Option("the share of meaning in a fused score", least=0, most=1, given="constant")
    ] = 0.5

    def __post_init__(self) -> None:
        for key, declared in declarations(SearchOptions).items():
            value = getattr(self, key)
            try:
                declared.holds(value)
            except ValueError as error:
                raise UsageError(f"{key} is {value!r}", hint=str(error)) from None

    @property
    def candidates(self) -> int:
        """The number of candidates for each topic."""
        return max(self.candidate_limit, CANDIDATES_PER_RESULT * (self.limit + self.offset))

    @property
    def joins_documents(self) -> bool:
        """Whether a document may stand for its parts if all of them match."""
        return (
            self.aggregation
            and self.grain in ("auto", "document")
            and not self.max_merge_depth
            and self.sort == "score"
        )

    @property
    def keep_count(self) -> int:
        """The number of candidates to keep if no score falls sharply."""
        return max(self.max_results, self.limit + self.offset)


MECHANISMS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "titles": {"titles_weight": 0.0},
        "path and tags": {"path_weight": 0.0, "tags_weight": 0.0},
        "corrections": {"fuzzy_distance": 0},
        "nearness": {"nearness": 0.0},
        "completeness": {"completeness": 0.0},
        "roles": {"role_factor": 1.0},
        "names": {"names_first": False},
        "all words first": {"all_words_first": False},
        "elbow": {"cutoff_ratio": 0.0},
        "aggregation": {"aggregation": False},
        "places per document": {"max_per_document": 0},
        "versions": {"fold_versions": False},
    }
)
"""The changes of options that turn each mechanism off, for `leafmark eval --ablate`."""
