// A column that draws only the cards in sight, so that a thousand cost as much as twenty.

import { fill, h } from "../lib/dom.js";
import { drawCard, updateCard } from "./card.js";
import { kindOf } from "./state.js";

const SPARE = 4; // cards drawn beyond each edge

export class Column {
  constructor(id, board) {
    this.board = board;
    this.id = id;
    this.cards = [];
    this.drawn = new Map();
    this.current = ""; // the card that Tab leads to
    this.count = h("span", { class: "count" });
    this.heading = h("h2", { id: `column-${id.replace(/\W/g, "-")}` });
    this.list = h("ol", { class: "cards", role: "list", "aria-labelledby": this.heading.id });
    this.scroller = h("div", { class: "column-scroll" }, this.list);
    this.note = h("p", { class: "column-note" });
    this.element = h(
      "section",
      { class: "column", "data-column": id, "aria-labelledby": this.heading.id },
      h("header", { class: "column-head" }, h("span", { class: "column-dot", "aria-hidden": "true" }), this.heading, this.count),
      this.scroller,
      this.note,
    );
    this.scroller.addEventListener("scroll", () => this.soon(), { passive: true });
    this.observer = new ResizeObserver(() => this.soon());
    this.observer.observe(this.scroller);
  }

  leave() {
    this.observer.disconnect();
  }

  soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  show(column, cards, filtered) {
    this.cards = cards;
    this.heading.textContent = column.label;
    this.element.dataset.kind = kindOf(column);
    this.count.textContent = filtered ? `${cards.length} of ${column.total}` : String(column.total);
    this.count.setAttribute("aria-label", filtered ? `${cards.length} of ${column.total} plans shown` : `${column.total} plans`);
    const hidden = column.total - column.items.length;
    fill(this.note, cards.length ? null : filtered ? "Nothing here matches" : "Empty", hidden > 0 ? `${hidden} older ones are in the archive` : null);
    this.element.classList.toggle("bare", !column.items.length); // narrower, since there is nothing to read
    this.element.classList.toggle("none", !cards.length);
    this.note.hidden = !this.note.textContent;
    if (!cards.some((card) => card.planId === this.current)) this.current = cards[0]?.planId || "";
    this.draw();
  }

  /** The height of a row, which follows the reader's font size. */
  get step() {
    return Math.round(7.5 * parseFloat(getComputedStyle(document.documentElement).fontSize));
  }

  draw() {
    const step = this.step;
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, Math.floor(scrollTop / step) - SPARE);
    const last = Math.min(this.cards.length, Math.ceil((scrollTop + (clientHeight || innerHeight)) / step) + SPARE);
    this.list.style.height = `${this.cards.length * step}px`;
    const wanted = new Map();
    for (let at = first; at < last; at += 1) wanted.set(this.cards[at].planId, at);
    // The card that Tab leads to, and so the one with the focus, stays while it is scrolled out of sight.
    const kept = this.cards.findIndex((card) => card.planId === this.current);
    if (kept >= 0) wanted.set(this.current, kept);
    for (const [id, element] of this.drawn) {
      if (!wanted.has(id)) {
        element.remove();
        this.drawn.delete(id);
      }
    }
    let before = null;
    for (const [id, at] of [...wanted].sort((one, other) => one[1] - other[1])) {
      const card = this.cards[at];
      let element = this.drawn.get(id);
      if (!element) {
        element = drawCard(card);
        this.drawn.set(id, element);
        this.list.insertBefore(element, before ? before.nextSibling : this.list.firstChild);
      } else if (element.previousSibling !== before && !element.contains(document.activeElement)) {
        this.list.insertBefore(element, before ? before.nextSibling : this.list.firstChild);
      }
      before = element;
      element.style.transform = `translateY(${at * step}px)`;
      updateCard(element, card, {
        pending: this.board.pending.has(id),
        arrived: this.board.arrived.has(id),
        position: at + 1,
        total: this.cards.length,
      });
      element.querySelector(".card-open").tabIndex = id === this.current ? 0 : -1;
    }
  }

  /** Bring a card into sight and give it the focus. */
  focus(planId) {
    const at = this.cards.findIndex((card) => card.planId === planId);
    if (at < 0) return false;
    this.current = planId;
    const step = this.step;
    const { scrollTop, clientHeight } = this.scroller;
    if (at * step < scrollTop) this.scroller.scrollTop = at * step;
    else if ((at + 1) * step > scrollTop + clientHeight) this.scroller.scrollTop = (at + 1) * step - clientHeight;
    this.draw();
    this.drawn.get(planId)?.querySelector(".card-open").focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "nearest", inline: "nearest" });
    return true;
  }
}
