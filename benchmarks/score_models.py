"""Score the English models and the shipped pipeline on open corpora: rules alone, each model alone, all together.

    python benchmarks/score_models.py [CONFIG] [--corpora FOLDER] [--only CORPUS] [--set NAME.PARAM=VALUE]

Corpora with gold: every tenth document of Wikigold and of the Broad Twitter Corpus (not used in training), Presidio's synthetic
sentences, synthetic narratives of caspipe with another seed than in training, VAERS dev. Kinds are compared at the first level,
without those that a corpus does not annotate. `rules` are the finders of configs/deidentify.yaml without its models, with
consistency, veto, resolver; a model is scored on its own candidates only; `all` is the shipped pipeline. The last table counts
its marks in 795 VAERS narratives, per 100 documents: they were cleaned before publication, so that nearly every person is a false
mark. Prints figures only, no text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import english_corpora  # noqa: E402  (in scripts)

from caspipe.annotators.sequence.tagging import LinearTagger  # noqa: E402
from caspipe.consumers.scoring import Mark, Pair, score  # noqa: E402
from caspipe.pipeline import Pipeline  # noqa: E402
from caspipe.pipeline.assembly.shipped import locate  # noqa: E402
from caspipe.typesystem import Cas, Phi, PhiCandidate  # noqa: E402

CORPORA = ROOT.parent / "shared" / "corpora"
PRESIDIO = {
    "PERSON": "PERSON",
    "GPE": "LOCATION",
    "STREET_ADDRESS": "LOCATION",
    "ZIP_CODE": "LOCATION",
    "ORGANIZATION": "ORGANIZATION",
    "AGE": "AGE",
    "US_SSN": "ID",
    "CREDIT_CARD": "ID",
    "IBAN_CODE": "ID",
    "US_DRIVER_LICENSE": "ID",
}
NAMES = ("PERSON", "LOCATION", "ORGANIZATION")
CRITERIA = ("strict", "overlapping")


def corpora(folder: Path, temporary: Path) -> Iterator[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """Yield name, reader and annotated kinds of each corpus with gold."""
    english_corpora.prepare(folder, temporary)
    held, kinds = temporary / "held", {"MISC": None}
    yield "wikigold", {"conll": {"folder": str(held / "wikigold"), "pattern": "*.txt", "kinds": kinds}}, NAMES
    yield "btc", {"conll": {"folder": str(held / "btc"), "pattern": "*.conll", "kinds": kinds}}, NAMES
    file = temporary / "presidio.jsonl"
    presidio(folder / "presidio_synth" / "synth_dataset_v2.json.gz", file)
    yield "presidio", {"jsonl": {"files": str(file), "spans_field": "spans"}}, (*NAMES, "AGE", "ID")
    yield "synthetic", {"synthetic": {"documents": 300, "seed": 99}}, (*NAMES, "PROFESSION", "DATE", "AGE", "ID")
    file = folder / "vaers_dev" / "narratives.jsonl"
    yield "vaers_dev", {"jsonl": {"files": str(file), "spans_field": "spans"}}, ("DATE", "AGE", *NAMES, "ID")


def presidio(source: Path, file: Path) -> None:
    """Write Presidio's sentences as JSON Lines, without titles, dates and the like; of overlapping spans keep the first."""
    with file.open("w", encoding="utf-8") as out:
        for number, record in enumerate(json.loads(gzip.decompress(source.read_bytes()))):
            spans: list[dict[str, Any]] = []
            for given in sorted(record["spans"], key=lambda s: s["start_position"]):
                kind = PRESIDIO.get(given["entity_type"])
                if kind and not (spans and spans[-1]["end"] > given["start_position"]):
                    spans.append({"begin": given["start_position"], "end": given["end_position"], "kind": kind})
            out.write(json.dumps({"id": str(number), "text": record["full_text"], "spans": spans}) + "\n")


class Systems:
    """The shipped pipeline with and without its models."""

    def __init__(self, config: str, overrides: Sequence[str]) -> None:
        place = config if Path(config).exists() else locate(config)
        self.whole, self.rules = (Pipeline.load(place, overrides) for _ in range(2))
        self.models = [e.id for e in self.whole.engines if isinstance(e, LinearTagger)]
        self.rules.engines = [e for e in self.rules.engines if not isinstance(e, LinearTagger)]
        for pipeline in (self.whole, self.rules):
            pipeline.engines = [e for e in pipeline.engines if e.name != "masker"]

    def found(self, cas: Cas) -> Iterator[tuple[str, list[Mark]]]:
        """Yield the name of each system and its marks in a document."""
        yield "rules", _marks(self.rules.process(Cas(cas.text, id=cas.id)).select(Phi))
        self.whole.process(cas)
        candidates = cas.select(PhiCandidate)
        for model in self.models:
            yield model.rpartition("/")[2], _marks([c for c in candidates if c.source == model])
        yield "all", _marks(cas.select(Phi))


def _marks(items: Sequence[Any]) -> list[Mark]:
    return [Mark(p.begin, p.end, p.kind.top.name) for p in items]


def read(config: dict[str, Any]) -> Iterator[Cas]:
    reader = Pipeline.parse(json.dumps({"reader": config, "engines": ["segmenter"]})).reader
    assert reader is not None
    reader.open()
    yield from reader


def compared(systems: Systems, reader: dict[str, Any], kinds: tuple[str, ...]) -> Iterator[str]:
    """Yield a row for each kind and system."""
    pairs: dict[str, list[Pair]] = {}
    for cas in read(reader):
        gold = [m for m in _marks(cas.view("gold").select(Phi)) if m.kind in kinds]
        for system, marks in systems.found(cas):
            tokens = cas.view().tokens
            wanted = [m for m in marks if m.kind in kinds]
            pairs.setdefault(system, []).append(Pair(cas.id, cas.text, gold, wanted, (tokens.begins, tokens.ends)))
    scores = {system: score(some, CRITERIA) for system, some in pairs.items()}
    for kind in (*kinds, "micro"):
        for system, found in scores.items():
            figures = [found.value(c, kind, f) for c in CRITERIA for f in ("precision", "recall", "f1")]
            if any(f is not None for f in figures):
                yield (
                    f"| {kind} | {system} | "
                    + " | ".join("undefined" if f is None else f"{f:.3f}" for f in figures)
                    + " |"
                )


def marked(systems: Systems, file: Path) -> Iterator[str]:
    """Yield the table of spans per 100 documents of a corpus without gold."""
    counts: dict[str, Counter[str]] = {}
    documents = 0
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            documents += 1
            for system, marks in systems.found(Cas(json.loads(line)["text"], id=str(documents))):
                counts.setdefault(system, Counter()).update(m.kind for m in marks)
    kinds = sorted({kind for found in counts.values() for kind in found})
    yield f"| system | {' | '.join(kinds)} |"
    yield f"|---|{'---|' * len(kinds)}"
    for system, found in counts.items():
        yield f"| {system} | " + " | ".join(f"{100 * found[kind] / documents:.2f}" for kind in kinds) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", default="deidentify", help="YAML file, or the name of a shipped one")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="folder of the open corpora")
    parser.add_argument(
        "--only", action="append", default=[], metavar="CORPUS", help="score this corpus only; may be repeated"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME.PARAM=VALUE", help="a parameter of the pipeline"
    )
    given = parser.parse_args()
    systems = Systems(given.config, given.set)
    with tempfile.TemporaryDirectory() as temporary:
        for name, reader, kinds in corpora(given.corpora, Path(temporary)):
            if not given.only or name in given.only:
                print(f"\n{name}\n")
                print(
                    "| kind | system | strict P | R | F1 | overlapping P | R | F1 |\n|---|---|---|---|---|---|---|---|"
                )
                for row in compared(systems, reader, kinds):
                    print(row, flush=True)
    if not given.only or "vaers_unlabelled" in given.only:
        print("\nvaers_unlabelled, spans per 100 documents\n")
        for row in marked(systems, given.corpora / "vaers_unlabelled" / "narratives.jsonl.gz"):
            print(row)


if __name__ == "__main__":
    main()
