/* A small X client for tests: it paints, moves the pointer, and reads pixels back by plain GetImage. */
#ifndef TESTS_X11_CLIENT_H
#define TESTS_X11_CLIENT_H

#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>
#include <xcb/xfixes.h>

typedef struct x11_client {
  xcb_connection_t *link;
  xcb_screen_t *screen;
  xcb_gcontext_t gc; /* for the root's depth */
} x11_client;

typedef struct x11_image { /* BGRA, the fourth byte 255 */
  uint32_t width, height;
  uint8_t *bytes;
} x11_image;

static inline int client_open(x11_client *client, const char *display) {
  client->link = xcb_connect(display, NULL);
  CHECK_EQ(xcb_connection_has_error(client->link), 0);
  if (xcb_connection_has_error(client->link)) return 0;
  client->screen = xcb_setup_roots_iterator(xcb_get_setup(client->link)).data;
  client->gc = xcb_generate_id(client->link);
  uint32_t values[] = {XCB_SUBWINDOW_MODE_INCLUDE_INFERIORS, 0};
  xcb_create_gc(client->link, client->gc, client->screen->root, XCB_GC_SUBWINDOW_MODE | XCB_GC_GRAPHICS_EXPOSURES, values);
  return 1;
}

static inline void client_close(x11_client *client) { xcb_disconnect(client->link); }

/* Returns when the server has done all. */
static inline void client_sync(x11_client *client) {
  free(xcb_get_input_focus_reply(client->link, xcb_get_input_focus(client->link), NULL));
  for (xcb_generic_event_t *event; (event = xcb_poll_for_event(client->link)) != NULL; free(event)) {
    if (event->response_type == 0) {
      const xcb_generic_error_t *error = (const xcb_generic_error_t *)event;
      printf("the client's request %u failed with %u\n", error->major_code, error->error_code);
      check_failed++;
    }
  }
}

static inline void client_fill(x11_client *client, xcb_drawable_t on, uint32_t pixel, int x, int y, unsigned width, unsigned height) {
  xcb_rectangle_t rectangle = {.x = (int16_t)x, .y = (int16_t)y, .width = (uint16_t)width, .height = (uint16_t)height};
  xcb_change_gc(client->link, client->gc, XCB_GC_FOREGROUND, &pixel);
  xcb_poly_fill_rectangle(client->link, on, client->gc, 1, &rectangle);
}

/* Rectangles of many colours all over it. */
static inline void client_paint(x11_client *client, xcb_drawable_t on, unsigned width, unsigned height, uint32_t seed) {
  uint32_t used = client->screen->root_depth == 16 ? 0xFFFF : client->screen->root_depth == 30 ? 0x3FFFFFFF : 0xFFFFFF;
  for (int i = 0; i < 200; i++) {
    seed = seed * 1664525 + 1013904223;
    int x = (int)((seed >> 8) % width), y = (int)((seed >> 16) % height);
    unsigned w = 1 + (seed >> 4) % 90, h = 1 + (seed >> 12) % 70;
    client_fill(client, on, (seed ^ seed >> 7) & used, x, y, w, h);
  }
  client_sync(client);
}

/* No window manager has a say in it. */
static inline xcb_window_t client_window(x11_client *client, const char *title, int x, int y, unsigned width, unsigned height,
                                         unsigned border, uint32_t background) {
  xcb_window_t window = xcb_generate_id(client->link);
  uint32_t values[] = {background, background ^ 0xFFFFFF, 1};
  xcb_create_window(client->link, client->screen->root_depth, window, client->screen->root, (int16_t)x, (int16_t)y, (uint16_t)width,
                    (uint16_t)height, (uint16_t)border, XCB_WINDOW_CLASS_INPUT_OUTPUT, client->screen->root_visual,
                    XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_OVERRIDE_REDIRECT, values);
  xcb_change_property(client->link, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8, (uint32_t)strlen(title), title);
  xcb_map_window(client->link, window);
  client_sync(client);
  return window;
}

static inline void client_configure(x11_client *client, xcb_window_t window, uint16_t mask, uint32_t a, uint32_t b) {
  uint32_t values[] = {a, b};
  xcb_configure_window(client->link, window, mask, values);
  xcb_flush(client->link);
}

static inline void client_pointer(x11_client *client, int x, int y) {
  xcb_warp_pointer(client->link, XCB_NONE, client->screen->root, 0, 0, 0, 0, (int16_t)x, (int16_t)y);
  client_sync(client);
}

/* One of the glyphs of the font of cursors. */
static inline void client_use_cursor(x11_client *client, xcb_window_t window, uint16_t glyph) {
  xcb_font_t font = xcb_generate_id(client->link);
  xcb_cursor_t cursor = xcb_generate_id(client->link);
  xcb_open_font(client->link, font, 6, "cursor");
  xcb_create_glyph_cursor(client->link, cursor, font, font, glyph, glyph + 1, 0xFFFF, 0x8000, 0, 0, 0, 0xFFFF);
  xcb_change_window_attributes(client->link, window, XCB_CW_CURSOR, &cursor);
  client_sync(client);
}

static inline uint8_t client_colour(uint32_t pixel, int shift, int bits) {
  uint32_t value = pixel >> shift & ((1u << bits) - 1);
  return (uint8_t)(bits == 10 ? value >> 2 : bits == 6 ? value << 2 | value >> 4 : bits == 5 ? value << 3 | value >> 2 : value);
}

static inline x11_image client_image(x11_client *client, xcb_drawable_t of, int x, int y, unsigned width, unsigned height) {
  x11_image image = {.width = width, .height = height, .bytes = calloc(width * height, 4)};
  xcb_get_image_cookie_t asked =
    xcb_get_image(client->link, XCB_IMAGE_FORMAT_Z_PIXMAP, of, (int16_t)x, (int16_t)y, (uint16_t)width, (uint16_t)height, UINT32_MAX);
  xcb_get_image_reply_t *reply = xcb_get_image_reply(client->link, asked, NULL);
  CHECK(reply != NULL);
  if (reply == NULL) return image;
  int depth = reply->depth;
  const uint8_t *from = xcb_get_image_data(reply);
  size_t stride = depth == 16 ? (width * 2 + 3) / 4 * 4 : width * 4;
  for (unsigned row = 0; row < height; row++) {
    for (unsigned i = 0; i < width; i++) {
      uint32_t pixel = 0;
      memcpy(&pixel, from + row * stride + i * (depth == 16 ? 2 : 4), depth == 16 ? 2 : 4);
      uint8_t *to = image.bytes + 4 * ((size_t)row * width + i);
      to[0] = client_colour(pixel, 0, depth == 16 ? 5 : depth == 30 ? 10 : 8);
      to[1] = client_colour(pixel, depth == 16 ? 5 : depth == 30 ? 10 : 8, depth == 16 ? 6 : depth == 30 ? 10 : 8);
      to[2] = client_colour(pixel, depth == 16 ? 11 : depth == 30 ? 20 : 16, depth == 16 ? 5 : depth == 30 ? 10 : 8);
      to[3] = 255;
    }
  }
  free(reply);
  return image;
}

/* Puts the cursor, as the server shows it now, over a picture of the root window from `left`, `top` on. */
static inline int client_add_cursor(x11_client *client, x11_image *image, int left, int top) {
  free(xcb_xfixes_query_version_reply(client->link, xcb_xfixes_query_version(client->link, 5, 0), NULL));
  xcb_xfixes_get_cursor_image_reply_t *cursor =
    xcb_xfixes_get_cursor_image_reply(client->link, xcb_xfixes_get_cursor_image(client->link), NULL);
  if (cursor == NULL) return 0;
  const uint32_t *pixels = xcb_xfixes_get_cursor_image_cursor_image(cursor);
  int seen = 0;
  for (int i = 0; i < cursor->width * cursor->height; i++) {
    int x = cursor->x - cursor->xhot - left + i % cursor->width, y = cursor->y - cursor->yhot - top + i / cursor->width;
    if (x < 0 || y < 0 || x >= (int)image->width || y >= (int)image->height) continue;
    uint8_t *to = image->bytes + 4 * ((size_t)y * image->width + (size_t)x);
    double alpha = (pixels[i] >> 24) / 255.0;
    for (int c = 0; c < 3; c++) to[c] = (uint8_t)((pixels[i] >> 8 * c & 0xFF) + to[c] * (1 - alpha) + 0.5);
    seen += pixels[i] >> 24 != 0;
  }
  free(cursor);
  return seen;
}

#endif
