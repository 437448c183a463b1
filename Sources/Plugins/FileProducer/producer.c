#include "self.h"

#include "deliver.h"
#include "../formats.h"

/* A frame that is early by less is on time: hosts that ask at the rate round. */
enum { EARLY_NS = 500000 };
/* As the host does, a file that is further behind goes on from there instead of hurrying. */
#define LATE_NS FP_SECOND_NS

msdk_video_format fp_format_of(const fp_source *source, uint32_t pixel_format) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = source->width;
  format.height = source->height;
  format.fps_num = source->fps_num;
  format.fps_den = source->fps_den;
  format.color_primaries = format.color_transfer = format.color_matrix = MSDK_COLOR_UNSPECIFIED;
  format.color_full_range = source->full_range;
  return format;
}

void fp_agree(msdk_self *self, msdk_video_format format) {
  self->format = format;
  self->plan.fps_num = format.fps_num;
  self->plan.fps_den = format.fps_den;
}

msdk_result fp_init_capture(msdk_self *self) {
  if (self->path == NULL) return report_fail(&self->source.report, MSDK_E_INVALID, "the parameter 'path' is not set");
  msdk_result result = fp_source_open(&self->source, self->path);
  if (result < 0) return result;
  fp_agree(self, fp_format_of(&self->source, MSDK_PIXEL_NV12));
  fp_plan_begin(&self->plan, &self->source, self->loop);
  self->ended = self->begun = false;
  return MSDK_OK;
}

msdk_result fp_release_capture(msdk_self *self) {
  fp_source_close(&self->source);
  return MSDK_OK;
}

/* Goes on where stop left off, so that a change of format is no step back; a file that was at its end begins anew. */
static msdk_result start_capture(msdk_self *self) {
  if (self->ended) {
    fp_source_rewind(&self->source);
    fp_plan_begin(&self->plan, &self->source, self->loop);
    self->ended = false;
  }
  self->plan.loop = self->loop;
  self->timed = false;
  self->started = true;
  return MSDK_OK;
}

msdk_result fp_stop_capture(msdk_self *self) {
  self->started = false;
  return MSDK_OK;
}

msdk_result fp_capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}

static const uint32_t accepted[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, 0};

static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index >= MSDK_COUNT(accepted) || accepted[index] == 0) return MSDK_E_NOT_FOUND;
  *out = fp_format_of(&self->source, accepted[index]);
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *asked) {
  const fp_source *source = &self->source;
  const plugin_report *report = &source->report;
  if (asked == NULL) return report_fail(report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  msdk_video_format format = format_known(asked);
  msdk_result result = format_check_pixels(report, accepted, format.pixel_format);
  if (result < 0) return result;
  if (format.width != source->width || format.height != source->height) {
    return report_fail(report, MSDK_E_FORMAT, "%ux%u was requested; the file's frames are %ux%u and are not scaled", format.width,
                       format.height, source->width, source->height);
  }
  if (format.fps_num == 0) {
    format.fps_num = source->fps_num;
    format.fps_den = source->fps_den;
  }
  if ((uint64_t)format.fps_num * source->fps_den > (uint64_t)source->fps_num * format.fps_den) {
    return report_fail(report, MSDK_E_FORMAT, "%u/%u frames a second were requested; accepted: the file's rate, %u/%u, or less",
                       format.fps_num, format.fps_den, source->fps_num, source->fps_den);
  }
  if ((uint64_t)source->fps_num * format.fps_den / ((uint64_t)source->fps_den * format.fps_num) > FP_SKIP_MAX) {
    return report_fail(report, MSDK_E_FORMAT,
                       "%u/%u frames a second were requested; the file has %u/%u, of which at most %d frames in a row are skipped",
                       format.fps_num, format.fps_den, source->fps_num, source->fps_den, FP_SKIP_MAX);
  }
  if ((format.color_full_range == 1) != (source->full_range == 1)) {
    return report_fail(report, MSDK_E_FORMAT, "the file's colours have %s range, and are not converted",
                       source->full_range ? "full" : "limited");
  }
  fp_agree(self, format);
  return MSDK_OK;
}

bool fp_is_due(msdk_self *self, int64_t due_ns) {
  if (!self->begun && self->start_ns != 0) self->base_ns = self->start_ns - self->plan.next_ns;
  else if (!self->timed) self->base_ns = due_ns - self->plan.next_ns;
  if (due_ns - self->plan.next_ns - self->base_ns > LATE_NS) self->base_ns = due_ns - self->plan.next_ns;
  self->timed = self->begun = true;
  return self->base_ns + self->plan.next_ns - due_ns <= EARLY_NS;
}

/* One more frame of the file, back at the first one after the last when looping. */
static msdk_result read_or_skip(msdk_self *self, fp_picture *picture) {
  fp_source *source = &self->source;
  msdk_result result = picture != NULL ? fp_source_read(source, picture) : fp_source_skip(source);
  if (result != MSDK_E_CLOSED || !self->loop) return result;
  fp_source_rewind(source);
  return picture != NULL ? fp_source_read(source, picture) : fp_source_skip(source);
}

static msdk_result next_picture(msdk_self *self, fp_picture *picture) {
  for (; self->plan.to_skip > 0; self->plan.to_skip--) {
    msdk_result result = read_or_skip(self, NULL);
    if (result < 0) return result;
  }
  uint64_t before = self->source.shown;
  msdk_result result = read_or_skip(self, picture);
  if (self->source.shown > before) fp_plan_advance(&self->plan);
  return result;
}

static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  fp_source *source = &self->source;
  if (!self->started) return report_fail(&source->report, MSDK_E_STATE, "capture is not started");
  if (self->ended) return MSDK_E_CLOSED;
  if (!fp_is_due(self, due_ns)) return MSDK_E_AGAIN;
  /* The frame first: when there is none, the file's picture waits for the next time. */
  msdk_video_frame *frame = NULL;
  msdk_result result = source->report.host->video_frame_acquire(source->report.context, &self->format, 0, &frame);
  if (result < 0) return result;

  int64_t time_ns = self->base_ns + self->plan.next_ns;
  fp_picture picture = {0};
  result = next_picture(self, &picture);
  if (result < 0) {
    source->report.host->video_frame_unref(frame);
    if (result == MSDK_E_CLOSED) self->ended = true;
    return result;
  }
  fp_copy_picture(&picture, frame);
  frame->flags |= picture.flags;
  frame->timestamp_ns = time_ns;
  int64_t next_in = self->base_ns + self->plan.next_ns - due_ns;
  frame->duration_ns = next_in > 0 ? next_in : 1;
  if (self->plan.over) {
    frame->flags |= MSDK_FRAME_END;
    self->ended = true;
  }
  *out = frame;
  return MSDK_OK;
}

const msdk_video_producer fp_producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_TIMED,
  .init_capture = fp_init_capture,
  .release_capture = fp_release_capture,
  .start_capture = start_capture,
  .stop_capture = fp_stop_capture,
  .capture_settings = fp_capture_settings,
  .enum_formats = enum_formats,
  .set_format = set_format,
  .produce_frame = produce_frame,
};
