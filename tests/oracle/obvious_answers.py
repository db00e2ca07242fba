"""Token overlap, n-grams and common subsequences of texts, slowly and obviously."""

import re
import string
import unicodedata
from collections import Counter

NAN = float("nan")
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def tokenize(text, how):
    if how == "squad":
        plain = "".join(each for each in text.lower() if each not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", plain).split()
    if how == "multilingual":
        folded = unicodedata.normalize("NFKC", text).casefold()
        is_kept = [each not in string.punctuation and unicodedata.category(each)[0] != "P" for each in folded]
        plain = "".join(each for each, kept in zip(folded, is_kept, strict=True) if kept)
        return UNSPACED.sub(lambda match: f" {match[0]} ", plain).split()
    return text.split()


def rouge_words(text):
    return re.sub("[^a-z0-9]+", " ", text.lower()).split()


def exact_match(references, prediction, how):
    if how == "none":
        return max((float(each == prediction) for each in references), default=NAN)
    same = (float(tokenize(each, how) == tokenize(prediction, how)) for each in references)
    return max(same, default=NAN)


def overlap(reference, prediction, *, yes_no):
    reference, prediction = Counter(reference), Counter(prediction)
    if not reference or not prediction:
        return (float(reference == prediction and not yes_no),) * 3
    closed = [Counter([word]) for word in ("yes", "no", "noanswer")]
    if yes_no and (reference in closed or prediction in closed) and reference != prediction:
        return (0.0,) * 3
    common = sum((reference & prediction).values())
    if not common:
        return (0.0,) * 3
    precision, recall = common / sum(prediction.values()), common / sum(reference.values())
    return precision, recall, 2 * precision * recall / (precision + recall)


def best_overlap(references, prediction, how, *, yes_no):
    """Precision, recall and F1, each of its best reference."""
    if not references:
        return (NAN,) * 3
    given = tokenize(prediction, how)
    return tuple(
        map(max, zip(*[overlap(tokenize(each, how), given, yes_no=yes_no) for each in references], strict=True))
    )


def ngrams(words, size):
    return Counter(tuple(words[start : start + size]) for start in range(len(words) - size + 1))


def shared_ngrams(one, other, size):
    return sum((ngrams(one, size) & ngrams(other, size)).values())


def common_length(one, other):
    row = [0] * (len(other) + 1)
    for word in one:
        above, row = row, [0]
        for place, each in enumerate(other):
            row.append(above[place] + 1 if word == each else max(above[place + 1], row[place]))
    return row[-1]


def rouge(references, prediction, kind):
    """The F of the reference with the best one; `kind` is the length of n-grams, or L."""
    given, best = rouge_words(prediction), -1.0
    for reference in references:
        right = rouge_words(reference)
        shared = common_length(right, given) if kind == "L" else shared_ngrams(right, given, kind)
        less = 0 if kind == "L" else kind - 1
        recall, precision = (shared / (len(each) - less) if len(each) > less else 0.0 for each in (right, given))
        both = precision + recall
        best = max(best, 2 * precision * recall / both if both else 0.0)
    return best if references else NAN
