"""Objects that cannot be copied."""
from __future__ import annotations

from typing import ClassVar, NoReturn, SupportsIndex

from .errors import HandleError


class Unique:
    """Owns an object of the SDK, or holds a reference to one.  A copy would be a second owner, which ends it for the first."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"{type(self).__name__} objects cannot be copied or pickled: each owns an object of the SDK")


class Owner(Unique):
    """Has a handle of the library's until it is closed."""

    _word: ClassVar[str]  # what it is, for texts
    _raw_handle = 0
    _closed = False

    @property
    def _handle(self) -> int:
        """For a call, in which a closed object has none."""
        if self._closed:
            raise HandleError(f"the {self._word} is closed")
        return self._raw_handle
