// One question: the answer, its references, what was retrieved, and what a judge said.

import { element, text } from "./dom.js";

/** What is shown of a question before its rankings. */
export function answerOf(entry) {
  const pairs = [];
  const add = (name, values) => values.length && pairs.push(element("dt", {}, name), values.map((value) => element("dd", {}, value)));
  add("answer", entry.answer === null ? [] : [entry.answer ? text(entry.answer) : "(empty)"]);
  add("reference", entry.references.map((each) => text(each)));
  add("gold passage", entry.gold ? [text(entry.gold)] : []);
  add("said", entry.verdicts.map((each) => text(each)));
  return [element("dl", {}, pairs), passages("Retrieved", entry.passages), passages("Gold passages not retrieved", entry.wanted)];
}

function passages(title, entries) {
  if (!entries.length) return null;
  const items = entries.map(({ id, text: body, gold }) => {
    const line = [gold ? element("span", { class: "grade level-3" }, "gold") : null, element("span", { class: "name" }, id ? text(id) : null, body ? element("span", { class: "first" }, text(body.slice(0, 120))) : null)];
    return element("li", {}, body ? element("details", {}, element("summary", {}, line), text(body, "p")) : element("div", { class: "plain" }, line));
  });
  return element("section", { class: "missing" }, element("h4", {}, title), element("ol", {}, items));
}
