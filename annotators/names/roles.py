"""Words that announce a person by name in clinical notes: staff roles, kin, labels of fields, and words such as `per`, `w/`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...typesystem import PhiKind


class Role(NamedTuple):
    """Describes what a word says about the name next to it."""

    kind: PhiKind
    strength: float
    """Confidence in a name of a listed person or unknown word after it (0 to 1)."""
    small: bool
    """The name may be in small letters."""
    colon: bool
    """The word announces a name only before a colon or an equals sign."""


_STAFF = (
    "rn rns lpn lvn cna crna crnp np fnp anp pa pac pct pca mht emt emtp rrt slp pta ota dpt lcsw lgsw lmsw "
    "msw rd rdn pharmd rph "
    "nurse sister sr matron charge midwife mw hv cns cnm ahw hca phn rnc chn smo spr sho cmo reg registrar consultant cons "
    "fellow intern resident attending att hospitalist intensivist surgeon anesthesiologist anaesthetist anaesth anesth "
    "assist assistant scrub circulator circ runner odp physiol perfusionist phleb phlebotomist tech technician technologist "
    "sonographer radiographer radiologist pathologist physio physiotherapist dietitian dietician pharmacist pharm chaplain "
    "counselor counsellor therapist psychologist psychiatrist paramedic medic officer deputy ofc sgt detective const constable "
    "dc attorney lawyer solicitor caseworker coordinator interpreter receptionist reception secretary sec clerk manager mgr "
    "supervisor sup superintendent director worker orderly porter aide security warden educator librarian princ principal "
    "advocate navigator rep vendor monitor cra investigator pi pic gp pcp ped pediatrician paediatrician obstetrician "
    "cardiologist neurologist nephrologist oncologist urologist gynecologist gynaecologist dermatologist hematologist "
    "endocrinologist rheumatologist gastroenterologist pulmonologist dentist optometrist chemist doctor physician provider "
    "practitioner prof professor docteur sis bro schwester pfleger student extern preceptor operator dictator transcriptionist"
)
_TITLES = (
    "dr drs mr mrs ms miss mx mister sir madam mme mlle herr frau señor señora sr sra dra dott signor signora "
    "smt shri sri kumari "
    "ato puan encik pak ibu bapak seu dona dom gogo oom tannie tante koro kuia nana nan khala ate kuya lola lolo aling mang "
    "aunty auntie uncle aunt fr rev pastor imam rabbi deacon bishop elder chief coach capt captain lt col"
)
_KIN = (
    "husband hubby husb wife spouse partner fiance fiancé fiancee fiancée boyfriend girlfriend bf gf father "
    "dad daddy papa mother "
    "mom mum mam mama parent son daughter dtr brother sister sib sibling twin grandfather grandmother grandma granny grandpa "
    "grandson granddaughter niece nephew cousin stepfather stepdad stepmother stepmom stepmum stepson stepdaughter stepsister "
    "stepbrother friend neighbor neighbour roommate flatmate housemate caregiver carer guardian fob mob baby "
    "doula helper foreman "
    "landlord boss colleague coworker co-worker teacher widow widower ex-husband ex-wife son-in-law daughter-in-law nok hcpoa "
    "kids children sons daughters sibs siblings twins parents brothers sisters grandkids grandchildren mate buddy "
    "father-in-law mother-in-law brother-in-law sister-in-law infant babe bub babysitter nanny fosterer proxy"
)
_PATIENTS = "patient pt px pts client ct subject veteran decedent inmate detainee participant vaccinee infant newborn"
_LABELS = (
    "name names surname forename firstname lastname given family ordering referrer referring reporter author "
    "signed signature sign "
    "sig signer dictated typed transcribed verified cc to from attn attention re contact hcp witness surg anes "
    "anaes crew crewed "
    "interpreter informant req requester by mother father operators operator chaperone sender assessor "
    "author leader host visitor escort driver lead present copy owner "
    "cosigner cosigned examiner evaluator interviewer facilitator facilitators staff bystander "
    "mom dad husband wife deceased resident claimant plaintiff insured member tenant applicant donor recipient"
)
_WITH = (
    "aka alias nickname nicknamed preferred pref per via cc attn told asked paged bleeped texted rang "
    "ring phoned called emailed notified informed chased ask"
)
_SMALL_STAFF = frozenset(
    "rn lpn cna np pa nurse sister sr sis dr mr mrs ms doctor phleb tech attending charge matron midwife".split()
)


def _roles() -> dict[str, Role]:
    table: dict[str, Role] = {}
    for words, role in (
        (_LABELS, Role(PhiKind.PERSON, 0.6, small=False, colon=True)),
        (_WITH, Role(PhiKind.PERSON, 0.5, small=False, colon=False)),
        (_PATIENTS, Role(PhiKind.PERSON_PATIENT, 0.7, small=False, colon=False)),
        (_STAFF, Role(PhiKind.PERSON_DOCTOR, 0.7, small=False, colon=False)),
        (_KIN, Role(PhiKind.PERSON_RELATIVE, 0.75, small=True, colon=False)),
        (_TITLES, Role(PhiKind.PERSON, 0.9, small=True, colon=False)),
    ):
        table.update(dict.fromkeys(words.split(), role))
    for word in _SMALL_STAFF:
        table[word] = table[word]._replace(small=True)
    table["dr"] = table["drs"] = Role(PhiKind.PERSON_DOCTOR, 0.9, small=True, colon=False)
    return table


ROLES: Mapping[str, Role] = _roles()
"""The role of a word, by its lower-case form."""

AFTER: frozenset[str] = frozenset(
    (_KIN + " " + _STAFF + " peer nok poa hcp sitter sib sibs tech intern extern student wife husb rn aide").split()
)
"""Roles in brackets or after a comma behind a name: `K. Osei (daughter)`."""
