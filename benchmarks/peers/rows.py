"""Rows of the comparison: the programs, their variants, and what each is configured to find."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One variant of a peer."""

    title: str
    environment: str
    """Environment, as in benchmarks/peers/environments.py; `ours` is the interpreter of the benchmark itself."""
    module: str
    """Module in benchmarks/peers; empty for a program that is not in Python."""
    variant: str
    told: str
    """Description of its parts, for the page."""
    cores: int = 1
    slow: bool = False
    """True if it runs in one round only and does not get the narratives a second time."""

    @property
    def whole(self) -> bool:
        """True for a run from files to files, which does not report its spans."""
        return self.variant.startswith("run-")

    @property
    def name(self) -> str:
        """Return the name for `--only`."""
        return f"{self.environment.partition('-')[0]}-{self.variant}"


ROWS = (
    Row(
        "caspipe, rule pipeline",
        "ours",
        "ours",
        "rules",
        "segmenter, known PHI, terms, dates, ages, identifiers, names, veto, resolver, masker",
    ),
    Row(
        "caspipe, fast pipeline",
        "ours",
        "ours",
        "fast",
        "the engines of configs/deidentify-fast.yaml: rules, CRF, consistency, veto, resolver, masker, leak gate",
    ),
    Row(
        "caspipe, default pipeline",
        "ours",
        "ours",
        "full",
        "the engines of configs/deidentify.yaml: rules, network, CRF, consistency, veto, resolver, masker, leak gate",
    ),
    Row(
        "caspipe, whole run",
        "ours",
        "ours",
        "run-0",
        "the same from JSON lines to its four consumers and the ledger, in one process",
    ),
    Row(
        "caspipe, whole run, 2 workers",
        "ours",
        "ours",
        "run-2",
        "the same with two worker processes on two cores; memory is that of all processes, shared pages counted once",
        2,
    ),
    Row(
        "caspipe, same kinds",
        "ours",
        "ours",
        "same",
        "dates, phone and fax numbers, e-mail, URLs, IP, SSN, as the first row of Presidio; resolver, masker",
    ),
    Row("caspipe, dates", "ours", "ours", "dates", "segmenter, dates, resolver, masker"),
    Row(
        "caspipe, patterns",
        "ours",
        "ours",
        "patterns",
        "the shared plain patterns (benchmarks/peers/patterns.py) in a rule file, resolver, masker",
    ),
    Row(
        "Presidio, same kinds",
        "presidio",
        "with_presidio",
        "same",
        "its recognizers for dates, phones, e-mail, URLs, IP and SSN over a blank spaCy pipeline, and its anonymizer",
    ),
    Row(
        "Presidio, all patterns",
        "presidio",
        "with_presidio",
        "all",
        "all its recognizers for English over a blank spaCy pipeline, and its anonymizer",
    ),
    Row(
        "Presidio, small model",
        "presidio-model",
        "with_presidio",
        "model",
        "all its recognizers, and spaCy's small English model for names and places, from an unofficial upload; its default "
        "is the large model, which was not available; one round only",
        slow=True,
    ),
    Row("scrubadub", "scrubadub", "with_scrubadub", "default", "its default detectors, locale en_US"),
    Row("EDS-NLP, dates", "edsnlp", "with_edsnlp", "dates", "normalizer, sentences, dates; made for French"),
    Row(
        "spaCy, EntityRuler",
        "spacy",
        "with_spacy",
        "ruler",
        "blank English pipeline, sentencizer, and the shared patterns as token patterns",
    ),
    Row(
        "Apache UIMA, regular expressions",
        "uima",
        "",
        "regex",
        "Java: the shared patterns in the add-ons' regular expression annotator, masked by a driver of caspipe",
    ),
)
