"""`Chart`: what it can be saved as, how it is shown, and what it refuses."""

import json
import re
import struct
import sys
import zlib

import pytest

import assay
from assay.render.charts.chart import PNG_SIGNATURE, compress_png, load_converter
from assay.render.charts.kinds import KINDS
from assay.render.charts.parts import THEMES
from charts import HOSTILE, every_chart, rows_of, written
from tables import for_each

SMALL = assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "b"]}, ["rr", "ap"]).plot()
STARTS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>", "json": b"{"}


@pytest.fixture(scope="module")
def charts():
    return every_chart()


@pytest.fixture(scope="module")
def hostile():
    return every_chart(HOSTILE)


def test_there_is_one_of_every_kind(charts):
    assert set(charts) == set(KINDS)


@for_each("kind", KINDS)
@for_each("theme", THEMES)
def test_every_kind_is_valid_and_can_be_drawn(charts, kind, theme):
    import altair

    altair.Chart.from_dict(charts[kind].to_dict(theme), validate=True)
    drawn = charts[kind].draw("svg", theme=theme)
    assert charts[kind].title.encode()[:12] in drawn
    assert b"NaN" not in drawn
    assert b"undefined" not in drawn


@for_each("kind", KINDS)
def test_text_from_the_data_is_only_data(hostile, kind):
    import altair

    chart = hostile[kind]
    altair.Chart.from_dict(chart.to_dict(), validate=True)
    assert b"<script" not in chart.draw("svg")
    page = chart.draw("html").decode()
    assert page.count("<script") == page.count("</script") == 3
    fields = {key for row in rows_of(chart.spec) for key in row}
    assert all(re.fullmatch(r"[a-z_0-9]+", field) for field in fields)
    expressions = re.findall(r'"(?:calculate|expr|signal|test|labelExpr)": "([^"]*)"', json.dumps(chart.spec))
    assert all(re.fullmatch(r"datum\.place [-+] [0-9.]+", each) for each in expressions)


def test_the_same_input_gives_the_same_bytes(charts):
    again = every_chart()
    assert all(written(each.spec) == written(charts[kind].spec) for kind, each in again.items())


def test_saved_by_its_ending(tmp_path):
    for ending, start in STARTS.items():
        SMALL.save(tmp_path / f"chart.{ending}")
        assert (tmp_path / f"chart.{ending}").read_bytes().lstrip().startswith(start)
    assert {each.name for each in tmp_path.iterdir()} == {f"chart.{ending}" for ending in STARTS}


def test_a_saved_chart_has_the_background_of_its_theme(tmp_path):
    for theme, colours in THEMES.items():
        SMALL.save(tmp_path / "x.json", theme=theme)
        saved = json.loads((tmp_path / "x.json").read_text())
        assert saved["config"]["background"] == colours.background
        assert SMALL.to_dict(theme)["config"]["background"] == "transparent"
    assert "config" not in SMALL.spec


def test_a_page_fetches_nothing():
    page = SMALL.draw("html").decode()
    assert "default-src 'none'" in page
    outside = re.sub(r"(<script[^>]*>).*?(</script>)", r"\1\2", page, flags=re.DOTALL)
    assert len(outside) < 1000
    assert re.search(r"(?:src|href)=|@import|url\(", outside) is None


def test_scale_is_that_of_a_png():
    one, three = (SMALL.draw("png", scale=scale) for scale in (1, 3))
    widths = [int.from_bytes(each[16:20]) for each in (one, three)]
    assert widths[1] == pytest.approx(3 * widths[0], abs=3)


REFUSED = [
    *((name, {}, "use one of .svg, .png, .pdf, .html, .json") for name in ("chart", "x.jpg", "x.svg.gz", ".png")),
    *(("x.png", {"scale": scale}, "scale must be a number above 0") for scale in (0, -1, 21, "2", True, float("nan"))),
    ("x.svg", {"theme": "blue"}, "theme must be 'light' or 'dark', not 'blue'"),
]


@for_each("name, how, message", REFUSED)
def test_what_a_chart_cannot_be_saved_as(tmp_path, name, how, message):
    with pytest.raises(assay.errors.PolicyError, match=re.escape(message)):
        SMALL.save(tmp_path / name, **how)
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(assay.errors.FileError, match="cannot be written"):
        SMALL.save(tmp_path / "none" / "x.json")


def test_a_missing_extra_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setitem(sys.modules, "altair", None)
    SMALL.save(tmp_path / "x.json")
    for call in (lambda: SMALL.save(tmp_path / "x.svg"), SMALL.to_altair):
        with pytest.raises(assay.AssayError, match=r'pip install "assay\[report\]"'):
            call()
    assert set(SMALL._repr_mimebundle_()) == {"application/vnd.vegalite.v6+json", "text/plain"}


def test_shows_itself_in_a_notebook_and_becomes_a_chart_of_altair():
    shown, sizes = SMALL._repr_mimebundle_()
    assert shown["application/vnd.vegalite.v6+json"] == SMALL.to_dict()
    assert shown["image/png"].startswith(STARTS["png"])
    assert shown["text/plain"] == "<Chart: Means with 95 % intervals>"
    assert 300 < sizes["image/png"]["width"] < 900
    assert SMALL.to_altair().to_dict()["layer"][0]["mark"]["type"] == "rule"


def chunks_of(picture):
    """The type and the data of each chunk of a PNG, whose checksums must be right."""
    assert picture.startswith(PNG_SIGNATURE)
    place = len(PNG_SIGNATURE)
    while place < len(picture):
        (length,) = struct.unpack_from(">I", picture, place)
        body = picture[place + 4 : place + 8 + length]
        assert struct.unpack_from(">I", picture, place + 8 + length) == (zlib.crc32(body),)
        yield body[:4], body[4:]
        place += length + 12


def pixels_of(picture):
    return zlib.decompress(b"".join(data for kind, data in chunks_of(picture) if kind == b"IDAT"))


def test_a_png_has_the_same_pixels_in_fewer_bytes():
    drawn = load_converter().vegalite_to_png(SMALL.to_dict(), scale=2)
    smaller = compress_png(drawn)
    assert pixels_of(smaller) == pixels_of(drawn)
    assert len(smaller) < len(drawn) / 2
    before, after = ([each for each in chunks_of(picture) if each[0] != b"IDAT"] for picture in (drawn, smaller))
    assert after == before
    assert [kind for kind, _ in chunks_of(smaller)].count(b"IDAT") == 1


def test_the_pixels_of_a_png_may_stand_in_several_chunks():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, header = zlib.compress(bytes(range(100)), 0), struct.pack(">IIBBBBB", 3, 8, 8, 6, 0, 0, 0)
    pixels = b"".join(chunk(b"IDAT", rows[at : at + 40]) for at in range(0, len(rows), 40))
    picture = PNG_SIGNATURE + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")
    assert pixels_of(compress_png(picture)) == bytes(range(100))
