/* Shows pictures on X servers of the test's own and reads the window's pixels back. What must hold is waited for, however slow all is. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xcb/xcb.h>

enum { PATIENCE_S = 30, EVENT_CLOSED = MSDK_PLUGIN_EVENT_USER + 1, EVENT_RESIZED = MSDK_PLUGIN_EVENT_USER + 2 };
enum { RED = 0xFF0000, GREEN = 0x00FF00, BLUE = 0x0000FF, WHITE = 0xFFFFFF, SEA = 0x204060 };

static const msdk_class *class;
static const msdk_video_renderer *renderer;

/* --------------------------------------------------------------------------------------------------------------- the server */

static char server_folder[300], display[32];

static int script(const char *what, const char *arguments, char *answer, size_t room) {
  static const char file[] = __FILE__;
  char command[1400];
  const char *slash = strrchr(file, '/');
  snprintf(command, sizeof command, "sh '%.*s/x11_server.sh' %s '%s' %s", slash != NULL ? (int)(slash - file) : 1,
           slash != NULL ? file : ".", what, server_folder, arguments);
  FILE *pipe = popen(command, "r");
  if (answer != NULL && (pipe == NULL || fgets(answer, (int)room, pipe) == NULL)) answer[0] = 0;
  if (answer != NULL) answer[strcspn(answer, "\n")] = 0;
  int result = pipe != NULL ? pclose(pipe) : -1;
  CHECK_EQ(result, 0);
  return result == 0;
}

static void start_server(const char *arguments) {
  snprintf(server_folder, sizeof server_folder, "%s", host_path("x11"));
  if (!script("START", arguments, display, sizeof display)) exit(check_done());
}

static void stop_server(void) {
  if (server_folder[0] != 0) script("STOP", "", NULL, 0);
  server_folder[0] = 0;
}

static void signal_server(int number) {
  char path[400];
  int pid = 0;
  snprintf(path, sizeof path, "%s/pid", server_folder);
  FILE *file = fopen(path, "r");
  CHECK(file != NULL && fscanf(file, "%d", &pid) == 1 && pid > 1 && kill(pid, number) == 0);
  if (file != NULL) fclose(file);
}

/* ------------------------------------------------------------------------------------------- the test's own look at the display */

typedef struct viewer {
  xcb_connection_t *connection;
  xcb_screen_t *screen;
  uint32_t red_mask, green_mask, blue_mask;
} viewer;

static viewer look(void) {
  viewer view = {.connection = xcb_connect(display, NULL)};
  CHECK(!xcb_connection_has_error(view.connection));
  view.screen = xcb_setup_roots_iterator(xcb_get_setup(view.connection)).data;
  xcb_depth_iterator_t depths = xcb_screen_allowed_depths_iterator(view.screen);
  for (; depths.rem > 0; xcb_depth_next(&depths)) {
    xcb_visualtype_iterator_t types = xcb_depth_visuals_iterator(depths.data);
    for (; types.rem > 0; xcb_visualtype_next(&types)) {
      if (types.data->visual_id != view.screen->root_visual) continue;
      view.red_mask = types.data->red_mask;
      view.green_mask = types.data->green_mask;
      view.blue_mask = types.data->blue_mask;
    }
  }
  return view;
}

static xcb_atom_t atom(const viewer *view, const char *name) {
  xcb_intern_atom_reply_t *reply =
    xcb_intern_atom_reply(view->connection, xcb_intern_atom(view->connection, 0, (uint16_t)strlen(name), name), NULL);
  xcb_atom_t result = reply != NULL ? reply->atom : 0;
  free(reply);
  return result;
}

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

/* 0 until there is one that is seen. */
static xcb_window_t the_window(const viewer *view) {
  xcb_query_tree_reply_t *tree = xcb_query_tree_reply(view->connection, xcb_query_tree(view->connection, view->screen->root), NULL);
  xcb_window_t result = 0;
  for (int i = 0; tree != NULL && i < xcb_query_tree_children_length(tree); i++) {
    xcb_window_t child = xcb_query_tree_children(tree)[i];
    xcb_get_window_attributes_reply_t *attributes =
      xcb_get_window_attributes_reply(view->connection, xcb_get_window_attributes(view->connection, child), NULL);
    if (attributes != NULL && attributes->map_state == XCB_MAP_STATE_VIEWABLE) result = child;
    free(attributes);
  }
  free(tree);
  return result;
}

static uint32_t component(uint32_t pixel, uint32_t mask) {
  uint32_t shift = 0;
  while ((mask >> shift & 1) == 0) shift++;
  uint32_t largest = mask >> shift;
  return (uint32_t)(((uint64_t)((pixel & mask) >> shift) * 255 + largest / 2) / largest);
}

/* The window's contents as 0xRRGGBB; the caller frees them. NULL when there is no window. */
static uint32_t *contents(const viewer *view, uint32_t *width, uint32_t *height) {
  xcb_window_t window = the_window(view);
  xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(view->connection, xcb_get_geometry(view->connection, window), NULL);
  if (geometry == NULL) return NULL;
  *width = geometry->width;
  *height = geometry->height;
  free(geometry);
  xcb_get_image_reply_t *image = xcb_get_image_reply(
    view->connection,
    xcb_get_image(view->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, window, 0, 0, (uint16_t)*width, (uint16_t)*height, UINT32_MAX), NULL);
  if (image == NULL) return NULL;
  uint32_t bytes = image->depth > 16 ? 4 : 2, stride = (*width * bytes + 3) / 4 * 4;
  uint32_t *pixels = malloc(sizeof *pixels * *width * *height);
  const uint8_t *data = xcb_get_image_data(image);
  for (uint32_t y = 0; y < *height; y++) {
    for (uint32_t x = 0; x < *width; x++) {
      uint32_t pixel = 0;
      memcpy(&pixel, data + (size_t)y * stride + (size_t)x * bytes, bytes);
      pixels[(size_t)y * *width + x] =
        component(pixel, view->red_mask) << 16 | component(pixel, view->green_mask) << 8 | component(pixel, view->blue_mask);
    }
  }
  free(image);
  return pixels;
}

/* -------------------------------------------------------------------------------------------------------------- what is waited for */

static int64_t deadline_ns(void) { return host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000; }

static void pause_ms(long milliseconds) {
  nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}, NULL);
}

static int near(uint32_t a, uint32_t b, int tolerance) {
  for (int shift = 0; shift < 24; shift += 8) {
    int difference = (int)(a >> shift & 255) - (int)(b >> shift & 255);
    if (difference > tolerance || difference < -tolerance) return 0;
  }
  return 1;
}

typedef struct point {
  uint32_t x, y, colour;
} point;

static int fits(const uint32_t *pixels, uint32_t width, uint32_t height, const point *points, int count, int tolerance) {
  for (int i = 0; i < count; i++) {
    if (points[i].x >= width || points[i].y >= height) return 0;
    if (!near(pixels[(size_t)points[i].y * width + points[i].x], points[i].colour, tolerance)) return 0;
  }
  return 1;
}

/* Until the window is of the size and has the colours. */
static void await_points(const viewer *view, uint32_t width, uint32_t height, const point *points, int count, const char *what) {
  int64_t until = deadline_ns();
  for (;;) {
    uint32_t is_wide = 0, is_high = 0, *pixels = contents(view, &is_wide, &is_high);
    int good = pixels != NULL && is_wide == width && is_high == height && fits(pixels, width, height, points, count, 5);
    if (good || host_monotonic_ns() > until) {
      if (!good) printf("%s: the window is %ux%u; it should be %ux%u\n", what, is_wide, is_high, width, height);
      for (int i = 0; !good && pixels != NULL && i < count; i++) {
        int inside = points[i].x < is_wide && points[i].y < is_high;
        printf("  (%u,%u) is %06X, should be %06X\n", points[i].x, points[i].y,
               inside ? pixels[(size_t)points[i].y * is_wide + points[i].x] : 0, points[i].colour);
      }
      free(pixels);
      CHECK(good);
      return;
    }
    free(pixels);
    pause_ms(20);
  }
}

/* The server does away with a window when it sees that its client is gone. */
static void await_gone(const viewer *view) {
  int64_t until = deadline_ns();
  while (the_window(view) != 0 && host_monotonic_ns() < until) pause_ms(5);
  CHECK_EQ(the_window(view), 0);
}

static void await_event(host_instance *instance, uint32_t event, uint32_t count) {
  int64_t until = deadline_ns();
  while (host_count_events(instance, event, MSDK_OK) < count && host_monotonic_ns() < until) pause_ms(10);
  CHECK_EQ(host_count_events(instance, event, MSDK_OK), count);
}

static uint32_t outstanding(host_instance *instance) {
  pthread_mutex_lock(&instance->context.lock);
  uint32_t result = instance->context.outstanding;
  pthread_mutex_unlock(&instance->context.lock);
  return result;
}

/* ----------------------------------------------------------------------------------------------------------------- pictures */

static void fill(msdk_video_frame *frame, uint32_t left, uint32_t top, uint32_t width, uint32_t height, uint32_t colour) {
  for (uint32_t y = top; y < top + height; y++) {
    uint8_t *to = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride + 4 * (size_t)left;
    for (uint32_t x = 0; x < width; x++, to += 4) {
      to[0] = (uint8_t)colour;
      to[1] = (uint8_t)(colour >> 8);
      to[2] = (uint8_t)(colour >> 16);
      to[3] = 0; /* of no meaning on a screen */
    }
  }
}

static msdk_video_frame *plain(host_instance *instance, uint32_t width, uint32_t height, uint32_t colour) {
  msdk_video_format format = host_format(MSDK_PIXEL_BGRA, width, height);
  msdk_video_frame *frame = host_frame(instance, &format);
  fill(frame, 0, 0, width, height, colour);
  return frame;
}

/* Red, green / blue, white. */
static msdk_video_frame *quarters(host_instance *instance, uint32_t width, uint32_t height) {
  msdk_video_frame *frame = plain(instance, width, height, WHITE);
  fill(frame, 0, 0, width / 2, height / 2, RED);
  fill(frame, width / 2, 0, width - width / 2, height / 2, GREEN);
  fill(frame, 0, height / 2, width / 2, height - height / 2, BLUE);
  return frame;
}

static msdk_result render(host_instance *instance, msdk_video_frame *frame) {
  msdk_result result = renderer->render_video_frame(instance->self, frame);
  host_unref(frame);
  return result;
}

static void make(host_instance *instance) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "display", display), MSDK_OK);
}

static void open_window(host_instance *instance, uint32_t width, uint32_t height) {
  make(instance);
  CHECK_EQ(host_set_u32(instance, "width", width), MSDK_OK);
  CHECK_EQ(host_set_u32(instance, "height", height), MSDK_OK);
  CHECK_EQ(host_set_string(instance, "background", "#204060"), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
}

static void close_window(host_instance *instance) {
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  CHECK_EQ(outstanding(instance), 0);
  host_destroy(instance);
}

/* -------------------------------------------------------------------------------------------------------------------- tests */

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

static void refused(const char *name, msdk_result wanted, const char *words) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "display", name), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
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
  /* Top left, top right, bottom left, bottom right: mirrored first, then turned clockwise. */
  const uint32_t wanted[8][4] = {{RED, GREEN, BLUE, WHITE}, {BLUE, RED, WHITE, GREEN}, {WHITE, BLUE, GREEN, RED},
                                 {GREEN, WHITE, RED, BLUE}, {GREEN, RED, WHITE, BLUE}, {WHITE, GREEN, BLUE, RED},
                                 {BLUE, WHITE, RED, GREEN}, {RED, BLUE, GREEN, WHITE}};
  viewer view = look();
  host_instance instance;
  open_window(&instance, 120, 120);
  CHECK_EQ(host_set_string(&instance, "scale", "stretch"), MSDK_OK);
  for (uint32_t orientation = 0; orientation < 8; orientation++) {
    msdk_video_frame *frame = quarters(&instance, 90, 50);
    frame->orientation = orientation;
    CHECK_EQ(render(&instance, frame), MSDK_OK);
    const uint32_t *corner = wanted[orientation];
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
    CHECK_EQ(render(&instance, plain(&instance, 64, 64, i * 0x010203 & 0xFFFFFF)), MSDK_OK);
    uint32_t kept = outstanding(&instance);
    if (kept > 4) CHECK_EQ(kept, 4); /* rule P4 */
  }
  await_points(&view, 64, 64, (point[]){{1, 1, 299 * 0x010203 & 0xFFFFFF}, {62, 62, 299 * 0x010203 & 0xFFFFFF}}, 2, "the last");
  close_window(&instance);
  xcb_disconnect(view.connection);
}

static void resize(const viewer *view, xcb_window_t window, uint32_t width, uint32_t height) {
  uint32_t values[] = {width, height};
  xcb_configure_window(view->connection, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
  xcb_flush(view->connection);
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
  await_event(&instance, EVENT_RESIZED, 1);
  CHECK_TEXT(instance.context.event_log[0].detail, "400x200");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(renderer->snapshot_format(instance.self, &format), MSDK_OK);
  CHECK_EQ(format.width, 400);
  resize(&view, window, 60, 90);
  await_points(&view, 60, 90, (point[]){{30, 28, SEA}, {30, 61, SEA}, {2, 32, RED}, {57, 57, WHITE}}, 4, "smaller, with bars");
  await_event(&instance, EVENT_RESIZED, 2);
  resize(&view, window, 1, 1);
  await_event(&instance, EVENT_RESIZED, 3);
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
  await_event(&instance, EVENT_CLOSED, 1);
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

/* --------------------------------------------------------------------------------------------------------- other kinds of server */

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
  stop_server();
}

static void test_palette(void) {
  start_server("-screen 0 320x240x8 -cc 3");
  refused(display, MSDK_E_UNSUPPORTED, "palette");
  stop_server();
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
  script("KILL", "", NULL, 0);
  int64_t until = deadline_ns();
  msdk_result result;
  do {
    result = render(&instance, plain(&instance, 80, 60, GREEN));
    if (result == MSDK_OK) pause_ms(10);
  } while (result == MSDK_OK && host_monotonic_ns() < until);
  CHECK_EQ(result, MSDK_E_DEVICE_LOST);
  CHECK_TEXT(instance.context.error_text, "X server is gone");
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, GREEN)), MSDK_E_DEVICE_LOST);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 1);
  CHECK_EQ(instance.context.events, 0);
  CHECK_EQ(outstanding(&instance), 0);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_IO);
  host_destroy(&instance);
  stop_server();
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
  signal_server(SIGSTOP);
  for (uint32_t i = 0; i < 200; i++) CHECK_EQ(render(&instance, plain(&instance, 600, 400, GREEN)), MSDK_OK);
  CHECK(outstanding(&instance) <= 4);
  resize(&view, window, 640, 480); /* which the server sees only later */
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(outstanding(&instance), 0);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_TIMEOUT);
  CHECK_TEXT(instance.context.error_text, "did not answer");
  signal_server(SIGCONT);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, plain(&instance, 80, 60, BLUE)), MSDK_OK);
  await_points(&view, 600, 400, (point[]){{300, 200, BLUE}}, 1, "open again");
  close_window(&instance);
  xcb_disconnect(view.connection);
  stop_server();
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "window.so", "org.mediasdk.renderer.window");
  renderer = class->video_renderer;
  host_folder();
  atexit(stop_server);
  start_server("");
  test_params();
  test_refused_displays();
  test_pixels();
  test_scales();
  test_first_size();
  test_orientation();
  test_newest_wins();
  test_resize();
  test_properties();
  test_close(0);
  test_close(1);
  test_two_windows();
  test_leftovers();
  stop_server();
  check_server("-screen 0 640x480x16", 300, 200);
  check_server("-screen 0 640x480x30", 300, 200);
  check_server("-screen 0 1280x1024x24 -extension MIT-SHM", 1280, 960);
  test_palette();
  test_server_dies();
  test_server_hangs();
  return check_done();
}
