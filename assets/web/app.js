// The frame of the control room: which rooms there are, which one is shown, how it looks, and whether the server answers.
// A room is `{name, label, symbol, open(place, frame) → leave}`; adding one is adding a module and a row.

import { chooseProject, get, unlock } from "./lib/data.js";
import { fill, h, icon, select } from "./lib/dom.js";
import { board } from "./rooms/board.js";
import { events } from "./rooms/events.js";
import { messages } from "./rooms/messages.js";
import { runs } from "./rooms/runs.js";

const ROOMS = [board, messages, runs, events];
const LINK = { live: "Live", waiting: "Reconnecting", refused: "Locked", idle: "Connecting" };

const place = document.getElementById("room");
let leave = () => {};
let shut = false;

/** What a room may use of the frame. */
const frame = {
  start: null,
  link(state) {
    if (state === "refused") locked("The server was started anew");
    else shown(state);
  },
  /** A number beside a room's name, such as unread messages. */
  count(name, number) {
    const badge = document.querySelector(`[data-room="${name}"] .badge`);
    if (badge) fill(badge, number ? h("span", {}, String(number)) : null, number ? h("span", { class: "unseen" }, " waiting") : null);
  },
  /** A room's title line: the project everywhere, and what the room adds. */
  header(title, ...more) {
    return h("header", { class: "room-head" }, h("div", { class: "room-title" }, projectChooser(), h("h1", {}, title)), ...more);
  },
  ready() {
    document.body.dataset.ready = String(Math.round(performance.now()));
  },
};

function shown(state) {
  document.getElementById("link").dataset.state = state;
  document.getElementById("link-text").textContent = LINK[state];
}

function projectChooser() {
  const projects = frame.start.projects;
  if (!projects.length) return h("p", { class: "project" }, "No project yet");
  if (projects.length === 1) return h("p", { class: "project", title: projects[0].root }, projects[0].name);
  const chosen = select(projects.map((each) => [each.id, each.name]), frame.start.project, { class: "project", "aria-label": "Project" });
  chosen.addEventListener("change", () => {
    frame.start.project = chosen.value;
    chooseProject(chosen.value);
    show();
  });
  return chosen;
}

function show() {
  if (shut) return;
  const name = location.hash.slice(2).split("?")[0];
  const room = ROOMS.find((each) => each.name === name) || ROOMS[0];
  for (const link of document.querySelectorAll("[data-room]")) {
    if (link.dataset.room === room.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leave();
  document.title = `${room.label} · PAL`;
  place.dataset.name = room.name;
  fill(place);
  leave = room.open(place, frame) || (() => {});
}

function locked(why) {
  shut = true;
  shown("refused");
  leave();
  leave = () => {};
  fill(
    place,
    h("div", { class: "empty" }, h("h1", {}, why), h("p", {}, "Open the address that ", h("code", {}, "pal serve"), " printed: the key to this page is in it.")),
  );
  frame.ready();
}

function drawRail() {
  fill(
    document.getElementById("rooms"),
    ROOMS.map((room) =>
      h("li", {}, h("a", { href: `#/${room.name}`, "data-room": room.name }, icon(room.symbol), h("span", { class: "room-name" }, room.label), h("span", { class: "badge" }))),
    ),
  );
  const theme = document.getElementById("theme");
  const drawn = (name) => {
    fill(document.getElementById("theme-icon"), icon(name));
    document.getElementById("theme-text").textContent = { auto: "System", light: "Light", dark: "Dark" }[name];
  };
  theme.addEventListener("click", () => drawn(window.palTheme.next()));
  drawn(window.palTheme.current());
}

async function begin() {
  drawRail();
  frame.link("idle");
  if (!unlock()) return locked("This page is locked");
  try {
    frame.start = await get("/api/start");
  } catch (fault) {
    return locked(fault.code === "E_TOKEN" ? "The key of this page is an old one" : fault.message);
  }
  frame.start.project = frame.start.projects[0]?.id ?? "";
  chooseProject(frame.start.project);
  window.addEventListener("hashchange", () => {
    if (location.hash.startsWith("#key=")) location.reload();
    else if (location.hash.startsWith("#/")) show();
  });
  return show();
}

begin();
