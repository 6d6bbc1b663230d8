"""A scriptable stand-in for an OpenAI-style model server (stdlib only).

It lets a real coding agent run complete turns with no network and no key.
Two wire formats are served, both streamed (SSE) or as one JSON document,
as the request's "stream" field asks:

    POST /v1/responses           Responses API         (Codex)
    POST /v1/chat/completions    chat completions API  (opencode)
    GET  /v1/models              a one-entry model list

Any path prefix is accepted; only the ending matters.

Script
------
``--script FILE`` names a JSON file::

    {
      "rules":   [ {"when": "title generator", "text": "A title", "side": true} ],
      "replies": [
        {"text": "Let me look.",
         "tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}]},
        {"text": "All done."}
      ],
      "default": {"text": "OK"}
    }

For each request the server takes, in this order:

1. the first rule that matches the request.  A rule is used any number of
   times, or at most "times" times.  "when" must occur in the request body
   (as raw JSON text); "unless" must not occur.
2. the next unused entry of "replies";
3. "default" (text "OK" when absent).

Fields of a reply (all optional):

    text         assistant text
    tool_calls   list of {"name", "arguments", "id"?}.  "arguments" is an object,
                 or a string sent as it is.  With "input" instead of "arguments"
                 the Responses API sends a custom_tool_call (Codex apply_patch).
                 "namespace" is passed on when present.
    items        Responses API only: raw output items, sent after text and calls
    delay        seconds to wait before answering
    status       an HTTP error status to answer with; "error" is its message
    usage        {"input": n, "output": n}: token counts to report (default 10/5);
                 a large "input" makes a client compact its context
    side         log the request with "side": true (a title or summary request)

Log
---
``--log FILE`` receives one JSON object a line for each request:
``n``, ``time``, ``method``, ``path``, ``reply`` (how the reply was chosen),
``side``, ``headers`` (authorization removed) and ``body`` (parsed JSON).

Helpers for tests: class ``MockServer`` (context manager), ``load_log`` and
``texts`` (every text the model was sent in one request, with its role).
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL_ID = "mock-model"


# Choosing a reply


class Script:
    """The scripted replies, handed out one a request."""

    def __init__(self, data=None):
        data = data or {}
        self.rules = [dict(rule) for rule in data.get("rules", [])]
        self.replies = list(data.get("replies", []))
        self.default = data.get("default", {"text": "OK"})
        self._next = 0
        self._lock = threading.Lock()

    def choose(self, raw_body):
        """Return (reply, how) for a request whose body is raw_body (str)."""
        with self._lock:
            for number, rule in enumerate(self.rules):
                if rule.get("times", 1) <= 0 and "times" in rule:
                    continue
                if "when" in rule and rule["when"] not in raw_body:
                    continue
                if "unless" in rule and rule["unless"] in raw_body:
                    continue
                if "times" in rule:
                    rule["times"] -= 1
                return rule, f"rule {number}"
            if self._next < len(self.replies):
                self._next += 1
                return self.replies[self._next - 1], f"reply {self._next - 1}"
            return self.default, "default"


def _usage(reply):
    usage = reply.get("usage", {})
    return int(usage.get("input", 10)), int(usage.get("output", 5))


def _arguments(call):
    arguments = call.get("arguments", {})
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


# Responses API


def responses_items(reply, serial):
    """The output items of one Responses API answer."""
    items = []
    if reply.get("text") is not None:
        items.append(
            {
                "type": "message",
                "id": f"msg_{serial}",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": reply["text"], "annotations": []}],
            }
        )
    for index, call in enumerate(reply.get("tool_calls", [])):
        call_id = call.get("id", f"call_{serial}_{index}")
        if "input" in call:
            item = {
                "type": "custom_tool_call",
                "id": f"ctc_{serial}_{index}",
                "call_id": call_id,
                "name": call["name"],
                "input": call["input"],
            }
        else:
            item = {
                "type": "function_call",
                "id": f"fc_{serial}_{index}",
                "call_id": call_id,
                "name": call["name"],
                "arguments": _arguments(call),
            }
        item["status"] = "completed"
        if "namespace" in call:
            item["namespace"] = call["namespace"]
        items.append(item)
    items.extend(reply.get("items", []))
    return items


def responses_document(reply, serial, status="completed", items=None):
    """The `response` object of a Responses API answer."""
    spent_in, spent_out = _usage(reply)
    return {
        "id": f"resp_{serial}",
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "model": MODEL_ID,
        "output": items if items is not None else [],
        "usage": None
        if status != "completed"
        else {
            "input_tokens": spent_in,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": spent_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": spent_in + spent_out,
        },
    }


def responses_events(reply, serial):
    """Yield the (event name, payload) pairs of a streamed Responses answer."""
    items = responses_items(reply, serial)
    yield "response.created", {"response": responses_document(reply, serial, "in_progress")}
    for index, item in enumerate(items):
        opening = dict(item, status="in_progress")
        if item["type"] == "message":
            opening["content"] = []
        elif item["type"] == "function_call":
            opening["arguments"] = ""
        elif item["type"] == "custom_tool_call":
            opening["input"] = ""
        yield "response.output_item.added", {"output_index": index, "item": opening}
        if item["type"] == "message":
            for part in item["content"]:
                yield (
                    "response.output_text.delta",
                    {"item_id": item["id"], "output_index": index, "content_index": 0, "delta": part.get("text", "")},
                )
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield "response.completed", {"response": responses_document(reply, serial, "completed", items)}


# Chat completions API


def chat_calls(reply, serial):
    return [
        {
            "index": index,
            "id": call.get("id", f"call_{serial}_{index}"),
            "type": "function",
            "function": {"name": call["name"], "arguments": _arguments(call)},
        }
        for index, call in enumerate(reply.get("tool_calls", []))
    ]


def chat_document(reply, serial):
    """A chat completion that is not streamed."""
    calls = chat_calls(reply, serial)
    message = {"role": "assistant", "content": reply.get("text")}
    if calls:
        message["tool_calls"] = [{key: value for key, value in call.items() if key != "index"} for call in calls]
    spent_in, spent_out = _usage(reply)
    return {
        "id": f"chatcmpl-{serial}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL_ID,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": spent_in, "completion_tokens": spent_out, "total_tokens": spent_in + spent_out},
    }


def chat_chunks(reply, serial):
    """Yield the chunks of a streamed chat completion."""

    def chunk(delta, finish=None, usage=None):
        data = {
            "id": f"chatcmpl-{serial}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": MODEL_ID,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        if usage:
            data["usage"] = usage
        return data

    calls = chat_calls(reply, serial)
    yield chunk({"role": "assistant", "content": ""})
    if reply.get("text"):
        yield chunk({"content": reply["text"]})
    for call in calls:
        yield chunk({"tool_calls": [call]})
    spent_in, spent_out = _usage(reply)
    yield chunk(
        {},
        "tool_calls" if calls else "stop",
        {"prompt_tokens": spent_in, "completion_tokens": spent_out, "total_tokens": spent_in + spent_out},
    )


# HTTP


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def do_GET(self):
        path = self.path.split("?", 1)[0]
        if path.endswith("/models"):
            self.server.owner.record(self, None, "models", False)
            self._json(
                200, {"object": "list", "data": [{"id": MODEL_ID, "object": "model", "created": 0, "owned_by": "mock"}]}
            )
        else:
            self.server.owner.record(self, None, "unknown", False)
            self._json(404, {"error": {"message": "no such path"}})

    def do_POST(self):
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        text = raw.decode("utf-8", "replace")
        try:
            body = json.loads(text)
        except ValueError:
            body = text
        path = self.path.split("?", 1)[0]
        if not path.endswith(("/responses", "/chat/completions")):
            owner.record(self, body, "unknown", False)
            self._json(404, {"error": {"message": "no such path"}})
            return
        reply, how = owner.script.choose(text)
        serial = owner.record(self, body, how, bool(reply.get("side")))
        if reply.get("delay"):
            time.sleep(float(reply["delay"]))
        if reply.get("status"):
            self._json(
                int(reply["status"]),
                {"error": {"message": reply.get("error", "scripted error"), "type": "mock_error", "code": None}},
            )
            return
        stream = isinstance(body, dict) and body.get("stream")
        try:
            if path.endswith("/responses"):
                self._responses(reply, serial, stream)
            else:
                self._chat(reply, serial, stream)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def _responses(self, reply, serial, stream):
        if not stream:
            self._json(200, responses_document(reply, serial, "completed", responses_items(reply, serial)))
            return
        self._open_stream()
        for number, (name, payload) in enumerate(responses_events(reply, serial)):
            payload = dict({"type": name, "sequence_number": number}, **payload)
            self._send(f"event: {name}\ndata: {json.dumps(payload)}\n\n")

    def _chat(self, reply, serial, stream):
        if not stream:
            self._json(200, chat_document(reply, serial))
            return
        self._open_stream()
        for data in chat_chunks(reply, serial):
            self._send(f"data: {json.dumps(data)}\n\n")
        self._send("data: [DONE]\n\n")

    def _open_stream(self):
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("connection", "close")
        self.end_headers()

    def _send(self, text):
        self.wfile.write(text.encode("utf-8"))
        self.wfile.flush()

    def _json(self, status, data):
        raw = json.dumps(data).encode("utf-8")
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


class MockServer:
    """A running mock server; use as a context manager.

    >>> with MockServer({"default": {"text": "hi"}}) as mock:   # doctest: +SKIP
    ...     run_the_agent(base_url=mock.url)
    ...     print(texts(mock.requests[0]["body"]))
    """

    def __init__(self, script=None, log=None, port=0):
        self.script = script if isinstance(script, Script) else Script(script)
        self.requests = []
        self._log_path = log
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._http.daemon_threads = True
        self._http.owner = self
        self.port = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._thread = None

    def record(self, handler, body, how, side):
        headers = {key.lower(): value for key, value in handler.headers.items() if key.lower() != "authorization"}
        with self._lock:
            entry = {
                "n": len(self.requests),
                "time": round(time.time(), 3),
                "method": handler.command,
                "path": handler.path,
                "reply": how,
                "side": side,
                "headers": headers,
                "body": body,
            }
            self.requests.append(entry)
            if self._log_path:
                with open(self._log_path, "a", encoding="utf-8") as log:
                    log.write(json.dumps(entry) + "\n")
            return entry["n"]

    def start(self):
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()
        return self

    def stop(self):
        self._http.shutdown()
        self._http.server_close()

    __enter__ = start

    def __exit__(self, *_exc):
        self.stop()


# Reading what the model was sent


def load_log(path):
    """The requests in a log file, oldest first."""
    with open(path, encoding="utf-8") as log:
        return [json.loads(line) for line in log if line.strip()]


def _content_texts(content):
    if isinstance(content, str):
        return [content]
    found = []
    for part in content or []:
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            found.append(part["text"])
    return found


def texts(body):
    """Every text in one request body, as (role, text) pairs in order.

    Works for both wire formats.  Tool results have the role "tool"; tool calls
    have the role "call" and read ``name arguments``.
    """
    found = []
    if not isinstance(body, dict):
        return found
    if isinstance(body.get("instructions"), str):
        found.append(("instructions", body["instructions"]))
    given = body.get("input", body.get("messages", []))
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    for item in given:
        kind = item.get("type", "message")
        if kind in ("function_call", "custom_tool_call"):
            found.append(("call", f"{item.get('name')} {item.get('arguments', item.get('input', ''))}"))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            output = item.get("output")
            for text in _content_texts(output) or [json.dumps(output)]:
                found.append(("tool", text))
        elif "content" in item:
            for text in _content_texts(item["content"]):
                found.append((item.get("role", kind), text))
        for call in item.get("tool_calls") or []:
            function = call.get("function", {})
            found.append(("call", f"{function.get('name')} {function.get('arguments')}"))
    return found


def main(argv=None):
    parser = argparse.ArgumentParser(description="Scriptable mock OpenAI-style model server.")
    parser.add_argument("--port", type=int, default=0, help="port (default: a free one)")
    parser.add_argument("--script", help="JSON file of scripted replies")
    parser.add_argument("--log", help="append each request to this JSONL file")
    parser.add_argument("--ready", help="write the base URL to this file once listening")
    options = parser.parse_args(argv)
    data = {}
    if options.script:
        with open(options.script, encoding="utf-8") as handle:
            data = json.load(handle)
    server = MockServer(data, options.log, options.port).start()
    print(server.url, flush=True)
    if options.ready:
        with open(options.ready, "w", encoding="utf-8") as handle:
            handle.write(server.url + "\n")
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
