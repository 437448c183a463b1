#include "deliver.h"

#include "fit.h"

#include <string.h>

enum { NEUTRAL = 128 };

static void copy_rows(uint8_t *to, ptrdiff_t to_stride, const uint8_t *from, ptrdiff_t from_stride, uint32_t bytes, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) memcpy(to + row * to_stride, from + row * from_stride, bytes);
}

static void fill_rows(uint8_t *to, ptrdiff_t stride, uint32_t bytes, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) memset(to + row * stride, NEUTRAL, bytes);
}

static void interleave_row(uint8_t *restrict to, const uint8_t *restrict u, const uint8_t *restrict v, uint32_t pairs) {
  for (uint32_t i = 0; i < pairs; i++) {
    to[2 * i] = u[i];
    to[2 * i + 1] = v[i];
  }
}

void fp_copy_picture(const fp_picture *picture, msdk_video_frame *frame) {
  const msdk_video_format *format = frame->format;
  if (picture->width != format->width || picture->height != format->height) {
    fp_fit_picture(picture, frame);
    return;
  }
  uint32_t half_width = (format->width + 1) / 2, half_height = (format->height + 1) / 2;
  copy_rows(frame->plane[0].data, frame->plane[0].stride, picture->plane[0], picture->stride[0], format->width, format->height);

  if (format->pixel_format == MSDK_PIXEL_I420) {
    for (int i = 1; i < 3; i++) {
      msdk_plane plane = frame->plane[i];
      if (picture->plane[i] == NULL) fill_rows(plane.data, plane.stride, half_width, half_height);
      else copy_rows(plane.data, plane.stride, picture->plane[i], picture->stride[i], half_width, half_height);
    }
    return;
  }
  msdk_plane pairs = frame->plane[1];
  if (picture->plane[1] == NULL) {
    fill_rows(pairs.data, pairs.stride, 2 * half_width, half_height);
    return;
  }
  for (uint32_t row = 0; row < half_height; row++) {
    interleave_row(pairs.data + (ptrdiff_t)row * pairs.stride, picture->plane[1] + (ptrdiff_t)row * picture->stride[1],
                   picture->plane[2] + (ptrdiff_t)row * picture->stride[2], half_width);
  }
}
