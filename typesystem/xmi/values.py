"""Write single values: the limits of UIMA's numbers, Java's spelling of floats, and checks of the Python types."""

from __future__ import annotations

import math
import struct
from typing import Any

LIMITS: dict[str, tuple[int, int]] = {
    "uima.cas.Byte": (-(2**7), 2**7 - 1),
    "uima.cas.Short": (-(2**15), 2**15 - 1),
    "uima.cas.Integer": (-(2**31), 2**31 - 1),
    "uima.cas.Long": (-(2**63), 2**63 - 1),
}


def integer(value: Any, range_: str) -> str:
    """Write an integer. Raises TypeError for other types, OverflowError outside the range."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"expected int, got {type(value).__name__}")
    number = value.__index__()
    low, high = LIMITS[range_]
    if not low <= number <= high:
        raise OverflowError(f"expected {low} to {high}")
    return str(number)


def double(value: Any) -> str:
    """Write a Double. Raises TypeError for other types."""
    if isinstance(value, bool) or not (isinstance(value, float) or hasattr(value, "__index__") or _is_float(value)):
        raise TypeError(f"expected float, got {type(value).__name__}")
    number = float(value)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number)


def _is_float(value: Any) -> bool:
    return hasattr(value, "__float__") and hasattr(value, "dtype")  # numpy's float32 is not a float


def single(value: Any) -> str:
    """Write a Float with all its digits: Java rounds to 32 bits, Python restores the exact value.

    Raises TypeError for other types, OverflowError outside the range.
    """
    text = double(value)
    if text[-1] not in "Ny":
        try:
            struct.pack("<f", float(text))
        except OverflowError:
            raise OverflowError("expected a float of 32 bits") from None
    return text


def boolean(value: Any) -> str:
    """Write a Boolean. Raises TypeError for other types."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if type(value).__name__ == "bool_" or (type(value).__module__ == "numpy" and type(value).__name__ == "bool"):
        return "true" if value else "false"
    raise TypeError(f"expected bool, got {type(value).__name__}")


def number(value: Any, range_: str) -> str:
    """Write a value of any primitive range except String."""
    if range_ in LIMITS:
        return integer(value, range_)
    return (
        double(value)
        if range_ == "uima.cas.Double"
        else single(value)
        if range_ == "uima.cas.Float"
        else boolean(value)
    )


def byte_array(value: Any) -> str:
    """Write bytes as hexadecimal pairs. Raises TypeError, and OverflowError for numbers outside -128 to 255."""
    if isinstance(value, bytes | bytearray):
        return value.hex().upper()
    numbers = list(value)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"expected bytes, got a list with {type(number).__name__}")
        if not -128 <= number <= 255:
            raise OverflowError("expected bytes of -128 to 255")
    return bytes(n & 0xFF for n in numbers).hex().upper()
