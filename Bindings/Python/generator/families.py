"""The enumerations of the binding: which constants of C each has, and what it says of itself.

A constant belongs to the family with the longest prefix that its name has; the rest of the name is the member's.  A new family is a
line here, a new member none.
"""
from __future__ import annotations

from typing import NamedTuple

CLOSED = "IntEnum"  # what programs choose
OPEN = "OpenEnum"  # what the library says: newer ones may say more
FLAGS = "IntFlag"


class Family(NamedTuple):
    name: str
    prefix: str
    base: str
    doc: str = ""


FAMILIES = (
    Family("Status", "MSDK_E_", CLOSED, "Results of C functions, ``MSDK_OK`` and ``MSDK_E_*``."),
    Family("ValueType", "MSDK_T_", OPEN, "The type of a parameter, or of what a command takes and gives.  STATUS is for plugins only."),
    Family("PixelFormat", "MSDK_PIXEL_", OPEN, "Little-endian DRM fourccs; the names give the order of the bytes in memory."),
    Family("Matrix", "MSDK_MATRIX_", CLOSED, "Colour matrices, code points of ITU-T H.273."),
    Family("Content", "MSDK_CONTENT_", OPEN),
    Family("FrameFlag", "MSDK_FRAME_", FLAGS),
    Family("Orientation", "MSDK_ROTATE_", FLAGS,
           "How the stored frame becomes upright: first mirrored left to right, then rotated clockwise (0, 90, 180, 270 degrees)."),
    Family("Scale", "MSDK_SCALE_", OPEN, "How a frame fills a view: whole with bars, cropped without bars, or out of proportion."),
    Family("SampleFormat", "MSDK_SAMPLE_", OPEN,
           "How an audio sample lies in memory, in the machine's byte order: ``\"h\"`` and ``\"f\"`` of struct and array, int16 and float32 "
           "of numpy."),
    Family("Codec", "MSDK_CODEC_", OPEN),
    Family("EncodedFlag", "MSDK_ENCODED_", FLAGS),
    Family("Clock", "MSDK_CLOCK_", CLOSED,
           "SYSTEM is CLOCK_MONOTONIC, and the SDK's threads do the work; VIRTUAL starts at one second and moves only in Engine.advance_clock."),
    Family("LogLevel", "MSDK_LOG_", CLOSED),
    Family("QueuePolicy", "MSDK_POLICY_", CLOSED, "What a full queue does with one more."),
    Family("SessionState", "MSDK_SESSION_", OPEN),
    Family("SdpType", "MSDK_SDP_", OPEN),
    Family("DescriptionOutcome", "MSDK_DESCRIPTION_", OPEN, "What became of a description of the peer."),
    Family("DataFlag", "MSDK_DATA_", FLAGS, "LOSSY: it may be lost or overtake other data, and is not sent again."),
    Family("DataChannelFlag", "MSDK_DATA_CHANNEL_", FLAGS),
    Family("MessageType", "MSDK_MESSAGE_", OPEN),
    Family("EventType", "MSDK_EVENT_", OPEN),
    Family("EventFlag", "MSDK_EVENT_FLAG_", FLAGS, "LOST: events before this one were dropped."),
    Family("Quality", "MSDK_QUALITY_", OPEN, "How good a network is in one direction."),
    Family("SpeakerState", "MSDK_SPEAKER_", OPEN),
    Family("CaptureFlag", "MSDK_CAPTURE_", FLAGS, "PLAIN: packets before SRTP protects them, and after it was taken away."),
    Family("Direction", "MSDK_DIRECTION_", OPEN),
    Family("IngestState", "MSDK_INGEST_", OPEN, "What happened at a session's listener for a feeder."),
    Family("FeedReason", "MSDK_FEED_", OPEN, "Why a feeder's connection was refused or ended."),
    Family("PluginEvent", "MSDK_PLUGIN_EVENT_", OPEN,
           "DIED: the process of an isolated instance ended; the text says of what.  RESTARTED: it is back, with its parameters.  SLOW: a filter "
           "takes more than half of the time from one frame to the next.  From USER on they are the plugin's own."),
    Family("VideoKind", "MSDK_VIDEO_", OPEN,
           "What an outgoing video stream shows: VIRTUAL, made by the program in place of a camera's video, or SCREEN_SHARE, a display, "
           "a window, a document."),
    Family("ScreenShareState", "MSDK_SCREEN_SHARE_", OPEN),
    Family("AudioKind", "MSDK_AUDIO_", OPEN,
           "What an outgoing audio stream is: MICROPHONE, what the user says, from which active speakers are detected, or SCREEN_SHARE, the "
           "audio of what is shown."),
    Family("OpusApplication", "MSDK_OPUS_", CLOSED,
           "What the Opus encoder is made for: VOIP, speech; AUDIO, music and everything else; LOW_DELAY, 2.5 ms of look-ahead in place of 6.5, "
           "and no forward error correction."),
    Family("Limits", "MSDK_LIMITS_", CLOSED,
           "CONFERENCE: presets that every receiver of a call can be expected to take.  EXTENDED: any size up to 3840x2160 at up to 60 frames "
           "a second."),
    Family("OutgoingState", "MSDK_OUTGOING_", OPEN),
    Family("Preset", "MSDK_PRESET_", CLOSED, "How much time an encoder may take."),
    Family("Outcome", "MSDK_OUTCOME_", OPEN, "The result of a sent video or audio frame."),
    Family("DropReason", "MSDK_DROP_", OPEN),
    Family("IncomingState", "MSDK_INCOMING_", OPEN),
    Family("Delivery", "MSDK_DELIVERY_", CLOSED),
    Family("Output", "MSDK_OUTPUT_", CLOSED, "Which queues of an incoming stream, or of the tap of an outgoing one, are filled."),
    Family("Permission", "MSDK_MAY_", FLAGS,
           "What a member of a room may do.  SHARE_SCREEN includes the audio; MODERATE: remove others from the room, mute them.  "
           "SEND_DATA: to other members."),
    Family("Duplicate", "MSDK_DUPLICATE_", CLOSED,
           "What becomes of a user id that is in the room already.  REPLACE: the former leaves the room."),
    Family("AccessFlag", "MSDK_ACCESS_", FLAGS, "RENEWAL: a member of the room asks for more time."),
    Family("Grant", "MSDK_GRANT_", FLAGS,
           "What an access token permits in its room.  MEMBER: to join, to send and receive media, to send data.  ADMIN: to remove and mute "
           "others.  UPDATE_METADATA: of one's own."),
    Family("Source", "MSDK_SOURCE_", FLAGS, "What is sent into a room."),
    Family("Moderation", "MSDK_MODERATION_", OPEN, "What a moderator did to a session."),
    Family("NetworkFlag", "MSDK_NETWORK_", FLAGS),
    Family("InstanceState", "MSDK_INSTANCE_", OPEN),
    Family("Priority", "MSDK_PRIORITY_", OPEN, "How much a stream matters beside the others that are received."),
    Family("DataStreamType", "MSDK_DATA_STREAM_", OPEN, "What the chunks of a stream of data are."),
    Family("DataPart", "MSDK_DATA_PART_", OPEN, "What of a stream of data has come."),
    Family("RpcKind", "MSDK_RPC_", OPEN, "What has come of remote procedure calls."),
    Family("RpcErrorCode", "MSDK_RPC_ERROR_", OPEN, "Why a call did not succeed, as LiveKit's SDKs number it.  Programs have codes of their own."),
    Family("EncryptionState", "MSDK_ENCRYPTION_", OPEN, "How the end-to-end encryption of a stream is."),
    Family("Isolation", "MSDK_ISOLATION_", OPEN,
           "Where an instance's code runs: in this process (NONE), in a process of its own (PROCESS), or as MSDK_PLUGIN_ISOLATE says or the "
           "class prefers (DEFAULT)."),
    Family("IsolatedFlag", "MSDK_ISOLATED_", FLAGS),
    Family("Containment", "MSDK_CONTAINED_", FLAGS,
           "What holds the process of an isolated instance, as far as the kernel may refuse it; ``instance.h`` says what each means."),
    Family("Kind", "MSDK_KIND_", FLAGS, "What a class can do."),
    Family("ClassFlag", "MSDK_CLASS_", FLAGS),
    Family("CommandFlag", "MSDK_COMMAND_", FLAGS),
    Family("ParamFlag", "MSDK_PARAM_", FLAGS,
           "SECRET: can be set, not read.  DYNAMIC_CHOICES: Instance.choices returns what is accepted now."),
)

# Constants that belong to another family than their prefix says: the family, and the member.
ELSEWHERE = {
    "MSDK_OK": ("Status", "OK"),
    "MSDK_COLOR_UNSPECIFIED": ("Matrix", "UNSPECIFIED"),
    "MSDK_MIRROR": ("Orientation", "MIRROR"),
}

# Constants that are numbers of the module, besides those that end so.
NUMBERS = ("MSDK_WAIT_FOREVER", "MSDK_PORT_ANY", "MSDK_TICK_RATE")
NUMBER_ENDINGS = ("_MAX", "_MIN")

# What only plugin authors or C need.
NOT_BOUND = ("MSDK_ABI_", "MSDK_WRITE_", "MSDK_VERSION_", "MSDK_PRODUCER_", "MSDK_ENCODE_")
