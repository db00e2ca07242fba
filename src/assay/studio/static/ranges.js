// Differences as lines with an interval and a zero: of pairs of runs, and of what a comparison can still become.

import { element, text } from "./dom.js";
import { pValue, signed } from "./numbers.js";

// Percent of a line that the name of an end takes.
const NEAR = 14;

/** Where values stand on a line that has zero on it, in percent. */
function scaleOf(values) {
  const known = values.filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const room = (high - low) * 0.06 || 1;
  const share = (value) => ((value - low + room) / (high - low + 2 * room)) * 100;
  return (value) => `${share(value).toFixed(2)}%`;
}

/** A line from low to high with a dot at the value and a mark at zero. */
function line({ value, low, high }, at, kind = "") {
  const has = Number.isFinite(low) && Number.isFinite(high);
  return element(
    "span",
    { class: `line ${kind}`, "aria-hidden": "true" },
    element("span", { class: "zero", style: { "--at": at(0) } }),
    has ? element("span", { class: "span", style: { "--from": at(low), "--to": at(high) } }) : null,
    Number.isFinite(value) ? element("span", { class: "dot", style: { "--at": at(value) } }) : null,
  );
}

/** The differences of a measure, one line per pair of runs. */
export function forest(pairs) {
  const at = scaleOf(pairs.flatMap(({ difference, low, high }) => [difference, low, high]));
  const rows = pairs.map((pair) => {
    const significant = pair.p_corrected !== null && pair.p_corrected < 0.05;
    const said = `${signed(pair.difference)}, 95 % interval ${signed(pair.low)} to ${signed(pair.high)}, p ${pValue(pair.p_corrected)}`;
    const kind = significant ? (pair.difference > 0 ? "up" : "down") : "";
    return element(
      "li",
      {},
      element("span", { class: "pair" }, text(pair.a), " → ", text(pair.b)),
      line({ value: pair.difference, low: pair.low, high: pair.high }, at, kind),
      element("span", { class: "value", title: said, "data-figure": `difference ${pair.measure} ${pair.a} ${pair.b}` }, signed(pair.difference), element("span", { class: "interval" }, `p ${pValue(pair.p_corrected)}`)),
    );
  });
  return element("ul", { class: "forest" }, rows);
}

/** What a difference is and what it can still become. */
export function reach({ difference, low, high, settled }) {
  const at = scaleOf([difference, low, high]);
  const end = (value, name) => element("span", { style: { "--at": at(value) } }, name);
  // Zero is named where there is room between the ends.
  const near = [low, high].some((value) => Math.abs(parseFloat(at(value)) - parseFloat(at(0))) < NEAR);
  const ends = element("div", { class: "ends" }, end(low, signed(low)), near ? null : end(0, "0"), end(high, signed(high)));
  return element("div", { class: "reach" }, line({ value: difference, low, high }, at, settled ? (difference > 0 ? "up" : "down") : ""), ends);
}
