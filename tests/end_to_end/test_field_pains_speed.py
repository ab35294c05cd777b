"""What hurts the users of other de-identifiers: time and memory.

The numbers behind the tests are those of our list of 25 complaints, gathered from the issues of such programs.
Texts are synthetic.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from whole_pipeline import shipped

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.contract.component import CollectionReader, component
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.running.runners.runner import _BATCH
from caspipe.typesystem import Cas, Phi

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")

HOSTILE = {
    "prose": "The patient was seen on 3/4/2020 by Dr. Maria Lindqvist in Boston, aged 65, and felt mild nausea. ",
    "one word": "a",
    "digits": "7",
    "digits and dashes": "1-",
    "slashes": "1/",
    "numbers": "2020 ",
    "dots": "a.",
    "addresses": "a@",
    "links": "http://",
    "titles": "Dr. ",
    "initials": "J. ",
    "capitals": "Aaa Bbb ",
    "brackets": "(",
    "months": "may 5 ",
    "half ages": "65 year ",
    "phones": "tel 617-555-0199 ",
    "streets": "12 Main Street, ",
    "blanks": " ",
    "newlines": "\n",
    "emoji": "😀",
    "combining marks": "e\u0301",
}


def seconds(pipeline: Pipeline, text: str) -> float:
    """Processor time of one document, the better of two."""
    times = []
    for _ in range(2):
        started = time.process_time()
        pipeline.process(Cas(text, id="a"))
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_linearly_with_the_text_whatever_it_repeats(name: str) -> None:  # 5, 7
    pipeline, unit = shipped(), HOSTILE[name]
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (3_000, 24_000))
    base = seconds(pipeline, short)
    assert seconds(pipeline, long) < 24 * base + 0.3, "eight times the text took more than 24 times as long"


def test_patterns_of_a_site_that_would_explode_elsewhere_run_in_linear_time(tmp_path: Path) -> None:  # 7
    rules = tmp_path / "site.yaml"
    rules.write_text(
        "rules:\n  - {name: bad, kind: ID, pattern: '(a+)+(a|aa)*(a*)*b', boundary: none}\n", encoding="utf-8"
    )
    pipeline = Pipeline.parse(f"engines: [{{patterns: {{rules: {rules}}}}}]").open()
    started = time.process_time()
    assert pipeline.process("a" * 50_000).select(Phi) == []
    assert time.process_time() - started < 5


@pytest.mark.parametrize("pattern", ["(?=a)b", "(a)\\\\1", "(", "a{5000}", "(a{100}){100}"])
def test_patterns_that_cannot_be_linear_or_valid_are_refused_with_their_line(tmp_path: Path, pattern: str) -> None:  # 7
    rules = tmp_path / "site.yaml"
    rules.write_text(f'rules:\n  - name: bad\n    kind: ID\n    pattern: "{pattern}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"site\.yaml:4: bad: "):
        Pipeline.parse(f"engines: [{{patterns: {{rules: {rules}}}}}]")


def alive() -> int:
    """How many documents there are in memory."""
    gc.collect()
    return sum(isinstance(o, Cas) for o in gc.get_objects())


@component("t_counting")
class CountingReader(CollectionReader):
    """Yields documents and notes how many of them are in memory at once."""

    count: int = 200
    """How many it yields."""

    def __iter__(self) -> Iterator[Cas]:
        self.most, before = 0, alive()
        for i in range(self.count):
            yield Cas(f"Seen on 3/4/2020 by Dr. Smith, visit {i}.", id=str(i))
            self.most = max(self.most, alive() - before)


@pytest.mark.slow
def test_a_run_holds_one_batch_of_documents_at_a_time(tmp_path: Path) -> None:  # 6
    config = yaml.safe_load(locate("deidentify").read_text(encoding="utf-8"))
    kept = {"engines": config["engines"], "consumers": ["text", "jsonl", "csv", "xmi", "html", "report"]}
    pipeline = Pipeline.parse(json.dumps(kept | {"run": {"output": str(tmp_path)}}))
    pipeline.reader = CountingReader()
    assert pipeline.run().documents.released == 200
    assert pipeline.reader.most <= _BATCH + 3, "documents stay in memory after they were written"


def test_a_reader_is_asked_for_the_next_document_only_when_the_last_is_done() -> None:  # 6
    pulled: list[int] = []

    def texts() -> Iterator[Cas]:
        for i in range(10_000_000):
            pulled.append(i)
            yield Cas("Seen on 3/4/2020.", id=str(i))

    stream = shipped().stream(texts())
    for _ in range(3):
        next(stream)
    assert pulled == [0, 1, 2]
