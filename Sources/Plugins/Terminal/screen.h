/* What the terminal shows, and what must be written to change it: nothing but the cells that differ. */
#ifndef TERMINAL_SCREEN_H
#define TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cell is two pixels, one above the other: an upper half block in the colour of the one before that of the other. */
typedef struct tm_screen {
  uint32_t columns, rows;
  uint32_t *pixels; /* columns * 2 rows, 0xRRGGBB: what is to be shown */
  uint32_t *shown;  /* as many colours, as they were written; of no meaning before the first time */
  char *text;       /* what is to be written */
  size_t length;
  bool blank;       /* nothing was written yet */
} tm_screen;

/* A screen of another size; false when there is no memory, and then there is none. */
bool tm_screen_resize(tm_screen *screen, uint32_t columns, uint32_t rows);
void tm_screen_free(tm_screen *screen);

/* Makes the text that shows the pixels. true_colour: as they are; otherwise the nearest of the 256 of a palette. */
void tm_screen_write(tm_screen *screen, bool true_colour);

#endif
