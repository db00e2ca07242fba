"""How trec_eval ends before it is done: what it says on standard error, and its exit code."""

from __future__ import annotations

USAGE, FILE, CALCULATION, NOTHING_IN_COMMON, ABORTED, FAILED = 1, 2, 4, 7, 134, 255


class Stop(Exception):  # noqa: N818 - the end of the program is not always an error
    """The program ends here. `text` goes to standard error as it is."""

    def __init__(self, code: int, text: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.text = text
