"""Frames in a place of fixed size: scale, bars, mirror, rotation."""
from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from typing import NamedTuple

from . import _structs
from ._arguments import whole
from ._call import bounded, check, sized
from ._names import member
from ._native import library
from .constants import Orientation, Scale


class Rectangle(NamedTuple):
    """Whole pixels, from the left upper corner."""

    x: int
    y: int
    width: int
    height: int


class Placement(NamedTuple):
    """Where a frame goes in a view.

    Attributes:
        orientation: the frame's and the view's in one.
        source: the part of the stored frame that is seen, before it is rotated.
        target: where it is in the view.
    """

    orientation: Orientation
    source: Rectangle
    target: Rectangle


@dataclass(frozen=True, init=False)
class View:
    """A place of that size, into which frames of any size are put.

    Attributes:
        scale: all of the frame with bars, no bars but cut, or out of proportion.
        orientation: carried out after the frame's own; :attr:`Orientation.MIRROR` shows oneself as in a mirror.
        background: of the bars, 0xRRGGBB.
    """

    width: int
    height: int
    scale: Scale
    orientation: Orientation
    background: int

    def __init__(self, width: int, height: int, scale: Scale | str = Scale.FIT, orientation: Orientation | str = Orientation.ROTATE_0,
                 background: int = 0) -> None:
        values = {"width": whole(width, "width"), "height": whole(height, "height"), "scale": member(Scale, scale, "scale"),
                  "orientation": member(Orientation, orientation, "orientation"), "background": whole(background, "background")}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def place(self, width: int, height: int, orientation: Orientation | str = Orientation.ROTATE_0) -> Placement:
        """Where a stored frame of that size and orientation goes.  Pure arithmetic.

        Raises:
            RangeError: a size outside 1..16384.
        """
        out = _structs.Placement()
        check(library.msdk_view_place(byref(self._struct()), bounded(width, 32, "width"), bounded(height, 32, "height"),
                                      member(Orientation, orientation, "orientation"), byref(out)))
        return Placement(Orientation(out.orientation), _rectangle(out.source), _rectangle(out.target))

    def _struct(self) -> _structs.View:
        struct: _structs.View = sized(_structs.View, width=self.width, height=self.height, scale=self.scale,
                                      orientation=self.orientation, background=self.background)
        return struct


def _rectangle(native: _structs.Rectangle) -> Rectangle:
    return Rectangle(native.x, native.y, native.width, native.height)
