"""The promises of docs/RELIABILITY.md, with their tests.

`python -m support.promises ../docs/RELIABILITY.md`, run in `tests`, writes the page, and a test
compares the two. The figures of the last marked runs are entered by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from typing import NamedTuple


class Promise(NamedTuple):
    """`test` is `file::function` below `tests`."""

    promise: str
    method: str
    test: str


PROMISES = (
    Promise(
        "After a crash at any time, the last commit answers, and the next run completes the index.",
        "A process kills itself at each step that touches the disk.",
        "unit/index/test_crash.py::test_killed_at_every_step",
    ),
    Promise(
        "The same holds if another process kills a build, an update, a rebuild or a run that "
        "computes vectors.",
        "Kills after random times, marked `hours`.",
        "faults/test_kills.py::test_killed_at_random",
    ),
    Promise(
        "If an open, read, write, map, sync, rename or unlink fails (EIO, ENOSPC, EACCES), no "
        "commit is lost, and the next run repairs the index.",
        "A preloaded library lets one call fail, or all from one on: a sample of the calls in the "
        "suite, all calls marked `hours`.",
        "faults/test_faults.py::test_a_sample_of_calls_fails",
    ),
    Promise(
        "On a full disk the last commit stays.",
        "Each sync and each rename fails in turn.",
        "unit/index/test_writer.py::test_a_full_disk_at_any_step_leaves_a_committed_state",
    ),
    Promise(
        "A run that cannot write frees the space that it used.",
        "A limit on the size of files lets the engine's own writes fail.",
        "unit/index/test_crash.py::test_a_write_that_fails_inside_the_engine",
    ),
    Promise(
        "Searches answer while the disk is full; the next run with enough space repairs the index.",
        "A small file system in memory is mounted for one process, and filled.",
        "faults/test_full_disk.py::test_a_run_on_a_full_disk_loses_nothing",
    ),
    Promise(
        "A server that runs for a long time does not use more memory, descriptors or disk.",
        "Alternating edits, branch switches, concurrent writers and searches, marked `hours`.",
        "faults/test_soak.py::test_a_long_life_costs_no_more_and_more",
    ),
    Promise(
        "After ten thousand edits a server uses no more than after a hundred.",
        "One file at a time, with searches until the edit is found, marked `hours`.",
        "faults/test_soak.py::test_ten_thousand_edits_cost_a_server_no_more_than_a_hundred",
    ),
    Promise(
        "A first build that was killed is resumed, and nothing of it is visible before it is "
        "complete.",
        "A build is killed after some of its sources.",
        "unit/app/indexing/test_going_on.py::test_a_first_build_that_was_killed_goes_on",
    ),
    Promise(
        "So is a rebuild; meanwhile the old state answers.",
        "A rebuild is killed, and once more with a damaged file.",
        "unit/app/indexing/test_going_on.py"
        "::test_a_rebuild_that_was_killed_goes_on_beside_the_old_state",
    ),
    Promise(
        "Every byte of the index is checked after a writer was killed or failed.",
        "A bit is flipped that no search notices.",
        "unit/app/indexing/test_going_on.py"
        "::test_what_a_killed_writer_left_is_looked_at_byte_by_byte",
    ),
    Promise(
        "Every byte is checked once a week; damage is repaired and reported.",
        "A bit is flipped, and a week passes.",
        "unit/app/indexing/test_going_on.py"
        "::test_every_byte_is_looked_at_now_and_then_and_damage_is_mended_and_said",
    ),
    Promise(
        "A command repairs damage that it meets in the same run, and reports it.",
        "A bit of the engine's files is flipped at one place after another, for each command.",
        "unit/app/test_damage.py::test_what_a_run_meets_of_damage_it_mends",
    ),
    Promise(
        "If code fails on damaged bytes, they are checked, and damage is reported: no traceback.",
        "A bit is flipped in each of the engine's columns and terms, one place after another.",
        "unit/app/test_damage.py::test_what_code_stumbles_over_is_damage_where_a_byte_is_wrong",
    ),
    Promise(
        "If most of a tree disappears at once, its documents stay until the user confirms it.",
        "A tree's folder is emptied, as when its disk is not mounted.",
        "unit/app/indexing/test_vanishing.py"
        "::test_the_documents_of_an_empty_mount_point_are_kept_and_said",
    ),
    Promise(
        "If the file of a document can no longer be read, the document stays, and is reported.",
        "Reading each file fails (EACCES, EIO, EMFILE) after it was indexed.",
        "unit/app/indexing/test_vanishing.py::test_what_cannot_be_read_any_more_is_kept_and_said",
    ),
    Promise(
        "Vectors stay when their documents disappear; those unused for a week are removed.",
        "A tree is emptied, forgotten and filled again; no text is embedded a second time.",
        "unit/app/indexing/test_vanishing.py"
        "::test_vectors_outlive_the_run_that_found_everything_gone",
    ),
    Promise(
        "Damaged files about the vectors are written again and reported; the vectors stay.",
        "A bit of each file is flipped.",
        "unit/app/test_model_checks.py"
        "::test_what_is_damaged_beside_vectors_is_written_anew_and_no_vector_is_made",
    ),
    Promise(
        "Lost vectors are reported, and computed again.",
        "Their file is removed.",
        "unit/app/test_model_checks.py::test_lost_vectors_are_called_lost_and_made_again",
    ),
    Promise(
        "A waiting writer gets its turn, even while searches refresh the index.",
        "Three processes write again and again without waiting.",
        "unit/index/test_lock.py::test_a_writer_that_waits_gets_its_turn_beside_those_that_do_not",
    ),
    Promise(
        "An index of another format is replaced, or refused with a message that says what to do.",
        "The tests have small indexes of each format; one has a wrong number.",
        "unit/index/test_formats.py::test_an_older_format_is_refused_in_words_and_replaced",
    ),
    Promise(
        "An older index of the current format can be read and continued.",
        "An index from the day on which the format was raised is opened and continued.",
        "unit/index/test_formats.py::test_the_own_format_is_read_as_it_was_written",
    ),
    Promise(
        "A hostile configuration costs no time: keys are limited before the file is parsed.",
        "40 kB of a dotted key, 200 kB of a header.",
        "unit/app/configuration/test_config.py"
        "::test_dotted_keys_are_bounded_before_they_are_parsed",
    ),
    Promise(
        "Nor do hostile ignore files.",
        "1 MB of stars.",
        "unit/app/sources/test_ignore.py::test_wildcards_over_the_limit_are_not_heeded_and_said",
    ),
    Promise(
        "Only the user can read the folders of the cache.",
        "The modes of all files and folders that a run creates.",
        "unit/app/configuration/test_paths.py"
        "::test_what_is_made_in_the_cache_is_for_the_user_alone",
    ),
    Promise(
        "Folders that others can read, as older versions made them, become private.",
        "The modes of such folders after a project was opened.",
        "unit/app/configuration/test_paths.py"
        "::test_folders_of_the_cache_that_others_can_look_into_are_closed",
    ),
    Promise(
        "A cache folder that is a link or belongs to another user is refused.",
        "A link in the place of an index; a folder of another user.",
        "unit/app/configuration/test_paths.py::test_a_link_in_the_place_of_an_index_is_refused",
    ),
)

FIGURES = (
    "2026-11-28, kills by another process: 1,000 rounds, 250 each of build, update, rebuild and "
    "embedding. In 719 of them the process was killed before its end; no commit was lost or "
    "incomplete.",
    "2026-11-27, calls on files that can fail: 204 in a build, 325 in an update, 258 in a rebuild, "
    "411 with vectors, 355 in a search. Of these, 12 each failed (60 faults), once or from then "
    "on, with each of the three errors: no commit was lost, and the next run repaired the rest. "
    "Later that day each of 198 calls of a build failed with each of the errors, 594 faults: "
    "the same.",
    "2026-11-28, each of 315 calls of an update, 258 of a rebuild, 391 with vectors and 341 of a "
    "search failed, with one of the errors each, once or from then on, 1,305 faults: the same. "
    "Later that day 254 of 273, 253 of 258, 253 of 353 and 253 of 272 calls, 1,013 faults: the "
    "same.",
    "2026-11-27, a file system in memory of which 0, 8, 40 and 120 kB were free: builds, updates "
    "and rebuilds either succeeded or reported a full disk; the last commit answered, and the "
    "next run repaired the index.",
    "2026-11-27, 40 minutes of a server: 776 edits, each with a file added or removed, 31 switched "
    "branches, 77 times two writers at once beside a search. In the second third and in the last "
    "one: 333 and 334 MB, 12 and 12 descriptors, 307 and 309 kB on disk.",
    "2026-11-28, ten thousand edits in 27 minutes on a busy machine: after a hundred and at the "
    "end 170 and 178 MB, of which 142 and 150 MB are private, 11 and 11 descriptors, 320 and 281 "
    "kB on disk.",
    "2026-11-28, as many edits with `leafmark mcp`, in 32 minutes on a busy machine: 202 and 192 "
    "MB, of which 163 and 153 MB are private, 11 and 11 descriptors, 321 and 281 kB on disk.",
    "2026-11-28, two bits in each file of an index with vectors, one at a time, and files cut in "
    "half or removed: no answer changed, or it was refused with `--no-refresh`, or it was by words "
    "alone if the vectors were damaged. The next run repaired all damage, and reported it unless "
    "the file can be derived from others.",
    "2026-11-28, `index` and `index --rebuild` of 1,500 documents, three times each, beside three "
    "processes that searched and refreshed without a pause, and twenty edits a second: all six "
    "ended, in 1.3 to 13 seconds.",
)
"""The results of the last marked runs."""


def page() -> str:
    """Return the page as Markdown."""
    rows = "\n".join(
        f"| {row.promise} | {row.method} | `{row.test.rpartition('::')[2]}` |" for row in PROMISES
    )
    figures = "\n".join(fill(f"- {figure}", 100, subsequent_indent="  ") for figure in FIGURES)
    return f"""# What leafmark promises about your data

(This page is generated: `python -m support.promises ../docs/RELIABILITY.md`, in `tests`.)

The index can always be built again from your files. These promises are about cases in which that is
not necessary, and about never getting a wrong answer.

| Promise | How it is tested | Test |
|---|---|---|
{rows}

## Last figures

The marked jobs run with `pytest -m hours tests/faults`.

{figures}

## What is not promised

- A power failure may lose commits of the last second, if the disk reports writes that it has not
  done.
- On a network file system, locks and mapped files depend on that system.
- A flipped bit is noticed after a week at the latest, if leafmark runs; until then a search may
  answer from the damaged file.
"""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8", newline="\n")
