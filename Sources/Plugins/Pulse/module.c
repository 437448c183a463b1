#define _POSIX_C_SOURCE 200809L
#include "self.h"

#include <stdlib.h>
#include <string.h>

enum { LATENCY_DEFAULT_MS = 40, LATENCY_MIN_MS = 5, LATENCY_MAX_MS = 2000 };
#define EVENTS "; posts MSDK_E_DEVICE_LOST when it is lost, and MSDK_PLUGIN_EVENT_USER with the text 'back' when it is back"
enum { RATE_MIN = 8000, RATE_MAX = 192000, SAMPLES_MAX = 192000 };

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param),
   .name = "server",
   .summary = "the sound server's address, as in PULSE_SERVER; empty: the user's default server",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .name = "device",
   .summary = "the name of the source or sink; empty: the server's default",
   .def = MSDK_STRING("")},
  {.struct_size = sizeof(msdk_param),
   .name = "latency_ms",
   .summary = "how much audio may be buffered in the server, in milliseconds",
   .def = MSDK_U32(LATENCY_DEFAULT_MS),
   .min = MSDK_U32(LATENCY_MIN_MS),
   .max = MSDK_U32(LATENCY_MAX_MS)},
  {.struct_size = sizeof(msdk_param),
   .name = "app_name",
   .summary = "the application's name in the server",
   .def = MSDK_STRING("MediaSDK")},
};

msdk_audio_format pulse_default_format(void) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  format.sample_format = MSDK_SAMPLE_S16;
  format.sample_rate = 48000;
  format.channels = 1;
  return format;
}

msdk_result pulse_check_format(const msdk_self *self, const msdk_audio_format *asked, msdk_audio_format *out) {
  const plugin_report *report = &self->report;
  if (asked == NULL) return report_fail(report, MSDK_E_INVALID, "the format is NULL");
  msdk_audio_format format = {0};
  memcpy(&format, asked, asked->struct_size < sizeof format ? asked->struct_size : sizeof format);
  format.struct_size = (uint32_t)sizeof format;
  if (format.sample_format != MSDK_SAMPLE_S16 && format.sample_format != MSDK_SAMPLE_F32) {
    return report_fail(report, MSDK_E_FORMAT, "sample format %u is not supported; accepted: s16 (1), f32 (2)", format.sample_format);
  }
  if (format.sample_rate < RATE_MIN || format.sample_rate > RATE_MAX) {
    return report_fail(report, MSDK_E_FORMAT, "the sample rate %u is outside %d..%d Hz", format.sample_rate, RATE_MIN, RATE_MAX);
  }
  if (format.channels < 1 || format.channels > 2) {
    return report_fail(report, MSDK_E_FORMAT, "%u channels were requested; accepted: 1, 2", format.channels);
  }
  if (format.planar != 0) return report_fail(report, MSDK_E_FORMAT, "planar audio is not supported; accepted: interleaved");
  if (format.frames_per_buffer > SAMPLES_MAX) {
    return report_fail(report, MSDK_E_FORMAT, "%u samples in a buffer; accepted: at most %d", format.frames_per_buffer, SAMPLES_MAX);
  }
  *out = format;
  return MSDK_OK;
}

static bool host_suffices(const msdk_host *host) {
  return MSDK_CAN(host, msdk_host, log) && MSDK_CAN(host, msdk_host, set_error) && MSDK_CAN(host, msdk_host, post_event) &&
         MSDK_CAN(host, msdk_host, audio_frame_acquire) && MSDK_CAN(host, msdk_host, consume_audio_frame) &&
         MSDK_CAN(host, msdk_host, now_ns);
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!host_suffices(host)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->report = (plugin_report){.host = host, .context = context};
  self->latency_ms = LATENCY_DEFAULT_MS;
  self->format = pulse_default_format();
  pulse_link *link = &self->link;
  if (!pulse_link_make(link)) {
    free(self);
    return MSDK_E_NOMEM;
  }
  link->server = strdup("");
  link->device = strdup("");
  link->app_name = strdup("MediaSDK");
  bool named = link->server != NULL && link->device != NULL && link->app_name != NULL;
  if (named && pthread_mutex_init(&self->playback.lock, NULL) == 0) {
    *out = self;
    return MSDK_OK;
  }
  pulse_link_free(link);
  free(self);
  return MSDK_E_NOMEM;
}

static void destroy(msdk_self *self) {
  pulse_link_close(self);
  pthread_mutex_destroy(&self->playback.lock);
  pulse_link_free(&self->link);
  free(self->record.buffer);
  free(self->playback.ring);
  free(self);
}

static msdk_result set_latency(msdk_self *self, const msdk_value *value) {
  if (value->type != MSDK_T_U32) return report_fail(&self->report, MSDK_E_TYPE, "latency_ms takes a whole number (u32)");
  if (value->u.u32 < LATENCY_MIN_MS || value->u.u32 > LATENCY_MAX_MS) {
    return report_fail(&self->report, MSDK_E_RANGE, "latency_ms %u is outside %d..%d", value->u.u32, LATENCY_MIN_MS, LATENCY_MAX_MS);
  }
  self->latency_ms = value->u.u32;
  return MSDK_OK;
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  const plugin_report *report = &self->report;
  pulse_link *link = &self->link;
  if (name == NULL || value == NULL) return report_fail(report, MSDK_E_INVALID, "set_param needs a name and a value, not NULL");
  if (strcmp(name, "latency_ms") == 0) return set_latency(self, value);
  char **text = strcmp(name, "server") == 0 ? &link->server
              : strcmp(name, "device") == 0 ? &link->device
              : strcmp(name, "app_name") == 0 ? &link->app_name : NULL;
  if (text == NULL) {
    return report_fail(report, MSDK_E_NOT_FOUND, "no parameter '%.63s'; there are server, device, latency_ms and app_name", name);
  }
  if (value->type != MSDK_T_STRING || value->u.str == NULL) return report_fail(report, MSDK_E_TYPE, "%s takes a string", name);
  char *copy = strdup(value->u.str);
  if (copy == NULL) return report_fail(report, MSDK_E_NOMEM, "no memory for %s", name);
  pthread_mutex_lock(&link->lock); /* the thread may be about to connect anew */
  free(*text);
  *text = copy;
  pthread_mutex_unlock(&link->lock);
  return MSDK_OK;
}

static const msdk_class producer_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_PRODUCER,
  .id = "org.mediasdk.producer.pulse",
  .name = "PulseAudio source",
  .summary = "records from a PulseAudio or PipeWire server" EVENTS,
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .audio_producer = &pulse_producer,
};

static const msdk_class renderer_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_AUDIO_RENDERER,
  .id = "org.mediasdk.renderer.pulse",
  .name = "PulseAudio sink",
  .summary = "plays through a PulseAudio or PipeWire server" EVENTS,
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
  .audio_renderer = &pulse_renderer,
};

static const msdk_class *const classes[] = {&producer_class, &renderer_class};

static const msdk_module module = {
  .struct_size = sizeof(msdk_module),
  .abi_minor = MSDK_ABI_MINOR,
  .vendor = "MediaSDK",
  .license = "Apache-2.0",
  .version = "1.0",
  .classes = classes, .class_count = MSDK_COUNT(classes),
};

MSDK_DEFINE_ENTRY(&module)
