"""Consumer of confusion, credit and curves: what it writes, agrees with the functions, and leaves after a failure."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.evaluation.breakdown import Breakdown
from caspipe.consumers.scoring.confusion import confusion_of
from caspipe.consumers.scoring.credit import credit_of
from caspipe.consumers.scoring.curves import curve
from caspipe.consumers.scoring.document import pair_of
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiCandidate, PhiKind

TEXT = "Ivy Featherstone, 3/4/2020, Ashgrove, 448-20."


def scored(id: str, *, dated: bool = True) -> Cas:
    """A name by two finders, a date by the rules, an ID that the model takes for a phone; a place nobody finds."""
    cas = Cas(TEXT, id=id)
    gold = cas.create_view(GOLD_VIEW, TEXT)
    for begin, end, kind in [(0, 16, "PERSON"), (18, 26, "DATE"), (28, 36, "LOCATION"), (38, 44, "ID")]:
        gold.add(Phi(begin, end, kind=PhiKind.of(kind)))
    for begin, end, kind, source, confidence in [
        (0, 16, "PERSON", "regex/names", 1.0),
        (4, 16, "PERSON", "models/crf", 0.8),
        (38, 44, "PHONE", "models/crf", 0.6),
        *([(18, 26, "DATE", "regex/dates", 1.0)] if dated else []),
    ]:
        candidate = PhiCandidate(begin, end, kind=PhiKind.of(kind), confidence=confidence)
        candidate._source = source
        cas.add(candidate)
        if (begin, end) != (4, 16):
            cas.add(Phi(begin, end, kind=PhiKind.of(kind), confidence=confidence))
    return cas


def consumer(tmp_path: Path, **given: Any) -> Breakdown:
    made = Breakdown(**given)
    made.output = tmp_path
    made.open()
    return made


def test_it_counts_what_the_functions_count(tmp_path: Path) -> None:
    documents = [scored("a"), scored("b", dated=False)]
    made = consumer(tmp_path, criterion="strict", groups={"rules": ["regex"]})
    for cas in documents:
        made.process(cas)
    made.close()
    pairs = [pair_of(cas) for cas in documents]
    assert made.confusion == confusion_of(pairs)
    assert made.credit == credit_of(pairs, criterion="strict", groups={"rules": ["regex"]})
    assert made.curves == {
        "(result)": curve(pairs),
        "models": curve(pairs, of="candidates", source="models"),
        "rules": curve(pairs, of="candidates", source="regex"),
    }
    assert made.confusion.counts["ID", "PHONE"] == 2


def test_files_say_what_was_counted(tmp_path: Path, listing: Callable[[Path], list[str]]) -> None:
    made = consumer(tmp_path, folder=Path("x"))
    made.process(scored("a"))
    made.close()
    folder = tmp_path / "x"
    assert listing(folder) == sorted(
        [f"{n}.{s}" for n in ("confusion", "credit") for s in ("json", "csv", "txt")] + ["curves.csv", "curves.json"]
    )
    assert (folder / "confusion.csv").read_text() == made.confusion.to_csv()
    assert (folder / "credit.txt").read_text() == str(made.credit)
    data = json.loads((folder / "curves.json").read_text())
    with (folder / "curves.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["of"], float(r["threshold"])) for r in rows] == [
        (name, p["threshold"]) for name, c in data.items() for p in c["points"]
    ]
    assert not any("Feather" in p.read_text() for p in folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_figures_are_drawn_where_they_are_asked_for(tmp_path: Path, form: Any) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra `plots`")
    made = consumer(tmp_path, plots=form)
    made.process(scored("a"))
    made.close()
    assert (tmp_path / f"release/breakdown/confusion.{form}").stat().st_size > 1000
    assert (tmp_path / f"release/breakdown/curves.{form}").stat().st_size > 1000


def test_missing_matplotlib_is_told_before_the_first_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConsumerError, match=r"pip install 'caspipe\[plots\]'"):
        consumer(tmp_path, plots="svg")
    consumer(tmp_path)


def test_a_document_that_fails_later_does_not_count(tmp_path: Path) -> None:
    made = consumer(tmp_path)
    a, b = scored("a"), scored("b")
    made.process(a)
    made.process(b)
    made.rollback(b.id)
    made.rollback(a.id)
    made.close()
    assert made.credit.gold == 4


def test_a_run_that_breaks_down_writes_nothing(tmp_path: Path, listing: Callable[[Path], list[str]]) -> None:
    made = consumer(tmp_path)
    made.process(scored("a"))
    made.abort()
    assert listing(tmp_path) == []


def test_no_document_makes_files_all_the_same(tmp_path: Path) -> None:
    made = consumer(tmp_path)
    made.close()
    assert json.loads((tmp_path / "release/breakdown/curves.json").read_text()) == {}
    assert json.loads((tmp_path / "release/breakdown/credit.json").read_text())["gold"] == 0
