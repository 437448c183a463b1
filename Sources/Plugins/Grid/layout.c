#include "layout.h"

#include <stdbool.h>

enum { GAP = 4, STRIP_SHARE = 5 /* the strip beside a screen takes a fifth */ };

static int32_t even(int32_t value) { return value < 2 ? 2 : value & ~1; }

/* Cells of a table of that many columns, and the size of a frame of 16:9 in one. */
typedef struct table {
  int32_t columns, rows, cell_width, cell_height, width, height;
  bool fits; /* else some of its cells lie outside the area, as none is smaller than two pixels */
} table;

static table table_of(int32_t count, int32_t columns, grid_rect area) {
  table it = {.columns = columns, .rows = (count + columns - 1) / columns};
  it.cell_width = even((area.width - GAP * (columns - 1)) / columns);
  it.cell_height = even((area.height - GAP * (it.rows - 1)) / it.rows);
  it.width = it.cell_width;
  it.height = it.width * 9 / 16;
  if (it.height > it.cell_height) {
    it.height = it.cell_height;
    it.width = it.height * 16 / 9;
  }
  it.width = even(it.width);
  it.height = even(it.height);
  it.fits = columns * it.cell_width + GAP * (columns - 1) <= area.width && it.rows * it.cell_height + GAP * (it.rows - 1) <= area.height;
  return it;
}

static bool is_inside(grid_rect tile, grid_rect area) {
  return tile.x >= area.x && tile.y >= area.y && tile.x + tile.width <= area.x + area.width && tile.y + tile.height <= area.y + area.height;
}

/* `fills`: the tiles are the cells, whatever their shape. Those for which there is no room have no size. */
static void place(int32_t count, grid_rect area, bool fills, grid_rect *tiles) {
  if (count == 0) return;
  table best = table_of(count, 1, area);
  for (int32_t columns = 2; columns <= count; columns++) {
    table candidate = table_of(count, columns, area);
    if (candidate.fits != best.fits ? candidate.fits : candidate.width > best.width) best = candidate;
  }
  int32_t width = fills ? best.cell_width : best.width, height = fills ? best.cell_height : best.height;
  int32_t top = area.y + (((area.height - best.rows * height - (best.rows - 1) * GAP) / 2) & ~1);
  for (int32_t i = 0; i < count; i++) {
    int32_t row = i / best.columns, column = i % best.columns;
    int32_t in_row = row + 1 < best.rows ? best.columns : count - row * best.columns;
    int32_t left = area.x + (((area.width - in_row * width - (in_row - 1) * GAP) / 2) & ~1);
    grid_rect tile = {left + column * (width + GAP), top + row * (height + GAP), width, height};
    tiles[i] = is_inside(tile, area) ? tile : (grid_rect){0};
  }
}

void grid_place(uint32_t count, grid_rect area, grid_rect *tiles) { place((int32_t)count, area, false, tiles); }

void grid_layout(int32_t width, int32_t height, uint32_t people, uint32_t screens, grid_rect *people_tiles, grid_rect *screen_tiles) {
  grid_rect all = {0, 0, width & ~1, height & ~1};
  grid_rect large = all, strip = all;
  if (screens > 0 && people > 0 && width >= height) {
    strip.width = even(all.width / STRIP_SHARE);
    strip.x = all.width - strip.width;
    large.width = even(strip.x - GAP);
  } else if (screens > 0 && people > 0) {
    strip.height = even(all.height / STRIP_SHARE);
    strip.y = all.height - strip.height;
    large.height = even(strip.y - GAP);
  }
  place((int32_t)screens, large, true, screen_tiles);
  place((int32_t)people, strip, false, people_tiles);
}

grid_rect grid_fit(int32_t width, int32_t height, grid_rect tile) {
  grid_rect fit = tile;
  if ((int64_t)width * tile.height > (int64_t)tile.width * height) {
    fit.height = even((int32_t)((int64_t)tile.width * height / width));
  } else {
    fit.width = even((int32_t)((int64_t)tile.height * width / height));
  }
  fit.x += ((tile.width - fit.width) / 2) & ~1;
  fit.y += ((tile.height - fit.height) / 2) & ~1;
  return fit;
}

grid_rect grid_crop(int32_t width, int32_t height, grid_rect tile) {
  grid_rect crop = {0, 0, width, height};
  if ((int64_t)width * tile.height > (int64_t)tile.width * height) {
    int32_t wanted = (int32_t)((int64_t)height * tile.width / tile.height);
    if (wanted < width) crop.width = wanted < 1 ? 1 : wanted;
  } else {
    int32_t wanted = (int32_t)((int64_t)width * tile.height / tile.width);
    if (wanted < height) crop.height = wanted < 1 ? 1 : wanted;
  }
  /* A thirtieth more is cut off when what is left then is the tile's size times two or four: halving costs a tenth of other scaling. Else
   * whole fours, which can be halved as well. */
  for (int32_t times = 4; times >= 2; times /= 2) {
    int32_t exact_width = times * tile.width, exact_height = times * tile.height;
    if (exact_width > crop.width || exact_height > crop.height) continue;
    if (crop.width - exact_width > crop.width / 30 || crop.height - exact_height > crop.height / 30) break;
    crop.width = exact_width;
    crop.height = exact_height;
    break;
  }
  if (crop.width >= 64) crop.width &= ~3;
  if (crop.height >= 64) crop.height &= ~3;
  crop.x = ((width - crop.width) / 2) & ~1;
  crop.y = ((height - crop.height) / 2) & ~1;
  return crop;
}
