"""Other telephone numbers, addresses on the internet, and identifiers, in the form of the old ones."""

from __future__ import annotations

import re

from ...synthetic.draws import Draws
from .letters import like, other_characters, other_digits, plain
from .people import People
from .place_words import proper_name, words

_NORTH_AMERICAN = re.compile(r"(\(?)(\d{3})(\)?[\s.-]*)(\d{3})([\s.-]*)(\d{4})(?!\d)")
_FICTIONAL = 0.5
"""Share of North American numbers with the exchange 555."""
_HOST = re.compile(
    r"(?P<scheme>https?://)?(?P<www>www\d?\.)?(?P<host>[\w-]+)(?P<tail>(?:\.[\w-]+)*)(?P<path>[/?:#].*)?",
    re.IGNORECASE | re.DOTALL,
)


class Contacts:
    """Replaces contacts and numbers of one document."""

    def __init__(self, people: People, draws: Draws) -> None:
        self._people, self._draws = people, draws
        self._hosts: dict[str, str] = {}

    def phone(self, text: str) -> str:
        draws = self._draws

        def other(match: re.Match[str]) -> str:
            exchange = "555" if draws.chance(_FICTIONAL) else str(draws.between(201, 999))
            line = f"01{draws.below(100):02d}" if exchange == "555" else f"{draws.below(10000):04d}"
            return f"{match[1]}{draws.between(201, 989)}{match[3]}{exchange}{match[5]}{line}"

        if text.lstrip().startswith("+") and not text.lstrip().startswith("+1"):
            code = re.match(r"\s*\+\d{1,2}", text)
            end = code.end() if code else 0
            return text[:end] + other_digits(text[end:], draws)
        changed, count = _NORTH_AMERICAN.subn(other, text, count=1)
        if count and re.match(r"\d{3}-\d{2}-", text) is None:
            match = _NORTH_AMERICAN.search(text)
            assert match is not None
            return (
                text[: match.start()] + changed[match.start() : match.end()] + other_digits(text[match.end() :], draws)
            )
        return other_digits(text, draws)

    def number(self, text: str) -> str:
        return other_characters(text, self._draws)

    def user_name(self, text: str) -> str:
        return self._people.user_name(text)

    def email(self, text: str) -> str:
        local, at, domain = text.partition("@")
        if not at:
            return text if "@" in text else self._people.user_name(text)
        return f"{self._people.user_name(local)}@{self._domain(domain)}"

    def url(self, text: str) -> str:
        match = _HOST.fullmatch(text)
        if match is None:
            return other_digits(text, self._draws)
        host = self._domain(match["host"] + match["tail"])
        return f"{match['scheme'] or ''}{match['www'] or ''}{host}{other_digits(match['path'] or '', self._draws)}"

    def internet(self, text: str) -> str:
        """Return another IP address."""
        return re.sub(r"\d+", lambda m: str(self._draws.between(1, 254)) if int(m[0]) < 256 else m[0], text)

    def _domain(self, text: str) -> str:
        """Return another domain with the same end: `.org`, `.example.uk`."""
        if text not in self._hosts:
            host, dot, tail = text.partition(".")
            new = plain(proper_name(self._draws))[:14] + (
                self._draws.pick(words("website")) if self._draws.chance(0.5) else ""
            )
            self._hosts[text] = like(new, host) + dot + tail
        return self._hosts[text]
