"""MediaSDK: take part in a call with media that the program makes itself.

    with Engine() as engine:
        session = engine.create_session("loopback:lobby", "alice")
        session.connect()                                                        # CONNECTED comes as an event
        stream = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 1280, 720, 30))
        session.start_video(stream)
        for event in session.events(timeout=5):
            if event.type == EventType.FRAME_SENDER_CHANGED:
                event.sender.send_array(picture)

Sound goes the same way: ``session.start_audio(stream)``, ``stream.write(samples)``, ``for frame in session.mixed_audio``.

Everything is pulled, with timeouts in seconds; no thread of the SDK's ever enters the interpreter.  Sessions and incoming streams
have a fileno() for select and a form for asyncio.  Times are nanoseconds of CLOCK_MONOTONIC, or of the engine's virtual clock.
"""
from . import clock
from ._call import decode as _decode
from ._native import library as _library
from .audio_format import AudioFormat
from .audio_frame import AudioFrame
from .commands import Command, CommandArg
from .constants import (ACCESS_TOKEN_MAX, CHANNELS_MAX, DIMENSION_MAX, NAME_MAX, TEXT_MAX, AudioKind, CaptureFlag, ClassFlag, Clock, Codec,
                        CommandFlag,
                        Containment, Content, Direction, DropReason, Duplicate, EncodedFlag, EventType, FeedReason, FrameFlag, IncomingState, IngestState,
                        InstanceState, IsolatedFlag, Isolation, Kind, Limits, Matrix, Memory, Moderation, OpusApplication, Orientation, Outcome,
                        OutgoingState, Output, ParamFlag, Permission, PixelFormat, PluginEvent, Preset, Quality, QueuePolicy, SampleFormat, Scale,
                        ScreenShareState, SdpType, SessionState, Status, ValueType, VideoKind)
from .encoded import EncodedFrame
from .engine import ClassInfo, Engine
from .errors import (AgainError, BufferSmallError, ClosedError, CorruptError, DeviceLostError, ExistsError, ForkedError,
                     FormatError, HandleError, InvalidError, LimitError, MediaIOError, MediaSDKError, MediaTimeout, NoMemoryError,
                     NotFoundError, PluginABIError, PluginDiedError, RangeError, RefusedError, RemovedError, RoomFullError,
                     StaleSenderError, StateError, ThreadError, UnsupportedError, ValueTypeError)
from .events import Event, InstanceEvent
from .formats import FrameLayout, PlaneShape, VideoFormat, frame_layout, plane_shapes
from .frame import Frame
from .hub import Hub, HubInfo, open_hub
from .incoming import IncomingVideo
from .incoming_audio import IncomingAudio
from .instance import Instance, IsolationLimits
from .outgoing import OutgoingVideo, VideoLimit, check_video_limit, video_limits
from .outgoing_audio import OutgoingAudio
from .plane import Plane
from .report import FrameReport
from .room import AccessRequest, NetworkStep, access_requests, configure_room, next_access_request, open_room, script_network
from .sender import FrameSender
from .session import Participant, Session
from .stats import (EngineStats, InboundStats, IncomingAudioStats, IncomingVideoStats, OutboundStats, OutgoingAudioStats, OutgoingVideoStats,
                    SessionStats)
from .values import Choice, Param
from .view import Placement, Rectangle, View

__version__ = "0.1.0"


def version() -> str:
    """The version of the library that is running."""
    return _decode(_library.msdk_version())


__all__ = [
    "ACCESS_TOKEN_MAX", "AccessRequest", "AgainError", "AudioFormat", "AudioFrame", "AudioKind", "BufferSmallError",
    "CHANNELS_MAX", "CaptureFlag", "Choice", "ClassFlag", "ClassInfo", "Clock", "ClosedError", "Codec", "Command", "CommandArg", "CommandFlag",
    "Containment", "Content", "CorruptError", "DIMENSION_MAX", "DeviceLostError", "Direction", "DropReason", "Duplicate", "EncodedFlag", "EncodedFrame", "Engine",
    "EngineStats", "Event",
    "EventType", "ExistsError", "FeedReason", "ForkedError", "FormatError", "Frame", "FrameFlag", "FrameLayout",
    "FrameReport", "FrameSender", "HandleError", "Hub", "HubInfo", "InboundStats", "IncomingAudio", "IncomingAudioStats", "IncomingState",
    "IncomingVideo", "IncomingVideoStats", "IngestState", "Instance", "InstanceEvent", "InstanceState", "InvalidError", "IsolatedFlag", "Isolation",
    "IsolationLimits", "Kind", "LimitError", "Limits",
    "Matrix", "MediaIOError", "MediaSDKError", "MediaTimeout", "Memory", "Moderation", "NAME_MAX", "NetworkStep",
    "NoMemoryError", "NotFoundError", "OpusApplication", "Orientation", "OutboundStats", "Outcome", "OutgoingAudio", "OutgoingAudioStats",
    "OutgoingState", "OutgoingVideo", "OutgoingVideoStats", "Output", "Param", "ParamFlag", "Participant", "Permission",
    "PixelFormat", "Placement", "Plane", "PlaneShape", "PluginABIError", "PluginDiedError", "PluginEvent", "Preset", "Quality", "QueuePolicy",
    "RangeError", "Rectangle", "RefusedError", "RemovedError", "RoomFullError", "SampleFormat", "Scale", "ScreenShareState", "SdpType", "Session", "SessionState",
    "SessionStats", "StaleSenderError", "StateError", "Status", "TEXT_MAX", "ThreadError", "UnsupportedError",
    "ValueType", "ValueTypeError", "VideoFormat", "VideoKind", "VideoLimit", "View", "access_requests", "check_video_limit",
    "clock", "configure_room", "frame_layout", "next_access_request", "open_hub", "open_room", "plane_shapes", "script_network",
    "version", "video_limits",
]
