"""Small good files for every resource that a component takes by name: what tests/fuzz/test_resources.py damages.

A new Resource class: add a Resources of it here. `make` writes the files into a folder and gives the name to load; `use` is what
components do with the loaded thing.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import folders
import numpy as np
import vector_files

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.compiled import compile_terms
from caspipe.annotators.lexicon.term import Term, TermSource
from caspipe.annotators.neural.inputs import FIRST
from caspipe.annotators.neural.network_model import NETWORK, VOCABULARIES, NeuralModel
from caspipe.annotators.neural.vectors.word_vectors import WordVectors
from caspipe.annotators.patterns.rule_file import RuleFile
from caspipe.annotators.pretrained.gliner import GlinerAnnotator
from caspipe.annotators.pretrained.transformer_folder import TransformerFolder
from caspipe.annotators.sequence.arrays import pack
from caspipe.annotators.sequence.features.cluster import Clusters
from caspipe.annotators.sequence.features.embedding import Vectors
from caspipe.annotators.sequence.linear_model import LinearModel, write_linear_model
from caspipe.annotators.sequence.model_files import META, write_model
from caspipe.annotators.sequence.weights import Weights
from caspipe.annotators.site_lists.site_list import SiteList
from caspipe.typesystem import Cas, PhiKind
from caspipe.typesystem.typesystem import TypeSystem

WITHOUT = {
    "Words": "its lists are the pack's, read as lexicons",
    "TokenModel": "LinearModel and NeuralModel are what there is of it",
    "PretrainedFolder": "TransformerFolder and GlinerFolder are what there is of it",
}
"""Classes without seeds, and why."""

LABELS = ["O", "B-DATE", "I-DATE", "B-PERSON", "I-PERSON"]


@dataclass(frozen=True)
class Resources:
    """Good files of one form."""

    of: str
    """Name of the class."""
    make: Callable[[Path], None]
    load: Callable[[str], Any]
    name: str = ""
    """Path to load, in the folder; empty for the folder itself."""
    use: Callable[[Any], Any] = repr
    count: int = 40
    """Default number of cases."""


def _meta(kind: str) -> dict[str, Any]:
    return {
        "format": 1, "name": "seed", "type": kind, "labels": LABELS, "encoding": "iob2",
        "kinds": {}, "features": ["lower", "shape", {"prefix": {"length": 1}}],
        "window": [-1, 1], "context": "sentence", "sequence": "sentence",
    }  # fmt: skip


def _linear(path: Path) -> None:
    weights = Weights.of(
        LABELS, {("0:lower=may", "B-DATE"): 1.5, ("-1:lower=dr", "B-PERSON"): 2.0}, {("B-DATE", "I-DATE"): 1.0}
    )
    write_linear_model(path, _meta("crf"), weights, "# A model\n")


def _network(path: Path) -> None:
    import small_networks

    plan = small_networks.plan()
    words = {name: [f"{name}{n}" for n in range(plan.sizes[name] - FIRST)] for name in VOCABULARIES}
    arrays = {"encoder.weight": np.ones((3, 4), np.float32), "decoder.bias": np.zeros(5, np.float32)}
    meta = _meta("neural") | {"labels": list(plan.labels), "network": plan.as_data(), "max_length": 64}
    write_model(path, meta, {NETWORK: pack(arrays, words)}, "# A network\n")


def resealed(folder: Path) -> None:
    """Rewrite the checksums of a model, so that damaged files are parsed and not only rejected by checksum."""
    try:
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
        meta["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in meta["files"]}
        (folder / META).write_text(json.dumps(meta), encoding="utf-8")
    except Exception:  # its description is what is damaged
        return


def _terms() -> TermSource:
    terms = [Term("Fever"), Term("high blood pressure"), Term("MI")]
    return TermSource("seed", iter(terms), {})


def _file(name: str, data: bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return make


def _npz(folder: Path) -> None:
    np.savez(folder / "v.npz", words=np.array(["fever", "mg"]), vectors=np.ones((2, 3), np.float32))


def _own_vectors(folder: Path) -> None:
    WordVectors(["fever", "mg"], np.ones((2, 3), np.float32)).write(folder / "v.npz")


def _copied(name: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        for file in sorted((folders.TESTS / "annotators" / "pretrained" / name).iterdir()):
            if file.name != "found.json":
                shutil.copy(file, folder)

    return make


def _gliner(name: str) -> Any:
    made = GlinerAnnotator(model=name, kinds={PhiKind.PERSON: "person name", PhiKind.DATE: "date"}, threshold=0.5)
    made.open()
    return made


def _transformer(folder: Path) -> None:
    config = {"model_type": "bert", "architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "1": "B-PER"},
              "label2id": {"O": 0, "B-PER": 1}, "max_position_embeddings": 64, "vocab_size": 30}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))


def _looked_up(lexicon: Any) -> None:
    for form in ("fever", "FEVER", "high blood pressure", "mi", "nothing"):
        lexicon.entries(form)
        lexicon.depth(form)


def _near(vectors: Any) -> None:
    for form in ("fever", "nothing"):
        vectors.vector(form)


_RULES = b"""rules:
  - name: badge
    kind: ID
    patterns: ['(?:badge|pass) (\\d{4,6})', "B-([0-9]+)"]
    group: 1
    confidence: 0.8
    examples: ['Has badge <ID>12345</ID>.']
    counter_examples: ['badge 1']
deny:
  - {name: wards, kind: LOCATION, strings: [Ward Nine]}
allow: {strings: [badge of honour], patterns: ['badge 0+']}
"""
_TYPES = b"""<?xml version="1.0"?><typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><name>a</name>
<imports><import location="b.xml"/></imports>
<types><typeDescription><name>a.B</name><supertypeName>uima.tcas.Annotation</supertypeName><features><featureDescription><name>c</name><rangeTypeName>uima.cas.FSArray</rangeTypeName><elementType>a.B</elementType>
</featureDescription></features></typeDescription></types></typeSystemDescription>"""

SEEDS: dict[str, Resources] = {
    "linear model": Resources("LinearModel", _linear, LinearModel.load, use=lambda m: (m.features, m.kinds)),
    "linear model, zipped": Resources(
        "LinearModel", lambda f: _linear(f / "m.zip"), LinearModel.load, "m.zip", lambda m: (m.features, m.kinds)
    ),
    "network": Resources("NeuralModel", _network, NeuralModel.load, use=lambda m: (m.indexer, m.kinds)),
    "lexicon, compiled": Resources(
        "Lexicon", lambda f: compile_terms([_terms()], "seed").save(f), Lexicon.load, use=_looked_up
    ),
    "lexicon of lines": Resources(
        "Lexicon",
        _file("t.txt", b"# source: ours\nfever\nhigh blood pressure\nMI\n"),
        Lexicon.load,
        "t.txt",
        _looked_up,
    ),
    "lexicon in columns": Resources(
        "Lexicon",
        _file("t.csv", b'term,group,concept\nfever,SIGN_SYMPTOM,C1\n"a, b",MEDICATION,C2\n'),
        Lexicon.load,
        "t.csv",
        _looked_up,
    ),
    "lexicon, bsv": Resources(
        "Lexicon",
        _file("t.bsv", b"C001|T047|fever|Fever\nC002|high blood pressure\n"),
        Lexicon.load,
        "t.bsv",
        _looked_up,
    ),
    "lexicon, obo": Resources(
        "Lexicon",
        _file("t.obo", b'format-version: 1.2\n\n[Term]\nid: A:1\nname: fever\nsynonym: "high temperature" EXACT []\n'),
        Lexicon.load,
        "t.obo",
        _looked_up,
    ),
    "vectors, GloVe": Resources("WordVectors", _file("v.txt", vector_files.GLOVE), WordVectors.load, "v.txt", _near),
    "vectors, word2vec": Resources(
        "WordVectors", _file("v.txt", vector_files.WORD2VEC), WordVectors.load, "v.txt", _near
    ),
    "vectors, binary": Resources(
        "WordVectors", _file("v.bin", vector_files.binary()), WordVectors.load, "v.bin", _near
    ),
    "vectors, fastText": Resources(
        "WordVectors",
        _file("v.bin", vector_files.fasttext(["fever", "mg"], [[1.0, 2.0]] * 6)),
        WordVectors.load,
        "v.bin",
        _near,
    ),
    "vectors, our own": Resources("WordVectors", _own_vectors, WordVectors.load, "v.npz", _near),
    "vectors of a feature": Resources("Vectors", _npz, Vectors.load, "v.npz", lambda v: v.bounds),
    "vectors of a feature, text": Resources(
        "Vectors", _file("v.txt", vector_files.GLOVE), Vectors.load, "v.txt", lambda v: v.bounds
    ),
    "clusters": Resources("Clusters", _file("c.txt", b"0110\tSmith\t12\n0111\tJones\t3\n"), Clusters.load, "c.txt"),
    "rules": Resources("RuleFile", _file("r.yaml", _RULES), RuleFile.load, "r.yaml", lambda r: (r.matcher, r.faults())),
    "site list": Resources(
        "SiteList",
        _file(
            "site.yaml",
            b"allow: [Whipple]\ndeny: [{words: [Elm], kind: LOCATION}, {pattern: 'W-[0-9]{3}', kind: ID}]\n",
        ),
        SiteList.load,
        "site.yaml",
        lambda sites: sites.find("Elm W-123"),
    ),
    "transformer": Resources("TransformerFolder", _transformer, TransformerFolder.load),
    "type system": Resources(
        "TypeSystem",
        lambda f: [(f / n).write_bytes(_TYPES) for n in ("a.xml", "b.xml")] and None,
        TypeSystem.load,
        "a.xml",
    ),
    "gliner": Resources(
        "GlinerFolder",
        _copied("gliner_span"),
        _gliner,
        use=lambda g: list(g.annotate(Cas("Seen by Ivy Fern on 3 May.").view())),
        count=12,
    ),
}
"""By a name for tests."""
