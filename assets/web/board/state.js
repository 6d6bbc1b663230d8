// The board as this page knows it. It is read whole when its revision grew, never guessed: what a move leads to is
// drawn when the server has said so.

import { get, stream } from "../lib/data.js";

export class Board {
  constructor() {
    this.rev = 0;
    this.columns = [];
    this.byId = new Map();
    this.pending = new Set(); // cards whose move is under way
    this.arrived = new Set(); // cards that changed their column with the last reading
    this.listeners = new Set();
    this.reading = null;
    this.again = false;
  }

  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(movedByOthers = []) {
    for (const listener of this.listeners) listener(movedByOthers);
  }

  /** Read the board again; calls that come while it is being read are one more reading. */
  refresh() {
    if (this.reading) {
      this.again = true;
      return this.reading;
    }
    this.reading = (async () => {
      try {
        do {
          this.again = false;
          const told = await get("/api/board", { since: this.rev || undefined });
          if (told) this.take(told);
        } while (this.again);
      } finally {
        this.reading = null;
      }
    })();
    return this.reading;
  }

  take(told) {
    const before = this.byId;
    this.byId = new Map();
    const moved = [];
    const runs = new Map(told.runs.map((run) => [run.plan, run]));
    for (const column of told.columns) {
      for (const card of column.items) {
        card.column = column.id;
        card.label = column.label;
        card.run = runs.get(card.planId);
        card.words = [card.topic, card.sessionId, card.planFile, ...card.tags].join("\n").toLowerCase();
        this.byId.set(card.planId, card);
        const known = before.get(card.planId);
        if (before.size && (!known || known.column !== card.column)) moved.push(card);
      }
    }
    this.columns = told.columns;
    this.rev = told.rev;
    this.unread = told.unread;
    this.arrived = new Set(moved.map((card) => card.planId));
    this.changed(moved);
  }

  column(id) {
    return this.columns.find((each) => each.id === id);
  }

  /** Follow the board until the answer is called. */
  follow(state) {
    return stream("/api/live", {}, (told) => told.rev !== this.rev && this.refresh().catch(() => {}), state);
  }
}

/** What kind of work a column holds, for its colour. */
export function kindOf(column) {
  const kinds = { CREATED: "created", "PLAN REVIEWED": "planned", "CODE REVIEWED": "reviewed", COMPLETED: "done" };
  if (kinds[column.id]) return kinds[column.id];
  if (column.label.startsWith("Unmapped (")) return "unmapped";
  return column.id.endsWith(" CODED") ? "coded" : "custom";
}
