"""Surrogates of numbers, codes, addresses and ages: fictional values of the same shape."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable

from ...dates.numerals import CARDINAL, cardinal
from ..operator import KeyedHash

_EXTENSION = re.compile(r"(?i)\b(?:ext|extension|x)\.?\s*\d+\s*$")
_NUMBER = re.compile(rf"\d+|\b{CARDINAL}\b", re.IGNORECASE)
_HIGHEST = 89
_SCHEME = re.compile(r"(?i)^(?:https?|ftp)://")


def same_shape(text: str, choices: KeyedHash, label: str) -> str | None:
    """Replace digits by digits and letters by letters in their case, and keep everything else; never return the text itself.

    Values that differ only in punctuation get the same letters and digits. None if there is neither a letter nor a digit.
    """
    original = "".join(c for c in text if c.isalnum())
    if not original:
        return None
    for attempt in range(100):
        characters = [_other(c, choices, label, original.casefold(), f"{attempt}.{i}") for i, c in enumerate(original)]
        surrogate = _fill(text, characters, str.isalnum)
        if surrogate.casefold() != text.casefold():
            return surrogate
    return None


def _other(char: str, choices: KeyedHash, *what: str) -> str:
    if char == "0" or not char.isdecimal():
        letters = string.ascii_lowercase if char.islower() else string.ascii_uppercase
        return choices.choice(string.digits if char.isdecimal() else letters, *what)
    return choices.choice("123456789", *what)


def social_security(text: str, choices: KeyedHash) -> str | None:
    """Return nine digits as 9xx-01...49-xxxx, other numbers by shape. Social security numbers do not begin with 9, and taxpayer
    numbers that do have 50 or more in the middle."""
    original = "".join(c for c in text if c.isdecimal())
    if len(original) != 9:
        return same_shape(text, choices, "id")
    for attempt in range(100):
        group = 1 + choices.number(49, "ssn group", original, str(attempt))
        others = choices.number(10**6, "ssn", original, str(attempt))
        new = f"9{others // 10**4:02d}{group:02d}{others % 10**4:04d}"
        if new != original:
            return _fill(text, new)
    return None


def card(text: str, choices: KeyedHash) -> str | None:
    """Return a number of the same shape that fails the checksum of payment cards (ISO/IEC 7812, Luhn)."""
    number = same_shape(text, choices, "card")
    if number is None or not luhn(number):
        return number
    last = max(i for i, c in enumerate(number) if c.isdecimal())
    changed = [number[:last] + digit + number[last + 1 :] for digit in string.digits if digit != number[last]]
    return next((other for other in changed if other != text), None)


def luhn(text: str) -> bool:
    """Return whether the digits of a text pass the Luhn check."""
    digits = [int(c) for c in text if c.isdecimal()]
    doubled = [d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(digits))]
    return bool(digits) and sum(doubled) % 10 == 0


def phone(text: str, choices: KeyedHash) -> str | None:
    """Return a number between 555-0100 and 555-0199, which the North American Numbering Plan reserves for fiction; shorter
    numbers by shape.

    It has the punctuation of the text if that has seven, ten or, with the country code 1, eleven digits.
    """
    ending = _EXTENSION.search(text)
    extension = same_shape(ending.group(), choices, "extension") if ending else ""
    main = text[: ending.start()] if ending else text
    digits = "".join(c for c in main if c.isdecimal())
    if len(digits) < 7:
        return same_shape(text, choices, "phone")
    area = "".join(
        [
            str(2 + choices.number(8, "area", digits)),
            str(choices.number(9, "area middle", digits)),
            str(choices.number(10, "area last", digits)),
        ]
    )
    line = f"55501{choices.number(100, 'line', digits):02d}"
    if digits.endswith(line):
        line = f"{line[:5]}{(int(line[5:]) + 1) % 100:02d}"
    new = {7: line, 10: area + line, 11: f"1{area}{line}" if digits[0] == "1" else ""}.get(len(digits), "")
    if main.lstrip().startswith("+") and not digits.startswith("1"):  # a foreign number
        new = ""
    if extension and ending:  # the word before the digits is not a part of the number
        word = re.match(r"\D*", ending.group())
        extension = (word.group() if word else "") + "".join(c for c in extension if c.isdecimal())
    return (_fill(main, new) if new else f"{area}-555-{line[3:]}") + (extension or "")


def age(text: str, choices: KeyedHash) -> str | None:
    """Return the text with its number changed by one or two, upwards only below 3, never above 89; None unless there is exactly
    one number."""
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1:
        return None
    number = numbers[0].group()
    years = int(number) if number.isdecimal() else cardinal(number)
    if years is None:
        return None
    steps = [s for s in (-2, -1, 1, 2) if 1 <= years + s <= max(_HIGHEST, years - 1) and (years > 2 or s > 0)]
    new = years + choices.choice(steps, "age", str(years))
    return f"{text[: numbers[0].start()]}{new}{text[numbers[0].end() :]}"


def mail(text: str, choices: KeyedHash, name: str) -> str:
    """Return an address at example.com (RFC 2606). `name`: its local part without the number that distinguishes addresses."""
    return f"{name}{choices.number(999, 'mail number', text.casefold())}@example.com"


def web(text: str, choices: KeyedHash) -> str:
    """Return an address below example.org (RFC 2606), with a path if the text has one."""
    scheme = _SCHEME.match(text)
    address = _SCHEME.sub("", text)
    path = f"/{choices.token(6, 'path', text.casefold())}" if "/" in address.rstrip("/") else ""
    www = "www." if address.lower().startswith("www.") else ""
    host = choices.token(6, "host", address.partition("/")[0].casefold())
    return f"{scheme.group() if scheme else ''}{www}{host}.example.org{path}"


def internet(text: str, choices: KeyedHash) -> str:
    """Return an address of the documentation ranges: 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24 (RFC 5737), 2001:db8::/32
    (RFC 3849)."""
    key = text.casefold()
    if ":" in text and "." not in text:
        groups = [f"{choices.number(1 << 16, 'ipv6', key, str(i)):x}" for i in range(4)]
        return f"2001:db8:{groups[0]}:{groups[1]}::{groups[2]}:{groups[3]}"
    net = choices.choice(("192.0.2", "198.51.100", "203.0.113"), "ipv4 net", key)
    host = 1 + choices.number(254, "ipv4", key)
    address = f"{net}.{host}"
    return address if address != text else f"{net}.{host % 254 + 1}"


def hardware(text: str, choices: KeyedHash) -> str:
    """Return a MAC address of the documentation range 00-00-5E-00-53-00 to -FF (RFC 9542)."""
    separator = next((c for c in text if c in ":-."), ":")
    last = choices.number(256, "mac", text.casefold())
    groups = ["0000", "5E00", f"53{last:02X}"] if separator == "." else ["00", "00", "5E", "00", "53", f"{last:02X}"]
    address = separator.join(groups)
    return address.lower() if text == text.lower() else address


def _fill(text: str, characters: Iterable[str], is_replaced: Callable[[str], bool] = str.isdecimal) -> str:
    """Return the text with its digits (or other characters) replaced in order."""
    new = iter(characters)
    return "".join(next(new) if is_replaced(c) else c for c in text)
