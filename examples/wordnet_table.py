"""Make the table of synonyms that METEOR uses, from the files of WordNet 3.0.

On Debian and its relatives they are in the package wordnet-base:

    apt install wordnet-base
    python examples/wordnet_table.py [FOLDER]

FOLDER contains the files, by default /usr/share/wordnet. The script writes ``wordnet.txt.gz`` and WordNet's licence,
``wordnet.LICENSE``, to ``src/assay/measures/answers``. The same input gives the same output.

The table has eight parts separated by blank lines: the synonyms of nouns, verbs, adjectives and adverbs, one line per
set of synonyms, then their irregular forms, each with its base forms. Words are in lower case; those that WordNet
capitalises are marked with ``^``. Synonyms that METEOR can never match, because they are all phrases or capitalised,
are left out.
"""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "src" / "assay" / "measures" / "answers"
PARTS = ("noun", "verb", "adj", "adv")
# The position of an adjective: before its noun, after it, or only as a predicate.
MARKER = re.compile(r"\((?:a|p|ip)\)$")


def synonyms(path: Path) -> list[str]:
    """The lines of synonyms of one part of speech."""
    found = set()
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            count = int(fields[3], base=16)
            words = [MARKER.sub("", word) for word in fields[4 : 4 + 2 * count : 2]]
            plain = {word for word in words if word == word.lower()}
            if any("_" not in word for word in plain):
                capitals = {f"^{word.lower()}" for word in words if word.lower() not in plain}
                found.add(" ".join(sorted(plain | capitals)))
    return sorted(found)


def irregular(path: Path) -> list[str]:
    """The irregular forms of one part of speech; of two lines for a form the last one counts."""
    forms = dict(line.split(" ", 1) for line in path.read_text(encoding="ascii").splitlines())
    return [f"{form} {bases.strip()}" for form, bases in sorted(forms.items())]


def licence(path: Path) -> str:
    """The licence at the head of each file of WordNet, without its line numbers."""
    lines = path.read_text(encoding="ascii").splitlines()
    return "".join(re.sub(r"^ +\d+ ?", "", line).rstrip() + "\n" for line in lines if line.startswith(" "))


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet")
    parts = [synonyms(folder / f"data.{name}") for name in PARTS] + [
        irregular(folder / f"{name}.exc") for name in PARTS
    ]
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    (TARGET / "wordnet.txt.gz").write_bytes(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0))
    (TARGET / "wordnet.LICENSE").write_text(licence(folder / "data.noun"), encoding="ascii")


if __name__ == "__main__":
    main()
