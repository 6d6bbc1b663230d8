// One card, drawn once and brought up to date in place, so that focus and pointer stay where they are.

import { button, fill, h, icon } from "../lib/dom.js";
import { age, whole } from "../lib/time.js";

const TAGS = 2; // that fit, fewer beside a flag; the sheet shows all

export function drawCard(card) {
  const title = h("button", { type: "button", class: "card-open", tabindex: "-1", "aria-describedby": "card-keys" });
  const move = button("", null, { kind: "card-move", symbol: "move", tabindex: "-1" });
  const element = h("li", { class: "card", "data-card": card.planId }, title, h("p", { class: "card-tags" }), h("p", { class: "card-foot" }), move);
  return element;
}

export function updateCard(element, card, { pending, arrived, position, total }) {
  const stamp = [card.topic, card.rev, card.score, card.updatedAt, card.tags.join(), card.missing, card.blockedBy?.length, card.run?.workflow, age(card.updatedAt)].join("|");
  element.classList.toggle("pending", pending);
  element.classList.toggle("arrived", arrived);
  element.setAttribute("aria-posinset", position);
  element.setAttribute("aria-setsize", total);
  if (element.dataset.stamp === stamp) return;
  element.dataset.stamp = stamp;
  const title = element.querySelector(".card-open");
  fill(title, h("span", { class: "card-title" }, card.topic || "Untitled"));
  title.setAttribute("aria-label", spoken(card));
  element.querySelector(".card-move").setAttribute("aria-label", `Move ${card.topic}`);
  element.title = card.topic;
  const fit = TAGS - Boolean(card.missing || card.blockedBy || card.run);
  const more = card.tags.length - fit;
  fill(
    element.querySelector(".card-tags"),
    card.missing && h("span", { class: "flag bad" }, "File missing"),
    card.run && h("span", { class: "flag busy", title: `${card.run.agent || "Somebody"} follows ${card.run.workflow}` }, card.run.workflow),
    card.blockedBy && h("span", { class: "flag wait", title: card.blockedBy.join(", ") }, icon("wait"), `Waits for ${card.blockedBy.length}`),
    card.tags.slice(0, fit).map((tag) => h("span", { class: "tag" }, tag)),
    more > 0 && h("span", { class: "tag more" }, `+${more}`),
  );
  fill(
    element.querySelector(".card-foot"),
    score(card),
    h("time", { datetime: card.updatedAt, title: whole(card.updatedAt) }, age(card.updatedAt)),
  );
}

/** Number and word: the colour only repeats them. */
export function score(card) {
  return h("span", { class: "score", "data-band": card.complexity }, card.score ? h("b", {}, String(card.score)) : null, card.score ? card.complexity : "unscored");
}

function spoken(card) {
  return [
    card.topic || "Untitled",
    card.score ? `complexity ${card.score}, ${card.complexity}` : "no complexity yet",
    card.blockedBy && `waits for ${card.blockedBy.length}`,
    card.run && `${card.run.agent || "somebody"} follows ${card.run.workflow}`,
    card.missing && "its file is missing",
  ].filter(Boolean).join("; ");
}
