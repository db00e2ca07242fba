"""Runs that are worse in known ways, for the tests of the gate."""

QUERIES = [f"q{number:02}" for number in range(40)]
QRELS = {query: {"d": 1} for query in QUERIES}


def ranks(*places):
    """A run whose reciprocal ranks are these, over and over."""
    return {
        query: [*(f"x{n}" for n in range(places[number % len(places)] - 1)), "d"]
        for number, query in enumerate(QUERIES)
    }


OLD = ranks(1)
WORSE = ranks(2)
MIXED = ranks(1, 1, 1, 2)  # 0.875 in the mean
NOISY = ranks(2, 1)


def one(report):
    (check,) = report.checks
    return check
