"""The indexes of attributes are those of the names that a training sees, for every window."""

from __future__ import annotations

import numpy as np
import pytest

from caspipe.annotators.neural.attribute_rows import AttributeRows
from caspipe.annotators.sequence.extraction import Context, FeatureSet
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.features.form import LowerForm
from caspipe.annotators.sequence.features.layout import LineHead
from caspipe.annotators.sequence.features.shape import ShortShape
from caspipe.pipeline import Pipeline

TEXT = "Name: Ana Ruiz\nSeen: 4 May by A=B, O:K\nWard 7. Ana left.\n"


@pytest.mark.parametrize("window", [(0, 0), (-2, 1), (0, 2)])
@pytest.mark.parametrize("context", ["sentence", "document"])
def test_indexes_are_those_of_the_names_in_training(window: tuple[int, int], context: Context) -> None:
    words = Words(Pipeline.parse("engines: [segmenter]").process(TEXT).view())
    features = FeatureSet([LowerForm(), ShortShape(window=(-1, 0)), LineHead()], window, context)
    columns = features.columns(words)
    names = [list(row) for row in features.attributes(columns)]
    index = {name: i for i, name in enumerate(sorted({n for row in names for n in row})[::2], 2)}
    index |= {"9:lower=ana": 900, "x:lower=ana": 901, "-2:short_shape=Xx": 902, "0:other=ana": 903, "lower": 904}
    rows = AttributeRows(features, index).rows(columns)
    found = [sorted(np.frombuffer(row, np.int64).tolist()) for row in rows]
    assert found == [sorted(index[name] for name in row if name in index) for row in names]
    assert any(found)
