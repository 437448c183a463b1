#include "screen.h"

#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 64, HEAD_BYTES = 64, NO_COLOUR = -1 };

bool tm_screen_resize(tm_screen *screen, uint32_t columns, uint32_t rows) {
  tm_screen_free(screen);
  size_t cells = (size_t)columns * rows;
  screen->pixels = calloc(2 * cells, sizeof *screen->pixels);
  screen->shown = calloc(2 * cells, sizeof *screen->shown);
  screen->text = malloc(cells * CELL_BYTES + HEAD_BYTES);
  if (screen->pixels == NULL || screen->shown == NULL || screen->text == NULL) {
    tm_screen_free(screen);
    return false;
  }
  screen->columns = columns;
  screen->rows = rows;
  screen->blank = true;
  return true;
}

void tm_screen_free(tm_screen *screen) {
  free(screen->pixels);
  free(screen->shown);
  free(screen->text);
  *screen = (tm_screen){0};
}

/* ------------------------------------------------------------------------------------------------------------------ palette */

static uint32_t distance(uint32_t colour, uint32_t red, uint32_t green, uint32_t blue) {
  int32_t r = (int32_t)(colour >> 16 & 255) - (int32_t)red, g = (int32_t)(colour >> 8 & 255) - (int32_t)green;
  int32_t b = (int32_t)(colour & 255) - (int32_t)blue;
  return (uint32_t)(r * r + g * g + b * b);
}

static uint32_t nearest_level(uint32_t value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; }

/* 16..231: a cube of six levels; 232..255: greys. The first 16 are the terminal's own business. */
static uint32_t palette_index(uint32_t colour) {
  static const uint32_t levels[] = {0, 95, 135, 175, 215, 255};
  uint32_t red = nearest_level(colour >> 16 & 255), green = nearest_level(colour >> 8 & 255), blue = nearest_level(colour & 255);
  uint32_t mean = ((colour >> 16 & 255) + (colour >> 8 & 255) + (colour & 255)) / 3;
  uint32_t grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10, shade = 8 + 10 * grey;
  uint32_t of_cube = distance(colour, levels[red], levels[green], levels[blue]);
  return distance(colour, shade, shade, shade) < of_cube ? 232 + grey : 16 + 36 * red + 6 * green + blue;
}

/* --------------------------------------------------------------------------------------------------------------------- text */

static void put(tm_screen *screen, const char *text) {
  size_t length = strlen(text);
  memcpy(screen->text + screen->length, text, length);
  screen->length += length;
}

static void put_number(tm_screen *screen, uint32_t number) {
  char digits[10];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0) screen->text[screen->length++] = digits[--count];
}

static void put_place(tm_screen *screen, uint32_t row, uint32_t column) {
  put(screen, "\x1b[");
  put_number(screen, row + 1);
  put(screen, ";");
  put_number(screen, column + 1);
  put(screen, "H");
}

/* ground: "38" in front, "48" behind. */
static void put_colour(tm_screen *screen, const char *ground, uint32_t colour, bool true_colour) {
  put(screen, "\x1b[");
  put(screen, ground);
  put(screen, true_colour ? ";2;" : ";5;");
  if (true_colour) {
    put_number(screen, colour >> 16 & 255);
    put(screen, ";");
    put_number(screen, colour >> 8 & 255);
    put(screen, ";");
  }
  put_number(screen, colour & 255);
  put(screen, "m");
}

typedef struct pen {
  int64_t front, behind; /* NO_COLOUR: not known */
  uint32_t row, column;  /* where the next character goes */
} pen;

static void put_cell(tm_screen *screen, pen *pen, uint32_t row, uint32_t column, const uint32_t colours[2], bool true_colour) {
  if (pen->row != row || pen->column != column) put_place(screen, row, column);
  bool plain = colours[0] == colours[1];
  if (!plain && pen->front != colours[0]) put_colour(screen, "38", colours[0], true_colour), pen->front = colours[0];
  if (pen->behind != colours[1]) put_colour(screen, "48", colours[1], true_colour), pen->behind = colours[1];
  put(screen, plain ? " " : "\xe2\x96\x80"); /* U+2580 */
  pen->row = row;
  pen->column = column + 1;
}

void tm_screen_write(tm_screen *screen, bool true_colour) {
  pen pen = {.front = NO_COLOUR, .behind = NO_COLOUR, .row = UINT32_MAX, .column = UINT32_MAX};
  screen->length = 0;
  if (screen->blank) put(screen, "\x1b[0m\x1b[2J");
  for (uint32_t row = 0; row < screen->rows; row++) {
    const uint32_t *above = screen->pixels + (size_t)row * 2 * screen->columns;
    for (uint32_t column = 0; column < screen->columns; column++) {
      uint32_t colours[2] = {above[column], above[column + screen->columns]};
      if (!true_colour) colours[0] = palette_index(colours[0]), colours[1] = palette_index(colours[1]);
      uint32_t *shown = screen->shown + ((size_t)row * screen->columns + column) * 2;
      if (!screen->blank && shown[0] == colours[0] && shown[1] == colours[1]) continue;
      shown[0] = colours[0];
      shown[1] = colours[1];
      put_cell(screen, &pen, row, column, colours, true_colour);
    }
  }
  screen->blank = false;
}
