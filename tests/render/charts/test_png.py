"""Pictures: the same pixels in fewer bytes."""

import struct
import zlib

import pytest

import assay
from assay.render.charts.chart import load_converter
from assay.render.charts.png import SIGNATURE, chunk, chunks_of, compressed, size_of

CHART = assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "b"]}, ["rr", "ap"]).plot()


def pixels_of(picture):
    return zlib.decompress(b"".join(data for kind, data in chunks_of(picture) if kind == b"IDAT"))


def test_the_pixels_are_kept():
    drawn = load_converter().vegalite_to_png(CHART.to_dict(), scale=2)
    smaller = compressed(drawn)
    assert pixels_of(smaller) == pixels_of(drawn)
    assert size_of(smaller) == size_of(drawn)
    assert len(smaller) < len(drawn) / 2
    kinds = [kind for kind, _ in chunks_of(smaller)]
    assert (kinds[0], kinds[-1], kinds.count(b"IDAT")) == (b"IHDR", b"IEND", 1)


@pytest.mark.parametrize("parts", [1, 3])
def test_pixels_in_several_chunks(parts):
    rows = zlib.compress(bytes(range(100)), 0)
    step = -(-len(rows) // parts)
    header = struct.pack(">IIBBBBB", 3, 8, 8, 6, 0, 0, 0)
    pixels = b"".join(chunk(b"IDAT", rows[at : at + step]) for at in range(0, len(rows), step))
    picture = SIGNATURE + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")
    assert pixels_of(compressed(picture)) == bytes(range(100))
    assert size_of(picture) == (3, 8)
