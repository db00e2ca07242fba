// Elements for a page. Every text is set as text: nothing from the data is parsed as HTML.

/** An element with attributes and children. `on` has listeners, `style` custom properties, a null child is left out. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function drawing(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "style") for (const [key, each] of Object.entries(value)) node.style.setProperty(key, each);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A text from the data: its own direction, whatever the page's is. */
export function text(content, tag = "bdi") {
  return element(tag, { dir: "auto" }, String(content));
}

/** A choice with a label. `options` are [value, label] pairs. */
export function chooser(label, options, chosen, choose) {
  const items = options.map(([value, name]) => element("option", { value, selected: value === chosen }, name));
  return element("label", { class: "chooser" }, `${label} `, element("select", { on: { change: (event) => choose(event.target.value) } }, items));
}

/** Replaces everything inside a node. */
export function show(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A part of the page with a heading, which the list at the top leads to. */
export function section(id, title, ...children) {
  return element("section", { id, "data-title": title, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title`, tabindex: "-1" }, title), ...children);
}
