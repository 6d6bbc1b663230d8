"""Runs: started once, followed step by step with what each must show, stopped, given up, and never loosened."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pal.switchboard import active, board, checks, evidence, registry, runs, steps, store, tree
from pal.switchboard.errors import Refused

CRITIQUE = "\n".join(f"- **{grade}** app.py:{at} way {at}" for at, grade in enumerate(("CRITICAL", "MAJOR", "NIT") * 2))
WEIGHING = "\n".join(f"## {name.title()}\n\nSaid.\n" for name in evidence.HEADINGS)
LONG = "read the module, its tests and whoever calls it; nothing else uses it"


@pytest.fixture
def repository(project):
    """The project under git, with one file committed."""
    (project / "app.py").write_text("x = 1\n", encoding="utf-8")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=U", "-c", "user.email=u@x", "commit", "-qm", "first"],
    ):
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)
    return project


@pytest.fixture
def begin(home, at):
    """begin("accuracy", "args", …): a run of session s-000001."""

    def start(name, args="", target="", force=False, later=0.0, session="s-000001"):
        return runs.start(at(later, session=session, host="agent"), registry.load(home, name), args, target, force)

    return start


@pytest.fixture
def report(at):
    """report(2, notes=…): what reporting that step gave."""

    def complete(number, later=0.0, **more):
        return steps.complete(at(later, session="s-000001", host="agent"), number, **more)

    return complete


def refusal(act, *given, **more):
    with pytest.raises(Refused) as found:
        act(*given, **more)
    return found.value


def note(home, run, kind, target, now, when="pre", tool="Tool", exit=None):
    active.note(home, run.run_id, when, kind, tool, str(target), exit, now)


# Starting and stopping


def test_a_start_is_on_record_and_hooks_know_of_it(home, begin, at, now):
    run, new = begin("accuracy", "fix it")
    assert new and run.state == "active" and run.next.name == "context"
    row = active.of(home, "s-000001", now)
    assert (row["run"], row["workflow"], row["step"]) == (run.run_id, "accuracy", 0)
    with store.Reading(at().workspace) as db:
        assert [kind for (kind,) in db.execute("select kind from events")] == ["run_started"]


def test_the_same_start_twice_is_one_run(begin, at):
    first, _ = begin("challenge", "sess_x")
    again, new = begin("challenge", "sess_x", later=3)
    assert (again.run_id, new) == (first.run_id, False)
    assert len(runs.listing(at(), every=True)) == 1


def test_another_workflow_waits_until_this_one_is_over(begin):
    run, _ = begin("challenge")
    fault = refusal(begin, "improve-plan")
    assert (fault.code, fault.exit) == ("E_BUSY", 5)
    assert "step 1 of 5" in str(fault) and run.run_id in str(fault)


@pytest.mark.parametrize(("before", "after", "force"), [("challenge", "archive", True), ("chat", "challenge", False),
                                                        ("challenge", "accuracy", False)])  # fmt: skip
def test_force_a_workflow_without_gates_and_one_that_starts_with_force_make_room(begin, at, before, after, force):
    begin(before)
    run, new = begin(after, force=force)
    assert new
    states = {each.workflow: each.state for each in runs.listing(at(), every=True)}
    assert states == {before: "stopped", after: "active"}
    assert run.workflow == after


def test_two_sessions_follow_two_workflows(begin, at):
    begin("challenge", session="s-000001")
    begin("improve-plan", session="s-000002")
    assert len(runs.listing(at())) == 2
    assert runs.current(at(session="s-000002")).workflow == "improve-plan"


def test_stopping_is_always_allowed_and_hooks_forget(home, begin, at, now):
    run, _ = begin("challenge")
    stopped = runs.stop(at(session="s-000001"), reason="enough")
    assert (stopped.run_id, stopped.state) == (run.run_id, "stopped")
    assert not os.path.exists(home.switchboard_active)
    assert runs.stop(at(), run.run_id).state == "stopped", "a second stop changes nothing"
    assert refusal(runs.stop, at(session="s-000001")).code == "E_STEP"


def test_a_run_that_nobody_works_on_is_given_up_after_twelve_hours(home, begin, at, now):
    run, _ = begin("challenge")
    later = 12 * 3600 + 1
    assert active.of(home, "s-000001", now + later) is None
    assert refusal(runs.current, at(later, session="s-000001")).code == "E_STEP"
    begin("archive", later=later)
    assert runs.current(at(later), run.run_id).state == "expired"


def test_the_end_of_a_session_gives_its_run_up(begin, at):
    run, _ = begin("challenge")
    runs.leave(at(), "s-000001")
    assert runs.current(at(), run.run_id).state == "expired"


def test_a_run_is_found_by_its_id_its_session_or_as_the_only_one_of_its_workflow(begin, at):
    run, _ = begin("challenge")
    assert runs.current(at(session="elsewhere"), workflow="challenge").run_id == run.run_id
    begin("challenge", session="s-000002")
    assert refusal(runs.current, at(session="elsewhere"), workflow="challenge").code == "E_AMBIGUOUS"
    assert runs.current(at(session="elsewhere"), run.run_id).run_id == run.run_id
    assert refusal(runs.current, at(), run.run_id, "accuracy").code == "E_STEP"
    assert refusal(runs.current, at(), "run_0").code == "E_NOT_FOUND"


def test_a_board_that_is_gone_binds_nobody(home, begin, place, now):
    import shutil

    begin("challenge")
    assert active.of(home, "s-000001", now) is not None
    shutil.rmtree(place.folder)
    assert active.of(home, "s-000001", now) is None


def test_a_home_that_cannot_be_written_costs_the_rail_not_the_run(home, begin, monkeypatch, at):
    def full(*given, **more):
        raise OSError("no room")

    monkeypatch.setattr(active, "put", full)
    run, new = begin("challenge")
    assert new and runs.current(at(), run.run_id).state == "active"


# Order


def test_steps_come_in_order_and_a_jump_needs_a_reason_that_stays_on_record(begin, report, at):
    run, _ = begin("accuracy")
    assert refusal(report, 2, notes=LONG).data == {"expected": 1}
    assert refusal(report, 6, notes=LONG).code == "E_STEP"
    answer = report(2, notes=LONG, skip="the user gave the context")
    assert (answer["step"], answer["next"]["phase"]) == (2, 3)
    assert [each["skipped"] for each in steps.history(at(), run)] == ["the user gave the context", ""]
    assert refusal(report, 2, notes=LONG).code == "E_STEP"


def test_the_number_of_recorded_steps_is_where_the_run_stands(begin, report, at):
    run, _ = begin("accuracy")
    report(1, notes=LONG)
    report(2, notes=LONG)
    with store.Reading(at().workspace) as db:
        (rows,) = db.execute("select count(*) from run_steps where run_id = ?", (run.run_id,)).fetchone()
    assert rows == runs.current(at(), run.run_id).step == 2


def test_a_workflow_without_gates_may_be_finished_at_once(begin, report):
    begin("chat")
    assert report(4)["state"] == "completed"


def test_a_turbo_step_closes_with_the_next_report(home, begin, report, at, now):
    text = registry.shipped("accuracy").replace("## 1. Context", "// turbo\n\n## 1. Context")
    os.makedirs(home.switchboard_workflows)
    with open(os.path.join(home.switchboard_workflows, "accuracy.md"), "w", encoding="utf-8") as stream:
        stream.write(text)
    run, _ = begin("accuracy")
    assert report(2, notes=LONG)["step"] == 2
    assert steps.history(at(), run)[0]["skipped"] == "with step 2"


def test_a_run_keeps_the_gates_it_began_with(home, begin, report):
    begin("challenge")
    os.makedirs(home.switchboard_workflows)
    loose = registry.shipped("challenge").replace("scope: target", "scope: none")
    with open(os.path.join(home.switchboard_workflows, "challenge.md"), "w", encoding="utf-8") as stream:
        stream.write(loose)
    assert refusal(report, 1).code == "E_EVIDENCE"


# What steps must show


@pytest.mark.parametrize("said", ["", "ok", "          done          "])
def test_a_report_in_words_says_something(begin, report, said):
    begin("accuracy")
    assert refusal(report, 1, notes=said).code == "E_EVIDENCE"


def test_secrets_in_a_report_are_not_kept(begin, report, at):
    run, _ = begin("accuracy")
    report(1, notes="I found the key ghp_" + "a1B2c3D4e5" * 4 + " in the settings of the module")
    assert "ghp_" not in str(steps.history(at(), run))


def test_a_challenge_from_the_first_step_to_the_last(home, repository, begin, report, plan, place, at, now):
    made = plan("Fix the login")
    run, _ = begin("challenge", "--self " + made["sessionId"])
    assert run.target_path == made["planFile"]
    report(1)
    fault = refusal(report, 2)
    assert fault.code == "E_EVIDENCE" and "artifacts" in str(fault)
    assert refusal(report, 2, files=["nowhere.py"]).code == "E_EVIDENCE"
    note(home, run, "read", repository / "other.py", now)
    assert "was read" in str(refusal(report, 2, files=["app.py"])), "the tools of this session did not read it"
    note(home, run, "shell", "cat app.py", now)
    report(2, files=["app.py"])
    os.makedirs(place.reviews)
    paths = [os.path.join(place.reviews, name) for name in ("grumpy_critique.md", "balanced_review.md")]
    for path, text in zip(paths, (CRITIQUE, WEIGHING)):
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    assert report(3)["shown"]["findings"] == 6
    report(4, notes="the user knows both paths and three findings")
    target = repository / made["planFile"]
    assert "has not changed" in str(refusal(report, 5))
    whole = target.read_text(encoding="utf-8")
    target.write_text(whole.replace("## Goal", "## Aim") + "\n## Review\n\nNew.\n", encoding="utf-8")
    assert refusal(report, 5).data["lost"] == ["the heading 'goal'"]
    target.write_text(whole + "\n## Review\n\nNew.\n", encoding="utf-8")
    answer = report(5, files=[made["planFile"]])
    assert (answer["state"], answer["skipped"]) == ("completed", [])
    assert not os.path.exists(home.switchboard_active)
    assert board.find(at(), made["planId"])["column"] == "CREATED", "a challenge moves nothing"


@pytest.mark.parametrize(
    ("critique", "weighing", "why"),
    [
        (CRITIQUE.split("\n", 2)[0], WEIGHING, "at least 5"),
        ("\n".join(["- CRITICAL app.py:1 the same way"] * 9), WEIGHING, "at least 5"),
        (CRITIQUE, WEIGHING.replace("## Action Plan", "Action Plan"), "action plan"),
    ],
)
def test_reviews_are_counted_not_believed(begin, report, plan, place, critique, weighing, why):
    begin("challenge", plan()["sessionId"])
    os.makedirs(place.reviews)
    for name, text in (("a.md", critique), ("b.md", weighing)):
        with open(os.path.join(place.reviews, name), "w", encoding="utf-8") as stream:
            stream.write(text)
    named = [".switchboard/reviews/a.md", ".switchboard/reviews/b.md"]
    assert why in str(refusal(report, 3, files=named, skip="straight to the review"))


def test_an_old_review_does_not_count(begin, report, plan, place, now):
    begin("challenge", plan()["sessionId"])
    os.makedirs(place.reviews)
    for name, text in (("grumpy_critique.md", CRITIQUE), ("balanced_review.md", WEIGHING)):
        path = os.path.join(place.reviews, name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.utime(path, (now - 3600, now - 3600))
    assert "older than this run" in str(refusal(report, 3, skip="straight to the review"))


def test_a_plan_is_pinned_once_and_for_all(begin, report, plan):
    one, other = plan("One"), plan("Other")
    run, _ = begin("improve-plan")
    assert run.target_path == ""
    assert "no plan is pinned" in str(refusal(report, 1, notes="Recommendation: Coder"))
    again, new = begin("improve-plan", target=one["sessionId"], later=2)
    assert (again.run_id, new, again.target_path) == (run.run_id, False, one["planFile"])
    assert "is about" in str(refusal(report, 1, notes="Recommendation: Coder", files=[other["planFile"]]))


def test_an_improved_plan_moves_to_planned_by_itself(begin, report, plan, project, at):
    made = plan()
    begin("improve-plan", made["sessionId"])
    path = project / made["planFile"]
    path.write_text(path.read_text(encoding="utf-8") + "\n## Verification Plan\n\nmake test\n", encoding="utf-8")
    assert "recommendation" in str(refusal(report, 1))
    answer = report(1, notes="All gaps are closed.\n\nRecommendation: Lead Coder")
    assert answer["shown"]["recommendation"] == "Lead Coder"
    assert answer["moved"]["to"] == "PLAN REVIEWED"
    assert board.find(at(), made["planId"])["column"] == "PLAN REVIEWED"


def test_a_card_that_somebody_moved_meanwhile_stays_there(begin, report, plan, project, at):
    from pal.switchboard import moves

    made = plan()
    begin("improve-plan", made["sessionId"])
    moves.move(at(), made["planId"], "reviewed")
    path = project / made["planFile"]
    path.write_text(path.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    assert report(1, notes="Recommendation: Coder")["moved"]["changed"] is False
    assert board.find(at(), made["planId"])["column"] == "CODE REVIEWED"


def test_a_check_counts_when_it_ran_passed_and_nothing_changed_since(repository, begin, report, at):
    begin("accuracy")
    report(1, notes=LONG)
    report(2, notes=LONG)
    assert "no check is on record" in str(refusal(report, 3, notes="all tests pass, I promise"))
    desk = at(session="s-000001", host="agent")
    python = [sys.executable, "-c"]
    assert checks.perform(desk, [*python, "raise SystemExit(3)"], str(repository), os.environ)["exit"] == 3
    assert "a check failed" in str(refusal(report, 3))
    checks.perform(desk, [*python, "pass"], str(repository), os.environ)
    assert "exit 3" in str(refusal(report, 3)), "the other check is still red"
    (repository / "app.py").write_text("x = 2\n", encoding="utf-8")
    assert "files changed after" in str(refusal(report, 3))
    checks.perform(desk, [*python, "pass"], str(repository), os.environ)
    shown = report(3)["shown"]
    assert shown["checked"] == [" ".join([*python, "pass"])]
    few = "\n".join(f"app.py:{line} may fail" for line in range(1, 3))
    assert refusal(report, 4, notes=few).data["files"] == ["app.py (2)"]
    report(4, notes=few + "\napp.py:3 an empty list")
    assert "closing words" in str(refusal(report, 5))
    assert report(5, notes="**ACCURACY VERIFICATION COMPLETE**")["state"] == "completed"


def test_a_project_without_a_check_must_say_so_and_why(repository, begin, report):
    begin("accuracy")
    report(2, notes=LONG, skip="done before in this session")
    assert refusal(report, 3, notes="no checker: none").code == "E_EVIDENCE"
    shown = report(3, notes="no checker: this project is two text files and has no tests")["shown"]
    assert shown["checked"] == "none" and "two text files" in shown["reason"]


def test_an_export_shows_its_file_and_the_id_that_the_archive_gave(begin, report, at, tmp_path):
    from pal.switchboard import export

    begin("export")
    path = tmp_path / "conversation_export_1.md"
    path.write_text("# Talk\n\nhello\n", encoding="utf-8")
    assert refusal(report, 1).code == "E_EVIDENCE"
    report(1, files=[str(path)])
    assert refusal(report, 2, notes="stored as 1234").code == "E_EVIDENCE"
    kept = export.export(at(), "# Talk\n\nhello\n")
    identity = next(value for name, value in kept.items() if name in ("id", "conversationId"))
    assert report(2, notes=f"stored as {identity}")["state"] == "completed"


# What was written all the same


def test_a_write_that_the_workflow_does_not_allow_holds_the_step_up(home, repository, begin, report, plan, at, now):
    run, _ = begin("challenge", plan()["sessionId"])
    (repository / "app.py").write_text("x = 9\n", encoding="utf-8")
    fault = refusal(report, 1)
    assert (fault.code, fault.data["files"]) == ("E_VIOLATION", ["app.py"])
    with store.Reading(at().workspace) as db:
        assert db.execute("select count(*) from events where kind = 'violation'").fetchone() == (1,)
    answer = report(1, accept=True)
    assert answer["shown"]["accepted"] == ["app.py"]
    report(2, files=["app.py"])


def test_what_somebody_else_changed_meanwhile_is_not_held_against_the_session(
    home, repository, begin, report, plan, now
):
    run, _ = begin("challenge", plan()["sessionId"])
    note(home, run, "read", repository / "app.py", now)
    (repository / "app.py").write_text("x = 9\n", encoding="utf-8")
    report(1)
    note(home, run, "edit", repository / "app.py", now)
    assert refusal(report, 2, files=["app.py"]).code == "E_VIOLATION"


def test_a_shell_command_may_have_written_anything(home, repository, begin, report, plan, now):
    run, _ = begin("challenge", plan()["sessionId"])
    note(home, run, "shell", "./configure", now)
    (repository / "app.py").write_text("x = 9\n", encoding="utf-8")
    assert refusal(report, 1).code == "E_VIOLATION"


def test_a_commit_hides_nothing(repository, begin, report, plan):
    begin("challenge", plan()["sessionId"])
    (repository / "app.py").write_text("x = 9\n", encoding="utf-8")
    subprocess.run(
        ["git", "-c", "user.name=U", "-c", "user.email=u@x", "commit", "-qam", "quietly"], cwd=repository, check=True
    )
    assert refusal(report, 1).data["files"] == ["app.py"]


def test_another_plan_is_nobodys_business(begin, report, plan, project):
    mine, other = plan("Mine"), plan("Other")
    begin("challenge", mine["sessionId"])
    path = project / other["planFile"]
    path.write_text(path.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    assert refusal(report, 1).data["files"] == [other["planFile"]]


@pytest.mark.parametrize("git", [True, False])
def test_a_tree_knows_what_changed_was_added_and_went(tmp_path, git):
    folder = tmp_path / "tree"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_text(name, encoding="utf-8")
    if git:
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=U", "-c", "user.email=u@x", "commit", "-qm", "x"],
        ):
            subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    before = tree.take(str(folder))
    assert tree.differing(before, tree.take(str(folder)), str(folder)) == []
    (folder / "a").write_text("another", encoding="utf-8")
    (folder / "d").write_text("d", encoding="utf-8")
    (folder / "b").unlink()
    assert tree.differing(before, tree.take(str(folder)), str(folder)) == ["a", "b", "d"]
    assert tree.digest(before) != tree.digest(tree.take(str(folder)))


def test_a_tree_too_big_to_look_at_is_unknown_and_the_step_says_so(monkeypatch, begin, report, plan):
    monkeypatch.setattr(tree, "_MOST_FILES", 0)
    begin("challenge", plan()["sessionId"])
    answer = report(1)
    assert any("which files changed" in words for words in answer["shown"]["unverified"])


def test_what_the_tools_did_stands_on_the_board(home, begin, report, at, now):
    run, _ = begin("accuracy")
    note(home, run, "shell", "make test", now)
    report(1, notes=LONG)
    note(home, run, "edit", "/p/a.py", now + 1, when="post")
    report(2, notes=LONG)
    with store.Reading(at().workspace) as db:
        rows = db.execute("select step, tool, target from tool_log order by id").fetchall()
    assert rows == [(1, "shell:Tool", "make test"), (2, "edit:Tool", "/p/a.py")]


def test_a_plan_that_is_not_on_the_board_can_be_challenged(begin, project):
    (project / "notes.md").write_text("# Notes\n", encoding="utf-8")
    run, _ = begin("challenge", "notes.md")
    assert (run.target_path, run.plan_id) == ("notes.md", "")
