"""MediaSDK: take part in a call with media that the program makes itself.

    with Engine() as engine:
        session = engine.create_session("loopback:lobby", "alice")
        session.connect(timeout=10)                                             # or: await session.connected()
        stream = engine.create_outgoing_video(VideoFormat("NV12", 1280, 720, 30))
        session.start_video(stream)
        for event in session.events(timeout=5):
            if isinstance(event, FrameSenderChanged):
                event.sender.send_image(image)

Audio is sent likewise: ``session.start_audio(stream)``, ``stream.write(samples)``, ``for frame in session.mixed_audio``.

Everything is pulled, with timeouts in seconds; no thread of the SDK's ever enters the interpreter.  Sessions and incoming streams
have a fileno() for select and a form for asyncio.  Times are nanoseconds of CLOCK_MONOTONIC, or of the engine's virtual clock.
The log goes to the standard logging module, to loggers below "mediasdk".
"""
from . import clock
from ._call import decode as _decode
from ._native import library as _library
from .access import create_access_token
from .audio_format import AudioFormat
from .audio_frame import AudioFrame
from .clock import TIME_ZERO, from_ticks, from_units, to_ticks, to_units
from .commands import Command, CommandArg
from .constants import (ACCESS_TOKEN_MAX, ATTRIBUTES_MAX, ATTRIBUTE_KEY_MAX, ATTRIBUTE_VALUE_MAX, AudioKind, CHANNELS_MAX,
                        CaptureFlag, ClassFlag, Clock, Codec, CommandFlag, Containment, Content, DATA_MAX, DATA_RECIPIENTS_MAX,
                        DATA_STREAM_ATTACHMENTS_MAX, DATA_STREAM_CHUNK_MAX, DATA_STREAM_ID_MAX, DATA_TOPIC_MAX, DIMENSION_MAX, DataFlag,
                        DataPart, DataStreamType, DescriptionOutcome,
                        Direction, DropReason, Duplicate, EncodedFlag, EncryptionState, EventType, FRAME_KEY_INDEX_MAX,
                        FRAME_KEY_MAX, FRAME_USER_DATA_MAX, FeedReason, FrameFlag, Grant, IncomingState, IngestState, InstanceState, IsolatedFlag,
                        Isolation, Kind, Limits, LogLevel, Matrix, Moderation, NAME_MAX, OpusApplication, Orientation, Outcome,
                        OutgoingState, Output, PORT_ANY, ParamFlag, Permission, PixelFormat, PluginEvent, Preset, Priority, Quality,
                        QueuePolicy, RPC_METHOD_MAX, RPC_PAYLOAD_MAX, RpcErrorCode, RpcKind, SampleFormat, Scale, ScreenShareState,
                        SdpType, SessionState, Source, SpeakerState, Status, TEXT_MAX, ValueType, VideoKind)
from .data import Data
from .data_channel import DataChannel
from .data_stream import DataStreamPart, DataStreamWriter, DataStreams
from .encoded import EncodedFrame
from .engine import ClassInfo, Engine
from .errors import (AgainError, BufferSmallError, ClosedError, CorruptError, DeviceLostError, ExistsError, ForkedError, FormatError,
                     HandleError, InvalidError, LimitError, MediaIOError, MediaSDKError, MediaTimeout, NoMemoryError, NotFoundError,
                     PluginABIError, PluginDiedError, RangeError, RefusedError, RemovedError, FullError, StaleSenderError, StateError,
                     ThreadError, UnsupportedError, UntrustedError, ValueTypeError)
from .events import (AccessExpiring, AccessRenewed, ActiveSpeakerChanged, AudioLevelMeasured, CandidatesComplete, CodecChanged,
                     DataAvailable, DataChannelClosed, DataChannelLow, DataChannelOpened, DataEncryptionChanged,
                     DataStreamAvailable, DataWritable, EstimateChanged, Event, FrameSenderChanged, ICEServerFailed,
                     IncomingAudioAdded, IncomingAudioMuted, IncomingAudioRemoved, IncomingAudioStateChanged,
                     IncomingVideoAdded, IncomingVideoRemoved, IncomingVideoStateChanged, IngestChanged, InstanceEvent,
                     KeyFrameRequested, LocalCandidate, MessageAvailable, Moderated, NegotiationNeeded, NetworkQualityChanged,
                     OutgoingAudioStateChanged, OutgoingVideoStateChanged, ParticipantAttributeChanged, ParticipantJoined,
                     ParticipantLeft, PluginReported, ReceiversChanged, RestartWanted, RpcAvailable, ScreenShareStateChanged,
                     SessionStateChanged, StatsDue, StreamEncryptionChanged, StreamUnreachable, VideoWanted)
from .formats import FrameLayout, PlaneShape, VideoFormat, frame_layout, plane_shapes
from .frame import Frame
from .frame_metadata import FrameMetadata
from .frame_pacer import FramePacer
from .incoming import IncomingVideo
from .incoming_audio import IncomingAudio
from .instance import Instance, IsolationLimits
from .outgoing import OutgoingVideo, VideoLimit, check_video_limit, video_limits
from .outgoing_audio import OutgoingAudio
from .plane import Plane
from .report import FrameReport
from .room import (AccessRequest, NetworkStep, access_request_fileno, access_requests, configure_room, next_access_request,
                   next_access_request_async, open_room, script_network)
from .roles import AudioProducer, Filter, Renderer, VideoProducer
from .rpc import Rpc, RpcMessage
from .sender import FrameSender
from .serve import RoomServer, ServeInfo, serve_room
from .session import Participant, Session
from .stats import (EngineStats, InboundStats, IncomingAudioStats, IncomingVideoStats, OutboundStats, OutgoingAudioStats,
                    OutgoingVideoStats, SessionStats)
from .values import Choice, Param
from .view import Placement, Rectangle, View

__version__ = "0.1.0"


def version() -> str:
    """The version of the library that is running."""
    return _decode(_library.msdk_version())


__all__ = [
    "ACCESS_TOKEN_MAX", "ATTRIBUTES_MAX", "ATTRIBUTE_KEY_MAX", "ATTRIBUTE_VALUE_MAX", "AccessExpiring", "AccessRenewed",
    "AccessRequest", "ActiveSpeakerChanged", "AgainError", "AudioFormat", "AudioFrame", "AudioKind", "AudioLevelMeasured",
    "AudioProducer", "BufferSmallError", "CHANNELS_MAX", "CandidatesComplete", "CaptureFlag", "Choice", "ClassFlag", "ClassInfo",
    "Clock", "ClosedError", "Codec", "CodecChanged", "Command", "CommandArg", "CommandFlag", "Containment", "Content",
    "CorruptError", "DATA_MAX", "DATA_RECIPIENTS_MAX", "DATA_STREAM_ATTACHMENTS_MAX", "DATA_STREAM_CHUNK_MAX",
    "DATA_STREAM_ID_MAX", "DATA_TOPIC_MAX", "DIMENSION_MAX", "Data",
    "DataAvailable", "DataChannel", "DataChannelClosed", "DataChannelLow", "DataChannelOpened", "DataEncryptionChanged",
    "DataFlag", "DataPart", "DataStreamAvailable", "DataStreamPart", "DataStreamType", "DataStreamWriter", "DataStreams", "DataWritable",
    "DescriptionOutcome", "DeviceLostError", "Direction", "DropReason", "Duplicate", "EncodedFlag", "EncodedFrame",
    "EncryptionState", "Engine", "EngineStats", "EstimateChanged", "Event", "EventType", "ExistsError", "FRAME_KEY_INDEX_MAX",
    "FRAME_KEY_MAX", "FRAME_USER_DATA_MAX", "FeedReason", "Filter", "ForkedError", "FormatError", "Frame", "FrameFlag", "FrameLayout",
    "FrameMetadata", "FramePacer", "FrameReport", "FrameSender", "FrameSenderChanged", "FullError", "Grant", "HandleError", "ICEServerFailed", "InboundStats",
    "IncomingAudio", "IncomingAudioAdded", "IncomingAudioMuted", "IncomingAudioRemoved", "IncomingAudioStateChanged",
    "IncomingAudioStats", "IncomingState", "IncomingVideo", "IncomingVideoAdded", "IncomingVideoRemoved",
    "IncomingVideoStateChanged", "IncomingVideoStats", "IngestChanged", "IngestState", "Instance", "InstanceEvent", "InstanceState",
    "InvalidError", "IsolatedFlag", "Isolation", "IsolationLimits", "KeyFrameRequested", "Kind", "LimitError", "Limits",
    "LocalCandidate", "LogLevel", "Matrix", "MediaIOError", "MediaSDKError", "MediaTimeout", "MessageAvailable", "Moderated",
    "Moderation", "NAME_MAX", "NegotiationNeeded", "NetworkQualityChanged", "NetworkStep", "NoMemoryError", "NotFoundError",
    "OpusApplication", "Orientation", "OutboundStats", "Outcome", "OutgoingAudio", "OutgoingAudioStateChanged", "OutgoingAudioStats",
    "OutgoingState", "OutgoingVideo", "OutgoingVideoStateChanged", "OutgoingVideoStats", "Output", "PORT_ANY", "Param", "ParamFlag",
    "Participant", "ParticipantAttributeChanged", "ParticipantJoined", "ParticipantLeft", "Permission", "PixelFormat", "Placement",
    "Plane", "PlaneShape", "PluginABIError", "PluginDiedError", "PluginEvent", "PluginReported", "Preset", "Priority", "Quality", "QueuePolicy",
    "RPC_METHOD_MAX", "RPC_PAYLOAD_MAX", "RangeError", "ReceiversChanged", "Rectangle", "RefusedError", "RemovedError", "Renderer",
    "RestartWanted", "RoomServer", "Rpc", "RpcAvailable", "RpcErrorCode", "RpcKind", "RpcMessage", "SampleFormat", "Scale",
    "ScreenShareState", "ScreenShareStateChanged", "SdpType", "ServeInfo", "Session", "SessionState", "SessionStateChanged",
    "SessionStats", "Source", "SpeakerState", "StaleSenderError", "StateError", "StatsDue", "Status", "StreamEncryptionChanged",
    "StreamUnreachable", "TEXT_MAX", "TIME_ZERO", "ThreadError", "UnsupportedError", "UntrustedError", "ValueType", "ValueTypeError",
    "VideoFormat", "VideoKind", "VideoLimit", "VideoProducer", "VideoWanted", "View", "access_request_fileno", "access_requests",
    "check_video_limit", "clock", "configure_room", "create_access_token", "frame_layout", "from_ticks", "from_units",
    "next_access_request", "next_access_request_async", "open_room", "plane_shapes", "script_network", "serve_room", "to_ticks",
    "to_units", "version", "video_limits",
]
