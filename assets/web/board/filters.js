// What of the board is shown: words, complexity, a tag. The archive is asked only when somebody wants it.

import { get } from "../lib/data.js";
import { button, fill, h, icon, select } from "../lib/dom.js";
import { failed, say } from "../lib/notices.js";
import { whole } from "../lib/time.js";

const BANDS = [["", "Any complexity"], ["low", "Low"], ["medium", "Medium"], ["high", "High"], ["unknown", "Unscored"]];

export class Filters {
  constructor(changed) {
    this.changed = changed;
    this.words = h("input", { type: "search", placeholder: "Search plans", "aria-label": "Search plans", autocomplete: "off", spellcheck: "false", enterkeyhint: "search", "aria-keyshortcuts": "/" });
    this.band = select(BANDS, "", { "aria-label": "Complexity" });
    this.tag = select([["", "Any tag"]], "", { "aria-label": "Tag" });
    this.clear = button("Clear", () => this.reset(), { kind: "link-button" });
    this.archive = button("Search the archive", () => this.ask(), { kind: "link-button" });
    this.found = h("div", { class: "found", hidden: true });
    this.element = h(
      "div",
      { class: "filters", role: "search" },
      h("span", { class: "find" }, icon("find"), this.words, h("kbd", { "aria-hidden": "true" }, "/")),
      this.band,
      this.tag,
      this.clear,
      this.archive,
    );
    this.words.addEventListener("input", () => this.later());
    this.words.addEventListener("keydown", (event) => event.key === "Escape" && this.active && (event.preventDefault(), this.reset()));
    this.words.addEventListener("keydown", (event) => event.key === "Enter" && this.words.value.trim() && this.ask());
    for (const chosen of [this.band, this.tag]) chosen.addEventListener("change", () => this.tell());
    this.tell(true);
  }

  get active() {
    return Boolean(this.words.value.trim() || this.band.value || this.tag.value);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), 80);
  }

  tell(silent = false) {
    this.clear.hidden = !this.active;
    this.archive.hidden = !this.words.value.trim();
    if (!this.words.value.trim()) this.found.hidden = true;
    if (!silent) this.changed();
  }

  reset() {
    this.words.value = this.band.value = this.tag.value = "";
    this.words.focus();
    this.tell();
  }

  /** The tags that the board has now. */
  offer(cards) {
    const tags = [...new Set([...cards].flatMap((card) => card.tags))].sort();
    if (tags.join() === this.tags) return;
    this.tags = tags.join();
    const chosen = this.tag.value;
    fill(this.tag, h("option", { value: "" }, "Any tag"), tags.map((tag) => h("option", { value: tag }, tag)));
    this.tag.value = tags.includes(chosen) ? chosen : "";
    this.tag.hidden = !tags.length;
  }

  matcher() {
    const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const band = this.band.value;
    const tag = this.tag.value;
    return (card) => (!band || card.complexity === band) && (!tag || card.tags.includes(tag)) && words.every((word) => card.words.includes(word));
  }

  async ask() {
    const words = this.words.value.trim();
    try {
      const { hits } = await get("/api/search", { q: words });
      this.show(words, hits);
    } catch (fault) {
      failed(fault);
    }
  }

  show(words, hits) {
    this.found.hidden = false;
    say(`${hits.length} found in the archive`);
    fill(
      this.found,
      h("div", { class: "row between" }, h("h2", {}, hits.length ? `In the archive: “${words}”` : `The archive holds nothing with “${words}”`), button("", () => (this.found.hidden = true), { kind: "quiet", symbol: "close", "aria-label": "Close" })),
      h("ul", {}, hits.map((hit) => h("li", {}, h("p", { class: "found-title" }, h("span", { class: "tag" }, hit.kind), " ", hit.title || "Untitled"), h("p", { class: "found-text" }, hit.snippet), h("p", { class: "found-when" }, whole(hit.date))))),
    );
  }
}
