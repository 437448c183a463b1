"""The audio of other participants, and their mix."""
from __future__ import annotations

from typing import TYPE_CHECKING

from . import _structs
from ._arguments import real
from ._call import check, filled, sized
from ._names import member
from ._native import library
from .audio_frame import AudioFrame
from .constants import AudioKind, Codec, Output, QueuePolicy, SampleFormat
from .incoming_stream import IncomingStream
from .stats import InboundStats, IncomingAudioStats, snapshot

if TYPE_CHECKING:
    from .audio_format import AudioFormat
    from .session import Session


class IncomingAudio(IncomingStream[AudioFrame]):
    """The audio of another participant, or of the whole room mixed.

    A participant's comes with :class:`IncomingAudioAdded`, the mix is :attr:`Session.mixed_audio`; both end with their
    session.  Nothing is received until it is started.  Of a participant, buffers come as they arrive: a participant who is muted, or whose
    encoder omits silence, sends nothing.  Of the mix a buffer comes every buffer_ms of the engine's clock, silent if there is no
    audio.

    Attributes:
        session: the session that receives it.
        user_id: who sends it; "" for the mix.
        kind: :class:`AudioKind`; None for the mix.
        format: what was being sent when it was added; None for the mix.
        codec: :attr:`Codec.RAW` for raw audio.
    """

    _functions, _made, _words = "msdk_incoming_audio", AudioFrame, ("buffer", "packet")
    _info = _structs.IncomingAudioInfo

    def __init__(self, handle: int, session: Session, user_id: str, kind: AudioKind | None, format: AudioFormat | None,
                 codec: Codec) -> None:
        """For the package itself."""
        super().__init__(handle, session, user_id, codec)
        self.kind = kind
        self.format = format

    @property
    def mixed(self) -> bool:
        """Whether this is the room's mix."""
        return self.kind is None

    def start(self, *, sample_rate: int = 0, channels: int = 0, sample_format: SampleFormat | str | None = None, buffer_ms: int = 0,
              output: Output | str = Output.RAW, queue_ms: int = 0, queue_policy: QueuePolicy | str = QueuePolicy.DROP_OLDEST) -> None:
        """Begins to receive.  What is not given is not converted: 48,000 Hz and F32 from Opus and of the mix, which has 2 channels
        and buffers of 20 ms.

        Args:
            sample_rate: wanted: 16000, 22050, 24000, 32000, 44100 or 48000 Hz.
            channels: wanted: 1 or 2.
            sample_format: wanted.
            buffer_ms: wanted duration of a buffer: 10, 20, 30 ... 100.
            output: which queues are filled: samples, packets, or both; of the mix only samples.
            queue_ms: how much may wait to be read, 20..60,000; 0: 500.
            queue_policy: which end is dropped when the queue is full; not :attr:`QueuePolicy.WAIT`.

        Raises:
            StateError: started already.
            ClosedError: no longer available.
            RangeError, UnsupportedError: an argument outside what is accepted.
        """
        options = sized(_structs.IncomingAudioOptions, sample_rate=sample_rate, channels=channels, buffer_ms=buffer_ms, queue_ms=queue_ms,
                        sample_format=member(SampleFormat, sample_format, "sample_format") if sample_format is not None else 0,
                        output=member(Output, output, "output"), queue_policy=member(QueuePolicy, queue_policy, "queue_policy"))
        check(library.msdk_incoming_audio_start(self._handle, options))

    def set_gain(self, gain: float) -> None:
        """Multiplies this participant's audio, here and in the mix, or the mix as a whole: 0..8, 1 by default."""
        check(library.msdk_incoming_audio_set_gain(self._handle, real(gain, "gain")))

    def stats(self) -> IncomingAudioStats:
        return snapshot(IncomingAudioStats, filled(_structs.IncomingAudioStats, library.msdk_incoming_audio_get_stats, self._handle))

    def network_stats(self) -> InboundStats:
        """The stats of the stream on the network. StateError: it is not sent over one."""
        return snapshot(InboundStats, filled(_structs.InboundStats, library.msdk_incoming_audio_get_network_stats, self._handle))

    def __repr__(self) -> str:
        return f"<IncomingAudio {'mixed' if self.mixed else f'from {self.user_id}'}>"
