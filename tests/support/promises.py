"""The promises of docs/RELIABILITY.md: what holds, how it is tested, and by which test.

`python -m support.promises ../docs/RELIABILITY.md`, run in `tests`, writes the page; a test keeps
it true. Figures are those of the last marked runs, by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from typing import NamedTuple


class Promise(NamedTuple):
    """`test` is `file::function` below `tests`."""

    holds: str
    how: str
    test: str


PROMISES = (
    Promise(
        "After a crash at any instant, the last commit answers, and the next run converges.",
        "A process kills itself at each step that touches the disk.",
        "unit/index/test_crash.py::test_killed_at_every_step",
    ),
    Promise(
        "So it does when a process is killed from outside, in a build, an update, a rebuild or "
        "while vectors are made.",
        "Kills after random times, marked `hours`.",
        "faults/test_kills.py::test_killed_at_random",
    ),
    Promise(
        "No open, read, write, map, sync, rename or unlink that fails (EIO, ENOSPC, EACCES) loses "
        "a commit or leaves what the next run cannot mend.",
        "A preloaded library fails one call, or all from one on: a sample of the calls in the "
        "suite, all of them marked `hours`.",
        "faults/test_faults.py::test_a_sample_of_calls_fails",
    ),
    Promise(
        "A full disk leaves the committed state.",
        "Each sync and each rename fails in turn.",
        "unit/index/test_writer.py::test_a_full_disk_at_any_step_leaves_a_committed_state",
    ),
    Promise(
        "A run that could not write gives back the room that it took.",
        "A limit on the size of files, so that the engine's own writes fail.",
        "unit/index/test_crash.py::test_a_write_that_fails_inside_the_engine",
    ),
    Promise(
        "It answers while the disk is full, and once there is room the next run mends.",
        "A small file system in memory is mounted for a process alone, and filled.",
        "faults/test_full_disk.py::test_a_run_on_a_full_disk_loses_nothing",
    ),
    Promise(
        "A server that lives long takes no more memory, descriptors and disk for it.",
        "Edits, branch switches, writers at once and searches in turn, marked `hours`.",
        "faults/test_soak.py::test_a_long_life_costs_no_more_and_more",
    ),
    Promise(
        "Ten thousand edits cost a server no more than a hundred.",
        "One file at a time, each asked for until it is found, marked `hours`.",
        "faults/test_soak.py::test_ten_thousand_edits_cost_a_server_no_more_than_a_hundred",
    ),
    Promise(
        "A first build that was killed goes on where it was, and nothing of it is visible before "
        "it is complete.",
        "A build is killed after some of its sources.",
        "unit/app/indexing/test_going_on.py::test_a_first_build_that_was_killed_goes_on",
    ),
    Promise(
        "So does a rebuild, beside the old state, which answers meanwhile.",
        "A rebuild is killed, and once more with a damaged file.",
        "unit/app/indexing/test_going_on.py"
        "::test_a_rebuild_that_was_killed_goes_on_beside_the_old_state",
    ),
    Promise(
        "Every byte of the index is looked at after a writer was killed or failed.",
        "A bit is flipped that no search notices.",
        "unit/app/indexing/test_going_on.py"
        "::test_what_a_killed_writer_left_is_looked_at_byte_by_byte",
    ),
    Promise(
        "Every byte is looked at once a week; damage is mended, and said.",
        "A bit is flipped, and a week passes.",
        "unit/app/indexing/test_going_on.py"
        "::test_every_byte_is_looked_at_now_and_then_and_damage_is_mended_and_said",
    ),
    Promise(
        "What a command meets of damage it mends in the same run, and says so.",
        "A bit of what the engine stores is flipped at one place after another, for each command.",
        "unit/app/test_damage.py::test_what_a_run_meets_of_damage_it_mends",
    ),
    Promise(
        "Where damage makes code stumble, its bytes are looked at: it is no traceback.",
        "A bit is flipped in each of the engine's columns and terms, one place after another.",
        "unit/app/test_damage.py::test_what_code_stumbles_over_is_damage_where_a_byte_is_wrong",
    ),
    Promise(
        "Most of a tree that is gone at once is kept until the user says that it was meant.",
        "A tree's folder is emptied, as when its disk is not mounted.",
        "unit/app/indexing/test_vanishing.py"
        "::test_the_documents_of_an_empty_mount_point_are_kept_and_said",
    ),
    Promise(
        "A document whose file cannot be read any more is kept, and said.",
        "Each file refuses (EACCES, EIO, EMFILE) after it was indexed.",
        "unit/app/indexing/test_vanishing.py::test_what_cannot_be_read_any_more_is_kept_and_said",
    ),
    Promise(
        "Vectors outlive the run that found everything gone; those unused for a week go.",
        "A tree is emptied, forgotten and filled again; no text is embedded a second time.",
        "unit/app/indexing/test_vanishing.py"
        "::test_vectors_outlive_the_run_that_found_everything_gone",
    ),
    Promise(
        "What is damaged beside the vectors is written anew, and said; no vector is made again.",
        "A bit of each file is flipped.",
        "unit/app/test_model_checks.py"
        "::test_what_is_damaged_beside_vectors_is_written_anew_and_no_vector_is_made",
    ),
    Promise(
        "Lost vectors are called lost, and made again.",
        "Their file is removed.",
        "unit/app/test_model_checks.py::test_lost_vectors_are_called_lost_and_made_again",
    ),
    Promise(
        "A writer that waits gets its turn beside searches that refresh.",
        "Three processes write again and again without waiting.",
        "unit/index/test_lock.py::test_a_writer_that_waits_gets_its_turn_beside_those_that_do_not",
    ),
    Promise(
        "An index of another format is replaced, or refused in words that say what to do.",
        "Small indexes of each format are kept; one lies about its format.",
        "unit/index/test_formats.py::test_an_older_format_is_refused_in_words_and_replaced",
    ),
    Promise(
        "The index of this format is read as it was written.",
        "An index that was kept when the format was raised is opened and written on.",
        "unit/index/test_formats.py::test_the_own_format_is_read_as_it_was_written",
    ),
    Promise(
        "The configuration of a cloned folder costs nothing: keys are bounded before the parser.",
        "40 kB of a dotted key, 200 kB of a header.",
        "unit/app/configuration/test_config.py"
        "::test_dotted_keys_are_bounded_before_they_are_parsed",
    ),
    Promise(
        "Its ignore files cost nothing either.",
        "1 MB of stars.",
        "unit/app/sources/test_ignore.py::test_wildcards_over_the_limit_are_not_heeded_and_said",
    ),
    Promise(
        "Folders of the cache are for the user alone.",
        "The modes of all that a run makes.",
        "unit/app/configuration/test_paths.py"
        "::test_what_is_made_in_the_cache_is_for_the_user_alone",
    ),
    Promise(
        "Those that others can look into, as older leafmarks made them, are closed to them.",
        "The modes of such folders after a project was opened.",
        "unit/app/configuration/test_paths.py"
        "::test_folders_of_the_cache_that_others_can_look_into_are_closed",
    ),
    Promise(
        "A cache folder that is a link or somebody else's is refused.",
        "A link stands in the place of an index; the user is another one.",
        "unit/app/configuration/test_paths.py::test_a_link_in_the_place_of_an_index_is_refused",
    ),
)

FIGURES = (
    "2026-11-28, kills from outside: 1,000 rounds, 250 each of build, update, rebuild and "
    "embedding. In 719 of them the process was killed before its end; nothing torn, nothing lost.",
    "2026-11-27, calls on files that can fail: 204 in a build, 325 in an update, 258 in a rebuild, "
    "411 with vectors, 355 in a search. Of these, 12 each failed (60 faults), once or from then "
    "on, with each of the three errors: nothing torn, nothing lost, all mended by the next run. "
    "Later that day each of 198 calls of a build failed with each of the errors, 594 faults: "
    "the same.",
    "2026-11-28, each of 315 calls of an update, 258 of a rebuild, 391 with vectors and 341 of a "
    "search failed, with one of the errors each, once or from then on, 1,305 faults: the same. "
    "Later that day 254 of 273, 253 of 258, 253 of 353 and 253 of 272 calls, 1,013 faults: the "
    "same.",
    "2026-11-27, a file system in memory of which 0, 8, 40 and 120 kB were free: builds, updates "
    "and rebuilds either ended or said that there is no room; the last state answered, and the "
    "next run mended.",
    "2026-11-27, 40 minutes of a server's life: 776 edits with a file that came or went each time, "
    "31 branches switched, 77 times two writers at once beside a search. Of the second third and "
    "the last one: 333 and 334 MB, 12 and 12 descriptors, 307 and 309 kB on disk.",
    "2026-11-28, ten thousand edits in 27 minutes of a busy machine: of a hundred and at the end "
    "170 and 178 MB, of which it wrote into 142 and 150 MB, 11 and 11 descriptors, 320 and 281 kB "
    "on disk.",
    "2026-11-28, as many edits under `leafmark mcp`, in 32 minutes of a busy machine: 202 and 192 "
    "MB, of which it wrote into 163 and 153 MB, 11 and 11 descriptors, 321 and 281 kB on disk.",
    "2026-11-28, two bits in each file of an index with vectors, one at a time, and files cut in "
    "half or removed: no answer changed, or it was refused with `--no-refresh`, or, without the "
    "vectors, it was by words alone. The next run mended all of it, and said so but of what it "
    "makes again from the rest without loss.",
    "2026-11-28, `index` and `index --rebuild` of 1,500 documents, three times each, beside three "
    "processes that searched and refreshed without a pause, and twenty edits a second: all six "
    "ended, in 1.3 to 13 seconds.",
)
"""What the last marked runs counted, a sentence each."""


def page() -> str:
    """Return the page as Markdown."""
    rows = "\n".join(
        f"| {each.holds} | {each.how} | `{each.test.rpartition('::')[2]}` |" for each in PROMISES
    )
    figures = "\n".join(fill(f"- {each}", 100, subsequent_indent="  ") for each in FIGURES)
    return f"""# What leafmark promises of your data

(This page is generated: `python -m support.promises ../docs/RELIABILITY.md`, in `tests`.)

The index can always be made again from your files. These promises are about not having to, and
about never getting a wrong answer from it.

| Promise | How it is tested | Test |
|---|---|---|
{rows}

## Last figures

The marked jobs run with `pytest -m hours tests/faults`.

{figures}

## What is not promised

- A power cut may lose what was committed in the last second, on a disk that says that it wrote
  what it did not.
- On a file system of the network, locks and mapped files are as good as that system.
- A flipped bit is noticed after a week at the latest, where leafmark runs; a search may answer
  from the damaged file until then.
"""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8", newline="\n")
