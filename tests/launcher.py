"""Starts processes under bad conditions, hundreds of them: each is forked from one that has imported assay already.

A process gets the streams, limits, user and environment that a job names, and the streams that Python would make for
it; it ends as any Python process does. What a start from nothing adds, such as imports without free descriptors, is
tested with processes of their own.
"""

import atexit
import gc
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ending import seconds_until_end

TIMEOUT = 60
CLOSED = None
# A pipe that nobody reads, and a file that the launcher reads back.
BROKEN, KEPT = "|", "kept"
# A library that is imported can lose an interrupt: sacrebleu's lxml does, in C.
MODULES = "polars rich.console httpx2 difflib shlex sacrebleu scipy.special assay.results.load assay.data.write"
PRELOADED = [*MODULES.split(), "assay.tasks.probe.api"]
NOBODY = 65534
# A shell that runs this in the background has the signal ignored, which a process inherits.
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
# The command, as code that can be interrupted from `ready` on. The moment before its first line is not the command's.
BEFORE_ALL = 99
INTERRUPTIBLE = f"""{LISTEN}
import os, traceback
from assay.__main__ import main
try:
    ready()
    main()
except KeyboardInterrupt as interrupt:
    if any(frame.f_code is main.__code__ for frame, _ in traceback.walk_tb(interrupt.__traceback__)):
        raise
    os._exit({BEFORE_ALL})
"""


class Ended(NamedTuple):
    """How a process ended, and what it printed."""

    code: int
    out: bytes
    said: bytes


class Launcher:
    """The process that the others are forked from, and how to talk to it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="launched-")
        # From the last signal to the end of the process, as `ending` counts; None if it had ended before.
        self.seconds: float | None = None
        command = [sys.executable, __file__]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - this file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()
        self.folder.cleanup()

    def seconds_beyond_idle(self) -> float:
        """The seconds from the last interrupt on, less those that an idle process takes."""
        seconds = self.seconds or 0.0
        self.run(code=f"{LISTEN}import time\nready()\ntime.sleep({TIMEOUT})", interrupt_after=0.01)
        return seconds - (self.seconds or 0.0)

    def run(self, *arguments, **job: Any) -> Ended:
        """Runs the command, or `code`; see `prepare` for what else a job can say.

        With `kill_after` or `interrupt_after` the process gets the signal that many seconds after it called `ready`.
        """
        kept = [Path(self.folder.name, name) for name in ("out", "said")]
        streams = [job.pop("stdin", os.devnull), job.pop("stdout", KEPT), job.pop("stderr", KEPT)]
        for place, path in enumerate(kept, start=1):
            path.unlink(missing_ok=True)
            streams[place] = str(path) if streams[place] == KEPT else streams[place]
        job = {**job, "arguments": arguments, "streams": streams, "folder": str(job.get("folder", Path.cwd()))}
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        self.process.stdin.flush()
        code, self.seconds = json.loads(self.process.stdout.readline())
        return Ended(code, *(path.read_bytes() if path.exists() else b"" for path in kept))


def serve():
    """Forks a process for each job; returns in that process, with the job."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    for line in requests:
        job = json.loads(line)
        ready, tell = os.pipe()
        child = os.fork()
        if not child:
            for file in (requests, replies):
                file.close()
            os.close(ready)
            return job, tell
        os.close(tell)
        status, seconds = await_end(child, job, ready)
        os.close(ready)
        replies.write(json.dumps([os.waitstatus_to_exitcode(status), seconds]).encode() + b"\n")
        replies.flush()
    return None


def await_end(child, job, ready):
    """Sends the signal that a job asks for; the status at the end, and how long that took from the signal on."""
    for name, number in (("kill_after", signal.SIGKILL), ("interrupt_after", signal.SIGINT)):
        if name in job:
            # A process that ends before it is ready has failed.
            os.read(ready, 1)
            # The end of the process closes the pipe.
            if select.select([ready], [], [], job[name])[0]:
                return os.waitpid(child, 0)[1], None
            os.kill(child, number)
            seconds = seconds_until_end(child)
            return os.waitpid(child, 0)[1], seconds
    return os.waitpid(child, 0)[1], None


def prepare(job, tell):
    """Makes the surroundings that a job asks for.

    `streams` are paths, `BROKEN` or `CLOSED`; `limits` maps names such as FSIZE to numbers; `user` is a number;
    `environment` maps names to texts, or to None for what is to be unset; `removed` is a folder to work in that is gone.
    """
    signal.alarm(TIMEOUT)
    os.chdir(job["folder"])
    if "removed" in job:
        Path(job["removed"]).mkdir()
        os.chdir(job["removed"])
        Path(job["removed"]).rmdir()
    for name, value in job.get("environment", {}).items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    # Each process finds the folder for temporary files for itself.
    tempfile.tempdir = None
    for number, stream in enumerate(job["streams"]):
        redirect(number, stream)
    for name, value in job.get("limits", {}).items():
        kind = getattr(resource, f"RLIMIT_{name}")
        resource.setrlimit(kind, (value, value))
    if "user" in job:
        os.setgroups([])
        os.setgid(job["user"])
        os.setuid(job["user"])
    sys.stdin, sys.stdout, sys.stderr = map(open_stream, range(3))
    sys.argv = ["assay", *job["arguments"]]
    return lambda: os.write(tell, b".")


def redirect(number, stream):
    if stream is CLOSED:
        os.close(number)
        return
    if stream == BROKEN:
        read, write = os.pipe()
        os.close(read)
    else:
        mode = os.O_CREAT | os.O_WRONLY if number else os.O_RDONLY
        write = os.open(stream, os.O_RDWR if stream.startswith("/dev/") else mode, 0o666)
    os.dup2(write, number)
    os.close(write)


def open_stream(number):
    """What Python makes of a descriptor when it starts."""
    try:
        os.fstat(number)
    except OSError:
        return None
    if number == 0:
        return open(0, closefd=False, encoding="utf-8", errors="strict")
    how = {"errors": "strict", "buffering": -1} if number == 1 else {"errors": "backslashreplace", "buffering": 1}
    return open(number, "w", closefd=False, encoding="utf-8", **how)


def perform(job, ready):
    """Runs the command or the code; returns the exit code, as the interpreter finds it."""
    try:
        if "code" in job:
            exec(compile(job["code"], "<job>", "exec"), {"ready": ready, "__name__": "job"})  # noqa: S102 - a test's own code
        else:
            import_module("assay.cli.main").main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - shown, as the interpreter does
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def end(code):
    """Ends as the interpreter does, but for the memory, which it frees piece by piece."""
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no other way to call them
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except Exception:  # noqa: BLE001 - whatever it is
            code = 120
    os._exit(code)


def main():
    command = import_module("assay.cli.main")
    for name in (*PRELOADED, *map(command.module_of, command.COMMANDS)):
        import_module(name)
    gc.freeze()
    served = serve()
    if served is not None:
        job, tell = served
        end(perform(job, prepare(job, tell)))


if __name__ == "__main__":
    main()
