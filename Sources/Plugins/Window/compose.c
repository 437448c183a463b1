#include "compose.h"

#include <libyuv/planar_functions.h>
#include <libyuv/rotate_argb.h>
#include <libyuv/scale_argb.h>
#include <stdlib.h>

bool wn_memory_reserve(wn_memory *memory, uint64_t size) {
  if (size <= memory->size) return true;
  free(memory->bytes);
  memory->bytes = malloc((size_t)size);
  memory->size = memory->bytes != NULL ? size : 0;
  return memory->bytes != NULL;
}

void wn_memory_free(wn_memory *memory) {
  free(memory->bytes);
  *memory = (wn_memory){0};
}

void wn_upright_size(const msdk_video_frame *frame, uint32_t *width, uint32_t *height) {
  bool lies = (frame->orientation & 1) != 0; /* MSDK_ROTATE_90 or _270 */
  *width = lies ? frame->format->height : frame->format->width;
  *height = lies ? frame->format->width : frame->format->height;
}

/* Mirroring left to right is turning upside down, which libyuv does for a height below 0, and then half round. */
static bool turn(const msdk_video_frame *frame, wn_memory *scratch, wn_canvas *out) {
  static const enum RotationMode modes[] = {kRotate0, kRotate90, kRotate180, kRotate270};
  bool mirrored = (frame->orientation & MSDK_MIRROR) != 0;
  wn_upright_size(frame, &out->width, &out->height);
  if (!wn_memory_reserve(scratch, (uint64_t)out->width * out->height * 4)) return false;
  out->pixels = scratch->bytes;
  out->stride = (int)out->width * 4;
  int height = (int)frame->format->height;
  return ARGBRotate(frame->plane[0].data, frame->plane[0].stride, out->pixels, out->stride, (int)frame->format->width,
                    mirrored ? -height : height, modes[((frame->orientation & 3) + (mirrored ? 2 : 0)) & 3]) == 0;
}

static uint32_t proportion(uint32_t of, uint32_t numerator, uint32_t denominator) {
  uint64_t result = ((uint64_t)of * numerator + denominator / 2) / denominator;
  return result < 1 ? 1 : (uint32_t)result;
}

/* Makes width by height as slender as `like_width` by `like_height`: in the middle of what it was, and no larger. */
static wn_canvas middle(const wn_canvas *canvas, uint32_t like_width, uint32_t like_height) {
  wn_canvas part = *canvas;
  if ((uint64_t)like_width * canvas->height > (uint64_t)like_height * canvas->width) {
    part.height = proportion(canvas->width, like_height, like_width);
  } else {
    part.width = proportion(canvas->height, like_width, like_height);
  }
  uint32_t left = (canvas->width - part.width) / 2, top = (canvas->height - part.height) / 2;
  part.pixels += (ptrdiff_t)top * canvas->stride + (ptrdiff_t)left * 4;
  return part;
}

static void paint(const wn_canvas *canvas, uint32_t left, uint32_t top, uint32_t width, uint32_t height, uint32_t colour) {
  if (width == 0 || height == 0) return;
  ARGBRect(canvas->pixels, canvas->stride, (int)left, (int)top, (int)width, (int)height, 0xFF000000 | colour);
}

static void paint_around(const wn_canvas *canvas, const wn_canvas *part, uint32_t colour) {
  uint32_t left = (canvas->width - part->width) / 2, top = (canvas->height - part->height) / 2;
  uint32_t right = left + part->width, bottom = top + part->height;
  paint(canvas, 0, 0, canvas->width, top, colour);
  paint(canvas, 0, bottom, canvas->width, canvas->height - bottom, colour);
  paint(canvas, 0, top, left, part->height, colour);
  paint(canvas, right, top, canvas->width - right, part->height, colour);
}

bool wn_compose(const wn_view *view, const msdk_video_frame *frame, wn_memory *scratch, const wn_canvas *canvas) {
  wn_canvas from = {.pixels = frame->plane[0].data, .stride = frame->plane[0].stride};
  from.width = frame->format->width;
  from.height = frame->format->height;
  if ((frame->orientation & 7) != 0 && !turn(frame, scratch, &from)) return false;

  wn_canvas to = *canvas;
  if (view->scale == WN_FIT) to = middle(canvas, from.width, from.height);
  if (view->scale == WN_FILL) from = middle(&from, canvas->width, canvas->height);
  paint_around(canvas, &to, view->background);
  return ARGBScale(from.pixels, from.stride, (int)from.width, (int)from.height, to.pixels, to.stride, (int)to.width, (int)to.height,
                   kFilterBox) == 0;
}
