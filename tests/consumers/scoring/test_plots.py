"""Figures: same bytes every time, nothing lost or overlapping, faults told."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.scoring import plots
from caspipe.consumers.scoring.drawing import plot_style
from caspipe.pipeline.errors import ConsumerError

matplotlib: Any = pytest.importorskip("matplotlib", reason="needs the extra `plots`")

FIGURES: dict[str, Callable[[], Any]] = {
    "precision_recall": lambda: plots.precision_recall(
        {"crf": [(0.2, 1.0), (0.5, 0.9)], "svm": [(0.3, 0.8)]}, chosen={"crf": (0.5, 0.9)}
    ),
    "sweep": lambda: plots.sweep(
        [0.01, 0.1, 1], {"strict": [0.5, None, 0.7]}, "C of LIBLINEAR", {"strict": ([0.4, None, 0.6], [0.6, None, 0.8])}
    ),
    "sweep_right": lambda: plots.sweep(
        [0, 0.5, 1], {"strict": [0.5, 0.6, 0.7]}, "alpha", log=False, right=("Active features", [90_000, 900, 90])
    ),
    "grid_heatmap": lambda: plots.grid_heatmap(
        [0.01, 0.1], ["a", "b"], [[0.5, None], [0.7, 0.6]], xlabel="c1 of CRFsuite", ylabel="c2 of CRFsuite"
    ),
    "learning_curve": lambda: plots.learning_curve(
        [10, 20], {"F1": {"crf": [(0.4, 0.5, 0.6), (0.5, 0.6, 0.7)]}}, levels={"F1": {"rules": 0.55}}
    ),
    "boxplots": lambda: plots.boxplots({"DATE": [0.1, 0.2, 0.5], "PHONE": []}),
    "bars": lambda: plots.bars([("0:lower=dr.", 2.5), ("bias $x$\n", -1.0)]),
    "confusion": lambda: plots.confusion({"DATE": {"DATE": 3, "ID": 1}, "ID": {"ID": 0}}),
}
_DIGESTS = """
import hashlib, sys
from pathlib import Path
import importlib.util
spec = importlib.util.spec_from_file_location("figures", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for name, draw in module.FIGURES.items():
    for suffix in ("svg", "png", "pdf")[: 3 if name == "bars" else 1]:
        path = Path(sys.argv[2], f"{name}.{suffix}")
        module.plots.save(draw(), path)
        print(name, suffix, hashlib.sha256(path.read_bytes()).hexdigest())
"""


def digests(folder: Path) -> str:
    lines = []
    for name, draw in FIGURES.items():
        for suffix in ("svg", "png", "pdf")[: 3 if name == "bars" else 1]:
            path = folder / f"{name}.{suffix}"
            plots.save(draw(), path)
            lines.append(f"{name} {suffix} {hashlib.sha256(path.read_bytes()).hexdigest()}")
    return "\n".join(lines)


@pytest.mark.slow
def test_the_same_figure_is_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _DIGESTS, __file__, str(tmp_path / "other")]
    environment = {**os.environ, "PYTHONHASHSEED": "7", "MPLBACKEND": "svg"}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert told.strip() == digests(tmp_path / "here")


@pytest.mark.slow
def test_settings_of_the_user_change_nothing_and_stay(tmp_path: Path) -> None:
    before = digests(tmp_path)
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "svg.hashsalt": "own", "savefig.dpi": 30}):
        assert digests(tmp_path) == before
        assert matplotlib.rcParams["font.size"] == 20


def test_no_import_of_matplotlib_before_a_figure_is_drawn() -> None:
    code = "import sys, caspipe.consumers.scoring.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConsumerError) as error:
        FIGURES["bars"]()
    assert str(error.value) == "plots need matplotlib, which is not installed: pip install 'caspipe[plots]'"


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_title_or_was_given_none_and_labelled_axes(name: str) -> None:
    axes = FIGURES[name]().axes[0]
    assert axes.get_xlabel()
    assert axes.get_title(loc="left") or name in ("boxplots", "bars")


def test_the_parameter_is_named_as_the_library_does() -> None:
    assert FIGURES["sweep"]().axes[0].get_xlabel() == "C of LIBLINEAR"


def test_a_learning_curve_has_a_panel_for_each_measure_and_a_line_for_each_untrained_system() -> None:
    points = [(0.4, 0.5, 0.6), (0.5, None, 0.7)]
    figure = plots.learning_curve(
        [10, 20],
        {"F1": {"svm": points, "crf": points}, "Recall": {"svm": points, "crf": points}},
        levels={"F1": {"rules": 0.3}, "Recall": {"rules": None}},
    )
    first, second = figure.axes
    assert [first.get_title(loc="left"), second.get_title(loc="left")] == ["F1", "Recall"]
    assert first.get_ylim() == second.get_ylim()
    svm, crf, rules = first.get_lines()
    assert math.isnan(svm.get_ydata()[1])
    assert list(rules.get_ydata()) == [0.3, 0.3]
    assert len({line.get_color() for line in (svm, crf, rules)}) == 3
    assert len(second.get_lines()) == 2  # no line is drawn for an undefined value
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["svm", "crf", "rules"]


def test_an_undefined_value_is_a_gap() -> None:
    (line,) = FIGURES["sweep"]().axes[0].get_lines()
    assert [None if math.isnan(y) else y for y in line.get_ydata()] == [0.5, None, 0.7]


def test_a_wide_second_scale_is_logarithmic() -> None:
    first, second = FIGURES["sweep_right"]().axes
    assert (first.get_xscale(), first.get_yscale(), second.get_yscale()) == ("linear", "linear", "log")


def test_cells_show_every_number_but_undefined_ones() -> None:
    assert [t.get_text() for t in FIGURES["grid_heatmap"]().axes[0].texts] == ["0.500", "0.700", "0.600"]
    assert [t.get_text() for t in FIGURES["confusion"]().axes[0].texts] == ["3", "1", "·", "·"]


def test_the_best_cell_is_framed() -> None:
    (frame,) = FIGURES["grid_heatmap"]().axes[0].patches
    assert frame.get_xy() == (-0.5, 0.5)


def test_names_stand_as_they_are_on_one_line() -> None:
    labels = [t.get_text() for t in FIGURES["bars"]().axes[0].get_yticklabels()]
    assert labels == ["0:lower=dr.", "bias $x$␊"]
    long = plots.bars([("x" * 100, 1.0)]).axes[0].get_yticklabels()[0].get_text()
    assert long == "x" * 41 + "…"


def test_groups_without_values_keep_their_row() -> None:
    axes = FIGURES["boxplots"]().axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["DATE  (n = 3)", "PHONE  (n = 0)"]
    assert [t.get_text() for t in axes.texts] == ["no values"]


@pytest.mark.slow
@pytest.mark.parametrize("draw", ["bars", "confusion", "boxplots", "grid"])
def test_labels_do_not_overlap(draw: str) -> None:
    names = [f"LOCATION_HOSPITAL_{i}" for i in range(20)]
    figure = {
        "bars": lambda: plots.bars([(n, 1.0) for n in names]),
        "confusion": lambda: plots.confusion({n: dict.fromkeys(names, 1_000) for n in names}),
        "boxplots": lambda: plots.boxplots({n: [0.1, 0.9] for n in names}),
        "grid": lambda: plots.grid_heatmap(range(20), names, [[0.5] * 20] * 20, xlabel="x", ylabel="y"),
    }[draw]()
    with plot_style():
        figure.draw_without_rendering()
    axes = figure.axes[0]
    for labels in (axes.get_yticklabels(), axes.texts[:20] if draw in ("confusion", "grid") else []):
        boxes = [t.get_window_extent() for t in labels]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert all(
        figure.bbox.contains(*corner) for t in axes.get_yticklabels() for corner in t.get_window_extent().corners()
    )


def test_many_series_look_different() -> None:
    figure = plots.sweep([1, 2], {str(i): [i, i] for i in range(20)}, "C of LIBLINEAR")
    looks = {(str(x.get_color()), str(x.get_marker()), str(x.get_linestyle())) for x in figure.axes[0].get_lines()}
    assert len(looks) == 20


@pytest.mark.parametrize("name", ["precision_recall", "boxplots", "bars", "confusion", "learning_curve"])
def test_no_data_is_an_empty_figure(name: str, tmp_path: Path) -> None:
    empty: dict[str, Callable[[], Any]] = {
        "precision_recall": lambda: plots.precision_recall({"crf": []}),
        "boxplots": lambda: plots.boxplots({"DATE": []}),
        "bars": lambda: plots.bars([]),
        "confusion": lambda: plots.confusion({}),
        "learning_curve": lambda: plots.learning_curve([], {}),
    }
    plots.save(empty[name](), tmp_path / "empty.svg")
    assert (tmp_path / "empty.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda: plots.sweep([0, 1], {"f1": [1, 1]}, "C"),
            "x: expected numbers above 0 on a logarithmic axis, got 0 at 0; say log=False",
        ),
        (lambda: plots.sweep([1, 2], {"f1": [1]}, "C"), "f1: expected 2 values, as many as x, got 1"),
        (
            lambda: plots.sweep([1], {"strict": [1]}, "C", {"strikt": ([1], [1])}),
            "band: no series called 'strikt'; did you mean strict?",
        ),
        (
            lambda: plots.sweep([1], {"f1": [1]}, "C", {"f1": ([], [1])}),
            "band of f1: expected 1 values, as many as x, got 0",
        ),
        (
            lambda: plots.grid_heatmap([1, 2], [1], [[1, 2], [3, 4]], xlabel="x", ylabel="y"),
            "values: expected 1 rows of 2 (ys by xs), got 2 rows of 2",
        ),
    ],
    ids=range(5),
)
def test_data_of_the_wrong_shape_is_told(draw: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        draw()
    assert str(error.value) == message


def test_another_suffix_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError) as error:
        plots.save(FIGURES["bars"](), tmp_path / "bars.svgz")
    assert str(error.value) == (
        f"{tmp_path / 'bars.svgz'}: expected a file name that ends in .svg, .png or .pdf, got '.svgz'; did you mean svg?"
    )


def test_a_private_figure_is_for_its_owner(tmp_path: Path) -> None:
    plots.save(FIGURES["bars"](), tmp_path / "new" / "bars.svg", private=True)
    assert (tmp_path / "new" / "bars.svg").stat().st_mode & 0o777 == 0o600
