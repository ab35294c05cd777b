"""Names and postal codes of US states and territories. Some codes are ambiguous: `CT` in a text is usually a scan."""

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

AMBIGUOUS = frozenset("AL CO CT DC ID IN LA MA MD ME MI MO MS MT OR PA PR VA VI".split())
"""Codes that usually mean something else in narratives: a scan, multiple sclerosis, a doctor, `or`."""


def known_state(value: str) -> list[str]:
    """Return the strings to search for in a text if a record names this state: its name and, if unambiguous, its code."""
    value = value.strip()
    name = US_STATES.get(value.upper())
    if name is None:
        return [value] if len(value) > 2 else []
    return [name] if value.upper() in AMBIGUOUS else [name, value.upper()]
