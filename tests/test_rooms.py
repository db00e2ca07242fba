"""Inside a room imports form no cycle, and the rooms of data import each other in one direction only."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import assay

SOURCE = Path(assay.__file__).parent.parent
# Folders in which each folder is a room of its own.
HOUSES = {"assay", "assay.tasks", "assay.data"}


def name_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in (SOURCE / "assay").rglob("*.py")}


def imported(node):
    """What a module imports, in functions too, but not what only types need."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and child.module:
            for each in child.names:
                whole = f"{child.module}.{each.name}"
                yield whole if whole in MODULES else child.module
        elif isinstance(child, ast.Import):
            yield from (each.name for each in child.names)
        yield from imported(child)


def room_of(module):
    """The folder that a module belongs to: one of a house, however deep the module is in it."""
    path = MODULES[module]
    parts = name_of(path.parent / "__init__.py").split(".")
    size = 1
    while ".".join(parts[:size]) in HOUSES and size < len(parts):
        size += 1
    return ".".join(parts[:size])


GRAPH = {
    name: {each for each in imported(ast.parse(path.read_text(encoding="utf-8"))) if each in MODULES and each != name}
    for name, path in MODULES.items()
}
ROOMS = sorted(set(map(room_of, MODULES)))


def find_cycle(graph):
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return ""


@pytest.mark.parametrize("room", ROOMS)
def test_no_cycle_inside_a_room(room):
    inside = {name for name in GRAPH if room_of(name) == room}
    assert find_cycle({name: GRAPH[name] & inside for name in inside}) == ""


def test_no_cycle_between_the_rooms_of_data():
    rooms = {}
    for name, imports in GRAPH.items():
        if name.startswith("assay.data."):
            unit = name if room_of(name) == "assay.data" else room_of(name)
            others = {each if room_of(each) == "assay.data" else room_of(each) for each in imports}
            rooms.setdefault(unit, set()).update(each for each in others - {unit} if each.startswith("assay.data."))
    assert find_cycle(rooms) == ""
