// What reports of other kinds have: the checks of a gate, a RAG system's answers, a live retriever's latency.

import { figure } from "./charts.js";
import { element, section, text } from "./dom.js";
import { fixed, signed, whole } from "./numbers.js";
import { SortedTable } from "./sorting.js";
import { address, go } from "./state.js";

/** The sections that only some reports have. */
export function extraSections(core) {
  return [core.gate && gateSection(core.gate), core.probe && probeSection(core.probe, core.themes), core.rag && ragSection(core.rag, core.themes)].filter(Boolean);
}

/** A link to a query, by a measure. */
function queryLink(query, measure) {
  const open = (event) => {
    event.preventDefault();
    go({ query, measure }, { step: true });
  };
  return element("a", { href: address({ query, measure }), on: { click: open } }, text(query));
}

function gateSection(gate) {
  const columns = [
    { title: "result", isText: true, cell: (check) => element("b", { class: check.passed ? "ok" : "bad" }, check.passed ? "pass" : "FAIL"), value: (check) => (check.passed ? "pass" : "FAIL") },
    { title: "measure", isText: true, cell: (check) => text(check.measure), value: (check) => check.measure },
    { title: "reason", isText: true, cell: (check) => text(check.reason), value: (check) => check.reason },
  ];
  const table = new SortedTable({ columns, rows: gate.checks, caption: "Checks" });
  const worst = gate.checks.filter((check) => !check.passed && check.worst.length).map((check) => [
    element("h3", {}, text(check.title)),
    element("ul", {}, check.worst.map((move) =>  element("li", {}, queryLink(move.query, check.measure), " ", move.before === null ? fixed(move.after) : `${fixed(move.before)} → ${fixed(move.after)} (${signed(move.after - move.before)})`))),
  ]);
  return section("gate", "Gate", table.node, worst);
}

function probeSection(probe, themes) {
  const facts = probe.facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  const columns = [
    { title: "query", isText: true, cell: (row) => queryLink(row.query, ""), value: (row) => row.query },
    { title: "what went wrong", isText: true, cell: (row) => text(row.reason), value: (row) => row.reason },
  ];
  const failures = probe.failures.length ? [element("h3", {}, "Failures"), new SortedTable({ columns, rows: probe.failures, caption: `${whole(probe.failures.length)} failed` }).node] : null;
  return section("probe", "Latency", element("dl", {}, facts), probe.chart ? figure({ title: "Latency", spec: probe.chart }, themes) : null, failures);
}

function ragSection(rag, themes) {
  const blame = rag.blame ? blameTable(rag.blame) : null;
  const notes = rag.blame ? rag.blame.notes.map((note) => element("p", {}, text(note))) : null;
  const worst = element("ol", {}, rag.worst.map(({ query, question, value }) => element("li", {}, queryLink(query, rag.by), ` ${fixed(value)} `, text(question ?? ""))));
  const title = element("h3", {}, `The worst questions by ${rag.by}`);
  return section("answers", "Answers", blame, notes, rag.chart ? figure({ title: "Retriever or generator", spec: rag.chart }, themes) : null, title, worst);
}

function blameTable({ columns, rows }) {
  const made = columns.map((title, place) => ({ title, isText: place === 0, cell: (row) => (place === 0 ? text(row[0]) : place === 1 ? whole(row[1]) : fixed(row[place])), value: (row) => row[place] }));
  return new SortedTable({ columns: made, rows, caption: "Answers with and without a retrieved gold passage" }).node;
}
