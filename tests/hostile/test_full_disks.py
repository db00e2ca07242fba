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

from tables import with_hostile

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
SAVE = DATA + "data = {each: {'d': 1} for each in ids}\nassay.evaluate(data, data, ['ap']).save(sys.argv[1])"
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
KINDS = (".trec", ".json", ".jsonl", ".csv", ".tsv")
ENDINGS = [".parquet", *(kind + more for kind in KINDS for more in ("", ".gz", ".zst", ".bz2", ".xz"))]
WRITERS = {
    **{f"run{ending}": RUN + WRITE for ending in ENDINGS},
    **{f"qrels{ending}": QRELS + WRITE for ending in ENDINGS},
    **dict.fromkeys(("saved.json", "saved.json.gz"), SAVE),
    **dict.fromkeys(("records.jsonl", "records.jsonl.xz"), RECORDS),
    **{f"ranx.{kind}": RANX for kind in ("json", "trec", "gz", "parquet")},
}  # fmt: skip
# In `make test`: one of each kind.
QUICK = [
    "run.trec", "run.json", "run.jsonl.gz", "run.csv.zst", "run.trec.bz2", "run.tsv.xz", "run.parquet", "qrels.tsv",
    "saved.json", "records.jsonl", "ranx.json", "ranx.parquet",
]  # fmt: skip
# What the command writes, and the option for it.
TABLES = [*((f"table.{kind}", "-qo") for kind in ("csv", "tsv", "json")), ("saved.json", "--save")]
MORE_TABLES = [(f"table.{kind}", "-qo") for kind in ("md", "tex", "html", "txt")]


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
    """Checks for one sentence with the file's name and the reason, and exit code 2 or an error of assay."""
    last = found.said.splitlines()[-1]
    assert any(reason in last for reason in REASONS), found.said
    assert name.encode() in last
    if b"Traceback" in found.said:
        # As a script sees it.
        assert found.code == 1
        assert last.partition(b":")[0].rpartition(b".")[2] in (b"FileError", b"UnwritableError"), last
    else:
        assert (found.code, last.startswith(b"assay: ")) == (2, True), found.said


def check_kept(name, disk, launcher, *arguments, **job):
    """Checks that what cannot be written leaves the earlier file, and nothing else."""
    folder, full = disk
    (folder / name).write_text("earlier")
    refused(launcher.run(*arguments, str(folder / name), **job, **full), name)
    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [(name, "earlier")]


@pytest.mark.parametrize("name", with_hostile(QUICK, [each for each in WRITERS if each not in QUICK]))
def test_writers(name, disk, launcher):
    check_kept(name, disk, launcher, code=WRITERS[name], folder=disk[0])


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


@pytest.mark.parametrize(("name", "option"), with_hostile(TABLES, MORE_TABLES))
def test_tables_and_results(name, option, disk, launcher, large):
    check_kept(name, disk, launcher, "eval", "qrels.txt", "large.run", "-m", "rr", option, folder=large)


COPIED = {
    "eval qrels.txt - -m rr": "large.run", "eval - large.run -m rr": "qrels.txt", "trec_eval qrels.txt -": "large.run",
    **dict.fromkeys([
        "eval qrels.txt large.csv.gz -m rr", "convert large.csv.gz - --from run", "convert large.run -",
        "convert large.run /dev/null",
    ], "/dev/null"),
}  # fmt: skip


@pytest.mark.parametrize("command", COPIED)
def test_temporary_files(command, disk, launcher, large):
    """What is copied to the folder for temporary files, as standard input is, does not fit there."""
    folder, full = disk
    job = {"folder": large, "environment": {"TMPDIR": str(folder)}, "stdin": str(large / COPIED[command])}
    found = launcher.run(*command.split(), **job, **full)
    assert (found.code, found.out) == (2, b"")
    # trec_eval goes on with its own words.
    last = found.said.splitlines()[0 if command.startswith("trec_eval") else -1]
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
