#include "self.h"
#include "../formats.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

msdk_result fr_reserve(fr_writer *writer, uint64_t size) {
  if (size <= writer->buffer_size) return MSDK_OK;
  free(writer->buffer);
  writer->buffer = malloc((size_t)size);
  writer->buffer_size = writer->buffer != NULL ? size : 0;
  if (writer->buffer != NULL) return MSDK_OK;
  return report_fail(&writer->output.report, MSDK_E_NOMEM, "no memory for a frame of %llu bytes", (unsigned long long)size);
}

/* NULL when neither the parameter nor the path tells. */
static const fr_kind *kind_of(const msdk_self *self) {
  static const fr_kind *const kinds[] = {&fr_y4m, &fr_ivf, &fr_png};
  if (self->kind != NULL || self->path == NULL) return self->kind;
  const char *slash = strrchr(self->path, '/'), *name = slash != NULL ? slash + 1 : self->path, *dot = strrchr(name, '.');
  if (dot == NULL) return NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcasecmp(dot + 1, kinds[i]->name) == 0) return kinds[i];
  }
  return NULL;
}

static msdk_result init_render(msdk_self *self) {
  if (self->path == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the parameter 'path' is not set");
  const fr_kind *kind = kind_of(self);
  if (kind == NULL) {
    return report_fail(&self->report, MSDK_E_INVALID,
                       "'%.300s' does not end in .y4m, .ivf or .png; rename it, or set the parameter 'format'", self->path);
  }
  fr_writer writer = {.kind = kind, .output = {.report = self->report, .fd = -1}, .wanted = self->frame};
  msdk_result result = fr_output_open(&writer.output, self->path, self->shared);
  if (result < 0) return result;
  self->writer = writer;
  return MSDK_OK;
}

/* Always leaves everything closed; the result tells whether the file is complete. What failed while rendering was told then. */
static msdk_result release_render(msdk_self *self) {
  fr_writer *writer = &self->writer;
  if (writer->kind == NULL) return MSDK_OK;
  bool told = writer->output.error != 0;
  msdk_result finished = writer->kind->finish != NULL ? writer->kind->finish(writer) : MSDK_OK;
  msdk_result closed = fr_output_close(&writer->output);
  free(writer->buffer);
  *writer = (fr_writer){.output = {.report = self->report, .fd = -1}};
  if (told) return MSDK_OK;
  return finished < 0 ? finished : closed;
}

static int32_t accepts_format(msdk_self *self, const msdk_video_format *format) {
  const fr_kind *kind = kind_of(self);
  return format != NULL && kind != NULL && kind->accepts != NULL && kind->accepts(&self->writer, format);
}

static int32_t accepts_codec(msdk_self *self, uint32_t codec) {
  const fr_kind *kind = kind_of(self);
  return kind != NULL && kind->encoded != NULL && codec == MSDK_CODEC_VP8;
}

static bool enough(const msdk_self *self) { return self->max_frames != 0 && self->writer.frames >= self->max_frames; }

static msdk_result check_picture(msdk_self *self, const msdk_video_frame *frame) {
  const fr_writer *writer = &self->writer;
  if (writer->kind == NULL) return report_fail(&self->report, MSDK_E_STATE, "no file is open");
  if (frame == NULL || frame->format == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the frame has no format");
  const msdk_video_format *format = frame->format;
  if (writer->kind->accepts == NULL || !writer->kind->accepts(writer, format)) {
    return report_fail(&self->report, MSDK_E_FORMAT, "pixel format %s cannot go into this %s file", msdk_pixel_name(format->pixel_format),
                       writer->kind->name);
  }
  if (frame->orientation != 0) { /* of an upright class the host rotates them */
    return report_fail(&self->report, MSDK_E_FORMAT, "the frame has orientation %u; accepted: upright frames, with orientation 0",
                       frame->orientation);
  }
  bool sized = format->width >= 1 && format->width <= MSDK_DIMENSION_MAX && format->height >= 1 && format->height <= MSDK_DIMENSION_MAX;
  if (!sized || frame->plane_count < format_planes(format->pixel_format)) {
    return report_fail(&self->report, MSDK_E_INVALID, "the frame of %ux%u has %u planes", format->width, format->height,
                       frame->plane_count);
  }
  return MSDK_OK;
}

static msdk_result render_video_frame(msdk_self *self, const msdk_video_frame *frame) {
  msdk_result result = check_picture(self, frame);
  if (result < 0 || enough(self)) return result;
  result = self->writer.kind->picture(&self->writer, frame);
  if (result == MSDK_OK) self->writer.frames++;
  return result;
}

static msdk_result render_encoded_frame(msdk_self *self, const msdk_encoded_frame *frame) {
  const fr_kind *kind = self->writer.kind;
  if (kind == NULL) return report_fail(&self->report, MSDK_E_STATE, "no file is open");
  if (frame == NULL) return report_fail(&self->report, MSDK_E_INVALID, "the frame is NULL");
  if (kind->encoded == NULL) return report_fail(&self->report, MSDK_E_FORMAT, "encoded frames cannot go into a %s file", kind->name);
  if (enough(self)) return MSDK_OK;
  msdk_result result = kind->encoded(&self->writer, frame);
  if (result == MSDK_OK) self->writer.frames++;
  return result;
}

const msdk_video_renderer fr_renderer = {
  .struct_size = sizeof(msdk_video_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .accepts_format = accepts_format,
  .render_video_frame = render_video_frame,
  .accepts_codec = accepts_codec,
  .render_encoded_frame = render_encoded_frame,
};
