/* Grey lines across the picture that move upwards, in the manner of the bands of random grey with which raw-video quickstarts begin,
 * but the same in every run: the grey of a line is a hash of its number. */
#include "pattern.h"

enum { LINES_ON_SCREEN = 20, LINES = 64 /* in the endless roll, then it starts anew */, SECONDS_PER_SCREEN = 4 };

static double grey_of(uint32_t line) {
  uint32_t hash = (line + 1) * 2654435761u; /* the golden ratio times 2^32, Knuth's multiplicative hash */
  return (double)(hash >> 24) / 255;
}

void tp_lines_draw(const tp_canvas *canvas, const msdk_video_format *format, double seconds) {
  uint32_t thickness = canvas->height / LINES_ON_SCREEN;
  if (thickness == 0) thickness = 1;
  double screens = seconds / SECONDS_PER_SCREEN;
  uint64_t scrolled = (uint64_t)(screens * canvas->height);

  for (uint32_t y = 0; y < canvas->height;) {
    uint64_t position = scrolled + y;
    uint32_t line = (uint32_t)(position / thickness % LINES);
    uint32_t rows = thickness - (uint32_t)(position % thickness);
    double grey = grey_of(line);
    tp_fill(canvas, 0, y, canvas->width, rows, tp_colour_of(format, grey, grey, grey));
    y += rows;
  }
}
