/* Makes sound louder or softer: a filter, whose gain may change while sound passes. */
#include <mediasdk/plugin.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DB_LEAST -96.0 /* silence */
#define DB_MOST 24.0

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  _Atomic float wanted; /* LIVE: a factor */
  float current;        /* at the end of the last buffer; below 0 before the first */
};

__attribute__((format(printf, 3, 4)))
static msdk_result fail(const msdk_self *self, msdk_result result, const char *text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  self->host->set_error(self->context, result, line);
  return result;
}

static msdk_result init_filter(msdk_self *self) {
  self->current = -1;
  return MSDK_OK;
}

static msdk_result release_filter(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_audio_format *in) {
  if (in == NULL) return fail(self, MSDK_E_INVALID, "set_format needs a format, not NULL");
  if (in->sample_format == MSDK_SAMPLE_F32 || in->sample_format == MSDK_SAMPLE_S16) return MSDK_OK;
  return fail(self, MSDK_E_FORMAT, "sample format %u is not supported; accepted: S16, F32", in->sample_format);
}

static int16_t clipped(float value) {
  return (int16_t)(value >= 32767 ? 32767 : value <= -32768 ? -32768 : lrintf(value));
}

/* A change spreads over one buffer, so that it does not click. */
static void scale(msdk_audio_frame *frame, float from, float to) {
  uint32_t channels = frame->format->channels;
  float step = (to - from) / (float)frame->sample_count;
  for (uint32_t i = 0; i < frame->sample_count; i++) {
    float gain = from + step * (float)(i + 1);
    for (uint32_t channel = 0; channel < channels; channel++) {
      uint32_t at = i * channels + channel;
      if (frame->format->sample_format == MSDK_SAMPLE_F32) {
        float *samples = (float *)(void *)frame->planes[0];
        float value = samples[at] * gain;
        samples[at] = isfinite(value) ? value : samples[at];
      } else {
        int16_t *samples = (int16_t *)(void *)frame->planes[0];
        samples[at] = clipped((float)samples[at] * gain);
      }
    }
  }
}

static msdk_result filter_audio_frame(msdk_self *self, msdk_audio_frame *in, msdk_audio_frame **out) {
  float to = self->wanted, from = self->current < 0 ? to : self->current;
  self->current = to;
  if (from == 1 && to == 1) {
    *out = in;
    return MSDK_OK;
  }
  msdk_audio_frame *frame = NULL;
  msdk_result result = self->host->audio_frame_make_writable(self->context, in, &frame);
  if (result < 0) {
    self->host->audio_frame_unref(in);
    return result;
  }
  scale(frame, from, to);
  *out = frame;
  return MSDK_OK;
}

static const msdk_audio_filter filter = {
  .struct_size = sizeof(msdk_audio_filter),
  .init_filter = init_filter,
  .release_filter = release_filter,
  .set_format = set_format,
  .filter_audio_frame = filter_audio_frame,
};

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .flags = MSDK_PARAM_LIVE,
   .name = "gain_db",
   .summary = "in dB, -96 is silence; a change takes effect over one buffer, and s16 is clipped at full scale",
   .def = MSDK_F64(0),
   .min = MSDK_F64(DB_LEAST),
   .max = MSDK_F64(DB_MOST)},
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, audio_frame_make_writable) ||
      !MSDK_CAN(host, msdk_host, audio_frame_unref)) {
    return MSDK_E_ABI;
  }
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->wanted = 1;
  self->current = -1;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (name == NULL || value == NULL) return fail(self, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "gain_db") != 0) return fail(self, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there is gain_db", name);
  if (value->type != MSDK_T_F64) return fail(self, MSDK_E_TYPE, "gain_db takes a number (f64)");
  double db = value->u.f64;
  if (!(db >= DB_LEAST && db <= DB_MOST)) return fail(self, MSDK_E_RANGE, "gain_db %g is outside %g..%g", db, DB_LEAST, DB_MOST);
  self->wanted = db <= DB_LEAST ? 0 : (float)pow(10, db / 20);
  return MSDK_OK;
}

static const msdk_class class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_FILTER,
  .id = "org.mediasdk.filter.gain",
  .name = "Gain",
  .summary = "makes audio louder or quieter",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .audio_filter = &filter,
};

static const msdk_class *const classes[] = {&class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
