"""How the event stream holds up: `python tests/bench/events.py [--readers 200] [--rate 1000] [--seconds 10] [--json]`.

Prints how many events reached every reader once and in order, how late they came, and how the server's memory grew;
and what one event costs a hook, as a share of a bare interpreter's start."""

from __future__ import annotations

import argparse
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from pal.base.home import Home  # noqa: E402
from pal.events import log  # noqa: E402


class Reader:
    """One stream of events as bytes; what it was sent is checked as it comes."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self.rest = b""
        self.seen = 0
        self.sound = True
        self.late = 0.0

    def read(self) -> None:
        self.rest += self.socket.recv(1 << 20)
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            if line.startswith(b"data: "):
                call = line.partition(b'"call_id": "')[2].partition(b'"')[0]
                number, _, sent = call.partition(b"@")
                self.sound = self.sound and int(number) == self.seen
                self.seen += 1
                self.late = max(self.late, time.time() - float(sent))


def measured(readers: int, rate: int, seconds: float, folder: str) -> dict[str, object]:
    """One run of a server in a process of its own."""
    home = Home(os.path.join(folder, ".pal"))
    os.makedirs(home.state)
    env = {**os.environ, "PAL_HOME": home.root}
    command = [sys.executable, str(ROOT / "pal.py"), "events", "serve", "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True)
    assert server.stdout
    port = json.loads(server.stdout.readline())["port"]
    selector = selectors.DefaultSelector()
    everyone = [Reader(port) for _ in range(readers)]
    for reader in everyone:
        selector.register(reader.socket, selectors.EVENT_READ, reader)
    settled = time.time() + 1.0
    number, total, memory = 0, int(rate * seconds), [0, 0]
    begin = settled
    while any(reader.seen < total for reader in everyone) and time.time() < begin + seconds + 30:
        now = time.time()
        due = min(total, int((now - begin) * rate)) if now > settled else 0
        while number < due:
            log.emit(home, log.event("tool_start", "hook", now, tool="Bash", call_id=f"{number}@{time.time():.3f}"))
            number += 1
        if number and not memory[0] and number > total / 5:
            memory[0] = resident(server.pid)
        for key, _ in selector.select(0.002):
            key.data.read()
    memory[1] = resident(server.pid)
    server.send_signal(signal.SIGTERM)
    ended = time.time()
    code = server.wait(20)
    return {
        "readers": readers,
        "events_per_second": rate,
        "events": total,
        "every_reader_got_all": all(reader.seen == total for reader in everyone),
        "in_order": all(reader.sound for reader in everyone),
        "latest_ms": round(max(reader.late for reader in everyone) * 1000),
        "memory_mb": [round(each / 1024, 1) for each in memory],
        "exit_status": code,
        "end_ms": round((time.time() - ended) * 1000),
    }


def resident(pid: int) -> int:
    """kB of memory a process holds; 0 where the system does not say."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def one_event(folder: str) -> dict[str, float]:
    """The cost of keeping one event beside a bare interpreter's start."""
    home = Home(os.path.join(folder, "single", ".pal"))
    os.makedirs(home.state)
    starts = []
    for _ in range(20):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
        starts.append(time.perf_counter() - began)
    took = []
    for number in range(500):
        began = time.perf_counter()
        log.emit(home, log.event("tool_start", "hook", time.time(), tool="Bash", call_id=str(number)))
        took.append(time.perf_counter() - began)
    bare, append = sorted(starts)[10], sorted(took)[250]
    return {"append_us": round(append * 1e6, 1), "share_of_a_bare_start": round(append / bare, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "append": one_event(folder),
            "stream": measured(options.readers, options.rate, options.seconds, folder),
        }
    print(json.dumps(found) if options.json else json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
