/* Frames of others on the canvas: scaled, rotated upright, and in the canvas' colours. */
#include "canvas.h"

#include <libyuv.h>
#include <stdlib.h>

/* A part of a frame of I420. */
typedef struct view {
  uint8_t *y, *u, *v;
  int32_t stride, chroma_stride_u, chroma_stride_v, width, height;
} view;

static view view_of_canvas(const grid_canvas *canvas, grid_rect area) {
  ptrdiff_t chroma = (ptrdiff_t)(area.y / 2) * canvas->chroma_stride + area.x / 2;
  return (view){canvas->y + (ptrdiff_t)area.y * canvas->stride + area.x, canvas->u + chroma, canvas->v + chroma, canvas->stride,
                canvas->chroma_stride, canvas->chroma_stride, area.width, area.height};
}

static view view_of_frame(const msdk_video_frame *frame, grid_rect area) {
  const msdk_plane *plane = frame->plane;
  return (view){plane[0].data + (ptrdiff_t)area.y * plane[0].stride + area.x,
                plane[1].data + (ptrdiff_t)(area.y / 2) * plane[1].stride + area.x / 2,
                plane[2].data + (ptrdiff_t)(area.y / 2) * plane[2].stride + area.x / 2, plane[0].stride, plane[1].stride, plane[2].stride,
                area.width, area.height};
}

static view view_of_memory(uint8_t *memory, int32_t width, int32_t height) {
  size_t luma = (size_t)width * (size_t)height;
  return (view){memory, memory + luma, memory + luma + luma / 4, width, width / 2, width / 2, width, height};
}

static uint8_t *reserve(grid_memory *memory, uint64_t size) {
  if (memory->size < size) {
    uint8_t *bytes = realloc(memory->bytes, size);
    if (bytes == NULL) return NULL;
    *memory = (grid_memory){bytes, size};
  }
  return memory->bytes;
}

static void scale_with(enum FilterMode filter, const view *from, const view *to) {
  I420Scale(from->y, from->stride, from->u, from->chroma_stride_u, from->v, from->chroma_stride_v, from->width, from->height, to->y,
            to->stride, to->u, to->chroma_stride_u, to->v, to->chroma_stride_v, to->width, to->height, filter);
}

static bool can_halve(const view *from, const view *to) {
  return from->width >= 2 * to->width && from->height >= 2 * to->height && from->width % 4 == 0 && from->height % 4 == 0;
}

/* Halving is a tenth of the work of a box of any other size, and after it a bilinear filter misses nothing. */
static void scale(const view *from, const view *to, grid_scratch *scratch) {
  view now = *from;
  uint8_t *memory = can_halve(from, to) ? reserve(&scratch->halves, (uint64_t)from->width * (uint64_t)from->height / 2) : NULL;
  while (memory != NULL && can_halve(&now, to)) {
    view half = view_of_memory(memory, now.width / 2, now.height / 2);
    memory += (ptrdiff_t)half.width * half.height * 3 / 2;
    scale_with(kFilterBox, &now, &half);
    now = half;
  }
  scale_with(now.width >= 2 * to->width || now.height >= 2 * to->height ? kFilterBox : kFilterBilinear, &now, to);
}

static bool scale_turned(const view *from, const view *to, uint32_t orientation, grid_scratch *scratch) {
  bool turned = (orientation & 1) != 0;
  int32_t width = turned ? to->height : to->width, height = turned ? to->width : to->height;
  uint64_t size = (uint64_t)width * (uint64_t)height * 3 / 2;
  uint8_t *memory = reserve(&scratch->turning, 2 * size);
  if (memory == NULL) return false;
  view scaled = view_of_memory(memory, width, height), mirrored = view_of_memory(memory + size, width, height);
  scale(from, &scaled, scratch);
  const view *source = &scaled;
  if ((orientation & MSDK_MIRROR) != 0) {
    I420Mirror(scaled.y, scaled.stride, scaled.u, scaled.chroma_stride_u, scaled.v, scaled.chroma_stride_v, mirrored.y, mirrored.stride,
               mirrored.u, mirrored.chroma_stride_u, mirrored.v, mirrored.chroma_stride_v, width, height);
    source = &mirrored;
  }
  static const enum RotationMode modes[] = {kRotate0, kRotate90, kRotate180, kRotate270};
  I420Rotate(source->y, source->stride, source->u, source->chroma_stride_u, source->v, source->chroma_stride_v, to->y, to->stride, to->u,
             to->chroma_stride_u, to->v, to->chroma_stride_v, width, height, modes[orientation & 3]);
  return true;
}

/* ----------------------------------------------------------------------------------------------------------------- colours */

static uint8_t clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* From 0..255 to 16..235 and, of chroma, to 16..240. */
static void limit_range(const view *at) {
  for (int32_t row = 0; row < at->height; row++) {
    uint8_t *y = at->y + (ptrdiff_t)row * at->stride;
    for (int32_t x = 0; x < at->width; x++) y[x] = (uint8_t)(16 + (y[x] * 219 + 127) / 255);
  }
  for (int32_t row = 0; row < at->height / 2; row++) {
    uint8_t *u = at->u + (ptrdiff_t)row * at->chroma_stride_u, *v = at->v + (ptrdiff_t)row * at->chroma_stride_v;
    for (int32_t x = 0; x < at->width / 2; x++) {
      u[x] = clamp(128 + ((u[x] - 128) * 224 + (u[x] < 128 ? -127 : 127)) / 255);
      v[x] = clamp(128 + ((v[x] - 128) * 224 + (v[x] < 128 ? -127 : 127)) / 255);
    }
  }
}

/* To BT.601: luma and chroma of limited range in 1/65,536, from U and V of another matrix. */
typedef struct matrix {
  int32_t y_u, y_v, u_u, u_v, v_u, v_v;
} matrix;

static const matrix from_bt709 = {6508, 12563, 64871, -7252, -4748, 64448};
static const matrix from_bt2020 = {7553, 6761, 65222, -3903, -5511, 63997};

static void change_matrix(const view *at, const matrix *by) {
  for (int32_t row = 0; row < at->height / 2; row++) {
    uint8_t *u = at->u + (ptrdiff_t)row * at->chroma_stride_u, *v = at->v + (ptrdiff_t)row * at->chroma_stride_v;
    uint8_t *y = at->y + (ptrdiff_t)(2 * row) * at->stride, *below = y + at->stride;
    for (int32_t x = 0; x < at->width / 2; x++) {
      int32_t was_u = u[x] - 128, was_v = v[x] - 128, add = (by->y_u * was_u + by->y_v * was_v + 32768) >> 16;
      u[x] = clamp(128 + ((by->u_u * was_u + by->u_v * was_v + 32768) >> 16));
      v[x] = clamp(128 + ((by->v_u * was_u + by->v_v * was_v + 32768) >> 16));
      y[2 * x] = clamp(y[2 * x] + add);
      y[2 * x + 1] = clamp(y[2 * x + 1] + add);
      below[2 * x] = clamp(below[2 * x] + add);
      below[2 * x + 1] = clamp(below[2 * x + 1] + add);
    }
  }
}

static void adapt_colours(const view *at, const msdk_video_format *format) {
  if (format->color_full_range == 1) limit_range(at);
  if (format->color_matrix == MSDK_MATRIX_BT709) change_matrix(at, &from_bt709);
  if (format->color_matrix == MSDK_MATRIX_BT2020_NCL) change_matrix(at, &from_bt2020);
}

/* ------------------------------------------------------------------------------------------------------------ the whole way */

static void fill_beside(grid_canvas *canvas, grid_rect tile, grid_rect inner, grid_colour colour) {
  int32_t below = inner.y + inner.height, right = inner.x + inner.width;
  canvas_fill(canvas, (grid_rect){tile.x, tile.y, tile.width, inner.y - tile.y}, colour);
  canvas_fill(canvas, (grid_rect){tile.x, below, tile.width, tile.y + tile.height - below}, colour);
  canvas_fill(canvas, (grid_rect){tile.x, inner.y, inner.x - tile.x, inner.height}, colour);
  canvas_fill(canvas, (grid_rect){right, inner.y, tile.x + tile.width - right, inner.height}, colour);
}

bool canvas_draw(grid_canvas *canvas, grid_rect tile, const msdk_video_frame *frame, bool fills, grid_colour ground,
                 grid_scratch *scratch) {
  int32_t width = (int32_t)frame->format->width, height = (int32_t)frame->format->height;
  uint32_t orientation = frame->orientation & (MSDK_ROTATE_270 | MSDK_MIRROR);
  bool turned = (orientation & 1) != 0;
  grid_rect stored = {0, 0, width, height}, inner = tile;
  if (fills) {
    grid_rect shape = turned ? (grid_rect){0, 0, tile.height, tile.width} : tile;
    stored = grid_crop(width, height, shape);
  } else {
    inner = turned ? grid_fit(height, width, tile) : grid_fit(width, height, tile);
    fill_beside(canvas, tile, inner, ground);
  }
  view from = view_of_frame(frame, stored), to = view_of_canvas(canvas, inner);
  if (orientation == 0) scale(&from, &to, scratch);
  else if (!scale_turned(&from, &to, orientation, scratch)) return false;
  adapt_colours(&to, frame->format);
  return true;
}
