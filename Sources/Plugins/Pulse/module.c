#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../module.h"
#include "../monotonic.h"
#include "../params.h"

#define EVENTS "; posts MSDK_E_DEVICE_LOST when it is lost, and MSDK_PLUGIN_EVENT_USER with the text 'back' when it is back"
enum { LATENCY_DEFAULT_MS = 40, LATENCY_MIN_MS = 5, LATENCY_MAX_MS = 2000 };

static const msdk_param params[] = {
  PARAM_STRING("server", 0, "", "the sound server's address, as in PULSE_SERVER; empty: the user's default server"),
  PARAM_STRING("device", 0, "", "the name of the source or sink; empty: the server's default"),
  PARAM_NUMBER(U32, "latency_ms", 0, LATENCY_DEFAULT_MS, LATENCY_MIN_MS, LATENCY_MAX_MS,
               "how much audio may be buffered in the server, in milliseconds"),
  PARAM_STRING("app_name", 0, "MediaSDK", "the application's name in the server"),
};

msdk_audio_format pulse_default_format(void) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  format.sample_format = MSDK_SAMPLE_S16;
  format.sample_rate = 48000;
  format.channels = 1;
  return format;
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
  if (!monotonic_lock_make(&link->lock, &link->changed)) {
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

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  pulse_link *link = &self->link;
  msdk_result result = param_check(&self->report, params, MSDK_COUNT(params), name, value);
  if (result < 0) return result;
  if (strcmp(name, "latency_ms") == 0) {
    self->latency_ms = value->u.u32;
    return MSDK_OK;
  }
  char **text = strcmp(name, "server") == 0 ? &link->server : strcmp(name, "device") == 0 ? &link->device : &link->app_name;
  char *kept = NULL;
  result = param_keep(&self->report, &kept, name, value);
  if (result < 0) return result;
  pthread_mutex_lock(&link->lock); /* the thread may be about to connect anew */
  free(*text);
  *text = kept;
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

PLUGIN_MODULE(&producer_class, &renderer_class)
