"""Towns outside the USA, their regions, and how their postal codes begin."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ..operator import KeyedHash


class Region(NamedTuple):
    """A region outside the USA: its country (ISO 3166), how it is written, and its towns with the beginning of their codes."""

    country: str
    name: str
    code: str
    codes: dict[str, str]
    nation: str = ""
    """Part of the United Kingdom with its own law and health service: `SCT`, `WLS`, `NIR`; empty for England."""

    @property
    def postal(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.codes.values()))

    @property
    def towns(self) -> tuple[str, ...]:
        return tuple(self.codes)


_REGIONS = """
CA|Alberta|AB|Calgary:T2P,Edmonton:T5J,Lethbridge:T1J,Red Deer:T4N,Airdrie:T4B,Grande Prairie:T8V,Medicine Hat:T1A
CA|British Columbia|BC|Vancouver:V5K,Surrey:V3T,Burnaby:V5H,Coquitlam:V3B,Kelowna:V1Y,Abbotsford:V2S,Kamloops:V2C
CA|Manitoba|MB|Winnipeg:R3C,Brandon:R7A,Steinbach:R5G
CA|New Brunswick|NB|Moncton:E1C,Fredericton:E3B,Dieppe:E1A,Miramichi:E1N,Edmundston:E3V
CA|Newfoundland and Labrador|NL|Mount Pearl:A1N,Corner Brook:A2H
CA|Nova Scotia|NS|Halifax:B3H,Dartmouth:B2Y,Truro:B2N,Amherst:B4H
CA|Ontario|ON|Mississauga:L5B,Brampton:L6Y,Hamilton:L8P,Barrie:L4N,Oshawa:L1H,Markham:L3R,Oakville:L6H
CA|Prince Edward Island|PE|Charlottetown:C1A,Summerside:C1N
CA|Quebec|QC|Gatineau:J8X,Longueuil:J4K,Sherbrooke:J1H,Drummondville:J2C,Granby:J2G
CA|Saskatchewan|SK|Saskatoon:S7K,Regina:S4P,Prince Albert:S6V,Moose Jaw:S6H
AU|New South Wales|NSW|Newcastle:2300,Wollongong:2500,Maitland:2320,Coffs Harbour:2450,Port Macquarie:2444,Tamworth:2340
AU|Northern Territory|NT|Darwin:0800,Palmerston:0830,Alice Springs:0870
AU|Queensland|QLD|Townsville:4810,Cairns:4870,Toowoomba:4350,Mackay:4740,Rockhampton:4700,Bundaberg:4670
AU|South Australia|SA|Mount Gambier:5290,Whyalla:5600,Gawler:5118,Port Lincoln:5606
AU|Tasmania|TAS|Hobart:7000,Launceston:7250,Devonport:7310,Burnie:7320
AU|Victoria|VIC|Geelong:3220,Ballarat:3350,Bendigo:3550,Shepparton:3630,Mildura:3500
AU|Western Australia|WA|Mandurah:6210,Bunbury:6230,Geraldton:6530,Albany:6330,Busselton:6280
GB|Cheshire||Crewe:CW1,Nantwich:CW5,Northwich:CW9
GB|Cornwall||Truro:TR1,Falmouth:TR11,Penzance:TR18,Redruth:TR15,Camborne:TR14
GB|Cumbria||Carlisle:CA2,Penrith:CA11,Workington:CA14,Whitehaven:CA28
GB|Devon||Exeter:EX4,Barnstaple:EX31,Exmouth:EX8,Tiverton:EX16
GB|Dorset||Dorchester:DT1,Weymouth:DT4,Bridport:DT6
GB|Essex||Chelmsford:CM1,Braintree:CM7,Harlow:CM20,Maldon:CM9
GB|Gloucestershire||Gloucester:GL1,Cheltenham:GL50,Stroud:GL5
GB|Hampshire||Winchester:SO23,Eastleigh:SO50,Romsey:SO51
GB|Hertfordshire||Stevenage:SG1,Hitchin:SG5,Letchworth:SG6
GB|Kent||Maidstone:ME14,Chatham:ME4,Gillingham:ME7,Sittingbourne:ME10
GB|Lancashire||Blackburn:BB2,Burnley:BB11,Accrington:BB5
GB|Leicestershire||Leicester:LE2,Loughborough:LE11,Hinckley:LE10
GB|Lincolnshire||Lincoln:LN2,Louth:LN11,Horncastle:LN9
GB|Norfolk||Norwich:NR2,Dereham:NR19,Cromer:NR27
GB|North Yorkshire||York:YO10,Scarborough:YO12,Whitby:YO21,Malton:YO17
GB|Northamptonshire||Northampton:NN1,Kettering:NN16,Corby:NN17
GB|Nottinghamshire||Nottingham:NG5,Mansfield:NG18,Newark:NG24
GB|Somerset||Taunton:TA1,Bridgwater:TA6,Minehead:TA24
GB|Staffordshire||Stafford:ST16,Newcastle-under-Lyme:ST5,Leek:ST13
GB|Suffolk||Ipswich:IP1,Bury St Edmunds:IP33,Felixstowe:IP11,Stowmarket:IP14
GB|Surrey||Guildford:GU1,Woking:GU22,Farnham:GU9
GB|West Yorkshire||Wakefield:WF2,Pontefract:WF8,Castleford:WF10
GB|Wiltshire||Swindon:SN1,Chippenham:SN15,Devizes:SN10
GB|Worcestershire||Worcester:WR2,Malvern:WR14,Evesham:WR11
GB-SCT|Aberdeenshire||Peterhead:AB42,Fraserburgh:AB43,Inverurie:AB51,Stonehaven:AB39
GB-SCT|Ayrshire||Ayr:KA7,Kilmarnock:KA1,Irvine:KA12,Troon:KA10
GB-SCT|Fife||Kirkcaldy:KY1,Glenrothes:KY7,Dunfermline:KY12
GB-SCT|Lanarkshire||Motherwell:ML1,Hamilton:ML3,Airdrie:ML6,Lanark:ML11
GB-SCT|Perthshire||Perth:PH1,Crieff:PH7,Blairgowrie:PH10
GB-SCT|Renfrewshire||Paisley:PA1,Renfrew:PA4,Johnstone:PA5
GB-WLS|Carmarthenshire||Llanelli:SA15,Carmarthen:SA31,Ammanford:SA18
GB-WLS|Gwynedd||Bangor:LL57,Caernarfon:LL55
GB-WLS|Monmouthshire||Monmouth:NP25,Abergavenny:NP7,Chepstow:NP16
GB-WLS|Pembrokeshire||Haverfordwest:SA61,Tenby:SA70,Pembroke:SA71
GB-NIR|Co. Antrim||Lisburn:BT28,Ballymena:BT43,Larne:BT40
GB-NIR|Co. Down||Newry:BT34,Downpatrick:BT30,Bangor:BT20
GB-NIR|Co. Tyrone||Omagh:BT78,Dungannon:BT70,Strabane:BT82
IE|Co. Clare||Ennis:V95,Kilrush:V15,Shannon:V14
IE|Co. Cork||Mallow:P51,Cobh:P24,Bandon:P72
IE|Co. Donegal||Letterkenny:F92,Buncrana:F93,Ballybofey:F93
IE|Co. Galway||Tuam:H54,Ballinasloe:H53,Loughrea:H62
IE|Co. Kerry||Tralee:V92,Killarney:V93,Listowel:V31
IE|Co. Kildare||Naas:W91,Newbridge:W12,Athy:R14
IE|Co. Louth||Dundalk:A91,Drogheda:A92,Ardee:A92
IE|Co. Mayo||Castlebar:F23,Ballina:F26,Westport:F28
IE|Co. Meath||Navan:C15,Trim:C15,Kells:A82
IE|Co. Wexford||Wexford:Y35,Gorey:Y25,Enniscorthy:Y21
IN|Gujarat||Surat:395,Vadodara:390,Bhavnagar:364,Jamnagar:361
IN|Karnataka||Mysuru:570,Mangaluru:575,Belagavi:590
IN|Kerala||Kochi:682,Kozhikode:673,Kollam:691,Thrissur:680
IN|Madhya Pradesh||Indore:452,Bhopal:462,Gwalior:474,Ujjain:456
IN|Maharashtra||Pune:411,Nagpur:440,Nashik:422
IN|Punjab||Ludhiana:141,Amritsar:143,Jalandhar:144
IN|Rajasthan||Jaipur:302,Jodhpur:342,Udaipur:313,Ajmer:305
IN|Tamil Nadu||Madurai:625,Coimbatore:641,Salem:636,Erode:638
IN|Uttar Pradesh||Kanpur:208,Lucknow:226,Varanasi:221,Agra:282
IN|West Bengal||Howrah:711,Durgapur:713,Siliguri:734
"""
_COUNTRIES = """
AT|Graz:8010,Linz:4020,Salzburg:5020,Innsbruck:6020,Villach:9500,Wels:4600,Steyr:4400,Dornbirn:6850,Bregenz:6900
BE|Gent:9000,Brugge:8000,Leuven:3000,Namur:5000,Mons:7000,Hasselt:3500,Mechelen:2800,Aalst:9300,Kortrijk:8500,Tournai:7500
CH|Bern:3012,Basel:4051,Luzern:6003,Winterthur:8400,Chur:7000,Thun:3600,Aarau:5000,Olten:4600,Zug:6300,Schaffhausen:8200
DE|Kassel:341,Göttingen:370,Münster:481,Würzburg:970,Regensburg:930,Ulm:890,Rostock:180,Erfurt:990,Jena:077,Magdeburg:391
DE|Trier:542,Osnabrück:490,Bamberg:960,Hildesheim:311,Celle:292,Passau:940,Görlitz:028
DK|Odense:5000,Aalborg:9000,Esbjerg:6700,Randers:8900,Kolding:6000,Horsens:8700,Vejle:7100,Roskilde:4000,Viborg:8800
ES|Burgos:0900,Badajoz:0600,Huelva:2100,Lleida:2500,Logroño:2600,Lugo:2700,Palencia:3400,Santander:3900
ES|Segovia:4000,Zamora:4900
FI|Tampere:331,Turku:201,Oulu:901,Lahti:151,Kuopio:701,Jyväskylä:401,Pori:281,Vaasa:651,Joensuu:801,Kotka:481
FR|Angers:49000,Dijon:21000,Tours:37000,Rennes:35000,Reims:51100,Limoges:87000,Amiens:80000,Besançon:25000
FR|Poitiers:86000,Pau:64000,Nîmes:30000,Caen:14000,Troyes:10000
IT|Parma:431,Modena:411,Ferrara:441,Ravenna:481,Perugia:061,Siena:53100,Pisa:561,Lucca:55100,Trento:381,Udine:33100,Novara:28100
NL|Utrecht:3511,Groningen:9711,Eindhoven:5611,Tilburg:5011,Breda:4811,Nijmegen:6511,Arnhem:6811,Zwolle:8011,Haarlem:2011
NO|Bergen:501,Trondheim:701,Stavanger:401,Drammen:301,Kristiansand:461,Tromsø:901,Hamar:231,Lillehammer:261,Skien:371,Moss:151
NZ|Tauranga:3110,Napier:4110,Palmerston North:4410,Nelson:7010,Dunedin:9016,Invercargill:9810,Whangarei:0110
NZ|Rotorua:3010,New Plymouth:4310,Timaru:7910,Gisborne:4010
PL|Lublin:20,Poznań:60,Gdańsk:80,Szczecin:70,Bydgoszcz:85,Toruń:87,Rzeszów:35,Olsztyn:10,Kielce:25,Radom:26,Opole:45
PT|Braga:4700,Coimbra:3000,Aveiro:3800,Évora:7000,Faro:8000,Viseu:3500,Leiria:2400,Setúbal:2900,Guimarães:4800
SE|Uppsala:753,Västerås:722,Örebro:702,Linköping:582,Norrköping:602,Jönköping:553,Umeå:903,Gävle:802,Borås:503,Halmstad:302
ZA|Pietermaritzburg:3201,Bloemfontein:9301,Kimberley:8301,Rustenburg:0299,Welkom:9459,George:6529,Klerksdorp:2571,Upington:8801
"""
"""Public facts: codes of the post of each country as they are printed on letters (Deutsche Post, La Poste, Royal Mail, An Post,
Canada Post, Australia Post, India Post ...); towns of GeoNames (CC BY 4.0) by their region. Facts, no third-party text."""

_ENDS = {"GB": " #LL", "CA": " #L#", "IE": " EEEE", "NL": " LL", "PT": "-###", "IN": "0##", "FI": "#0"}
"""The rest of a code after its beginning: `#` a digit, `L` a letter, `E` a character of an Eircode; elsewhere digits only."""
_LENGTHS = {"NO": 4, "DE": 5, "ES": 5, "IT": 5, "PL": 6, "SE": 6}
_EIRCODE = "ACDEFHKNPRTVWXY0123456789"
_LETTERS = "ABEGHJLNPRSTWXYZ"
_NATIONS = {
    "SCT": "AB DD DG EH FK G HS IV KA KW KY ML PA PH TD ZE", "WLS": "CF LD LL NP SA", "NIR": "BT",
}  # fmt: skip
"""Postal areas of the United Kingdom outside England."""


def _codes(towns: str) -> dict[str, str]:
    return dict(town.split(":") for town in towns.split(","))


def _region_of(line: str) -> Region:
    place, name, code, towns = line.split("|")
    country, _, nation = place.partition("-")
    return Region(country, name, code, _codes(towns), nation)


REGIONS = tuple(_region_of(line) for line in _REGIONS.strip().splitlines())


@cache
def towns_of(country: str, nation: str | None = None) -> dict[str, str]:
    """Return the listed towns of a country, or of one nation in it, with the beginning of their postal codes."""
    found: dict[str, str] = {}
    for line in _COUNTRIES.strip().splitlines():
        if line.startswith(f"{country}|"):
            found.update(_codes(line.partition("|")[2]))
    for region in REGIONS:
        if region.country == country and nation in (None, region.nation):
            found.update(region.codes)
    return found


def nation_of(code: str) -> str:
    """Return the nation of a British postal code or area, empty for England."""
    letters = re.match("[A-Z]+", code.upper())
    return next((n for n, areas in _NATIONS.items() if letters and letters.group() in areas.split()), "")


def postal_code(country: str, beginning: str, like: str, choices: KeyedHash) -> str:
    """Return a postal code of a country that has this beginning, with a space only if `like` has one."""
    end = _ENDS.get(country)
    if end is None:
        end = "#" * (_LENGTHS.get(country, len(beginning)) - len(beginning))
        end = {"PL": "-###", "SE": " ##"}.get(country, end)
    key = f"{beginning} {like.casefold()}"
    pools = {"#": "123456789", "L": _LETTERS, "E": _EIRCODE}
    made = beginning + "".join(
        choices.choice(pools[c], "postal", key, str(i)) if c in pools else c for i, c in enumerate(end)
    )
    return made if re.search(r"[\s-]", like) else re.sub(r"[\s-]", "", made)
