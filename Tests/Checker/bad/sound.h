/* A sound producer of sound, from which each bad one differs in one thing: a tone. A file includes it after it has defined what it changes:
 *   ON_BUFFER   statements before a buffer is made; `self` is there
 *   IS_PUSH     with a thread of its own */
#ifndef SOUND_H
#define SOUND_H

#include <mediasdk/plugin.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef ON_BUFFER
#define ON_BUFFER
#endif

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  msdk_audio_format format;
  pthread_t thread;
  pthread_mutex_t lock;
  int must_stop;
};

static inline msdk_result say(msdk_self *self, msdk_result result, const char *words) {
  self->host->set_error(self->context, result, words);
  return result;
}

static inline void pause_ms(long ms) { nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL); }

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  pthread_mutex_init(&self->lock, NULL);
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  pthread_mutex_destroy(&self->lock);
  free(self);
}

static msdk_result nothing(msdk_self *self) {
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

static msdk_result set_format(msdk_self *self, const msdk_audio_format *format) {
  if (format->sample_format != MSDK_SAMPLE_S16) return say(self, MSDK_E_FORMAT, "accepted: s16");
  memcpy(&self->format, format, sizeof self->format);
  self->format.struct_size = sizeof self->format;
  return MSDK_OK;
}

/* 10 ms. */
static inline msdk_result make(msdk_self *self, msdk_audio_frame **out) {
  ON_BUFFER;
  uint32_t count = self->format.sample_rate / 100;
  msdk_result result = self->host->audio_frame_acquire(self->context, &self->format, count, out);
  if (result < 0) return result;
  for (uint32_t i = 0; i < count * self->format.channels; i++) {
    int16_t sample = (int16_t)(i % 100 * 100);
    memcpy((*out)->planes[0] + i * sizeof sample, &sample, sizeof sample);
  }
  return MSDK_OK;
}

#ifdef IS_PUSH
static void *work(void *argument) {
  msdk_self *self = argument;
  for (;;) {
    msdk_audio_frame *frame = NULL;
    pthread_mutex_lock(&self->lock);
    int must_stop = self->must_stop;
    pthread_mutex_unlock(&self->lock);
    if (must_stop) return NULL;
    if (make(self, &frame) >= 0) self->host->consume_audio_frame(self->context, frame);
    pause_ms(10);
  }
}

static msdk_result start(msdk_self *self) {
  self->must_stop = 0;
  return pthread_create(&self->thread, NULL, work, self) == 0 ? MSDK_OK : say(self, MSDK_E_NOMEM, "no thread");
}

static msdk_result stop(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  self->must_stop = 1;
  pthread_mutex_unlock(&self->lock);
  pthread_join(self->thread, NULL);
  return MSDK_OK;
}

static const msdk_audio_producer table = {
  .struct_size = sizeof(msdk_audio_producer), .init_capture = nothing, .release_capture = nothing, .start_capture = start, .stop_capture = stop,
  .capture_settings = capture_settings, .set_format = set_format,
};
#else
static msdk_result produce(msdk_self *self, int64_t due_ns, msdk_audio_frame **out) {
  (void)due_ns;
  return make(self, out);
}

static const msdk_audio_producer table = {
  .struct_size = sizeof(msdk_audio_producer), .flags = MSDK_PRODUCER_PULL, .init_capture = nothing, .release_capture = nothing,
  .start_capture = nothing, .stop_capture = nothing, .capture_settings = capture_settings, .set_format = set_format, .produce_frame = produce,
};
#endif

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .id = "org.mediasdk.test.bad",
  .kinds = MSDK_KIND_AUDIO_PRODUCER,
  .create = create,
  .destroy = destroy,
  .audio_producer = &table,
};

static const msdk_class *const classes[] = {&the_class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .class_count = 1, .classes = classes};

MSDK_DEFINE_ENTRY(&module)

#endif
