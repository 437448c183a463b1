#include "sample.h"

#include <string.h>

enum { POINTS = 8 }; /* looked at along a side of a large pixel, at most */

/* The picture as it stands upright: the pixel at (x, y) is at origin + x * right + y * down. */
typedef struct upright {
  const uint8_t *origin;
  ptrdiff_t right, down;
  uint32_t width, height;
} upright;

/* Undoes the turning clockwise, then the mirroring before it. */
static const uint8_t *stored(const msdk_video_frame *frame, ptrdiff_t x, ptrdiff_t y) {
  ptrdiff_t last_x = (ptrdiff_t)frame->format->width - 1, last_y = (ptrdiff_t)frame->format->height - 1, across = x, along = y;
  switch (frame->orientation & 3) {
  case MSDK_ROTATE_90: across = y, along = last_y - x; break;
  case MSDK_ROTATE_180: across = last_x - x, along = last_y - y; break;
  case MSDK_ROTATE_270: across = last_x - y, along = x; break;
  default: break;
  }
  if ((frame->orientation & MSDK_MIRROR) != 0) across = last_x - across;
  return frame->plane[0].data + along * frame->plane[0].stride + across * 4;
}

static upright stand(const msdk_video_frame *frame) {
  int lies = (frame->orientation & 1) != 0; /* MSDK_ROTATE_90 or _270 */
  upright picture = {.origin = stored(frame, 0, 0)};
  picture.width = lies ? frame->format->height : frame->format->width;
  picture.height = lies ? frame->format->width : frame->format->height;
  if (picture.width > 1) picture.right = stored(frame, 1, 0) - picture.origin;
  if (picture.height > 1) picture.down = stored(frame, 0, 1) - picture.origin;
  return picture;
}

/* The mean of points that are spread evenly over a part of the picture. */
static uint32_t mean(const upright *picture, uint32_t left, uint32_t top, uint32_t right, uint32_t bottom) {
  uint32_t step_x = (right - left + POINTS - 1) / POINTS, step_y = (bottom - top + POINTS - 1) / POINTS;
  uint32_t red = 0, green = 0, blue = 0, count = 0;
  for (uint32_t y = top; y < bottom; y += step_y) {
    const uint8_t *from = picture->origin + (ptrdiff_t)y * picture->down + (ptrdiff_t)left * picture->right;
    for (uint32_t x = left; x < right; x += step_x, from += (ptrdiff_t)step_x * picture->right) {
      blue += from[0];
      green += from[1];
      red += from[2];
      count++;
    }
  }
  uint32_t half = count / 2;
  return (red + half) / count << 16 | (green + half) / count << 8 | (blue + half) / count;
}

static uint32_t proportion(uint32_t of, uint32_t numerator, uint32_t denominator) {
  uint64_t result = ((uint64_t)of * numerator + denominator / 2) / denominator;
  return result < 1 ? 1 : (uint32_t)result;
}

/* Where the part of a side of `picture` pixels that is seen as pixel `index` of `seen` begins. */
static uint32_t edge(uint32_t index, uint32_t picture, uint32_t seen) { return (uint32_t)((uint64_t)index * picture / seen); }

void tm_sample(const msdk_video_frame *frame, uint32_t *to, uint32_t width, uint32_t height) {
  upright picture = stand(frame);
  uint32_t wide = width, high = height;
  if ((uint64_t)picture.width * height > (uint64_t)picture.height * width) high = proportion(width, picture.height, picture.width);
  else wide = proportion(height, picture.width, picture.height);
  memset(to, 0, sizeof *to * width * height);
  to += (size_t)((height - high) / 2) * width + (width - wide) / 2;
  for (uint32_t y = 0; y < high; y++, to += width) {
    uint32_t top = edge(y, picture.height, high), bottom = edge(y + 1, picture.height, high);
    if (bottom == top) bottom++;
    for (uint32_t x = 0; x < wide; x++) {
      uint32_t left = edge(x, picture.width, wide), right = edge(x + 1, picture.width, wide);
      to[x] = mean(&picture, left, top, right > left ? right : left + 1, bottom);
    }
  }
}
