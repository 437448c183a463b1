#include "canvas.h"

#include <libyuv.h>
#include <stdlib.h>

bool canvas_make(grid_canvas *canvas, int32_t width, int32_t height) {
  int32_t chroma_width = (width + 1) / 2, chroma_height = (height + 1) / 2;
  *canvas = (grid_canvas){.width = width, .height = height, .stride = (width + 31) & ~31, .chroma_stride = (chroma_width + 31) & ~31};
  uint64_t luma = (uint64_t)canvas->stride * (uint64_t)height, chroma = (uint64_t)canvas->chroma_stride * (uint64_t)chroma_height;
  canvas->y = malloc(luma + 2 * chroma);
  if (canvas->y == NULL) return false;
  canvas->u = canvas->y + luma;
  canvas->v = canvas->u + chroma;
  return true;
}

void canvas_free(grid_canvas *canvas) {
  free(canvas->y);
  *canvas = (grid_canvas){0};
}

grid_colour canvas_colour(uint32_t rgb) {
  int red = (int)(rgb >> 16 & 255), green = (int)(rgb >> 8 & 255), blue = (int)(rgb & 255);
  return (grid_colour){.y = (uint8_t)(16 + ((66 * red + 129 * green + 25 * blue + 128) >> 8)),
                       .u = (uint8_t)(128 + ((-38 * red - 74 * green + 112 * blue + 128) >> 8)),
                       .v = (uint8_t)(128 + ((112 * red - 94 * green - 18 * blue + 128) >> 8))};
}

void canvas_fill(grid_canvas *canvas, grid_rect area, grid_colour colour) {
  if (area.width <= 0 || area.height <= 0) return;
  I420Rect(canvas->y, canvas->stride, canvas->u, canvas->chroma_stride, canvas->v, canvas->chroma_stride, area.x, area.y, area.width,
           area.height, colour.y, colour.u, colour.v);
}

void canvas_frame(grid_canvas *canvas, grid_rect area, int32_t thickness, grid_colour colour) {
  int32_t inner = area.height - 2 * thickness, right = area.x + area.width - thickness, bottom = area.y + area.height - thickness;
  canvas_fill(canvas, (grid_rect){area.x, area.y, area.width, thickness}, colour);
  canvas_fill(canvas, (grid_rect){area.x, bottom, area.width, thickness}, colour);
  canvas_fill(canvas, (grid_rect){area.x, area.y + thickness, thickness, inner}, colour);
  canvas_fill(canvas, (grid_rect){right, area.y + thickness, thickness, inner}, colour);
}

/* ---------------------------------------------------------------------------------------------------------------- overlays */

bool overlay_make(grid_overlay *overlay, const uint8_t *pixels, int32_t stride, int32_t width, int32_t height) {
  *overlay = (grid_overlay){.width = width, .height = height};
  size_t luma = (size_t)width * (size_t)height, chroma = luma / 4;
  overlay->y = malloc(2 * luma + 3 * chroma);
  if (overlay->y == NULL) return false;
  overlay->alpha = overlay->y + luma;
  overlay->u = overlay->alpha + luma;
  overlay->v = overlay->u + chroma;
  overlay->chroma_alpha = overlay->v + chroma;
  for (int32_t row = 0; row < height; row++) {
    const uint8_t *from = pixels + (ptrdiff_t)row * stride;
    for (int32_t x = 0; x < width; x++, from += 4) {
      int blue = from[0], green = from[1], red = from[2], alpha = from[3];
      overlay->alpha[row * width + x] = (uint8_t)alpha;
      overlay->y[row * width + x] = (uint8_t)((16 * alpha + 127) / 255 + ((66 * red + 129 * green + 25 * blue + 128) >> 8));
    }
  }
  for (int32_t row = 0; row < height / 2; row++) {
    for (int32_t x = 0; x < width / 2; x++) {
      const uint8_t *top = pixels + (ptrdiff_t)(2 * row) * stride + 8 * x, *low = top + stride;
      int blue = top[0] + top[4] + low[0] + low[4], green = top[1] + top[5] + low[1] + low[5];
      int red = top[2] + top[6] + low[2] + low[6], alpha = (top[3] + top[7] + low[3] + low[7] + 2) / 4;
      int at = row * (width / 2) + x, middle = (128 * alpha + 127) / 255;
      int u = middle + ((-38 * red - 74 * green + 112 * blue + 512) >> 10), v = middle + ((112 * red - 94 * green - 18 * blue + 512) >> 10);
      overlay->chroma_alpha[at] = (uint8_t)alpha;
      overlay->u[at] = (uint8_t)(u < 0 ? 0 : u);
      overlay->v[at] = (uint8_t)(v < 0 ? 0 : v);
    }
  }
  return true;
}

void overlay_free(grid_overlay *overlay) {
  free(overlay->y);
  *overlay = (grid_overlay){0};
}

static void blend_row(uint8_t *to, const uint8_t *over, const uint8_t *alpha, int32_t count) {
  for (int32_t x = 0; x < count; x++) {
    unsigned under = to[x] * (255u - alpha[x]) + 128, sum = over[x] + ((under + (under >> 8)) >> 8);
    to[x] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}

void canvas_blend(grid_canvas *canvas, int32_t x, int32_t y, const grid_overlay *overlay) {
  if (x < 0 || y < 0 || overlay->y == NULL) return;
  int32_t width = overlay->width, height = overlay->height, half = overlay->width / 2;
  if (width > (canvas->width & ~1) - x) width = (canvas->width & ~1) - x;
  if (height > (canvas->height & ~1) - y) height = (canvas->height & ~1) - y;
  for (int32_t row = 0; row < height; row++) {
    blend_row(canvas->y + (ptrdiff_t)(y + row) * canvas->stride + x, overlay->y + row * overlay->width,
              overlay->alpha + row * overlay->width, width);
  }
  for (int32_t row = 0; row < height / 2; row++) {
    ptrdiff_t at = (ptrdiff_t)(y / 2 + row) * canvas->chroma_stride + x / 2;
    blend_row(canvas->u + at, overlay->u + row * half, overlay->chroma_alpha + row * half, width / 2);
    blend_row(canvas->v + at, overlay->v + row * half, overlay->chroma_alpha + row * half, width / 2);
  }
}
