// One card in full: its plan, what happened to it, the prompt to hand on, and everything that can be done with it.

import { get, post } from "../lib/data.js";
import { button, copy, field, fill, h, select } from "../lib/dom.js";
import { render } from "../lib/markdown.js";
import { ask, failed, notice, settle } from "../lib/notices.js";
import { age, whole } from "../lib/time.js";
import { score } from "./card.js";
import { copied } from "./moving.js";
import { kindOf } from "./state.js";

const TABS = [["plan", "Plan"], ["history", "History"], ["prompt", "Prompt"]];
const KINDS = {
  created: "Created", registered: "Found in the plans folder", edited: "Edited", scored: "Scored", restored: "Taken up again",
  deleted: "Removed", archived: "Archived", dispatched: "Handed over", result: "Result", missing: "File missing", found: "File is back",
  violation: "Rule broken", message: "Message", acked: "Message done", completed: "Done", moved: "Moved",
};

export class Sheet {
  constructor(board, mover) {
    this.board = board;
    this.mover = mover;
    this.body = h("div", { class: "sheet-body" });
    this.dialog = h("dialog", { class: "sheet", "aria-labelledby": "sheet-title" }, this.body);
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.close());
    this.dialog.addEventListener("cancel", (event) => (event.preventDefault(), this.close()));
    document.body.append(this.dialog);
    this.tab = "plan";
  }

  leave() {
    this.dialog.close();
    settle();
    this.dialog.remove();
  }

  async open(planId, from = null) {
    this.from = from;
    this.tab = "plan";
    await this.load(planId);
    if (this.told && !this.dialog.open) this.dialog.showModal();
    this.body.scrollTop = 0;
  }

  async load(planId) {
    try {
      this.told = await get("/api/card", { id: planId });
      this.editing = false;
      this.draw();
    } catch (fault) {
      this.told = null;
      failed(fault);
    }
  }

  async close() {
    if (this.editing && this.dirty()) {
      const answer = await ask("Leave the text unsaved?", h("p", {}, "What you wrote is lost then."), [["Go on writing", null, "primary"], ["Leave it", "leave"]]);
      if (!answer) return;
    }
    this.dialog.close();
    settle();
    const id = this.told?.card.planId;
    this.told = null;
    this.editing = false;
    if (id && !this.from?.(id)) document.getElementById("room").focus();
  }

  dirty() {
    return this.area && this.area.value !== this.told.text;
  }

  /** The board was read again: where it stands is drawn anew, what is being written stays. */
  refreshed() {
    if (!this.dialog.open || !this.told || this.editing) return;
    const now = this.board.byId.get(this.told.card.planId);
    if (now && (now.rev !== this.told.card.rev || now.updatedAt !== this.told.card.updatedAt)) this.load(this.told.card.planId);
  }

  draw() {
    const { card } = this.told;
    const { scrollTop } = this.body;
    const focused = this.body.contains(document.activeElement);
    this.panel = h("div", { class: "panel", role: "tabpanel", id: "sheet-panel", "aria-labelledby": `tab-${this.tab}`, tabindex: "0" });
    fill(this.body, this.head(card), this.actions(card), this.tabs(), this.panel);
    this.drawPanel();
    this.body.scrollTop = scrollTop;
    // What had the focus is drawn anew; it goes to what does not move.
    if (focused) document.getElementById(`tab-${this.tab}`).focus({ preventScroll: true });
  }

  head(card) {
    return h(
      "header",
      { class: "sheet-head" },
      h("div", { class: "row between" }, h("p", { class: "eyebrow", "data-kind": kindOf({ id: card.column, label: card.label }) }, h("span", { class: "column-dot", "aria-hidden": "true" }), card.label), button("", () => this.close(), { kind: "quiet", symbol: "close", "aria-label": "Close" })),
      h("h2", { id: "sheet-title" }, card.topic || "Untitled"),
      h("p", { class: "facts" }, score(card), card.tags.map((tag) => h("span", { class: "tag" }, tag)), card.missing && h("span", { class: "flag bad" }, "File missing"), h("time", { datetime: card.updatedAt, title: whole(card.updatedAt) }, `Changed ${age(card.updatedAt) === "now" ? "just now" : `${age(card.updatedAt)} ago`}`)),
      h("p", { class: "facts mono" }, h("code", {}, card.sessionId), h("code", { class: "path" }, card.planFile)),
      this.waits(card),
    );
  }

  waits(card) {
    const unmet = this.board.byId.get(card.planId)?.blockedBy;
    return unmet && h("p", { class: "waits" }, "Waits for ", unmet.map((each) => this.mover.named(each)).join(", "));
  }

  actions(card) {
    if (card.status === "deleted") return h("p", { class: "row actions" }, button("Put it back", () => this.restore(card), { kind: "primary" }));
    if (card.status === "completed") return h("p", { class: "row actions" }, button("Take it up again", () => this.restore(card), { kind: "primary" }));
    const columns = this.board.columns.filter((column) => kindOf(column) !== "unmapped");
    const target = select([["coded", "By its complexity"], ...columns.map((column) => [column.id, column.label])], this.next(card), { "aria-label": "Move to" });
    return h(
      "p",
      { class: "row actions" },
      h("span", { class: "joined" }, target, button("Move", async () => { await this.mover.move(card.planId, target.value); if (this.told) await this.load(card.planId); }, { kind: "primary", symbol: "move" })),
      button("Edit", () => this.edit(), {}),
      button("Test failed", () => this.fail(card), {}),
      button("Remove", () => this.remove(card), { kind: "quiet" }),
    );
  }

  next(card) {
    const at = this.board.columns.findIndex((column) => column.id === card.column);
    if (card.column === "PLAN REVIEWED") return "coded";
    const coded = card.column.endsWith(" CODED");
    const after = this.board.columns.slice(at + 1).find((column) => !coded || !column.id.endsWith(" CODED"));
    return after?.id || "coded";
  }

  tabs() {
    const list = h(
      "div",
      { class: "tabs", role: "tablist" },
      TABS.map(([name, label]) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "sheet-panel", "aria-selected": String(name === this.tab), tabindex: name === this.tab ? "0" : "-1", onclick: () => this.turn(name) }, label)),
    );
    list.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const at = TABS.findIndex(([name]) => name === this.tab);
      this.turn(TABS[(at + by + TABS.length) % TABS.length][0], true);
    });
    return list;
  }

  turn(name, focus = false) {
    this.tab = name;
    this.editing = false;
    this.draw();
    if (focus) document.getElementById(`tab-${name}`).focus();
  }

  drawPanel() {
    if (this.tab === "plan") return this.drawPlan();
    if (this.tab === "history") return fill(this.panel, history(this.told.log, this.board));
    return this.drawPrompt();
  }

  drawPlan() {
    const { text, problem } = this.told;
    if (problem) return fill(this.panel, h("p", { class: "problem" }, problem));
    return fill(this.panel, h("div", { class: "prose" }, render(untitled(text, this.told.card.topic))));
  }

  async drawPrompt(role = "") {
    const [told, roster] = await Promise.all([get("/api/prompt", { id: this.told.card.planId, role }), get("/api/roster")]).catch((fault) => (failed(fault), []));
    if (!told) return;
    const chosen = select(roster.roles.filter((each) => each.visible).map((each) => [each.role, each.name || each.role]), told.role);
    chosen.addEventListener("change", () => this.drawPrompt(chosen.value));
    fill(
      this.panel,
      h("div", { class: "row between prompt-head" }, field("For the role", chosen), button("Copy prompt", () => copied(told.text), { kind: "primary", symbol: "copy" })),
      h("pre", { class: "prompt-text", tabindex: "0", "aria-label": "Prompt" }, told.text),
    );
  }

  edit() {
    if (this.told.problem) return failed({ message: this.told.problem });
    this.tab = "plan";
    this.draw();
    this.editing = true;
    this.area = h("textarea", { class: "editor", spellcheck: "true", "aria-label": "Plan text", value: this.told.text });
    fill(this.panel, this.area, h("p", { class: "row end" }, button("Cancel", () => ((this.editing = false), this.draw())), button("Save", () => this.save(), { kind: "primary" })));
    return this.area.focus();
  }

  async save() {
    const { card, sha } = this.told;
    const text = this.area.value;
    try {
      await post("/api/edit", { id: card.planId, text, sha });
      await this.board.refresh();
      await this.load(card.planId);
      notice("Saved");
    } catch (fault) {
      if (fault.code !== "E_CONFLICT") return failed(fault);
      const answer = await ask("Somebody else changed this plan", h("p", {}, "Nothing was overwritten. You can copy your text and look at the new one, or go on writing."), [["Copy mine, show the new one", "copy", "primary"], ["Go on writing", null]]);
      if (answer && (await copy(text))) await this.load(card.planId);
    }
    return undefined;
  }

  async fail(card) {
    const area = h("textarea", { rows: "5", required: true });
    const answer = await ask("What went wrong?", [h("p", {}, "The plan goes back to the lead, with what you write here."), field("Feedback", area)], [["Cancel", null], ["Send it back", "fail", "primary"]]);
    if (!answer) return;
    try {
      const reply = await post("/api/fail", { id: card.planId, feedback: area.value });
      await this.board.refresh();
      await this.load(card.planId);
      notice(`Back in ${reply.label}`, { actions: [["Copy prompt", () => copied(reply.prompt)]] });
    } catch (fault) {
      failed(fault);
    }
  }

  async remove(card) {
    try {
      await post("/api/remove", { id: card.planId });
      this.dialog.close();
      this.told = null;
      await this.board.refresh();
      notice(`Removed: ${card.topic}`, { detail: "Its file is in the trash", actions: [["Put it back", () => this.mover.restore(card.planId)]] });
    } catch (fault) {
      failed(fault);
    }
  }

  async restore(card) {
    if (await this.mover.restore(card.planId)) await this.load(card.planId);
  }
}

/** The text without its own title where the sheet shows the same. */
function untitled(text, topic) {
  const [, line, rest] = /^\s*# +([^\n]{0,400})\n?([^]*)$/.exec(text) || [];
  return line?.trim() === topic ? rest : text;
}

function history(log, board) {
  const label = (id) => board.column(id)?.label || id;
  return h(
    "ol",
    { class: "history" },
    [...log].reverse().map((entry) =>
      h(
        "li",
        {},
        h("p", { class: "history-what" }, entry.from && entry.to && entry.from !== entry.to ? `${label(entry.from)} → ${label(entry.to)}` : KINDS[entry.kind] || entry.kind, h("span", { class: "history-who" }, entry.actor)),
        entry.reason && h("p", { class: "history-why" }, entry.reason),
        h("time", { datetime: entry.at }, whole(entry.at)),
      ),
    ),
  );
}
