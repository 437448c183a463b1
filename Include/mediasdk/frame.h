/* mediasdk/frame.h - frames of video and of sound, raw and encoded: memory, references, conversion
 *
 * A frame has one reference when it is made, the caller's; _ref adds one, _unref takes one away, and the last one gives the memory back
 * to its pool or calls the release function. A frame that was sent is read-only: make a new one for the next picture. Frames belong to
 * the process, not to an engine, and outlive everything.
 *
 * A frame is what it was made as: its memory, format, size, and of encoded ones the data, codec and whether it is a key frame. Who sends, converts,
 * composes or renders one whose struct says otherwise gets MSDK_E_INVALID with the member's name, before anything is touched.
 */
#ifndef MEDIASDK_FRAME_H
#define MEDIASDK_FRAME_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a picture lies in memory: offsets from its first byte, strides, and the sizes of the planes. */
typedef struct msdk_frame_layout {
  uint32_t struct_size;
  uint32_t plane_count;
  uint64_t offset[MSDK_PLANES_MAX];
  uint64_t plane_size[MSDK_PLANES_MAX]; /* stride * rows */
  uint32_t stride[MSDK_PLANES_MAX];
  uint32_t row_bytes[MSDK_PLANES_MAX]; /* of these, bytes that carry pixels */
  uint32_t rows[MSDK_PLANES_MAX];
  uint64_t size; /* of all planes together */
} msdk_frame_layout;

/* The layout of a pixel format and size with rows aligned to `alignment` bytes (a power of two up to 4096; 0 or 1: packed tight).
 * MSDK_E_RANGE, MSDK_E_UNSUPPORTED. [any thread] */
MSDK_EXPORT msdk_result msdk_frame_layout_get(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t alignment,
                                              msdk_frame_layout *out);

/* A writable frame of memory of its own, rows aligned to 64 bytes, contents unspecified. *out has one reference, the caller's. For
 * sending, use msdk_frame_sender_acquire, which has a pool. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_create(const msdk_video_format *format, msdk_video_frame **out);

/* A frame of memory that the caller owns: no copy. Every plane is checked: pointer, stride, size (MSDK_E_INVALID). On failure release is
 * not called. *out has one reference, the caller's. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_wrap(const msdk_external_frame *external, msdk_video_frame **out);

/* One more reference, the caller's to give back. MSDK_E_HANDLE for a frame that has none left. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_ref(const msdk_video_frame *frame);
/* NULL is fine. MSDK_E_HANDLE for a frame that has no reference left. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_unref(const msdk_video_frame *frame);
/* How many references there are now; 0 for no live frame. With 1, the caller's is the only one. [any thread] */
MSDK_EXPORT uint32_t msdk_video_frame_references(const msdk_video_frame *frame);

/* A new frame with one reference, of the pixel format, size and colour of `wanted`, in which 0 means "as in the frame" (fps and the
 * other members are not looked at). From YUV to YUV matrix and range are kept; from YUV to RGB the frame's are used; RGB becomes BT.601
 * limited-range YUV, or full range GRAY8. Colours other than these, asked for by wanted->color_matrix or color_full_range, are
 * MSDK_E_UNSUPPORTED. Scaling is bilinear, or by area when made smaller than half. Timestamp, sequence and orientation are copied.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_convert(const msdk_video_frame *frame, const msdk_video_format *wanted, msdk_video_frame **out);

/* The same into a writable frame that the caller has; its format says what is wanted. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_convert_into(const msdk_video_frame *frame, msdk_video_frame *destination);

/* ------------------------------------------------------------------------------------------------------------------- sound */

/* A writable buffer of `sample_count` samples per channel (1..192,000), silent. format: rate 8,000..192,000, 1 or 2 channels, interleaved;
 * frames_per_buffer is not looked at. *out has one reference, the caller's. MSDK_E_RANGE, MSDK_E_UNSUPPORTED. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_create(const msdk_audio_format *format, uint32_t sample_count, msdk_audio_frame **out);

/* One more reference, the caller's to give back. MSDK_E_HANDLE for a frame that has none left. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_ref(const msdk_audio_frame *frame);
/* NULL is fine. MSDK_E_HANDLE for a frame that has no reference left. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_unref(const msdk_audio_frame *frame);
/* How many references there are now; 0 for no live frame. [any thread] */
MSDK_EXPORT uint32_t msdk_audio_frame_references(const msdk_audio_frame *frame);

/* Which sample of the buffer was captured at a time, that of a video frame say: *sample is its index, rounded down, below 0 for a time
 * before the buffer and sample_count or more for one behind it. So the sound that belongs to a picture is in the buffer for which 0 <=
 * *sample < sample_count. [any thread] */
MSDK_EXPORT msdk_result msdk_audio_frame_position(const msdk_audio_frame *frame, int64_t timestamp_ns, int64_t *sample);

/* ----------------------------------------------------------------------------------------------------------------- encoded */

/* An encoded frame made of a copy of `source` (data, size, codec, flags, timestamp_ns, width, height …). The data is parsed, and
 * MSDK_E_CORRUPT says what is wrong with it. Of VP8, width, height and MSDK_ENCODED_KEY are taken from it (RFC 6386, section 9.1), of Opus
 * channels and duration_ns (RFC 6716, section 3); a level of 0 there stands for "not known". Pictures: at most 16 MiB; sound: at most 61,440
 * bytes. Another codec is known when an engine of this process has, or had, a class that decodes it; else MSDK_E_UNSUPPORTED. [any thread] */
MSDK_EXPORT msdk_result msdk_encoded_frame_create(const msdk_encoded_frame *source, msdk_encoded_frame **out);
MSDK_EXPORT msdk_result msdk_encoded_frame_ref(const msdk_encoded_frame *frame);
MSDK_EXPORT msdk_result msdk_encoded_frame_unref(const msdk_encoded_frame *frame); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_FRAME_H */
