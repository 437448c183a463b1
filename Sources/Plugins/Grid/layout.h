/* Where the tiles of a grid are. Pure arithmetic; everything is even, as chroma is shared by two pixels each way. */
#ifndef GRID_LAYOUT_H
#define GRID_LAYOUT_H

#include <stdint.h>

typedef struct grid_rect {
  int32_t x, y, width, height;
} grid_rect;

/* `count` equal tiles of 16:9 in rows and columns, as large as they can be, the block and its last row in the middle of the area. */
void grid_place(uint32_t count, grid_rect area, grid_rect *tiles);

/* Participants alone are placed on the whole frame. Where screens are shared these take the large part of it, whatever their shape, and
 * the participants a strip beside it, or below in an upright frame. */
void grid_layout(int32_t width, int32_t height, uint32_t people, uint32_t screens, grid_rect *people_tiles, grid_rect *screen_tiles);

/* A frame of that size in a tile: the rectangle that it fills when all of it is to be seen. */
grid_rect grid_fit(int32_t width, int32_t height, grid_rect tile);

/* The middle of a frame that fills a tile: the part of the frame that is seen. */
grid_rect grid_crop(int32_t width, int32_t height, grid_rect tile);

#endif
