/* Captures X servers of the test's own and compares every pixel with what a plain GetImage gives. What must hold is waited for, however
 * slow all is. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"
#include "x11_client.h"

#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 30, STILL = 8 };
enum { RED = 0xFF0000, GREEN = 0x00FF00, BLUE = 0x0000FF, GREY = 0x808080 };

static const msdk_class *class;
static const msdk_video_producer *producer;
static char server_folder[300], display[32];
static x11_client client;

/* --------------------------------------------------------------------------------------------------------------- the server */

static int script(const char *what, const char *arguments, char *answer, size_t room) {
  static const char file[] = __FILE__;
  char command[1400];
  const char *slash = strrchr(file, '/');
  snprintf(command, sizeof command, "sh '%.*s/x11_server.sh' %s '%s' %s", slash != NULL ? (int)(slash - file) : 1,
           slash != NULL ? file : ".", what, server_folder, arguments);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) return 0;
  if (answer != NULL && fgets(answer, (int)room, pipe) == NULL) answer[0] = 0;
  if (answer != NULL) answer[strcspn(answer, "\n")] = 0;
  return pclose(pipe) == 0;
}

static int begin(const char *arguments) {
  snprintf(server_folder, sizeof server_folder, "%s", host_path("server"));
  CHECK(script("START", arguments, display, sizeof display));
  return display[0] == ':' && client_open(&client, display);
}

static void end(void) {
  client_close(&client);
  CHECK(script("STOP", "", NULL, 0));
  server_folder[0] = 0;
}

static void at_exit(void) {
  if (server_folder[0] != 0) script("STOP", "", NULL, 0);
}

static void run(const char *what) {
  char command[400];
  snprintf(command, sizeof command, "DISPLAY=%s %s", display, what);
  CHECK_EQ(system(command), 0);
}

static void pause_ms(long milliseconds) {
  nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}, NULL);
}

/* -------------------------------------------------------------------------------------------------------------- the capture */

typedef struct capture {
  host_instance host;
  msdk_video_format format;
} capture;

static void make(capture *capture, const char *source) {
  host_create(&capture->host, class);
  CHECK_EQ(host_set_string(&capture->host, "display", display), MSDK_OK);
  CHECK_EQ(host_set_string(&capture->host, "source", source), MSDK_OK);
  CHECK_EQ(host_set_bool(&capture->host, "cursor", 0), MSDK_OK);
}

/* As the host does at first and after every change of format. */
static void begin_capture(capture *capture) {
  capture->format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(producer->capture_settings(capture->host.self, &capture->format), MSDK_OK);
  CHECK_EQ(producer->set_format(capture->host.self, &capture->format), MSDK_OK);
  CHECK_EQ(producer->start_capture(capture->host.self), MSDK_OK);
  CHECK_EQ(producer->is_capture_started(capture->host.self), 1);
}

static int open_capture(capture *capture) {
  msdk_result result = producer->init_capture(capture->host.self);
  CHECK_EQ(result, MSDK_OK);
  if (result < 0) printf("  %s\n", capture->host.context.error_text);
  if (result == MSDK_OK) begin_capture(capture);
  return result == MSDK_OK;
}

static void close_capture(capture *capture) {
  CHECK_EQ(producer->stop_capture(capture->host.self), MSDK_OK);
  CHECK_EQ(producer->is_capture_started(capture->host.self), 0);
  CHECK_EQ(producer->release_capture(capture->host.self), MSDK_OK);
  host_destroy(&capture->host);
}

static msdk_result produce(capture *capture, msdk_video_frame **frame) {
  *frame = NULL;
  msdk_result result = producer->produce_frame(capture->host.self, 1, frame);
  if (result == MSDK_OK) {
    CHECK_EQ((*frame)->format->width, capture->format.width);
    CHECK_EQ((*frame)->format->height, capture->format.height);
    CHECK_EQ((*frame)->format->pixel_format, MSDK_PIXEL_BGRA);
  } else {
    CHECK(*frame == NULL);
  }
  return result;
}

/* The next frame; NULL when none comes for long. */
static msdk_video_frame *next_frame(capture *capture) {
  int64_t until = host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000;
  for (msdk_video_frame *frame; host_monotonic_ns() < until; pause_ms(2)) {
    msdk_result result = produce(capture, &frame);
    if (result == MSDK_OK) return frame;
    CHECK_EQ(result, MSDK_E_AGAIN);
    if (result != MSDK_E_AGAIN) printf("  %s\n", capture->host.context.error_text);
    if (result != MSDK_E_AGAIN) return NULL;
  }
  printf("no frame came\n");
  check_failed++;
  return NULL;
}

static int same(const msdk_video_frame *frame, const x11_image *image) {
  if (frame->format->width != image->width || frame->format->height != image->height) return 0;
  for (uint32_t row = 0; row < image->height; row++) {
    const uint8_t *bytes = frame->plane[0].data + (ptrdiff_t)row * frame->plane[0].stride;
    if (memcmp(bytes, image->bytes + (size_t)row * image->width * 4, (size_t)image->width * 4) != 0) return 0;
  }
  return 1;
}

/* Whether a frame comes that is exactly this image, which is freed. */
static int becomes(capture *capture, x11_image image) {
  int good = 0;
  int64_t until = host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000;
  while (!good && host_monotonic_ns() < until) {
    msdk_video_frame *frame = next_frame(capture);
    if (frame == NULL) break;
    good = same(frame, &image);
    host_unref(frame);
  }
  free(image.bytes);
  return good;
}

/* Whether, after what is on its way has come, nothing comes any more. */
static int becomes_still(capture *capture) {
  int64_t until = host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000;
  for (int quiet = 0; host_monotonic_ns() < until; pause_ms(5)) {
    msdk_video_frame *frame;
    msdk_result result = produce(capture, &frame);
    quiet = result == MSDK_E_AGAIN ? quiet + 1 : 0;
    if (frame != NULL) host_unref(frame);
    if (result != MSDK_OK && result != MSDK_E_AGAIN) return 0;
    if (quiet == STILL) return 1;
  }
  return 0;
}

static x11_image root_image(void) {
  return client_image(&client, client.screen->root, 0, 0, client.screen->width_in_pixels & ~1u, client.screen->height_in_pixels & ~1u);
}

static uint32_t changes_told(capture *capture) {
  return host_count_events(&capture->host, MSDK_PLUGIN_EVENT_FORMAT_CHANGED, MSDK_OK);
}

/* Until the capture tells that the source has another size; then as the host does. */
static int follow_change(capture *capture) {
  uint32_t before = changes_told(capture);
  int64_t until = host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000;
  while (changes_told(capture) == before && host_monotonic_ns() < until) {
    msdk_video_frame *frame;
    msdk_result result = produce(capture, &frame);
    if (frame != NULL) host_unref(frame);
    if (result != MSDK_OK && result != MSDK_E_AGAIN) return 0;
    pause_ms(2);
  }
  if (changes_told(capture) == before) return 0;
  msdk_video_frame *frame;
  CHECK_EQ(produce(capture, &frame), MSDK_E_AGAIN);
  CHECK_EQ(producer->stop_capture(capture->host.self), MSDK_OK);
  begin_capture(capture);
  return 1;
}

/* ----------------------------------------------------------------------------------------------------------- without a server */

static void refused(const char *name, const char *source, const char *parameter, const char *value, msdk_result wanted, const char *words) {
  capture capture;
  make(&capture, source);
  CHECK_EQ(host_set_string(&capture.host, "display", name), MSDK_OK);
  if (parameter != NULL) CHECK_EQ(host_set_string(&capture.host, parameter, value), MSDK_OK);
  CHECK_EQ(producer->init_capture(capture.host.self), wanted);
  CHECK_EQ(capture.host.context.error, wanted);
  CHECK_TEXT(capture.host.context.error_text, words);
  host_destroy(&capture.host);
}

static void test_no_display(void) {
  int descriptors = host_open_descriptors();
  refused(":4711", "display", NULL, NULL, MSDK_E_IO, "no X server answers at display ':4711'");
  refused("nonsense", "display", NULL, NULL, MSDK_E_INVALID, "'nonsense' is not the name of a display");
  unsetenv("DISPLAY");
  refused("", "display", NULL, NULL, MSDK_E_NOT_FOUND, "DISPLAY is not set");
  CHECK_EQ(host_open_descriptors(), descriptors);
}

static void test_params(void) {
  host_instance instance;
  host_create(&instance, class);
  host_check_params(&instance);
  CHECK_EQ(host_set_string(&instance, "source", "desktop"), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "'desktop'");
  CHECK_EQ(host_set_u32(&instance, "fps", 0), MSDK_E_RANGE);
  CHECK_EQ(host_set_u32(&instance, "fps", 61), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "61");
  CHECK_EQ(host_set_u32(&instance, "width", MSDK_DIMENSION_MAX + 1), MSDK_E_RANGE);
  CHECK_EQ(host_set_bool(&instance, "fps", 1), MSDK_E_TYPE);
  CHECK_EQ(host_set_u32(&instance, "cursor", 1), MSDK_E_TYPE);
  msdk_video_frame *frame = NULL;
  CHECK_EQ(producer->produce_frame(instance.self, 1, &frame), MSDK_E_STATE);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);
  CHECK_EQ(producer->flags, MSDK_PRODUCER_PULL | MSDK_PRODUCER_LIVE);
  msdk_host old = host_table;
  old.struct_size = offsetof(msdk_host, video_frame_wrap);
  msdk_self *self = NULL;
  CHECK_EQ(class->create(&old, NULL, &self), MSDK_E_ABI);
}

/* ---------------------------------------------------------------------------------------------------------------- the display */

static void test_formats(void) {
  capture capture;
  make(&capture, "display");
  CHECK_EQ(host_set_u32(&capture.host, "fps", 24), MSDK_OK);
  msdk_self *self = capture.host.self;
  CHECK_EQ(producer->init_capture(self), MSDK_OK);
  msdk_video_format format = MSDK_INIT(msdk_video_format), bad[6];
  CHECK_EQ(producer->enum_formats(self, 0, &format), MSDK_OK);
  CHECK_EQ(format.pixel_format, MSDK_PIXEL_BGRA);
  CHECK_EQ(format.width, client.screen->width_in_pixels & ~1u);
  CHECK_EQ(format.height, client.screen->height_in_pixels & ~1u);
  CHECK_EQ(format.fps_num, 24);
  CHECK_EQ(format.fps_den, 1);
  CHECK_EQ(producer->enum_formats(self, 1, &format), MSDK_E_NOT_FOUND);
  CHECK_EQ(producer->set_format(self, NULL), MSDK_E_INVALID);
  for (int i = 0; i < 6; i++) bad[i] = format;
  bad[0].pixel_format = MSDK_PIXEL_NV12;
  bad[1].width -= 2;
  bad[2].height += 1;
  bad[3].fps_den = 0;
  bad[4].fps_num = 61;
  bad[5].memory_kinds = MSDK_MEMORY_DMABUF;
  for (int i = 0; i < 6; i++) CHECK_EQ(producer->set_format(self, &bad[i]), MSDK_E_FORMAT);
  format.fps_num = 60;
  CHECK_EQ(producer->set_format(self, &format), MSDK_OK);
  CHECK_EQ(producer->capture_settings(self, &format), MSDK_OK);
  CHECK_EQ(format.fps_num, 60);
  CHECK_EQ(producer->is_capture_started(self), 0);
  CHECK_EQ(producer->release_capture(self), MSDK_OK);
  host_destroy(&capture.host);
}

static void test_display(void) {
  int descriptors = host_open_descriptors();
  capture capture;
  make(&capture, "display");
  client_paint(&client, client.screen->root, client.screen->width_in_pixels, client.screen->height_in_pixels, 1);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, root_image()));
    for (uint32_t i = 0; i < 20; i++) {
      client_paint(&client, client.screen->root, client.screen->width_in_pixels, client.screen->height_in_pixels, 7 * i);
      CHECK(becomes(&capture, root_image()));
    }
    CHECK(becomes_still(&capture));
    for (int i = 0; i < 5; i++) { /* again and again */
      CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
      begin_capture(&capture);
      CHECK(becomes(&capture, root_image()));
    }
  }
  close_capture(&capture);
  CHECK_EQ(host_open_descriptors(), descriptors);
}

/* What was not drawn on is not read: a mark that is left in the memory, once the frame was given back, stays. */
static void test_parts(void) {
  capture capture;
  make(&capture, "display");
  client_fill(&client, client.screen->root, GREY, 0, 0, 2000, 2000);
  client_sync(&client);
  if (open_capture(&capture)) {
    CHECK(becomes_still(&capture));
    client_fill(&client, client.screen->root, RED, 8, 8, 16, 16);
    client_sync(&client);
    msdk_video_frame *frame = next_frame(&capture);
    if (frame != NULL) {
      uint8_t *memory = frame->plane[0].data;
      size_t stride = (size_t)frame->plane[0].stride;
      host_unref(frame);
      CHECK(becomes_still(&capture));
      memory[200 * stride + 4 * 300] ^= 0x55;
      client_fill(&client, client.screen->root, GREEN, 40, 100, 17, 5);
      client_fill(&client, client.screen->root, BLUE, 400, 300, 3, 50);
      client_sync(&client);
      x11_image wanted = root_image();
      wanted.bytes[4 * (200 * wanted.width + 300)] ^= 0x55;
      CHECK(becomes(&capture, wanted));
      client_fill(&client, client.screen->root, BLUE, 300, 200, 1, 1);
      client_sync(&client);
      CHECK(becomes(&capture, root_image()));
    }
  }
  close_capture(&capture);
}

static void test_repeated(void) {
  capture capture;
  make(&capture, "display");
  CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 0), MSDK_OK);
  if (open_capture(&capture)) {
    msdk_video_frame *first = next_frame(&capture), *frame = NULL;
    while (first != NULL && becomes(&capture, root_image()) == 0) continue;
    host_unref(first);
    first = next_frame(&capture);
    for (int i = 0; first != NULL && i < 10; i++) {
      CHECK_EQ(produce(&capture, &frame), MSDK_OK);
      if (frame == NULL) break;
      CHECK(frame->plane[0].data == first->plane[0].data); /* the same memory, while the first is still looked at */
      host_unref(frame);
    }
    if (first != NULL) host_unref(first);
    CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 1), MSDK_OK);
    CHECK(becomes_still(&capture));
  }
  close_capture(&capture);
}

/* A host that keeps its frames finds them as they were, and gets no more than eight; it may give them back when all is over. */
static void test_kept(void) {
  capture capture;
  make(&capture, "display");
  msdk_video_frame *kept[9] = {0};
  x11_image images[9] = {0};
  if (open_capture(&capture)) {
    for (int i = 0; i < 8; i++) {
      client_paint(&client, client.screen->root, 640, 480, (uint32_t)i * 31);
      images[i] = root_image();
      kept[i] = next_frame(&capture);
      while (kept[i] != NULL && !same(kept[i], &images[i])) {
        host_unref(kept[i]);
        kept[i] = next_frame(&capture);
      }
    }
    client_paint(&client, client.screen->root, 640, 480, 4711);
    CHECK(becomes_still(&capture));
    for (int i = 0; i < 8; i++) CHECK(kept[i] != NULL && same(kept[i], &images[i]));
    for (int i = 0; i < 4; i++) host_unref(kept[i]);
    CHECK(becomes(&capture, root_image()));
  }
  CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(capture.host.self), MSDK_OK);
  for (int i = 4; i < 8; i++) {
    CHECK(kept[i] != NULL && same(kept[i], &images[i]));
    if (kept[i] != NULL) host_unref(kept[i]);
  }
  for (int i = 0; i < 8; i++) free(images[i].bytes);
  host_destroy(&capture.host);
}

/* ------------------------------------------------------------------------------------------------------------------ the cursor */

static void use_cursor(xcb_window_t window, uint16_t glyph) {
  xcb_font_t font = xcb_generate_id(client.link);
  xcb_cursor_t cursor = xcb_generate_id(client.link);
  xcb_open_font(client.link, font, 6, "cursor");
  xcb_create_glyph_cursor(client.link, cursor, font, font, glyph, glyph + 1, 0xFFFF, 0x8000, 0, 0, 0, 0xFFFF);
  xcb_change_window_attributes(client.link, window, XCB_CW_CURSOR, &cursor);
  client_sync(&client);
}

static x11_image image_with_cursor(int left, int top, unsigned width, unsigned height, int wanted) {
  x11_image image = client_image(&client, client.screen->root, left, top, width, height);
  int seen = client_add_cursor(&client, &image, left, top);
  CHECK((seen > 0) == wanted);
  return image;
}

static void test_cursor(void) {
  client_paint(&client, client.screen->root, 640, 480, 99);
  use_cursor(client.screen->root, 68);
  client_pointer(&client, 100, 100);
  capture capture;
  make(&capture, "display");
  CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    CHECK(becomes_still(&capture));
    const int places[][2] = {{105, 103}, {300, 200}, {0, 0}, {639, 479}, {639, 0}, {20, 20}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) { /* the pointer moves, and nothing else */
      client_pointer(&client, places[i][0], places[i][1]);
      CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
      CHECK(becomes_still(&capture));
    }
    for (int i = 0; i < 12; i++) CHECK(becomes_still(&capture)); /* after a long rest too */
    client_pointer(&client, 320, 240);
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    use_cursor(client.screen->root, 52); /* it looks otherwise */
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    client_fill(&client, client.screen->root, GREEN, 10, 10, 30, 30); /* below it */
    client_sync(&client);
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    msdk_video_frame *kept = NULL;
    client_pointer(&client, 50, 50);
    kept = next_frame(&capture);
    client_pointer(&client, 60, 60); /* into another picture, while the last is kept */
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
    if (kept != NULL) host_unref(kept);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 0), MSDK_OK);
    CHECK(becomes(&capture, root_image()));
    client_pointer(&client, 70, 70);
    CHECK(becomes_still(&capture));
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
  }
  close_capture(&capture);

  make(&capture, "rectangle");
  CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture.host, "x", 200), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture.host, "y", 100), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture.host, "width", 64), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture.host, "height", 48), MSDK_OK);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, image_with_cursor(200, 100, 64, 48, 0)));
    client_pointer(&client, 263, 120); /* half of it inside */
    CHECK(becomes(&capture, image_with_cursor(200, 100, 64, 48, 1)));
    client_pointer(&client, 400, 400);
    CHECK(becomes(&capture, image_with_cursor(200, 100, 64, 48, 0)));
    client_pointer(&client, 410, 410);
    CHECK(becomes_still(&capture));
  }
  close_capture(&capture);
}

/* --------------------------------------------------------------------------------------------------------- parts of the display */

static void set_rectangle(capture *capture, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  CHECK_EQ(host_set_u32(&capture->host, "x", x), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture->host, "y", y), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture->host, "width", width), MSDK_OK);
  CHECK_EQ(host_set_u32(&capture->host, "height", height), MSDK_OK);
}

static void test_rectangle(void) {
  capture capture;
  make(&capture, "rectangle");
  const uint32_t outside[][4] = {{640, 0, 2, 2}, {0, 480, 2, 2}, {600, 0, 41, 2}, {0, 479, 2, 2}, {0, 0, 641, 0}, {16384, 16384, 9, 9}};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
    set_rectangle(&capture, outside[i][0], outside[i][1], outside[i][2], outside[i][3]);
    CHECK_EQ(producer->init_capture(capture.host.self), MSDK_E_RANGE);
    CHECK_TEXT(capture.host.context.error_text, "is not inside of the display, which is of 640x480");
  }
  set_rectangle(&capture, 639, 0, 1, 10);
  CHECK_EQ(producer->init_capture(capture.host.self), MSDK_E_UNSUPPORTED);
  CHECK_TEXT(capture.host.context.error_text, "0x10");
  client_paint(&client, client.screen->root, 640, 480, 5);
  set_rectangle(&capture, 101, 33, 151, 77);
  if (open_capture(&capture)) {
    CHECK_EQ(capture.format.width, 150);
    CHECK_EQ(capture.format.height, 76);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 101, 33, 150, 76)));
    CHECK(becomes_still(&capture));
    client_fill(&client, client.screen->root, RED, 0, 0, 101, 480); /* beside it */
    client_sync(&client);
    CHECK(becomes_still(&capture));
    uint32_t before = capture.host.context.wrapped;
    client_fill(&client, client.screen->root, BLUE, 251, 0, 100, 480);
    client_sync(&client);
    CHECK(becomes_still(&capture));
    CHECK_EQ(capture.host.context.wrapped, before);
    client_fill(&client, client.screen->root, GREEN, 90, 30, 30, 30);
    client_sync(&client);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 101, 33, 150, 76)));
  }
  close_capture(&capture);
  make(&capture, "rectangle");
  set_rectangle(&capture, 600, 440, 0, 0); /* to the edges */
  if (open_capture(&capture)) {
    CHECK_EQ(capture.format.width, 40);
    CHECK_EQ(capture.format.height, 40);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 600, 440, 40, 40)));
  }
  close_capture(&capture);
}

/* ----------------------------------------------------------------------------------------------------------------------- windows */

static void use_window(capture *capture, xcb_window_t window, const char *format) {
  char name[32];
  snprintf(name, sizeof name, format, window);
  make(capture, "window");
  CHECK_EQ(host_set_string(&capture->host, "window", name), MSDK_OK);
}

static x11_image one_colour(unsigned width, unsigned height, uint32_t colour) {
  x11_image image = {.width = width, .height = height, .bytes = malloc((size_t)width * height * 4)};
  for (size_t i = 0; i < (size_t)width * height; i++) {
    for (int c = 0; c < 3; c++) image.bytes[4 * i + (size_t)c] = (uint8_t)(colour >> 8 * c);
    image.bytes[4 * i + 3] = 255;
  }
  return image;
}

static void test_no_window(void) {
  refused(display, "window", "window", "", MSDK_E_INVALID, "'window' is empty");
  refused(display, "window", "window", "0x3fffff1", MSDK_E_NOT_FOUND, "'0x3fffff1'");
  refused(display, "window", "window", "99999999999999999999", MSDK_E_NOT_FOUND, "number or the title");
  refused(display, "window", "window", "0", MSDK_E_NOT_FOUND, "'0'");
  refused(display, "window", "window", "no such title", MSDK_E_NOT_FOUND, "'no such title'");
  char name[32];
  snprintf(name, sizeof name, "%u", client.screen->root);
  refused(display, "window", "window", name, MSDK_E_INVALID, "is the root window");
  xcb_window_t input = xcb_generate_id(client.link);
  xcb_create_window(client.link, 0, input, client.screen->root, 0, 0, 50, 50, 0, XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, 0,
                    NULL);
  client_sync(&client);
  snprintf(name, sizeof name, "0x%X", input);
  refused(display, "window", "window", name, MSDK_E_UNSUPPORTED, "for input only");
  xcb_window_t small = client_window(&client, "small", 0, 0, 1, 30, 0, RED);
  refused(display, "window", "window", "small", MSDK_E_UNSUPPORTED, "0x30");
  xcb_destroy_window(client.link, input);
  xcb_destroy_window(client.link, small);
  client_sync(&client);
}

static void test_window(void) {
  xcb_window_t window = client_window(&client, "to be captured", 50, 60, 201, 103, 5, BLUE);
  xcb_window_t child = xcb_generate_id(client.link);
  uint32_t green = GREEN;
  xcb_create_window(client.link, XCB_COPY_FROM_PARENT, child, window, 30, 30, 20, 20, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                    XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL, &green);
  xcb_map_window(client.link, child);
  client_sync(&client);
  const char *names[] = {"%u", "0x%x", "to be captured"};
  for (int i = 0; i < 3; i++) {
    capture capture;
    use_window(&capture, window, names[i]);
    if (open_capture(&capture)) {
      CHECK_EQ(capture.format.width, 200);
      CHECK_EQ(capture.format.height, 102);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      client_paint(&client, window, 201, 103, (uint32_t)i);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      CHECK(becomes_still(&capture));
      client_fill(&client, child, RED, 3, 3, 5, 5);
      client_sync(&client);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      client_configure(&client, window, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, 500, 400); /* half of it leaves the display */
      client_fill(&client, window, RED, 190, 90, 20, 20);
      client_sync(&client);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      client_configure(&client, window, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, 50, 60);
      client_configure(&client, window, XCB_CONFIG_WINDOW_BORDER_WIDTH, 9 + (uint32_t)i, 0);
      client_paint(&client, window, 201, 103, 44);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 200, 102)));
      CHECK_EQ(changes_told(&capture), 0);
    }
    close_capture(&capture);
  }
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_covered(void) {
  xcb_window_t window = client_window(&client, "below", 50, 60, 200, 100, 0, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
  client_pointer(&client, 0, 0);
  if (open_capture(&capture)) {
    xcb_window_t cover = client_window(&client, "above", 40, 50, 150, 200, 0, RED);
    client_fill(&client, window, GREEN, 10, 10, 100, 50);
    client_sync(&client);
    x11_image wanted = one_colour(200, 100, BLUE);
    for (int y = 10; y < 60; y++) {
      for (int x = 10; x < 110; x++) memcpy(wanted.bytes + 4 * (y * 200 + x), "\x00\xFF\x00\xFF", 4);
    }
    CHECK(becomes(&capture, wanted));
    x11_image seen = client_image(&client, client.screen->root, 50, 60, 2, 2);
    CHECK_EQ(seen.bytes[2], 0xFF); /* it is covered indeed */
    free(seen.bytes);
    CHECK(becomes_still(&capture));
    client_fill(&client, cover, GREY, 0, 0, 150, 200);
    client_sync(&client);
    CHECK(becomes_still(&capture));
    xcb_destroy_window(client.link, cover);
    client_sync(&client);
  }
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_hidden(void) {
  xcb_window_t window = client_window(&client, "hidden", 50, 60, 200, 100, 0, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, one_colour(200, 100, BLUE)));
    msdk_video_frame *last = NULL;
    for (int i = 0; i < 3; i++) {
      xcb_unmap_window(client.link, window);
      client_sync(&client);
      CHECK(becomes_still(&capture));
      uint32_t back = i % 2 == 0 ? RED : GREEN;
      CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 0), MSDK_OK);
      CHECK_EQ(produce(&capture, &last), MSDK_OK); /* the last picture is kept */
      if (last != NULL) host_unref(last);
      CHECK_EQ(host_set_bool(&capture.host, "skip_unchanged", 1), MSDK_OK);
      xcb_change_window_attributes(client.link, window, XCB_CW_BACK_PIXEL, &back);
      xcb_map_window(client.link, window);
      client_sync(&client);
      CHECK(becomes(&capture, one_colour(200, 100, back)));
    }
    CHECK_EQ(changes_told(&capture), 0);
  }
  close_capture(&capture);
  xcb_unmap_window(client.link, window);
  client_sync(&client);
  use_window(&capture, window, "%u"); /* not there yet */
  if (open_capture(&capture)) {
    CHECK(becomes_still(&capture));
    CHECK_EQ(capture.host.context.wrapped, 0);
    xcb_map_window(client.link, window);
    client_sync(&client);
    CHECK(becomes(&capture, one_colour(200, 100, RED)));
  }
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void test_resized(void) {
  xcb_window_t window = client_window(&client, "resized", 10, 10, 200, 100, 2, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, one_colour(200, 100, BLUE)));
    msdk_video_format before = capture.format;
    client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 301, 55);
    client_sync(&client);
    CHECK(follow_change(&capture));
    CHECK_EQ(capture.format.width, 300);
    CHECK_EQ(capture.format.height, 54);
    CHECK_EQ(changes_told(&capture), 1);
    CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
    CHECK_EQ(producer->set_format(capture.host.self, &before), MSDK_E_FORMAT);
    CHECK_TEXT(capture.host.context.error_text, "what is captured is of 300x54");
    begin_capture(&capture);
    CHECK(becomes(&capture, one_colour(300, 54, BLUE)));
    client_paint(&client, window, 301, 55, 3);
    CHECK(becomes(&capture, client_image(&client, window, 0, 0, 300, 54)));
    /* Too small for a picture, and back. */
    client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 1, 1);
    client_sync(&client);
    CHECK(becomes_still(&capture));
    client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 300, 54);
    client_sync(&client);
    CHECK(becomes(&capture, one_colour(300, 54, BLUE)));
    CHECK_EQ(changes_told(&capture), 1);
  }
  close_capture(&capture);

  /* Between any two requests of ours: whatever comes is of one size and one colour. */
  client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, 200, 100);
  use_window(&capture, window, "%u");
  client_sync(&client);
  uint32_t frames = 0, random = 5;
  if (open_capture(&capture)) {
    for (int i = 0; i < 1000; i++) {
      random = random * 1664525 + 1013904223;
      uint32_t width = 20 + (random >> 8) % 300, height = 20 + (random >> 17) % 300;
      if (i % 3 == 0) client_configure(&client, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, width, height);
      msdk_video_frame *frame;
      uint32_t told = changes_told(&capture);
      CHECK(produce(&capture, &frame) == (frame != NULL ? MSDK_OK : MSDK_E_AGAIN));
      if (frame != NULL) {
        x11_image wanted = one_colour(capture.format.width, capture.format.height, BLUE);
        CHECK(same(frame, &wanted));
        free(wanted.bytes);
        host_unref(frame);
        frames++;
      }
      if (changes_told(&capture) == told && capture.host.context.events <= HOST_EVENTS) continue;
      capture.host.context.events = 0; /* its log is short */
      CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
      begin_capture(&capture);
    }
  }
  CHECK(frames > 0);
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

static void lost_once(capture *capture, const char *words) {
  int64_t until = host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000;
  msdk_video_frame *frame;
  msdk_result result;
  while ((result = produce(capture, &frame)) == MSDK_OK || result == MSDK_E_AGAIN) {
    if (frame != NULL) host_unref(frame);
    if (host_monotonic_ns() > until) break;
    pause_ms(2);
  }
  CHECK_EQ(result, MSDK_E_DEVICE_LOST);
  CHECK_EQ(capture->host.context.error, MSDK_E_DEVICE_LOST);
  CHECK_TEXT(capture->host.context.error_text, words);
  for (int i = 0; i < 3; i++) CHECK_EQ(produce(capture, &frame), MSDK_E_CLOSED);
  CHECK_EQ(producer->capture_settings(capture->host.self, &capture->format), MSDK_E_DEVICE_LOST);
  CHECK_EQ(producer->stop_capture(capture->host.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(capture->host.self), MSDK_E_DEVICE_LOST);
  CHECK_EQ(producer->release_capture(capture->host.self), MSDK_OK);
}

static void test_closed(void) {
  xcb_window_t window = client_window(&client, "closed", 10, 10, 200, 100, 2, BLUE);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, one_colour(200, 100, BLUE)));
    client_fill(&client, window, RED, 0, 0, 10, 10);
    xcb_destroy_window(client.link, window);
    client_sync(&client);
    lost_once(&capture, "the window was closed");
  }
  CHECK_EQ(producer->init_capture(capture.host.self), MSDK_E_NOT_FOUND);
  host_destroy(&capture.host);
}

/* A window with alpha: what is transparent comes out as over black, and the fourth byte as 255. */
static void test_alpha(void) {
  xcb_visualid_t visual = 0;
  for (xcb_depth_iterator_t i = xcb_screen_allowed_depths_iterator(client.screen); i.rem > 0; xcb_depth_next(&i)) {
    if (i.data->depth == 32 && xcb_depth_visuals_length(i.data) > 0) visual = xcb_depth_visuals(i.data)->visual_id;
  }
  if (visual == 0) {
    printf("SKIPPED: this server has no windows of depth 32\n");
    return;
  }
  xcb_window_t window = xcb_generate_id(client.link);
  xcb_colormap_t colours = xcb_generate_id(client.link);
  xcb_create_colormap(client.link, XCB_COLORMAP_ALLOC_NONE, colours, client.screen->root, visual);
  uint32_t values[] = {0x80402010, 0, 1, colours};
  xcb_create_window(client.link, 32, window, client.screen->root, 20, 20, 100, 80, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, visual,
                    XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_COLORMAP, values);
  xcb_map_window(client.link, window);
  client_sync(&client);
  capture capture;
  use_window(&capture, window, "%u");
  if (open_capture(&capture)) CHECK(becomes(&capture, one_colour(100, 80, 0x402010)));
  close_capture(&capture);
  xcb_destroy_window(client.link, window);
  client_sync(&client);
}

/* -------------------------------------------------------------------------------------------------------- monitors, other sizes */

static void test_monitors(void) {
  capture capture;
  refused(display, "monitor", "monitor", "NOWHERE", MSDK_E_NOT_FOUND, "there is no monitor 'NOWHERE'; there is screen");
  client_paint(&client, client.screen->root, 640, 480, 21);
  make(&capture, "monitor");
  if (open_capture(&capture)) CHECK(becomes(&capture, root_image()));
  close_capture(&capture);
  run("xrandr --setmonitor LEFT 320/80x301/100+11+7 none");
  make(&capture, "monitor");
  CHECK_EQ(host_set_string(&capture.host, "monitor", "LEFT"), MSDK_OK);
  if (open_capture(&capture)) {
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 11, 7, 320, 300)));
    client_paint(&client, client.screen->root, 640, 480, 22);
    CHECK(becomes(&capture, client_image(&client, client.screen->root, 11, 7, 320, 300)));
  }
  close_capture(&capture);
  run("xrandr --delmonitor LEFT");
}

static void test_other_size(void) {
  run("xrandr --newmode small 25 400 410 420 430 300 310 311 320");
  run("xrandr --addmode screen small");
  const char *sources[] = {"display", "monitor"};
  for (int i = 0; i < 2; i++) {
    capture capture;
    make(&capture, sources[i]);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    client_pointer(&client, 350, 250);
    if (open_capture(&capture)) {
      msdk_video_frame *kept = next_frame(&capture);
      run("xrandr --output screen --mode small");
      CHECK(follow_change(&capture));
      CHECK_EQ(capture.format.width, 400);
      CHECK_EQ(capture.format.height, 300);
      client_paint(&client, client.screen->root, 400, 300, 3);
      CHECK(becomes(&capture, image_with_cursor(0, 0, 400, 300, 1)));
      run("xrandr --output screen --mode 640x480");
      CHECK(follow_change(&capture));
      client_paint(&client, client.screen->root, 640, 480, 4);
      CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
      CHECK_EQ(changes_told(&capture), 2);
      if (kept != NULL) host_unref(kept);
    }
    close_capture(&capture);
  }
  capture capture;
  make(&capture, "rectangle");
  set_rectangle(&capture, 300, 200, 200, 200);
  if (open_capture(&capture)) {
    run("xrandr --output screen --mode small");
    lost_once(&capture, "the rectangle of 200x200 at 300,200 is not inside of the display, which is of 400x300");
  }
  host_destroy(&capture.host);
  run("xrandr --output screen --mode 640x480");
}

/* ---------------------------------------------------------------------------------------------------------------- other servers */

static void test_server_dies(void) {
  static const char *const kinds[] = {"display", "window"};
  for (int i = 0; i < 2; i++) {
    if (!begin("-screen 0 640x480x24")) return;
    client_window(&client, "on a server", 10, 10, 100, 80, 0, BLUE);
    capture capture;
    make(&capture, kinds[i]);
    CHECK_EQ(host_set_string(&capture.host, "window", "on a server"), MSDK_OK);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    msdk_video_frame *kept = NULL;
    if (open_capture(&capture)) {
      kept = next_frame(&capture);
      CHECK(script("KILL", "", NULL, 0));
      client_close(&client);
      lost_once(&capture, "the X server went away");
      msdk_result result = producer->init_capture(capture.host.self); /* by now another program's server may have that number */
      CHECK(result == MSDK_E_IO || result == MSDK_E_NOT_FOUND || result == MSDK_OK);
      if (result == MSDK_OK) CHECK_EQ(producer->release_capture(capture.host.self), MSDK_OK);
    }
    /* Another one, which may have another number. */
    int is_back = script("START", "-screen 0 320x200x24", display, sizeof display) && client_open(&client, display);
    CHECK(is_back);
    if (!is_back) return;
    client_window(&client, "on a server", 10, 10, 60, 40, 0, RED);
    CHECK_EQ(host_set_string(&capture.host, "display", display), MSDK_OK);
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 0), MSDK_OK);
    if (open_capture(&capture)) CHECK(becomes(&capture, i == 0 ? root_image() : one_colour(60, 40, RED)));
    if (kept != NULL) host_unref(kept);
    close_capture(&capture);
    end();
  }
}

/* A server that is halted, or grabbed by a program, does not hold its capturer: nothing is new meanwhile, and stopping is possible. */
static void test_silent(void) {
  for (int i = 0; i < 2; i++) {
    capture capture;
    make(&capture, "display");
    CHECK_EQ(host_set_bool(&capture.host, "cursor", 1), MSDK_OK);
    x11_client other;
    if (open_capture(&capture) && client_open(&other, display)) {
      client_pointer(&client, 100, 100);
      CHECK(becomes_still(&capture));
      xcb_grab_server(other.link);
      client_fill(&other, client.screen->root, i == 0 ? RED : BLUE, 0, 0, 640, 480);
      client_sync(&other);
      CHECK(becomes_still(&capture)); /* in time, while nobody but the grabber is served */
      if (i == 0) {
        xcb_ungrab_server(other.link);
        client_sync(&other);
        CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
        CHECK(becomes_still(&capture));
      }
      CHECK_EQ(producer->stop_capture(capture.host.self), MSDK_OK);
      if (i == 1) {
        begin_capture(&capture);
        CHECK(becomes_still(&capture));
        CHECK_TEXT(capture.host.context.error_text, "does not answer");
        xcb_ungrab_server(other.link);
        client_sync(&other);
        CHECK(becomes(&capture, image_with_cursor(0, 0, 640, 480, 1)));
      }
      client_close(&other);
    }
    close_capture(&capture);
  }
}

/* It dies at any moment, which is between two requests, or within. */
static void test_server_dies_at_work(void) {
  for (int i = 0; i < 4; i++) {
    if (!begin("-screen 0 1280x1024x24")) return;
    capture capture;
    make(&capture, "display");
    if (open_capture(&capture)) {
      char command[400];
      snprintf(command, sizeof command, "(sleep 0.%d; kill -KILL $(cat '%s/pid')) > /dev/null 2>&1 &", i, server_folder);
      CHECK_EQ(system(command), 0);
      msdk_video_frame *frame;
      msdk_result result;
      int64_t until = host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000;
      do {
        client_fill(&client, client.screen->root, (uint32_t)host_monotonic_ns() & 0xFFFFFF, 0, 0, 1280, 1024);
        xcb_flush(client.link);
        result = produce(&capture, &frame);
        if (frame != NULL) host_unref(frame);
      } while ((result == MSDK_OK || result == MSDK_E_AGAIN) && host_monotonic_ns() < until);
      CHECK_EQ(result, MSDK_E_DEVICE_LOST);
      CHECK_EQ(produce(&capture, &frame), MSDK_E_CLOSED);
    }
    close_capture(&capture);
    end();
  }
}

static void test_depths(void) {
  static const int depths[] = {16, 30};
  for (int i = 0; i < 2; i++) {
    char screen[40];
    snprintf(screen, sizeof screen, "-screen 0 641x481x%d", depths[i]);
    if (!begin(screen)) return;
    test_display();
    xcb_window_t window = client_window(&client, "a window", 11, 13, 151, 77, 3, 0x1234);
    capture capture;
    use_window(&capture, window, "%u");
    if (open_capture(&capture)) {
      client_paint(&client, window, 151, 77, 8);
      CHECK(becomes(&capture, client_image(&client, window, 0, 0, 150, 76)));
    }
    close_capture(&capture);
    end();
  }
  if (!begin("-screen 0 640x480x8")) return;
  refused(display, "display", NULL, NULL, MSDK_E_UNSUPPORTED, "depth 8");
  end();
}

/* Servers that lack something give the same pictures by other ways. */
static void test_lacking(void) {
  static const char *const lacking[] = {"MIT-SHM", "RENDER", "DAMAGE", "XFIXES", "RANDR", "Composite"};
  for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
    char arguments[80];
    snprintf(arguments, sizeof arguments, "-screen 0 640x480x24 -extension %s", lacking[i]);
    if (!begin(arguments)) return;
    capture capture;
    make(&capture, "display");
    if (open_capture(&capture)) {
      for (uint32_t k = 0; k < 5; k++) {
        client_paint(&client, client.screen->root, 640, 480, k);
        CHECK(becomes(&capture, root_image()));
      }
      if (strcmp(lacking[i], "DAMAGE") != 0 && strcmp(lacking[i], "XFIXES") != 0) CHECK(becomes_still(&capture));
    }
    close_capture(&capture);
    if (strcmp(lacking[i], "MIT-SHM") == 0) {
      test_parts();
      test_window();
      test_resized();
    }
    if (strcmp(lacking[i], "RANDR") == 0) refused(display, "monitor", NULL, NULL, MSDK_E_UNSUPPORTED, "RandR");
    if (strcmp(lacking[i], "Composite") == 0) {
      client_window(&client, "any", 0, 0, 50, 50, 0, RED);
      refused(display, "window", "window", "any", MSDK_E_UNSUPPORTED, "Composite");
    }
    end();
  }
}

/* ------------------------------------------------------------------------------------------------------------------ real programs */

static void test_programs(void) {
  char command[400];
  snprintf(command, sizeof command,
           "(DISPLAY=%s xterm -title 'a terminal' -geometry 40x10+20+20 -e sh -c 'echo some text; sleep 600' & echo $!; "
           "DISPLAY=%s xclock -title 'a clock' -update 3600 -geometry 120x120+400+20 & echo $!) > '%s' 2>/dev/null",
           display, display, host_path("programs"));
  CHECK_EQ(system(command), 0);
  static const char *const titles[] = {"a terminal", "a clock"};
  for (int i = 0; i < 2; i++) {
    capture capture;
    make(&capture, "window");
    CHECK_EQ(host_set_string(&capture.host, "window", titles[i]), MSDK_OK);
    int64_t until = host_monotonic_ns() + (int64_t)PATIENCE_S * 1000000000;
    while (producer->init_capture(capture.host.self) != MSDK_OK && host_monotonic_ns() < until) pause_ms(50);
    begin_capture(&capture);
    int good = 0;
    while (!good && host_monotonic_ns() < until) { /* it may not have drawn all yet */
      msdk_video_frame *frame = next_frame(&capture);
      if (frame == NULL) break;
      x11_image image = client_image(&client, client.screen->root, i == 0 ? 21 : 401, 21, 100, 60);
      int colours = 0;
      for (size_t k = 1; k < (size_t)100 * 60; k++) colours += memcmp(image.bytes, image.bytes + 4 * k, 4) != 0;
      good = colours > 20;
      for (uint32_t y = 0; good && y < 60; y++) {
        for (uint32_t x = 0; good && x < 100; x++) {
          good = memcmp(frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride + 4 * x, image.bytes + 4 * (y * 100 + x), 4) == 0;
        }
      }
      free(image.bytes);
      host_unref(frame);
    }
    CHECK(good);
    close_capture(&capture);
  }
  snprintf(command, sizeof command, "kill $(cat '%s')", host_path("programs"));
  CHECK_EQ(system(command), 0);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  class = host_load(argc, argv, "x11.so", "org.mediasdk.producer.x11");
  producer = class->video_producer;
  test_no_display();
  test_params();
  if (system("command -v Xvfb > /dev/null && command -v xrandr > /dev/null") != 0) {
    printf("SKIPPED, all but two: there is no X server to capture; install the packages xvfb and x11-xserver-utils\n");
    return check_done();
  }
  atexit(at_exit);
  if (begin("-screen 0 640x480x24")) {
    test_formats();
    test_display();
    test_parts();
    test_repeated();
    test_kept();
    test_cursor();
    test_rectangle();
    test_no_window();
    test_window();
    test_covered();
    test_hidden();
    test_resized();
    test_closed();
    test_alpha();
    test_monitors();
    test_other_size();
    test_silent();
    if (system("command -v xterm > /dev/null && command -v xclock > /dev/null") == 0) test_programs();
    else printf("SKIPPED: there are no programs to capture; install the packages xterm and x11-apps\n");
    end();
  }
  test_server_dies();
  test_server_dies_at_work();
  test_depths();
  test_lacking();
  return check_done();
}
