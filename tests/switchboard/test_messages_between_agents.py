"""Messages: what may be said, to whom it goes, that it arrives once, and that nobody can speak for another."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.switchboard import board, mailbox, messages, moves, roster, signing, store
from pal.switchboard.errors import Refused


def code(act):
    with pytest.raises(Refused) as refusal:
        act()
    return refusal.value.code


@pytest.fixture
def team(at):
    roster.register(at(session="s-rita", host="h1"), "Rita", "reviewer")
    roster.register(at(session="s-carl", host="h2"), "Carl", "coder")


@pytest.mark.parametrize("action", ["execute", "delegate_task", "delete_everything", "", "SUBMIT_RESULT"])
def test_two_actions_are_known_and_no_other(at, action):
    assert code(lambda: messages.send(at(), action, "x")) == "E_ACTION"


def test_a_former_action_is_told_where_plans_go_now(at):
    with pytest.raises(Refused, match="move_kanban_card"):
        messages.send(at(), "execute", "x")


def test_without_a_recipient_a_message_goes_to_the_person(at):
    sent = messages.send(at(session="s", host="h"), "status_update", "half way")
    assert (sent["recipient"], sent["sender"]) == ("user", "h")
    (got,) = mailbox.inbox(at())
    assert (got["id"], got["payload"], got["state"]) == (sent["id"], "half way", "new")


@pytest.mark.parametrize(
    ("words", "name"),
    [("Rita", "Rita"), ("rita", "Rita"), ("reviewer", "Rita"), ("the coder", "Carl"), ("USER", "user")],
)
def test_a_recipient_is_a_name_a_role_or_the_person(at, team, words, name):
    assert messages.send(at(), "status_update", "hi", words)["recipient"] == name


@pytest.mark.parametrize("words", ["Nobody", "lead", "planner", "board", "sess_1", "../Rita"])
def test_whoever_is_not_registered_gets_nothing(at, team, words):
    with pytest.raises(Refused) as refusal:
        messages.send(at(), "status_update", "hi", words)
    assert refusal.value.code == "E_NO_RECIPIENT"
    assert refusal.value.data["known"] == ["user", "Carl", "Rita"]


def test_of_several_holders_the_one_at_work_gets_it(at, team):
    roster.register(at(10, session="s-rob"), "Rob", "reviewer")
    assert messages.send(at(11), "status_update", "1", "reviewer")["recipient"] == "Rob"  # seen last
    roster.set_status(at(), "Rita", "working")
    assert messages.send(at(12), "status_update", "2", "reviewer")["recipient"] == "Rita"


def test_an_answer_goes_to_who_wrote(at, team):
    first = messages.send(at(session="s-carl"), "status_update", "ready?", "Rita")
    answer = messages.send(at(session="s-rita"), "status_update", "yes", in_reply_to=first["id"])
    assert (answer["sender"], answer["recipient"]) == ("Rita", "Carl")
    assert code(lambda: messages.send(at(), "status_update", "?", in_reply_to="msg_0_0")) == "E_NOT_FOUND"


def test_a_result_goes_to_whoever_moved_the_plan_there_and_suggests_the_next_move(at, team, plan):
    card = plan()
    moves.move(at(session="s-carl"), card["sessionId"], "reviewed")
    sent = messages.send(at(session="s-rita"), "submit_result", "looks good\nmore", plan=card["sessionId"])
    assert sent["recipient"] == "Carl"
    assert sent["suggestedMove"] == {"sessionId": card["sessionId"], "target": "Done", "rev": 2}
    assert board.find(at(), card["planId"])["column"] == "CODE REVIEWED"
    result = [event for event in board.log(at(), card["planId"]) if event["kind"] == "result"]
    assert result[0]["reason"] == "looks good"


def test_a_workflow_says_who_is_answered_and_who_must_be_there(at, team):
    assert messages.send(at(), "submit_result", "a", reply_role="reviewer")["recipient"] == "Rita"
    assert code(lambda: messages.send(at(), "submit_result", "b", requires_role="lead")) == "E_NO_RECIPIENT"
    assert code(lambda: messages.send(at(), "submit_result", "c", reply_role="lead")) == "E_NO_RECIPIENT"


def test_the_same_words_within_half_a_minute_are_one_message(at, team):
    first = messages.send(at(), "status_update", "hi", "Rita")
    again = messages.send(at(20), "status_update", "hi", "Rita")
    later = messages.send(at(31), "status_update", "hi", "Rita")
    other = messages.send(at(20), "status_update", "hi", "Carl")
    assert (again["id"], again["duplicate"]) == (first["id"], True)
    assert not later["duplicate"] and not other["duplicate"]


def test_a_key_makes_a_message_one_for_good(at):
    first = messages.send(at(), "status_update", "a", metadata={"idempotencyKey": "k"})
    assert messages.send(at(9999), "status_update", "b", metadata={"idempotencyKey": "k"})["id"] == first["id"]


def test_an_agent_may_not_flood_a_mailbox(at, team):
    for number in range(60):
        messages.send(at(session="s-carl"), "status_update", str(number), "Rita")
    with pytest.raises(Refused) as refusal:
        messages.send(at(session="s-carl"), "status_update", "one more", "Rita")
    assert (refusal.value.code, refusal.value.exit) == ("E_RATE", 5)
    assert 0 < refusal.value.data["retryAfter"] <= 61
    assert messages.send(at(61, session="s-carl"), "status_update", "later", "Rita")["id"]


def test_what_is_too_big_or_names_a_private_memory_is_refused(at, home, place, now):
    from pal.switchboard.desk import Desk

    assert code(lambda: messages.send(at(), "status_update", "x" * (64 * 1024 + 1))) == "E_SIZE"
    assert code(lambda: messages.send(at(), "status_update", " ")) == "E_SIZE"
    assert code(lambda: messages.send(at(), "status_update", f"see {home.memory}/icm/x")) == "E_LEAK"
    desk = Desk(home, place, now, private=("/home/user/.agent/memory",))
    assert code(lambda: messages.send(desk, "status_update", "read /HOME/user/.agent/memory/MEMORY.md")) == "E_LEAK"
    assert messages.send(desk, "status_update", "the memory of /home/user/.agent is full")["id"]


def test_the_payload_arrives_as_it_was_written(at):
    said = "/abs/path; rm -rf & <b>\n\ttab \u2028 🦉\n"
    messages.send(at(), "status_update", said)
    assert mailbox.inbox(at())[0]["payload"] == said


def test_a_secret_stays_in_the_message_and_out_of_the_history(at, place):
    secret = "ghp_" + "a1B2" * 9
    messages.send(at(), "status_update", f"token {secret}")
    assert secret in mailbox.inbox(at())[0]["payload"]
    assert secret not in Path(place.events).read_text("utf-8")


def test_a_claimed_message_is_taken_for_a_while_and_finished_once(at, team):
    sent = messages.send(at(), "status_update", "hi", "Rita")
    (mine,) = mailbox.inbox(at(session="s-rita"), claim=True)
    assert (mine["state"], mine["tries"]) == ("claimed", 1)
    assert mailbox.inbox(at(1, session="s-rita"), claim=True) == []
    assert mailbox.ack(at(2), sent["id"])["changed"]
    assert not mailbox.ack(at(3), sent["id"])["changed"]
    assert mailbox.inbox(at(4, session="s-rita")) == []
    assert mailbox.inbox(at(4, session="s-rita"), box="all")[0]["state"] == "done"
    assert code(lambda: mailbox.ack(at(), "msg_0_0")) == "E_NOT_FOUND"


def test_a_lease_that_ends_gives_the_message_back_five_times(at, team, sound):
    messages.send(at(), "status_update", "hi", "Rita")
    for tried in range(5):
        (mine,) = mailbox.inbox(at(601.0 * tried, session="s-rita"), claim=True)
        assert mine["tries"] == tried + 1
    assert mailbox.inbox(at(601.0 * 5, session="s-rita"), claim=True) == []
    assert mailbox.inbox(at(0, session="s-rita"), box="all")[0]["state"] == "failed"
    sound()


def test_reading_claims_nothing(at):
    messages.send(at(), "status_update", "hi")
    before = store.revision(at().workspace)
    assert mailbox.inbox(at())[0]["state"] == "new" == mailbox.inbox(at())[0]["state"]
    assert store.revision(at().workspace) == before
    assert mailbox.unread(at()) == {"user": 1}


def test_what_nobody_read_is_set_aside_and_never_deleted(at):
    kept = messages.send(at(), "status_update", "unread")
    done = messages.send(at(), "status_update", "read")
    mailbox.ack(at(), done["id"])
    assert mailbox.tidy(at(31 * 86400)) == {"expired": 1, "forgotten": 1}
    assert [each["id"] for each in mailbox.inbox(at(), box="all")] == [kept["id"]]


def test_lists_show_the_beginning_of_long_messages(at):
    messages.send(at(), "status_update", "x" * 500)
    short = mailbox.inbox(at(), verbose=False)[0]
    assert (len(short["payload"]), short["cut"]) == (200, 300)


def test_a_claimed_sender_counts_with_the_users_signature_only(at, home, now, team):
    signature = signing.sign(home, now, "status_update", "Carl", "Rita", "hi")
    sent = messages.send(at(), "status_update", "hi", "Rita", sender="Carl", signature=signature)
    assert sent["sender"] == "Carl"
    assert messages.send(at(session="s-x", host="h"), "status_update", "ho", "Rita", sender="Carl")["sender"] == "h"


@pytest.mark.parametrize(
    "fault", ["payload", "recipient", "sender", "action", "mac", "nonce", "old", "new", "used", "{}"]
)
def test_a_signature_is_for_one_message_once(at, home, now, team, fault):
    said = {"action": "status_update", "sender": "Carl", "recipient": "Rita", "payload": "hi"}
    signature = signing.sign(home, now, said["action"], said["sender"], said["recipient"], said["payload"])
    if fault in said:
        said[fault] = {"recipient": "Carl", "action": "submit_result", "sender": "Rita"}.get(fault, "other")
    elif fault in signature:
        signature[fault] = "0" * 32
    elif fault == "{}":
        signature = {}
    later = {"old": 301, "new": -301}.get(fault, 0)

    def send(extra=0):
        return messages.send(at(later + extra), said["action"], said["payload"], said["recipient"],
                             sender=said["sender"], signature=signature)  # fmt: skip

    if fault == "used":
        send()
        said["recipient"] = "Rita"
    assert code(lambda: send(40 if fault == "used" else 0)) == "E_READONLY"


def test_the_key_is_the_users_alone(home):
    key = signing.key(home)
    assert len(key) >= 32 and signing.key(home) == key
    if os.name == "posix":
        assert os.stat(home.switchboard_key).st_mode & 0o077 == 0


def drop(place, agent, name, value):
    folder = os.path.join(place.inbox, agent, "drop")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
        stream.write(value if isinstance(value, str) else json.dumps(value))


def test_an_agent_without_tools_drops_a_file(at, place, team):
    drop(place, "Carl", "1.json", {"action": "status_update", "payload": "done", "recipient": "Rita", "sender": "Rita"})
    (got,) = mailbox.inbox(at(session="s-rita"))
    assert (got["sender"], got["payload"], got["metadata"]["via"]) == ("Carl", "done", "drop")
    assert os.listdir(os.path.join(place.inbox, "Carl", "drop")) == []
    assert os.listdir(os.path.join(place.inbox, "Carl", "taken")) == []
    assert len(mailbox.inbox(at(session="s-rita"))) == 1


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{torn", "not JSON"),
        ("[]", "not a JSON object"),
        ({"action": "execute", "payload": "x"}, "not 'execute'"),
        ({"action": "status_update", "payload": ["x"]}, "are texts"),
        ({"action": "status_update", "payload": "x", "recipient": "Nobody"}, "nobody is registered"),
        ({"action": "status_update", "payload": "x", "signature": {"mac": "0"}, "sender": "Rita"}, "not signed"),
    ],
)
def test_what_is_no_message_is_kept_with_the_reason(at, place, value, reason):
    drop(place, "Carl", "1.json", value)
    assert reason in mailbox.collect(at())[0]
    bad = os.path.join(place.inbox, "Carl", "bad")
    assert sorted(os.listdir(bad)) == ["1.json", "1.json.reason"]
    assert mailbox.collect(at()) == []


def test_a_drop_whose_taker_died_comes_once(at, place, team):
    drop(place, "Carl", "1.json", {"action": "status_update", "payload": "done", "recipient": "Rita"})
    mailbox.collect(at())
    drop(place, "Carl", "1.json", {"action": "status_update", "payload": "done", "recipient": "Rita"})
    taken = os.path.join(place.inbox, "Carl", "taken", "1.json")
    os.rename(os.path.join(place.inbox, "Carl", "drop", "1.json"), taken)
    os.utime(taken, (at().now - 601, at().now - 601))
    mailbox.collect(at(700))
    assert len(mailbox.inbox(at(session="s-rita"))) == 1
    assert not os.path.exists(taken)


def test_the_roster_knows_agents_roles_and_the_person(at, team):
    shown = roster.roster(at())
    assert [each["name"] for each in shown["agents"]] == ["Carl", "Rita", "user"]
    assert {each["role"] for each in shown["roles"] if each["held"]} == {"coder", "reviewer"}
    assert code(lambda: roster.set_status(at(), "Nobody", "idle")) == "E_NO_RECIPIENT"
    assert code(lambda: roster.set_status(at(), "Rita", "dancing")) == "E_TARGET"
    assert code(lambda: roster.register(at(), "X", "king")) == "E_TARGET"
    roster.remove(at(), "Rita")
    assert code(lambda: roster.remove(at(), "Rita")) == "E_NO_RECIPIENT"
