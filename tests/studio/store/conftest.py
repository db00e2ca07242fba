"""A store of each kind: a file, and a database in a real PostgreSQL that lives as long as the tests."""

import secrets
import warnings

import pytest

from assay.studio.store import Store


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory):
    """The address of a PostgreSQL server, up to the name of a database."""
    with warnings.catch_warnings():
        # Where it keeps its socket if the system names no folder for such things.
        warnings.simplefilter("ignore")
        import pgserver

        # A short path: the name of a socket has a limit.
        with pgserver.get_server(tmp_path_factory.mktemp("pg")) as server:
            yield server


@pytest.fixture
def database(postgresql):
    """The address of a new database."""
    name = f"studio_{secrets.token_hex(6)}"
    postgresql.psql(f"CREATE DATABASE {name}")
    return postgresql.get_uri(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request, tmp_path):
    """A place for a new store."""
    return tmp_path / "studio.sqlite" if request.param == "sqlite" else request.getfixturevalue("database")


@pytest.fixture
def store(where):
    with Store.open(where) as opened:
        yield opened


def pytest_collection_modifyitems(items):
    """One process has the database: starting one takes seconds."""
    for item in items:
        if {"where", "database"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("postgresql"))
