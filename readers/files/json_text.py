"""Parse JSON from documents: messages give positions and never quote the text."""

from __future__ import annotations

import json
from typing import Any

from ...typesystem.markup.strict_json import DuplicateKeyError, unique_keys

_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys)
_SPACES = " \t\r\n"


def parse_json_at(text: str, offset: int) -> tuple[Any, int, str]:
    """Return the JSON value at an offset, the offset after it, and an empty string; or what is wrong with it, at the end."""
    try:
        value, end = _DECODER.raw_decode(text, offset)
    except DuplicateKeyError:
        return None, offset, "a field occurs twice in one object"
    except RecursionError:
        return None, offset, "nested too deeply"
    except json.JSONDecodeError as error:  # its message can quote the text
        return None, offset, f"not valid JSON{describe_offset(text, error.pos)}"
    except ValueError:
        return None, offset, "a number with too many digits"
    return value, end, ""


def parse_json(text: str) -> tuple[Any, str]:
    """Return the JSON value of a text and an empty string, or None and what is wrong with it."""
    value, end, fault = parse_json_at(text, skip_spaces(text, 0))
    end = skip_spaces(text, end)
    if not fault and end < len(text):
        fault = f"not valid JSON{describe_offset(text, end)}"
    return (None, fault) if fault else (value, "")


def skip_spaces(text: str, offset: int) -> int:
    """Return the offset of the next character that is not white space of JSON."""
    while text[offset : offset + 1] and text[offset] in _SPACES:
        offset += 1
    return offset


def describe_offset(text: str, offset: int) -> str:
    """Return ` (column 3)`, or ` (line 2, column 3)` for a text of several lines."""
    column = offset - text.rfind("\n", 0, offset)
    line = text.count("\n", 0, offset) + 1
    return f" (line {line}, column {column})" if "\n" in text.strip() else f" (column {column})"
