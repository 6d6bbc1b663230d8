// Runs: who follows which workflow, and how far it is.

import { get, post, stream } from "../lib/data.js";
import { button, fill, h, select } from "../lib/dom.js";
import { ask, failed, notice } from "../lib/notices.js";
import { age, whole } from "../lib/time.js";

const STATES = { active: "Under way", completed: "Completed", stopped: "Stopped", expired: "Given up" };

export const runs = {
  name: "runs",
  label: "Runs",
  symbol: "runs",
  open(place, frame) {
    const shown = select([["", "Every run"], ["active", "Under way"]], "", { "aria-label": "Which runs" });
    const list = h("ol", { class: "run-list", "aria-label": "Runs, newest first" });
    fill(place, frame.header("Runs", h("div", { class: "filters" }, shown)), list);
    shown.addEventListener("change", () => load());

    async function load() {
      try {
        const told = await get("/api/runs");
        const wanted = told.runs.filter((run) => !shown.value || run.state === shown.value);
        fill(list, wanted.map(row));
        if (!wanted.length) fill(list, h("li", { class: "empty" }, h("h2", {}, "No runs"), h("p", {}, "A run begins when an agent is asked for a workflow, such as ", h("code", {}, "/challenge"), ".")));
      } catch (fault) {
        if (fault.code !== "E_NOT_WORKSPACE") failed(fault);
        else fill(list, h("li", { class: "empty" }, h("h2", {}, "No board yet"), h("p", {}, "Runs belong to a project with a board.")));
      }
      frame.ready();
    }

    function row(run) {
      return h(
        "li",
        { class: "run", "data-state": run.state },
        h("p", { class: "run-head" }, h("strong", {}, run.workflow), h("span", { class: "run-state" }, STATES[run.state] || run.state), h("span", { class: "run-who" }, run.agent || "you"), h("time", { datetime: run.startedAt, title: whole(run.startedAt) }, age(run.startedAt))),
        run.args && h("p", { class: "run-args" }, run.args),
        h("ol", { class: "steps", "aria-label": `Step ${run.step} of ${run.of} done` }, run.steps.map((name, at) => h("li", { class: at < run.step ? "done" : at === run.step && run.state === "active" ? "now" : "" }, name))),
        run.target && h("p", { class: "mono path" }, run.target),
        run.state === "active" && h("p", { class: "row end" }, button("Stop", () => stop(run))),
      );
    }

    async function stop(run) {
      const answer = await ask("Stop this run?", h("p", {}, `${run.workflow} is at step ${run.step} of ${run.of}. The agent is not bound to it any more.`), [["Let it go on", null], ["Stop it", "stop", "primary"]]);
      if (!answer) return;
      try {
        await post("/api/stop", { run: run.run, reason: "stopped on the page" });
        notice(`Stopped: ${run.workflow}`);
        await load();
      } catch (fault) {
        failed(fault);
      }
    }

    const leave = stream("/api/live", {}, load, (state) => frame.link(state));
    load();
    return leave;
  },
};
