#include "self.h"
#include "../formats.h"

enum { BUFFERS_PER_SECOND = 100 };

static msdk_result init_capture(msdk_self *self) {
  self->format = MSDK_INIT(msdk_audio_format);
  self->format.sample_format = MSDK_SAMPLE_S16;
  self->format.sample_rate = 48000;
  self->format.channels = 1;
  self->phase = 0;
  self->level = -1;
  self->made = 0;
  self->ended = false;
  return MSDK_OK;
}

static msdk_result release_capture(msdk_self *self) {
  self->started = false;
  return MSDK_OK;
}

/* Goes on where stop left off, so that a change of format is no step back; a tone that had ended begins anew. */
static msdk_result start_capture(msdk_self *self) {
  if (self->ended) {
    self->phase = 0;
    self->level = -1;
    self->made = 0;
    self->ended = false;
  }
  self->started = true;
  return MSDK_OK;
}

static msdk_result stop_capture(msdk_self *self) {
  self->started = false;
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_audio_format *out) {
  *out = self->format;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_audio_format *asked) {
  msdk_audio_format format;
  msdk_result result = audio_format_check(&self->report, asked, &format);
  if (result < 0) return result;
  format.expected_delay_ns = 0;
  uint32_t before = self->format.sample_rate; /* 0: made is 0 too */
  if (before != 0) self->made = self->made / before * format.sample_rate + self->made % before * format.sample_rate / before;
  self->format = format;
  return MSDK_OK;
}

/* The last sample is scaled by `to`, so that the next buffer goes on from there. */
static void fill(msdk_self *self, msdk_audio_frame *frame, double from, double to) {
  uint32_t count = frame->sample_count, channels = self->format.channels;
  int16_t *s16 = (int16_t *)(void *)frame->planes[0];
  float *f32 = (float *)(void *)frame->planes[0];
  double step = self->pitch / self->format.sample_rate;
  for (uint32_t i = 0; i < count; i++) {
    double gain = from == to ? to : from + (to - from) * (i + 1) / count;
    double sample = gain == 0 ? 0 : gain * tone_sine(self->phase);
    double scaled = sample * 32768 + (sample < 0 ? -0.5 : 0.5);
    for (uint32_t channel = 0; channel < channels; channel++) {
      if (self->format.sample_format == MSDK_SAMPLE_S16) *s16++ = (int16_t)(scaled >= 32767 ? 32767 : scaled);
      else *f32++ = (float)sample;
    }
    self->phase += step;
    if (self->phase >= 1) self->phase -= 1; /* a step is less than half a turn */
  }
}

static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_audio_frame **out) {
  if (!self->started) return report_fail(&self->report, MSDK_E_STATE, "capture is not started");
  if (self->ended) return MSDK_E_CLOSED;
  uint32_t rate = self->format.sample_rate;
  uint32_t count = self->format.frames_per_buffer != 0 ? self->format.frames_per_buffer : rate / BUFFERS_PER_SECOND;
  uint64_t all = (uint64_t)self->duration_ms * rate / 1000;
  uint64_t left = self->duration_ms == 0 ? UINT64_MAX : all > self->made ? all - self->made : 0;
  if (left == 0) {
    self->ended = true;
    return MSDK_E_CLOSED;
  }
  if (count > left) count = (uint32_t)left;
  msdk_audio_frame *frame = NULL;
  msdk_result result = self->report.host->audio_frame_acquire(self->report.context, &self->format, count, &frame);
  if (result < 0) return result;

  /* What cannot be heard at this rate fades out with the frequency that could. */
  double frequency = self->frequency, amplitude = self->amplitude;
  if (2 * frequency < rate) self->pitch = frequency;
  else amplitude = 0;
  if (2 * self->pitch >= rate) self->pitch = self->level = 0;
  fill(self, frame, self->level < 0 ? amplitude : self->level, amplitude);
  self->level = amplitude;
  self->made += count;
  frame->timestamp_ns = due_ns;
  if (count == left) {
    frame->flags |= MSDK_FRAME_END;
    self->ended = true;
  }
  *out = frame;
  return MSDK_OK;
}

const msdk_audio_producer tone_producer = {
  .struct_size = sizeof(msdk_audio_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = init_capture,
  .release_capture = release_capture,
  .start_capture = start_capture,
  .stop_capture = stop_capture,
  .capture_settings = capture_settings,
  .set_format = set_format,
  .produce_frame = produce_frame,
};
