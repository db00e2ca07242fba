// One query: the rankings side by side, with a vote beside every document and scores that follow it.

import { get, onChange } from "./api.js";
import { redrawn } from "./changes.js";
import { commentDialog } from "./comment.js";
import { chooser, element, show, text } from "./dom.js";
import { count, fixed } from "./numbers.js";
import { judgeAddress, move, parameters, queryAddress, queryOfAddress } from "./place.js";
import { queryView } from "./ranking.js";
import { announce, complain, startPage } from "./shell.js";
import { castVote, othersOf, smallButtons, voteOfKey, wordsOf } from "./votes.js";

// Runs that are open side by side at first.
const MOST_OPEN = 3;

class QueryPage {
  constructor(main, here, found) {
    Object.assign(this, { main, here, collection: here.collection, found });
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("popstate", () => this.draw());
    this.draw();
  }

  get grades() {
    return this.collection.grades;
  }

  /** The choices, each from the address or its default. */
  chosen() {
    const now = parameters();
    const { measures, a, b } = this.collection;
    const { runs } = this.found;
    const named = (now.show ?? "").split("|").map(decodeURIComponent).filter((name) => runs.includes(name));
    const shown = named.length ? named : runs.length <= MOST_OPEN ? runs : [...new Set([a, b])].filter((name) => runs.includes(name));
    return { measure: measures.includes(now.measure) ? now.measure : measures[0], shown: shown.length ? shown : runs.slice(0, 2) };
  }

  async reload() {
    const now = this.chosen();
    const next = await get("/api/query", { query: this.found.query });
    if (next.revision < this.found.revision) return;
    const changed = redrawn(this.main, () => {
      this.found = next;
      this.draw();
    });
    if (changed) announce(this.scores(now).join(", "));
  }

  /** The scores of the runs in words. */
  scores({ measure, shown }) {
    return shown.map((name) => `${name} ${fixed(this.found.scores[name]?.[measure])}`);
  }

  draw() {
    const { found } = this;
    const now = this.chosen();
    document.title = `${found.query} · assay studio`;
    const runs = now.shown.map((name) => ({ name, number: found.runs.indexOf(name), score: found.scores[name]?.[now.measure] }));
    const view = queryView({
      query: found.view, runs, texts: found.texts, measure: now.measure, top: found.top, rel: found.rel,
      beside: (id) => this.beside(id), isHidden: (id) => isBlind(found.votes[id]),
    });
    show(this.main, this.head(), this.tools(now), element("article", { class: "query" }, view));
    for (const score of this.main.querySelectorAll(".run .score")) score.dataset.figure = `score ${score.closest("[data-run]").dataset.run}`;
  }

  head() {
    const { found } = this;
    const carried = ({ measure, a, b }) => ({ measure, a, b });
    const link = (id, label, key) => (id === null || id === undefined ? element("span", { class: "button", "aria-disabled": "true" }, label) : element("a", { class: "button", href: queryAddress(id, carried(parameters())), "data-key": key, title: `${label.replace(/[←→]/g, "").trim()} (${key})` }, label));
    const question = element("h1", { class: "question", tabindex: "-1" }, element("span", { class: "hidden" }, "Query "), text(found.question || found.query));
    return element("div", { class: "bar page-head" }, element("div", {}, element("p", { class: "crumbs" }, element("a", { href: "/queries" }, "Queries"), " / ", text(found.query)), question), element("span", { class: "steps" }, link(found.previous, "← previous", "k"), " ", link(found.next, "next →", "j")));
  }

  tools(now) {
    const { collection, found } = this;
    const set = (changes) => {
      move(changes);
      redrawn(this.main, () => this.draw());
    };
    const votes = Object.values(found.votes);
    const mine = votes.filter((each) => each.mine !== null).length;
    const hidden = votes.filter((each) => isBlind(each)).length;
    return element(
      "div",
      { class: "tools" },
      collection.measures.length > 1 ? chooser("Measure", collection.measures.map((name) => [name, name]), now.measure, (measure) => set({ measure })) : null,
      found.runs.length > 2 ? this.picker(now, set) : null,
      element("span", { class: "quiet" }, `you voted on ${count(mine, "document")}`, hidden ? `; ${count(hidden, "grade")} that others gave ${hidden === 1 ? "appears" : "appear"} after your vote` : ""),
    );
  }

  picker({ shown }, set) {
    const boxes = this.found.runs.map((name) => {
      const change = (event) => set({ show: this.found.runs.filter((each) => (each === name ? event.target.checked : shown.includes(each))).map(encodeURIComponent).join("|") });
      return element("label", { class: "chooser" }, element("input", { type: "checkbox", checked: shown.includes(name), on: { change } }), text(name));
    });
    return element("fieldset", { class: "picker" }, element("legend", {}, "Runs"), boxes);
  }

  /** The vote on a document, and what belongs to it. */
  beside(id) {
    const votes = this.found.votes[id] ?? { mine: null, comment: "", count: 0, others: null };
    const more = element("button", { type: "button", class: "more", title: "Comment", "aria-label": `Comment on ${id}`, "aria-pressed": String(Boolean(votes.comment)), on: { click: () => this.comment(id, votes) } }, "✎");
    const others = votes.others ? othersOf(votes.others, this.grades) : null;
    const blind = isBlind(votes) ? element("span", { class: "quiet" }, count(votes.count, "vote")) : null;
    return element("div", { class: "beside", "data-id": id }, smallButtons({ grades: this.grades, mine: votes.mine, label: `Your vote on ${id}`, cast: (vote) => this.cast(id, vote) }), more, element("a", { class: "more", href: judgeAddress(this.found.query, id), title: "Judge this pair on its own", "aria-label": `Judge ${id} on its own` }, "⤢"), others ?? blind);
  }

  async comment(id, votes) {
    const said = await commentDialog({ title: `Comment on ${id}`, comment: votes.comment, grades: this.grades, mine: votes.mine });
    if (said) await this.cast(id, said.vote, said.comment);
  }

  async cast(id, vote, comment = this.found.votes[id]?.comment ?? "") {
    const before = this.here.voter;
    const answer = await castVote({ query: this.found.query, document: id, vote, comment });
    if (!answer) return;
    announce(`${id}: ${wordsOf(vote, this.grades)}.`);
    if (!before) this.here.voter = answer.voter;
    await this.reload().catch((error) => complain(error.message));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest?.("input, select, textarea, dialog")) return;
    if (event.key === "j" || event.key === "k") this.main.querySelector(`a[data-key="${event.key}"]`)?.click();
    const item = event.target.closest?.("li");
    const id = item?.querySelector(".beside")?.dataset.id;
    const vote = event.key.startsWith("Arrow") ? undefined : voteOfKey(event.key, this.grades);
    if (id !== undefined && vote !== undefined) this.cast(id, vote);
  }
}

/** Whether others voted on a document and one has not: nobody should follow the others, so what they said is not shown. */
const isBlind = (votes) => Boolean(votes) && votes.others === null && votes.count > 0;

startPage(async (main, here) => {
  const found = await get("/api/query", { query: queryOfAddress() });
  const page = new QueryPage(main, here, found);
  onChange(found.revision, async (latest) => {
    if (page.found.revision < latest) await page.reload().catch(() => {});
    return page.found.revision;
  });
});
