// Charts from their specifications, drawn by Vega when they come into view, in the colours of the page.

import { element } from "./dom.js";

const drawn = new Set();
const known = new Set();

/** A figure with a chart; `themes` has Vega's settings for light and dark. */
export function figure({ title, spec }, themes) {
  const place = element("div", { class: "chart" });
  const node = element("figure", { tabindex: "0", "aria-label": title }, place);
  const chart = { place, spec, themes, title };
  for (const each of known) if (!each.place.isConnected && drawn.has(each)) forget(each);
  known.add(chart);
  const watch = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    drawn.add(chart);
    draw(chart);
  }, { rootMargin: "300px" });
  watch.observe(node);
  return node;
}

function forget(chart) {
  known.delete(chart);
  drawn.delete(chart);
}

async function draw({ place, spec, themes, title }, theme = isDark() ? "dark" : "light") {
  const config = themes[theme];
  // With `ast`, expressions are interpreted: the page allows no code but its own.
  const options = { config, ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: false, logLevel: 1 };
  await globalThis.vegaEmbed(place, { ...spec, background: null }, options);
  const picture = place.querySelector("svg");
  // One picture with a name: its marks, which have none, are part of it.
  for (const mark of picture.querySelectorAll("[role], [aria-label]")) {
    for (const name of ["role", "aria-label", "aria-roledescription"]) mark.removeAttribute(name);
  }
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", title);
}

/** Whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Draws everything again, in the other colours. */
export function redraw() {
  for (const chart of drawn) draw(chart);
  dispatchEvent(new Event("themechange"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
// Paper is light, and has all charts, whether they were looked at or not.
addEventListener("beforeprint", () => {
  for (const chart of known) draw(chart, "light");
});
addEventListener("afterprint", redraw);
