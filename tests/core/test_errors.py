"""The tree of errors is the one that `core/errors.py` draws."""

import inspect
import re

import assay
from assay.core import errors
from tables import for_each

DRAWN = re.findall(r"^ {4}([│├└─ ]*)(\w+Error)\b", errors.__doc__, flags=re.MULTILINE)
DEFINED = {name: each for name, each in vars(errors).items() if inspect.isclass(each) and not name.startswith("_")}


def parents():
    """The parent of each error, as drawn: the last one before it that stands further to the left."""
    above = []
    for branch, name in DRAWN:
        depth = len(branch) // 4
        del above[depth:]
        yield name, above[-1] if above else "Exception"
        above.append(name)


@for_each(("name", "parent"), list(parents()))
def test_stands_where_it_is_drawn(name, parent):
    assert [each for _, each in DRAWN] == list(DEFINED)
    assert DEFINED[name].__bases__[0].__name__ == parent
    assert DEFINED[name].__doc__
    assert getattr(assay.errors, name) is DEFINED[name]
    # Bad input is a ValueError to people who have never heard of assay's own tree.
    assert issubclass(DEFINED[name], ValueError) == (name != "AssayError")
