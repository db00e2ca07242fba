// What a page shows, kept in its address: `/queries?find=revenue&sort=difference`. Every view has a link.

/** What the address says. */
export function parameters() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** Changes the address; with `step`, the browser's back button returns to this view. */
export function move(changes, { step = false } = {}) {
  const next = readable(location.pathname, { ...parameters(), ...changes });
  if (next === location.pathname + location.search) return;
  if (step) history.pushState(null, "", next);
  else history.replaceState(null, "", next);
}

/** An address with those parameters that say something. */
export function readable(path, values) {
  const said = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  const query = said.toString().replaceAll("%40", "@").replaceAll("%3A", ":");
  return query ? `${path}?${query}` : path;
}

/** The page of a query. A browser takes `.` and `..` for folders, so those two stand elsewhere. */
export function queryAddress(id, values = {}) {
  if (id === "." || id === "..") return readable("/queries/-", { ...values, query: id });
  return readable(`/queries/${encodeURIComponent(id).replaceAll("%3A", ":").replaceAll("%40", "@")}`, values);
}

/** The query that the address of its page names. */
export function queryOfAddress() {
  return parameters().query ?? decodeURIComponent(location.pathname.slice("/queries/".length));
}

/** The page where one pair is judged. */
export const judgeAddress = (query, document) => readable("/judge", { query, document });
