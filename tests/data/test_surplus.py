"""Lines of a TREC run with more than six fields: an error that names the likely cause, but not where trec_eval's rule holds."""

import pytest

import assay
from assay.errors import FormatError
from refusals import refused
from tables import for_each

QRELS = {"q1": {"d1": 1, "d2": 1}, "q2": {"d2": 1}}
FIRST = "q1 Q0 d1 1 2.5 one"
SECOND = "q2 Q0 d2 1 1.5 two\n"
EXPECTED = "run, line 1: expected 6 fields (query Q0 document rank score tag), found "

BAD = [
    # Two files without a newline between them.
    (FIRST + SECOND, "11; two lines are joined at 'oneq2': a newline is missing, perhaps where two files meet"),
    (FIRST + " " + SECOND, "12; two lines are joined at 'one q2'"),
    # The rank would be read as the score.
    ("q1 Q0 the report 7 12.5 one\n" + SECOND, "7; an id has a blank in it"),
    ("q1 Q0 d1 1 2.5 my tag\n" + SECOND, "7; 'tag' follows the tag"),
    (FIRST + "\v" + SECOND, "12; a vertical tab stands inside the line"),
    (FIRST + "\x85" + SECOND, "11; the character U+0085 (next line)"),
    (FIRST + "\u2028" + SECOND, "11; the character U+2028 (line separator)"),
]


@for_each(("text", "cause"), BAD)
def test_the_likely_cause_is_named(make, text, cause):
    make("run", text)
    for read in (assay.read_run, lambda path: assay.evaluate(QRELS, path, ["ap"])):
        refused(lambda read=read: read("run"), FormatError, [EXPECTED + cause])


@for_each("convention", ["trec_eval", "trec_eval_9"])
@for_each("threads", [1, 3])
def test_the_conventions_of_trec_eval_ignore_the_rest_and_count(make, convention, threads):
    # The lines of q1 do not stand together, so they are read twice and counted once.
    make("run", "q1 Q0 x 1 9 t more\nq2 Q0 d2 1 1 t\nq1 Q0 d1 1 2.5 my long tag\nunknown Q0 d1 1 1 t t\n")
    result = assay.evaluate(QRELS, "run", ["map"], convention=convention, threads=threads)
    assert result.scores["map"].tolist() == [0.25, 1]
    text = "3 lines of the run have more than 6 fields; what follows the sixth is ignored, as in trec_eval"
    assert [note.text for note in result.notes if note.kind == "surplus"] == [text]
    make("run", "q1 Q0 x 1 9 t\nq2 Q0 d2 1 1 t\nq1 Q0 d1 1 2.5 my\n")
    tidy = assay.evaluate(QRELS, "run", ["map"], convention=convention)
    assert tidy.scores["map"].tolist() == [0.25, 1]
    assert not any(note.kind == "surplus" for note in tidy.notes)
    # One measure that keeps to another rule is enough to refuse.
    make("run", BAD[0][0])
    with pytest.raises(FormatError, match="two lines are joined"):
        assay.evaluate(QRELS, "run", ["trec_eval:map", "ndcg"])
