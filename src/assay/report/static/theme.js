// The button that changes between light and dark.

import { isDark, redraw } from "./charts.js";
import { element, show } from "./dom.js";

/** A button that changes the colours; `chosen` is told which were chosen. */
export function themeButton(chosen = null) {
  const button = element("button", { type: "button", class: "theme", on: { click: () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    chosen?.(document.documentElement.dataset.theme);
    redraw();
    name();
  } } });
  const name = () => show(button, isDark() ? "Light" : "Dark");
  name();
  return button;
}
