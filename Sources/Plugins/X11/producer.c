#define _POSIX_C_SOURCE 200809L
#include "self.h"
#include "../../CLinux/signals.h"
#include "../formats.h"

static msdk_video_format format_of(const msdk_self *self) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_BGRA;
  format.width = (uint32_t)self->offered.width;
  format.height = (uint32_t)self->offered.height;
  format.fps_num = self->options.fps;
  format.fps_den = 1;
  format.content_hint = MSDK_CONTENT_DETAIL;
  return format;
}

static bool same_size(const x11_area *area, const msdk_video_format *format) {
  return (uint32_t)area->width == format->width && (uint32_t)area->height == format->height;
}

static msdk_result stop_capture(msdk_self *self) {
  if (!self->started) return MSDK_OK;
  x11_pictures_close(self);
  x11_cursor_close(self);
  xcb_flush(self->display.link);
  self->started = 0;
  return MSDK_OK;
}

static msdk_result release_capture(msdk_self *self) {
  if (self->display.link == NULL) return MSDK_OK;
  stop_capture(self);
  x11_source_close(self);
  x11_display_close(&self->display);
  return MSDK_OK;
}

static msdk_result init_capture(msdk_self *self) {
  msdk_result result = x11_display_open(&self->display, &self->report, self->options.display);
  if (result < 0) return result;
  result = x11_source_open(self);
  if (result < 0) {
    release_capture(self);
    return result;
  }
  self->offered = self->source.area;
  self->format = format_of(self);
  return MSDK_OK;
}

/* A server that does not answer just now is no reason to give up: the frames wait for it. */
static msdk_result follow_if_possible(msdk_self *self) {
  msdk_result result = x11_follow(self);
  return result == MSDK_E_AGAIN ? MSDK_OK : result;
}

static msdk_result start_capture(msdk_self *self) {
  msdk_result result = follow_if_possible(self);
  if (result < 0) return result;
  x11_pictures_open(self);
  x11_cursor_open(self);
  self->changed = true;
  self->outdated = self->lost = false;
  self->started = 1;
  return MSDK_OK;
}

static int32_t is_capture_started(const msdk_self *self) { return self->started; }

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  msdk_result result = follow_if_possible(self);
  if (result < 0) return result;
  self->offered = self->source.area;
  *out = format_of(self);
  if (same_size(&self->offered, &self->format)) *out = self->format;
  return MSDK_OK;
}

static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index > 0) return MSDK_E_NOT_FOUND;
  msdk_result result = follow_if_possible(self);
  if (result < 0) return result;
  self->offered = self->source.area;
  *out = format_of(self);
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *asked) {
  const plugin_report *report = &self->report;
  if (asked == NULL) return report_fail(report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  static const uint32_t accepted[] = {MSDK_PIXEL_BGRA, 0};
  msdk_video_format format = format_known(asked);
  msdk_result result = format_check_pixels(report, accepted, format.pixel_format);
  if (result < 0) return result;
  if (!same_size(&self->offered, &format)) {
    return report_fail(report, MSDK_E_FORMAT, "%ux%u was requested; the captured area is %dx%d", format.width, format.height,
                       self->offered.width, self->offered.height);
  }
  if (format.fps_num == 0) format.fps_num = self->options.fps, format.fps_den = 1;
  if (format.fps_den == 0 || format.fps_num > 60ull * format.fps_den) {
    return report_fail(report, MSDK_E_FORMAT, "%u/%u frames a second are not supported; accepted: up to 60", format.fps_num,
                       format.fps_den);
  }
  self->format = format;
  return MSDK_OK;
}

/* Nothing is new. */
static msdk_result repeat(msdk_self *self, msdk_video_frame **out) {
  x11_picture *newest = self->pictures.newest;
  if (self->options.skip_unchanged || newest == NULL) return MSDK_E_AGAIN;
  return x11_pictures_wrap(self, newest, out);
}

/* Whether the source still is as agreed on; the host is told once when it is not. */
static bool is_outdated(msdk_self *self) {
  bool before = self->outdated;
  self->outdated = !same_size(&self->source.area, &self->format);
  if (self->outdated && !before) {
    self->report.host->post_event(self->report.context, MSDK_PLUGIN_EVENT_FORMAT_CHANGED, MSDK_OK, NULL);
  }
  return self->outdated;
}

static msdk_result capture(msdk_self *self, msdk_video_frame **out) {
  x11_pictures *pictures = &self->pictures;
  msdk_result result = x11_follow(self);
  if (result < 0) return result;
  if (is_outdated(self)) return MSDK_E_AGAIN;
  if (!self->source.mapped || self->source.tiny) return repeat(self, out);
  bool draws = self->changed || !pictures->current || pictures->newest == NULL;
  if (draws) x11_cursor_ask(self); /* the answer comes with what is asked next */
  if (self->changed) x11_pictures_notice(self);
  bool is_new = !pictures->current || pictures->newest == NULL;
  x11_mark mark = {0};
  if (!is_new) mark = x11_cursor_look(self, draws);
  if (!x11_display_alive(&self->display) || self->display.is_silent) return x11_follow(self);
  if (!is_new && x11_mark_same(&mark, &pictures->newest->cursor)) return repeat(self, out);

  x11_picture *picture = x11_pictures_take(self);
  if (picture == NULL) return MSDK_E_AGAIN; /* the host has them all */
  pictures->current = x11_pictures_update(self, picture);
  if (is_new) mark = x11_cursor_look(self, true); /* it was asked for before */
  result = x11_follow(self);
  if (result == MSDK_OK && (pictures->newest != picture || is_outdated(self))) result = MSDK_E_AGAIN;
  if (result == MSDK_OK) {
    picture->cursor = mark;
    x11_cursor_draw(&self->cursor, &mark, picture->memory.data, (size_t)self->format.width * 4);
    result = x11_pictures_wrap(self, picture, out);
  }
  if (result < 0) pictures->current = false; /* nobody has seen it */
  return result;
}

static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns; /* the host stamps the frame with it */
  if (!self->started) return report_fail(&self->report, MSDK_E_STATE, "capture is not started");
  if (self->lost) return MSDK_E_CLOSED;
  msdk_result result = capture(self, out);
  if (result == MSDK_E_DEVICE_LOST) self->lost = true;
  return result;
}

/* These are called on the program's threads too, and xcb's writes to a server that has gone raise SIGPIPE. */
static msdk_result without_signal(msdk_self *self, msdk_result (*body)(msdk_self *)) {
  const msdk_pipe_signal held = msdk_pipe_signal_hold();
  msdk_result result = body(self);
  msdk_pipe_signal_drop(&held);
  return result;
}

static msdk_result init_quietly(msdk_self *self) { return without_signal(self, init_capture); }
static msdk_result release_quietly(msdk_self *self) { return without_signal(self, release_capture); }
static msdk_result start_quietly(msdk_self *self) { return without_signal(self, start_capture); }
static msdk_result stop_quietly(msdk_self *self) { return without_signal(self, stop_capture); }

const msdk_video_producer x11_producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_LIVE,
  .init_capture = init_quietly,
  .release_capture = release_quietly,
  .start_capture = start_quietly,
  .stop_capture = stop_quietly,
  .is_capture_started = is_capture_started,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
  .produce_frame = produce_frame,
};
