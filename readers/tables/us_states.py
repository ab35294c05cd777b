"""Names of states and territories of the USA by their postal codes: `CT` in a text is a scan, `Connecticut` is a place."""

from __future__ import annotations

_STATES = """AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware
DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana
ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada
NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon
PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia
WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|AS American Samoa|GU Guam|MP Northern Mariana Islands|PR Puerto Rico
VI Virgin Islands"""

US_STATES = {line[:2]: line[3:] for row in _STATES.splitlines() for line in row.split("|")}
"""Postal code -> name (USPS Publication 28, appendix B)."""

MEDICAL = frozenset("AL CO CT DC ID IN LA MA MD ME MI MO MS MT OR PA PR VA VI".split())
"""Codes that stand for something else more often than not in narratives: a scan, multiple sclerosis, a doctor, `or`."""


def known_state(value: str) -> list[str]:
    """What to look for in a text where a record names this state: its name, and its code where that is unmistakable."""
    value = value.strip()
    name = US_STATES.get(value.upper())
    if name is None:
        return [value] if len(value) > 2 else []
    return [name] if value.upper() in MEDICAL else [name, value.upper()]
