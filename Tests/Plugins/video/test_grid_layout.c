/* Where the tiles of a grid are. */
#include "../../../Sources/Plugins/Grid/layout.c"
#include "check.h"

static int inside(grid_rect tile, int32_t width, int32_t height) {
  return tile.x >= 0 && tile.y >= 0 && tile.width > 0 && tile.height > 0 && tile.x + tile.width <= width &&
         tile.y + tile.height <= height && tile.x % 2 == 0 && tile.y % 2 == 0 && tile.width % 2 == 0 && tile.height % 2 == 0;
}

static int apart(grid_rect a, grid_rect b) {
  return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
}

static void check_tiles(const grid_rect *tiles, uint32_t count, int32_t width, int32_t height) {
  for (uint32_t i = 0; i < count; i++) {
    CHECK(inside(tiles[i], width, height));
    CHECK(tiles[i].width == tiles[0].width && tiles[i].height == tiles[0].height);
    for (uint32_t j = 0; j < i; j++) CHECK(apart(tiles[i], tiles[j]));
  }
}

/* The widest that any number of columns allows, said in another way, without the evenness of everything. */
static int32_t widest(int32_t count, int32_t width, int32_t height) {
  int32_t best = 0;
  for (int32_t columns = 1; columns <= count; columns++) {
    int32_t rows = (count + columns - 1) / columns;
    double by_width = (width - 4.0 * (columns - 1)) / columns, by_height = (height - 4.0 * (rows - 1)) / rows * 16 / 9;
    int32_t side = (int32_t)(by_width < by_height ? by_width : by_height);
    if (side > best) best = side;
  }
  return best;
}

static void tiles_are_equal_apart_and_as_large_as_can_be(void) {
  static const int32_t sizes[][2] = {{1280, 720}, {640, 360}, {1920, 1080}, {720, 1280}, {800, 800}, {66, 64}, {1279, 719}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    int32_t width = sizes[s][0], height = sizes[s][1];
    for (uint32_t count = 1; count <= 25; count++) {
      grid_rect tiles[25];
      grid_layout(width, height, count, 0, tiles, NULL);
      check_tiles(tiles, count, width, height);
      int32_t best = widest((int32_t)count, width & ~1, height & ~1);
      CHECK(tiles[0].width <= best + 2 && tiles[0].width >= best - 8);
    }
  }
}

/* Where there is no room for all, those that have none have no size. */
static void nothing_lies_outside(void) {
  uint32_t shown = 0, hidden = 0;
  for (int32_t width = 64; width <= 130; width++) {
    for (int32_t height = 64; height <= 130; height += 3) {
      for (uint32_t screens = 0; screens <= 2; screens++) {
        for (uint32_t people = 0; people + screens <= 25; people++) {
          grid_rect tiles[50] = {{0}};
          grid_layout(width, height, people, screens, tiles, tiles + people);
          for (uint32_t i = 0; i < people + screens; i++) {
            if (tiles[i].width == 0 && tiles[i].height == 0) hidden++;
            else if (inside(tiles[i], width, height)) shown++;
            else CHECK(0);
            for (uint32_t j = 0; j < i; j++) CHECK(tiles[i].width == 0 || tiles[j].width == 0 || apart(tiles[i], tiles[j]));
          }
        }
      }
    }
  }
  printf("on grids of 64 to 130 pixels %u tiles are shown, and for %u there is no room\n", shown, hidden);
  CHECK(shown > 100 * hidden);
}

static void check_rect(grid_rect got, int32_t x, int32_t y, int32_t width, int32_t height) {
  CHECK_EQ(got.x, x);
  CHECK_EQ(got.y, y);
  CHECK_EQ(got.width, width);
  CHECK_EQ(got.height, height);
}

static void some_layouts_to_the_pixel(void) {
  grid_rect tiles[25], screens[25];
  grid_layout(1280, 720, 1, 0, tiles, screens);
  check_rect(tiles[0], 0, 0, 1280, 720);
  grid_layout(1280, 720, 2, 0, tiles, screens);
  check_rect(tiles[0], 0, 180, 638, 358);
  check_rect(tiles[1], 642, 180, 638, 358);
  grid_layout(1280, 720, 3, 0, tiles, screens); /* the last row in the middle */
  check_rect(tiles[0], 0, 0, 638, 358);
  check_rect(tiles[2], 320, 362, 638, 358);
  grid_layout(1280, 720, 9, 0, tiles, screens);
  check_rect(tiles[4], 430, 242, 418, 236);
  grid_layout(720, 1280, 2, 0, tiles, screens); /* upright: one below the other */
  check_rect(tiles[0], 0, 234, 720, 404);
  check_rect(tiles[1], 0, 642, 720, 404);
}

static void a_screen_takes_the_large_place(void) {
  grid_rect people[25], screens[25];
  grid_layout(1280, 720, 3, 1, people, screens);
  check_rect(screens[0], 0, 0, 1020, 720);
  for (int i = 0; i < 3; i++) {
    check_rect(people[i], 1024, 140 + 148 * i, 256, 144);
    CHECK(apart(people[i], screens[0]));
  }
  grid_layout(720, 1280, 3, 1, people, screens);
  check_rect(screens[0], 0, 0, 720, 1020);
  CHECK(people[0].y >= 1024 && people[0].y == people[2].y);
  grid_layout(1280, 720, 0, 1, people, screens); /* nobody beside it */
  check_rect(screens[0], 0, 0, 1280, 720);
  for (uint32_t count = 1; count <= 12; count++) {
    grid_layout(1280, 720, 12, count, people, screens);
    check_tiles(people, 12, 1280, 720);
    check_tiles(screens, count, 1280, 720);
    for (uint32_t i = 0; i < count; i++) CHECK(apart(screens[i], people[0]));
  }
}

static void pictures_fit_or_fill(void) {
  grid_rect tile = {100, 50, 640, 360};
  check_rect(grid_fit(1280, 720, tile), 100, 50, 640, 360);
  check_rect(grid_fit(720, 720, tile), 240, 50, 360, 360);
  check_rect(grid_fit(1000, 100, tile), 100, 198, 640, 64);
  check_rect(grid_fit(1, 16384, tile), 418, 50, 2, 360);
  check_rect(grid_crop(1280, 720, tile), 0, 0, 1280, 720);
  check_rect(grid_crop(1280, 720, (grid_rect){0, 0, 638, 358}), 2, 2, 1276, 716); /* twice its size */
  check_rect(grid_crop(1282, 723, (grid_rect){0, 0, 300, 200}), 98, 0, 1084, 720);
  check_rect(grid_crop(720, 720, tile), 0, 158, 720, 404);
  check_rect(grid_crop(1000, 100, tile), 412, 0, 176, 100);
  check_rect(grid_crop(1, 1, tile), 0, 0, 1, 1);
  check_rect(grid_crop(16384, 1, tile), 8190, 0, 1, 1);
}

int main(void) {
  tiles_are_equal_apart_and_as_large_as_can_be();
  nothing_lies_outside();
  some_layouts_to_the_pixel();
  a_screen_takes_the_large_place();
  pictures_fit_or_fill();
  return check_done();
}
