"""Out of file descriptors: every reader and writer says so in one sentence, also where a library panics or cannot be imported."""

import pytest

import assay
from every_command import write_files
from outcomes import run_python
from tables import for_each, with_hostile

pytestmark = pytest.mark.attack("Descriptors")
COMPRESSIONS = ("", ".gz", ".zst", ".bz2", ".xz")
NAMES = [".parquet", *(kind + more for kind in (".trec", ".json", ".jsonl", ".csv", ".tsv") for more in COMPRESSIONS)]
QUICK = (".trec", ".json", ".jsonl", ".csv.gz", ".trec.zst", ".parquet")
READERS = {
    "evaluate": "assay.evaluate({'q1': {'d1': 1}}, 'run' + NAME, ['ap'])",
    "read_run": "assay.read_run('run' + NAME)",
    "read_qrels": "assay.read_qrels('qrels' + NAME)",
    "write a run": "run.write('out' + NAME, lossy=True)",
    "write judgments": "qrels.write('out' + NAME, lossy=True)",
}
OTHERS = {
    "save": "result.save('out.json')",
    "load": "assay.load_result('saved.json')",
    "records": "assay.evaluate_rag('records.jsonl')",
    "parts": "assay.read_run('parts')",
    "file object": "assay.read_run(io.BytesIO(b'q1 Q0 d1 1 2 x'))",
    "checkpoint": "assay.probe(lambda text: ['d1'], {'q1': 'why?'}, {'q1': ['d1']}, name='x', checkpoint='checkpoint')",
    "ranx": "assay.compat.ranx.Run({'q1': {'d1': 1.0}}).save('out.json')",
}
# Opens files until only some are left, then acts, and says what became of it.
CODE = """
import io, os, resource, sys, assay, assay.compat.ranx
run, qrels = assay.Run({'q1': {'d1': 2.0}}), assay.Qrels({'q1': {'d1': 1}})
result = assay.evaluate(qrels, run, ['ap'])
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
held = []
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass
for each in held[:SPARE]:
    os.close(each)
try:
    ACT
    said = "fine"
except assay.AssayError as error:
    said = str(error)
except BaseException as error:
    said = f"raw {type(error).__name__}: {error}"
for each in held[SPARE:]:
    os.close(each)
sys.stdout.write(said)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    write_files(made)
    run = assay.Run({"q1": {"d1": 2.0, "d2": 1.0}})
    qrels = assay.Qrels({"q1": {"d1": 1}})
    for name in NAMES:
        run.write(made / f"run{name}", lossy=True)
        qrels.write(made / f"qrels{name}", lossy=True)
    (made / "parts").mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        run.write(made / "parts" / name)
    assay.evaluate(qrels, run, ["ap"]).save(made / "saved.json")
    return made


def check(act, launcher, folder, tried):
    """With few descriptors the act works or says that they are too few; with enough of them it works."""
    said = []
    for spare in (0, 1, 2, 3, 5, 8, 30):
        (folder / "checkpoint").unlink(missing_ok=True)
        ended = launcher.run(code=CODE.replace("ACT", act).replace("SPARE", str(spare)), folder=folder)
        # Warnings aside, nothing is printed beside the error: no panic, no traceback.
        assert (ended.code, b"panicked" in ended.said, b"Traceback" in ended.said) == (0, False, False), ended.said
        said.append(ended.out.decode())
    assert said[-1] == "fine"
    assert [each for each in said if each != "fine" and "Too many open files" not in each] == []
    assert [each for each in said if each.startswith("raw") or "corrupt" in each] == []
    assert said[0] != "fine"
    assert not list(folder.glob(".assay-*"))
    tried(len(said))


@pytest.mark.parametrize("name", with_hostile(QUICK, [each for each in NAMES if each not in QUICK]))
@pytest.mark.parametrize("act", READERS)
def test_files(act, name, launcher, folder, tried):
    check(READERS[act].replace("NAME", repr(name)), launcher, folder, tried)


@for_each("act", OTHERS)
def test_other_readers_and_writers(act, launcher, folder, tried):
    check(OTHERS[act], launcher, folder, tried)


COMMANDS = [
    "eval qrels.txt one.run", "eval qrels.txt run.csv", "eval qrels.txt run.parquet -o out.csv", "rag records.jsonl",
    "compare qrels.txt one.run two.run", "convert one.run out.parquet", "measures rr", "demo", "--help",
]  # fmt: skip
# Python itself does not start with fewer than it needs.
FEW_FILES = "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, ({0}, {0})); from assay.__main__ import main; main()"


@pytest.mark.parametrize(
    ("arguments", "limits"), with_hostile([("measures rr", (5, 12))], [(each, range(4, 24)) for each in COMMANDS])
)
def test_a_process_that_may_open_few_files(arguments, limits, folder, tried):
    """From the start: what cannot be imported, even for Ctrl-C, is an error in one sentence as well."""
    codes = []
    for limit in limits:
        ended = run_python("-c", FEW_FILES.format(limit), *arguments.split(), cwd=folder)
        codes.append(ended.returncode)
        if ended.returncode:
            assert b"Too many open files" in ended.stderr, (limit, ended.stderr)
            assert b"Traceback" not in ended.stderr, (limit, ended.stderr)
    assert set(codes) <= {0, 2}
    assert len(limits) > 2 or codes == [2, 0]
    tried(len(codes))
