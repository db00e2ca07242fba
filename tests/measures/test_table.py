"""The table of measures: what it lists is what the families define, whatever was imported before."""

import subprocess
import sys
from importlib import import_module

import pytest

import assay
from assay.measures import RANKINGS, TABLE, TEXTS, definitions_in


@pytest.mark.parametrize("module", TEXTS)
def test_the_list_of_text_measures_is_what_their_modules_define(module):
    found = definitions_in(import_module(f"assay.measures.{module}"))
    assert TEXTS[module] == {each.name: tuple(each.aliases) for each in found}


def test_every_family_defines_a_measure():
    assert [module.__name__ for module in RANKINGS if not definitions_in(module)] == []


def test_measures_stand_in_the_order_of_the_families():
    listed = [each.name for module in RANKINGS for each in definitions_in(module)]
    assert list(TABLE)[: len(listed)] == listed


def test_no_two_names_differ_only_in_case():
    names = TABLE.names()
    assert len({name.lower() for name in names}) == len(names)


@pytest.mark.parametrize("name", ["rouge-L", "BLEU", "answer_em"])
def test_names_of_text_measures_are_known_before_their_modules_are_imported(name):
    code = (
        "import sys, assay.measures as measures; before = [each for each in sys.modules if 'measures.answers' in each];"
        f"print(before, measures.TABLE.has({name!r}), measures.TABLE.find({name!r})[0].of)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603 - our own code
    assert found.stdout == "[] True answers\n"


@pytest.mark.parametrize("name", ["bleu", "rougel"])
def test_a_name_of_a_text_measure_is_taken_from_the_start(name):
    code = (
        f"import assay\ntry:\n    assay.measure({name!r})(len)\nexcept assay.MeasureError as error:\n    print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603 - our own code
    assert found.stdout == f"a measure named {name!r} already exists; choose another name\n"


def test_a_removed_measure_does_not_come_back_with_its_family():
    code = (
        "import assay; from assay.measures import TABLE; assay.remove_measure('rouge_1');"
        "assay.parse_measure('rouge_2'); print('rouge_1' in TABLE, TABLE.has('rouge1'), len(TABLE) == len(list(TABLE)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603 - our own code
    assert found.stdout == "False False True\n"


def test_what_is_not_there_cannot_be_removed():
    with pytest.raises(assay.MeasureError, match="unknown measure 'map'; nothing to remove"):
        assay.remove_measure("map")
