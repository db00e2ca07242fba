"""A file that is replaced keeps its mode and owner, is on the disk, and leaves nothing beside it, killed or not."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from assay import Run
from assay.files.replace import lock, replaced
from tables import for_each

RUN = Run({"q1": {"a": 1}})
posix = pytest.mark.skipif(os.name == "nt", reason="modes and signals of POSIX")

CODE = """
import sys, time
from pathlib import Path
from assay.data.write import open_replacement
with open_replacement(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


@posix
@for_each("mode", [0o600, 0o640, 0o664, 0o444, 0o755])
@for_each("name", ["run.trec", "run.zst"])
def test_the_mode_stays(mode, name, tmp_path):
    path = tmp_path / name
    path.touch()
    path.chmod(mode)
    RUN.write(path)
    assert (stat.S_IMODE(path.stat().st_mode), list(tmp_path.iterdir())) == (mode, [path])
    assert path.stat().st_size > 0


@posix
def test_what_is_private_is_private_while_it_is_written(tmp_path):
    path = tmp_path / "run.trec"
    path.touch(0o600)
    with replaced(path) as partial:
        assert stat.S_IMODE(partial.stat().st_mode) == 0o600
        partial.write_bytes(b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_and_the_group_stay(tmp_path):
    path = tmp_path / "run.trec"
    path.touch()
    os.chown(path, 12345, 54321)
    path.chmod(0o2750)
    RUN.write(path)
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 54321, 0o2750)


@posix
def test_the_file_is_on_the_disk_before_the_rename_and_the_folder_after(tmp_path, monkeypatch):
    path, seen, sync = tmp_path / "run.trec", [], os.fsync

    def record(descriptor):
        found = os.fstat(descriptor)
        seen.append(("folder" if stat.S_ISDIR(found.st_mode) else found.st_size, path.exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    RUN.write(path)
    assert seen == [(path.stat().st_size, False), ("folder", True)]


def start_writer(path):
    writer = subprocess.Popen([sys.executable, "-c", CODE, str(path)], stdout=subprocess.PIPE)  # noqa: S603 - our own code
    assert writer.stdout.readline() == b"writing\n"
    return writer


@posix
@for_each("name", ["run.trec", "run.zst", "run.gz"])
def test_what_a_killed_writer_left_is_removed_by_the_next(name, tmp_path):
    path = tmp_path / name
    RUN.write(path)
    earlier = path.read_bytes()
    with start_writer(path) as writer:
        writer.send_signal(signal.SIGKILL)
    left = [each for each in tmp_path.iterdir() if each != path]
    assert left
    assert path.read_bytes() == earlier
    RUN.write(tmp_path / "another.trec")
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["another.trec", name])


INTERRUPTED = """
import io, random, signal, sys, tempfile
from pathlib import Path
from assay.files.replace import replaced
from assay.files.source import open_source
tempfile.gettempdir()
signal.signal(signal.SIGALRM, signal.default_int_handler)
chance, interrupted = random.Random(5), 0
for _ in range(2000):
    try:
        signal.setitimer(signal.ITIMER_REAL, 10 ** chance.uniform(-5, -1.5))
        with replaced(Path(sys.argv[1], "run.trec")) as partial:
            partial.write_bytes(b"new")
        with open_source(io.BytesIO(b"q1 Q0 d1 1 1 t")) as copy:
            copy.path.read_bytes()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
    left = [each.name for each in Path(sys.argv[1]).rglob("*assay-*")]
    assert not left, left
print(interrupted)
"""


@pytest.mark.verify
@posix
def test_what_is_interrupted_leaves_nothing_at_any_moment(tmp_path):
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path)]
    environment = os.environ | {"TMPDIR": str(tmp_path / "tmp")}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)  # noqa: S603 - our own code
    assert (done.stderr, int(done.stdout or 0) > 200) == ("", True)
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["run.trec", "tmp"]


@posix
def test_what_another_writer_is_writing_stays(tmp_path):
    with start_writer(tmp_path / "first.zst") as writer:
        underway = set(tmp_path.iterdir())
        assert len(underway) == 2
        RUN.write(tmp_path / "second.trec")
        assert set(tmp_path.iterdir()) == {*underway, tmp_path / "second.trec"}
        writer.send_signal(signal.SIGKILL)


@posix
def test_files_that_only_look_like_leftovers_stay(tmp_path):
    target = tmp_path / "precious"
    target.write_text("precious")
    (tmp_path / f".assay-{'0' * 16}.partial").symlink_to(target)
    (tmp_path / f".assay-{'1' * 16}.partial").mkdir()
    (tmp_path / ".assay-notes.partial").touch()
    os.mkfifo(tmp_path / f".assay-{'2' * 16}.partial")
    before = set(tmp_path.iterdir())
    RUN.write(tmp_path / "run.trec")
    assert set(tmp_path.iterdir()) == {*before, tmp_path / "run.trec"}
    assert target.read_text() == "precious"


@posix
def test_a_folder_that_cannot_be_listed_can_be_written_to(tmp_path):
    folder = tmp_path / "drop"
    folder.mkdir(0o300)
    RUN.write(folder / "run.trec")
    assert (folder / "run.trec").stat().st_size > 0
    folder.chmod(0o700)


@pytest.mark.verify
def test_many_writers_of_one_file(tmp_path):
    path = tmp_path / "run.trec"
    code = "import sys, assay\nfor _ in range(30): assay.Run({'q1': {'a': 1}}).write(sys.argv[1])"
    command = [sys.executable, "-c", code, str(path)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]  # noqa: S603 - our own code
    said = [writer.communicate(timeout=60)[1] for writer in writers]
    assert said == [b"", b"", b""]
    assert (path.read_text(), list(tmp_path.iterdir())) == ("q1 Q0 a 1 1 assay\n", [path])


def test_a_lock_is_for_one_open_file_and_ends_with_it(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with path.open("r+b") as first, path.open("r+b") as second:
        lock(first.fileno())
        with pytest.raises(BlockingIOError):
            lock(second.fileno())
        first.close()
        lock(second.fileno())
