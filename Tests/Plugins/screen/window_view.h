/* A window on an X server of the test's own, and its pixels as another client sees them. What must hold is waited for, however slow
 * all is. */
#ifndef TESTS_WINDOW_VIEW_H
#define TESTS_WINDOW_VIEW_H

#include "check.h"
#include "patience.h"
#include "plain_pictures.h"
#include "x11_server.h"

#include <stdlib.h>
#include <xcb/xcb.h>

enum { SEA = 0x204060 };

static inline void load_window(int argc, char **argv) { load_renderer(argc, argv, "window.so", "org.mediasdk.renderer.window"); }

static inline void start_server(const char *arguments) {
  if (!server_start(arguments)) exit(check_done());
}

/* ---------------------------------------------------------------------------------------- the test's own look at the display */

typedef struct viewer {
  xcb_connection_t *connection;
  xcb_screen_t *screen;
  uint32_t red_mask, green_mask, blue_mask;
} viewer;

static inline viewer look(void) {
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

static inline xcb_atom_t atom(const viewer *view, const char *name) {
  xcb_intern_atom_reply_t *reply =
    xcb_intern_atom_reply(view->connection, xcb_intern_atom(view->connection, 0, (uint16_t)strlen(name), name), NULL);
  xcb_atom_t result = reply != NULL ? reply->atom : 0;
  free(reply);
  return result;
}

/* 0 until there is one that is seen. */
static inline xcb_window_t the_window(const viewer *view) {
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

static inline uint32_t component(uint32_t pixel, uint32_t mask) {
  uint32_t shift = 0;
  while ((mask >> shift & 1) == 0) shift++;
  uint32_t largest = mask >> shift;
  return (uint32_t)(((uint64_t)((pixel & mask) >> shift) * 255 + largest / 2) / largest);
}

/* The window's contents as 0xRRGGBB; the caller frees them. NULL when there is no window. */
static inline uint32_t *contents(const viewer *view, uint32_t *width, uint32_t *height) {
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

/* -------------------------------------------------------------------------------------------------------- what is waited for */

static inline int near(uint32_t a, uint32_t b, int tolerance) {
  for (int shift = 0; shift < 24; shift += 8) {
    int difference = (int)(a >> shift & 255) - (int)(b >> shift & 255);
    if (difference > tolerance || difference < -tolerance) return 0;
  }
  return 1;
}

typedef struct point {
  uint32_t x, y, colour;
} point;

static inline int fits(const uint32_t *pixels, uint32_t width, uint32_t height, const point *points, int count, int tolerance) {
  for (int i = 0; i < count; i++) {
    if (points[i].x >= width || points[i].y >= height) return 0;
    if (!near(pixels[(size_t)points[i].y * width + points[i].x], points[i].colour, tolerance)) return 0;
  }
  return 1;
}

/* Until the window is of the size and has the colours. */
static inline void await_points(const viewer *view, uint32_t width, uint32_t height, const point *points, int count, const char *what) {
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
static inline void await_gone(const viewer *view) {
  int64_t until = deadline_ns();
  while (the_window(view) != 0 && host_monotonic_ns() < until) pause_ms(5);
  CHECK_EQ(the_window(view), 0);
}

/* ---------------------------------------------------------------------------------------------------------------- the window */

static inline void make(host_instance *instance) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "display", display), MSDK_OK);
}

static inline void open_window(host_instance *instance, uint32_t width, uint32_t height) {
  make(instance);
  CHECK_EQ(host_set_u32(instance, "width", width), MSDK_OK);
  CHECK_EQ(host_set_u32(instance, "height", height), MSDK_OK);
  CHECK_EQ(host_set_string(instance, "background", "#204060"), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
}

static inline void close_window(host_instance *instance) {
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  CHECK_EQ(outstanding(instance), 0);
  host_destroy(instance);
}

static inline void resize(const viewer *view, xcb_window_t window, uint32_t width, uint32_t height) {
  uint32_t values[] = {width, height};
  xcb_configure_window(view->connection, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
  xcb_flush(view->connection);
}

static inline void await_event(host_instance *instance, uint32_t event, msdk_result result, uint32_t count) {
  int64_t until = deadline_ns();
  while (host_count_events(instance, event, result) < count && host_monotonic_ns() < until) pause_ms(10);
  CHECK_EQ(host_count_events(instance, event, result), count);
}

static inline void refused(const char *name, msdk_result wanted, const char *words) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "display", name), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  host_destroy(&instance);
}

#endif
