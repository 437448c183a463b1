#include "fit.h"

#include <string.h>

enum { BLACK_LIMITED = 16, NEUTRAL = 128, ONE = 1 << 16 };

typedef struct rect {
  uint32_t x, y, width, height;
} rect;

/* One component of a frame; of NV12 the two lie in turn. */
typedef struct component {
  uint8_t *data;
  ptrdiff_t stride;
  uint32_t step;
} component;

/* Even, so that chroma lies on whole samples; what is less than a fiftieth off is rounding of sizes, and no bar. */
static uint32_t side(uint32_t room, uint64_t num, uint64_t den) {
  uint64_t wanted = (room * num + den / 2) / den;
  if (wanted > room || room - wanted <= room / 50) return room;
  return wanted < 2 ? (room < 2 ? room : 2) : (uint32_t)wanted & ~1u;
}

static rect place(uint32_t width, uint32_t height, uint32_t into_width, uint32_t into_height) {
  rect rect = {.width = side(into_width, (uint64_t)width * into_height, (uint64_t)height * into_width),
               .height = side(into_height, (uint64_t)height * into_width, (uint64_t)width * into_height)};
  rect.x = ((into_width - rect.width) / 2) & ~1u;
  rect.y = ((into_height - rect.height) / 2) & ~1u;
  return rect;
}

/* Where sample `index` of `to` lies among `from`, in 65536ths, centre upon centre. */
static int64_t position(uint32_t index, uint32_t from, uint32_t to) {
  int64_t at = ((int64_t)(2 * (uint64_t)index + 1) * from * (ONE / 2)) / to - ONE / 2, last = (int64_t)(from - 1) * ONE;
  return at < 0 ? 0 : at > last ? last : at;
}

static void scale(const component *to, rect into, const uint8_t *from, ptrdiff_t stride, uint32_t width, uint32_t height) {
  for (uint32_t y = 0; y < into.height; y++) {
    int64_t down = position(y, height, into.height);
    const uint8_t *above = from + (down / ONE) * stride, *below = down / ONE + 1 < height ? above + stride : above;
    uint8_t *row = to->data + (ptrdiff_t)(into.y + y) * to->stride + (size_t)into.x * to->step;
    int64_t lower = down % ONE;
    for (uint32_t x = 0; x < into.width; x++) {
      int64_t right = position(x, width, into.width), left = right / ONE, next = left + 1 < width ? left + 1 : left, part = right % ONE;
      int64_t top = above[left] * (ONE - part) + above[next] * part, bottom = below[left] * (ONE - part) + below[next] * part;
      row[(size_t)x * to->step] = (uint8_t)((top * (ONE - lower) + bottom * lower + ((int64_t)1 << 31)) >> 32);
    }
  }
}

static void fill(const msdk_plane *plane, uint8_t value, uint32_t bytes, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) memset(plane->data + (ptrdiff_t)row * plane->stride, value, bytes);
}

void fp_fit_picture(const fp_picture *picture, msdk_video_frame *frame) {
  const msdk_video_format *format = frame->format;
  bool is_i420 = format->pixel_format == MSDK_PIXEL_I420;
  uint32_t half_width = (format->width + 1) / 2, half_height = (format->height + 1) / 2;
  rect luma = place(picture->width, picture->height, format->width, format->height);
  rect chroma = {luma.x / 2, luma.y / 2, (luma.width + 1) / 2, (luma.height + 1) / 2};
  if (luma.width < format->width || luma.height < format->height) {
    fill(&frame->plane[0], format->color_full_range == 1 ? 0 : BLACK_LIMITED, format->width, format->height);
    for (uint32_t i = 1; i < frame->plane_count; i++) fill(&frame->plane[i], NEUTRAL, is_i420 ? half_width : 2 * half_width, half_height);
  }
  component whole = {frame->plane[0].data, frame->plane[0].stride, 1};
  scale(&whole, luma, picture->plane[0], picture->stride[0], picture->width, picture->height);
  for (uint32_t i = 1; i < 3; i++) {
    const msdk_plane *plane = &frame->plane[is_i420 ? i : 1];
    component half = {plane->data + (is_i420 ? 0 : i - 1), plane->stride, is_i420 ? 1 : 2};
    scale(&half, chroma, picture->plane[i], picture->stride[i], (picture->width + 1) / 2, (picture->height + 1) / 2);
  }
}
