"""PHI kinds, their schemes and the policies."""

from __future__ import annotations

import pickle

import pytest

from caspipe.typesystem import HIPAA, POLICIES, PhiKind, Policy

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


def test_every_kind_of_the_vigibase_system_has_a_kind() -> None:
    assert {k.in_scheme("vigibase") for k in PhiKind} - {"Other"} == VIGIBASE


def test_every_category_of_i2b2_2014_has_a_kind() -> None:
    pairs = {(k.in_scheme("i2b2-2014"), k.in_scheme("i2b2-2014-sub")) for k in PhiKind}
    wanted = {(category, sub) for category, subs in I2B2.items() for sub in subs if sub != "ROOM"}
    assert wanted <= pairs | {("LOCATION", "ROOM")}
    assert {c for c, _ in pairs} == {*I2B2, "PHI"}


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
    assert Policy.of("hipaa-safe-harbor").masks(badge)
    with pytest.raises(ValueError, match="expected a name that begins with a first-level kind, like ID_"):
        PhiKind.define("BADGE", parent="ID")


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
