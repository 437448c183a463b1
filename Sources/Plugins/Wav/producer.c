#include "../formats.h"
#include "../params.h"
#include "classes.h"
#include "source.h"

enum { BUFFERS_PER_SECOND = 100 };
#define SECOND_NS INT64_C(1000000000)

struct msdk_self {
  char *path; /* NULL: not set */
  bool loop, started, ended;
  int64_t start_ns; /* when the file is to begin; 0: not said */
  bool begun;       /* it has */
  uint32_t buffer_length;
  wav_source source;
};

static const msdk_param params[] = {
  PARAM_STRING("path", MSDK_PARAM_REQUIRED, "",
               "the file to play: RIFF/WAVE or RF64, 1 or 2 channels; recognised by its content, not by its name"),
  PARAM_BOOL("loop", 0, 0, "at the end, start again from the beginning, without a gap"),
  PARAM_START,
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, log) || !MSDK_CAN(host, msdk_host, audio_frame_acquire) ||
      !MSDK_CAN(host, msdk_host, audio_frame_unref)) {
    return MSDK_E_ABI;
  }
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->source = (wav_source){.report = {.host = host, .context = context}, .fd = -1};
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  wav_source_close(&self->source);
  free(self->path);
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->source.report;
  msdk_result result = param_check(report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "path") == 0) return param_keep_path(report, &self->path, name, value);
  if (strcmp(name, "loop") == 0) self->loop = value->u.b != 0;
  else self->start_ns = (int64_t)value->u.u64;
  return MSDK_OK;
}

static msdk_result init_capture(msdk_self *self) {
  if (self->path == NULL) return report_fail(&self->source.report, MSDK_E_INVALID, "the parameter 'path' is not set");
  msdk_result result = wav_source_open(&self->source, self->path);
  if (result < 0) return result;
  self->buffer_length = self->source.sample_rate / BUFFERS_PER_SECOND;
  self->ended = self->begun = false;
  return MSDK_OK;
}

static msdk_result release_capture(msdk_self *self) {
  wav_source_close(&self->source);
  return MSDK_OK;
}

/* Goes on where stop left off, so that a change of format is no step back; a file that was at its end begins anew. */
static msdk_result start_capture(msdk_self *self) {
  if (self->ended && !wav_source_rewind(&self->source)) {
    return report_fail(&self->source.report, MSDK_E_IO, "'%.300s' cannot be read again: %s", self->path, sf_strerror(self->source.file));
  }
  self->ended = false;
  self->started = true;
  return MSDK_OK;
}

static msdk_result stop_capture(msdk_self *self) {
  self->started = false;
  return MSDK_OK;
}

static msdk_audio_format format_of(const msdk_self *self) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  format.sample_format = self->source.sample_format;
  format.sample_rate = self->source.sample_rate;
  format.channels = self->source.channels;
  return format;
}

static msdk_result capture_settings(msdk_self *self, msdk_audio_format *out) {
  *out = format_of(self);
  out->frames_per_buffer = self->buffer_length;
  return MSDK_OK;
}

static const char *name_of(uint32_t sample_format) {
  return sample_format == MSDK_SAMPLE_S16 ? "s16" : sample_format == MSDK_SAMPLE_F32 ? "f32" : "unknown samples";
}

static msdk_result set_format(msdk_self *self, const msdk_audio_format *asked) {
  const wav_source *source = &self->source;
  if (asked == NULL) return report_fail(&source->report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  msdk_audio_format format = audio_format_known(asked);
  if (format.sample_format != source->sample_format || format.sample_rate != source->sample_rate || format.channels != source->channels ||
      format.planar != 0) {
    return report_fail(&source->report, MSDK_E_FORMAT, "%s, %u Hz, %u channels%s was requested; the file is %s, %u Hz, %u channels",
                       name_of(format.sample_format), format.sample_rate, format.channels, format.planar != 0 ? ", planar" : "",
                       name_of(source->sample_format), source->sample_rate, source->channels);
  }
  if (format.frames_per_buffer > WAV_SAMPLES_MAX) {
    return report_fail(&source->report, MSDK_E_FORMAT, "%u samples in a buffer; accepted: at most %d", format.frames_per_buffer,
                       WAV_SAMPLES_MAX);
  }
  self->buffer_length = format.frames_per_buffer != 0 ? format.frames_per_buffer : source->sample_rate / BUFFERS_PER_SECOND;
  return MSDK_OK;
}

/* Reads on from the beginning when looping. Less than `count` only at the end. */
static uint32_t fill(msdk_self *self, uint8_t *to, uint32_t count) {
  wav_source *source = &self->source;
  uint32_t width = wav_source_width(source), filled = 0;
  while (filled < count) {
    filled += wav_source_read(source, to + (size_t)filled * width, count - filled);
    if (filled == count || !self->loop || source->length == 0 || !wav_source_rewind(source)) break;
  }
  return filled;
}

/* The same with as many samples as there are. */
static msdk_result shorten(msdk_self *self, msdk_audio_frame **frame, uint32_t count) {
  const plugin_report *report = &self->source.report;
  msdk_audio_format format = format_of(self);
  msdk_audio_frame *shorter = NULL;
  msdk_result result = count > 0 ? report->host->audio_frame_acquire(report->context, &format, count, &shorter) : MSDK_E_CLOSED;
  if (result == MSDK_OK) memcpy(shorter->planes[0], (*frame)->planes[0], (size_t)count * wav_source_width(&self->source));
  report->host->audio_frame_unref(*frame);
  *frame = shorter;
  return result;
}

/* How much silence belongs before the first sample of a buffer of `count` that is due then, so that the file begins at its time. What was to
 * be heard before is skipped. MSDK_E_AGAIN: it begins after this buffer. */
static msdk_result begin(msdk_self *self, int64_t due_ns, uint32_t count, uint32_t *silence) {
  wav_source *source = &self->source;
  int64_t rate = source->sample_rate, early = self->start_ns - due_ns;
  *silence = 0;
  if (!self->begun && self->start_ns != 0 && early > -SECOND_NS) {
    if (early >= count * SECOND_NS / rate) return MSDK_E_AGAIN;
    if (early > 0) *silence = (uint32_t)(early * rate / SECOND_NS);
    else wav_source_skip(source, (uint64_t)(-early * rate / SECOND_NS));
  }
  self->begun = true;
  return MSDK_OK;
}

/* The host stamps the buffer with `due_ns`. */
static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_audio_frame **out) {
  wav_source *source = &self->source;
  const plugin_report *report = &source->report;
  if (!self->started) return report_fail(report, MSDK_E_STATE, "capture is not started");
  uint32_t silence;
  msdk_result result = begin(self, due_ns, self->buffer_length, &silence);
  if (result < 0) return result;
  uint64_t left = silence + source->length - source->at;
  if (self->ended || (left == 0 && !self->loop)) {
    self->ended = true;
    return MSDK_E_CLOSED;
  }
  msdk_audio_format format = format_of(self);
  uint32_t count = !self->loop && left < self->buffer_length ? (uint32_t)left : self->buffer_length;
  msdk_audio_frame *frame = NULL;
  result = report->host->audio_frame_acquire(report->context, &format, count, &frame);
  if (result < 0) return result;

  uint8_t *samples = frame->planes[0];
  size_t silent_bytes = (size_t)silence * wav_source_width(source);
  memset(samples, 0, silent_bytes);
  uint32_t filled = silence + fill(self, samples + silent_bytes, count - silence);
  self->ended = filled < count || (!self->loop && source->at >= source->length);
  if (filled < count) result = shorten(self, &frame, filled);
  if (result < 0) return result == MSDK_E_AGAIN ? MSDK_E_CLOSED : result;
  if (self->ended) frame->flags |= MSDK_FRAME_END;
  *out = frame;
  return MSDK_OK;
}

static const msdk_audio_producer producer = {
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

const msdk_class wav_producer_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_PRODUCER,
  .id = "org.mediasdk.producer.wav",
  .name = "WAVE file",
  .summary = "plays a WAVE file",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .audio_producer = &producer,
};
