"""Closed and full outputs of every command, its help and its errors; and files to write that cannot be written."""

import os
import re
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path

import click
import pytest

from assay.cli.main import commands
from every_command import COMMANDS, MODEL_WRITTEN, READ, WRITTEN, arguments_of, leaves, write_files
from launcher import BROKEN, CLOSED, NOBODY, Ended
from outcomes import check_sentence
from search_server import SearchServer
from tables import with_hostile

pytestmark = pytest.mark.attack("Outputs")
FULL = "/dev/full"
EVERY = list(leaves(commands, click.Context(commands)))
NO_OUTPUT = {
    CLOSED: (2, b"assay: standard output is closed; redirect it to a file, or to /dev/null to discard it\n"),
    FULL: (2, b"assay: standard output cannot be written: No space left on device\n"),
    BROKEN: (141, b""),
}
STREAMS = {"output": ["stdout"], "messages": ["stderr"], "both": ["stdout", "stderr"]}
FAULTS = {
    "no input": {"stdin": CLOSED},
    "nothing at all": {"stdin": CLOSED, "stdout": CLOSED, "stderr": CLOSED},
    **{
        f"{name} {how}": dict.fromkeys(streams, fault)
        for name, streams in STREAMS.items()
        for how, fault in (("closed", CLOSED), ("full", FULL), ("unread", BROKEN))
    },
}
QUICK = ("output closed", "output full", "output unread", "messages full", "messages unread", "nothing at all")
# What is said, printed and returned without a command; and a completion, as a shell asks for it.
ALONE = {
    "--version": (["--version"], {}),
    "--help": (["--help"], {}),
    "nothing": ([], {}),
    "unknown": (["unknown"], {}),
    "completion script": ([], {"_ASSAY_COMPLETE": "bash_source"}),
    "completion": ([], {"_ASSAY_COMPLETE": "bash_complete", "COMP_WORDS": "assay e", "COMP_CWORD": "1"}),
}


@pytest.fixture(scope="module")
def server():
    with SearchServer() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    write_files(made)
    return made


def ways_of(name, url):
    """A command that works, its help, and a wrong use of it."""
    if name in ALONE:
        return [ALONE[name]]
    words = name.split()
    works = [] if COMMANDS[name] is None else [arguments_of(name, url)]
    return [(each, {}) for each in (*works, [*words, "--help"], [*words, "--no-such-option"])]


def same(text):
    """A text without its digits: those of times differ. In a page they are in its compressed parts."""
    text = re.sub(rb'(<script type="application/gzip"[^>]*>)[^<]*', rb"\1", text)
    return re.sub(rb"[\d.]+ ?(ms|s)?", b"", text)


@pytest.fixture(scope="module")
def usual(launcher, folder):
    @cache
    def run(arguments, environment):
        return launcher.run(*arguments, environment=dict(environment), folder=folder)

    return lambda arguments, environment: run(tuple(arguments), tuple(environment.items()))


def expected(before, fault):
    """What becomes of the outcome without a fault."""
    stream = fault.get("stdout", "kept")
    code, out, said = before
    if stream in NO_OUTPUT and out:
        code, said = NO_OUTPUT[stream]
    return Ended(code, b"" if "stdout" in fault else out, b"" if "stderr" in fault else said)


def check(found, before, fault):
    wanted = expected(before, fault)
    assert found.code == wanted.code, found.said
    assert same(found.out) == same(wanted.out)
    # Notes may have been made before.
    notes = [line for line in found.said.splitlines(keepends=True) if line not in before.said]
    assert notes == [line for line in wanted.said.splitlines(keepends=True) if line not in before.said]
    assert b"Traceback" not in found.said
    assert b"Exception ignored" not in found.said


def test_every_command_is_tried():
    assert sorted(COMMANDS) == sorted(name for name, _ in EVERY)


def test_every_option_that_names_a_file_is_known():
    """An option that writes a file has a row in `WRITTEN`, and is tried below."""
    assert {option for _, option in options_of_files()} - READ - MODEL_WRITTEN == set(WRITTEN)


def options_of_files():
    for name, command in EVERY:
        for option in command.params:
            if isinstance(option, click.Option) and "FILE" in (option.metavar or ""):
                yield name, option.name


@pytest.mark.parametrize("fault", with_hostile(QUICK, [each for each in FAULTS if each not in QUICK]))
@pytest.mark.parametrize("name", [*ALONE, *COMMANDS])
def test_streams(name, fault, launcher, server, folder, usual, tried):  # noqa: PLR0917 - fixtures
    ways = ways_of(name, server.url)
    before_all = sorted(folder.iterdir())
    for arguments, environment in ways:
        before = usual(arguments, environment)
        check(launcher.run(*arguments, environment=environment, folder=folder, **FAULTS[fault]), before, FAULTS[fault])
    assert sorted(folder.iterdir()) == before_all
    tried(len(ways))


@pytest.mark.hostile
@pytest.mark.parametrize("buffering", ["", "1"])
@pytest.mark.parametrize(
    "fault", ["<&-", ">&-", "> /dev/full", "2>&-", "2> /dev/full", ">&- 2>&-", "<&- >&- 2>&-", "| head -c 0"]
)
@pytest.mark.parametrize("name", [*ALONE, *COMMANDS])
def test_streams_of_a_process_of_its_own(name, fault, buffering, folder, server):
    """The first way of each command: what differs from above is how Python starts and ends."""
    arguments, environment = ways_of(name, server.url)[0]
    own = (sys.executable, "-m", "assay", *arguments)
    surroundings = (("PYTHONUNBUFFERED", buffering), *environment.items())
    before = start_alone(own, folder, surroundings)
    shell = ("bash", "-c", f'"$@" {fault}; exit ${{PIPESTATUS[0]}}', "bash")
    found = start_alone((*shell, *own), folder, surroundings)
    if fault.startswith("|"):
        # The reader may be gone too late.
        assert found.code in ({before.code, 141} if before.out else {before.code})
    else:
        lost = ">&-" in fault.replace("2>&-", "") or fault == "> /dev/full"
        assert found.code == (2 if lost and before.out else before.code)
    assert b"Traceback" not in found.said
    assert b"Exception ignored" not in found.said


@cache
def start_alone(command, folder, surroundings):
    """How a process of its own ends."""
    environment = {**os.environ, **dict(surroundings)}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=60)  # noqa: S603
    return Ended(ended.returncode, ended.stdout, ended.stderr)


# Each command with each option that names a file to write; several results are stored in a folder.
WRITERS = [("convert", None)]
WRITERS += [
    each for each in options_of_files() if each[1] in WRITTEN and COMMANDS[each[0]] and each != ("compare", "save")
]
QUICK_WRITERS = [each for each in WRITERS if each[0] in ("eval", "probe", "convert")]
OTHERS = [each for each in WRITERS if each not in QUICK_WRITERS]
REFUSED = {
    "full": "No space left on device",
    "directory": "is a directory, not a file",
    "missing folder": "No such file or directory",
    "loop": "Too many levels of symbolic links",
    "no right": "Permission denied",
    "no right to replace": "Permission denied",
    "too long": "File name too long",
    "below a file": "Not a directory",
    "empty": "the path is empty; name a file",
    "slash": "names a directory, not a file",
}
# Results can be stored in a folder; only an ordinary file can be added to; a page ends in .html and records in .jsonl.
DIFFERENT = {
    ("save", "directory"): None,
    ("save", "slash"): None,
    ("checkpoint", "full"): "it is not a regular file",
    ("checkpoint", "directory"): "it is not a regular file",
    ("records_file", "empty"): "the name of '' must end in .jsonl",
    ("chart_file", "empty"): "cannot tell the format of ''",
    **dict.fromkeys(product(("report", "page_file"), ("empty", "slash")), "is an HTML page; the name of"),
}


@pytest.fixture(scope="module")
def place():
    """A folder that another user can reach."""
    with tempfile.TemporaryDirectory(prefix="outputs-") as made:
        Path(made).chmod(0o777)
        write_files(Path(made))
        yield Path(made)


def prepare(kind, ending, place):
    """The name of a target of this kind."""
    (place / f"old{ending}").write_text("old")
    if kind in ("full", "directory", "loop"):
        link = place / f"{kind}{ending}"
        link.unlink(missing_ok=True)
        link.symlink_to({"full": "/dev/full", "directory": ".", "loop": link}[kind])
        return link.name
    if kind.startswith("no right"):
        locked = place / "locked"
        locked.mkdir(exist_ok=True)
        locked.chmod(0o777)
        (locked / f"old{ending}").write_text("old")
        locked.chmod(0o555)
        return f"locked/{'old' if kind == 'no right to replace' else 'new'}{ending}"
    names = {"missing folder": "missing/new", "too long": "x" * 300, "below a file": "qrels.txt/new"}
    return {"empty": "", "slash": f"new{ending}/"}.get(kind, names.get(kind, "") + ending)


def write_to(name, option, target, url):
    arguments = arguments_of(name, url)
    return [*arguments[:-1], target] if option is None else [*arguments, WRITTEN[option][0], target]


ENDINGS = {None: ".run", **{option: Path(name).suffix for option, (_, name) in WRITTEN.items()}}


def state(place):
    """All files, with their content."""
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(place.rglob("*"))}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize(("name", "option"), with_hostile(QUICK_WRITERS, OTHERS))
def test_files_that_cannot_be_written(name, option, kind, place, launcher, server):  # noqa: PLR0917 - fixtures
    message = DIFFERENT.get((option, kind), REFUSED[kind])
    if message is None:
        return
    target = prepare(kind, ENDINGS[option], place)
    before = state(place)
    user = {"user": NOBODY} if os.geteuid() == 0 and kind.startswith("no right") else {}
    found = launcher.run(*write_to(name, option, target, server.url), folder=place, **user)
    check_sentence(found, message)
    assert state(place) == before


@pytest.mark.parametrize(
    ("name", "option"),
    with_hostile(*([each for each in rows if each[1] != "checkpoint"] for rows in (QUICK_WRITERS, OTHERS))),
)
def test_files_that_are_kept_as_they_are(name, option, place, launcher, server, tried):  # noqa: PLR0917 - fixtures
    """A link stays a link, a file that nobody may change keeps its mode, and a pipe gets everything."""
    ending = ENDINGS[option]
    old, link, pipe = place / f"old{ending}", place / f"link{ending}", place / f"pipe{ending}"
    for each in (old, link, pipe):
        each.unlink(missing_ok=True)
    old.write_text("old")
    link.symlink_to(old.name)
    assert launcher.run(*write_to(name, option, link.name, server.url), folder=place).code == 0
    written = old.read_bytes()
    assert (link.is_symlink(), written[:3] != b"old", len(written) > 20) == (True, True, True)
    old.chmod(0o444)
    assert launcher.run(*write_to(name, option, old.name, server.url), folder=place).code == 0
    assert stat.S_IMODE(old.stat().st_mode) == 0o444
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        received = reader.submit(pipe.read_bytes)
        assert launcher.run(*write_to(name, option, pipe.name, server.url), folder=place).code == 0
    assert same(received.result()) == same(written)
    assert not list(place.rglob("*.partial"))
    tried(3)


def test_what_was_asked_is_kept_whatever_cannot_be_written(launcher, server, place):
    """Three of four outputs are there if one cannot be written, also if nobody reads the table."""
    outputs = ["--save", "kept.json", "--save-run", "kept.run", "--save-records", "kept.jsonl"]
    for more, code in (({"stdout": BROKEN}, 141), ({"stdout": FULL}, 2), ({"stdout": CLOSED}, 2)):
        for file in outputs[1::2]:
            (place / file).unlink(missing_ok=True)
        found = launcher.run(*arguments_of("probe", server.url), *outputs, folder=place, **more)
        assert found.code == code
        assert all((place / file).stat().st_size for file in outputs[1::2])
    outputs[1] = "/dev/full"
    outputs += ["-o", "/dev/full", "--format", "csv"]
    found = launcher.run(*arguments_of("probe", server.url), *outputs, folder=place)
    assert found.code == 2
    assert found.said.count(b"'/dev/full' cannot be written: No space left on device") == 2
