"""The constants of the headers as enumerations.

A member's value is the C constant of the same name: ``PixelFormat.NV12`` is ``MSDK_PIXEL_NV12``.  Tests/Python/test_layout.py
compiles a C program to compare them all.
"""
from __future__ import annotations

from enum import IntEnum, IntFlag

WAIT_FOREVER = 0xFFFFFFFF  # MSDK_WAIT_FOREVER, for the C functions; in Python a timeout of None waits for ever
TEXT_MAX = 1024  # bytes of a string passed in
NAME_MAX = 255  # bytes of a user id, a display name, a room name
ACCESS_TOKEN_MAX = 4095  # bytes
SDP_MAX = 65536
ARGS_MAX = 8
PLANES_MAX = 4
DIMENSION_MAX = 16384  # the largest width and height of any frame
INGEST_ANY_PORT = 65536
INGEST_TOKEN_MIN = 16  # bytes
INGEST_TOKEN_MAX = 255
CHANNELS_MAX = 32


class OpenEnum(IntEnum):
    """An enumeration to which newer libraries may add: an unknown value becomes a member UNKNOWN_<value>, not an error.

    A member equals the number of its C constant, and no member of another such enumeration: the quality of a network is never the
    state of a session, whatever their numbers.
    """

    @classmethod
    def _missing_(cls, value: object) -> OpenEnum | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_, member._value_ = f"UNKNOWN_{value}", value
        return member

    def _is_apart(self, other: object) -> bool:
        return isinstance(other, OpenEnum) and type(other) is not type(self)

    def __eq__(self, other: object) -> bool:
        return False if self._is_apart(other) else int.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return True if self._is_apart(other) else int.__ne__(self, other)

    __hash__ = int.__hash__


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


class Memory(IntFlag):
    CPU = 1
    MEMFD = 2
    DMABUF = 4


class Matrix(IntEnum):
    """Colour matrices, code points of ITU-T H.273."""

    BT709 = 1
    UNSPECIFIED = 2
    BT470BG = 5
    SMPTE170M = 6
    BT2020_NCL = 9


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
    """How to turn the stored picture upright: first mirrored left to right, then turned clockwise (0, 90, 180, 270 degrees)."""

    ROTATE_0 = 0
    ROTATE_90 = 1
    ROTATE_180 = 2
    ROTATE_270 = 3
    MIRROR = 4


class Scale(OpenEnum):
    """How a picture fills a view: all of it and bars, cut and no bars, or out of proportion."""

    FIT = 0
    FILL = 1
    STRETCH = 2


class SampleFormat(OpenEnum):
    """How a sample of sound lies in memory, in the machine's byte order: ``"h"`` and ``"f"`` of struct and array, int16 and float32
    of numpy."""

    S16 = 1
    F32 = 2


class Codec(OpenEnum):
    NONE = 0
    VP8 = 0x30385056
    AV1 = 0x31305641
    OPUS = 0x5355504F


class EncodedFlag(IntFlag):
    KEY = 1
    DISCONTINUITY = 2
    DROPPABLE = 4
    COARSE = 8


class Clock(IntEnum):
    SYSTEM = 0  # CLOCK_MONOTONIC; the SDK's threads do the work
    VIRTUAL = 1  # starts at one second and moves only in Engine.advance_clock


class LogLevel(IntEnum):
    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3
    NONE = 4


class QueuePolicy(IntEnum):
    """What a full queue does with one more."""

    DROP_OLDEST = 0
    DROP_NEWEST = 1
    WAIT = 2


class SessionState(OpenEnum):
    IDLE = 0
    CONNECTING = 1
    CONNECTED = 2
    RECONNECTING = 3
    DISCONNECTING = 4
    DISCONNECTED = 5


class SdpType(OpenEnum):
    OFFER = 1
    ANSWER = 2
    ANNOUNCED = 3


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


class Quality(OpenEnum):
    """How good a network is in one direction."""

    UNKNOWN = 0
    BAD = 1
    POOR = 2
    GOOD = 3


class CaptureFlag(IntFlag):
    PLAIN = 1  # packets before SRTP protects them, and after it was taken away


class Direction(OpenEnum):
    OUTGOING = 1
    INCOMING = 2


class EventFlag(IntFlag):
    LOST = 1  # events before this one were dropped


class IngestState(OpenEnum):
    """What happened at a session's door for a feeder."""

    FEEDER_CONNECTED = 1
    FEEDER_DISCONNECTED = 2
    FEEDER_REFUSED = 3
    SHARING = 4


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


class PluginEvent(OpenEnum):
    ERROR = 1
    FORMAT_CHANGED = 2
    ENDED = 3
    PARAM_CHANGED = 4
    DIED = 5  # the process of an isolated instance ended; the text says of what
    RESTARTED = 6  # it is back, with its parameters
    SLOW = 7  # a filter takes more than half of the time from one frame to the next
    USER = 0x10000  # from here on the plugin's own


class VideoKind(OpenEnum):
    """What an outgoing stream of pictures shows."""

    VIRTUAL = 1  # made by the program, in place of a camera's picture
    SCREEN_SHARE = 2  # a display, a window, a document


class ScreenShareState(OpenEnum):
    DISABLED = 0
    ENABLED = 1


class AudioKind(OpenEnum):
    """What an outgoing stream of sound is."""

    MICROPHONE = 1  # what the user says; tells of active speakers
    SCREEN_SHARE = 2  # the sound of what is shown


class OpusApplication(IntEnum):
    """What the Opus encoder is made for."""

    VOIP = 0  # speech
    AUDIO = 1  # music and everything else
    LOW_DELAY = 2  # 2.5 ms of look-ahead in place of 6.5; no forward error correction


class Limits(IntEnum):
    CONFERENCE = 0  # presets that every receiver of a call can be expected to take
    EXTENDED = 1  # any size up to 3840x2160 at up to 60 frames a second


class OutgoingState(OpenEnum):
    NONE = 0
    STARTED = 1
    STOPPED = 2
    FAILED = 3


class Preset(IntEnum):
    """How much time an encoder may take."""

    REALTIME = 0
    FASTEST = 1
    BALANCED = 2
    QUALITY = 3


class Outcome(OpenEnum):
    """What became of a frame or a buffer of sound that was sent."""

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


class IncomingState(OpenEnum):
    AVAILABLE = 0
    STARTED = 1
    STOPPING = 2
    STOPPED = 3
    NOT_AVAILABLE = 4


class Delivery(IntEnum):
    QUEUED = 0
    DIRECT = 1


class Output(IntEnum):
    """Which queues of an incoming stream are filled."""

    RAW = 0
    ENCODED = 1
    BOTH = 2


class Permission(IntFlag):
    """What a member of a room may do."""

    PUBLISH_VIDEO = 1
    PUBLISH_AUDIO = 2
    SHARE_SCREEN = 4  # and its sound
    RECEIVE = 8
    MODERATE = 16  # take others out of the room, mute them


class Duplicate(IntEnum):
    """What becomes of a user id that is in the room already."""

    REFUSE = 0
    REPLACE = 1  # the former leaves the room


class Moderation(OpenEnum):
    """What a moderator did to a session."""

    REMOVED = 1
    MUTED = 2
    UNMUTED = 3


class NetworkFlag(IntFlag):
    DISCONNECTED = 1


class InstanceState(OpenEnum):
    CREATED = 0
    READY = 1
    STARTED = 2


class Isolation(OpenEnum):
    """Where an instance's code runs."""

    DEFAULT = 0  # as MSDK_PLUGIN_ISOLATE says, or the class prefers
    NONE = 1  # in this process
    PROCESS = 2  # in a process of its own


class IsolatedFlag(IntFlag):
    MAY_FORK = 1
    NO_NETWORK = 2
    READ_ONLY = 4


class Containment(IntFlag):
    """What holds the process of an isolated instance, as far as the kernel may refuse it; ``instance.h`` says what each means."""

    CALLS = 1  # seccomp
    USER = 2  # other processes' memory is closed to it, and it has no capabilities
    PROCESSES = 4  # it can signal none but its own
    IPC = 8  # System V memory is its own
    NETWORK = 16  # it has none
    FILES = 32  # they can be read only


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
    AUDIO_ENCODER = 256
    AUDIO_DECODER = 512


class ClassFlag(IntFlag):
    SINGLETON = 1
    NO_ISOLATION = 2
    PREFERS_ISOLATION = 4


class CommandFlag(IntFlag):
    THREAD_SAFE = 1
    CONST = 2


class ParamFlag(IntFlag):
    LIVE = 1
    READONLY = 2
    SECRET = 4  # can be set, not read
    REQUIRED = 8
    DYNAMIC_CHOICES = 16  # Instance.choices tells what is accepted now
