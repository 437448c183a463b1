#include "self.h"

#include "deliver.h"

#include <string.h>

enum { STEP_MAX = 1000 }; /* what lies between two pictures is read, and of VP8 decoded, in one call */

static msdk_video_format format_of(const fp_source *source, uint32_t pixel_format) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = source->width;
  format.height = source->height;
  format.fps_num = source->fps_num;
  format.fps_den = source->fps_den;
  format.memory_kinds = MSDK_MEMORY_CPU;
  format.color_primaries = format.color_transfer = format.color_matrix = MSDK_COLOR_UNSPECIFIED;
  format.color_full_range = source->full_range;
  return format;
}

static void agree(msdk_self *self, msdk_video_format format) {
  self->format = format;
  self->step_num = (uint64_t)self->source.fps_num * format.fps_den;
  self->step_den = (uint64_t)self->source.fps_den * format.fps_num;
  self->step_rest = 0;
  self->to_skip = 0;
}

static msdk_result init_capture(msdk_self *self) {
  if (self->path == NULL) return fp_fail(&self->source.report, MSDK_E_INVALID, "the parameter 'path' is not set");
  msdk_result result = fp_source_open(&self->source, self->path);
  if (result < 0) return result;
  agree(self, format_of(&self->source, MSDK_PIXEL_NV12));
  self->ended = false;
  return MSDK_OK;
}

static msdk_result release_capture(msdk_self *self) {
  fp_source_close(&self->source);
  return MSDK_OK;
}

/* Goes on where stop left off, so that a change of format is no step back; a file that was at its end begins anew. */
static msdk_result start_capture(msdk_self *self) {
  if (self->ended) {
    fp_source_rewind(&self->source);
    agree(self, self->format);
    self->ended = false;
  }
  self->started = true;
  return MSDK_OK;
}

static msdk_result stop_capture(msdk_self *self) {
  self->started = false;
  return MSDK_OK;
}

static msdk_result capture_settings(msdk_self *self, msdk_video_format *out) {
  *out = self->format;
  return MSDK_OK;
}

static msdk_result enum_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index > 1) return MSDK_E_NOT_FOUND;
  *out = format_of(&self->source, index == 0 ? MSDK_PIXEL_NV12 : MSDK_PIXEL_I420);
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *asked) {
  const fp_source *source = &self->source;
  const fp_report *report = &source->report;
  if (asked == NULL) return fp_fail(report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  msdk_video_format format = {0};
  memcpy(&format, asked, asked->struct_size < sizeof format ? asked->struct_size : sizeof format);
  format.struct_size = (uint32_t)sizeof format;

  if (format.pixel_format != MSDK_PIXEL_NV12 && format.pixel_format != MSDK_PIXEL_I420) {
    return fp_fail(report, MSDK_E_FORMAT, "pixel format 0x%08X is not made here; NV12 and I420 are", format.pixel_format);
  }
  if (format.width != source->width || format.height != source->height) {
    return fp_fail(report, MSDK_E_FORMAT, "%ux%u was asked for; the file's pictures are %ux%u and are not scaled", format.width,
                   format.height, source->width, source->height);
  }
  if (format.fps_num == 0) {
    format.fps_num = source->fps_num;
    format.fps_den = source->fps_den;
  }
  if ((uint64_t)format.fps_num * source->fps_den > (uint64_t)source->fps_num * format.fps_den) {
    return fp_fail(report, MSDK_E_FORMAT, "%u/%u frames a second were asked for; the file has %u/%u, and fewer can be made", format.fps_num,
                   format.fps_den, source->fps_num, source->fps_den);
  }
  if ((uint64_t)source->fps_num * format.fps_den / ((uint64_t)source->fps_den * format.fps_num) > STEP_MAX) {
    return fp_fail(report, MSDK_E_FORMAT,
                   "%u/%u frames a second were asked for; the file has %u/%u, of which at most %d are skipped at a time", format.fps_num,
                   format.fps_den, source->fps_num, source->fps_den, STEP_MAX);
  }
  if ((format.color_full_range == 1) != (source->full_range == 1)) {
    return fp_fail(report, MSDK_E_FORMAT, "the file's colours are of %s range, and are not converted",
                   source->full_range ? "full" : "limited");
  }
  if (format.memory_kinds != 0 && (format.memory_kinds & MSDK_MEMORY_CPU) == 0) {
    return fp_fail(report, MSDK_E_FORMAT, "memory kinds 0x%X leave out CPU memory, the only kind written to", format.memory_kinds);
  }
  format.memory_kinds = MSDK_MEMORY_CPU;
  agree(self, format);
  return MSDK_OK;
}

/* At the end: back to the first frame when looping. */
static msdk_result at_end(msdk_self *self, msdk_result result) {
  if (result != MSDK_E_CLOSED || !self->loop) return result;
  fp_source_rewind(&self->source);
  return MSDK_OK;
}

static msdk_result skip(msdk_self *self) {
  while (self->to_skip > 0) {
    msdk_result result = fp_source_skip(&self->source);
    if (result == MSDK_OK) self->to_skip--;
    else result = at_end(self, result);
    if (result < 0) return result;
  }
  return MSDK_OK;
}

/* The frame after this one, in the file, is not always the next to be shown. */
static void step(msdk_self *self) {
  uint64_t whole = self->step_num / self->step_den, rest = self->step_num % self->step_den;
  bool carry = rest > 0 && self->step_rest >= self->step_den - rest;
  self->step_rest = carry ? self->step_rest - (self->step_den - rest) : self->step_rest + rest;
  self->to_skip = whole + carry - 1;
}

static msdk_result next_picture(msdk_self *self, fp_picture *picture) {
  msdk_result result = skip(self);
  if (result < 0) return result;
  result = fp_source_read(&self->source, picture);
  if (result == MSDK_E_CLOSED && self->loop) {
    fp_source_rewind(&self->source);
    result = fp_source_read(&self->source, picture);
  }
  if (result == MSDK_OK || result == MSDK_E_AGAIN) step(self);
  return result;
}

static msdk_result produce_frame(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns; /* the host stamps the frame with it */
  fp_source *source = &self->source;
  if (!self->started) return fp_fail(&source->report, MSDK_E_STATE, "capture is not started");
  if (self->ended) return MSDK_E_CLOSED;
  /* The frame first: when there is none, the file's picture waits for the next time. */
  msdk_video_frame *frame = NULL;
  msdk_result result = source->report.host->video_frame_acquire(source->report.context, &self->format, 0, &frame);
  if (result < 0) return result;

  fp_picture picture = {0};
  result = next_picture(self, &picture);
  if (result < 0) {
    source->report.host->video_frame_unref(frame);
    if (result == MSDK_E_CLOSED) self->ended = true;
    return result;
  }
  fp_copy_picture(&picture, frame);
  frame->flags |= picture.flags;
  if (!self->loop && fp_source_ends_before(source, self->to_skip)) {
    frame->flags |= MSDK_FRAME_END;
    self->ended = true;
  }
  *out = frame;
  return MSDK_OK;
}

const msdk_video_producer fp_producer = {
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
