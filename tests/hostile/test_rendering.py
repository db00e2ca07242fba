"""Names that terminals, browsers, LaTeX, Markdown and spreadsheets would act on, in every output format.

What programs read is parsed and compared with the names as they are; what people read, with the names made printable.
"""

import csv
import html
import html.parser
import io
import json
import os
import re

import pytest
from click.testing import CliRunner

import assay
from assay.cli.main import commands
from assay.core.text import printable
from assay.render import Column, Table, render
from outcomes import run_command
from tables import for_each

pytestmark = [pytest.mark.attack("Rendering"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

NAMES = [
    "<script>alert(1)</script>", '<img src=x onerror="alert(1)">', "<!-- x", "</td></tr></table><h1>x",
    "<![CDATA[x]]>", "&lt;b&gt;&amp;&#60;", "'\"`", "{{7*7}}{% x %}${x}<%= x %>", "=cmd|' /C calc'!A0", "-1+1",
    "@SUM(A1)", "+1", "\x1b[2J\x1b[H", "\x1b]0;x\x07", "\x9b2J", "a\x07\x08\x7f", "a\nb", "a\rb", "a\r\nb", "a\tb",
    "a\x0bb\x0cc", "a\0b", "a|b||c", 'a,"b",c;d', "a\\b\\\\c\\", "a\\|b", "$x$ $$y$$", "#x # y", "%x 50%",
    "\\input{/etc/passwd}", "\\end{tabular}\\\\[2pt]", "~^_{}&", "[x] y", "*x", "**x** _y_ ~~z~~",
    "[x](javascript:alert(1))", "![x](http://example.com/x.png)", "`x` ```y```", "a\u2028b\u2029c", "a\x85b",
    "\u202egnp.exe", "\u2066x\u2069", "a\u200bb\u200d", "\ufeffa", "a\xa0b", "e\u0301" + "\u0300" * 20, "東京",
    "👩\u200d💻", "\ue000", "\U0003fffe", "x" * 5_000, '{"a": [1, null]}', "%s %d %(x)s {0} {x!r}",
]  # fmt: skip


TAGS = ("table", "thead", "tbody", "tr", "th", "td", "p")


def table_of(name):
    """A table with the name in every place."""
    columns = (Column(name, is_text=True), Column("value"))
    return Table(columns, ((name, 0.5), ("x", 1.0)), caption=name, notes=(name,))


def check_printable(text):
    """Checks that nothing but line ends controls a terminal."""
    assert [each for each in text if not each.isprintable() and each != "\n"] == []


class Reader(html.parser.HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.cells, self.is_cell = set(), [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add((tag, *(key for key, _ in attrs)))
        self.is_cell = tag in ("td", "th", "p")
        if self.is_cell:
            self.cells.append("")

    def handle_endtag(self, tag):
        self.is_cell = self.is_cell and tag not in ("td", "th", "p")

    def handle_data(self, data):
        if self.is_cell:
            self.cells[-1] += data

    def handle_comment(self, data):
        self.tags.add(("comment", data))

    def handle_decl(self, decl):
        self.tags.add(("declaration", decl))

    unknown_decl = handle_decl


@for_each("name", NAMES)
@for_each("delimiter", [",", "\t"])
def test_csv_and_tsv_have_it_as_it_is(name, delimiter):
    text = render(table_of(name), "csv" if delimiter == "," else "tsv")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert rows == [[name, "value"], [name, "0.5"], ["x", "1.0"]]


@for_each("name", NAMES)
def test_json_has_it_as_it_is(name):
    assert json.loads(render(table_of(name), "json")) == [{name: name, "value": 0.5}, {name: "x", "value": 1.0}]


@for_each("name", NAMES)
def test_a_terminal_is_told_nothing(name):
    text = render(table_of(name), "table")
    check_printable(text)
    lines = text.splitlines()
    cells = [line.split("  ")[0].rstrip() for line in (lines[0], lines[2])]
    assert cells == [printable(name).split("  ")[0].rstrip()] * 2
    assert lines[-1] == f"note: {printable(name)}"


@for_each("name", NAMES)
def test_html_has_it_as_text(name):
    text = render(table_of(name), "html")
    check_printable(text)
    page = Reader(text)
    assert {tag for tag, *_ in page.tags} <= {*TAGS}
    assert {key for _, *keys in page.tags for key in keys} <= {"style"}
    shown = printable(name)
    assert page.cells[:6] == [shown, "value", shown, "0.5000", "x", "1.0000"]
    assert page.cells[6:] == [shown, shown]


@for_each("name", NAMES)
def test_markdown_has_it_as_text(name):
    text = render(table_of(name), "markdown")
    check_printable(text)
    lines = text.splitlines()
    cells = [re.split(r"(?<!\\)(?:\\\\)*\|", line)[1].strip() for line in (lines[0], lines[2])]
    shown = [html.unescape(re.sub(r"\\([\\|`*_\[\]~$])", r"\1", cell)) for cell in cells]
    assert shown == [printable(name).strip()] * 2
    assert "<" not in text
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*\[\]$]", text)


BACK = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    **{"\\" + each: each for each in "&%$#_{}"},
}


@for_each("name", NAMES)
def test_latex_has_it_as_text(name):
    text = render(table_of(name), "latex")
    check_printable(text)
    lines = text.splitlines()
    frame = [line.strip() for line in lines]
    assert [frame[0], *frame[-3:]] == [r"\begin{table}", r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    row = frame[frame.index(r"\midrule") + 1]
    cell = row.removesuffix(r" & 0.5000 \\").removeprefix("{}")
    assert not cell.startswith(("[", "*")) or row.startswith("{}")
    assert plain_latex(cell) == printable(name).strip()


def plain_latex(text):
    """The text that LaTeX shows; an error at anything that it would act on."""
    found, place = "", 0
    while place < len(text):
        command = next((each for each in BACK if text.startswith(each, place)), "")
        assert command or text[place] not in "\\~^&%$#_{}", text[place:]
        found += BACK.get(command, text[place])
        place += len(command) or 1
    return found


@for_each("name", NAMES)
def test_ids_of_queries_through_the_command(name, tmp_path, monkeypatch):
    """As data they are what they were; whatever is shown is printable."""
    monkeypatch.chdir(tmp_path)
    assay.Qrels({name: {"d1": 1}, "q2": {"d2": 1}}).write("q.json")
    assay.Run({name: {"d1": 1.0}, "q2": {"d9": 1.0}}).write("r.json")
    for form in ("csv", "json", "table", "markdown", "latex", "html"):
        result = CliRunner().invoke(commands, ["eval", "q.json", "r.json", "-m", "rr", "-q", "--format", form])
        assert result.exit_code == 0, result.output
        text = result.stdout_bytes.decode()
        if form == "csv":
            # The last row is the mean.
            found = {row[0] for row in csv.reader(io.StringIO(text, newline=""))}
            assert {name, "q2"} <= found
        elif form == "json":
            assert name in json.dumps(json.loads(text), ensure_ascii=False) or name in everything_in(json.loads(text))
        else:
            check_printable(text)


def everything_in(value):
    """Each text in a JSON value."""
    if isinstance(value, dict):
        return {*value, *(text for each in value.values() for text in everything_in(each))}
    if isinstance(value, list):
        return {text for each in value for text in everything_in(each)}
    return {value} if isinstance(value, str) else set()


@for_each("name", NAMES)
def test_names_of_runs_in_a_comparison(name):
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    runs = {name: {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}, "other": {"q1": {"d9": 1.0}, "q2": {"d2": 1.0}}}
    found = assay.compare(qrels, runs, ["rr"])
    (row,) = csv.DictReader(io.StringIO(found.to_csv(), newline=""))
    assert (row["a"], row["b"], float(row["mean_a"]), float(row["mean_b"])) == (name, "other", 1, 0.5)
    assert name in everything_in(json.loads(found.to_json()))
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        check_printable(text)
    assert {tag for tag, *_ in Reader(found.to_html()).tags} <= {*TAGS, "b", "u", "sup", "ul", "li"}


@for_each("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
@for_each("form", ["csv", "tsv", "json", "table"])
def test_ids_stay_different_on_any_standard_output(form, encoding, tmp_path):
    """`dé` and `dè` were both `d?` where standard output has ASCII only."""
    ids = ["dé", "dè", "d東", "d京", "d?", "d\U0001f600"]
    assay.Qrels({query: {"d1": 1} for query in ids}).write(tmp_path / "q.json")
    assay.Run({query: {"d1": 1.0} for query in ids}).write(tmp_path / "r.json")
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    done = run_command("eval", "q.json", "r.json", "-m", "rr", "-q", "--format", form, cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding if form == "table" else "utf-8")
    if form == "json":
        assert set(ids) <= everything_in(json.loads(text))
    elif form == "table":
        shown = {each.encode(encoding, "backslashreplace").decode(encoding) for each in ids}
        assert shown <= {line.split(" ")[0] for line in text.splitlines()}
    else:
        delimiter = "," if form == "csv" else "\t"
        assert set(ids) <= {row[0] for row in csv.reader(io.StringIO(text), delimiter=delimiter)}
