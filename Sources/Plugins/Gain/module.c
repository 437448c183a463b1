/* Makes sound louder or softer: a filter, whose gain may change while sound passes. */
#include "../formats.h"
#include "../module.h"
#include "../params.h"

#include <math.h>

#define DB_LEAST -96.0 /* silence */
#define DB_MOST 24.0

struct msdk_self {
  plugin_report report;
  _Atomic float wanted; /* LIVE: a factor */
  float current;        /* at the end of the last buffer; below 0 before the first */
};

static msdk_result init_filter(msdk_self *self) {
  self->current = -1;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_audio_format *in) {
  if (in == NULL) return report_fail(&self->report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  if (in->sample_format == MSDK_SAMPLE_F32 || in->sample_format == MSDK_SAMPLE_S16) return MSDK_OK;
  return report_fail(&self->report, MSDK_E_FORMAT, "sample format %u is not supported; accepted: S16, F32", in->sample_format);
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
  msdk_result result = self->report.host->audio_frame_make_writable(self->report.context, in, &frame);
  if (result < 0) {
    self->report.host->audio_frame_unref(in);
    return result;
  }
  scale(frame, from, to);
  *out = frame;
  return MSDK_OK;
}

static const msdk_audio_filter filter = {
  .struct_size = sizeof(msdk_audio_filter),
  .init_filter = init_filter,
  .release_filter = nothing_to_do,
  .set_format = set_format,
  .filter_audio_frame = filter_audio_frame,
};

static const msdk_param params[] = {
  PARAM_NUMBER(F64, "gain_db", MSDK_PARAM_LIVE, 0, DB_LEAST, DB_MOST,
               "in dB, -96 is silence; a change takes effect over one buffer, and s16 is clipped at full scale"),
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, set_error) || !MSDK_CAN(host, msdk_host, audio_frame_make_writable) ||
      !MSDK_CAN(host, msdk_host, audio_frame_unref)) {
    return MSDK_E_ABI;
  }
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->wanted = 1;
  self->current = -1;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result == MSDK_OK) self->wanted = value->u.f64 <= DB_LEAST ? 0 : (float)pow(10, value->u.f64 / 20);
  return result;
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

PLUGIN_MODULE(&class)
