// The report: reads the data in the page and shows it, from the verdict down to the passage.

import { figure } from "./charts.js";
import { chooser, element, section, show, text } from "./dom.js";
import { count, whole } from "./numbers.js";
import { part, scoresOf } from "./parts.js";
import { Queries, sliceName } from "./queries.js";
import { extraSections } from "./extras.js";
import { SortedTable } from "./sorting.js";
import { follow, go } from "./state.js";
import { mean, pairsContent, runsSection, verdict } from "./summary.js";
import { themeButton } from "./theme.js";

const FEW_PAIRS = 12;

async function start() {
  const core = await part("report");
  const stored = await Promise.all(core.runs.map((_, number) => part(`result-${number}`)));
  const ids = stored[0].queries.map((row) => row[0]);
  const scores = stored.map(scoresOf);
  for (const result of stored) result.queries = null;
  document.title = core.title;
  const main = document.querySelector("main");
  const sections = [
    ...extraSections(core),
    section("queries", "Queries", new Queries({ core, ids, scores }).node),
    core.slices.length ? slicesSection(core) : null,
    core.charts.length ? chartsSection(core) : null,
    aboutSection(core),
  ].filter(Boolean);
  const first = [runsSection(core), core.pairs.length ? pairsSection(core) : null].filter(Boolean);
  show(main, verdict(core), element("div", { class: "opening" }, first), sections);
  show(document.querySelector("nav"), element("ul", {}, [...first, ...sections].map((each) => element("li", {}, jump(each)))));
  show(document.querySelector("header .bar"), element("h1", {}, text(core.title)), themeButton());
  show(document.querySelector("footer"), core.made);
  document.documentElement.dataset.ready = "yes";
}

/** A link that moves to a section and leaves the address as it is: it says which view is shown. */
function jump(target) {
  const scroll = (event) => {
    event.preventDefault();
    target.scrollIntoView();
    target.querySelector("h2")?.focus({ preventScroll: true });
  };
  return element("a", { href: `#${target.id}`, on: { click: scroll } }, target.dataset.title);
}

/** The differences of a measure: the forest plot, and the table behind it. */
function pairsSection(core) {
  const place = element("div");
  const choice = element("div", { class: "tools" });
  follow((now) => {
    const names = core.measures.map(({ name }) => name).filter((name) => core.pairs.some((pair) => pair.measure === name));
    const measure = names.includes(now.measure) ? now.measure : names[0];
    if (place.dataset.measure === measure) return;
    place.dataset.measure = measure;
    show(choice, names.length > 1 ? chooser("Measure", names.map((name) => [name, name]), measure, (chosen) => go({ measure: chosen })) : null);
    const pairs = core.pairs.filter((pair) => pair.measure === measure);
    const spec = core.forests[measure];
    const table = element("details", { open: pairs.length <= FEW_PAIRS && !spec }, element("summary", {}, `The numbers: ${count(pairs.length, "pair")}`), new SortedTable(pairsContent(pairs, core)).node);
    show(place, spec ? figure({ title: `Differences in ${measure}`, spec }, core.themes) : null, table);
  });
  return section("differences", "Differences", choice, place);
}

function slicesSection(core) {
  const place = element("div");
  const choice = element("div", { class: "tools" });
  let field = "";
  let measure = "";
  const draw = () => {
    const chosen = core.slices.find((each) => each.field === field);
    const value = { title: field, isText: true, cell: (row) => element("a", { href: "#", on: { click: (event) => { event.preventDefault(); go({ slice: sliceName(field, row.value) }); document.getElementById("queries").scrollIntoView(); } } }, text(row.value)), value: (row) => row.value };
    const queries = { title: "queries", cell: (row) => whole(row.queries), value: (row) => row.queries };
    const runs = core.runs.map((run, number) => ({ key: `run:${run.name}`, title: run.name, cell: (row) => mean({ ...row.means[measure][number], place: -1 }), value: (row) => row.means[measure][number].value }));
    const table = new SortedTable({ columns: [value, queries, ...runs], rows: chosen.rows, caption: `${measure} by ${field}, means with 95 % intervals` });
    show(choice, chooser("By", core.slices.map((each) => [each.field, each.field]), field, (by) => go({ by })), chooser("Measure", core.measures.map(({ name }) => [name, name]), measure, (next) => go({ measure: next })));
    show(place, chosen.warning ? element("p", { class: "warn" }, chosen.warning) : null, table.node);
  };
  follow((now) => {
    const next = core.measures.some(({ name }) => name === now.measure) ? now.measure : core.measures[0].name;
    const by = core.slices.some((each) => each.field === now.by) ? now.by : core.slices[0].field;
    if (next === measure && by === field) return;
    [measure, field] = [next, by];
    draw();
  });
  return section("slices", "Slices", choice, place);
}

function chartsSection(core) {
  const place = element("div");
  const choice = chooser("Chart", core.charts.map(({ title }) => [title, title]), core.charts[0].title, (chart) => go({ chart }));
  follow((now) => {
    const chosen = core.charts.find(({ title }) => title === now.chart) ?? core.charts[0];
    if (place.dataset.title === chosen.title) return;
    place.dataset.title = choice.querySelector("select").value = chosen.title;
    show(place, figure(chosen, core.themes));
  });
  const unmet = core.unmet.length ? element("details", {}, element("summary", {}, "Charts that these data cannot give"), element("ul", {}, core.unmet.map((said) => element("li", {}, text(said))))) : null;
  return section("charts", "Charts", element("div", { class: "tools" }, choice), place, unmet);
}

function aboutSection(core) {
  const notes = core.notes.filter((note) => !note.loud);
  const list = notes.length ? element("ul", { class: "notes" }, notes.map((note) => element("li", {}, text(note.text)))) : element("p", {}, "None.");
  return section(
    "about", "How it was computed",
    element("h3", {}, "Assumptions about the data"), list,
    core.check.length ? [element("h3", {}, "Data check"), checkList(core.check)] : null,
    element("h3", {}, "Signature"), element("pre", { tabindex: "0", "aria-label": "Signature" }, text(core.signature)),
    core.reproduce ? [element("h3", {}, "To reproduce"), element("pre", { tabindex: "0", "aria-label": "To reproduce" }, text(core.reproduce))] : null,
    element("p", { class: "quiet" }, "The scores are in this file: assay.load_report reads them, and assay compare, diff and gate take the file in place of a run."),
    element("p", { class: "quiet" }, "Keys: j and k open the next and the previous query, / finds, Escape closes."),
  );
}

/** What was found in the data: what needs attention, and behind it what is fine. */
function checkList(check) {
  const names = { ok: "ok", warn: "caution", bad: "bad" };
  const items = (findings) => element("ul", { class: "notes" }, findings.map(({ level, place, text: said, advice }) => element("li", {}, element("b", { class: names[level] }, level), " ", text(`${place}: ${said}${advice ? `; ${advice}` : ""}`))));
  const [fine, other] = [check.filter(({ level }) => level === "ok"), check.filter(({ level }) => level !== "ok")];
  const behind = fine.length ? element("details", {}, element("summary", {}, `${count(fine.length, "check")} passed`), items(fine)) : null;
  return [other.length ? items(other) : null, behind];
}

start().catch((error) => {
  show(document.querySelector("main"), element("p", { class: "warn", role: "alert" }, `This page could not be shown: ${error.message}`));
});
