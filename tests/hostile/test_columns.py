"""`columns=` of a wrong type or with an unknown role, for data of every form."""

import polars
import pytest

import assay
from tables import for_each

pytestmark = pytest.mark.attack("Options")
RUN = {"q1": {"d1": 1.0}}
FORMS = {
    "dict": lambda: RUN,
    "list": lambda: [("q1", "d1", 1.0)],
    "frame": lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]}),
    "trec": lambda: "a.run",
    "json": lambda: "a.json",
    "csv": lambda: "a.csv",
}
WRONG = [
    (5, "columns= must map roles to columns, such as {'query_id': 'topic'}, not '5'"),
    ("score", "columns= must map roles to columns"),
    (["score"], "columns= must map roles to columns"),
    ({"foo": "x"}, "columns={'foo': …}: the roles are query_id, doc_id, score, relevance, group"),
    ({None: "x"}, "columns={'None': …}: the roles are"),
    ({"\x1b[2J": "x"}, "columns={'\\x1b[2J': …}: the roles are"),
]


@for_each("form", FORMS)
@for_each(("columns", "told"), WRONG)
def test_wrong_columns(form, columns, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.run", "a.json", "a.csv"):
        assay.Run(RUN).write(name)
    for act in (
        lambda: assay.Run(FORMS[form](), columns=columns),
        lambda: assay.evaluate({"q1": {"d1": 1}}, FORMS[form](), ["rr"], columns=columns),
    ):
        with pytest.raises(assay.errors.FormatError) as caught:
            act()
        assert str(caught.value).startswith(told)
