// Numbers that change in place: what was drawn before is compared with what is drawn now, and what differs is marked.

const SECONDS = 4;
// The numbers that are marked, with what they say and until when.
const marked = new Map();

/**
 * Draws something again inside a node and marks the numbers that changed. What was open stays open, what was scrolled
 * stays where it was, and what had the keyboard keeps it. Returns how many numbers changed.
 */
export function redrawn(node, draw) {
  const before = figures(node);
  const open = new Set([...node.querySelectorAll("details[open]")].map(nameOf));
  const path = pathOf(node, document.activeElement);
  const scrolled = [...node.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  draw();
  for (const [number, each] of node.querySelectorAll(".scroll").entries()) each.scrollLeft = scrolled[number] ?? 0;
  for (const each of node.querySelectorAll("details")) if (open.has(nameOf(each))) each.open = true;
  if (path && !node.contains(document.activeElement)) at(node, path)?.focus({ preventScroll: true });
  return before.size ? mark(node, before) : 0;
}

function mark(node, before) {
  let changed = 0;
  const now = performance.now();
  for (const [name, { text, place }] of figures(node)) {
    const known = marked.get(name);
    const isNew = before.has(name) && before.get(name).text !== text;
    if (isNew) marked.set(name, { text, until: now + SECONDS * 1000 });
    else if (!known || known.text !== text || known.until < now) continue;
    changed += Number(isNew);
    place.classList.add("changed");
    setTimeout(() => place.classList.remove("changed"), marked.get(name).until - now);
  }
  return changed;
}

/** The numbers in a node by their names: cells of tables by row and column, and what has a `data-figure`. */
function figures(node) {
  const found = new Map();
  for (const [number, table] of [...node.querySelectorAll("table")].entries()) {
    for (const row of table.tBodies[0]?.rows ?? []) {
      for (const cell of [...row.cells].slice(1)) found.set(`${number} ${row.cells[0].textContent} ${cell.cellIndex}`, { text: cell.textContent, place: cell });
    }
  }
  for (const place of node.querySelectorAll("[data-figure]")) found.set(place.dataset.figure, { text: place.textContent, place });
  return found;
}

/** What tells one part that opens from another. */
function nameOf(details) {
  const run = details.closest("[data-run]")?.dataset.run ?? "";
  return `${run} ${details.closest("[data-document]")?.dataset.document ?? ""} ${(details.querySelector("summary .name > bdi") ?? details.querySelector("summary"))?.textContent ?? ""}`;
}

function pathOf(root, node) {
  if (!node || node === root || !root.contains(node)) return null;
  const path = [];
  for (let each = node; each !== root; each = each.parentElement) path.unshift([...each.parentElement.children].indexOf(each));
  return path;
}

const at = (root, path) => path.reduce((node, place) => node?.children[place], root);
