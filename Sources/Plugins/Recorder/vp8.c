#include "vp8.h"

#include <libavutil/buffer.h>
#include <libavutil/opt.h>

#define KEY_EVERY_NS INT64_C(3000000000)
enum { QUIET = 24 /* libavcodec's log levels: what is no error is not printed */, FPS_UNKNOWN = 30, BITRATE_MIN = 100000 };

void rec_vp8_close(rec_vp8 *encoder) {
  avcodec_free_context(&encoder->context);
  av_frame_free(&encoder->frame);
  av_buffer_pool_uninit(&encoder->chroma);
}

static int64_t frame_us(const msdk_video_format *format) {
  bool known = format->fps_num > 0 && format->fps_den > 0;
  int64_t us = known ? INT64_C(1000000) * format->fps_den / format->fps_num : 1000000 / FPS_UNKNOWN;
  return us < 1000 ? 1000 : us > 1000000 ? 1000000 : us;
}

/* A tenth of a bit for each pixel: good for calls and for screens, and little for a disk. */
static int64_t bitrate_of(const msdk_video_format *format, uint32_t wanted) {
  if (wanted != 0) return wanted;
  int64_t bits = (int64_t)format->width * format->height * 1000000 / frame_us(format) / 10;
  return bits < BITRATE_MIN ? BITRATE_MIN : bits;
}

static msdk_result open_encoder(rec_vp8 *encoder, const msdk_video_format *format, uint32_t bitrate, int64_t first_ns) {
  const AVCodec *codec = avcodec_find_encoder_by_name("libvpx");
  if (codec == NULL) return report_fail(&encoder->report, MSDK_E_UNSUPPORTED, "this FFmpeg has no libvpx, so video cannot be encoded");
  AVCodecContext *context = encoder->context = avcodec_alloc_context3(codec);
  encoder->frame = av_frame_alloc();
  encoder->chroma_bytes = (size_t)((format->width + 1) / 2) * ((format->height + 1) / 2);
  encoder->chroma = av_buffer_pool_init(2 * encoder->chroma_bytes, NULL);
  if (context == NULL || encoder->frame == NULL || encoder->chroma == NULL) {
    rec_vp8_close(encoder);
    return report_fail(&encoder->report, MSDK_E_NOMEM, "no memory for the VP8 encoder");
  }
  context->width = (int)format->width;
  context->height = (int)format->height;
  context->pix_fmt = AV_PIX_FMT_YUV420P;
  context->time_base = (AVRational){1, 1000000};
#if LIBAVCODEC_VERSION_MAJOR < 60
  context->ticks_per_frame = (int)frame_us(format); /* how long libvpx takes a picture to last; since FFmpeg 6 the frame says it */
#endif
  context->bit_rate = bitrate_of(format, bitrate);
  context->gop_size = 1000000; /* key frames are asked for */
  context->thread_count = 1;
  context->log_level_offset = QUIET;
  context->color_range = format->color_full_range == 1 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  if (format->color_matrix != 0) context->colorspace = (enum AVColorSpace)format->color_matrix;
  AVDictionary *options = NULL;
  av_dict_set(&options, "deadline", "realtime", 0);
  av_dict_set(&options, "cpu-used", "8", 0);
  av_dict_set(&options, "lag-in-frames", "0", 0);
  int error = avcodec_open2(context, codec, &options);
  av_dict_free(&options);
  if (error < 0) {
    rec_vp8_close(encoder);
    return rec_fail_av(&encoder->report, error, "opening the VP8 encoder");
  }
  encoder->first_ns = encoder->key_ns = first_ns;
  encoder->last_us = -1;
  return MSDK_OK;
}

typedef struct rec_lent {
  const msdk_host *host;
  const msdk_video_frame *frame;
} rec_lent;

static void give_back(void *opaque, uint8_t *data) {
  rec_lent *lent = opaque;
  (void)data;
  lent->host->video_frame_unref(lent->frame);
  av_free(lent);
}

/* The picture's own memory, held by a reference until libavcodec is done with it. */
static AVBufferRef *lend(const rec_vp8 *encoder, const msdk_video_frame *frame) {
  rec_lent *lent = av_malloc(sizeof *lent);
  if (lent == NULL) return NULL;
  *lent = (rec_lent){encoder->report.host, frame};
  AVBufferRef *buffer = av_buffer_create(frame->plane[0].data, (size_t)frame->plane[0].size, give_back, lent, AV_BUFFER_FLAG_READONLY);
  if (buffer == NULL) av_free(lent);
  else lent->host->video_frame_ref(frame);
  return buffer;
}

static void split_chroma(const rec_vp8 *encoder, const msdk_plane *pairs, uint8_t *to, uint32_t width, uint32_t height) {
  for (uint32_t row = 0; row < height; row++) {
    const uint8_t *restrict from = pairs->data + (ptrdiff_t)row * pairs->stride;
    uint8_t *restrict u = to + (size_t)row * width, *restrict v = u + encoder->chroma_bytes;
    for (uint32_t i = 0; i < width; i++) {
      u[i] = from[2 * (size_t)i];
      v[i] = from[2 * (size_t)i + 1];
    }
  }
}

static bool fill(const rec_vp8 *encoder, AVFrame *into, const msdk_video_frame *frame) {
  const msdk_video_format *format = frame->format;
  into->format = AV_PIX_FMT_YUV420P;
  into->width = (int)format->width;
  into->height = (int)format->height;
  into->buf[0] = lend(encoder, frame);
  if (into->buf[0] == NULL) return false;
  for (uint32_t i = 0; i < 3 && i < frame->plane_count; i++) {
    into->data[i] = frame->plane[i].data;
    into->linesize[i] = frame->plane[i].stride;
  }
  if (format->pixel_format != MSDK_PIXEL_NV12) return true;
  into->buf[1] = av_buffer_pool_get(encoder->chroma);
  if (into->buf[1] == NULL) return false;
  uint32_t width = (format->width + 1) / 2;
  into->data[1] = into->buf[1]->data;
  into->data[2] = into->data[1] + encoder->chroma_bytes;
  into->linesize[1] = into->linesize[2] = (int)width;
  split_chroma(encoder, &frame->plane[1], into->data[1], width, (format->height + 1) / 2);
  return true;
}

msdk_result rec_vp8_encode(rec_vp8 *encoder, const msdk_video_frame *frame, uint32_t bitrate, bool force_key, AVPacket **out) {
  const msdk_video_format *format = frame->format;
  *out = NULL;
  AVCodecContext *context = encoder->context;
  if (context != NULL && (context->width != (int)format->width || context->height != (int)format->height)) rec_vp8_close(encoder);
  if (encoder->context == NULL) {
    msdk_result result = open_encoder(encoder, format, bitrate, frame->timestamp_ns);
    if (result < 0) return result;
    context = encoder->context;
  }
  int64_t at_us = (frame->timestamp_ns - encoder->first_ns) / 1000;
  bool key = force_key || encoder->last_us < 0 || frame->timestamp_ns - encoder->key_ns >= KEY_EVERY_NS;
  if (at_us <= encoder->last_us) at_us = encoder->last_us + 1;
  encoder->last_us = at_us;
  if (key) encoder->key_ns = frame->timestamp_ns;

  AVFrame *picture = encoder->frame;
  AVPacket *packet = av_packet_alloc();
  int error = packet != NULL && fill(encoder, picture, frame) ? 0 : AVERROR(ENOMEM);
  picture->pts = at_us;
#if LIBAVCODEC_VERSION_MAJOR >= 60
  picture->duration = frame_us(format);
#endif
  picture->pict_type = key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  if (error >= 0) error = avcodec_send_frame(context, picture);
  av_frame_unref(picture);
  if (error >= 0) error = avcodec_receive_packet(context, packet);
  if (error < 0) av_packet_free(&packet);
  if (error < 0 && error != AVERROR(EAGAIN)) return rec_fail_av(&encoder->report, error, "encoding a frame as VP8");
  *out = packet;
  return MSDK_OK;
}
