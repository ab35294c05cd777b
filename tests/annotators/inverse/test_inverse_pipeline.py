"""The inverse approach from text to released text: `PHI` for what is not safe, dates moved, i2b2 XML. All text is made up."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import date
from pathlib import Path

from caspipe.pipeline import Pipeline
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi

ENGINES = """
engines:
  - segmenter
  - safe_lists: {{case: ambiguous, common: [common_words, person_titles]}}
  - adaptive_threshold: {{mode: rules{more}}}
  - dates
  - resolver: {{priority: [dates, adaptive_threshold], remainder: keep, merge: []}}
  - masker:
      DATE: {{shift: {{days: [-365, 365], key: "{key}"}}}}
      default: {{placeholder: {{format: PHI}}}}
"""
TEXT = "Mrs. Zyqqvander had swelling on 3 March 2021. The swelling and fever improved until 17 March 2021."


def masked(text: str, key: str = "", more: str = "") -> Cas:
    return Pipeline.parse(ENGINES.format(key=key, more=more)).process(text)


def test_phi_stands_for_every_token_that_is_not_shown_to_be_safe() -> None:
    made = Pipeline.parse(
        """
engines:
  - segmenter
  - safe_lists: {case: ambiguous, common: [common_words, person_titles]}
  - adaptive_threshold: {mode: rules, join: null}
  - resolver: {merge: []}
  - masker: {default: {placeholder: {format: PHI}}}
"""
    ).process(TEXT)
    assert made.view(DEIDENTIFIED_VIEW).text == (
        "Mrs. PHI had swelling on PHI PHI PHI. The swelling and fever improved until PHI PHI PHI."
    )


def test_dates_found_by_rules_are_moved_and_the_time_between_them_survives() -> None:
    cas = masked(TEXT, key="a key of this test alone")
    text = cas.view(DEIDENTIFIED_VIEW).text
    assert "Zyqqvander" not in text
    assert "March 2021" not in text
    moved = [s for s in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan) if s.operator == "shift"]
    assert [cas.text[s.original_begin : s.original_end] for s in moved] == ["3 March 2021", "17 March 2021"]
    again = Pipeline.parse("engines: [segmenter, dates]").process(text)
    first, last = (date.fromisoformat(p.value) for p in again.select(Phi))
    assert (last - first).days == 14
    assert abs((first - date(2021, 3, 3)).days) in range(1, 366)


def test_without_a_key_dates_are_phi_as_well() -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is no key
        text = masked(TEXT).view(DEIDENTIFIED_VIEW).text
    assert text == "Mrs. PHI had swelling on PHI. The swelling and fever improved until PHI."


def test_the_tokens_of_the_source_s_output_are_tags_of_i2b2_xml(tmp_path: Path) -> None:
    made = Pipeline.parse(
        """
engines: [segmenter, safe_lists: {case: ambiguous}, adaptive_threshold: {mode: rules, join: null}, resolver: {merge: []}]
consumers: [i2b2: {folder: restricted/i2b2}]
"""
    )
    cas = made.process("the rash of Zyqqvander, 12.")
    (consumer,) = made.consumers
    consumer.output = tmp_path
    consumer.open()
    consumer.process(cas)
    consumer.close()
    (file,) = tmp_path.rglob("*.xml")
    root = ET.fromstring(file.read_text(encoding="utf-8"))
    assert root.tag == "deIdi2b2"
    assert root.findtext("TEXT") == cas.text
    tags = [
        (tag.tag, tag.get("TYPE"), int(tag.get("start", 0)), int(tag.get("end", 0))) for tag in root.find("TAGS") or []
    ]
    assert tags == [("PHI", "OTHER", 12, 22), ("PHI", "OTHER", 24, 26)]
