// A table that sorts by any column, some rows at a time.

import { element, show } from "./dom.js";
import { whole } from "./numbers.js";

const ROWS = 50;

/**
 * A table. A column has `title` (and `key`, if titles may be the same), `cell(row)` (text or node), and `value(row)` if it can be sorted by it; `isText` aligns
 * it to the start. `sorted` is told the order that was chosen, `open(row)` is called when a row is chosen, `current(row)` says whether it is the one that is open.
 */
export class SortedTable {
  constructor({ columns, caption, rows = [], sort = null, open = null, current = null, sorted = null, pageRows = ROWS }) {
    Object.assign(this, { columns, caption, rows, open, current, sorted, pageRows, sort, page: 0 });
    this.node = element("div", { class: "sorted" });
    this.draw();
  }

  /** Other rows, in the order of the column that was chosen. */
  replace(rows, columns = this.columns) {
    Object.assign(this, { rows, columns, page: 0 });
    this.draw();
  }

  /** The rows in the order shown, which is found once. */
  ordered() {
    if (this.order?.rows !== this.rows || this.order.sort !== this.sort) this.order = { rows: this.rows, sort: this.sort, found: this.inOrder() };
    return this.order.found;
  }

  inOrder() {
    const column = this.columns.find((each) => keyOf(each) === this.sort?.key);
    if (!column?.value) return this.rows;
    const sign = this.sort.descending ? -1 : 1;
    const keyed = this.rows.map((row, place) => [column.value(row), place, row]);
    keyed.sort(([a, first], [b, second]) => sign * compareValues(a, b, sign) || first - second);
    return keyed.map(([, , row]) => row);
  }

  /** Shows the page that has a row; without one, the same page again. */
  reveal(row) {
    const place = row ? this.ordered().indexOf(row) : -1;
    if (place >= 0) this.page = Math.floor(place / this.pageRows);
    this.draw();
  }

  draw() {
    const rows = this.ordered();
    const pages = Math.max(1, Math.ceil(rows.length / this.pageRows));
    this.page = Math.min(this.page, pages - 1);
    const shown = rows.slice(this.page * this.pageRows, (this.page + 1) * this.pageRows);
    const head = element("tr", {}, this.columns.map((column) => this.heading(column)));
    const body = element("tbody", {}, shown.map((row) => this.row(row)));
    const table = element("table", {}, element("caption", {}, this.caption), element("thead", {}, head), body);
    show(this.node, element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": this.caption }, table), pages > 1 && this.pager(pages, rows.length));
  }

  heading(column) {
    const is = this.sort?.key === keyOf(column);
    const order = is ? (this.sort.descending ? "descending" : "ascending") : null;
    const mark = is ? (this.sort.descending ? " ↓" : " ↑") : "";
    const name = column.value
      ? element("button", { type: "button", on: { click: () => this.sortBy(column) } }, column.title, element("span", { "aria-hidden": "true" }, mark))
      : column.title;
    return element("th", { scope: "col", class: column.isText ? "text" : "number", "aria-sort": order, title: column.hint }, name);
  }

  sortBy(column) {
    const again = this.sort?.key === keyOf(column);
    this.sort = { key: keyOf(column), descending: again ? !this.sort.descending : !column.isText };
    this.page = 0;
    this.sorted?.(this.sort);
    this.draw();
    this.node.querySelectorAll("thead th")[this.columns.indexOf(column)]?.querySelector("button")?.focus();
  }

  row(row) {
    const cells = this.columns.map((column, place) => {
      const content = column.cell(row);
      return element(place === 0 ? "th" : "td", { scope: place === 0 ? "row" : null, class: column.isText ? "text" : "number" }, content);
    });
    const chosen = this.current?.(row);
    return element("tr", { "aria-current": chosen ? "true" : null, class: this.open ? "open" : null, on: this.open ? { click: () => this.open(row) } : {} }, cells);
  }

  pager(pages, total) {
    const turn = (step) => {
      this.page += step;
      this.draw();
      this.node.querySelector(`.pager button[data-step="${step}"]`)?.focus();
    };
    const button = (label, step, disabled) => element("button", { type: "button", "data-step": step, disabled, on: { click: () => turn(step) } }, label);
    const last = Math.min((this.page + 1) * this.pageRows, total);
    return element(
      "p",
      { class: "pager" },
      button("Previous", -1, this.page === 0),
      ` ${whole(this.page * this.pageRows + 1)} to ${whole(last)} of ${whole(total)} `,
      button("Next", 1, this.page === pages - 1),
    );
  }
}

const keyOf = (column) => column.key ?? column.title;

/** The order of two values; what is undefined comes last in either direction. */
export function compareValues(a, b, sign = 1) {
  const missing = (value) => value === null || value === undefined || Number.isNaN(value);
  if (missing(a) || missing(b)) return sign * (Number(missing(a)) - Number(missing(b)));
  if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b), "en", { numeric: true });
  return a - b;
}
