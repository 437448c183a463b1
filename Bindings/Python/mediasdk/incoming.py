"""Received video."""
from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING

from . import _structs
from ._arguments import expected
from ._call import check, filled, sized
from ._names import member
from ._native import library
from .constants import Codec, Output, PixelFormat, Priority, QueuePolicy, VideoKind
from .formats import Rate, rate
from .frame import Frame
from .incoming_stream import IncomingStream
from .instance import Instance
from .stats import InboundStats, IncomingVideoStats, snapshot
from .view import View

if TYPE_CHECKING:
    from .formats import VideoFormat
    from .session import Session


class IncomingVideo(IncomingStream[Frame]):
    """A stream of another participant.  It comes with :class:`IncomingVideoAdded` and ends with its session; nothing is
    received until it is started.

    Attributes:
        session: the session that receives it.
        user_id: who sends it.
        format: what was being sent when it was added.
        codec: :attr:`Codec.RAW` for raw frames.
        kind: :class:`VideoKind`.
    """

    _functions, _made, _words = "msdk_incoming_video", Frame, ("frame", "encoded frame")
    _info = _structs.IncomingVideoInfo

    def __init__(self, handle: int, session: Session, user_id: str, format: VideoFormat | None, codec: Codec,
                 kind: VideoKind = VideoKind.VIRTUAL) -> None:
        """For the package itself."""
        super().__init__(handle, session, user_id, codec)
        self.format = format
        self.kind = kind

    def start(self, *, pixel_format: PixelFormat | str | None = None, width: int = 0, height: int = 0, output: Output | str = Output.RAW,
              queue_capacity: int = 0, encoded_queue_capacity: int = 0, queue_policy: QueuePolicy | str = QueuePolicy.DROP_OLDEST) -> None:
        """Begins to receive.

        Args:
            pixel_format: wanted; None: as it comes, I420 from VP8.
            width, height: wanted; both 0: as they come.
            output: which queues are filled: frames, encoded frames, or both.
            queue_capacity: how many frames are queued to be read, 1..64, 0: 3; of encoded frames 1..1,024, 0: 60.
            queue_policy: which frame is dropped when the queue is full.

        Raises:
            StateError: started already.
            ClosedError: no longer available.
        """
        options = sized(_structs.IncomingVideoOptions, width=width, height=height, queue_capacity=queue_capacity,
                        encoded_queue_capacity=encoded_queue_capacity,
                        pixel_format=member(PixelFormat, pixel_format, "pixel_format") if pixel_format is not None else 0,
                        output=member(Output, output, "output"), queue_policy=member(QueuePolicy, queue_policy, "queue_policy"))
        check(library.msdk_incoming_video_start(self._handle, options))

    @property
    def carries_metadata(self) -> bool:
        """Whether frames may have :class:`FrameMetadata`."""
        info = _structs.IncomingVideoInfo()
        check(library.msdk_incoming_video_get_info(self._handle, byref(info)))
        return bool(info.carries_metadata)

    def set_preference(
        self, *, width: int = 0, height: int = 0, fps: Rate = 0, priority: Priority | str = Priority.MEDIUM
    ) -> None:
        """Says in which size and at which rate the stream is shown here, whether it is started or not.  Its sender makes no more than the most
        demanding receiver prefers.  Without arguments everything is wanted, as at first.

        Args:
            width, height: of the video as it is shown, in pixels; both 0: any size.
            fps: frames a second, at least 1/10; 0: any.
            priority: beside the other streams that are received: over ``livekit+wss:`` those of a higher one come first where the path from
                the server has no room for everything.

        Raises:
            UnsupportedError: over ``rtp:``.
            ClosedError: the stream is no longer available.
        """
        exact = rate(fps)
        preference = sized(_structs.VideoPreference, width=width, height=height, fps_num=exact.numerator,
                           fps_den=exact.denominator if exact else 0, priority=member(Priority, priority, "priority"))
        check(library.msdk_incoming_video_set_preference(self._handle, preference))

    def attach_renderer(self, renderer: Instance, view: View | None = None) -> None:
        """Feeds a renderer, in any state, with the frames as they are, or through a view: with frames of the view's size, upright.  If it
        is attached already, this replaces its view; None removes it.  Up to 8."""
        place = None if view is None else byref(expected(view, View, "view")._struct())
        check(library.msdk_incoming_video_attach_renderer(self._handle, expected(renderer, Instance, "renderer")._handle, place))
        self.session._renderers.setdefault(self._raw_handle, {})[renderer._raw_handle] = renderer

    def stats(self) -> IncomingVideoStats:
        return snapshot(IncomingVideoStats, filled(_structs.IncomingVideoStats, library.msdk_incoming_video_get_stats, self._handle))

    def network_stats(self) -> InboundStats:
        """The stats of the stream on the network. StateError: it is not sent over one."""
        return snapshot(InboundStats, filled(_structs.InboundStats, library.msdk_incoming_video_get_network_stats, self._handle))

    def request_key_frame(self) -> None:
        """Asks the sender for a key frame."""
        check(library.msdk_incoming_video_request_key_frame(self._handle))

    def __repr__(self) -> str:
        return f"<IncomingVideo {self.kind.name} {self.codec.name} from {self.user_id}>"
