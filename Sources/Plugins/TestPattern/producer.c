#include "self.h"
#include "../formats.h"

#include <string.h>

typedef struct offer {
  uint16_t width, height, fps;
} offer;

static const offer offers[] = {
  {1920, 1080, 30}, {1280, 720, 30}, {960, 540, 30},  {858, 480, 30},  {640, 480, 30},  {640, 360, 30},
  {480, 270, 15},   {424, 320, 15},  {352, 240, 15},  {320, 240, 15},  {320, 180, 15},  {212, 160, 15},
};
enum { OFFERS = sizeof offers / sizeof offers[0], OFFER_DEFAULT = 1 };

static msdk_video_format format_of(offer offer) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = offer.width;
  format.height = offer.height;
  format.fps_num = offer.fps;
  format.fps_den = 1;
  return format;
}

static msdk_result init_capture(msdk_self *self) {
  self->format = format_of(offers[OFFER_DEFAULT]);
  self->counter = 0;
  self->seconds = 0;
  return MSDK_OK;
}

static msdk_result release_capture(msdk_self *self) {
  tp_bars_free(&self->bars);
  return MSDK_OK;
}

static msdk_result start_capture(msdk_self *self) {
  if (tp_bars_prepare(&self->bars, &self->format) != MSDK_OK) {
    return report_fail(&self->report, MSDK_E_NOMEM, "no memory for the rows of %u pixels", self->format.width);
  }
  return MSDK_OK;
}

static msdk_result stop_capture(msdk_self *self) {
  tp_bars_free(&self->bars);
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}

static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  (void)self;
  if (index >= OFFERS) return MSDK_E_NOT_FOUND;
  *out = format_of(offers[index]);
  return MSDK_OK;
}

static int is_yuv(uint32_t pixel_format) { return pixel_format == MSDK_PIXEL_NV12 || pixel_format == MSDK_PIXEL_I420; }

static int knows_matrix(uint32_t matrix) {
  return matrix == 0 || matrix == MSDK_COLOR_UNSPECIFIED || matrix == MSDK_MATRIX_BT709 || matrix == MSDK_MATRIX_BT470BG ||
         matrix == MSDK_MATRIX_SMPTE170M || matrix == MSDK_MATRIX_BT2020_NCL;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *asked) {
  if (asked == NULL) return report_fail(&self->report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  static const uint32_t accepted[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_BGRA, MSDK_PIXEL_RGBA, 0};
  msdk_video_format format = format_known(asked);
  msdk_result result = format_check_pixels(&self->report, accepted, format.pixel_format);
  if (result == MSDK_OK) result = format_check_size(&self->report, &format, 1, MSDK_DIMENSION_MAX);
  if (result < 0) return result;
  if (format.fps_num > 0 && format.fps_den == 0) {
    return report_fail(&self->report, MSDK_E_FORMAT, "the frame rate is %u/0; accepted: a denominator above 0", format.fps_num);
  }
  if (is_yuv(format.pixel_format) && !knows_matrix(format.color_matrix)) {
    return report_fail(&self->report, MSDK_E_FORMAT, "colour matrix %u is not supported; accepted: BT.601 (5, 6), BT.709 (1), BT.2020 (9)",
                       format.color_matrix);
  }
  self->format = format;
  return MSDK_OK;
}

static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  if (self->bars.memory == NULL) return report_fail(&self->report, MSDK_E_STATE, "capture is not started");
  msdk_video_frame *frame = NULL;
  msdk_result result = self->report.host->video_frame_acquire(self->report.context, &self->format, 0, &frame);
  if (result < 0) return result;

  uint64_t number = self->counter + 1;
  tp_canvas canvas = tp_canvas_of(frame);
  switch (self->pattern) {
  case TP_LINES: tp_lines_draw(&canvas, &self->format, self->seconds); break;
  case TP_COUNTER: tp_counter_draw(&canvas, &self->format, self->seconds, number, due_ns); break;
  default: tp_bars_draw(&self->bars, &canvas); break;
  }
  frame->timestamp_ns = due_ns; /* what the stamp says */

  double fps = self->format.fps_num > 0 ? (double)self->format.fps_num / self->format.fps_den : 30;
  self->counter = number;
  self->seconds += self->speed / fps;
  *out = frame;
  return MSDK_OK;
}

const msdk_video_producer tp_producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = init_capture,
  .release_capture = release_capture,
  .start_capture = start_capture,
  .stop_capture = stop_capture,
  .capture_settings = capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
  .produce_frame = produce_frame,
};
