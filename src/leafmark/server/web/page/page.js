"use strict";
/* What makes the page quicker: every view works without it, as the server renders them all.

A page is fetched as a document and the parts that differ are put in place of the old ones. No
markup is made here, and no text of a document ever becomes markup. The address says what is shown. */

const $ = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const PAUSE_MS = 140; // after a key, before it is searched

document.documentElement.classList.add("js");
history.scrollRestoration = "manual";

// -- pages ------------------------------------------------------------------------------

let fetching = null;

/** Get a page as a document: scripts in it never run. Resolves to null where another was wanted. */
function fetchPage(url, body = null) {
  fetching?.abort();
  return new Promise((resolve, reject) => {
    const request = (fetching = new XMLHttpRequest());
    request.open(body ? "POST" : "GET", url);
    request.responseType = "document";
    request.onload = () => (request.responseXML ? resolve(request.responseXML) : reject(new Error("no page")));
    request.onerror = () => reject(new Error("The server does not answer. Is it still running?"));
    request.onabort = () => resolve(null);
    request.send(body);
  });
}

/** Put parts of a page, by id, in place of ours; what is open and where it was scrolled stays. */
function adopt(page, ids) {
  for (const id of ids) {
    const mine = $(id), theirs = page.getElementById(id);
    if (!mine || !theirs) return false;
    const open = all("details[open]", mine).map((one) => one.id).filter(Boolean);
    mine.replaceWith(document.importNode(theirs, true));
    for (const one of open) if ($(one)) $(one).open = true;
  }
  document.title = page.title;
  prepare();
  return true;
}

/** Show a page of the same kind without leaving this one; else go there. */
async function visit(url, ids, { push = true, focus = null, top = false, body = null } = {}) {
  const busy = setTimeout(() => document.body.classList.add("busy"), 250);
  try {
    const page = await fetchPage(url, body);
    if (!page) return;
    if (page.body.className.split(" ")[0] !== document.body.className.split(" ")[0] || !ids.every((id) => page.getElementById(id))) {
      location.assign(url);
      return;
    }
    if (push) {
      history.replaceState({ ...history.state, y: scrollY }, "");
      history.pushState({}, "", url);
    } else if (push === false) history.replaceState(history.state, "", url);
    document.body.className = page.body.className;
    document.body.dataset.version = page.body.dataset.version;
    adopt(page, ids);
    keepFields(page);
    if (top) scrollTo(0, 0);
    if (focus) document.querySelector(focus)?.focus({ preventScroll: true });
  } catch (error) {
    say(error.message);
  } finally {
    clearTimeout(busy);
    document.body.classList.remove("busy");
  }
}

/** The hidden fields of the search form say what it keeps: take those of the new page. */
function keepFields(page) {
  for (const field of all("input[type=hidden]", $("find"))) field.remove();
  for (const field of all("#find input[type=hidden]", page)) $("find").append(document.importNode(field, true));
}

let quiet = 0;
/** Tell something for a while, to those who hear the page too. */
function say(text, action = null) {
  $("live").replaceChildren(text);
  if (action) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action.label;
    button.addEventListener("click", () => { say(""); action.run(); });
    $("live").append(button);
  }
  clearTimeout(quiet);
  quiet = setTimeout(() => $("live").replaceChildren(), action ? 60000 : 2500);
}

const kind = () => document.body.className.split(" ")[0];
const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);

// -- searching -----------------------------------------------------------------------------

let typing = 0;
$("q").addEventListener("input", () => {
  clearTimeout(typing);
  if (kind() !== "search" && kind() !== "home") return;
  typing = setTimeout(search, PAUSE_MS);
});
$("find").addEventListener("submit", (event) => {
  if (kind() !== "search") return;
  event.preventDefault();
  clearTimeout(typing);
  search(true);
});

function search(push = false) {
  const query = $("q").value.trim();
  if (kind() === "home" && !query) return;
  const url = `/?${new URLSearchParams([...new FormData($("find"))].filter(([, value]) => value))}`;
  if (kind() === "home") {
    sessionStorage.setItem("leafmark.typing", $("q").value);
    location.assign(url);
  } else if (query) visit(url, ["results", "pane"], { push });
}

function select(link, { push = true } = {}) {
  for (const one of all(".result.here")) one.classList.remove("here");
  link.closest(".result")?.classList.add("here");
  const url = new URL(link.href);
  if (link.dataset.result) {
    const tab = new URLSearchParams(location.search).get("tab");
    if (tab) url.searchParams.set("tab", tab);
  }
  return visit(url.href, ["pane"], { push }).then(() => {
    for (const one of all("a.open[aria-current]")) one.removeAttribute("aria-current");
    all("a.open").find((one) => one.dataset.result === link.dataset.result)?.setAttribute("aria-current", "true");
    if ($("pane")) $("pane").scrollTop = 0;
    if (matchMedia("(max-width: 52rem)").matches) scrollTo(0, 0);
  });
}

async function more(link) {
  const page = await fetchPage(link.href).catch((error) => say(error.message));
  if (!page) return;
  const batch = document.importNode(page.querySelector("#groups > .batch"), true);
  $("groups").append(batch);
  const next = page.getElementById("more");
  next ? link.closest(".more").replaceWith(document.importNode(next.closest(".more"), true)) : link.closest(".more").remove();
  batch.querySelector("a.open")?.focus({ preventScroll: true });
  say(`${all(".result").length} results shown`);
}

function step(by) {
  const links = all("a.open");
  if (!links.length) return;
  const at = links.findIndex((link) => link.closest(".result").classList.contains("here"));
  const link = links[Math.max(0, Math.min(links.length - 1, at + by))];
  link.focus({ preventScroll: true });
  link.closest(".result").scrollIntoView({ block: "nearest" });
  clearTimeout(typing);
  for (const one of all(".result.here")) one.classList.remove("here");
  link.closest(".result").classList.add("here");
  stepped = new Promise((resolve) => {
    typing = setTimeout(() => resolve(select(link, { push: false })), 90);
  });
}

let stepped = Promise.resolve(); // until the section that the keys led to is shown

// -- documents -------------------------------------------------------------------------------

/** Add the next or the earlier part of a document when its end is near. */
const turning = new IntersectionObserver((seen) => {
  for (const one of seen) if (one.isIntersecting) turn(one.target);
}, { rootMargin: "1200px" });

async function turn(link) {
  turning.unobserve(link);
  const later = link.id === "later";
  const page = await fetchPage(`${link.href}&bare=1`).catch(() => null);
  if (!page || !link.isConnected) return;
  const part = document.importNode(page.querySelector(".part"), true);
  const paragraph = link.closest(".turn");
  const before = document.documentElement.scrollHeight;
  later ? paragraph.before(part) : paragraph.after(part);
  if (!later) scrollBy(0, document.documentElement.scrollHeight - before);
  const next = page.getElementById(link.id);
  if (next) {
    paragraph.replaceWith(document.importNode(next.closest(".turn"), true));
    later ? turning.observe($(link.id)) : null;
  } else paragraph.remove();
  forget(later);
}

/** A page keeps a few parts: those far away are put back behind a link. */
function forget(later) {
  const parts = all(".part");
  const gone = later ? parts[0] : parts[parts.length - 1];
  const { top, bottom, height } = gone.getBoundingClientRect();
  if (parts.length <= 6 || (bottom > -innerHeight && top < 2 * innerHeight)) return; // or it is read
  const number = Number(gone.dataset.part);
  gone.remove();
  const id = later ? "earlier" : "later";
  $(id)?.closest(".turn").remove();
  const url = new URL(location.href);
  url.searchParams.set("part", number);
  const link = Object.assign(document.createElement("a"), { id, href: url.href, className: "button", textContent: later ? `Earlier: part ${number}` : `Go on: part ${number}` });
  const paragraph = Object.assign(document.createElement("p"), { className: "turn" });
  paragraph.append(link);
  later ? all(".part")[0].before(paragraph) : all(".part").at(-1).after(paragraph);
  if (later) scrollBy(0, paragraph.offsetHeight - height);
  if (!later) turning.observe(link);
  forget(later);
}

/** Scroll to a chunk, and mark it. */
function reveal(position) {
  const place = $(`c${position}`);
  if (!place) return false;
  for (const one of all(".at")) one.classList.remove("at");
  const chunk = place.closest(".chunk") ?? place;
  chunk.classList.add("at");
  place.classList.add("at");
  settle(chunk, 12);
  return true;
}

/** What is far away has a guessed height until it is near: scroll until the place stays. */
function settle(place, tries) {
  const before = place.getBoundingClientRect().top;
  place.scrollIntoView({ block: "start" });
  if (tries && (place.getBoundingClientRect().top !== before || tries > 10)) requestAnimationFrame(() => settle(place, tries - 1));
}

function chunkStep(by) {
  const places = all(".cut[id]");
  const top = (one) => one.getBoundingClientRect().top;
  const marked = places.findIndex((one) => one.classList.contains("at") && top(one) > 0 && top(one) < innerHeight);
  const below = places.findIndex((one) => top(one) > 125); // under the head of the page
  const now = marked >= 0 ? marked : (below < 0 ? places.length : below) - 1;
  const next = places[Math.max(0, Math.min(places.length - 1, now + by))];
  if (next) reveal(next.id.slice(1));
}

// -- chunk lab ----------------------------------------------------------------------------------

function labChanged(event) {
  const form = event.target.form;
  const range = event.target;
  if (range.type === "range") $(range.dataset.for).value = range.value;
  if (range.type === "number") {
    const slider = all("input[type=range]", form).find((one) => one.dataset.for === range.name);
    if (slider) slider.value = range.value;
  }
  if (range.id === "text") return;
  clearTimeout(typing);
  const rebuild = range.type === "checkbox" || range.type === "radio" || range.tagName === "SELECT";
  typing = setTimeout(() => labShow(form, range, rebuild), range.type === "range" ? 120 : 220);
}

/** Sizes that nobody touched are left to the strategy and the preset. */
function labShow(form, touched, rebuild) {
  touched.dataset?.for ? ($(touched.dataset.for).dataset.touched = "1") : touched.type === "number" && (touched.dataset.touched = "1");
  const given = new URLSearchParams(location.search);
  const values = [...new FormData(form)].filter(([name, value]) => {
    const field = form.elements[name];
    return value && name !== "text" && (field?.type !== "number" || field.dataset.touched || given.has(name));
  });
  const preset = touched.name?.endsWith("preset");
  const kept = preset ? values.filter(([name]) => form.elements[name]?.type !== "number") : values;
  const url = `/lab?${new URLSearchParams(kept)}`;
  const text = form.elements.text?.value;
  const body = text ? new URLSearchParams({ text }) : null;
  const ids = rebuild ? ["lab", "outcome"] : ["outcome"];
  const focus = touched.name ? `[name="${touched.name}"]${touched.type === "radio" ? `[value="${touched.value}"]` : ""}` : null;
  visit(url, ids, { push: false, body, focus: rebuild ? focus : null });
}

// -- live -----------------------------------------------------------------------------------------

function listen() {
  if (!window.EventSource || document.querySelector(".signin")) return;
  const source = new EventSource("/events");
  source.addEventListener("index", (event) => hear(JSON.parse(event.data)));
}

function hear(now) {
  const rev = $("problem")?.dataset.rev;
  if (rev !== undefined) {
    if (!(rev in now.revisions)) return location.reload();
    const [done, total] = now.revisions[rev];
    return total ? progress(done, total) : undefined;
  }
  $("dot").hidden = !now.running;
  if ($("runtext")) {
    const bar = $("runbar");
    bar.hidden = !now.running && kind() !== "problem";
    if (now.running) {
      progress(now.done, now.total);
    } else if (now.error) $("runtext").textContent = `The last run failed: ${now.error}`;
    else if (kind() !== "problem" && now.version) $("runtext").textContent = "The index is up to date";
  }
  if (kind() === "problem" && now.version && Number($("problem")?.dataset.status) === 503) return location.reload();
  const shown = Number(document.body.dataset.version);
  document.body.dataset.version = now.version; // it is told once
  if (now.version === shown || !now.version) return;
  const told = [[now.added, "added"], [now.modified, "changed"], [now.removed, "removed"]].filter(([count]) => count).map(([count, what]) => `${count} ${what}`).join(", ");
  const run = () => refresh();
  kind() === "status" ? refresh() : say(`Sources: ${told || "read anew"}.`, { label: "Show", run });
}

function progress(done, total) {
  Object.assign($("runbar"), { max: total, value: done });
  $("runtext").textContent = `Reading ${done.toLocaleString("en")} of ${total.toLocaleString("en")} sources`;
}

function refresh() {
  const ids = { search: ["results", "pane"], document: ["sections", "reader"], lab: ["outcome"], changes: ["outcome"] }[kind()];
  ids ? visit(location.href, ids, { push: false }) : visit(location.href, ["main"], { push: false });
}

// -- everywhere -----------------------------------------------------------------------------------

async function copy(button) {
  const link = button.dataset.copyLink;
  const text = link === undefined ? button.dataset.copy : new URL(link, location.href).href;
  try {
    await navigator.clipboard.writeText(text);
    say(button.dataset.said);
  } catch {
    say("The browser does not allow to copy here");
  }
}

/** Compare without leaving the page, which is dimmed meanwhile. */
document.addEventListener("submit", (event) => {
  if (event.target.id !== "compare") return;
  event.preventDefault();
  const given = new URLSearchParams([...new FormData(event.target)].filter(([, value]) => value.trim()));
  visit(`/changes?${given}`, ["compare", "outcome"], { focus: "#compare button" });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a, button.copy");
  if (!link || !isPlain(event)) return;
  if (link.matches("button.copy")) return copy(link);
  if (link.id === "help") return void (event.preventDefault(), help());
  if (kind() === "search" && link.origin === location.origin && link.pathname === "/") {
    event.preventDefault();
    if (link.id === "more") return more(link);
    if (link.dataset.result || link.dataset.tab !== undefined || link.matches(".score")) return link.dataset.result ? select(link) : visit(link.href, ["results", "pane"], {});
    return visit(link.href, ["results", "pane"], { top: true });
  }
  if (kind() === "document" && link.dataset.chunk !== undefined && $(`c${link.dataset.chunk}`)) {
    event.preventDefault();
    history.pushState({}, "", link.href);
    for (const one of all(".sections [aria-current]")) one.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    reveal(link.dataset.chunk);
  }
  if (kind() === "document" && link.id === "earlier" && link.isConnected) {
    event.preventDefault();
    turn(link);
  }
  if (link.dataset.finding !== undefined) {
    event.preventDefault();
    mark(link.hash.slice(1));
  }
});

/** Two settings are compared line by line: the texts scroll together, the one under way leads. */
let leading = null, led = 0;
document.addEventListener("scroll", ({ target }) => {
  if (!(target instanceof Element) || !target.matches(".cuts") || (leading && leading !== target)) return;
  leading = target;
  clearTimeout(led);
  led = setTimeout(() => (leading = null), 150);
  const room = (one) => Math.max(1, one.scrollHeight - one.clientHeight);
  for (const one of all(".cuts")) if (one !== target) one.scrollTop = (target.scrollTop / room(target)) * room(one);
}, true);

/** Mark a place of the lab by its id. */
function mark(id) {
  const place = $(id);
  if (!place) return say("It is in another part of the text");
  for (const one of all(".at")) one.classList.remove("at");
  place.classList.add("at");
  place.scrollIntoView({ block: "center" });
}

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (event.target.id === "editor") {
    const name = event.target.selectedOptions[0].textContent;
    return fetchPage(`/help?editor=${event.target.value}`).then(() => (refresh(), say(`Files open in ${name}`)));
  }
  if (event.target.closest("#lab")) return labChanged(event); // a field called id hides the form's own
  if (form?.dataset.live !== undefined) {
    const url = `/?${new URLSearchParams([...new FormData(form)].filter(([, value]) => value))}`;
    visit(url, ["results", "pane"], { focus: `[name="${event.target.name}"]` });
  }
});
document.addEventListener("input", (event) => {
  if (event.target.closest("#lab") && event.target.type === "range") labChanged(event);
  if (event.target.id === "text") {
    event.target.name = "text";
    event.target.form.method = "post";
  }
});

addEventListener("popstate", () => {
  const ids = { search: ["results", "pane"], document: ["sections", "reader"], lab: ["lab", "outcome"], changes: ["compare", "outcome"] }[kind()];
  const here = { "/": "search", "/doc": "document", "/lab": "lab", "/changes": "changes" }[location.pathname];
  if (!ids || here !== kind()) return location.reload();
  const y = history.state?.y ?? 0;
  visit(location.href, ids, { push: null }).then(() => {
    if (kind() === "search") $("q").value = new URLSearchParams(location.search).get("q") ?? "";
    scrollTo(0, y);
  });
});

/** The keys and the query syntax, above the page. */
async function help() {
  const there = document.querySelector("dialog");
  if (there) return there.open ? there.close() : there.showModal();
  const request = new XMLHttpRequest();
  request.open("GET", "/help");
  request.responseType = "document";
  request.onload = () => {
    const dialog = document.createElement("dialog");
    dialog.setAttribute("aria-label", "Keys and query syntax");
    const shut = Object.assign(document.createElement("button"), { type: "button", textContent: "Close", autofocus: true });
    shut.addEventListener("click", () => dialog.close());
    dialog.append(shut, document.importNode(request.responseXML.getElementById("helptext"), true));
    document.body.append(dialog);
    dialog.showModal();
  };
  request.send();
}

const isField = (element) => element.matches("input:not([type=checkbox], [type=radio], [type=range]), textarea, select");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target instanceof Element ? event.target : document.body;
  if (event.key === "Escape") {
    if (isField(target)) {
      event.preventDefault(); // a search field would be emptied
      target.blur();
    }
    return;
  }
  const inQuery = target.id === "q";
  if (inQuery && (event.key === "ArrowDown" || event.key === "ArrowUp") && kind() === "search") return void (event.preventDefault(), step(event.key === "ArrowDown" ? 1 : -1));
  if (isField(target) || document.querySelector("dialog[open]")) return;
  const action = KEYS[event.key] ?? (kind() === "search" ? RESULT_KEYS[event.key] : kind() === "document" ? DOCUMENT_KEYS[event.key] : undefined);
  if (action && action(target) !== false) event.preventDefault();
});

const press = (selector) => void stepped.then(() => document.querySelector(selector)?.click());
const tab = (number) => void stepped.then(() => all(".pane .tabs a[data-tab]")[number - 1]?.click());
const KEYS = {
  "/": () => ($("q").focus(), $("q").select()),
  "?": () => help(),
  c: () => press('.copy[data-said="Citation copied"]'),
  e: () => press("[data-editor]"),
};
const inPane = (target) => target.closest("#pane") !== null;
const RESULT_KEYS = {
  ArrowDown: (target) => (inPane(target) ? false : step(1)),
  ArrowUp: (target) => (inPane(target) ? false : step(-1)),
  j: () => step(1),
  k: () => step(-1),
  1: () => tab(1),
  2: () => tab(2),
  3: () => tab(3),
  4: () => tab(4),
  Enter: (target) => {
    if (!target.matches("a.open") || !target.hasAttribute("aria-current")) return false;
    document.querySelector(".pane .whole")?.click();
    return true;
  },
};
const DOCUMENT_KEYS = { n: () => chunkStep(1), p: () => chunkStep(-1) };

/** What a new part of a page needs. */
function prepare() {
  const narrow = $("narrow");
  if (narrow) narrow.addEventListener("toggle", () => sessionStorage.setItem("leafmark.narrow", narrow.open ? "1" : ""));
  if (narrow && sessionStorage.getItem("leafmark.narrow")) narrow.open = true;
  for (const id of ["later"]) if ($(id)) turning.observe($(id));
}

function start() {
  prepare();
  const typed = sessionStorage.getItem("leafmark.typing");
  if (typed !== null && kind() === "search") {
    sessionStorage.removeItem("leafmark.typing");
    $("q").focus();
    $("q").setSelectionRange(typed.length, typed.length);
  }
  if (kind() === "document") {
    $("tree").open = !matchMedia("(max-width: 52rem)").matches; // there the text comes first
    const at = Number($("reader")?.dataset.at);
    document.querySelector(".sections [aria-current]")?.scrollIntoView({ block: "center" });
    if (at > 0 && !new URLSearchParams(location.search).has("part")) reveal(at);
    else scrollTo(0, history.state?.y ?? 0);
  } else if (history.state?.y) scrollTo(0, history.state.y);
  listen();
}
start();
