"""The grades to choose from: what the file and the votes have, or what was chosen; a studio always starts again."""

import pytest

from assay import AssayError
from assay.studio.collection import grades_of
from assay.studio.store import NewVote, Store
from studio_collections import small_collection
from studio_server import make_studio
from tables import for_each

RUNS = {"one": {"q1": ["d1", "d2"]}, "two": {"q1": ["d2", "d3"]}}
GRADES = [  # grades of the file, votes, the highest that was chosen, and the highest to choose from
    ((), (), None, 3),
    ((), (1.0,), None, 3),
    ((), (5.0,), None, 5),
    ((0.0, 1.0), (), None, 1),
    ((0.0,), (0.5,), None, 1),
    ((1.0,), (3.0,), None, 3),
    ((2.0,), (), None, 3),
    ((3.5,), (), None, 4),
    ((10.0,), (), None, 10),
    ((), (), 1, 1),
    ((1.0,), (), 4, 4),
    ((57.0,), (), 100, 100),
    ((57.0,), (), None, "choose from 0 to 10; map the grades to fewer, or offer more with --policy top_grade=57"),
    ((1000.0,), (), None, "--policy top_grade=100"),
    ((3.0,), (), 1, "the judgments have a grade of 3, and the grades to choose from end at 1; choose more with"),
    ((1.0,), (2.5,), 2, "the votes in the store have a grade of 2.5"),
    ((), (), 0, "from 1 to 100, not 0"),
]


@for_each("judged, votes, top, expected", GRADES)
def test_grades_to_choose_from(judged, votes, top, expected):
    base = {"q": {str(number): grade for number, grade in enumerate(judged)}}
    if isinstance(expected, int):
        assert grades_of(base, votes, top) == [float(each) for each in range(expected + 1)]
    else:
        with pytest.raises(AssayError, match=expected):
            grades_of(base, votes, top)


def test_it_starts_again_with_a_vote_above_the_files_range(tmp_path):
    path = tmp_path / "votes.sqlite"
    with Store.open(path) as store:
        store.record([NewVote("q1", "d1", "ann", 3.0)])
    for _ in range(2):
        studio = make_studio(path, small_collection({"q1": {"d1": 1.0, "d2": 0.0}}, RUNS))
        assert (studio.grades[-1], studio.judgments.grade("q1", "d1")) == (3.0, 3.0)
        assert studio.progress() == {"pairs": 2, "of": 3, "votes": 1, "voters": 1}
        studio.close()


def test_what_was_chosen_is_kept(tmp_path):
    path = tmp_path / "votes.sqlite"
    for chosen in (1, None):
        studio = make_studio(path, small_collection(None, RUNS), top=chosen)
        assert [each["label"] for each in studio.scale] == ["not relevant", "relevant"]
        studio.close()
    studio = make_studio(path, small_collection(None, RUNS), top=4)
    assert studio.grades[-1] == 4.0
    studio.close()
    with pytest.raises(AssayError, match="--policy top_grade=5"):
        make_studio(path, small_collection({"q1": {"d1": 5.0}}, RUNS))
