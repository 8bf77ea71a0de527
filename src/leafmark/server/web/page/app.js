"use strict";
/* The page: search as you type, and documents opened from the results.

What is shown stands in the address: `q`, `tree`, `grain`, `mode`, and `doc` with `by` for a
document and its strategies. Answers that are no longer wanted are dropped. */

const PAUSE_MS = 120; // after a key, before it is searched
const RETRY_MS = 1000; // while the index is built
const MOST_LISTED = 300; // documents, before anything is searched
const MOST_FETCHED = 2000; // documents, of which those are listed
const BUSY_MS = 400; // after which it is said that something is going on
const $ = (id) => document.getElementById(id);
const main = $("main");
const state = $("state");
const fields = { q: $("query"), tree: $("tree"), grain: $("grain"), mode: $("mode") };

history.scrollRestoration = "manual";

let asking = null; // what aborts the requests of what is shown
let view = null; // of the document that is shown
let shownQuery = null; // the search that the results belong to
let returned = null; // where the results were scrolled to when they were left
let matches = new Map(); // what matched, as ranges within bodies, by id

// -- asking ----------------------------------------------------------------------------

class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

/** Ask the API; gives what `read` makes of the response. Throws Refused, TypeError, AbortError. */
async function ask(path, parameters, signal, read = (response) => response.json()) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of [value].flat()) if (each !== "" && each !== undefined) query.append(name, each);
  }
  const token = sessionStorage.getItem("token");
  const headers = token ? { Authorization: bearer(token) } : {};
  const response = await fetch(`api/${path}?${query}`, { headers, signal, credentials: "omit" });
  if (response.ok) return read(response);
  const told = await response.json().catch(() => ({}));
  if (told.not_found) return told;
  throw new Refused(response.status, told.error ?? { message: `the server answered ${response.status}` });
}

/** A token as the server compares it: by its bytes, where a header is given in Latin-1. */
const bearer = (token) =>
  `Bearer ${[...new TextEncoder().encode(token)].map((byte) => String.fromCharCode(byte)).join("")}`;

/** Begin to show something else; what was asked for before is dropped. */
function begin() {
  asking?.abort();
  asking = new AbortController();
  return asking.signal;
}

/** Run `work`; say what went wrong, and try again while the index is built or nobody answers. */
async function guarded(signal, work, again = false) {
  const before = said;
  const busy = setTimeout(() => {
    if (!again && !signal.aborted && said === before) say("Looking …");
  }, BUSY_MS);
  try {
    await work();
  } catch (error) {
    if (signal.aborted || error.name === "AbortError") return;
    if (error instanceof Refused && error.status === 401) return login();
    if (error instanceof Refused) refuse(error);
    else if (error instanceof TypeError) lost();
    else throw error;
    if (error instanceof Refused && error.status !== 503) return;
    setTimeout(() => signal.aborted || guarded(signal, work, true), RETRY_MS);
  } finally {
    clearTimeout(busy);
  }
}

function refuse(error) {
  const { message, hint, location: place, did_you_mean: near } = error.error;
  const told = [`${message[0]?.toUpperCase() ?? ""}${message.slice(1)}.`];
  if (place && !place.startsWith("query:")) told.push(place);
  if (hint) told.push(`Hint: ${hint}`);
  else if (near?.length) told.push(`Did you mean ${near.join(" or ")}?`);
  say(told.join("\n"), error.status === 503 ? "" : "bad");
  main.classList.add("old");
}

function lost() {
  say("The server does not answer. Is it still running?", "bad");
  main.classList.add("old");
}

let said = 0; // how often anything was

function say(text, kind = "") {
  said++;
  state.textContent = plain(text);
  state.className = kind;
}

function login() {
  begin();
  const tried = sessionStorage.getItem("token");
  sessionStorage.removeItem("token");
  $("login").hidden = false;
  main.replaceChildren();
  say(tried ? "That is not its token." : "", "bad");
  $("token").focus();
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value);
  $("token").value = "";
  $("login").hidden = true;
  fields.q.focus();
  start();
});

// -- the address -----------------------------------------------------------------------

const current = () => new URLSearchParams(location.search);

/** Write what is in the fields into the address. */
function address(push) {
  const at = new URLSearchParams();
  for (const [name, field] of Object.entries(fields)) if (field.value.trim()) at.set(name, field.value);
  const url = at.size ? `?${at}` : location.pathname;
  if (url === location.search) return;
  push ? history.pushState(null, "", url) : history.replaceState(null, "", url);
}

/** Show what the address says. */
function restore() {
  const at = current();
  for (const [name, field] of Object.entries(fields)) {
    if (name === "tree" && at.get("tree") && ![...field.options].some((one) => one.value === at.get("tree"))) {
      field.append(make("option", "", at.get("tree"), { value: at.get("tree") }));
    }
    field.value = at.get(name) ?? "";
  }
  if (at.get("doc")) openDocument(at.get("doc"), at.get("by"));
  else search();
}

function go(url) {
  history.replaceState({ ...history.state, y: scrollY }, ""); // to come back to
  history.pushState({ opened: true }, "", url);
  restore();
  scrollTo(0, 0);
}

addEventListener("popstate", (event) => {
  returned = event.state?.y ?? null;
  restore();
});

/** Leave the document for where it was opened; before a bookmark or a link that is not here. */
function leave() {
  if (history.state?.opened) return history.back();
  const at = current();
  at.delete("doc");
  at.delete("by");
  go(at.size ? `?${at}` : location.pathname);
}

/** A link within the page, which also opens in another tab. */
function link(className, text, parameters) {
  const at = current();
  at.delete("by");
  for (const [name, value] of Object.entries(parameters)) {
    value === null ? at.delete(name) : at.set(name, value);
  }
  const found = make("a", className, text, { href: `?${at}` });
  found.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(found.href);
  });
  return found;
}

// -- searching -------------------------------------------------------------------------

function wanted() {
  const query = fields.q.value.trim();
  return {
    q: query, tree: fields.tree.value, grain: fields.grain.value, mode: fields.mode.value,
    limit: 20, brief: true,
  };
}

function search() {
  view?.stop();
  view = null;
  document.title = fields.q.value.trim() ? `${fields.q.value.trim()} · leafmark` : "leafmark";
  const signal = begin();
  const parameters = wanted();
  guarded(signal, () => (parameters.q ? showResults(parameters, signal) : showDocuments(signal)));
}

/** Show what the index holds at once, then what it holds when it is fresh, if that differs. */
async function showResults(parameters, signal) {
  const held = await ask("search", { ...parameters, no_refresh: true }, signal).catch((error) => {
    if (error instanceof Refused && [404, 503].includes(error.status)) return null; // not yet there
    throw error;
  });
  if (signal.aborted) return;
  if (held) drawResults(parameters, held);
  const answer = await ask("search", parameters, signal);
  if (signal.aborted || (held && same(held, answer))) return;
  drawResults(parameters, answer);
}

const same = (one, other) =>
  JSON.stringify({ ...one, elapsed_ms: 0 }) === JSON.stringify({ ...other, elapsed_ms: 0 });

function drawResults(parameters, answer) {
  remember(parameters, answer);
  const byId = new Map(answer.results.map((result) => [result.id, result]));
  const groups = answer.groups.map((group) => groupOf(group, byId));
  const hints = answer.hints.map((hint) => make("p", "hint", hint.message));
  main.replaceChildren(unseenTitle("Results"), ...hints, ...groups);
  main.classList.remove("old");
  if (returned !== null) scrollTo(0, returned);
  returned = null;
  const results = answer.results.length;
  const counted = `${results} ${results === 1 ? "result" : "results"} in ${answer.groups.length} ${answer.groups.length === 1 ? "document" : "documents"}`;
  say(results ? `${counted} · ${answer.elapsed_ms.toFixed(1)} ms · ${answer.mode}` : "Nothing was found.");
}

/** A title for those who hear the page; who sees it knows. */
const unseenTitle = (text) => make("h1", "unseen", text);

/** Keep what matched, to show it in the documents. */
function remember(parameters, answer) {
  shownQuery = parameters;
  matches = new Map();
  const add = (one) => {
    matches.set(one.id, one.match_ranges);
    one.constituents.forEach(add);
  };
  answer.results.forEach(add);
}

function groupOf(group, byId) {
  const results = group.chunk_ids.map((id) => byId.get(id)).filter(Boolean);
  const first = results[0];
  const head = make("header", "", [
    make("h2", "", [link("", group.title, { doc: group.doc_id })]),
    make("span", "dim path", first ? `${first.tree} / ${first.path}` : group.doc_id),
    ...(group.version ? [make("span", "tag", `v${group.version}`)] : []),
    ...group.tags.map((tag) => make("span", "tag", tag)),
  ]);
  return make("section", "group", [head, ...results.map(resultOf)]);
}

function resultOf(result) {
  const item = make("article", "result", null, { tabIndex: -1 });
  const marks = [
    result.relaxed && "matches in part",
    result.stale && "changed since it was indexed",
    result.no_specific_section && "no specific section",
  ].filter(Boolean);
  const why = make("details", "why", [make("summary", "", "Why this?")]);
  why.addEventListener("toggle", () => why.open && explain(why, result.id), { once: true });
  item.append(
    make("div", "line", [
      link("crumbs", result.parent_id || !result.constituents.length ? crumbs(result) : "The whole document",
        { doc: result.id }),
      make("span", "dim", lines(result)),
      make("span", "dim score", result.score.toFixed(2)),
      ...marks.map((mark) => make("span", "tag mark", mark)),
    ]),
    ...(stands(result) ? snippet(result) : []),
    ...(result.constituents.length ? [partsOf(result.constituents)] : []),
    why,
  );
  return item;
}

const lines = (one) =>
  one.line_start === one.line_end ? `line ${one.line_start}` : `lines ${one.line_start}–${one.line_end}`;

/** Whether a result has an excerpt that is not one of its parts'. */
function stands(result) {
  return !result.constituents.some((part) => part.snippet_text === result.snippet_text || !stands(part));
}

/** The titles below the document's, or the document's own. */
function crumbs(one) {
  const titles = one.breadcrumb.replace(/^> /, "").split(" › ");
  const piece = /~\d+$/.exec(one.id);
  return (titles.length > 1 ? titles.slice(1) : titles).join(" › ") + (piece ? ` ${piece[0]}` : "");
}

function partsOf(parts) {
  const list = make("ul", "parts");
  for (const part of parts) {
    const head = make("div", "line", [
      link("crumbs", crumbs(part), { doc: part.id }),
      make("span", "dim score", part.score.toFixed(2)),
    ]);
    const inner = part.constituents.length ? [partsOf(part.constituents)] : [];
    list.append(make("li", "", [head, ...(stands(part) ? snippet(part) : []), ...inner]));
  }
  return list;
}

/** The snippet with its matches; the ranges count characters, a string counts UTF-16 units. */
function snippet(one) {
  if (!one.snippet_text) return [];
  const characters = [...one.snippet_text];
  const cut = (start, end) => characters.slice(start, end).join("");
  const text = make("p", "snippet", null, { dir: "auto" });
  let at = 0;
  for (const [start, end] of one.snippet_ranges) {
    text.append(plain(cut(at, start)), make("mark", "", cut(start, end)));
    at = end;
  }
  text.append(plain(cut(at)));
  return [text];
}

let explained = { query: null, answer: null };

/** Ask once for what the scores of these results are made of, and tell it of one. */
async function explain(place, id) {
  const key = JSON.stringify(shownQuery);
  const signal = asking.signal;
  await guarded(signal, async () => {
    if (explained.query !== key) {
      explained = { query: key, answer: ask("search", { ...shownQuery, explain: true }, signal) };
      explained.answer.catch(() => (explained = { query: null, answer: null }));
    }
    const answer = await explained.answer;
    const result = answer.results.find((one) => one.id === id);
    const phases = answer.explain.phases.map((phase) =>
      make("li", "", `${phase.name}: ${phase.before} → ${phase.after}${phase.note ? `, ${phase.note}` : ""}`));
    place.append(
      make("p", "dim", `Understood as: ${answer.explain.expressions.join(" and ")}`),
      result ? factorsOf(result.factors) : make("p", "dim", "It is no result any more."),
      make("details", "", [make("summary", "", "What each phase did"), make("ol", "phases", phases)]),
    );
  });
}

function factorsOf(factors) {
  const list = make("ul", "factors");
  for (const factor of factors) {
    const sign = factor.operation === "multiply" ? "×" : "+";
    const row = make("span", "", [
      make("b", "", `${sign} ${factor.value.toFixed(3)}`), ` ${factor.name}`,
      make("span", "dim", factor.how ? ` ${factor.how}` : ""),
    ]);
    list.append(make("li", "", factor.parts.length ? [row, factorsOf(factor.parts)] : [row]));
  }
  return list;
}

/** Show what there is: the documents, or where they are many, how many of them. */
async function showDocuments(signal) {
  const { trees } = await ask("trees", {}, signal);
  const shown = trees.filter((tree) => !fields.tree.value || tree.name === fields.tree.value);
  const total = shown.reduce((sum, tree) => sum + tree.documents, 0);
  if (signal.aborted) return;
  if (total > MOST_FETCHED) {
    const items = shown.map((tree) => make("li", "", [
      make("b", "", tree.name), make("span", "dim", ` ${count(tree.documents)} documents, ${count(tree.chunks)} chunks`),
    ]));
    main.replaceChildren(unseenTitle("Documents"), make("ul", "documents", items));
    main.classList.remove("old");
    say("");
    return;
  }
  const { documents } = await ask("documents", { tree: fields.tree.value, no_refresh: true }, signal);
  if (signal.aborted) return;
  const items = documents.slice(0, MOST_LISTED).map((one) => make("li", "", [
    link("", one.title, { doc: one.doc_id }),
    make("span", "dim path", ` ${one.tree} / ${one.path}`),
    make("span", "dim", ` ${count(one.chunks)} ${one.chunks === 1 ? "chunk" : "chunks"}`),
  ]));
  main.replaceChildren(unseenTitle("Documents"), make("ul", "documents", items));
  main.classList.remove("old");
  const more = documents.length > MOST_LISTED ? `, the first ${MOST_LISTED} of them below` : "";
  say(documents.length
    ? `${count(documents.length)} ${documents.length === 1 ? "document" : "documents"}${more}.`
    : "There are no documents here.");
}

// -- a document ------------------------------------------------------------------------

function openDocument(id, by) {
  view?.stop();
  fields.q.blur(); // where the page begins with a document, its keys are not those of a query
  const signal = begin();
  guarded(signal, () => showDocument(id, by, signal));
}

async function showDocument(id, by, signal) {
  const project = await ask("outline", { id }, signal);
  const chosen = (by ?? "").split(",").filter((name) => STRATEGIES.includes(name));
  const shown = chosen.length ? chosen : [project.strategy];
  const bytes = async (response) => new Uint8Array(await response.arrayBuffer());
  const [raw, ...others] = await Promise.all([
    ask("raw", { id: project.doc_id, no_refresh: true }, signal, bytes),
    ...shown.map((strategy) => (strategy === project.strategy
      ? project : ask("outline", { id: project.doc_id, strategy, no_refresh: true }, signal))),
  ]);
  if ([project, ...others].some((outline) => outline.bytes !== raw.length)) {
    throw new Refused(503, { message: "the document has changed meanwhile" });
  }
  const query = wanted();
  if (query.q && JSON.stringify(query) !== JSON.stringify(shownQuery)) {
    remember(query, await ask("search", { ...query, no_refresh: true }, signal).catch((error) => {
      if (error instanceof Refused) return { results: [] }; // told where results are shown
      throw error;
    }));
  }
  if (signal.aborted) return;
  const outlines = { project };
  shown.forEach((name, at) => (outlines[name] = others[at]));
  view?.stop();
  view = new SourceView({
    raw, outlines, shown,
    matches: query.q ? matches : new Map(),
    focus: placeOf(id, outlines[shown[0]]),
    changed: (names) => {
      const at = current();
      at.set("by", names.join(","));
      history.replaceState(history.state, "", `?${at}`);
      restore();
    },
  });
  document.title = `${project.title} · leafmark`;
  const back = link("", query.q ? `← results for “${query.q}”` : "← all documents", { doc: null });
  main.replaceChildren(make("p", "back", [back]), view.element);
  main.classList.remove("old");
  say("");
  view.reveal();
}

/** The id of a chunk as the outline has it; null for the whole document. */
function placeOf(id, outline) {
  const names = (one) => [one.id, one.ordinal_id].some((name) => name === id || name.endsWith(`:${id}`));
  const found = outline.chunks.find(names);
  if (found) return found.position ? found.id : null;
  return id.replace(/~\d+$/, ""); // another strategy has no such piece
}

// -- keys ------------------------------------------------------------------------------

let pause = null;

fields.q.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(() => {
    address(current().has("doc"));
    search();
  }, PAUSE_MS);
});

for (const field of [fields.tree, fields.grain, fields.mode]) {
  field.addEventListener("change", () => {
    address(true);
    search();
  });
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(pause);
  address(true);
  search();
});

$("home").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(location.pathname);
  fields.q.focus();
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    fields.q.focus();
    fields.q.select();
  } else if (event.key === "Escape" && !typing && current().has("doc")) {
    leave();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (document.activeElement?.tagName !== "SELECT") move(event);
  }
});

/** Go to the next or the previous result; up from the first one is the query. */
function move(event) {
  const links = [...main.querySelectorAll(".result > .line .crumbs, .documents a")];
  if (!links.length || view) return;
  event.preventDefault();
  const at = links.indexOf(document.activeElement);
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  if (next < 0) fields.q.focus();
  else links[Math.min(next, links.length - 1)].focus();
}

// -- beginning -------------------------------------------------------------------------

/** Learn which trees there are, and show what the address says. */
function start() {
  restore();
  ask("trees", { no_refresh: true }).then(({ trees }) => {
    if (trees.length < 2) return;
    const chosen = current().get("tree") ?? "";
    fields.tree.replaceChildren(
      make("option", "", "all trees", { value: "" }),
      ...trees.map((tree) => make("option", "", tree.name, { value: tree.name })),
    );
    fields.tree.value = chosen;
    fields.tree.hidden = false;
  }).catch(() => {}); // without an index there is nothing to choose from yet
}

start();
