// The queries: a table that the studio sorts, filters and pages, whatever their number.

import { get, onChange } from "./api.js";
import { Bars } from "./bars.js";
import { redrawn } from "./changes.js";
import { chooser, element, show, text } from "./dom.js";
import { count, fixed, signed, whole } from "./numbers.js";
import { move, parameters, queryAddress } from "./place.js";
import { complain, startPage } from "./shell.js";
import { SortedTable } from "./sorting.js";

const ROWS = 50;
// Runs whose scores are all in the table.
const MOST_COLUMNS = 6;
// Pause after a key before the studio is asked, in milliseconds.
const TYPING = 150;

/** A table whose rows come in the order that the studio gave them. */
class ServedTable extends SortedTable {
  inOrder() {
    return this.rows;
  }
}

class Browse {
  constructor(main, { collection }) {
    Object.assign(this, { main, collection });
    this.tools = element("div", { class: "tools" });
    this.bars = new Bars((query) => location.assign(queryAddress(query, this.carried())));
    this.said = element("p", { class: "quiet", role: "status" });
    this.pager = element("p", { class: "pager" });
    this.table = new ServedTable({ columns: [], caption: "Queries", pageRows: 1000, open: (row) => location.assign(queryAddress(row.query, this.carried())), sorted: ({ key, descending }) => this.go({ sort: key, descending: descending ? "1" : "0", offset: "" }) });
    this.drawTools();
    show(main, element("h1", {}, "Queries"), this.tools, this.bars.node, this.said, this.table.node, this.pager);
    addEventListener("popstate", () => this.load());
    addEventListener("themechange", () => this.bars.draw());
    addEventListener("keydown", (event) => this.key(event));
  }

  /** The choices, each from the address or its default. */
  chosen() {
    const now = parameters();
    const { measures, runs, a, b } = this.collection;
    const known = (names, name, otherwise) => (names.includes(name) ? name : otherwise);
    const isPair = runs.length > 1;
    return {
      measure: known(measures, now.measure, measures[0]), a: known(runs, now.a, a ?? runs[0]), b: known(runs, now.b, b ?? runs.at(-1)),
      sort: now.sort || (isPair ? "difference" : "id"), descending: now.descending ?? (isPair ? "1" : "0"), find: now.find ?? "", offset: Number(now.offset) || 0,
    };
  }

  /** What a link to a query takes along. */
  carried() {
    const { measure, a, b } = parameters();
    return { measure, a, b };
  }

  go(changes) {
    move(changes);
    this.load();
  }

  drawTools() {
    const { measures, runs } = this.collection;
    const now = this.chosen();
    const names = runs.map((name) => [name, name]);
    let timer = null;
    const type = (event) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.go({ find: event.target.value, offset: "" }), TYPING);
    };
    this.find = element("input", { type: "search", placeholder: "id or text ( / )", value: now.find, on: { input: type } });
    show(
      this.tools,
      chooser("Measure", measures.map((name) => [name, name]), now.measure, (measure) => this.go({ measure, offset: "" })),
      runs.length > 1 ? [chooser("from", names, now.a, (a) => this.go({ a, offset: "" })), chooser("to", names, now.b, (b) => this.go({ b, offset: "" }))] : null,
      element("label", { class: "chooser" }, "Find ", this.find),
    );
  }

  async load() {
    const now = this.chosen();
    const asked = JSON.stringify(now);
    this.asked = asked;
    try {
      const [found, shape] = await Promise.all([get("/api/queries", { ...now, limit: ROWS }), this.shape(now)]);
      if (this.asked === asked) redrawn(this.main, () => this.draw(found, now, shape));
      return found;
    } catch (error) {
      complain(error.message);
      return null;
    }
  }

  /** All queries in the order of their differences; of very many, some. */
  async shape({ measure, a, b, find }) {
    return get("/api/bars", { measure, a, b, find }).catch(() => null);
  }

  draw(found, now, shape) {
    this.table.sort = { key: now.sort, descending: now.descending === "1" };
    this.table.caption = `${now.measure} of each query`;
    this.table.replace(found.rows, this.columns(now));
    this.drawBars(shape, now);
    const said = shape ? `; ${whole(shape.better)} better with ${now.b}, ${whole(shape.worse)} worse, ${whole(shape.same)} the same` : "";
    this.said.textContent = count(found.total, "query", "queries") + (this.collection.runs.length > 1 ? said : "");
    this.drawPager(found.total, now.offset);
  }

  drawBars(shape, { measure, a, b }) {
    const isPair = this.collection.runs.length > 1;
    this.bars.node.hidden = !shape?.bars.length;
    if (this.bars.node.hidden) return;
    const label = isPair ? `${measure}, change from ${a} to ${b}, one bar per query, best first` : `${measure} of each query, best first`;
    this.bars.replace(shape.bars, { label, signed: isPair, current: "" });
  }

  columns({ a, b }) {
    const { runs } = this.collection;
    const shown = runs.length <= MOST_COLUMNS ? runs : [...new Set([a, b])];
    const link = (row) => element("a", { href: queryAddress(row.query, this.carried()), on: { click: (event) => event.stopPropagation() } }, text(row.query));
    const run = (name) => ({ key: name === a ? "a" : name === b ? "b" : `run:${name}`, title: name, cell: (row) => fixed(row.scores[name]), value: name === a || name === b ? () => 0 : null });
    const judged = (row) => [element("span", { class: "meter", style: { "--share": String(row.of ? row.judged / row.of : 0) }, "aria-hidden": "true" }), `${whole(row.judged)} of ${whole(row.of)}`];
    return [
      { key: "id", title: "query", isText: true, cell: link, value: () => 0 },
      { key: "question", title: "question", isText: true, cell: (row) => text(cut(row.question ?? "")) },
      ...shown.map(run),
      ...(runs.length > 1 ? [{ key: "difference", title: "change", cell: (row) => element("span", { class: row.difference > 0 ? "up" : row.difference < 0 ? "down" : null }, signed(row.difference)), value: () => 0 }] : []),
      { key: "judged", title: "judged", cell: judged, value: () => 0 },
    ];
  }

  drawPager(total, offset) {
    const button = (label, to, disabled) => element("button", { type: "button", disabled, on: { click: () => (this.go({ offset: to || "" }), scrollTo({ top: 0 })) } }, label);
    const last = Math.min(offset + ROWS, total);
    show(this.pager, total > ROWS ? [button("Previous", Math.max(0, offset - ROWS), offset === 0), ` ${whole(offset + 1)} to ${whole(last)} of ${whole(total)} `, button("Next", offset + ROWS, last >= total)] : null);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !event.target.closest?.("input, select, textarea")) {
      event.preventDefault();
      this.find.focus();
    } else if (event.key === "Escape" && event.target === this.find) {
      this.find.value = "";
      this.go({ find: "", offset: "" });
      this.find.blur();
    }
  }
}

const cut = (question) => (question.length > 90 ? `${question.slice(0, 89)}…` : question);

startPage(async (main, here) => {
  const page = new Browse(main, here);
  const found = await page.load();
  onChange(found?.revision, async () => (await page.load())?.revision);
});
