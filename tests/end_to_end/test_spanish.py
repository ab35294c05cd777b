"""Spanish as configuration: the shipped pipelines load anywhere, mask our samples, and keep the figures of their page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caspipe.annotators.sequence.model_files import locate_model, read_description
from caspipe.consumers.scoring import score
from caspipe.pipeline.application.evaluation.documents import pipeline_pairs
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Phi

CONFIG = folder() / "deidentify-es.yaml"
RECALL = re.findall(r"--set ([\w.]+=[\w.]+)", CONFIG.read_text(encoding="utf-8").partition("recall profile")[2])
MODELS = ("es-phi-network", "es-phi-crf", "es-phi-svm")
SAMPLES = folder() / "samples-es"

SECRETS = {
    "informe-001": [
        *(
            "Rosalía",
            "Quintanar Belmonte",
            "0048213",
            "28 00419377 05",
            "Calle de los Olivos Viejos, 14",
            "16990",
            "07/02/1951",
        ),
        *("12/11/2018", "Anselmo Ferreira Luján", "16 16 30977", "Uruguay", "969 000 117", "969 000 118"),
        *("a.ferreira@example.org", "19 de noviembre de 2018", "Avda. de la Estación"),
    ],
    "informe-002": [
        *(
            "Telmo Arrizabalaga Pons",
            "3 de marzo de 2020",
            "28-06-2019",
            "Leonor Iturbe Cañas",
        ),
        *("33999", "Gijón", "leonor.iturbe@example.com", "985 000 142"),
    ],
}
"""What must not be left readable in our samples."""
KEPT = ["infiltrado en el lóbulo inferior derecho", "levofloxacino 500 mg", "amoxicilina", "enalapril 10 mg", "38,5 ºC"]

MARKED = [
    ("Médico: Elvira Montesdeoca Pardo NºCol: 28 28 61234.", "PERSON_DOCTOR", "Elvira Montesdeoca Pardo"),
    ("Fecha de Ingreso: 03/05/2017.", "DATE", "03/05/2017"),
    ("Informe clínico del paciente: Varón de 52 años con dolor torácico.", "AGE", "52 años"),
    ("Informe clínico del paciente: Varón de 52 años con dolor torácico.", "OTHER_SEX", "Varón"),
    ("Lactante de ocho meses de edad que ingresa por fiebre.", "AGE", "ocho meses"),
    ("Localidad/ Provincia: Cáceres.", "LOCATION", "Cáceres"),
    ("País: Ecuador.", "LOCATION_COUNTRY", "Ecuador"),
    ("Servicio de Urología. E-mail: m.pardo@example.org", "EMAIL", "m.pardo@example.org"),
    ("Paciente: Elvira Montesdeoca Pardo\nDiagnóstico: asma", "PERSON_PATIENT", "Elvira Montesdeoca Pardo"),
    ("El padre del paciente padece diabetes.", "OTHER_RELATIVE", "padre"),
]


@pytest.fixture(scope="module")
def spanish() -> Pipeline:
    return Pipeline.load(CONFIG)


@pytest.mark.parametrize("name", SECRETS)
def test_a_sample_is_masked_and_its_medicine_stays(spanish: Pipeline, name: str) -> None:
    text = (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")
    cas = spanish.process(text)
    masked = cas.view("deidentified").text
    assert [i for i, secret in enumerate(SECRETS[name]) if secret not in text] == []
    assert [i for i, secret in enumerate(SECRETS[name]) if secret in masked] == []
    assert [kept for kept in KEPT if kept in text and kept not in masked] == []


@pytest.mark.parametrize("number", range(len(MARKED)))
def test_a_line_has_its_phi(spanish: Pipeline, number: int) -> None:
    text, kind, value = MARKED[number]
    cas = spanish.process(text)
    assert (kind, value) in [(p.kind.name, p.covered_text) for p in cas.select(Phi)]


def test_the_recall_profile_masks_at_least_as_much(spanish: Pipeline) -> None:
    more = Pipeline.load(CONFIG, RECALL)
    for name in SECRETS:
        text = (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")
        usual = {i for p in spanish.process(text).select(Phi) for i in range(p.begin, p.end)}
        held = {i for p in more.process(text).select(Phi) for i in range(p.begin, p.end)}
        assert len(usual - held) <= 0.01 * len(usual)


@pytest.mark.parametrize("name", MODELS)
def test_the_training_configuration_is_that_of_the_shipped_model(name: str) -> None:
    (trainer,) = Pipeline.load(folder() / "training" / f"{name}.yaml").consumers
    meta = read_description(name)
    assert meta["licence"] == "CC BY 4.0" and meta["language"] == "es"
    assert [f if isinstance(f, str) else next(iter(f)) for f in meta["features"]] == [f.name for f in trainer.features]  # type: ignore[attr-defined]
    assert meta["training"]["documents"] == 750  # train and dev


@pytest.mark.parametrize("name", MODELS)
def test_a_shipped_model_is_small_and_says_how_good_it_is(name: str) -> None:
    place = locate_model(name)
    assert sum(file.stat().st_size for file in place.iterdir()) <= 5_000_000
    assert any(row["kind"] == "micro" and row["criterion"] == "ner" for row in read_description(name)["scores"])
    card = (place / "README.md").read_text(encoding="utf-8")
    assert "MEDDOCAN" in card and "CC BY 4.0" in card


@pytest.mark.slow
def test_cases_that_the_models_learned_are_found(shared: Path) -> None:
    pipeline = Pipeline.load(CONFIG, [f"reader.i2b2.folder={shared / 'corpora' / 'meddocan' / 'dev'}", "run.limit=25"])
    found = score(pipeline_pairs(pipeline), scheme="meddocan")
    value = found.value("ner")
    assert value is not None and value > 0.97
