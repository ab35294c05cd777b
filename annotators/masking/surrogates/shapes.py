"""Numbers, codes and addresses of the same shape that belong to nobody."""

from __future__ import annotations

import re
import string

from .keyed_choices import KeyedChoices

_EXTENSION = re.compile(r"(?i)\b(?:ext|extension|x)\.?\s*\d+\s*$")
_SCHEME = re.compile(r"(?i)^(?:https?|ftp)://")
_CODE = 999


def shaped(text: str, draws: KeyedChoices, label: str) -> str | None:
    """Digits for digits, letters for letters in their case, everything else as it is; never the text itself.

    What differs only in punctuation gets the same letters and digits. None where there is neither letter nor digit.
    """
    said = "".join(c for c in text if c.isalnum())
    if not said:
        return None
    for attempt in range(100):
        new = iter([_other(c, draws, label, said.casefold(), f"{attempt}.{i}") for i, c in enumerate(said)])
        made = "".join(next(new) if c.isalnum() else c for c in text)
        if made.casefold() != text.casefold():
            return made
    return None


def _other(char: str, draws: KeyedChoices, *what: str) -> str:
    if char == "0" or not char.isdecimal():
        letters = string.ascii_lowercase if char.islower() else string.ascii_uppercase
        return draws.choice(string.digits if char.isdecimal() else letters, *what)
    return draws.choice("123456789", *what)


def social_security(text: str, draws: KeyedChoices) -> str | None:
    """Nine digits as 9xx-01...49-xxxx: no social security number begins with 9, and taxpayer numbers that do have 50 or more
    in the middle. Other numbers by shape."""
    digits = [c for c in text if c.isdecimal()]
    if len(digits) != 9:
        return shaped(text, draws, "id")
    said = "".join(digits)
    for attempt in range(100):
        group = 1 + draws.number(49, "ssn group", said, str(attempt))
        rest = draws.number(10**6, "ssn", said, str(attempt))
        new = f"9{rest // 10**4:02d}{group:02d}{rest % 10**4:04d}"
        if new != said:
            return _refill(text, new)
    return None


def card(text: str, draws: KeyedChoices) -> str | None:
    """A number of the same shape that fails the check of payment cards (ISO/IEC 7812, Luhn)."""
    made = shaped(text, draws, "card")
    if made is None or not luhn(made):
        return made
    at = max(i for i, c in enumerate(made) if c.isdecimal())
    changed = [made[:at] + digit + made[at + 1 :] for digit in string.digits if digit != made[at]]
    return next((number for number in changed if number != text), None)


def luhn(text: str) -> bool:
    """Whether the digits of a text pass the Luhn check."""
    digits = [int(c) for c in text if c.isdecimal()]
    doubled = [d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(digits))]
    return bool(digits) and sum(doubled) % 10 == 0


def phone(text: str, draws: KeyedChoices) -> str | None:
    """A number between 555-0100 and 555-0199, which the North American Numbering Plan keeps for fiction, in the
    punctuation of the text where it has seven, ten or, with the country code 1, eleven digits. Shorter ones by shape."""
    ending = _EXTENSION.search(text)
    extension = shaped(ending.group(), draws, "extension") if ending else ""
    head = text[: ending.start()] if ending else text
    said = "".join(c for c in head if c.isdecimal())
    if len(said) < 7:
        return shaped(text, draws, "phone")
    area = f"{2 + draws.number(8, 'area', said)}{draws.number(9, 'area middle', said)}{draws.number(10, 'area last', said)}"
    line = f"55501{draws.number(100, 'line', said):02d}"
    if said.endswith(line):
        line = f"{line[:5]}{(int(line[5:]) + 1) % 100:02d}"
    foreign = head.lstrip().startswith("+") and not said.startswith("1")
    new = (
        "" if foreign else {7: line, 10: area + line, 11: f"1{area}{line}" if said[0] == "1" else ""}.get(len(said), "")
    )
    if extension and ending:  # the word before the digits is no part of the number
        kept = re.match(r"\D*", ending.group())
        extension = (kept.group() if kept else "") + "".join(c for c in extension if c.isdecimal())
    return (_refill(head, new) if new else f"{area}-555-{line[3:]}") + (extension or "")


def mail(text: str, draws: KeyedChoices, name: str) -> str:
    """An address at example.com (RFC 2606). `name`: its local part without the number that tells addresses apart."""
    return f"{name}{draws.number(_CODE, 'mail number', text.casefold())}@example.com"


def web(text: str, draws: KeyedChoices) -> str:
    """An address below example.org (RFC 2606), with a path if the text has one."""
    said = text.casefold()
    scheme = _SCHEME.match(text)
    rest = _SCHEME.sub("", text)
    path = f"/{draws.token(6, 'path', said)}" if "/" in rest.rstrip("/") else ""
    www = "www." if rest.lower().startswith("www.") else ""
    host = rest.partition("/")[0].casefold()
    return f"{scheme.group() if scheme else ''}{www}{draws.token(6, 'host', host)}.example.org{path}"


def internet(text: str, draws: KeyedChoices) -> str:
    """An address of the documentation ranges: 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24 (RFC 5737), 2001:db8::/32
    (RFC 3849)."""
    said = text.casefold()
    if ":" in text and "." not in text:
        groups = [f"{draws.number(1 << 16, 'ipv6', said, str(i)):x}" for i in range(4)]
        return f"2001:db8:{groups[0]}:{groups[1]}::{groups[2]}:{groups[3]}"
    net = draws.choice(("192.0.2", "198.51.100", "203.0.113"), "ipv4 net", said)
    host = 1 + draws.number(254, "ipv4", said)
    made = f"{net}.{host}"
    return made if made != text else f"{net}.{host % 254 + 1}"


def hardware(text: str, draws: KeyedChoices) -> str:
    """A MAC address of the documentation range 00-00-5E-00-53-00 to -FF (RFC 9542)."""
    joint = next((c for c in text if c in ":-."), ":")
    last = draws.number(256, "mac", text.casefold())
    octets = ["00", "00", "5E", "00", "53", f"{last:02X}"]
    if joint == ".":
        octets = ["".join(octets[i : i + 2]) for i in (0, 2, 4)]
    made = joint.join(octets)
    return made.lower() if text == text.lower() else made


def _refill(text: str, digits: str) -> str:
    new = iter(digits)
    return "".join(next(new) if c.isdecimal() else c for c in text)
