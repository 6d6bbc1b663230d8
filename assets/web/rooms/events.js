// What happens on this machine, as it happens: tools that agents call, sessions that begin and end, what is remembered.

import { stream } from "../lib/data.js";
import { arrange, button, fill, h, select } from "../lib/dom.js";
import { clock, whole } from "../lib/time.js";

const KEPT = 1000;
const SHOWN = 200;
const KINDS = {
  tool_start: "Tool begins", tool_end: "Tool done", agent_handoff: "Handed over", agent_end: "Agent done",
  memory_promoted: "Remembered", memory_rejected: "Not remembered", session_start: "Session begins", session_end: "Session ends",
};

export const events = {
  name: "events",
  label: "Events",
  symbol: "events",
  open(place, frame) {
    const kept = [];
    let paused = 0; // how many came while the list stood still
    let still = false;
    const kind = select([["", "Every kind"], ...Object.entries(KINDS)], "", { "aria-label": "Kind" });
    const words = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter events", autocomplete: "off" });
    const pause = button("Pause", () => {
      still = !still;
      paused = 0;
      draw();
    });
    const list = h("ol", { class: "events", "aria-label": "Events, newest first" });
    fill(place, frame.header("Events", h("div", { class: "filters", role: "search" }, h("span", { class: "find" }, words), kind), h("div", { class: "row" }, pause)), list);
    kind.addEventListener("change", draw);
    words.addEventListener("input", draw);

    let rows = new Map();
    let waiting = 0;
    const soon = () => {
      waiting ||= requestAnimationFrame(() => {
        waiting = 0;
        draw();
      });
    };

    function draw() {
      pause.querySelector("span").textContent = still ? (paused ? `Go on (${paused} new)` : "Go on") : "Pause";
      pause.setAttribute("aria-pressed", String(still));
      if (still && paused) return;
      const said = words.value.toLowerCase();
      const shown = [];
      for (let at = kept.length - 1; at >= 0 && shown.length < SHOWN; at -= 1) {
        const event = kept[at];
        if ((!kind.value || event.type === kind.value) && (!said || JSON.stringify(event).toLowerCase().includes(said))) shown.push(event);
      }
      const before = rows;
      rows = new Map(shown.map((event) => [event.id, before.get(event.id) || row(event)]));
      if (shown.length) arrange(list, [...rows.values()]);
      else fill(list, h("li", { class: "empty" }, h("h2", {}, kept.length ? "Nothing matches" : "Quiet"), h("p", {}, kept.length ? "Other words or another kind may." : "Events come with the next tool call of an agent that PAL is installed in.")));
    }

    const leave = stream("/events", { replay: SHOWN, project: "" }, (event) => {
      kept.push(event);
      if (kept.length > KEPT) kept.shift();
      if (still) paused += 1;
      soon();
    }, (state) => frame.link(state));
    draw();
    frame.ready();
    return () => {
      cancelAnimationFrame(waiting);
      leave();
    };
  },
};

function row(event) {
  const failed = event.ok === false;
  return h(
    "li",
    {},
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("time", { datetime: event.ts, title: whole(event.ts) }, clock(event.ts)),
        h("span", { class: `event-kind ${failed ? "bad" : ""}`, "data-type": event.type }, failed ? "Tool failed" : KINDS[event.type] || event.type),
        h("span", { class: "event-what" }, subject(event)),
        h("span", { class: "event-who" }, event.agent || event.source || ""),
      ),
      h("pre", {}, JSON.stringify(event, null, 2)),
    ),
  );
}

function subject(event) {
  if (event.type === "tool_end") return `${event.tool}, ${Math.round(event.duration_ms)} ms${event.error_type ? `: ${event.error_type}` : ""}`;
  if (event.type === "agent_handoff") return `${event.from_agent} → ${event.to_agent}${event.description ? `: ${event.description}` : ""}`;
  return event.tool || event.memory_id || event.reason || event.cwd || event.session_id || "";
}
