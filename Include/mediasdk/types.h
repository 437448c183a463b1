/** @file
 * mediasdk/types.h - the values that the library, programs and plugins exchange
 *
 * This header has types and constants only. It declares no function, so a plugin, which does not link the library, may include it.
 *
 * Rules for every struct below
 *   - `struct_size` is the first member. The code that makes the struct sets it to sizeof of the type it was compiled with.
 *     MSDK_INIT(type) returns a zeroed value with struct_size set. New members are always appended. A reader accesses no member
 *     past struct_size (MSDK_HAS) and treats missing members as zero.
 *   - The library refuses unknown input with MSDK_E_UNSUPPORTED. In a struct that a program passes, and in what it writes into a
 *     frame, reserved members and members that the library does not know must be 0; flags must be 0 or 1; bits of masks and values of
 *     constants must be 0 or known, except the code points of colour (see Colour below). In a plugin's tables this applies to the known
 *     members, with MSDK_E_ABI; unknown members are ignored.
 *   - In an output struct, struct_size states how many bytes the library may fill. If the library's struct is shorter, the library
 *     fills the rest with zeros and sets struct_size to the size it knows. MSDK_HAS then shows which members were filled.
 *   - An array is a pointer to its first element and a uint32_t with the number of elements; NULL goes with 0. All elements of an
 *     array of sized structs have the size that the first element states.
 *   - In options, 0 selects the default of a member. Where the number 0 itself is a choice, too, MSDK_ZERO selects it; the
 *     member's comment says so.
 *   - Bitrates are uint64_t bits per second. Byte counts and counters are uint64_t.
 *   - Structs marked "frozen" never change and never grow. Additions use their reserved members. Only frozen structs are embedded
 *     in other structs. No struct has padding between its members or after them: all bytes of a struct have names.
 *   - All integers have a fixed width. A flag is a uint32_t of 0 or 1, or a bit in a mask. Constants are anonymous enums; a member
 *     never has an enum type.
 *   - Times and durations are int64_t nanoseconds of CLOCK_MONOTONIC (or of the engine's virtual clock), unless the name says
 *     otherwise.
 *   - Text is UTF-8 and ends with NUL.
 */
#ifndef MEDIASDK_TYPES_H
#define MEDIASDK_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MSDK_EXTERN_C extern "C"
static_assert(sizeof(void *) == 8, "MediaSDK is for 64-bit systems");
#else
#define MSDK_EXTERN_C
_Static_assert(sizeof(void *) == 8, "MediaSDK is for 64-bit systems");
#endif
#define MSDK_EXPORT MSDK_EXTERN_C __attribute__((visibility("default")))

/** True if the struct at `ptr` is long enough to hold `field`. */
#define MSDK_HAS(ptr, type, field) \
  ((ptr) != NULL && (ptr)->struct_size >= offsetof(type, field) + sizeof((ptr)->field))
/** True if the struct at `ptr` holds the function pointer `fn` and it is not NULL. */
#define MSDK_CAN(ptr, type, fn) (MSDK_HAS(ptr, type, fn) && (ptr)->fn != NULL)

/** The number of elements of an array. */
#define MSDK_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/** A zeroed value of a sized struct: `msdk_video_format format = MSDK_INIT(msdk_video_format);` */
#ifdef __cplusplus
#define MSDK_INIT(type) ::msdk_init<type>()
template <typename T>
static inline T msdk_init() {
  T value = T();
  value.struct_size = static_cast<uint32_t>(sizeof(T));
  return value;
}
#else
#define MSDK_INIT(type) ((type){.struct_size = (uint32_t)sizeof(type)})
#endif

/* ---------------------------------------------------------------------------------------------------------------- results */

/** A value >= 0 is success; a value < 0 is an error. The values are frozen; new ones are appended. msdk_status_string() (error.h)
 * returns their names. */
typedef int32_t msdk_result;
enum {
  MSDK_OK = 0,
  MSDK_E_FAIL = -1,          /**< no other code fits; the last-error text says what failed */
  MSDK_E_NOMEM = -2,         /**< no memory is left, or no frame in a pool */
  MSDK_E_INVALID = -3,       /**< an argument is wrong: NULL, too short, malformed, contradictory */
  MSDK_E_UNSUPPORTED = -4,   /**< well formed, but not supported by this build or this object */
  MSDK_E_STATE = -5,         /**< the object is not in the state that the call needs */
  MSDK_E_THREAD = -6,        /**< the call is not allowed on this thread, or not inside this callback */
  MSDK_E_AGAIN = -7,         /**< nothing is available, or there is no room, at the moment */
  MSDK_E_TIMEOUT = -8,       /**< the timeout has passed */
  MSDK_E_IO = -9,            /**< a file or device failed */
  MSDK_E_PERMISSION = -10,   /**< refused by the system or by the room */
  MSDK_E_NOT_FOUND = -11,    /**< no such name, file or index */
  MSDK_E_TYPE = -12,         /**< a value does not have the declared type */
  MSDK_E_RANGE = -13,        /**< a number or a format is outside the accepted range */
  MSDK_E_CLOSED = -14,       /**< ended, stopped, or being closed */
  MSDK_E_PLUGIN_DIED = -15,  /**< an isolated plugin's process ended */
  MSDK_E_DEVICE_LOST = -16,  /**< a device went away */
  MSDK_E_BUFFER_SMALL = -17, /**< the caller's buffer is too small; the needed size was returned */
  MSDK_E_HANDLE = -18,       /**< not a live handle of this type: NULL, garbage, stale, destroyed, of another kind */
  MSDK_E_STALE = -19,        /**< the frame sender has been replaced */
  MSDK_E_FORMAT = -20,       /**< the frame does not have the agreed format */
  MSDK_E_LIMIT = -21,        /**< a declared format is outside the limits of the stream */
  MSDK_E_EXISTS = -22,       /**< the name, the user id or the port is taken */
  MSDK_E_FORKED = -23,       /**< called in the child of a fork() */
  MSDK_E_CORRUPT = -24,      /**< the data cannot be parsed or decoded */
  MSDK_E_ABI = -25,          /**< the plugin's ABI does not match this host */
  MSDK_E_FULL = -26,         /**< a maximum number is reached: of members, filters, renderers or engines */
  MSDK_E_REMOVED = -27,      /**< removed from the room by a moderator, or replaced by a member with the same user id */
  MSDK_E_UNTRUSTED = -28     /**< the peer is not the expected one: its certificate, key or token is another */
};

enum {
  MSDK_PORT_ANY = 65536 /**< as a port to listen on: one that the system chooses; the port can be read afterwards */
};
#define MSDK_ZERO 0xFFFFFFFFu /**< the number 0, in a member of options of which 0 selects the default */
#define MSDK_TIME_ZERO INT64_MIN /**< the time 0 of a program's own clock, as the timestamp_ns of a frame to send: there 0 means none */

/* ------------------------------------------------------------------------------------------------------------ typed values */

typedef uint32_t msdk_type; /**< the type of a parameter, or of a command's argument or result */
enum {
  MSDK_T_VOID = 0,
  MSDK_T_BOOL = 1,
  MSDK_T_I32 = 2,
  MSDK_T_I64 = 3,
  MSDK_T_U32 = 4,
  MSDK_T_U64 = 5,
  MSDK_T_F64 = 6,
  MSDK_T_STRING = 7,
  MSDK_T_BYTES = 8,
  MSDK_T_STATUS = 9 /**< only the result of a native command (plugin.h): an msdk_result. Programs see VOID, or the error */
};

typedef struct msdk_bytes { /* frozen, 16 bytes */
  const void *data;
  uint64_t size;
} msdk_bytes;

typedef struct msdk_value { /* frozen, 24 bytes */
  msdk_type type;
  uint32_t reserved; /**< 0 */
  union {
    uint8_t b; /**< 0 or 1 */
    int32_t i32;
    int64_t i64;
    uint32_t u32;
    uint64_t u64;
    double f64;
    const char *str;  /**< borrowed for the call */
    msdk_bytes bytes; /**< borrowed for the call */
  } u;
} msdk_value;

/** Initialisers of values: `msdk_value speed = MSDK_I32(25);` */
#ifdef __cplusplus
#define MSDK_VALUE_FUNCTION(NAME, T, member)                 \
  static inline msdk_value MSDK_##NAME(T given) {            \
    msdk_value value = msdk_value();                         \
    value.type = MSDK_T_##NAME;                              \
    value.u.member = given;                                  \
    return value;                                            \
  }
MSDK_VALUE_FUNCTION(BOOL, bool, b)
MSDK_VALUE_FUNCTION(I32, int32_t, i32)
MSDK_VALUE_FUNCTION(I64, int64_t, i64)
MSDK_VALUE_FUNCTION(U32, uint32_t, u32)
MSDK_VALUE_FUNCTION(U64, uint64_t, u64)
MSDK_VALUE_FUNCTION(F64, double, f64)
MSDK_VALUE_FUNCTION(STRING, const char *, str)
#undef MSDK_VALUE_FUNCTION
#else
#define MSDK_BOOL(value) {.type = MSDK_T_BOOL, .u = {.b = (value)}}
#define MSDK_I32(value) {.type = MSDK_T_I32, .u = {.i32 = (value)}}
#define MSDK_I64(value) {.type = MSDK_T_I64, .u = {.i64 = (value)}}
#define MSDK_U32(value) {.type = MSDK_T_U32, .u = {.u32 = (value)}}
#define MSDK_U64(value) {.type = MSDK_T_U64, .u = {.u64 = (value)}}
#define MSDK_F64(value) {.type = MSDK_T_F64, .u = {.f64 = (value)}}
#define MSDK_STRING(value) {.type = MSDK_T_STRING, .u = {.str = (value)}}
#endif

/* ------------------------------------------------------------------------------------------------------------------- video */

/** Pixel formats are little-endian DRM fourccs; the names here give the order of the bytes in memory.
 *
 *   name    planes  contents                                                    bytes in a row of plane 0 / 1 / 2
 *   I420    3       Y; U; V, the chroma planes (w+1)/2 by (h+1)/2               w / (w+1)/2 / (w+1)/2
 *   NV12    2       Y; U and V interleaved, (w+1)/2 pairs by (h+1)/2            w / 2*((w+1)/2)
 *   RGBA BGRA ARGB ABGR   1   four bytes a pixel in the order of the name       4w
 *   RGB24 BGR24           1   three bytes a pixel in the order of the name      3w
 *   GRAY8   1       luma only                                                   w
 *
 * A stride is the distance in bytes between two rows of a plane; it is at least the row's bytes and is often larger. */
enum {
  MSDK_PIXEL_I420 = 0x32315559,  /**< 'YU12' */
  MSDK_PIXEL_NV12 = 0x3231564E,  /**< 'NV12' */
  MSDK_PIXEL_BGRA = 0x34325241,  /**< 'AR24' */
  MSDK_PIXEL_RGBA = 0x34324241,  /**< 'AB24' */
  MSDK_PIXEL_ARGB = 0x34324142,  /**< 'BA24' */
  MSDK_PIXEL_ABGR = 0x34324152,  /**< 'RA24' */
  MSDK_PIXEL_BGR24 = 0x34324752, /**< 'RG24' */
  MSDK_PIXEL_RGB24 = 0x34324742, /**< 'BG24' */
  MSDK_PIXEL_GRAY8 = 0x20203852  /**< 'R8  ' */
};

/** Colour: code points of ITU-T H.273 (H.264, HEVC and WebM use the same numbers). The matrix of the RGB formats is 0, Identity;
 * of the others it is unspecified, 2, if nothing else is known. Formats that are passed to the library may leave the members at 0:
 * H.273 reserves that value of primaries and transfer, and no YUV format here can have the matrix Identity, so in these places the
 * library reads 0 as unspecified. It treats an unspecified matrix as BT.601, as RFC 6386, section 9.2, does for VP8. The range is
 * limited unless color_full_range is 1.
 *
 * The code points of a format are not checked: any number is accepted, and raw frames keep it. A conversion between YUV and RGB needs a
 * matrix that is unspecified or one of BT.601, BT.709 and BT.2020 below (else MSDK_E_UNSUPPORTED). Encoded frames that have come over
 * rtp: or WebRTC have any other matrix as unspecified. */
enum {
  MSDK_COLOR_UNSPECIFIED = 2,
  MSDK_MATRIX_IDENTITY = 0,
  MSDK_MATRIX_BT709 = 1,
  MSDK_MATRIX_BT470BG = 5,    /**< BT.601, 625 lines */
  MSDK_MATRIX_SMPTE170M = 6,  /**< BT.601, 525 lines: the same matrix */
  MSDK_MATRIX_BT2020_NCL = 9
};

enum { /* kinds of stream; a session may send one screen share and several virtual streams at the same time */
  MSDK_VIDEO_VIRTUAL = 1,     /**< frames made by the program, in place of a camera's */
  MSDK_VIDEO_SCREEN_SHARE = 2 /**< a display, a window, a document */
};

enum { MSDK_CONTENT_NONE = 0, MSDK_CONTENT_MOTION = 1, MSDK_CONTENT_DETAIL = 2, MSDK_CONTENT_TEXT = 3 };

enum { MSDK_DIMENSION_MAX = 16384 }; /**< the largest width and height of any frame */

typedef struct msdk_video_format { /* frozen, 96 bytes */
  uint32_t struct_size;
  uint32_t pixel_format;     /**< MSDK_PIXEL_* */
  uint32_t width, height;    /**< 1..MSDK_DIMENSION_MAX pixels; odd sizes are allowed */
  uint32_t fps_num, fps_den; /**< frames a second as a fraction: 30/1, 30000/1001; 0/0 or 0/1: variable or unknown */
  uint32_t color_primaries;  /**< H.273 ColourPrimaries */
  uint32_t color_transfer;   /**< H.273 TransferCharacteristics */
  uint32_t color_matrix;     /**< H.273 MatrixCoefficients */
  uint32_t color_full_range; /**< 0: luma 16..235, 1: 0..255 */
  uint32_t content_hint;     /**< MSDK_CONTENT_* */
  uint32_t reserved0;        /**< 0 */
  int64_t expected_delay_ns; /**< the capture device's own delay, 0: unknown; receivers get it, except over rtp: */
  uint32_t reserved[10];     /**< 0 */
} msdk_video_format;

enum { MSDK_PLANES_MAX = 4 };

typedef struct msdk_plane { /* frozen, 32 bytes */
  uint8_t *data;   /**< first byte of the first row */
  uint64_t size;   /**< bytes that may be accessed from `data` on: at least stride * (rows - 1) + row bytes */
  int32_t stride;  /**< bytes from one row to the next, >= the row's bytes; may differ from width * bytes-per-pixel */
  uint32_t reserved0; /**< 0 */
  uint64_t reserved1; /**< 0 */
} msdk_plane;

enum {
  MSDK_FRAME_WRITABLE = 1,      /**< the frame has one holder, who may write to its memory */
  MSDK_FRAME_DISCONTINUITY = 2, /**< frames before this one are missing */
  MSDK_FRAME_CORRUPT = 4,       /**< decoded with damage */
  MSDK_FRAME_END = 8            /**< the producer's last frame */
};

/** How to make the stored frame upright: first mirror it left to right if MSDK_MIRROR is set, then rotate it clockwise by the
 * angle. */
enum { MSDK_ROTATE_0 = 0, MSDK_ROTATE_90 = 1, MSDK_ROTATE_180 = 2, MSDK_ROTATE_270 = 3, MSDK_MIRROR = 4 };

/** A video frame. The SDK always makes it, so that the struct can grow: programs call msdk_frame_sender_acquire,
 * msdk_video_frame_create or msdk_video_frame_wrap, plugins use the host table. Frames are reference-counted. A frame is read-only
 * for every holder once it has been sent. Before sending, its maker may set timestamp_ns, duration_ns, orientation, and in flags
 * MSDK_FRAME_END, _CORRUPT and _DISCONTINUITY. Receivers in the room get all of these with raw frames. Through a codec they do not
 * get _END and _CORRUPT. Over rtp: and WebRTC duration_ns is 0, and _DISCONTINUITY means that frames were lost on the network
 * path. */
typedef struct msdk_video_frame {
  uint32_t struct_size;
  uint32_t flags;       /**< MSDK_FRAME_* */
  uint32_t plane_count;
  uint32_t orientation; /**< MSDK_ROTATE_* | MSDK_MIRROR */
  msdk_plane plane[MSDK_PLANES_MAX];
  const msdk_video_format *format; /**< lives as long as the frame */
  int64_t timestamp_ns;            /**< when it was captured, on the engine's clock; 0 until known */
  int64_t duration_ns;             /**< 0: unknown */
  /** From 1. It counts the frames that send accepted; over rtp: and WebRTC those that arrived. After a gap frames were dropped or lost.
   * A number comes again when a screen share repeats its frame (outgoing_video.h), and may do so when the receiver gets another layer
   * (msdk_incoming_video_set_preference). */
  uint64_t sequence;
} msdk_video_frame;

/** Memory that the caller owns, passed without a copy (msdk_video_frame_wrap). */
typedef struct msdk_external_frame {
  uint32_t struct_size;
  uint32_t plane_count; /**< the number of planes of the pixel format */
  uint32_t orientation; /**< MSDK_ROTATE_* | MSDK_MIRROR */
  uint32_t reserved0;   /**< 0 */
  msdk_plane plane[MSDK_PLANES_MAX];
  const msdk_video_format *format; /**< copied */
  int64_t timestamp_ns;            /**< 0: set when the frame is sent */
  void *user;
  /** Called exactly once, when the last reference is released, on the thread that releases it. The call may come after the instance,
   * the stream or the engine has been destroyed. If it is NULL, the memory must outlive every reference;
   * msdk_video_frame_get_references returns their number. */
  void (*release)(void *user);
} msdk_external_frame;

/* ------------------------------------------------------------------------------------------------------------ encoded media */

enum {
  /** In options: the SDK chooses what reaches everybody. A stream is sent raw while all members of its room are in this process, and
   * VP8 or Opus otherwise, also when the first member from another process joins later (outgoing_video.h). */
  MSDK_CODEC_AUTO = 0,
  MSDK_CODEC_RAW = 0x20574152, /**< 'RAW ': frames or samples that are not encoded; they never leave the process */
  MSDK_CODEC_VP8 = 0x30385056, /**< 'VP80', the fourcc that IVF uses */
  MSDK_CODEC_AV1 = 0x31305641, /**< 'AV01'; encoded and decoded by the av1 plugin */
  MSDK_CODEC_OPUS = 0x5355504F /**< 'OPUS' */
};

enum { MSDK_ENCODED_KEY = 1, MSDK_ENCODED_DISCONTINUITY = 2, MSDK_ENCODED_DROPPABLE = 4, /**< no later frame refers to it */
       MSDK_ENCODED_COARSE = 8 /**< set by encoders of screen shares: text in the frame is not yet sharp */ };

/** One encoded video frame, or one packet of encoded audio, without a container. For VP8 it is a frame as in RFC 6386. For AV1 it is
 * a temporal unit in the low-overhead format (section 5 of the AV1 specification). For Opus it is a packet as in RFC 6716, section
 * 3. For a plugin's codec it is what the codec's class makes. The SDK makes encoded frames. They are reference-counted and
 * read-only. */
typedef struct msdk_encoded_frame {
  uint32_t struct_size;
  uint32_t codec; /**< MSDK_CODEC_* */
  uint32_t flags; /**< MSDK_ENCODED_* */
  uint32_t width, height; /**< of video, in pixels */
  uint32_t orientation; /**< MSDK_ROTATE_* | MSDK_MIRROR, carried beside the encoded data */
  const uint8_t *data;
  uint64_t size;        /**< bytes */
  int64_t timestamp_ns; /**< when the video frame, or the packet's first sample, was captured */
  int64_t duration_ns;  /**< 0: unknown; always known for an Opus packet */
  uint64_t sequence;    /**< video: of the frame it was made from; audio: counts the packets of its stream */
  uint32_t color_primaries, color_transfer, color_matrix, color_full_range; /**< of video, as in msdk_video_format */
  uint32_t sample_rate; /**< of audio, in Hz: for Opus always 48,000, the clock of RFC 7587 */
  uint32_t channels;    /**< of audio, 1 or 2: for Opus those of the packet (RFC 6716, section 3.1) or of the encoding stream */
  uint32_t level;       /**< of audio, as in msdk_audio_frame; 127 if unknown */
  uint32_t reserved0;   /**< 0 */
} msdk_encoded_frame;

/* ------------------------------------------------------------------------------------------------------------------ feeders */

enum { /* why a feeder's connection was refused or ended; ingest.h: the session's side, feeder.h: the feeder's side and the rules */
  MSDK_FEED_NONE = 0,
  MSDK_FEED_NOT_ADMITTED = 1,
  MSDK_FEED_BUSY = 2,
  MSDK_FEED_VERSION = 3,
  MSDK_FEED_MALFORMED = 4,
  MSDK_FEED_TOO_LARGE = 5,
  MSDK_FEED_FORMAT = 6,
  MSDK_FEED_SLOT = 7,
  MSDK_FEED_STALLED = 8,
  MSDK_FEED_CROWDED = 9,
  MSDK_FEED_CLOSED = 10
};

/* ------------------------------------------------------------------------------------------------------------------- audio */

/** Samples are in the machine's byte order: s16 from -32,768 to 32,767, f32 nominally from -1 to 1. Finite f32 samples outside
 * that range are carried unchanged. They are limited where they are converted to s16 or mixed. */
enum { MSDK_SAMPLE_S16 = 1, MSDK_SAMPLE_F32 = 2 };
enum { MSDK_CHANNELS_MAX = 32 };

/** This version carries 1 or 2 interleaved channels (left, right, left …). Plugins may make or accept 8,000 to 192,000 Hz. Streams
 * accept a narrower range: see outgoing_audio.h and incoming_audio.h. */
typedef struct msdk_audio_format { /* frozen, 48 bytes */
  uint32_t struct_size;
  uint32_t sample_format; /**< MSDK_SAMPLE_* */
  uint32_t sample_rate;   /**< Hz: samples per second and channel */
  uint32_t channels;
  uint32_t planar;            /**< 0: interleaved, the only layout of this version */
  uint32_t frames_per_buffer; /**< samples per channel in one buffer; 0: any */
  int64_t expected_delay_ns; /**< of a device: the delay of its playback or capture; 0: unknown */
  uint32_t reserved[4]; /**< 0 */
} msdk_audio_format;

/** An audio frame. The SDK always makes it, so that the struct can grow: programs call msdk_audio_frame_create, plugins use the host
 * table. Audio frames are reference-counted. An audio frame is read-only for every holder once it has been sent. Before sending,
 * its maker may write the samples and set timestamp_ns, and in flags MSDK_FRAME_END and _DISCONTINUITY. */
typedef struct msdk_audio_frame {
  uint32_t struct_size;
  uint32_t flags; /**< MSDK_FRAME_*; _CORRUPT: generated by loss concealment */
  const msdk_audio_format *format; /**< lives as long as the frame */
  uint32_t sample_count; /**< per channel; may differ from frame to frame */
  uint32_t plane_count;  /**< 1 */
  uint8_t *const *planes; /**< planes[0]: sample_count * channels samples, aligned to 64 bytes: 16-bit integers or f32, by the format */
  int64_t timestamp_ns; /**< when the first sample was captured, on the engine's clock; 0 until known */
  uint64_t sequence; /**< counts the audio frames of its stream, from 1; after re-framing, that of the frame with the first sample */
  int64_t duration_ns; /**< sample_count at the format's rate, rounded to nearest */
  uint32_t level; /**< loudness as in RFC 6464, section 3: -dBov of the root mean square, 0 (loudest) to 127 (silence) */
  uint32_t reserved0; /**< 0 */
} msdk_audio_frame;

#endif /* MEDIASDK_TYPES_H */
