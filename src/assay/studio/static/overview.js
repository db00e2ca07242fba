// The overview: the verdict, the means, the differences, what is judged, and whether more judgments can change it.

import { get, onChange } from "./api.js";
import { redrawn } from "./changes.js";
import { chooser, element, section, show, text } from "./dom.js";
import { count, whole } from "./numbers.js";
import { move, parameters, readable } from "./place.js";
import { forest } from "./ranges.js";
import { settlementView } from "./settlement.js";
import { announce, startPage } from "./shell.js";
import { SortedTable } from "./sorting.js";
import { pairsContent, runsContent, verdict } from "./summary.js";

class Overview {
  constructor(main, core) {
    this.main = main;
    this.runs = new SortedTable({ ...runsContent(core), pageRows: 200 });
    this.pairs = new SortedTable({ columns: [], rows: [], caption: "" });
    this.draw(core);
  }

  draw(core) {
    this.core = core;
    this.fill(this.runs, runsContent(core));
    const parts = [this.head(core), settlementView(core.settlement), this.figures(core.judged)];
    const first = [section("runs", core.runs.length > 1 ? "Runs" : "Result", this.runs.node), core.pairs.length ? this.differences(core) : null];
    show(this.main, parts, element("div", { class: "opening" }, first.filter(Boolean)), this.about(core));
  }

  fill(table, content) {
    table.caption = content.caption;
    table.replace(content.rows, content.columns);
  }

  head(core) {
    const judge = element("a", { class: "button primary", href: "/judge" }, "Judge next");
    const [first, ...others] = core.verdict;
    const more = others.length ? element("details", { class: "others-said" }, element("summary", {}, `By ${count(others.length, "other measure")}`), element("ul", { class: "notes" }, others.map((line) => element("li", {}, text(line.text))))) : null;
    return element("div", { class: "headline" }, element("h1", { class: "hidden" }, "Overview"), element("div", {}, verdict({ ...core, verdict: first ? [first] : [] }), more), judge);
  }

  figures({ pairs, of, votes, voters }) {
    const share = of ? pairs / of : 0;
    const figure = (name, value, said) => element("div", { class: "figure" }, element("dt", {}, said), element("dd", { "data-figure": name }, whole(value)));
    const bar = element("progress", { max: Math.max(of, 1), value: pairs, "aria-label": `${Math.round(share * 100)} % of the pool is judged` });
    return element("section", { class: "figures", "aria-label": "What is judged" }, element("dl", {}, figure("pairs", pairs, `of ${whole(of)} pairs judged`), figure("votes", votes, votes === 1 ? "vote" : "votes"), figure("voters", voters, voters === 1 ? "voter" : "voters")), bar);
  }

  differences(core) {
    const names = core.measures.map(({ name }) => name).filter((name) => core.pairs.some((pair) => pair.measure === name));
    const chosen = parameters().measure;
    const measure = names.includes(chosen) ? chosen : names[0];
    const pairs = core.pairs.filter((pair) => pair.measure === measure);
    this.fill(this.pairs, pairsContent(pairs, core));
    const choose = (next) => {
      move({ measure: next });
      this.draw(this.core);
      this.main.querySelector("#differences select")?.focus();
    };
    const by = readable("/queries", { measure });
    return section(
      "differences", "Differences",
      element("div", { class: "tools" }, names.length > 1 ? chooser("Measure", names.map((name) => [name, name]), measure, choose) : null, element("a", { href: by }, "Query by query")),
      forest(pairs),
      element("details", {}, element("summary", {}, `The numbers: ${count(pairs.length, "pair")}`), this.pairs.node),
    );
  }

  about(core) {
    const notes = core.notes.filter((note) => !note.loud);
    const list = notes.length ? element("ul", { class: "notes" }, notes.map((note) => element("li", {}, text(note.text)))) : element("p", {}, "None.");
    return element("details", { class: "about" }, element("summary", {}, "How it was computed"), element("h3", {}, "Assumptions about the data"), list, element("h3", {}, "Signature"), element("pre", { tabindex: "0", "aria-label": "Signature" }, text(core.signature)));
  }
}

startPage(async (main) => {
  const core = await get("/api/overview");
  const page = new Overview(main, core);
  onChange(core.revision, async () => {
    const next = await get("/api/overview").catch(() => null);
    if (!next) return null;
    const changed = redrawn(main, () => page.draw(next));
    if (changed) announce(`${count(changed, "number")} changed: ${next.verdict[0]?.text ?? ""}`);
    return next.revision;
  });
});
