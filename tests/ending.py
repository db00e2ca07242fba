"""How long a process takes to end. What it waited for a processor meanwhile is not counted: the machine may be busy."""

import os
import time
from pathlib import Path

STEP = 0.005
LONGEST = 60


def seconds_until_end(child: int) -> float:
    """The seconds until a child has ended, which is still to be waited for, less what it waited for a processor.

    That is the wait of its main thread and the longest of another one: the main thread may have to wait for that.
    """
    began = time.monotonic()
    first = waits(child)
    last, late = first, 0.0
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() - began > LONGEST:
            raise TimeoutError(f"process {child} does not end")
        before = own_wait()
        time.sleep(STEP)
        # If this was the last look, it came that much late.
        late = own_wait() - before
        last = {**last, **waits(child)}
    took = time.monotonic() - began
    last = {**last, **waits(child)}
    waited = {each: last[each] - first.get(each, 0.0) for each in last}
    return took - late - waited.pop(str(child), 0.0) - max(waited.values(), default=0.0)


def waits(process: int) -> dict[str, float]:
    """The seconds that each thread of a process has waited for a processor; nothing where that is not known."""
    found = {}
    try:
        for thread in Path(f"/proc/{process}/task").iterdir():
            found[thread.name] = read_wait(thread / "schedstat")
    except (OSError, IndexError):
        return found
    return found


def own_wait() -> float:
    """The same of the thread that calls."""
    try:
        return read_wait(Path("/proc/thread-self/schedstat"))
    except (OSError, IndexError):
        return 0.0


def read_wait(path: Path) -> float:
    return int(path.read_text(encoding="ascii").split()[1]) / 1e9
