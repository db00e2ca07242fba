// What is shown, kept in the address: `#query=q17&measure=ndcg@10`. Every view has a link.

const listeners = [];
let shown = location.hash;

/** What the address says. */
export function state() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** The address of this view with some things changed; an empty value is left out. */
export function address(changes) {
  const said = new URLSearchParams(Object.entries({ ...state(), ...changes }).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  return `#${said.toString().replaceAll("%40", "@").replaceAll("%3A", ":")}`;
}

/** Goes to another view. With `step`, the browser's back button returns to this one. */
export function go(changes, { step = false } = {}) {
  const next = address(changes);
  if (next === (location.hash || "#")) return;
  if (step) location.hash = next;
  else location.replace(next);
  show();
}

/** Calls a function with the state, now and whenever it changes. */
export function follow(listener) {
  listeners.push(listener);
  listener(state());
}

// The page changes with its address; the event comes later, and alone where somebody else changed the address.
function show() {
  if (location.hash === shown) return;
  shown = location.hash;
  listeners.forEach((listener) => listener(state()));
}

addEventListener("hashchange", show);
