// The board by keyboard. Arrows walk; Space picks a card up, arrows choose its column, Space puts it down, Escape gives up.
// M opens the same choice as a menu, U takes the last move back, / goes to the search.

import { say } from "../lib/notices.js";

export const HELP = "Enter opens. Space picks the card up, then the left and right arrows choose a column, Space puts it down, Escape leaves it. M opens a menu of columns.";

export function keyboard(view, mover) {
  let held = null; // {id, at}: the card that was picked up, and the number of the column it would go to

  view.lanes.addEventListener("keydown", (event) => {
    const element = event.target.closest(".card");
    if (!element || event.ctrlKey || event.metaKey || event.altKey) return;
    const id = element.dataset.card;
    const act = held ? HELD[event.key] : FREE[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act(id, element.closest("[data-column]").dataset.column, element);
  });
  // A button is pressed when Space comes up; here Space means something else.
  view.lanes.addEventListener("keyup", (event) => event.key === " " && event.target.matches(".card-open") && event.preventDefault());
  view.lanes.addEventListener("focusout", (event) => held && !view.lanes.contains(event.relatedTarget) && drop());

  const FREE = {
    ArrowDown: (id, column) => walk(column, id, 1),
    ArrowUp: (id, column) => walk(column, id, -1),
    Home: (id, column) => walk(column, id, -Infinity),
    End: (id, column) => walk(column, id, Infinity),
    ArrowRight: (id, column) => across(column, id, 1),
    ArrowLeft: (id, column) => across(column, id, -1),
    " ": (id, column, element) => pick(id, column, element),
    m: (id, column, element) => view.menu(id, element),
    M: (id, column, element) => view.menu(id, element),
  };
  const HELD = {
    ArrowRight: () => choose(1),
    ArrowLeft: () => choose(-1),
    Home: () => choose(-Infinity),
    End: () => choose(Infinity),
    " ": () => put(),
    Enter: () => put(),
    Escape: () => {
      const name = topic(held.id);
      drop();
      say(`${name} stays where it was.`, true);
    },
    ArrowUp: () => {},
    ArrowDown: () => {},
    Tab: () => {},
  };

  const topic = (id) => view.board.byId.get(id)?.topic || "";

  function walk(column, id, by) {
    const lane = view.columns.get(column);
    const at = lane.cards.findIndex((card) => card.planId === id);
    const next = lane.cards[Math.max(0, Math.min(lane.cards.length - 1, at + by))];
    if (next) lane.focus(next.planId);
  }

  function across(column, id, by) {
    const order = view.order();
    const row = view.columns.get(column).cards.findIndex((card) => card.planId === id);
    for (let at = order.indexOf(column) + by; order[at]; at += by) {
      const lane = view.columns.get(order[at]);
      // The neighbour at about the same height: what the eye expects beside it.
      const top = Math.round((lane.scroller.scrollTop - view.columns.get(column).scroller.scrollTop) / lane.step);
      if (lane.cards.length) return lane.focus(lane.cards[Math.max(0, Math.min(lane.cards.length - 1, row + top))].planId);
    }
    return undefined;
  }

  function pick(id, column, element) {
    held = { id, at: view.order().indexOf(column), from: column };
    element.classList.add("held");
    say(`${topic(id)} picked up from ${view.board.column(column).label}. Left and right choose a column.`, true);
    mark();
  }

  function choose(by) {
    const order = view.order();
    held.at = Math.max(0, Math.min(order.length - 1, held.at + by));
    mark();
    const label = view.board.column(order[held.at]).label;
    say(order[held.at] === held.from ? `${label}, where it is.` : `Over ${label}, column ${held.at + 1} of ${order.length}.`, true);
  }

  function mark() {
    for (const [at, id] of view.order().entries()) view.columns.get(id).element.classList.toggle("over", Boolean(held) && at === held.at && id !== held.from);
    if (held) view.columns.get(view.order()[held.at]).element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function drop() {
    held = null;
    view.lanes.querySelector(".card.held")?.classList.remove("held");
    mark();
  }

  async function put() {
    const { id, at, from } = held;
    const target = view.order()[at];
    drop();
    if (target === from) return say(`${topic(id)} stays where it was.`, true);
    await mover.move(id, target);
    return view.focus(id);
  }
}
