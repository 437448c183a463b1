"""MediaSDK: take part in a call with media that the program makes itself.

    with Engine() as engine:
        session = engine.create_session("loopback:lobby", "alice")
        session.connect()                                                        # CONNECTED comes as an event
        stream = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 1280, 720, 30))
        session.start_video(stream)
        for event in session.events(timeout=5):
            if event.type == EventType.FRAME_SENDER_CHANGED:
                event.sender.send_array(picture)

Everything is pulled, with timeouts in seconds; no thread of the SDK's ever enters the interpreter.  Sessions and incoming streams
have a fileno() for select and a form for asyncio.  Times are nanoseconds of CLOCK_MONOTONIC, or of the engine's virtual clock.
"""
from . import clock
from ._call import decode as _decode
from ._native import library as _library
from .constants import (DIMENSION_MAX, NAME_MAX, TEXT_MAX, ClassFlag, Clock, Codec, Content, DropReason, EncodedFlag, EventType,
                        FrameFlag, IncomingState, InstanceState, Kind, Limits, Matrix, Memory, Orientation, Outcome, OutgoingState,
                        Output, ParamFlag, PixelFormat, PluginEvent, Preset, QueuePolicy, SessionState, Status, ValueType)
from .encoded import EncodedFrame
from .engine import ClassInfo, Engine
from .errors import (AgainError, BufferSmallError, ClosedError, CorruptError, DeviceLostError, ExistsError, ForkedError, FormatError,
                     HandleError, InvalidError, LimitError, MediaIOError, MediaSDKError, MediaTimeout, NoMemoryError, NotFoundError,
                     PluginABIError, PluginDiedError, RangeError, RefusedError, StaleSenderError, StateError, ThreadError,
                     UnsupportedError, ValueTypeError)
from .events import Event
from .formats import FrameLayout, PlaneShape, VideoFormat, frame_layout, plane_shapes
from .frame import Frame
from .incoming import IncomingVideo
from .instance import Instance
from .outgoing import FrameReport, OutgoingVideo, VideoLimit, check_video_limit, video_limits
from .plane import Plane
from .room import NetworkStep, script_network
from .sender import FrameSender
from .session import Participant, Session
from .stats import EngineStats, IncomingVideoStats, OutgoingVideoStats, SessionStats
from .values import Param

__version__ = "0.1.0"


def version() -> str:
    """The version of the library that is running."""
    return _decode(_library.msdk_version())


__all__ = [
    "AgainError", "BufferSmallError", "ClassFlag", "ClassInfo", "Clock", "ClosedError", "Codec", "Content", "CorruptError",
    "DIMENSION_MAX", "DeviceLostError", "DropReason", "EncodedFlag", "EncodedFrame", "Engine", "EngineStats", "Event",
    "EventType", "ExistsError", "ForkedError", "FormatError", "Frame", "FrameFlag", "FrameLayout", "FrameReport",
    "FrameSender", "HandleError", "IncomingState", "IncomingVideo", "IncomingVideoStats", "Instance", "InstanceState",
    "InvalidError", "Kind", "LimitError", "Limits", "Matrix", "MediaIOError", "MediaSDKError", "MediaTimeout", "Memory",
    "NAME_MAX", "NetworkStep", "NoMemoryError", "NotFoundError", "Orientation", "Outcome", "OutgoingState", "OutgoingVideo",
    "OutgoingVideoStats", "Output", "Param", "ParamFlag", "Participant", "PixelFormat", "Plane", "PlaneShape",
    "PluginABIError", "PluginDiedError", "PluginEvent", "Preset", "QueuePolicy", "RangeError", "RefusedError", "Session",
    "SessionState", "SessionStats", "StaleSenderError", "StateError", "Status", "TEXT_MAX", "ThreadError", "UnsupportedError",
    "ValueType", "ValueTypeError", "VideoFormat", "VideoLimit", "check_video_limit", "clock", "frame_layout", "plane_shapes",
    "script_network", "version", "video_limits",
]
