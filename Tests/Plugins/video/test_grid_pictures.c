/* Pictures on the tiles of a grid, to the pixel: their place, their scale, their orientation, their colours. */
#define _POSIX_C_SOURCE 200809L
#include "grid_picture.h"

#include <time.h>

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

/* What no host sends, refused before a byte of it is read. Not sent to another process: the way there copies what the format says. */
static void frames_without_planes_are_refused(void) {
  if (host_is_isolated()) return;
  host_instance grid;
  open_grid(&grid, 640, 360);
  const msdk_video_renderer *renderer = grid_class->video_renderer;
  msdk_video_format wanted = host_format(MSDK_PIXEL_I420, 64, 64), wide = wanted, flat = wanted;
  wide.width = MSDK_DIMENSION_MAX + 1;
  flat.height = 0;
  msdk_video_frame *frame = host_frame(&grid, &wanted);
  msdk_video_frame wrong = *frame;
  wrong.plane_count = 2;
  CHECK_EQ(renderer->render_video_frame(grid.self, &wrong), MSDK_E_INVALID);
  CHECK_TEXT(grid.context.error_text, "2 planes");
  wrong = *frame;
  wrong.plane[0].data = NULL;
  CHECK_EQ(renderer->render_video_frame(grid.self, &wrong), MSDK_E_INVALID);
  wrong = *frame;
  wrong.format = &wide;
  CHECK_EQ(renderer->render_video_frame(grid.self, &wrong), MSDK_E_FORMAT);
  CHECK_TEXT(grid.context.error_text, "16385x64");
  wrong.format = &flat;
  CHECK_EQ(renderer->render_video_frame(grid.self, &wrong), MSDK_E_FORMAT);
  host_unref(frame);
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
  load_grid(argc, argv);
  host_instance probe;
  host_create(&probe, grid_class);
  host_check_params(&probe);
  host_destroy(&probe);
  four_tiles_to_the_pixel();
  what_is_wrong_is_refused();
  frames_without_planes_are_refused();
  a_screen_is_never_cut();
  orientations_are_honoured();
  colours_of_others_become_ours();
  one_stream_alone_fills_it();
  measure();
  return check_done();
}
