"""Make judged queries of the bodies of documentation that `fetch.py` installs.

    python -m eval.make [--into FOLDER] [BODY ...]

Where their bearers are, or which document holds the words, is known from the
packages alone. The same packages give the same queries.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from eval.names import NAMES, named_queries
from eval.titles import TITLES, title_queries
from eval.words import WORDS, word_queries

HERE = Path(__file__).parent

MAKERS = {
    "names": (NAMES, named_queries),
    "titles": (TITLES, title_queries),
    "words": (WORDS, word_queries),
}


def main() -> int:
    """Write the queries of each body, and say how many there are of each kind."""
    parser = argparse.ArgumentParser(description="Make judged queries of documentation.")
    parser.add_argument("--into", type=Path, default=HERE, help="folder of the projects")
    parser.add_argument("bodies", nargs="*", help="such as python; all without any")
    asked = parser.parse_args()
    for what, (bodies, make) in MAKERS.items():
        for body in bodies:
            if not asked.bodies or body in asked.bodies:
                made = make(body, asked.into / "bodies" / body / "sets" / body)
                _write(HERE / "bodies" / body / "queries" / f"{what}.jsonl", made)
    return 0


def _write(place: Path, made: list[dict[str, Any]]) -> None:
    lines = [json.dumps(query, ensure_ascii=False) + "\n" for query in made]
    place.write_text("".join(lines), encoding="utf-8")
    print(place.relative_to(HERE), dict(Counter(query["kind"] for query in made)))


if __name__ == "__main__":
    sys.exit(main())
