"""`Answers`: a system's answers beside the reference answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeGuard, TypeVar

import numpy as np

from assay.core.errors import DataError, MismatchError
from assay.core.judged import FloatArray
from assay.core.text import count, show
from assay.data.frames.frame import is_frame
from assay.data.passages import TEXT
from assay.data.records.fields import ANSWER, REFERENCES
from assay.data.texts import QUESTION_ID, replace_surrogates

Value = TypeVar("Value")
# In a table of references alone, a column of answers holds the references.
RIGHT = (*REFERENCES, "answers", "answer")
GIVEN = ("prediction", "predictions", *ANSWER, "output")
# Why a measure of answers is undefined.
NO_REFERENCE = "there is no reference"
NO_TEXT = f"{NO_REFERENCE}, or a text is blank (blank=nan)"
Blank = Annotated[
    Literal["empty", "nan"], "a blank answer or reference is an empty text, or leaves the question without a value"
]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Per question its id, its reference answers, and the system's answer."""

    ids: list[str]
    references: list[tuple[str, ...]]
    predictions: list[str]
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def size(self) -> int:
        return len(self.ids)

    def part(self, start: int, stop: int) -> Answers:
        return Answers(self.ids[start:stop], self.references[start:stop], self.predictions[start:stop])

    def remember(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result of `make`, computed once per key: several measures need the same tokens."""
        if key not in self._memory:
            self._memory[key] = make()
        value: Value = self._memory[key]
        return value


def best_of(score: Callable[..., float], references: Iterable[Iterable[Any]], predictions: Iterable[Any]) -> FloatArray:
    """The score of each prediction against its best reference, texts or tokens; NaN without references."""
    pairs = zip(references, predictions, strict=True)
    return np.array([max((score(each, given) for each in every), default=np.nan) for every, given in pairs], np.float64)


def without_blank(answers: Answers, scores: FloatArray, blank: str) -> FloatArray:
    """The scores; with `blank="nan"` none for questions whose answer or one of whose references is blank."""
    if blank != "nan":
        return scores
    texts = zip(answers.predictions, answers.references, strict=True)
    has_text = [all(text.strip() for text in (given, *right)) for given, right in texts]
    return np.where(has_text, scores, np.nan)


def pair_answers(references: object, predictions: object) -> tuple[Answers, list[str], list[str]]:
    """References and predictions paired up, the questions without a prediction, and the predictions without a question.

    Both are dicts by id, lists of the same length, or frames with an id and a text column. A question without a
    prediction counts as an empty answer.
    """
    if are_texts(references) and are_texts(predictions) and len(references) == len(predictions):
        texts, answers = (
            list(side) if all(map(str.isascii, side)) else list(map(replace_surrogates, side))
            for side in (references, predictions)
        )
        return Answers(list(map(str, range(len(texts)))), [(text,) for text in texts], answers), [], []
    both = (references, predictions)
    lengths = [len(each) for each in both if isinstance(each, (list, tuple))]
    if len(set(lengths)) > 1:
        sizes = f"{count(lengths[0], 'reference')} but {count(lengths[1], 'prediction')}"
        raise MismatchError(f"{sizes}; lists must have the same length")
    right = {}
    for name, value in answer_entries(references, "references", RIGHT):
        # One reference or several; none for None.
        every = value.tolist() if hasattr(value, "tolist") else value
        every = every if isinstance(every, (list, tuple)) else [every]
        right[name] = tuple(answer_text(each, "references", name) for each in every if each is not None)
    said = dict(answer_entries(predictions, "predictions", GIVEN))
    given = {name: answer_text(value, "prediction", name) for name, value in said.items()}
    if not right:
        raise DataError("the references are empty")
    if not given.keys() & right.keys():
        raise MismatchError("references and predictions have no question in common; check their ids")
    missing = [name for name in right if said.get(name) is None]
    unknown = [name for name in given if name not in right]
    return Answers(list(right), list(right.values()), [given.get(name, "") for name in right]), missing, unknown


def are_texts(data: object) -> TypeGuard[Sequence[str]]:
    """Whether the data are texts in a list, at least one, and nothing else."""
    return isinstance(data, (list, tuple)) and bool(data) and TEXT.issuperset(map(type, data))


def answer_entries(data: object, what: str, columns: tuple[str, ...]) -> list[tuple[str, Any]]:
    twice = ", as a string and as an integer"
    if is_frame(data):
        import polars

        frame: Any = data.collect() if isinstance(data, polars.LazyFrame) else data
        if not hasattr(frame, "columns") and not hasattr(frame, "column_names"):
            told = "not one column; pass a list of its values"
            raise DataError(f"the {what} must be a dict, a list or a frame, {told}")
        table, twice = polars.DataFrame(frame), ""
        found = [next((name for name in names if name in table.columns), None) for names in (QUESTION_ID, columns)]
        if None in found:
            raise DataError(f"the {what} need a column {' or '.join(QUESTION_ID)} and a column {' or '.join(columns)}")
        names, values = (table[str(name)].to_list() for name in found)
        pairs = [(answer_id(name, what), value) for name, value in zip(names, values, strict=True)]
    elif isinstance(data, Mapping):
        pairs = [(answer_id(name, what), value) for name, value in data.items()]
    elif isinstance(data, (list, tuple)):
        pairs = [(str(number), value) for number, value in enumerate(data)]
    else:
        raise DataError(f"the {what} must be a dict, a list or a frame, not {show(type(data).__name__)}")
    if len({name for name, _ in pairs}) < len(pairs):
        raise DataError(f"the {what} contain a question twice{twice}")
    return pairs


def answer_id(name: object, what: str) -> str:
    if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
        raise DataError(f"{what}: an id must be a string or an integer, not {show(name)}")
    return str(name)


def answer_text(value: object, what: str, question: str) -> str:
    """The text; empty for None, with lone surrogates replaced."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if value is None:
        return ""
    raise DataError(f"{what} of {show(question)} must be text, not {show(value)}")
