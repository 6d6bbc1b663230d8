"""Runs PAL's commands in forked children and kills one at its n-th file operation; test_kill.py talks to it.

`python killer.py ARCHIVE` reads one JSON request a line and answers with one JSON line. A request names the command
line (`argv`; `job ID` runs a detached job, for which a model says `answer`), the environment (`env`), what comes on
stdin (`stdin`) and at which operation to die (`kill`; 0 is never). The answer says how many operations there were, the
exit status and what was printed.

PAL is loaded once, from the built archive, so that a run costs a fork. Only what would start another Python is
replaced: the interpreter is asked and the engine is tuned once; jobs are kept and not started. Nothing is forced to
the disk, since a process dies here and not the machine."""

from __future__ import annotations

import importlib
import io
import json
import os
import stat
import sys
import tempfile
import zipfile

KILLED = 137
# What changes a folder or a file, as the interpreter itself announces it before it happens.
OPERATIONS = {
    "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.utime",
    "shutil.rmtree", "shutil.move", "shutil.copyfile", "shutil.copytree",
}  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Counter:
    """Counts file operations in this process, and ends it before the chosen one; a write ends half done."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.count = 0
        self.writes = os.write
        self.entries = zipfile.ZipFile.writestr

    def start(self) -> None:
        sys.addaudithook(self.audit)
        os.write = self.write
        counter = self

        def writestr(archive, *arguments, **options):
            counter.step()
            return counter.entries(archive, *arguments, **options)

        zipfile.ZipFile.writestr = writestr

    def step(self) -> bool:
        self.count += 1
        if self.count == self.last:
            os._exit(KILLED)
        return True

    def audit(self, event: str, arguments: tuple) -> None:
        if event in OPERATIONS:
            self.step()
        elif event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & WRITING and not isinstance(path, int) and path != os.devnull:
                self.step()

    def write(self, descriptor: int, data) -> int:
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and descriptor > 2:
            self.count += 1
            if self.count == self.last:
                self.writes(descriptor, bytes(data)[: len(data) // 2])
                os._exit(KILLED)
        return self.writes(descriptor, data)


def load(archive: str) -> None:
    """Import all of PAL, so that children do not, and replace what starts processes."""
    sys.path.insert(0, archive)
    from pal.install import archive as packing

    for name in packing.files(archive):
        if name.startswith("pal/") and name.endswith(".py"):
            importlib.import_module(name[: -len(".py")].replace("/", ".").replace(".__init__", ""))
    from pal import app
    from pal.base import assets, process
    from pal.install import home_setup, interpreter

    python = interpreter.choose(os.environ)
    engine = home_setup.tuned(python, os.environ, assets.running())
    interpreter.choose = lambda *_: python
    interpreter.probe = lambda *_: python
    home_setup.engine_for = lambda *_: engine
    app._spawn = lambda *_: 1
    process.detached = lambda *_: 1
    os.fsync = lambda _: None


def model(data: dict):
    """Stands in for every model: what it was told to say, in the form that was asked for."""
    from pal.base.asking import Answer

    def ask(*_, schema=None, **__):
        return Answer(True, json.dumps(data), data if schema else None)

    return ask


def child(request: dict, output: int, report: int) -> None:
    """Run the request's command and leave; what it printed is in `output`, how far it came is told to `report`."""
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.clear()
    os.environ.update(request["env"])
    sys.stdin = io.TextIOWrapper(io.BytesIO(request.get("stdin", "").encode()))
    os.chdir(request["env"]["HOME"])
    counter = Counter(request["kill"])
    counter.start()
    status = 99
    try:
        from pal import app
        from pal.cli import background
        from pal.memory import search

        if request["argv"][0] == "job":
            search.refresh = lambda *_: None  # the index is a cache, and has tests of its own
            background.asker = lambda *_: model(request["answer"])
            app.job(request["argv"][1:], os.path.join(request["env"]["HOME"], ".pal"))
            status = 0
        else:
            status = app.main(request["argv"])
    except BaseException:
        import traceback

        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    counter.writes(report, str(counter.count).encode())
    os._exit(status)


def answer(request: dict) -> dict:
    with tempfile.TemporaryFile() as output:
        reader, report = os.pipe()
        pid = os.fork()
        if not pid:
            child(request, output.fileno(), report)
        os.close(report)
        with os.fdopen(reader) as told:
            count = int(told.read() or request["kill"])
        _, status = os.waitpid(pid, 0)
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
    return {"operations": count, "status": code, "output": said, "killed": code == KILLED}


if __name__ == "__main__":
    load(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
