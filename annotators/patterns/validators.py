"""Named checks of rule files: validators (checksums, numbering plans) raise the confidence of a match, filters may veto it."""

from __future__ import annotations

import importlib
import importlib.util
import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ...pipeline.errors import nearest
from ...pipeline.storage.lazy_regex import lazy_regex

Check = Callable[[str], bool]
_DIGIT = lazy_regex(r"[0-9]")


@dataclass(frozen=True, slots=True)
class NamedCheck:
    """A named check of the text of a match."""

    name: str
    check: Check
    description: str


def registrar(registry: dict[str, NamedCheck], sort: str) -> Callable[[str], Callable[[Check], Check]]:
    """Return a decorator that registers a check under a name. It raises ValueError if another check has the name."""

    def named(name: str) -> Callable[[Check], Check]:
        def enter(check: Check) -> Check:
            other = registry.get(name)
            if other and (other.check.__module__, other.check.__qualname__) != (check.__module__, check.__qualname__):
                raise ValueError(
                    f"{sort} {name} is claimed twice: by {other.check.__module__} and by {check.__module__}"
                )
            registry[name] = NamedCheck(name, check, (check.__doc__ or "").strip().split("\n")[0])
            return check

        return enter

    return named


def digits(text: str) -> str:
    """Return the ASCII digits of a text."""
    return "".join(_DIGIT.findall(text))


VALIDATORS: dict[str, NamedCheck] = {}
validator = registrar(VALIDATORS, "validator")
"""Registers a check under a name, for `validator: name` in rule files. A failed check never vetoes masking."""


def find_validator(name: str) -> NamedCheck:
    """Return the validator called `name`; `stdnum.us.ssn` is one of python-stdnum. Raises LookupError with the nearest name."""
    if name in VALIDATORS:
        return VALIDATORS[name]
    if name.startswith("stdnum."):
        try:
            known = importlib.util.find_spec(name) is not None
        except ImportError:
            known = False
        if known and name.count(".") >= 1:
            return NamedCheck(name, lambda text: stdnum(name, text), f"{name} of python-stdnum accepts it.")
        raise LookupError(f"python-stdnum has no module {name}")
    raise LookupError(f"no validator called {name!r}{nearest(name, VALIDATORS)}")


def stdnum(module: str, text: str) -> bool:
    """Return True if a module of python-stdnum accepts the text as a valid number; its exceptions count as invalid."""
    try:
        return bool(importlib.import_module(module).is_valid(text))
    except (ValueError, LookupError, TypeError):
        return False


def _luhn(number: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


@validator("luhn")
def luhn(text: str) -> bool:
    """The digits pass the Luhn check. ISO/IEC 7812-1, annex B."""
    number = digits(text)
    return len(number) > 1 and _luhn(number)


@validator("card")
def card(text: str) -> bool:
    """12 to 19 digits that pass the Luhn check. ISO/IEC 7812-1."""
    number = digits(text)
    return 12 <= len(number) <= 19 and _luhn(number)


@validator("iban")
def iban(text: str) -> bool:
    """The check digits and the length of the country agree. ISO 13616-1."""
    import stdnum.iban

    return bool(stdnum.iban.is_valid(text, check_country=False))


@validator("ssn")
def ssn(text: str) -> bool:
    """A US social security number that can have been issued: no area 000, 666 or 900-999. SSA, RM 10201.035."""
    return stdnum("stdnum.us.ssn", "-".join(_cut(digits(text), 3, 2, 4)))


@validator("itin")
def itin(text: str) -> bool:
    """A US taxpayer number of the IRS: 9xx with the group numbers in use. IRS Publication 1915."""
    return stdnum("stdnum.us.itin", "-".join(_cut(digits(text), 3, 2, 4)))


@validator("npi")
def npi(text: str) -> bool:
    """A US national provider identifier: Luhn over 80840 and the ten digits. 45 CFR 162.406; CMS, NPI check digit."""
    number = digits(text)
    return len(number) == 10 and number[0] in "12" and _luhn("80840" + number)


@validator("dea")
def dea(text: str) -> bool:
    """A DEA registration number: two letters and seven digits, the last a check digit. DEA Diversion Control, 21 CFR 1301.

    The check digit is the last digit of (first + third + fifth) + 2 x (second + fourth + sixth).
    """
    number = digits(text)[-7:]
    if len(number) != 7:
        return False
    d = [int(c) for c in number]
    return (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]


_VIN_VALUE = {c: int(v) for c, v in zip("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789", strict=True)}
_VIN_WEIGHT = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


@validator("vin")
def vin(text: str) -> bool:
    """A vehicle identification number whose ninth character is the check digit. 49 CFR 565.15(c)."""
    number = re.sub(r"[^A-Z0-9]", "", text.upper())
    if len(number) != 17 or any(c in "IOQ" for c in number):
        return False
    total = sum(w * (int(c) if c.isdigit() else _VIN_VALUE[c]) for c, w in zip(number, _VIN_WEIGHT, strict=True))
    return number[8] == "0123456789X"[total % 11]


@validator("imei")
def imei(text: str) -> bool:
    """A mobile equipment identity: 15 digits that pass the Luhn check. 3GPP TS 23.003, annex B."""
    number = digits(text)
    return len(number) == 15 and _luhn(number)


@validator("ip")
def ip(text: str) -> bool:
    """An IPv4 or IPv6 address; a port, a prefix length and a zone may follow. RFC 791, RFC 4291."""
    address = text.strip("[]").partition("/")[0].partition("%")[0]
    if address.count(":") == 1:
        address = address.partition(":")[0]
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return False
    return True


@validator("mac")
def mac(text: str) -> bool:
    """Six octets in hexadecimal digits. IEEE 802."""
    return len(re.findall(r"[0-9A-Fa-f]", text)) == 12


@validator("email")
def email(text: str) -> bool:
    """One @ between a local part and a domain of at least two labels, within the lengths of RFC 5321, section 4.5.3.1."""
    local, sign, domain = text.rpartition("@")
    labels = domain.split(".")
    lengths = 1 <= len(local) <= 64 and len(domain) <= 255 and all(0 < len(label) < 64 for label in labels)
    return bool(sign) and lengths and len(labels) > 1


_REGIONS = "US GB CA AU NZ IE IN ZA DE FR ES IT NL BE CH AT SE NO DK FI"
REGIONS = tuple(_REGIONS.split())
"""Numbering plans for national phone numbers, in the order of the checks (ISO 3166-1)."""


@validator("phone")
def phone(text: str) -> bool:
    """A number assigned by a numbering plan of REGIONS, or of its country code. ITU-T E.164; phonenumbers."""
    import phonenumbers

    for region in (None,) if text.lstrip(" (").startswith("+") else REGIONS:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(text, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


@validator("phone_us")
def phone_us(text: str) -> bool:
    """A number assigned by the North American numbering plan. NANPA; the patterns of phonenumbers."""
    number = digits(re.split(r"[a-zA-Z#]", text, maxsplit=1)[0]).removeprefix("00")
    return bool(_north_american().fullmatch(number[1:] if len(number) == 11 and number[0] == "1" else number))


@cache
def _north_american() -> re.Pattern[str]:
    """Return the patterns of all regions that share country code 1, as one."""
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata

    kinds = "fixed_line mobile toll_free premium_rate shared_cost personal_number voip pager uan"
    metadata = map(PhoneMetadata.metadata_for_region, COUNTRY_CODE_TO_REGION_CODE[1])
    patterns = [getattr(getattr(m, kind), "national_number_pattern", None) for m in metadata for kind in kinds.split()]
    return re.compile("|".join(f"(?:{p})" for p in dict.fromkeys(filter(None, patterns))))


@validator("nhs")
def nhs(text: str) -> bool:
    """A UK NHS number: ten digits, the last a check digit modulo 11. NHS Data Dictionary."""
    return stdnum("stdnum.gb.nhs", digits(text))


@validator("sin")
def sin(text: str) -> bool:
    """A Canadian social insurance number: nine digits that pass the Luhn check. Service Canada."""
    number = digits(text)
    return len(number) == 9 and number[0] != "8" and _luhn(number)


_NRIC_WEIGHT = (2, 7, 6, 5, 4, 3, 2)


@validator("nric")
def nric(text: str) -> bool:
    """A Singapore identity number: S, T, F or G, seven digits and a check letter. Immigration & Checkpoints Authority."""
    number = text.strip().upper()
    if not re.fullmatch(r"[STFG][0-9]{7}[A-Z]", number):
        return False
    total = sum(int(c) * w for c, w in zip(number[1:8], _NRIC_WEIGHT, strict=True)) + (4 if number[0] in "TG" else 0)
    return number[8] == ("JZIHGFEDCBA" if number[0] in "ST" else "XWUTRQPNMLK")[total % 11]


@validator("medicare_au")
def medicare_au(text: str) -> bool:
    """An Australian Medicare card number: the ninth digit checks the first eight. Services Australia."""
    number = digits(text)
    if not 10 <= len(number) <= 11 or number[0] not in "23456":
        return False
    return sum(int(c) * w for c, w in zip(number[:8], (1, 3, 7, 9, 1, 3, 7, 9), strict=True)) % 10 == int(number[8])


@validator("gs1")
def gs1(text: str) -> bool:
    """A GTIN whose last digit is the check digit; of a UDI, the `(01)` part is checked. GS1 General Specifications, 7.9."""
    import stdnum.ean

    udi = re.search(r"\(01\)\s*([0-9]{14})", text)
    return bool(stdnum.ean.is_valid(udi[1] if udi else digits(text)))


_ELEVEN = "pl.pesel tr.tckimlik no.fodselsnummer de.idnr hr.oib be.nn it.iva br.cpf ee.ik lt.asmens au.abn"


@validator("eleven_digit_number")
def eleven_digit_number(text: str) -> bool:
    """Eleven digits used by a country, by their check digits: Poland, Turkey, Norway, Germany, Italy ... python-stdnum."""
    return any(stdnum(f"stdnum.{module}", digits(text)) for module in _ELEVEN.split())


@validator("bitcoin")
def bitcoin(text: str) -> bool:
    """A Bitcoin address with a valid checksum (Base58Check or Bech32). BIP 13, BIP 173."""
    return stdnum("stdnum.bitcoin", text)


def _cut(number: str, *lengths: int) -> list[str]:
    pieces, offset = [], 0
    for length in lengths:
        pieces.append(number[offset : offset + length])
        offset += length
    return pieces


FILTERS: dict[str, NamedCheck] = {}
hit_filter = registrar(FILTERS, "filter")
"""Registers a check under a name, for `filter: name` in rule files; a match that fails the check is dropped."""


def find_filter(name: str) -> NamedCheck:
    """Return the filter called `name`. Raises LookupError with the nearest name, or the reason why it is a validator."""
    if name in FILTERS:
        return FILTERS[name]
    if name in VALIDATORS or name.startswith("stdnum."):
        why = "a failed checksum never vetoes masking"
        raise LookupError(f"{name} is a validator, and {why}: write `validator: {name}`")
    raise LookupError(f"no filter called {name!r}{nearest(name, FILTERS)}")


@hit_filter("has_digit")
def has_digit(text: str) -> bool:
    """It contains a digit."""
    return any(c.isdigit() for c in text)


@hit_filter("has_letter_and_digit")
def has_letter_and_digit(text: str) -> bool:
    """It contains a letter and a digit."""
    return any(c.isalpha() for c in text) and has_digit(text)


@hit_filter("has_digit_or_upper")
def has_digit_or_upper(text: str) -> bool:
    """It contains a digit, or is entirely in upper case."""
    return has_digit(text) or text.isupper()


def _enter_lengths() -> None:
    """Register filters for the least number of letters and digits, or of digits."""
    numbers = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven"}
    for least, word in numbers.items():

        def characters(text: str, least: int = least) -> bool:
            return sum(c.isalnum() for c in text) >= least

        def enough_digits(text: str, least: int = least) -> bool:
            return len(digits(text)) >= least

        characters.__doc__ = f"It has at least {word} letters and digits."
        enough_digits.__doc__ = f"It has at least {word} digits."
        characters.__qualname__, enough_digits.__qualname__ = f"{word}_characters", f"{word}_digits"
        hit_filter(f"{word}_characters")(characters)
        hit_filter(f"{word}_digits")(enough_digits)


_enter_lengths()


@hit_filter("sixteen_characters")
def sixteen_characters(text: str) -> bool:
    """It has exactly sixteen letters and digits."""
    return sum(c.isalnum() for c in text) == 16
