/* 75 % colour bars after SMPTE EG 1 ("Alignment Color Bar Test Signal for Television Picture Monitors"): the upper two thirds are the seven
 * bars, the next twelfth the bars in reverse with black between them, for setting hue and saturation through a blue filter, and the lowest
 * quarter -I, 100 % white, +Q, black, PLUGE and black. The code values follow from ITU-R BT.601-7 or BT.709-6, whichever matrix the
 * format names. The bars of 75 % are those of SMPTE RP 219 too, which has other patches around them.
 *
 * -I and +Q are the two axes of NTSC's chroma at an amplitude of 0.2, lifted by just as much luma as keeps R, G and B from going below
 * black, so that RGB can show them as well. */
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

enum { UPPER = 0, MIDDLE = 1, LOWER = 2 };

static void draw_seven(const tp_canvas *row, const tp_colour colour[7]) {
  for (uint32_t i = 0; i < 7; i++) {
    uint32_t from = row->width * i / 7, to = row->width * (i + 1) / 7;
    tp_fill(row, from, 0, to - from, 1, colour[i]);
  }
}

static void draw_rows(tp_bars *bars, const msdk_video_format *f) {
  tp_colour grey = tp_colour_of(f, .75, .75, .75), yellow = tp_colour_of(f, .75, .75, 0), cyan = tp_colour_of(f, 0, .75, .75);
  tp_colour green = tp_colour_of(f, 0, .75, 0), magenta = tp_colour_of(f, .75, 0, .75), red = tp_colour_of(f, .75, 0, 0);
  tp_colour blue = tp_colour_of(f, 0, 0, .75), black = tp_colour_of(f, 0, 0, 0);
  draw_seven(&bars->row[UPPER], (const tp_colour[7]){grey, yellow, cyan, green, magenta, red, blue});
  draw_seven(&bars->row[MIDDLE], (const tp_colour[7]){blue, black, magenta, black, cyan, black, grey});

  /* In 84ths of the width: four patches of 5/28, the PLUGE (4 % below black, black, 4 % above) under the red bar, black under the blue. */
  static const uint8_t edge[9] = {0, 15, 30, 45, 60, 64, 68, 72, 84};
  const tp_colour patch[8] = {tp_colour_of(f, 0, .246, .413),     tp_colour_of(f, 1, 1, 1), tp_colour_of(f, .253, 0, .470), black,
                              tp_colour_of(f, -.04, -.04, -.04), black, tp_colour_of(f, .04, .04, .04), black};
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t from = f->width * edge[i] / 84, to = f->width * edge[i + 1] / 84;
    tp_fill(&bars->row[LOWER], from, 0, to - from, 1, patch[i]);
  }
}

msdk_result tp_bars_prepare(tp_bars *bars, const msdk_video_format *format) {
  tp_bars_free(bars);
  size_t width = format->width, plane_bytes = 4 * width + 4; /* enough for a row of any plane of any format */
  bars->memory = malloc(9 * plane_bytes);
  if (bars->memory == NULL) return MSDK_E_NOMEM;
  for (size_t row = 0; row < 3; row++) {
    tp_canvas canvas = {.pixel_format = format->pixel_format, .width = format->width, .height = 1};
    for (size_t plane = 0; plane < 3; plane++) canvas.plane[plane] = bars->memory + (row * 3 + plane) * plane_bytes;
    bars->row[row] = canvas;
  }
  draw_rows(bars, format);
  return MSDK_OK;
}

void tp_bars_free(tp_bars *bars) {
  free(bars->memory);
  bars->memory = NULL;
}

static void copy_plane(const tp_bars *bars, const tp_canvas *canvas, int plane, size_t row_bytes, uint32_t rows, uint32_t step) {
  uint32_t middle = canvas->height * 2 / 3, lower = canvas->height * 3 / 4;
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t y = row * step;
    const tp_canvas *from = &bars->row[y >= lower ? LOWER : y >= middle ? MIDDLE : UPPER];
    memcpy(canvas->plane[plane] + (ptrdiff_t)row * canvas->stride[plane], from->plane[plane], row_bytes);
  }
}

void tp_bars_draw(const tp_bars *bars, const tp_canvas *canvas) {
  uint32_t width = canvas->width, height = canvas->height, half_width = (width + 1) / 2, half_height = (height + 1) / 2;
  if (canvas->pixel_format == MSDK_PIXEL_BGRA || canvas->pixel_format == MSDK_PIXEL_RGBA) {
    copy_plane(bars, canvas, 0, (size_t)4 * width, height, 1);
    return;
  }
  copy_plane(bars, canvas, 0, width, height, 1);
  if (canvas->pixel_format == MSDK_PIXEL_NV12) {
    copy_plane(bars, canvas, 1, (size_t)2 * half_width, half_height, 2);
  } else {
    copy_plane(bars, canvas, 1, half_width, half_height, 2);
    copy_plane(bars, canvas, 2, half_width, half_height, 2);
  }
}
