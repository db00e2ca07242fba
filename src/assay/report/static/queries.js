// The queries of a report: bars, a table that filters and sorts, and the query that is open.

import { answerOf } from "./answers.js";
import { Bars } from "./bars.js";
import { chooser, element, show, text } from "./dom.js";
import { count, fixed, signed } from "./numbers.js";
import { part } from "./parts.js";
import { queryView } from "./ranking.js";
import { SortedTable, compareValues } from "./sorting.js";
import { address, follow, go, state } from "./state.js";

// Runs whose scores are all in the table, and runs that are open side by side at first.
const MOST_COLUMNS = 6;
const MOST_OPEN = 4;

export class Queries {
  constructor({ core, ids, scores }) {
    Object.assign(this, { core, ids, scores });
    this.runs = core.runs.map((run) => run.name);
    this.tools = element("div", { class: "tools" });
    this.bars = new Bars((query) => go({ query }, { step: true }));
    this.summary = element("p", { class: "quiet", role: "status" });
    this.opened = element("article", { class: "query", tabindex: "-1", "aria-live": "off" });
    this.table = new SortedTable({
      columns: [], caption: "Queries", open: (row) => go({ query: row.id }, { step: true }), current: (row) => row.id === state().query,
      sorted: ({ key, descending }) => go({ sort: key, order: descending ? "down" : "up" }),
    });
    this.node = element("div", {}, this.tools, this.bars.node, this.opened, this.summary, this.table.node);
    this.drawTools();
    follow((now) => this.update(now));
    addEventListener("themechange", () => this.bars.draw());
    addEventListener("keydown", (event) => this.key(event));
  }

  /** The choices, each from the address or its default. */
  chosen(now) {
    const { core, runs } = this;
    const measure = core.measures.some(({ name }) => name === now.measure) ? now.measure : core.measures[0].name;
    const known = (name, otherwise) => (runs.includes(name) ? name : otherwise);
    const a = known(now.a, core.first.a);
    const b = known(now.b, core.first.b);
    return { measure, a, b, find: now.find ?? "", different: now.different === "1", slice: now.slice ?? "", query: now.query, show: now.show, sort: now.sort ?? "", order: now.order ?? "" };
  }

  drawTools() {
    const { core, runs } = this;
    const now = this.chosen(state());
    const names = runs.map((name) => [name, name]);
    const fields = Object.entries(core.fields).flatMap(([field, values]) => {
      const different = [...new Set(values)].sort((x, y) => String(x).localeCompare(String(y), "en", { numeric: true }));
      return different.map((value) => [sliceName(field, value), `${field}: ${value}`]);
    });
    const find = element("input", { type: "search", placeholder: "id or text ( / )", on: { input: (event) => go({ find: event.target.value }) } });
    const different = element("input", { type: "checkbox", on: { change: (event) => go({ different: event.target.checked ? "1" : "" }) } });
    const choosers = {
      measure: chooser("Measure", core.measures.map(({ name }) => [name, name]), now.measure, (measure) => go({ measure })),
      a: runs.length > 1 && chooser("from", names, now.a, (a) => go({ a })),
      b: runs.length > 1 && chooser("to", names, now.b, (b) => go({ b })),
      slice: fields.length > 0 && chooser("Slice", [["", "all queries"], ...fields], now.slice, (slice) => go({ slice })),
    };
    this.controls = Object.fromEntries(Object.entries(choosers).filter(([, label]) => label).map(([name, label]) => [name, label.querySelector("select")]));
    Object.assign(this, { find, different });
    const only = runs.length > 1 && element("label", { class: "chooser" }, different, " different only");
    show(this.tools, Object.values(choosers), element("label", { class: "chooser" }, "Find ", find), only);
  }

  /** The controls say what is shown, however the address came about. */
  setControls(chosen) {
    for (const [name, control] of Object.entries(this.controls)) control.value = chosen[name];
    this.different.checked = chosen.different;
    // What is being typed is ahead of the address.
    if (document.activeElement !== this.find) this.find.value = chosen.find;
  }

  update(now) {
    const chosen = this.chosen(now);
    this.setControls(chosen);
    const key = JSON.stringify({ ...chosen, query: "", show: "" });
    if (key !== this.key_) {
      this.key_ = key;
      this.filter(chosen);
    }
    this.bars.replace(this.sorted, { ...this.barSettings(chosen), current: chosen.query });
    if (chosen.query !== this.open_ || chosen.show !== this.shown_ || key !== this.openKey) this.openQuery(chosen, key);
  }

  /** The rows that pass the filters. */
  filter({ measure, a, b, find, different, slice, sort, order }) {
    const { core, scores, runs, ids } = this;
    const before = runs.length > 1 ? scores[runs.indexOf(a)][measure] : null;
    const after = scores[runs.indexOf(runs.length > 1 ? b : runs[0])][measure];
    const inSlice = Object.entries(core.fields).find(([field]) => slice.startsWith(sliceName(field, "")));
    const wanted = find.toLowerCase();
    const rows = [];
    for (const [place, id] of ids.entries()) {
      const question = core.questions[place] ?? "";
      const difference = before ? after[place] - before[place] : null;
      if (wanted && !id.toLowerCase().includes(wanted) && !question.toLowerCase().includes(wanted)) continue;
      if (inSlice && sliceName(inSlice[0], inSlice[1][place]) !== slice) continue;
      if (different && (difference === 0 || Number.isNaN(difference))) continue;
      rows.push({ id, place, question, difference, value: before ? difference : after[place] });
    }
    this.rows = rows;
    const better = core.measures.find(({ name }) => name === measure).higher ? 1 : -1;
    if (sort) this.table.sort = { key: sort, descending: order === "down" };
    else this.table.sort = before ? null : { key: `run:${runs[0]}`, descending: better < 0 };
    this.table.replace(rows, this.columns({ measure, a, b }));
    // The better a value, the further to the left, whether it is high or low.
    this.sorted = rows.map((row) => ({ query: row.id, value: row.value, worth: row.value * better })).sort((x, y) => compareValues(y.worth, x.worth, -1));
    this.summary.textContent = count(rows.length, "query", "queries") + (before ? this.moved(b) : "");
  }

  /** How many queries are better and worse with a run, in words. */
  moved(run) {
    const helped = this.sorted.filter(({ worth }) => worth > 0).length;
    const hurt = this.sorted.filter(({ worth }) => worth < 0).length;
    const undefinedOnes = this.sorted.filter(({ worth }) => Number.isNaN(worth)).length;
    const same = this.sorted.length - helped - hurt - undefinedOnes;
    return `; ${helped} better with ${run}, ${hurt} worse, ${same} the same${undefinedOnes ? `, ${undefinedOnes} without a value in both` : ""}`;
  }

  barSettings({ measure, a, b }) {
    const isPair = this.runs.length > 1;
    const label = isPair ? `${measure}, change from ${a} to ${b}, one bar per query, best first` : `${measure} of each query, best first`;
    return { label, signed: isPair };
  }

  columns({ measure, a, b }) {
    const { runs, scores, core } = this;
    const shown = runs.length <= MOST_COLUMNS ? runs : [...new Set([a, b])];
    const link = (row) => element("a", { href: address({ query: row.id }), on: { click: (event) => event.preventDefault() } }, text(row.id));
    const columns = [{ title: "query", isText: true, cell: link, value: (row) => row.id }];
    if (core.questions.some(Boolean)) columns.push({ title: "question", isText: true, cell: (row) => text(cut(row.question)), value: (row) => row.question });
    for (const name of shown) {
      const values = scores[runs.indexOf(name)][measure];
      columns.push({ key: `run:${name}`, title: runs.length > 1 ? name : measure, cell: (row) => fixed(values[row.place]), value: (row) => values[row.place] });
    }
    if (runs.length > 1) columns.push({ title: "change", cell: (row) => signed(row.difference), value: (row) => row.difference });
    return columns;
  }

  async openQuery(chosen, key) {
    const isOther = chosen.query !== this.open_;
    Object.assign(this, { open_: chosen.query, shown_: chosen.show, openKey: key });
    const place = this.ids.indexOf(chosen.query);
    this.opened.hidden = place < 0;
    this.table.reveal(place < 0 ? null : this.rows.find((each) => each.place === place));
    if (place < 0) return;
    const content = await this.content(place, chosen);
    if (this.open_ !== chosen.query) return;
    show(this.opened, content);
    if (isOther) this.comeIntoView();
  }

  /** Moves to the query that was opened, with the keyboard too. */
  comeIntoView() {
    const { top } = this.opened.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) this.opened.scrollIntoView();
    if (!document.activeElement?.closest("input, select")) this.opened.focus({ preventScroll: true });
  }

  async content(place, chosen) {
    const { core, ids, runs, scores } = this;
    const shown = this.openRuns(chosen);
    const head = element(
      "div",
      { class: "bar" },
      element("h3", {}, "Query ", text(ids[place])),
      element("span", {}, element("button", { type: "button", on: { click: () => this.step(-1) } }, "k ↑ previous"), " ", element("button", { type: "button", on: { click: () => this.step(1) } }, "j ↓ next"), " ", element("button", { type: "button", on: { click: () => go({ query: "" }) } }, "close")),
    );
    const question = core.questions[place] ? text(core.questions[place], "p") : null;
    question?.classList.add("question");
    const facts = Object.entries(core.fields).map(([field, values]) => `${field}: ${values[place]}`).join(" · ");
    const picker = runs.length > 2 ? this.picker(shown) : null;
    const more = core.answers ? answerOf((await part(`answers-${Math.floor(place / core.answers)}`))[place % core.answers]) : null;
    const parts = [head, question, facts ? element("p", { class: "quiet" }, text(facts)) : null, picker];
    if (core.chunk) {
      const chunk = await part(`rankings-${Math.floor(place / core.chunk)}`);
      const query = Object.fromEntries(Object.entries(chunk.queries).map(([field, values]) => [field, values[place % core.chunk]]));
      const open = shown.map((name) => ({ name, number: runs.indexOf(name), score: scores[runs.indexOf(name)][chosen.measure][place] }));
      if (core.unattributed.includes(chosen.measure)) parts.push(element("p", { class: "quiet" }, `${chosen.measure} cannot be attributed to single documents.`));
      parts.push(queryView({ query, runs: open, texts: chunk.texts, measure: chosen.measure, top: core.top, rel: core.rel }));
    } else {
      const shownScores = runs.length > 1
        ? runs.map((name, number) => [name, scores[number][chosen.measure][place]])
        : core.measures.map(({ name }) => [name, scores[0][name][place]]);
      const values = shownScores.map(([name, value]) => element("li", {}, text(name), ` ${fixed(value)}`));
      parts.push(element("ul", { class: "scores" }, values), core.norankings ? element("p", { class: "quiet" }, core.norankings) : null);
    }
    parts.push(more);
    return parts;
  }

  openRuns({ a, b, show: shown }) {
    const { runs } = this;
    const named = (shown ?? "").split("|").map(decodeURIComponent).filter((name) => runs.includes(name));
    if (named.length) return named;
    return runs.length <= MOST_OPEN ? runs : [...new Set([a, b])];
  }

  picker(shown) {
    const boxes = this.runs.map((name) => {
      const change = (event) => {
        const next = this.runs.filter((each) => (each === name ? event.target.checked : shown.includes(each)));
        go({ show: next.map(encodeURIComponent).join("|") });
      };
      return element("label", { class: "chooser" }, element("input", { type: "checkbox", checked: shown.includes(name), on: { change } }), text(name));
    });
    return element("fieldset", { class: "tools picker" }, element("legend", {}, "Runs"), boxes);
  }

  /** Opens the next query in the order of the table. */
  step(by) {
    const rows = this.table.ordered();
    if (!rows.length) return;
    const place = rows.findIndex((row) => row.id === state().query);
    const next = place < 0 ? 0 : Math.min(Math.max(place + by, 0), rows.length - 1);
    go({ query: rows[next].id }, { step: place < 0 });
  }

  key(event) {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing) {
      event.target.blur();
      if (typing === this.find) go({ find: "" });
    } else if (event.key === "Escape") go({ query: "" });
    if (event.key === "/" && !typing) {
      event.preventDefault();
      this.find.focus();
    }
    if (!typing && (event.key === "j" || event.key === "k")) this.step(event.key === "j" ? 1 : -1);
  }
}

/** The queries with a value of a field, as an address names them. */
export const sliceName = (field, value) => `${encodeURIComponent(field)}=${value}`;

const cut = (question) => (question.length > 90 ? `${question.slice(0, 89)}…` : question);
