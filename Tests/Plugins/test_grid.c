/* The grid: where tiles are, what is drawn on them to the pixel, and when pictures are passed on. */
#define _POSIX_C_SOURCE 200809L
#include "../../Sources/Plugins/Grid/layout.c"
#include "check.h"
#include "host.h"

#include <stdlib.h>
#include <time.h>

static const msdk_class *grid_class;

enum { BACKGROUND = 0x10, SPEAKING_Y = 142, SPEAKING_U = 112, SPEAKING_V = 65, GROUND_Y = 49 };

/* ------------------------------------------------------------------------------------------------------------------ layout */

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

/* ----------------------------------------------------------------------------------------------------------------- drawing */

static void open_grid(host_instance *grid, uint32_t width, uint32_t height) {
  host_create(grid, grid_class);
  CHECK_EQ(host_set_u32(grid, "width", width), MSDK_OK);
  CHECK_EQ(host_set_u32(grid, "height", height), MSDK_OK);
  CHECK_EQ(host_set_bool(grid, "names", 0), MSDK_OK);
  CHECK_EQ(host_set_string(grid, "background", "#000000"), MSDK_OK);
  CHECK_EQ(grid_class->video_renderer->init_render(grid->self), MSDK_OK);
}

static void close_grid(host_instance *grid) {
  CHECK_EQ(grid_class->video_renderer->flush(grid->self), MSDK_OK);
  CHECK_EQ(grid_class->video_renderer->release_render(grid->self), MSDK_OK);
  host_destroy(grid);
}

static void tell(host_instance *grid, uint32_t number, const char *name, int has_video, int is_speaking, int is_muted) {
  msdk_input input = host_input(MSDK_VIDEO_VIRTUAL, name);
  input.has_video = (uint32_t)has_video;
  input.is_speaking = (uint32_t)is_speaking;
  input.is_muted = (uint32_t)is_muted;
  CHECK_EQ(host_update_input(grid, number, &input), MSDK_OK);
}

static void fill(msdk_video_frame *frame, uint8_t y, uint8_t u, uint8_t v) {
  const uint8_t values[] = {y, u, v};
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      memset(frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride, values[i], host_row_bytes(frame->format, i));
    }
  }
}

static void show(host_instance *grid, uint32_t number, msdk_video_frame *frame) {
  CHECK_EQ(grid_class->video_renderer->render_input_frame(grid->self, number, frame), MSDK_OK);
  host_unref(frame);
}

static void show_colour(host_instance *grid, uint32_t number, uint32_t width, uint32_t height, uint8_t y, uint8_t u, uint8_t v) {
  msdk_video_format format = host_format(MSDK_PIXEL_I420, width, height);
  msdk_video_frame *frame = host_frame(grid, &format);
  fill(frame, y, u, v);
  show(grid, number, frame);
}

static msdk_video_frame *picture_of(host_instance *grid) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(grid_class->video_renderer->snapshot_format(grid->self, &format), MSDK_OK);
  msdk_video_frame *frame = host_frame(grid, &format);
  CHECK_EQ(grid_class->video_renderer->snapshot(grid->self, frame), MSDK_OK);
  return frame;
}

static int at(const msdk_video_frame *frame, uint32_t plane, int32_t x, int32_t y) {
  int shift = plane == 0 ? 0 : 1;
  return frame->plane[plane].data[(ptrdiff_t)(y >> shift) * frame->plane[plane].stride + (x >> shift)];
}

/* How many pixels of luma of a rectangle are not `value`; one more or less comes of scaling. */
static int32_t others(const msdk_video_frame *frame, grid_rect area, int value) {
  int32_t count = 0;
  for (int32_t y = area.y; y < area.y + area.height; y++) {
    for (int32_t x = area.x; x < area.x + area.width; x++) count += abs(at(frame, 0, x, y) - value) > 1;
  }
  return count;
}

static void four_tiles_to_the_pixel(void) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  static const uint32_t sizes[][2] = {{320, 180}, {640, 360}, {33, 21}, {1280, 720}};
  for (uint32_t i = 0; i < 4; i++) {
    tell(&grid, i + 1, "a", 1, 0, 0);
    show_colour(&grid, i + 1, sizes[i][0], sizes[i][1], (uint8_t)(60 + 40 * i), (uint8_t)(100 + i), (uint8_t)(150 + i));
  }
  grid_rect tiles[4];
  grid_layout(640, 360, 4, 0, tiles, NULL);
  msdk_video_frame *picture = picture_of(&grid);
  int32_t covered = 0;
  for (uint32_t i = 0; i < 4; i++) {
    CHECK_EQ(others(picture, tiles[i], (int)(60 + 40 * i)), 0);
    CHECK_EQ(at(picture, 1, tiles[i].x, tiles[i].y), (int)(100 + i));
    CHECK_EQ(at(picture, 2, tiles[i].x + tiles[i].width - 1, tiles[i].y + tiles[i].height - 1), (int)(150 + i));
    covered += tiles[i].width * tiles[i].height;
  }
  CHECK_EQ(640 * 360 - others(picture, (grid_rect){0, 0, 640, 360}, BACKGROUND), 640 * 360 - covered);
  host_unref(picture);

  CHECK_EQ(grid_class->video_renderer->remove_input(grid.self, 2), MSDK_OK); /* the others close up */
  grid_layout(640, 360, 3, 0, tiles, NULL);
  picture = picture_of(&grid);
  static const int left[] = {60, 140, 180};
  for (uint32_t i = 0; i < 3; i++) CHECK_EQ(others(picture, tiles[i], left[i]), 0);
  host_unref(picture);
  close_grid(&grid);
}

static void what_is_wrong_is_refused(void) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  const msdk_video_renderer *renderer = grid_class->video_renderer;
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(renderer->snapshot_format(grid.self, &format), MSDK_E_AGAIN);
  msdk_video_format wanted = host_format(MSDK_PIXEL_I420, 64, 64);
  msdk_video_frame *frame = host_frame(&grid, &wanted);
  fill(frame, 1, 2, 3);
  CHECK_EQ(renderer->render_input_frame(grid.self, 7, frame), MSDK_E_NOT_FOUND);
  CHECK_TEXT(grid.context.error_text, "7");
  CHECK_EQ(renderer->remove_input(grid.self, 7), MSDK_E_NOT_FOUND);
  CHECK_EQ(renderer->update_input(grid.self, 0, NULL), MSDK_E_INVALID);
  CHECK_EQ(renderer->render_input_frame(grid.self, 7, NULL), MSDK_E_INVALID);
  host_unref(frame);
  wanted = host_format(MSDK_PIXEL_NV12, 64, 64);
  CHECK_EQ(renderer->accepts_format(grid.self, &wanted), 0);
  frame = host_frame(&grid, &wanted);
  tell(&grid, 7, "b", 1, 0, 0);
  CHECK(renderer->render_input_frame(grid.self, 7, frame) < 0);
  host_unref(frame);
  CHECK_EQ(host_set_u32(&grid, "width", 641), MSDK_E_RANGE);
  CHECK_EQ(host_set_u32(&grid, "height", 62), MSDK_E_RANGE);
  CHECK_EQ(host_set_u32(&grid, "fps", 0), MSDK_E_RANGE);
  static const char *const colours[] = {"", "#", "101216", "#10121", "#1012166", "#10121g", "#-10121", "red"};
  for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++) {
    CHECK_EQ(host_set_string(&grid, "background", colours[i]), MSDK_E_RANGE);
    CHECK_TEXT(grid.context.error_text, colours[i]);
  }
  close_grid(&grid);
}

static void names_are_written_in_their_band(void) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  tell(&grid, 1, "Zo\xC3\xAB", 1, 0, 0);
  show_colour(&grid, 1, 640, 360, 128, 128, 128);
  grid_rect band = {0, 300, 320, 60};
  msdk_video_frame *picture = picture_of(&grid);
  CHECK_EQ(others(picture, (grid_rect){0, 0, 640, 360}, 128), 0);
  host_unref(picture);
  CHECK_EQ(host_set_bool(&grid, "names", 1), MSDK_OK);
  picture = picture_of(&grid);
  int32_t first = others(picture, band, 128);
  CHECK(first > 500);
  CHECK_EQ(others(picture, (grid_rect){0, 0, 640, 360}, 128), first); /* and nowhere else */
  int bright = 0;
  for (int32_t y = band.y; y < 360; y++) {
    for (int32_t x = 0; x < band.width; x++) bright += at(picture, 0, x, y) > 200;
  }
  CHECK(bright > 30); /* white letters; without a font there are none */
  host_unref(picture);
  tell(&grid, 1, "Zo\xC3\xAB with a longer name", 1, 0, 0);
  picture = picture_of(&grid);
  CHECK(others(picture, band, 128) > first);
  host_unref(picture);
  tell(&grid, 1, "Zo\xC3\xAB", 1, 0, 1); /* the mark of who is muted makes room for itself */
  picture = picture_of(&grid);
  CHECK(others(picture, band, 128) > first);
  host_unref(picture);
  CHECK_EQ(host_set_bool(&grid, "names", 0), MSDK_OK);
  picture = picture_of(&grid);
  int32_t mark = others(picture, band, 128);
  CHECK(mark > 100 && mark < first + 500);
  host_unref(picture);
  close_grid(&grid);
}

static void names_of_every_kind_are_survived(void) {
  static const char *const names[] = {
    "", "\xFF\xFE", "\xC3", "a\nb\tc", "<b>&amp;</b>", "%s%n", "\xD9\x85\xD8\xB1\xD8\xAD\xD8\xA8\xD8\xA7",
    "\xE5\xB1\xB1\xE7\x94\xB0 \xE5\xA4\xAA\xE9\x83\x8E", "\xF0\x9F\x98\x80\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80",
    "\xE2\x80\xAEreversed", "...", "Z\xCC\x80\xCC\x81\xCC\x82\xCC\x83\xCC\x84"};
  char longest[256];
  memset(longest, 'W', 255);
  longest[255] = 0;
  host_instance grid;
  open_grid(&grid, 320, 180);
  CHECK_EQ(host_set_bool(&grid, "names", 1), MSDK_OK);
  for (size_t i = 0; i <= sizeof names / sizeof names[0]; i++) {
    const char *name = i < sizeof names / sizeof names[0] ? names[i] : longest;
    for (int has_video = 0; has_video < 2; has_video++) {
      tell(&grid, 1, name, has_video, 0, 1);
      if (has_video) show_colour(&grid, 1, 64, 64, 128, 128, 128);
      msdk_video_frame *picture = picture_of(&grid);
      if (has_video) CHECK_EQ(others(picture, (grid_rect){0, 0, 320, 130}, 128), 0); /* in the band, whatever it is */
      host_unref(picture);
    }
  }
  CHECK_EQ(host_set_bool(&grid, "names", 0), MSDK_OK);
  close_grid(&grid);
}

static void who_speaks_has_a_frame(void) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  for (uint32_t i = 1; i <= 4; i++) {
    tell(&grid, i, "c", 1, i == 2, 0);
    show_colour(&grid, i, 320, 180, 100, 128, 128);
  }
  grid_rect tiles[4];
  grid_layout(640, 360, 4, 0, tiles, NULL);
  msdk_video_frame *picture = picture_of(&grid);
  grid_rect tile = tiles[1], inner = {tile.x + 4, tile.y + 4, tile.width - 8, tile.height - 8};
  CHECK_EQ(others(picture, inner, 100), 0);
  CHECK_EQ(tile.width * tile.height - others(picture, tile, SPEAKING_Y), tile.width * tile.height - inner.width * inner.height);
  CHECK_EQ(at(picture, 1, tile.x, tile.y + 50), SPEAKING_U);
  CHECK_EQ(at(picture, 2, tile.x + tile.width - 1, tile.y + tile.height - 1), SPEAKING_V);
  CHECK_EQ(others(picture, tiles[0], 100), 0);
  host_unref(picture);
  tell(&grid, 2, "c", 1, 0, 0);
  picture = picture_of(&grid);
  CHECK_EQ(others(picture, tile, 100), 0);
  host_unref(picture);
  close_grid(&grid);
}

static void without_a_picture_there_are_initials(void) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  tell(&grid, 1, "Ada Lovelace", 0, 0, 0);
  msdk_video_frame *ada = picture_of(&grid);
  CHECK_EQ(at(ada, 0, 4, 4), GROUND_Y);
  int32_t disk = others(ada, (grid_rect){0, 0, 640, 360}, GROUND_Y);
  CHECK(disk > 16000 && disk < 26000); /* of 162 across: 20,600 */
  tell(&grid, 1, "Bo", 0, 0, 0);
  msdk_video_frame *bo = picture_of(&grid);
  CHECK(!host_same(ada, bo));
  host_unref(bo);
  tell(&grid, 1, "Ada Lovelace", 1, 0, 0); /* announced, nothing came yet: still */
  bo = picture_of(&grid);
  CHECK(host_same(ada, bo));
  host_unref(bo);
  show_colour(&grid, 1, 64, 36, 90, 128, 128);
  bo = picture_of(&grid);
  CHECK_EQ(others(bo, (grid_rect){0, 0, 640, 360}, 90), 0);
  host_unref(bo);
  tell(&grid, 1, "Ada Lovelace", 0, 0, 0); /* and over */
  CHECK_EQ(grid.context.outstanding, 1);
  bo = picture_of(&grid);
  CHECK(host_same(ada, bo));
  host_unref(bo);
  host_unref(ada);
  close_grid(&grid);
}

static void a_screen_is_never_cut(void) {
  host_instance grid;
  open_grid(&grid, 1280, 720);
  tell(&grid, 1, "d", 1, 0, 0);
  show_colour(&grid, 1, 64, 36, 80, 128, 128);
  msdk_input screen = host_input(MSDK_VIDEO_SCREEN_SHARE, "d");
  screen.has_video = 1;
  CHECK_EQ(host_update_input(&grid, 2, &screen), MSDK_OK);
  show_colour(&grid, 2, 100, 200, 200, 128, 128);
  msdk_video_frame *picture = picture_of(&grid);
  CHECK_EQ(others(picture, (grid_rect){330, 0, 360, 720}, 200), 0);
  CHECK_EQ(others(picture, (grid_rect){0, 0, 330, 720}, GROUND_Y), 0);
  CHECK_EQ(others(picture, (grid_rect){1024, 288, 256, 144}, 80), 0);
  host_unref(picture);
  close_grid(&grid);
}

/* ------------------------------------------------------------------------------------------------------------- orientation */

/* A picture whose quarters are 40, 90, 140 and 190, row by row, upright when turned as asked. */
static void orientations_are_honoured(void) {
  static const int upright[8][4] = {{40, 90, 140, 190}, {140, 40, 190, 90}, {190, 140, 90, 40}, {90, 190, 40, 140},
                                    {90, 40, 190, 140}, {190, 90, 140, 40}, {140, 190, 40, 90}, {40, 140, 90, 190}};
  host_instance grid;
  open_grid(&grid, 640, 360);
  tell(&grid, 1, "e", 1, 0, 0);
  for (uint32_t orientation = 0; orientation < 8; orientation++) {
    for (int fills = 0; fills < 2; fills++) {
      CHECK_EQ(host_set_string(&grid, "scale", fills ? "fill" : "fit"), MSDK_OK);
      msdk_video_format format = host_format(MSDK_PIXEL_I420, 160, 120);
      msdk_video_frame *frame = host_frame(&grid, &format);
      fill(frame, 0, 128, 128);
      for (int32_t y = 0; y < 120; y++) {
        uint8_t *row = frame->plane[0].data + y * frame->plane[0].stride;
        for (int32_t x = 0; x < 160; x++) row[x] = (uint8_t)(40 + 50 * (x / 80) + 100 * (y / 60));
      }
      frame->orientation = orientation;
      show(&grid, 1, frame);
      msdk_video_frame *picture = picture_of(&grid);
      for (int quarter = 0; quarter < 4; quarter++) {
        CHECK_EQ(at(picture, 0, quarter % 2 == 0 ? 250 : 390, quarter / 2 == 0 ? 90 : 270), upright[orientation][quarter]);
      }
      int32_t width = fills ? 640 : orientation % 2 == 0 ? 480 : 270; /* of what is seen */
      CHECK_EQ(at(picture, 0, (640 - width) / 2 + 4, 90), upright[orientation][0]);
      if (!fills) CHECK_EQ(at(picture, 0, (640 - width) / 2 - 4, 90), GROUND_Y);
      host_unref(picture);
    }
  }
  close_grid(&grid);
}

static void check_colour(uint32_t matrix, uint32_t full_range, const uint8_t in[3], int y, int u, int v) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  tell(&grid, 1, "f", 1, 0, 0);
  msdk_video_format format = host_format(MSDK_PIXEL_I420, 64, 36);
  format.color_matrix = matrix;
  format.color_full_range = full_range;
  msdk_video_frame *frame = host_frame(&grid, &format);
  fill(frame, in[0], in[1], in[2]);
  show(&grid, 1, frame);
  msdk_video_frame *picture = picture_of(&grid);
  CHECK_EQ(at(picture, 0, 320, 180), y);
  CHECK_EQ(at(picture, 1, 320, 180), u);
  CHECK_EQ(at(picture, 2, 320, 180), v);
  host_unref(picture);
  close_grid(&grid);
}

static void colours_of_others_become_ours(void) {
  check_colour(MSDK_COLOR_UNSPECIFIED, 0, (uint8_t[]){81, 90, 240}, 81, 90, 240);
  check_colour(MSDK_COLOR_UNSPECIFIED, 1, (uint8_t[]){255, 128, 128}, 235, 128, 128);
  check_colour(MSDK_COLOR_UNSPECIFIED, 1, (uint8_t[]){0, 0, 255}, 16, 16, 240);
  /* Pure red: of BT.709 63, 102, 240; of BT.601 81, 90, 240. Green: 173, 42, 26; 145, 54, 34. */
  check_colour(MSDK_MATRIX_BT709, 0, (uint8_t[]){63, 102, 240}, 82, 90, 240);
  check_colour(MSDK_MATRIX_BT709, 0, (uint8_t[]){173, 42, 26}, 145, 54, 34);
  check_colour(MSDK_MATRIX_BT709, 0, (uint8_t[]){235, 128, 128}, 235, 128, 128);
}

/* ----------------------------------------------------------------------------------------------------------------- passing on */

typedef struct taken {
  uint32_t count, answers_again;
  int64_t last_ns, arrived_ns[256];
  uint32_t backwards, width, height, pixel_format;
  msdk_video_frame *kept;
} taken;

static msdk_result take(msdk_host_context *context, msdk_video_frame *frame) {
  taken *it = context->user;
  msdk_result result = MSDK_OK;
  pthread_mutex_lock(&context->lock);
  if (it->answers_again > 0) {
    it->answers_again--;
    result = MSDK_E_AGAIN;
  } else {
    if (it->count > 0 && frame->timestamp_ns <= it->last_ns) it->backwards++;
    it->last_ns = frame->timestamp_ns;
    if (it->count < 256) it->arrived_ns[it->count] = host_monotonic_ns();
    it->width = frame->format->width;
    it->height = frame->format->height;
    it->pixel_format = frame->format->pixel_format;
    it->count++;
  }
  pthread_mutex_unlock(&context->lock);
  return result;
}

static uint32_t count_of(host_instance *grid) {
  taken *it = grid->context.user;
  pthread_mutex_lock(&grid->context.lock);
  uint32_t count = it->count;
  pthread_mutex_unlock(&grid->context.lock);
  return count;
}

static void rest_ms(long milliseconds) { nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL); }

static int comes(host_instance *grid, uint32_t count) {
  for (int tries = 0; tries < 2000 && count_of(grid) < count; tries++) rest_ms(5);
  return count_of(grid) >= count;
}

static void pictures_go_out_when_something_changes(void) {
  host_instance grid;
  open_grid(&grid, 320, 180);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {0};
  grid.context.user = &it;
  grid.context.consume = take;
  grid.context.real_time = 1;
  CHECK_EQ(producer->init_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->is_capture_started(grid.self), 1);
  rest_ms(100);
  CHECK_EQ(count_of(&grid), 0); /* nobody is there */
  tell(&grid, 1, "g", 1, 0, 0);
  CHECK(comes(&grid, 1));
  rest_ms(150);
  CHECK_EQ(count_of(&grid), 1); /* nothing changed */
  tell(&grid, 1, "g", 1, 0, 0); /* nor did this */
  rest_ms(100);
  CHECK_EQ(count_of(&grid), 1);
  show_colour(&grid, 1, 64, 36, 70, 128, 128);
  CHECK(comes(&grid, 2));
  tell(&grid, 1, "g", 1, 1, 0);
  CHECK(comes(&grid, 3));
  CHECK_EQ(grid_class->video_renderer->remove_input(grid.self, 1), MSDK_OK);
  CHECK(comes(&grid, 4)); /* the last one left: that is to be seen as well */
  tell(&grid, 2, "g", 1, 0, 0);
  CHECK(comes(&grid, 5));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  uint32_t count = count_of(&grid);
  tell(&grid, 2, "g", 1, 1, 0);
  rest_ms(80);
  CHECK_EQ(count_of(&grid), count);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK); /* what is there is shown at once */
  CHECK(comes(&grid, count + 1));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  CHECK_EQ(it.backwards, 0);
  CHECK(it.width == 320 && it.height == 180 && it.pixel_format == MSDK_PIXEL_I420);
  CHECK_EQ(producer->release_capture(grid.self), MSDK_OK);
  close_grid(&grid);
}

static void never_more_than_so_many_a_second(void) {
  host_instance grid;
  open_grid(&grid, 320, 180);
  CHECK_EQ(host_set_u32(&grid, "fps", 20), MSDK_OK);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {0};
  grid.context.user = &it;
  grid.context.consume = take;
  grid.context.real_time = 1;
  tell(&grid, 1, "h", 1, 0, 0);
  int64_t began_ns = host_monotonic_ns();
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  for (int i = 0; i < 200; i++) {
    show_colour(&grid, 1, 64, 36, (uint8_t)(40 + i % 2), 128, 128);
    rest_ms(2);
  }
  double seconds = (double)(host_monotonic_ns() - began_ns) / 1e9;
  uint32_t before = count_of(&grid);
  CHECK(before >= 2 && before <= 2 + seconds * 20);
  /* The newest is shown in the end, though it came before its time. */
  show_colour(&grid, 1, 64, 36, 77, 128, 128);
  CHECK(comes(&grid, before + 1));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  close_grid(&grid);
}

static void what_is_not_taken_comes_again(void) {
  host_instance grid;
  open_grid(&grid, 320, 180);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {.answers_again = 3};
  grid.context.user = &it;
  grid.context.consume = take;
  grid.context.real_time = 1;
  tell(&grid, 1, "i", 0, 0, 0);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  CHECK(comes(&grid, 1));
  CHECK_EQ(it.answers_again, 0);
  rest_ms(100);
  CHECK_EQ(count_of(&grid), 1);
  pthread_mutex_lock(&grid.context.lock); /* no frame to be had */
  uint32_t limit = grid.context.pool_limit;
  grid.context.pool_limit = 0;
  pthread_mutex_unlock(&grid.context.lock);
  tell(&grid, 1, "i", 0, 1, 0);
  rest_ms(100);
  CHECK_EQ(count_of(&grid), 1);
  pthread_mutex_lock(&grid.context.lock);
  grid.context.pool_limit = limit;
  pthread_mutex_unlock(&grid.context.lock);
  CHECK(comes(&grid, 2));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  close_grid(&grid);
}

static void as_a_streams_producer_it_has_the_streams_format(void) {
  host_instance grid;
  open_grid(&grid, 320, 180);
  const msdk_video_producer *producer = grid_class->video_producer;
  taken it = {0};
  grid.context.user = &it;
  grid.context.consume = take;
  grid.context.real_time = 1;
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(producer->init_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->enum_formats(grid.self, 0, &format), MSDK_OK);
  CHECK(format.pixel_format == MSDK_PIXEL_I420 && format.width == 320 && format.fps_num == 30);
  CHECK_EQ(producer->enum_formats(grid.self, 1, &format), MSDK_OK);
  CHECK_EQ(format.pixel_format, MSDK_PIXEL_NV12);
  CHECK_EQ(producer->enum_formats(grid.self, 2, &format), MSDK_E_NOT_FOUND);
  format = host_format(MSDK_PIXEL_BGRA, 640, 360);
  CHECK_EQ(producer->set_format(grid.self, &format), MSDK_E_FORMAT);
  format = host_format(MSDK_PIXEL_NV12, 20, 20);
  CHECK_EQ(producer->set_format(grid.self, &format), MSDK_E_FORMAT);
  format = host_format(MSDK_PIXEL_NV12, 641, 361);
  CHECK_EQ(producer->set_format(grid.self, &format), MSDK_OK);
  tell(&grid, 1, "j", 1, 0, 0);
  show_colour(&grid, 1, 64, 36, 70, 110, 120);
  CHECK_EQ(producer->start_capture(grid.self), MSDK_OK);
  CHECK(comes(&grid, 1));
  CHECK_EQ(producer->stop_capture(grid.self), MSDK_OK);
  CHECK(it.width == 641 && it.height == 361 && it.pixel_format == MSDK_PIXEL_NV12);
  msdk_video_frame *picture = picture_of(&grid);
  CHECK_EQ(at(picture, 0, 320, 180), 70);
  const uint8_t *chroma = picture->plane[1].data + 90 * (ptrdiff_t)picture->plane[1].stride + 320;
  CHECK(chroma[0] == 110 && chroma[1] == 120);
  host_unref(picture);
  CHECK_EQ(producer->release_capture(grid.self), MSDK_OK);
  CHECK_EQ(producer->capture_settings(grid.self, &format), MSDK_OK);
  CHECK(format.width == 320 && format.pixel_format == MSDK_PIXEL_I420);
  close_grid(&grid);
}

static msdk_result stop_inside(msdk_host_context *context, msdk_video_frame *frame) {
  host_instance *grid = context->user;
  (void)frame;
  msdk_result result = grid_class->video_producer->stop_capture(grid->self);
  pthread_mutex_lock(&context->lock);
  if (result == MSDK_OK) context->now_ns++; /* counts the stops */
  pthread_mutex_unlock(&context->lock);
  return MSDK_OK;
}

/* Its thread cannot wait for itself, and must not touch what may be gone. */
static void it_may_be_stopped_inside_its_own_delivery(void) {
  host_instance grid;
  open_grid(&grid, 320, 180);
  tell(&grid, 1, "l", 0, 0, 0);
  grid.context.user = &grid;
  grid.context.consume = stop_inside;
  for (int64_t round = 1; round <= 20; round++) {
    CHECK_EQ(grid_class->video_producer->start_capture(grid.self), MSDK_OK);
    int64_t stops = 0;
    for (int tries = 0; tries < 2000 && stops < round; tries++) {
      rest_ms(2);
      pthread_mutex_lock(&grid.context.lock);
      stops = grid.context.now_ns;
      pthread_mutex_unlock(&grid.context.lock);
    }
    CHECK_EQ(stops, round);
    CHECK_EQ(grid_class->video_producer->is_capture_started(grid.self), 0);
  }
  for (int tries = 0; tries < 2000; tries++) { /* the last picture is on its way back */
    pthread_mutex_lock(&grid.context.lock);
    int is_back = grid.context.outstanding == 0 && grid.context.consumed == 20;
    pthread_mutex_unlock(&grid.context.lock);
    if (is_back) break;
    rest_ms(2);
  }
  close_grid(&grid);
}

static void hundreds_come_and_go(void) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  for (uint32_t i = 1; i <= 300; i++) tell(&grid, i, "k", 0, 0, 0);
  msdk_video_frame *many = picture_of(&grid);
  grid_rect tiles[25];
  grid_layout(640, 360, 25, 0, tiles, NULL);
  CHECK(others(many, tiles[24], GROUND_Y) > 0); /* the last tile says that there are more */
  tell(&grid, 301, "k", 0, 0, 0);
  msdk_video_frame *more = picture_of(&grid);
  CHECK(others(more, tiles[24], GROUND_Y) > 0 && !host_same(many, more));
  host_unref(more);
  for (uint32_t i = 301; i > 25; i--) CHECK_EQ(grid_class->video_renderer->remove_input(grid.self, i), MSDK_OK);
  more = picture_of(&grid);
  CHECK(!host_same(many, more));
  host_unref(more);
  host_unref(many);
  close_grid(&grid);
}

/* Attached to one stream, it is that stream's picture alone. */
static void one_stream_alone_fills_it(void) {
  host_instance grid;
  open_grid(&grid, 640, 360);
  msdk_video_format format = host_format(MSDK_PIXEL_I420, 64, 36);
  for (int i = 0; i < 2; i++) {
    msdk_video_frame *frame = host_frame(&grid, &format);
    fill(frame, (uint8_t)(60 + i), 128, 128);
    CHECK_EQ(grid_class->video_renderer->render_video_frame(grid.self, frame), MSDK_OK);
    host_unref(frame);
    msdk_video_frame *picture = picture_of(&grid);
    CHECK_EQ(others(picture, (grid_rect){0, 0, 640, 360}, 60 + i), 0);
    host_unref(picture);
  }
  close_grid(&grid);
}

/* What a picture of 720p costs, every tile anew. For people; nothing depends on it. */
static void measure(void) {
  static const uint32_t counts[] = {1, 4, 9, 16};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
    host_instance grid;
  open_grid(&grid, 1280, 720);
    CHECK_EQ(host_set_bool(&grid, "names", 1), MSDK_OK);
    msdk_video_format format = host_format(MSDK_PIXEL_I420, 1280, 720);
    msdk_video_frame *frame = host_frame(&grid, &format);
    host_paint(frame, 1);
    for (uint32_t i = 1; i <= counts[c]; i++) tell(&grid, i, "Grace Hopper", 1, i == 1, i == 2);
    enum { ROUNDS = 60 };
    msdk_video_format out = MSDK_INIT(msdk_video_format);
    CHECK_EQ(grid_class->video_renderer->snapshot_format(grid.self, &out), MSDK_OK);
    msdk_video_frame *picture = host_frame(&grid, &out);
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (int round = 0; round < ROUNDS; round++) {
      for (uint32_t i = 1; i <= counts[c]; i++) CHECK_EQ(grid_class->video_renderer->render_input_frame(grid.self, i, frame), MSDK_OK);
      CHECK_EQ(grid_class->video_renderer->snapshot(grid.self, picture), MSDK_OK);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double ms = ((double)(after.tv_sec - before.tv_sec) * 1e3 + (double)(after.tv_nsec - before.tv_nsec) / 1e6) / ROUNDS;
    printf("%2u inputs of 720p: %.2f ms of CPU for a picture of 720p\n", counts[c], ms);
    host_unref(picture);
    host_unref(frame);
    close_grid(&grid);
  }
}

int main(int argc, char **argv) {
  grid_class = host_load(argc, argv, "grid.so", "org.mediasdk.renderer.grid");
  host_instance probe;
  host_create(&probe, grid_class);
  host_check_params(&probe);
  host_destroy(&probe);
  tiles_are_equal_apart_and_as_large_as_can_be();
  some_layouts_to_the_pixel();
  a_screen_takes_the_large_place();
  pictures_fit_or_fill();
  four_tiles_to_the_pixel();
  what_is_wrong_is_refused();
  names_are_written_in_their_band();
  names_of_every_kind_are_survived();
  who_speaks_has_a_frame();
  without_a_picture_there_are_initials();
  a_screen_is_never_cut();
  orientations_are_honoured();
  colours_of_others_become_ours();
  pictures_go_out_when_something_changes();
  never_more_than_so_many_a_second();
  what_is_not_taken_comes_again();
  as_a_streams_producer_it_has_the_streams_format();
  it_may_be_stopped_inside_its_own_delivery();
  hundreds_come_and_go();
  one_stream_alone_fills_it();
  measure();
  return check_done();
}
