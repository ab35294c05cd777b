"""Tables of the postal codes and towns of regions, so that a town, its state and its postal code agree."""

from __future__ import annotations

ZIP3 = {
    "AK": "995-999", "AL": "350-352 354-369", "AR": "716-725 727-729", "AZ": "850 852-853 855-857 859-860 863-865",
    "CA": "900-908 910-928 930-961", "CO": "800-816", "CT": "060-062 064-069", "DC": "200 202-204", "DE": "197-199",
    "FL": "320-339 341-342 344 346-347 349", "GA": "300-319 398-399", "HI": "968", "IA": "500-516 520-528",
    "ID": "832-833 835-838",
    "IL": "600-620 622-629", "IN": "460-479", "KS": "660-662 664-679", "KY": "400-418 420-427", "LA": "700-701 703-708 710-714",
    "MA": "010-027", "MD": "206-212 214-219", "ME": "039-049", "MI": "480-499", "MN": "550-551 553-567",
    "MO": "630-631 633-641 644-658", "MS": "386-397", "MT": "590-599", "NC": "270-289", "ND": "580-588", "NE": "680-681 683-693",
    "NH": "030-038", "NJ": "070-089", "NM": "870-871 873-884", "NV": "889-891 893-895 897-898", "NY": "100-149", "OH": "430-459",
    "OK": "730-731 734-738 740-741 743-749", "OR": "970-979", "PA": "150-196", "RI": "028-029", "SC": "290-299", "SD": "570-577",
    "TN": "370-385", "TX": "750-770 772-799", "UT": "840-847", "VA": "201 220-246", "VT": "050-054 056-059",
    "WA": "980-986 988-994",
    "WI": "530-532 534-535 537-549", "WV": "247-268", "WY": "820-831",
}  # fmt: skip
"""First three digits of the ZIP codes of each state, without those that two states share. Facts of the US Postal Service
(Labeling List L002, 3-Digit ZIP Code Prefix Matrix), compared with the list of the package zipcodes 3.0.0 in November
2026."""


def zip3_of(state: str) -> tuple[str, ...]:
    """Return the three-digit prefixes of the ZIP codes of a state; empty if it is unknown."""
    prefixes: list[str] = []
    for run in ZIP3.get(state, "").split():
        first, _, last = run.partition("-")
        prefixes += [f"{number:03d}" for number in range(int(first), int(last or first) + 1)]
    return tuple(prefixes)


def state_of_zip(code: str) -> str:
    """Return the state whose ZIP codes begin as this one; empty if none does, or two."""
    return _STATES.get(code[:3], "")


_STATES = {prefix: state for state in ZIP3 for prefix in zip3_of(state)}
