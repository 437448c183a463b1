/* A frame of I420 to draw on: rectangles of one colour, translucent overlays, frames of any size rotated upright. BT.601, limited
 * range. */
#ifndef GRID_CANVAS_H
#define GRID_CANVAS_H

#include "layout.h"

#include <mediasdk/types.h>

#include <stdbool.h>

typedef struct grid_colour {
  uint8_t y, u, v;
} grid_colour;

typedef struct grid_canvas {
  int32_t width, height, stride, chroma_stride;
  uint8_t *y, *u, *v; /* one block, which begins at y */
} grid_canvas;

/* Something with transparency, colours premultiplied by it. All sides even. */
typedef struct grid_overlay {
  int32_t width, height;
  uint8_t *y, *alpha;                /* a pixel each */
  uint8_t *u, *v, *chroma_alpha;     /* two by two */
} grid_overlay;

/* Memory that is kept from one time to the next. */
typedef struct grid_memory {
  uint8_t *bytes;
  uint64_t size;
} grid_memory;

/* What scaling and turning need between two steps. */
typedef struct grid_scratch {
  grid_memory halves, turning;
} grid_scratch;

bool canvas_make(grid_canvas *canvas, int32_t width, int32_t height);
void canvas_free(grid_canvas *canvas);

grid_colour canvas_colour(uint32_t rgb); /* 0xRRGGBB */
void canvas_fill(grid_canvas *canvas, grid_rect area, grid_colour colour);
/* Along the inside of a rectangle. */
void canvas_frame(grid_canvas *canvas, grid_rect area, int32_t thickness, grid_colour colour);

/* Of `pixels`, premultiplied BGRA in memory as cairo's ARGB32 has it. */
bool overlay_make(grid_overlay *overlay, const uint8_t *pixels, int32_t stride, int32_t width, int32_t height);
void overlay_free(grid_overlay *overlay);
/* `x` and `y` even; what lies outside the canvas is left out. */
void canvas_blend(grid_canvas *canvas, int32_t x, int32_t y, const grid_overlay *overlay);

/* A frame of I420, upright: all of it in the middle of the tile, with `ground` beside it, or (`fills`) its middle on the whole tile. */
bool canvas_draw(grid_canvas *canvas, grid_rect tile, const msdk_video_frame *frame, bool fills, grid_colour ground,
                 grid_scratch *scratch);

#endif
