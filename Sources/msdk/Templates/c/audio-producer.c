/* @NAME@.c - an audio producer: a tone of 441 Hz that swells and fades.
 *
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#include <mediasdk/plugin.h>

#include <stdlib.h>
#include <string.h>

struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  msdk_audio_format format;   /* the one agreed on */
  uint64_t position;          /* in samples */
};

#include "parts/instance.c"
static msdk_result nothing_to_do(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_audio_format *out) {
  (void)self;
  *out = MSDK_INIT(msdk_audio_format);
  out->sample_format = MSDK_SAMPLE_S16;
  out->sample_rate = 48000;
  out->channels = 1;
  return MSDK_OK;
}

/* The host converts what is refused here: it asks for capture_settings next. */
static msdk_result set_format(msdk_self *self, const msdk_audio_format *format) {
  if (format->sample_format != MSDK_SAMPLE_S16) return fail(self, MSDK_E_FORMAT, "accepted: s16");
  memcpy(&self->format, format, sizeof self->format); /* P6: a later host's struct is longer; the members we know come first */
  self->format.struct_size = sizeof self->format;
  return MSDK_OK;
}

/* A triangle: no libm is needed for it. */
static int16_t sample_at(uint64_t position, uint32_t rate) {
  int64_t phase = (int64_t)(position * 441 % rate * 4000 / rate); /* 0..3999 */
  int64_t wave = phase < 2000 ? phase - 1000 : 3000 - phase;      /* -1000..1000 */
  int64_t swell = (int64_t)(position % rate * 2000 / rate);
  return (int16_t)(wave * (swell < 1000 ? swell : 2000 - swell) / 125);
}

/* P7: 10 ms at a time, when the host asks for them, and never waiting for that time ourselves. */
static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_audio_frame **out) {
  msdk_audio_frame *frame = NULL;
  uint32_t count = self->format.sample_rate / 100;
  msdk_result result = self->host->audio_frame_acquire(self->context, &self->format, count, &frame);
  if (result < 0) return result; /* P4: MSDK_E_AGAIN when all are in use */
  for (uint32_t i = 0; i < count; i++) {
    int16_t sample = sample_at(self->position++, self->format.sample_rate);
    for (uint32_t channel = 0; channel < self->format.channels; channel++) {
      memcpy(frame->planes[0] + (i * self->format.channels + channel) * sizeof sample, &sample, sizeof sample);
    }
  }
  frame->timestamp_ns = due_ns;
  *out = frame; /* our reference is the host's now */
  return MSDK_OK;
}

static const msdk_audio_producer producer = {
  .struct_size = sizeof(msdk_audio_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = nothing_to_do,
  .release_capture = nothing_to_do,
  .start_capture = nothing_to_do,
  .stop_capture = nothing_to_do,
  .capture_settings = capture_settings,
  .set_format = set_format,
  .produce_frame = produce_frame,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_PRODUCER,
  .id = "@ID@",
  .name = "@NAME@",
  .summary = "a tone that swells and fades",
  .create = create,
  .destroy = destroy,
  .audio_producer = &producer,
};

#include "parts/module.c"
