"""Colours: contrast with the page, told apart with colour blindness and in grey."""

from itertools import combinations

import numpy as np

from assay.render.charts.parts import THEMES
from assay.render.charts.systems import HALF
from tables import for_each

# Simulations of full colour blindness: Machado, Oliveira and Fernandes 2009.
EYES = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour):
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(light):
    scaled = TO_XYZ @ light / np.array([0.9505, 1, 1.089])
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def contrast(one, other):
    low, high = sorted(float(TO_XYZ[1] @ linear(each)) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


@for_each("name", THEMES)
def test_colours_stand_out_from_the_page(name):
    theme = THEMES[name]
    assert min(contrast(each, theme.background) for each in (*theme.categories, theme.neutral)) >= 3
    assert min(contrast(each, theme.background) for each in (theme.text, theme.faint)) >= 4.5


@for_each("name", THEMES)
@for_each("eyes", EYES)
def test_runs_are_told_apart(name, eyes):
    seen = [lab(np.clip(np.array(EYES[eyes]) @ linear(each), 0, 1)) for each in THEMES[name].categories]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 25


@for_each("name", THEMES)
def test_runs_differ_in_grey(name):
    greys = [lab(linear(each))[0] for each in THEMES[name].categories]
    assert min(abs(one - other) for one, other in combinations(greys, 2)) > 5
    better, worse = greys[:2]
    assert abs(better - worse) > 14


@for_each("name", THEMES)
def test_numbers_on_cells_can_be_read_and_ramps_have_one_direction(name):
    theme = THEMES[name]
    greys = [lab(linear(each))[0] for each in theme.ramp]
    assert greys in (sorted(greys), sorted(greys, reverse=True))
    steps = np.array([[int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in theme.ramp])
    for share in np.linspace(0, 1, 41):
        cell = [np.interp(share * (len(steps) - 1), range(len(steps)), steps[:, at]) for at in range(3)]
        shown = "#" + "".join(f"{round(each):02X}" for each in cell)
        assert contrast(shown, theme.on_low if share < HALF else theme.on_high) > 3.8
