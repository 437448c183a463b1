"""Video that this program makes: streams and limits."""
from __future__ import annotations

from ctypes import POINTER, byref, cast, c_int32, c_uint32
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

from . import _structs
from ._arguments import expected, listed_argument
from ._call import bounded, check, created, filled, listed, number, sized
from ._names import member
from ._native import library
from ._sized import array_of
from .constants import Limits, Output, OutgoingState, QueuePolicy, VideoKind
from .formats import Rate, VideoFormat, format_of, rate
from .frame import Frame
from .instance import Instance
from .pacing import asleep, paced
from .readable_stream import ReadableStream
from .readiness import Readiness
from .report import FrameReport, next_report
from .roles import Filter, VideoProducer, video_steps
from .sender import FrameSender
from .stats import OutboundStats, OutgoingVideoStats, snapshot
from .view import View

if TYPE_CHECKING:
    from .engine import Engine
    from .session import Session

_destroy = library.msdk_outgoing_video_destroy


@dataclass(frozen=True)
class VideoLimit:
    """A size and its maximum frame rate. Under conference limits a virtual stream has exactly this size, any other stream at most."""

    width: int
    height: int
    fps: int


def video_limits(limits: Limits | str = Limits.CONFERENCE, kind: VideoKind | str = VideoKind.VIRTUAL) -> list[VideoLimit]:
    """The limits; a format must be within one of them."""
    structs = listed(_structs.VideoLimit, library.msdk_video_limit_at, *_numbers(kind, limits))
    return [VideoLimit(struct.width, struct.height, struct.fps) for struct in structs]


def check_video_limit(format: VideoFormat, limits: Limits | str = Limits.CONFERENCE, kind: VideoKind | str = VideoKind.VIRTUAL) -> None:
    """Checks a format that a stream is to declare.

    Raises:
        LimitError: the text names the limit that the format breaks.
    """
    check(library.msdk_video_limit_check(*_numbers(kind, limits), expected(format, VideoFormat, "format")._struct()))


def _numbers(kind: VideoKind | str, limits: Limits | str) -> tuple[int, int]:
    return bounded(member(VideoKind, kind, "kind"), 32, "kind"), bounded(member(Limits, limits, "limits"), 32, "limits")


class OutgoingVideo(ReadableStream[Frame]):
    """An outgoing video stream, made by :meth:`Engine.create_outgoing_video`.

    Started with :meth:`Session.start_video`, it is given a :class:`FrameSender` bound to one of its formats: the best for the bandwidth.
    ``with stream:`` or :meth:`close` ends it; frames not yet encoded are then reported as dropped.

    Attributes:
        kind: as it was made.
    """

    _functions, _made, _words = "msdk_outgoing_video", Frame, ("frame", "encoded frame")

    def __init__(self, engine: Engine, formats: Sequence[VideoFormat] | VideoFormat, codecs: Sequence[int] = (),
                 **members: int) -> None:
        """For the package itself: members are those of msdk_outgoing_video_options."""
        declared = [formats] if isinstance(formats, VideoFormat) else listed_argument(formats, "formats", "a VideoFormat, or several,")
        array = array_of(_structs.VideoFormat, [expected(format, VideoFormat, "formats")._struct() for format in declared])
        chosen = (c_uint32 * len(codecs))(*[bounded(codec, 32, "codecs") for codec in codecs])
        options = sized(_structs.OutgoingVideoOptions, codecs=cast(chosen, POINTER(c_uint32)), codec_count=len(codecs),
                        formats=cast(array, POINTER(_structs.VideoFormat)), format_count=len(declared),
                        **members)
        self._raw_handle = created(library.msdk_outgoing_video_create, engine._handle, options)
        self._engine = engine
        self.kind = VideoKind(members["kind"] or VideoKind.VIRTUAL)
        self._sender: FrameSender | None = None
        # What is attached, and the session that it is started on, must not be collected meanwhile.
        self._session: Session | None = None
        self._producer: Instance | None = None
        self._renderers: dict[int, Instance] = {}
        self._filters: dict[int, Instance] = {}
        self._begin_reading()
        self._reports = Readiness(library.msdk_outgoing_video_get_report_fd, self._handle)
        engine._objects[self._handle] = self

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Stops the stream if necessary, and ends it.  May be called again."""
        if not self._closed:
            self._closed = True
            _destroy(self._raw_handle)
            self._reports.close()
            self._readiness.close()
            if self._sender is not None:
                self._sender.release_buffers()
            if self._session is not None:
                self._session._started.pop(self._raw_handle, None)
            self._session = None
            self._producer = None
            self._renderers.clear()
            self._filters.clear()

    def __enter__(self) -> OutgoingVideo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, destroy: Any = _destroy) -> None:
        if self._raw_handle and not self._closed:
            destroy(self._raw_handle)

    # ---------------------------------------------------------------------------------------------------------------- state

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def state(self) -> OutgoingState:
        return OutgoingState(number(c_uint32, library.msdk_outgoing_video_get_state, self._handle))

    @property
    def sender(self) -> FrameSender:
        """The current sender, the same object as in the event.

        Raises:
            StateError: the stream is neither started nor previewed, see :meth:`attach_renderer`.
        """
        return self._sender_of(created(library.msdk_outgoing_video_get_sender, self._handle))

    def _sender_of(self, handle: int, format: VideoFormat | None = None) -> FrameSender:
        known = self._sender
        if known is None or known._handle != handle:
            if format is None:
                format = format_of(filled(_structs.VideoFormat, library.msdk_frame_sender_get_format, handle))
            known = self._sender = FrameSender(handle, self, format)
        return known

    def stats(self) -> OutgoingVideoStats:
        return snapshot(OutgoingVideoStats, filled(_structs.OutgoingVideoStats, library.msdk_outgoing_video_get_stats, self._handle))

    def network_stats(self) -> OutboundStats:
        """The stats of the stream on the network. StateError: it is not sent over one."""
        return snapshot(OutboundStats, filled(_structs.OutboundStats, library.msdk_outgoing_video_get_network_stats, self._handle))

    # ------------------------------------------------------------------------------------------------------------- steering

    def set_bitrate(self, target: int = 0, minimum: int = 0, maximum: int = 0) -> None:
        """Bits per second, at any time; 0 leaves a value as it is.

        Raises:
            RangeError: not 1,000 <= minimum <= target <= maximum <= 100,000,000.
        """
        check(library.msdk_outgoing_video_set_bitrate(self._handle, bounded(target, 64, "target"), bounded(minimum, 64, "minimum"),
                                                      bounded(maximum, 64, "maximum")))

    def set_frame_rate(self, fps: Rate) -> None:
        """The maximum number of frames a second; 0: the format's own rate.  Frames that come faster are reported as dropped with
        :attr:`DropReason.PACED`; those of a screen share wait.

        Raises:
            RangeError: more than the format's own.
            UnsupportedError: the stream has encoded_input.
        """
        exact = rate(fps)
        check(library.msdk_outgoing_video_set_frame_rate(self._handle, exact.numerator, exact.denominator if exact else 0))

    def request_key_frame(self) -> None:
        """Makes the next encoded frame a key frame.  A screen share sends its last frame again at once, as a key frame."""
        check(library.msdk_outgoing_video_request_key_frame(self._handle))

    # ------------------------------------------------------------------------------------------------------------ instances

    def attach_producer(self, producer: Instance) -> None:
        """Attaches a producer, which makes the frames instead of the program."""
        check(library.msdk_outgoing_video_attach_producer(self._handle, expected(producer, Instance, "producer")._handle))
        self._producer = producer

    def detach_producer(self) -> None:
        """Stops, releases and detaches the producer. Does nothing if there is none."""
        check(library.msdk_outgoing_video_detach_producer(self._handle))
        self._producer = None

    def attach_renderer(self, renderer: Instance, view: View | None = None) -> None:
        """Preview: gives a renderer the frames as they are sent, or through a view, as :meth:`IncomingVideo.attach_renderer` has it.

        It needs no session: while a renderer is attached, a stream that is not started has a :attr:`sender`, and its producer runs."""
        place = None if view is None else byref(expected(view, View, "view")._struct())
        check(library.msdk_outgoing_video_attach_renderer(self._handle, expected(renderer, Instance, "renderer")._handle, place))
        self._renderers[renderer._raw_handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        check(library.msdk_outgoing_video_detach_renderer(self._handle, expected(renderer, Instance, "renderer")._handle))
        self._renderers.pop(renderer._raw_handle, None)

    def add_filter(self, filter: Instance) -> None:
        """Appends a filter: frames pass it before the previews, the encoder and the transport.  Up to 8, in the order added."""
        check(library.msdk_outgoing_video_add_filter(self._handle, expected(filter, Instance, "filter")._handle))
        self._filters[filter._raw_handle] = filter

    def remove_filter(self, filter: Instance) -> None:
        """When it returns, the filter is no longer called."""
        check(library.msdk_outgoing_video_remove_filter(self._handle, expected(filter, Instance, "filter")._handle))
        self._filters.pop(filter._raw_handle, None)

    # ------------------------------------------------------------------------------------------------- a producer in Python

    def run(self, producer: VideoProducer, *, filters: Sequence[Filter[Frame]] = (), fps: Rate | None = None) -> int:
        """Sends what a producer written in Python makes, on this thread: waits until the stream is started, asks for each frame when
        it is due, and follows every change of the format.  Returns when the producer has no more, or the stream is stopped or closed.

        Args:
            filters: what each frame passes before it is sent, in this order.
            fps: None: the rate of the format.

        Returns:
            How many frames were sent.
        """
        return paced(video_steps(self, producer, filters, fps), None) or 0

    async def run_async(self, producer: VideoProducer, *, filters: Sequence[Filter[Frame]] = (), fps: Rate | None = None) -> int:
        """:meth:`run` for asyncio, on the loop's thread; the task may be cancelled."""
        return await asleep(video_steps(self, producer, filters, fps), None) or 0

    # ------------------------------------------------------------------------------------------------------------------ tap

    def start_tap(self, *, output: Output | str = Output.RAW, queue_capacity: int = 0, encoded_queue_capacity: int = 0,
                  queue_policy: QueuePolicy | str = QueuePolicy.DROP_OLDEST) -> None:
        """From now on :meth:`read` and :meth:`read_encoded` return what this stream sends: the frames that a preview gets, before the
        encoder, and what comes out of it.  With :attr:`Output.ENCODED` and :attr:`Output.BOTH` frames are encoded even without
        receivers.

        Args:
            output: which queues are filled: frames, encoded frames, or both.
            queue_capacity: how many frames are queued to be read, 1..64, 0: 3; of encoded frames 1..1,024, 0: 60.
            queue_policy: which frame is dropped when the queue is full.

        Raises:
            StateError: started already.
            UnsupportedError: encoded frames of a stream without an encoder, or frames of one with encoded_input.
        """
        options = sized(_structs.VideoTapOptions, queue_capacity=queue_capacity, encoded_queue_capacity=encoded_queue_capacity,
                        output=member(Output, output, "output"), queue_policy=member(QueuePolicy, queue_policy, "queue_policy"))
        check(library.msdk_outgoing_video_start_tap(self._handle, options))

    def stop_tap(self) -> None:
        """What is queued is dropped, readers get ClosedError."""
        check(library.msdk_outgoing_video_stop_tap(self._handle))

    # -------------------------------------------------------------------------------------------------------------- reports

    def read_report(self, timeout: float | None = None) -> FrameReport:
        """The oldest report not read yet; there is exactly one for each frame that a sender accepted.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            ClosedError: the stream ended.
        """
        return next_report(library.msdk_outgoing_video_read_report, self._handle, timeout)

    def report_fileno(self) -> int:
        """A descriptor that poll() finds readable while reports are queued.  Do not read, write or close it."""
        return number(c_int32, library.msdk_outgoing_video_get_report_fd, self._handle)

    async def read_report_async(self, timeout: float | None = None) -> FrameReport:
        """:meth:`read_report` for asyncio."""
        return await self._reports.until(self.read_report, timeout, "report")

    def __repr__(self) -> str:
        format = self._sender.format if self._sender is not None else None
        size = f" {format.pixel_format.name} {format.width}x{format.height}" if format is not None else ""
        return f"<OutgoingVideo {self.kind.name}{size}{' closed' if self._closed else ''}>"
