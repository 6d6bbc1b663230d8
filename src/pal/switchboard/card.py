"""What an agent is told of a workflow: the card with its gates and the very next call, then the words to follow.

The card alone is enough to begin; the words come along where there is room, else the path where they can be read."""

from __future__ import annotations

from pal.base import text
from pal.switchboard import evidence, registry, rights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.switchboard.definition import Workflow
    from pal.switchboard.runs import Run

CARD = 1_800  # units of the card
LINE = 300  # units of what a later prompt is told
_SHOWS = {
    "none": "nothing to show", "notes": "your report", "target": "the plan's path", "reads": "the files you read",
    "checked": "a check that passed after the last edit (`pal sb wf check -- COMMAND`)",
    "findings": f"{evidence.PER_FILE} findings for each changed file", "marker": "the closing words",
    "reviews": f"both review files, {evidence.FINDINGS} findings, four headings",
    "plan": "the plan, changed and with nothing lost", "recommendation": "your recommendation", "file": "the file",
    "archived": "the archive id",
}  # fmt: skip


def render(home: Home, workflow: Workflow, run: Run | None, root: str, room: int, trouble: str = "") -> str:
    """The card, and the whole text behind it if it fits into `room` units. Without a run, `trouble` says why."""
    body, theirs = registry.wording(root, workflow)
    lines = [f"# Workflow: {workflow.name}", _begun(workflow, run, trouble)]
    lines.append(f"Text: {_provenance(workflow, theirs)}.")
    steps = [f"{step.number}. {step.name}: {_shown(step.evidence)}" for step in workflow.steps]
    lines += ["Steps, in this order; each is a gate that PAL checks:", *steps]
    place = rights.Place(root, root, workflow.writes, run.target_path if run else "")
    lines.append(f"May write: {place.said()}. Persona: {workflow.persona}.")
    if run is not None:
        lines.append(next_call(run))
        lines.append(
            f"To stop: `stop_workflow` or `pal sb wf stop {run.run_id}`. Answer the user only within this workflow."
        )
    card = text.clip("\n".join(lines), CARD)
    whole = f"{card}\n\n{body.strip()}"
    if text.units(whole) <= room:
        return whole
    where = theirs or workflow.path
    return f"{card}\n\nRead the whole text before you begin: " + (where or f"`pal sb wf show {workflow.name}`") + "."


def _begun(workflow: Workflow, run: Run | None, trouble: str) -> str:
    asked = f"The user asked for it. {workflow.summary}."
    if run is None:
        return (
            f"{asked}\nNo run is on record: {trouble}. Follow the steps all the same and say that nobody checked them."
        )
    about = f" about {run.target_path}" if run.target_path else ""
    return f"{asked}\nRun {run.run_id}{about} has begun; step {run.step + 1} of {len(run.steps)} is next."


def _provenance(workflow: Workflow, theirs: str) -> str:
    if theirs:
        return f"this project's wording ({theirs}); steps and gates are {_source(workflow)}, {workflow.sha}"
    return f"{_source(workflow)}, {workflow.sha}"


def _source(workflow: Workflow) -> str:
    return "the user's own" if workflow.source == "user" else "PAL's"


def _shown(kinds: tuple[str, ...]) -> str:
    return " and ".join([_SHOWS[kind] for kind in kinds])


def next_call(run: Run) -> str:
    """The one call that reports the step to do now."""
    step = run.next
    if step is None:
        return f"The run {run.run_id} is {run.state}."
    more = (
        ', artifacts=[{"path": …}]'
        if {"target", "reads", "reviews", "plan", "file"}.intersection(step.evidence)
        else ""
    )
    typed = f'pal sb wf step {step.number} --run {run.run_id} --notes "…"' + (" --file PATH" if more else "")
    return (
        f'When step {step.number} is done: `complete_workflow_phase(workflow="{run.workflow}", phase={step.number}, '
        f'run="{run.run_id}", notes="…"{more})`, or `{typed}`.'
    )


def reminder(row: dict[str, object]) -> str:
    """One line for a later prompt of a session that follows a workflow."""
    step = int(str(row.get("step") or 0)) + 1
    line = (
        f"Workflow {row.get('workflow')} is under way (run {row.get('run')}): step {step} of "
        f"{row.get('of')} ({row.get('name')}) is next. `complete_workflow_phase` reports it, `stop_workflow` ends it."
    )
    return text.clip(line, LINE)
