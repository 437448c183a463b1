/* @NAME@.c - a capturer: a thread of its own delivers a frame whenever its device has one.
 *
 * Here the device is a timer, and the frame a bar that moves: put yours in its place, at "the device". A producer that makes frames on request
 * is a pull producer, which is simpler: --kind producer.
 * The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/plugin.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct msdk_self {
  const msdk_host *host;      /* what the host does for us */
  msdk_host_context *context; /* the first argument of its functions */
  msdk_video_format format;   /* the one agreed on */
  uint32_t position;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int must_stop; /* under the lock */
};

static msdk_result fail(msdk_self *self, msdk_result result, const char *text) {
  self->host->set_error(self->context, result, text);
  return result;
}

/* P1: opens nothing, starts nothing. That is for init_capture and start_capture. */
static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = (msdk_self *)calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->format = MSDK_INIT(msdk_video_format);
  self->format.pixel_format = MSDK_PIXEL_NV12; /* what the device makes: the host converts for encoders and renderers */
  self->format.width = 640;
  self->format.height = 360;
  self->format.fps_num = 30;
  self->format.fps_den = 1;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&self->lock, NULL);
  pthread_cond_init(&self->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) {
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->lock);
  free(self);
}

/* Open the device here, and report why that fails: return fail(self, MSDK_E_IO, "..."). */
static msdk_result init_capture(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result release_capture(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}

/* The preferred format: programs choose from this list, which ends with MSDK_E_NOT_FOUND. */
static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index > 0) return MSDK_E_NOT_FOUND;
  *out = self->format;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  if (format->pixel_format != MSDK_PIXEL_NV12) return fail(self, MSDK_E_FORMAT, "accepted: NV12 of any size");
  memcpy(&self->format, format, sizeof self->format); /* P6: a later host's struct is longer; the members we know come first */
  self->format.struct_size = sizeof self->format;
  return MSDK_OK;
}

static void paint(msdk_self *self, msdk_video_frame *frame) {
  uint32_t width = self->format.width, height = self->format.height;
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride; /* P3: never y * width */
    for (uint32_t x = 0; x < width; x++) row[x] = (uint8_t)(16 + ((x + self->position) % width) * 219 / width);
  }
  for (uint32_t y = 0; y < (height + 1) / 2; y++) memset(frame->plane[1].data + (ptrdiff_t)y * frame->plane[1].stride, 128, (width + 1) / 2 * 2);
  self->position += 4;
}

/* The device: waits for its next frame. 0 when capture is stopping. */
static int wait_for_frame(msdk_self *self, int64_t when_ns) {
  struct timespec until = {(time_t)(when_ns / 1000000000), (long)(when_ns % 1000000000)};
  pthread_mutex_lock(&self->lock);
  int is_due = 0;
  while (!self->must_stop && !is_due) is_due = pthread_cond_timedwait(&self->changed, &self->lock, &until) != 0;
  int goes_on = !self->must_stop;
  pthread_mutex_unlock(&self->lock);
  return goes_on;
}

static void *capture(void *argument) {
  msdk_self *self = (msdk_self *)argument;
  int64_t interval = self->format.fps_num > 0 ? (int64_t)1000000000 * self->format.fps_den / self->format.fps_num : 33333333;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  int64_t next = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  for (; wait_for_frame(self, next); next += interval) {
    msdk_video_frame *frame = NULL;
    int64_t captured = self->host->now_ns(self->context); /* on the engine's clock */
    if (self->host->video_frame_acquire(self->context, &self->format, 0, &frame) < 0) continue; /* P4: all are in use, this one is dropped */
    paint(self, frame);
    frame->timestamp_ns = captured;
    /* The host takes our reference, and sets the pace: MSDK_E_AGAIN: this one was too early. */
    if (self->host->consume_video_frame(self->context, frame) == MSDK_E_CLOSED) break;
  }
  return NULL;
}

static msdk_result start_capture(msdk_self *self) {
  self->must_stop = 0;
  sigset_t all, before; /* signals are for the program's threads */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&self->thread, NULL, capture, self);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error == 0 ? MSDK_OK : fail(self, MSDK_E_NOMEM, "no thread could be made");
}

/* P2: when it returns, the thread is gone. */
static msdk_result stop_capture(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  self->must_stop = 1;
  pthread_cond_signal(&self->changed);
  pthread_mutex_unlock(&self->lock);
  pthread_join(self->thread, NULL);
  return MSDK_OK;
}

static const msdk_video_producer producer = {
  .struct_size = sizeof(msdk_video_producer), /* without MSDK_PRODUCER_PULL: it delivers by itself */
  .init_capture = init_capture,
  .release_capture = release_capture,
  .start_capture = start_capture,
  .stop_capture = stop_capture,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "@ID@",
  .name = "@NAME@",
  .summary = "a bar that moves, from a thread of its own",
  .create = create,
  .destroy = destroy,
  .video_producer = &producer,
};

#include "parts/module.c"
