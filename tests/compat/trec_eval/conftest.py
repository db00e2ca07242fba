"""Files of a few lines, and `assay trec_eval` on them."""

from typing import NamedTuple

import pytest
from click.testing import CliRunner

from assay.cli.main import commands

# Topics 2 and 10 have rankings; the run lacks 3, and nobody judged 4. As text 10 stands before 2.
QRELS = "2 0 a 1\n2 0 b 0\n2 0 c 2\n2 0 d -1\n10 0 a 1\n10 0 e 0\n3 0 a 1\n3 0 b 3\n"
RUN = (
    "2 Q0 x 1 9 first\n2 Q0 c 2 8 first\n2 Q0 b 3 7 first\n2 Q0 d 4 7 first\n2 Q0 a 5 7.0 first\n"
    "10 Q0 e 1 0.5 first\n10 Q0 a 2 0.5 first\n4 Q0 a 1 1 name\n"
)


class Output(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def values(self):
        """The values by name and topic."""
        lines = [line.split("\t") for line in self.stdout.splitlines()]
        return {(name.strip(), topic): value for name, topic, value in lines}


@pytest.fixture
def trec_eval(tmp_path, monkeypatch):
    """Runs the command with these words in a folder with judgments and a run; other files can be written first."""
    monkeypatch.chdir(tmp_path)
    files = {"qrels": QRELS, "run": RUN}

    def run(*arguments, stdin=None, **texts):
        for name, text in {**files, **texts}.items():
            content = text if isinstance(text, bytes) else text.encode()
            (tmp_path / name).write_bytes(content)
        words = [word for argument in arguments for word in argument.split()]
        result = CliRunner().invoke(commands, ["trec_eval", *words], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Output(result.exit_code, result.stdout, result.stderr)

    return run
