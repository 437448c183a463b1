#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../formats.h"
#include "../monotonic.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_S = 2 };

void wn_wake(msdk_self *self) {
  uint64_t one = 1;
  if (write(self->wake_fd, &one, sizeof one) < 0) return; /* it is full: the thread is already called */
}

void wn_drop_pictures(msdk_self *self) {
  pthread_mutex_lock(&self->lock);
  const msdk_video_frame *newest = self->newest, *shown = self->shown;
  self->newest = self->shown = NULL;
  pthread_mutex_unlock(&self->lock);
  if (newest != NULL) self->report.host->video_frame_unref(newest);
  if (shown != NULL) self->report.host->video_frame_unref(shown);
}

/* --------------------------------------------------------------------------------------------------------- opening, closing */

static msdk_result choose_screen(msdk_self *self, int number) {
  const xcb_setup_t *setup = xcb_get_setup(self->connection);
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(setup);
  for (; screens.rem > 1; number--, xcb_screen_next(&screens)) {
    if (self->parent.id != 0 ? screens.data->root == self->parent.root : number <= 0) break;
  }
  self->screen = screens.data;
  if (wn_visual_find(setup, self->screen, &self->visual)) return MSDK_OK;
  return report_fail(&self->report, MSDK_E_UNSUPPORTED, "the screen has %u bits a pixel from a palette; accepted: a TrueColor screen",
                     self->screen->root_depth);
}

static msdk_result check_parent(msdk_self *self) {
  static const char accepted[] = "accepted: the id of an existing InputOutput window that is not a root window";
  const plugin_report *report = &self->report;
  const wn_parent *parent = &self->parent;
  if (parent->id == 0) return MSDK_OK;
  if (!parent->exists && xcb_connection_has_error(self->connection)) {
    return report_fail(report, MSDK_E_IO, "the connection to the X server is lost");
  }
  if (!parent->exists) {
    return report_fail(report, MSDK_E_NOT_FOUND, "parent 0x%x is not a window of this X display; %s", parent->id, accepted);
  }
  if (parent->id == parent->root) {
    return report_fail(report, MSDK_E_INVALID, "parent 0x%x is a root window; %s; '' for a top-level window", parent->id, accepted);
  }
  if (parent->input_only) {
    return report_fail(report, MSDK_E_UNSUPPORTED, "parent 0x%x shows nothing: it is an InputOnly window; %s", parent->id, accepted);
  }
  if (!self->wish.fullscreen) return MSDK_OK;
  return report_fail(report, MSDK_E_INVALID, "fullscreen is true and parent is 0x%x; accepted with a parent: false", parent->id);
}

static msdk_result start(msdk_self *self) {
  self->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (self->wake_fd < 0) return report_fail(&self->report, MSDK_E_NOMEM, "out of file descriptors: %s", strerror(errno));
  self->wanted = self->wish;
  self->quit = false;
  self->running = self->retitled = self->restyled = true;
  self->ended = MSDK_OK;
  self->orphaned = false;
  self->shown_width = self->shown_height = 0;
  int error = wn_start_thread(&self->thread, wn_thread, self);
  if (error == 0) return MSDK_OK;
  close(self->wake_fd);
  return report_fail(&self->report, MSDK_E_NOMEM, "no thread can be started: %s", strerror(error));
}

static msdk_result init_render(msdk_self *self) {
  int number = 0;
  self->parent = (wn_parent){.id = self->wish.parent};
  msdk_result result = wn_connect(&self->report, self->display, &self->parent, &self->connection, &number);
  if (result < 0) return result;
  result = check_parent(self);
  if (result == MSDK_OK) result = choose_screen(self, number);
  if (result == MSDK_OK) result = start(self);
  if (result < 0) {
    xcb_disconnect(self->connection);
    self->connection = NULL;
  }
  self->open = result == MSDK_OK;
  return result;
}

/* A server that has stopped answering would hold the thread for ever: then the connection is cut from under it. */
static void end_thread(msdk_self *self) {
  struct timespec until = monotonic_at(monotonic_ns() + (int64_t)PATIENCE_S * 1000000000);
  pthread_mutex_lock(&self->lock);
  self->quit = true;
  wn_wake(self);
  while (self->running && pthread_cond_timedwait(&self->changed, &self->lock, &until) == 0) {}
  if (self->running) shutdown(xcb_get_file_descriptor(self->connection), SHUT_RDWR);
  pthread_mutex_unlock(&self->lock);
  pthread_join(self->thread, NULL);
}

static msdk_result release_render(msdk_self *self) {
  if (!self->open) return MSDK_OK;
  self->open = false;
  end_thread(self);
  close(self->wake_fd);
  wn_drop_pictures(self);
  return MSDK_OK;
}

static msdk_result flush(msdk_self *self) {
  wn_drop_pictures(self);
  return MSDK_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- pictures */

static const uint32_t accepted[] = {MSDK_PIXEL_BGRA, 0};

static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  (void)self;
  return format != NULL && format_is_accepted(accepted, format->pixel_format);
}

static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) {
  if (!self->open) return report_fail(&self->report, MSDK_E_STATE, "there is no window: init_render was not called");
  msdk_result result = frame_check(&self->report, accepted, frame);
  if (result < 0) return result;
  self->report.host->video_frame_ref(frame);
  pthread_mutex_lock(&self->lock);
  result = self->ended;
  bool orphaned = self->orphaned;
  const msdk_video_frame *former = result == MSDK_OK ? self->newest : frame;
  if (result == MSDK_OK) self->newest = frame;
  pthread_mutex_unlock(&self->lock);
  if (former != NULL) self->report.host->video_frame_unref(former);
  if (orphaned) return report_fail(&self->report, result, "the parent window 0x%x was destroyed", self->parent.id);
  if (result == MSDK_E_CLOSED) return report_fail(&self->report, result, "the window was closed");
  if (result < 0) return report_fail(&self->report, result, "the connection to the X server is lost, and the window with it");
  wn_wake(self);
  return MSDK_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- snapshot */

static msdk_result snapshot_format(msdk_self *self, msdk_video_format *out) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_BGRA;
  format.color_full_range = 1;
  pthread_mutex_lock(&self->lock);
  bool there = self->open && self->ended == MSDK_OK && self->shown != NULL && self->shown_width != 0;
  format.width = self->shown_width;
  format.height = self->shown_height;
  pthread_mutex_unlock(&self->lock);
  if (!there) return report_fail(&self->report, MSDK_E_AGAIN, "the window shows no frame");
  if (format.width > MSDK_DIMENSION_MAX || format.height > MSDK_DIMENSION_MAX) {
    return report_fail(&self->report, MSDK_E_RANGE, "the window is %ux%u, larger than a frame may be", format.width, format.height);
  }
  memcpy(out, &format, out->struct_size < sizeof format ? out->struct_size : sizeof format);
  return MSDK_OK;
}

/* Composed once more: the window may have been resized since snapshot_format. */
static msdk_result snapshot(msdk_self *self, msdk_video_frame *into) {
  msdk_result result = frame_check(&self->report, accepted, into);
  if (result < 0) return result;
  pthread_mutex_lock(&self->lock);
  const msdk_video_frame *frame = self->shown;
  wn_view view = self->view;
  if (frame != NULL) self->report.host->video_frame_ref(frame);
  pthread_mutex_unlock(&self->lock);
  if (frame == NULL) return report_fail(&self->report, MSDK_E_AGAIN, "the window shows no frame");
  wn_canvas canvas = {.pixels = into->plane[0].data, .stride = into->plane[0].stride};
  canvas.width = into->format->width;
  canvas.height = into->format->height;
  wn_memory scratch = {0};
  bool good = wn_compose(&view, frame, &scratch, &canvas);
  wn_memory_free(&scratch);
  into->timestamp_ns = frame->timestamp_ns;
  self->report.host->video_frame_unref(frame);
  if (!good) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the frame");
  for (uint32_t row = 0; row < canvas.height; row++) { /* on the screen nothing shines through */
    uint8_t *alpha = canvas.pixels + (ptrdiff_t)row * canvas.stride + 3;
    for (uint32_t x = 0; x < canvas.width; x++) alpha[4 * (size_t)x] = 255;
  }
  return MSDK_OK;
}

const msdk_video_renderer wn_renderer = {
  .struct_size = sizeof(msdk_video_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .accepts_format = accepts_format,
  .render_video_frame = render_video_frame,
  .flush = flush,
  .snapshot_format = snapshot_format,
  .snapshot = snapshot,
};
