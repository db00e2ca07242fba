"""The documentation: what is generated is up to date, and no link leads nowhere."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def text_of(path):
    return path.read_text(encoding="utf-8")


def anchors(path):
    """The names that headings get: lower case, without punctuation, blanks as hyphens."""
    titles = HEADING.findall(FENCED.sub("", text_of(path)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", ["measures.md", "data.md", "conventions.md"])
def test_the_generated_pages_are_up_to_date(name):
    made = runpy.run_path(str(ROOT / "docs" / "generate.py"))["pages"]()
    assert text_of(ROOT / "docs" / name) == made[name], "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for file, anchor in LINK.findall(FENCED.sub("", text_of(page))):
        target = page.parent / file if file else page
        assert target.exists(), file
        assert not anchor or anchor in anchors(target), f"{file}#{anchor}"


def test_every_page_is_in_the_index():
    index = text_of(ROOT / "docs" / "README.md")
    names = [page.name for page in ROOT.glob("docs/*.md") if page.name != "README.md"]
    assert [name for name in names if f"({name})" not in index] == []
