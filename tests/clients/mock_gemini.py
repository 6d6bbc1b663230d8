"""A scriptable stand-in for the model behind Gemini CLI, on loopback, with the standard library only.

It answers as `mock_openai.Script` chooses: {"text": …, "tool_calls": [{"name": …, "arguments": {…}}]}."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mock_openai import Script


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def do_GET(self):
        self._send("application/json", b"{}")

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
        if "countTokens" in self.path:
            self._send("application/json", b'{"totalTokens": 10}')
            return
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        reply, _ = self.server.script.choose(raw)
        if not reply.get("side"):
            self.server.seen.append(body)
        parts = [{"text": reply["text"]}] if reply.get("text") else []
        for call in reply.get("tool_calls", []):
            parts.append({"functionCall": {"name": call["name"], "args": call["arguments"]}})
        answer = {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        }
        data = json.dumps(answer).encode()
        if "stream" in self.path:
            self._send("text/event-stream", b"data: " + data + b"\n\n")
        else:
            self._send("application/json", data)

    def _send(self, kind, data):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class MockGemini:
    """A running stand-in; use as a context manager. `requests` holds what the model was sent, oldest first."""

    def __init__(self, script=None):
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._http.daemon_threads = True
        self._http.script = Script(script)
        self._http.seen = self.requests = []
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_exc):
        self._http.shutdown()
        self._http.server_close()
