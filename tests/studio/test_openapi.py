"""Requests made from the OpenAPI description: what it allows is accepted, what it forbids is refused, nothing breaks.

`make studio-fuzz` runs it; `ASSAY_STUDIO_EXAMPLES=1000` makes it search longer.
"""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from studio_server import Client, make_studio, serving

EXAMPLES = int(os.environ.get("ASSAY_STUDIO_EXAMPLES", "5"))
# What a server takes of an address before the application sees it.
LONGEST_ADDRESS = 8000
# A busy computer is not a defect.
SECONDS = 300


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    """Somebody who manages a studio of the demo collection."""
    studio = make_studio(tmp_path_factory.mktemp("studio") / "votes.sqlite")
    with serving(studio) as url:
        yield Client(url, "ann")


@pytest.fixture
def description(person):
    return schemathesis.openapi.from_url(f"{person.http.base_url}/api/openapi.json")


schema = schemathesis.pytest.from_fixture("description")


# A stream of changes has no end.
@pytest.mark.slow
@schema.exclude(path="/api/changes").parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_requests_made_from_the_description(case, person):
    assume(len(repr(case.query)) < LONGEST_ADDRESS)
    cookies = {cookie.name: cookie.value for cookie in person.http.cookies.jar}
    # No description says which bytes are a file of votes.
    excluded = [positive_data_acceptance] if case.operation.path == "/api/import" else []
    headers = {"X-CSRF-Token": person.csrf}
    case.call_and_validate(headers=headers, cookies=cookies, excluded_checks=excluded, timeout=SECONDS)
