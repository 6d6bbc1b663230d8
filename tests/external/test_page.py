"""The page over HTTP: who gets what, what is refused and how, and that every write is the call the commands make."""

from __future__ import annotations

import http.client
import json
import os
import socket
import time

import pytest
from served_page import KEY, ServedPage

from pal.base import assets
from pal.base.home import Home
from pal.events import log
from pal.external import loopback, page, page_board, page_live
from pal.switchboard import board, cards, moves, registry, roster, runs, workspace
from pal.switchboard import messages as talk

READS = sorted(page_board.READS)
WRITES = sorted(page_board.WRITES)
GUARDED = [("GET", path) for path in [*READS, "/api/start", "/api/live", "/events"]] + [
    ("POST", path) for path in WRITES
]


@pytest.fixture
def served(home, tmp_path):
    with ServedPage(home, tmp_path / "harbor") as made:
        yield made


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """A page for requests that leave nothing behind."""
    folder = tmp_path_factory.mktemp("page")
    with ServedPage(Home(str(folder / "pal")), folder / "harbor") as made:
        yield made


# Who may ask


@pytest.mark.parametrize("method, path", GUARDED)
@pytest.mark.parametrize("key", [None, "", "another-word", KEY[:-1], KEY + "x", "é"], ids=repr)
def test_nothing_of_a_board_is_told_without_the_word(refusing, method, path, key) -> None:
    status, _, told = refusing.ask(
        method, path, {} if method == "POST" else None, key=key and key.encode().decode("latin-1")
    )
    assert (status, told["error"]["code"]) == (401, "E_TOKEN")


@pytest.mark.parametrize("path", ["/api/start", "/api/move", "/"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
    ids=str,
)
def test_another_site_is_turned_away_whatever_word_comes_along(refusing, path, headers) -> None:
    method = "POST" if path == "/api/move" else "GET"
    status, _, _ = refusing.ask(method, path, {} if method == "POST" else None, **headers)
    assert status == 403


def test_the_pages_own_origin_may_write(served) -> None:
    card = served.plan("One")
    own = f"http://localhost:{served.server.port}"
    status, _, told = served.ask("POST", "/api/move", {"id": card["planId"], "target": "planned"}, Origin=own)
    assert (status, told["to"]) == (200, "PLAN REVIEWED")


@pytest.mark.parametrize("method, path", [("POST", path) for path in READS] + [("GET", path) for path in WRITES])
def test_reading_is_get_and_writing_is_post(refusing, method, path) -> None:
    status, headers, _ = refusing.ask(method, path, {} if method == "POST" else None)
    assert status == 405
    assert headers["Allow"] == ("GET" if method == "POST" else "POST")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_site_is_no_write(refusing, kind) -> None:
    status, _, _ = refusing.ask("POST", "/api/move", b"{}", Content_Type=kind)
    assert status == 415


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"a":1', b"NaN"])
def test_a_body_that_is_no_object_is_refused(refusing, body) -> None:
    status, _, told = refusing.ask("POST", "/api/move", body, Content_Type="application/json")
    assert (status, told["error"]["code"]) == (400, "E_JSON")


@pytest.mark.parametrize(
    "path, fields",
    [
        ("/api/move", {}),
        ("/api/move", {"id": 7, "target": "done"}),
        ("/api/move", {"id": "x", "target": None}),
        ("/api/move", {"id": "x", "target": "done", "rev": "one"}),
        ("/api/move", {"id": "x", "target": "done", "rev": True}),
        ("/api/move", {"id": "x", "target": "done", "force": 1}),
        ("/api/edit", {"id": "x", "text": ["a"], "sha": ""}),
        ("/api/set", {"id": "x", "deps": "a"}),
        ("/api/set", {"id": "x", "deps": [1]}),
        ("/api/create", {"title": "\ud800"}),
        ("/api/send", {"text": {}}),
    ],
    ids=str,
)
def test_a_field_is_what_it_must_be(refusing, path, fields) -> None:
    status, _, told = refusing.post(path, **fields)
    assert (status, told["error"]["code"]) == (400, "E_JSON")
    assert not [note for note in refusing.notes if "Error" in note]


def test_a_body_beyond_the_largest_plan_is_refused_unread(refusing) -> None:
    with socket.create_connection((loopback.ADDRESS, refusing.server.port), timeout=20) as connection:
        head = f"POST /api/create HTTP/1.1\r\nHost: 127.0.0.1:{refusing.server.port}\r\n{page.TOKEN}: {KEY}\r\n"
        connection.sendall(f"{head}Content-Length: {page.BODY_LIMIT + 1}\r\n\r\n".encode())
        assert b" 413 " in connection.makefile("rb").readline()


# The page's own files


def test_every_file_of_the_page_is_served_shielded_and_with_its_kind(refusing) -> None:
    names = [name[len(page.FOLDER) :] for name in assets.names(page.FOLDER)]
    assert len(names) > 20
    for name in names:
        status, headers, body = refusing.ask("GET", "/" if name == "index.html" else f"/{name}", key=None)
        assert (status, body) == (200, assets.read(page.FOLDER + name))
        assert headers["Content-Security-Policy"].startswith("default-src 'self';")
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Type"].startswith(("text/html", "text/css", "text/javascript", "image/svg+xml"))


def test_a_file_that_has_not_changed_is_not_sent_again(refusing) -> None:
    _, headers, _ = refusing.ask("GET", "/app.js", key=None)
    status, _, body = refusing.ask("GET", "/app.js", key=None, If_None_Match=headers["ETag"])
    assert (status, body) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/../README.md",
        "/%2e%2e/README.md",
        "/..%2fREADME.md",
        "/lib/../../schema/pal-settings.schema.json",
        "/lib/..\\..\\schema",
        "//etc/passwd",
        "/lib",
        "/lib/",
        "/app.js/",
        "/index.html",
        "/app.js%00.css",
        "/web/app.js",
        "/.switchboard/board.db",
    ],
)
def test_no_name_leads_out_of_the_pages_files(refusing, path) -> None:
    assert refusing.ask("GET", path, key=None)[0] == 404


def test_the_page_asks_nothing_of_any_other_machine_and_holds_no_inline_script() -> None:
    for name in assets.names(page.FOLDER):
        text = assets.read(name).decode()
        addresses = [line for line in text.splitlines() if "http://" in line or "https://" in line]
        assert all("www.w3.org/2000/svg" in line or "https?:" in line for line in addresses), name
        assert "innerHTML" not in text and "eval(" not in text and "javascript:" not in text
    html = assets.read("web/index.html").decode()
    assert html.count("<script") == html.count("<script src=") + html.count('<script type="module" src=')
    assert " style=" not in html and " onclick" not in html


def test_every_module_is_fetched_ahead_so_that_none_waits_for_another() -> None:
    html = assets.read("web/index.html").decode()
    for name in assets.names(page.FOLDER):
        if name.endswith((".js", ".css")):
            assert f'"{name[len(page.FOLDER) :]}"' in html, name


# What it tells


def test_the_board_is_the_one_that_commands_show(served) -> None:
    first = served.plan("Fix the login", 3, "bugfix, api")
    second = served.plan("<script>alert(1)</script>", 8)
    moves.move(served.desk("codex"), second["planId"], "lead")
    told = served.get("/api/board")
    shown = board.state(served.desk(), done=board.COMPLETED_SHOWN)
    assert [column["id"] for column in told["columns"]] == list(shown)
    assert {column["id"]: column["items"] for column in told["columns"]} == {
        name: column["items"] for name, column in shown.items()
    }
    created = told["columns"][0]
    assert (created["total"], created["items"][0]["sessionId"]) == (1, first["sessionId"])
    assert told["columns"][2]["items"][0]["topic"] == "<script>alert(1)</script>"


def test_a_board_that_did_not_change_is_not_told_again(served) -> None:
    card = served.plan("One")
    rev = served.get("/api/board")["rev"]
    assert served.ask("GET", f"/api/board?since={rev}")[0] == 204
    served.post("/api/move", id=card["planId"], target="planned")
    status, _, told = served.ask("GET", f"/api/board?since={rev}")
    assert status == 200 and told["rev"] > rev


def test_a_card_comes_with_its_text_its_history_and_its_prompt(served) -> None:
    card = served.plan("Fix the login", 3)
    moves.move(served.desk("codex"), card["planId"], "coder", reason="it is small")
    told = served.get(f"/api/card?id={card['planId']}")
    assert told["text"] == cards.text(served.desk(), card["planId"])[0]
    assert [(entry["kind"], entry["actor"], entry["reason"]) for entry in told["log"]] == [
        ("created", "user", ""),
        ("moved", "codex", "it is small"),
    ]
    prompt = served.get(f"/api/prompt?id={card['sessionId']}&role=reviewer")
    assert prompt["role"] == "reviewer" and card["sessionId"] in prompt["text"]


def test_a_card_whose_file_is_gone_is_told_with_the_reason(served) -> None:
    card = served.plan("Gone")
    os.remove(served.place.at(card["planFile"]))
    told = served.get(f"/api/card?id={card['planId']}")
    assert told["text"] == "" and "is missing" in told["problem"]


def test_an_id_leads_to_plans_only(served) -> None:
    for name in ("../../../../etc/passwd", "/etc/passwd", "..\\x", "a\0b", "", "x" * 5000):
        status, _, told = served.ask("GET", "/api/card?id=" + name.replace("\0", "%00"))
        assert (status, told["error"]["code"]) == (404, "E_NOT_FOUND")


# What it does


def test_a_move_says_where_the_card_is_now(served) -> None:
    card = served.plan("Small", 3)
    status, _, told = served.post("/api/move", id=card["planId"], target="coded", rev=1)
    assert status == 200
    assert (told["to"], told["routedBy"], told["changed"], told["dispatch"]) == (
        "CODER CODED",
        "complexity(3)",
        True,
        "none",
    )
    assert card["sessionId"] in told["prompt"]
    assert board.log(served.desk(), card["planId"])[-1]["actor"] == "user"


def test_a_stale_move_is_a_conflict_that_says_who_moved_it_where(served) -> None:
    card = served.plan("Contested")
    moves.move(served.desk("codex"), card["planId"], "reviewed")
    status, _, told = served.post("/api/move", id=card["planId"], target="planned", rev=card["rev"])
    assert (status, told["error"]["code"]) == (409, "E_STALE")
    data = told["error"]["data"]
    assert (data["column"], data["who"]) == ("CODE REVIEWED", "codex")
    status, _, told = served.post("/api/move", id=card["planId"], target="planned", rev=data["rev"])
    assert (status, told["to"]) == (200, "PLAN REVIEWED")


@pytest.mark.parametrize(
    "path, fields, status, code",
    [
        ("/api/move", {"id": "sess_0000000000000_aaaaaa", "target": "done"}, 404, "E_NOT_FOUND"),
        ("/api/move", {"id": "{done}", "target": "planned"}, 409, "E_STATUS"),
        ("/api/move", {"id": "{waiting}", "target": "coded"}, 409, "E_DEPS"),
        ("/api/move", {"id": "{waiting}", "target": "nowhere"}, 422, "E_TARGET"),
        ("/api/edit", {"id": "{waiting}", "text": "x", "sha": "0" * 64}, 409, "E_CONFLICT"),
        ("/api/fail", {"id": "{waiting}", "feedback": " "}, 422, "E_EVIDENCE"),
        ("/api/send", {"text": "hi", "recipient": "nobody"}, 422, "E_NO_RECIPIENT"),
        ("/api/send", {"text": "hi", "action": "execute"}, 422, "E_ACTION"),
        ("/api/send", {"text": "x" * 70_000}, 413, "E_SIZE"),
        ("/api/create", {"title": " ", "text": " "}, 413, "E_SIZE"),
        ("/api/ack", {"id": "msg_none"}, 404, "E_NOT_FOUND"),
        ("/api/set", {"id": "{waiting}", "score": "eleven"}, 422, "E_TARGET"),
    ],
)  # fmt: skip
def test_what_the_board_refuses_has_a_status_and_a_code(served, path, fields, status, code) -> None:
    done, first, waiting = served.plan("Done"), served.plan("First"), served.plan("Waiting")
    moves.move(served.desk(), done["planId"], "done")
    cards.change(served.desk(), waiting["planId"], deps=[first["planId"]])
    named = {"{done}": done["planId"], "{waiting}": waiting["planId"]}
    got, _, told = served.post(path, **{name: named.get(value, value) for name, value in fields.items()})
    assert (got, told["error"]["code"]) == (status, code)
    assert told["error"]["message"]


def test_a_board_that_is_being_written_asks_for_patience(served, monkeypatch) -> None:
    from pal.switchboard.errors import refused

    def locked(*_: object, **__: object) -> None:
        raise refused("E_LOCKED", "somebody else is writing", "try again")

    monkeypatch.setattr(moves, "undo", locked)
    status, headers, told = served.post("/api/undo")
    assert (status, headers["Retry-After"], told["error"]["code"]) == (503, "1", "E_LOCKED")


def test_undo_takes_the_last_move_back(served) -> None:
    card = served.plan("Back and forth")
    served.post("/api/move", id=card["planId"], target="planned")
    status, _, told = served.post("/api/undo")
    assert (status, told["to"]) == (200, "CREATED")


def test_a_plan_is_added_edited_renamed_removed_and_put_back(served) -> None:
    _, _, added = served.post("/api/create", title="Rate limits", text="Per tenant.")
    card = added["cards"][0]
    told = served.get(f"/api/card?id={card['planId']}")
    _, _, edited = served.post("/api/edit", id=card["planId"], text=told["text"] + "\nMore.\n", sha=told["sha"])
    assert edited["sha"] != told["sha"]
    assert (
        served.post("/api/rename", id=card["planId"], title="Rate limits per tenant")[2]["topic"]
        == "Rate limits per tenant"
    )
    assert served.post("/api/set", id=card["planId"], score="7", tags="api, security")[2]["score"] == 7
    assert served.post("/api/remove", id=card["planId"])[2]["status"] == "deleted"
    assert served.post("/api/restore", id=card["planId"])[2]["status"] == "active"


def test_one_paste_of_several_plans_is_several_cards(served) -> None:
    text = "### PLAN 1 START\n# One\n\nA.\n### PLAN 2 START\n# Two\n\nB.\n"
    _, _, added = served.post("/api/create", text=text)
    assert [card["topic"] for card in added["cards"]] == ["One", "Two"]


def test_the_person_reads_and_answers_messages(served) -> None:
    roster.register(served.desk("codex"), "codex", "coder")
    sent = talk.send(served.desk("codex"), "status_update", "Halfway.")
    told = served.get("/api/messages")
    assert [(each["id"], each["sender"]) for each in told["messages"]] == [(sent["id"], "codex")]
    assert served.get("/api/board")["unread"] == 1
    assert served.post("/api/ack", id=sent["id"])[2]["state"] == "done"
    status, _, answer = served.post("/api/send", text="Go on.", recipient="codex")
    assert (status, answer["sender"], answer["recipient"]) == (200, "user", "codex")
    assert served.ask("GET", "/api/messages?box=elsewhere")[0] == 400


def test_runs_are_listed_with_their_steps_and_stopped(served) -> None:
    card = served.plan("Challenged")
    run, _ = runs.start(served.desk("codex"), registry.load(served.home, "challenge"), card["sessionId"])
    told = served.get("/api/runs")["runs"][0]
    assert (told["workflow"], told["step"], len(told["steps"])) == ("challenge", 0, told["of"])
    assert served.get("/api/board")["runs"] == [{"plan": card["planId"], "workflow": "challenge", "agent": "codex"}]
    assert served.post("/api/stop", run=run.run_id)[0] == 200
    assert served.get("/api/runs")["runs"][0]["state"] == "stopped"


def test_the_archive_is_searched(served) -> None:
    card = served.plan("Streaming importer", body="reads rows one by one")
    moves.move(served.desk(), card["planId"], "done")
    hits = served.get("/api/search?q=rows")["hits"]
    assert [(hit["kind"], hit["title"]) for hit in hits] == [("plan", "Streaming importer")]


# Projects


def test_other_projects_are_chosen_by_id_and_never_by_path(served, home, tmp_path) -> None:
    (tmp_path / "island").mkdir()
    other, _ = workspace.init(home, str(tmp_path / "island"), time.time())
    projects = served.get("/api/start")["projects"]
    assert [(each["id"], each["name"], each["here"]) for each in projects] == [
        ("", "harbor", True),
        (other.id, "island", False),
    ]
    assert served.post(f"/api/create?project={other.id}", title="There")[0] == 200
    assert served.get("/api/board")["columns"][0]["items"] == []
    assert len(served.get(f"/api/board?project={other.id}")["columns"][0]["items"]) == 1
    for name in (str(tmp_path / "island"), "island", "../island", other.id[:-1]):
        assert served.ask("GET", f"/api/board?project={name}")[0] == 404


def test_without_a_board_here_the_page_still_opens(home, tmp_path) -> None:
    with ServedPage(home, tmp_path / "harbor") as served:
        served.room.here = None
        assert [each["here"] for each in served.get("/api/start")["projects"]] == [False]
        status, _, told = served.ask("GET", "/api/board")
        assert (status, told["error"]["code"]) == (404, "E_NOT_WORKSPACE")


# Live


class Stream:
    def __init__(self, served: ServedPage, path: str, last: str = "") -> None:
        self.connection = http.client.HTTPConnection(loopback.ADDRESS, served.server.port, timeout=20)
        headers = {page.TOKEN: KEY, **({"Last-Event-ID": last} if last else {})}
        self.connection.request("GET", path, headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200 and self.answer.getheader("Content-Type") == "text/event-stream"

    def next(self) -> tuple[str, dict]:
        identity = ""
        while True:
            name, _, value = self.answer.readline().decode().rstrip("\n").partition(": ")
            identity = value if name == "id" else identity
            if name == "data":
                return identity, json.loads(value)

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def test_a_change_by_anybody_is_told_at_once_and_once_more_to_who_missed_it(served) -> None:
    card = served.plan("Watched")
    stream = Stream(served, "/api/live")
    identity, told = stream.next()
    assert identity == str(told["rev"])
    moves.move(served.desk("codex"), card["planId"], "planned")
    assert stream.next()[1]["rev"] > told["rev"]
    stream.close()
    late = Stream(served, "/api/live", last=identity)
    assert late.next()[1]["rev"] > told["rev"]
    late.close()


def test_a_plan_that_somebody_saves_in_the_folder_is_seen(served, monkeypatch) -> None:
    monkeypatch.setattr(page_live, "SCAN", 0.0)
    stream = Stream(served, "/api/live")
    stream.next()
    path = os.path.join(served.place.plans, "feature_plan_20260302_081500_saved.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Saved by an editor\n")
    stream.next()
    stream.close()
    assert served.get("/api/board")["columns"][0]["items"][0]["topic"] == "Saved by an editor"


def test_one_stream_too_many_is_asked_to_come_back(served, monkeypatch) -> None:
    monkeypatch.setattr(page_live, "READERS", 0)
    status, headers, _ = served.ask("GET", "/api/live")
    assert (status, headers["Retry-After"]) == (503, "2")


def test_events_are_for_who_has_the_word(served, now) -> None:
    log.emit(served.home, log.event("tool_start", "hook", now, tool="Bash", call_id="a"))
    stream = Stream(served, "/events?replay=10")
    assert stream.next()[1]["tool"] == "Bash"
    stream.close()
