#define _POSIX_C_SOURCE 200809L
/* In a stream: luma stays in the picture's own range, chroma becomes grey. */
#include "self.h"
#include "../pixel_names.h"

#include <string.h>

static msdk_result init_filter(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result release_filter(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
  if (in == NULL || out == NULL) return bw_fail(self, MSDK_E_INVALID, "set_format needs two formats, not NULL");
  uint32_t pixel_format = in->pixel_format;
  if (pixel_format != MSDK_PIXEL_NV12 && pixel_format != MSDK_PIXEL_I420 && pixel_format != MSDK_PIXEL_GRAY8) {
    return bw_fail(self, MSDK_E_FORMAT, "pixel format %s is not supported; accepted: NV12, I420, GRAY8", msdk_pixel_name(pixel_format));
  }
  return MSDK_OK;
}

/* The level is a grey of 0..255; what it is compared with is the luma, of whichever range. */
static void threshold(msdk_video_frame *frame, uint32_t level) {
  bool full = frame->format->color_full_range == 1 || frame->format->pixel_format == MSDK_PIXEL_GRAY8;
  uint8_t table[256];
  for (int luma = 0; luma < 256; luma++) {
    int grey = full ? luma : luma <= 16 ? 0 : luma >= 235 ? 255 : ((luma - 16) * 255 + 109) / 219;
    table[luma] = (uint8_t)(grey >= (int)level ? (full ? 255 : 235) : full ? 0 : 16);
  }
  for (uint32_t row = 0; row < frame->format->height; row++) {
    uint8_t *at = frame->plane[0].data + (ptrdiff_t)row * frame->plane[0].stride;
    for (uint32_t x = 0; x < frame->format->width; x++) at[x] = table[at[x]];
  }
}

static void take_colour(msdk_video_frame *frame) {
  uint32_t columns = (frame->format->width + 1) / 2, rows = (frame->format->height + 1) / 2;
  uint32_t bytes = frame->plane_count == 2 ? columns * 2 : columns;
  for (uint32_t plane = 1; plane < frame->plane_count; plane++) {
    for (uint32_t row = 0; row < rows; row++) memset(frame->plane[plane].data + (ptrdiff_t)row * frame->plane[plane].stride, 128, bytes);
  }
}

static msdk_result filter_video_frame(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  msdk_video_frame *frame = NULL;
  msdk_result result = self->host->video_frame_make_writable(self->context, in, &frame);
  if (result < 0) {
    self->host->video_frame_unref(in);
    return result;
  }
  if (self->mode == BW_THRESHOLD) threshold(frame, self->level);
  take_colour(frame);
  *out = frame;
  return MSDK_OK;
}

const msdk_video_filter bw_filter = {
  .struct_size = sizeof(msdk_video_filter),
  .init_filter = init_filter,
  .release_filter = release_filter,
  .set_format = set_format,
  .filter_video_frame = filter_video_frame,
};
