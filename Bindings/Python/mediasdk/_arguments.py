"""What a program passes: refused where it has the wrong type, before it becomes a value of C's."""
from __future__ import annotations

import math
import operator
from typing import Any, TypeVar

from .errors import InvalidError, RangeError, ValueTypeError

T = TypeVar("T")


def wrong_type(name: str, value: object, accepted: str) -> ValueTypeError:
    return ValueTypeError(f"{name} is {value!r:.100}; {accepted} is accepted")


def whole(value: Any, name: str) -> int:
    """An int, also one of numpy's."""
    if isinstance(value, int):
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise wrong_type(name, value, "an int") from None


def fitting(value: Any, low: int, high: int, name: str) -> int:
    """An int that fits a C type, which ctypes would cut unseen.  What is accepted of those that fit is the library's to say."""
    number = whole(value, name)
    if not low <= number <= high:
        bound = "negative number" if low == 0 > number else f"number of more than {(high - low).bit_length()} bits"
        raise RangeError(f"{name} is {number}; no {bound} is accepted")
    return number


def is_numpy_bool(value: object) -> bool:
    """Without numpy, which need not be there."""
    return type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")


def switch(value: Any, name: str) -> int:
    """A bool, also one of numpy's.  What another number means is the library's to say."""
    if isinstance(value, int) or is_numpy_bool(value):
        return int(value)
    raise wrong_type(name, value, "a bool")


def real(value: Any, name: str, accepted: str = "a number") -> float:
    """A float, from any number."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)
    except (TypeError, ValueError):
        raise wrong_type(name, value, accepted) from None


def duration(value: Any, name: str, unit: int) -> int:
    """Seconds as an int of C's units."""
    number = real(value, name, "a number of seconds")
    if not math.isfinite(number):
        raise InvalidError(f"{name} is {value!r:.100}; a finite number of seconds is accepted")
    return round(number * unit)


def octets(value: Any, name: str, accepted: str = "bytes, a bytearray, or another buffer of bytes") -> bytes:
    """A copy of bytes, never of numbers of another type.  They may be a secret, and are not in the error's text."""
    try:
        view = memoryview(value)
    except (TypeError, ValueError, BufferError):
        raise ValueTypeError(f"{name} is of the type {type(value).__name__}; {accepted} is accepted") from None
    if view.format.lstrip("@=<>!") not in ("B", "b", "c"):
        raise ValueTypeError(f"{name} is a {type(value).__name__} of the type code {view.format!r}; {accepted} is accepted")
    return view.tobytes()


def listed_argument(values: Any, name: str, accepted: str) -> list[Any]:
    """Several, one after the other."""
    try:
        return list(values)
    except TypeError:
        raise wrong_type(name, values, accepted) from None


def utf8(text: str, name: str) -> bytes:
    """A text whose length is passed with it."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise half_a_character(name, error) from None


def utf8_or_octets(value: Any, name: str) -> bytes:
    if isinstance(value, str):
        return utf8(value, name)
    return octets(value, name, "a str, bytes, or another buffer of bytes")


def half_a_character(name: str, error: UnicodeEncodeError) -> InvalidError:
    return InvalidError(f"{name} has half a surrogate pair at {error.start}; text of whole characters is accepted")


def expected(value: Any, kind: type[T], name: str) -> T:
    """An object of the binding."""
    if isinstance(value, kind):
        return value
    raise wrong_type(name, value, f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}")


def expected_engine(value: Any) -> Any:
    """An Engine, whose module imports all others."""
    if any(kind.__name__ == "Engine" for kind in type(value).__mro__):
        return value
    raise wrong_type("engine", value, "an Engine")
