"""What the tests of files share."""

from pathlib import Path

import pytest


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Writes a file into the folder that the test runs in, and gives its path."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        path = Path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
