"""Letters that a scanner read for the digits of an age: `9O yo`, `l02 y/o`, `9l-year-old`, `Age: 9O`.

What is beside the number says that it is an age, so that no other word is read as a number.
"""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex

_DIGITS = str.maketrans("OoQlI|!ZzSBGgq", "00011112258699")
_FIRST = r"[\dlIZzSBGgq]"
_NEXT = r"[\dOoQlI|!ZzSBGgq]"
_OLDEST = 125
_HINT = lazy_regex(r"\d(?:(?<=[lIZzSBGgq]\d)|[OoQlI|!ZzSBGgq])")
"""A digit beside such a letter; it begins with the digit, because `re` looks for a first character quickly."""
_BEFORE_UNIT = lazy_regex(
    rf"(?<![\w.,/|+-])(?={_NEXT}{{0,2}}\d){_FIRST}{_NEXT}{{1,2}}"
    r"(?=[ ]?-?[ ]?(?:(?:y/?o|y\.[ ]?o\.?)[mfMF]?(?![a-z-])|(?:years?|yrs?\.?|y)[ -]{0,2}(?:olds?|of[ -]age)\b|yearold))"
)
_AFTER_CUE = lazy_regex(
    r"(?<![A-Za-z])(?:[Aa]ged?|AGED?)(?:[ ]?[:=][ ]?|[ ](?:of[ ]|is[ ])?)"
    r"(?P<n>(?=[OlI]{0,2}\d)[\dlI][\dOlI]{1,2})(?![\w%°/-]|[.,]\d)"
)


def as_digits(text: str) -> str:
    """Return the text with digits for such letters. The result has the same length."""
    if _HINT.search(text) is None:
        return text
    return _AFTER_CUE.sub(_after_cue, _BEFORE_UNIT.sub(_number, text))


def _number(match: re.Match[str]) -> str:
    digits = match[0].translate(_DIGITS)
    return digits if 0 < int(digits) <= _OLDEST else match[0]


def _after_cue(match: re.Match[str]) -> str:
    digits = match["n"].translate(_DIGITS)
    begin = match.start("n") - match.start()
    return match[0][:begin] + digits if 0 < int(digits) <= _OLDEST else match[0]
