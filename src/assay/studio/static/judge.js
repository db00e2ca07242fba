// Judging: one pair at a time, by keyboard or touch. The next pair is fetched while one reads, and shown at once.

import { get, onChange } from "./api.js";
import { redrawn } from "./changes.js";
import { element, show } from "./dom.js";
import { count } from "./numbers.js";
import { drawPair, emptyView, recentView, sideView } from "./judging.js";
import { move, parameters } from "./place.js";
import { settlementView } from "./settlement.js";
import { announce, complain, startPage, tell, whoVotes } from "./shell.js";
import { castVote, takeBack, voteOfKey, wordsOf } from "./votes.js";

const ORDERS = ["worth", "against", "depth", "random", "votes"];
// Pairs that are named as skipped in one request.
const MOST_SKIPPED = 200;

const nameOf = ({ query, document: id }) => `${query}\t${id}`;

class Judge {
  constructor(main, here) {
    Object.assign(this, { main, here, collection: here.collection, pair: null, status: null, ahead: null, recent: null, pending: new Map(), history: [] });
    this.skips = `assay-skipped ${here.collection.id} ${here.voter}`;
    this.skipped = stored(sessionStorage, this.skips, []);
    this.words = stored(localStorage, "assay-words", false);
    const chosen = parameters().order ?? stored(localStorage, "assay-order", "worth");
    this.order = ORDERS.includes(chosen) ? chosen : "worth";
    this.banner = element("div", { class: "banner" });
    this.card = element("div", { class: "card" });
    this.last = element("div", { class: "recent" });
    this.side = element("aside", { class: "side", "aria-label": "Progress and guidelines" });
    addEventListener("keydown", (event) => this.key(event));
  }

  /** Shows the pair that the address names, or the next one. */
  async start() {
    const { query, document: id } = parameters();
    show(this.main, element("h1", { class: "hidden" }, "Judge"), this.banner, element("div", { class: "judge" }, element("div", { class: "work" }, this.card, this.last), this.side));
    if (query && id) await this.open({ query, document: id });
    else await this.advance();
    await this.refresh();
  }

  /** Asks for the pair that comes next, after those that are skipped or on their way. */
  next() {
    const skip = [...this.skipped.slice(-MOST_SKIPPED), ...this.pending.keys(), ...(this.pair ? [nameOf(this.pair)] : [])];
    return get("/api/next", { order: this.order, skip });
  }

  /** Shows one pair, whether it was judged or not. */
  async open(pair) {
    const found = await get("/api/pair", { query: pair.query, document: pair.document });
    this.showPair(found);
  }

  async advance() {
    this.card.setAttribute("aria-busy", "true");
    const asked = this.ahead ?? this.next();
    this.ahead = null;
    try {
      const status = await asked;
      this.status ??= status;
      if (parameters().query) move({ query: "", document: "" });
      this.showPair(status.pair);
    } catch (error) {
      this.pair = null;
      show(this.card, element("p", { class: "warn", role: "alert" }, error.message), element("p", {}, element("button", { type: "button", on: { click: () => this.advance() } }, "Try again")));
    } finally {
      this.card.removeAttribute("aria-busy");
    }
  }

  showPair(pair) {
    this.pair = pair;
    const act = { vote: (vote) => this.vote(vote), skip: () => this.skip(), undo: () => this.undo(), words: (on) => this.markWords(on) };
    if (pair) drawPair(this.card, { pair, collection: this.collection, words: this.words, act, canUndo: this.canUndo });
    else show(this.card, emptyView({ skipped: this.skipped.length, again: () => this.unskip(), canUndo: this.canUndo, undo: () => this.undo() }));
    this.card.querySelector("h2")?.focus({ preventScroll: true });
    const { top } = this.card.getBoundingClientRect();
    if (top < 0) this.card.scrollIntoView({ block: "start" });
    if (pair) this.ahead = this.fetchAhead();
  }

  /** The next pair, fetched while this one is read; what goes wrong is said when it is needed. */
  fetchAhead() {
    const asked = this.next();
    asked.catch(() => {});
    return asked;
  }

  /** The numbers beside the pair, and with them a fresh pair to come. */
  async refresh() {
    const asked = this.next();
    asked.catch(() => {});
    const status = await asked.catch(() => null);
    if (!status || (this.status && status.revision < this.status.revision)) return;
    if (this.pair && nameOf(this.pair) !== (status.pair && nameOf(status.pair))) this.ahead = asked;
    const wasSettled = this.status?.settlement?.settled;
    this.status = status;
    this.drawStatus();
    if (status.settlement?.settled && wasSettled === false) tell("Settled: no further judgment can change the sign. You may stop here.", { seconds: 12, kind: "good" });
    this.card.querySelector("[data-act=undo]")?.toggleAttribute("disabled", !this.canUndo);
  }

  drawStatus() {
    redrawn(this.banner, () => show(this.banner, settlementView(this.status.settlement)));
    const choose = (order) => {
      this.order = order;
      keep(localStorage, "assay-order", order);
      move({ order });
      this.ahead = null;
      this.pair = null;
      this.advance().then(() => this.refresh());
    };
    redrawn(this.side, () => sideView(this.side, { status: this.status, here: this.here, order: this.order, choose }));
  }

  get canUndo() {
    return this.history.length > 0 || this.pending.size > 0 || Boolean(this.status?.previous);
  }

  async vote(vote) {
    const { pair } = this;
    if (!pair || this.card.hasAttribute("aria-busy")) return;
    if (!this.here.voter) {
      this.here.voter = await whoVotes();
      if (!this.here.voter) return;
    }
    const comment = this.card.querySelector("textarea")?.value.trim() ?? "";
    const sent = castVote({ query: pair.query, document: pair.document, vote, comment });
    this.pending.set(nameOf(pair), sent);
    this.recent = { pair, vote, others: null };
    this.drawRecent();
    announce(`${wordsOf(vote, this.collection.grades)}.`);
    const moved = this.advance();
    const answer = await sent;
    this.pending.delete(nameOf(pair));
    if (answer) this.history.push({ id: answer.id, query: pair.query, document: pair.document, vote });
    await moved;
    await this.refresh();
    if (answer && this.recent?.pair === pair) await this.showOthers(pair);
  }

  /** What others said about the pair that was just judged. */
  async showOthers(pair) {
    const found = await get("/api/pair", { query: pair.query, document: pair.document }).catch(() => null);
    if (!found || this.recent?.pair !== pair) return;
    this.recent.others = found.others ?? [];
    this.drawRecent();
  }

  drawRecent() {
    show(this.last, this.recent ? recentView({ ...this.recent, grades: this.collection.grades }) : null);
  }

  skip() {
    if (!this.pair || this.card.hasAttribute("aria-busy")) return;
    this.skipped.push(nameOf(this.pair));
    keep(sessionStorage, this.skips, this.skipped);
    announce("Skipped.");
    this.advance();
  }

  unskip() {
    this.skipped = [];
    keep(sessionStorage, this.skips, []);
    this.advance();
  }

  /** Takes the last vote back and shows its pair again; again and again, back to the first. */
  async undo() {
    await Promise.all(this.pending.values());
    const last = this.history.pop() ?? this.status?.previous;
    if (!last) return;
    try {
      await takeBack(last.id);
      this.status = { ...this.status, previous: null };
      this.recent = null;
      this.drawRecent();
      tell(`Taken back: ${wordsOf(last.vote, this.collection.grades)} on ${last.document}.`);
      announce("Taken back.");
      await this.open(last);
      await this.refresh();
    } catch (error) {
      complain(error.message);
    }
  }

  markWords(on) {
    this.words = on;
    keep(localStorage, "assay-words", on);
    const typed = this.card.querySelector("textarea")?.value;
    this.showPair({ ...this.pair, comment: typed ?? this.pair.comment });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (event.key === "Escape" && event.target.matches?.("textarea")) this.card.querySelector("h2")?.focus();
    if (typing || document.querySelector("dialog[open]")) return;
    const act = this.action(event.key);
    if (!act) return;
    event.preventDefault();
    // A key that is held down counts once.
    if (!event.repeat) act();
  }

  /** What a key does. */
  action(key) {
    const vote = voteOfKey(key, this.collection.grades);
    if (vote !== undefined) return () => this.vote(vote);
    const comment = () => {
      const place = this.card.querySelector("details.comment");
      if (!place) return;
      place.open = true;
      place.querySelector("textarea").focus();
    };
    return { u: () => this.undo(), s: () => this.skip(), "/": comment, m: () => this.pair && this.markWords(!this.words) }[key];
  }
}

function stored(place, name, otherwise) {
  try {
    return JSON.parse(place.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function keep(place, name, value) {
  try {
    place.setItem(name, JSON.stringify(value));
  } catch {
    // Without storage it holds as long as the page is open.
  }
}

async function begin(main, here) {
  const page = new Judge(main, here);
  await page.start();
  onChange(page.status?.revision, async (latest) => {
    if ((page.status?.revision ?? -1) < latest) await page.refresh();
    return page.status?.revision;
  });
  announce(`${count(page.status?.left ?? 0, "pair")} left.`);
}

/** Asks who judges, and begins. */
async function invite(main, here) {
  const ask = async () => {
    here.voter = await whoVotes();
    if (here.voter) await begin(main, here).catch((error) => complain(error.message));
  };
  show(main, element("h1", {}, "Judge"), element("p", {}, "Votes carry a name, so that several people can judge without seeing each other's votes."), element("p", {}, element("button", { type: "button", class: "primary", on: { click: ask } }, "Who is judging?")));
  ask();
}

startPage((main, here) => (here.voter ? begin(main, here) : invite(main, here)));
