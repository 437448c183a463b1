"""What somebody else's pictures and sound have in common."""
from __future__ import annotations

from ctypes import c_int32, c_uint32
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, ClassVar, Generic, Iterator, TypeVar

from ._call import check, number, taken
from ._native import library
from .constants import Codec, IncomingState
from .encoded import EncodedFrame
from .errors import ClosedError, ForkedError, HandleError, MediaTimeout
from .instance import Instance
from .readiness import Readiness

if TYPE_CHECKING:
    from .session import Session

Taken = TypeVar("Taken")
Stream = TypeVar("Stream", bound="IncomingStream[Any]")


class IncomingStream(Generic[Taken]):
    """What :class:`IncomingVideo`, which gives frames, and :class:`IncomingAudio`, which gives buffers of sound, can both do."""

    # What the names of the C functions begin with; the class of what is read; what is read and read encoded, in words.
    _functions: ClassVar[str]
    _made: ClassVar[type[Any]]
    _words: ClassVar[tuple[str, str]]

    def __init__(self, handle: int, session: Session, user_id: str, codec: Codec) -> None:
        """For the package itself."""
        self._handle = handle
        self.session = session
        self.user_id = user_id
        self.codec = codec
        self._read, self._read_encoded = self._function("read"), self._function("read_encoded")
        self._readiness = Readiness(self._function("fd"), handle)

    def _function(self, name: str) -> Callable[..., int]:
        function: Callable[..., int] = getattr(library, f"{self._functions}_{name}")
        return function

    # ---------------------------------------------------------------------------------------------------------------- state

    def stop(self) -> None:
        """Ends receiving; it may be started again.  What waits to be read is gone, readers get ClosedError."""
        check(self._function("stop")(self._handle))

    def close(self) -> None:
        """Stops it; a success also when the stream or its session has ended."""
        try:
            self.stop()
        except (ClosedError, ForkedError, HandleError):
            pass

    def __enter__(self: Stream) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def state(self) -> IncomingState:
        return IncomingState(number(c_uint32, self._function("state"), self._handle))

    # -------------------------------------------------------------------------------------------------------------- reading

    def read(self, timeout: float | None = None) -> Taken:
        """The oldest frame or buffer that waits, read-only.

        Args:
            timeout: seconds to wait; 0: looks only; None: for ever.

        Raises:
            MediaTimeout: none came.
            StateError: not started.
            ClosedError: the stream was stopped meanwhile, or has ended and all was read.
            HandleError: the session was closed.
        """
        made: Taken = self._made(taken(self._read, self._handle, timeout))
        return made

    def read_encoded(self, timeout: float | None = None) -> EncodedFrame:
        """The same for encoded frames and packets, of a stream started with :attr:`Output.ENCODED` or :attr:`Output.BOTH`; not of
        the mix."""
        return EncodedFrame(taken(self._read_encoded, self._handle, timeout))

    def frames(self, timeout: float | None = None) -> Iterator[Taken]:
        """What :meth:`read` gives until the stream ends, or until nothing came for `timeout` seconds."""
        while True:
            try:
                yield self.read(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return

    def __iter__(self) -> Iterator[Taken]:
        return self.frames()

    # -------------------------------------------------------------------------------------------------------------- asyncio

    def fileno(self) -> int:
        """A descriptor that poll() finds readable while anything waits to be read, encoded or not, or the stream has ended.  Do not
        read, write or close it."""
        return number(c_int32, self._function("fd"), self._handle)

    async def read_async(self, timeout: float | None = None) -> Taken:
        """:meth:`read` for asyncio."""
        return await self._readiness.until(self.read, timeout, self._words[0])

    async def read_encoded_async(self, timeout: float | None = None) -> EncodedFrame:
        """:meth:`read_encoded` for asyncio."""
        return await self._readiness.until(self.read_encoded, timeout, self._words[1])

    async def __aiter__(self) -> AsyncIterator[Taken]:
        while True:
            try:
                frame = await self.read_async()
            except (ClosedError, HandleError):
                return
            yield frame
            del frame

    # ------------------------------------------------------------------------------------------------------------ renderers

    def attach_renderer(self, renderer: Instance) -> None:
        """Feeds a renderer, in any state of the stream.  Up to 8.  One that fails is reported by :attr:`EventType.PLUGIN` and
        detached."""
        check(self._function("attach_renderer")(self._handle, renderer._handle))
        self.session._renderers.setdefault(self._handle, {})[renderer._handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        """When it returns, the renderer is not being called any more."""
        check(self._function("detach_renderer")(self._handle, renderer._handle))
        self.session._renderers.get(self._handle, {}).pop(renderer._handle, None)

    def add_filter(self, filter: Instance) -> None:
        """What is decoded passes the filter before anybody is given it.  Up to 8, in the order added.  One that fails is reported by
        :attr:`EventType.PLUGIN` and taken out."""
        check(self._function("add_filter")(self._handle, filter._handle))
        self.session._renderers.setdefault(self._handle, {})[filter._handle] = filter

    def remove_filter(self, filter: Instance) -> None:
        """When it returns, the filter is not being called any more."""
        check(self._function("remove_filter")(self._handle, filter._handle))
        self.session._renderers.get(self._handle, {}).pop(filter._handle, None)
