#!/usr/bin/env python3
"""A scriptable stand-in for the Anthropic Messages API (standard library only).

It lets a test drive a real agent client against 127.0.0.1 and then read back,
word for word, what the "model" was sent.

    python3 mock_anthropic.py --script turn.json --log requests.jsonl --port-file port.txt

or, from a test:

    with MockAnthropic(script={"replies": [{"text": "hello"}]}) as mock:
        env["ANTHROPIC_BASE_URL"] = mock.url
        ...
        body = mock.messages()[0]["body"]

Endpoints
    POST /v1/messages                streamed (SSE) or plain, as the request asks
    POST /v1/messages/count_tokens   a rough count (characters / 4)
    GET  /v1/models                  two models
    HEAD /                           200 (clients probe the base address)
    CONNECT host:port                refused with 403 and logged, so the same
                                     address can be given to the client as
                                     HTTPS_PROXY: nothing leaves loopback, and
                                     every attempt to do so is in the log
    anything else                    404 with an API-shaped error, logged

Script (a JSON object; every key optional)
    {
      "replies": [REPLY, ...],    used in order, one per main request
      "rules":   [RULE, ...],     tried first on every request, never used up
      "default": REPLY            when the replies have run out ("OK")
    }

REPLY
    "text":        "..."                       one text block
    "thinking":    "..."                       a thinking block before the text
    "tool_use":    {"name": .., "input": {..}} or a list of them
    "content":     [blocks]                    raw content blocks instead of the above
    "stop_reason": "end_turn"                  default: tool_use if a tool is called
    "delay":       0.5                         seconds to wait before answering
    "chunk_delay": 0.01                        seconds between streamed pieces
    "status":      529, "error": "overloaded_error", "message": ".."  an API error
    "usage":       {"input_tokens": 10, ...}   overrides the made-up usage

RULE
    "match": {"contains": "text anywhere in the body",
              "system": "text in the system prompt",
              "last":   "text in the last user message",
              "model":  "text in the model name",
              "tools":  true | false}          (all given keys must hold)
    "reply": REPLY

Strings in a reply may use {model}, {n} (request number) and, inside tool
inputs, any {NAME} given with --var NAME=VALUE.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEPT_HEADERS = (
    "user-agent",
    "anthropic-version",
    "anthropic-beta",
    "x-app",
    "content-type",
)
MODELS = ("claude-sonnet-mock", "claude-haiku-mock")


def as_text(content):
    """All text in a message's content or a system prompt, in order."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif block.get("type") == "text":
            parts.append(block.get("text", ""))
        elif block.get("type") == "tool_result":
            parts.append(as_text(block.get("content")))
    return "\n".join(parts)


def rule_matches(match, body):
    raw = None
    messages = body.get("messages") or []
    for key, want in match.items():
        if key == "contains":
            raw = raw or json.dumps(body, ensure_ascii=False)
            ok = want in raw
        elif key == "system":
            ok = want in as_text(body.get("system"))
        elif key == "last":
            users = [m for m in messages if m.get("role") == "user"]
            ok = bool(users) and want in as_text(users[-1].get("content"))
        elif key == "model":
            ok = want in body.get("model", "")
        elif key == "tools":
            ok = bool(body.get("tools")) is bool(want)
        else:
            raise ValueError(f"unknown match key: {key}")
        if not ok:
            return False
    return True


def fill(value, names):
    """Replace {NAME} in every string of a JSON value."""
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, list):
        return [fill(item, names) for item in value]
    if isinstance(value, dict):
        return {key: fill(item, names) for key, item in value.items()}
    return value


def blocks_of(reply):
    """The content blocks a reply stands for."""
    if "content" in reply:
        blocks = [dict(block) for block in reply["content"]]
    else:
        blocks = []
        if reply.get("thinking"):
            blocks.append({"type": "thinking", "thinking": reply["thinking"], "signature": "bW9jaw=="})
        if "text" in reply:
            blocks.append({"type": "text", "text": reply["text"]})
        calls = reply.get("tool_use") or []
        for call in calls if isinstance(calls, list) else [calls]:
            blocks.append({"type": "tool_use", "name": call["name"], "input": call.get("input", {})})
        if not blocks:
            blocks = [{"type": "text", "text": "OK"}]
    for block in blocks:
        if block.get("type") == "tool_use":
            block.setdefault("id", "toolu_mock_" + uuid.uuid4().hex[:18])
    return blocks


class Scenario:
    """Chooses replies and keeps the log. Safe to call from many threads."""

    def __init__(self, script=None, log_path=None, names=None):
        script = script or {}
        self.replies = list(script.get("replies", []))
        self.rules = list(script.get("rules", []))
        self.default = script.get("default", {"text": "OK"})
        self.names = dict(names or {})
        self.entries = []
        self._log_path = log_path
        self._lock = threading.Lock()
        self._count = 0

    def choose(self, body):
        with self._lock:
            for rule in self.rules:
                if rule_matches(rule.get("match", {}), body):
                    return dict(rule["reply"]), "rule"
            if self.replies:
                return dict(self.replies.pop(0)), "replies"
            return dict(self.default), "default"

    def number(self):
        with self._lock:
            self._count += 1
            return self._count

    def record(self, entry):
        with self._lock:
            self.entries.append(entry)
            if self._log_path:
                with open(self._log_path, "a", encoding="utf-8") as out:
                    out.write(json.dumps(entry, ensure_ascii=False) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "mock-anthropic"

    @property
    def scenario(self):
        return self.server.scenario

    def log_message(self, fmt, *args):  # the JSONL log replaces it
        pass

    # -- plumbing ---------------------------------------------------------
    def _read_body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            parts = []
            while True:
                size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
                if size == 0:
                    self.rfile.readline()
                    break
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            raw = b"".join(parts)
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not raw:
            return None
        try:
            return json.loads(raw)
        except ValueError:
            return {"_not_json": raw[:2000].decode("utf-8", "replace")}

    def _entry(self, body):
        headers = {k.lower(): v for k, v in self.headers.items()}
        return {
            "n": self.scenario.number(),
            "time": round(time.time(), 3),
            "method": self.command,
            "path": self.path,
            "headers": {k: headers[k] for k in KEPT_HEADERS if k in headers},
            "body": body,
        }

    def _json(self, status, payload):
        data = json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("request-id", "req_mock_" + uuid.uuid4().hex[:12])
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _error(self, status, kind, message):
        self._json(status, {"type": "error", "error": {"type": kind, "message": message}})

    # -- methods ----------------------------------------------------------
    def do_HEAD(self):
        self.scenario.record(self._entry(None))
        self._json(200, {})

    def do_CONNECT(self):
        self.scenario.record(self._entry(None))
        self.close_connection = True
        self._error(403, "permission_error", "the mock lets nothing out")

    def do_GET(self):
        path = self.path.split("?")[0]
        self.scenario.record(self._entry(None))
        if path == "/v1/models":
            self._json(
                200,
                {
                    "data": [
                        {"type": "model", "id": m, "display_name": m, "created_at": "2026-01-01T00:00:00Z"}
                        for m in MODELS
                    ],
                    "has_more": False,
                },
            )
        else:
            self._error(404, "not_found_error", "no such path: " + path)

    def do_POST(self):
        path = self.path.split("?")[0]
        body = self._read_body()
        entry = self._entry(body)
        try:
            if path == "/v1/messages" and isinstance(body, dict):
                self._messages(body, entry)
            elif path == "/v1/messages/count_tokens":
                self.scenario.record(entry)
                self._json(200, {"input_tokens": max(1, len(json.dumps(body)) // 4)})
            else:
                self.scenario.record(entry)
                self._error(404, "not_found_error", "no such path: " + path)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    # -- the model --------------------------------------------------------
    def _messages(self, body, entry):
        reply, source = self.scenario.choose(body)
        model = body.get("model", "mock")
        names = dict(self.scenario.names, model=model, n=str(entry["n"]))
        reply = fill(reply, names)
        entry["reply_from"] = source
        entry["reply"] = reply
        self.scenario.record(entry)
        if reply.get("delay"):
            time.sleep(reply["delay"])
        if reply.get("status"):
            self._error(reply["status"], reply.get("error", "api_error"), reply.get("message", "mock error"))
            return
        blocks = blocks_of(reply)
        calls_tool = any(block.get("type") == "tool_use" for block in blocks)
        stop = reply.get("stop_reason") or ("tool_use" if calls_tool else "end_turn")
        usage = {
            "input_tokens": max(1, len(json.dumps(body)) // 4),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": max(1, len(json.dumps(blocks)) // 4),
        }
        usage.update(reply.get("usage", {}))
        message = {
            "id": "msg_mock_" + uuid.uuid4().hex[:20],
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        if body.get("stream"):
            self._stream(message, reply.get("chunk_delay", 0))
        else:
            self._json(200, message)

    def _stream(self, message, pause):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.send_header("request-id", "req_mock_" + uuid.uuid4().hex[:12])
        self.end_headers()
        self.close_connection = True

        def send(kind, **fields):
            data = json.dumps(dict({"type": kind}, **fields))
            self.wfile.write((f"event: {kind}\ndata: {data}\n\n").encode())
            self.wfile.flush()
            if pause:
                time.sleep(pause)

        start = dict(message, content=[], stop_reason=None, usage=dict(message["usage"], output_tokens=1))
        send("message_start", message=start)
        for index, block in enumerate(message["content"]):
            kind = block["type"]
            if kind == "text":
                send("content_block_start", index=index, content_block={"type": "text", "text": ""})
                text = block["text"]
                for at in range(0, len(text), 400):
                    send("content_block_delta", index=index, delta={"type": "text_delta", "text": text[at : at + 400]})
            elif kind == "tool_use":
                send("content_block_start", index=index, content_block=dict(block, input={}))
                send(
                    "content_block_delta",
                    index=index,
                    delta={"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
                )
            elif kind == "thinking":
                send(
                    "content_block_start",
                    index=index,
                    content_block={"type": "thinking", "thinking": "", "signature": ""},
                )
                send(
                    "content_block_delta", index=index, delta={"type": "thinking_delta", "thinking": block["thinking"]}
                )
                send(
                    "content_block_delta",
                    index=index,
                    delta={"type": "signature_delta", "signature": block.get("signature", "")},
                )
            else:
                send("content_block_start", index=index, content_block=block)
            send("content_block_stop", index=index)
        send(
            "message_delta",
            delta={"stop_reason": message["stop_reason"], "stop_sequence": None},
            usage=message["usage"],
        )
        send("message_stop")


class MockAnthropic:
    """The server in a thread; a context manager."""

    def __init__(self, script=None, log_path=None, names=None, port=0):
        self.scenario = Scenario(script, log_path, names)
        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.scenario = self.scenario
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exc):
        self.server.shutdown()
        self.server.server_close()

    def messages(self):
        """Logged model requests, oldest first."""
        return [e for e in list(self.scenario.entries) if e["path"].split("?")[0] == "/v1/messages"]

    def escapes(self):
        """Attempts to reach anything but the model API."""
        return [e for e in list(self.scenario.entries) if e["method"] == "CONNECT" or e["path"].startswith("http")]


def main(argv=None):
    parser = argparse.ArgumentParser(description="A scriptable mock of the Anthropic Messages API.")
    parser.add_argument("--script", help="JSON file of replies (see the module's text)")
    parser.add_argument("--log", help="JSONL file to append every request to")
    parser.add_argument("--port", type=int, default=0, help="0 chooses a free one")
    parser.add_argument("--port-file", help="file to write the port to, once listening")
    parser.add_argument(
        "--var", action="append", default=[], metavar="NAME=VALUE", help="a {NAME} for the script's strings"
    )
    args = parser.parse_args(argv)
    script = None
    if args.script:
        with open(args.script, encoding="utf-8") as source:
            script = json.load(source)
    mock = MockAnthropic(script, args.log, dict(v.split("=", 1) for v in args.var), args.port)
    if args.port_file:
        partial = args.port_file + ".partial"
        with open(partial, "w", encoding="utf-8") as out:
            out.write(str(mock.port))
        os.replace(partial, args.port_file)
    print("listening on " + mock.url, file=sys.stderr, flush=True)
    try:
        mock.server.serve_forever()
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
