"""A table in every format, letter by letter; what hostile names do to it, tests/hostile/test_rendering.py tries."""

import json

from assay.render import FORMATS, Column, Marked, Table, render, system_table
from tables import for_each

PLAIN = Table(
    (Column("run", is_text=True), Column("ndcg@10"), Column("queries"), Column("share", digits=1)),
    (("bm25", 0.123456, 1234, 0.25), ("dense", float("nan"), 7, None), ("a longer name", 1.0, 0, -0.5)),
    caption="assay 1.0",
    notes=("first note", "second note"),
)
BARE = Table((Column("n"),), ((1,), (2,)))
EMPTY = Table((Column("measure", is_text=True), Column("mean")), ())

EXPECTED = {
    ("table", "plain"): """\
run              ndcg@10  queries  share
────────────────────────────────────────
bm25              0.1235    1,234    0.2
dense          undefined        7
a longer name     1.0000        0   -0.5

assay 1.0
note: first note
note: second note
""",
    ("table", "bare"): "n\n─\n1\n2\n",
    ("table", "empty"): "measure  mean\n─────────────\n",
    ("csv", "plain"): "run,ndcg@10,queries,share\nbm25,0.123456,1234,0.25\ndense,,7,\na longer name,1.0,0,-0.5\n",
    ("csv", "bare"): "n\n1\n2\n",
    ("csv", "empty"): "measure,mean\n",
    ("tsv", "plain"): (
        "run\tndcg@10\tqueries\tshare\nbm25\t0.123456\t1234\t0.25\ndense\t\t7\t\na longer name\t1.0\t0\t-0.5\n"
    ),
    ("json", "bare"): '[\n  {\n    "n": 1\n  },\n  {\n    "n": 2\n  }\n]\n',
    ("json", "empty"): "[]\n",
    ("markdown", "plain"): """\
| run | ndcg@10 | queries | share |
| --- | ---: | ---: | ---: |
| bm25 | 0.1235 | 1,234 | 0.2 |
| dense | undefined | 7 |  |
| a longer name | 1.0000 | 0 | -0.5 |

assay 1.0

Note: first note

Note: second note
""",
    ("markdown", "bare"): "| n |\n| ---: |\n| 1 |\n| 2 |\n",
    ("markdown", "empty"): "| measure | mean |\n| --- | ---: |\n",
    ("latex", "plain"): """\
\\begin{table}
  \\centering
  \\caption{assay 1.0. first note. second note}
  \\begin{tabular}{lrrr}
    \\toprule
    run & ndcg@10 & queries & share \\\\
    \\midrule
    bm25 & 0.1235 & 1,234 & 0.2 \\\\
    dense & undefined & 7 &  \\\\
    a longer name & 1.0000 & 0 & -0.5 \\\\
    \\bottomrule
  \\end{tabular}
\\end{table}
""",
    ("html", "bare"): (
        '<table><thead><tr><th style="text-align:right">n</th></tr></thead><tbody>'
        '<tr><td style="text-align:right">1</td></tr><tr><td style="text-align:right">2</td></tr></tbody></table>\n'
    ),
    ("html", "empty"): (
        '<table><thead><tr><th style="text-align:left">measure</th><th style="text-align:right">mean</th></tr></thead>'
        "<tbody></tbody></table>\n"
    ),
}
SYSTEMS = system_table(
    {"bm_25": "a", "dense": "aa"},
    {
        Column("ap", symbol="MAP"): [Marked(0.5, 0, ("aa",)), Marked(0.25, 1)],
        Column("rr"): [Marked(float("nan"), -1), Marked(0.75, 0, ("a", "c"), 2)],
    },
    "Means.",
)
EXPECTED |= {
    ("table", "systems"): """\
    run    ap         rr
───────────────────────────────
a   bm_25  0.5000 aa  undefined
aa  dense  0.2500     0.75 ac

Means.
""",
    ("csv", "systems"): ",run,ap,rr\na,bm_25,0.5,\naa,dense,0.25,0.75\n",
    ("markdown", "systems"): """\
|  | run | MAP | rr |
| --- | --- | ---: | ---: |
| a | bm\\_25 | **0.5000** <sup>aa</sup> | undefined |
| aa | dense | <ins>0.2500</ins> | **0.75** <sup>ac</sup> |

Means. Best in bold, second best underlined
""",
    ("latex", "systems"): """\
\\begin{table}
  \\centering
  \\caption{Means. Best in bold, second best underlined}
  \\begin{tabular}{llrr}
    \\toprule
     & run & MAP & rr \\\\
    \\midrule
    a & bm\\_25 & \\textbf{0.5000}$^{aa}$ & undefined \\\\
    aa & dense & \\underline{0.2500} & \\textbf{0.75}$^{ac}$ \\\\
    \\bottomrule
  \\end{tabular}
\\end{table}
""",
    ("html", "systems"): (
        '<table><thead><tr><th style="text-align:left"></th><th style="text-align:left">run</th>'
        '<th style="text-align:right">ap</th><th style="text-align:right">rr</th></tr></thead><tbody>'
        '<tr><td style="text-align:left">a</td><td style="text-align:left">bm_25</td>'
        '<td style="text-align:right"><b>0.5000</b><sup>aa</sup></td><td style="text-align:right">undefined</td></tr>'
        '<tr><td style="text-align:left">aa</td><td style="text-align:left">dense</td>'
        '<td style="text-align:right"><u>0.2500</u></td><td style="text-align:right"><b>0.75</b><sup>ac</sup></td></tr>'
        "</tbody></table><p>Means. Best in bold, second best underlined</p>\n"
    ),
}
TABLES = {"systems": SYSTEMS, "plain": PLAIN, "bare": BARE, "empty": EMPTY}


@for_each("format, table", EXPECTED)
def test_a_table_is_written_letter_by_letter(format, table):
    assert render(TABLES[table], format) == EXPECTED[format, table]


def test_every_format_is_tested():
    assert {each for each, _ in EXPECTED} == set(FORMATS)


def test_json_has_every_digit_and_null():
    assert json.loads(render(PLAIN, "json")) == [
        {"run": "bm25", "ndcg@10": 0.123456, "queries": 1234, "share": 0.25},
        {"run": "dense", "ndcg@10": None, "queries": 7, "share": None},
        {"run": "a longer name", "ndcg@10": 1.0, "queries": 0, "share": -0.5},
    ]
