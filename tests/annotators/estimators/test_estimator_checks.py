"""`check_estimator` of scikit-learn: which checks pass, and which fail only because they fit arrays of numbers."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import check_estimator

from caspipe.annotators.estimators import PhiDetector, PhiTagger

SCRIPT = Path(__file__).resolve().parents[3] / "scripts/estimator_checks.py"


def script() -> ModuleType:
    """The script as a module, without its folder on the path, where runs would follow imports of plug-ins."""
    spec = importlib.util.spec_from_file_location("estimator_checks", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # pickle finds its classes by this name
    spec.loader.exec_module(module)
    return module


checks = script()
ESTIMATORS, REASONS, page, results = checks.ESTIMATORS, checks.REASONS, checks.page, checks.results

OPTIONAL = {"check_array_api_input"}
"""Skipped unless the environment variable SCIPY_ARRAY_API is set."""
ALWAYS = """
check_do_not_raise_errors_in_init_or_set_params check_estimator_cloneable check_estimator_repr check_estimator_sparse_array
check_estimator_sparse_matrix check_estimators_unfitted check_fit1d check_get_params_invariance check_mixin_order
check_no_attributes_set_in_init check_parameters_default_constructible check_requires_y_none check_set_params
check_valid_tag_types
""".split()
"""Checks that pass without an adapter in every release of scikit-learn from 1.6 on."""


@pytest.mark.parametrize("name", ESTIMATORS)
def test_only_the_checks_that_fit_arrays_fail(name: str) -> None:
    statuses = results(ESTIMATORS[name][0], REASONS)
    assert {check for check, status in statuses.items() if status == "xfail"} == REASONS.keys() - OPTIONAL
    assert [check for check, status in statuses.items() if status == "failed"] == []
    assert [check for check in ALWAYS if statuses[check] != "passed"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_check_passes_behind_the_adapter(name: str) -> None:
    statuses = results(ESTIMATORS[name][1], {})
    assert {check: status for check, status in statuses.items() if status != "passed"}.keys() <= OPTIONAL
    assert len(statuses) >= 40


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_adapters_really_learn(name: str) -> None:
    X, y = make_blobs(n_samples=60, centers=3, random_state=0, cluster_std=0.3)
    assert ESTIMATORS[name][1].fit(X, y).score(X, y) > 0.9
    assert not np.isin(y, [3]).any()


@pytest.mark.parametrize("estimator", [PhiTagger(), PhiDetector()], ids=lambda e: type(e).__name__)
def test_check_estimator_itself_is_content(estimator: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = check_estimator(estimator)
    assert [check["status"] for check in found or [{"status": "passed"}]] == ["passed"]
    assert ["Can't test estimator" in str(w.message) for w in caught] == [True]


@pytest.mark.slow
def test_the_page_shows_every_check() -> None:
    text = page()
    assert "**failed**" not in text
    assert text.count("| fails as expected |") == 2 * len(REASONS.keys() - OPTIONAL)
    assert all(f"| `{name}` |" in text for name in (*REASONS, *ALWAYS))
