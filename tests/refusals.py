"""Files and objects that assay must refuse, and how a refusal is checked."""

import bz2
import gzip
import lzma
from functools import partial

import pyarrow
import pytest

import assay

QRELS = {"q1": {"d1": 1, "d2": 0}}
RUN = {"q1": {"d1": 1.0}}
GOOD = "q1 Q0 d1 1 2.5 t\n"
GOOD_QRELS = "q1 0 d1 1\n"


COMPRESSORS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": partial(lzma.compress, preset=1),
    "zst": lambda content: pyarrow.compress(content, codec="zstd", asbytes=True),
}


def refused(act, error, words):
    """Checks that the act raises this error, no other, with all these words."""
    with pytest.raises(assay.AssayError) as refusal:
        act()
    assert type(refusal.value) is error
    message = str(refusal.value)
    assert [word for word in words if word not in message] == [], message
    assert message.isprintable()
