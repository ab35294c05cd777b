"""ICSR E2B(R2), root `ichicsr` (DTD icsr21xml). Element names have the same meaning everywhere in the file.

Source: ICH E2B(R2) and M2 specification 2.3 (element names, lengths, formats of dates 102, 203, 204, 602, 610, units of age 800
to 805). Null values are the word `PRIVACY` in names, addresses and numbers, which ICH's conversion from R3 uses for masked values
(nullFlavor MSK), and empty elements for dates, codes and fields too short for that word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ...typesystem import FormatError, PhiKind
from ...typesystem.markup.xml_source import Element
from ...typesystem.source_record import ValueLocation
from .dates import age, iso_of_r2
from .standard import Rule, Standard, Table, Value

_TABLE = """
B.5.1    | text 20000          |          | narrativeincludeclinical
B.5.2    | text 500            |          | reportercomment
B.5.3    | term 250           |          | senderdiagnosis
B.5.4    | text 2000           |          | sendercomment
B.1.7.1  | term 250           |          | patientepisodename
B.1.7.1g | text 100            |          | patientmedicalcomment
B.1.7.2  | text 10000          |          | patientmedicalhistorytext
B.1.8f   | term 250           |          | patientdrugindication
B.1.8g   | term 250           |          | patientdrugreaction
B.1.9.2  | term 250           |          | patientdeathreport
B.1.9.4  | term 250           |          | patientdetermineautopsy
B.1.10.7 | term 250           |          | parentmedicalepisodename
B.1.10.7 | text 100            |          | parentmedicalcomment
B.1.10.7 | text 10000          |          | parentmedicalrelevanttext
B.1.10.8 | term 250           |          | parentdrugindication
B.1.10.8 | term 250           |          | parentdrugreaction
B.2.i.0  | term 200            |          | primarysourcereaction
B.3.1c   | term 100            |          | testname
B.3.1d   | term 50            |          | testresult
B.3.1e   | term 35             |          | testunit
B.3.1    | term 50            |          | lowtestrange
B.3.1    | term 50            |          | hightestrange
B.3.2    | text 2000           |          | resultstestsprocedures
B.4.k.6  | text 100            |          | drugdosagetext
B.4.k.7  | term 50             |          | drugdosageform
B.4.k.11 | term 250           |          | drugindication
B.4.k.17 | term 250           |          | drugrecuraction
B.4.k.18 | term 250           |          | drugreactionasses
B.4.k.18 | text 60             |          | drugassessmentsource
B.4.k.18 | term 35             |          | drugassessmentmethod
B.4.k.18 | term 35             |          | drugresult
B.4.k.19 | text 100            |          | drugadditional
A.1.8.2  | text 100            |          | documentlist
A.1.13.1 | text 200            |          | nullificationreason
A.2.2    | text 500            |          | literaturereference
A.2.3.1  | text 100            |          | studyname
B.1.1    | PERSON_PATIENT      | patient  | patientinitial
B.1.1.1a | ID_MEDICAL_RECORD   | patient  | patientgpmedicalrecordnumb
B.1.1.1b | ID_MEDICAL_RECORD   | patient  | patientspecialistrecordnumb
B.1.1.1c | ID_MEDICAL_RECORD   | patient  | patienthospitalrecordnumb
B.1.1.1d | ID_STUDY            | patient  | patientinvestigationnumb
B.1.2.2  | AGE                 | patient  | patientonsetage
B.1.10.1 | PERSON_RELATIVE     | relative | parentidentification
B.1.10.2 | AGE                 | relative | parentage
A.2.1.1a | PERSON_REPORTER     |          | reportertitle
A.2.1.1b | PERSON_REPORTER     | reporter | reportergivename
A.2.1.1c | PERSON_REPORTER     | reporter | reportermiddlename
A.2.1.1d | PERSON_REPORTER     | reporter | reporterfamilyname
A.2.1.2a | ORGANIZATION        | reporter | reporterorganization
A.2.1.2b | LOCATION_DEPARTMENT | reporter | reporterdepartment
A.2.1.2c | LOCATION_STREET     | reporter | reporterstreet
A.2.1.2d | LOCATION_CITY       | reporter | reportercity
A.2.1.2e | LOCATION_STATE      | reporter | reporterstate
A.2.1.2f | LOCATION_ZIP        | reporter | reporterpostcode
A.2.1.3  | LOCATION_COUNTRY    |          | reportercountry
A.3.1.2  | ORGANIZATION        | sender   | senderorganization
A.3.1.3a | LOCATION_DEPARTMENT | sender   | senderdepartment
A.3.1.3b | PERSON_REPORTER     |          | sendertitle
A.3.1.3c | PERSON_REPORTER     | sender   | sendergivename
A.3.1.3d | PERSON_REPORTER     | sender   | sendermiddlename
A.3.1.3e | PERSON_REPORTER     | sender   | senderfamilyname
A.3.2.2a | ORGANIZATION        | receiver | receiverorganization
A.3.2.2b | LOCATION_DEPARTMENT | receiver | receiverdepartment
A.3.2.2c | PERSON              |          | receivertitle
A.3.2.2d | PERSON              | receiver | receivergivename
A.3.2.2e | PERSON              | receiver | receivermiddlename
A.3.2.2f | PERSON              | receiver | receiverfamilyname
A.1.0.1  | ID_CASE             | case     | safetyreportid
A.1.1    | LOCATION_COUNTRY    |          | primarysourcecountry
A.1.2    | LOCATION_COUNTRY    |          | occurcountry
A.1.10.1 | ID_CASE             | case     | authoritynumb
A.1.10.2 | ID_CASE             | case     | companynumb
A.1.11.1 | ORGANIZATION        | case     | duplicatesource
A.1.11.2 | ID_CASE             | case     | duplicatenumb
A.1.12   | ID_CASE             | case     | linkreportnumb
A.2.3.2  | ID_STUDY            | case     | sponsorstudynumb
B.4.k.2  | LOCATION_COUNTRY    |          | obtaindrugcountry
M.1.4    | ID_CASE             |          | messagenumb
M.1.5    | ID                  | sender   | messagesenderidentifier
M.1.6    | ID                  |          | messagereceiveridentifier
"""

_CONTACT = """
{number}a | LOCATION_STREET     | {party} | {party}streetaddress
{number}b | LOCATION_CITY       | {party} | {party}city
{number}c | LOCATION_STATE      | {party} | {party}state
{number}d | LOCATION_ZIP        | {party} | {party}postcode
{number}e | LOCATION_COUNTRY    |         | {party}countrycode
{number}f | PHONE               | {party} | {party}tel
{number}g | PHONE               |         | {party}telextension
{number}h | PHONE               |         | {party}telcountrycode
{number}i | FAX                 | {party} | {party}fax
{number}j | FAX                 |         | {party}faxextension
{number}k | FAX                 |         | {party}faxcountrycode
{number}l | EMAIL               | {party} | {party}emailaddress
"""
"""Addresses and numbers of the sender (A.3.1.4) and the receiver (A.3.2.3)."""

_PLAIN = """messagetype messageformatversion messageformatrelease safetyreportversion reporttype serious
seriousnessdeath seriousnesslifethreatening seriousnesshospitalization seriousnessdisabling
seriousnesscongenitalanomali seriousnessother additionaldocument fulfillexpeditecriteria duplicate casenullification
medicallyconfirm qualification observestudytype sendertype receivertype gestationperiod gestationperiodunit
patientagegroup patientweight patientheight patientsex patientepisodenamemeddraversion patientmedicalcontinue
patientdrugname patientindicationmeddraversion patientdrgindicationmeddraversion patientdrgreactionmeddraversion
patientdeathreportmeddraversion patientautopsyyesno patientdetermautopsmeddraversion parentweight parentheight
parentsex parentmdepisodemeddraversion parentmedicalcontinue parentdrugname parentdrgindicationmeddraversion
parentdrgreactionmeddraversion reactionmeddraversionllt reactionmeddrallt reactionmeddraversionpt reactionmeddrapt
termhighlighted reactionduration reactiondurationunit reactionfirsttime reactionfirsttimeunit reactionlasttime
reactionlasttimeunit reactionoutcome moreinformation drugcharacterization medicinalproduct drugbatchnumb
drugauthorizationnumb drugauthorizationcountry drugauthorizationholder drugstructuredosagenumb drugstructuredosageunit
drugseparatedosagenumb drugintervaldosageunitnumb drugintervaldosagedefinition drugcumulativedosagenumb
drugcumulativedosageunit drugadministrationroute drugparadministration reactiongestationperiod
reactiongestationperiodunit drugindicationmeddraversion drugstartperiod drugstartperiodunit druglastperiod
druglastperiodunit drugtreatmentduration drugtreatmentdurationunit actiondrug drugrecurreadministration
activesubstancename drugrecuractionmeddraversion drugreactionassesmeddraversion senderdiagnosismeddraversion
patientonsetageunit parentageunit"""
"""Codes, numbers, versions of dictionaries, names of drugs and of marketing authorization holders, which are kept."""

_SHORT = frozenset(
    """reportercountry sendercountrycode receivercountrycode primarysourcecountry occurcountry obtaindrugcountry
    sendertelextension sendertelcountrycode senderfaxextension senderfaxcountrycode receivertelextension
    receivertelcountrycode receiverfaxextension receiverfaxcountrycode""".split()
)
"""Codes, and elements shorter than the seven characters of PRIVACY."""

_FORMAT = re.compile(r"\d{3}", re.ASCII)
_DATE = re.compile(r"[a-z]*date")
_UNITS = {"800": 10.0, "801": 1.0, "802": 1 / 12, "803": 1 / 52, "804": 1 / 365, "805": 1 / 8760}
_DATES = {
    "patientbirthdate": ("B.1.2.1", PhiKind.DATE_BIRTH, "patient"),
    "patientdeathdate": ("B.1.9.1", PhiKind.DATE_DEATH, "patient"),
    "parentbirthdate": ("B.1.10.2.1", PhiKind.DATE_BIRTH, "relative"),
}


class R2(Standard):
    """E2B(R2)."""

    release = "R2"
    text_form, attachment_form = "r2-empty", "r2-attachment"
    case_fields = ("A.1.10.1", "A.1.10.2", "A.1.0.1")
    table = Table(
        _TABLE
        + _CONTACT.format(number="A.3.1.4", party="sender")
        + _CONTACT.format(number="A.3.2.3", party="receiver")
        + "\n".join(f" | plain | | {name}" for name in _PLAIN.split())
    )

    def reports(self, root: Element) -> list[Element]:
        if any(element.name != element.name.lower() for element in root.walk()):
            raise FormatError("expected elements in lower case, found others")
        return [c for c in root.children if c.name == "safetyreport"]

    def date(self, element: Element) -> Value | None:
        if element.name.endswith("dateformat"):
            return None
        if _DATE.fullmatch(element.name) is None or not element.own_text.strip():
            return None
        form = _date_format(element)
        path = f"{element.path()} {form.path()}" if form is not None else element.path()
        field, kind, role = _DATES.get(element.name, (element.name, PhiKind.DATE, ""))
        value = iso_of_r2(element.own_text, form.own_text if form is not None else "")
        return Value(field, kind, value, ValueLocation(path, "r2-date"), role)

    def is_transmission(self, element: Element) -> bool:
        return element.name in ("messagedate", "transmissiondate")

    def is_onset(self, element: Element) -> bool:
        return element.name == "reactionstartdate"

    def unlisted_attributes(self, element: Element, done: Collection[str]) -> Iterator[Value]:
        for name, written in element.attributes.items():
            if name not in ("lang", "xml:lang", "xml:space") and not name.startswith("xsi:") and written.strip():
                location = ValueLocation(f"{element.path()}/@{name}", "attribute")
                yield Value(f"unlisted.@{name}", PhiKind.OTHER, written.strip(), location)

    def is_plain(self, element: Element) -> bool:
        return element.name.endswith("dateformat") and _FORMAT.fullmatch(element.own_text.strip()) is not None

    def value(self, rule: Rule, element: Element, written: str) -> Value:
        assert rule.kind is not None
        if rule.kind is PhiKind.AGE:
            unit = element.parent.child(f"{element.name}unit") if element.parent is not None else None
            path = f"{element.path()} {unit.path()}" if unit is not None else element.path()
            years = _UNITS.get(unit.own_text.strip()) if unit is not None else 1.0
            return Value(rule.field, rule.kind, age(written, years), ValueLocation(path, "r2-age"), rule.role)
        form = "r2-empty" if element.name in _SHORT else "r2-privacy"
        return Value(rule.field, rule.kind, written, ValueLocation(element.path(), form), rule.role, element)


def _date_format(element: Element) -> Element | None:
    """Return the element with the format of a date: `patientbirthdateformat`, `lastmenstrualdateformat` ..."""
    if element.parent is None:
        return None
    name = f"{element.name}format"
    formats = [c for c in element.parent.children if c.name.endswith("dateformat") and name.endswith(c.name)]
    return max(formats, key=lambda c: len(c.name), default=None)
