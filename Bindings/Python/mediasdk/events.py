"""What happens in a session."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Union

from .constants import (AudioKind, Codec, Direction, EventType, IncomingState, IngestState, Moderation, OutgoingState, PluginEvent, Quality,
                        ScreenShareState, SessionState, VideoKind)
from .errors import MediaSDKError, error_for

if TYPE_CHECKING:
    from .audio_format import AudioFormat
    from .formats import VideoFormat
    from .incoming import IncomingVideo
    from .incoming_audio import IncomingAudio
    from .instance import Instance
    from .outgoing import OutgoingVideo
    from .outgoing_audio import OutgoingAudio
    from .sender import FrameSender

State = Union[SessionState, OutgoingState, IncomingState, ScreenShareState, IngestState, Quality]

_STATES: dict[int, Callable[[int], State]] = {EventType.SESSION_STATE: SessionState,
                                              EventType.OUTGOING_VIDEO_STATE: OutgoingState,
                                              EventType.INCOMING_VIDEO_STATE: IncomingState,
                                              EventType.OUTGOING_AUDIO_STATE: OutgoingState,
                                              EventType.SCREEN_SHARE_STATE: ScreenShareState,
                                              EventType.INGEST: IngestState,
                                              EventType.NETWORK_QUALITY: Quality,
                                              EventType.INCOMING_AUDIO_STATE: IncomingState}


def state_of(kind: EventType, value: int) -> State | None:
    """The state in an event of this type, in its own enumeration."""
    states = _STATES.get(kind)
    return states(value) if states is not None else None


@dataclass(frozen=True)
class Event:
    """One event; what a type does not have is None, "" or 0.

    Attributes:
        timestamp_ns: when it happened, on the engine's clock.
        lost: events before this one were dropped, because they were not read.
        state: of the session or stream, in its own enumeration; how good the network is (NETWORK_QUALITY).
        status: 0, or the negative code of what went wrong; see :attr:`error`.
        outgoing_video, sender, incoming_video, instance, outgoing_audio, incoming_audio: the objects concerned.
        format: what to make (FRAME_SENDER_CHANGED) or what is being sent (INCOMING_VIDEO_ADDED).
        audio_format: what is being sent (INCOMING_AUDIO_ADDED).
        codec: of an added stream; with which one goes on (CODEC_CHANGED).
        kind: of the stream concerned.
        user_id: the participant concerned.
        text: the words of an error, or the display name of one who joined.
        direction: of the network (NETWORK_QUALITY).
        value: the estimate in bits per second (ESTIMATE, outgoing NETWORK_QUALITY; 0: unlimited), a :class:`PluginEvent` (PLUGIN), the level (ACTIVE_SPEAKER:
            0, the loudest, to 127), a :class:`FeedReason` (INGEST).
        muted: whether the sender has muted it (INCOMING_AUDIO_ADDED, INCOMING_AUDIO_MUTED).
        speaking: whether the participant began to speak, or ended (ACTIVE_SPEAKER).
        moderation: what the moderator `user_id` did to this session, for the reason in `text` (MODERATED).
    """

    type: EventType
    timestamp_ns: int
    lost: bool = False
    state: State | None = None
    status: int = 0
    outgoing_video: OutgoingVideo | None = None
    sender: FrameSender | None = None
    incoming_video: IncomingVideo | None = None
    instance: Instance | None = None
    format: VideoFormat | None = None
    codec: Codec = Codec.NONE
    user_id: str = ""
    text: str = ""
    value: int = 0
    outgoing_audio: OutgoingAudio | None = None
    incoming_audio: IncomingAudio | None = None
    audio_format: AudioFormat | None = None
    kind: AudioKind | VideoKind | None = None
    muted: bool | None = None
    speaking: bool | None = None
    moderation: Moderation | None = None
    direction: Direction | None = None

    @property
    def error(self) -> MediaSDKError | None:
        """What went wrong, as an error that could be raised; None if nothing did."""
        return error_for(self.status, self.text) if self.status < 0 else None

    def __repr__(self) -> str:
        told = [f"{name}={value!r}" for name, value in vars(self).items() if name not in ("type", "timestamp_ns") and value]
        return f"<Event {self.type.name} {' '.join(told)}>".replace(" >", ">")


@dataclass(frozen=True)
class InstanceEvent:
    """What an instance tells, attached or not.

    Attributes:
        type: what happened; numbers from :attr:`PluginEvent.USER` on are the plugin's own.
        timestamp_ns: when it happened, on the engine's clock.
        lost: events before this one were dropped, because they were not read.
        status: 0, or the negative code of what went wrong; see :attr:`error`.
        text: the words of an error; of PARAM_CHANGED the parameter's name.
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
