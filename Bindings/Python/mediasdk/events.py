"""What happens in a session, a class for each kind of event, and what an instance reports."""
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from .constants import (AudioKind, Codec, Direction, EncryptionState, EventType, FeedReason, IncomingState, IngestState, Moderation, OutgoingState,
                        Permission, PluginEvent, Quality, ScreenShareState, SessionState, SpeakerState, VideoKind)
from .errors import MediaSDKError, error_for

if TYPE_CHECKING:
    from .audio_format import AudioFormat
    from .data_channel import DataChannel
    from .formats import VideoFormat
    from .incoming import IncomingVideo
    from .incoming_audio import IncomingAudio
    from .instance import Instance
    from .outgoing import OutgoingVideo
    from .outgoing_audio import OutgoingAudio
    from .sender import FrameSender


@dataclass(frozen=True, repr=False)
class Event:
    """What all events have.  Each kind is a subclass with its own members, for ``isinstance`` and ``match``:

        if isinstance(event, FrameSenderChanged):
            event.sender.send_array(array)

    A plain Event is of a type that this package does not know, or about a stream that the program has let go of.

    Attributes:
        type: its number, which a newer library may add to.
        timestamp_ns: when it happened, on the engine's clock.
        lost: events before this one were dropped, because they were not read.
        status: 0, or the negative code of what went wrong; see :attr:`error`.
        text: the text of an error, a reason, or a name.
    """

    type: EventType
    timestamp_ns: int
    lost: bool
    status: int
    text: str

    @property
    def error(self) -> MediaSDKError | None:
        """What went wrong, as an error that could be raised; None if nothing did."""
        return error_for(self.status, self.text) if self.status < 0 else None

    def __repr__(self) -> str:
        name = type(self).__name__
        members = [f"{key}={value!r}" for key, value in vars(self).items() if key not in ("type", "timestamp_ns") and value]
        return f"<{' '.join([f'Event {self.type.name}' if name == 'Event' else name, *members])}>"


@dataclass(frozen=True, repr=False)
class SessionStateChanged(Event):
    """The session's state; :attr:`error` says why when the program did not ask for it."""

    state: SessionState


@dataclass(frozen=True, repr=False)
class ParticipantJoined(Event):
    """A participant joined the room."""

    user_id: str

    @property
    def display_name(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class ParticipantLeft(Event):
    """A participant left the room."""

    user_id: str


@dataclass(frozen=True, repr=False)
class ParticipantAttributeChanged(Event):
    """Another participant set, changed or removed an attribute; :meth:`Session.attributes` has its value."""

    user_id: str

    @property
    def key(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class OutgoingVideoStateChanged(Event):
    """The state of a stream of this program's; :attr:`error` says why it failed.

    Attributes:
        outgoing_video: None for the stream of a feeder (:meth:`Session.set_ingest`), or one that the program has let go of.
    """

    outgoing_video: OutgoingVideo | None
    state: OutgoingState


@dataclass(frozen=True, repr=False)
class FrameSenderChanged(Event):
    """A stream takes its frames through this sender from now on, in this format; the former sender refuses them."""

    outgoing_video: OutgoingVideo
    sender: FrameSender
    format: VideoFormat


@dataclass(frozen=True, repr=False)
class IncomingVideoAdded(Event):
    """A participant offers a video stream; it is received once it is started.

    Attributes:
        format: what is being sent; None: not known yet.
    """

    incoming_video: IncomingVideo
    user_id: str
    kind: VideoKind
    format: VideoFormat | None
    codec: Codec


@dataclass(frozen=True, repr=False)
class IncomingVideoStateChanged(Event):
    """The state of a received stream; :attr:`error` says why it stopped by itself."""

    incoming_video: IncomingVideo
    user_id: str
    state: IncomingState


@dataclass(frozen=True, repr=False)
class IncomingVideoRemoved(Event):
    """A video stream is no longer available."""

    incoming_video: IncomingVideo
    user_id: str


@dataclass(frozen=True, repr=False)
class EstimateChanged(Event):
    """The bandwidth estimate.

    Attributes:
        bitrate: bits per second out of this program; 0: unlimited.
    """

    bitrate: int


@dataclass(frozen=True, repr=False)
class PluginReported(Event):
    """What an attached instance, or a stream's codec, reports.

    Attributes:
        instance: None: the codec of a stream.
        report: numbers from :attr:`PluginEvent.USER` on are the plugin's own.
    """

    instance: Instance | None
    report: PluginEvent


@dataclass(frozen=True, repr=False)
class KeyFrameRequested(Event):
    """A receiver wants a key frame: of interest to programs that send encoded frames."""

    outgoing_video: OutgoingVideo


@dataclass(frozen=True, repr=False)
class OutgoingAudioStateChanged(Event):
    """The state of a stream of this program's own audio; :attr:`error` says why it failed.

    Attributes:
        outgoing_audio: None: one that the program has let go of.
    """

    outgoing_audio: OutgoingAudio | None
    state: OutgoingState


@dataclass(frozen=True, repr=False)
class IncomingAudioAdded(Event):
    """A participant offers an audio stream; it is received once it is started.

    Attributes:
        audio_format: what is being sent; None: not known yet.
        muted: whether its sender has muted it.
    """

    incoming_audio: IncomingAudio
    user_id: str
    kind: AudioKind
    audio_format: AudioFormat | None
    codec: Codec
    muted: bool


@dataclass(frozen=True, repr=False)
class IncomingAudioStateChanged(Event):
    """The state of received audio; :attr:`error` says why it stopped by itself.

    Attributes:
        user_id: "" for the mix.
    """

    incoming_audio: IncomingAudio
    user_id: str
    state: IncomingState


@dataclass(frozen=True, repr=False)
class IncomingAudioRemoved(Event):
    """An audio stream is no longer available."""

    incoming_audio: IncomingAudio
    user_id: str


@dataclass(frozen=True, repr=False)
class IncomingAudioMuted(Event):
    """The sender has muted their stream, or unmuted it."""

    incoming_audio: IncomingAudio
    user_id: str
    muted: bool


@dataclass(frozen=True, repr=False)
class ActiveSpeakerChanged(Event):
    """A participant, oneself too, started or stopped speaking.

    Attributes:
        level: 0, the loudest, to 127, silence.
    """

    user_id: str
    state: SpeakerState
    level: int

    @property
    def speaking(self) -> bool:
        return self.state == SpeakerState.ACTIVE


@dataclass(frozen=True, repr=False)
class ScreenShareStateChanged(Event):
    """A participant, oneself too, started or stopped sharing a screen.

    Attributes:
        incoming_video: the shared screen; None: one's own.
    """

    user_id: str
    state: ScreenShareState
    kind: VideoKind | None
    incoming_video: IncomingVideo | None


@dataclass(frozen=True, repr=False)
class Moderated(Event):
    """The moderator `user_id` removed, muted or unmuted this participant."""

    user_id: str
    moderation: Moderation

    @property
    def reason(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class IngestChanged(Event):
    """What happens with a feeder (:meth:`Session.set_ingest`).

    Attributes:
        reason: why a feeder was refused or disconnected.
        format, codec: of what is shared (:attr:`IngestState.SHARING`).
    """

    state: IngestState
    reason: FeedReason
    format: VideoFormat | None
    codec: Codec


@dataclass(frozen=True, repr=False)
class CodecChanged(Event):
    """A stream switched to another codec, because a member joined that does not decode the former one, or that raw media does not reach.

    Attributes:
        outgoing_video, outgoing_audio: the stream: one of the two.
    """

    outgoing_video: OutgoingVideo | None
    outgoing_audio: OutgoingAudio | None
    kind: AudioKind | VideoKind | None
    codec: Codec


@dataclass(frozen=True, repr=False)
class NetworkQualityChanged(Event):
    """The quality of the network in one direction.

    Attributes:
        bitrate: outgoing, as :attr:`EstimateChanged.bitrate`.
    """

    quality: Quality
    direction: Direction
    bitrate: int


@dataclass(frozen=True, repr=False)
class StreamUnreachable(Event):
    """A stream is not sent to a member of the room; :attr:`error` says why.

    Attributes:
        outgoing_video, outgoing_audio: the stream: one of the two.
        user_id: the member who is not sent it.
    """

    outgoing_video: OutgoingVideo | None
    outgoing_audio: OutgoingAudio | None
    kind: AudioKind | VideoKind | None
    user_id: str


@dataclass(frozen=True, repr=False)
class AudioLevelMeasured(Event):
    """The level of a stream, at the interval of :meth:`Session.set_audio_level_interval`.

    Attributes:
        outgoing_audio, incoming_audio: the stream: one of the two.
        user_id: who sends it.
        level: of the loudest buffer since the last such event, in -dBov: 0 is the loudest, 127 silence.
    """

    outgoing_audio: OutgoingAudio | None
    incoming_audio: IncomingAudio | None
    kind: AudioKind
    user_id: str
    level: int


@dataclass(frozen=True, repr=False)
class StatsDue(Event):
    """It is time to read the stats, at the interval of :meth:`Session.set_stats_interval`."""


@dataclass(frozen=True, repr=False)
class ReceiversChanged(Event):
    """The number of members that receive a stream changed.  What is sent while there is none is dropped.

    Attributes:
        outgoing_video, outgoing_audio: the stream: one of the two.
    """

    outgoing_video: OutgoingVideo | None
    outgoing_audio: OutgoingAudio | None
    kind: AudioKind | VideoKind | None
    count: int


@dataclass(frozen=True, repr=False)
class VideoWanted(Event):
    """What the receivers of a stream want of it together.  The SDK follows it; a program that sends encoded frames does so itself.

    Attributes:
        width, height: in pixels; both 0: any size.
        fps: frames a second; 0: any.
    """

    outgoing_video: OutgoingVideo
    width: int
    height: int
    fps: Fraction


@dataclass(frozen=True, repr=False)
class AccessExpiring(Event):
    """The session's access expires soon, and then it is disconnected, unless :meth:`Session.set_access_token` renews it.

    Attributes:
        remaining_ns: the time that is left.
    """

    remaining_ns: int


@dataclass(frozen=True, repr=False)
class AccessRenewed(Event):
    """The room's answer to another token; :attr:`error` says why it was refused.

    Attributes:
        permissions: what the room permits the session now.
    """

    permissions: Permission


@dataclass(frozen=True, repr=False)
class NegotiationNeeded(Event):
    """Over ``webrtc:``: something is sent or received that no description has.  :meth:`Session.describe` is to be called."""


@dataclass(frozen=True, repr=False)
class LocalCandidate(Event):
    """Over ``webrtc:``: a candidate of this end, for the peer's :meth:`Session.add_remote_candidate`.

    Attributes:
        candidate: as in ``a=candidate``.
        mid: the name of its section.
    """

    candidate: str
    mid: str


@dataclass(frozen=True, repr=False)
class CandidatesComplete(Event):
    """Over ``webrtc:``: no further candidate of this end comes."""


@dataclass(frozen=True, repr=False)
class RestartWanted(Event):
    """Over ``webrtc:``: the path is lost or about to be; :meth:`Session.restart_ice` may bring another one."""


@dataclass(frozen=True, repr=False)
class ICEServerFailed(Event):
    """Over ``webrtc:``: a server brings no candidate; :attr:`text` says why.

    Attributes:
        server: which one.
        code: of its answer (RFC 8489); 0: it gave none.
    """

    server: str
    code: int


@dataclass(frozen=True, repr=False)
class DataChannelOpened(Event):
    """Over ``webrtc:``: both ends have a channel.

    Attributes:
        label, protocol: as far as an event has room for them.
        direction: ``INCOMING``: the peer has opened it; ``OUTGOING``: the peer knows of it.
    """

    channel: DataChannel
    label: str
    protocol: str
    direction: Direction


@dataclass(frozen=True, repr=False)
class DataChannelClosed(Event):
    """Over ``webrtc:``: a channel is closed; :attr:`error` says why, if neither end has closed it.  What came before can still be read."""

    channel: DataChannel


@dataclass(frozen=True, repr=False)
class MessageAvailable(Event):
    """Over ``webrtc:``: a message has come.  It comes again after :meth:`DataChannel.read` has returned None."""

    channel: DataChannel


@dataclass(frozen=True, repr=False)
class DataChannelLow(Event):
    """Over ``webrtc:``: what is not acknowledged fell to the threshold (:meth:`DataChannel.set_low_threshold`)."""

    channel: DataChannel


@dataclass(frozen=True, repr=False)
class DataAvailable(Event):
    """Data of others has come.  It comes again after :meth:`Session.read_data` has returned None."""


@dataclass(frozen=True, repr=False)
class RpcAvailable(Event):
    """A request of another participant or the result of a call has come.  It comes again after :meth:`Rpc.read` has returned None."""


@dataclass(frozen=True, repr=False)
class DataStreamAvailable(Event):
    """A part of a stream of data has come.  It comes again after :meth:`DataStreams.read` has returned None."""


@dataclass(frozen=True, repr=False)
class DataWritable(Event):
    """:meth:`Session.send_data`, which raised :class:`AgainError`, has room again."""


@dataclass(frozen=True, repr=False)
class StreamEncryptionChanged(Event):
    """End-to-end encryption of a stream works from now on, or does not; one of the streams is there.

    Attributes:
        user_id: whose; empty for one's own.
        key_index: of the key that its frames have.
    """

    incoming_video: IncomingVideo | None
    incoming_audio: IncomingAudio | None
    outgoing_video: OutgoingVideo | None
    outgoing_audio: OutgoingAudio | None
    user_id: str
    state: EncryptionState
    key_index: int


@dataclass(frozen=True, repr=False)
class DataEncryptionChanged(Event):
    """Data of a participant can be decrypted from now on, or cannot; what cannot is dropped.

    Attributes:
        user_id: whose; empty for data of the room's server.
        key_index: of the key that the data has.
    """

    user_id: str
    state: EncryptionState
    key_index: int


@dataclass(frozen=True)
class InstanceEvent:
    """What an instance reports, attached or not.

    Attributes:
        type: what happened; numbers from :attr:`PluginEvent.USER` on are the plugin's own.
        timestamp_ns: when it happened, on the engine's clock.
        lost: events before this one were dropped, because they were not read.
        status: 0, or the negative code of what went wrong; see :attr:`error`.
        text: the error text; for PARAM_CHANGED the parameter's name.
    """

    type: PluginEvent
    timestamp_ns: int
    instance: Instance
    lost: bool = False
    status: int = 0
    text: str = ""

    @property
    def error(self) -> MediaSDKError | None:
        """What went wrong, as an error that could be raised; None if nothing did."""
        return error_for(self.status, self.text) if self.status < 0 else None
