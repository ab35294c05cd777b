"""Tables of the postal codes and towns of regions, so that a town, its state and its postal code agree."""

from __future__ import annotations

from typing import NamedTuple

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


class Region(NamedTuple):
    """A region outside the USA: its country (ISO 3166), how it is written, how its postal codes begin, and towns in it."""

    country: str
    name: str
    code: str
    postal: tuple[str, ...]
    towns: tuple[str, ...]


_REGIONS = """
CA|Alberta|AB|T|Calgary,Edmonton,Lethbridge,Red Deer,Airdrie,Grande Prairie,Medicine Hat
CA|British Columbia|BC|V|Vancouver,Surrey,Burnaby,Coquitlam,Kelowna,Abbotsford,Kamloops
CA|Manitoba|MB|R|Winnipeg,Brandon,Steinbach
CA|New Brunswick|NB|E|Moncton,Fredericton,Dieppe,Miramichi,Edmundston
CA|Newfoundland and Labrador|NL|A|Mount Pearl,Corner Brook
CA|Nova Scotia|NS|B|Halifax,Dartmouth,Truro,Amherst
CA|Ontario|ON|L|Mississauga,Brampton,Hamilton,Barrie,Oshawa,Markham,Oakville
CA|Prince Edward Island|PE|C|Charlottetown,Summerside
CA|Quebec|QC|J|Gatineau,Longueuil,Sherbrooke,Drummondville,Granby
CA|Saskatchewan|SK|S|Saskatoon,Regina,Prince Albert,Moose Jaw
AU|New South Wales|NSW|2|Newcastle,Wollongong,Maitland,Coffs Harbour,Port Macquarie,Tamworth
AU|Northern Territory|NT|08|Darwin,Palmerston,Alice Springs
AU|Queensland|QLD|4|Townsville,Cairns,Toowoomba,Mackay,Rockhampton,Bundaberg
AU|South Australia|SA|5|Mount Gambier,Whyalla,Gawler,Port Lincoln
AU|Tasmania|TAS|7|Hobart,Launceston,Devonport,Burnie
AU|Victoria|VIC|3|Geelong,Ballarat,Bendigo,Shepparton,Mildura
AU|Western Australia|WA|6|Mandurah,Bunbury,Geraldton,Albany,Busselton
GB|Cheshire||CW|Crewe,Nantwich,Northwich
GB|Cornwall||TR|Truro,Falmouth,Penzance,Redruth,Camborne
GB|Cumbria||CA|Carlisle,Penrith,Workington,Whitehaven
GB|Devon||EX|Exeter,Barnstaple,Exmouth,Tiverton
GB|Dorset||DT|Dorchester,Weymouth,Bridport
GB|Essex||CM|Chelmsford,Braintree,Harlow,Maldon
GB|Gloucestershire||GL|Gloucester,Cheltenham,Stroud
GB|Hampshire||SO|Winchester,Eastleigh,Romsey
GB|Hertfordshire||SG|Stevenage,Hitchin,Letchworth
GB|Kent||ME|Maidstone,Chatham,Gillingham,Sittingbourne
GB|Lancashire||BB|Blackburn,Burnley,Accrington
GB|Leicestershire||LE|Leicester,Loughborough,Hinckley
GB|Lincolnshire||LN|Lincoln,Louth,Horncastle
GB|Norfolk||NR|Norwich,Dereham,Cromer
GB|North Yorkshire||YO|York,Scarborough,Whitby,Malton
GB|Northamptonshire||NN|Northampton,Kettering,Corby
GB|Nottinghamshire||NG|Nottingham,Mansfield,Newark
GB|Somerset||TA|Taunton,Bridgwater,Minehead
GB|Staffordshire||ST|Stafford,Newcastle-under-Lyme,Leek
GB|Suffolk||IP|Ipswich,Bury St Edmunds,Felixstowe,Stowmarket
GB|Surrey||GU|Guildford,Woking,Farnham
GB|West Yorkshire||WF|Wakefield,Pontefract,Castleford
GB|Wiltshire||SN|Swindon,Chippenham,Devizes
GB|Worcestershire||WR|Worcester,Malvern,Evesham
IE|Co. Clare|||Ennis,Kilrush,Shannon
IE|Co. Cork|||Mallow,Cobh,Bandon
IE|Co. Donegal|||Letterkenny,Buncrana,Ballybofey
IE|Co. Galway|||Tuam,Ballinasloe,Loughrea
IE|Co. Kerry|||Tralee,Killarney,Listowel
IE|Co. Kildare|||Naas,Newbridge,Athy
IE|Co. Louth|||Dundalk,Drogheda,Ardee
IE|Co. Mayo|||Castlebar,Ballina,Westport
IE|Co. Meath|||Navan,Trim,Kells
IE|Co. Wexford|||Wexford,Gorey,Enniscorthy
IN|Gujarat|||Surat,Vadodara,Bhavnagar,Jamnagar
IN|Karnataka|||Mysuru,Mangaluru,Belagavi
IN|Kerala|||Kochi,Kozhikode,Kollam,Thrissur
IN|Madhya Pradesh|||Indore,Bhopal,Gwalior,Ujjain
IN|Maharashtra|||Pune,Nagpur,Nashik
IN|Punjab|||Ludhiana,Amritsar,Jalandhar
IN|Rajasthan|||Jaipur,Jodhpur,Udaipur,Ajmer
IN|Tamil Nadu|||Madurai,Coimbatore,Salem,Erode
IN|Uttar Pradesh|||Kanpur,Lucknow,Varanasi,Agra
IN|West Bengal|||Howrah,Durgapur,Siliguri
"""
"""Public facts: postal areas of Canada Post, Australia Post and Royal Mail; towns of GeoNames (CC BY 4.0) by their region.
Of a region with several postal areas, one is listed, with its towns, so that any town fits any code."""


def _read(line: str) -> Region:
    country, name, code, postal, towns = line.split("|")
    return Region(country, name, code, tuple(postal.split()), tuple(towns.split(",")))


REGIONS = tuple(_read(line) for line in _REGIONS.strip().splitlines())


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
