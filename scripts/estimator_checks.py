"""Run the checks of scikit-learn (`check_estimator`) on the estimators of caspipe, and write the page with the results.

    python scripts/estimator_checks.py        print the page

`scripts/reference_pages.py` adds the page to the documentation, so it is made by the code and the scikit-learn of the build.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import sklearn
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from caspipe.annotators.estimators import PhiDetector, PhiTagger

_FITTED = """
check_array_api_input check_dict_unchanged check_dont_overwrite_parameters check_dtype_object check_estimators_dtypes
check_estimators_fit_returns_self check_estimators_overwrite_params check_estimators_pickle check_f_contiguous_array_estimator
check_fit2d_predict1d check_fit_check_is_fitted check_fit_idempotent check_fit_score_takes_y
check_methods_sample_order_invariance check_methods_subset_invariance check_n_features_in check_n_features_in_after_fitting
check_pipeline_consistency check_positive_only_tag_during_fit check_readonly_memmap_input
""".split()
REASONS = {
    **dict.fromkeys(_FITTED, "fits an array of numbers"),
    "check_complex_data": "expects a message about an array of complex numbers",
    "check_estimators_empty_data_messages": "expects messages about arrays without rows and without columns",
    "check_estimators_nan_inf": "expects messages about NaN and infinity in an array",
    "check_fit2d_1feature": "expects a message about an array with one column",
    "check_fit2d_1sample": "expects a message about an array with one row",
}
"""Checks that fail because the estimators take texts or sequences and no arrays, each with what it does."""
KINDS = "PERSON LOCATION ORGANIZATION DATE AGE ID PHONE EMAIL URL PROFESSION".split()


class Arrays:
    """Declares that an estimator takes arrays, so that `check_estimator` runs its checks."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = True, False
        return tags


class BareTagger(Arrays, PhiTagger):
    """`PhiTagger` as it is."""


class BareDetector(Arrays, PhiDetector):
    """`PhiDetector` as it is."""


class ArrayTagger(Arrays, PhiTagger):
    """`PhiTagger` behind an adapter: a row of numbers is a sequence of one feature dict."""

    def fit(self, X: Any, y: Any) -> Any:
        X, y = validate_data(self, X, y)
        return super().fit(_items(X), [[str(value)] for value in y])

    def predict(self, X: Any) -> Any:
        check_is_fitted(self)
        return np.array([float(label) for [label] in super().predict(_items(validate_data(self, X, reset=False)))])

    def predict_proba(self, X: Any) -> Any:
        check_is_fitted(self)
        return np.concatenate(super().predict_proba(_items(validate_data(self, X, reset=False))))

    def score(self, X: Any, y: Any) -> float:
        return float(np.mean(self.predict(X) == np.asarray(y)))


class ArrayDetector(Arrays, PhiDetector):
    """`PhiDetector` behind an adapter: a row of numbers is a text, one word for each number, and the text is one span."""

    def fit(self, X: Any, y: Any) -> Any:
        X, y = validate_data(self, X, y)
        self.values_ = np.unique(y)
        texts, classes = _texts(X), np.searchsorted(self.values_, y) % len(KINDS)
        return super().fit(texts, [[(0, len(text), KINDS[n])] for text, n in zip(texts, classes, strict=True)])

    def predict(self, X: Any) -> Any:
        check_is_fitted(self)
        found = super().predict(_texts(validate_data(self, X, reset=False)))
        return np.array([self.values_[KINDS.index(spans[0][2])] if spans else np.inf for spans in found])

    def score(self, X: Any, y: Any) -> float:
        return float(np.mean(self.predict(X) == np.asarray(y)))


def _items(X: Any) -> list[list[dict[str, float]]]:
    return [[{f"x{i}": value for i, value in enumerate(row)}] for row in X.tolist()]


def _texts(X: Any) -> list[str]:
    return [" ".join(f"x{i}v{round(value)}" for i, value in enumerate(row)) for row in X.tolist()]


ESTIMATORS: dict[str, tuple[Any, Any]] = {
    "PhiTagger": (BareTagger(), ArrayTagger(c2=0.01, max_iterations=50)),
    "PhiDetector": (BareDetector(), ArrayDetector(features=["lower"], max_iterations=20)),
}
"""Each estimator as it is, and behind an adapter that makes its input from arrays."""


STATUSES = ("passed", "skipped", "xfail", "failed")
"""From best to worst. Of a check that runs twice, the worse status counts."""


def results(estimator: Any, expected: dict[str, str]) -> dict[str, str]:
    """Return the status of each check: `passed`, `xfail` (failed as expected), `failed` or `skipped`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    statuses: dict[str, str] = {}
    for check in found:  # some checks run twice, with other data
        name, status = check["check_name"], check["status"]
        statuses[name] = max(statuses.get(name, status), status, key=STATUSES.index)
    return statuses


def page() -> str:
    """Return the page with the status of every check."""
    columns = [
        results(estimator, {} if n else REASONS) for pair in ESTIMATORS.values() for n, estimator in enumerate(pair)
    ]
    shown = {"passed": "passed", "xfail": "fails as expected", "failed": "**failed**", "skipped": "skipped"}
    lines = [
        "# Checks of scikit-learn",
        "",
        f"`check_estimator` of scikit-learn {sklearn.__version__} on the estimators of "
        "[`caspipe.annotators.estimators`](api/estimators.md). `python scripts/estimator_checks.py` makes this page.",
        "",
        "The checks fit arrays of numbers. The estimators take texts, or sequences of tokens or feature dicts, and declare it in "
        "their tags; `check_estimator` then runs only the first check. Here all checks run: on each estimator as it is, and on "
        "the estimator behind an adapter. The adapter turns a row of numbers into a sequence of one feature dict (`PhiTagger`) "
        "or into a text of one word for each number (`PhiDetector`).",
        "",
        f"| check | {' | '.join(f'{name} | {name}, adapter' for name in ESTIMATORS)} | what fails without the adapter |",
        f"|{'---|' * 6}",
    ]
    for name in columns[0]:
        cells = [shown[column[name]] for column in columns]
        lines.append(f"| `{name}` | {' | '.join(cells)} | {REASONS.get(name, '')} |")
    counts = [f"{sum(status == 'passed' for status in column.values())} of {len(column)}" for column in columns]
    lines.append(f"| passed | {' | '.join(counts)} | |")
    lines += ["", "`check_array_api_input` needs the environment variable `SCIPY_ARRAY_API`."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
