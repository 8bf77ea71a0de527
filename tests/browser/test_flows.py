"""What people do on the page, done in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from support import servers
from support.browsing import PHONE, SERVING, OpenPage, Served, wait_for_index
from support.command import clean_environment


def address_of(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_typing_searches_and_escape_loses_nothing(open_page: OpenPage) -> None:
    page = open_page("/?q=backup")
    query = page.locator("#q")
    query.press("End")
    query.press_sequentially(" keep", delay=20)
    expect(page).to_have_url(re.compile(r"q=backup\+keep"))
    expect(page.locator("#results .group").first).to_contain_text("Backups")
    expect(query).to_be_focused()
    expect(query).to_have_value("backup keep")
    query.press("Escape")
    expect(query).to_have_value("backup keep")
    expect(page.locator("#results .group").first).to_be_visible()
    assert page.locator("#groups mark").count() > 1


def test_half_a_query_says_what_is_wrong_and_shows_results(open_page: OpenPage) -> None:
    page = open_page("/?q=backup")
    page.locator("#q").fill('title:"back')
    expect(page.locator(".mistake")).to_contain_text("opening quote")
    page.locator("#q").fill("title:backups")
    expect(page.locator(".mistake")).to_have_count(0)
    expect(page.locator(".group h2 mark").first).to_have_text("Backups")


def test_from_the_first_page_to_a_result(open_page: OpenPage) -> None:
    page = open_page("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("gazelle")
    expect(page).to_have_url(re.compile("q=gazelle"))
    expect(page.locator("#q")).to_be_focused()
    expect(page.locator("#q")).to_have_value("gazelle")


def test_results_fold_and_more_come_on_request(open_page: OpenPage) -> None:
    page = open_page("/?q=gazelle")
    first = page.locator(".result").count()
    for _ in range(2):
        page.locator("#more").click()
        expect(page.locator("#live")).to_contain_text("results shown")
        expect(page.locator(".result").nth(first)).to_be_attached()
        first = page.locator(".result").count()
    expect(page.locator("#more")).to_have_count(0)
    ids = page.eval_on_selector_all("a.open", "links => links.map(one => one.dataset.result)")
    assert len(ids) == len(set(ids)) == 60
    page.goto(page.url.split("?")[0] + "?q=backup")
    parts = page.locator("details.within").first
    parts.locator("summary").click()
    expect(parts.locator("li").first).to_be_visible()


def test_a_folder_is_browsed_to_its_end(open_page: OpenPage) -> None:
    page = open_page("/?folder=many/")
    expect(page.locator("#summary")).to_contain_text("60 documents by path")
    for shown in (40, 60):
        page.locator("#more").click()
        expect(page.locator(".result")).to_have_count(shown)
    expect(page.locator("#more")).to_have_count(0)


def test_facets_narrow_with_counts_and_can_be_left(open_page: OpenPage) -> None:
    page = open_page("/?q=harbor+OR+gazelle")
    page.locator("#narrow > summary").click()
    folder = page.locator(".facets a", has_text="guides/")
    number = int(folder.locator(".number").inner_text())
    folder.click()
    expect(page.locator(".chip")).to_contain_text("guides/")
    assert address_of(page)["folder"] == ["guides/"]
    paths = page.locator(".group .path").all_inner_texts()
    assert len(paths) == number
    assert all("guides/" in path for path in paths)
    page.locator(".quick a", has_text="with code").click()
    expect(page.locator(".chip")).to_have_count(2)
    page.locator(".chip", has_text="guides/").click()
    expect(page.locator(".chip")).to_have_count(1)


def test_a_facet_counts_kinds_of_documents_and_one_is_chosen_at_a_time(open_page: OpenPage) -> None:
    page = open_page("/?q=harbor+OR+kayak")
    page.locator("#narrow > summary").click()
    kinds = page.locator(".facet", has=page.get_by_role("heading", name="Kinds")).locator("a")
    kinds.filter(has_text="HTML").click()
    expect(page.locator(".chip")).to_have_text(["HTML (leave out)"])
    paths = page.locator(".group .path").all_inner_texts()
    assert paths
    assert all(path.endswith(".html") for path in paths)


def test_a_section_is_read_in_four_ways_and_back_leads_back(open_page: OpenPage) -> None:
    page = open_page("/?q=settings+reference")
    page.locator("a.open").nth(1).click()
    pane = page.locator("#pane")
    page.locator(".tabs a", has_text="Source").click()
    expect(pane.locator("pre.rows").first).to_be_visible()
    page.locator(".tabs a", has_text="Chunks").click()
    expect(pane.locator("table.chunks")).to_be_visible()
    page.locator(".tabs a", has_text="Why this?").click()
    expect(pane.locator(".bar rect").first).to_be_attached()
    shares = pane.locator(".why td.number").all_inner_texts()
    assert 98 <= sum(int(one.split()[0]) for one in shares if one.endswith("%")) <= 102
    page.go_back()
    expect(pane.locator("table.chunks")).to_be_visible()
    page.go_back()
    expect(pane.locator("pre.rows").first).to_be_visible()
    page.reload()
    expect(pane.locator("pre.rows").first).to_be_visible()


def test_a_page_is_shown_rendered_with_its_links_inside(open_page: OpenPage) -> None:
    page = open_page("/doc?id=README.md")
    expect(page.locator(".rendered table").first).to_be_visible()
    page.locator(".rendered a[href^='/doc']").first.click()
    expect(page.locator("#sections")).to_be_visible()
    assert "README" not in page.url


def test_a_copied_citation_verifies(open_page: OpenPage, served: Served) -> None:
    page = open_page("/?q=restoring+one+file")
    page.locator(".copy", has_text="Citation").click()
    expect(page.locator("#live")).to_have_text("Citation copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    report = served.ask("/api/verify", {"text": f"As it says ({copied})."})
    assert (report["ok"], report["citations"][0]["status"]) == (True, "ok")
    page.locator(".copy", has_text="Markdown").click()
    expect(page.locator("#live")).to_have_text("Markdown copied")
    assert copied in page.evaluate("navigator.clipboard.readText()")


def test_what_is_missing_is_explained(open_page: OpenPage) -> None:
    page = open_page("/?q=gazelle&strict=1")
    page.locator(".whynot summary").click()
    page.locator("#whyid").fill("guides/backups.md")
    page.locator(".whynot button").click()
    expect(page.locator(".verdict")).to_contain_text("It lacks “gazelle”")
    assert "--" not in page.locator(".verdict").inner_text()
    page.goto(page.url.replace("backups.md", "backup.md"))
    page.locator("a", has_text="guides/backups.md").first.click()
    expect(page.locator(".verdict")).to_be_visible()


def test_a_document_of_five_megabytes_comes_in_parts(open_page: OpenPage) -> None:
    page = open_page(f"/doc?id={quote('book.md#chapter-1200')}")
    expect(page.locator("h3, h4", has_text=re.compile("^Chapter 1200$"))).to_be_in_viewport()
    expect(page.locator("#earlier")).to_have_count(1)
    for _ in range(14):
        page.mouse.wheel(0, 25_000)
        page.wait_for_timeout(60)
    expect(page.locator(".part").nth(2)).to_be_attached()
    parts = page.locator(".part").count()
    assert parts <= 7
    assert page.locator("*").count() < 12_000
    page.locator("#sections a", has_text=re.compile(r"^\s*Chapter 1210\b")).click()
    expect(page.locator("h3, h4", has_text=re.compile("^Chapter 1210$"))).to_be_in_viewport()


def test_a_part_that_comes_late_takes_away_nothing_that_is_read(open_page: OpenPage) -> None:
    page = open_page(f"/doc?id={quote('book.md#chapter-1200')}")
    parts, held = page.locator(".part"), list[Route]()
    while parts.count() < 6:
        page.mouse.wheel(0, 25_000)
        page.wait_for_timeout(60)
    page.route("**/*bare=1*", lambda route: held.append(route))
    while not held:
        page.mouse.wheel(0, 25_000)
        page.wait_for_timeout(60)
    heading = parts.first.locator("h3, h4").nth(3)
    heading.scroll_into_view_if_needed()
    title = heading.text_content() or ""
    held[0].continue_()
    expect(parts).to_have_count(7)
    expect(page.locator("h3, h4").get_by_text(title, exact=True)).to_be_in_viewport()
    assert title


def test_the_tree_of_a_document_folds_and_leads(open_page: OpenPage) -> None:
    page = open_page("/doc?id=guides/backups.md")
    tree = page.locator("#sections")
    tree.locator("summary", has_text="Below Making a backup").click()
    expect(tree.locator("a", has_text="How long to keep them")).to_be_hidden()
    tree.locator("a", has_text="Testing your backups").click()
    expect(page.locator("h4", has_text="Testing your backups")).to_be_in_viewport()
    assert address_of(page)["id"] == ["handbook:guides/backups.md#testing-your-backups"]
    page.keyboard.press("p")
    expect(page.locator(".chunk.at")).to_contain_text("Restoring one file")


def test_a_cut_never_breaks_the_text(open_page: OpenPage, served: Served) -> None:
    raw = (served.docs / "guides/backups.md").read_text()
    page = open_page("/lab?id=guides/backups.md&strategy=fixed&fixed_tokens=20&fixed_overlap=5")
    shown = page.evaluate(
        """() => [...document.querySelectorAll(".cuts .rows")].map((row) => {
          for (const cut of row.querySelectorAll(".cut")) cut.remove();
          return row.textContent; }).join("")"""
    )
    assert shown == raw
    assert page.locator(".cuts .cut").count() > 5 or page.locator(".cuts .shared").count() > 5


def test_the_lab_follows_its_controls(open_page: OpenPage, served: Served) -> None:
    page = open_page("/lab?id=guides/backups.md&strategy=auto&min_tokens=5")
    chunks = page.locator(".figures dd").first
    before = int(chunks.inner_text())
    page.locator("input[data-for=target_tokens]").evaluate(
        """slider => {
          slider.value = 30;
          slider.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    expect(page).to_have_url(re.compile("target_tokens=30"))
    expect(chunks).not_to_have_text(str(before))
    page.locator("input[name=compare]").check()
    expect(page.locator(".lane")).to_have_count(2)
    page.locator("input[name=b_strategy][value=fixed]").check(force=True)
    expect(page).to_have_url(re.compile("b_strategy=fixed"))
    expect(page.locator(".lane").nth(1).locator(".figures")).to_be_visible()
    page.locator(".copy", has_text="Link to this").click()
    link = page.evaluate("navigator.clipboard.readText()")
    counts = page.locator(".figures dd").all_inner_texts()
    page.goto(link)
    assert page.locator(".figures dd").all_inner_texts() == counts
    command = page.locator(".command code").first.text_content() or ""
    words = command.split()
    ran = subprocess.run(
        [sys.executable, "-m", *words, "--json"],
        cwd=served.docs,
        env=served.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f'"total_tokens": {counts[1].replace(",", "")}' in ran.stdout


def test_a_pasted_text_is_cut_and_its_findings_lead_to_their_place(open_page: OpenPage) -> None:
    page = open_page("/lab")
    page.locator(".paste summary").click()
    text = "# Okapi\n\nShy.\n\n## Range\n\n" + "It lives in the forest. " * 200
    page.locator("#text").fill(text)
    page.locator("#chunkit").click()
    expect(page.locator(".cuts")).to_contain_text("Okapi")
    page.locator(".findings summary").click()
    page.locator(".findings a").first.click()
    expect(page.locator(".cut.at")).to_be_in_viewport()
    page.locator("input[name=strategy][value=heading]").check(force=True)
    expect(page.locator(".figures dd").first).to_have_text("2")
    expect(page.locator(".cuts")).to_contain_text("Okapi")


def test_changed_sources_reach_an_open_page(open_page: OpenPage, served: Served) -> None:
    page = open_page("/?q=quagga")
    expect(page.locator(".empty").first).to_contain_text("Nothing was found")
    new = served.docs / "quagga.md"
    new.write_text("# Quagga\n\nA quagga is here.\n")
    try:
        page.locator("#live button").click()
        expect(page.locator(".group")).to_contain_text("Quagga")
    finally:
        new.unlink()


def test_the_first_index_is_waited_for(open_page: OpenPage, served: Served, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(800):
        (docs / f"{number}.md").write_text(f"# Ibex {number}\n\n" + "An ibex climbs. " * 40)
    environment = clean_environment(tmp_path)
    with servers.serving(docs, environment, "serve", told=SERVING) as told:
        page = open_page("/?q=ibex", address=told.rstrip("/"))
        expect(page.locator("#results .group").first).to_be_visible(timeout=60_000)
        page.goto(f"{told}/status")
        expect(page.locator("#runtext")).to_have_text("The index is up to date")
        page.context.close()
        wait_for_index(Served(told, docs, environment))


def test_the_keyboard_is_enough(open_page: OpenPage) -> None:
    page = open_page("/?q=backup")
    page.locator("body").click(position={"x": 3, "y": 3})
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("a.open").nth(1)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("a.open").nth(1)).to_be_focused()
    page.keyboard.press("2")
    expect(page.locator("#pane pre.rows").first).to_be_visible()
    page.keyboard.press("c")
    expect(page.locator("#live")).to_have_text("Citation copied")
    page.keyboard.press("?")
    dialog = page.locator("dialog")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert address_of(page)["q"] == ["backup"]
    page.locator("a.open").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("a.open").first).to_have_attribute("aria-current", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/doc"))


def test_everything_is_there_without_script(open_page: OpenPage) -> None:
    page = open_page("/", script=False)
    page.locator("#q").fill("gazelle")
    page.locator("#q").press("Enter")
    page.locator("#more").click()
    page.locator("a.open").first.click()
    expect(page.locator("#pane h2")).to_contain_text("Gazelle")
    page.locator(".tabs a", has_text="Why this?").click()
    expect(page.locator(".why table")).to_be_visible()
    page.locator(".cite summary").click()
    expect(page.locator(".cite code").first).to_contain_text("@")
    page.locator("#narrow > summary").click()
    page.locator("select[name=sort]").select_option("path")
    page.locator(".options button").click()
    assert address_of(page)["sort"] == ["path"]
    page.locator(".whole").click()
    page.locator(".tabs a", has_text="Chunk lab").click()
    page.locator("input[name=strategy][value=heading]").check(force=True)
    page.locator("button", has_text="Apply").click()
    assert address_of(page)["strategy"] == ["heading"]
    page.goto(page.url.split("/lab")[0] + "/lab")
    page.locator(".paste summary").click()
    expect(page.locator(".cuts")).to_contain_text("Release checklist")


def test_documents_stay_inert(open_page: OpenPage, served: Served) -> None:
    views = [
        "/?q=wicked",
        "/?q=wicked&tab=source",
        "/why?q=wicked&id=evil.md",
        *(
            f"/{path}?id={name}&view={view}"
            for path in ("doc", "lab")
            for name in ("evil.md", "evil.html")
            for view in ("rendered", "source")
        ),
    ]
    page = open_page("/")
    for view in views:
        page.goto(served.address + view)
        page.mouse.move(500, 400)
        assert page.evaluate("window.pwned") is None, view
        assert page.locator("iframe, object, embed, [style], [onclick], [onerror]").count() == 0
        hrefs = page.eval_on_selector_all("a[href]", "links => links.map(one => one.protocol)")
        assert set(hrefs) <= {"http:", "vscode:"}, view
    assert "49" not in page.title()


def test_on_a_phone_a_result_opens_in_place_of_the_list(open_page: OpenPage) -> None:
    page = open_page("/?q=backup", size=PHONE)
    expect(page.locator("#pane")).to_be_hidden()
    page.locator("a.open").first.click()
    expect(page.locator("#pane h2")).to_be_visible()
    expect(page.locator("#results")).to_be_hidden()
    page.locator(".only-phone").click()
    expect(page.locator("#results")).to_be_visible()
    wide: Any = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["width"]


def test_on_a_phone_the_text_comes_before_its_sections(open_page: OpenPage) -> None:
    page = open_page("/doc?id=guides/backups.md", size=PHONE)
    expect(page.locator("#reader .chunk").first).to_be_in_viewport()
    link = page.locator("#sections a", has_text="Testing your backups")
    expect(link).to_be_hidden()
    page.locator("#sections .label").click()
    link.click()
    expect(page.locator("h4", has_text="Testing your backups")).to_be_in_viewport()


def test_a_server_with_a_token_asks_for_it_once(chromium: Browser, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Secret okapi\n\nHidden.\n")
    environment = clean_environment(tmp_path) | {"LEAFMARK_TOKEN": "s3cret"}
    options = ("--host", "0.0.0.0")
    with servers.serving(docs, environment, "serve", *options, told=SERVING) as address:
        page = chromium.new_context().new_page()
        page.goto(address.replace("0.0.0.0", "127.0.0.1") + "/?q=okapi")
        page.locator("#token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.locator("[role=alert]")).to_be_visible()
        page.locator("#token").fill("s3cret")
        page.keyboard.press("Enter")
        expect(page.locator(".group, #problem").first).to_be_visible()
        assert address_of(page)["q"] == ["okapi"]
        page.context.close()


def test_what_is_not_there_can_be_searched_for(open_page: OpenPage) -> None:
    page = open_page("/doc?id=restore-backup")
    page.locator("a", has_text="Search for").click()
    expect(page.locator(".result").first).to_be_visible()


@pytest.mark.parametrize("status", [404])
def test_a_wrong_address_leads_on(open_page: OpenPage, status: int) -> None:
    page = open_page("/stats")
    assert page.locator("#problem").get_attribute("data-status") == str(status)
    page.locator("a", has_text="/status").click()
    expect(page.locator("h1")).to_have_text("Status")
