// How far a comparison is settled: whether judgments that are still missing can change its sign.

import { element, text } from "./dom.js";
import { count, signed } from "./numbers.js";
import { reach } from "./ranges.js";

/** A banner about the settlement; `action` is shown at its end. Nothing if there is nothing to settle. */
export function settlementView(settlement, action = null) {
  if (!settlement) return null;
  if (settlement.reason) return element("section", { class: "settlement unknown", "aria-label": "Settlement" }, element("p", { class: "quiet" }, text(settlement.reason)), action);
  const { measure, a, b, difference, settled, open, fewest } = settlement;
  const title = settled ? "Settled: no further judgment can change the sign" : open ? could(fewest) : "Everything is judged";
  const better = difference > 0 ? b : difference < 0 ? a : null;
  const says = better === null ? ["is the same for ", text(a), " and ", text(b)] : [`is ${signed(Math.abs(difference))} in favour of `, text(better)];
  const rest = settled ? (open ? `, whatever the other ${count(open, "judgment")} will say.` : ", and everything is judged.") : open ? `, with ${count(open, "judgment")} open that can move it.` : ".";
  return element(
    "section",
    { class: `settlement ${settled ? "settled" : "open"}`, "aria-label": "Settlement" },
    element("div", { class: "words" }, element("p", { class: "title", "data-figure": "settlement" }, element("span", { class: "sign", "aria-hidden": "true" }, settled ? "✓" : "…"), title), element("p", { class: "quiet" }, text(measure), " ", says, rest)),
    reach(settlement),
    action,
  );
}

function could(fewest) {
  if (fewest === null || fewest === undefined) return "Open: the sign can still change";
  return `${count(fewest, "more judgment")} could settle it`;
}
