// Dragging with a mouse or a pen. Fingers scroll; they move a card with its button.

const FAR = 6; // pixels before a press becomes a drag
const EDGE = 60; // pixels at the board's sides where it scrolls along

export function dragging(lanes, mover) {
  let drag = null;
  let ended = 0;

  lanes.addEventListener("pointerdown", (event) => {
    const card = event.target.closest(".card");
    if (!card || event.button || event.pointerType === "touch" || event.target.closest(".card-move")) return;
    drag = { id: card.dataset.card, card, x: event.clientX, y: event.clientY, ghost: null, over: null };
    window.addEventListener("pointermove", moved);
    window.addEventListener("pointerup", dropped);
    window.addEventListener("pointercancel", cancel);
    window.addEventListener("keydown", escaped, true);
  });

  // The press that ends a drag is no click on the card.
  lanes.addEventListener("click", (event) => performance.now() - ended < 250 && (event.preventDefault(), event.stopPropagation()), true);
  lanes.addEventListener("dragstart", (event) => event.preventDefault());

  function moved(event) {
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < FAR) return;
      lift();
    }
    event.preventDefault();
    drag.ghost.style.transform = `translate(${event.clientX - drag.dx}px, ${event.clientY - drag.dy}px) rotate(1.2deg)`;
    const box = lanes.getBoundingClientRect();
    const push = event.clientX < box.left + EDGE ? -1 : event.clientX > box.right - EDGE ? 1 : 0;
    if (push) lanes.scrollBy({ left: push * 18 });
    aim(document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-column]") || null);
  }

  function lift() {
    const box = drag.card.getBoundingClientRect();
    drag.dx = drag.x - box.left;
    drag.dy = drag.y - box.top;
    drag.ghost = drag.card.cloneNode(true);
    drag.ghost.className = "card ghost";
    drag.ghost.setAttribute("aria-hidden", "true");
    drag.ghost.style.width = `${box.width}px`;
    drag.ghost.style.height = `${box.height}px`;
    document.body.append(drag.ghost);
    document.body.classList.add("dragging");
    drag.card.classList.add("lifted");
    drag.from = drag.card.closest("[data-column]");
  }

  function aim(column) {
    if (drag.over === column) return;
    drag.over?.classList.remove("over");
    drag.over = column === drag.from ? null : column;
    drag.over?.classList.add("over");
  }

  function finish() {
    window.removeEventListener("pointermove", moved);
    window.removeEventListener("pointerup", dropped);
    window.removeEventListener("pointercancel", cancel);
    window.removeEventListener("keydown", escaped, true);
    drag.over?.classList.remove("over");
    drag.card.classList.remove("lifted");
    drag.ghost?.remove();
    document.body.classList.remove("dragging");
    if (drag.ghost) ended = performance.now();
    const done = drag;
    drag = null;
    return done;
  }

  function dropped() {
    const { id, over } = finish();
    if (over) mover.move(id, over.dataset.column);
  }

  function cancel() {
    finish();
  }

  function escaped(event) {
    if (event.key !== "Escape" || !drag.ghost) return;
    event.preventDefault();
    event.stopPropagation();
    finish();
  }
}
