// Queries as bars, sorted by value: what helped, what stayed, what hurt. A click opens a query.

import { element } from "./dom.js";
import { fixed, signed } from "./numbers.js";

const HEIGHT = 150;

/** Bars on a canvas, with a line above them that says what is under the pointer. */
export class Bars {
  constructor(open) {
    this.open = open;
    this.canvas = element("canvas", { class: "bars", role: "img", on: { mousemove: (event) => this.point(event), mouseleave: () => this.say(null), click: (event) => this.choose(event) } });
    this.said = element("p", { class: "pointed" });
    this.node = element("div", { class: "bars-frame" }, this.said, this.canvas);
    this.rows = [];
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  /** Rows with `query`, `value` and `worth` (the value, negated if lower is better), in order; `signed` ones are differences. */
  replace(rows, { label, signed: isSigned, current }) {
    Object.assign(this, { rows, isSigned, current, label });
    this.canvas.setAttribute("aria-label", label);
    this.say(null);
    this.draw();
  }

  draw() {
    const width = this.node.clientWidth;
    if (!width) return;
    const scale = devicePixelRatio || 1;
    // Setting its size empties the canvas.
    Object.assign(this.canvas, { width: width * scale, height: HEIGHT * scale });
    if (!this.rows.length) return;
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    const colours = { up: this.colour("--helped"), down: this.colour("--hurt"), same: this.colour("--line"), chosen: this.colour("--ink") };
    const most = this.rows.reduce((high, { value }) => (Number.isFinite(value) ? Math.max(high, Math.abs(value)) : high), 1e-9);
    const zero = this.isSigned ? HEIGHT / 2 : HEIGHT - 1;
    const room = this.isSigned ? HEIGHT / 2 - 8 : HEIGHT - 10;
    const step = width / this.rows.length;
    for (const [place, { query, value, worth }] of this.rows.entries()) {
      const height = this.isSigned ? worth : value;
      const size = Number.isFinite(height) ? (height / most) * room : 0;
      pen.fillStyle = height > 0 ? colours.up : height < 0 ? colours.down : colours.same;
      pen.fillRect(place * step, Math.min(zero, zero - size), Math.max(step - (step > 3 ? 1 : 0), 0.5), Math.max(Math.abs(size), 1));
      if (query === this.current) {
        pen.fillStyle = colours.chosen;
        pen.fillRect(place * step + step / 2 - 1, 0, 2, HEIGHT);
      }
    }
    pen.fillStyle = colours.same;
    pen.fillRect(0, zero, width, 1);
  }

  /** A colour of the page as it is now, light or dark. */
  colour(name) {
    this.canvas.style.color = `var(${name})`;
    return getComputedStyle(this.canvas).color;
  }

  at(event) {
    const place = Math.floor((event.offsetX / this.canvas.clientWidth) * this.rows.length);
    return this.rows[Math.min(Math.max(place, 0), this.rows.length - 1)];
  }

  point(event) {
    this.say(this.at(event));
  }

  choose(event) {
    const row = this.at(event);
    if (row) this.open(row.query);
  }

  say(row) {
    this.said.textContent = row ? `${row.query}: ${this.isSigned ? signed(row.value) : fixed(row.value)}` : this.label ?? "";
  }
}
