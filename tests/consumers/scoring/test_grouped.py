"""Scores by a value of the metadata, against numbers counted by hand."""

from __future__ import annotations

from collections.abc import Callable

from caspipe.consumers.scoring import Pair, score
from caspipe.consumers.scoring.grouped import GroupFigure, grouped

MakePair = Callable[..., Pair]


def test_each_group_has_the_main_figure_of_each_criterion(pair: MakePair) -> None:
    found = pair("By <PERSON>Ivy Fern</PERSON>.", "By <PERSON>Ivy Fern</PERSON>.", "a")
    half = pair("By <PERSON>Ivy Fern</PERSON> now.", "By <PERSON>Ivy</PERSON> Fern <DATE>now</DATE>.", "b")
    nothing = pair("Well.", "", "c")
    criteria = ["strict", "masking", "covered", "documents", "false-spans"]
    groups = grouped(score([found, half, found, nothing], criteria), ["letter", "", "", "letter"], "genre")
    assert groups.by == "genre"
    assert groups.figures == [
        GroupFigure("(none)", 2, "strict", "f1", 2 / 5),
        GroupFigure("(none)", 2, "masking", "recall", 3 / 4),
        GroupFigure("(none)", 2, "covered", "recall", 1 / 2),
        GroupFigure("(none)", 2, "documents", "score", 1 / 2),
        GroupFigure("(none)", 2, "false-spans", "score", 1000 / 7),
        GroupFigure("letter", 2, "strict", "f1", 1.0),
        GroupFigure("letter", 2, "masking", "recall", 1.0),
        GroupFigure("letter", 2, "covered", "recall", 1.0),
        GroupFigure("letter", 2, "documents", "score", 1.0),
        GroupFigure("letter", 2, "false-spans", "score", 0.0),
    ]


def test_the_table_has_a_row_for_each_group(pair: MakePair) -> None:
    groups = grouped(score([pair("Well.", "", "c")], ["strict", "documents"]), ["x"], "genre")
    assert str(groups) == "genre  documents  strict f1  documents\nx              1  undefined  undefined\n"
