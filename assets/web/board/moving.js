// Moving a card, whichever way it was asked for. The server decides where it ends up; the page says so and offers the way back.

import { post } from "../lib/data.js";
import { copy, h } from "../lib/dom.js";
import { ask, failed, notice, say } from "../lib/notices.js";
import { clock } from "../lib/time.js";

export class Mover {
  constructor(board) {
    this.board = board;
  }

  /** Move a card to a column, or by a word such as `coded` or `next`; true when it stands there now. */
  async move(planId, target, more = {}) {
    const card = this.board.byId.get(planId);
    if (!card || this.board.pending.has(planId)) return false;
    if (card.column === target) return false;
    this.board.pending.add(planId);
    this.board.changed();
    try {
      const reply = await post("/api/move", { id: planId, target, rev: card.rev, ...more });
      await this.board.refresh();
      this.told(reply);
      return true;
    } catch (fault) {
      await this.board.refresh().catch(() => {});
      return this.refused(fault, planId, target, card);
    } finally {
      this.board.pending.delete(planId);
      this.board.changed();
    }
  }

  told(reply) {
    if (!reply.changed) return notice(`${reply.topic} is in ${reply.label} already`);
    const actions = [["Undo", () => this.undo(reply.planId)]];
    if (reply.prompt) actions.unshift(["Copy prompt", () => copied(reply.prompt)]);
    const detail = reply.dispatch === "message" ? `${reply.recipient} was told` : reply.note ? sentence(reply.note) : reply.routedBy.startsWith("complexity") ? `By ${reply.routedBy.replace(/[()]/g, " ").trim()}` : "";
    return notice(`Moved to ${reply.label}: ${reply.topic}`, { detail, actions });
  }

  async refused(fault, planId, target, before) {
    this.board.pending.delete(planId);
    const label = this.board.column(target)?.label || target;
    const card = this.board.byId.get(planId) || before;
    if (fault.code === "E_STALE") {
      const where = this.board.column(fault.data.column)?.label || fault.data.column;
      const answer = await ask(
        "This card has moved",
        [
          h("p", {}, h("strong", {}, card.topic)),
          h("p", {}, `${name(fault.data.who)} moved it to `, h("strong", {}, where), ` at ${clock(fault.data.when)}, after you looked.`),
        ],
        [
          ...(fault.data.column === target ? [] : [[`Move it to ${label}`, "again", "primary"]]),
          [`Leave it in ${where}`, null],
        ],
      );
      // With the revision it has now: should it have moved once more, that is told too.
      return answer ? this.move(planId, target, { rev: fault.data.rev }) : false;
    }
    if (fault.code === "E_DEPS") {
      const waiting = fault.data.waiting || [];
      const answer = await ask(
        "This plan waits for others",
        [h("p", {}, h("strong", {}, card.topic), " should begin when these are done:"), h("ul", {}, waiting.map((each) => h("li", {}, this.named(each))))],
        [["Wait", null, "primary"], ["Move it anyway", "force"]],
      );
      return answer ? this.move(planId, target, { force: true }) : false;
    }
    if (fault.code === "E_STATUS" && fault.data.status === "completed") {
      const answer = await ask("This plan is done", h("p", {}, "It can be taken up again, in the column where it was before."), [["Take it up again", "restore", "primary"], ["Leave it", null]]);
      return answer ? this.restore(planId) : false;
    }
    failed(fault);
    return false;
  }

  named(id) {
    for (const card of this.board.byId.values()) if (card.sessionId === id || card.planId === id || card.planFile.endsWith(`/${id}`)) return card.topic;
    return id;
  }

  async undo(planId = "") {
    try {
      const reply = await post("/api/undo", { id: planId });
      await this.board.refresh();
      notice(`Back in ${reply.label}: ${reply.topic}`);
    } catch (fault) {
      failed(fault);
    }
  }

  async restore(planId) {
    try {
      const card = await post("/api/restore", { id: planId });
      await this.board.refresh();
      notice(`Taken up again in ${this.board.column(card.column)?.label || card.column}: ${card.topic}`);
      return true;
    } catch (fault) {
      failed(fault);
      return false;
    }
  }
}

export async function copied(text) {
  if (await copy(text)) notice("Copied");
  else say("The browser did not let the page copy; select the text instead", true);
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const name = (who) => (who === "user" ? "You, elsewhere," : sentence(who || "Somebody"));
