// Elements without markup: whatever a plan or a message says becomes a text node or an attribute, never HTML.

const SVG = "http://www.w3.org/2000/svg";

/** h("button", {class: "quiet", onclick: run, disabled: true}, "Move", icon): an element; null children are left out. */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  return fill(made, ...children);
}

/** Give an element these children instead of what it has. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

/** Have exactly these children in this order; those that stay in their place are not touched, nor their focus. */
export function arrange(parent, elements) {
  const wanted = new Set(elements);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  elements.forEach((element, at) => {
    if (parent.children[at] !== element) parent.insertBefore(element, parent.children[at] || null);
  });
}

const PATHS = {
  board: "M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v6h-4z",
  messages: "M4 5h16v11H9l-5 4z",
  runs: "M5 12h4l2-6 3 12 2-6h3",
  events: "M4 7h10M4 12h16M4 17h7",
  move: "M5 12h13M13 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  copy: "M9 9h10v11H9zM5 15V4h10",
  undo: "M8 7L4 11l4 4M4 11h10a6 6 0 0 1 0 9h-3",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  dark: "M20 14a8 8 0 1 1-9-10 6.5 6.5 0 0 0 9 10z",
  auto: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  find: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM16 16l4 4",
  wait: "M7 4h10M7 20h10M8 4c0 5 8 6 8 8s-8 3-8 8M16 4c0 5-8 6-8 8s8 3 8 8",
};

/** A line drawing of the page's own; words beside it say what it means. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export function button(label, onclick, { kind = "", symbol = "", ...more } = {}) {
  return h("button", { type: "button", class: kind, onclick, ...more }, symbol && icon(symbol), label && h("span", {}, label));
}

let lastId = 0;

/** A labelled field: the label and its control, tied together. */
export function field(label, control, hint = "") {
  control.id ||= `field-${++lastId}`;
  return h("p", { class: "field" }, h("label", { for: control.id }, label), control, hint && h("small", {}, hint));
}

export function select(options, value, attributes = {}) {
  const made = h("select", attributes, options.map(([each, label]) => h("option", { value: each }, label)));
  made.value = value;
  return made;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
