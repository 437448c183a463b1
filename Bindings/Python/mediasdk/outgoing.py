"""Video that this program makes: streams and limits."""
from __future__ import annotations

from ctypes import POINTER, byref, cast, c_uint32
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

from . import _structs
from ._call import bounded, check, created, filled, listed, number, sized
from ._native import library
from .constants import Limits, OutgoingState, VideoKind
from .formats import Rate, VideoFormat, format_of, rate
from .instance import Instance
from .report import FrameReport, next_report
from .sender import FrameSender
from .stats import OutboundStats, OutgoingVideoStats, snapshot

if TYPE_CHECKING:
    from .engine import Engine
    from .session import Session
    from .view import View

_destroy = library.msdk_outgoing_video_destroy


@dataclass(frozen=True)
class VideoLimit:
    """A size, of a virtual stream under conference limits exactly, else at most, and its largest frame rate."""

    width: int
    height: int
    fps: int


def video_limits(limits: Limits = Limits.CONFERENCE, kind: VideoKind = VideoKind.VIRTUAL) -> list[VideoLimit]:
    """The limits, one by one; a format must keep one of them."""
    structs = listed(_structs.VideoLimit, library.msdk_video_limit_at, bounded(kind, 32, "kind"), bounded(limits, 32, "limits"))
    return [VideoLimit(struct.width, struct.height, struct.fps) for struct in structs]


def check_video_limit(format: VideoFormat, limits: Limits = Limits.CONFERENCE, kind: VideoKind = VideoKind.VIRTUAL) -> None:
    """Does nothing for a format that a stream may declare.

    Raises:
        LimitError: the text names the limit that the format breaks.
    """
    check(library.msdk_video_limit_check(bounded(kind, 32, "kind"), bounded(limits, 32, "limits"), format._struct()))


class OutgoingVideo:
    """A stream of this program's own, made by :meth:`Engine.create_outgoing_video`.

    Started with :meth:`Session.start_video`, it is given a :class:`FrameSender` bound to one of its formats: the best that the
    bandwidth carries.  ``with stream:`` or :meth:`close` ends it; frames not yet encoded are then reported as dropped.
    """

    def __init__(self, engine: Engine, formats: Sequence[VideoFormat] | VideoFormat, codecs: Sequence[int] = (),
                 **members: int) -> None:
        """For the package itself: members are those of msdk_outgoing_video_options."""
        declared = [formats] if isinstance(formats, VideoFormat) else list(formats)
        array = _structs.array_of(_structs.VideoFormat, [format._struct() for format in declared])
        chosen = (c_uint32 * len(codecs))(*[bounded(codec, 32, "codecs") for codec in codecs])
        options = sized(_structs.OutgoingVideoOptions, codecs=cast(chosen, POINTER(c_uint32)), codec_count=len(codecs),
                        formats=cast(array, POINTER(_structs.VideoFormat)), format_count=len(declared),
                        **members)
        self._handle = 0
        self._handle = created(library.msdk_outgoing_video_create, engine._handle, options)
        self._engine = engine
        self._sender: FrameSender | None = None
        # What is attached, and the session that it is started on, must not be collected meanwhile.
        self._session: Session | None = None
        self._producer: Instance | None = None
        self._renderers: dict[int, Instance] = {}
        self._filters: dict[int, Instance] = {}
        self._closed = False
        engine._objects[self._handle] = self

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Stops the stream if need be and ends it.  May be called again."""
        if not self._closed:
            self._closed = True
            _destroy(self._handle)
            if self._sender is not None:
                self._sender.release_buffers()
            if self._session is not None:
                self._session._started.pop(self._handle, None)
            self._session = None
            self._producer = None
            self._renderers.clear()
            self._filters.clear()

    def __enter__(self) -> OutgoingVideo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, destroy: Any = _destroy) -> None:
        if getattr(self, "_handle", 0) and not getattr(self, "_closed", True):
            destroy(self._handle)

    # ---------------------------------------------------------------------------------------------------------------- state

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def state(self) -> OutgoingState:
        return OutgoingState(number(c_uint32, library.msdk_outgoing_video_state, self._handle))

    @property
    def sender(self) -> FrameSender:
        """The current sender, the same object as in the event.

        Raises:
            StateError: the stream is not started.
        """
        return self._sender_of(created(library.msdk_outgoing_video_sender, self._handle))

    def _sender_of(self, handle: int, format: VideoFormat | None = None) -> FrameSender:
        known = self._sender
        if known is None or known._handle != handle:
            if format is None:
                format = format_of(filled(_structs.VideoFormat, library.msdk_frame_sender_format, handle))
            known = self._sender = FrameSender(handle, self, format)
        return known

    def stats(self) -> OutgoingVideoStats:
        return snapshot(OutgoingVideoStats, filled(_structs.OutgoingVideoStats, library.msdk_outgoing_video_stats_get, self._handle))

    def network_stats(self) -> OutboundStats:
        """What the network does to the stream; StateError where it goes over none."""
        return snapshot(OutboundStats, filled(_structs.OutboundStats, library.msdk_outgoing_video_network_stats, self._handle))

    # ------------------------------------------------------------------------------------------------------------- steering

    def set_bitrate(self, target: int = 0, minimum: int = 0, maximum: int = 0) -> None:
        """Bits per second, at any time; 0 leaves a value as it is.

        Raises:
            RangeError: not 1,000 <= minimum <= target <= maximum <= 100,000,000.
        """
        check(library.msdk_outgoing_video_set_bitrate(self._handle, bounded(target, 64, "target"), bounded(minimum, 64, "minimum"),
                                                      bounded(maximum, 64, "maximum")))

    def set_frame_rate(self, fps: Rate) -> None:
        """Sends at most so many frames a second; 0: the format's own rate.  Frames that come faster are reported as dropped with
        :attr:`DropReason.PACED`; those of a screen share wait.

        Raises:
            RangeError: more than the format's own.
        """
        exact = rate(fps)
        check(library.msdk_outgoing_video_set_frame_rate(self._handle, exact.numerator, exact.denominator if exact else 0))

    def request_key_frame(self) -> None:
        """The next frame encoded will be a key frame.  A screen share sends what stands at once, as one."""
        check(library.msdk_outgoing_video_request_key_frame(self._handle))

    # ------------------------------------------------------------------------------------------------------------ instances

    def attach_producer(self, producer: Instance | None) -> None:
        """Lets an instance make the frames, in place of the program; None detaches it."""
        check(library.msdk_outgoing_video_attach_producer(self._handle, producer._handle if producer is not None else 0))
        self._producer = producer

    def attach_renderer(self, renderer: Instance) -> None:
        """Preview: gives a renderer the frames as they are sent.  Up to 8."""
        check(library.msdk_outgoing_video_attach_renderer(self._handle, renderer._handle))
        self._renderers[renderer._handle] = renderer

    def attach_view(self, renderer: Instance, view: View | None) -> None:
        """Preview through a view, as :meth:`IncomingVideo.attach_view` has it."""
        check(library.msdk_outgoing_video_attach_view(self._handle, renderer._handle, byref(view._struct()) if view else None))
        self._renderers[renderer._handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        check(library.msdk_outgoing_video_detach_renderer(self._handle, renderer._handle))
        self._renderers.pop(renderer._handle, None)

    def add_filter(self, filter: Instance) -> None:
        """Frames pass the filter before the previews, the encoder and the transport.  Up to 8, in the order added."""
        check(library.msdk_outgoing_video_add_filter(self._handle, filter._handle))
        self._filters[filter._handle] = filter

    def remove_filter(self, filter: Instance) -> None:
        """When it returns, the filter is not being called any more."""
        check(library.msdk_outgoing_video_remove_filter(self._handle, filter._handle))
        self._filters.pop(filter._handle, None)

    # -------------------------------------------------------------------------------------------------------------- reports

    def read_report(self, timeout: float | None = None) -> FrameReport:
        """The oldest report not read yet; there is exactly one for each frame that a sender accepted.

        Args:
            timeout: seconds to wait; 0: looks only; None: for ever.

        Raises:
            MediaTimeout: none came.
            ClosedError: the stream ended.
        """
        return next_report(library.msdk_outgoing_video_read_report, self._handle, timeout)
