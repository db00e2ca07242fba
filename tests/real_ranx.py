"""ranx itself, without the warnings of its libraries.

It compiles with numba and caches next to its sources, in .venv: minutes on the first run, seconds on later ones.
"""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import ranx
    from ranx.data_structures.report import Report, stat_test_labels
    from ranx.metrics import interpolated_precision_at_recall

__all__ = ["Report", "evaluate", "interpolated_precision", "ranx", "stat_test_labels"]


def evaluate(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ranx.evaluate(*arguments, **options)


def interpolated_precision(qrels, run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return interpolated_precision_at_recall(qrels.to_typed_list(), run.to_typed_list())
