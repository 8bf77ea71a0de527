"""`leafmark doctor` prints what was found and exits with 1 when something is wrong."""

from __future__ import annotations

from support.fake_app import FakeApp, Leafmark
from support.schema import problems

from leafmark.model import Check, DoctorReport

SICK = DoctorReport(
    (
        Check("installation", "ok", "leafmark 1, Python 3 on linux"),
        Check("trees", "warning", "a: no sources in /a", "look there"),
        Check("index", "problem", "x.pos is not \x1bwhat was written", "make it again"),
        Check("index", "problem", "y.pos is not what was written"),
    )
)


def test_text(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.examined = SICK
    ran = leafmark_run("doctor")
    assert ran.code == 1
    assert ran.out == (
        "ok       installation   leafmark 1, Python 3 on linux\n"
        "warning  trees          a: no sources in /a\n"
        "                        look there\n"
        "problem  index          x.pos is not \\x1bwhat was written\n"
        "                        make it again\n"
        "problem  index          y.pos is not what was written\n"
        "2 problems, 1 warning\n"
    )


def test_all_well(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.examined = DoctorReport((Check("tokenizer", "ok", "counts"),))
    ran = leafmark_run("doctor")
    assert (ran.code, ran.out) == (0, "ok       tokenizer      counts\nnothing is wrong\n")


def test_json(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.examined = SICK
    ran = leafmark_run("doctor", "--json")
    assert (ran.code, ran.json["ok"]) == (1, False)
    assert problems(ran.json, "doctor") == []
    assert ran.json["checks"][1] == {
        "area": "trees",
        "state": "warning",
        "message": "a: no sources in /a",
        "hint": "look there",
    }
