"""Surrogates of numbers, codes and addresses: fictional values of the same shape."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable

from ....pipeline.storage.lazy_regex import lazy_regex
from ..operator import KeyedHash

_HOST_ENDINGS = frozenset(
    "www com org net edu gov info co ac nhs uk us ca au ie de se fr es example invalid test".split()
)
_SCHEME = lazy_regex(r"(?i)^(?:https?|ftp)://")


def same_shape(text: str, choices: KeyedHash, label: str) -> str | None:
    """Replace digits by digits and letters by letters in their case, and keep everything else; never return the text itself.

    Values that differ only in punctuation get the same letters and digits. None if there is neither a letter nor a digit.
    """
    original = "".join(c for c in text if c.isalnum())
    if not original:
        return None
    for attempt in range(100):
        characters = [_other(c, choices, label, original.casefold(), f"{attempt}.{i}") for i, c in enumerate(original)]
        surrogate = filled(text, characters, str.isalnum)
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
            return filled(text, new)
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


def mail(text: str, local: str, slug: Callable[[list[str]], str]) -> str:
    """Return an address below example.com, .org or .net (RFC 2606). `slug` makes the name of the host from the words of
    the old one."""
    host = text.rpartition("@")[2]
    name = _host(host, slug)
    return f"{local}@{name.upper() if host.isupper() else name}"


def web(text: str, choices: KeyedHash, slug: Callable[[list[str]], str]) -> str:
    """Return an address below example.com, .org or .net (RFC 2606), with a path if the text has one."""
    scheme = _SCHEME.match(text)
    address = _SCHEME.sub("", text)
    path = f"/{choices.token(6, 'path', text.casefold())}" if "/" in address.rstrip("/") else ""
    www = "www." if address.lower().startswith("www.") else ""
    return f"{scheme.group() if scheme else ''}{www}{_host(address.partition('/')[0], slug)}{path}"


def _host(host: str, slug: Callable[[list[str]], str]) -> str:
    """Return a reserved host for another one: equal hosts get equal ones, and so do the hosts below them."""
    labels = [label for label in host.casefold().split(".") if label not in _HOST_ENDINGS]
    ending = next((e for e in ("org", "net") if host.casefold().endswith(e)), "com")
    return f"{slug([''.join(c for c in labels[-1] if c.isalpha())] if labels else [])}.example.{ending}"


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


def filled(text: str, characters: Iterable[str], is_replaced: Callable[[str], bool] = str.isdecimal) -> str:
    """Return the text with its digits (or other characters) replaced in order."""
    new = iter(characters)
    return "".join(next(new) if is_replaced(c) else c for c in text)
