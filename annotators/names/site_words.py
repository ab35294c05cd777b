"""Words of hospitals, practices, homes, schools, churches, firms and insurers, and words that only look like them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...typesystem import PhiKind
from .cues import listed

_SITE = (
    "hospital hospitals hosp infirmary clinic clinics clinica clínica klinik klinikum kliniken ospedale "
    "hôpital hopital szpital "
    "sykehus sykehuset sjukhus sygehus krankenhaus ziekenhuis hospice polyclinic polyclinics sanatorium healthcare health "
    "surgery practice pediatrics paediatrics dental dentistry orthopedics orthopaedics ortho dermatology nephrology endoscopy "
    "dialysis imaging radiology diagnostics laboratory laboratories lab labs pathology rehab rehabilitation "
    "manor lodge house court "
    "villa haven residence terrace hall pavilion annex tower ward unit center centre ctr medical med "
    "medicine surgical care "
    "kidney renal heart vascular eye ear hand spine cancer oncology women's children's maternity birthing "
    "birth regional general "
    "memorial community infirmary mhc chc fqhc vamc dgh ihs hospitaal opticians optical optometry eyecare physio physiotherapy "
    "chiropractic wellness recovery behavioral surgeons physicians specialists associates pulmonary neurology "
    "cardiology urology "
    "obstetrics ob/gyn obgyn fertility ivf allergy ent gastroenterology living commons home homes sanctuary "
    "place grove gardens "
    "otp hub mps mphs rmc camhs ltac dermpath path medexpress comprehensive neuroscience neurosciences "
    "sciences endocrine peds therapy "
    "joint bone skin nh institute inst "
    "village estates oaks pines view netralaya nikentan sadan"
)
_FIRM = (
    "elementary elem middle academy isd montessori preschool daycare nursery primary infants kindergarten "
    "church chapel baptist "
    "methodist lutheran presbyterian temple mosque masjid gurdwara synagogue parish cathedral ministries ministry bank banking "
    "insurance mutual assurance casualty plan ppo hmo epo advantage inc llc llp ltd gmbh plc corp corporation "
    "company co bros sons "
    "mortuary funeral crematorium shelter ambulance ems police pd sheriff fire vfd court foundation trust "
    "association assn society "
    "union club league grill restaurant cafe café diner bistro bakery farm farms dairy ranch mill mills mine "
    "mines haulage transport "
    "trucking freight logistics motors diesel auto construction builders roofing plumbing electric supply "
    "supplies foods packing "
    "fabricators manufacturing industries technologies systems storage airlines airways rides cab taxi "
    "fiduciary tribe tribes nation "
    "agency services solutions partners group holdings stores market supermarket mart hotel motel inn guesthouse casino resort "
    "towing hardware poultry tours glass processors interiors hs dme oxygen shipyard vna gaa brigade programme ranger machine "
    "salon barbers gym fitness studio co-op sacco brewery winery vineyards nurseries kids homecare "
    "pharmaceuticals pharma embassy "
    "commission council department library prison jail correctional penitentiary barracks garrison consulting "
    "advisors attorneys law"
)
_PHARMACY = "pharmacy pharmacies drug drugs drugstore rx chemist chemists apotheke farmacia apothecary"
_SCHOOL = "school schools college university uni institute polytechnic seminary high"
SUFFIXES: Mapping[str, PhiKind] = {
    **dict.fromkeys(_SITE.split(), PhiKind.LOCATION_HOSPITAL),
    **dict.fromkeys(_FIRM.split(), PhiKind.ORGANIZATION),
    **dict.fromkeys(_PHARMACY.split(), PhiKind.ORGANIZATION_PHARMACY),
    **dict.fromkeys(_SCHOOL.split(), PhiKind.ORGANIZATION_SCHOOL),
}
"""The last words of names of sites and organizations, by their lower-case form, with the kind."""

WITHOUT_SUFFIX = listed(
    "general regional memorial community house court place view home unit ward center heart eye ear hand care "
    "medical group services "
    "high middle primary co union club plan place hall tower living village market institute path therapy "
    "joint bone skin programme glass machine tech fire auto electric services"
)
"""Suffixes that often end something else."""

GENERIC = listed(
    "regional general community county city local memorial university children's childrens central national "
    "state medical health "
    "emergency urgent walk-in walk in family primary specialty women's womens men's public private outpatient "
    "inpatient covid vaccine "
    "vaccination testing dental eye pain wound sleep cancer heart stroke trauma rehabilitation rehab mental "
    "behavioral psychiatric "
    "surgical surgery teaching referral district rural acute long term care home nursing veterans skilled "
    "senior assisted living "
    "allergy cardiology flu travel occupational employee student drive mobile retail diabetes infusion "
    "retirement another nearest same "
    "new main big small large military us our my their his her the a an this that and of at to from for "
    "department dept patient doctor "
    "pediatric paediatric pediatrics internal medicine neurology radiology high middle elementary secondary "
    "grade preschool business "
    "day special short stay follow followup follow-up new next first second third admission discharge pre post "
    "operative operating pre-op "
    "preop coronary cardiac renal burn neonatal intensive critical high-risk risk bed room floor level ground "
    "north south east west upper "
    "lower left right outpt inpt resp pulm pulmonary respiratory gastro physical occupational speech social "
    "services service support team "
    "treatment management assessment therapy exercise activity active current past present history plan code "
    "full advance goals goal "
    "palliative comfort end life spiritual pastoral foster kinship respite group individual crisis safety "
    "legal financial food housing "
    "house medication medications drug drugs med meds hand hands heart hearts face facial head neck back spine "
    "chest lung liver kidney "
    "kidneys bone joint skin brain nerve vascular blood lab labs imaging mri ct x-ray ultrasound nuclear "
    "interventional rapid response "
    "anticoag anticoagulation coumadin inr memory falls fall bladder bowel continence feeding lactation "
    "antenatal postnatal prenatal "
    "well-baby well baby child children adult adults women men mother infant newborn youth teen school "
    "religious christian catholic "
    "methadone hiv tb sti std gum fertility weight bariatric obesity nutrition diet glaucoma cataract retina "
    "hearing audiology vision "
    "cleft hernia breast prostate thyroid fracture hip knee foot ankle shoulder elbow wrist ortho orthopedic "
    "orthopaedic plastic ent "
    "oral maxillofacial otolaryngology laryngology thoracic colorectal hepatobiliary transplant trauma neuro spinal peripheral "
    "urology urologic gyn gynecology gynaecology obstetric obstetrics rheumatology nephrology endocrine endocrinology oncology "
    "hematology haematology dermatology infectious gastroenterology geriatric geriatrics hospitalist "
    "anesthesia anaesthesia pathology "
    "bariatric laparoscopic robotic minor major elective open micro endoscopic cosmetic reconstructive "
    "inpatient same-day same previous "
    "prior own old other both any no not non all each per with without via see seen call called if when then "
    "she he they it we i you "
    "co-op sub sister charge head staff named key bank night days nights weekend weekends on off out up down "
    "day-care step stepdown "
    "free standing standalone one two three four dr mr mrs visiting home-based home-care hospital clinic ward "
    "unit center centre "
    "adverse known protected transfer letter complete fetal form suspected low-dose pertinent information background "
    "diagnostic associate "
    "contract prompt poison overseas immigration physical examination statement fitness allied serious event "
    "reaction electronic "
    "speech-language language spasticity metabolic oromaxillary facial micrographic mohs year test tests "
    "report reports final draft "
    "bedside office work jail prison rehabilitation theatre theater recovery "
    "guarded poor fair good excellent stable standard usual daily weekly monthly annual routine"
)
"""Words that do not tell one site from another."""

DEPARTMENTS = listed(
    "icu micu sicu nicu picu ccu cvicu hdu itu ed er a&e pacu opd ipd department dept division section service "
    "team history exam plan "
    "assessment impression diagnosis diagnoses procedure procedures report note summary review consult "
    "consultation referral request "
    "orders order findings results reason date time patient patients pt name age sex dob mrn allergies "
    "medications social family past "
    "review vitals labs nursing physician attending resident surgeon anesthesia code status disposition "
    "condition follow-up operation "
    "preoperative postoperative indications indication complications specimen specimens technique description "
    "details present chief "
    "complaint subjective objective signed dictated page phone fax tel address insurance policy group id no number"
)
"""Departments and words of headings; no name of a site contains them."""


class Verb(NamedTuple):
    """The words after a verb that link it to a site, and the kind of site."""

    links: frozenset[str]
    kind: PhiKind


_SITE_VERBS = (
    "transferred transfer transported admitted discharged seen evaluated treated hospitalized hospitalised "
    "delivered born referred "
    "records tavr surgery stent stented scoped imaged rehab resident residing lives living placed intake "
    "followed stay stayed taken sent "
    "done performed placed tested operated care presented attended booked appointment appt labs mri ct "
    "dialysis dialyses dialyzed "
    "medevac flown airlifted driven brought back went readmitted admission sibs cath cabg er visit visits eval icu"
)
_WORK_VERBS = (
    "works work worked working employed employee job student studies studying teaches taught teacher retired "
    "volunteers manager cashier "
    "driver foreman clerk nurse cook welder operator internship apprentice shifts shift member insured policy "
    "plan coverage covered "
    "filled dispensed picked pharmacist enrolled attends"
)
_AT_VERBS = "seen done performed evaluated treated followed operated referred brought care visit visits eval"
VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(
        _WORK_VERBS.split(), Verb(frozenset(["at", "for", "by", "with", "from", "@"]), PhiKind.ORGANIZATION)
    ),
    **dict.fromkeys(_SITE_VERBS.split(), Verb(frozenset(["at", "from", "to", "@"]), PhiKind.LOCATION_HOSPITAL)),
    **dict.fromkeys(_AT_VERBS.split(), Verb(frozenset(["at", "@"]), PhiKind.LOCATION_HOSPITAL)),
}

LABELS: Mapping[str, PhiKind] = {
    **dict.fromkeys(
        "facility hospital clinic site location loc practice hosp ward snf ltc lab laboratory nursing-home "
        "institution unit rehab "
        "dialysis center centre".split(),
        PhiKind.LOCATION_HOSPITAL,
    ),
    **dict.fromkeys(
        "employer school church insurance insurer payer payor carrier pharmacy agency company firm dme home-health daycare "
        "nursery college transport employment workplace".split(),
        PhiKind.ORGANIZATION,
    ),
}
"""Labels of fields that contain a site or an organization."""
