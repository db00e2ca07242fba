"""WordNet for nltk: from the table that comes with assay, and from the files of the package wordnet-base."""

import gzip
import shutil
import warnings
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader

import assay

TABLE = Path(assay.__file__).parent / "measures" / "answers" / "wordnet.txt.gz"
PARTS = "nvar"
LEXICOGRAPHERS = 45


class ShippedWordNet(WordNetCorpusReader):
    """nltk's own look-up and its own rules for base forms, on the table that comes with assay."""

    def __init__(self):
        parts = [part.splitlines() for part in gzip.decompress(TABLE.read_bytes()).decode("ascii").split("\n\n")]
        self._lemma_pos_offset_map = defaultdict(dict)
        self._exception_map = {}
        self._names = {}
        for part, lines, irregular in zip(PARTS, parts[:4], parts[4:], strict=True):
            self._exception_map[part] = {line.split()[0]: line.split()[1:] for line in irregular}
            for offset, line in enumerate(lines):
                self._names[part, offset] = [word.upper() if word.startswith("^") else word for word in line.split()]
                for word in line.replace("^", "").split():
                    self._lemma_pos_offset_map[word].setdefault(part, []).append(offset)

    def synset_from_pos_and_offset(self, pos, offset):
        names = self._names[pos, offset]
        return SimpleNamespace(lemmas=lambda: [SimpleNamespace(name=lambda name=name: name) for name in names])


class WholeWordNet(WordNetCorpusReader):
    """nltk's reader on the files of WordNet 3.0 that Debian has."""

    def __init__(self, source, folder):
        for path in Path(source).glob("*.*"):
            shutil.copy(path, folder)
        # Debian leaves this file out; only its numbers matter here.
        lines = (f"{number:02d}\tfile{number}\t1\n" for number in range(LEXICOGRAPHERS))
        (Path(folder) / "lexnames").write_text("".join(lines))
        nltk.data.path.append(str(folder))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            super().__init__(str(folder), None)

    def map_wn(self, version="wordnet"):
        """No mapping to another version: there is only one."""
