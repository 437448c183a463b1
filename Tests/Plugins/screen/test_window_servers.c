/* A window on X servers that are of other kinds, die, or do not answer. */
#define _XOPEN_SOURCE 700
#include "window_view.h"

static void check_server(const char *arguments, uint32_t width, uint32_t height) {
  start_server(arguments);
  viewer view = look();
  host_instance instance;
  open_window(&instance, width, height);
  await_points(&view, width, height, (point[]){{0, 0, SEA}}, 1, arguments);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(render(&instance, quarters(&instance, width / 2, height / 2)), MSDK_OK);
    await_points(&view, width, height,
                 (point[]){{2, 2, RED}, {width - 3, 2, GREEN}, {2, height - 3, BLUE}, {width - 3, height - 3, WHITE}}, 4, arguments);
    CHECK_EQ(render(&instance, plain(&instance, width / 2, height / 2, 0x4080C0)), MSDK_OK);
    await_points(&view, width, height, (point[]){{0, height / 2, 0x4080C0}, {width - 1, height / 2, 0x4080C0}}, 2, arguments);
  }
  close_window(&instance);
  xcb_disconnect(view.connection);
  server_stop();
}

static void test_palette(void) {
  start_server("-screen 0 320x240x8 -cc 3");
  refused(display, MSDK_E_UNSUPPORTED, "palette");
  server_stop();
}

/* The server ends in the middle: the next picture is refused with words, and nothing breaks. */
static void test_server_dies(void) {
  start_server("");
  viewer view = look();
  host_instance instance;
  open_window(&instance, 80, 60);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, RED)), MSDK_OK);
  await_points(&view, 80, 60, (point[]){{1, 1, RED}}, 1, "open");
  xcb_disconnect(view.connection);
  server_kill();
  int64_t until = deadline_ns();
  msdk_result result;
  do {
    result = render(&instance, plain(&instance, 80, 60, GREEN));
    if (result == MSDK_OK) pause_ms(10);
  } while (result == MSDK_OK && host_monotonic_ns() < until);
  CHECK_EQ(result, MSDK_E_DEVICE_LOST);
  CHECK_TEXT(instance.context.error_text, "the connection to the X server is lost");
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, GREEN)), MSDK_E_DEVICE_LOST);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 1), 1);
  CHECK_EQ(instance.context.events, 0);
  CHECK_EQ(outstanding(&instance), 0);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_IO);
  host_destroy(&instance);
  server_stop();
}

/* A server that does not answer holds up nobody: not who renders, not who releases, not who opens another window. */
static void test_server_hangs(void) {
  start_server("");
  viewer view = look();
  host_instance instance;
  open_window(&instance, 600, 400);
  CHECK_EQ(render(&instance, plain(&instance, 600, 400, RED)), MSDK_OK);
  await_points(&view, 600, 400, (point[]){{1, 1, RED}}, 1, "open");
  xcb_window_t window = the_window(&view);
  server_signal(SIGSTOP);
  for (uint32_t i = 0; i < 200; i++) CHECK_EQ(render(&instance, plain(&instance, 600, 400, GREEN)), MSDK_OK);
  CHECK(outstanding(&instance) <= 4);
  resize(&view, window, 640, 480); /* which the server sees only later */
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(outstanding(&instance), 0);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_TIMEOUT);
  CHECK_TEXT(instance.context.error_text, "did not answer");
  server_signal(SIGCONT);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, BLUE)), MSDK_OK);
  await_points(&view, 600, 400, (point[]){{300, 200, BLUE}}, 1, "open again");
  close_window(&instance);
  xcb_disconnect(view.connection);
  server_stop();
}

int main(int argc, char **argv) {
  load_window(argc, argv);
  check_server("-screen 0 640x480x16", 300, 200);
  check_server("-screen 0 640x480x30", 300, 200);
  check_server("-screen 0 1280x1024x24 -extension MIT-SHM", 1280, 960);
  test_palette();
  test_server_dies();
  test_server_hangs();
  return check_done();
}
