"""What people do on the page of changes, and on pages of a revision, in a real browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect
from support.browsing import PHONE, OpenPage, Served


@pytest.mark.parametrize("script", [True, False])
def test_two_revisions_are_chosen_and_compared(
    open_page: OpenPage, dated: Served, script: bool
) -> None:
    page = open_page("/changes", address=dated.address, script=script)
    expect(page.locator("#outcome h2", has_text="guides/files.md")).to_be_visible()
    expect(page.locator("#outcome .differs")).to_have_count(1)
    page.locator("#old").fill("v1")
    page.locator("#new").fill("v2")
    page.locator("#new").press("Enter")
    expect(page.locator("#outcome .differs")).to_have_count(4)
    assert parse_qs(urlsplit(page.url).query) == {"old": ["v1"], "new": ["v2"]}
    kept = page.locator(".fate", has_text="How long to keep them")
    assert kept.locator(".old del").all_inner_texts() == ["Seven", "four"]
    assert kept.locator(".new ins").all_inner_texts() == ["Fourteen", "eight"]
    expect(page.locator(".fate", has_text="Rehearsing a restore")).to_contain_text(
        "was called 'Testing your backups'"
    )
    page.locator(".quick a", has_text="removed").click()
    expect(page.locator(".fate")).to_have_count(1)
    expect(page.locator(".fate h3")).to_contain_text("Uploads are slow")
    page.locator(".quick a", has_text="removed").click()
    page.locator(".compare a", has_text="Swap").click()
    expect(page.locator(".fate", has_text="Downloads stall")).to_contain_text("removed")
    page.go_back()
    expect(page.locator("#old")).to_have_value("v1")


def test_what_broke_leads_to_where_it_is_now(open_page: OpenPage, dated: Served) -> None:
    page = open_page("/changes?old=v1&new=v2", address=dated.address)
    page.locator("#broke summary").click()
    row = page.locator("#broke tr", has_text="guides/backups.md#restoring-one-file")
    row.locator("a").click()
    expect(page.locator("h1")).to_have_text("Files")
    expect(page.locator("#revision")).to_contain_text("As it was at v2")
    assert "New here" not in page.locator("#reader").inner_text()
    page.locator("#revision a", has_text="As it is now").click()
    expect(page.locator("#reader")).to_contain_text("New here")


def test_pages_stay_at_their_revision(open_page: OpenPage, dated: Served) -> None:
    page = open_page("/doc?id=guides/troubleshooting.md&rev=v1", address=dated.address)
    link = page.locator("#reader a", has_text="Choosing the data folder").or_(
        page.locator("#reader a[href*='install.md']")
    )
    link.first.click()
    expect(page.locator("#revision")).to_contain_text("v1")
    expect(page.locator(".about .path")).to_contain_text("guides/install.md")
    expect(page.locator("[data-editor]")).to_have_count(0)
    page.locator("#q").fill("uploads slow")
    page.locator("#q").press("Enter")
    expect(page.locator(".result").first).to_contain_text("Uploads are slow")
    expect(page.locator("#revision")).to_contain_text("v1")
    page.locator("#q").press_sequentially(" ")
    page.locator("#q").fill("title:downgrading OR leaks")
    expect(page.locator("#pane h2")).to_contain_text("Passwords")
    assert parse_qs(urlsplit(page.url).query)["rev"] == ["v1"]
    page.locator("#revision a", has_text="What changed since").click()
    expect(page.locator("#old")).to_have_value("v1")
    expect(page.locator("#outcome .differs").first).to_be_visible()


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/changes?old=v9", "There is no revision 'v9'"),
        ("/changes?old=--help", "There is no revision '--help'"),
        ("/changes?old=v1&new=v1", "No document differs"),
    ],
)
def test_what_cannot_be_compared_says_what_can(
    open_page: OpenPage, dated: Served, path: str, told: str
) -> None:
    page = open_page(path, address=dated.address, size=PHONE)
    expect(page.locator("#nothing h2")).to_have_text(told)
    page.locator("#nothing a", has_text="v1").click()
    expect(page.locator("#outcome .differs")).to_have_count(4)


def test_a_folder_without_history_says_so(open_page: OpenPage, handbook: str) -> None:
    page = open_page("/changes", address=handbook)
    expect(page.locator("#nothing h2")).to_contain_text("not in a git repository")


def test_the_api_answers_from_a_revision(dated: Served) -> None:
    def paths(at: str) -> set[Any]:
        found = dated.ask(f"/api/documents{at}")["documents"]
        return {one["path"] for one in found}

    assert "guides/install.md" in paths("?at=v1")
    assert paths("?at=v2") == paths("") == paths("?at=2026-02") != paths("?at=v1")
    (shown,) = dated.ask("/api/show?id=guides/install.md%23upgrading&at=v1")["results"]
    assert shown["id"] == "handbook:guides/install.md#upgrading"
