/* Plain rectangles in any of the pixel formats that this plugin makes. */
#ifndef TESTPATTERN_CANVAS_H
#define TESTPATTERN_CANVAS_H

#include <mediasdk/plugin.h>

/* One colour in the notation of every pixel format, so that drawing never converts. */
typedef struct tp_colour {
  uint8_t y, u, v;
  uint8_t pixel[4]; /* the four bytes of BGRA or RGBA, in the order of memory */
} tp_colour;

/* Where to draw: the planes of a frame, or memory of our own laid out in the same way. */
typedef struct tp_canvas {
  uint32_t pixel_format, width, height;
  uint8_t *plane[3];
  int32_t stride[3];
} tp_canvas;

/* `r`, `g` and `b` are the gamma-corrected signals of the BT recommendations, 0 for black to 1 for full; a little outside is fine, and is
 * kept where limited-range luma has room for it. */
tp_colour tp_colour_of(const msdk_video_format *format, double r, double g, double b);

tp_canvas tp_canvas_of(const msdk_video_frame *frame);

/* Fills the part of the rectangle that lies on the canvas. A chroma sample that is shared with a neighbour takes the newer colour. */
void tp_fill(const tp_canvas *canvas, uint32_t x, uint32_t y, uint32_t width, uint32_t height, tp_colour colour);

#endif
