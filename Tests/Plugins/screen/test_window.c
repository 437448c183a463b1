/* A window as such: parameters, displays that are refused, properties, resized, closed, beside another, and what it leaves behind. */
#define _XOPEN_SOURCE 700
#include "window_view.h"

#include <unistd.h>

enum { EVENT_CLOSED = MSDK_PLUGIN_EVENT_USER + 1, EVENT_RESIZED = MSDK_PLUGIN_EVENT_USER + 2 };

/* A property's bytes with a NUL; "" when it is not there. */
static void property(const viewer *view, xcb_window_t window, const char *name, char *to, size_t room) {
  xcb_get_property_cookie_t asked = xcb_get_property(view->connection, 0, window, atom(view, name), XCB_ATOM_ANY, 0, 64);
  xcb_get_property_reply_t *reply = xcb_get_property_reply(view->connection, asked, NULL);
  size_t length = reply != NULL ? (size_t)xcb_get_property_value_length(reply) : 0;
  if (length > room - 1) length = room - 1;
  if (length > 0) memcpy(to, xcb_get_property_value(reply), length);
  to[length] = 0;
  free(reply);
}

static void test_params(void) {
  host_instance instance;
  host_create(&instance, class);
  host_check_params(&instance);
  const char *const wrong[] = {"", "red", "#12345", "#1234567", "#12345g", "123456#", "#+12345", "# 12345"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK_EQ(host_set_string(&instance, "background", wrong[i]), MSDK_E_INVALID);
    CHECK_TEXT(instance.context.error_text, "#rrggbb");
  }
  CHECK_EQ(host_set_u32(&instance, "width", 16385), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "16385");
  char title[1024 + 2];
  memset(title, 't', sizeof title);
  title[1025] = 0;
  CHECK_EQ(class->set_param(instance.self, "title", &(msdk_value){.type = MSDK_T_STRING, .u.str = title}), MSDK_E_RANGE);
  title[1024] = 0;
  CHECK_EQ(class->set_param(instance.self, "title", &(msdk_value){.type = MSDK_T_STRING, .u.str = title}), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_BGRA, 4, 4);
  CHECK_EQ(renderer->accepts_format(instance.self, &format), 1);
  CHECK_EQ(render(&instance, host_frame(&instance, &format)), MSDK_E_STATE);
  format.pixel_format = MSDK_PIXEL_NV12;
  CHECK_EQ(renderer->accepts_format(instance.self, &format), 0);
  CHECK_EQ(renderer->accepts_format(instance.self, NULL), 0);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
}

static void test_refused_displays(void) {
  char screen[48];
  unsetenv("DISPLAY");
  refused("", MSDK_E_NOT_FOUND, "DISPLAY is not set");
  refused("nonsense", MSDK_E_INVALID, "'nonsense'");
  refused(":64999", MSDK_E_IO, "':64999'");
  snprintf(screen, sizeof screen, "%s.7", display);
  refused(screen, MSDK_E_NOT_FOUND, "no such screen");
  setenv("DISPLAY", ":64998", 1);
  refused("", MSDK_E_IO, "':64998'");
  unsetenv("DISPLAY");
}

static void test_resize(void) {
  viewer view = look();
  host_instance instance;
  open_window(&instance, 100, 50);
  CHECK_EQ(render(&instance, quarters(&instance, 100, 50)), MSDK_OK);
  await_points(&view, 100, 50, (point[]){{2, 2, RED}, {97, 47, WHITE}}, 2, "before");
  CHECK_EQ(host_count_events(&instance, EVENT_RESIZED, MSDK_OK), 0);
  xcb_window_t window = the_window(&view);
  resize(&view, window, 400, 200);
  await_points(&view, 400, 200, (point[]){{2, 2, RED}, {397, 2, GREEN}, {2, 197, BLUE}, {397, 197, WHITE}, {190, 90, RED}}, 5, "larger");
  await_event(&instance, EVENT_RESIZED, MSDK_OK, 1);
  CHECK_TEXT(instance.context.event_log[0].detail, "400x200");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(renderer->snapshot_format(instance.self, &format), MSDK_OK);
  CHECK_EQ(format.width, 400);
  resize(&view, window, 60, 90);
  await_points(&view, 60, 90, (point[]){{30, 28, SEA}, {30, 61, SEA}, {2, 32, RED}, {57, 57, WHITE}}, 4, "smaller, with bars");
  await_event(&instance, EVENT_RESIZED, MSDK_OK, 2);
  resize(&view, window, 1, 1);
  await_event(&instance, EVENT_RESIZED, MSDK_OK, 3);
  for (uint32_t i = 0; i < 100; i++) resize(&view, window, 1 + i * 37 % 640, 1 + i * 91 % 480);
  resize(&view, window, 200, 100);
  await_points(&view, 200, 100, (point[]){{2, 2, RED}, {197, 97, WHITE}}, 2, "after many");
  close_window(&instance);
  xcb_disconnect(view.connection);
}

static void test_properties(void) {
  viewer view = look();
  host_instance instance;
  char text[64];
  make(&instance);
  CHECK_EQ(host_set_string(&instance, "title", "caf\xC3\xA9"), MSDK_OK);
  CHECK_EQ(host_set_bool(&instance, "fullscreen", 1), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, plain(&instance, 64, 64, RED)), MSDK_OK);
  await_points(&view, 64, 64, (point[]){{1, 1, RED}}, 1, "fullscreen, which nobody manages here");
  xcb_window_t window = the_window(&view);
  property(&view, window, "_NET_WM_NAME", text, sizeof text);
  CHECK_TEXT(text, "caf\xC3\xA9");
  property(&view, window, "WM_CLASS", text, sizeof text);
  CHECK_TEXT(text, "mediasdk");
  xcb_atom_t state = 0, fullscreen = atom(&view, "_NET_WM_STATE_FULLSCREEN");
  property(&view, window, "_NET_WM_STATE", text, sizeof text);
  memcpy(&state, text, sizeof state);
  CHECK(state == fullscreen && state != 0);
  CHECK_EQ(host_set_string(&instance, "title", "another"), MSDK_OK);
  int64_t until = deadline_ns();
  do property(&view, window, "_NET_WM_NAME", text, sizeof text);
  while (strcmp(text, "another") != 0 && host_monotonic_ns() < until);
  CHECK_TEXT(text, "another");
  close_window(&instance);
  xcb_disconnect(view.connection);
}

static void ask_to_close(const viewer *view) {
  xcb_client_message_event_t message = {.response_type = XCB_CLIENT_MESSAGE, .format = 32, .window = the_window(view)};
  message.type = atom(view, "WM_PROTOCOLS");
  message.data.data32[0] = atom(view, "WM_DELETE_WINDOW");
  xcb_send_event(view->connection, 0, message.window, 0, (const char *)&message);
  xcb_flush(view->connection);
}

/* Once its user has closed it, the program is told so, once, and nothing is kept any more. */
static void test_close(int by_force) {
  viewer view = look();
  host_instance instance;
  open_window(&instance, 80, 60);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, RED)), MSDK_OK);
  await_points(&view, 80, 60, (point[]){{1, 1, RED}}, 1, "open");
  if (by_force) xcb_destroy_window(view.connection, the_window(&view));
  else ask_to_close(&view);
  xcb_flush(view.connection);
  await_event(&instance, EVENT_CLOSED, MSDK_OK, 1);
  await_gone(&view);
  CHECK_EQ(outstanding(&instance), 0);
  for (int i = 0; i < 3; i++) CHECK_EQ(render(&instance, plain(&instance, 80, 60, GREEN)), MSDK_E_CLOSED);
  CHECK_TEXT(instance.context.error_text, "closed");
  CHECK_EQ(outstanding(&instance), 0);
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(renderer->snapshot_format(instance.self, &format), MSDK_E_AGAIN);
  CHECK_EQ(instance.context.events, 1);
  /* Initialised again, it is there again. */
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, BLUE)), MSDK_OK);
  await_points(&view, 80, 60, (point[]){{1, 1, BLUE}}, 1, "open again");
  close_window(&instance);
  xcb_disconnect(view.connection);
}

static void test_two_windows(void) {
  viewer view = look();
  host_instance first, second;
  open_window(&first, 50, 50);
  CHECK_EQ(render(&first, plain(&first, 50, 50, RED)), MSDK_OK);
  await_points(&view, 50, 50, (point[]){{1, 1, RED}}, 1, "first");
  open_window(&second, 70, 70);
  CHECK_EQ(render(&second, plain(&second, 70, 70, GREEN)), MSDK_OK);
  await_points(&view, 70, 70, (point[]){{1, 1, GREEN}}, 1, "second");
  close_window(&second);
  /* What was hidden behind the other one is drawn again. */
  await_points(&view, 50, 50, (point[]){{1, 1, RED}}, 1, "first again");
  close_window(&first);
  xcb_disconnect(view.connection);
}

static int shared_segments(void) {
  FILE *file = fopen("/proc/sysvipc/shm", "r");
  char line[512];
  int count = 0, own = (int)getpid();
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    int creator = 0;
    if (sscanf(line, "%*d %*d %*o %*u %d", &creator) == 1 && creator == own) count++;
  }
  if (file != NULL) fclose(file);
  return count;
}

/* Nothing stays: no descriptor, no shared memory. */
static void test_leftovers(void) {
  int before = 0;
  for (int i = 0; i < 6; i++) {
    host_instance instance;
    viewer view = look();
    open_window(&instance, 90, 90);
    CHECK_EQ(render(&instance, plain(&instance, 90, 90, RED)), MSDK_OK);
    await_points(&view, 90, 90, (point[]){{1, 1, RED}}, 1, "open");
    if (i % 2 == 0) CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
    host_destroy(&instance); /* which releases what was not */
    xcb_disconnect(view.connection);
    if (i == 0) before = host_open_descriptors();
  }
  CHECK_EQ(host_open_descriptors(), before);
  int64_t until = deadline_ns();
  while (shared_segments() > 0 && host_monotonic_ns() < until) pause_ms(10); /* the server lets go when it sees that its client is gone */
  CHECK_EQ(shared_segments(), 0);
}

int main(int argc, char **argv) {
  load_window(argc, argv);
  test_params();
  start_server("");
  test_refused_displays();
  test_resize();
  test_properties();
  test_close(0);
  test_close(1);
  test_two_windows();
  test_leftovers();
  server_stop();
  return check_done();
}
