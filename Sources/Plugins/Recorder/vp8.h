/* Pictures into VP8, by libvpx through libavcodec, in real time and on the caller's thread. A picture of another size starts anew with a
 * key frame; else there is one every three seconds, so that players can seek. */
#ifndef RECORDER_VP8_H
#define RECORDER_VP8_H

#include "av_error.h"

#include <libavcodec/avcodec.h>
#include <stdbool.h>

typedef struct rec_vp8 {
  plugin_report report;
  AVCodecContext *context; /* NULL: closed */
  AVFrame *frame;
  AVBufferPool *chroma; /* for NV12, whose chroma libavcodec wants in two planes */
  size_t chroma_bytes;
  int64_t first_ns, key_ns, last_us;
} rec_vp8;

enum { REC_VP8_SIZE_MAX = 16383 }; /* RFC 6386, section 9.1: 14 bits */

/* bitrate 0: by the size. *out is NULL when the encoder keeps the frame out. */
msdk_result rec_vp8_encode(rec_vp8 *encoder, const msdk_video_frame *frame, uint32_t bitrate, bool force_key, AVPacket **out);
void rec_vp8_close(rec_vp8 *encoder);

#endif
