/** @file
 * mediasdk/frame.h - video frames, audio frames and encoded frames: memory, references, conversion
 *
 * A new frame has one reference, the caller's. _ref adds a reference and _unref releases one. When the last reference is released,
 * the memory returns to its pool or the release function is called. A frame that has been sent is read-only. The program uses
 * another frame for the next contents. Frames belong to the process, not to an engine. They may outlive every other object.
 *
 * The memory, format and size of a frame do not change after it is made. The same applies to the data, the codec and
 * MSDK_ENCODED_KEY of an encoded frame. The SDK keeps its own copy of these values. If the struct differs from the copy, a call
 * that sends, converts, composes or renders the frame returns MSDK_E_INVALID, and the error text names the member. The call
 * accesses no pixels in this case.
 *
 * Metadata: what a receiver gets of what the sender of a video frame set. yes: the same value. -: 0, and of colour
 * MSDK_COLOR_UNSPECIFIED. served room: over the network (serve.h).
 *
 *                               loopback, raw   loopback, codec   served room  rtp:         ingest
 *     timestamp_ns              yes             yes               yes (1)      yes (1)      yes
 *     duration_ns               yes             yes               -            -            -
 *     MSDK_FRAME_DISCONTINUITY  yes             yes               losses (2)   losses (2)   -
 *     MSDK_FRAME_END, _CORRUPT  yes             -                 -            -            -
 *     orientation               yes             yes               yes          yes (3)      yes
 *     colour matrix, range      yes             yes               yes          yes (4)      yes
 *     primaries, transfer       yes             yes               yes          yes (4)      -
 *     expected_delay_ns         yes             yes               yes          -            -
 *     content_hint              yes             -                 -            -            -
 *     msdk_frame_metadata       yes (5)         yes (5)           yes (5)      -            -
 *
 *   (1) On the receiver's clock: within 20 ms at first, within 5 ms after the sender's first report, which takes about a second.
 *       Frames that arrive before both ends have exchanged one report and its answer, which takes one round trip after they
 *       connect, are late by the delay of the network path.
 *   (2) Set where frames were lost on the network path, not where the sender set it.
 *   (3) Without the extension for orientation (rtp.h) frames are rotated before they are encoded, and arrive upright.
 *   (4) Without the extension for colour (rtp.h) frames are converted to BT.601 in limited range before they are encoded.
 *   (5) On streams that were made with carries_metadata (outgoing_video.h).
 *
 * A loopback room whose network is scripted carries the same, and so do filters and isolated plugins. With a codec the values are
 * those of the encoded frame; a frame of an RGB format is encoded, and arrives, in BT.601 in limited range. What a program sends
 * encoded is not converted: without an extension its orientation and colour are lost. Of an audio frame timestamp_ns arrives as
 * above; duration_ns and level are those of the samples that arrive.
 */
#ifndef MEDIASDK_FRAME_H
#define MEDIASDK_FRAME_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The layout of a video frame in memory. All values are in bytes, except rows. */
typedef struct msdk_frame_layout {
  uint32_t struct_size;
  uint32_t plane_count;
  uint64_t offset[MSDK_PLANES_MAX];     /**< of the plane, from the first byte of the frame */
  uint64_t plane_size[MSDK_PLANES_MAX]; /**< stride * rows */
  int32_t stride[MSDK_PLANES_MAX];      /**< as in msdk_plane */
  uint32_t row_bytes[MSDK_PLANES_MAX]; /**< the bytes of a stride that hold pixels */
  uint32_t rows[MSDK_PLANES_MAX];
  uint64_t size; /**< of all planes */
} msdk_frame_layout;

/** Computes the layout for a pixel format and a size in pixels (1..MSDK_DIMENSION_MAX). Rows are aligned to `alignment` bytes: a
 * power of two up to 4096; 0 or 1: no padding. MSDK_E_RANGE: the size or the alignment is not accepted. MSDK_E_UNSUPPORTED: the
 * pixel format is unknown. [any thread] */
MSDK_EXPORT msdk_result msdk_frame_get_layout(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t alignment,
                                              msdk_frame_layout *out);

/** Makes a writable frame with new memory. Its rows are aligned to 64 bytes and its contents are unspecified. For frames to send,
 * use msdk_frame_sender_acquire, which takes them from a pool. *out has one reference, the caller's. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_create(const msdk_video_format *format, msdk_video_frame **out);

/** Makes a frame from memory that the caller owns, without a copy. MSDK_E_INVALID: the pointer, the stride or the size of a plane
 * is not accepted; all planes are checked. If the call fails, release is not called. *out has one reference, the caller's.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_wrap(const msdk_external_frame *external, msdk_video_frame **out);

/** Adds a reference, which the caller releases. MSDK_E_HANDLE: the frame has no reference left, or is not a video frame.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_ref(const msdk_video_frame *frame);
/** Releases a reference. The call succeeds for NULL. MSDK_E_HANDLE: as above. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_unref(const msdk_video_frame *frame);
/** Returns the current number of references; 1: the caller's reference is the only one. MSDK_E_HANDLE: as above. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_get_references(const msdk_video_frame *frame, uint32_t *out);

/** Makes a new frame with the contents of `frame` in the pixel format, size and colour of `wanted`. A member of `wanted` that is 0
 * stands for the frame's value. The frame rate and all other members of `wanted` are ignored; the frame's values apply. Colour,
 * scale and metadata:
 *   - YUV to YUV keeps matrix and range. YUV to RGB uses the frame's matrix and range. RGB to YUV gives BT.601 with limited range,
 *     RGB to GRAY8 full range. MSDK_E_UNSUPPORTED: wanted->color_matrix or color_full_range requests another colour.
 *   - Alpha is 255 after a conversion from a format without alpha, and is dropped in one to such a format.
 *   - Each dimension is scaled separately: by area if it becomes smaller, bilinearly if it becomes larger. A frame of a single
 *     colour keeps this colour exactly. Samples are rounded to nearest.
 *   - Timestamp, duration, sequence, orientation and the flags MSDK_FRAME_CORRUPT, _DISCONTINUITY and _END are copied.
 *
 * *out has one reference, the caller's. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_convert(const msdk_video_frame *frame, const msdk_video_format *wanted, msdk_video_frame **out);

/** Converts as above into a writable frame of the caller. The destination's format states the pixel format and size.
 * MSDK_E_INVALID: the destination has been sent, has a second reference, or is the frame itself. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_convert_into(const msdk_video_frame *frame, msdk_video_frame *destination);

/* ---------------------------------------------------------------------------------------------------------------- metadata */

enum { MSDK_FRAME_USER_DATA_MAX = 248 };

/** What a program sends with a video frame, in LiveKit's format of packet trailers. Members that are 0 are not sent. All together has
 * up to 255 bytes, so user_data has up to 248 bytes: 6 less beside a frame id, 10 less beside a timestamp. A stream carries it only if it
 * was made with carries_metadata (outgoing_video.h); others drop it. In a served room and over livekit+wss: receivers that do not state
 * that they take it get the frame without it; these include browsers that play the stream. Raw and encoded streams of a loopback room
 * carry it to everybody. It stays with a frame through encoders, filters, conversions and isolated plugins. It is not encrypted from end
 * to end (encryption.h): the room's server can read and change it. Encrypt user_data if that matters. */
typedef struct msdk_frame_metadata {
  uint32_t struct_size;
  uint32_t frame_id;          /**< of the program's choice; 0: none */
  uint64_t user_timestamp_us; /**< in microseconds, of a clock of the program's choice; 0: none */
  uint32_t user_data_size;    /**< bytes of user_data; 0: none */
  uint32_t reserved0;         /**< 0 */
  uint8_t user_data[MSDK_FRAME_USER_DATA_MAX]; /**< bytes of the program's choice, from the first on */
} msdk_frame_metadata;

/** Replaces what is sent with the frame; NULL, or zeros, remove it. To be called before the frame is sent. MSDK_E_RANGE: user_data_size is
 * more than there is room for. MSDK_E_INVALID: the frame has been sent or was received, or has a second reference. MSDK_E_HANDLE: the
 * frame has no reference left, or is not a video frame. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_set_metadata(msdk_video_frame *frame, const msdk_frame_metadata *metadata);
/** Returns what the sender sent with the frame; zeros where there is nothing. MSDK_E_HANDLE: as above. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_get_metadata(const msdk_video_frame *frame, msdk_frame_metadata *out);

/* ------------------------------------------------------------------------------------------------------------------- audio */

/** Makes a writable audio frame of `sample_count` samples per channel (1..192,000). Its samples are silence. format states a sample
 * rate of 8,000..192,000 Hz and 1 or 2 interleaved channels; frames_per_buffer is ignored. MSDK_E_RANGE: the number of samples or
 * the sample rate is not accepted. MSDK_E_UNSUPPORTED: the sample format, the channels or the layout is not. *out has one
 * reference, the caller's. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_create(const msdk_audio_format *format, uint32_t sample_count, msdk_audio_frame **out);

/** Adds a reference, which the caller releases. MSDK_E_HANDLE: the frame has no reference left, or is not an audio frame.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_ref(const msdk_audio_frame *frame);
/** Releases a reference. The call succeeds for NULL. MSDK_E_HANDLE: as above. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_unref(const msdk_audio_frame *frame);
/** Returns the current number of references; 1: the caller's reference is the only one. MSDK_E_HANDLE: as above. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_get_references(const msdk_audio_frame *frame, uint32_t *out);

/** Computes which sample of the audio frame was captured at a time, for example at the timestamp of a video frame. *sample receives
 * its index, rounded down. The index is below 0 for a time before the audio frame, and sample_count or more for a time after it.
 * The audio for a video frame is therefore in the audio frame with 0 <= *sample < sample_count. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_get_position(const msdk_audio_frame *frame, int64_t timestamp_ns, int64_t *sample);

/* ----------------------------------------------------------------------------------------------------------------- encoded */

/** Makes an encoded frame from a copy of `source` and of its data. A video frame has up to 16 MiB, an audio packet up to 61,440
 * bytes (else MSDK_E_INVALID). The data is parsed. MSDK_E_CORRUPT: the data is malformed; the error text states the fault. Values
 * in the data take precedence over the struct's:
 *   - VP8: width and height of key frames, and MSDK_ENCODED_KEY (RFC 6386, section 9.1).
 *   - Opus: channels and duration_ns (RFC 6716, section 3). In `source` a level of 0 means that the level is unknown.
 *
 * sequence is set when the frame is sent. MSDK_E_UNSUPPORTED: the codec is unknown. A codec is known if an engine of this process
 * has, or had, a class that decodes it. *out has one reference, the caller's. [any thread] */
MSDK_EXPORT msdk_result msdk_encoded_frame_create(const msdk_encoded_frame *source, msdk_encoded_frame **out);
/** Adds a reference, which the caller releases. MSDK_E_HANDLE: the frame has no reference left, or is not an encoded frame.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_encoded_frame_ref(const msdk_encoded_frame *frame);
/** Releases a reference. The call succeeds for NULL. MSDK_E_HANDLE: as above. [any thread] */
MSDK_EXPORT msdk_result msdk_encoded_frame_unref(const msdk_encoded_frame *frame);

/** As msdk_video_frame_set_metadata, of an encoded frame of msdk_encoded_frame_create. With audio it is not sent. [any thread] */
MSDK_EXPORT msdk_result msdk_encoded_frame_set_metadata(msdk_encoded_frame *frame, const msdk_frame_metadata *metadata);
/** As msdk_video_frame_get_metadata. It is no part of the frame's data. [any thread] */
MSDK_EXPORT msdk_result msdk_encoded_frame_get_metadata(const msdk_encoded_frame *frame, msdk_frame_metadata *out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_FRAME_H */
