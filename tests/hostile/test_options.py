"""Options of the public functions: wrong types, out of range, overlong, conflicting."""

# ruff: noqa: PLW0108 - an act is one when it runs

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("Options")

Q = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
R = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 5.0}}
B = {"q1": {"d1": 2.0}, "q2": {"d3": 5.0}}
N = 10**400


def ev(**options):
    return assay.evaluate(Q, R, ["rr"], **options)["rr"]


def co(**options):
    return len(assay.compare(Q, {"a": R, "b": B}, ["rr"], **options).pairs)


def ga(minimum=None, **options):
    return assay.gate(Q, R, minimum, **options).passed


CASES = [
    (
        "measures None",
        lambda: assay.evaluate(Q, R, None)["rr"],
        "MeasureError: a measure is a name such as ndcg@10, not 'None'",
    ),
    ("measures empty", lambda: assay.evaluate(Q, R, [])["rr"], "MeasureError: no measure to compute"),
    (
        "measures number",
        lambda: assay.evaluate(Q, R, 5)["rr"],
        "MeasureError: a measure is a name such as ndcg@10, not '5'",
    ),
    ("measures text blank", lambda: assay.evaluate(Q, R, " ")["rr"], "MeasureError: cannot read the measure ' '"),
    ("measures dict", lambda: assay.evaluate(Q, R, {"rr": 1})["rr"], 0.75),
    ("measures twice", lambda: assay.evaluate(Q, R, ["rr", "rr"])["rr"], 0.75),
    (
        "measures with None",
        lambda: assay.evaluate(Q, R, ["rr", None])["rr"],
        "MeasureError: a measure is a name such as ndcg@10, not 'None'",
    ),
    ("convention None", lambda: ev(convention=None), "PolicyError: unknown convention 'None'"),
    ("convention unknown", lambda: ev(convention="trek_eval"), "PolicyError: unknown convention 'trek_eval'"),
    ("convention number", lambda: ev(convention=1), "PolicyError: unknown convention '1'"),
    ("format unknown", lambda: ev(format="xlsx"), "FormatError: unknown format 'xlsx'"),
    ("format number", lambda: ev(format=3), "FormatError: unknown format '3'"),
    ("format empty", lambda: ev(format=""), "FormatError: unknown format ''"),
    ("threads 0", lambda: ev(threads=0), "PolicyError: threads must be a whole number from 1 to 1024, not '0'"),
    ("threads negative", lambda: ev(threads=-1), "PolicyError: threads must be a whole number from 1 to 1024, not"),
    ("threads text", lambda: ev(threads="2"), "PolicyError: threads must be a whole number from 1 to 1024, not '2'"),
    ("threads float", lambda: ev(threads=1.5), "PolicyError: threads must be a whole number from 1 to 1024, not"),
    ("threads True", lambda: ev(threads=True), "PolicyError: threads must be a whole number from 1 to 1024, not"),
    ("threads 10**400", lambda: ev(threads=N), "PolicyError: threads must be a whole number from 1 to 1024, not"),
    ("threads a million", lambda: ev(threads=10**6), "PolicyError: threads must be a whole number from 1 to 1024,"),
    ("unknown option", lambda: ev(foo=1), "PolicyError: unknown option 'foo'"),
    ("misspelt option", lambda: ev(mising="skip"), "PolicyError: unknown option 'mising'"),
    ("ties unknown", lambda: ev(ties="random"), "PolicyError: ties must be 'docid_desc' or 'docid_asc' or 'input'"),
    ("ties None", lambda: ev(ties=None), "PolicyError: ties must be 'docid_desc' or 'docid_asc' or 'input' or"),
    ("ties number", lambda: ev(ties=1), "PolicyError: ties must be 'docid_desc' or 'docid_asc' or 'input' or"),
    ("ties list", lambda: ev(ties=["doc_id"]), "PolicyError: ties must be 'docid_desc' or 'docid_asc' or 'input' or"),
    ("missing unknown", lambda: ev(missing="x"), "PolicyError: missing must be 'zero' or 'skip' or 'error', not 'x'"),
    ("missing list", lambda: ev(missing=["zero"]), "PolicyError: missing must be 'zero' or 'skip' or 'error', not"),
    ("duplicates unknown", lambda: ev(duplicates="x"), "PolicyError: duplicates must be 'error' or 'first' or"),
    (
        "precision unknown",
        lambda: ev(precision="float128"),
        "PolicyError: precision must be 'float64' or 'float32', not 'float128'",
    ),
    ("precision number", lambda: ev(precision=64), "PolicyError: precision must be 'float64' or 'float32', not '64'"),
    ("depth 0", lambda: ev(depth=0), "PolicyError: depth must be a whole number at least 1, or None, not '0'"),
    ("depth negative", lambda: ev(depth=-5), "PolicyError: depth must be a whole number at least 1, or None, not"),
    ("depth float", lambda: ev(depth=1.5), "PolicyError: depth must be a whole number at least 1, or None, not"),
    ("depth nan", lambda: ev(depth=float("nan")), "PolicyError: depth must be a whole number at least 1, or None,"),
    ("depth text", lambda: ev(depth="10"), "PolicyError: depth must be a whole number at least 1, or None, not '10'"),
    ("depth True", lambda: ev(depth=True), "PolicyError: depth must be a whole number at least 1, or None, not"),
    ("depth 10**400", lambda: ev(depth=N), "PolicyError: depth must be a whole number of at most 308 digits, or"),
    ("depth 2**64", lambda: ev(depth=2**64), 0.75),
    ("rel nan", lambda: ev(rel=float("nan")), "PolicyError: rel must be a number, not 'nan'"),
    ("rel inf", lambda: ev(rel=float("inf")), "PolicyError: rel must be a number, not 'inf'"),
    ("rel text", lambda: ev(rel="1"), "PolicyError: rel must be a number, not '1'"),
    ("rel None", lambda: ev(rel=None), "PolicyError: rel must be a number, not 'None'"),
    ("rel 10**400", lambda: ev(rel=N), "PolicyError: rel must be a number, not"),
    ("rel True", lambda: ev(rel=True), "PolicyError: rel must be a number, not 'True'"),
    ("exclude text", lambda: ev(exclude="d1"), "PolicyError: exclude must be 'nothing' or 'query_id' or 'empty_id',"),
    ("exclude number", lambda: ev(exclude=5), "PolicyError: exclude must be 'nothing' or 'query_id' or 'empty_id',"),
    ("doc_id number", lambda: ev(doc_id=5), "PolicyError: doc_id must be a rule or a function, not '5'"),
    ("doc_id empty", lambda: ev(doc_id=""), "PolicyError: doc_id: '' is not a rule"),
    ("doc_id no rule", lambda: ev(doc_id="between:#"), "PolicyError: doc_id: 'between:#' is not a rule"),
    ("doc_id without separator", lambda: ev(doc_id="before:"), "PolicyError: doc_id: 'before:' is not a rule"),
    ("doc_id regex empty", lambda: ev(doc_id="regex:"), "PolicyError: doc_id: 'regex:' is not a rule"),
    (
        "doc_id regex invalid",
        lambda: ev(doc_id="regex:("),
        "PolicyError: doc_id: the regular expression '(' cannot be used: unclosed group",
    ),
    (
        "doc_id regex without group",
        lambda: ev(doc_id="regex:d"),
        "PolicyError: doc_id: the regular expression 'd' has 0 groups",
    ),
    (
        "doc_id regex two groups",
        lambda: ev(doc_id="regex:(d)(.)"),
        "PolicyError: doc_id: the regular expression '(d)(.)' has 2 groups",
    ),
    (
        "doc_id regex look-behind",
        lambda: ev(doc_id="regex:(?<=a)(b)"),
        "PolicyError: doc_id: the regular expression '(?<=a)(b)' cannot be used: look-around, including",
    ),
    (
        "doc_id regex back reference",
        lambda: ev(doc_id=r"regex:(a)\1"),
        "PolicyError: doc_id: the regular expression '(a)\\1' cannot be used: backreferences are not supported",
    ),
    ("doc_id regex nested quantifiers", lambda: ev(doc_id="regex:^((?:(?:a+)+)+)$"), 0.75),
    (
        "doc_id regex huge",
        lambda: ev(doc_id="regex:((?:a{1000}){1000})"),
        "PolicyError: doc_id: the regular expression '((?:a{1000}){1000})' cannot be used: Compiled regex",
    ),
    (
        "doc_id regex huge nested",
        lambda: ev(doc_id="regex:(((((a{99}){99}){99}){99}){99})"),
        "PolicyError: doc_id: the regular expression '(((((a{99}){99}){99}){99}){99})' cannot be used: Compiled",
    ),
    (
        "doc_id regex deep",
        lambda: ev(doc_id="regex:" + "(" * 400 + "a" + ")" * 400),
        "PolicyError: doc_id: the regular expression",
    ),
    (
        "doc_id regex flags",
        lambda: ev(doc_id="regex:(?z)(a)"),
        "PolicyError: doc_id: the regular expression '(?z)(a)' cannot be used: unrecognized flag",
    ),
    ("doc_id too long", lambda: ev(doc_id="regex:(" + "a" * 2000 + ")"), "PolicyError: doc_id has 2,008 characters"),
    (
        "doc_id lone surrogate",
        lambda: ev(doc_id="before:\ud800"),
        "PolicyError: doc_id: 'before:\\ud800' is not valid Unicode",
    ),
    ("doc_id NUL", lambda: ev(doc_id="before:\0"), 0.75),
    ("doc_id regex NUL", lambda: ev(doc_id="regex:(\0)"), 0.75),
    (
        "doc_id field of dicts",
        lambda: ev(doc_id="metadata.source"),
        'DataError: doc_id="field:metadata.source" reads a field, and the data has only ids',
    ),
    ("doc_id function fails", lambda: ev(doc_id=lambda _: 1 / 0), "DataError: doc_id: function:"),
    ("doc_id function number", lambda: ev(doc_id=lambda _: 1.5), "DataError: doc_id: function:"),
    ("doc_id class", lambda: ev(doc_id=int), "DataError: doc_id: function:"),
    ("compare alpha 0", lambda: co(alpha=0), "PolicyError: alpha must be a number between 0 and 1, such as 0.05,"),
    ("compare alpha 1", lambda: co(alpha=1), "PolicyError: alpha must be a number between 0 and 1, such as 0.05,"),
    (
        "compare alpha nan",
        lambda: co(alpha=float("nan")),
        "PolicyError: alpha must be a number between 0 and 1, such as 0.05, not 'nan'",
    ),
    ("compare alpha text", lambda: co(alpha="0.05"), "PolicyError: alpha must be a number between 0 and 1, such as"),
    ("compare alpha percent", lambda: co(alpha=5), "PolicyError: alpha must be a number between 0 and 1, such as"),
    ("compare alpha True", lambda: co(alpha=True), "PolicyError: alpha must be a number between 0 and 1, such as"),
    ("compare samples 0", lambda: co(samples=0), "PolicyError: samples must be a whole number at least 1, not '0'"),
    (
        "compare samples negative",
        lambda: co(samples=-1),
        "PolicyError: samples must be a whole number at least 1, not '-1'",
    ),
    ("compare samples float", lambda: co(samples=10.5), "PolicyError: samples must be a whole number at least 1,"),
    ("compare samples 10**400", lambda: co(samples=N), "PolicyError: samples must be a whole number of at most 40"),
    ("compare samples text", lambda: co(samples="100"), "PolicyError: samples must be a whole number at least 1,"),
    ("compare seed negative", lambda: co(seed=-1), "PolicyError: seed must be a whole number at least 0, not '-1'"),
    ("compare seed float", lambda: co(seed=1.5), "PolicyError: seed must be a whole number at least 0, not '1.5'"),
    ("compare seed text", lambda: co(seed="1"), "PolicyError: seed must be a whole number at least 0, not '1'"),
    ("compare seed None", lambda: co(seed=None), "PolicyError: seed must be a whole number at least 0, not 'None'"),
    ("compare seed 10**400", lambda: co(seed=N), "PolicyError: seed must be a whole number of at most 40 digits,"),
    ("compare test unknown", lambda: co(test="anova"), "PolicyError: test must be 'randomization' or 't' or"),
    ("compare test None", lambda: co(test=None), "PolicyError: test must be 'randomization' or 't' or 'wilcoxon' or"),
    (
        "compare correction unknown",
        lambda: co(correction="sidak"),
        "PolicyError: correction must be 'holm' or 'bonferroni' or 'bh' or 'by' or 'none', not 'sidak'",
    ),
    (
        "compare correction number",
        lambda: co(correction=1),
        "PolicyError: correction must be 'holm' or 'bonferroni' or 'bh' or 'by' or 'none', not '1'",
    ),
    ("compare family unknown", lambda: co(family="x"), "PolicyError: family must be 'measure' or 'all', not 'x'"),
    ("compare baseline unknown", lambda: co(baseline="c"), "DataError: unknown baseline 'c'"),
    ("compare baseline number", lambda: co(baseline=1), "DataError: unknown baseline '1'"),
    (
        "compare no runs",
        lambda: len(assay.compare(Q, {}, ["rr"]).pairs),
        "DataError: need at least two runs to compare, got 0",
    ),
    (
        "compare one run",
        lambda: len(assay.compare(Q, {"a": R}, ["rr"]).pairs),
        "DataError: need at least two runs to compare, got 1",
    ),
    (
        "compare runs number",
        lambda: len(assay.compare(Q, 5, ["rr"]).pairs),
        "DataError: runs must be a dict of runs by name, or a list of paths or results, not '5'",
    ),
    (
        "compare runs None",
        lambda: len(assay.compare(Q, None, ["rr"]).pairs),
        "DataError: runs must be a dict of runs by name, or a list of paths or results, not 'None'",
    ),
    ("gate nothing", lambda: ga(), "PolicyError: nothing to check"),
    ("gate minimum empty", lambda: ga({}), "PolicyError: nothing to check"),
    ("gate minimum number", lambda: ga(0.5), 'PolicyError: minimum must be a dict such as {"ndcg@10": 0.1}, not'),
    ("gate minimum list", lambda: ga(["rr"]), 'PolicyError: minimum must be a dict such as {"ndcg@10": 0.1}, not'),
    ("gate minimum nan", lambda: ga({"rr": float("nan")}), "PolicyError: minimum of 'rr' must be a number, not 'nan'"),
    ("gate minimum inf", lambda: ga({"rr": float("inf")}), "PolicyError: minimum of 'rr' must be a number, not 'inf'"),
    ("gate minimum text", lambda: ga({"rr": "0.5"}), "PolicyError: minimum of 'rr' must be a number, not '0.5'"),
    ("gate minimum True", lambda: ga({"rr": True}), "PolicyError: minimum of 'rr' must be a number, not 'True'"),
    ("gate minimum None", lambda: ga({"rr": None}), "PolicyError: minimum of 'rr' must be a number, not 'None'"),
    ("gate minimum 10**400", lambda: ga({"rr": N}), "PolicyError: minimum of 'rr' must be a number, not"),
    ("gate measure unknown", lambda: ga({"foo": 0.5}), "MeasureError: unknown measure 'foo'"),
    (
        "gate measure twice",
        lambda: ga({"rr": 0.5, "mrr": 0.6}),
        "PolicyError: minimum: 'rr' and 'mrr' are the same measure",
    ),
    (
        "gate max_drop without baseline",
        lambda: ga({"rr": 0.5}, max_drop={"rr": 0.1}),
        "PolicyError: max_drop needs a baseline, an earlier run or a stored result",
    ),
    (
        "gate baseline without max_drop",
        lambda: ga({"rr": 0.5}, baseline=B),
        'PolicyError: a baseline needs max_drop, such as max_drop={"ndcg@10": 0.01}',
    ),
    (
        "gate max_drop negative",
        lambda: ga(None, baseline=B, max_drop={"rr": -0.1}),
        "PolicyError: max_drop of 'rr' must be a number of at least 0, not '-0.1'",
    ),
    (
        "gate max_drop nan",
        lambda: ga(None, baseline=B, max_drop={"rr": float("nan")}),
        "PolicyError: max_drop of 'rr' must be a number of at least 0, not 'nan'",
    ),
    ("gate alpha 2", lambda: ga({"rr": 0.5}, alpha=2), "PolicyError: alpha must be a number between 0 and 1, such as"),
    ("gate strict text", lambda: ga({"rr": 0.5}, strict="yes"), "PolicyError: strict must be True or False, not 'yes'"),
    (
        "gate test unknown",
        lambda: ga({"rr": 0.5}, test="x"),
        "PolicyError: test must be 'randomization' or 't' or 'bootstrap', not 'x'",
    ),
    (
        "check rel nan",
        lambda: len(assay.check(Q, R, rel=float("nan")).findings),
        "PolicyError: rel must be a number, not 'nan'",
    ),
    ("check rel text", lambda: len(assay.check(Q, R, rel="1").findings), "PolicyError: rel must be a number, not '1'"),
    (
        "audit start unknown",
        lambda: len(assay.audit(Q, R, ["map"], start="x").steps),
        "PolicyError: unknown convention 'x'",
    ),
    ("audit measures empty", lambda: len(assay.audit(Q, R, []).steps), "MeasureError: no measure to audit"),
    (
        "load_result missing",
        lambda: len(assay.load_result("none.json").queries),
        "FileError: file 'none.json' not found",
    ),
    (
        "load_result None",
        lambda: len(assay.load_result(None).queries),
        "DataError: a stored result is a path or a file object, not 'None'",
    ),
    (
        "load_result number",
        lambda: len(assay.load_result(5).queries),
        "DataError: a stored result is a path or a file object, not '5'",
    ),
    ("load_result folder", lambda: len(assay.load_result("/").queries), "FileError: '/' is a directory"),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("act", "expected"), [case[1:] for case in CASES])
def test_option(act, expected):
    check(lambda: round(float(act()), 6), expected)
