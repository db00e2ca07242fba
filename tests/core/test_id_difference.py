"""How ids differ that should be the same."""

from assay.core.doc_id import DocIdRule
from assay.core.id_difference import find_difference
from tables import for_each


@for_each(
    ("judged", "run", "ways"),
    [
        (["1", "2"], ["q1", "q2"], ["the prefix 'q' in the run"]),
        (["q1", "q2"], ["1", "2"], ["the prefix 'q' in the judgments"]),
        (["D1", "D2"], ["d1", "d2"], ["letter case"]),
        (["d1"], [" d1"], ["stray blanks"]),
        (["d1"], ["d1\u00a0"], ["stray blanks"]),
        (["d1"], ["'d1'"], ["quotes"]),
        (['"d1"'], ["d1"], ["quotes"]),
        (["7", "8"], ["007", "008"], ["leading zeros"]),
        (["q7"], ["q07"], ["leading zeros"]),
        (["1", "2"], ["1.0", "2.0"], ["a decimal point"]),
        (["12", "34"], ["msmarco_12", "msmarco_34"], ["the prefix 'msmarco_' in the run"]),
        (["msmarco_passage_1_2"], ["1_2"], ["the prefix 'msmarco_passage_' in the judgments"]),
        (["doc-a", "doc-b"], ["doc-a.txt", "doc-b.txt"], ["the suffix '.txt' in the run"]),
        (["12"], ["docs/12.txt"], ["the prefix 'docs/' in the run", "the suffix '.txt' in the run"]),
        (["1", "2"], ["Q01", "Q02"], ["leading zeros", "the prefix 'Q' in the run"]),
        (["D001"], ["msmarco_d1"], ["letter case", "leading zeros", "the prefix 'msmarco_' in the run"]),
    ],
)
def test_ways(judged, run, ways):
    difference = find_difference(judged, run)
    assert list(difference.ways) == ways
    assert (difference.pairs, difference.judged, difference.run) == (len(judged), judged[0], run[0])


@for_each(
    ("judged", "run", "rule"),
    [
        (["doc7", "doc9"], ["doc7#3", "doc9#0", "doc7#1"], "before:#"),
        (["doc7"], ["doc7_chunk3"], "before:_chunk"),
        (["doc7"], ["doc7_chunk_3"], "before:_chunk_"),
        (["a_7", "a_8"], ["a_7_0", "a_7_1", "a_8_0"], "before_last:_"),
        (["a/b.md", "c/d.md"], ["a/b.md::chunk-0", "c/d.md::chunk-1"], "before:::chunk-"),
        (["x", "y"], ["x:0-512", "y:512-1024"], "before::"),
        (["d1", "d2"], ["d1-a8f9e01", "d2-99aefb2"], "before:-"),
        (["d1", "d2"], ["d1p0", "d1p1", "d2p4"], "before:p"),
        (["12", "13"], ["msmarco_12_0", "msmarco_13_4"], "regex:^msmarco_(.+)_"),
        (["12", "34"], ["docs/12.txt", "docs/34.txt"], r"regex:^docs/(.+)\.txt$"),
        (["doc-a", "doc-b"], ["doc-a.txt", "doc-b.txt"], "before:.txt"),
        (["12", "34"], ["msmarco_12", "msmarco_34"], "after:msmarco_"),
        # These no rule for the ids of the run can join.
        (["doc7#3", "doc7#4"], ["doc7"], ""),
        (["D7", "D8"], ["d7#1", "d8#2"], ""),
        (["q1"], ["1"], ""),
        (["d1"], [" d1"], ""),
        (["007"], ["7"], ""),
    ],
)
def test_the_rule_that_joins_them(judged, run, rule):
    assert find_difference(judged, run).rule == rule
    if rule:
        assert {DocIdRule.parse(rule).of(each) for each in run} == set(judged)


def test_few_pairs_are_enough_if_all_ids_of_the_run_have_the_affix():
    """A system that finds a tenth of what is judged."""
    judged = [str(number) for number in range(100)]
    run = [f"doc{number}#{chunk}" for number in range(90, 400) for chunk in range(3)]
    assert find_difference(judged, run).rule == "regex:^doc(.+)#"


HASHES = [f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128):032x}" for number in range(1, 40)]
PAGES = [f"https://example.org/wiki/2024/page-{number}" for number in range(40)]


@for_each(
    ("judged", "run"),
    [
        ([], ["q1"]),
        (["q1"], []),
        (["alpha", "beta"], ["gamma", "delta"]),
        (["1", "22", "333", "4444"], ["a-1", "b-9", "c-8", "d-7"]),
        (["car", "cat"], ["scar", "cats"]),
        (list(map(str, range(10))), HASHES),
        # Every pair of these would take hours.
        ([f"d{number}" for number in range(1_000_000)], [f"x/d{number}" for number in range(2_000_000, 3_000_000)]),
    ],
)
def test_ids_that_only_differ_are_no_pairs(judged, run):
    assert find_difference(judged, run) is None


@for_each(
    ("judged", "run", "text", "pairs"),
    [
        # The commonest difference is told, and one cleaned pair among many is enough.
        (["A", "1", "2", "3"], ["a", "q1", "q2", "q3"], "'1' vs. 'q1' (the prefix 'q' in the run)", 3),
        (["d1", "d2", "d3"], ["D3", "x", "y", "z"], "'d3' vs. 'D3' (letter case)", 1),
        (["D001"], ["x_d1"], "'D001' vs. 'x_d1' (letter case, leading zeros and the prefix 'x_' in the run)", 1),
    ],
)
def test_the_text_of_a_difference(judged, run, text, pairs):
    difference = find_difference(judged, run)
    assert (str(difference), difference.pairs) == (text, pairs)


@for_each(
    ("judged", "ending", "rule"),
    [
        (HASHES, "::{}", "before:::"),
        (HASHES, "_p{}", "before:_p"),
        (PAGES, "#L{}", "before:#L"),
        (PAGES, "/chunk/{}", "before:/chunk/"),
        (["doc7", "doc8"], "#Part{}", "before:#Part"),
    ],
)
def test_chunks_of_long_ids(judged, ending, rule):
    difference = find_difference(judged, [each + ending.format(place) for place, each in enumerate(judged)])
    assert (difference.rule, difference.pairs) == (rule, len(judged))
    assert difference.ways == (f"the chunk {ending.format(0)!r} in the run",)
