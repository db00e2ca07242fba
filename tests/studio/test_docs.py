"""The requests in docs/studio.md, sent by curl to a real studio."""

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

from studio_server import make_studio, serving

PAGE = Path(__file__).parents[2] / "docs" / "studio.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
CURL = which("curl")


@pytest.mark.skipif(CURL is None, reason="needs curl")
def test_the_requests_are_answered(tmp_path):
    studio = make_studio(tmp_path / "votes.sqlite")
    with serving(studio) as url:
        token = studio.store.add_token("shop")
        for block in BLOCKS:
            script = block.replace("http://127.0.0.1:8484", url).replace("curl ", "curl -sS --fail-with-body ")
            how = {"env": {"TOKEN": token, "PATH": str(Path(CURL).parent)}, "cwd": tmp_path}
            command = ["/bin/bash", "-e", "-c", script]
            done = subprocess.run(command, capture_output=True, text=True, check=False, **how)  # noqa: S603 - what the page shows
            assert done.returncode == 0, done.stdout + done.stderr
        (event,) = studio.store.events()
        assert (event.query, event.document, event.voter) == ("q03", "market-01", "user-17")
        assert (event.vote, event.key) == (3.0, "2f9c")
        assert "q03 0 market-01 3" in (tmp_path / "qrels-now.txt").read_text(encoding="utf-8")
