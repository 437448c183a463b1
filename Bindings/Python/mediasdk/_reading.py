"""Events from the structs of C: each in its class, with the objects that the program knows."""
from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Callable, Dict, Optional, Tuple, TypeVar

from . import _structs
from ._call import decode
from .audio_format import AudioFormat, audio_format_of
from .constants import (AudioKind, Codec, Direction, EncryptionState, EventFlag, EventType, FeedReason, IncomingState, IngestState, Moderation,
                        OutgoingState, Permission, PluginEvent, Quality, ScreenShareState, SessionState, SpeakerState, VideoKind)
from .events import (AccessExpiring, AccessRenewed, ActiveSpeakerChanged, AudioLevelMeasured, CandidatesComplete, CodecChanged,
                     DataAvailable, DataChannelClosed, DataChannelLow, DataChannelOpened, DataEncryptionChanged,
                     DataStreamAvailable, DataWritable, EstimateChanged, Event, FrameSenderChanged, ICEServerFailed,
                     IncomingAudioAdded, IncomingAudioMuted, IncomingAudioRemoved, IncomingAudioStateChanged,
                     IncomingVideoAdded, IncomingVideoRemoved, IncomingVideoStateChanged, IngestChanged, KeyFrameRequested,
                     LocalCandidate, MessageAvailable, Moderated, NegotiationNeeded, NetworkQualityChanged,
                     OutgoingAudioStateChanged, OutgoingVideoStateChanged, ParticipantAttributeChanged, ParticipantJoined,
                     ParticipantLeft, PluginReported, ReceiversChanged, RestartWanted, RpcAvailable, ScreenShareStateChanged,
                     SessionStateChanged, StatsDue, StreamEncryptionChanged, StreamUnreachable, VideoWanted)
from .data_channel import DataChannel
from .formats import VideoFormat, format_of
from .incoming import IncomingVideo
from .incoming_audio import IncomingAudio
from .instance import Instance
from .outgoing import OutgoingVideo
from .outgoing_audio import OutgoingAudio

if TYPE_CHECKING:
    from .session import Session

T = TypeVar("T")

_Head = Tuple[EventType, int, bool, int, str]  # what all events have
_Reader = Callable[["_Source", _Head], Event]


class _Gone(Exception):
    """The program has let go of the object that an event is about."""


def event_of(session: Session, struct: _structs.Event) -> Event:
    """The event that a struct holds."""
    head = (EventType(struct.type), struct.timestamp_ns, bool(struct.flags & EventFlag.LOST), struct.status, decode(struct.text))
    read = READERS.get(struct.type)
    if read is not None:
        try:
            return read(_Source(session, struct), head)
        except _Gone:
            pass
    return Event(*head)


class _Source:
    """The members of a struct, as Python has them."""

    def __init__(self, session: Session, struct: _structs.Event) -> None:
        self._session = session
        self._objects = session.engine._objects
        self.struct = struct
        self.state: int = struct.state
        self.value: int = struct.value
        self.user_id = decode(struct.user_id)
        self.codec = Codec(struct.codec)

    @property
    def channel(self) -> DataChannel:
        return DataChannel(self._session, self.value)

    @property
    def format(self) -> VideoFormat | None:
        return format_of(self.struct.format) if self.struct.format.pixel_format else None

    @property
    def audio_format(self) -> AudioFormat | None:
        return audio_format_of(self.struct.audio_format) if self.struct.audio_format.sample_format else None

    @property
    def video_kind(self) -> VideoKind | None:
        return VideoKind(self.struct.kind) if self.struct.kind else None

    @property
    def outgoing_video(self) -> OutgoingVideo | None:
        found = self._objects.get(self.struct.outgoing_video or 0)
        return found if isinstance(found, OutgoingVideo) else None

    @property
    def outgoing_audio(self) -> OutgoingAudio | None:
        found = self._objects.get(self.struct.outgoing_audio or 0)
        return found if isinstance(found, OutgoingAudio) else None

    @property
    def instance(self) -> Instance | None:
        found = self._objects.get(self.struct.instance or 0)
        return found if isinstance(found, Instance) else None

    @property
    def incoming_video(self) -> IncomingVideo | None:
        return self._session._incoming_of(IncomingVideo, self.struct.incoming_video, lambda handle: IncomingVideo(
            handle, self._session, self.user_id, self.format, self.codec, VideoKind(self.struct.kind or VideoKind.VIRTUAL)))

    @property
    def incoming_audio(self) -> IncomingAudio | None:
        return self._session._incoming_of(IncomingAudio, self.struct.incoming_audio, lambda handle: IncomingAudio(
            handle, self._session, self.user_id, AudioKind(self.struct.kind or AudioKind.MICROPHONE) if self.user_id else None,
            self.audio_format, self.codec))


def _there(found: Optional[T]) -> T:
    if found is None:
        raise _Gone
    return found


def _sender_changed(source: _Source, head: _Head) -> Event:
    stream, format = _there(source.outgoing_video), _there(source.format)
    return FrameSenderChanged(*head, stream, stream._sender_of(source.struct.sender, format), format)


def _video_added(source: _Source, head: _Head) -> Event:
    stream = _there(source.incoming_video)
    return IncomingVideoAdded(*head, stream, source.user_id, stream.kind, source.format, source.codec)


def _audio_added(source: _Source, head: _Head) -> Event:
    stream = _there(source.incoming_audio)
    return IncomingAudioAdded(*head, stream, source.user_id, AudioKind(source.struct.kind or AudioKind.MICROPHONE), source.audio_format,
                              source.codec, bool(source.value))


def _video_wanted(source: _Source, head: _Head) -> Event:
    wanted = source.struct.format
    return VideoWanted(*head, _there(source.outgoing_video), wanted.width, wanted.height, Fraction(wanted.fps_num, wanted.fps_den or 1))


def _outgoing_kind(source: _Source) -> AudioKind | VideoKind | None:
    kind = source.video_kind
    return AudioKind(source.struct.kind) if source.struct.outgoing_audio and kind is not None else kind


READERS: Dict[int, _Reader] = {
    EventType.SESSION_STATE: lambda source, head: SessionStateChanged(*head, SessionState(source.state)),
    EventType.PARTICIPANT_JOINED: lambda source, head: ParticipantJoined(*head, source.user_id),
    EventType.PARTICIPANT_LEFT: lambda source, head: ParticipantLeft(*head, source.user_id),
    EventType.OUTGOING_VIDEO_STATE: lambda source, head: OutgoingVideoStateChanged(
        *head, source.outgoing_video, OutgoingState(source.state)),
    EventType.FRAME_SENDER_CHANGED: _sender_changed,
    EventType.INCOMING_VIDEO_ADDED: _video_added,
    EventType.INCOMING_VIDEO_STATE: lambda source, head: IncomingVideoStateChanged(
        *head, _there(source.incoming_video), source.user_id, IncomingState(source.state)),
    EventType.INCOMING_VIDEO_REMOVED: lambda source, head: IncomingVideoRemoved(*head, _there(source.incoming_video), source.user_id),
    EventType.ESTIMATE: lambda source, head: EstimateChanged(*head, source.value),
    EventType.PLUGIN: lambda source, head: PluginReported(*head, source.instance, PluginEvent(source.value)),
    EventType.KEY_FRAME_REQUESTED: lambda source, head: KeyFrameRequested(*head, _there(source.outgoing_video)),
    EventType.OUTGOING_AUDIO_STATE: lambda source, head: OutgoingAudioStateChanged(
        *head, source.outgoing_audio, OutgoingState(source.state)),
    EventType.INCOMING_AUDIO_ADDED: _audio_added,
    EventType.INCOMING_AUDIO_STATE: lambda source, head: IncomingAudioStateChanged(
        *head, _there(source.incoming_audio), source.user_id, IncomingState(source.state)),
    EventType.INCOMING_AUDIO_REMOVED: lambda source, head: IncomingAudioRemoved(*head, _there(source.incoming_audio), source.user_id),
    EventType.INCOMING_AUDIO_MUTED: lambda source, head: IncomingAudioMuted(
        *head, _there(source.incoming_audio), source.user_id, bool(source.value)),
    EventType.ACTIVE_SPEAKER: lambda source, head: ActiveSpeakerChanged(*head, source.user_id, SpeakerState(source.state), source.value),
    EventType.SCREEN_SHARE_STATE: lambda source, head: ScreenShareStateChanged(
        *head, source.user_id, ScreenShareState(source.state), source.video_kind, source.incoming_video),
    EventType.MODERATED: lambda source, head: Moderated(*head, source.user_id, Moderation(source.value)),
    EventType.INGEST: lambda source, head: IngestChanged(
        *head, IngestState(source.state), FeedReason(source.value), source.format, source.codec),
    EventType.CODEC_CHANGED: lambda source, head: CodecChanged(
        *head, source.outgoing_video, source.outgoing_audio, _outgoing_kind(source), source.codec),
    EventType.NETWORK_QUALITY: lambda source, head: NetworkQualityChanged(
        *head, Quality(source.state), Direction(source.struct.direction), source.value),
    EventType.AUDIO_LEVEL: lambda source, head: AudioLevelMeasured(
        *head, source.outgoing_audio, source.incoming_audio, AudioKind(source.struct.kind), source.user_id, source.value),
    EventType.RECEIVERS: lambda source, head: ReceiversChanged(
        *head, source.outgoing_video, source.outgoing_audio, _outgoing_kind(source), source.value),
    EventType.PARTICIPANT_ATTRIBUTE: lambda source, head: ParticipantAttributeChanged(*head, source.user_id),
    EventType.OUTGOING_VIDEO_WANTED: _video_wanted,
    EventType.ACCESS_EXPIRING: lambda source, head: AccessExpiring(*head, source.value),
    EventType.ACCESS_RENEWED: lambda source, head: AccessRenewed(*head, Permission(source.value)),
    EventType.NEGOTIATION_NEEDED: lambda source, head: NegotiationNeeded(*head),
    EventType.LOCAL_CANDIDATE: lambda source, head: LocalCandidate(*head, head[-1], source.user_id),
    EventType.CANDIDATES_COMPLETE: lambda source, head: CandidatesComplete(*head),
    EventType.RESTART_WANTED: lambda source, head: RestartWanted(*head),
    EventType.ICE_SERVER_FAILED: lambda source, head: ICEServerFailed(*head, source.user_id, source.value),
    EventType.DATA_CHANNEL_OPENED: lambda source, head: DataChannelOpened(
        *head, source.channel, head[-1], source.user_id, Direction(source.struct.direction)),
    EventType.DATA_CHANNEL_CLOSED: lambda source, head: DataChannelClosed(*head, source.channel),
    EventType.MESSAGE_AVAILABLE: lambda source, head: MessageAvailable(*head, source.channel),
    EventType.DATA_CHANNEL_LOW: lambda source, head: DataChannelLow(*head, source.channel),
    EventType.DATA_AVAILABLE: lambda source, head: DataAvailable(*head),
    EventType.RPC_AVAILABLE: lambda source, head: RpcAvailable(*head),
    EventType.DATA_STREAM_AVAILABLE: lambda source, head: DataStreamAvailable(*head),
    EventType.DATA_WRITABLE: lambda source, head: DataWritable(*head),
    EventType.STREAM_ENCRYPTION: lambda source, head: StreamEncryptionChanged(
        *head, source.incoming_video, source.incoming_audio, source.outgoing_video, source.outgoing_audio, source.user_id,
        EncryptionState(source.state), source.value),
    EventType.DATA_ENCRYPTION: lambda source, head: DataEncryptionChanged(
        *head, source.user_id, EncryptionState(source.state), source.value),
    EventType.STATS: lambda source, head: StatsDue(*head),
    EventType.STREAM_UNREACHABLE: lambda source, head: StreamUnreachable(
        *head, source.outgoing_video, source.outgoing_audio, _outgoing_kind(source), source.user_id),
}
