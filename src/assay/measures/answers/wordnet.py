"""Synonyms of English words, from the WordNet 3.0 table that ships with assay (licence: wordnet.LICENSE).

Fellbaum, WordNet: an electronic lexical database, 1998. An inflected word has the synonyms of its base forms, found by
the rules of WordNet's Morphy as nltk applies them. examples/wordnet_table.py makes the table.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

WORDNET = Path(__file__).with_name("wordnet.txt.gz")
# Endings of nouns, verbs, adjectives and adverbs by their last letter, with their replacements in the base form.
ENDINGS: tuple[dict[str, tuple[tuple[str, str], ...]], ...] = (
    {
        "s": (
            *(("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh")),
            ("ies", "y"),
        ),
        "n": (("men", "man"),),
    },
    {
        "s": (("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
        "d": (("ed", "e"), ("ed", "")),
        "g": (("ing", "e"), ("ing", "")),
    },
    {"r": (("er", ""), ("er", "e")), "t": (("est", ""), ("est", "e"))},
    {},
)
# No WordNet word is longer; longer ones are neither looked up nor cached.
LONGEST_WORD = 100


class PartOfSpeech(NamedTuple):
    """The synonym lines of each word, the base forms of irregular forms, and the regular endings."""

    lines: dict[str, list[str]]
    irregular: dict[str, list[str]]
    endings: dict[str, tuple[tuple[str, str], ...]]

    def forms(self, word: str) -> list[str]:
        """The word and its possible base forms."""
        if word in self.irregular:
            return [word, *self.irregular[word]]
        endings = self.endings.get(word[-1:], ())
        return [word, *[word[: -len(old)] + new for old, new in endings if word.endswith(old)]]


@cache
def parts_of_speech() -> tuple[PartOfSpeech, ...]:
    """The table, read once."""
    import gzip

    with gzip.open(WORDNET, "rt", encoding="ascii") as file:
        parts = [part.splitlines() for part in file.read().split("\n\n")]
    irregular = [
        {form: bases.split() for form, _, bases in (line.partition(" ") for line in part)} for part in parts[4:]
    ]
    return tuple(map(PartOfSpeech, map(lines_by_form, parts[:4]), irregular, ENDINGS))


def lines_by_form(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        for word in line.replace("^", "").split():
            found.setdefault(word, []).append(line)
    return found


def synonyms(word: str) -> frozenset[str]:
    """The synonyms of a lower-case word in any of its senses: single words without capitals.

    >>> sorted(synonyms("autos")), sorted(synonyms("children") & {"kid", "child"})
    (['auto', 'automobile', 'car', 'machine', 'motorcar'], ['child', 'kid'])
    """
    return look_up_synonyms(word) if len(word) <= LONGEST_WORD else frozenset()


@lru_cache(maxsize=1 << 16)
def look_up_synonyms(word: str) -> frozenset[str]:
    lines = [line for part in parts_of_speech() for form in part.forms(word) for line in part.lines.get(form, ())]
    return frozenset(each for each in " ".join(lines).split() if "_" not in each and each[0] != "^")
