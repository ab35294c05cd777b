"""Case reports of our own, made up, in E2B(R3) and E2B(R2)."""

from __future__ import annotations

OID = "2.16.840.1.113883.3.989.2.1"
NARRATIVE = "Mrs. Edna Krabwell (DOB 12-Mar-1961, MRN 00417732) fell ill on 2026-03-04, seen by Dr. Fenn."
NAMES = ("Krabwell", "Edna", "Fenn", "Otto", "Mona", "Sandvik", "00417732", "617-555-0134", "ofenn@example.org")

_R3_REPORT = """<PORR_IN049016UV>
  <id extension="{message}" root="R.3.1"/>
  <creationTime value="20260401101500-0500"/>
  <sender typeCode="SND"><device><id extension="SYNLAB7" root="R.3.11"/></device></sender>
  <receiver typeCode="RCV"><device><id extension="AGENCY" root="R.3.12"/></device></receiver>
  <controlActProcess><effectiveTime value="20260401101500-0500"/><subject><investigationEvent>
    <id extension="{case}" root="R.3.1"/>
    <id extension="{case}-W" root="R.3.2"/>
    {narrative}
    <effectiveTime><low value="20260305"/></effectiveTime>
    <availabilityTime value="202603"/>
    {documents}
    <component><adverseEventAssessment>
      <subject1><primaryRole>
        <player1>
          <name>Edna Krabwell</name><!-- D.1 -->
          <birthTime value="19610312"/>
          <asIdentifiedEntity><id extension="00417732" root="R.3.9"/><code code="3" displayName="Hospital"/></asIdentifiedEntity>
          <role classCode="PRS"><code code="PRN"/><associatedPerson><name><given>Mona</given><family>Sandvik</family></name>
            <birthTime nullFlavor="UNK"/></associatedPerson>
            <subjectOf2><observation><code code="3"/><value xsi:type="PQ" value="91" unit="a"/></observation></subjectOf2>
          </role>
        </player1>
        <subjectOf2><observation><code code="3"/><value xsi:type="PQ" value="65" unit="a"/></observation></subjectOf2>
        <subjectOf2><observation><code code="22"/><value xsi:type="TS" value="20260210"/></observation></subjectOf2>
        {more}
      </primaryRole></subject1>
      <component1><observationEvent><code code="10"/><value xsi:type="ED">Krabwell recovered on 3/9/2026.</value>
        <author><assignedEntity><code code="3"/></assignedEntity></author></observationEvent></component1>
    </adverseEventAssessment></component>
    <outboundRelationship><relatedInvestigation><code code="2"/><subjectOf2><controlActEvent><author><assignedEntity>
      <addr><streetAddressLine>1 Elm St</streetAddressLine><city>Dunmere</city><state>CT</state>
        <postalCode>01099</postalCode></addr>
      <telecom value="tel:617-555-0134"/><telecom value="mailto:ofenn@example.org"/><telecom value="fax:617-555-0135"/>
      <assignedPerson><name><prefix>Dr.</prefix><given>Otto</given><given>Karl</given><family>Fenn</family></name>
        <asLocatedEntity><location><code code="US" codeSystem="1.0.3166.1.2.2" displayName="USA"/></location></asLocatedEntity>
      </assignedPerson>
      <representedOrganization><name>Ward 7</name><assignedEntity><representedOrganization><name>Dunmere Clinic</name>
        </representedOrganization></assignedEntity></representedOrganization>
    </assignedEntity></author></controlActEvent></subjectOf2></relatedInvestigation></outboundRelationship>
    <subjectOf1><controlActEvent><id assigningAuthorityName="Synthetic Labs" extension="SL-77-1" root="R.3.3"/>
    </controlActEvent></subjectOf1>
  </investigationEvent></subject></controlActProcess>
</PORR_IN049016UV>"""

_R3_FILE = """<?xml version="1.0" encoding="{encoding}"?>
<MCCI_IN200100UV01 xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ITSVersion="XML_1.0">
<id extension="BATCH-9" root="R.3.22"/><creationTime value="20260401101500-0500"/>
{reports}
</MCCI_IN200100UV01>
"""

_R2_REPORT = """<safetyreport><safetyreportversion>1</safetyreportversion><safetyreportid>{case}</safetyreportid>
<primarysourcecountry>US</primarysourcecountry><transmissiondateformat>102</transmissiondateformat><transmissiondate>20260401</transmissiondate>
<companynumb>{case}</companynumb>
<primarysource><reportertitle>Dr.</reportertitle><reportergivename>Otto</reportergivename><reporterfamilyname>Fenn</reporterfamilyname>
<reporterorganization>Dunmere Clinic</reporterorganization>
<reporterpostcode>01099</reporterpostcode><reportercountry>US</reportercountry>
<qualification>1</qualification></primarysource>
<patient><patientinitial>EK</patientinitial><patienthospitalrecordnumb>00417732</patienthospitalrecordnumb>
<patientbirthdateformat>102</patientbirthdateformat><patientbirthdate>19610312</patientbirthdate>
<patientonsetage>{age}</patientonsetage><patientonsetageunit>801</patientonsetageunit><patientsex>2</patientsex>
<lastmenstrualdateformat>610</lastmenstrualdateformat><patientlastmenstrualdate>202602</patientlastmenstrualdate>
<patientepisodename>10012345</patientepisodename>{more}
<reaction><primarysourcereaction>glimmer fever</primarysourcereaction><reactionmeddrallt>10099000</reactionmeddrallt>
<reactionstartdateformat>203</reactionstartdateformat><reactionstartdate>202603041315</reactionstartdate></reaction>
<drug><medicinalproduct>ZORBEX</medicinalproduct><drugstartdateformat>602</drugstartdateformat><drugstartdate>2025</drugstartdate></drug>
<summary><narrativeincludeclinical>{narrative}</narrativeincludeclinical><reportercomment/></summary></patient></safetyreport>"""

_R2_FILE = """<?xml version="1.0" encoding="{encoding}"?>
<!DOCTYPE ichicsr SYSTEM "http://eudravigilance.ema.europa.eu/dtd/icsr21xml.dtd">
<ichicsr lang="en"><ichicsrmessageheader><messagetype>ichicsr</messagetype><messagenumb>SYN-1</messagenumb>
<messagesenderidentifier>SYNLAB7</messagesenderidentifier><messagereceiveridentifier>AGENCY</messagereceiveridentifier>
<messagedateformat>204</messagedateformat><messagedate>20260401101500</messagedate></ichicsrmessageheader>
{reports}</ichicsr>
"""


def r3_report(
    narrative: str | None = f"<text>{NARRATIVE}</text>", case: str = "US-SYNLAB-1", more: str = "", documents: str = ""
) -> str:
    """A report in R3. `narrative`: the element of H.1; `more`: what stands below the patient's role."""
    return (
        _R3_REPORT.replace("{narrative}", narrative or "")
        .replace("{case}", case)
        .replace("{message}", f"M-{case}")
        .replace("{more}", more)
        .replace("{documents}", documents)
        .replace("R.3.", f"{OID}.3.")
    )


def r3(*reports: str, encoding: str = "utf-8") -> bytes:
    """A file in R3, with one report unless some are given."""
    text = _R3_FILE.replace("{encoding}", encoding).replace("{reports}", "\n".join(reports or (r3_report(),)))
    return text.replace("R.3.", f"{OID}.3.").encode(encoding)


def r2_report(narrative: str = NARRATIVE, case: str = "US-SYNLAB-1", age: str = "65", more: str = "") -> str:
    """A report in R2. `more`: elements of the patient."""
    given = {"{narrative}": narrative, "{case}": case, "{age}": age, "{more}": more}
    made = _R2_REPORT
    for name, value in given.items():
        made = made.replace(name, value)
    return made


def r2(*reports: str, encoding: str = "ISO-8859-1") -> bytes:
    """A file in R2, with one report unless some are given."""
    return (
        _R2_FILE.replace("{encoding}", encoding)
        .replace("{reports}", "\n".join(reports or (r2_report(),)))
        .encode(encoding)
    )
