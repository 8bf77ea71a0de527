"""The table of all sets: which row a query stands in, and what is compared."""

from __future__ import annotations

from eval.table import _table


def _values(plain: float, auto: float) -> dict[str, dict[str, float]]:
    ways = {"plain": plain, "auto": auto}
    return {
        way: {"hit@1": value, "hit@10": 1.0, "overlap-mrr@10": value, "rr500": value, "empty": 0.0}
        | {"doubt": 0.0}
        for way, value in ways.items()
    }


def test_rows_of_a_family_and_what_has_changed_since() -> None:
    found = {f"bodies/git:names|command|q{at}": _values(0.0, 1.0) for at in range(8)}
    found |= {f"bodies/git:names|versioned|v{at}": _values(1.0, 1.0) for at in range(8)}
    found |= {f".:npm|question|how {at}": _values(0.5, 0.5) for at in range(8)}
    foreign = {way: {"empty-unanswerable": 0.0, "doubt-unanswerable": 1.0} for way in ("plain",)}
    found["bodies/git:foreign|foreign|tea"] = foreign | {"auto": foreign["plain"]}
    before = {f"bodies/git:names|command|q{at}": _values(0.0, 0.0) for at in range(8)}
    lines = list(_table(found, before))
    families = {line: lines[at + 1] for at, line in enumerate(lines) if ": " in line[:40]}
    assert families["names: hit@1"].split() == [
        *("git", "command", "8", "plain", "0.000", "auto", "1.000"),
        *("+1.000", "[+1.000,", "+1.000]*", "since", "+1.000", "[+1.000,", "+1.000]*"),
    ]
    assert families["variants: hit@1"].split()[:3] == ["git", "versioned", "8"]
    assert families["questions: rr500"].split()[:3] == ["first", "npm", "8"]
    assert "since" not in families["questions: rr500"]
    assert families["foreign: doubt-unanswerable"].split()[:2] == ["git", "1"]
