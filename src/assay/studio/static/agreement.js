// Agreement: how far the voters agree, two by two and all together, and the pairs on which they do not.

import { get, onChange, post } from "./api.js";
import { redrawn } from "./changes.js";
import { chooser, element, section, show, text } from "./dom.js";
import { count, fixed, grade as written, whole } from "./numbers.js";
import { judgeAddress, move, parameters, queryAddress } from "./place.js";
import { announce, complain, startPage, tell, whoVotes } from "./shell.js";
import { SortedTable } from "./sorting.js";
import { chip, smallButtons, takeBack, wordsOf } from "./votes.js";

const PER_PAGE = 10;

class Agreement {
  constructor(main, here, found) {
    Object.assign(this, { main, here, grades: here.collection.grades, shown: PER_PAGE });
    this.voters = new SortedTable({ columns: voterColumns, caption: "Each voter against the others", pageRows: 100 });
    this.pairs = new SortedTable({ columns: this.pairColumns(), caption: "Kappa of every two voters, with 95 % intervals", pageRows: 100 });
    this.draw(found);
  }

  static fetch(here) {
    return get("/api/agreement", { reveal: here.admin && parameters().votes === "shown" ? "true" : "" });
  }

  async reload() {
    const found = await Agreement.fetch(this.here);
    redrawn(this.main, () => this.draw(found));
  }

  draw(found) {
    this.found = found;
    this.voters.replace(found.voters);
    this.pairs.replace(found.pairs);
    const several = found.voters.length > 1;
    show(
      this.main,
      element("h1", {}, "Agreement"),
      this.headline(),
      element("div", { class: "two" }, found.voters.length ? section("voters", "Voters", this.voters.node) : null, several && found.pairs.length ? this.matrix() : null),
      found.pairs.length ? section("kappa", "Two by two", this.pairs.node) : null,
      several ? this.disagreements() : null,
    );
  }

  headline() {
    const { alpha, voters } = this.found;
    if (voters.length < 2 || alpha.value === null) {
      const said = voters.length < 2 ? "Agreement needs two voters who judged the same pairs." : "Too few pairs were judged by more than one voter.";
      const once = this.here.collection.votes < 2;
      const next = once ? ["Start the studio with ", element("code", {}, "--votes-per-pair 2"), " to ask two people for each pair."] : element("a", { href: "/judge?order=votes" }, "Judge what others have judged");
      return element("p", { class: "empty" }, said, " ", next);
    }
    return element(
      "div",
      { class: "headline" },
      element("div", { class: "figure large" }, element("b", { "data-figure": "alpha" }, fixed(alpha.value, 3)), interval(alpha)),
      element("p", {}, element("b", {}, "Krippendorff's alpha"), ` of ${count(voters.length, "voter")}, grades as ranks. 1 is perfect agreement, 0 is what chance gives.`, element("span", { class: "quiet" }, " \"Cannot tell\" counts for nothing.")),
    );
  }

  pairColumns() {
    const figure = (title, key) => ({ title, cell: (row) => (row[key] ? [fixed(row[key].value, 3), interval(row[key])] : element("span", { title: row.reason }, "–")), value: (row) => row[key]?.value ?? null });
    return [
      { title: "voter", isText: true, cell: (row) => text(row.a), value: (row) => row.a },
      { title: "and", isText: true, cell: (row) => text(row.b), value: (row) => row.b },
      { title: "pairs of both", cell: (row) => whole(row.shared), value: (row) => row.shared },
      figure("kappa", "kappa"),
      figure("weighted kappa", "weighted"),
    ];
  }

  /** How often two voters gave each two grades. */
  matrix() {
    const pairs = this.found.pairs.filter((pair) => pair.confusion);
    if (!pairs.length) return null;
    const name = (pair) => `${pair.a} | ${pair.b}`;
    const pair = pairs.find((each) => name(each) === parameters().pair) ?? pairs[0];
    const { grades, counts } = pair.confusion;
    const most = Math.max(1, ...counts.flat());
    const choose = (chosen) => {
      move({ pair: chosen });
      redrawn(this.main, () => this.draw(this.found));
    };
    const cell = (value, row, column) => element("td", { class: row === column ? "same" : null, style: { "--share": String(value / most) } }, whole(value));
    const rows = counts.map((each, row) => element("tr", {}, element("th", { scope: "row" }, written(grades[row])), each.map((value, column) => cell(value, row, column))));
    const table = element("table", { class: "confusion" }, element("caption", {}, "Rows: ", text(pair.a), "; columns: ", text(pair.b)), element("thead", {}, element("tr", {}, element("td", {}), grades.map((grade) => element("th", { scope: "col" }, written(grade))))), element("tbody", {}, rows));
    return section("confusion", "Who gave which grade", pairs.length > 1 ? element("div", { class: "tools" }, chooser("Voters", pairs.map((each) => [name(each), `${each.a} and ${each.b}`]), name(pair), choose)) : null, element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion" }, table));
  }

  disagreements() {
    const { disagreements, differing } = this.found;
    const known = disagreements.filter((each) => each.query !== undefined);
    const open = known.filter((each) => each.decided === null).length;
    const box = element("input", { type: "checkbox", checked: parameters().votes === "shown", on: { change: (event) => (move({ votes: event.target.checked ? "shown" : "" }), this.reload().catch((error) => complain(error.message))) } });
    const blind = known.some((each) => each.votes === null) || parameters().votes === "shown";
    const more = known.length > this.shown ? element("p", {}, element("button", { type: "button", on: { click: () => ((this.shown += PER_PAGE), redrawn(this.main, () => this.draw(this.found))) } }, "Show more")) : null;
    return section(
      "disagreements", "Where votes differ",
      element("p", { class: "quiet" }, known.length ? `${count(differing, "pair")}, ${open ? `${whole(open)} of those listed not decided` : "all decided"}. A decision overrules the votes, which stay as they are.` : "Nowhere: all who judged a pair gave it the same grade."),
      blind && this.here.admin ? element("label", { class: "chooser" }, box, "show votes on pairs that I have not judged, to decide them") : null,
      element("ol", { class: "cards" }, known.slice(0, this.shown).map((each) => element("li", {}, this.disagreement(each)))),
      more,
    );
  }

  disagreement(each) {
    const { query, question, document: id, passage, votes, decided, decision, decided_by: by } = each;
    const said = votes === null
      ? element("p", { class: "quiet" }, "Votes differ here; judge it yourself to see them. ", element("a", { href: judgeAddress(query, id) }, "Judge"))
      : element("div", { class: "said" }, votes.map((vote) => element("div", {}, chip(vote, this.grades), vote.comment ? text(vote.comment, "q") : null)));
    const decide = this.here.admin && votes !== null ? element("div", { class: "decide" }, element("span", { class: "quiet" }, decided === null ? "Decide:" : ["Decided by ", text(by), ":"]), smallButtons({ grades: this.grades, mine: decided, canAbstain: false, label: `Decide the grade of ${id}`, cast: (vote) => this.decide(each, vote) }), decision !== null && by === this.here.voter ? element("button", { type: "button", on: { click: () => this.takeBack(decision) } }, "Take back") : null) : null;
    return element("article", { class: `difference ${decided === null ? "" : "decided"}`, "data-document": id }, element("p", { class: "quiet where" }, element("a", { href: queryAddress(query) }, text(query)), text(id)), element("h3", {}, text(question || query)), passage ? element("details", {}, element("summary", {}, text(passage.slice(0, 400))), text(passage, "p")) : null, said, decide);
  }

  async decide({ query, document: id }, vote) {
    try {
      this.here.voter ??= await whoVotes();
      if (!this.here.voter) return undefined;
      await post("/api/decisions", { query, document: id, vote });
      announce(`Decided: ${wordsOf(vote, this.grades)}.`);
      return await this.reload();
    } catch (error) {
      return complain(error.message);
    }
  }

  async takeBack(decision) {
    try {
      await takeBack(decision);
      tell("The decision was taken back; the votes count again.");
      await this.reload();
    } catch (error) {
      complain(error.message);
    }
  }
}

/** An interval, if there is one. */
const interval = ({ low, high }) => (low === null ? null : element("span", { class: "interval" }, `${fixed(low, 3)} to ${fixed(high, 3)}`));

const voterColumns = [
  { title: "voter", isText: true, cell: (row) => [text(row.name), row.kind === "person" ? null : element("span", { class: "kind" }, row.kind)], value: (row) => row.name },
  { title: "votes", cell: (row) => whole(row.votes), value: (row) => row.votes },
  { title: "same as others", hint: "how often another voter gave the same grade", cell: (row) => (row.same === null ? "–" : `${fixed(100 * row.same, 1)} %`), value: (row) => row.same },
  { title: "alpha without", hint: "the agreement of all others", cell: (row) => fixed(row.alpha_without, 3), value: (row) => row.alpha_without },
];

startPage(async (main, here) => {
  const found = await Agreement.fetch(here);
  const page = new Agreement(main, here, found);
  onChange(found.revision, async (latest) => {
    if (page.found.revision < latest) await page.reload().catch(() => {});
    return page.found.revision;
  }, 2000);
});
