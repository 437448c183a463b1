"""What received video and audio have in common."""
from __future__ import annotations

import asyncio
from ctypes import byref, c_uint32
from typing import TYPE_CHECKING, Any, AsyncIterator, ClassVar, Iterator, Sequence, TypeVar

from ._arguments import expected
from ._call import check, number
from .constants import Codec, IncomingState
from .errors import ClosedError, ForkedError, HandleError
from .instance import Instance
from .readable_stream import ReadableStream, Taken
from .roles import Filter, Renderer, check_roles, rendered

if TYPE_CHECKING:
    from .session import Session

Stream = TypeVar("Stream", bound="IncomingStream[Any]")


class IncomingStream(ReadableStream[Taken]):
    """What :class:`IncomingVideo`, which gives frames, and :class:`IncomingAudio`, which gives buffers of audio, can both do."""

    _info: ClassVar[type[Any]]  # the struct that says what the stream is

    def __init__(self, handle: int, session: Session, user_id: str, codec: Codec) -> None:
        """For the package itself."""
        self._raw_handle = handle
        self.session = session
        self.user_id = user_id
        self.codec = codec
        self._begin_reading()

    @property
    def _handle(self) -> int:
        """It ends with its session."""
        if self.session._closed:
            raise HandleError("the session of the stream is closed")
        return self._raw_handle

    # ---------------------------------------------------------------------------------------------------------------- state

    def stop(self) -> None:
        """Ends receiving; it may be started again.  What is queued is dropped, readers get ClosedError."""
        check(self._function("stop")(self._handle))

    def close(self) -> None:
        """Stops it. It succeeds also when the stream or its session has ended."""
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
        return IncomingState(number(c_uint32, self._function("get_state"), self._handle))

    @property
    def encrypted(self) -> bool:
        """Whether its sender encrypts it from end to end; receiving it needs a key (:meth:`Session.set_frame_key`)."""
        info = self._info()
        check(self._function("get_info")(self._handle, byref(info)))
        return bool(info.is_encrypted)

    # -------------------------------------------------------------------------------------------------------------- reading

    def __iter__(self) -> Iterator[Taken]:
        return self.frames()

    async def __aiter__(self) -> AsyncIterator[Taken]:
        while True:
            try:
                frame = await self.read_async()
            except (ClosedError, HandleError):
                return
            yield frame
            del frame

    # ------------------------------------------------------------------------------------------------- a renderer in Python

    def run(self, renderer: Renderer[Taken], *, filters: Sequence[Filter[Taken]] = ()) -> int:
        """Passes all that is received to a renderer written in Python, on this thread.  Returns when the renderer wants no more, or the
        stream is stopped or ends.

        Args:
            filters: what each frame passes first, in this order.  Received frames are read-only: a filter that changes one gives a new one.

        Returns:
            How many frames were received.

        Raises:
            StateError: not started.
        """
        check_roles(renderer, "renderer", ("render",), filters)
        count = 0
        for frame in self.frames():
            count += 1
            if not rendered(frame, renderer, filters):
                break
        return count

    async def run_async(self, renderer: Renderer[Taken], *, filters: Sequence[Filter[Taken]] = ()) -> int:
        """:meth:`run` for asyncio, on the loop's thread; the task may be cancelled."""
        check_roles(renderer, "renderer", ("render",), filters)
        count = 0
        async for frame in self:
            count += 1
            if not rendered(frame, renderer, filters):
                break
            await asyncio.sleep(0)  # also where a frame always waits: a loop has other tasks
        return count

    # ------------------------------------------------------------------------------------------------------------ renderers

    def attach_renderer(self, renderer: Instance) -> None:
        """Feeds a renderer, in any state of the stream.  Up to 8.  One that fails is reported by :class:`PluginReported` and
        detached."""
        check(self._function("attach_renderer")(self._handle, expected(renderer, Instance, "renderer")._handle))
        self.session._renderers.setdefault(self._raw_handle, {})[renderer._raw_handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        """When it returns, the renderer is no longer called."""
        check(self._function("detach_renderer")(self._handle, expected(renderer, Instance, "renderer")._handle))
        self.session._renderers.get(self._raw_handle, {}).pop(renderer._raw_handle, None)

    def add_filter(self, filter: Instance) -> None:
        """Appends a filter: what is decoded passes it before it is delivered or rendered.  Up to 8, in the order added.  One that fails is
        reported by :class:`PluginReported` and removed."""
        check(self._function("add_filter")(self._handle, expected(filter, Instance, "filter")._handle))
        self.session._renderers.setdefault(self._raw_handle, {})[filter._raw_handle] = filter

    def remove_filter(self, filter: Instance) -> None:
        """When it returns, the filter is no longer called."""
        check(self._function("remove_filter")(self._handle, expected(filter, Instance, "filter")._handle))
        self.session._renderers.get(self._raw_handle, {}).pop(filter._raw_handle, None)
