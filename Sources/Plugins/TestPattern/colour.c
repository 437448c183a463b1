#include "canvas.h"

static uint8_t to_byte(double value) {
  if (value <= 0) return 0;
  if (value >= 255) return 255;
  return (uint8_t)(value + 0.5);
}

/* The luma weights of red and blue: ITU-R BT.709 and BT.2020, else BT.601, which "unspecified" means here. */
static void weights(uint32_t matrix, double *kr, double *kb) {
  switch (matrix) {
  case MSDK_MATRIX_BT709: *kr = 0.2126, *kb = 0.0722; break;
  case MSDK_MATRIX_BT2020_NCL: *kr = 0.2627, *kb = 0.0593; break;
  default: *kr = 0.299, *kb = 0.114; break;
  }
}

tp_colour tp_colour_of(const msdk_video_format *format, double r, double g, double b) {
  double kr, kb;
  weights(format->color_matrix, &kr, &kb);
  double y = kr * r + (1 - kr - kb) * g + kb * b;
  double cb = (b - y) / (2 * (1 - kb)), cr = (r - y) / (2 * (1 - kr));
  int full = format->color_full_range == 1;
  tp_colour colour;
  colour.y = to_byte(full ? 255 * y : 16 + 219 * y);
  colour.u = to_byte(128 + (full ? 255 : 224) * cb);
  colour.v = to_byte(128 + (full ? 255 : 224) * cr);
  int blue_first = format->pixel_format == MSDK_PIXEL_BGRA;
  colour.pixel[0] = to_byte(255 * (blue_first ? b : r));
  colour.pixel[1] = to_byte(255 * g);
  colour.pixel[2] = to_byte(255 * (blue_first ? r : b));
  colour.pixel[3] = 255;
  return colour;
}
