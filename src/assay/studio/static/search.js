// Live search: a question, what the retriever returns for it, and a vote beside every result.

import { get, post } from "./api.js";
import { element, show, text } from "./dom.js";
import { count, fixed, whole } from "./numbers.js";
import { move, parameters, queryAddress } from "./place.js";
import { announce, startPage, whoVotes } from "./shell.js";
import { castVote, othersOf, smallButtons, wordsOf } from "./votes.js";

class Search {
  constructor(main, here) {
    Object.assign(this, { here, grades: here.collection.grades, found: null });
    this.field = element("input", { type: "search", name: "q", required: true, maxlength: 1000, "aria-label": "Question", placeholder: "Ask the retriever", value: parameters().q ?? "" });
    this.results = element("div", { class: "results", role: "region", "aria-label": "Results", "aria-live": "off" });
    const form = element("form", { class: "ask", role: "search", on: { submit: (event) => (event.preventDefault(), this.ask()) } }, this.field, element("button", { class: "primary" }, "Search"));
    show(main, element("h1", {}, "Search"), form, this.results);
    addEventListener("popstate", () => ((this.field.value = parameters().q ?? ""), this.ask()));
  }

  async ask() {
    const question = this.field.value.trim();
    if (!question) return show(this.results, this.hint());
    this.here.voter ??= await whoVotes();
    if (!this.here.voter) return undefined;
    move({ q: question }, { step: question !== parameters().q });
    this.results.setAttribute("aria-busy", "true");
    const asked = Symbol(question);
    this.asked = asked;
    try {
      const found = await post("/api/search", { question });
      if (this.asked !== asked) return undefined;
      this.found = found;
      this.draw();
      announce(`${count(found.results.length, "result")}.`);
    } catch (error) {
      if (this.asked === asked) show(this.results, element("p", { class: "warn", role: "alert" }, error.message));
    } finally {
      this.results.removeAttribute("aria-busy");
    }
    return undefined;
  }

  hint() {
    return element("p", { class: "quiet" }, "Questions asked here become queries of the collection, and what you vote counts like any other judgment.");
  }

  draw() {
    const { query, results } = this.found;
    const items = results.map((result) => element("li", { "data-id": result.document }, this.result(result)));
    show(this.results, element("p", { class: "quiet" }, results.length ? `${count(results.length, "result")}, kept as ` : "Nothing was found. The question is kept as ", element("a", { href: queryAddress(query) }, text(query)), "."), element("ol", { class: "cards" }, items));
  }

  result(result) {
    const { document: id, passage, rank, score, mine, others } = result;
    return element(
      "article",
      { class: "hit" },
      element("p", { class: "quiet where" }, element("span", { class: "rank" }, whole(rank)), text(id), element("span", { title: "score" }, fixed(score, 3))),
      passage ? text(passage, "p") : element("p", { class: "quiet" }, "The retriever returned no text."),
      element("div", { class: "beside" }, smallButtons({ grades: this.grades, mine, label: `Your vote on ${id}`, cast: (vote) => this.cast(result, vote) }), othersOf(others, this.grades)),
    );
  }

  async cast(result, vote) {
    const answer = await castVote({ query: this.found.query, document: result.document, vote });
    if (!answer) return;
    const { others } = await get("/api/pair", { query: this.found.query, document: result.document }).catch(() => ({}));
    Object.assign(result, { mine: vote, others });
    announce(`${result.document}: ${wordsOf(vote, this.grades)}.`);
    const place = [...this.results.querySelectorAll("li")].find((each) => each.dataset.id === result.document);
    show(place, this.result(result));
    place.querySelector(`[data-vote="${CSS.escape(String(vote))}"]`)?.focus();
  }
}

startPage(async (main, here) => {
  if (!here.collection.search) {
    show(main, element("h1", {}, "Search"), element("p", {}, "No retriever is connected. Start the studio with ", element("code", {}, "--search URL"), " to ask one from here and to vote on what it returns."));
    return;
  }
  const page = new Search(main, here);
  if (!page.field.value) page.field.focus();
  await page.ask();
});
