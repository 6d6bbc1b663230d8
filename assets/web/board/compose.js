// A new plan, or several from one paste.

import { post } from "../lib/data.js";
import { button, field, h } from "../lib/dom.js";
import { failed, notice } from "../lib/notices.js";

const DIVIDER = /^### PLAN \d+ START/gm;

export function compose(board, opened) {
  const title = h("input", { type: "text", maxlength: "200", autocomplete: "off" });
  const text = h("textarea", { rows: "10", placeholder: "# Goal …" });
  const told = h("small", { role: "status" });
  const finish = () => {
    dialog.close();
    dialog.remove();
  };
  const dialog = h(
    "dialog",
    { class: "question compose", "aria-labelledby": "compose-title", oncancel: finish },
    h("h2", { id: "compose-title" }, "New plan"),
    field("Title", title),
    field("Plan", text, "Markdown. Leave it empty to begin with the usual headings."),
    told,
    h("p", { class: "row end" }, button("Cancel", finish), button("Add it", save, { kind: "primary" })),
  );
  text.addEventListener("input", () => {
    const several = (text.value.match(DIVIDER) || []).length;
    told.textContent = several > 1 ? `${several} plans, each a card; the title is not used` : "";
  });
  document.body.append(dialog);
  dialog.showModal();
  title.focus();

  async function save() {
    const several = (text.value.match(DIVIDER) || []).length > 1;
    if (!title.value.trim() && !text.value.trim()) return title.focus();
    try {
      const { cards } = await post("/api/create", { title: several ? "" : title.value, text: text.value });
      finish();
      await board.refresh();
      notice(cards.length > 1 ? `${cards.length} plans added` : cards[0].duplicate ? "That plan is on the board already" : `Added: ${cards[0].topic}`);
      return opened(cards[0].planId);
    } catch (fault) {
      return failed(fault);
    }
  }
}
