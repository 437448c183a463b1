#include "canvas.h"

#include <string.h>

tp_canvas tp_canvas_of(const msdk_video_frame *frame) {
  tp_canvas canvas = {.pixel_format = frame->format->pixel_format, .width = frame->format->width, .height = frame->format->height};
  for (uint32_t i = 0; i < 3 && i < frame->plane_count; i++) {
    canvas.plane[i] = frame->plane[i].data;
    canvas.stride[i] = frame->plane[i].stride;
  }
  return canvas;
}

/* Writes `count` times the `unit` bytes at `value`. Doubling what is already there lets memcpy do the work at its own speed. */
static void repeat(uint8_t *to, const uint8_t *value, size_t unit, size_t count) {
  size_t total = unit * count, done = unit;
  if (total == 0) return;
  memcpy(to, value, unit);
  while (done < total) {
    size_t part = done < total - done ? done : total - done;
    memcpy(to + done, to, part);
    done += part;
  }
}

/* A rectangle of one plane, in samples of `unit` bytes. One row is made and the others are copies of it. */
static void fill_plane(const tp_canvas *canvas, int plane, uint32_t x, uint32_t y, uint32_t width, uint32_t height, const uint8_t *value,
                       size_t unit) {
  ptrdiff_t stride = canvas->stride[plane];
  uint8_t *first = canvas->plane[plane] + (ptrdiff_t)y * stride + (size_t)x * unit;
  if (unit == 1) {
    for (uint32_t row = 0; row < height; row++) memset(first + row * stride, value[0], width);
    return;
  }
  repeat(first, value, unit, width);
  for (uint32_t row = 1; row < height; row++) memcpy(first + row * stride, first, (size_t)width * unit);
}

void tp_fill(const tp_canvas *canvas, uint32_t x, uint32_t y, uint32_t width, uint32_t height, tp_colour colour) {
  if (x >= canvas->width || y >= canvas->height) return;
  if (width > canvas->width - x) width = canvas->width - x;
  if (height > canvas->height - y) height = canvas->height - y;
  if (width == 0 || height == 0) return;

  if (canvas->pixel_format == MSDK_PIXEL_BGRA || canvas->pixel_format == MSDK_PIXEL_RGBA) {
    fill_plane(canvas, 0, x, y, width, height, colour.pixel, 4);
    return;
  }
  fill_plane(canvas, 0, x, y, width, height, &colour.y, 1);
  uint32_t left = x / 2, top = y / 2, across = (x + width + 1) / 2 - left, down = (y + height + 1) / 2 - top;
  if (canvas->pixel_format == MSDK_PIXEL_NV12) {
    const uint8_t pair[2] = {colour.u, colour.v};
    fill_plane(canvas, 1, left, top, across, down, pair, 2);
  } else {
    fill_plane(canvas, 1, left, top, across, down, &colour.u, 1);
    fill_plane(canvas, 2, left, top, across, down, &colour.v, 1);
  }
}
