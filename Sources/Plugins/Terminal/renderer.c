#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../../CLinux/signals.h"
#include "../formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void drop_pictures(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  const msdk_video_frame *newest = self->newest, *shown = self->shown;
  self->newest = self->shown = NULL;
  pthread_mutex_unlock(&self->lock);
  if (newest != NULL) self->report.host->video_frame_unref(newest);
  if (shown != NULL) self->report.host->video_frame_unref(shown);
}

static msdk_result start(msdk_self *self) {
  self->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (self->wake_fd < 0) return report_fail(&self->report, MSDK_E_NOMEM, "out of file descriptors: %s", strerror(errno));
  self->used = self->settings;
  self->quit = false;
  self->ended = MSDK_OK;
  /* SIGTTOU is blocked there, too, so that it writes in the background as well. */
  int error = msdk_thread_create(&self->thread, NULL, tm_thread, self);
  if (error == 0) return MSDK_OK;
  close(self->wake_fd);
  return report_fail(&self->report, MSDK_E_NOMEM, "no thread can be started: %s", strerror(error));
}

static msdk_result init_render(msdk_self *self) {
  bool sized = self->settings.columns != 0 && self->settings.rows != 0;
  msdk_result result = tm_tty_open(&self->report, self->path, sized, self->shared, &self->tty);
  if (result < 0) return result;
  result = start(self);
  if (result < 0) {
    tm_tty_close(&self->tty);
    return result;
  }
  self->open = true;
  tm_note_open(self);
  return MSDK_OK;
}

static msdk_result release_render(msdk_self *self) {
  if (!self->open) return MSDK_OK;
  self->open = false;
  tm_end(self);
  close(self->wake_fd);
  tm_tty_close(&self->tty);
  drop_pictures(self);
  return MSDK_OK;
}

static msdk_result flush(msdk_self *self) {
  drop_pictures(self);
  return MSDK_OK;
}

static const uint32_t accepted[] = {MSDK_PIXEL_BGRA, 0};

static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format != NULL && format_is_accepted(accepted, format->pixel_format);
}

static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) {
  if (!self->open) return report_fail(&self->report, MSDK_E_STATE, "there is no terminal: init_render was not called");
  msdk_result result = frame_check(&self->report, accepted, frame);
  if (result < 0) return result;
  self->report.host->video_frame_ref(frame);
  pthread_mutex_lock(&self->lock);
  result = self->ended;
  const msdk_video_frame *former = result == MSDK_OK ? self->newest : frame;
  if (result == MSDK_OK) self->newest = frame;
  pthread_mutex_unlock(&self->lock);
  if (former != NULL) self->report.host->video_frame_unref(former);
  if (result < 0) return report_fail(&self->report, result, "%s", self->words); /* which do not change any more */
  uint64_t one = 1;
  if (former == NULL && write(self->wake_fd, &one, sizeof one) < 0) return MSDK_OK; /* it is full: the thread is already called */
  return MSDK_OK;
}

const msdk_video_renderer tm_renderer = {
  .struct_size = sizeof(msdk_video_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .accepts_format = accepts_format,
  .render_video_frame = render_video_frame,
  .flush = flush,
};
