// What the page says by itself: to the eye as a notice that goes away, to a screen reader through a live region.

import { button, h } from "./dom.js";

const STAYS = 9000; // milliseconds; a notice that offers something stays longer
const MOST = 4;

/** What stands outside an open sheet can be neither pressed nor heard, so the notices stand in it while it is open. */
export function settle() {
  const host = document.querySelector("dialog.sheet[open]") || document.body;
  const notices = document.getElementById("notices");
  if (notices.parentElement !== host) host.append(notices);
}

export function say(text, urgent = false) {
  settle();
  const region = document.getElementById(urgent ? "urgent" : "polite");
  region.textContent = "";
  // The same words twice are read twice only when the region was empty in between.
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}

/** notice("Moved to Coder", {detail, kind: "bad", actions: [["Undo", undo]]}) */
export function notice(text, { detail = "", kind = "", actions = [] } = {}) {
  settle();
  const place = document.getElementById("toasts");
  const gone = () => made.remove();
  const made = h(
    "div",
    { class: `toast ${kind}` },
    h(
      "div",
      { class: "toast-words" },
      h("p", { class: "toast-text" }, text),
      detail && h("p", { class: "toast-detail" }, detail),
      actions.length > 0 && h("p", { class: "row" }, actions.map(([label, run]) => button(label, () => (gone(), run()), { kind: "link-button" }))),
    ),
    button("", gone, { kind: "quiet", symbol: "close", "aria-label": "Dismiss" }),
  );
  place.append(made);
  while (place.children.length > MOST) place.firstElementChild.remove();
  let timer = setTimeout(gone, STAYS * (actions.length ? 1.5 : 1));
  made.addEventListener("pointerenter", () => clearTimeout(timer));
  made.addEventListener("focusin", () => clearTimeout(timer));
  made.addEventListener("pointerleave", () => {
    timer = setTimeout(gone, STAYS);
  });
  say(detail ? `${text}. ${detail}` : text, kind === "bad");
}

/** Show a refusal as it was told: what happened, then what to do. */
export function failed(fault) {
  notice(fault.message, { detail: fault.hint || "", kind: "bad" });
}

/** Ask with buttons: the value of the one that was chosen, null when it was left. The first answer has the focus. */
export function ask(title, body, answers) {
  return new Promise((resolve) => {
    const finish = (value) => {
      dialog.close();
      dialog.remove();
      resolve(value);
    };
    const dialog = h(
      "dialog",
      { class: "question", "aria-labelledby": "question-title", oncancel: (event) => (event.preventDefault(), finish(null)) },
      h("h2", { id: "question-title" }, title),
      h("div", { class: "question-body" }, body),
      h("p", { class: "row end" }, answers.map(([label, value, kind]) => button(label, () => finish(value), { kind: kind || "" }))),
    );
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector(".row button")?.focus();
  });
}
