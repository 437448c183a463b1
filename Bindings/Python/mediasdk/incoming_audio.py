"""The sound of others, one by one and mixed."""
from __future__ import annotations

from ctypes import c_int32, c_uint32
from typing import TYPE_CHECKING, AsyncIterator, Iterator

from . import _structs
from ._call import check, filled, number, sized, taken
from ._native import library
from .audio_frame import AudioFrame
from .constants import AudioKind, Codec, IncomingState, Output, QueuePolicy, SampleFormat
from .encoded import EncodedFrame
from .errors import ClosedError, ForkedError, HandleError, MediaTimeout
from .instance import Instance
from .readiness import Readiness
from .stats import IncomingAudioStats, snapshot

if TYPE_CHECKING:
    from .audio_format import AudioFormat
    from .session import Session

_read = library.msdk_incoming_audio_read
_read_encoded = library.msdk_incoming_audio_read_encoded


class IncomingAudio:
    """The sound of another participant, or of the whole room mixed.

    A participant's comes with :attr:`EventType.INCOMING_AUDIO_ADDED`, the mix is :attr:`Session.mixed_audio`; both end with their
    session.  Nothing is received until it is started.  Of a participant, buffers come as they arrive: one who is silent, muted or
    saves silence sends nothing, and nothing comes.  Of the mix a buffer comes every buffer_ms of the engine's clock, silent if
    nobody is heard.

    Attributes:
        session: whose it is.
        user_id: who sends it; "" for the mix.
        kind: :class:`AudioKind`; None for the mix.
        format: what was being sent when it was added; None for the mix.
        codec: :attr:`Codec.NONE` for raw sound.
    """

    def __init__(self, handle: int, session: Session, user_id: str, kind: AudioKind | None, format: AudioFormat | None,
                 codec: Codec) -> None:
        """For the package itself."""
        self._handle = handle
        self.session = session
        self.user_id = user_id
        self.kind = kind
        self.format = format
        self.codec = codec
        self._readiness = Readiness(library.msdk_incoming_audio_fd, handle)

    @property
    def mixed(self) -> bool:
        """Whether this is the room's mix."""
        return self.kind is None

    # ---------------------------------------------------------------------------------------------------------------- state

    def start(self, *, sample_rate: int = 0, channels: int = 0, sample_format: SampleFormat | None = None, buffer_ms: int = 0,
              output: Output = Output.RAW, queue_ms: int = 0, queue_policy: QueuePolicy = QueuePolicy.DROP_OLDEST) -> None:
        """Begins to receive.  What is not given stays as it comes: 48,000 Hz and F32 from Opus and of the mix, which has 2 channels
        and buffers of 20 ms.

        Args:
            sample_rate: wanted: 16000, 22050, 24000, 32000, 44100 or 48000 Hz.
            channels: wanted: 1 or 2.
            sample_format: wanted.
            buffer_ms: wanted duration of a buffer: 10, 20, 30 ... 100.
            output: which queues are filled: samples, packets, or both; of the mix only samples.
            queue_ms: how much may wait to be read, 20..60,000; 0: 500.
            queue_policy: which end a full queue gives up; not :attr:`QueuePolicy.WAIT`.

        Raises:
            StateError: started already.
            ClosedError: not available any more.
            RangeError, UnsupportedError: an argument outside what is accepted.
        """
        options = sized(_structs.IncomingAudioOptions, sample_rate=sample_rate, channels=channels, sample_format=sample_format or 0,
                        buffer_ms=buffer_ms, output=output, queue_ms=queue_ms, queue_policy=queue_policy)
        check(library.msdk_incoming_audio_start(self._handle, options))

    def stop(self) -> None:
        """Ends receiving; it may be started again.  Buffers that wait are gone, readers get ClosedError."""
        check(library.msdk_incoming_audio_stop(self._handle))

    def close(self) -> None:
        """Stops it; a success also when the stream or its session has ended."""
        try:
            self.stop()
        except (ClosedError, ForkedError, HandleError):
            pass

    def __enter__(self) -> IncomingAudio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def state(self) -> IncomingState:
        return IncomingState(number(c_uint32, library.msdk_incoming_audio_state, self._handle))

    def set_gain(self, gain: float) -> None:
        """Multiplies this participant's sound, here and in the mix, or the mix as a whole: 0..8, 1 from the start."""
        check(library.msdk_incoming_audio_set_gain(self._handle, gain))

    def stats(self) -> IncomingAudioStats:
        return snapshot(IncomingAudioStats, filled(_structs.IncomingAudioStats, library.msdk_incoming_audio_stats_get, self._handle))

    # -------------------------------------------------------------------------------------------------------------- reading

    def read(self, timeout: float | None = None) -> AudioFrame:
        """The oldest buffer that waits, read-only.

        Args:
            timeout: seconds to wait; 0: looks only; None: for ever.

        Raises:
            MediaTimeout: none came.
            StateError: not started.
            ClosedError: the stream was stopped meanwhile, or has ended and all was read.
            HandleError: the session was closed.
        """
        return AudioFrame(taken(_read, self._handle, timeout))

    def read_encoded(self, timeout: float | None = None) -> EncodedFrame:
        """The same for packets, of a stream started with :attr:`Output.ENCODED` or :attr:`Output.BOTH`; not of the mix."""
        return EncodedFrame(taken(_read_encoded, self._handle, timeout))

    def frames(self, timeout: float | None = None) -> Iterator[AudioFrame]:
        """Buffers until the stream ends, or until none came for `timeout` seconds."""
        while True:
            try:
                yield self.read(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return

    def __iter__(self) -> Iterator[AudioFrame]:
        return self.frames()

    # -------------------------------------------------------------------------------------------------------------- asyncio

    def fileno(self) -> int:
        """A descriptor that poll() finds readable while buffers or packets wait, or the stream has ended.  Do not read, write or
        close it."""
        return number(c_int32, library.msdk_incoming_audio_fd, self._handle)

    async def read_async(self, timeout: float | None = None) -> AudioFrame:
        """:meth:`read` for asyncio."""
        return await self._readiness.until(self.read, timeout, "buffer")

    async def read_encoded_async(self, timeout: float | None = None) -> EncodedFrame:
        """:meth:`read_encoded` for asyncio."""
        return await self._readiness.until(self.read_encoded, timeout, "packet")

    async def __aiter__(self) -> AsyncIterator[AudioFrame]:
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
        check(library.msdk_incoming_audio_attach_renderer(self._handle, renderer._handle))
        self.session._renderers.setdefault(self._handle, {})[renderer._handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        """When it returns, the renderer is not being called any more."""
        check(library.msdk_incoming_audio_detach_renderer(self._handle, renderer._handle))
        self.session._renderers.get(self._handle, {}).pop(renderer._handle, None)

    def __repr__(self) -> str:
        return f"<IncomingAudio {'mixed' if self.mixed else f'from {self.user_id}'}>"
