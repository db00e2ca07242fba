// What a report says first: the verdict, the means of the runs, the differences between them.

import { element, section, text } from "./dom.js";
import { fixed, pValue, signed, whole } from "./numbers.js";
import { SortedTable } from "./sorting.js";

/** The verdict in words, after what must not be overlooked. */
export function verdict(core) {
  const loud = core.notes.filter((note) => note.loud).map((note) => element("p", { class: "warn" }, text(note.text)));
  return element("section", { id: "verdict", "aria-label": "Verdict" }, loud, element("ul", { class: "verdict" }, core.verdict.map((line) => element("li", { class: line.state }, text(line.text)))));
}

/** What the table of runs shows: columns, rows and a caption. */
export function runsContent(core) {
  const mark = { title: "", isText: true, cell: ({ run }) => run.mark ?? "", value: null };
  const name = { key: "name of the run", title: "run", isText: true, cell: ({ run }) => text(run.name), value: ({ run }) => run.name };
  const measures = core.measures.map((measure) => ({
    title: measure.name,
    cell: ({ cells }) => mean(cells[measure.name]),
    value: ({ cells }) => cells[measure.name].value,
  }));
  const rows = core.runs.map((run, number) => ({ run, cells: Object.fromEntries(core.measures.map((measure) => [measure.name, core.means[measure.name][number]])) }));
  return { columns: [name, ...(core.pairs.length ? [mark] : []), ...measures], rows, caption: core.caption };
}

/** The means of the runs. */
export function runsSection(core) {
  const table = new SortedTable({ ...runsContent(core), pageRows: 200 });
  return section("runs", core.runs.length > 1 ? "Runs" : "Result", table.node);
}

/** A mean with its interval. */
export function mean({ value, low, high, place, beats }) {
  const number = element("span", { class: place === 0 ? "best" : place === 1 ? "second" : null }, fixed(value));
  const interval = low === null ? null : element("span", { class: "interval" }, `${fixed(low)} to ${fixed(high)}`);
  return [number, beats ? element("span", { class: "letters" }, beats) : null, interval];
}

/** What the table of differences shows. */
export function pairsContent(pairs, core) {
  const number = (title, field, write = fixed) => ({ title, cell: (pair) => write(pair[field]), value: (pair) => pair[field] });
  const columns = [
    { title: "from", isText: true, cell: (pair) => text(pair.a), value: (pair) => pair.a },
    { title: "to", isText: true, cell: (pair) => text(pair.b), value: (pair) => pair.b },
    number("difference", "difference", signed), number("low", "low", signed), number("high", "high", signed),
    number("p", "p", pValue), number("p corrected", "p_corrected", pValue), number("Cohen's d", "cohen_d"), number("Cliff's delta", "cliff_delta"),
    { title: "wins / ties / losses", cell: (pair) => `${whole(pair.wins)} / ${whole(pair.ties)} / ${whole(pair.losses)}`, value: (pair) => pair.wins },
    number("detectable", "detectable"),
  ];
  return { columns, rows: pairs, caption: core.tested };
}
