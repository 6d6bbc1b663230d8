// The board: where every plan stands.

import { button, fill, h } from "../lib/dom.js";
import { say } from "../lib/notices.js";
import { Column } from "../board/column.js";
import { compose } from "../board/compose.js";
import { dragging } from "../board/drag.js";
import { Filters } from "../board/filters.js";
import { HELP, keyboard } from "../board/keys.js";
import { moveMenu } from "../board/menu.js";
import { Mover } from "../board/moving.js";
import { Sheet } from "../board/sheet.js";
import { Board, kindOf } from "../board/state.js";

class View {
  constructor(place, frame) {
    this.frame = frame;
    this.board = new Board();
    this.mover = new Mover(this.board);
    this.sheet = new Sheet(this.board, this.mover);
    this.columns = new Map();
    this.filters = new Filters(() => this.draw(true));
    this.lanes = h("div", { class: "lanes", tabindex: "-1" });
    this.jumps = h("nav", { class: "jumps", "aria-label": "Columns" });
    fill(
      place,
      frame.header(
        "Board",
        this.filters.element,
        h("div", { class: "row" }, button("Undo", () => this.mover.undo(), { symbol: "undo", kind: "quiet compact", title: "Take back the last move (U)" }), button("New plan", () => compose(this.board, (id) => this.focus(id)), { symbol: "plus", kind: "primary compact" })),
      ),
      this.filters.found,
      this.jumps,
      this.lanes,
      h("p", { class: "unseen", id: "card-keys" }, HELP),
    );
    this.lanes.addEventListener("click", (event) => this.clicked(event));
    this.lanes.addEventListener("focusin", (event) => this.focused(event));
    dragging(this.lanes, this.mover);
    keyboard(this, this.mover);
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.board.listen((moved) => {
      this.draw();
      this.sheet.refreshed();
      this.frame.count("messages", this.board.unread);
      this.tell(moved);
    });
    this.tick = setInterval(() => this.draw(), 60000); // ages grow
  }

  leave() {
    clearInterval(this.tick);
    document.removeEventListener("keydown", this.keys);
    for (const column of this.columns.values()) column.leave();
    this.sheet.leave();
    this.unfollow?.();
  }

  async begin() {
    try {
      await this.board.refresh();
    } catch (fault) {
      fill(this.lanes, h("div", { class: "empty" }, h("h2", {}, fault.code === "E_NOT_WORKSPACE" ? "No board yet" : fault.message), h("p", {}, fault.code === "E_NOT_WORKSPACE" ? ["In the project's folder, ", h("code", {}, "pal switchboard init"), " makes one; plans that agents write appear here."] : fault.hint)));
      this.frame.link("live");
      this.frame.ready();
      return;
    }
    this.frame.ready();
    this.unfollow = this.board.follow((state) => this.frame.link(state));
  }

  order() {
    return this.board.columns.filter((column) => kindOf(column) !== "unmapped").map((column) => column.id);
  }

  draw(filtered = false) {
    this.filters.offer(this.board.byId.values());
    const matches = this.filters.matcher();
    const active = this.filters.active;
    const ids = this.board.columns.map((column) => column.id);
    for (const [id, column] of this.columns) {
      if (ids.includes(id)) continue;
      column.leave();
      column.element.remove();
      this.columns.delete(id);
    }
    let shown = 0;
    for (const column of this.board.columns) {
      let lane = this.columns.get(column.id);
      if (!lane) {
        lane = new Column(column.id, this.board);
        this.columns.set(column.id, lane);
      }
      const cards = active ? column.items.filter(matches) : column.items;
      shown += cards.length;
      lane.show(column, cards, active);
    }
    const elements = ids.map((id) => this.columns.get(id).element);
    if (elements.some((element, at) => this.lanes.children[at] !== element)) {
      fill(this.lanes, elements);
      for (const id of ids) this.columns.get(id).draw(); // now that it has a height
    }
    fill(this.jumps, this.board.columns.map((column) => h("a", { href: "#", "data-kind": kindOf(column), onclick: (event) => (event.preventDefault(), this.columns.get(column.id).element.scrollIntoView({ inline: "start", block: "nearest" })) }, column.label, h("span", { class: "count" }, String(this.columns.get(column.id).cards.length)))));
    if (filtered) say(`${shown} ${shown === 1 ? "plan" : "plans"} shown`);
  }

  tell(moved) {
    const others = moved.filter((card) => !this.board.pending.has(card.planId));
    if (others.length && others.length <= 3) say(others.map((card) => `${card.topic} is now in ${card.label}`).join(". "));
    else if (others.length) say(`${others.length} plans changed their place`);
  }

  clicked(event) {
    const element = event.target.closest(".card");
    if (!element) return;
    const id = element.dataset.card;
    if (event.target.closest(".card-move")) this.menu(id, element);
    else this.sheet.open(id, (planId) => this.focus(planId));
  }

  focused(event) {
    const element = event.target.closest(".card");
    const lane = element && this.columns.get(element.closest("[data-column]").dataset.column);
    if (!lane || lane.current === element.dataset.card) return;
    lane.current = element.dataset.card;
    lane.soon();
  }

  menu(id, element) {
    const card = this.board.byId.get(id);
    moveMenu(this.board, card, element, async (target) => {
      await this.mover.move(id, target);
      this.focus(id);
    });
  }

  focus(id) {
    const card = this.board.byId.get(id);
    return Boolean(card && this.columns.get(card.column)?.focus(id));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.matches?.("input, textarea, select")) return;
    if (event.key === "/") {
      event.preventDefault();
      this.filters.words.focus();
    } else if (event.key === "u") this.mover.undo();
  }
}

export const board = {
  name: "board",
  label: "Board",
  symbol: "board",
  open(place, frame) {
    const view = new View(place, frame);
    view.begin();
    return () => view.leave();
  },
};
