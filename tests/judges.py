"""Judges that reply from a list."""

import threading


class Script:
    """A judge that replies from a list, the last one again and again, and remembers what it was asked."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []
        self.lock = threading.Lock()

    def __call__(self, messages):
        with self.lock:
            self.asked.append(messages)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def verdicts(*values):
    """A reply with these verdicts, in their order."""
    return {"verdicts": [{"reason": f"r{number}", "verdict": each} for number, each in enumerate(values)]}
