"""A server of events that nobody watches ends by itself when PAL is upgraded or taken out."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from pal.cli import events, main
from pal.cli.output import Output


@pytest.mark.parametrize("gone", [True, False])
def test_it_ends_with_the_launcher_that_started_it(home, clean_env, now, monkeypatch, gone):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(events, "_UPGRADE", 0.02)
    launcher, record = Path(home.launcher), Path(home.servers, "events.json")
    launcher.write_text("one", "utf-8")

    def upgrade() -> None:
        deadline = time.monotonic() + 20
        while not served and time.monotonic() < deadline:
            time.sleep(0.01)
        if gone:
            launcher.unlink()
        else:
            os.utime(launcher, (now + 9, now + 9))

    class Told(io.StringIO):
        def flush(self) -> None:
            served.extend([record.exists()] if "served" in self.getvalue() else [])

    served: list[bool] = []
    thread = threading.Thread(target=upgrade)
    thread.start()
    env = {**clean_env, "PAL_HOME": home.root}
    argv = ["events", "serve", "--port", "0", "--until-upgrade"]
    assert main.run(argv, env, now, Output(env, Told(), io.StringIO())) == 0
    thread.join(20)
    assert served[0] is True
    assert not record.exists()
