#include "../params.h"
#include "classes.h"
#include "output.h"

enum { GAP_MIN_MS = 20, GAP_MAX_MS = 10 * 60 * 1000 };

struct msdk_self {
  plugin_report report;
  char *path; /* NULL: not set */
  bool shared;
  uint32_t bits;
  wav_output output;
  bool anchored;
  int64_t origin_ns; /* the timestamp of the file's first sample */
  uint8_t *buffer;   /* samples as the file has them */
  uint64_t buffer_bytes;
};

static const char *const formats[] = {"s16", "s24", "f32"};
static const uint32_t bits_of[] = {16, 24, 32};

static const msdk_param params[] = {
  PARAM_STRING("path", MSDK_PARAM_REQUIRED, "", "the file to write; an existing file is replaced by the first buffer"),
  PARAM_CHOICE("format", 0, "s16", formats, "of the samples: integers of 16 or 24 bits, or float; a change applies to the next file"),
  PARAM_SHARED_FILE,
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, log)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->bits = 16;
  self->output = (wav_output){.report = self->report, .fd = -1};
  *out = self;
  return MSDK_OK;
}

static msdk_result release_render(msdk_self *self) {
  free(self->buffer);
  self->buffer = NULL;
  self->buffer_bytes = 0;
  return wav_output_close(&self->output);
}

static void destroy(msdk_self *self) {
  release_render(self);
  free(self->path);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "path") == 0) return param_keep_path(&self->report, &self->path, name, value);
  if (strcmp(name, "format") == 0) self->bits = bits_of[param_choice_index(formats, value->u.str)];
  else self->shared = value->u.b != 0;
  return MSDK_OK;
}

static msdk_result init_render(msdk_self *self) {
  if (self->path == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the parameter 'path' is not set");
  self->anchored = false;
  return wav_output_open(&self->output, self->path, self->shared);
}

static msdk_result render_settings(msdk_self *self, msdk_audio_format *out) {
  out->sample_format = self->bits == 16 ? MSDK_SAMPLE_S16 : MSDK_SAMPLE_F32;
  if (self->output.fd >= 0 && self->output.bits != 0) { /* the file has begun: the host converts to its format */
    out->sample_rate = self->output.sample_rate;
    out->channels = self->output.channels;
  }
  return MSDK_OK;
}

static int32_t whole(double value, double scale) {
  double scaled = value * scale;
  if (!(scaled < scale - 1)) return scaled != scaled ? 0 : (int32_t)(scale - 1);
  return scaled < -scale ? (int32_t)-scale : (int32_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
}

/* One sample, in the file's byte order, whatever it comes as. */
static uint8_t *put_sample(uint8_t *to, const uint8_t *from, bool s16, uint32_t bits) {
  int16_t number;
  float value;
  uint32_t raw;
  if (s16) {
    memcpy(&number, from, sizeof number);
    value = (float)number / 32768;
  } else {
    memcpy(&value, from, sizeof value);
  }
  if (bits == 32) memcpy(&raw, &value, sizeof raw);
  else raw = (uint32_t)whole(value, bits == 16 ? 32768 : 8388608);
  for (uint32_t i = 0; i < bits; i += 8) *to++ = (uint8_t)(raw >> i);
  return to;
}

static msdk_result write_samples(msdk_self *self, const msdk_audio_frame *frame) {
  uint64_t count = (uint64_t)frame->sample_count * frame->format->channels, bytes = count * self->output.bits / 8;
  if (bytes > self->buffer_bytes) {
    free(self->buffer);
    self->buffer = malloc((size_t)bytes);
    self->buffer_bytes = self->buffer != NULL ? bytes : 0;
    if (self->buffer == NULL) {
      return report_fail(&self->report, MSDK_E_NOMEM, "no memory for a buffer of %llu bytes", (unsigned long long)bytes);
    }
  }
  bool s16 = frame->format->sample_format == MSDK_SAMPLE_S16;
  uint8_t *to = self->buffer;
  for (uint64_t i = 0; i < count; i++) to = put_sample(to, frame->planes[0] + i * (s16 ? 2 : 4), s16, self->output.bits);
  return wav_output_append(&self->output, self->buffer, frame->sample_count);
}

static msdk_result check_frame(msdk_self *self, const msdk_audio_frame *frame) {
  const wav_output *output = &self->output;
  if (output->fd < 0) return report_fail(&self->report, MSDK_E_STATE, "no file is open");
  if (frame == NULL || frame->format == NULL || frame->planes == NULL) {
    return report_fail(&self->report, MSDK_E_INVALID, "the buffer has no format or no samples");
  }
  const msdk_audio_format *format = frame->format;
  bool known = format->sample_format == MSDK_SAMPLE_S16 || format->sample_format == MSDK_SAMPLE_F32;
  if (!known || format->planar != 0 || format->channels < 1 || format->channels > 2 || format->sample_rate == 0) {
    return report_fail(&self->report, MSDK_E_FORMAT,
                       "the buffer has sample format %u, %u Hz, %u channels, planar %u; accepted: s16 (1) or f32 (2), 1 or 2 channels, "
                       "interleaved",
                       format->sample_format, format->sample_rate, format->channels, format->planar);
  }
  if (output->bits != 0 && (format->sample_rate != output->sample_rate || format->channels != output->channels)) {
    return report_fail(&self->report, MSDK_E_FORMAT, "%u Hz with %u channels cannot go into a file of %u Hz with %u channels",
                       format->sample_rate, format->channels, output->sample_rate, output->channels);
  }
  return MSDK_OK;
}

static int64_t duration_of(uint64_t samples, uint32_t rate) {
  return (int64_t)(samples / rate * 1000000000 + samples % rate * 1000000000 / rate);
}

/* Silence for the time that nothing came, so that the file's time is the call's time. */
static msdk_result bridge(msdk_self *self, int64_t timestamp_ns) {
  if (timestamp_ns == 0) return MSDK_OK;
  wav_output *output = &self->output;
  int64_t written_ns = duration_of(output->written, output->sample_rate);
  int64_t gap_ns = self->anchored ? (int64_t)((uint64_t)timestamp_ns - (uint64_t)self->origin_ns - (uint64_t)written_ns) : 0;
  if (!self->anchored || gap_ns > (int64_t)GAP_MAX_MS * 1000000) {
    if (self->anchored) {
      report_log(&self->report, MSDK_LOG_WARN,
                 "a gap of %lld s at %lld s is not filled in '%.300s'; gaps of up to %d s are filled with silence",
                 (long long)(gap_ns / 1000000000), (long long)(written_ns / 1000000000), output->path, GAP_MAX_MS / 1000);
    }
    self->anchored = true;
    self->origin_ns = (int64_t)((uint64_t)timestamp_ns - (uint64_t)written_ns);
    return MSDK_OK;
  }
  if (gap_ns <= (int64_t)GAP_MIN_MS * 1000000) return MSDK_OK;
  uint64_t milliseconds = (uint64_t)gap_ns / 1000000, rest_ns = (uint64_t)gap_ns % 1000000, rate = output->sample_rate;
  return wav_output_append_silence(output, (milliseconds * rate * 1000 + rest_ns * rate / 1000) / 1000000);
}

static msdk_result render_audio_frame(msdk_self *self, const msdk_audio_frame *frame) {
  msdk_result result = check_frame(self, frame);
  wav_output *output = &self->output;
  if (result == MSDK_OK && output->bits == 0) {
    result = wav_output_begin(output, frame->format->sample_rate, frame->format->channels, self->bits);
  }
  if (result == MSDK_OK) result = bridge(self, frame->timestamp_ns);
  return result == MSDK_OK ? write_samples(self, frame) : result;
}

static const msdk_audio_renderer renderer = {
  .struct_size = sizeof(msdk_audio_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .render_settings = render_settings,
  .render_audio_frame = render_audio_frame,
};

const msdk_class wav_renderer_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_RENDERER,
  .id = "org.mediasdk.renderer.wav",
  .name = "WAVE file",
  .summary = "writes a WAVE file, or RF64 if it grows beyond 4 GiB",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .audio_renderer = &renderer,
};
