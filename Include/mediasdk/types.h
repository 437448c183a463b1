/* mediasdk/types.h - the values that cross every border of MediaSDK
 *
 * Types and constants only: no function is declared here, so that a plugin, which links nothing of ours, may include it.
 *
 * Rules for every struct below
 *   - `struct_size` comes first and is set by whoever fills the struct, to sizeof of the type it was compiled with. Members are only
 *     ever appended. A reader touches no member past struct_size (MSDK_HAS) and treats the missing ones as zero; a larger struct
 *     than the reader knows is accepted. MSDK_INIT(type) gives a zeroed value with struct_size set.
 *   - For a struct to be filled, struct_size says how much there is to fill; it is left as it is.
 *   - In an array of such structs the elements are all of the size that the first one states.
 *   - The few structs without struct_size are marked "frozen": they never change.
 *   - Fixed-width integers only. A flag is a uint32_t of 0 or 1, or a bit in a mask; constants are anonymous enums, never their type.
 *   - Times and durations are int64_t nanoseconds of CLOCK_MONOTONIC (or of the engine's virtual clock), unless the name says otherwise.
 *   - Text is UTF-8 and ends with NUL.
 */
#ifndef MEDIASDK_TYPES_H
#define MEDIASDK_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MSDK_EXTERN_C extern "C"
#else
#define MSDK_EXTERN_C
#endif
#define MSDK_EXPORT MSDK_EXTERN_C __attribute__((visibility("default")))

/* True when the struct behind `ptr` is long enough to hold `field`. */
#define MSDK_HAS(ptr, type, field) \
  ((ptr) != NULL && (ptr)->struct_size >= offsetof(type, field) + sizeof((ptr)->field))
/* ...and, for a function pointer, that it is set. */
#define MSDK_CAN(ptr, type, fn) (MSDK_HAS(ptr, type, fn) && (ptr)->fn != NULL)

/* A zeroed value of a sized struct: `msdk_video_format format = MSDK_INIT(msdk_video_format);` */
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

/* >= 0 is success, < 0 an error. The values are frozen; new ones are appended. msdk_status_string() (error.h) names them. */
typedef int32_t msdk_result;
enum {
  MSDK_OK = 0,
  MSDK_E_FAIL = -1,          /* none of the others: the last-error text says what */
  MSDK_E_NOMEM = -2,         /* memory, or a bound on the number of things, is used up */
  MSDK_E_INVALID = -3,       /* an argument is wrong: NULL, too short, malformed, contradictory */
  MSDK_E_UNSUPPORTED = -4,   /* well formed, but not something this build or this object does */
  MSDK_E_STATE = -5,         /* not in the state the call needs */
  MSDK_E_THREAD = -6,        /* not on this thread, or not inside this callback */
  MSDK_E_AGAIN = -7,         /* nothing there, or no room, right now */
  MSDK_E_TIMEOUT = -8,       /* the time given went by */
  MSDK_E_IO = -9,            /* a file or device failed */
  MSDK_E_PERMISSION = -10,   /* refused by the system or by the room */
  MSDK_E_NOT_FOUND = -11,    /* no such name, file, index */
  MSDK_E_TYPE = -12,         /* a value of another type than declared */
  MSDK_E_RANGE = -13,        /* a number or a format outside what is accepted */
  MSDK_E_CLOSED = -14,       /* ended, stopped, or being closed */
  MSDK_E_PLUGIN_DIED = -15,  /* an isolated plugin's process ended */
  MSDK_E_DEVICE_LOST = -16,  /* a device went away */
  MSDK_E_BUFFER_SMALL = -17, /* the caller's buffer is too small; the needed size was given */
  MSDK_E_HANDLE = -18,       /* not a live handle of this type: NULL, garbage, stale, destroyed, of another kind */
  MSDK_E_STALE = -19,        /* a frame sender that has been replaced */
  MSDK_E_FORMAT = -20,       /* a frame that is not of the format agreed on */
  MSDK_E_LIMIT = -21,        /* a declared format outside the limits that hold for the stream */
  MSDK_E_EXISTS = -22,       /* the name or user id is taken */
  MSDK_E_FORKED = -23,       /* called in the child of a fork() */
  MSDK_E_CORRUPT = -24,      /* data that cannot be parsed or decoded */
  MSDK_E_ABI = -25,          /* a plugin that does not fit this host */
  MSDK_E_FULL = -26,         /* the room has as many members as it takes */
  MSDK_E_REMOVED = -27       /* taken out of the room: by a moderator, or replaced by the same user id */
};

/* ------------------------------------------------------------------------------------------------------------ typed values */

typedef uint32_t msdk_type; /* of parameters and commands */
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
  MSDK_T_STATUS = 9 /* of a native command's result only (plugin.h): an msdk_result. Programs see VOID, or the error */
};

typedef struct msdk_bytes { /* frozen */
  const void *data;
  uint64_t size;
} msdk_bytes;

typedef struct msdk_value { /* frozen, 24 bytes */
  msdk_type type;
  uint32_t reserved; /* 0 */
  union {
    uint8_t b; /* 0 or 1 */
    int32_t i32;
    int64_t i64;
    uint32_t u32;
    uint64_t u64;
    double f64;
    const char *str;  /* borrowed for the call */
    msdk_bytes bytes; /* borrowed for the call */
  } u;
} msdk_value;

/* ------------------------------------------------------------------------------------------------------------------- video */

/* Pixel formats are little-endian DRM fourccs; our names give the order of the bytes in memory.
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
  MSDK_PIXEL_I420 = 0x32315559,  /* 'YU12' */
  MSDK_PIXEL_NV12 = 0x3231564E,  /* 'NV12' */
  MSDK_PIXEL_BGRA = 0x34325241,  /* 'AR24' */
  MSDK_PIXEL_RGBA = 0x34324241,  /* 'AB24' */
  MSDK_PIXEL_ARGB = 0x34324142,  /* 'BA24' */
  MSDK_PIXEL_ABGR = 0x34324152,  /* 'RA24' */
  MSDK_PIXEL_BGR24 = 0x34324752, /* 'RG24' */
  MSDK_PIXEL_RGB24 = 0x34324742, /* 'BG24' */
  MSDK_PIXEL_GRAY8 = 0x20203852  /* 'R8  ' */
};

enum { MSDK_MEMORY_CPU = 1, MSDK_MEMORY_MEMFD = 2, MSDK_MEMORY_DMABUF = 4 }; /* bit mask; this version makes and takes CPU memory */

/* Colour, as code points of ITU-T H.273 (the numbers H.264, HEVC and WebM use). 0 and 2 both mean "unspecified", which MediaSDK treats
 * as BT.601 for the matrix (RFC 6386, section 9.2, says the same of VP8) and limited range unless color_full_range is 1. */
enum {
  MSDK_COLOR_UNSPECIFIED = 2,
  MSDK_MATRIX_BT709 = 1,
  MSDK_MATRIX_BT470BG = 5,    /* BT.601, 625 lines */
  MSDK_MATRIX_SMPTE170M = 6,  /* BT.601, 525 lines: the same matrix */
  MSDK_MATRIX_BT2020_NCL = 9
};

enum { /* kinds of stream; a session may send one of each at the same time, and more virtual ones */
  MSDK_VIDEO_VIRTUAL = 1,     /* a picture made by the program, in place of a camera's */
  MSDK_VIDEO_SCREEN_SHARE = 2 /* a display, a window, a document */
};

enum { MSDK_CONTENT_NONE = 0, MSDK_CONTENT_MOTION = 1, MSDK_CONTENT_DETAIL = 2, MSDK_CONTENT_TEXT = 3 };

enum { MSDK_DIMENSION_MAX = 16384 }; /* the largest width and height of any frame */

typedef struct msdk_video_format {
  uint32_t struct_size;
  uint32_t pixel_format;     /* MSDK_PIXEL_* */
  uint32_t width, height;    /* 1..MSDK_DIMENSION_MAX pixels; odd sizes are fine */
  uint32_t fps_num, fps_den; /* frames a second as a fraction: 30/1, 30000/1001; 0/0 or 0/1: variable or unknown */
  uint32_t memory_kinds;     /* MSDK_MEMORY_* mask; 0 is read as MSDK_MEMORY_CPU */
  uint32_t color_primaries;  /* H.273 ColourPrimaries */
  uint32_t color_transfer;   /* H.273 TransferCharacteristics */
  uint32_t color_matrix;     /* H.273 MatrixCoefficients; of no meaning for the RGB formats */
  uint32_t color_full_range; /* 0: luma 16..235, 1: 0..255 */
  uint32_t content_hint;     /* MSDK_CONTENT_* */
  uint64_t modifier;         /* DRM modifier of a dmabuf; 0: linear */
  uint32_t expected_delay_ms; /* the capture device's own delay, if known */
  uint32_t reserved0;         /* 0 */
} msdk_video_format;

enum { MSDK_PLANES_MAX = 4 };

typedef struct msdk_plane { /* frozen, 32 bytes */
  uint8_t *data;   /* first byte of the first row */
  uint64_t size;   /* bytes that may be touched from `data` on: at least stride * (rows - 1) + row bytes */
  int32_t stride;  /* bytes from one row to the next, >= the row's bytes; never assume width * bytes-per-pixel */
  int32_t fd;      /* memfd or dmabuf, -1 if none; borrowed: dup() to keep */
  uint64_t offset; /* of this plane inside fd */
} msdk_plane;

enum {
  MSDK_FRAME_WRITABLE = 1,      /* one holder, memory may be written */
  MSDK_FRAME_DISCONTINUITY = 2, /* frames before this one are missing */
  MSDK_FRAME_CORRUPT = 4,       /* decoded with damage */
  MSDK_FRAME_END = 8            /* the producer's last frame */
};

/* How to turn the stored picture so that it stands upright: first mirrored left to right, if asked, then turned clockwise. */
enum { MSDK_ROTATE_0 = 0, MSDK_ROTATE_90 = 1, MSDK_ROTATE_180 = 2, MSDK_ROTATE_270 = 3, MSDK_MIRROR = 4 };

/* A picture. Always made by the SDK (msdk_video_frame_acquire, _wrap: frame.h for programs, the host table for plugins), so that the
 * struct can grow; counted by reference; read-only for everybody from the moment it was sent. Its maker may set before sending:
 * timestamp_ns, duration_ns, orientation, and in flags MSDK_FRAME_END, _CORRUPT and _DISCONTINUITY. */
typedef struct msdk_video_frame {
  uint32_t struct_size;
  uint32_t flags;       /* MSDK_FRAME_* */
  uint32_t memory_kind; /* exactly one MSDK_MEMORY_* */
  uint32_t plane_count;
  msdk_plane plane[MSDK_PLANES_MAX];
  const msdk_video_format *format; /* lives as long as the frame */
  int64_t timestamp_ns;            /* when it was captured, on the engine's clock; 0 until known */
  int64_t duration_ns;             /* 0: unknown */
  uint64_t sequence; /* of the frames that send accepted, from 1; over rtp: and hub: of those that arrive; a gap is one that was dropped or lost */
  uint32_t orientation;            /* MSDK_ROTATE_* | MSDK_MIRROR */
  int32_t fence_fd;                /* sync_file of a dmabuf, -1: none */
} msdk_video_frame;

/* Memory that the caller owns, handed in without a copy (msdk_video_frame_wrap). */
typedef struct msdk_external_frame {
  uint32_t struct_size;
  uint32_t memory_kind; /* MSDK_MEMORY_CPU, or 0 for the same */
  uint32_t plane_count; /* as the pixel format has it */
  uint32_t orientation; /* MSDK_ROTATE_* | MSDK_MIRROR */
  msdk_plane plane[MSDK_PLANES_MAX];
  const msdk_video_format *format; /* copied */
  int64_t timestamp_ns;            /* 0: stamped when sent */
  void *opaque;
  /* Called exactly once, when the last reference goes, on whichever thread drops it, and possibly after the instance, the stream or
   * the engine has been destroyed. May be NULL: then the memory must outlive every reference, which msdk_video_frame_references tells. */
  void (*release)(void *opaque);
} msdk_external_frame;

/* ------------------------------------------------------------------------------------------------------------ encoded media */

enum {
  MSDK_CODEC_NONE = 0,
  MSDK_CODEC_VP8 = 0x30385056, /* 'VP80', the fourcc that IVF uses */
  MSDK_CODEC_AV1 = 0x31305641, /* 'AV01'; made and decoded by the av1 plugin */
  MSDK_CODEC_OPUS = 0x5355504F /* 'OPUS' */
};

enum { MSDK_ENCODED_KEY = 1, MSDK_ENCODED_DISCONTINUITY = 2, MSDK_ENCODED_DROPPABLE = 4, /* no later frame refers to it */
       MSDK_ENCODED_COARSE = 8 /* set by encoders of screens: text is not yet sharp in it */ };

/* One encoded picture, or one packet of encoded sound, without any container: for VP8 a frame as RFC 6386 describes it, for AV1 a temporal unit
 * of its low-overhead format (section 5 of the AV1 specification), for Opus a packet as RFC 6716, section 3, does; for a codec of somebody's
 * own what its class makes. Made by the SDK, counted by reference, read-only. */
typedef struct msdk_encoded_frame {
  uint32_t struct_size;
  uint32_t codec; /* MSDK_CODEC_* */
  uint32_t flags; /* MSDK_ENCODED_* */
  uint32_t width, height; /* of a picture */
  uint32_t orientation; /* MSDK_ROTATE_* | MSDK_MIRROR, carried beside the bits */
  const uint8_t *data;
  uint64_t size;        /* bytes */
  int64_t timestamp_ns; /* when the picture, or the packet's first sample, was captured */
  int64_t duration_ns;  /* 0: unknown; of an Opus packet always known */
  uint64_t sequence;    /* of the picture it was made from; of sound, of the packets of its stream */
  uint32_t color_matrix, color_full_range; /* as in msdk_video_format */
  uint32_t sample_rate; /* of sound: for Opus always 48,000, the clock of RFC 7587 */
  uint32_t channels;    /* of sound, 1 or 2: for Opus what the packet says (RFC 6716, section 3.1), or the stream that encoded it has */
  uint32_t level;       /* of sound, as in msdk_audio_frame; 127 when it is not known */
  uint32_t reserved0;   /* 0 */
} msdk_encoded_frame;

/* ------------------------------------------------------------------------------------------------------------------ feeders */

enum { /* why the connection of a feeder was refused or ended: ingest.h for the session's side, feeder.h for the feeder's and the rules */
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

/* Samples are in the machine's byte order: s16 from -32,768 to 32,767, f32 nominally from -1 to 1. Finite f32 samples beyond that are
 * carried as they are, and limited where they become s16 or are mixed. */
enum { MSDK_SAMPLE_S16 = 1, MSDK_SAMPLE_F32 = 2 };
enum { MSDK_CHANNELS_MAX = 32 };

/* This version carries 1 or 2 channels, interleaved (left, right, left …), at 8,000 to 192,000 Hz where a plugin makes or takes them; what
 * streams are made of is narrower: see outgoing_audio.h and incoming_audio.h. */
typedef struct msdk_audio_format {
  uint32_t struct_size;
  uint32_t sample_format; /* MSDK_SAMPLE_* */
  uint32_t sample_rate;   /* Hz: samples per second and channel */
  uint32_t channels;
  uint32_t planar;            /* 0: interleaved, the only layout of this version */
  uint32_t frames_per_buffer; /* samples per channel in one buffer; 0: any */
  uint32_t expected_delay_ms; /* of a device: what is heard or captured is so much later or older; 0: unknown */
  uint32_t reserved0; /* 0 */
} msdk_audio_format;

/* A buffer of sound. Always made by the SDK (msdk_audio_frame_create for programs, the host table for plugins), so that the struct can
 * grow; counted by reference; read-only for everybody from the moment it was sent. Its maker may write the samples, and set before sending:
 * timestamp_ns, and in flags MSDK_FRAME_END and _DISCONTINUITY. */
typedef struct msdk_audio_frame {
  uint32_t struct_size;
  uint32_t flags; /* MSDK_FRAME_*; _CORRUPT: made up by loss concealment */
  const msdk_audio_format *format; /* lives as long as the frame */
  uint32_t sample_count; /* per channel; do not assume that it is constant */
  uint32_t plane_count;  /* 1 */
  uint8_t *const *planes; /* planes[0]: sample_count * channels samples, aligned to 64 bytes */
  int64_t timestamp_ns; /* when the first sample was captured, on the engine's clock; 0 until known */
  uint64_t sequence; /* of the buffers of its stream, from 1; when they are cut anew, of that from which the first sample is */
  int64_t duration_ns; /* sample_count at the format's rate, rounded to nearest */
  uint32_t level; /* loudness, as RFC 6464, section 3, has it: -dBov of the root mean square, 0 (loudest) to 127 (silence) */
  uint32_t reserved0; /* 0 */
} msdk_audio_frame;

#endif /* MEDIASDK_TYPES_H */
