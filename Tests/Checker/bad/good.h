/* A sound plugin, from which each bad one differs in one thing. A file includes it after it has defined what it changes:
 *   ON_...            statements at the beginning of a function; `self` is there
 *   MEMBERS           more members of msdk_self
 *   CLASS, MODULE, PRODUCER, RENDERER, PARAMS   more designated members of a table, which override those here
 *   IS_RENDERER, IS_PUSH                        another kind */
#ifndef GOOD_H
#define GOOD_H

#include <mediasdk/plugin.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

#ifndef MEMBERS
#define MEMBERS
#endif
#ifndef ON_CREATE
#define ON_CREATE
#endif
#ifndef ON_DESTROY
#define ON_DESTROY
#endif
#ifndef ON_SET
#define ON_SET
#endif
#ifndef ON_INIT
#define ON_INIT
#endif
#ifndef ON_RELEASE
#define ON_RELEASE
#endif
#ifndef ON_START
#define ON_START
#endif
#ifndef ON_FORMAT
#define ON_FORMAT
#endif
#ifndef ON_AGAIN
#define ON_AGAIN
#endif
#ifndef ON_PICTURE /* instead of painting: `frame` is there */
#define ON_PICTURE paint(self, frame)
#endif
#ifndef ON_DELIVER
#define ON_DELIVER
#endif
#ifndef ON_RENDER
#define ON_RENDER
#endif
#ifndef CLASS
#define CLASS .reserved0 = 0
#endif
#ifndef MODULE
#define MODULE .min_host_minor = 0
#endif
#ifndef PRODUCER
#define PRODUCER .is_capture_started = NULL
#endif
#ifndef RENDERER
#define RENDERER .flush = NULL
#endif
#ifndef PARAMS
#define PARAMS {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_LIVE, .name = "level", .def = {.type = MSDK_T_U32}, .min = MSDK_U32(0), .max = MSDK_U32(9)}
#endif

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  msdk_video_format format;
  uint32_t count;
  char text[70000];
#ifdef IS_PUSH
  pthread_t thread;
  pthread_mutex_t lock;
  int must_stop;
#endif
  MEMBERS
};

static inline msdk_result say(msdk_self *self, msdk_result result, const char *words) {
  self->host->set_error(self->context, result, words);
  return result;
}

static inline void pause_ms(long ms) { nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL); }

static inline void paint(msdk_self *self, msdk_video_frame *frame) {
  for (uint32_t y = 0; y < self->format.height; y++) {
    uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < self->format.width; x++) row[x] = (uint8_t)(x + y + self->count);
  }
}

#ifdef HELPERS
HELPERS
#endif

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->format = MSDK_INIT(msdk_video_format);
  self->format.pixel_format = MSDK_PIXEL_GRAY8;
  self->format.width = 64;
  self->format.height = 48;
  self->format.fps_num = 30;
  self->format.fps_den = 1;
  *out = self;
  ON_CREATE;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  ON_DESTROY;
  free(self);
}

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  ON_SET;
  (void)value;
  return strcmp(name, "level") == 0 ? MSDK_OK : say(self, MSDK_E_NOT_FOUND, "accepted: level");
}

static msdk_result init(msdk_self *self) {
  (void)self;
  ON_INIT;
  return MSDK_OK;
}

static msdk_result release(msdk_self *self) {
  (void)self;
  ON_RELEASE;
  return MSDK_OK;
}

#ifdef IS_RENDERER
static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format->pixel_format == MSDK_PIXEL_GRAY8;
}

/* It looks at all of the picture. */
static msdk_result render(msdk_self *self, const msdk_video_frame *frame) {
  (void)frame;
#ifdef ON_LOOK
  ON_LOOK;
#else
  for (uint32_t y = 0; y < frame->format->height; y++) {
    const uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < frame->format->width; x++) self->count += row[x];
  }
#endif
  ON_RENDER;
  return MSDK_OK;
}

static const msdk_video_renderer table = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = init, .release_render = release, .accepts_format = accepts_format,
  .render_video_frame = render, RENDERER,
};
#else
static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}

static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index > 0) return MSDK_E_NOT_FOUND;
  *out = self->format;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  ON_FORMAT;
  if (format->pixel_format != MSDK_PIXEL_GRAY8) return say(self, MSDK_E_FORMAT, "accepted: GRAY8");
  memcpy(&self->format, format, sizeof self->format);
  self->format.struct_size = sizeof self->format;
  return MSDK_OK;
}

static inline msdk_result make(msdk_self *self, msdk_video_frame **out) {
  msdk_video_frame *frame = NULL;
  msdk_result result = self->host->video_frame_acquire(self->context, &self->format, 0, &frame);
  if (result < 0) {
    ON_AGAIN;
    return result;
  }
  self->count++;
  ON_PICTURE;
  *out = frame;
  ON_DELIVER;
  return MSDK_OK;
}

#ifdef IS_PUSH
#ifndef FRAME /* what it delivers, made and delivered how */
#define FRAME msdk_video_frame
#define MAKE make
#define CONSUME consume_video_frame
#endif
static void *work(void *argument) {
  msdk_self *self = argument;
  for (;;) {
    FRAME *frame = NULL;
    pthread_mutex_lock(&self->lock);
    int must_stop = self->must_stop;
    pthread_mutex_unlock(&self->lock);
    if (must_stop) return NULL;
    if (MAKE(self, &frame) >= 0) self->host->CONSUME(self->context, frame);
    pause_ms(5);
  }
}

static msdk_result start(msdk_self *self) {
  pthread_mutex_init(&self->lock, NULL);
  self->must_stop = 0;
  ON_START;
  return pthread_create(&self->thread, NULL, work, self) == 0 ? MSDK_OK : say(self, MSDK_E_NOMEM, "no thread");
}

static msdk_result stop(msdk_self *self) {
#ifdef ON_STOP
  ON_STOP;
#else
  pthread_mutex_lock(&self->lock);
  self->must_stop = 1;
  pthread_mutex_unlock(&self->lock);
  pthread_join(self->thread, NULL);
#endif
  return MSDK_OK;
}
#define FLAGS 0
#define PRODUCE NULL
#else
static msdk_result start(msdk_self *self) {
  (void)self;
  ON_START;
  return MSDK_OK;
}

static msdk_result stop(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns;
#ifdef ON_PRODUCE
  ON_PRODUCE;
#endif
  return make(self, out);
}
#define FLAGS MSDK_PRODUCER_PULL
#define PRODUCE produce
#endif

static const msdk_video_producer table = {
  .struct_size = sizeof(msdk_video_producer), .flags = FLAGS, .init_capture = init, .release_capture = release, .start_capture = start,
  .stop_capture = stop, .capture_settings = capture_settings, .enum_formats = enum_formats, .set_format = set_format, .produce_frame = PRODUCE,
  PRODUCER,
};
#endif

static const msdk_param params[] = {PARAMS};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .id = "org.mediasdk.test.bad",
  .params = params,
  .param_count = MSDK_COUNT(params),
  .create = create,
  .destroy = destroy,
  .set_param = set_param,
#ifdef IS_RENDERER
  .kinds = MSDK_KIND_VIDEO_RENDERER,
  .video_renderer = &table,
#else
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .video_producer = &table,
#endif
  CLASS,
};

static const msdk_class *const classes[] = {&the_class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = classes, .class_count = MSDK_COUNT(classes), MODULE};

#ifndef OWN_ENTRY
MSDK_DEFINE_ENTRY(&module)
#endif

#endif
