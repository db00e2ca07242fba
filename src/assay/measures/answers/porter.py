"""Porter's stemmer with nltk's changes, as used for ROUGE and METEOR.

Porter, An algorithm for suffix stripping, Program 14, 1980. Words are in lower case. A rule is a suffix and its
replacement; in a list the first rule with a matching suffix decides, even if its condition does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

Rules = Mapping[str, Sequence[tuple[str, str]]]

SHAPES = "".join("v" if chr(code) in "aeiou" else "c" for code in range(128))


def rules_of(text: str) -> Rules:
    """Rules by the last letter of their suffix, from a text such as `sses:ss ies:i s:`."""
    found: dict[str, list[tuple[str, str]]] = {}
    for suffix, replacement in (pair.split(":") for pair in text.split()):
        found.setdefault(suffix[-1], []).append((suffix, replacement))
    return found


UNCHANGED = ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")
IRREGULAR = {"skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "innings": "inning", "outings": "outing"}
IRREGULAR |= {"cannings": "canning", **{word: word for word in UNCHANGED}}
PLURALS = rules_of("sses:ss ies:i ss:ss s:")
DOUBLE_SUFFIXES = rules_of(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful"
)
ENDINGS = rules_of("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
LAST_SUFFIXES = rules_of(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:"
)
# Longer words are stemmed each time, so that the cache stays small.
LONGEST_KEPT = 64


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    return stem_known(word) if len(word) <= LONGEST_KEPT else strip_suffixes(word)


def strip_suffixes(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:  # noqa: PLR2004 - too short for a suffix
        return word
    # Dies, lies, ties.
    is_short = word.endswith("ies") and len(word) == 4  # noqa: PLR2004 - letters
    word = without_past(word[:-1] if is_short else apply_rules(word, PLURALS, 0))
    if word.endswith("y") and len(word) > 2 and letter_shape(word[:-1])[-1] == "c":  # noqa: PLR2004 - two letters before it
        word = word[:-1] + "i"
    while word.endswith("alli") and porter_measure(word[:-4]):
        word = word[:-2]
    # A double suffix is reduced to one, as in relational and hopefulness.
    known = apply_rules(word, DOUBLE_SUFFIXES, 1)
    word = word[:-1] if known == word and word.endswith("logi") and porter_measure(word[:-3]) else known
    word = apply_rules(word, ENDINGS, 1)
    word = apply_rules(word, LAST_SUFFIXES, 2)
    if word.endswith("e"):
        value = porter_measure(word[:-1])
        if value > 1 or (value == 1 and not ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and porter_measure(word[:-1]) > 1 else word


stem_known = lru_cache(maxsize=1 << 16)(strip_suffixes)


def letter_shape(text: str) -> str:
    """A c for each consonant and a v for each vowel; y is a vowel after a consonant: cvcvcv for syzygy, cvc for toy."""
    if text.isascii() and "y" not in text:
        return text.translate(SHAPES)
    found = []
    is_consonant = False
    for letter in text:
        is_consonant = not is_consonant if letter == "y" else letter not in "aeiou"
        found.append("c" if is_consonant else "v")
    return "".join(found)


def porter_measure(text: str) -> int:
    """How often a vowel is followed by a consonant."""
    return letter_shape(text).count("vc")


def ends_short(text: str) -> bool:
    """Whether the text ends like `hop` or has the form of `at`."""
    found = letter_shape(text)
    return found == "vc" or (found.endswith("cvc") and text[-1] not in "wxy")


def apply_rules(word: str, rules: Rules, least: int) -> str:
    """The word after the rule for its suffix, if the rest has at least that measure."""
    for suffix, replacement in rules.get(word[-1], ()):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            is_right = porter_measure(rest) >= least and (suffix != "ion" or rest[-1] in "st")
            return rest + replacement if is_right else word
    return word


def without_past(word: str) -> str:
    """The word without ed or ing, and with the final letter restored or undoubled."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]  # noqa: PLR2004 - died, lied, tied
    if word.endswith("eed"):
        return word[:-1] if porter_measure(word[:-3]) else word
    rests = (word.removesuffix(ending) for ending in ("ed", "ing") if word.endswith(ending))
    rest = next((each for each in rests if "v" in letter_shape(each)), None)
    if rest is None:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and letter_shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if porter_measure(rest) == 1 and ends_short(rest) else rest
