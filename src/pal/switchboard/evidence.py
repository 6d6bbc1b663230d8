"""What a step must show, checked by code: files that exist and changed, checks that ran, findings that can be counted.

One function a kind; each says what it found, or raises E_EVIDENCE with what is missing and how to bring it."""

from __future__ import annotations

import os

from pal.base import clock, files, redaction, text
from pal.switchboard import active, planfiles, rights, shape, tree
from pal.switchboard.errors import Refused, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pal.switchboard.desk import Desk
    from pal.switchboard.runs import Run
    from pal.switchboard.tree import Tree

    Shown = dict[str, Any]

NO_CHECKER = "no checker:"
FINDINGS = 5  # in a critique
PER_FILE = 3  # findings for each changed file
HEADINGS = ("summary of review", "valid concerns", "action plan", "dismissed points")
REVIEW_FILES = (".switchboard/reviews/grumpy_critique.md", ".switchboard/reviews/balanced_review.md")
_GRAVE = ("CRITICAL", "MAJOR", "NIT")
_SHORTEST = 20  # characters of a report that says something
_LARGEST = 10 * 1024 * 1024
_KEPT = 2_000  # characters of a report that are recorded
_COUNTED = 20  # changed files whose findings are counted one by one
_SLACK = 2.0  # seconds by which a file system's clock may be behind


class Gate:
    """One report on one step: who reports, what they say, and what PAL itself has seen meanwhile."""

    __slots__ = ("changed", "desk", "files", "log", "notes", "run", "tree")

    def __init__(
        self, desk: Desk, run: Run, notes: str, named: Sequence[str], log: list[Shown], now: Tree,
        changed: list[str] | None,
    ) -> None:  # fmt: skip
        self.desk = desk
        self.run = run
        self.notes = notes.strip()
        self.files = list(named)
        self.log = log
        self.tree = now
        self.changed = changed  # below the worktree, since the start; None when nobody can tell

    def path(self, named: str, temp: bool = False) -> str:
        """The absolute path of a file that exists inside the project; E_EVIDENCE for any other."""
        place = self.desk.workspace
        for base in (self.run.worktree or place.root, place.root):
            path = os.path.normpath(os.path.join(base, os.path.expanduser(named)))
            inside = any(rights.within(path, top) for top in (place.root, self.run.worktree or place.root))
            if not inside and temp:
                import tempfile

                inside = bool(rights.within(path, tempfile.gettempdir()))
            if inside and os.path.isfile(path):
                return path
        raise lacking(
            f"there is no file {named} in the project", "name files that are there, by their path in the project"
        )


def lacking(sentence: str, hint: str, **data: Any) -> Refused:
    return refused("E_EVIDENCE", sentence, hint, **data)


def notes(gate: Gate) -> Shown:
    if len(gate.notes) < _SHORTEST:
        raise lacking("this step is reported in words", "put what you did and found into the notes")
    return {"notes": text.clip(redaction.scrub(gate.notes), _KEPT)}


def nothing(gate: Gate) -> Shown:
    return {"notes": text.clip(redaction.scrub(gate.notes), _KEPT)} if gate.notes else {}


def target(gate: Gate) -> Shown:
    if gate.files and not gate.run.target_path:
        from pal.switchboard import runs

        gate.path(gate.files[0])
        runs.pin(gate.desk, gate.run, gate.files[0])
    if not gate.run.target_path:
        raise lacking("no plan is pinned", "give the plan's path as the first artifact of this step")
    return {"target": gate.run.target_path, "plan": gate.run.plan_id}


def reads(gate: Gate) -> Shown:
    if not gate.files:
        raise lacking("this step names what was read", "give the paths as artifacts")
    paths = [gate.path(named) for named in gate.files]
    seen = [row for row in gate.log if row.get("kind") in ("read", "shell", "search")]
    unseen = [named for named, path in zip(gate.files, paths) if not any(_touches(row, path) for row in seen)]
    if seen and len(unseen) == len(paths):
        raise lacking("none of these files was read during this run", "read them, then report again", files=unseen)
    return {"read": gate.files, "unverified": unseen} if unseen else {"read": gate.files}


def _touches(row: Shown, path: str) -> bool:
    said = str(row.get("target") or "")
    return said == path or os.path.basename(path) in said


def checked(gate: Gate) -> Shown:
    """The last run of each check passed, and no file has changed since. Where a project has none, that must be said."""
    rows = [row for row in gate.log if row.get("kind") == "check"]
    if not rows:
        at = gate.notes.lower().find(NO_CHECKER)
        reason = gate.notes[at + len(NO_CHECKER) :].strip() if at >= 0 else ""
        if len(reason) >= _SHORTEST:
            return {"checked": "none", "reason": text.clip(redaction.scrub(reason), 400)}
        raise lacking(
            "no check is on record for this run",
            f"run it as `pal sb wf check --run {gate.run.run_id} -- COMMAND`; where the project has none, report "
            f"`{NO_CHECKER}` and why",
        )
    last = {str(row.get("target")): row for row in rows}
    digest = tree.digest(gate.tree)
    fresh = [row for row in last.values() if not digest or row.get("tool") == digest]
    if not fresh:
        raise lacking("files changed after the last check", "run the check again, then report")
    failed = [f"{row.get('target')} (exit {row.get('exit')})" for row in fresh if row.get("exit") != 0]
    if failed:
        raise lacking(
            f"a check failed: {'; '.join(failed)}", "mend it and run the check again; twice in vain: tell the user"
        )
    shown = {"checked": [str(row.get("target")) for row in fresh]}
    return shown if digest else {**shown, "unverified": ["whether files changed since"]}


def findings(gate: Gate) -> Shown:
    said = [gate.notes]
    for named in gate.files:
        said.append(files.read_text(gate.path(named)) or "")
    lines = [line for line in "\n".join(said).split("\n") if line.strip()]
    if gate.changed is None:
        if len(lines) < PER_FILE:
            raise lacking(f"at least {PER_FILE} findings are needed", "name each with its file and line")
        return {"findings": len(lines), "unverified": ["which files changed"]}
    counts = {}
    for path in gate.changed[:_COUNTED]:
        name = os.path.basename(path)
        counts[path] = sum(
            1 for line in lines if name in line and any(char.isdigit() for char in line.replace(name, ""))
        )
    few = [f"{path} ({number})" for path, number in counts.items() if number < PER_FILE]
    if few:
        raise lacking(
            f"each changed file needs {PER_FILE} findings with a line number; too few for {', '.join(few[:8])}",
            "one finding a line, as `path:line what can go wrong`", files=few,
        )  # fmt: skip
    return {"findings": sum(counts.values()), "files": len(counts)}


def marker(gate: Gate) -> Shown:
    if active.MARKER not in gate.notes:
        raise lacking("the closing words are missing", f"end the notes with **{active.MARKER}**, once it is true")
    return {"marker": active.MARKER}


def reviews(gate: Gate) -> Shown:
    paths = [gate.path(named) for named in (gate.files or REVIEW_FILES)]
    if len(set(paths)) != 2:
        raise lacking("this step leaves two files", "give the critique and the weighing as artifacts")
    since = clock.parse(gate.run.started_at) - _SLACK
    stale = [path for path in paths if files.modified(path) < since]
    if stale:
        raise lacking(
            f"{os.path.basename(stale[0])} is older than this run", "write it anew; an old review does not count"
        )
    bodies = [files.read_text(path) or "" for path in paths]
    weighing = max(bodies, key=_headings_in)
    critique = bodies[1 - bodies.index(weighing)]
    missing = [name for name in HEADINGS if name not in _titles(weighing)]
    if missing:
        raise lacking(f"the weighing has no heading {', '.join(missing)}", "it has four: " + ", ".join(HEADINGS))
    found = graded(critique)
    if len(found) < FINDINGS:
        raise lacking(
            f"the critique has {len(found)} findings, at least {FINDINGS} are needed",
            "begin each on a line of its own with CRITICAL, MAJOR or NIT",
        )
    return {"critique": gate.desk.workspace.relative(paths[bodies.index(critique)]), "findings": len(found)}


def graded(critique: str) -> list[str]:
    """The distinct lines that begin with a grade, whatever list sign or emphasis stands before it."""
    found: dict[str, None] = {}
    for line in critique.split("\n"):
        bare = line.lstrip(" \t-*+#>[(_.0123456789)|")
        if bare.startswith(_GRAVE) and len(bare) > 12:
            found[" ".join(bare.lower().split())] = None
    return list(found)


def _titles(body: str) -> list[str]:
    return [line.lstrip("# ").strip(" *:").lower() for line in body.split("\n") if line.lstrip().startswith("#")]


def _headings_in(body: str) -> int:
    return len(set(HEADINGS).intersection(_titles(body)))


def plan(gate: Gate) -> Shown:
    run, place = gate.run, gate.desk.workspace
    if not run.target_path:
        raise lacking(
            "no plan is pinned", f"start {run.workflow} again with the plan's session id or path, then edit it"
        )
    if gate.files and os.path.realpath(gate.path(gate.files[0])) != os.path.realpath(place.at(run.target_path)):
        raise lacking(f"this run is about {run.target_path}", "report that file as the artifact")
    before = run.snapshot.get("plan")
    now = shape.of(planfiles.read(place.at(run.target_path))[0])
    if not before:
        return {"plan": run.target_path, "unverified": ["what stood in the plan before"]}
    if now["sha"] == before["sha"]:
        raise lacking(f"{run.target_path} has not changed since the run began", "write the result into it, then report")
    gone = shape.lost(before, now)
    if gone:
        raise lacking(
            f"the plan lost {', '.join(gone[:6])}", "put it back: what stood in the plan stays, outside its review",
            lost=gone,
        )  # fmt: skip
    return {"plan": run.target_path, "sha": now["sha"]}


def recommendation(gate: Gate) -> Shown:
    last = gate.notes.lower().rpartition("recommendation")[2]
    if "recommendation" not in gate.notes.lower() or "coder" not in last:
        raise lacking("the recommendation is missing", "end the notes with `Recommendation: Coder` or `… Lead Coder`")
    return {"recommendation": "Lead Coder" if "lead coder" in last else "Coder"}


def file(gate: Gate) -> Shown:
    if not gate.files:
        raise lacking("this step leaves a file", "give its path as the artifact")
    path = gate.path(gate.files[0], temp=True)
    size = os.stat(path).st_size
    if not 0 < size <= _LARGEST:
        raise lacking(f"{gate.files[0]} has {size:,} bytes", "it must hold something, and at most 10 MB")
    return {"file": path, "bytes": size}


def archived(gate: Gate) -> Shown:
    from pal.switchboard import archive_query

    listed = archive_query.query(gate.desk, "select id from conversations order by exported_at desc", 1000)
    found = [str(row[0]) for row in listed["rows"] if str(row[0]) in gate.notes]
    if not found:
        raise lacking(
            "no conversation of that id is in the archive", "put the id that export_conversation gave into the notes"
        )
    return {"archived": found[0]}


KINDS: dict[str, Callable[[Gate], Shown]] = {
    "none": nothing, "notes": notes, "target": target, "reads": reads, "checked": checked, "findings": findings,
    "marker": marker, "reviews": reviews, "plan": plan, "recommendation": recommendation, "file": file,
    "archived": archived,
}  # fmt: skip
