# Generated from Include/mediasdk by `make python-bindings`: change the headers, not this file.
"""The constants of the headers as enumerations.

A member's value is the C constant of the same name: ``PixelFormat.NV12`` is ``MSDK_PIXEL_NV12``.  Sizes of texts and tokens are in
bytes.  WAIT_FOREVER is for the C functions: in Python a timeout of None has no limit.
"""
from __future__ import annotations

from enum import IntEnum, IntFlag

from ._enums import OpenEnum

PORT_ANY = 65536
DIMENSION_MAX = 16384
PLANES_MAX = 4
CHANNELS_MAX = 32
TICK_RATE = 10000000
TEXT_MAX = 1024
NAME_MAX = 255
ACCESS_TOKEN_MAX = 4095
DATA_MAX = 15360
DATA_TOPIC_MAX = 255
DATA_RECIPIENTS_MAX = 100
ATTRIBUTES_MAX = 32
ATTRIBUTE_KEY_MAX = 63
ATTRIBUTE_VALUE_MAX = 1023
DATA_STREAM_CHUNK_MAX = 15000
DATA_STREAM_ID_MAX = 128
DATA_STREAM_ATTACHMENTS_MAX = 32
RPC_PAYLOAD_MAX = 15360
RPC_METHOD_MAX = 64
FRAME_KEY_MAX = 256
FRAME_KEY_INDEX_MAX = 15
ARGS_MAX = 8
FRAME_USER_DATA_MAX = 248
INGEST_TOKEN_MIN = 16
INGEST_TOKEN_MAX = 255
SDP_MAX = 65536
CANDIDATE_MAX = 1024
MESSAGE_MAX = 262144
WAIT_FOREVER = 0xFFFFFFFF


class Status(IntEnum):
    """Results of C functions, ``MSDK_OK`` and ``MSDK_E_*``."""

    OK = 0
    FAIL = -1
    NOMEM = -2
    INVALID = -3
    UNSUPPORTED = -4
    STATE = -5
    THREAD = -6
    AGAIN = -7
    TIMEOUT = -8
    IO = -9
    PERMISSION = -10
    NOT_FOUND = -11
    TYPE = -12
    RANGE = -13
    CLOSED = -14
    PLUGIN_DIED = -15
    DEVICE_LOST = -16
    BUFFER_SMALL = -17
    HANDLE = -18
    STALE = -19
    FORMAT = -20
    LIMIT = -21
    EXISTS = -22
    FORKED = -23
    CORRUPT = -24
    ABI = -25
    FULL = -26
    REMOVED = -27
    UNTRUSTED = -28


class ValueType(OpenEnum):
    """The type of a parameter, or of what a command takes and gives.  STATUS is for plugins only."""

    VOID = 0
    BOOL = 1
    I32 = 2
    I64 = 3
    U32 = 4
    U64 = 5
    F64 = 6
    STRING = 7
    BYTES = 8
    STATUS = 9


class PixelFormat(OpenEnum):
    """Little-endian DRM fourccs; the names give the order of the bytes in memory."""

    I420 = 0x32315559
    NV12 = 0x3231564E
    BGRA = 0x34325241
    RGBA = 0x34324241
    ARGB = 0x34324142
    ABGR = 0x34324152
    BGR24 = 0x34324752
    RGB24 = 0x34324742
    GRAY8 = 0x20203852


class Matrix(IntEnum):
    """Colour matrices, code points of ITU-T H.273."""

    UNSPECIFIED = 2
    IDENTITY = 0
    BT709 = 1
    BT470BG = 5
    SMPTE170M = 6
    BT2020_NCL = 9


class VideoKind(OpenEnum):
    """What an outgoing video stream shows: VIRTUAL, made by the program in place of a camera's video, or SCREEN_SHARE, a display, a window,
    a document."""

    VIRTUAL = 1
    SCREEN_SHARE = 2


class Content(OpenEnum):
    NONE = 0
    MOTION = 1
    DETAIL = 2
    TEXT = 3


class FrameFlag(IntFlag):
    WRITABLE = 1
    DISCONTINUITY = 2
    CORRUPT = 4
    END = 8


class Orientation(IntFlag):
    """How the stored frame becomes upright: first mirrored left to right, then rotated clockwise (0, 90, 180, 270 degrees)."""

    ROTATE_0 = 0
    ROTATE_90 = 1
    ROTATE_180 = 2
    ROTATE_270 = 3
    MIRROR = 4


class Codec(OpenEnum):
    AUTO = 0
    RAW = 0x20574152
    VP8 = 0x30385056
    AV1 = 0x31305641
    OPUS = 0x5355504F


class EncodedFlag(IntFlag):
    KEY = 1
    DISCONTINUITY = 2
    DROPPABLE = 4
    COARSE = 8


class FeedReason(OpenEnum):
    """Why a feeder's connection was refused or ended."""

    NONE = 0
    NOT_ADMITTED = 1
    BUSY = 2
    VERSION = 3
    MALFORMED = 4
    TOO_LARGE = 5
    FORMAT = 6
    SLOT = 7
    STALLED = 8
    CROWDED = 9
    CLOSED = 10


class SampleFormat(OpenEnum):
    """How an audio sample lies in memory, in the machine's byte order: ``"h"`` and ``"f"`` of struct and array, int16 and float32 of
    numpy."""

    S16 = 1
    F32 = 2


class QueuePolicy(IntEnum):
    """What a full queue does with one more."""

    DROP_OLDEST = 0
    DROP_NEWEST = 1
    WAIT = 2


class OutgoingState(OpenEnum):
    NONE = 0x200
    STARTED = 0x201
    STOPPED = 0x202
    FAILED = 0x203


class IncomingState(OpenEnum):
    AVAILABLE = 0x300
    STARTED = 0x301
    STOPPING = 0x302
    STOPPED = 0x303
    NOT_AVAILABLE = 0x304


class Delivery(IntEnum):
    QUEUED = 0
    DIRECT = 1


class Output(IntEnum):
    """Which queues of an incoming stream, or of the tap of an outgoing one, are filled."""

    RAW = 0
    ENCODED = 1
    BOTH = 2


class Grant(IntFlag):
    """What an access token permits in its room.  MEMBER: to join, to send and receive media, to send data.  ADMIN: to remove and mute
    others.  UPDATE_METADATA: of one's own."""

    JOIN = 1
    PUBLISH = 2
    SUBSCRIBE = 4
    PUBLISH_DATA = 8
    UPDATE_METADATA = 16
    ADMIN = 32
    HIDDEN = 64
    MEMBER = 15


class Source(IntFlag):
    """What is sent into a room."""

    CAMERA = 1
    MICROPHONE = 2
    SCREEN_SHARE = 4
    SCREEN_SHARE_AUDIO = 8


class DataFlag(IntFlag):
    """LOSSY: it may be lost or overtake other data, and is not sent again."""

    LOSSY = 1


class SessionState(OpenEnum):
    IDLE = 0x100
    CONNECTING = 0x101
    CONNECTED = 0x102
    RECONNECTING = 0x103
    DISCONNECTING = 0x104
    DISCONNECTED = 0x105


class Moderation(OpenEnum):
    """What a moderator did to a session."""

    REMOVED = 1
    MUTED = 2
    UNMUTED = 3


class EventType(OpenEnum):
    NONE = 0
    SESSION_STATE = 1
    PARTICIPANT_JOINED = 2
    PARTICIPANT_LEFT = 3
    OUTGOING_VIDEO_STATE = 4
    FRAME_SENDER_CHANGED = 5
    INCOMING_VIDEO_ADDED = 6
    INCOMING_VIDEO_STATE = 7
    INCOMING_VIDEO_REMOVED = 8
    ESTIMATE = 9
    PLUGIN = 10
    KEY_FRAME_REQUESTED = 11
    OUTGOING_AUDIO_STATE = 12
    INCOMING_AUDIO_ADDED = 13
    INCOMING_AUDIO_STATE = 14
    INCOMING_AUDIO_REMOVED = 15
    INCOMING_AUDIO_MUTED = 16
    ACTIVE_SPEAKER = 17
    SCREEN_SHARE_STATE = 18
    MODERATED = 19
    INGEST = 20
    CODEC_CHANGED = 21
    NETWORK_QUALITY = 22
    STREAM_UNREACHABLE = 23
    AUDIO_LEVEL = 24
    STATS = 25
    RECEIVERS = 26
    ACCESS_EXPIRING = 27
    ACCESS_RENEWED = 28
    PARTICIPANT_ATTRIBUTE = 29
    OUTGOING_VIDEO_WANTED = 30
    NEGOTIATION_NEEDED = 31
    LOCAL_CANDIDATE = 32
    CANDIDATES_COMPLETE = 33
    RESTART_WANTED = 34
    ICE_SERVER_FAILED = 35
    DATA_CHANNEL_OPENED = 36
    DATA_CHANNEL_CLOSED = 37
    MESSAGE_AVAILABLE = 38
    DATA_CHANNEL_LOW = 39
    DATA_AVAILABLE = 40
    DATA_WRITABLE = 41
    STREAM_ENCRYPTION = 42
    RPC_AVAILABLE = 43
    DATA_STREAM_AVAILABLE = 44
    DATA_ENCRYPTION = 45


class ScreenShareState(OpenEnum):
    DISABLED = 0x400
    ENABLED = 0x401


class SpeakerState(OpenEnum):
    SILENT = 0x700
    ACTIVE = 0x701


class EventFlag(IntFlag):
    """LOST: events before this one were dropped."""

    LOST = 1


class DataStreamType(OpenEnum):
    """What the chunks of a stream of data are."""

    TEXT = 0xB00
    BYTES = 0xB01


class DataPart(OpenEnum):
    """What of a stream of data has come."""

    BEGAN = 0xB10
    CHUNK = 0xB11
    ENDED = 0xB12
    ABORTED = 0xB13


class RpcKind(OpenEnum):
    """What has come of remote procedure calls."""

    REQUEST = 0xA00
    RESPONSE = 0xA01
    FAILURE = 0xA02


class RpcErrorCode(OpenEnum):
    """Why a call did not succeed, as LiveKit's SDKs number it.  Programs have codes of their own."""

    METHOD_NOT_REGISTERED = 0x578
    REQUEST_TOO_LONG = 0x57A
    VERSION_NOT_SUPPORTED = 0x57C
    NOT_ACCEPTED = 0x5DC
    NOT_ACKNOWLEDGED = 0x5DD
    NO_RESPONSE = 0x5DE
    PARTICIPANT_LEFT = 0x5DF


class EncryptionState(OpenEnum):
    """How the end-to-end encryption of a stream is."""

    ACTIVE = 0x900
    NO_KEY = 0x901
    WRONG_KEY = 0x902
    NOT_ENCRYPTED = 0x903


class LogLevel(IntEnum):
    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3
    NONE = 4


class PluginEvent(OpenEnum):
    """DIED: the process of an isolated instance ended; the text says of what.  RESTARTED: it is back, with its parameters.  SLOW: a filter
    takes more than half of the time from one frame to the next.  From USER on they are the plugin's own."""

    ERROR = 1
    FORMAT_CHANGED = 2
    ENDED = 3
    PARAM_CHANGED = 4
    DIED = 5
    RESTARTED = 6
    SLOW = 7
    CHOICES_CHANGED = 8
    USER = 0x10000


class ParamFlag(IntFlag):
    """SECRET: can be set, not read.  DYNAMIC_CHOICES: Instance.choices returns what is accepted now."""

    LIVE = 1
    READONLY = 2
    SECRET = 4
    REQUIRED = 8
    DYNAMIC_CHOICES = 16


class CommandFlag(IntFlag):
    THREAD_SAFE = 1
    CONST = 2


class Kind(IntFlag):
    """What a class can do."""

    VIDEO_PRODUCER = 1
    AUDIO_PRODUCER = 2
    VIDEO_RENDERER = 4
    AUDIO_RENDERER = 8
    VIDEO_FILTER = 16
    AUDIO_FILTER = 32
    VIDEO_ENCODER = 64
    VIDEO_DECODER = 128
    AUDIO_ENCODER = 0x100
    AUDIO_DECODER = 0x200


class ClassFlag(IntFlag):
    SINGLETON = 1
    NO_ISOLATION = 2
    PREFERS_ISOLATION = 4
    UPRIGHT = 8


class Clock(IntEnum):
    """SYSTEM is CLOCK_MONOTONIC, and the SDK's threads do the work; VIRTUAL starts at one second and moves only in Engine.advance_clock."""

    SYSTEM = 0
    VIRTUAL = 1


class Scale(OpenEnum):
    """How a frame fills a view: whole with bars, cropped without bars, or out of proportion."""

    FIT = 0
    FILL = 1
    STRETCH = 2


class Priority(OpenEnum):
    """How much a stream matters beside the others that are received."""

    MEDIUM = 0
    HIGH = 1
    LOW = 2
    VERY_LOW = 3


class IngestState(OpenEnum):
    """What happened at a session's listener for a feeder."""

    FEEDER_CONNECTED = 0x501
    FEEDER_DISCONNECTED = 0x502
    FEEDER_REFUSED = 0x503
    SHARING = 0x504


class InstanceState(OpenEnum):
    CREATED = 0x800
    READY = 0x801
    STARTED = 0x802


class Isolation(OpenEnum):
    """Where an instance's code runs: in this process (NONE), in a process of its own (PROCESS), or as MSDK_PLUGIN_ISOLATE says or the class
    prefers (DEFAULT)."""

    DEFAULT = 0
    NONE = 1
    PROCESS = 2


class IsolatedFlag(IntFlag):
    MAY_FORK = 1
    NO_NETWORK = 2
    READ_ONLY = 4


class Containment(IntFlag):
    """What holds the process of an isolated instance, as far as the kernel may refuse it; ``instance.h`` says what each means."""

    CALLS = 1
    USER = 2
    PROCESSES = 4
    IPC = 8
    NETWORK = 16
    FILES = 32


class Quality(OpenEnum):
    """How good a network is in one direction."""

    UNKNOWN = 0x600
    BAD = 0x601
    POOR = 0x602
    GOOD = 0x603


class Direction(OpenEnum):
    OUTGOING = 1
    INCOMING = 2


class CaptureFlag(IntFlag):
    """PLAIN: packets before SRTP protects them, and after it was taken away."""

    PLAIN = 1


class Outcome(OpenEnum):
    """The result of a sent video or audio frame."""

    SENT = 1
    ENCODED = 2
    REPLACED = 3
    DROPPED = 4
    FAILED = 5


class DropReason(OpenEnum):
    NONE = 0
    NO_RECEIVER = 1
    NOT_CONNECTED = 2
    ENCODER = 3
    STOPPED = 4
    PACED = 5
    QUEUE = 6
    NETWORK = 7
    MUTED = 8
    FLUSHED = 9
    FILTER = 10
    NO_KEY = 11


class AudioKind(OpenEnum):
    """What an outgoing audio stream is: MICROPHONE, what the user says, from which active speakers are detected, or SCREEN_SHARE, the audio
    of what is shown."""

    MICROPHONE = 1
    SCREEN_SHARE = 2


class OpusApplication(IntEnum):
    """What the Opus encoder is made for: VOIP, speech; AUDIO, music and everything else; LOW_DELAY, 2.5 ms of look-ahead in place of 6.5,
    and no forward error correction."""

    VOIP = 0
    AUDIO = 1
    LOW_DELAY = 2


class Limits(IntEnum):
    """CONFERENCE: presets that every receiver of a call can be expected to take.  EXTENDED: any size up to 3840x2160 at up to 60 frames a
    second."""

    CONFERENCE = 0
    EXTENDED = 1


class Preset(IntEnum):
    """How much time an encoder may take."""

    REALTIME = 0
    FASTEST = 1
    BALANCED = 2
    QUALITY = 3


class Permission(IntFlag):
    """What a member of a room may do.  SHARE_SCREEN includes the audio; MODERATE: remove others from the room, mute them.  SEND_DATA: to
    other members."""

    NOTHING = 0x40000000
    PUBLISH_VIDEO = 1
    PUBLISH_AUDIO = 2
    SHARE_SCREEN = 4
    RECEIVE = 8
    MODERATE = 16
    SEND_DATA = 32


class Duplicate(IntEnum):
    """What becomes of a user id that is in the room already.  REPLACE: the former leaves the room."""

    REFUSE = 0
    REPLACE = 1


class AccessFlag(IntFlag):
    """RENEWAL: a member of the room asks for more time."""

    RENEWAL = 1


class NetworkFlag(IntFlag):
    DISCONNECTED = 1


class SdpType(OpenEnum):
    OFFER = 1
    ANSWER = 2
    ANNOUNCED = 3
    ROLLBACK = 4


class DescriptionOutcome(OpenEnum):
    """What became of a description of the peer."""

    APPLIED = 1
    IGNORED = 2


class DataChannelFlag(IntFlag):
    UNORDERED = 1
    LIMITED_RETRANSMITS = 2
    LIMITED_LIFETIME = 4
    NEGOTIATED = 8


class MessageType(OpenEnum):
    TEXT = 1
    BINARY = 2
