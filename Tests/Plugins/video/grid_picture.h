/* A grid under a host: what it is told and shown, and its picture. */
#ifndef TESTS_GRID_PICTURE_H
#define TESTS_GRID_PICTURE_H

#include "../../../Sources/Plugins/Grid/layout.c"
#include "check.h"
#include "host.h"

#include <stdlib.h>

static const msdk_class *grid_class;

enum { BACKGROUND = 0x10, SPEAKING_Y = 142, SPEAKING_U = 112, SPEAKING_V = 65, GROUND_Y = 49 };

static inline void load_grid(int argc, char **argv) { grid_class = host_load(argc, argv, "grid.so", "org.mediasdk.renderer.grid"); }

static inline void init_grid(host_instance *grid, uint32_t width, uint32_t height) {
  CHECK_EQ(host_set_u32(grid, "width", width), MSDK_OK);
  CHECK_EQ(host_set_u32(grid, "height", height), MSDK_OK);
  CHECK_EQ(host_set_bool(grid, "names", 0), MSDK_OK);
  CHECK_EQ(host_set_string(grid, "background", "#000000"), MSDK_OK);
  CHECK_EQ(grid_class->video_renderer->init_render(grid->self), MSDK_OK);
}

static inline void open_grid(host_instance *grid, uint32_t width, uint32_t height) {
  host_create(grid, grid_class);
  init_grid(grid, width, height);
}

static inline void open_live_grid(host_instance *grid, uint32_t width, uint32_t height) {
  host_create_live(grid, grid_class);
  init_grid(grid, width, height);
}

static inline void close_grid(host_instance *grid) {
  CHECK_EQ(grid_class->video_renderer->flush(grid->self), MSDK_OK);
  CHECK_EQ(grid_class->video_renderer->release_render(grid->self), MSDK_OK);
  host_destroy(grid);
}

static inline void tell(host_instance *grid, uint32_t number, const char *name, int has_video, int is_speaking, int is_muted) {
  msdk_input input = host_input(MSDK_VIDEO_VIRTUAL, name);
  input.has_video = (uint32_t)has_video;
  input.is_speaking = (uint32_t)is_speaking;
  input.is_muted = (uint32_t)is_muted;
  CHECK_EQ(host_update_input(grid, number, &input), MSDK_OK);
}

static inline void fill(msdk_video_frame *frame, uint8_t y, uint8_t u, uint8_t v) {
  const uint8_t values[] = {y, u, v};
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      memset(frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride, values[i], host_row_bytes(frame->format, i));
    }
  }
}

static inline void show(host_instance *grid, uint32_t number, msdk_video_frame *frame) {
  CHECK_EQ(grid_class->video_renderer->render_input_frame(grid->self, number, frame), MSDK_OK);
  host_unref(frame);
}

static inline void show_colour(host_instance *grid, uint32_t number, uint32_t width, uint32_t height, uint8_t y, uint8_t u, uint8_t v) {
  msdk_video_format format = host_format(MSDK_PIXEL_I420, width, height);
  msdk_video_frame *frame = host_frame(grid, &format);
  fill(frame, y, u, v);
  show(grid, number, frame);
}

static inline msdk_video_frame *picture_of(host_instance *grid) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(grid_class->video_renderer->snapshot_format(grid->self, &format), MSDK_OK);
  msdk_video_frame *frame = host_frame(grid, &format);
  CHECK_EQ(grid_class->video_renderer->snapshot(grid->self, frame), MSDK_OK);
  return frame;
}

static inline int at(const msdk_video_frame *frame, uint32_t plane, int32_t x, int32_t y) {
  int shift = plane == 0 ? 0 : 1;
  return frame->plane[plane].data[(ptrdiff_t)(y >> shift) * frame->plane[plane].stride + (x >> shift)];
}

/* How many pixels of luma of a rectangle are not `value`; one more or less comes of scaling. */
static inline int32_t others(const msdk_video_frame *frame, grid_rect area, int value) {
  int32_t count = 0;
  for (int32_t y = area.y; y < area.y + area.height; y++) {
    for (int32_t x = area.x; x < area.x + area.width; x++) count += abs(at(frame, 0, x, y) - value) > 1;
  }
  return count;
}

#endif
