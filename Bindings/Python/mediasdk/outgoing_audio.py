"""Audio that this program makes."""
from __future__ import annotations

from ctypes import c_int32, c_int64, c_uint32, c_uint64
from typing import TYPE_CHECKING, Any, Sequence

from . import _structs
from ._arguments import expected, real
from ._call import bounded, check, created, filled, nanoseconds, number, pull, sized, wait
from ._memory import Buffer
from ._names import member
from ._native import library
from .audio_format import AudioFormat, audio_format_of, sample_bytes_of
from .audio_frame import AudioFrame
from .constants import AudioKind, Codec, Output, OutgoingState, QueuePolicy, Status
from .encoded import EncodedFrame
from .errors import AgainError, InvalidError, MediaSDKError, MediaTimeout
from .instance import Instance
from .pacing import Writing, asleep, paced
from .readable_stream import ReadableStream
from .readiness import Readiness
from .report import FrameReport, next_report
from .roles import AudioProducer, Filter, audio_steps
from .stats import OutboundStats, OutgoingAudioStats, snapshot

if TYPE_CHECKING:
    from .engine import Engine
    from .session import Session

_destroy = library.msdk_outgoing_audio_destroy
_send = library.msdk_outgoing_audio_send
_send_encoded = library.msdk_outgoing_audio_send_encoded
_wait_played = library.msdk_outgoing_audio_wait_played


class OutgoingAudio(ReadableStream[AudioFrame]):
    """An outgoing audio stream, made by :meth:`Engine.create_outgoing_audio`, started with :meth:`Session.start_audio`.

    :meth:`write` takes audio of any length; :meth:`send` takes single buffers of exactly :attr:`buffer_size` bytes.  Audio is sent in real
    time. What is given ahead of time is queued, and write waits for space in that queue.
    ``with stream:`` or :meth:`close` ends the stream; what is still queued is then reported as dropped.

    Attributes:
        format: of the samples; frames_per_buffer is the samples per channel in each buffer.
        buffer_size: bytes of each buffer.
        kind, codec: as it was made.
    """

    _functions, _made, _words = "msdk_outgoing_audio", AudioFrame, ("buffer", "packet")

    def __init__(self, engine: Engine, **members: int) -> None:
        """For the package itself: members are those of msdk_outgoing_audio_options."""
        self._raw_handle = created(library.msdk_outgoing_audio_create, engine._handle, sized(_structs.OutgoingAudioOptions, **members))
        self._engine = engine
        self.kind = AudioKind(members["kind"] or AudioKind.MICROPHONE)
        self.codec = Codec(members["codec"])
        self.format: AudioFormat = audio_format_of(
            filled(_structs.OutgoingAudioInfo, library.msdk_outgoing_audio_get_info, self._handle).format)
        self.buffer_size: int = number(c_uint64, library.msdk_outgoing_audio_get_buffer_size, self._handle)
        self._writing = Writing(self, members["queue_ms"])
        # What is attached, and the session that it is started on, must not be collected meanwhile.
        self._session: Session | None = None
        self._producer: Instance | None = None
        self._filters: dict[int, Instance] = {}
        self._begin_reading()
        self._reports = Readiness(library.msdk_outgoing_audio_get_report_fd, self._handle)
        engine._objects[self._handle] = self

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Stops the stream if necessary, and ends it.  May be called again."""
        if not self._closed:
            self._closed = True
            _destroy(self._raw_handle)
            self._reports.close()
            self._readiness.close()
            if self._session is not None:
                self._session._started.pop(self._raw_handle, None)
            self._session = None
            self._producer = None
            self._filters.clear()

    def __enter__(self) -> OutgoingAudio:
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
        return OutgoingState(number(c_uint32, library.msdk_outgoing_audio_get_state, self._handle))

    @property
    def queued_ns(self) -> int:
        """How much audio is queued, in nanoseconds."""
        return number(c_int64, library.msdk_outgoing_audio_get_queued, self._handle)

    @property
    def muted(self) -> bool:
        return self.stats().is_muted

    @property
    def gain(self) -> float:
        return self.stats().gain

    def stats(self) -> OutgoingAudioStats:
        return snapshot(OutgoingAudioStats, filled(_structs.OutgoingAudioStats, library.msdk_outgoing_audio_get_stats, self._handle))

    def network_stats(self) -> OutboundStats:
        """The stats of the stream on the network. StateError: it is not sent over one."""
        return snapshot(OutboundStats, filled(_structs.OutboundStats, library.msdk_outgoing_audio_get_network_stats, self._handle))

    # -------------------------------------------------------------------------------------------------------------- sending

    def send(self, samples: Any, timestamp_ns: int = 0, timeout: float | None = 0) -> None:
        """Sends one buffer, copied before it returns.

        Args:
            samples: any buffer of exactly :attr:`buffer_size` bytes, interleaved: bytes, bytearray, memoryview, array.array, a numpy
                array (int16 for S16, float32 for F32), an :class:`AudioFrame`.
            timestamp_ns: when its first sample was captured, on the engine's clock or on one of the program's own, see
                :data:`mediasdk.TIME_ZERO`; 0: where the buffer before ended, or now after a pause of more than 100 ms.
            timeout: seconds to wait for room in the queue; 0: not at all; None: no limit.

        Raises:
            AgainError: the queue is full, and timeout is 0.
            MediaTimeout: there was no room for `timeout` seconds.
            InvalidError: another size or type, or an F32 sample that is not finite.
            StateError: the stream is not started, or takes packets.
        """
        timestamp_ns = nanoseconds(timestamp_ns, "timestamp_ns")
        buffer = Buffer(self._bytes_of(samples))
        _check_room(wait(lambda milliseconds: _send(self._handle, buffer.address, buffer.size, timestamp_ns, milliseconds, None, None),
                         timeout), timeout)

    def send_encoded(self, packet: EncodedFrame, timestamp_ns: int = 0, timeout: float | None = 0) -> None:
        """The same for one Opus packet; for streams made with ``encoded_input=True``."""
        pointer = expected(packet, EncodedFrame, "packet")._pointer
        timestamp_ns = nanoseconds(timestamp_ns, "timestamp_ns")
        _check_room(wait(lambda milliseconds: _send_encoded(self._handle, pointer, timestamp_ns, milliseconds, None, None),
                         timeout), timeout)

    async def send_async(self, samples: Any, timestamp_ns: int = 0, timeout: float | None = None) -> None:
        """:meth:`send` for asyncio; without a limit by default."""
        timestamp_ns = nanoseconds(timestamp_ns, "timestamp_ns")
        buffer = Buffer(self._bytes_of(samples))
        attempt = self._writing.attempts(
            lambda: int(_send(self._handle, buffer.address, buffer.size, timestamp_ns, 0, None, None)))
        if not await asleep(attempt, timeout):
            raise _no_room(timeout)

    async def send_encoded_async(self, packet: EncodedFrame, timestamp_ns: int = 0, timeout: float | None = None) -> None:
        """:meth:`send_encoded` for asyncio; without a limit by default."""
        pointer = expected(packet, EncodedFrame, "packet")._pointer
        timestamp_ns = nanoseconds(timestamp_ns, "timestamp_ns")
        attempt = self._writing.attempts(
            lambda: int(_send_encoded(self._handle, pointer, timestamp_ns, 0, None, None)))
        if not await asleep(attempt, timeout):
            raise _no_room(timeout)

    def _bytes_of(self, samples: Any) -> memoryview:
        if isinstance(samples, AudioFrame):
            theirs, ours = samples.format, self.format
            if (theirs.sample_rate, theirs.channels) != (ours.sample_rate, ours.channels):
                raise InvalidError(f"the frame has {theirs.channels} channels at {theirs.sample_rate} Hz; the stream takes "
                                   f"{ours.channels} at {ours.sample_rate}")
            samples = samples.samples
        return sample_bytes_of(samples, self.format)

    # -------------------------------------------------------------------------------------------------------------- writing

    def write(self, samples: Any, timeout: float | None = None) -> int:
        """Sends audio of any length, cut into buffers, and waits for space in the queue. A rest of less than a buffer is kept for the next
        write, or for :meth:`finish`.  One thread, or task, writes at a time.

        Args:
            samples: any buffer, as in :meth:`send`; bytes need not end with a whole sample.
            timeout: seconds to wait in all; 0: takes what fits into the queue; None: no limit.

        Returns:
            How many bytes were taken, all, unless the time elapsed, or :meth:`flush` was called meanwhile.

        Raises:
            StateError, HandleError: the stream is not started, or has ended.
            InvalidError: no buffer, or samples of another type; or an F32 sample that is not finite, in a buffer that is then
                dropped.
        """
        return paced(self._writing.write(self._bytes_of(samples)), timeout)

    async def write_async(self, samples: Any, timeout: float | None = None) -> int:
        """:meth:`write` for asyncio."""
        return await asleep(self._writing.write(self._bytes_of(samples)), timeout)

    def finish(self, timeout: float | None = None) -> None:
        """Sends what :meth:`write` has kept, padded with silence to a whole buffer.

        Raises:
            AgainError, MediaTimeout: no room in time; it is still kept.
        """
        if not paced(self._writing.finish(), timeout):
            raise _no_room(timeout)

    async def finish_async(self, timeout: float | None = None) -> None:
        """:meth:`finish` for asyncio."""
        if not await asleep(self._writing.finish(), timeout):
            raise _no_room(timeout)

    def flush(self) -> None:
        """Drops what is queued, which is reported as dropped with :attr:`DropReason.FLUSHED`, and what :meth:`write` has kept.  A write
        that
        waits in another thread or task ends, and the rest of its audio is dropped too."""
        self._writing.flush()

    def wait_played(self, timeout: float | None = None) -> None:
        """Waits until everything was sent and the last sample was due.

        Raises:
            MediaTimeout: it was not in `timeout` seconds.
            ClosedError: the stream stopped meanwhile.
        """
        check(pull(lambda milliseconds: _wait_played(self._handle, milliseconds), timeout))

    async def wait_played_async(self, timeout: float | None = None) -> None:
        """:meth:`wait_played` for asyncio; what is sent meanwhile is waited for too."""
        if not await asleep(self._writing.played(lambda: int(_wait_played(self._handle, 0))), timeout):
            raise MediaTimeout(f"not all was played in {timeout} s")

    # ------------------------------------------------------------------------------------------------------------- steering

    def set_muted(self, muted: bool) -> None:
        """Mutes or unmutes, in any state; receivers are notified.  What is sent meanwhile is reported as dropped,
        :attr:`DropReason.MUTED`."""
        check(library.msdk_outgoing_audio_set_muted(self._handle, int(bool(muted))))

    def set_gain(self, gain: float) -> None:
        """Multiplies what is sent: 0..8, 1 by default."""
        check(library.msdk_outgoing_audio_set_gain(self._handle, real(gain, "gain")))

    def set_bitrate(self, bitrate: int) -> None:
        """Bits per second of the Opus encoder, 6,000..510,000; 0 leaves it."""
        check(library.msdk_outgoing_audio_set_bitrate(self._handle, bounded(bitrate, 32, "bitrate")))

    def set_expected_loss(self, percent: int) -> None:
        """How many packets of a hundred are lost in transit, which controls forward error correction."""
        check(library.msdk_outgoing_audio_set_expected_loss(self._handle, bounded(percent, 32, "percent")))

    def attach_producer(self, producer: Instance) -> None:
        """Attaches a producer, which makes the audio instead of the program."""
        check(library.msdk_outgoing_audio_attach_producer(self._handle, expected(producer, Instance, "producer")._handle))
        self._producer = producer

    def detach_producer(self) -> None:
        """Stops, releases and detaches the producer. Does nothing if there is none."""
        check(library.msdk_outgoing_audio_detach_producer(self._handle))
        self._producer = None

    def add_filter(self, filter: Instance) -> None:
        """Appends a filter: buffers pass it when they are due, before gain and muting.  Up to 8, in the order added."""
        check(library.msdk_outgoing_audio_add_filter(self._handle, expected(filter, Instance, "filter")._handle))
        self._filters[filter._raw_handle] = filter

    def remove_filter(self, filter: Instance) -> None:
        """When it returns, the filter is no longer called."""
        check(library.msdk_outgoing_audio_remove_filter(self._handle, expected(filter, Instance, "filter")._handle))
        self._filters.pop(filter._raw_handle, None)

    # ------------------------------------------------------------------------------------------------- a producer in Python

    def run(self, producer: AudioProducer, *, filters: Sequence[Filter[AudioFrame]] = ()) -> int:
        """Sends what a producer written in Python makes, on this thread: waits until the stream is started, and asks for more while
        the queue has room.  Returns when the producer has no more, after which it calls :meth:`finish`, or the stream is stopped or closed.

        Args:
            filters: what each buffer passes before it is sent, in this order.

        Returns:
            How many bytes were taken, of what the filters made.
        """
        return paced(audio_steps(self, producer, filters), None)

    async def run_async(self, producer: AudioProducer, *, filters: Sequence[Filter[AudioFrame]] = ()) -> int:
        """:meth:`run` for asyncio, on the loop's thread; the task may be cancelled."""
        return await asleep(audio_steps(self, producer, filters), None)

    # ------------------------------------------------------------------------------------------------------------------ tap

    def start_tap(self, *, output: Output | str = Output.RAW, queue_ms: int = 0,
                  queue_policy: QueuePolicy | str = QueuePolicy.DROP_OLDEST) -> None:
        """From now on :meth:`read` and :meth:`read_encoded` return what this stream sends: the buffers as they leave, after filters,
        gain and muting, and the packets that the encoder makes of them.  With :attr:`Output.ENCODED` and :attr:`Output.BOTH` audio is
        encoded even without receivers.

        Args:
            output: which queues are filled: samples, packets, or both.
            queue_ms: how much may wait to be read, 20..60,000; 0: 500.
            queue_policy: which end is dropped when the queue is full; not :attr:`QueuePolicy.WAIT`.

        Raises:
            StateError: started already.
            UnsupportedError: packets of a stream without an encoder, or samples of one with encoded_input.
        """
        options = sized(_structs.AudioTapOptions, queue_ms=queue_ms, output=member(Output, output, "output"),
                        queue_policy=member(QueuePolicy, queue_policy, "queue_policy"))
        check(library.msdk_outgoing_audio_start_tap(self._handle, options))

    def stop_tap(self) -> None:
        """What is queued is dropped, readers get ClosedError."""
        check(library.msdk_outgoing_audio_stop_tap(self._handle))

    # -------------------------------------------------------------------------------------------------------------- reports

    def read_report(self, timeout: float | None = None) -> FrameReport:
        """The oldest report not read yet; there is exactly one for each buffer that was accepted.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            ClosedError: the stream ended.
        """
        return next_report(library.msdk_outgoing_audio_read_report, self._handle, timeout)

    def report_fileno(self) -> int:
        """A descriptor that poll() finds readable while reports are queued.  Do not read, write or close it."""
        return number(c_int32, library.msdk_outgoing_audio_get_report_fd, self._handle)

    async def read_report_async(self, timeout: float | None = None) -> FrameReport:
        """:meth:`read_report` for asyncio."""
        return await self._reports.until(self.read_report, timeout, "report")

    def __repr__(self) -> str:
        format = self.format
        return (f"<OutgoingAudio {self.kind.name} {format.sample_format.name} {format.sample_rate} Hz {format.channels} channels "
                f"{self.codec.name}{' closed' if self._closed else ''}>")


def _check_room(result: int, timeout: float | None) -> None:
    """Raises for a negative result.  The last, empty, slice of a wait answers as one that did not wait."""
    if result == Status.AGAIN and timeout != 0:
        raise _no_room(timeout)
    check(result)


def _no_room(timeout: float | None) -> MediaSDKError:
    if timeout == 0:
        return AgainError("the queue is full; a timeout above 0 waits for room")
    return MediaTimeout(f"there was no room in the queue for {timeout} s")
