/* What is written and drawn over tiles: names, the mark of who is muted, initials of who sends no frame. By pango and cairo, which shape
 * every script that there are fonts for. One thread at a time. */
#ifndef GRID_LABEL_H
#define GRID_LABEL_H

#include "canvas.h"

typedef struct grid_pen grid_pen;

grid_pen *pen_make(void);
void pen_free(grid_pen *pen); /* NULL is fine */

/* A name on a dark band, shortened with an ellipsis to what fits into a tile of that size, after the
 * mark of who is muted; false when there is no memory. */
bool pen_name(grid_pen *pen, grid_overlay *out, const char *name, bool is_muted, int32_t tile_width, int32_t tile_height);

/* One or two letters in a disk whose colour is the name's; `whole`: the text as it is. */
bool pen_initials(grid_pen *pen, grid_overlay *out, const char *name, int32_t tile_width, int32_t tile_height, bool whole);

#endif
