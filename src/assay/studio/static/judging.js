// What the page for judging shows: the pair, the buttons, the vote before, progress and guidelines.

import { chooser, element, show, text } from "./dom.js";
import { count, fixed, grade as written, whole } from "./numbers.js";
import { judgeAddress, queryAddress } from "./place.js";
import { UNSURE, isThumbs, keysOf, levelOf, othersOf, wordsOf } from "./votes.js";

const ORDERS = {
  worth: ["by worth", "first what can move the comparison most"],
  against: ["to settle it soonest", "first what speaks for the run that is behind"],
  depth: ["by depth", "first what the runs rank highest"],
  random: ["random", "in an order of your own"],
  votes: ["fewest votes", "first what the fewest people judged"],
};
// Shorter words of a question are not marked: most of them are in every passage.
const SHORT = 4;

/** A pair with everything one needs to judge it. */
export function drawPair(card, { pair, collection, words, act, canUndo }) {
  const { grades } = collection;
  const question = element("h2", { class: "question", tabindex: "-1" }, text(pair.question || pair.query));
  const head = element("p", { class: "quiet where" }, element("a", { href: queryAddress(pair.query) }, text(pair.query)), element("span", {}, text(pair.document)), pair.worth ? element("span", { title: "how far this judgment can move the difference" }, `can move ${fixed(pair.worth)}`) : null);
  const body = pair.passage ? element("div", { class: "passage", dir: "auto", tabindex: "0", "aria-label": "Passage", role: "region" }, words ? marked(pair.passage, pair.question ?? "") : pair.passage) : element("p", { class: "passage quiet" }, "No text is known for this document. Start the studio with --corpus to see passages.");
  const field = element("textarea", { rows: 2, maxlength: 10_000, "aria-label": "Comment", placeholder: "goes with your vote; Escape returns to the keys", value: pair.comment ?? "" });
  const comment = element("details", { class: "comment", open: Boolean(pair.comment) }, element("summary", {}, "Comment ", key("/")), field);
  const others = pair.others?.length ? element("p", { class: "quiet" }, "Others: ", othersOf(pair.others, grades)) : null;
  const mine = pair.mine === null || pair.mine === undefined ? null : element("p", { class: "quiet" }, `You said ${wordsOf(pair.mine, grades)}. Another vote replaces it.`);
  show(card, head, question, body, mine, others, element("div", { class: "keys" }, voteBar(grades, pair.mine, act.vote), element("div", { class: "actions" }, small("Undo", "u", act.undo, { disabled: !canUndo, "data-act": "undo" }), small("Skip", "s", act.skip), small(words ? "Unmark words" : "Mark words", "m", () => act.words(!words), { "aria-pressed": String(words) }), comment)));
}

function voteBar(grades, mine, cast) {
  const keys = keysOf(grades);
  const button = (value, shown, label, hint) => element(
    "button",
    { type: "button", class: `big ${value === UNSURE ? "unsure" : `level-${levelOf(grades, value)}`}`, "aria-pressed": String(mine === value), "data-vote": value, on: { click: () => cast(value) } },
    element("span", { class: "mark" }, shown), element("span", { class: "label" }, label), hint === null ? null : key(hint),
  );
  const thumbs = isThumbs(grades);
  const buttons = grades.map(({ value, label }, place) => button(value, thumbs ? ["↓", "↑"][place] : written(value), label ?? "", thumbs ? ["↓", "↑"][place] : keys[place]));
  return element("div", { class: "votebar", role: "group", "aria-label": "Your vote" }, buttons, button(UNSURE, UNSURE, "cannot tell", "c"));
}

const key = (name) => element("kbd", { "aria-hidden": "true" }, name);
const small = (label, name, act, more = {}) => element("button", { type: "button", ...more, on: { click: act } }, label, " ", key(name));

/** A passage with the words of the question marked. */
function marked(passage, question) {
  const wanted = new Set((question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= SHORT));
  return passage.split(/([\p{L}\p{N}]+)/u).map((part) => (wanted.has(part.toLowerCase()) ? element("mark", {}, part) : part));
}

/** The vote before, and what others said about its pair. */
export function recentView({ pair, vote, others, grades }) {
  const colour = vote === UNSURE ? "unjudged" : `level-${levelOf(grades, vote)}`;
  const said = others === null ? null : others.length ? othersOf(others, grades) : element("span", { class: "quiet" }, "nobody else has judged it");
  return [
    element("span", {}, "You: ", element("span", { class: `grade ${colour}` }, vote === UNSURE ? UNSURE : written(vote)), " ", element("a", { href: judgeAddress(pair.query, pair.document) }, text(pair.document)), " for ", text(pair.query)),
    said,
  ];
}

/** What is said when there is nothing left to judge. */
export function emptyView({ skipped, again, canUndo, undo }) {
  return [
    element("h2", { tabindex: "-1" }, skipped ? "Only skipped pairs are left" : "You have judged everything"),
    element("p", {}, skipped ? `You skipped ${count(skipped, "pair")}.` : "There is no pair left for you in this pool. Thank you!"),
    element("p", { class: "tools" }, skipped ? element("button", { type: "button", class: "primary", on: { click: again } }, "Judge the skipped pairs") : null, element("a", { class: "button", href: "/" }, "To the overview"), canUndo ? element("button", { type: "button", on: { click: undo } }, "Undo the last vote") : null),
  ];
}

/** Order, progress, guidelines and keys. */
export function sideView(side, { status, here, order, choose }) {
  const total = status.left + status.done;
  const open = side.querySelector("details.guidelines")?.open ?? matchMedia("(min-width: 64rem)").matches;
  const most = Math.max(1, ...status.progress.map(({ votes }) => votes));
  const people = status.progress.map(({ voter, votes }) => element("li", { "aria-current": voter === here.voter ? "true" : null }, text(voter), element("span", { class: "meter", style: { "--share": String(votes / most) }, "aria-hidden": "true" }), element("span", { class: "number" }, whole(votes))));
  const options = Object.entries(ORDERS).map(([name, [label]]) => [name, label]);
  const { guidelines } = here.collection;
  show(
    side,
    element("section", { "aria-label": "Progress" }, element("p", { class: "done" }, element("b", {}, whole(status.done)), ` judged, ${whole(status.left)} left`), element("progress", { max: Math.max(1, total), value: status.done, "aria-label": "Your progress" }), people.length ? element("ul", { class: "people", "aria-label": "Votes per person" }, people) : null),
    element("section", { "aria-label": "Order" }, chooser("Order", options, order, choose), element("p", { class: "quiet" }, ORDERS[order][1])),
    element("details", { class: "guidelines", open }, element("summary", {}, "Guidelines"), guidelines ? text(guidelines, "p") : element("p", { class: "quiet" }, "None yet. Write them under ", element("a", { href: "/data#guidelines" }, "Data"), ".")),
    keyList(here.collection.grades),
  );
}

function keyList(grades) {
  const digits = keysOf(grades).filter((name) => name !== null);
  const rows = [[`${digits[0]} – ${digits.at(-1)}`, "grade"], ["↑ ↓", "highest, lowest grade"], ["c or ?", "cannot tell"], ["s", "skip"], ["u", "undo"], ["/", "comment"], ["m", "mark words of the question"]];
  return element("details", { class: "keylist" }, element("summary", {}, "Keys"), element("dl", {}, rows.map(([name, said]) => [element("dt", {}, element("kbd", {}, name)), element("dd", {}, said)])));
}
