"""Counters, as they were at one moment.  Names are those of W3C webrtc-stats where there is one; bitrates are bits per second."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from .constants import Codec, IncomingState, OutgoingState, SessionState

T = TypeVar("T")


def snapshot(kind: type[T], struct: Any) -> T:
    """The dataclass with the values of the C struct's members of the same names."""
    values = {field.name: getattr(struct, field.name) for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**values)


@dataclass(frozen=True)
class EngineStats:
    """
    Attributes:
        sessions, outgoing_videos, incoming_videos, instances, outgoing_audios, incoming_audios: alive in this engine.
        threads: of this engine, running.
        frames, encoded_frames, audio_frames: with a reference, in the process.
        log_dropped: messages that came while one was being logged by the same thread.
    """

    sessions: int
    outgoing_videos: int
    incoming_videos: int
    instances: int
    threads: int
    frames: int
    encoded_frames: int
    log_dropped: int
    outgoing_audios: int
    incoming_audios: int
    audio_frames: int


@dataclass(frozen=True)
class SessionStats:
    """
    Attributes:
        available_outgoing_bitrate: the bandwidth estimate; 0: unlimited.
        packets_lost: of those sent to this session.
    """

    state: SessionState
    available_outgoing_bitrate: int
    bytes_sent: int
    bytes_received: int
    packets_sent: int
    packets_received: int
    packets_lost: int
    events_queued: int
    events_dropped: int
    participants: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", SessionState(self.state))


@dataclass(frozen=True)
class OutgoingVideoStats:
    """
    Attributes:
        width, height: agreed on now; 0 when not started.
        frames_per_second: sent or encoded, over the last second.
        frames_offered: accepted by send; sent, encoded, replaced, dropped and failed ones add up to it when all is done.
        target_bitrate: of the encoder now.
        key_frame_requests: from receivers.
        receivers: subscribed now.
        paced_frames_per_second: the most that leave now; 0 when not started.
        frames_repeated: pictures of a screen share that were sent again; in none of the other numbers but bytes and key frames.
        codec: with which it is sent, or was last.
    """

    state: OutgoingState
    width: int
    height: int
    frames_per_second: float
    frames_offered: int
    frames_sent: int
    frames_encoded: int
    frames_replaced: int
    frames_dropped: int
    frames_failed: int
    key_frames_encoded: int
    bytes_sent: int
    target_bitrate: int
    total_encode_time_ns: int
    format_changes: int
    key_frame_requests: int
    reports_dropped: int
    receivers: int
    paced_frames_per_second: float
    frames_repeated: int
    codec: Codec
    total_filter_time_ns: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", OutgoingState(self.state))
        object.__setattr__(self, "codec", Codec(self.codec))


@dataclass(frozen=True)
class IncomingVideoStats:
    """
    Attributes:
        width, height: as they come.
        frames_per_second: received, over the last second.
        frames_received: arrived whole.
        frames_lost: gaps in the sequence.
        frames_corrupt: refused by the decoder.
        frames_skipped: not decoded, waiting for a key frame.
        frames_delivered: read or called back.
        frames_dropped: by the full queue, or because the program was slow.
        freeze_count: times the picture stood still, waiting for a key frame.
        frames_rendered: by at least one renderer.
    """

    state: IncomingState
    width: int
    height: int
    frames_per_second: float
    frames_received: int
    frames_lost: int
    frames_decoded: int
    key_frames_decoded: int
    frames_corrupt: int
    frames_skipped: int
    frames_delivered: int
    frames_dropped: int
    bytes_received: int
    key_frames_requested: int
    total_decode_time_ns: int
    freeze_count: int
    frames_rendered: int
    total_filter_time_ns: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", IncomingState(self.state))


@dataclass(frozen=True)
class OutgoingAudioStats:
    """
    Attributes:
        buffers_offered: accepted by send; sent, encoded, dropped and failed ones add up to it when all is done.
        packets_sent: of those encoded here or sent encoded.
        queued_ns: how much waits to be sent.
        level: of the last buffer, 0 (loudest) to 127 (silence): -dBov of the root mean square.
        receivers: subscribed now.
        bitrate: of the encoder; 0 without one.
    """

    state: OutgoingState
    buffers_offered: int
    buffers_sent: int
    buffers_encoded: int
    buffers_dropped: int
    buffers_failed: int
    packets_sent: int
    bytes_sent: int
    queued_ns: int
    total_encode_time_ns: int
    level: int
    muted: bool
    receivers: int
    bitrate: int
    reports_dropped: int
    gain: float
    total_filter_time_ns: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", OutgoingState(self.state))
        object.__setattr__(self, "muted", bool(self.muted))


@dataclass(frozen=True)
class IncomingAudioStats:
    """Samples are counted per channel.

    Attributes:
        packets_received: units that arrived, raw or encoded.
        packets_corrupt: refused by the decoder.
        fec_packets_recovered: of the lost ones, by forward error correction.
        concealed_samples: made up by concealment.
        total_samples_received: decoded or raw, concealed ones included.
        buffers_delivered: read.
        buffers_dropped: neither read nor rendered.
        buffers_rendered: by at least one renderer.
        jitter_buffer_ns: kept back now for the mix; of the mix, the longest.
        underruns: times that nothing was there for the mix while the sender had not stopped.
        late_samples: left out of the mix, as they came too late or too many.
        drift_ppm: by how much the sender's clock is followed in the mix; above 0: it is fast.
        level: of the last buffer, 0 (loudest) to 127 (silence).
        sources: of the mix: streams heard in the last buffer.
    """

    state: IncomingState
    packets_received: int
    packets_lost: int
    packets_corrupt: int
    bytes_received: int
    fec_packets_recovered: int
    concealed_samples: int
    total_samples_received: int
    buffers_delivered: int
    buffers_dropped: int
    buffers_rendered: int
    total_decode_time_ns: int
    jitter_buffer_ns: int
    underruns: int
    late_samples: int
    drift_ppm: int
    level: int
    sources: int
    total_filter_time_ns: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", IncomingState(self.state))
