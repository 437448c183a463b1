"""Somebody else's video, received."""
from __future__ import annotations

from ctypes import c_int32, c_uint32
from typing import TYPE_CHECKING, AsyncIterator, Iterator

from . import _structs
from ._call import check, filled, number, sized, taken
from ._native import library
from .constants import Codec, IncomingState, Output, PixelFormat, QueuePolicy
from .encoded import EncodedFrame
from .errors import ClosedError, ForkedError, HandleError, MediaTimeout
from .frame import Frame
from .instance import Instance
from .readiness import Readiness
from .stats import IncomingVideoStats, snapshot

if TYPE_CHECKING:
    from .formats import VideoFormat
    from .session import Session

_read = library.msdk_incoming_video_read
_read_encoded = library.msdk_incoming_video_read_encoded


class IncomingVideo:
    """A stream of another participant.  It comes with :attr:`EventType.INCOMING_VIDEO_ADDED` and ends with its session; nothing is
    received until it is started.

    Attributes:
        session: whose it is.
        user_id: who sends it.
        format: what was being sent when it was added.
        codec: :attr:`Codec.NONE` for raw frames.
    """

    def __init__(self, handle: int, session: Session, user_id: str, format: VideoFormat | None, codec: Codec) -> None:
        """For the package itself."""
        self._handle = handle
        self.session = session
        self.user_id = user_id
        self.format = format
        self.codec = codec
        self._readiness = Readiness(library.msdk_incoming_video_fd, handle)

    # ---------------------------------------------------------------------------------------------------------------- state

    def start(self, *, pixel_format: PixelFormat | None = None, width: int = 0, height: int = 0, output: Output = Output.RAW,
              queue_capacity: int = 0, queue_policy: QueuePolicy = QueuePolicy.DROP_OLDEST) -> None:
        """Begins to receive.

        Args:
            pixel_format: wanted; None: as it comes, I420 from VP8.
            width, height: wanted; both 0: as they come.
            output: which queues are filled: pictures, encoded frames, or both.
            queue_capacity: frames that may wait to be read, 1..64, 0: 3; of encoded frames 1..1,024, 0: 60.
            queue_policy: which frame a full queue gives up.

        Raises:
            StateError: started already.
            ClosedError: not available any more.
        """
        options = sized(_structs.IncomingVideoOptions, pixel_format=pixel_format or 0, width=width, height=height, output=output,
                        queue_capacity=queue_capacity, queue_policy=queue_policy)
        check(library.msdk_incoming_video_start(self._handle, options))

    def stop(self) -> None:
        """Ends receiving; it may be started again.  Frames that wait are gone, readers get ClosedError."""
        check(library.msdk_incoming_video_stop(self._handle))

    def close(self) -> None:
        """Stops it; a success also when the stream or its session has ended."""
        try:
            self.stop()
        except (ClosedError, ForkedError, HandleError):
            pass

    def __enter__(self) -> IncomingVideo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def state(self) -> IncomingState:
        return IncomingState(number(c_uint32, library.msdk_incoming_video_state, self._handle))

    def stats(self) -> IncomingVideoStats:
        return snapshot(IncomingVideoStats, filled(_structs.IncomingVideoStats, library.msdk_incoming_video_stats_get, self._handle))

    def request_key_frame(self) -> None:
        """Asks the sender for a key frame."""
        check(library.msdk_incoming_video_request_key_frame(self._handle))

    # -------------------------------------------------------------------------------------------------------------- reading

    def read(self, timeout: float | None = None) -> Frame:
        """The oldest frame that waits, read-only.

        Args:
            timeout: seconds to wait; 0: looks only; None: for ever.

        Raises:
            MediaTimeout: none came.
            StateError: not started.
            ClosedError: the stream was stopped meanwhile, or has ended and all was read.
            HandleError: the session was closed.
        """
        return Frame(taken(_read, self._handle, timeout))

    def read_encoded(self, timeout: float | None = None) -> EncodedFrame:
        """The same for encoded frames, of a stream started with :attr:`Output.ENCODED` or :attr:`Output.BOTH`."""
        return EncodedFrame(taken(_read_encoded, self._handle, timeout))

    def frames(self, timeout: float | None = None) -> Iterator[Frame]:
        """Frames until the stream ends, or until none came for `timeout` seconds."""
        while True:
            try:
                yield self.read(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return

    def __iter__(self) -> Iterator[Frame]:
        return self.frames()

    # -------------------------------------------------------------------------------------------------------------- asyncio

    def fileno(self) -> int:
        """A descriptor that poll() finds readable while frames of either kind wait, or the stream has ended.  Do not read, write or
        close it."""
        return number(c_int32, library.msdk_incoming_video_fd, self._handle)

    async def read_async(self, timeout: float | None = None) -> Frame:
        """:meth:`read` for asyncio."""
        return await self._readiness.until(self.read, timeout, "frame")

    async def read_encoded_async(self, timeout: float | None = None) -> EncodedFrame:
        """:meth:`read_encoded` for asyncio."""
        return await self._readiness.until(self.read_encoded, timeout, "encoded frame")

    async def __aiter__(self) -> AsyncIterator[Frame]:
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
        check(library.msdk_incoming_video_attach_renderer(self._handle, renderer._handle))
        self.session._renderers.setdefault(self._handle, {})[renderer._handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        """When it returns, the renderer is not being called any more."""
        check(library.msdk_incoming_video_detach_renderer(self._handle, renderer._handle))
        self.session._renderers.get(self._handle, {}).pop(renderer._handle, None)
