import pytest

from assay.studio import live
from assay.studio.routes import scores
from assay.studio.store import store as passwords
from studio_server import Client, make_studio, serving


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Whoever asks waits for the numbers, however busy the machine is."""
    monkeypatch.setattr(live, "HARDLY", 30)
    monkeypatch.setattr(scores, "PATIENCE", 30)


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch, request):
    """A hash of a password takes a fifth of a second by intent; the tests of the store take the time."""
    if request.path.parent.name != "store":
        monkeypatch.setattr(passwords, "SCRYPT", "scrypt:16:8:5")


@pytest.fixture
def studio(tmp_path):
    """A studio of the demo collection."""
    return make_studio(tmp_path / "votes.sqlite")


@pytest.fixture
def url(studio):
    """Its address."""
    with serving(studio) as address:
        yield address


@pytest.fixture
def ann(url):
    return Client(url, "ann")


@pytest.fixture
def bob(url):
    return Client(url, "bob")
