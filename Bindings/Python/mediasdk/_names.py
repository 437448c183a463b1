"""Members of enumerations by their names."""
from __future__ import annotations

from enum import Enum, IntEnum, IntFlag
from functools import reduce
from operator import index, or_
from typing import Any, TypeVar, Union

from ._arguments import wrong_type
from .errors import InvalidError

E = TypeVar("E", bound=Union[IntEnum, IntFlag])


def member(kind: type[E], value: E | str, name: str) -> E:
    """The member that an argument `name` means: itself, or its name in capitals or not; of flags several names with | between.

    Raises:
        InvalidError: no such name.
        ValueTypeError: a member of another enumeration, or no number.
    """
    if isinstance(value, kind):
        return value
    if not isinstance(value, str):
        if isinstance(value, Enum):
            raise wrong_type(name, value, f"a member of {kind.__name__}, or its name,")
        try:
            number: Any = index(value)  # a newer library may know it
        except TypeError:
            raise wrong_type(name, value, f"a member of {kind.__name__}, or its name,") from None
        return number
    members: dict[str, Any] = {known.upper(): one for known, one in kind.__members__.items()}
    try:
        found = [members[part.strip().upper()] for part in (value.split("|") if issubclass(kind, IntFlag) else [value])]
    except KeyError:
        raise InvalidError(f"{name} is {value!r}; {', '.join(kind.__members__)} are accepted") from None
    together: E = reduce(or_, found)
    return together
