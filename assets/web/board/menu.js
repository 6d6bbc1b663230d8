// Where a card can go, as a menu: for keys, for fingers, and for whoever prefers words to dragging.

import { button, h } from "../lib/dom.js";
import { kindOf } from "./state.js";

/** The menu beside an element; `chosen(target)` is told a column or a way to go on. */
export function moveMenu(board, card, anchor, chosen) {
  const finish = (target) => {
    dialog.close();
    dialog.remove();
    if (target) chosen(target);
    else anchor.querySelector(".card-open")?.focus();
  };
  const columns = board.columns.filter((column) => kindOf(column) !== "unmapped");
  const dialog = h(
    "dialog",
    { class: "menu", "aria-label": `Move ${card.topic}`, oncancel: (event) => (event.preventDefault(), finish("")), onclick: (event) => event.target === dialog && finish("") },
    h("p", { class: "menu-title" }, "Move to"),
    h(
      "ul",
      {},
      columns.map((column) =>
        h("li", { "data-kind": kindOf(column) }, button(column.label, () => finish(column.id), { kind: "menu-item", disabled: column.id === card.column, "data-target": column.id })),
      ),
      card.column !== "COMPLETED" && h("li", { class: "apart" }, button("By its complexity", () => finish("coded"), { kind: "menu-item", "data-target": "coded" })),
    ),
  );
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const items = [...dialog.querySelectorAll("button:enabled")];
    const at = items.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    items[(at + items.length) % items.length].focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  place(dialog, anchor.getBoundingClientRect());
  dialog.querySelector("button:enabled")?.focus();
}

function place(dialog, beside) {
  if (innerWidth < 640) return; // a sheet at the bottom, by its style
  const { width, height } = dialog.getBoundingClientRect();
  dialog.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, beside.right - width))}px`;
  dialog.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, beside.top + 34))}px`;
}
