"""Somebody else's video, received."""
from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING

from . import _structs
from ._call import check, filled, sized
from ._native import library
from .constants import Codec, Output, PixelFormat, QueuePolicy, VideoKind
from .frame import Frame
from .incoming_stream import IncomingStream
from .stats import InboundStats, IncomingVideoStats, snapshot

if TYPE_CHECKING:
    from .formats import VideoFormat
    from .instance import Instance
    from .session import Session
    from .view import View


class IncomingVideo(IncomingStream[Frame]):
    """A stream of another participant.  It comes with :attr:`EventType.INCOMING_VIDEO_ADDED` and ends with its session; nothing is
    received until it is started.

    Attributes:
        session: whose it is.
        user_id: who sends it.
        format: what was being sent when it was added.
        codec: :attr:`Codec.NONE` for raw frames.
        kind: :class:`VideoKind`.
    """

    _functions, _made, _words = "msdk_incoming_video", Frame, ("frame", "encoded frame")

    def __init__(self, handle: int, session: Session, user_id: str, format: VideoFormat | None, codec: Codec,
                 kind: VideoKind = VideoKind.VIRTUAL) -> None:
        """For the package itself."""
        super().__init__(handle, session, user_id, codec)
        self.format = format
        self.kind = kind

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

    def attach_view(self, renderer: Instance, view: View | None) -> None:
        """Feeds a renderer through a view: pictures of the view's size, upright.  For one that is attached already the view becomes
        another; None: none any more.  Detached by :meth:`detach_renderer`."""
        check(library.msdk_incoming_video_attach_view(self._handle, renderer._handle, byref(view._struct()) if view else None))
        self.session._renderers.setdefault(self._handle, {})[renderer._handle] = renderer

    def stats(self) -> IncomingVideoStats:
        return snapshot(IncomingVideoStats, filled(_structs.IncomingVideoStats, library.msdk_incoming_video_stats_get, self._handle))

    def network_stats(self) -> InboundStats:
        """What the network does to the stream; StateError where it goes over none."""
        return snapshot(InboundStats, filled(_structs.InboundStats, library.msdk_incoming_video_network_stats, self._handle))

    def request_key_frame(self) -> None:
        """Asks the sender for a key frame."""
        check(library.msdk_incoming_video_request_key_frame(self._handle))
