// Mailboxes: what agents told the person and each other, and a line back.

import { get, post, stream } from "../lib/data.js";
import { button, field, fill, h, select } from "../lib/dom.js";
import { failed, notice } from "../lib/notices.js";
import { age, whole } from "../lib/time.js";

const ACTIONS = { submit_result: "Result", status_update: "Status", dispatch: "Handed over" };
const STATES = { new: "New", claimed: "Taken", done: "Done", failed: "Failed", expired: "Expired" };

export const messages = {
  name: "messages",
  label: "Messages",
  symbol: "messages",
  open(place, frame) {
    let agent = frame.start.person;
    let box = "inbox";
    const boxes = h("ul", { class: "boxes", "aria-label": "Mailboxes" });
    const list = h("ol", { class: "letters", "aria-label": "Messages, newest first" });
    const shown = select([["inbox", "Open"], ["all", "All received"], ["outbox", "Sent"]], box, { "aria-label": "Which messages" });
    const recipient = h("select", {});
    const text = h("textarea", { rows: "4" });
    const form = h("form", { class: "send", onsubmit: (event) => (event.preventDefault(), send()) }, h("h2", {}, "Write"), field("To", recipient), field("Message", text), h("p", { class: "row end" }, h("button", { type: "submit", class: "primary" }, "Send")));
    const room = h("div", { class: "post" }, boxes, list, form);
    fill(place, frame.header("Messages", h("div", { class: "filters" }, shown)), room);
    shown.addEventListener("change", () => {
      box = shown.value;
      load();
    });

    async function load() {
      try {
        const [told, roster] = await Promise.all([get("/api/messages", { agent, box }), get("/api/roster")]);
        frame.count("messages", told.unread[frame.start.person] || 0);
        drawBoxes(roster.agents, told.unread);
        drawLetters(told.messages);
      } catch (fault) {
        if (fault.code !== "E_NOT_WORKSPACE") failed(fault);
        else fill(room, h("div", { class: "empty" }, h("h2", {}, "No board yet"), h("p", {}, "Messages belong to a project with a board.")));
      }
      frame.ready();
    }

    function drawBoxes(agents, unread) {
      const names = agents.map((each) => each.name).sort((one, other) => (other === frame.start.person) - (one === frame.start.person) || one.localeCompare(other));
      fill(boxes, names.map((name) => h("li", {}, h("button", { type: "button", "aria-pressed": String(name === agent), onclick: () => ((agent = name), load()) }, h("span", {}, name === frame.start.person ? "You" : name), unread[name] ? h("span", { class: "count" }, String(unread[name])) : null))));
      const chosen = recipient.value;
      const others = names.filter((name) => name !== frame.start.person);
      fill(recipient, others.map((name) => h("option", { value: name }, name)));
      if (others.includes(chosen)) recipient.value = chosen;
      form.hidden = !others.length;
    }

    function drawLetters(letters) {
      if (!letters.length) return fill(list, h("li", { class: "empty" }, h("h2", {}, "Nothing here"), h("p", {}, "What agents report about their plans arrives in this box.")));
      return fill(list, letters.map(letter));
    }

    function letter(each) {
      const open = each.state === "new" || each.state === "claimed";
      return h(
        "li",
        { class: "letter", "data-state": each.state },
        h("p", { class: "letter-head" }, h("strong", {}, box === "outbox" ? `To ${each.recipient}` : each.sender), h("span", { class: "tag" }, ACTIONS[each.action] || each.action), h("span", { class: "letter-state" }, STATES[each.state] || each.state), h("time", { datetime: each.createdAt, title: whole(each.createdAt) }, age(each.createdAt))),
        h("p", { class: "letter-text" }, each.payload),
        open && agent === frame.start.person && h("p", { class: "row end" }, button("Done", () => act("/api/ack", { id: each.id }))),
      );
    }

    async function act(path, body) {
      try {
        await post(path, body);
        await load();
        return true;
      } catch (fault) {
        failed(fault);
        return false;
      }
    }

    async function send() {
      if (!text.value.trim()) return text.focus();
      if (await act("/api/send", { recipient: recipient.value, text: text.value })) {
        notice(`Sent to ${recipient.value}`);
        text.value = "";
      }
      return undefined;
    }

    const leave = stream("/api/live", {}, load, (state) => frame.link(state));
    load();
    return leave;
  },
};
