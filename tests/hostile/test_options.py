"""Options of the public functions: wrong types, out of range, overlong, conflicting."""

from functools import partial

import polars
import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = [pytest.mark.attack("Options"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

Q = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
R = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 5.0}}
B = {"q1": {"d1": 2.0}, "q2": {"d3": 5.0}}
N = 10**400
NAN, INF = float("nan"), float("inf")
NAME = "MeasureError: a measure is a name such as ndcg@10, not"


def ev(measures="rr", **options):
    return assay.evaluate(Q, R, measures, **options)["rr"]


def co(runs=None, **options):
    return len(assay.compare(Q, runs or {"a": R, "b": B}, ["rr"], **options).pairs)


def ga(minimum=None, **options):
    return assay.gate(Q, R, minimum, **options).passed


def ga_rr(minimum=0.5, **options):
    return ga({"rr": minimum}, **options)


# A function, one of its options, values that it refuses, and how the message begins, before the value.
REFUSED = [
    (ev, "measures", [None, 5], NAME),
    (ev, "convention", [None, "trek_eval", 1], "PolicyError: unknown convention"),
    (ev, "format", ["xlsx", 3, ""], "FormatError: unknown format"),
    (ev, "threads", [0, -1, "2", 1.5, True, N, 10**6], "PolicyError: threads must be a whole number from 1 to 1024, not"),
    (ev, "ties", ["random", None, 1, ["doc_id"]], "PolicyError: ties must be 'docid_desc' or 'docid_asc' or 'input' or 'quicksort', not"),
    (ev, "missing", ["x", ["zero"]], "PolicyError: missing must be 'zero' or 'skip' or 'error', not"),
    (ev, "precision", ["float128", 64], "PolicyError: precision must be 'float64' or 'float32', not"),
    (ev, "depth", [0, -5, 1.5, NAN, "10", True], "PolicyError: depth must be a whole number at least 1, or None, not"),
    (ev, "rel", [NAN, INF, "1", None, N, True], "PolicyError: rel must be a number, not"),
    (co, "alpha", [0, 1, NAN, "0.05", 5, True], "PolicyError: alpha must be a number between 0 and 1, such as 0.05, not"),
    (co, "samples", [0, -1, 10.5, "100"], "PolicyError: samples must be a whole number at least 1, not"),
    (co, "seed", [-1, 1.5, "1", None], "PolicyError: seed must be a whole number at least 0, not"),
    (co, "correction", ["sidak", 1], "PolicyError: correction must be 'holm' or 'bonferroni' or 'bh' or 'by' or 'none', not"),
    (co, "family", ["x"], "PolicyError: family must be 'measure' or 'all', not"),
    (co, "baseline", ["c", 1], "DataError: unknown baseline"),
    (ga, "minimum", [0.5, ["rr"]], 'PolicyError: minimum must be a dict such as {"ndcg@10": 0.1}, not'),
    (ga_rr, "minimum", [NAN, INF, "0.5", True, None, N], "PolicyError: minimum of 'rr' must be a number, not"),
    (lambda drop: ga(baseline=B, max_drop={"rr": drop}), "drop", [-0.1, NAN], "PolicyError: max_drop of 'rr' must be a number of at least 0, not"),
    (ga_rr, "alpha", [2], "PolicyError: alpha must be a number between 0 and 1, such as 0.05, not"),
    (ga_rr, "strict", ["yes"], "PolicyError: strict must be True or False, not"),
    (ga_rr, "test", ["x"], "PolicyError: test must be 'randomization' or 't' or 'bootstrap', not"),
    (partial(assay.check, Q, R), "rel", [NAN, "1"], "PolicyError: rel must be a number, not"),
    (assay.load_result, "path", [None, 5], "DataError: a stored result is a path or a file object, not"),
]  # fmt: skip


@for_each(
    ("function", "option", "value", "message"),
    [(function, option, value, message) for function, option, values, message in REFUSED for value in values],
)
def test_refused_value(function, option, value, message):
    check(lambda: function(**{option: value}), f"{message} '{str(value)[:40] if value != N else 1}")


EXCLUDE = "PolicyError: exclude must be 'nothing' or 'query_id' or 'empty_id',"
EXPRESSION = "PolicyError: doc_id: the regular expression "
RUNS = "DataError: runs must be a dict of runs by name, or a list of paths or results, not "
# What is tried, and the number or the error that must come out.
CASES = [
    (lambda: ev([]), "MeasureError: no measure to compute"),
    (lambda: ev(" "), "MeasureError: cannot read the measure ' '"),
    *((each, 0.75) for each in (partial(ev, {"rr": 1}), partial(ev, ["rr", "rr"]), partial(ev, depth=2**64))),
    *((partial(ev, doc_id=each), 0.75) for each in ("regex:^((?:(?:a+)+)+)$", "before:\0", "regex:(\0)")),
    (lambda: ev(["rr", None]), f"{NAME} 'None'"),
    *((partial(ev, **{each: 1}), f"PolicyError: unknown option '{each}'") for each in ("foo", "mising")),
    (lambda: ev(duplicates="x"), "PolicyError: duplicates must be 'error' or 'first' or"),
    (lambda: ev(depth=N), "PolicyError: depth must be a whole number of at most 308 digits, or"),
    *((partial(ev, exclude=each), EXCLUDE) for each in ("d1", 5)),
    *((partial(ev, doc_id=rule), f"PolicyError: doc_id: '{rule}' is not a rule") for rule in ("", "between:#", "before:", "regex:")),
    (lambda: ev(doc_id=5), "PolicyError: doc_id must be a rule or a function, not '5'"),
    *((partial(ev, doc_id=f"regex:{each}"), f"{EXPRESSION}'{each}' cannot be used: {why}") for each, why in (
        ("(", "unclosed group"), ("(?<=a)(b)", "look-around, including"), (r"(a)\1", "backreferences are not supported"),
        ("((?:a{1000}){1000})", "Compiled regex"), ("(((((a{99}){99}){99}){99}){99})", "Compiled"), ("(?z)(a)", "unrecognized flag"),
    )),
    *((partial(ev, doc_id=f"regex:{each}"), f"{EXPRESSION}'{each}' has {groups} groups") for each, groups in (("d", 0), ("(d)(.)", 2))),
    (lambda: ev(doc_id="regex:" + "(" * 400 + "a" + ")" * 400), EXPRESSION.rstrip()),
    (lambda: ev(doc_id="regex:(" + "a" * 2000 + ")"), "PolicyError: doc_id has 2,008 characters"),
    (lambda: ev(doc_id="before:\ud800"), "PolicyError: doc_id: 'before:\\ud800' is not valid Unicode"),
    (lambda: ev(doc_id="metadata.source"), 'DataError: doc_id="field:metadata.source" reads a field, and the data has only'),
    *((partial(ev, doc_id=each), "DataError: doc_id: function:") for each in (lambda _: 1 / 0, lambda _: 1.5, int)),
    (lambda: co(samples=N), "PolicyError: samples must be a whole number of at most 40"),
    (lambda: co(seed=N), "PolicyError: seed must be a whole number of at most 40 digits,"),
    *((partial(co, test=each), "PolicyError: test must be 'randomization' or 't' or 'wilcoxon' or") for each in ("anova", None)),
    *((partial(assay.compare, Q, each, ["rr"]), f"DataError: need at least two runs to compare, got {len(each)}") for each in ({}, {"a": R})),
    *((partial(assay.compare, Q, each, ["rr"]), f"{RUNS}'{each}'") for each in (5, None)),
    *((partial(ga, each), "PolicyError: nothing to check") for each in (None, {})),
    (lambda: ga({"foo": 0.5}), "MeasureError: unknown measure 'foo'"),
    (lambda: ga({"rr": 0.5, "mrr": 0.6}), "PolicyError: minimum: 'rr' and 'mrr' are the same measure"),
    (lambda: ga_rr(max_drop={"rr": 0.1}), "PolicyError: max_drop needs a baseline, an earlier run or a stored result"),
    (lambda: ga_rr(baseline=B), 'PolicyError: a baseline needs max_drop, such as max_drop={"ndcg@10": 0.01}'),
    (lambda: assay.audit(Q, R, ["map"], start="x"), "PolicyError: unknown convention 'x'"),
    (lambda: assay.audit(Q, R, []), "MeasureError: no measure to audit"),
    (lambda: assay.load_result("none.json"), "FileError: file 'none.json' not found"),
    (lambda: assay.load_result("/"), "FileError: '/' is a directory"),
]  # fmt: skip


@for_each(("act", "expected"), CASES)
def test_option(act, expected):
    check(lambda: round(float(act()), 6), expected)


RANKED = {"q1": {"d1": 1.0}}
FORMS = {
    "dict": lambda: RANKED,
    "list": lambda: [("q1", "d1", 1.0)],
    "frame": lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]}),
    "trec": lambda: "a.run",
    "json": lambda: "a.json",
    "csv": lambda: "a.csv",
}
WRONG_COLUMNS = [
    (5, "columns= must map roles to columns, such as {'query_id': 'topic'}, not '5'"),
    *((each, "columns= must map roles to columns") for each in ("score", ["score"])),
    ({"foo": "x"}, "columns={'foo': …}: the roles are query_id, doc_id, score, relevance, group"),
    ({None: "x"}, "columns={'None': …}: the roles are"),
    ({"\x1b[2J": "x"}, "columns={'\\x1b[2J': …}: the roles are"),
]


@for_each("form", FORMS)
@for_each(("columns", "told"), WRONG_COLUMNS)
def test_wrong_columns(form, columns, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.run", "a.json", "a.csv"):
        assay.Run(RANKED).write(name)
    for act in (
        lambda: assay.Run(FORMS[form](), columns=columns),
        lambda: assay.evaluate({"q1": {"d1": 1}}, FORMS[form](), ["rr"], columns=columns),
    ):
        with pytest.raises(assay.errors.FormatError) as caught:
            act()
        assert str(caught.value).startswith(told)
