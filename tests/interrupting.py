"""Processes that are interrupted: what surrounds them, what they leave behind, and how soon they should end."""

import os
import signal
import subprocess
import sys

from ending import seconds_until_end
from launcher import LISTEN

SEED = 12
# Seconds, beyond those that an idle Python takes to end.
SOON = 0.5
IDLE = [sys.executable, "-c", LISTEN + "import sys, time; print(flush=True); time.sleep(60)"]


def surroundings(folder):
    return {"TMPDIR": str(folder / "tmp"), "COLUMNS": "100"}


def start(command, folder, **more):
    environment = {**os.environ, **surroundings(folder)}
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, **more)  # noqa: S603


def idle_end(folder):
    """How long an idle Python takes to end."""
    with start(IDLE, folder, stdout=subprocess.PIPE) as idle:
        idle.stdout.readline()
        idle.send_signal(signal.SIGINT)
        took = seconds_until_end(idle.pid)
        idle.communicate()
        return took


def leftovers(folder):
    places = [*(folder / "out").iterdir(), *(folder / "tmp").iterdir(), *folder.glob(".assay-*")]
    return sorted(each.name for each in places)
