"""When the frames of a stream are due."""
from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, AsyncIterator, Generator, Iterator

from ._arguments import expected_engine
from .errors import ClosedError, InvalidError, MediaTimeout
from .formats import Rate, rate
from .pacing import asleep, paced

if TYPE_CHECKING:
    from .engine import Engine

_LONGEST = 0.1  # seconds asleep in a row: the engine may be closed
_VIRTUAL = 0.001  # a virtual clock moves whenever its program likes


class FramePacer:
    """Waits until frames are due, at times of the engine's clock that do not depend on how long drawing or waking up takes:

        for due in FramePacer(engine, 30):
            sender.send_image(draw(), due)

    The first frame is due at once.  A program that is late by a frame or more continues with the frame that is due now; the missed
    frames are counted in :attr:`skipped` and are not sent in a burst.  In asyncio it is ``async for``.

    Attributes:
        skipped: how many frames were missed.
    """

    def __init__(self, engine: Engine, fps: Rate) -> None:
        """Raises:
            InvalidError: a rate that is not above 0.
        """
        self._engine: Engine = expected_engine(engine)
        self._fps = _above_0(fps)
        self._start: int | None = None  # when frame 0 was due
        self._number = 0  # of the next frame
        self.skipped = 0

    @property
    def fps(self) -> Fraction:
        """Frames a second."""
        return self._fps

    def set_fps(self, fps: Rate) -> None:
        """Another rate, from the frame after the next one on."""
        exact = _above_0(fps)
        if exact != self._fps and self._start is not None:
            self._start, self._number = self._due(self._number), 0
        self._fps = exact

    def wait(self, timeout: float | None = None) -> int:
        """Returns when the next frame is due, with that time in nanoseconds: the frame's timestamp.

        Args:
            timeout: seconds to wait; None: no limit.

        Raises:
            MediaTimeout: it was not due in time; it still is the next one.
            ClosedError: the engine was closed.
        """
        return self._in_time(paced(self.steps(), timeout), timeout)

    async def wait_async(self, timeout: float | None = None) -> int:
        """:meth:`wait` for asyncio."""
        return self._in_time(await asleep(self.steps(), timeout), timeout)

    def __iter__(self) -> Iterator[int]:
        """The times of all frames, until the engine is closed."""
        while True:
            try:
                due = self.wait()
            except ClosedError:
                return
            yield due

    async def __aiter__(self) -> AsyncIterator[int]:
        while True:
            try:
                due = await self.wait_async()
            except ClosedError:
                return
            yield due

    def steps(self) -> Generator[tuple[float, None], None, int]:
        """For the package itself: the pauses until the next frame is due."""
        while True:
            now = self._engine.now()
            if self._engine._closed:
                raise ClosedError("the engine was closed while a frame was waited for")
            if self._start is None:
                self._start = now
            left = self._due(self._number) - now
            if left <= 0:
                break
            yield (_VIRTUAL if self._engine._virtual else min(left / 1e9, _LONGEST)), None
        missed = int(Fraction(-left, 1_000_000_000) * self._fps)
        self.skipped += missed
        due = self._due(self._number + missed)
        self._number += missed + 1
        return due

    def _due(self, number: int) -> int:
        return (self._start or 0) + round(number * 1_000_000_000 / self._fps)

    @staticmethod
    def _in_time(due: int | None, timeout: float | None) -> int:
        if due is None:
            raise MediaTimeout(f"no frame was due within {timeout} s")
        return due


def _above_0(value: Rate) -> Fraction:
    exact = rate(value)
    if not exact:
        raise InvalidError(f"fps is {value!r}; a rate above 0 is accepted")
    return exact
