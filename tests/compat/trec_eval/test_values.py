"""What is printed, worked out by hand.

Topic 10 ranks e (0) and a (1), which tie. Topic 2 ranks x (not judged), c (2), d (looked at, not judged), b (0) and
a (1); the last three tie. So the precisions at relevant documents are 1/2 for 10, and 1/2 and 2/5 for 2.
"""

from tables import for_each

BASIC = "-m runid -m num_q -m num_ret -m num_rel -m num_rel_ret -m map -m P.2,1 qrels run"
BASIC_TOPICS = """\
num_ret               \t10\t2
num_rel               \t10\t1
num_rel_ret           \t10\t1
map                   \t10\t0.5000
P_1                   \t10\t0.0000
P_2                   \t10\t0.5000
num_ret               \t2\t5
num_rel               \t2\t2
num_rel_ret           \t2\t2
map                   \t2\t0.4500
P_1                   \t2\t0.0000
P_2                   \t2\t0.5000
"""
BASIC_SUMMARY = """\
runid                 \tall\tname
num_q                 \tall\t2
num_ret               \tall\t7
num_rel               \tall\t3
num_rel_ret           \tall\t3
map                   \tall\t0.4750
P_1                   \tall\t0.0000
P_2                   \tall\t0.5000
"""


def test_topics_and_summary_and_official_without_a_measure(trec_eval):
    assert trec_eval(BASIC) == (0, BASIC_SUMMARY, "")
    assert trec_eval("-q", BASIC) == (0, BASIC_TOPICS + BASIC_SUMMARY, "")
    assert trec_eval("-q -n", BASIC) == (0, BASIC_TOPICS, "")
    assert trec_eval("-n", BASIC) == (0, "", "")
    result = trec_eval("qrels run")
    assert result == trec_eval("-m official qrels run")
    names = [line.split()[0] for line in result.stdout.splitlines()]
    assert names[:7] == ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map"]
    assert names[-1] == "P_1000"
    assert len(names) == 30
    # The square root of 1/2 · 9/20
    assert result.values["gm_map", "all"] == "0.4743"


def test_complete_counts_topics_that_the_run_lacks(trec_eval):
    result = trec_eval("-q -c -l2 -mrelstring -mutility -mrecip_rank", BASIC)
    found = result.values
    assert {topic for _, topic in found} == {"10", "2", "3", "all"}
    lacking = {"num_ret": "0", "num_rel": "1", "map": "0.0000", "P_1": "0.0000", "recip_rank": "0.0000"}
    assert {name: found[name, "3"] for name in lacking} == lacking
    assert (found["relstring", "3"], found["utility", "3"]) == ("''", "0.0000")
    assert (found["num_q", "all"], found["num_ret", "all"]) == ("3", "7")
    # All grades above 0, whatever the level; that is how trec_eval counts here
    assert found["num_rel", "all"] == "5"
    assert found["map", "all"] == f"{(0 + 1 / 2 + 0) / 3:.4f}"
    found = trec_eval("-q -c -mrelstring.3 -mutility.1,-2,0,0 qrels run").values
    assert (found["relstring_3", "3"], found["utility_1,-2,0,0", "3"]) == ("'-'", "-2.0000")


@for_each(
    ("arguments", "expected"),
    [
        ("-m relstring", ["'01'", "'-2.01'"]),
        ("-m relstring.2", ["'01'", "'-2'"]),
        ("-m relstring.0", ["''", "''"]),
        ("-m relstring -J", ["'01'", "'201'"]),
        ("-m relstring -M3", ["'01'", "'-2.'"]),
        # First the cut, then what has no judgment goes
        ("-m relstring -M3 -J", ["'01'", "'2'"]),
        ("-m map -l 2", ["0.0000", "0.5000"]),
        ("-m map -l 2 -J", ["0.0000", "1.0000"]),
        ("-m map -l0", ["1.0000", f"{(1 / 2 + 2 / 4 + 3 / 5) / 3:.4f}"]),
        ("-m num_ret -M1", ["1", "1"]),
        ("-m num_ret -M0", ["0", "0"]),
        ("-m utility.0,0,0,1 -N 100", ["98.0000", "95.0000"]),
    ],
)
def test_options_that_change_values(trec_eval, arguments, expected):
    result = trec_eval("-q -n", arguments, "qrels run")
    assert [line.split("\t")[2] for line in result.stdout.splitlines()] == expected


def test_one_topic_alone(trec_eval):
    result = trec_eval("-D 0.2 -m map -m num_q qrels run")
    assert result.values == {("num_q", "all"): "1", ("map", "all"): "0.4500"}
    assert trec_eval("-D0.none qrels run").code == 7


def test_high_grades_in_a_relstring(trec_eval):
    result = trec_eval("-q -m relstring qrels run", qrels="2 0 x 12\n2 0 c 9\n")
    assert result.values == {("relstring", "2"): "'>9---'"}


ZSCORES = "2 map 0.25 0.1\n10 map 0.5 0\n2 num_ret 4 2\n10 num_ret 1 0\n"
ZSCORE_LINES = """\
Znum_ret               \t10\t-1000000.0000
Zmap                   \t10\t0.0000
relstring             \t10\t'01'
Znum_ret               \t2\t0.5000
Zmap                   \t2\t2.0000
relstring             \t2\t'-2.01'
runid                 \tall\tname
Znum_q                 \tall\t2.0000
Znum_ret               \tall\t-999999.5000
Zmap                   \tall\t1.0000
Zgm_map                \tall\t0.0000
"""


def test_zscores(trec_eval):
    measures = "-mrunid -mnum_q -mnum_ret -mmap -mgm_map -mrelstring"
    assert trec_eval("-q", measures, "-Z z qrels run", z=ZSCORES) == (0, ZSCORE_LINES, "")


def test_cutoffs_are_sorted_cut_to_whole_numbers_and_each_computed(trec_eval):
    result = trec_eval("-m P.3.9,2,1x -m iprec_at_recall.1,0.5 qrels run")
    names = ["iprec_at_recall_0.50", "iprec_at_recall_1.00", "P_1", "P_2", "P_3"]
    assert list(result.values) == [(name, "all") for name in names]
    lines = trec_eval("-m Rprec_mult.0.501,0.5,2 qrels run").stdout.split()
    shown = ["Rprec_mult_0.50 all 0.0000"] * 2 + [f"Rprec_mult_2.00 all {(1 / 2 + 1 / 4) / 2:.4f}"]
    assert lines == " ".join(shown).split()


def test_the_parameters_given_first_hold_and_those_of_a_plain_measure_count_for_nothing(trec_eval):
    result = trec_eval("-m P.2 -m P.1 -m official.7 -m map.5 qrels run")
    assert [name for name, _ in result.values if name.startswith("P_")] == ["P_2"]
    assert result.values["map", "all"] == "0.4750"


def test_gains_are_common_to_dcg_and_ndcg(trec_eval):
    # dcg takes its gains before ndcg does, so its name has none, but its values do.
    found = trec_eval("-m dcg -m ndcg.2=9 qrels run").values
    assert set(found) == {("dcg", "all"), ("ndcg_2=9", "all")}
    # 10: 1 / log2 3; 2: 9 / log2 3 + 1 / log2 6
    assert found["dcg", "all"] == "3.3481"
    named = trec_eval("-m dcg.2=9 -m ndcg qrels run").values
    assert list(named.values()) == list(found.values())
    assert set(named) == {("dcg_2=9", "all"), ("ndcg_2=9", "all")}


JUDGES = "q 1 a 1\nq 1 b 1\nq 2 b 2\nq 2 c 0\nq 2 d 1\n"
JUDGED = "q 0 a 1 4 r\nq 0 x 2 3 r\nq 0 b 3 2 r\nq 0 c 4 1 r\n"
GROUPED = [
    ("-mmap_avgjg", ((1 + 2 / 3) / 2 + (1 / 3) / 2) / 2),
    ("-mmap_avgjg -J", (1 + 1 / 2) / 2),
    ("-mmap_avgjg -l2", (0 + 1 / 3) / 2),
    ("-mP_avgjg.2 -J", (2 / 2 + 1 / 2) / 2),
    ("-mRprec_mult_avgjg.2.0", (2 / 4 + 1 / 4) / 2),
]


@for_each(("arguments", "expected"), GROUPED)
def test_groups_of_judgments(trec_eval, arguments, expected):
    result = trec_eval("-R qrels_jg", arguments, "qrels run", qrels=JUDGES, run=JUDGED)
    assert [*result.values.values()] == [f"{expected:.4f}"]


def test_preferences(trec_eval):
    # a and b tie, and unlike elsewhere the lower name comes first; -J and -l change nothing.
    qrels = "q u 1 a 2.5\nq u 1 b 1\nq u 2 b 1\nq u 2 c 0\nq v 0 a 0\nq v 0 c 3\n"
    run = "q 0 b 1 1 r\nq 0 a 2 1 r\n"
    expected = {"prefs_num_prefs_poss": "4", "prefs_num_prefs_ful": "3", "prefs_num_prefs_ful_ret": "1"}
    expected |= {"prefs_simp": "0.7500", "prefs_avgjg": "0.5000", "prefs_pair": f"{(1 + 1 / 2 + 1) / 3:.4f}"}
    for options in ("", "-J", "-l3"):
        result = trec_eval("-m prefs -R prefs", options, "qrels run", qrels=qrels, run=run)
        assert {name: value for (name, _), value in result.values.items() if name in expected} == expected
    cut = trec_eval("-m prefs_num_prefs_ful_ret -R prefs -M1 qrels run", qrels=qrels, run=run)
    assert cut.values == {("prefs_num_prefs_ful_ret", "all"): "0"}
    qrels = "q u a 2.5\nq u b 1\nq u c 0\nq v a 0\nq v c 3\n"
    result = trec_eval("-m prefs_simp -R qrels_prefs qrels run", qrels=qrels, run=run)
    assert result.values == {("prefs_simp", "all"): "0.7500"}


def test_all_that_there_is(trec_eval):
    found = trec_eval("-q -m all_trec qrels run").values
    assert len(found) == 2 * 96 + 99
    assert found["ndcg_cut_1000", "all"] == found["ndcg", "all"]
    assert found["unj_5", "2"] == "0.4000"
    assert found["num_nonrel_judged_ret", "all"] == "2"
    extra = trec_eval("-m dcg -m ideal_dcg -m yaap qrels run").values
    assert {name for name, _ in extra} == {"dcg", "ideal_dcg", "yaap"}
    small = trec_eval("-m set qrels run").values
    assert [name for name, _ in small][-5:] == ["set_P", "set_relative_P", "set_recall", "set_map", "set_F"]


def test_zero_by_zero_is_a_negative_nan(trec_eval):
    # Nothing is left of the ranking without judgments, and the precision of nothing is 0/0.
    result = trec_eval("-J -m iprec_at_recall -m11pt_avg qrels run", qrels="4 0 b 1\n")
    lines = result.stdout.splitlines()
    assert lines[0] == "iprec_at_recall_0.00  \tall\t  -nan"
    assert lines[4] == "iprec_at_recall_0.40  \tall\t  -nan"
    # From here on a relevant document is asked for.
    assert lines[5] == "iprec_at_recall_0.50  \tall\t0.0000"
    assert lines[-1] == "11pt_avg              \tall\t  -nan"


@for_each(
    ("points", "expected"),
    [
        # The precisions at the four relevant documents are 1, 2/3, 3/4 and 4/10, and one is missing: R = 5.
        ("0.2,0.4,0.8", (1 + 3 / 4 + 4 / 10) / 3),
        ("0.4,1", (3 / 4 + 0) / 2),
        ("-1,0.4", (1 + 3 / 4) / 2),
        ("0.4,7", (3 / 4 + 0) / 2),
        # trec_eval takes points from the last to the first; what does not fall on the way down falls to the bottom.
        ("0.8,0.4", (1 + 3 / 4) / 2),
        ("0.4,1,0.8", (1 + 1 + 4 / 10) / 3),
    ],
)
def test_points_of_recall_in_any_order(trec_eval, points, expected):
    grades = dict(zip("abcdefghij", (1, 0, 1, 1, 0, 0, 0, 0, 0, 1), strict=True)) | {"missing": 1}
    qrels = "".join(f"q 0 {document} {grade}\n" for document, grade in grades.items())
    run = "".join(f"q 0 {document} 1 {-place} r\n" for place, document in enumerate("abcdefghij"))
    result = trec_eval(f"-m 11pt_avg.{points} qrels run", qrels=qrels, run=run)
    assert result.values == {(f"11pt_avg_{points}", "all"): f"{expected:.4f}"}
