"""PHI kinds, their schemes and the policies."""

from __future__ import annotations

import pickle

import pytest

from caspipe.typesystem import HIPAA, POLICIES, PhiKind, Policy, counts_for_hipaa, phi

VIGIBASE = {"Date", "Age", "Person", "Location", "Organization", "IdNumber", "Phone"}
I2B2 = {  # Stubbs & Uzuner 2015, table 1
    "NAME": {"PATIENT", "DOCTOR", "USERNAME"},
    "PROFESSION": {"PROFESSION"},
    "LOCATION": {
        "ROOM", "DEPARTMENT", "HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER",
    },
    "AGE": {"AGE"},
    "DATE": {"DATE"},
    "CONTACT": {"PHONE", "FAX", "EMAIL", "URL", "IPADDR"},
    "ID": {"SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM"},
}  # fmt: skip


def test_every_safe_harbor_identifier_has_a_kind() -> None:
    assert {k.hipaa for k in PhiKind if k.hipaa} == set(HIPAA)
    assert len(HIPAA) == 18


def test_kinds_with_a_letter_and_unknown_labels_count_for_hipaa() -> None:
    assert counts_for_hipaa("PERSON_DOCTOR") and counts_for_hipaa("DATE") and counts_for_hipaa("TERRITORIO")
    assert not counts_for_hipaa("AGE") and not counts_for_hipaa("LOCATION_STATE") and not counts_for_hipaa("DATE_YEAR")


def test_every_kind_of_the_vigibase_system_has_a_kind() -> None:
    assert {k.in_scheme("vigibase") for k in PhiKind} - {"Other"} == VIGIBASE


def test_every_category_of_i2b2_2014_has_a_kind() -> None:
    pairs = {(k.in_scheme("i2b2-2014"), k.in_scheme("i2b2-2014-sub")) for k in PhiKind}
    wanted = {(category, sub) for category, subs in I2B2.items() for sub in subs if sub != "ROOM"}
    assert wanted <= pairs | {("LOCATION", "ROOM")}
    assert {c for c, _ in pairs} == {*I2B2, "PHI"}


MEDDOCAN = """
NOMBRE_SUJETO_ASISTENCIA EDAD_SUJETO_ASISTENCIA SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA
NOMBRE_PERSONAL_SANITARIO FECHAS PROFESION HOSPITAL CENTRO_SALUD INSTITUCION CALLE TERRITORIO PAIS NUMERO_TELEFONO
NUMERO_FAX CORREO_ELECTRONICO URL_WEB DIREC_PROT_INTERNET ID_SUJETO_ASISTENCIA ID_CONTACTO_ASISTENCIAL ID_ASEGURAMIENTO
NUMERO_BENEF_PLAN_SALUD ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO IDENTIF_VEHICULOS_NRSERIE_PLACAS
IDENTIF_DISPOSITIVOS_NRSERIE IDENTIF_BIOMETRICOS OTRO_NUMERO_IDENTIF OTROS_SUJETO_ASISTENCIA
""".split()  # Marimon et al. 2019, annotation guidelines


def test_all_29_labels_of_meddocan_come_back_through_their_kinds() -> None:
    kinds = [PhiKind.of_scheme("meddocan", label) for label in MEDDOCAN]
    assert len(set(kinds)) == 29
    assert [k.schemes["meddocan"] for k in kinds] == MEDDOCAN
    assert sorted(PhiKind.labels("meddocan")) == sorted(MEDDOCAN)


def test_every_subcategory_of_i2b2_2014_comes_back_through_its_kind() -> None:
    labels = [sub for subs in I2B2.values() for sub in sorted(subs)] + ["OTHER"]
    kinds = [PhiKind.of_scheme("i2b2-2014-sub", label) for label in labels]
    assert len(set(kinds)) == len(labels)
    assert [k.schemes["i2b2-2014-sub"] for k in kinds] == labels
    wanted = {sub: category for category, subs in I2B2.items() for sub in subs} | {"OTHER": "PHI"}
    assert [k.schemes["i2b2-2014"] for k in kinds] == [wanted[label] for label in labels]


def test_every_label_of_every_scheme_comes_back() -> None:
    for kind in PhiKind:
        for scheme, label in kind.schemes.items():
            assert PhiKind.of_scheme(scheme, label).schemes[scheme] == label


@pytest.mark.parametrize(
    ("scheme", "label", "kind"),
    [
        ("meddocan", "NOMBRE_SUJETO_ASISTENCIA", "PERSON_PATIENT"),
        ("meddocan", "SEXO_SUJETO_ASISTENCIA", "OTHER_SEX"),
        ("meddocan", "FAMILIARES_SUJETO_ASISTENCIA", "OTHER_RELATIVE"),
        ("meddocan", "ID_SUJETO_ASISTENCIA", "ID_MEDICAL_RECORD"),
        ("meddocan", "ID_CONTACTO_ASISTENCIAL", "ID_ENCOUNTER"),
        ("meddocan", "ID_EMPLEO_PERSONAL_SANITARIO", "ID_EMPLOYEE"),
        ("meddocan", "TERRITORIO", "LOCATION"),
        ("meddocan", "INSTITUCION", "ORGANIZATION"),
        ("meddocan", "CENTRO_SALUD", "LOCATION_CLINIC"),
        ("meddocan", "OTROS_SUJETO_ASISTENCIA", "OTHER"),
        ("i2b2-2014-sub", "PATIENT", "PERSON_PATIENT"),
        ("i2b2-2014-sub", "LOCATION-OTHER", "LOCATION"),
        ("i2b2-2014-sub", "IDNUM", "ID"),
        ("i2b2-2014", "NAME", "PERSON"),
        ("i2b2-2014", "CONTACT", "PHONE"),
        ("i2b2-2014", "PHI", "OTHER"),
        ("vigibase", "Organization", "ORGANIZATION"),
        ("vigibase", "Other", "OTHER"),
    ],
)
def test_a_label_stands_for_the_kind_that_means_just_that(scheme: str, label: str, kind: str) -> None:
    assert PhiKind.of_scheme(scheme, label) is PhiKind.of(kind)


def test_the_eight_categories_of_i2b2_2006_come_back_through_their_kinds() -> None:
    wanted = {
        "PATIENT": "PERSON_PATIENT",
        "DOCTOR": "PERSON_DOCTOR",
        "HOSPITAL": "LOCATION_HOSPITAL",
        "LOCATION": "LOCATION",
        "ID": "ID",
        "DATE": "DATE",
        "PHONE": "PHONE",
        "AGE": "AGE",
    }
    assert {label: PhiKind.of_scheme("i2b2-2006", label).name for label in wanted} == wanted
    assert sorted(PhiKind.labels("i2b2-2006")) == sorted(wanted)
    others = {
        "FAX": "PHONE",
        "LOCATION_ROOM": "HOSPITAL",
        "EMAIL": "ID",
        "ORGANIZATION": "LOCATION",
        "PERSON_REPORTER": "DOCTOR",
    }
    assert {name: PhiKind.of(name).in_scheme("i2b2-2006") for name in others} == others
    assert [k.name for k in PhiKind if not k.parent and "i2b2-2006" not in k.schemes] == [
        "PROFESSION",
        "PHOTO",
        "OTHER",
    ]


def test_an_unknown_label_or_scheme_names_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no label called 'FECHA' in scheme meddocan; did you mean FECHAS\?"):
        PhiKind.of_scheme("meddocan", "FECHA")
    with pytest.raises(ValueError, match=r"no label called 'idnumber' in scheme vigibase; did you mean IdNumber\?"):
        PhiKind.of_scheme("vigibase", "idnumber")
    with pytest.raises(
        ValueError, match=r"no label called 'qqq' in scheme i2b2-2014; expected one of AGE, CONTACT, DATE"
    ):
        PhiKind.of_scheme("i2b2-2014", "qqq")
    with pytest.raises(ValueError, match="no scheme called 'i2b2'; expected one of i2b2-2014, i2b2-2014-sub, vigibase"):
        PhiKind.of_scheme("i2b2", "NAME")


def test_there_are_two_levels() -> None:
    for kind in PhiKind:
        assert kind.parent is None or (kind.parent.parent is None and kind.name.startswith(kind.parent.name + "_"))
    assert PhiKind.DATE_BIRTH.top is PhiKind.DATE
    assert PhiKind.DATE_BIRTH.is_a(PhiKind.DATE)
    assert not PhiKind.DATE.is_a(PhiKind.DATE_BIRTH)


def test_a_wrong_name_names_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no PHI kind called 'DATE_BRITH'; did you mean DATE_BIRTH\?"):
        PhiKind.of("DATE_BRITH")
    with pytest.raises(AttributeError, match="did you mean PERSON"):
        _ = PhiKind.PERSN


def test_kinds_are_one_object_each_also_after_pickling() -> None:
    for kind in PhiKind:
        assert pickle.loads(pickle.dumps(kind)) is kind is PhiKind.of(kind.name)


def test_a_kind_of_ones_own_lies_below_a_first_level_kind() -> None:
    badge = PhiKind.define("ID_TESTBADGE", parent="ID", direct=True, description="staff badges")
    assert badge is PhiKind.ID_TESTBADGE
    assert badge.in_scheme("i2b2-2014") == "ID"
    pass_ = PhiKind.define("ID_TESTPASS", parent="ID", schemes={"ward-list": "PASS"})
    assert PhiKind.of_scheme("ward-list", "PASS") is pass_
    assert Policy.of("hipaa-safe-harbor").masks(badge)
    with pytest.raises(ValueError, match="kind BADGE: expected a first-level kind as its parent, like ID"):
        PhiKind.define("BADGE", parent="ID_TESTBADGE")
    with pytest.raises(ValueError, match="kind ID_TESTPASS is defined already"):
        PhiKind.define("ID_TESTPASS", parent="PERSON")
    with pytest.raises(ValueError, match="expected a name of capitals, digits and _ that begins with a letter"):
        PhiKind.define("of", parent="ID")


def test_a_label_of_a_corpus_is_a_kind_of_the_first_level_that_every_policy_masks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(phi, "_REGISTRY", dict(phi._REGISTRY))
    norp = PhiKind.of_label("NORP")
    assert norp is PhiKind.of_label("NORP") is PhiKind.of("NORP") is PhiKind.NORP
    assert norp.own and norp.top is norp and norp.in_scheme("i2b2-2014") == "OTHER"
    assert all(policy.masks(norp) for policy in POLICIES.values())
    assert PhiKind.of_label("DATE") is PhiKind.DATE and not PhiKind.DATE.own and not PhiKind.DATE_BIRTH.own
    data = pickle.dumps(norp)
    del phi._REGISTRY["NORP"]
    assert pickle.loads(data) is PhiKind.of("NORP")
    assert PhiKind.of_label("creative-work").name == "creative-work"
    assert PhiKind.of_label("name") and PhiKind.DATE.name == "DATE"


@pytest.mark.parametrize("label", ["O", "", "Mr. Smith", "7", "-X", "Größe", "A\n"])
def test_a_label_that_may_be_text_is_refused_and_not_repeated(label: str) -> None:
    with pytest.raises(
        ValueError, match=r"^expected a label of letters, digits and _ \. / - that begins with a letter and is not O$"
    ):
        PhiKind.of_label(label)


@pytest.mark.parametrize(
    ("policy", "kind", "masked"),
    [
        ("hipaa-safe-harbor", "DATE", True),
        ("hipaa-safe-harbor", "DATE_YEAR", False),
        ("hipaa-safe-harbor", "AGE", False),
        ("hipaa-safe-harbor", "AGE_OVER_89", True),
        ("hipaa-safe-harbor", "LOCATION_STATE", False),
        ("hipaa-safe-harbor", "LOCATION_CITY", True),
        ("hipaa-safe-harbor", "PROFESSION", False),
        ("hipaa-safe-harbor", "ORGANIZATION", False),
        ("hipaa-safe-harbor", "LOCATION_HOSPITAL", True),
        ("i2b2-2014", "AGE", True),
        ("i2b2-2014", "PROFESSION", True),
        ("i2b2-2014", "OTHER_SEX", False),
        ("hipaa-safe-harbor", "OTHER_SEX", False),
        ("hipaa-safe-harbor", "OTHER_RELATIVE", False),
        ("hipaa-safe-harbor", "LOCATION_CLINIC", True),
        ("hipaa-safe-harbor", "ID_ENCOUNTER", True),
        ("hipaa-safe-harbor", "ID_EMPLOYEE", True),
        ("everything", "OTHER_SEX", True),
        ("everything", "LOCATION_COUNTRY", True),
    ],
)
def test_policies_mask_what_they_say(policy: str, kind: str, masked: bool) -> None:
    assert POLICIES[policy].masks(PhiKind.of(kind)) is masked


def test_an_unknown_policy_is_told() -> None:
    with pytest.raises(
        ValueError, match="no policy called 'hipaa'; expected one of hipaa-safe-harbor, i2b2-2014, everything"
    ):
        Policy.of("hipaa")
