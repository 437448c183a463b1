#define _POSIX_C_SOURCE 200809L
/* In a stream: luma stays in the picture's own range, chroma becomes grey. */
#include "self.h"
#include "../formats.h"
#include "../module.h"

#include <string.h>

static msdk_result set_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
  static const uint32_t accepted[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_GRAY8, 0};
  return filter_check_formats(&self->report, accepted, in, out);
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
  msdk_result result = filter_make_writable(&self->report, in, &frame);
  if (result < 0) return result;
  if (self->mode == BW_THRESHOLD) threshold(frame, self->level);
  take_colour(frame);
  *out = frame;
  return MSDK_OK;
}

const msdk_video_filter bw_filter = {
  .struct_size = sizeof(msdk_video_filter),
  .init_filter = nothing_to_do,
  .release_filter = nothing_to_do,
  .set_format = set_format,
  .filter_video_frame = filter_video_frame,
};
