"""The table of measures: what it lists is what the families define, whatever was imported before."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import assay.measures
from assay.measures import FAMILIES, TABLE, definitions_in, parse
from tables import for_each


def printed_by(code):
    """What code prints in a process that has imported nothing yet."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout  # noqa: S603 - our own code


@for_each("module", FAMILIES)
def test_the_table_lists_what_the_modules_define(module):
    found = definitions_in(import_module(f"assay.measures.{module}"))
    assert list(FAMILIES[module]) == [each.name for each in found] != []
    assert all(alias in FAMILIES[module][each.name] and sets for each in found for alias, sets in each.aliases.items())


def test_the_table_lists_every_file_of_measures():
    folder = Path(assay.measures.__file__).parent
    files = (file.relative_to(folder).with_suffix("") for file in folder.rglob("*.py") if file.stem != "__init__")
    names = {".".join(file.parts) for file in files}
    assert {name for name in names if definitions_in(import_module(f"assay.measures.{name}"))} == set(FAMILIES)


@for_each("definition", [each for each in TABLE.values() if each.of != "rankings"])
def test_measures_of_texts_say_what_they_are(definition):
    assert definition.title[0].isupper() or definition.name == "chrf"
    assert not definition.title.endswith(".")
    assert definition.formula
    assert definition.reference
    assert definition.summary.endswith(".")
    assert definition.example.working
    assert definition.range[0] < definition.range[1]
    assert all(parameter.help for parameter in definition.parameters.values())
    assert all(parse(alias) == definition(**preset) for alias, preset in TABLE.aliases(definition).items())


def test_measures_stand_in_the_order_of_the_families():
    listed = [name for names in FAMILIES.values() for name in names]
    assert list(TABLE)[: len(listed)] == listed


def test_a_family_is_imported_when_one_of_its_measures_is_used():
    code = (
        "import sys, assay; assay.evaluate({'q': {'d': 1}}, {'q': ['d']}, ['ndcg@10', 'map']);"
        "print([each.rpartition('.')[2] for each in sys.modules if each.startswith('assay.measures.ranking.')])"
    )
    assert printed_by(code) == "['discounted_gain', 'average_precision']\n"


def test_no_two_names_differ_only_in_case():
    names = TABLE.names()
    assert len({name.lower() for name in names}) == len(names)


@for_each("name", ["rouge-L", "answer_em"])
def test_names_of_text_measures_are_known_before_their_modules_are_imported(name):
    code = (
        "import sys, assay.measures as measures; before = [each for each in sys.modules if 'measures.answers' in each];"
        f"print(before, measures.TABLE.has({name!r}), measures.TABLE.find({name!r})[0].of)"
    )
    assert printed_by(code) == "[] True answers\n"


def test_a_name_of_a_text_measure_is_taken_from_the_start():
    code = "import assay\ntry:\n    assay.extend.measure('rougel')(len)\nexcept assay.errors.MeasureError as error:\n    print(error)"
    assert printed_by(code) == "a measure named 'rougel' already exists; choose another name\n"


def test_a_removed_measure_does_not_come_back_with_its_family():
    code = (
        "import assay; from assay.measures import TABLE; assay.extend.remove_measure('rouge_1');"
        "assay.parse_measure('rouge_2'); print('rouge_1' in TABLE, TABLE.has('rouge1'), len(TABLE) == len(list(TABLE)))"
    )
    assert printed_by(code) == "False False True\n"


def test_what_is_not_there_cannot_be_removed():
    with pytest.raises(assay.errors.MeasureError, match="unknown measure 'map'; nothing to remove"):
        assay.extend.remove_measure("map")
