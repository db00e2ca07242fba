// A comment on a vote, written in a dialog.

import { element, text } from "./dom.js";
import { UNSURE, wordsOf } from "./votes.js";

/** Asks for a comment and the vote that it goes with. Null if it was given up. */
export function commentDialog({ title, comment, grades, mine }) {
  return new Promise((resolve) => {
    const field = element("textarea", { rows: 4, maxlength: 10_000, autofocus: true, value: comment });
    const options = [...grades.map(({ value }) => value), UNSURE].map((vote) => {
      const input = element("input", { type: "radio", name: "vote", value: vote, required: true, checked: vote === mine });
      return element("label", { class: "chooser" }, input, wordsOf(vote, grades));
    });
    const save = (event) => {
      event.preventDefault();
      const chosen = [...grades.map(({ value }) => value), UNSURE].find((vote) => String(vote) === form.elements.vote.value);
      resolve({ vote: chosen, comment: field.value.trim() });
      dialog.close();
    };
    const form = element(
      "form",
      { on: { submit: save } },
      element("h2", { id: "comment-title" }, text(title)),
      element("label", { class: "field" }, "Comment", field),
      element("fieldset", {}, element("legend", {}, "Your vote"), options),
      element("div", { class: "tools" }, element("button", { class: "primary" }, "Save"), element("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel")),
    );
    const dialog = element("dialog", { "aria-labelledby": "comment-title", on: { close: () => (dialog.remove(), resolve(null)) } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}
