/* A box along the rows and one along the columns, twice each, which is close to a gaussian. Each is a sum that moves: what it costs does
 * not depend on the radius. Beyond the border the border's own pixel goes on. */
#include "self.h"
#include "../formats.h"
#include "../module.h"

#include <stdlib.h>
#include <string.h>

static msdk_result release_filter(msdk_self *self) {
  free(self->plane);
  free(self->sums);
  self->plane = NULL;
  self->sums = NULL;
  self->plane_size = self->columns = 0;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_video_format *in, msdk_video_format *out) {
  static const uint32_t accepted[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_GRAY8, 0};
  return filter_check_formats(&self->report, accepted, in, out);
}

/* Memory for the largest plane so far, kept. */
static int make_room(msdk_self *self, uint64_t columns, uint64_t rows) {
  if (columns * rows > self->plane_size) {
    free(self->plane);
    self->plane = malloc((size_t)(columns * rows));
    self->plane_size = self->plane != NULL ? columns * rows : 0;
  }
  if (columns > self->columns) {
    free(self->sums);
    self->sums = malloc((size_t)columns * sizeof *self->sums);
    self->columns = self->sums != NULL ? columns : 0;
  }
  return self->plane != NULL && self->sums != NULL;
}

static uint32_t inside(int64_t place, uint32_t count) {
  return place < 0 ? 0 : place >= (int64_t)count ? count - 1 : (uint32_t)place;
}

/* `each` interleaved channels of `count` pixels. */
static void along_row(const uint8_t *from, uint8_t *to, uint32_t count, uint32_t each, int64_t radius) {
  uint32_t box = (uint32_t)(2 * radius + 1), half = box / 2;
  for (uint32_t channel = 0; channel < each; channel++) {
    uint32_t sum = 0;
    for (int64_t i = -radius; i <= radius; i++) sum += from[inside(i, count) * each + channel];
    for (uint32_t x = 0; x < count; x++) {
      to[x * each + channel] = (uint8_t)((sum + half) / box);
      sum += from[inside((int64_t)x + radius + 1, count) * each + channel];
      sum -= from[inside((int64_t)x - radius, count) * each + channel];
    }
  }
}

static void along_columns(const uint8_t *from, const msdk_plane *to, uint32_t bytes, uint32_t rows, int64_t radius, uint32_t *sums) {
  uint32_t box = (uint32_t)(2 * radius + 1), half = box / 2;
  memset(sums, 0, bytes * sizeof *sums);
  for (int64_t i = -radius; i <= radius; i++) {
    const uint8_t *row = from + (uint64_t)inside(i, rows) * bytes;
    for (uint32_t x = 0; x < bytes; x++) sums[x] += row[x];
  }
  for (uint32_t y = 0; y < rows; y++) {
    uint8_t *at = to->data + (ptrdiff_t)y * to->stride;
    const uint8_t *next = from + (uint64_t)inside((int64_t)y + radius + 1, rows) * bytes;
    const uint8_t *last = from + (uint64_t)inside((int64_t)y - radius, rows) * bytes;
    for (uint32_t x = 0; x < bytes; x++) {
      at[x] = (uint8_t)((sums[x] + half) / box);
      sums[x] += next[x];
      sums[x] -= last[x];
    }
  }
}

static void blur(msdk_self *self, const msdk_plane *plane, uint32_t columns, uint32_t rows, uint32_t each, uint32_t radius) {
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t y = 0; y < rows; y++) {
      along_row(plane->data + (ptrdiff_t)y * plane->stride, self->plane + (uint64_t)y * columns * each, columns, each, radius);
    }
    along_columns(self->plane, plane, columns * each, rows, radius, self->sums);
  }
}

static msdk_result filter_video_frame(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  uint32_t radius = self->radius;
  if (radius == 0) {
    *out = in;
    return MSDK_OK;
  }
  uint32_t width = in->format->width, height = in->format->height;
  if (!make_room(self, (uint64_t)width + 1, height)) {
    self->report.host->video_frame_unref(in);
    return report_fail(&self->report, MSDK_E_NOMEM, "no memory to blur %ux%u", width, height);
  }
  msdk_video_frame *frame = NULL;
  msdk_result result = filter_make_writable(&self->report, in, &frame);
  if (result < 0) return result;
  blur(self, &frame->plane[0], width, height, 1, radius);
  uint32_t each = frame->plane_count == 2 ? 2 : 1, half = (radius + 1) / 2;
  for (uint32_t plane = 1; plane < frame->plane_count; plane++) {
    blur(self, &frame->plane[plane], (width + 1) / 2, (height + 1) / 2, each, half);
  }
  *out = frame;
  return MSDK_OK;
}

const msdk_video_filter blur_filter = {
  .struct_size = sizeof(msdk_video_filter),
  .init_filter = nothing_to_do,
  .release_filter = release_filter,
  .set_format = set_format,
  .filter_video_frame = filter_video_frame,
};
