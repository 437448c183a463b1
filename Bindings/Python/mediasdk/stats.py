"""Counters, as they were at one moment.  Names are those of W3C webrtc-stats where there is one; bitrates are bits per second."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from .constants import Codec, IncomingState, OutgoingState, Quality, SessionState

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
        log_dropped: messages dropped because 256 were queued.
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
        packets_foreign, packets_refused, packets_forged, packets_replayed: over RTP or WebRTC, datagrams that were not accepted: from other
            hosts, of no negotiated stream, not authentic, received before.
        packets_unsent: not accepted by the network, or by a full buffer of the system.
        round_trip_time_ns: 0: not known.
        outgoing_quality, incoming_quality: of the network.
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
    packets_foreign: int
    packets_refused: int
    packets_forged: int
    packets_replayed: int
    packets_unsent: int
    round_trip_time_ns: int
    outgoing_quality: Quality
    incoming_quality: Quality

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", SessionState(self.state))
        object.__setattr__(self, "outgoing_quality", Quality(self.outgoing_quality))
        object.__setattr__(self, "incoming_quality", Quality(self.incoming_quality))


@dataclass(frozen=True)
class OutgoingVideoStats:
    """
    Attributes:
        width, height: negotiated; 0 when not started.
        frames_per_second: sent or encoded, over the last second.
        frames_offered: accepted by send; sent, encoded, replaced, dropped and failed ones add up to it when all is done.
        target_bitrate: of the encoder now.
        key_frame_requests: from receivers.
        receivers: subscribed now.
        layers: in which it is published, 1..3.
        active_layers: in which the last frame was encoded.
        paced_frames_per_second: the maximum rate now; 0 when not started, or not paced.
        frames_repeated: frames of a screen share that were sent again; in none of the other numbers but bytes and key frames.
        codec: with which it is sent, or was last.
        tap_frames_dropped: frames and encoded frames that the full queue of the tap dropped.
        wanted_width, wanted_height, wanted_frames_per_second: by the receivers together; 0: any.
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
    layers: int
    paced_frames_per_second: float
    frames_repeated: int
    codec: Codec
    active_layers: int
    total_filter_time_ns: int
    tap_frames_dropped: int
    wanted_width: int
    wanted_height: int
    wanted_frames_per_second: float

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
        frames_skipped: not decoded, or not delivered encoded, waiting for a key frame.
        frames_delivered: read or called back.
        frames_dropped: by the full queue, or because the program was slow.
        freeze_count: times the video stood still, waiting for a key frame.
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
        tap_buffers_dropped: buffers and packets that the full queue of the tap dropped.
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
    is_muted: bool
    receivers: int
    bitrate: int
    reports_dropped: int
    gain: float
    total_filter_time_ns: int
    caught_up_ns: int
    tap_buffers_dropped: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", OutgoingState(self.state))
        object.__setattr__(self, "is_muted", bool(self.is_muted))


@dataclass(frozen=True)
class IncomingAudioStats:
    """Samples are counted per channel.

    Attributes:
        packets_received: audio frames that arrived, raw or encoded.
        packets_corrupt: refused by the decoder.
        fec_packets_recovered: of the lost ones, by forward error correction.
        concealed_samples: made up by concealment.
        total_samples_received: decoded or raw, concealed ones included.
        buffers_delivered: read.
        buffers_dropped: neither read nor rendered.
        buffers_rendered: by at least one renderer.
        jitter_buffer_ns: queued now for the mix; of the mix, the longest.
        underruns: times that no audio was there for the mix although the sender had not stopped.
        late_samples: not mixed, because they came too late, or too many at once.
        drift_ppm: the correction in the mix for the sender's clock; above 0: that clock is fast.
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


@dataclass(frozen=True)
class OutboundStats:
    """A stream that goes out over a network: webrtc-stats' outbound-rtp, and of the remote-inbound-rtp what the other end reported last.

    Attributes:
        packets_sent: including retransmissions and padding that probes the path.
        bytes_sent: of payload.
        target_bitrate: that the encoder aims at.
        reported_at_ns: when the other end's last report of the stream came; 0: none came yet, and the rest up to
            round_trip_time_measurements is 0.
        round_trip_time_ns: 0: not known.
        available_outgoing_bitrate, queued_packets, queued_bytes, queue_delay_ns, expired_packets: of the network path, for all its streams.
    """

    ssrc: int
    packets_sent: int
    bytes_sent: int
    header_bytes_sent: int
    retransmitted_packets_sent: int
    retransmitted_bytes_sent: int
    nack_count: int
    pli_count: int
    fir_count: int
    frames_sent: int
    key_frames_sent: int
    huge_frames_sent: int
    total_packet_send_delay_ns: int
    target_bitrate: int
    reported_at_ns: int
    packets_lost: int
    fraction_lost: float
    jitter_ns: int
    round_trip_time_ns: int
    total_round_trip_time_ns: int
    round_trip_time_measurements: int
    available_outgoing_bitrate: int
    queued_packets: int
    queued_bytes: int
    queue_delay_ns: int
    expired_packets: int


@dataclass(frozen=True)
class InboundStats:
    """A stream that comes in over a network: webrtc-stats' inbound-rtp.

    Attributes:
        packets_received: what was sent again included.
        packets_repaired: had been missing, and came after all.
        packets_lost: what was repaired by a source of its own counts as lost.
        frames_received: frames that became whole.
        total_samples_received, concealed_samples: of audio, at 48 kHz.
        round_trip_time_ns: of the network path; 0: not known.
    """

    ssrc: int
    packets_received: int
    bytes_received: int
    header_bytes_received: int
    retransmitted_packets_received: int
    retransmitted_bytes_received: int
    packets_repaired: int
    packets_discarded: int
    packets_lost: int
    jitter_ns: int
    last_packet_received_ns: int
    nack_count: int
    pli_count: int
    frames_received: int
    key_frames_received: int
    frames_dropped: int
    frames_assembled_from_multiple_packets: int
    total_assembly_time_ns: int
    frame_width: int
    frame_height: int
    freeze_count: int
    total_freezes_duration_ns: int
    jitter_buffer_delay_ns: int
    jitter_buffer_target_delay_ns: int
    jitter_buffer_emitted_count: int
    total_samples_received: int
    concealed_samples: int
    concealment_events: int
    round_trip_time_ns: int
