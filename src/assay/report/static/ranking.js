// One query: the rankings of the runs side by side, with lines between the places of a document.

import { drawing, element, show, text } from "./dom.js";
import { fixed, grade, signed, whole } from "./numbers.js";

/**
 * A query opened. `runs` are [{name, number, score}], `query` the part of the page's data about it, `texts` the passages
 * by id, `measure` the name of the measure whose worth is shown. `beside(id)` may give something to show below a document,
 * such as votes on it; `isHidden(id)` says that its grade is not shown.
 */
export function queryView({ query: packed, runs, texts, measure, top, rel, beside = null, isHidden = null }) {
  const query = unpacked(packed);
  const columns = element("div", { class: "rankings", style: { "--runs": String(runs.length) } });
  const lines = drawing("svg", { class: "lines", "aria-hidden": "true" });
  const shown = { query, texts, measure, top, rel, beside, isHidden };
  columns.append(lines, ...runs.map((run) => ranking({ ...shown, run })));
  const redraw = () => connect(columns, lines, runs.length);
  new ResizeObserver(redraw).observe(columns);
  columns.addEventListener("toggle", redraw, true);
  for (const [event, on] of [["mouseover", true], ["focusin", true], ["mouseout", false], ["focusout", false]]) {
    columns.addEventListener(event, ({ target }) => highlight(columns, target.closest?.("[data-document]"), on));
  }
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rankings" }, columns);
  return [scroll, missing(shown)];
}

/** The ranking of one run. */
function ranking({ run, ...shown }) {
  const { query, measure, top } = shown;
  const ranked = query.ranked[run.number];
  const further = query.below[run.number];
  const worth = worthOf(query, [...ranked, ...further.map(([place]) => place)], query.worth[measure]?.[run.number] ?? []);
  const items = ranked.map((place, rank) => item({ ...shown, place, rank: rank + 1, worth: worth.get(place) }));
  const below = further.map(([place, rank]) => item({ ...shown, place, rank, worth: worth.get(place) }));
  const retrieved = query.retrieved[run.number];
  const head = element("h4", {}, text(run.name), element("span", { class: "score" }, ` ${fixed(run.score)}`));
  const said = retrieved === 0 ? "nothing retrieved" : retrieved > top ? `first ${top} of ${whole(retrieved)}` : `${whole(retrieved)} retrieved`;
  return element(
    "section",
    { class: "run", "data-run": run.number },
    head,
    element("p", { class: "quiet" }, said),
    element("ol", {}, items),
    below.length ? element("p", { class: "quiet" }, "relevant, further down") : null,
    below.length ? element("ol", { class: "below" }, below) : null,
  );
}

/** The rankings with the place of each document; 0 is the next document that no earlier ranking has. */
function unpacked(query) {
  let next = 0;
  const ranked = query.ranked.map((ranking) => ranking.map((place) => {
    if (place) return place - 1;
    next += 1;
    return next - 1;
  }));
  return { ...query, ranked };
}

/** What each judged document of a ranking is worth; one that is there twice has it once. */
function worthOf(query, ranking, values) {
  const judged = ranking.filter((place) => query.grades[place] !== null);
  return new Map(judged.map((place, number) => [place, values[number] ?? 0]));
}

/** One document in a ranking. */
function item({ query, place, rank, texts, worth, rel, beside, isHidden }) {
  const id = query.documents[place];
  const hidden = isHidden?.(id) ?? false;
  const judged = hidden ? null : query.grades[place];
  const body = texts?.[id];
  const line = [
    element("span", { class: "rank" }, whole(rank)),
    hidden ? secret() : badge(judged),
    element("span", { class: "name" }, text(id), body ? element("span", { class: "first" }, text(firstLine(body))) : null),
    worth && !hidden ? element("span", { class: "worth", title: "what the measure would lose if this document were not relevant here" }, signed(worth, 3)) : null,
  ];
  const row = body ? element("details", {}, element("summary", {}, line), passage(body)) : element("div", { class: "plain" }, line);
  return element("li", { class: kind(judged, rel), "data-document": place, value: rank }, row, beside?.(id));
}

/** A grade in colour; a document without one is hatched. */
function badge(judged) {
  if (judged === null) return element("span", { class: "grade unjudged", title: "not judged" }, element("span", { class: "hidden" }, "not judged"), element("span", { "aria-hidden": "true" }, "?"));
  const level = judged <= 0 ? 0 : Math.min(3, Math.ceil(judged));
  return element("span", { class: `grade level-${level}`, title: `grade ${grade(judged)}` }, element("span", { class: "hidden" }, "grade "), grade(judged));
}

/** In place of a grade that is not shown yet. */
const secret = () => element("span", { class: "grade unjudged", title: "shown after your vote" }, element("span", { class: "hidden" }, "grade shown after your vote"), element("span", { "aria-hidden": "true" }, "·"));

const kind = (judged, rel) => (judged === null ? "is-unjudged" : judged >= rel && judged > 0 ? "is-relevant" : "is-nonrelevant");
const firstLine = (body) => body.split("\n").find((line) => line.trim())?.trim().slice(0, 90) ?? "";
const passage = (body) => text(body, "p");

/** The judgments that no run found among its documents. */
function missing({ query, texts, beside, isHidden }) {
  if (!query.missing.length && !query.more) return null;
  const items = query.missing.map((place) => {
    const id = query.documents[place];
    const body = texts?.[id];
    const line = [isHidden?.(id) ? secret() : badge(query.grades[place]), element("span", { class: "name" }, text(id), body ? element("span", { class: "first" }, text(firstLine(body))) : null)];
    return element("li", {}, body ? element("details", {}, element("summary", {}, line), passage(body)) : element("div", { class: "plain" }, line), beside?.(id));
  });
  const more = query.more ? element("p", { class: "quiet" }, `and ${whole(query.more)} more`) : null;
  return element("section", { class: "missing" }, element("h4", {}, "Relevant, and found by no run"), element("ul", {}, items), more);
}

/** Draws a line from each document to its place in the next ranking. */
function connect(columns, svg, count) {
  const frame = columns.getBoundingClientRect();
  const places = [...columns.querySelectorAll("section.run")].map((run) => new Map([...run.querySelectorAll("li")].map((each) => [each.dataset.document, each])));
  const paths = [];
  for (let number = 0; number + 1 < count; number += 1) {
    for (const [document, from] of places[number]) {
      const to = places[number + 1].get(document);
      if (to) paths.push(line(from, to, frame, document));
    }
  }
  show(svg, paths);
}

function line(from, to, frame, document) {
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const middle = (box) => box.top - frame.top + Math.min(box.height, 36) / 2;
  const [x1, x2, y1, y2] = [a.right - frame.left, b.left - frame.left, middle(a), middle(b)];
  const bend = (x2 - x1) / 2;
  return drawing("path", { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, class: from.className, "data-document": document });
}

/** Marks a document in all rankings. */
function highlight(columns, item, on) {
  if (!item) return;
  for (const each of columns.querySelectorAll(`[data-document="${item.dataset.document}"]`)) each.classList.toggle("lit", on);
}
