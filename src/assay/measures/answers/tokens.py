"""How texts become tokens: SQuAD's normalisation, a multilingual one, or none.

Rajpurkar et al., SQuAD: 100,000+ questions for machine comprehension of text, EMNLP 2016; Lewis et al., MLQA, ACL 2020.
"""

from __future__ import annotations

import re
import string
import unicodedata
from typing import Annotated, Literal

Normalize = Annotated[
    Literal["squad", "multilingual", "none"],
    "squad: lower case, no punctuation, no English articles; multilingual: the same for all scripts; none: as is",
]
PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")
# Scripts without spaces between words: each character is a token.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def normalize_text(text: str, how: str) -> str:
    """The text normalised for comparison.

    >>> normalize_text("The  Eiffel-Tower!", "squad"), normalize_text("¿Qué es «París»?", "multilingual")
    ('eiffeltower', 'qué es parís')
    """
    return " ".join(tokenize(text, how)) if how != "none" else text


def tokenize(text: str, how: str) -> list[str]:
    """The words of a text, or its characters in scripts without spaces.

    >>> tokenize("東京 Tower", "multilingual"), tokenize("A cat.", "none")
    (['東', '京', 'tower'], ['A', 'cat.'])
    """
    if how == "squad":
        return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()
    if how == "multilingual":
        folded = unicodedata.normalize("NFKC", text).casefold()
        plain = "".join(each for each in folded if not is_punctuation(each))
        return UNSPACED.sub(lambda match: f" {match[0]} ", plain).split()
    return text.split()


def is_punctuation(character: str) -> bool:
    """Whether it is punctuation in any script or an ASCII symbol, as in MLQA."""
    return character in string.punctuation or unicodedata.category(character).startswith("P")
