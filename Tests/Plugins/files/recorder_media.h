/* What the tests give to the recorder: pictures and sound, raw or encoded, in which each second has a flash and a beep. */
#ifndef TESTS_RECORDER_MEDIA_H
#define TESTS_RECORDER_MEDIA_H

#include "host.h"
#include "recorded.h"

#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

#define SECOND INT64_C(1000000000)
#define EPOCH INT64_C(7000000123) /* recordings need not begin at 0 */
enum { WIDTH = 160, HEIGHT = 96, FPS = 25, BUFFER = 960 };

static const msdk_class *class;
static const msdk_video_renderer *video;
static const msdk_audio_renderer *audio;

static inline void load_recorder(int argc, char **argv) {
  class = host_load(argc, argv, "recorder.so", "org.mediasdk.renderer.recorder");
  video = class->video_renderer;
  audio = class->audio_renderer;
}

static inline void create(host_instance *instance, const char *path, const char *tracks) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_string(instance, "tracks", tracks), MSDK_OK);
}

static inline void paint(msdk_video_frame *frame, int64_t n) {
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    int value = i > 0 ? 128 : n % FPS == 0 && n > 0 ? 235 : 16 + (int)(n % 8);
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      memset(frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride, value, host_row_bytes(frame->format, i));
    }
  }
}

static inline msdk_result give_picture(host_instance *instance, const msdk_video_format *format, int64_t n, int64_t epoch) {
  msdk_video_frame *frame = host_frame(instance, format);
  paint(frame, n);
  frame->timestamp_ns = epoch + n * SECOND / FPS;
  msdk_result result = video->render_video_frame(instance->self, frame);
  host_unref(frame);
  return result;
}

static inline double beep_at(int64_t sample) {
  int64_t within = sample % RATE;
  return sample >= RATE && within < RATE / 25 ? 0.7 * cos((double)within * 2 * 3.14159265358979 * 1000 / RATE) : 0;
}

/* The sound of the time from `position` on. */
static inline msdk_result give_sound_at(host_instance *instance, uint32_t channels, int64_t position, uint32_t count,
                                        int64_t timestamp_ns) {
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_F32, RATE, channels);
  msdk_audio_frame *frame = host_audio_frame(instance, &format, count);
  for (uint32_t i = 0; i < count * channels; i++) host_set_sample(frame, i, beep_at(position + i / channels));
  frame->timestamp_ns = timestamp_ns;
  msdk_result result = audio->render_audio_frame(instance->self, frame);
  host_audio_unref(frame);
  return result;
}

/* Buffer n of 20 ms. */
static inline msdk_result give_sound(host_instance *instance, uint32_t channels, int64_t n, int64_t epoch) {
  return give_sound_at(instance, channels, n * BUFFER, BUFFER, epoch + n * SECOND / 50);
}

static inline msdk_encoded_frame packet_of(const uint8_t *data, uint32_t size, int64_t timestamp_ns) {
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.codec = MSDK_CODEC_OPUS;
  frame.data = data;
  frame.size = size;
  frame.timestamp_ns = timestamp_ns;
  frame.duration_ns = SECOND / 50;
  frame.sample_rate = RATE;
  frame.channels = 2;
  return frame;
}

/* -------------------------------------------------------------------------------------------------------- encoded pictures */

enum { CLIP = 5 * FPS };

typedef struct vp8_clip {
  struct {
    uint8_t *data;
    size_t size;
    int key;
  } frames[CLIP];
} vp8_clip;

static inline void encode_clip(vp8_clip *clip, uint32_t width, uint32_t height) {
  host_instance helper;
  host_create(&helper, class);
  msdk_video_format format = host_format(MSDK_PIXEL_I420, width, height);
  vpx_codec_enc_cfg_t settings;
  vpx_codec_ctx_t encoder;
  vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &settings, 0);
  settings.g_w = width;
  settings.g_h = height;
  settings.g_timebase = (vpx_rational_t){1, FPS};
  settings.g_lag_in_frames = 0;
  settings.rc_target_bitrate = 300;
  CHECK_EQ(vpx_codec_enc_init(&encoder, vpx_codec_vp8_cx(), &settings, 0), 0);
  for (int n = 0; n < CLIP; n++) {
    msdk_video_frame *frame = host_frame(&helper, &format);
    paint(frame, n);
    vpx_image_t image;
    vpx_img_wrap(&image, VPX_IMG_FMT_I420, width, height, 1, frame->plane[0].data);
    for (int i = 0; i < 3; i++) {
      image.planes[i] = frame->plane[i].data;
      image.stride[i] = frame->plane[i].stride;
    }
    CHECK_EQ(vpx_codec_encode(&encoder, &image, n, 1, n % 50 == 0 ? VPX_EFLAG_FORCE_KF : 0, VPX_DL_REALTIME), 0);
    vpx_codec_iter_t iterator = NULL;
    const vpx_codec_cx_pkt_t *packet = vpx_codec_get_cx_data(&encoder, &iterator);
    CHECK(packet != NULL);
    clip->frames[n].size = packet->data.frame.sz;
    clip->frames[n].data = malloc(packet->data.frame.sz);
    clip->frames[n].key = (packet->data.frame.flags & VPX_FRAME_IS_KEY) != 0;
    memcpy(clip->frames[n].data, packet->data.frame.buf, packet->data.frame.sz);
    host_unref(frame);
  }
  vpx_codec_destroy(&encoder);
  host_destroy(&helper);
}

static inline void free_clip(vp8_clip *clip) {
  for (int n = 0; n < CLIP; n++) free(clip->frames[n].data);
}

static inline msdk_result give_vp8(host_instance *instance, const vp8_clip *clip, int n, uint32_t width, uint32_t height,
                                   int64_t timestamp_ns) {
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.codec = MSDK_CODEC_VP8;
  frame.flags = clip->frames[n].key ? MSDK_ENCODED_KEY : 0;
  frame.width = width;
  frame.height = height;
  uint8_t *copy = malloc(clip->frames[n].size); /* given back at once: what was kept must have been copied */
  memcpy(copy, clip->frames[n].data, clip->frames[n].size);
  frame.data = copy;
  frame.size = clip->frames[n].size;
  frame.timestamp_ns = timestamp_ns;
  msdk_result result = video->render_encoded_frame(instance->self, &frame);
  free(copy);
  return result;
}

#endif
