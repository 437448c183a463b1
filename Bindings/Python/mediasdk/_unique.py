"""Objects that cannot be copied."""
from __future__ import annotations

from typing import NoReturn, SupportsIndex


class Unique:
    """Owns an object of the SDK, or holds a reference to one.  A copy would be a second owner, which ends it for the first."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"{type(self).__name__} objects cannot be copied or pickled: each owns an object of the SDK")
