"""What `import assay` gives: every name on purpose, each with a word about it."""

import ast
import inspect
import pickle
import subprocess
import sys
import types
from pathlib import Path

import pytest

import assay

ROOM = Path(assay.__file__).parent


def test_the_list_is_sorted_and_holds_nothing_twice():
    assert assay.__all__ == sorted(set(assay.__all__))


def test_every_name_in_the_list_is_there():
    assert [name for name in assay.__all__ if not hasattr(assay, name)] == []


def test_nothing_else_leaks():
    rooms = {path.name.partition(".")[0] for path in ROOM.iterdir() if path.suffix in ("", ".py", ".so", ".pyd")}
    names = {name for name in vars(assay) if not name.startswith("_")}
    extra = names - set(assay.__all__)
    assert {name for name in extra if not isinstance(getattr(assay, name), types.ModuleType)} == set()
    assert extra <= rooms


def test_the_list_holds_what_is_defined_on_purpose():
    assert sorted(vars(assay)["_HOMES"]) == assay.__all__
    assert sorted({*assay.__all__, "compat", "live"}) == dir(assay)
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_type_checkers_see_the_same_names():
    (block,) = [node for node in ast.parse((ROOM / "__init__.py").read_text()).body if isinstance(node, ast.If)]
    seen = {alias.asname: node.module for node in block.body for alias in node.names}
    assert seen == vars(assay)["_HOMES"]


PUBLIC = [name for name in assay.__all__ if isinstance(getattr(assay, name), (type, types.FunctionType))]


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_belongs_to_assay(name):
    value = getattr(assay, name)
    assert value.__module__ == "assay"
    assert pickle.loads(pickle.dumps(value)) is value  # noqa: S301 - our own


def test_what_a_public_function_returns_is_pickled_as_a_public_name():
    code = (
        "import assay, pickle; result = assay.evaluate({'q': ['a']}, {'q': ['a']}, ['rr']);"
        "values = pickle.dumps([type(result), result.policies]);"
        "print(pickle.loads(values)[1] == result.policies, b'assay.' in values)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603 - our own code
    assert found.stdout == "True False\n"


def test_what_is_not_there_is_said_so():
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'evaluat'"):
        assay.evaluat  # noqa: B018 - the attribute is what is tested


def test_no_module_has_the_name_of_a_function():
    rooms = {path.stem for path in ROOM.iterdir()}
    assert rooms.isdisjoint(assay.__all__)


ROOMS = {
    "assay.live.HttpSearch('http://h/').name": "http://h/",
    "assay.live.probe is assay.probe": "True",
    "assay.compat.ranx.Run.__name__": "Run",
    "assay.compat.pytrec_eval.__name__": "assay.compat.pytrec_eval",
    "assay.compat.ir_measures.__name__": "assay.compat.ir_measures",
    "'live' in dir(assay) and 'ranx' in dir(assay.compat)": "True",
    "hasattr(assay.compat, 'nothing')": "False",
}


@pytest.mark.parametrize("expression", ROOMS)
def test_a_room_is_there_when_it_is_named(expression):
    command = [sys.executable, "-c", f"import assay; print({expression})"]
    found = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603 - our own code
    assert found.stdout == f"{ROOMS[expression]}\n"


def test_importing_it_imports_little():
    code = "import sys, assay; print([name for name in ('numpy', 'assay.core.measure') if name in sys.modules])"
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603 - our own code
    assert found.stdout == "[]\n"


@pytest.mark.parametrize("name", [name for name in assay.__all__ if callable(getattr(assay, name))])
def test_every_name_has_a_docstring_of_its_own(name):
    value = getattr(assay, name)
    assert value.__doc__, name
    assert value.__doc__.strip()
    if inspect.isclass(value):
        parents = [parent.__doc__ for parent in value.__mro__[1:]]
        assert value.__doc__ not in parents
        # A dataclass or a named tuple without one is given its signature.
        assert not value.__doc__.startswith(f"{name}(")


@pytest.mark.parametrize(
    "owner",
    [
        assay.Qrels,
        assay.Run,
        assay.Result,
        assay.Results,
        assay.Comparison,
        assay.Evaluator,
        assay.Judged,
        assay.Hits,
        assay.Measure,
        assay.CheckReport,
        assay.GateReport,
        assay.Probe,
    ],
)
def test_every_public_method_has_a_docstring(owner):
    methods = {
        name: value
        for name, value in inspect.getmembers(owner)
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
    }
    assert [name for name, value in methods.items() if not inspect.getdoc(value)] == []


def test_errors_form_one_tree():
    errors = [value for value in vars(assay).values() if inspect.isclass(value) and issubclass(value, Exception)]
    assert len(errors) == 9
    assert all(issubclass(error, assay.AssayError) for error in errors)
    assert [name for name in dir(assay) if name.endswith("Error")] == sorted(error.__name__ for error in errors)


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert assay.__version__ == version("assay")


def test_importing_loads_nothing_heavy():
    heavy = ["polars", "pandas", "pyarrow", "scipy", "rich", "click", "sacrebleu"]
    code = f"import assay, sys; print([name for name in {heavy} if name in sys.modules])"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        assert process.communicate()[0] == "[]\n"


def test_evaluating_dicts_loads_nothing_heavy():
    code = (
        "import assay, sys; assay.evaluate({'q': ['a']}, {'q': ['a']}, ['ndcg@10']);"
        "print([name for name in ('polars', 'pandas', 'pyarrow', 'scipy') if name in sys.modules])"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        assert process.communicate()[0] == "[]\n"
