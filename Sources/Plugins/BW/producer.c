#define _POSIX_C_SOURCE 200809L
/* The producer's side: every picture that was rendered is passed on at once, by the thread that rendered it. */
#include "self.h"
#include "../formats.h"
#include "../module.h"

#include <string.h>

static const int64_t tell_every_ns = 1000000000;

/* A crowded pool would otherwise fill the log as fast as frames come. */
static void count_drop(msdk_self *self) {
  self->dropped++;
  int64_t now = self->report.host->now_ns(self->report.context);
  if (self->told && now - self->told_ns < tell_every_ns) return;
  report_log(&self->report, MSDK_LOG_WARN, "%llu frames were dropped: every frame of the pool is in use (%llu in all)",
             (unsigned long long)(self->dropped - self->dropped_told), (unsigned long long)self->dropped);
  self->told = true;
  self->told_ns = now;
  self->dropped_told = self->dropped;
}

static void deliver(msdk_self *self, bool resized) {
  const msdk_host *host = self->report.host;
  const bw_picture *picture = &self->picture;
  if (resized) host->post_event(self->report.context, MSDK_PLUGIN_EVENT_FORMAT_CHANGED, MSDK_OK, NULL);
  msdk_video_frame *frame = NULL;
  msdk_result result = host->video_frame_acquire(self->report.context, &picture->format, 0, &frame);
  if (result == MSDK_E_AGAIN) count_drop(self);
  if (result < 0) return;

  uint32_t width = picture->format.width, height = picture->format.height;
  for (uint32_t row = 0; row < height; row++) {
    memcpy(frame->plane[0].data + (ptrdiff_t)row * frame->plane[0].stride, picture->data + (uint64_t)row * width, width);
  }
  frame->timestamp_ns = picture->timestamp_ns;
  frame->orientation = picture->orientation;
  result = host->consume_video_frame(self->report.context, frame);
  if (result == MSDK_E_CLOSED) {
    pthread_mutex_lock(&self->lock);
    self->started = false;
    pthread_mutex_unlock(&self->lock);
  }
}

void bw_pass_on(msdk_self *self, bool resized) {
  pthread_mutex_lock(&self->lock);
  bool start = self->started;
  if (start) {
    self->delivering = true;
    self->deliverer = pthread_self();
  }
  pthread_mutex_unlock(&self->lock);
  if (!start) return;

  deliver(self, resized);

  pthread_mutex_lock(&self->lock);
  self->delivering = false;
  pthread_cond_broadcast(&self->delivered);
  pthread_mutex_unlock(&self->lock);
}

static msdk_result start_capture(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  self->started = true;
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

/* Rule P2: waits for the picture that is on its way. Called out of that very delivery there is nothing to wait for: it is the last. */
static msdk_result stop_capture(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  self->started = false;
  while (self->delivering && !pthread_equal(self->deliverer, pthread_self())) pthread_cond_wait(&self->delivered, &self->lock);
  pthread_mutex_unlock(&self->lock);
  return MSDK_OK;
}

static int32_t is_capture_started(const msdk_self *constant) {
  msdk_self *self = (msdk_self *)(uintptr_t)constant; /* the lock must be taken to look */
  pthread_mutex_lock(&self->lock);
  int32_t started = self->started;
  pthread_mutex_unlock(&self->lock);
  return started;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  pthread_mutex_lock(&self->lock);
  bool known = self->picture.data != NULL;
  if (known) *out = self->picture.format;
  pthread_mutex_unlock(&self->lock);
  return known ? MSDK_OK : report_fail(&self->report, MSDK_E_STATE, "no frame was rendered yet, so the size is not known");
}

static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index > 0) return MSDK_E_NOT_FOUND;
  pthread_mutex_lock(&self->lock);
  bool known = self->picture.data != NULL;
  if (known) *out = self->picture.format;
  pthread_mutex_unlock(&self->lock);
  return known ? MSDK_OK : MSDK_E_NOT_FOUND;
}

/* The size is that of what is rendered, whatever is agreed on; the host refuses a frame that does not fit. */
static msdk_result set_format(msdk_self *self, const msdk_video_format *format) {
  static const uint32_t accepted[] = {MSDK_PIXEL_GRAY8, 0};
  if (format == NULL) return report_fail(&self->report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  return format_check_pixels(&self->report, accepted, format->pixel_format);
}

const msdk_video_producer bw_producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = 0,
  .init_capture = nothing_to_do,
  .release_capture = nothing_to_do,
  .start_capture = start_capture,
  .stop_capture = stop_capture,
  .is_capture_started = is_capture_started,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
};
