/* The check of encoders. */
#include <string.h>

#include "codec.h"

static const char VIDEO[] = "msdk_video_encoder", SOUND[] = "msdk_audio_encoder";

typedef struct rate {
  uint64_t bitrate;
  uint32_t fps_num, fps_den;
} rate;

static void do_video_rate(rig_call *call) {
  const rate *wanted = call->in;
  call->code = call->rig->class->video_encoder->set_rate(call->rig->self, wanted->bitrate, wanted->fps_num, wanted->fps_den);
}
static void do_audio_rate(rig_call *call) {
  call->code = call->rig->class->audio_encoder->set_rate(call->rig->self, call->index, 10);
}

/* A frame, which a key frame must be and anything else may be. */
static void one_frame(rig *rig, int is_key, const char *when) {
  msdk_encoded_frame *frame = NULL;
  msdk_result code = video_encode(rig, is_key ? MSDK_ENCODE_KEY : 0, &frame);
  if (code == MSDK_E_AGAIN && is_key) fail("MSDK_ENCODE_KEY", "%s the requested key frame was dropped", when);
  if (code < 0 && code != MSDK_E_AGAIN) fail(VIDEO, "%s encode returned %s", when, rig_words(rig, code));
  if (frame == NULL) return;
  if (is_key && (frame->flags & MSDK_ENCODED_KEY) == 0) {
    fail("MSDK_ENCODE_KEY", "%s a key frame was requested, and the frame's flags do not say that it is one", when);
  }
  const uint32_t known = MSDK_ENCODED_KEY | MSDK_ENCODED_DROPPABLE | MSDK_ENCODED_COARSE;
  if ((frame->flags & ~known) != 0) fail(VIDEO, "the flags of an encoded frame are %u; accepted: a mask within %u", frame->flags, known);
  encoded_unref(frame);
}

static void frames(rig *rig, uint32_t count, const char *when) {
  for (uint32_t i = 0; i < count && !has_failed(); i++) one_frame(rig, 0, when);
}

static void change_rate(rig *rig, uint64_t bitrate, uint32_t fps) {
  rate wanted = {bitrate, fps, 1};
  rig_call call = {.in = &wanted};
  if (rig->class->video_encoder->set_rate == NULL || has_failed()) return;
  if (codec_call(rig, &call, "set_rate", do_video_rate) < 0) {
    fail("set_rate", "set_rate of %llu bits/s at %u frames/s returned %s", (unsigned long long)bitrate, fps, rig_words(rig, call.code));
  }
}

static void do_bytes_max(rig_call *call) {
  call->code = call->rig->class->video_encoder->set_bytes_max(call->rig->self, call->index);
}

/* A bound makes frames no longer, and none disappear: what is longer all the same is made too. */
static void bound(rig *rig) {
  const msdk_video_encoder *table = rig->class->video_encoder;
  if (!MSDK_HAS(table, msdk_video_encoder, set_bytes_max) || table->set_bytes_max == NULL) return;
  static const uint32_t bytes[] = {100000, 1, 0};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes && !has_failed(); i++) {
    rig_call call = {.index = bytes[i]};
    if (codec_call(rig, &call, "set_bytes_max", do_bytes_max) < 0) {
      fail("set_bytes_max", "set_bytes_max of %u returned %s", bytes[i], rig_words(rig, call.code));
      return;
    }
    one_frame(rig, 1, "after set_bytes_max");
    frames(rig, 2, "after set_bytes_max");
  }
}

static void live(rig *rig) {
  one_frame(rig, 1, "at the beginning");
  frames(rig, 5, "in the stream");
  if (!has_failed()) one_frame(rig, 1, "in the stream");
  frames(rig, 2, "after a key frame");
  change_rate(rig, 300000, 15);
  frames(rig, 3, "after set_rate");
  change_rate(rig, 4000000, 60);
  if (!has_failed()) one_frame(rig, 1, "after set_rate");
  frames(rig, 2, "after set_rate");
}

/* Of that size the first must be taken; what is beyond may be refused, in words. */
static void at(const msdk_class *class, uint32_t pixels, uint32_t width, uint32_t height, uint32_t kind, uint32_t threads, int is_needed) {
  rig rig;
  if (has_failed() || !codec_begin(&rig, class, CODEC_WATCH)) return;
  msdk_result code = video_open(&rig, pixels, width, height, kind, threads);
  if (code < 0 && is_needed)
    fail(VIDEO, "open_encoder of %ux%u, %.4s returned %s", width, height, (const char *)&pixels, rig_words(&rig, code));
  if (code < 0 && !codec_has_words(&rig, code)) {
    fail("set_error", "open_encoder refused %ux%u with %s, and set_error was not called", width, height, result_name(code));
  }
  if (code >= 0) live(&rig);
  if (code >= 0 && kind == MSDK_VIDEO_SCREEN_SHARE) bound(&rig);
  if (code >= 0 && is_needed && !has_failed()) { /* another life of the same instance */
    rig_call call = {0};
    codec_call(&rig, &call, "close_encoder", video_close);
    code = video_open(&rig, pixels, width, height, kind, threads);
    if (code < 0) fail(VIDEO, "a second open_encoder returned %s", rig_words(&rig, code));
    if (code >= 0) one_frame(&rig, 1, "after it was opened again");
  }
  codec_end(&rig, video_close);
}

static void encode_video(const msdk_class *class) {
  static const uint32_t sizes[][2] = {{64, 48}, {1, 1}, {17, 13}, {2, 33}, {127, 95}, {321, 181}};
  const msdk_video_encoder *table = class->video_encoder;
  for (uint32_t i = 0; i < 16 && i < table->pixel_format_count && !has_failed(); i++) {
    if (plane_count(table->pixel_formats[i]) == 0) {
      fail("pixel_formats", "pixel_formats[%u] is not an MSDK_PIXEL_*", i);
      return;
    }
    for (uint32_t j = 0; j < sizeof sizes / sizeof *sizes && !has_failed(); j++) {
      uint32_t most = table->dimension_max == 0 ? MSDK_DIMENSION_MAX : table->dimension_max;
      if (sizes[j][0] > most || sizes[j][1] > most) continue;
      at(class, table->pixel_formats[i], sizes[j][0], sizes[j][1], MSDK_VIDEO_VIRTUAL, 1, j == 0);
    }
  }
  at(class, table->pixel_formats[0], 64, 48, MSDK_VIDEO_SCREEN_SHARE, 4, 1);
}

/* ------------------------------------------------------------------------------------------------------------------ sound */

static void packet(rig *rig, uint32_t count, int is_silent) {
  msdk_encoded_frame *made = NULL;
  msdk_result code = audio_encode(rig, count, is_silent, &made);
  if (code < 0 && code != MSDK_E_AGAIN) fail(SOUND, "encode of %u samples returned %s", count, rig_words(rig, code));
  if (code == MSDK_E_AGAIN && !is_silent) fail(SOUND, "encode dropped a packet of an audible tone");
  if (made != NULL && made->size > PACKET_MAX) fail(SOUND, "a packet has %llu bytes; accepted: up to 61440", (unsigned long long)made->size);
  if (made != NULL) encoded_unref(made);
}

static void encode_audio(const msdk_class *class) {
  const msdk_audio_encoder *table = class->audio_encoder;
  static const uint32_t milliseconds[] = {10, 20, 40, 60};
  if (table->sample_rates == NULL || table->sample_rate_count == 0) fail(SOUND, "it has no sample_rates");
  for (uint32_t i = 0; i < table->sample_rate_count && i < 16 && !has_failed(); i++) {
    uint32_t rate = table->sample_rates[i];
    if (rate == 0 || rate % 400 != 0) fail("sample_rates", "sample_rates[%u] is %u; accepted: a multiple of 400", i, rate);
    for (uint32_t channels = 1; channels <= 2 && !has_failed(); channels++) {
      rig rig;
      if (!codec_begin(&rig, class, CODEC_WATCH)) return;
      msdk_result code = audio_open(&rig, rate, channels);
      if (code < 0) fail(SOUND, "open_encoder of %u Hz, %u channels returned %s", rate, channels, rig_words(&rig, code));
      if (code >= 0 && table->lookahead != NULL) table->lookahead(rig.self);
      for (uint32_t j = 0; code >= 0 && j < 4 && !has_failed(); j++) {
        for (int k = 0; k < 3 && !has_failed(); k++) packet(&rig, rate / 1000 * milliseconds[j] + rate % 1000 * milliseconds[j] / 1000, k == 2);
        rig_call call = {.index = 24000 + 16000 * j};
        if (table->set_rate != NULL && !has_failed() && codec_call(&rig, &call, "set_rate", do_audio_rate) < 0) {
          fail("set_rate", "set_rate of %u bits/s returned %s", call.index, rig_words(&rig, call.code));
        }
      }
      codec_end(&rig, audio_close);
    }
  }
}

void check_encode(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  if ((class->kinds & MSDK_KIND_VIDEO_ENCODER) != 0) encode_video(class);
  if ((class->kinds & MSDK_KIND_AUDIO_ENCODER) != 0 && !has_failed()) encode_audio(class);
  if ((class->kinds & (MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_AUDIO_ENCODER)) == 0) skip("it is not an encoder");
}
