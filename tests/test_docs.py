"""The documentation: generated pages are up to date, links lead somewhere, and commands print what the pages show."""

import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.main import commands
from assay.core.note import NoteKind
from tables import for_each

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# A command and the lines below it, up to the next command or the end of the block.
SHOWN = re.compile(r"^\$ assay ([^\n]*)\n((?:(?!\$ |```)[^\n]*\n)+)", re.MULTILINE)
# A file that the commands of a page use: its name stands beside the fence.
GIVEN = re.compile(r"^```text (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# The pages that explain kinds of notes, and the heading from which on they do.
NOTES = [("data.md", "\n## Notes\n"), ("comparing.md", "\n| kind of note |")]


def text_of(path):
    return path.read_text(encoding="utf-8")


def anchors(path):
    """The names that headings get: lower case, without punctuation, blanks as hyphens."""
    titles = HEADING.findall(FENCED.sub("", text_of(path)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_generated_pages_are_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "generate.py"))["pages"]()
    assert made.keys() >= {"measures.md", "data.md", "conventions.md"}
    assert [name for name, text in made.items() if text_of(ROOT / "docs" / name) != text] == [], "run `make docs`"


@for_each("page", PAGES)
def test_links_lead_somewhere(page):
    for file, anchor in LINK.findall(FENCED.sub("", text_of(page))):
        target = page.parent / file if file else page
        assert target.exists(), file
        assert not anchor or anchor in anchors(target), f"{file}#{anchor}"


def test_every_page_is_in_the_index():
    index = text_of(ROOT / "docs" / "README.md")
    names = [page.name for page in ROOT.glob("docs/*.md") if page.name != "README.md"]
    assert [name for name in names if f"({name})" not in index] == []


def test_every_kind_of_note_is_explained():
    tables = "".join(text_of(ROOT / "docs" / name).split(start)[1] for name, start in NOTES)
    kinds = re.findall(r"^\| `(\w+)` \|", tables, re.MULTILINE)
    assert set(kinds) == set(NoteKind) - {NoteKind.OTHER}


def shown_commands():
    for page in PAGES:
        for command, output in SHOWN.findall(text_of(page)):
            if not command.startswith("probe"):  # needs a server
                name = f"{page.relative_to(ROOT).as_posix()}: {command.split()[0]}"
                # Drawing charts takes seconds to start.
                marks = [pytest.mark.verify] * command.startswith("report")
                yield pytest.param(page, command, output, id=name, marks=marks)


@pytest.mark.parametrize(("page", "command", "output"), list(shown_commands()))
def test_commands_print_what_the_pages_show(page, command, output, tmp_path, monkeypatch):
    """They run where the demo's files and the page's own are. A line with nothing but … stands for any number of lines."""
    for file in (ROOT / "src" / "assay" / "demo").iterdir():
        shutil.copy(file, tmp_path)
    for name, text in GIVEN.findall(text_of(page)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(commands, shlex.split(command), prog_name="assay").output
    parts = re.split(r"^…\n", output, flags=re.MULTILINE)
    assert re.fullmatch(".*".join(map(re.escape, parts)), printed, re.DOTALL), printed


def test_pictures_are_small():
    pictures = list((ROOT / "docs" / "images").iterdir())
    assert {each.name for each in pictures} >= {"differences.png", "queries.png"}
    assert all(each.stat().st_size < 100_000 for each in pictures if each.name in ("differences.png", "queries.png"))
    assert all(each.stat().st_size < 200_000 for each in pictures)
