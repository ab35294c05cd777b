"""What the labels of foreign models mean."""

from __future__ import annotations

import pytest

from caspipe.annotators.pretrained.label_names import KNOWN_LABELS, kind_of_label, map_labels, read_labels
from caspipe.pipeline.errors import ResourceError
from caspipe.typesystem import PhiKind

OBI = "AGE DATE EMAIL HOSP ID LOC OTHERPHI PATIENT PATORG PHONE STAFF".split()


def bilou(types: list[str]) -> list[str]:
    return [f"{p}-{t}" for p in "BILU" for t in types] + ["O"]


@pytest.mark.parametrize(
    ("given", "names", "encoding"),
    [
        (["O", "B-PER", "I-PER"], ("O", "B-PER", "I-PER"), "iob2"),
        (["I-PER", "O"], ("I-PER", "O"), "iob2"),
        (["B-X", "I-X", "L-X", "U-X", "O"], ("B-X", "I-X", "L-X", "U-X", "O"), "bilou"),
        (["O", "B-X", "I-X", "E-X", "S-X"], ("O", "B-X", "I-X", "L-X", "U-X"), "bilou"),
        (["B-X", "M-X", "E-X", "S-X", "O"], ("B-X", "I-X", "L-X", "U-X", "O"), "bilou"),
        (["O", "B_PER", "I_PER"], ("O", "B-PER", "I-PER"), "iob2"),
        (["O", "PATIENT", "HCW"], ("O", "PATIENT", "HCW"), "io"),
        (["o", "E-MAIL", "PHONE"], ("O", "E-MAIL", "PHONE"), "io"),
        (["B-LOCATION-OTHER", "I-LOCATION-OTHER", "O"], ("B-LOCATION-OTHER", "I-LOCATION-OTHER", "O"), "iob2"),
    ],
)
def test_the_scheme_is_found_from_the_prefixes(given: list[str], names: tuple[str, ...], encoding: str) -> None:
    labels = read_labels(given)
    assert (labels.names, labels.encoding) == (names, encoding)


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("PER", "PERSON"),
        ("loc", "LOCATION"),
        ("PERSON_DOCTOR", "PERSON_DOCTOR"),
        ("Date Birth", "DATE_BIRTH"),
        ("STAFF", "PERSON_DOCTOR"),
        ("HOSP", "LOCATION_HOSPITAL"),
        ("HCW", "PERSON_DOCTOR"),
        ("MEDICALRECORD", "ID_MEDICAL_RECORD"),
        ("LOCATION-OTHER", "LOCATION"),
        ("LOCATION_OTHER", "LOCATION"),
        ("USERNAME", "PERSON_USERNAME"),
        ("CONTACT", "PHONE"),
        ("NOMBRE_SUJETO_ASISTENCIA", "PERSON_PATIENT"),
        ("IdNumber", "ID"),
    ],
)
def test_well_known_labels_have_a_kind(label: str, kind: str) -> None:
    assert kind_of_label(label) == (True, PhiKind.of(kind))


def test_all_labels_of_the_i2b2_models_on_the_hub_are_known() -> None:
    mapped = map_labels(read_labels(bilou(OBI)), {}, "error", "test")
    assert list(mapped) == OBI
    assert mapped["PATIENT"] is PhiKind.PERSON_PATIENT
    assert mapped["OTHERPHI"] is PhiKind.OTHER


def test_nationalities_are_no_phi() -> None:
    assert KNOWN_LABELS["MISC"] is None
    assert map_labels(read_labels(["O", "B-MISC", "B-PER"]), {}, "error", "test") == {"PER": PhiKind.PERSON}


def test_unmapped_labels_are_listed_with_the_nearest_kinds() -> None:
    labels = read_labels(["O", "B-PERSONE", "B-GENE", "B-PER"])
    with pytest.raises(ResourceError) as caught:
        map_labels(labels, {}, "error", "transformer m")
    assert str(caught.value) == (
        "transformer m: no PHI kind is known for the labels PERSONE (did you mean PERSON?), GENE; "
        "write `labels: {PERSONE: KIND}` (null: no PHI), or `unmapped: other` or `ignore`"
    )
    assert map_labels(labels, {}, "ignore", "") == {"PER": PhiKind.PERSON}
    assert map_labels(labels, {}, "other", "")["GENE"] is PhiKind.OTHER
    assert map_labels(labels, {"PERSONE": PhiKind.PERSON, "GENE": None}, "error", "") == {
        "PERSONE": PhiKind.PERSON,
        "PER": PhiKind.PERSON,
    }


def test_a_label_the_model_does_not_have_is_named_with_the_nearest() -> None:
    with pytest.raises(ResourceError) as caught:
        map_labels(read_labels(["O", "B-PERS", "B-LOC"]), {"PER": PhiKind.PERSON}, "error", "m")
    assert str(caught.value) == "m: labels: the model has no PER; did you mean PERS?; its labels are PERS, LOC"


def test_what_is_given_speaks_before_what_is_known() -> None:
    labels = read_labels(["O", "PATIENT"])
    assert map_labels(labels, {"PATIENT": PhiKind.PERSON}, "error", "") == {"PATIENT": PhiKind.PERSON}


def test_a_model_without_a_label_for_the_rest_must_be_told_which_it_is() -> None:
    labels = read_labels(["NAME", "LABEL_1"])
    with pytest.raises(ResourceError, match="no label for `no PHI`: expected `O` among NAME, LABEL_1"):
        map_labels(labels, {"LABEL_1": PhiKind.DATE}, "error", "m")
    assert map_labels(labels, {"LABEL_1": None}, "error", "m") == {"NAME": PhiKind.PERSON}
