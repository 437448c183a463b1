/* The composed frame: which input has which tile, and drawing those tiles that have changed. */
#ifndef GRID_COMPOSE_H
#define GRID_COMPOSE_H

#include "canvas.h"
#include "inputs.h"
#include "label.h"

enum { GRID_TILES = 25 }; /* when there are more inputs, the last tile says how many */

typedef struct grid_settings {
  uint32_t background; /* 0xRRGGBB */
  bool names, fills;
  uint64_t version;
} grid_settings;

/* One of the inputs to be shown, as it was when the drawing began. */
typedef struct grid_shown {
  grid_input input; /* its frame is referenced once more */
  bool is_rest; /* no input: the name says how many are not shown */
} grid_shown;

typedef struct grid_tile {
  grid_rect rect;
  uint32_t number;
  uint64_t frame_version, info_version; /* what is drawn; 0: nothing */
  grid_overlay name, initials; /* made for info_version */
} grid_tile;

typedef struct grid_composer {
  grid_canvas canvas;
  grid_scratch scratch;
  grid_pen *pen;
  grid_tile tiles[GRID_TILES];
  uint32_t count;
  uint64_t settings_version;
} grid_composer;

/* Chooses what is shown: all, or as many as there are tiles for, screens first in either case. Copies, and takes no reference. */
uint32_t compose_choose(const grid_inputs *inputs, grid_shown *shown);

/* Draws what has changed, into a canvas of that size. False when there is no memory. */
bool compose_draw(grid_composer *composer, int32_t width, int32_t height, const grid_settings *settings, const grid_shown *shown,
                  uint32_t count);

void compose_free(grid_composer *composer);

#endif
