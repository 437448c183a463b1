/* People on a grid: their names and initials, who speaks, and how many they may be. */
#define _POSIX_C_SOURCE 200809L
#include "grid_picture.h"

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

int main(int argc, char **argv) {
  load_grid(argc, argv);
  names_are_written_in_their_band();
  names_of_every_kind_are_survived();
  who_speaks_has_a_frame();
  without_a_picture_there_are_initials();
  hundreds_come_and_go();
  return check_done();
}
