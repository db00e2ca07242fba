"""Every writer on a disk that is full: the earlier file is intact, one sentence names the file, nothing is left over.

The disk is a small file system where one can be mounted, and always a limit on the size of files.
"""

import gzip
import json
import os
import random
import subprocess
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("limits and mounts of POSIX", allow_module_level=True)

pytestmark = pytest.mark.attack("Full disks")
SIZE = 64 << 10
REASONS = (b"No space left on device", b"File too large")
# Ids that do not compress: enough of them for any format to be larger than the disk.
DATA = """
import random, sys, assay
draw = random.Random(12)
ids = [f"{draw.getrandbits(128):032x}" for _ in range(9000)]
"""
RUN = DATA + "data = assay.Run({'q1': {each: 9000.0 - place for place, each in enumerate(ids)}})\n"
QRELS = DATA + "data = assay.Qrels({'q1': dict.fromkeys(ids, 1)})\n"
WRITE = "data.write(sys.argv[1], lossy=True)"
SAVE = (
    DATA
    + "assay.evaluate({each: {'d': 1} for each in ids}, {each: {'d': 1} for each in ids}, ['ap']).save(sys.argv[1])"
)
RECORDS = DATA + (
    "from assay.tasks.probe.result import write_records\n"
    "write_records([{'query_id': each, 'question': 'why?'} for each in ids], sys.argv[1])"
)
RANX = DATA + (
    "from assay.compat.ranx import Run, Qrels\n"
    "Run({'q1': {each: 9000.0 - place for place, each in enumerate(ids)}}).save(sys.argv[1])"
)
CHECKPOINT = DATA + (
    "questions = {f'q{n}': f'question {n}' for n in range(400)}\n"
    "judged = {query: ['d'] for query in questions}\n"
    "assay.probe(lambda text: [each + text for each in ids[:20]], questions, judged, checkpoint=sys.argv[1], name='x')"
)
COMPRESSIONS = ("", ".gz", ".zst", ".bz2", ".xz")
WRITERS = {
    **{f"run{kind}{more}": RUN + WRITE for kind in (".trec", ".json", ".jsonl", ".csv", ".tsv") for more in COMPRESSIONS},
    **{
        f"qrels{kind}{more}": QRELS + WRITE
        for kind in (".trec", ".tsv", ".csv", ".json", ".jsonl")
        for more in COMPRESSIONS
    },
    "run.parquet": RUN + WRITE,
    "qrels.parquet": QRELS + WRITE,
    "saved.json": SAVE,
    "saved.json.gz": SAVE,
    "records.jsonl": RECORDS,
    "records.jsonl.xz": RECORDS,
    **{f"ranx.{kind}": RANX for kind in ("json", "trec", "gz", "parquet")},
}  # fmt: skip
# In `make test`: one of each kind.
QUICK = [
    "run.trec", "run.json", "run.jsonl.gz", "run.csv.zst", "run.trec.bz2", "run.tsv.xz", "run.parquet", "qrels.tsv",
    "saved.json", "records.jsonl", "ranx.json", "ranx.parquet",
]  # fmt: skip
TABLES = ("csv", "tsv", "json", "md", "tex", "html", "txt")


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory):
    """A folder on a small file system; None where none can be mounted."""
    folder = tmp_path_factory.mktemp("small")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:  # noqa: S603 - our own command
        yield None
        return
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607 - our own command


@pytest.fixture(params=["limit", "file system"])
def disk(request, small_disk, tmp_path):
    """A folder, and what makes it a full disk: the limit where nothing can be mounted."""
    if request.param == "limit" or small_disk is None:
        return tmp_path, {"limits": {"FSIZE": SIZE}}
    for path in small_disk.iterdir():
        path.unlink()
    return small_disk, {}


def refused(found, name):
    """One sentence with the name of the file and the reason, and exit code 2 or an error of assay."""
    last = found.said.splitlines()[-1]
    assert any(reason in last for reason in REASONS), found.said
    assert name.encode() in last
    if b"Traceback" in found.said:
        # As a script sees it.
        assert found.code == 1
        assert last.partition(b":")[0].rpartition(b".")[2] in (b"FileError", b"UnwritableError"), last
    else:
        assert (found.code, last.startswith(b"assay: ")) == (2, True), found.said


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in QUICK else pytest.mark.hostile) for each in WRITERS]
)
def test_writers(name, disk, launcher):
    folder, full = disk
    (folder / name).write_text("earlier")
    found = launcher.run(str(folder / name), code=WRITERS[name], folder=folder, **full)
    refused(found, name)
    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [(name, "earlier")]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Judgments and a run whose tables are larger than the disk."""
    folder = tmp_path_factory.mktemp("large")
    draw = random.Random(12)
    queries = [f"{draw.getrandbits(128):032x}" for _ in range(4000)]
    (folder / "qrels.txt").write_text("".join(f"{query} 0 d 1\n" for query in queries))
    (folder / "large.run").write_text("".join(f"{query} Q0 d 1 0.5 x\n" for query in queries))
    rows = "".join(f"{query},d,0.5\n" for query in queries)
    (folder / "large.csv.gz").write_bytes(gzip.compress(f"query_id,doc_id,score\n{rows}".encode()))
    return folder


@pytest.mark.parametrize(
    "ending", [*TABLES[:3], *(pytest.param(each, marks=pytest.mark.hostile) for each in TABLES[3:])]
)
def test_tables(ending, disk, launcher, large):
    write_from_large(f"table.{ending}", ["-q", "-m", "rr", "-o"], disk, launcher, large)


def test_results_that_are_stored(disk, launcher, large):
    write_from_large("saved.json", ["--save"], disk, launcher, large)


def write_from_large(name, options, disk, launcher, large):
    folder, full = disk
    (folder / name).write_text("earlier")
    found = launcher.run("eval", "qrels.txt", "large.run", *options, str(folder / name), folder=large, **full)
    refused(found, name)
    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [(name, "earlier")]


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("eval", "qrels.txt", "-", "-m", "rr"), "large.run"),
        (("eval", "-", "large.run", "-m", "rr"), "qrels.txt"),
        (("eval", "qrels.txt", "large.csv.gz", "-m", "rr"), None),
        (("convert", "large.csv.gz", "-", "--from", "run"), None),
        (("convert", "large.run", "-"), None),
        (("convert", "large.run", "/dev/null"), None),
        (("trec_eval", "qrels.txt", "-"), "large.run"),
    ],
)
def test_temporary_files(arguments, stdin, disk, launcher, large):
    """What is copied to the folder for temporary files does not fit there."""
    folder, full = disk
    given = {} if stdin is None else {"stdin": str(large / stdin)}
    found = launcher.run(*arguments, folder=large, environment={"TMPDIR": str(folder)}, **given, **full)
    assert (found.code, found.out) == (2, b"")
    # trec_eval goes on with its own words.
    last = found.said.splitlines()[0 if arguments[0] == "trec_eval" else -1]
    assert last.startswith(b"assay: ")
    assert any(reason in last for reason in REASONS), found.said
    assert b"Traceback" not in found.said
    assert b"corrupt" not in found.said
    assert list(folder.iterdir()) == []


def test_a_checkpoint_keeps_what_it_has(disk, launcher):
    """No answer that was told is lost, the error names the file, and the checkpoint goes on where there is room."""
    folder, full = disk
    target = folder / "checkpoint.jsonl"
    found = launcher.run(str(target), code=CHECKPOINT, folder=folder, **full)
    refused(found, target.name)
    kept = [json.loads(line) for line in target.read_bytes().split(b"\n")[1:-1]]
    assert 20 < len(kept) < 400
    elsewhere = Path(folder.parent, "moved.jsonl")
    elsewhere.write_bytes(target.read_bytes())
    assert launcher.run(str(elsewhere), code=CHECKPOINT).code == 0
    lines = elsewhere.read_text().splitlines()[1:]
    assert len(lines) == len({json.loads(line)["query_id"] for line in lines}) == 400
    assert [json.loads(line) for line in lines[: len(kept)]] == kept
