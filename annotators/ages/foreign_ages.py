"""Ages over 89 in the words of other languages: `93-vuotias`, `93 éves`, `w wieku 93 lat`, `93歳`, `nonagénaire`."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex

_N = r"(?<![\w.,/-])(?P<n>9\d|1[01]\d|12[0-5])"
_NOT_AGO = r"(?![ ](?:siden|sedan|sitten|temu|zpět|önce|ezelőtt|назад|тому)\b)"
_PLAIN = (
    # Polish, Czech, Slovak, Slovene, Croatian
    rf"\b(?:w[ ]wieku|wiek|ma|miał|miała|lat|ve[ ]věku|věk|je[ ]mu|je[ ]jí|vo[ ]veku|vek|star|stara"
    rf"|starost)[ :]{{1,2}}(?P<span>{_N}(?:[ ](?:lata?|let|rokov|godina))?)(?![\w%])",
    rf"(?P<span>{_N}[ -]?(?:letni\w{{0,3}}|letý\w{{0,3}}|letá|leté\w{{0,3}}|letou|ročn\w{{1,4}}"
    rf"|godišnj\w{{1,4}}|godina|letnik\w{{0,2}}|letnica))\b",
    # Hungarian, Turkish, Romanian, Vietnamese, Indonesian
    rf"(?P<span>{_N}[ -]?(?:éves\w{{0,4}}|yaş(?:ında(?:ki)?|ındadır)?|tuổi|tahun|(?:de[ ])?ani)){_NOT_AGO}(?!\w)",
    # Swedish, Norwegian, Danish, Finnish
    rf"(?P<span>{_N}[ -]?(?:år(?:ig|iga|ige|ing|s)?|vuotia\w{{1,6}}|vuotta)(?:[ ](?:gammal|gammel"
    rf"|gamle|gamla|vanha))?){_NOT_AGO}(?!\w)",
    # German, Dutch
    rf"(?P<span>{_N}[ -]?(?:lenze|j\.[ ]?a(?:lt)?\b|jr\.?[ ]oud|jarige))(?!\w)",
    # Russian, Ukrainian, Bulgarian, Greek
    rf"(?P<span>{_N}[ -]?(?:лет\w{{0,5}}|год\w{{0,5}}|рок\w{{0,4}}|річн\w{{0,4}}|ετών"
    rf"|χρον\w{{1,4}})){_NOT_AGO}(?!\w)",
    # Arabic
    rf"(?P<span>{_N}[ ](?:عام\w{{0,2}}|سنة))",
)
_JOINED = r"(?<!\d)(?P<span>(?P<n>9\d|1[01]\d|12[0-5])[ ]?(?:歳|才|岁|歲|세(?!기)|살))"
_TENS_WORDS = (
    r"\b(?P<span>(?:noventa(?:[ ]y[ ]\w{2,6}|[ ]e[ ]\w{2,6})?|novanta\w{0,7}"
    r"|quatre[- ]vingt[- ](?:dix|onze|douze|treize|quatorze|quinze|seize)"
    r"(?:[- ](?:sept|huit|neuf))?|nonante(?:[- ]\w{2,6})?|\w{0,8}?neunzig|\w{0,8}?negentig"
    r"|cien(?:to[ ]\w{2,6})?|cento|hundert|honderd)"
    r"[ -](?:años|anos|anni|ans|jahre|jaar))\b"
)
_NAMED = (
    r"\b(?P<span>nonag[eéè]n[aá]ri[oa]s?|nonag[eé]naires?|nonagenari"
    r"|(?:ultra)?centenari[oa]s?(?![ ](?:del?|da|do|della)\b)|centen[aá]ri[oa]s?(?![ ](?:del?|da|do"
    r"|della)\b)"
    r"|centenaires?|novanten(?:ne|ni)|ultranovantenn[ei]|\w{0,12}neunzigj[äa]e?hrig\w{0,2}"
    r"|hundertj[äa]e?hrig\w{0,2}|\w{0,12}negentigjarig\w{0,2}|honderdjarig\w{0,2}"
    r"|nittio\w{0,5}åring\w{0,3}|dziewięćdziesięcio\w{0,8}letni\w{0,3})\b"
)


class ForeignAges(NamedTuple):
    """A notation: letters of which a text in small letters contains some, and its pattern with the groups `span` and `n`, the
    number if there is one. A text with the letters is searched only if it also contains the hint, which takes longer."""

    name: str
    letters: tuple[str, ...]
    hint: re.Pattern[str] | None
    pattern: re.Pattern[str]

    def may_occur(self, low: str) -> bool:
        """Return whether a text in small letters may contain such an age."""
        return any(letters in low for letters in self.letters) and (
            self.hint is None or self.hint.search(low) is not None
        )


def _entry(name: str, letters: str, hint: str, pattern: str) -> ForeignAges:
    hinted = lazy_regex(hint) if hint else None
    return ForeignAges(name, tuple(letters.split("|")), hinted, lazy_regex(pattern, re.IGNORECASE))


_HINTS = (
    ("wiek|ma |miał|lat |věk|je m|je j|vek|star", r"wiek|\bma \d|miał|\blat |věk|\bje [mj]|vek|star"),
    ("letn|letý|letá|leté|leto|ročn|godin|godiš", ""),
    ("éves|yaş|tuổi|tahun|ani", r"éves|yaş|tuổi|tahun|\bani\b"),
    ("år|vuot", r"\dår|\d[ -]år|vuot"),
    ("lenze|j.|oud|jarige", r"lenze|\dj\.|\d j\.|oud|jarige"),
    ("лет|год|рок|річ|ετών|χρον", ""),
    ("عام|سنة", ""),
)
FOREIGN = (
    *(_entry("n in other words", *hints, pattern) for hints, pattern in zip(_HINTS, _PLAIN, strict=True)),
    _entry("n in other signs", "歳|才|岁|歲|세|살", "", _JOINED),
    _entry(
        "n in words of other languages",
        "noventa|novanta|vingt|nonante|neunzig|negentig|cien|cento|hundert|honderd",
        "",
        _TENS_WORDS,
    ),
    _entry(
        "name of an age",
        "nonag|centen|novanten|hrig|jarig|nittio|dziewi",
        "nonag|centen|novanten|j[äa]e?hrig|jarig|nittio|dziewi",
        _NAMED,
    ),
)
