/* Pictures in a window: every pixel, scaled, turned, and in the size that the first one gives it. */
#define _XOPEN_SOURCE 700
#include "window_view.h"

/* Without scaling the window shows the picture's pixels, every one, and so does the snapshot. */
static void test_pixels(void) {
  viewer view = look();
  host_instance instance;
  make(&instance);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_BGRA, 131, 77), snapshot_format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(renderer->snapshot_format(instance.self, &snapshot_format), MSDK_E_AGAIN);
  msdk_video_frame *frame = host_frame(&instance, &format);
  host_paint(frame, 5);
  CHECK_EQ(renderer->render_video_frame(instance.self, frame), MSDK_OK);
  int64_t until = deadline_ns();
  int good = 0;
  while (!good && host_monotonic_ns() < until) {
    uint32_t width = 0, height = 0, *pixels = contents(&view, &width, &height);
    good = pixels != NULL && width == 131 && height == 77;
    for (uint32_t i = 0; good && i < width * height; i++) {
      const uint8_t *from = frame->plane[0].data + (ptrdiff_t)(i / width) * frame->plane[0].stride + 4 * (size_t)(i % width);
      good = pixels[i] == ((uint32_t)from[2] << 16 | (uint32_t)from[1] << 8 | from[0]);
    }
    free(pixels);
    if (!good) pause_ms(20);
  }
  CHECK(good);

  CHECK_EQ(renderer->snapshot_format(instance.self, &snapshot_format), MSDK_OK);
  CHECK_EQ(snapshot_format.width, 131);
  CHECK_EQ(snapshot_format.height, 77);
  msdk_video_frame *taken = host_frame(&instance, &snapshot_format), *opaque = host_frame(&instance, &format);
  CHECK_EQ(renderer->snapshot(instance.self, taken), MSDK_OK);
  host_paint(opaque, 5);
  for (uint32_t i = 0; i < 131 * 77; i++) {
    opaque->plane[0].data[(ptrdiff_t)(i / 131) * opaque->plane[0].stride + 4 * (size_t)(i % 131) + 3] = 255;
  }
  CHECK(host_same(taken, opaque));
  host_unref(taken);
  host_unref(opaque);
  host_unref(frame);
  CHECK_EQ(renderer->flush(instance.self), MSDK_OK);
  CHECK_EQ(renderer->snapshot_format(instance.self, &snapshot_format), MSDK_E_AGAIN);
  msdk_video_format wrong = host_format(MSDK_PIXEL_I420, 64, 64);
  CHECK_EQ(render(&instance, host_frame(&instance, &wrong)), MSDK_E_FORMAT);
  CHECK_EQ(renderer->render_video_frame(instance.self, NULL), MSDK_E_INVALID);
  close_window(&instance);
  xcb_disconnect(view.connection);
}

static void test_scales(void) {
  viewer view = look();
  host_instance instance;
  open_window(&instance, 200, 100);
  await_points(&view, 200, 100, (point[]){{0, 0, SEA}, {199, 99, SEA}, {100, 50, SEA}}, 3, "background");
  CHECK_EQ(render(&instance, quarters(&instance, 40, 40)), MSDK_OK);
  await_points(&view, 200, 100,
               (point[]){{0, 50, SEA}, {49, 50, SEA}, {51, 2, RED}, {148, 2, GREEN}, {51, 97, BLUE}, {148, 97, WHITE}, {150, 50, SEA}}, 7,
               "fit");
  /* The parameters that are live take effect without another picture. */
  CHECK_EQ(host_set_string(&instance, "scale", "stretch"), MSDK_OK);
  await_points(&view, 200, 100,
               (point[]){{2, 2, RED}, {90, 40, RED}, {110, 40, GREEN}, {197, 2, GREEN}, {2, 97, BLUE}, {197, 97, WHITE}}, 6, "stretch");
  CHECK_EQ(host_set_string(&instance, "scale", "fit"), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "background", "#00FFff"), MSDK_OK);
  await_points(&view, 200, 100, (point[]){{49, 50, 0x00FFFF}, {51, 2, RED}, {150, 50, 0x00FFFF}}, 3, "other background");
  /* Fill shows the middle: of this picture a band, whose neighbours are cut off. */
  CHECK_EQ(host_set_string(&instance, "scale", "fill"), MSDK_OK);
  msdk_video_frame *bands = plain(&instance, 100, 200, RED);
  fill(bands, 0, 75, 100, 50, GREEN);
  CHECK_EQ(render(&instance, bands), MSDK_OK);
  await_points(&view, 200, 100, (point[]){{0, 0, GREEN}, {199, 0, GREEN}, {0, 99, GREEN}, {199, 99, GREEN}, {100, 50, GREEN}}, 5, "fill");
  /* A picture of one pixel, and one of one line, are pictures. */
  CHECK_EQ(render(&instance, plain(&instance, 1, 1, BLUE)), MSDK_OK);
  await_points(&view, 200, 100, (point[]){{0, 0, BLUE}, {199, 99, BLUE}}, 2, "one pixel");
  CHECK_EQ(host_set_string(&instance, "scale", "fit"), MSDK_OK);
  CHECK_EQ(render(&instance, plain(&instance, 4000, 1, WHITE)), MSDK_OK);
  await_points(&view, 200, 100, (point[]){{0, 49, WHITE}, {199, 49, WHITE}, {100, 48, 0x00FFFF}, {100, 51, 0x00FFFF}}, 4, "one line");
  close_window(&instance);
  xcb_disconnect(view.connection);
}

/* The size follows the first picture where it was not given, as it stands upright, and is no larger than the screen. */
static void test_first_size(void) {
  viewer view = look();
  const uint32_t sizes[][6] = {/* asked, picture, window */
                               {0, 0, 320, 180, 320, 180}, {160, 0, 320, 180, 160, 90},  {0, 360, 320, 180, 640, 360},
                               {0, 0, 1280, 960, 640, 480}, {0, 0, 1920, 480, 640, 160}, {0, 400, 640, 320, 640, 400}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const uint32_t *size = sizes[i];
    host_instance instance;
    await_gone(&view);
    open_window(&instance, size[0], size[1]);
    CHECK_EQ(the_window(&view), 0);
    CHECK_EQ(render(&instance, plain(&instance, size[2], size[3], GREEN)), MSDK_OK);
    await_points(&view, size[4], size[5], (point[]){{size[4] / 2, size[5] / 2, GREEN}}, 1, "size");
    close_window(&instance);
  }
  host_instance instance;
  open_window(&instance, 0, 0);
  msdk_video_frame *lying = quarters(&instance, 200, 100);
  lying->orientation = MSDK_ROTATE_90;
  CHECK_EQ(render(&instance, lying), MSDK_OK);
  await_points(&view, 100, 200, (point[]){{2, 2, BLUE}, {97, 2, RED}, {2, 197, WHITE}, {97, 197, GREEN}}, 4, "upright");
  close_window(&instance);
  xcb_disconnect(view.connection);
}

static void test_orientation(void) {
  viewer view = look();
  host_instance instance;
  open_window(&instance, 120, 120);
  CHECK_EQ(host_set_string(&instance, "scale", "stretch"), MSDK_OK);
  for (uint32_t orientation = 0; orientation < 8; orientation++) {
    msdk_video_frame *frame = quarters(&instance, 90, 50);
    frame->orientation = orientation;
    CHECK_EQ(render(&instance, frame), MSDK_OK);
    const uint32_t *corner = turned_quarters[orientation];
    await_points(&view, 120, 120,
                 (point[]){{3, 3, corner[0]}, {116, 3, corner[1]}, {3, 116, corner[2]}, {116, 116, corner[3]}}, 4, "corners");
  }
  close_window(&instance);
  xcb_disconnect(view.connection);
}

static void test_newest_wins(void) {
  viewer view = look();
  host_instance instance;
  open_window(&instance, 64, 64);
  for (uint32_t i = 0; i < 300; i++) {
    msdk_result result;
    /* In a process of its own it may be so far behind that all frames of its pool are on their way to it: busy. */
    while ((result = render(&instance, plain(&instance, 64, 64, i * 0x010203 & 0xFFFFFF))) == MSDK_E_AGAIN && host_is_isolated()) pause_ms(5);
    CHECK_EQ(result, MSDK_OK);
    uint32_t kept = outstanding(&instance);
    if (kept > 4) CHECK_EQ(kept, 4); /* rule P4 */
  }
  await_points(&view, 64, 64, (point[]){{1, 1, 299 * 0x010203 & 0xFFFFFF}, {62, 62, 299 * 0x010203 & 0xFFFFFF}}, 2, "the last");
  close_window(&instance);
  xcb_disconnect(view.connection);
}

int main(int argc, char **argv) {
  load_window(argc, argv);
  start_server("");
  test_pixels();
  test_scales();
  test_first_size();
  test_orientation();
  test_newest_wins();
  server_stop();
  return check_done();
}
