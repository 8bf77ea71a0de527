"""What matters for the files that are worked on, and what is like a chunk."""

from __future__ import annotations

import os
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import find_context, find_like
from leafmark.app.answering.related import describe_document
from leafmark.app.requests import ContextRequest, LikeRequest, SearchRequest
from leafmark.errors import ForbiddenError, NotFoundError, StorageError, UsageError
from leafmark.model import Answer
from leafmark.parsing.text import parse_text
from leafmark.render.hint_texts import word_hint

LOGIN = '''\
"""Sign people in by password or token."""

# The session expires after an hour.
import session_store
from crypto import PasswordHasher


def check_password(user, attempt):
    return PasswordHasher().verify(user.hash, attempt)  # slow on purpose
'''
DOCS = {
    "docs/passwords.md": "# Passwords\n\nA password hasher is slow on purpose.\n",
    "docs/sessions.md": "# Sessions\n\nA session expires. The store keeps sessions.\n",
    "docs/billing.md": "# Billing\n\nInvoices are sent monthly.\n",
    "docs/style.md": "# Style guide\n\nWrite short functions.\n",
}


@pytest.fixture
def desk(here: Here) -> Here:
    for path, text in DOCS.items():
        here.write(path, text)
    here.write("src/auth/login.py", LOGIN)
    here.configure('[tree.docs]\npath = "docs"\n')
    return here


def context(here: Here, *files: str, lenient: bool = False, **wishes: Any) -> Answer:
    search = SearchRequest((), **wishes)
    return find_context(here.project(), ContextRequest(files, search, lenient=lenient))


def like(here: Here, name: str, **wishes: Any) -> Answer:
    return find_like(here.project(), LikeRequest(name, SearchRequest((), **wishes)))


def ids(answer: Answer) -> list[str]:
    return [result.entry.doc_id for result in answer.results]


def test_the_documents_about_a_file_s_words_are_found(desk: Here) -> None:
    answer = context(desk, "src/auth/login.py")
    assert ids(answer) == ["docs:passwords.md", "docs:sessions.md"]
    words = {term.word for term in answer.terms}
    assert {"password", "session", "hasher", "store", "slow"} <= words
    assert not words & {"def", "return", "import", "billing"}
    assert answer.results[0].snippet.ranges


def test_the_parts_of_code_are_told_apart() -> None:
    parts = {one.source: one.text for one in describe_document(_parse(LOGIN))}
    assert "Sign people in by password or token." in parts["comments"]
    assert "The session expires" in parts["comments"]
    assert "slow on purpose" in parts["comments"]
    assert "session_store" in parts["imports"]
    assert parts["symbols"].split() == ["check_password", "PasswordHasher", "verify"]
    assert "session" not in parts["body"]


@pytest.mark.parametrize(
    "text",
    ["/*" * 50_000, '"""' * 33_333, "# a\n" * 20_000, "#include <a>\n" * 9_000, "'''\n/*\n" * 9000],
)
def test_odd_code_is_read_in_one_go(text: str) -> None:
    parts = describe_document(_parse(text))
    assert sum(len(part.text) for part in parts) <= 3 * len(text) + 100


def _parse(text: str) -> Any:
    # read as text whatever languages are known, to see the parts of plain code
    return parse_text(text.encode(), "src/x.py")


def test_an_indexed_file_is_never_among_its_own_results(desk: Here) -> None:
    answer = context(desk, "docs/passwords.md", "docs/sessions.md")
    assert not {"docs:passwords.md", "docs:sessions.md"} & set(ids(answer))
    assert "docs:passwords.md" not in ids(context(desk, str(desk.root / "docs/passwords.md")))


def test_rules_add_words_trees_and_documents(desk: Here) -> None:
    desk.write("notes/session.md", "# Session notes\n\nThe password store.\n")
    desk.configure(
        '[tree.docs]\npath = "docs"\n[tree.notes]\npath = "notes"\n'
        '[[context.rules]]\nmatch = ["src/**/*.py"]\nterms = ["invoices"]\n'
        'trees = ["docs"]\nfiles = ["style.md", "gone.md"]\n'
        '[[context.rules]]\nmatch = ["*.rs"]\nfiles = ["billing.md"]\n'
    )
    answer = context(desk, "src/auth/login.py")
    assert ids(answer)[0] == "docs:style.md"
    assert "docs:billing.md" in ids(answer)
    assert "notes:session.md" not in ids(answer)
    assert answer.results[0].factors[0].how == "named by a rule: as good as the best"
    assert [result.rank for result in answer.results] == [*range(1, len(answer.results) + 1)]
    assert [(hint.code, word_hint(hint)) for hint in answer.hints if hint.code != "cut"] == [
        ("rule-file", "a rule of [context] names gone.md: nothing indexed is called 'gone.md'"),
    ]
    assert "notes:session.md" in ids(context(desk, "src/auth/login.py", trees=("notes",)))


def test_folders_and_exceptions_in_patterns(desk: Here) -> None:
    desk.configure(
        '[tree.docs]\npath = "docs"\n'
        '[[context.rules]]\nmatch = ["src/", "!login.py"]\nfiles = ["style.md"]\n'
    )
    desk.write("src/x.py", "session\n")
    assert "docs:style.md" in ids(context(desk, "src/x.py"))
    assert "docs:style.md" not in ids(context(desk, "login.py", lenient=True))


def test_what_stands_in_the_path_weighs_more_than_what_stands_below(desk: Here) -> None:
    desk.write("src/passwords.py", "sessions\n")
    first, *_ = context(desk, "src/passwords.py").terms
    assert "path" in first.sources


def test_missing_files_are_a_mistake_but_in_a_list(desk: Here) -> None:
    with pytest.raises(NotFoundError) as caught:
        context(desk, "src/none.py")
    assert (caught.value.message, caught.value.location) == ("there is no such file", "src/none.py")
    answer = context(desk, "src/sessions.py", lenient=True)
    assert ids(answer) == ["docs:sessions.md"]
    assert [(hint.code, word_hint(hint)) for hint in answer.hints if hint.code != "cut"] == [
        ("file-missing", "src/sessions.py is missing: only its path counts"),
    ]
    with pytest.raises(UsageError):
        context(desk)
    with pytest.raises(StorageError):
        context(desk, "src")


def test_binary_files_have_a_path(desk: Here) -> None:
    (desk.root / "passwords.bin").write_bytes(b"\0\1\2")
    assert ids(context(desk, "passwords.bin")) == ["docs:passwords.md"]


@pytest.mark.parametrize("name", [".env", "keys/id_rsa", ".aws/login.py", "link.py"])
def test_files_that_may_hold_secrets_are_not_read(desk: Here, name: str) -> None:
    """Words that documents have too would be told."""
    desk.write(".env", "session")
    if name == "link.py":
        (desk.root / name).symlink_to(".env")
    else:
        desk.write(name, "session")
    answer = context(desk, name)
    assert not any("body" in term.sources for term in answer.terms)
    message = f"{name} may hold secrets and is not read: only its path counts"
    assert ("file-secret", message) in [(hint.code, word_hint(hint)) for hint in answer.hints]
    with pytest.raises(ForbiddenError) as caught:
        like(desk, name)
    assert caught.value.location == name


@pytest.mark.parametrize("lenient", [False, True])
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(desk: Here, lenient: bool) -> None:
    os.mkfifo(desk.root / "passwords.py")
    with pytest.raises(StorageError) as caught:
        context(desk, "passwords.py", lenient=lenient)
    message = "the file cannot be read: it is not a regular file"
    assert (caught.value.message, caught.value.location) == (message, "passwords.py")


def test_nothing_in_common_is_told(desk: Here) -> None:
    desk.write("x.py", "zzz\n")
    answer = context(desk, "x.py")
    assert (answer.results, [hint.code for hint in answer.hints]) == ((), ["no-terms"])


def test_like_a_chunk_finds_others_never_itself_nor_what_it_is_part_of(here: Here) -> None:
    here.write(
        "a.md",
        "# Storage\n\nDisks and backups.\n\n## Backups\n\nBack up the disk nightly.\n\n"
        "### Restore\n\nRestore the nightly backup.\n\n## Disks\n\nDisks fail; back up nightly.\n",
    )
    here.write("b.md", "# Nights\n\nNightly jobs: the backup of each disk.\n")
    here.write("c.md", "# Other\n\nNothing.\n")
    found = [result.entry.id for result in like(here, "a.md#backups", limit=9).results]
    assert found
    assert not set(found) & {"here:a.md", "here:a.md#storage", "here:a.md#backups"}
    assert "here:a.md#restore" not in found
    assert "here:a.md#disks" in found
    assert any(each.startswith("here:b.md") for each in found)


def test_like_a_file_that_is_not_indexed(desk: Here) -> None:
    desk.write("draft.md", "# Draft\n\nOn sessions and how they expire.\n")
    assert ids(like(desk, "draft.md")) == ["docs:sessions.md"]
    with pytest.raises(NotFoundError) as caught:
        like(desk, "none.md")
    assert caught.value.exit_code == 1
    assert (caught.value.message, caught.value.hint) == (
        "nothing indexed is called 'none.md', and there is no such file",
        "give an id as answers show it",
    )


def test_like_takes_a_long_text_for_no_file(desk: Here) -> None:
    with pytest.raises(NotFoundError, match="and there is no such file"):
        like(desk, "a text that was pasted " * 20)


def test_like_a_chunk_whose_source_changed_since(desk: Here) -> None:
    desk.index()
    desk.write("docs/style.md", "# Style\n\nOther.\n")
    with pytest.raises(NotFoundError) as caught:
        like(desk, "style.md", refresh=False)
    assert caught.value.message == "docs:style.md has changed since it was indexed"


def test_a_long_number_is_read_before_the_timeout(here: Here) -> None:
    """Inside a pattern, work is not counted; quadratic work would take hours."""
    here.write("a.md", "# Walrus\n\nThe walrus.\n")
    here.write("walrus.py", "x = 0x" + "f" * 500_000 + "\n\ndef walrus_of(x):\n    pass\n")
    assert find_context(here.project(), ContextRequest(("walrus.py",), SearchRequest(()))).results
