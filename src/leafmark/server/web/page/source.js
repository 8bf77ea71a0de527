"use strict";
/* A document: its tree of chunks beside its source, cut by one strategy or by several.

Everything counts in bytes of the source, which the page holds as bytes: a range is cut out
first and decoded then, so that no offset is ever counted in characters. Texts are only ever
written with textContent. */

const STRATEGIES = ["auto", "heading", "section", "fixed"];
const COLORS = 6;
const BATCH = 500; // rows drawn first, so that a large document can be read while more follow
const decoder = new TextDecoder("utf-8", { ignoreBOM: false });

const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** The text with what could control how it is shown made visible. */
const plain = (text) =>
  text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Make an element: its class, its text or children, its other properties. */
function make(tag, className, content, properties) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (typeof content === "string") element.textContent = plain(content);
  else if (content) element.append(...content);
  return Object.assign(element, properties);
}

const count = (number) => number.toLocaleString("en");

/** The ranges of the source and the chunk that each belongs to, in order: [start, end, position].

Of bytes that several windows share, each is that of the later one, and marked as shared. */
function ranges(outline) {
  const found = [];
  for (const chunk of outline.chunks) {
    if (chunk.heading_start !== null && chunk.kind !== "piece") {
      found.push({ start: chunk.heading_start, end: chunk.heading_end, chunk, heading: true });
    }
    for (const [start, end] of chunk.body_spans) if (start < end) found.push({ start, end, chunk });
  }
  found.sort((a, b) => a.start - b.start || a.chunk.position - b.chunk.position);
  const parts = [];
  let at = 0;
  for (const range of found) {
    const last = parts[parts.length - 1];
    if (last && range.start < last.end) {
      const end = last.end;
      last.end = range.start;
      parts.push({ ...range, end: Math.min(end, range.end), shared: true });
      if (range.end > end) parts.push({ ...range, start: end });
    } else {
      if (range.start > at) parts.push({ start: at, end: range.start, chunk: null });
      parts.push(range);
    }
    at = Math.max(at, range.end);
  }
  if (at < outline.bytes) parts.push({ start: at, end: outline.bytes, chunk: null });
  return parts.filter((part) => part.start < part.end);
}

/** Cut the source wherever one of several strategies cuts it: rows of [start, end, parts]. */
function rows(lanes, bytes) {
  const cuts = new Set([0, bytes]);
  for (const lane of lanes) for (const part of lane) cuts.add(part.start).add(part.end);
  const sorted = [...cuts].sort((a, b) => a - b);
  const at = lanes.map(() => 0);
  const found = [];
  for (let i = 0; i + 1 < sorted.length; i++) {
    const start = sorted[i];
    const parts = lanes.map((lane, n) => {
      while (at[n] < lane.length && lane[at[n]].end <= start) at[n]++;
      return lane[at[n]];
    });
    found.push({ start, end: sorted[i + 1], parts });
  }
  return found;
}

/** What sizes the chunks of a strategy have: those with any text of their own. */
function sizesOf(outline) {
  const sizes = outline.chunks.map((one) => one.body_tokens).filter(Boolean).sort((a, b) => a - b);
  const middle = sizes.length ? sizes[sizes.length >> 1] : 0;
  return {
    chunks: outline.chunks.length,
    least: sizes[0] ?? 0,
    median: middle,
    most: sizes[sizes.length - 1] ?? 0,
    flags: outline.chunks.filter((one) => one.oversize || one.undersize).length,
  };
}

/** Ranges within the body of a chunk as ranges of the source. */
function inSource(chunk, within) {
  const found = [];
  let before = 0;
  for (const [start, end] of chunk.body_spans) {
    for (const [left, right] of within) {
      const from = Math.max(left - before, 0) + start;
      const to = Math.min(right - before + start, end);
      if (from < to) found.push([from, to]);
    }
    before += end - start;
  }
  return found;
}

class SourceView {
  /** `matches` are ranges within bodies by the ids of chunks of the project's own strategy;
  `focus` is the id to scroll to; `changed(strategies)` is told of a choice. */
  constructor({ raw, outlines, shown, matches, focus, changed }) {
    this.raw = raw;
    this.outlines = outlines;
    this.shown = shown;
    this.element = make("article", "document");
    this.anchors = new Map();
    this.above = []; // the chunk of each lane in the row before
    this.leaves = new Map();
    this.marks = outlines.project.chunks
      .flatMap((chunk) => inSource(chunk, matches.get(chunk.id) ?? []))
      .sort((a, b) => a[0] - b[0]);
    this.mark = 0; // the next one to be drawn
    this.stopped = false;
    const main = outlines[shown[0]];
    this.element.append(this.head(main, changed), this.columns(main));
    this.focus = focus;
  }

  stop() {
    this.stopped = true;
  }

  head(outline, changed) {
    const head = make("header", "about", [
      make("h1", "", outline.title),
      make("p", "dim", `${outline.doc_id} · ${count(outline.bytes)} bytes`),
    ]);
    const table = make("table", "strategies");
    const names = ["strategy", "chunks", "tokens", "median", "flagged"];
    table.append(make("thead", "", [make("tr", "", names.map((name) => make("th", "", name)))]));
    const body = make("tbody");
    for (const name of STRATEGIES) {
      const box = make("input", "", null, { type: "checkbox", checked: this.shown.includes(name) });
      box.addEventListener("change", () => {
        const chosen = new Set(this.shown);
        box.checked ? chosen.add(name) : chosen.delete(name);
        if (!chosen.size) box.checked = true;
        else changed(STRATEGIES.filter((each) => chosen.has(each)));
      });
      const own = this.outlines.project.strategy === name ? " (the project’s)" : "";
      const cells = [make("td", "", [make("label", "", [box, ` ${name}${own}`])])];
      const loaded = this.shown.includes(name) ? this.outlines[name] : null;
      const sizes = loaded && sizesOf(loaded);
      const texts = sizes
        ? [count(sizes.chunks), `${count(sizes.least)}–${count(sizes.most)}`, count(sizes.median), count(sizes.flags)]
        : ["", "", "", ""];
      body.append(make("tr", "", [...cells, ...texts.map((text) => make("td", "number", text))]));
    }
    table.append(body);
    head.append(make("div", "scroll", [table]));
    for (const one of outline.diagnostics) {
      head.append(make("p", "note", `${one.line ? `line ${one.line}: ` : ""}${one.message}`));
    }
    return head;
  }

  columns(outline) {
    const tree = make("nav", "sections", null, { ariaLabel: "Sections" });
    const source = make("div", "source");
    source.style.setProperty("--lanes", String(this.shown.length));
    const largest = Math.max(1, ...outline.chunks.map((one) => one.body_tokens));
    this.draw(outline.chunks, tree, (chunk) => this.leaf(chunk, largest));
    const lanes = this.shown.map((name) => ranges(this.outlines[name]));
    source.append(make("div", "row names", [
      ...this.shown.map((name) => make("div", "lane none", name)), make("div", "text dim", "source"),
    ]));
    this.draw(rows(lanes, this.raw.length), source, (row) => this.row(row));
    return make("div", "columns", [tree, source]);
  }

  /** Draw items a batch at a time. */
  draw(items, place, one) {
    let at = 0;
    let batch = BATCH;
    const more = () => {
      if (this.stopped) return;
      const part = document.createDocumentFragment();
      for (const end = Math.min(items.length, at + batch); at < end; at++) part.append(one(items[at]));
      place.append(part);
      batch *= 2;
      this.reveal();
      if (at < items.length) setTimeout(more);
    };
    more();
  }

  leaf(chunk, largest) {
    const name = chunk.kind === "piece" ? `~${chunk.id.split("~").pop()}` : chunk.title || "(no title)";
    const link = make("a", `k${chunk.position % COLORS}`, name, { href: this.address(chunk) });
    link.title = `${chunk.id}\nbytes ${chunk.byte_start}–${chunk.byte_end}, lines ${chunk.line_start}–${chunk.line_end}`;
    link.style.setProperty("--depth", String(Math.min(chunk.depth, 8)));
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      history.replaceState(history.state, "", link.href);
      this.go(chunk.id);
    });
    const meter = make("meter", "", null, { min: 0, max: largest, value: chunk.body_tokens });
    const flag = chunk.oversize ? " !" : chunk.undersize ? " ?" : "";
    const size = make("span", "size", count(chunk.body_tokens) + flag);
    size.title = `${count(chunk.body_tokens)} tokens of its own${chunk.oversize ? ", oversize" : ""}${chunk.undersize ? ", undersize" : ""}`;
    const span = make("span", "span", `${chunk.byte_start}–${chunk.byte_end}`);
    const item = make("div", "leaf", [link, span, meter, size]);
    this.leaves.set(chunk.id, item);
    return item;
  }

  address(chunk) {
    const at = new URLSearchParams(location.search);
    at.set("doc", chunk.id);
    return `?${at}`;
  }

  row(row) {
    const cells = row.parts.map((part, lane) => this.cell(part, lane, row));
    const first = row.parts[0];
    const color = first && first.chunk ? `k${first.chunk.position % COLORS}` : "none";
    const text = make("pre", `text ${color}${first?.shared ? " shared" : ""}`);
    (first?.heading ? text.appendChild(make("b")) : text).append(...this.texts(row.start, row.end));
    text.dir = "auto";
    const element = make("div", "row", [...cells, text]);
    for (const part of row.parts) {
      const chunk = part?.chunk;
      if (!chunk) continue;
      if (!this.anchors.has(chunk.id)) this.anchors.set(chunk.id, element);
    }
    return element;
  }

  /** What is between two bytes, the matches marked. */
  texts(start, end) {
    const text = (from, to) => plain(decoder.decode(this.raw.subarray(from, to)).replace(/\r\n?/g, "\n"));
    const found = [];
    let at = start;
    for (; this.mark < this.marks.length && this.marks[this.mark][0] < end; this.mark++) {
      const [from, to] = this.marks[this.mark];
      if (to <= at) continue;
      found.push(text(at, Math.max(at, from)), make("mark", "", text(Math.max(at, from), Math.min(to, end))));
      at = Math.min(to, end);
      if (to > end) break; // it goes on in the next row
    }
    found.push(text(at, end));
    return found;
  }

  cell(part, lane, row) {
    const chunk = part?.chunk;
    const begins = part && part.start === row.start;
    const cell = make("div", `lane ${chunk ? `k${chunk.position % COLORS}` : "none"}`);
    if (part?.shared) cell.classList.add("shared");
    if (chunk !== this.above[lane]) cell.classList.add("begins");
    this.above[lane] = chunk;
    const name = this.shown[lane];
    cell.title = chunk
      ? `${name} ${chunk.id}\nbytes ${chunk.byte_start}–${chunk.byte_end}, ${count(chunk.body_tokens)} tokens`
      : `${name}: in no chunk`;
    const first = chunk && begins && !this.anchors.has(`${lane} ${chunk.position}`);
    if (first) {
      this.anchors.set(`${lane} ${chunk.position}`, cell);
      cell.append(make("span", "", `.${chunk.position} `), make("span", "dim", count(chunk.body_tokens)));
    }
    return cell;
  }

  /** Scroll to a chunk as soon as it is drawn. */
  go(id) {
    this.focus = id;
    this.reveal();
  }

  reveal() {
    const id = this.focus;
    const row = id && this.anchors.get(id);
    if (!row || !row.isConnected) return;
    this.focus = null;
    for (const old of this.element.querySelectorAll(".here")) old.classList.remove("here");
    row.classList.add("here");
    const leaf = this.leaves.get(id);
    if (leaf) {
      leaf.classList.add("here");
      leaf.parentElement.scrollTop = leaf.offsetTop - leaf.parentElement.clientHeight / 2;
    }
    this.settle(row, 20);
  }

  /** Scroll to a row until it stays: rows far away have a guessed height until they are near. */
  settle(row, tries) {
    const before = row.getBoundingClientRect().top;
    row.scrollIntoView({ block: "start" });
    const moved = row.getBoundingClientRect().top !== before;
    if (tries && !this.stopped && (moved || tries > 17)) {
      requestAnimationFrame(() => row.classList.contains("here") && this.settle(row, tries - 1));
    }
  }
}
