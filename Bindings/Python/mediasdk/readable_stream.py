"""Reading frames, buffers and packets from the queues of a stream."""
from __future__ import annotations

from ctypes import c_int32
from typing import Any, Callable, ClassVar, Generic, Iterator, TypeVar, Union

from ._call import number, taken
from ._native import library
from ._unique import Owner
from .audio_frame import AudioFrame
from .encoded import EncodedFrame
from .errors import ClosedError, HandleError, MediaTimeout
from .frame import Frame
from .readiness import Readiness

Taken = TypeVar("Taken", bound=Union[Frame, AudioFrame])


class ReadableStream(Owner, Generic[Taken]):
    """Reads a received stream that is started, or an outgoing stream whose tap is started."""

    # The prefix of the C functions' names; the class of what is read; the names of what is read and read encoded, for texts.
    _functions: ClassVar[str]
    _made: ClassVar[type[Any]]
    _words: ClassVar[tuple[str, str]]

    _word = "stream"

    def _begin_reading(self) -> None:
        self._read, self._read_encoded = self._function("read"), self._function("read_encoded")
        self._readiness = Readiness(self._function("get_fd"), self._handle)

    def _function(self, name: str) -> Callable[..., int]:
        function: Callable[..., int] = getattr(library, f"{self._functions}_{name}")
        return function

    def read(self, timeout: float | None = None) -> Taken:
        """The oldest queued frame or buffer, read-only.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            StateError: not started.
            ClosedError: it was stopped meanwhile, or has ended and all was read.
            HandleError: the stream, or its session, was closed.
        """
        made: Taken = self._made(taken(self._read, self._handle, timeout))
        return made

    def read_encoded(self, timeout: float | None = None) -> EncodedFrame:
        """The same for encoded frames and packets, if it was started with :attr:`Output.ENCODED` or :attr:`Output.BOTH`; not of
        the mix."""
        return EncodedFrame(taken(self._read_encoded, self._handle, timeout))

    def frames(self, timeout: float | None = None) -> Iterator[Taken]:
        """What :meth:`read` gives until it is stopped or ends, or until nothing came for `timeout` seconds."""
        while True:
            try:
                yield self.read(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return

    def fileno(self) -> int:
        """A descriptor that poll() finds readable while anything is queued, encoded or not, and after it was stopped or has ended.  Do
        not read, write or close it."""
        return number(c_int32, self._function("get_fd"), self._handle)

    async def read_async(self, timeout: float | None = None) -> Taken:
        """:meth:`read` for asyncio."""
        return await self._readiness.until(self.read, timeout, self._words[0])

    async def read_encoded_async(self, timeout: float | None = None) -> EncodedFrame:
        """:meth:`read_encoded` for asyncio."""
        return await self._readiness.until(self.read_encoded, timeout, self._words[1])
