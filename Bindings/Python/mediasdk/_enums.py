"""What the enumerations of constants.py are made of."""
from __future__ import annotations

from enum import IntEnum


class OpenEnum(IntEnum):
    """An enumeration to which newer libraries may add: an unknown value becomes a member UNKNOWN_<value>, not an error.

    A member equals the number of its C constant, and no member of another such enumeration: the quality of a network is never the
    state of a session, whatever their numbers.
    """

    @classmethod
    def _missing_(cls, value: object) -> OpenEnum | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_, member._value_ = f"UNKNOWN_{value}", value
        return member

    def _is_apart(self, other: object) -> bool:
        return isinstance(other, OpenEnum) and type(other) is not type(self)

    def __eq__(self, other: object) -> bool:
        return False if self._is_apart(other) else int.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return True if self._is_apart(other) else int.__ne__(self, other)

    __hash__ = int.__hash__
