// A vote beside a document: one button per grade, "cannot tell", and what others said, once one has voted oneself.

import { remove } from "./api.js";
import { element, text } from "./dom.js";
import { grade as written } from "./numbers.js";
import { sendVote } from "./outbox.js";
import { refused, whoVotes } from "./shell.js";

export const UNSURE = "?";

/** The colour of a grade, by its place among them. */
export const levelOf = (grades, value) => {
  const place = grades.findIndex((each) => each.value === value);
  return place < 0 ? 0 : Math.round((place / Math.max(1, grades.length - 1)) * 3);
};

/** The key of each grade: its own digit if every grade has one, or else its place. */
export function keysOf(grades) {
  const own = grades.every(({ value }) => Number.isInteger(value) && value >= 0 && value <= 9);
  return grades.map(({ value }, place) => (own ? String(value) : place < 10 ? String(place) : null));
}

/** The vote that a key stands for; undefined if it stands for none. */
export function voteOfKey(key, grades) {
  if (key === "ArrowUp") return grades.at(-1).value;
  if (key === "ArrowDown") return grades[0].value;
  if (key === "c" || key === "?") return UNSURE;
  return grades[keysOf(grades).indexOf(key)]?.value;
}

/** A vote in words. */
export function wordsOf(vote, grades) {
  if (vote === UNSURE || vote === null) return "cannot tell";
  const known = grades.find(({ value }) => value === vote);
  return known?.label ? `${written(vote)}, ${known.label}` : written(vote);
}

/** Small buttons for a place in a list. `cast(vote)` is called with a grade or, unless one must decide, with "?". */
export function smallButtons({ grades, mine, label, cast, canAbstain = true }) {
  const button = (value, name, shown) => element(
    "button",
    { type: "button", class: `vote ${value === UNSURE ? "unsure" : `level-${levelOf(grades, value)}`}`, "aria-pressed": String(mine === value), "aria-label": name, title: name, "data-vote": value, on: { click: () => cast(value) } },
    shown,
  );
  const buttons = grades.map(({ value }, place) => button(value, wordsOf(value, grades), isThumbs(grades) ? ["↓", "↑"][place] : written(value)));
  return element("div", { class: "votes", role: "group", "aria-label": label }, buttons, canAbstain ? button(UNSURE, "cannot tell", UNSURE) : null);
}

export const isThumbs = (grades) => grades.length === 2;

/** One vote with who gave it. */
export function chip({ voter, vote, kind }, grades) {
  const colour = vote === UNSURE || vote === null ? "unjudged" : `level-${levelOf(grades, vote)}`;
  return element("span", { class: "chip", title: kind === "model" ? "a language model" : null }, text(voter), kind && kind !== "person" ? element("span", { class: "kind" }, kind) : null, element("span", { class: `grade ${colour}` }, vote === null ? UNSURE : vote === UNSURE ? UNSURE : written(vote)));
}

/** What others said; nothing as long as one is blind to them. */
export function othersOf(others, grades) {
  if (!others?.length) return null;
  return element("span", { class: "others" }, others.map((each) => chip(each, grades)));
}

/**
 * Casts a vote for the person who is here, whose name is asked if need be. `answer` is the studio's, or null if no name was
 * given or the vote was refused, which is said.
 */
export async function castVote(vote) {
  if (!(await whoVotes())) return null;
  try {
    return await sendVote(vote);
  } catch (error) {
    refused(error, vote);
    return null;
  }
}

/** Takes a vote back. */
export const takeBack = (id) => remove(`/api/votes/${id}`);
