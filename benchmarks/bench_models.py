"""Compare speed and memory of CRF and SVM with common libraries: tagging new documents, and attributes for training.

    python -m benchmarks.bench_models
    python -m benchmarks.bench_models --documents 200 --rounds 7

All implementations get the same tokens and must return the same labels, which is asserted. The compared ones are
`sklearn_crfsuite.CRF.predict` with feature dicts, python-crfsuite with strings cached for each token form, and `DictVectorizer`
with `LinearSVC`. In each round all start without cached forms. Figures are medians of interleaved rounds; memory is the peak of a
separate process.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.narratives import SAMPLES
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.sequence.crf_trainer import CrfTrainer
from caspipe.annotators.sequence.extraction import FeatureSet
from caspipe.annotators.sequence.feature import Feature, Words
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.matrix import design_matrix
from caspipe.annotators.sequence.scoring import LabelScorer
from caspipe.annotators.sequence.viterbi import viterbi
from caspipe.annotators.sequence.weights import Weights
from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.params import convert
from caspipe.typesystem import Cas, Phi, PhiKind, Token

FEATURES = [
    *("token", "lower", "capital_type", "numeric_type", "hyphen", "prefix3", "suffix2", "suffix3", "short_shape"),
    *("shape", "char_pattern", "length"),
]
NEW_TYPES = 12
PLANTED = (
    ("Referred by Dr. {}", "PERSON_DOCTOR"),
    ("The patient {} was seen", "PERSON_PATIENT"),
    ("Admitted to {} Hospital", "LOCATION_HOSPITAL"),
    ("Chart {}", "ID_MEDICAL_RECORD"),
    ("Lives in {}", "LOCATION_CITY"),
    ("Works at {}", "ORGANIZATION"),
    ("Given the drug {}", ""),
)
SECOND = {"PERSON_DOCTOR": " Smith", "PERSON_PATIENT": " Lane", "LOCATION_HOSPITAL": " General", "ORGANIZATION": " Ltd"}
"""Words that follow the new one, so that spans have more than one token."""
Tagged = list[list[str]]


def documents(count: int, seed: int) -> Iterator[Cas]:
    """Yield narratives of about 2 kB with one vocabulary and about a dozen unique words each; some of these are gold spans."""
    chance = random.Random(seed)
    text = "\n".join(p.read_text(encoding="utf-8") for p in sorted(SAMPLES.glob("*.txt")))
    pool = [s for s in re.split(r"(?<=[.!?])\s+|\n", text) if 20 < len(s) < 200]
    for number in range(count):
        sentences: list[tuple[str, str, str]] = []
        for i in range(NEW_TYPES):
            word = "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(4)).capitalize()
            phrase, kind = PLANTED[(i + number) % len(PLANTED)]
            if kind == "ID_MEDICAL_RECORD":
                word = str(chance.randrange(10**7, 10**8))
            sentences.append((phrase, word + SECOND.get(kind, ""), kind))
        while sum(len(p) for p, _, _ in sentences) < 1850:
            sentences.append((chance.choice(pool).replace("{", "(").replace("}", ")"), "", ""))
        chance.shuffle(sentences)
        parts, spans, at = [], [], 0
        for phrase, word, kind in sentences:
            said = phrase.format(word) + "." if word else phrase
            if kind:
                spans.append((at + said.index(word), at + said.index(word) + len(word), kind))
            parts.append(said)
            at += len(said) + 1
        cas = Cas(" ".join(parts), id=f"{seed}-{number}")
        gold = cas.create_view("gold", cas.text)
        gold.add_all([Phi(b, e, kind=PhiKind.of(k)) for b, e, k in spans])
        yield cas


def segmented(count: int, seed: int) -> list[Cas]:
    pipeline = Pipeline([Segmenter()])
    return [pipeline.process(cas) for cas in documents(count, seed)]


def features() -> list[Feature]:
    faults: list[str] = []
    made = [convert(Feature, name, lambda _, what: faults.append(what), ()) for name in FEATURES]
    assert not faults, faults
    return made


# -- implementations: each takes the words of a document and returns labels by sentence -------------------------------------


def ours(weights: Weights) -> Callable[[Words], Tagged]:
    """Return a tagger that applies a CRF or SVM by table look-up."""
    scorer = LabelScorer(FeatureSet(features()), weights)
    scorer._blocks  # noqa: B018  (part of loading the model)
    labels, pairs, bias = weights.labels, weights.transitions, weights.bias

    def tag(words: Words) -> Tagged:
        columns = scorer.features.columns(words)
        scores = scorer.scores(columns)
        if bias is not None:
            scores += bias
        path = viterbi(scores, columns.sentences, pairs) if pairs is not None else scores.argmax(axis=1).tolist()
        return [[labels[i] for i in path[a:b]] for a, b in columns.sentences]

    return tag


def dicts(of: FeatureSet, words: Words) -> list[list[dict[str, float]]]:
    """Return the feature dicts of a document. The features of a token are computed once and reused for its neighbors."""
    found = []
    for first, last in words.sentences:
        bases = [of.bases(form) for form in words.forms[first:last]]
        sentence = []
        for i in range(len(bases)):
            token = {}
            for d in of.offsets:
                if i + d < 0:
                    token[f"{d}:bos"] = 1.0
                elif i + d >= len(bases):
                    token[f"{d}:eos"] = 1.0
                else:
                    for b in bases[i + d]:
                        token[f"{d}:{b}"] = 1.0
            sentence.append(token)
        found.append(sentence)
    return found


def by_sklearn_crfsuite(file: Path) -> Callable[[Words], Tagged]:
    import sklearn_crfsuite

    crf, of = sklearn_crfsuite.CRF(model_filename=str(file)), FeatureSet(features())

    def tag(words: Words) -> Tagged:
        return [list(y) for y in crf.predict(dicts(of, words))]

    return tag


def by_pycrfsuite(file: Path) -> Callable[[Words], Tagged]:
    """Return a tagger that builds the strings once for each token form and distance."""
    import pycrfsuite

    tagger, of = pycrfsuite.Tagger(), FeatureSet(features())
    tagger.open(str(file))
    cache: dict[str, list[list[str]]] = {}
    outside = {d: [f"{d}:{'bos' if d < 0 else 'eos'}"] for d in of.offsets}

    def tag(words: Words) -> Tagged:
        found, forms = [], words.forms
        for form in forms:
            if form not in cache:
                bases = of.bases(form)
                cache[form] = [[f"{d}:{b}" for b in bases] for d in of.offsets]
        for first, last in words.sentences:
            sentence = []
            for i in range(first, last):
                token: list[str] = []
                for k, d in enumerate(of.offsets):
                    token += cache[forms[i + d]][k] if first <= i + d < last else outside[d]
                sentence.append(token)
            found.append(tagger.tag(sentence))
        return found

    return tag


def narrow(matrix: Any) -> Any:
    """Convert the indices to 32 bits, which LinearSVC requires and DictVectorizer does not always return."""
    matrix.indices, matrix.indptr = matrix.indices.astype("int32"), matrix.indptr.astype("int32")
    return matrix


def by_linear_svc(vectorizer: Any, classifier: Any) -> Callable[[Words], Tagged]:
    of = FeatureSet(features())

    def tag(words: Words) -> Tagged:
        made = dicts(of, words)
        said = iter(classifier.predict(narrow(vectorizer.transform([t for s in made for t in s]))).tolist())
        return [[next(said) for _ in sentence] for sentence in made]

    return tag


# -- measuring ----------------------------------------------------------------------------------------------------------------


def in_turn(ways: dict[str, Callable[[], Any]], rounds: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the median seconds of each implementation, and its last result."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    given: dict[str, Any] = {}
    for _ in range(rounds):
        for name, way in ways.items():
            gc.collect()
            started = time.perf_counter()
            given[name] = way()
            taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(t) for name, t in taken.items()}, given


def show(title: str, seconds: dict[str, float], tokens: int, count: int, goals: dict[str, float]) -> None:
    mine = next(iter(seconds.values()))
    print(f"\n{title}")
    for name, s in seconds.items():
        goal = f"  (goal {goals[name]:g}x)" if name in goals else ""
        print(f"  {name:44} {s / count * 1e6:9,.0f} us/document {tokens / s:10,.0f} tokens/s {s / mine:6.1f}x{goal}")


def stream(views: list[Any], make: Callable[[], Callable[[Words], Tagged]]) -> Callable[[], list[Tagged]]:
    """Return a function that tags all documents in sequence and starts without cached forms."""

    def way() -> list[Tagged]:
        tag = make()
        return [tag(Words(view)) for view in views]

    return way


def fitted(cases: list[Cas]) -> tuple[Any, Any, Weights]:
    """Train DictVectorizer and LinearSVC; also return the same weights for the scorer of caspipe."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.svm import LinearSVC

    from caspipe.annotators.sequence.labels import encode

    of, vectorizer = FeatureSet(features()), DictVectorizer()
    x: list[dict[str, float]] = []
    y: list[str] = []
    for cas in cases:
        words = Words(cas.view())
        x += [token for sentence in dicts(of, words) for token in sentence]
        gold = [(p.begin, p.end, p.kind.name) for p in cas.view("gold").select(Phi)]
        y += encode(words.begins, words.ends, words.sentences, gold)[0]
    classifier = LinearSVC(C=0.1, loss="hinge", random_state=1, max_iter=3000).fit(
        narrow(vectorizer.fit_transform(x)), y
    )
    weights = Weights.of_matrix(
        list(classifier.classes_), vectorizer.feature_names_, classifier.coef_.T, bias=classifier.intercept_
    )
    return vectorizer, classifier, weights


def trained(folder: Path, cases: list[Cas]) -> LinearModel:
    trainer = CrfTrainer(model=Path("crf"), features=features(), c1=0.01, max_iterations=40)
    trainer.output = folder
    trainer.open()
    for cas in cases:
        trainer.process(cas)
    trainer.close()
    return LinearModel.load(str(folder / "crf"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100, help="in the stream")
    parser.add_argument("--training", type=int, default=60, help="documents to train on")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        use_memory(given.memory, given.folder, given.documents)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        training = segmented(given.training, 1)
        bundle = trained(folder, training)
        file = folder / "crf" / "model.crfsuite"
        cases = segmented(given.documents, 2)
        views = [cas.view() for cas in cases]
        tokens, count = sum(len(v.tokens.forms) for v in views), len(views)
        print(
            f"{count} documents, {tokens / count:.0f} tokens each, {new_types(views):.1f} new forms each after the 20th"
        )
        print(
            f"{len(FEATURES)} features, window -3..3; CRF with {len(bundle.labels)} labels, {bundle.weights.active:,} weights"
        )

        seconds, labels = in_turn(
            {
                "CRF, caspipe": stream(views, partial(ours, bundle.weights)),
                "CRF, python-crfsuite, cached strings": stream(views, partial(by_pycrfsuite, file)),
                "CRF, sklearn_crfsuite, feature dicts": stream(views, partial(by_sklearn_crfsuite, file)),
            },
            given.rounds,
        )
        assert all(said == labels["CRF, caspipe"] for said in labels.values()), "the labels differ"
        goals = {"CRF, python-crfsuite, cached strings": 5.0, "CRF, sklearn_crfsuite, feature dicts": 12.0}
        show("Tagging new documents with a CRF; labels identical", seconds, tokens, count, goals)

        vectorizer, classifier, weights = fitted(training)
        seconds, labels = in_turn(
            {
                "SVM, caspipe": stream(views, partial(ours, weights)),
                "SVM, DictVectorizer + LinearSVC": stream(views, partial(by_linear_svc, vectorizer, classifier)),
            },
            given.rounds,
        )
        assert labels["SVM, caspipe"] == labels["SVM, DictVectorizer + LinearSVC"], "the labels differ"
        goals = {"SVM, DictVectorizer + LinearSVC": 20.0}
        show("Tagging new documents with a linear SVM; labels identical", seconds, tokens, count, goals)

        seconds, made = in_turn(
            {"design_matrix": partial(matrix, views), "DictVectorizer": partial(dict_matrix, views)}, given.rounds
        )
        assert made["design_matrix"][0].nnz == made["DictVectorizer"][0].nnz, "the matrices differ"
        assert sorted(made["design_matrix"][1]) == sorted(made["DictVectorizer"][1]), "the attributes differ"
        show("Attributes for training; same matrix", seconds, tokens, count, {"DictVectorizer": 5.0})

        print("\nPeak memory of a process that does only this, and the part that the work itself added")
        for way in WAYS:
            command = [sys.executable, "-m", "benchmarks.bench_models", "--memory", way, "--folder", name]
            done = subprocess.run(
                [*command, "--documents", str(count)], capture_output=True, text=True, check=True, cwd=Path.cwd()
            )
            print(f"  {way:44} {done.stdout.strip()}")


def new_types(views: list[Any]) -> float:
    """Return the mean number of forms per document that no earlier document has, from the 21st document on."""
    known: set[str] = set()
    new = []
    for view in views:
        forms = set(view.tokens.forms)
        new.append(len(forms - known))
        known |= forms
    return statistics.mean(new[20:] or new)


def matrix(views: list[Any]) -> tuple[Any, list[str]]:
    of = FeatureSet(features())
    return design_matrix(of, [of.columns(Words(view)) for view in views])


def dict_matrix(views: list[Any]) -> tuple[Any, list[str]]:
    from sklearn.feature_extraction import DictVectorizer

    of, vectorizer = FeatureSet(features()), DictVectorizer()
    made = vectorizer.fit_transform([t for view in views for s in dicts(of, Words(view)) for t in s])
    return made, vectorizer.feature_names_


WAYS = (
    "CRF, caspipe",
    "CRF, python-crfsuite, cached strings",
    "CRF, sklearn_crfsuite, feature dicts",
    "design_matrix",
    "DictVectorizer",
)


def use_memory(way: str, folder: Path, count: int) -> None:
    """Run one implementation in this process and print its peak memory."""
    views = [cas.view() for cas in segmented(count, 2)]
    assert all(len(view.select(Token)) for view in views[:1])
    before = peak()
    file = folder / "crf" / "model.crfsuite"
    if way == "CRF, caspipe":
        stream(views, lambda: ours(LinearModel.load(str(folder / "crf")).weights))()
    elif way == "CRF, python-crfsuite, cached strings":
        stream(views, lambda: by_pycrfsuite(file))()
    elif way == "CRF, sklearn_crfsuite, feature dicts":
        stream(views, lambda: by_sklearn_crfsuite(file))()
    elif way == "design_matrix":
        matrix(views)
    else:
        dict_matrix(views)
    print(f"{peak():6.0f} MB, {peak() - before:6.0f} MB added")


def peak() -> float:
    """Return the peak memory of this process in MB, without the memory of the parent if the system reports it."""
    status = Path("/proc/self/status")
    if status.is_file():
        return int(re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())[0]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


if __name__ == "__main__":
    main()
