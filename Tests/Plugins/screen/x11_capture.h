/* Captures X servers of the test's own and compares every pixel with what a plain GetImage gives. */
#ifndef TESTS_X11_CAPTURE_H
#define TESTS_X11_CAPTURE_H

#include "patience.h"
#include "x11_client.h"
#include "x11_server.h"

#include <stddef.h>

enum { STILL = 8 };
enum { RED = 0xFF0000, GREEN = 0x00FF00, BLUE = 0x0000FF, GREY = 0x808080 };

static const msdk_class *class;
static const msdk_video_producer *producer;
static x11_client client;

static inline void load_producer(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  class = host_load(argc, argv, "x11.so", "org.mediasdk.producer.x11");
  producer = class->video_producer;
}

static inline int has_servers(void) {
  if (system("command -v Xvfb > /dev/null && command -v xrandr > /dev/null") == 0) return 1;
  printf("SKIPPED: there is no X server to capture; install the packages xvfb and x11-xserver-utils\n");
  return 0;
}

/* A server, and a client of it. */
static inline int begin(const char *arguments) { return server_start(arguments) && client_open(&client, display); }

static inline void end(void) {
  client_close(&client);
  server_stop();
}

/* --------------------------------------------------------------------------------------------------------------- the capture */

typedef struct capture {
  host_instance host;
  msdk_video_format format;
} capture;

static inline void make(capture *capture, const char *source) {
  host_create(&capture->host, class);
  CHECK_EQ(host_set_string(&capture->host, "display", display), MSDK_OK);
  CHECK_EQ(host_set_string(&capture->host, "source", source), MSDK_OK);
  CHECK_EQ(host_set_bool(&capture->host, "cursor", 0), MSDK_OK);
}

/* As the host does at first and after every change of format. */
static inline void begin_capture(capture *capture) {
  capture->format = MSDK_INIT(msdk_video_format);
  CHECK_EQ(producer->capture_settings(capture->host.self, &capture->format), MSDK_OK);
  CHECK_EQ(producer->set_format(capture->host.self, &capture->format), MSDK_OK);
  CHECK_EQ(producer->start_capture(capture->host.self), MSDK_OK);
  CHECK_EQ(producer->is_capture_started(capture->host.self), 1);
}

static inline int open_capture(capture *capture) {
  msdk_result result = producer->init_capture(capture->host.self);
  CHECK_EQ(result, MSDK_OK);
  if (result < 0) printf("  %s\n", capture->host.context.error_text);
  if (result == MSDK_OK) begin_capture(capture);
  return result == MSDK_OK;
}

static inline void close_capture(capture *capture) {
  CHECK_EQ(producer->stop_capture(capture->host.self), MSDK_OK);
  CHECK_EQ(producer->is_capture_started(capture->host.self), 0);
  CHECK_EQ(producer->release_capture(capture->host.self), MSDK_OK);
  host_destroy(&capture->host);
}

static inline msdk_result produce(capture *capture, msdk_video_frame **frame) {
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
static inline msdk_video_frame *next_frame(capture *capture) {
  int64_t until = deadline_ns();
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

/* -------------------------------------------------------------------------------------------------------- what is waited for */

static inline int same(const msdk_video_frame *frame, const x11_image *image) {
  if (frame->format->width != image->width || frame->format->height != image->height) return 0;
  for (uint32_t row = 0; row < image->height; row++) {
    const uint8_t *bytes = frame->plane[0].data + (ptrdiff_t)row * frame->plane[0].stride;
    if (memcmp(bytes, image->bytes + (size_t)row * image->width * 4, (size_t)image->width * 4) != 0) return 0;
  }
  return 1;
}

/* Whether a frame comes that is exactly this image, which is freed. */
static inline int becomes(capture *capture, x11_image image) {
  int good = 0;
  int64_t until = deadline_ns();
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
static inline int becomes_still(capture *capture) {
  int64_t until = deadline_ns();
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

static inline uint32_t changes_told(capture *capture) {
  return host_count_events(&capture->host, MSDK_PLUGIN_EVENT_FORMAT_CHANGED, MSDK_OK);
}

/* Until the capture tells that the source has another size; then as the host does. */
static inline int follow_change(capture *capture) {
  uint32_t before = changes_told(capture);
  int64_t until = deadline_ns();
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

static inline void lost_once(capture *capture, const char *words) {
  int64_t until = deadline_ns();
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

/* ---------------------------------------------------------------------------------------- what is captured, and how it looks */

static inline void refused(const char *name, const char *source, const char *parameter, const char *value, msdk_result wanted,
                           const char *words) {
  capture capture;
  make(&capture, source);
  CHECK_EQ(host_set_string(&capture.host, "display", name), MSDK_OK);
  if (parameter != NULL) CHECK_EQ(host_set_string(&capture.host, parameter, value), MSDK_OK);
  CHECK_EQ(producer->init_capture(capture.host.self), wanted);
  CHECK_EQ(capture.host.context.error, wanted);
  CHECK_TEXT(capture.host.context.error_text, words);
  host_destroy(&capture.host);
}

static inline void use_window(capture *capture, xcb_window_t window, const char *format) {
  char name[32];
  snprintf(name, sizeof name, format, window);
  make(capture, "window");
  CHECK_EQ(host_set_string(&capture->host, "window", name), MSDK_OK);
}

static inline x11_image root_image(void) {
  return client_image(&client, client.screen->root, 0, 0, client.screen->width_in_pixels & ~1u, client.screen->height_in_pixels & ~1u);
}

static inline x11_image one_colour(unsigned width, unsigned height, uint32_t colour) {
  x11_image image = {.width = width, .height = height, .bytes = malloc((size_t)width * height * 4)};
  for (size_t i = 0; i < (size_t)width * height; i++) {
    for (int c = 0; c < 3; c++) image.bytes[4 * i + (size_t)c] = (uint8_t)(colour >> 8 * c);
    image.bytes[4 * i + 3] = 255;
  }
  return image;
}

static inline x11_image image_with_cursor(int left, int top, unsigned width, unsigned height, int wanted) {
  x11_image image = client_image(&client, client.screen->root, left, top, width, height);
  int seen = client_add_cursor(&client, &image, left, top);
  CHECK((seen > 0) == wanted);
  return image;
}

#endif
