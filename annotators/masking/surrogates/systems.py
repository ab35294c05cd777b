"""Tells the country of a document by the institutions and numbers of its health system."""

from __future__ import annotations

from collections import Counter

from ....pipeline.storage.lazy_regex import lazy_regex

_CUES = {
    "GB": r"\bNHS\b|\bCHI\b|\bGMC\b|\bDNACPR\b|\b07700 900|\+44\b|\bCQC\b|\bFY[12]\b",
    "IE": r"\bHSE\b|\bEircode\b|\bGMS\b|\bMCN\b|\bIMC\b|\bPPSN?\b|\+353\b|\bMedical card\b",
    "NZ": r"\bNHI\b|\bACC\d*\b|\bMCNZ\b|\bTe Whatu Ora\b|\bwhānau\b|\+64\b|\bDHB\b",
    "AU": r"\bAHPRA\b|\bPBS\b|\bURN?\b(?=[ :]*\w*\d)|\b04\d\d \d{3} \d{3}\b|\+61\b|\bACAT\b|\bDVA\b",
    "IN": r"\bUHID\b|\bAadhaar\b|\+91\b|\bCMCHIS\b|\bPMJAY\b|\blakhs?\b|\bMediclaim\b|\bIPD No\b|\bIP No\b|\bTPA\b",
    "ZA": r"\bMP ?\d{6,7}\b|\bNHLS\b|\bSASSA\b|\bHPCSA\b|\+27\b",
    "CA": r"\bPHN\b|\bOHIP\b|\bRAMQ\b|\bMCP\b(?=[ :#]*\d)|\bCPSO\b",
    "DE": r"\bAOK\b|\bKrankenkasse\b|\bPLZ\b|\+49\b|\bBarmer\b|\bKlinikum\b|\bOberarzt\b",
    "CH": r"\bAHV\b|\bHIN\b|\+41\b|\bCHF\b|\bSpital\b",
    "AT": r"\bSVNR\b|\+43\b|\bÖGK\b",
    "FR": r"\bCHU\b|\bSécurité sociale\b|\+33\b|\bNIR\b",
    "ES": r"\bCIPA?\b|\bNASS\b|\+34\b|\bDNI\b",
}
_PATTERNS = {country: lazy_regex(pattern) for country, pattern in _CUES.items()}
"""Names of registers, insurers and country codes of telephones; public facts, written for caspipe."""


def country_of_health_system(text: str) -> str:
    """Return the country (ISO 3166) that two or more different cues name, more than any other country; empty if none."""
    votes = Counter({country: len(set(pattern.findall(text))) for country, pattern in _PATTERNS.items()})
    (first, most), (_, second) = votes.most_common(2)
    return first if most >= 2 and most > second else ""
